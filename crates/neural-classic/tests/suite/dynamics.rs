//! Leaky integrators in continuous time.

use didact_core::Run;
use didact_neural_classic::{
    Drive, EquilibriumKind, Integrator, LeakyNetwork, Regime, SingleUnit, step_response,
};
use didact_testing::random_matrix;
use ndarray::{Array1, Array2, ArrayView1, array};
use proptest::prelude::*;

fn lone_unit(time_constant: f64) -> LeakyNetwork {
    LeakyNetwork::new(
        array![time_constant],
        array![[0.0]],
        array![0.0],
        array![1.0],
    )
    .unwrap()
}

// 002b:HF-10, 002b:HF-12: m(t) = (m₀ − S)e^(−t/τ) + S; 0.632 at τ and 0.865 at 2τ. The decay is
// there although the unit has no connection to itself.
#[test]
fn the_response_to_a_step_is_exponential() {
    assert!((step_response(0.0, 1.0, 3.0, 3.0) - 0.632).abs() < 5e-4);
    assert!((step_response(0.0, 1.0, 3.0, 6.0) - 0.865).abs() < 5e-4);
    let unit = lone_unit(3.0);
    let drive = [Drive::Constant(1.5)];
    let miss = |integrator, n_steps: usize| {
        let step = 6.0 / n_steps as f64;
        let course = unit
            .run(&[-0.5], &drive, step, n_steps, integrator)
            .unwrap();
        (course.potentials[[n_steps, 0]] - step_response(-0.5, 1.5, 3.0, 6.0)).abs()
    };
    assert!(miss(Integrator::ExponentialEuler, 3) < 1e-15);
    assert!(miss(Integrator::RungeKutta, 600) < 1e-11);
    assert!(miss(Integrator::Euler, 600) < 2e-3);
    // First and fourth order: half the step, half and a sixteenth of the error.
    let ratio = |integrator| miss(integrator, 20) / miss(integrator, 40);
    assert!((ratio(Integrator::Euler) - 2.0).abs() < 0.1);
    assert!((ratio(Integrator::RungeKutta) - 16.0).abs() < 1.0);
}

// 002b:HF-13: without input it is the potential m that decays as e^(−t/τ), not the rate x.
#[test]
fn without_input_the_potential_leaks_away_and_the_rate_does_not() {
    let unit = lone_unit(2.0);
    let course = unit
        .run(
            &[4.0],
            &[Drive::Constant(0.0)],
            0.01,
            400,
            Integrator::RungeKutta,
        )
        .unwrap();
    for (index, time) in course.times.iter().enumerate() {
        let expected = 4.0 * (-time / 2.0).exp();
        assert!((course.potentials[[index, 0]] - expected).abs() < 1e-9);
    }
    let rate = course.rates[[400, 0]] / course.rates[[0, 0]];
    assert!((rate - (-2.0_f64).exp()).abs() > 0.3);
}

// 002b:HF-10: step, pulse, ramp and recorded inputs.
#[test]
fn inputs_of_every_shape_drive_a_unit() {
    let unit = lone_unit(1.0);
    let end = |drive: Drive| {
        let course = unit
            .run(&[0.0], &[drive], 0.001, 4000, Integrator::RungeKutta)
            .unwrap();
        course.potentials[[4000, 0]]
    };
    let after = |seconds: f64| 1.0 - (-seconds).exp();
    let step = end(Drive::Step {
        from: 1.0,
        height: 2.0,
    });
    assert!((step - 2.0 * after(3.0)).abs() < 2e-3);
    let pulse = end(Drive::Pulse {
        from: 1.0,
        to: 2.0,
        height: 2.0,
    });
    assert!((pulse - 2.0 * after(1.0) * (-2.0_f64).exp()).abs() < 2e-3);
    // For a slope of one the lag is τ in the end: m = (t − 1) − (1 − e^(−(t − 1))).
    let ramp = end(Drive::Ramp {
        from: 1.0,
        slope: 1.0,
    });
    assert!((ramp - (3.0 - after(3.0))).abs() < 1e-6);
    let recorded = end(Drive::Trace {
        step: 1.0,
        values: vec![0.0, 2.0, 0.0],
    });
    assert!((recorded - pulse).abs() < 2e-3);
    assert_eq!(
        end(Drive::Trace {
            step: 1.0,
            values: vec![]
        }),
        0.0
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    // 002b:HF-11: with symmetric weights the energy never rises, so the network comes to rest.
    #[test]
    fn the_energy_of_a_symmetric_network_falls(n in 1usize..5, seed: u64) {
        let random = random_matrix(n, n, seed) * 3.0;
        let weights = (&random + &random.t()) / 2.0;
        let vector = |seed: u64| random_matrix(1, n, seed).into_iter().collect::<Array1<f64>>();
        let network = LeakyNetwork::new(
            vector(seed ^ 1).mapv(|v| 0.5 + v.abs()),
            weights,
            vector(seed ^ 2),
            vector(seed ^ 3).mapv(|v| 0.5 + v.abs()),
        ).unwrap();
        let inputs = vector(seed ^ 4);
        let drives: Vec<Drive> = inputs.iter().map(|&value| Drive::Constant(value)).collect();
        let start = vector(seed ^ 5).to_vec();
        let course = network.run(&start, &drives, 0.01, 800, Integrator::RungeKutta).unwrap();
        let energies: Vec<f64> = course
            .potentials
            .rows()
            .into_iter()
            .map(|row| network.energy(row, inputs.view()).unwrap())
            .collect();
        prop_assert!(energies.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9));
    }
}

