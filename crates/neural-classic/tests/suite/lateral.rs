//! Anti-Hebbian networks: Földiák's, and the separator of Jutten and Hérault.

use didact_core::random::generator;
use didact_core::{Run, StopReason};
use didact_math::linalg::symmetric_power;
use didact_neural_classic::{
    Foldiak, FoldiakNetwork, JuttenHerault, JuttenHeraultNetwork, OddFunction, OutputTargets,
    amari_index, decorrelated_covariance, foldiak_pair_weight, foldiak_weights,
};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Array2, array};
use proptest::prelude::*;
use rand::RngExt;

fn settle(covariance: &Array2<f64>, targets: OutputTargets) -> FoldiakNetwork {
    let foldiak = Foldiak {
        targets,
        ..Foldiak::default()
    };
    let (network, trace) = foldiak.settle(covariance.view(), &Run::new()).unwrap();
    assert_eq!(trace.stop, StopReason::Converged);
    network
}

// 002b:HB-16, 002b:HB-17: the published numbers, and the residual in closed form.
#[test]
fn two_outputs_decorrelate_at_the_known_weight() {
    let cases = [
        (0.5, 1.0, 1.0, -0.267949, 0.933013),
        (0.8, 1.0, 1.0, -0.5, 0.8),
        (-0.6, 1.0, 1.0, 1.0 / 3.0, 0.9),
    ];
    for (correlation, first, second, weight, variance) in cases {
        let covariance = array![
            [first * first, correlation * first * second],
            [correlation * first * second, second * second]
        ];
        let network = settle(&covariance, OutputTargets::Uncorrelated);
        let exact = foldiak_pair_weight(correlation, first, second).unwrap();
        assert!((exact - weight).abs() < 1e-6);
        assert!((network.weights()[[0, 1]] - exact).abs() < 1e-9);
        assert_eq!(network.weights().diag(), array![0.0, 0.0]);
        let outputs = decorrelated_covariance(covariance.view(), network.weights().view()).unwrap();
        assert!(outputs[[0, 1]].abs() < 1e-9);
        // σ²/(1 + w²); with the spurious term of the text it would be more.
        assert!((outputs[[0, 0]] - variance).abs() < 1e-6);
        assert!((outputs[[0, 0]] - 1.0 / (1.0 + exact * exact)).abs() < 1e-9);
    }
    let unequal = foldiak_pair_weight(0.5, 1.0, 2.0).unwrap();
    assert!((unequal + 0.208712).abs() < 1e-6);
    assert!(foldiak_pair_weight(1.0, 1.0, 1.0).is_err());
    assert_eq!(foldiak_pair_weight(0.0, 1.0, 3.0).unwrap(), 0.0);
}

// 002b:HB-18: W = I − C^½, so that the map is the symmetric whitening C^(−½).
#[test]
fn self_connections_whiten_the_outputs_symmetrically() {
    let covariance = array![[2.0, 1.2], [1.2, 1.0]];
    let network = settle(&covariance, OutputTargets::Whitened);
    let expected = Array2::eye(2) - symmetric_power(covariance.view(), 0.5).unwrap();
    assert_close(network.weights(), &expected, 1e-8);
    let published = array![[-0.296057, -0.565895], [-0.565895, 0.175523]];
    assert!(
        (network.weights() - &published)
            .iter()
            .all(|miss| miss.abs() < 1e-6)
    );
    let whitening = symmetric_power(covariance.view(), -0.5).unwrap();
    let input = array![0.7, -1.1];
    let output = network.output(input.as_slice().unwrap()).unwrap();
    assert_close(&output, &whitening.dot(&input), 1e-8);
}

