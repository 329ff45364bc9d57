//! The frozen lakes of Gymnasium: the maps and the slips are public, the numbers were found from
//! them by policy iteration in exact fractions.

use crate::worlds::{assert_near, grid_process};
use didact_core::Fit;
use didact_data::GridWalk;
use didact_reinforcement::{
    DecisionProcess, Following, ModifiedPolicyIteration, PolicyEvaluation, PolicyIteration,
    ValueIteration,
};

/// Every step goes ahead or to one of its sides, with a third each; holes end the walk.
fn lake(map: &str) -> DecisionProcess {
    let walk = GridWalk {
        slip: 1.0 / 3.0,
        ..GridWalk::default()
    };
    grid_process(&format!("{map}\n\nH = 0 exit\n"), walk)
}

fn small_lake() -> DecisionProcess {
    lake("S...\n.H.H\n...H\nH..G")
}

const SMALL: [f64; 16] = [
    0.542025932,
    0.498803187229,
    0.470695690556,
    0.456851699658,
    0.558450960243,
    0.0,
    0.358348071983,
    0.0,
    0.591798744856,
    0.643079824768,
    0.615207557877,
    0.0,
    0.0,
    0.741720438989,
    0.862837430149,
    0.0,
];

// 001:RL-08, 004:M78: exact value iteration on a toy grid of Gymnasium.
#[test]
fn the_small_frozen_lake_is_planned() {
    let world = small_lake();
    let plan = PolicyIteration {
        discount: 0.99,
        ..PolicyIteration::default()
    };
    let plan = plan.fit(&world).unwrap();
    assert_near(plan.values(), &SMALL, 1e-9);
    let swept = ValueIteration {
        discount: 0.99,
        tol: 1e-11,
        ..ValueIteration::default()
    };
    assert_near(swept.fit(&world).unwrap().values(), &SMALL, 1e-9);
    let go: Vec<Option<&str>> = plan
        .policy()
        .actions()
        .iter()
        .map(|action| action.map(|action| world.action_name(action)))
        .collect();
    let (up, right, down, left) = (Some("up"), Some("right"), Some("down"), Some("left"));
    // State 6, between two holes, may go left or right.
    assert!(go[6] == left || go[6] == right);
    #[rustfmt::skip]
    let expected = [
        left, up,    up,    up,
        left, None,  go[6], None,
        up,   down,  left,  None,
        None, right, down,  None,
    ];
    assert_eq!(go, expected);
}

// The best chance to get over the small lake at all, however long it takes, is 14/17.
#[test]
fn the_best_chance_to_cross_the_small_lake_is_fourteen_seventeenths() {
    let world = small_lake();
    let plan = PolicyIteration {
        discount: 1.0,
        ..PolicyIteration::default()
    };
    let plan = plan.fit(&world).unwrap();
    assert_near(&plan.values()[..1], &[14.0 / 17.0], 1e-12);
    let evaluated = PolicyEvaluation {
        discount: 1.0,
        ..PolicyEvaluation::default()
    };
    let evaluated = evaluated.fit(Following {
        process: &world,
        policy: plan.policy(),
    });
    assert_near(&evaluated.unwrap().values()[..1], &[14.0 / 17.0], 1e-12);
}

// 001:RL-11: the larger lake.
#[test]
fn the_large_frozen_lake_is_planned() {
    let world =
        lake("S.......\n........\n...H....\n.....H..\n...H....\n.HH...H.\n.H..H.H.\n...H...G");
    let plan = ModifiedPolicyIteration {
        discount: 0.99,
        tol: 1e-11,
        ..ModifiedPolicyIteration::default()
    };
    let plan = plan.fit(&world).unwrap();
    let first_row = [
        0.4146403618,
        0.427205221248,
        0.446148224568,
        0.468320370981,
        0.492443713548,
        0.516569829484,
        0.535261514925,
        0.540975217403,
    ];
    assert_near(&plan.values()[..8], &first_row, 1e-9);
    let last_row = [
        0.280388966488,
        0.200815115071,
        0.127326570172,
        0.0,
        0.239590863306,
        0.486442055804,
        0.737103301117,
        0.0,
    ];
    assert_near(&plan.values()[56..], &last_row, 1e-9);
}