#[test]
fn a_network_without_equal_weights_both_ways_has_no_energy() {
    let network = Regime::Focus.network();
    let zero = array![0.0, 0.0];
    assert!(network.energy(zero.view(), zero.view()).is_err());
}

// 002b:HF-14: w = −20, S = 30 rests at 10.0009; w = 20 needs S = −10 for the three points −9.999,
// 0 and 9.999, since with the printed S = 30 all potentials lie in [30, 50] and 50 is the only one.
#[test]
fn a_unit_with_itself_rests_where_it_should() {
    let unit = |self_weight, input| SingleUnit {
        self_weight,
        input,
        bias: 0.0,
        slope: 1.0,
    };
    let inhibited = unit(-20.0, 30.0).equilibria().unwrap();
    assert_eq!(inhibited.len(), 1);
    assert!((inhibited[0].0 - 10.0009).abs() < 5e-5 && inhibited[0].1);
    let three = unit(20.0, -10.0).equilibria().unwrap();
    let expected = [(-9.9991, true), (0.0, false), (9.9991, true)];
    assert_eq!(three.len(), 3);
    for (found, expected) in three.iter().zip(expected) {
        assert!((found.0 - expected.0).abs() < 5e-5 && found.1 == expected.1);
    }
    let printed = unit(20.0, 30.0).equilibria().unwrap();
    assert_eq!(printed.len(), 1);
    assert!((printed[0].0 - 50.0).abs() < 1e-9 && printed[0].1);
}

// 002b:HF-15: stable iff w·D·x(1 − x) < 1; three points need w·D > 4, so for w = 20 the border is
// D = 0.2.
#[test]
fn three_equilibria_appear_when_weight_times_slope_exceeds_four() {
    let count = |slope| {
        let unit = SingleUnit {
            self_weight: 20.0,
            input: -10.0,
            bias: 0.0,
            slope,
        };
        let found = unit.equilibria().unwrap();
        for (potential, stable) in &found {
            assert!(unit.drift(*potential).abs() < 1e-9);
            let rate = 1.0 / (1.0 + (-slope * potential).exp());
            assert_eq!(20.0 * slope * rate * (1.0 - rate) < 1.0, *stable);
        }
        found.len()
    };
    assert_eq!([0.05, 0.15, 0.199].map(count), [1; 3]);
    assert_eq!([0.201, 0.3, 5.0].map(count), [3; 3]);
    let nothing = SingleUnit {
        self_weight: 1.0,
        input: f64::NAN,
        bias: 0.0,
        slope: 1.0,
    };
    assert!(nothing.equilibria().is_err());
}

// 002b:HF-16: the regimes and their equilibria.
#[test]
fn two_units_have_the_equilibria_of_their_regime() {
    use EquilibriumKind::{Saddle, StableFocus, StableNode, UnstableFocus, UnstableNode};
    let cases = [
        (Regime::Focus, vec![(1.178, -0.351, StableFocus)]),
        (Regime::LimitCycle, vec![(2.75, 1.75, UnstableFocus)]),
        (
            Regime::Bistable,
            vec![
                (0.569, 0.713, StableNode),
                (3.25, 2.0, Saddle),
                (5.931, 3.287, StableNode),
            ],
        ),
        (
            Regime::WinnerTakeAll,
            vec![
                (-5.83, 1.83, StableNode),
                (-2.0, -2.0, Saddle),
                (1.83, -5.83, StableNode),
            ],
        ),
    ];
    let run = Run::new();
    for (regime, expected) in cases {
        let found = regime.network().equilibria(&[0.0, 0.0], &run).unwrap();
        assert_eq!(found.len(), expected.len(), "{regime:?}");
        for (found, (first, second, kind)) in found.iter().zip(expected) {
            let miss = &found.potentials - &array![first, second];
            assert!(
                miss.iter().all(|miss| miss.abs() < 5e-3),
                "{regime:?} {found:?}"
            );
            assert_eq!(found.kind, kind, "{regime:?}");
        }
    }
    let four = Regime::FourAttractors
        .network()
        .equilibria(&[0.0, 0.0], &run)
        .unwrap();
    let count = |kind| four.iter().filter(|found| found.kind == kind).count();
    assert_eq!(
        (
            four.len(),
            count(StableNode),
            count(Saddle),
            count(UnstableNode)
        ),
        (9, 4, 4, 1)
    );
}

