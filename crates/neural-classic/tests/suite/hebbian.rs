//! Hebbian learning: rules, bounds, averages, principal axes.

use didact_core::random::generator;
use didact_core::{Fit, Invert, Model, Samples, StopReason, Transform};
use didact_neural_classic::{
    Constraint, HebbNetwork, HebbRule, HebbianAxes, HebbianFlow, HebbianPca, HebbianPcaRule,
    HebbianTraining, Som, SomTraining, WeightBound, WeightDecay, hebbian_change, instar_after,
    outstar_after,
};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Array2, array};
use rand_distr::{Distribution, StandardNormal};

fn moments() -> Array2<f64> {
    array![[1.0, 0.6], [0.6, 0.5]]
}

fn first_axis(moments: &Array2<f64>) -> Array1<f64> {
    let eigen = didact_math::linalg::symmetric_eigen(moments.view()).unwrap();
    eigen.vectors.column(0).to_owned()
}

fn network(weights: Array2<f64>, rule: HebbRule) -> HebbNetwork {
    HebbNetwork::new(weights, rule).unwrap()
}

// 002b:HB-01: binary weights grow only where both are active; orthonormal inputs are recalled.
#[test]
fn weights_grow_only_where_both_ends_are_active() {
    let rule = HebbRule {
        rate: 0.5,
        ..HebbRule::default()
    };
    let mut net = network(Array2::zeros((2, 2)), rule);
    net.associate(&[1.0, 0.0], &[0.0, 1.0]).unwrap();
    assert_eq!(net.weights(), &array![[0.0, 0.0], [0.5, 0.0]]);
    let basis = didact_math::linalg::orthonormal_basis(random_matrix(5, 3, 1).view()).unwrap();
    let targets = random_matrix(3, 4, 2);
    let rule = HebbRule {
        rate: 1.0,
        ..HebbRule::default()
    };
    let mut net = network(Array2::zeros((4, 5)), rule);
    for (input, output) in basis.columns().into_iter().zip(targets.rows()) {
        net.associate(&input.to_vec(), &output.to_vec()).unwrap();
    }
    for (input, output) in basis.columns().into_iter().zip(targets.rows()) {
        assert_close(
            &net.output(&input.to_vec()).unwrap(),
            &output.to_owned(),
            1e-12,
        );
    }
}

// 002b:HB-01: without a bound the plain rule diverges, and says so before it is no number.
#[test]
fn the_plain_rule_runs_away_and_says_so() {
    let mut net = network(array![[0.1, 0.1]], HebbRule::default());
    let before = net.norms()[0];
    let mut failed = false;
    for _ in 0..20_000 {
        if net.learn(&[1.0, 2.0]).is_err() {
            failed = true;
            break;
        }
        assert!(net.norms()[0] >= before);
    }
    assert!(failed && net.weights().iter().all(|weight| weight.is_finite()));
}

// 002b:HB-02: the area of overlapping activity.
#[test]
fn pulses_change_a_weight_by_the_area_in_which_they_overlap() {
    let pulse = |from: usize, to: usize, height: f64| -> Vec<f64> {
        (0..100)
            .map(|t| if (from..to).contains(&t) { height } else { 0.0 })
            .collect()
    };
    let change = hebbian_change(&[0.5; 100], &pulse(10, 50, 2.0), &pulse(30, 90, 3.0), 0.01);
    assert!((change.unwrap() - 0.5 * 2.0 * 3.0 * 0.2).abs() < 1e-12);
    let apart = hebbian_change(&[1.0; 100], &pulse(10, 30, 2.0), &pulse(30, 90, 3.0), 0.01);
    assert_eq!(apart.unwrap(), 0.0);
    assert!(hebbian_change(&[1.0], &[1.0, 2.0], &[1.0], 0.1).is_err());
    assert!(hebbian_change(&[1.0], &[1.0], &[1.0], 0.0).is_err());
}

