//! Draws from networks.

use crate::support::{assert_near, five_nodes, four_nodes, random_graph, random_tables};
use didact_core::{Cancel, Error, Run};
use didact_graphical::{Gibbs, Network, Variable};

/// Five standard errors of a share over so many independent draws.
fn allowance(share: f64, draws: f64) -> f64 {
    5.0 * (share * (1.0 - share) / draws).sqrt() + 1e-12
}

// 001:BN-16: draws along the arrows have the joint distribution.
#[test]
fn forward_draws_have_the_joint_distribution() {
    let network = five_nodes();
    let rows = network.sample(20_000, 4);
    let joint = network.joint_table().unwrap();
    let mut counts = [0.0; 32];
    for row in rows.rows() {
        counts[row.iter().fold(0, |place, value| 2 * place + value)] += 1.0;
    }
    for (count, share) in counts.iter().zip(joint.probabilities()) {
        assert!(
            (count / 20_000.0 - share).abs() <= allowance(share, 20_000.0),
            "{count} {share}"
        );
    }
    assert_eq!(rows, network.sample(20_000, 4));
    assert_ne!(rows, network.sample(20_000, 5));
}

// 001:BN-16: with evidence each draw is weighted.
#[test]
fn weighted_draws_estimate_posterior_and_evidence() {
    let network = five_nodes();
    let given = [("x5", 0), ("x2", 1)];
    let drawn = network.weighted_sample(20_000, &given, 6).unwrap();
    let exact = network
        .query(&["x3"], &given)
        .unwrap()
        .probability(&[0])
        .unwrap();
    let effective = drawn.effective_size();
    assert!(effective > 5_000.0 && effective < 20_000.0);
    assert!((drawn.marginal(2)[0] - exact).abs() < allowance(exact, effective));
    let evidence = network.log_evidence(&given, &Run::new()).unwrap();
    assert!((drawn.log_evidence - evidence).abs() < 5.0 / effective.sqrt());
    assert!(drawn.rows.column(4).iter().all(|&value| value == 0));
    let error = four_nodes()
        .weighted_sample(10, &[("x1", 0), ("x2", 1)], 0)
        .unwrap_err();
    assert!(error.to_string().contains("none of 10 rows"), "{error}");
}

// 001:BN-15: the marginals converge to the exact posterior, in several chains.
#[test]
fn gibbs_sampling_converges_to_the_exact_posterior() {
    for seed in 0..4 {
        let network = random_tables(random_graph(8, 2, seed + 50), seed);
        let names = network.graph().names();
        let row = network.sample(1, seed).row(0).to_vec();
        let given = [(names[1].as_str(), row[1]), (names[6].as_str(), row[6])];
        let sampler = Gibbs {
            sweeps: 10_000,
            chains: 2,
            random_state: seed,
            ..Gibbs::default()
        };
        let draws = sampler.draw(&network, &given, &Run::new()).unwrap();
        for node in (0..8).filter(|&node| node != 1 && node != 6) {
            let exact = network
                .query(&[&names[node]], &given)
                .unwrap()
                .probabilities();
            for (value, (found, exact)) in draws.marginal(node).iter().zip(exact).enumerate() {
                let error = draws.standard_error(node, value).unwrap();
                assert!(
                    (found - exact).abs() < 5.0 * error,
                    "{seed}: {found} {exact} ± {error}"
                );
            }
        }
        assert!(
            draws.chains[0]
                .column(6)
                .iter()
                .all(|&value| value == row[6])
        );
        assert_ne!(draws.chains[0], draws.chains[1]);
    }
}

// 001:BN-15: each draw uses the current values of the others. With values of the sweep before for
// all nodes (or of this sweep for later ones, as printed) two nodes that agree in 90 of 100 cases
// would agree by chance only.
#[test]
fn a_sweep_uses_the_current_values() {
    let network = Network::new(vec![
        Variable::root("a", &[0.5, 0.5]),
        Variable::new("b", &["a"], &[&[0.9, 0.1], &[0.1, 0.9]]),
    ])
    .unwrap();
    let sampler = Gibbs {
        sweeps: 20_000,
        ..Gibbs::default()
    };
    let draws = sampler.draw(&network, &[], &Run::new()).unwrap();
    let agree = draws.chains[0]
        .rows()
        .into_iter()
        .filter(|row| row[0] == row[1])
        .count();
    assert!((agree as f64 / 20_000.0 - 0.9).abs() < allowance(0.9, 20_000.0));
}

