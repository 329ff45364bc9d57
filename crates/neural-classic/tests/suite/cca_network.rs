//! Networks for canonical correlation.

use didact_core::Run;
use didact_core::random::generator;
use didact_math::linalg::symmetric_power;
use didact_neural_classic::{CcaNetwork, CcaTraining, NonlinearCcaNetwork};
use didact_testing::random_matrix;
use ndarray::{Array2, ArrayView1, array};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

// 002b:HB-20: the averaged rule comes to the first canonical pair: both multipliers are the
// correlation and both outputs have variance one. The numbers are those of the closed form.
#[test]
fn the_averaged_rule_ends_at_the_first_canonical_pair() {
    let c11 = array![[1.0, 0.3], [0.3, 2.0]];
    let c22 = array![[1.5, -0.2], [-0.2, 1.0]];
    let c12 = array![[0.5, 0.1], [-0.3, 0.6]];
    let half = symmetric_power(c11.view(), -0.5)
        .unwrap()
        .dot(&c12)
        .dot(&symmetric_power(c22.view(), -0.5).unwrap());
    let values = didact_math::linalg::thin_svd(half.view())
        .unwrap()
        .singular_values;
    assert!((values[0] - 0.498891).abs() < 1e-6 && (values[1] - 0.396109).abs() < 1e-6);
    let mut network = CcaNetwork::new(vec![0.1, 0.05], vec![-0.02, 0.1]).unwrap();
    for _ in 0..150_000 {
        network
            .learn_average(c11.view(), c22.view(), c12.view(), 0.01, 0.01)
            .unwrap();
    }
    for multiplier in network.multipliers() {
        assert!(
            (multiplier - values[0]).abs() < 1e-9,
            "{multiplier} {}",
            values[0]
        );
    }
    let (w1, w2) = (
        ArrayView1::from(network.first()),
        ArrayView1::from(network.second()),
    );
    assert!((w1.dot(&c11.dot(&w1)) - 1.0).abs() < 1e-9);
    assert!((w2.dot(&c22.dot(&w2)) - 1.0).abs() < 1e-9);
    assert!((w1.dot(&c12.dot(&w2)) - values[0]).abs() < 1e-9);
}

// 002b:HB-20: a multiplier rises while its output varies too much.
#[test]
fn a_multiplier_rises_when_the_output_exceeds_one() {
    let mut network = CcaNetwork::new(vec![1.0], vec![1.0]).unwrap();
    network.learn(&[2.0], &[0.5], 0.1, 0.1).unwrap();
    let [first, second] = network.multipliers();
    assert!((first - 0.3).abs() < 1e-15 && (second + 0.075).abs() < 1e-15);
    // Δw₁ = η·x₁·(y₂ − λ₁y₁) with the multiplier from before: 1 + 0.1·2·0.5.
    assert!((network.first()[0] - 1.1).abs() < 1e-15);
    assert!(CcaNetwork::new(vec![0.0], vec![1.0]).is_err());
    assert!(network.learn(&[1.0, 2.0], &[1.0], 0.1, 0.1).is_err());
}

/// A circle seen as a point and as an angle: no weighted sums agree well.
fn circle() -> (Array2<f64>, Array2<f64>) {
    let mut generator = generator(5, 0);
    let mut first = Array2::zeros((4000, 2));
    let mut second = Array2::zeros((4000, 2));
    for row in 0..4000 {
        let angle = generator.random::<f64>() * std::f64::consts::TAU;
        let mut noise = || -> f64 {
            let value: f64 = StandardNormal.sample(&mut generator);
            0.1 * value
        };
        first[[row, 0]] = -angle.sin() + noise();
        first[[row, 1]] = angle.cos() + noise();
        second[[row, 0]] = angle - std::f64::consts::PI + noise();
        second[[row, 1]] = angle - std::f64::consts::PI + noise();
    }
    (first, second)
}