// 002b:HF-16: the limit cycle oscillates between the known rates, whatever the start.
#[test]
fn the_limit_cycle_is_reached_from_inside_and_outside() {
    let network = Regime::LimitCycle.network();
    let drives = [Drive::Constant(0.0), Drive::Constant(0.0)];
    for start in [[2.8, 1.7], [9.0, -4.0]] {
        let course = network
            .run(&start, &drives, 0.02, 15_000, Integrator::RungeKutta)
            .unwrap();
        let late = course.rates.slice(ndarray::s![10_000.., 0]);
        let low = late.fold(1.0_f64, |a, &b| a.min(b));
        let high = late.fold(0.0_f64, |a, &b| a.max(b));
        assert!(
            (low - 0.189).abs() < 2e-3 && (high - 0.811).abs() < 2e-3,
            "{low} {high}"
        );
    }
}

// 002b:HF-16: on the nullcline of a unit it does not move, and both meet at the equilibria.
#[test]
fn a_unit_stands_still_on_its_nullcline() {
    let network = Regime::Bistable.network();
    let grid: Vec<f64> = (0..200).map(|i| -2.0 + 0.05 * f64::from(i)).collect();
    let zero = array![0.0, 0.0];
    for unit in [0, 1] {
        let line = network.nullcline(unit, [0.0, 0.0], &grid).unwrap();
        assert!(line.len() > 10);
        for point in line {
            let speed = network.speed(ArrayView1::from(&point), zero.view());
            assert!(speed[unit].abs() < 1e-9);
        }
    }
    let deaf = LeakyNetwork::new(
        array![1.0, 1.0],
        array![[20.0, 0.0], [1.0, 0.0]],
        array![0.0, 0.0],
        array![1.0, 1.0],
    )
    .unwrap();
    assert_eq!(
        deaf.nullcline(0, [-10.0, 0.0], &[0.0, 1.0]).unwrap().len(),
        6
    );
    assert!(deaf.nullcline(2, [0.0, 0.0], &grid).is_err());
}

// 002b:HF-15, 002b:HF-16: stability by the Jacobian, which finite differences confirm.
#[test]
fn the_jacobian_is_the_derivative_of_the_speed() {
    let network = LeakyNetwork::new(
        array![0.5, 2.0, 1.0],
        random_matrix(3, 3, 1),
        array![0.1, -0.4, 0.0],
        array![1.0, 2.0, 0.5],
    )
    .unwrap();
    let (at, inputs) = (array![0.3, -0.2, 1.0], array![0.5, 0.0, -1.0]);
    let jacobian = network.jacobian(at.view());
    for column in 0..3 {
        let mut step = Array1::<f64>::zeros(3);
        step[column] = 1e-6;
        let above = network.speed((&at + &step).view(), inputs.view());
        let below = network.speed((&at - &step).view(), inputs.view());
        let slope = (above - below) / 2e-6;
        assert!(
            (&slope - &jacobian.column(column))
                .iter()
                .all(|miss| miss.abs() < 1e-8)
        );
    }
}

#[test]
fn networks_that_make_no_sense_are_refused() {
    let ones = || array![1.0, 1.0];
    let weights = Array2::<f64>::zeros((2, 2));
    let with =
        |time_constants, slopes| LeakyNetwork::new(time_constants, weights.clone(), ones(), slopes);
    assert!(with(array![1.0, 0.0], ones()).is_err());
    assert!(with(ones(), array![1.0, -1.0]).is_err());
    assert!(with(array![1.0], ones()).is_err());
    let network = with(ones(), ones()).unwrap();
    let drives = [Drive::Constant(0.0), Drive::Constant(0.0)];
    assert!(
        network
            .run(&[0.0], &drives, 0.1, 1, Integrator::Euler)
            .is_err()
    );
    assert!(
        network
            .run(&[0.0; 2], &drives[..1], 0.1, 1, Integrator::Euler)
            .is_err()
    );
    assert!(
        network
            .run(&[0.0; 2], &drives, 0.0, 1, Integrator::Euler)
            .is_err()
    );
    assert!(network.equilibria(&[0.0], &Run::new()).is_err());
}