// 002b:HB-19
#[test]
fn outputs_take_the_variances_that_are_asked_for() {
    let covariance = array![[2.0, 1.2], [1.2, 1.0]];
    let variances = array![0.5, 2.0];
    let network = settle(&covariance, OutputTargets::Variances(variances.clone()));
    let closed = foldiak_weights(covariance.view(), variances.view()).unwrap();
    assert_close(network.weights(), &closed, 1e-8);
    let published = array![[-0.648954, -0.565895], [-0.565895, 0.351972]];
    assert!((&closed - &published).iter().all(|miss| miss.abs() < 1e-6));
    let outputs = decorrelated_covariance(covariance.view(), closed.view()).unwrap();
    assert_close(&outputs, &Array2::from_diag(&variances), 1e-12);
    assert!(foldiak_weights(covariance.view(), array![1.0, 0.0].view()).is_err());
    let none = FoldiakNetwork::new(2, OutputTargets::Variances(array![1.0, -1.0]));
    assert!(none.is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    // 002b:HB-16, 002b:HB-17: for more outputs the residual tells.
    #[test]
    fn any_number_of_outputs_decorrelates(n in 1usize..6, whiten: bool, seed: u64) {
        let rows = random_matrix(4 * n, n, seed);
        let covariance = rows.t().dot(&rows) / (4 * n) as f64;
        let targets = if whiten { OutputTargets::Whitened } else { OutputTargets::Uncorrelated };
        let network = settle(&covariance, targets);
        let outputs = decorrelated_covariance(covariance.view(), network.weights().view()).unwrap();
        for ((i, j), value) in outputs.indexed_iter() {
            let target = if whiten && i == j { 1.0 } else { 0.0 };
            prop_assert!(i == j && !whiten || (value - target).abs() < 1e-8);
        }
        prop_assert_eq!(network.weights(), &network.weights().t());
    }
}

// 002b:HB-16: the on-line rule without the average, and both ways of settling.
#[test]
fn outputs_decorrelate_row_by_row_and_settle_by_going_round() {
    let root = symmetric_power(array![[1.0, 0.5], [0.5, 1.0]].view(), 0.5).unwrap();
    let rows = random_matrix(20_000, 2, 1).dot(&root);
    let mut network = FoldiakNetwork::new(2, OutputTargets::Uncorrelated).unwrap();
    for (step, row) in rows.rows().into_iter().enumerate() {
        let rate = 0.02 / (1.0 + step as f64 / 200.0);
        network.learn(row.as_slice().unwrap(), rate).unwrap();
    }
    // At the last rate, 0.0002, the weight has a deviation of about 0.007.
    assert!((network.weights()[[0, 1]] + 0.267949).abs() < 0.028);
    let solved = network.output(&[1.0, -2.0]).unwrap();
    let rounds = network.output_by_iteration(&[1.0, -2.0], 200).unwrap();
    assert_close(&rounds, &solved, 1e-12);
    assert!(network.output(&[1.0]).is_err());
    // The whitening of small variances needs weights that cannot go round.
    let strong = settle(&(Array2::eye(2) * 9.0), OutputTargets::Whitened);
    assert!(strong.output_by_iteration(&[1.0, 1.0], 200).is_err());
    assert!(strong.output(&[1.0, 1.0]).is_ok());
}

// 002b:HB-18: the network starts from W = 0, and no step lets I − W become singular.
#[test]
fn a_rate_that_is_too_large_is_halved() {
    let mut network = FoldiakNetwork::new(2, OutputTargets::Whitened).unwrap();
    assert_eq!(network.weights(), &Array2::<f64>::zeros((2, 2)));
    for row in random_matrix(200, 2, 2).rows() {
        network.learn(row.as_slice().unwrap(), 5.0).unwrap();
        assert!(
            network
                .output(&[1.0, 1.0])
                .unwrap()
                .iter()
                .all(|y| y.is_finite())
        );
    }
}

fn mixed(draw: impl Fn(f64) -> f64) -> Array2<f64> {
    let mut generator = generator(3, 0);
    let sources = Array2::from_shape_fn((8000, 2), |_| draw(generator.random::<f64>()));
    sources.dot(&array![[1.0, 0.5], [0.4, 1.0]].t())
}

fn uniform(u: f64) -> f64 {
    3.0_f64.sqrt() * (2.0 * u - 1.0)
}

/// Of the law of Laplace, with variance one.
fn heavy(u: f64) -> f64 {
    let centred = u - 0.5;
    -centred.signum() * (1.0 - 2.0 * centred.abs()).ln() / 2.0_f64.sqrt()
}

fn index_of(network: &JuttenHeraultNetwork) -> f64 {
    let mixing = array![[1.0, 0.5], [0.4, 1.0]];
    amari_index(network.unmixing().unwrap().dot(&mixing).view()).unwrap()
}

// 002b:HB-22: light tails with y³ and arctan: W near [[0, 0.5], [0.4, 0]].
#[test]
fn weakly_mixed_uniform_sources_are_separated() {
    let found = JuttenHerault::default()
        .separate(mixed(uniform).view(), &Run::new())
        .unwrap();
    assert_eq!(found.trace.stop, StopReason::Converged);
    let weights = found.network.weights();
    assert!((weights[[0, 1]] - 0.5).abs() < 0.03 && (weights[[1, 0]] - 0.4).abs() < 0.06);
    assert_eq!(weights.diag(), array![0.0, 0.0]);
    assert!(index_of(&found.network) < 0.05);
    let before = amari_index(array![[1.0, 0.5], [0.4, 1.0]].view()).unwrap();
    assert!(before > 0.4);
}

// 002b:HB-22: for heavy tails the functions change places.
#[test]
fn heavy_tails_need_the_functions_exchanged() {
    let exchanged = JuttenHerault {
        f: OddFunction::Arctangent,
        g: OddFunction::Cube,
        ..JuttenHerault::default()
    };
    let found = exchanged
        .separate(mixed(heavy).view(), &Run::new())
        .unwrap();
    assert!(
        index_of(&found.network) < 0.08,
        "{}",
        index_of(&found.network)
    );
    let usual = JuttenHerault {
        max_iter: 300,
        ..JuttenHerault::default()
    };
    let usual = usual.separate(mixed(heavy).view(), &Run::new());
    assert!(usual.is_err() || index_of(&usual.unwrap().network) > 0.3);
}

// 002b:HB-22: the identity for both functions decorrelates and no more.
#[test]
fn identities_only_decorrelate() {
    let linear = JuttenHerault {
        f: OddFunction::Identity,
        g: OddFunction::Identity,
        ..JuttenHerault::default()
    };
    let found = linear.separate(mixed(uniform).view(), &Run::new()).unwrap();
    let y = &found.signals;
    let product = y.column(0).dot(&y.column(1)) / y.nrows() as f64;
    assert!(product.abs() < 1e-6);
    assert!(index_of(&found.network) > 0.02);
}

// 002b:HB-22: with y = x − W·y the printed sign −α diverges.
#[test]
fn the_printed_sign_diverges() {
    let rows = mixed(uniform);
    let run = |sign: f64| -> didact_core::Result<JuttenHeraultNetwork> {
        let f = OddFunction::Cube;
        let mut network = JuttenHeraultNetwork::new(2, f, OddFunction::Arctangent)?;
        for (step, row) in rows.rows().into_iter().enumerate() {
            let rate = sign * 0.01 / (1.0 + step as f64 / 2000.0);
            network.learn(row.as_slice().unwrap(), rate)?;
        }
        Ok(network)
    };
    let right = run(1.0).unwrap();
    assert!(index_of(&right) < 0.1);
    let wrong = run(-1.0);
    assert!(wrong.is_err() || index_of(&wrong.unwrap()) > 0.5);
}

#[test]
fn mixtures_that_cannot_be_separated_are_refused() {
    let run = Run::new();
    let constant = Array2::from_elem((10, 2), 3.0);
    let separator = JuttenHerault::default();
    assert!(separator.separate(constant.view(), &run).is_err());
    assert!(
        separator
            .separate(Array2::zeros((0, 2)).view(), &run)
            .is_err()
    );
    assert!(amari_index(Array2::<f64>::zeros((2, 2)).view()).is_err());
    let zeros: Array1<f64> = Array1::zeros(2);
    let foldiak = Foldiak::default();
    assert!(
        foldiak
            .settle(Array2::from_diag(&zeros).view(), &run)
            .is_err()
    );
}