// 002b:HB-21: on a curve the non-linear network finds what the linear one cannot; the linear one
// reaches the closed form.
#[test]
fn bent_axes_agree_better_than_straight_ones_on_a_circle() {
    let (first, second) = circle();
    let training = CcaTraining {
        eta: 0.002,
        epochs: 40,
        ..CcaTraining::default()
    };
    let run = Run::new();
    let (_, linear) = training.linear(first.view(), second.view(), &run).unwrap();
    let (_, bent) = training
        .nonlinear(first.view(), second.view(), &run)
        .unwrap();
    let last = |trace: &didact_core::Trace| *trace.objectives.last().unwrap();
    let closed = first_correlation(&first, &second);
    assert!((closed - 0.772).abs() < 0.02);
    assert!((last(&linear) - closed).abs() < 0.005);
    assert!(last(&bent) > 0.95, "{}", last(&bent));
}

fn first_correlation(first: &Array2<f64>, second: &Array2<f64>) -> f64 {
    let centre = |view: &Array2<f64>| view - &view.mean_axis(ndarray::Axis(0)).unwrap();
    let (a, b) = (centre(first), centre(second));
    let n = a.nrows() as f64;
    let root = |x: &Array2<f64>| symmetric_power((x.t().dot(x) / n).view(), -0.5).unwrap();
    let inner = root(&a).dot(&(a.t().dot(&b) / n)).dot(&root(&b));
    didact_math::linalg::thin_svd(inner.view())
        .unwrap()
        .singular_values[0]
}

// 002b:HB-21: for small gains tanh(v·x) is v·x, and the network is the linear one with weights
// w⊙v; the gains use the weights from before.
#[test]
fn small_gains_make_the_network_linear_and_gains_use_old_weights() {
    let gain = 1e-4;
    let weights = [vec![0.3, -0.2], vec![0.5]];
    let mut bent = NonlinearCcaNetwork::new(
        weights
            .clone()
            .map(|side| side.iter().map(|w| w / gain).collect()),
        [vec![gain; 2], vec![gain]],
    )
    .unwrap();
    let linear = CcaNetwork::new(weights[0].clone(), weights[1].clone()).unwrap();
    let rows = random_matrix(20, 3, 6);
    for row in rows.rows() {
        let (x1, x2) = ([row[0], row[1]], [row[2]]);
        let (a, b) = (
            bent.outputs(&x1, &x2).unwrap(),
            linear.outputs(&x1, &x2).unwrap(),
        );
        assert!((a.0 - b.0).abs() < 1e-6 && (a.1 - b.1).abs() < 1e-6);
    }
    let mut network =
        NonlinearCcaNetwork::new([vec![0.4], vec![0.7]], [vec![0.5], vec![0.9]]).unwrap();
    let (f1, f2) = ((0.5 * 1.2_f64).tanh(), (0.9 * -0.3_f64).tanh());
    let (y1, y2) = network.learn(&[1.2], &[-0.3], 0.1, 0.2).unwrap();
    assert!((y1 - 0.4 * f1).abs() < 1e-15 && (y2 - 0.7 * f2).abs() < 1e-15);
    // λ was zero, so e₁ = y₂.
    let gain = 0.5 + 0.1 * 0.4 * 1.2 * (1.0 - f1 * f1) * y2;
    assert!((network.gains()[0][0] - gain).abs() < 1e-15);
    assert!((network.weights()[0][0] - (0.4 + 0.1 * f1 * y2)).abs() < 1e-15);
    assert!((network.multipliers()[1] + 0.2 * (1.0 - y2 * y2)).abs() < 1e-15);
}

#[test]
fn views_that_do_not_belong_together_are_refused() {
    let training = CcaTraining::default();
    let run = Run::new();
    let (a, b) = (random_matrix(5, 2, 1), random_matrix(4, 2, 2));
    assert!(training.linear(a.view(), b.view(), &run).is_err());
    let mut broken = a.clone();
    broken[[0, 0]] = f64::NAN;
    assert!(training.nonlinear(a.view(), broken.view(), &run).is_err());
}