// 002b:HB-03: e^(Ct)·w₀ solves dw/dt = C·w, and turns to the first axis.
#[test]
fn the_unbounded_flow_is_the_matrix_exponential_and_turns_to_the_first_axis() {
    let flow = HebbianFlow::new(moments().view()).unwrap();
    let start = array![0.2, -0.4];
    let course = flow
        .course(start.view(), Constraint::None, 0.001, 2000)
        .unwrap();
    let exact = flow.unbounded(start.view(), 2.0).unwrap();
    assert_close(&course.row(2000).to_owned(), &exact, 1e-9);
    let late = flow.unbounded(start.view(), 40.0).unwrap();
    assert!(flow.angle_to_first(late.view()).unwrap().unwrap() < 1e-12);
    let quotient = flow.rayleigh_quotient(late.view()).unwrap().unwrap();
    assert!((quotient - 1.4).abs() < 1e-12);
    assert!(flow.unbounded(start.view(), 1e5).is_err());
    assert_eq!(
        flow.rayleigh_quotient(array![0.0, 0.0].view()).unwrap(),
        None
    );
}

// 002b:HB-04
#[test]
fn clipped_weights_rise_to_the_bound_and_stay() {
    let rule = HebbRule {
        bound: WeightBound::Clip { w_max: 1.5 },
        ..HebbRule::default()
    };
    let mut net = network(array![[0.1, 0.2]], rule);
    let mut before = net.weights().clone();
    for _ in 0..200 {
        net.learn(&[1.0, 0.5]).unwrap();
        assert!(
            net.weights()
                .iter()
                .zip(&before)
                .all(|(now, old)| now >= old)
        );
        before = net.weights().clone();
    }
    assert_eq!(net.weights(), &array![[1.5, 1.5]]);
}

// 002b:HB-05: all weights are divided, so their ratios remain; the rate may be divided as well.
#[test]
fn rescaling_keeps_the_ratios_of_the_weights() {
    for also_rate in [false, true] {
        let rule = HebbRule {
            rate: 0.5,
            bound: WeightBound::Rescale {
                w_max: 2.0,
                also_rate,
            },
            ..HebbRule::default()
        };
        let mut net = network(array![[1.9, 0.5], [0.3, 0.7]], rule);
        net.associate(&[1.0, 0.0], &[0.4, 0.0]).unwrap();
        assert_close(net.weights(), &array![[1.05, 0.25], [0.15, 0.35]], 1e-15);
        assert_eq!(net.rate(), if also_rate { 0.25 } else { 0.5 });
        net.associate(&[1.0, 0.0], &[0.4, 0.0]).unwrap();
        assert!(net.weights().iter().all(|&weight| weight < 2.0));
    }
    let shrinking = HebbRule {
        bound: WeightBound::Rescale {
            w_max: 0.5,
            also_rate: false,
        },
        ..HebbRule::default()
    };
    assert!(HebbNetwork::new(array![[1.0]], shrinking).is_err());
}

// 002b:HB-06: a stochastic power iteration; Oja's rule is its expansion to first order.
#[test]
fn normalised_hebb_turns_to_the_first_axis_and_agrees_with_oja_to_first_order() {
    let rows = correlated(4000, 3);
    let rule = |rate, decay, bound| HebbRule { rate, decay, bound };
    let start = array![[1.0, 0.0]];
    let mut net = network(
        start.clone(),
        rule(0.002, WeightDecay::None, WeightBound::Normalise),
    );
    for row in rows.rows() {
        net.learn(row.as_slice().unwrap()).unwrap();
        assert!((net.norms()[0] - 1.0).abs() < 1e-12);
    }
    assert!(net.weights().row(0).dot(&first_axis(&moments())).abs() > 0.999);
    // One step: the difference falls with the square of the rate.
    let step = |rate, decay, bound| {
        let mut net = network(start.clone(), rule(rate, decay, bound));
        net.learn(&[0.7, -0.4]).unwrap();
        net.weights().clone()
    };
    let difference = |rate| {
        let normalised = step(rate, WeightDecay::None, WeightBound::Normalise);
        let oja = step(rate, WeightDecay::Oja, WeightBound::None);
        (&normalised - &oja).mapv(f64::abs).sum()
    };
    let ratio = difference(1e-2) / difference(1e-3);
    assert!((ratio - 100.0).abs() < 2.0, "{ratio}");
}