// 001:BN-15: what is kept is the state after the sweep, not the start. The start of a draws from
// its prior (0.5), one sweep later it comes from its posterior (0.9).
#[test]
fn the_state_after_the_sweep_is_kept() {
    let network = Network::new(vec![
        Variable::root("a", &[0.5, 0.5]),
        Variable::new("b", &["a"], &[&[0.9, 0.1], &[0.1, 0.9]]),
    ])
    .unwrap();
    let sampler = Gibbs {
        sweeps: 1,
        burn_in: 0,
        chains: 4000,
        ..Gibbs::default()
    };
    let draws = sampler.draw(&network, &[("b", 0)], &Run::new()).unwrap();
    assert_eq!(draws.chains.len(), 4000);
    assert!((draws.marginal(0)[0] - 0.9).abs() < allowance(0.9, 4000.0));
}

// 001:BN-15, 001:T-21. The two probable states are joined by one of mass 0.5 %: a chain leaves
// either with probability about 0.0099 per sweep, so the autocorrelation time is about 100 sweeps
// and 200 000 sweeps are worth 2000 independent draws.
#[test]
fn near_deterministic_tables_mix_slowly() {
    let network = four_nodes();
    let given = [("x2", 0)];
    let exact = 100.0 / 199.0;
    let long = Gibbs {
        sweeps: 200_000,
        random_state: 1,
        ..Gibbs::default()
    };
    let draws = long.draw(&network, &given, &Run::new()).unwrap();
    assert!((draws.marginal(0)[0] - exact).abs() < allowance(exact, 2000.0));
    let naive = (exact * (1.0 - exact) / 200_000.0).sqrt();
    assert!(draws.standard_error(0, 0).unwrap() > 5.0 * naive);
}

// 001:BN-15: a start of positive probability is found although no forward draw would have it.
#[test]
fn the_start_agrees_with_improbable_evidence() {
    let copies: &[&[f64]] = &[&[1.0, 0.0], &[0.0, 1.0]];
    let network = Network::new(vec![
        Variable::root("cause", &[1.0 - 1e-12, 1e-12]),
        Variable::new("effect", &["cause"], copies),
        Variable::new("other", &["cause"], copies),
    ])
    .unwrap();
    let sampler = Gibbs {
        sweeps: 3,
        burn_in: 0,
        ..Gibbs::default()
    };
    let draws = sampler
        .draw(&network, &[("effect", 1)], &Run::new())
        .unwrap();
    assert!(draws.chains[0].iter().all(|&value| value == 1));
    let impossible = [("effect", 1), ("other", 0)];
    let error = sampler
        .draw(&network, &impossible, &Run::new())
        .unwrap_err();
    assert!(error.to_string().contains("probability 0"), "{error}");
}

#[test]
fn burn_in_thinning_and_seeds_are_kept_to() {
    let network = five_nodes();
    let all = Gibbs {
        sweeps: 20,
        burn_in: 0,
        random_state: 9,
        ..Gibbs::default()
    };
    let draw = |sampler: &Gibbs, threads: usize| {
        let run = Run::new().threads(threads);
        run.install(|| sampler.draw(&network, &[("x1", 0)], &run).unwrap())
    };
    let every = draw(&all, 1);
    let thinned = draw(
        &Gibbs {
            thinning: 5,
            ..all.clone()
        },
        2,
    );
    let later = draw(
        &Gibbs {
            burn_in: 5,
            sweeps: 15,
            ..all.clone()
        },
        1,
    );
    assert_eq!(every.chains[0].nrows(), 20);
    for kept in 0..4 {
        assert_eq!(thinned.chains[0].row(kept), every.chains[0].row(5 * kept));
    }
    assert_eq!(later.chains[0].row(0), every.chains[0].row(5));
    let several = Gibbs {
        chains: 4,
        ..all.clone()
    };
    assert_eq!(draw(&several, 1), draw(&several, 3));
    let error = Gibbs {
        thinning: 0,
        ..all.clone()
    }
    .draw(&network, &[], &Run::new())
    .unwrap_err();
    assert_eq!(error.to_string(), "thinning is 0; it must be at least 1");
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = all.draw(&network, &[], &Run::new().cancelled_by(&cancel));
    assert!(matches!(stopped, Err(Error::Cancelled)));
    assert_near(every.marginal(0)[0], 1.0, 1e-15);
}