/// Rows of mean zero with the second moments of `moments()`.
fn correlated(n: usize, seed: u64) -> Array2<f64> {
    let root = didact_math::linalg::symmetric_power(moments().view(), 0.5).unwrap();
    random_matrix(n, 2, seed).dot(&root)
}

// 002b:HB-07: decays below α = 1/λ_max, explodes above, and settles on the first axis exactly
// there: λ_max = 1.4. The text calls the rule stable.
#[test]
fn decay_alone_is_only_marginally_stable() {
    let flow = HebbianFlow::new(moments().view()).unwrap();
    let start = array![0.3, 0.1];
    let norm = |rate: f64, time: f64| {
        let weights = flow.decaying(start.view(), rate, time).unwrap();
        weights.dot(&weights).sqrt()
    };
    assert!(norm(0.5, 60.0) < 1e-6);
    assert!(norm(1.2, 60.0) > 1e6);
    let settled = flow.decaying(start.view(), 1.0 / 1.4, 60.0).unwrap();
    let later = flow.decaying(start.view(), 1.0 / 1.4, 90.0).unwrap();
    assert_close(&settled, &later, 1e-12);
    // A fixed point: α·C·w = w.
    assert_close(&(moments().dot(&settled) / 1.4), &settled, 1e-12);
    let course = flow
        .course(start.view(), Constraint::Decay { rate: 0.5 }, 0.01, 300)
        .unwrap();
    let exact = flow.decaying(start.view(), 0.5, 3.0).unwrap();
    assert_close(&course.row(300).to_owned(), &exact, 1e-9);
}

// 002b:HB-07: the fixed point of a row-by-row step is w = α·E[y·x], with the output first.
#[test]
fn grossbergs_rule_keeps_the_mean_of_output_times_input() {
    let rule = HebbRule {
        rate: 2.0,
        decay: WeightDecay::Grossberg { step: 0.05 },
        ..HebbRule::default()
    };
    let mut net = network(Array2::zeros((2, 2)), rule);
    for turn in 0..2000 {
        match turn % 2 {
            0 => net.associate(&[1.0, 0.0], &[3.0, 0.0]).unwrap(),
            _ => net.associate(&[0.0, 1.0], &[0.0, 5.0]).unwrap(),
        }
    }
    // α·E[y·xᵀ] = 2·diag(3, 5)/2, up to the ripple of one step.
    let expected = array![[3.0, 0.0], [0.0, 5.0]];
    assert!(
        (net.weights() - &expected)
            .iter()
            .all(|miss| miss.abs() < 0.2)
    );
}

// 002b:HB-08: y is the gate and the weights move to the input; the printed continuous form
// α(y − w)x would move them to the output, and without input not at all.
#[test]
fn instar_weights_of_active_outputs_move_to_the_input() {
    let rule = HebbRule {
        rate: 0.25,
        decay: WeightDecay::Instar,
        ..HebbRule::default()
    };
    let mut net = network(array![[1.0, 1.0], [1.0, 1.0]], rule);
    net.associate(&[3.0, 0.0], &[1.0, 0.0]).unwrap();
    assert_eq!(net.weights(), &array![[1.5, 0.75], [1.0, 1.0]]);
    // Constant output: an exponential average of the inputs, hence their mean.
    let mut generator = generator(4, 0);
    let mut net = network(
        array![[0.0]],
        HebbRule {
            rate: 0.002,
            ..rule
        },
    );
    for _ in 0..10_000 {
        let noise: f64 = StandardNormal.sample(&mut generator);
        net.associate(&[2.0 + noise], &[1.0]).unwrap();
    }
    // The average has the variance α/(2 − α); four deviations.
    assert!((net.weights()[[0, 0]] - 2.0).abs() < 4.0 * 0.001_f64.sqrt());
    assert_eq!(instar_after(1.0, 0.0, 0.0, 0.5, 9.0), 1.0);
    assert!((instar_after(1.0, 0.0, 1.0, 0.5, 2.0) - (-1.0_f64).exp()).abs() < 1e-15);
}

// 002b:HB-09: x is the gate and the weights move to the output; printed with y as the gate.
#[test]
fn outstar_weights_of_active_inputs_move_to_the_output() {
    let rule = HebbRule {
        rate: 0.25,
        decay: WeightDecay::Outstar,
        ..HebbRule::default()
    };
    let mut net = network(array![[1.0, 1.0], [1.0, 1.0]], rule);
    net.associate(&[1.0, 0.0], &[3.0, 0.0]).unwrap();
    assert_eq!(net.weights(), &array![[1.5, 1.0], [0.75, 1.0]]);
    assert_eq!(outstar_after(1.0, 0.0, 1.0, 0.5, 9.0), 1.0);
    assert!((outstar_after(1.0, 1.0, 0.0, 0.5, 2.0) - (-1.0_f64).exp()).abs() < 1e-15);
}

// 002b:SM-05: the update of a map is the instar rule with y = h; the text says outstar.
#[test]
fn a_map_learns_by_the_instar_rule_with_the_neighbourhood_as_output() {
    let start = random_matrix(4, 2, 5);
    let x = [0.3, -0.8];
    let som = Som {
        grid_rows: 1,
        grid_columns: 4,
        training: SomTraining::Online,
        epochs: 1,
        sigma: Some(1.0),
        init_weights: Some(start.rows().into_iter().map(|row| row.to_vec()).collect()),
        ..Som::default()
    };
    let rows = Array2::from_shape_vec((1, 2), x.to_vec()).unwrap();
    let model = som.fit(Samples::from(&rows)).unwrap();
    let distance = |node: usize| {
        let weights = start.row(node);
        (weights[0] - x[0]).powi(2) + (weights[1] - x[1]).powi(2)
    };
    let winner = (0..4)
        .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
        .unwrap();
    let activity: Vec<f64> = (0..4)
        .map(|node| (-0.5 * (node as f64 - winner as f64).powi(2)).exp())
        .collect();
    let rule = HebbRule {
        rate: 0.5,
        decay: WeightDecay::Instar,
        ..HebbRule::default()
    };
    let mut net = network(start.clone(), rule);
    net.associate(&x, &activity).unwrap();
    assert_close(&model.weights(), net.weights(), 1e-15);
}

// 002b:HB-10: on average a component along eᵢ grows by the factor 1 + αλᵢ, so the largest wins;
// a single step grows with the cosine and not, as the text says, with the distance.
#[test]
fn components_grow_by_their_eigenvalues_and_steps_by_the_cosine() {
    let rows = ndarray::concatenate![
        ndarray::Axis(0),
        array![[2.0, 0.0], [-2.0, 0.0]],
        array![[0.0, 1.0], [0.0, -1.0]]
    ];
    // Second moments diag(2, ½).
    let mut net = network(array![[0.3, 0.8]], HebbRule::default());
    net.learn_batch(rows.view()).unwrap();
    assert_close(net.weights(), &array![[0.3 * 1.2, 0.8 * 1.05]], 1e-12);
    let size = |angle: f64| {
        let mut net = network(array![[angle.cos(), angle.sin()]], HebbRule::default());
        let before = net.weights().clone();
        net.learn(&[1.0, 0.0]).unwrap();
        (net.weights() - &before).mapv(|x| x * x).sum().sqrt()
    };
    for angle in [0.0, 0.4, 1.0, 1.5_f64] {
        assert!((size(angle) - 0.1 * angle.cos()).abs() < 1e-12);
    }
}

// 002b:HB-11: with a constant rate the neuron follows a covariance that turns.
#[test]
fn a_neuron_follows_a_covariance_that_turns() {
    let mut neuron = HebbianAxes::new(array![[1.0, 0.0]], HebbianPcaRule::Sanger).unwrap();
    let mut generator = generator(6, 0);
    let mut draw = || -> f64 { StandardNormal.sample(&mut generator) };
    let mut worst: f64 = 1.0;
    for step in 0..40_000 {
        let angle = f64::from(step) * std::f64::consts::PI / 40_000.0;
        let (along, across) = (2.0 * draw(), 0.3 * draw());
        let row = [
            along * angle.cos() - across * angle.sin(),
            along * angle.sin() + across * angle.cos(),
        ];
        neuron.learn(&row, 0.01).unwrap();
        let cosine =
            neuron.weights()[[0, 0]] * angle.cos() + neuron.weights()[[0, 1]] * angle.sin();
        worst = worst.min(cosine.abs());
    }
    assert!(worst > 0.97, "{worst}");
}

// 002b:HB-12, 002b:HB-06: length one within the rate, first axis up to its sign.
#[test]
fn ojas_neuron_comes_to_the_first_axis_with_length_one() {
    let rows = correlated(6000, 7);
    let mut neuron = HebbianAxes::new(array![[0.1, -2.0]], HebbianPcaRule::Sanger).unwrap();
    for (step, row) in rows.rows().into_iter().enumerate() {
        let rate = 0.05 / (1.0 + step as f64 / 200.0);
        neuron.learn(row.as_slice().unwrap(), rate).unwrap();
    }
    let weights = neuron.weights().row(0);
    assert!((weights.dot(&weights).sqrt() - 1.0).abs() < 0.02);
    assert!(weights.dot(&first_axis(&moments())).abs() > 0.999);
    let mut wild = HebbianAxes::new(array![[1.0, 1.0]], HebbianPcaRule::Sanger).unwrap();
    let runs_away = (0..100).any(|_| wild.learn(&[30.0, 10.0], 1.0).is_err());
    assert!(runs_away);
}

// 002a:PCA14, 002b:HB-12: the averaged rule of Sanger ends at the axes of the covariance.
#[test]
fn the_averaged_rule_finds_the_principal_axes() {
    let iris = didact_datasets::iris();
    let rows = iris.features();
    let mean = rows.mean_axis(ndarray::Axis(0)).unwrap();
    let centred = &rows - &mean;
    let covariance = centred.t().dot(&centred) / 150.0;
    let eigen = didact_math::linalg::symmetric_eigen(covariance.view()).unwrap();
    let pca = HebbianPca {
        n_components: Some(3),
        max_iter: 20_000,
        tol: 1e-10,
        ..HebbianPca::default()
    };
    let model = pca.fit(iris.samples()).unwrap();
    assert_eq!(model.trace().unwrap().stop, StopReason::Converged);
    let mut axes = eigen.vectors.t().as_standard_layout().into_owned();
    didact_math::linalg::fix_signs(axes.view_mut(), None);
    let axes = axes.slice(ndarray::s![..3, ..]).to_owned();
    assert_close(model.components(), &axes, 1e-6);
    let deviations = eigen.values.slice(ndarray::s![..3]).mapv(f64::sqrt);
    assert_close(model.deviations(), &deviations, 1e-9);
    let scores = model.transform(iris.samples()).unwrap().into_dense();
    assert_close(&scores, &centred.dot(&model.components().t()), 1e-12);
    let restored = model.inverse_transform(&scores).unwrap();
    let expected = scores.dot(model.components()) + &mean;
    assert_close(&restored, &expected, 1e-12);
}

// 002b:HB-12: the subspace rule spans the same plane with other axes.
#[test]
fn the_subspace_rule_spans_the_plane_of_the_first_axes() {
    let iris = didact_datasets::iris();
    let fit = |rule| {
        let pca = HebbianPca {
            rule,
            max_iter: 20_000,
            tol: 1e-10,
            ..HebbianPca::default()
        };
        pca.fit(iris.samples()).unwrap().components().clone()
    };
    let (ordered, mixed) = (fit(HebbianPcaRule::Sanger), fit(HebbianPcaRule::Subspace));
    assert_close(&mixed.t().dot(&mixed), &ordered.t().dot(&ordered), 1e-6);
    assert!((&mixed - &ordered).iter().any(|miss| miss.abs() > 0.01));
}

#[test]
fn rows_one_at_a_time_come_near_the_principal_axes() {
    let iris = didact_datasets::iris();
    let fit = |training| {
        let pca = HebbianPca {
            training,
            ..HebbianPca::default()
        };
        pca.fit(iris.samples()).unwrap().components().clone()
    };
    let (averaged, online) = (fit(HebbianTraining::Averaged), fit(HebbianTraining::Online));
    for (a, b) in averaged.rows().into_iter().zip(online.rows()) {
        assert!(a.dot(&b) > 0.99, "{a} and {b}");
    }
}

// 002b:HB-13: what is not shown again fades as e^(−t).
#[test]
fn associations_that_are_not_shown_again_fade() {
    let silence = HebbianFlow::new(Array2::zeros((2, 2)).view()).unwrap();
    let start = array![0.4, -0.7];
    for time in [0.5, 1.0, 3.0] {
        let faded = silence.decaying(start.view(), 1.0, time).unwrap();
        assert_close(&faded, &(&start * (-time).exp()), 1e-12);
    }
    let rule = HebbRule {
        decay: WeightDecay::Grossberg { step: 0.1 },
        ..HebbRule::default()
    };
    let mut net = network(array![[1.0]], rule);
    for _ in 0..10 {
        net.associate(&[0.0], &[0.0]).unwrap();
    }
    assert!((net.weights()[[0, 0]] - 0.9_f64.powi(10)).abs() < 1e-12);
}

// 002b:HB-14: the length stays one and the weights end at (0.83205, 0.55470); the course is that
// of the unbounded rule brought to length one.
#[test]
fn the_multiplicative_constraint_keeps_the_length_and_finds_the_first_axis() {
    let flow = HebbianFlow::new(moments().view()).unwrap();
    let start = array![0.6, -0.8];
    let course = flow
        .course(start.view(), Constraint::Multiplicative, 0.01, 4000)
        .unwrap();
    for weights in course.rows() {
        assert!((weights.dot(&weights) - 1.0).abs() < 1e-8);
    }
    let unbounded = flow.unbounded(start.view(), 2.0).unwrap();
    let length = unbounded.dot(&unbounded).sqrt();
    assert_close(&course.row(200).to_owned(), &(unbounded / length), 1e-8);
    let end = course.row(4000).to_owned();
    assert!(
        (end.mapv(f64::abs) - array![0.83205, 0.55470])
            .iter()
            .all(|x| x.abs() < 1e-5)
    );
}

// 002b:HB-15: γ·n keeps the sum and weights end at the bounds, (1, 0); the printed γ·w would end
// at the first axis as before.
#[test]
fn the_subtractive_constraint_keeps_the_sum_and_ends_in_a_corner() {
    let flow = HebbianFlow::new(moments().view()).unwrap();
    let constraint = Constraint::Subtractive { w_max: 1.0 };
    let start = array![0.45, 0.55];
    assert!(flow.speed(&start, constraint).sum().abs() < 1e-15);
    let course = flow.course(start.view(), constraint, 0.01, 3000).unwrap();
    assert!((course.row(50).sum() - 1.0).abs() < 1e-12);
    assert_eq!(course.row(3000), array![1.0, 0.0]);
}

#[test]
fn awkward_rows_give_axes_or_clear_errors() {
    let inputs = [
        array![[3.0, 4.0]],
        Array2::zeros((40, 2)),
        Array2::from_elem((40, 3), 2.5),
        array![[1.0], [1.0], [2.0]],
        random_matrix(5, 40, 8),
        random_matrix(50, 2, 9) + 1e8,
        random_matrix(50, 2, 10) * 1e300,
        random_matrix(50, 2, 11) * 1e-200,
    ];
    for rows in inputs {
        for training in [HebbianTraining::Averaged, HebbianTraining::Online] {
            let pca = HebbianPca {
                training,
                ..HebbianPca::default()
            };
            let model = pca.fit(Samples::from(&rows)).unwrap();
            model.validate().unwrap();
            let scores = model.transform(&rows).unwrap().into_dense();
            assert!(scores.iter().all(|value| value.is_finite()));
        }
    }
    let many = HebbianPca {
        n_components: Some(3),
        ..HebbianPca::default()
    };
    let error = many.fit(Samples::from(&array![[1.0, 2.0]])).unwrap_err();
    assert!(error.to_string().contains("n_components is 3"));
}
