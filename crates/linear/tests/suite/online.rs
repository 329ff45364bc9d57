//! The perceptron, passive-aggressive learning and the test of separability as users see them.

use didact_core::{
    AnyModel, Classify, Csr, Fit, Labelled, Labels, Measured, Run, Samples, Scores, StartFrom,
    StopReason,
};
use didact_linear::decision::joint_feature_map;
use didact_linear::losses;
use didact_linear::{
    Activation, Aggressiveness, ClassWeight, Denominator, OnlineClassifier,
    PassiveAggressiveClassifier, PassiveAggressiveRegressor, PassiveAggressiveRule, Perceptron,
    PerceptronMode, PerceptronRule, Rival, Separability, UpdateRule, delta_rule,
    linear_separability,
};
use didact_testing::{random_matrix, random_sparse};
use ndarray::{Array1, Array2, Axis, array, concatenate};
use proptest::prelude::*;

fn corners() -> Array2<f64> {
    array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
}

fn gate(outputs: [usize; 4]) -> Labels {
    Labels {
        indices: outputs.to_vec(),
        classes: didact_core::Classes::new([0, 1]),
    }
}

const XOR: [usize; 4] = [0, 1, 1, 0];

/// Two clouds on both sides of a plane, at least `gap` away from it.
fn separable(rows: usize, columns: usize, gap: f64, seed: u64) -> (Array2<f64>, Labels) {
    let mut x = random_matrix(rows, columns, seed);
    let mut labels = Vec::new();
    for mut row in x.rows_mut() {
        let positive = row[0] > 0.0;
        row[0] += if positive { gap } else { -gap };
        labels.push(usize::from(positive));
    }
    (x, Labels::from_indices(labels))
}

fn three_clouds(rows: usize, seed: u64) -> (Array2<f64>, Labels) {
    let mut x = random_matrix(rows, 2, seed);
    let centers = [[6.0, 0.0], [-4.0, 5.0], [-4.0, -5.0]];
    let labels: Vec<usize> = (0..rows).map(|row| row % 3).collect();
    for (mut row, &label) in x.rows_mut().into_iter().zip(&labels) {
        row += &array![centers[label][0], centers[label][1]];
    }
    (x, Labels::from_indices(labels))
}

// 001:T-03, 001:CLS-10, 001:CLS-09: in the given order, η = 1, from zero, mistake where y·f ≤ 0.
#[test]
fn the_perceptron_follows_the_published_trace() {
    let x = array![
        [1.0, 1.0, 1.0],
        [1.0, 2.0, 0.0],
        [1.0, 0.0, 2.0],
        [1.0, 3.0, 1.0]
    ];
    let labels = gate([1, 0, 1, 0]);
    let mut stream = OnlineClassifier::new(PerceptronRule { eta: 1.0 }, 3, 2)
        .unwrap()
        .without_intercept();
    let mut path = Vec::new();
    for sweep in 0..5 {
        for row in 0..4 {
            let correction = stream
                .observe(&x.row(row).to_vec(), labels.indices[row])
                .unwrap();
            if correction.is_mistake {
                let (w, _) = stream.weights();
                path.push((sweep + 1, [w[[0, 0]], w[[0, 1]], w[[0, 2]]]));
            }
        }
    }
    let expected = [
        (1, [1.0, 1.0, 1.0]),
        (1, [0.0, -1.0, 1.0]),
        (2, [1.0, 0.0, 2.0]),
        (2, [0.0, -2.0, 2.0]),
        (3, [1.0, -1.0, 3.0]),
        (3, [0.0, -4.0, 2.0]),
        (4, [1.0, -3.0, 3.0]),
    ];
    assert_eq!(path, expected);
    let perceptron = Perceptron {
        fit_intercept: false,
        shuffle: false,
        ..Default::default()
    };
    let model = perceptron.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    assert_eq!(model.coef(), &array![[1.0, -3.0, 3.0]]);
    assert_eq!(model.history().objectives, [2.0, 2.0, 2.0, 1.0, 0.0]);
    assert_eq!(
        (model.n_updates(), model.history().stop),
        (7, StopReason::Converged)
    );
}

// 000a:SUP-04: Perceptron(shuffle=False, tol=None, max_iter=3) of scikit-learn 1.9.1 on the first
// three columns of the breast cancer data; benign is its second class.
#[test]
fn the_perceptron_has_the_weights_of_scikit_learn() {
    let (x, labels) = cancer();
    let perceptron = Perceptron {
        shuffle: false,
        max_iter: 3,
        ..Default::default()
    };
    let model = perceptron.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let expected = [83.75, 486.5, -219.49];
    for (found, expected) in model.coef().iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{model:?}");
    }
    assert_eq!(model.intercept()[0], 111.0);
    assert_eq!(model.history().stop, StopReason::IterationLimit);
}

fn cancer() -> (Array2<f64>, Labels) {
    let cancer = didact_datasets::breast_cancer();
    let labels = cancer.labels().unwrap();
    let names = labels.classes.names();
    let benign = names
        .iter()
        .position(|name| name.to_string() == "benign")
        .unwrap();
    let y = labels
        .indices
        .iter()
        .map(|&label| usize::from(label == benign))
        .collect();
    let x = cancer
        .samples()
        .dense()
        .unwrap()
        .slice(ndarray::s![.., ..3])
        .to_owned();
    (x, Labels::from_indices(y))
}

// 002b:NN-04, 002b:NN-06, 001:CLS-07: all gates but XOR, with a bias that is learned; with a bias
// that stays negative NOR and NAND cannot be learned.
#[test]
fn gates_are_learned_unless_the_bias_is_held_fast() {
    let x = corners();
    let gates = [[0, 0, 0, 1], [0, 1, 1, 1], [1, 1, 1, 0], [1, 0, 0, 0]];
    for (place, gate_outputs) in gates.into_iter().enumerate() {
        let labels = gate(gate_outputs);
        let data = Labelled::new(&x, &labels).unwrap();
        for mode in [PerceptronMode::Online, PerceptronMode::Batch] {
            let model = Perceptron {
                mode,
                ..Default::default()
            }
            .fit(data.clone())
            .unwrap();
            assert_eq!(model.predict(&x).unwrap(), labels.indices, "{mode:?}");
        }
        let fixed = Perceptron {
            fit_intercept: false,
            intercept_init: -0.5,
            ..Default::default()
        };
        let stop = fixed.fit(data).unwrap().history().stop;
        if place >= 2 {
            assert_eq!(stop, StopReason::IterationLimit);
        }
    }
}

// 000a:SUP-07: XOR never has a pass without mistakes, and the trace says so.
#[test]
fn xor_is_reported_as_not_converged() {
    let (x, labels) = (corners(), gate(XOR));
    for mode in [PerceptronMode::Online, PerceptronMode::Batch] {
        let perceptron = Perceptron {
            mode,
            max_iter: 300,
            ..Default::default()
        };
        let model = perceptron.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        assert_eq!(model.history().stop, StopReason::IterationLimit);
        assert_eq!(model.history().n_iter(), 300);
        assert!(
            model
                .history()
                .objectives
                .iter()
                .all(|&mistakes| mistakes > 0.0)
        );
    }
}

// 000a:SUP-05: w = Σ αᵢ·yᵢ·xᵢ exactly, from a start at zero.
#[test]
fn the_weights_are_the_counted_sum_of_the_rows() {
    let (x, labels) = separable(60, 4, 0.2, 1);
    for mode in [PerceptronMode::Online, PerceptronMode::Batch] {
        let perceptron = Perceptron {
            mode,
            ..Default::default()
        };
        let model = perceptron.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        let alpha = model.dual_coef().unwrap();
        let y: Array1<f64> = labels
            .indices
            .iter()
            .map(|&y| 2.0 * y as f64 - 1.0)
            .collect();
        let w = x.t().dot(&(alpha * &y));
        assert!(
            (&w - &model.coef().row(0))
                .iter()
                .all(|off| off.abs() < 1e-10)
        );
        assert!(((alpha * &y).sum() - model.intercept()[0]).abs() < 1e-10);
        assert_eq!(alpha.sum(), model.n_updates() as f64);
    }
    let averaged = Perceptron {
        average: true,
        ..Default::default()
    };
    assert!(
        averaged
            .fit(Labelled::new(&x, &labels).unwrap())
            .unwrap()
            .dual_coef()
            .is_none()
    );
}

// 000a:SUP-02: the gradient of the criterion is −Σ y·x over the mistakes; 000a:SUP-03: and a
// batch step follows it; 000a:SUP-06: with a price the step also shrinks the weights.
#[test]
fn a_batch_step_descends_the_criterion() {
    let x = random_matrix(30, 3, 5);
    let labels = Labels::from_indices((0..30).map(|row| row % 2).collect());
    let data = Labelled::new(&x, &labels).unwrap();
    let y = |row: usize| 2.0 * labels.indices[row] as f64 - 1.0;
    for alpha in [0.0, 0.3] {
        let after = |passes: usize| {
            let perceptron = Perceptron {
                mode: PerceptronMode::Batch,
                alpha,
                eta0: 0.1,
                max_iter: passes,
                ..Default::default()
            };
            let model = perceptron.fit(data.clone()).unwrap();
            (model.coef().row(0).to_owned(), model.intercept()[0])
        };
        let (w, b) = after(3);
        let criterion = |w: &Array1<f64>, b: f64| {
            let loss: f64 = (0..30)
                .map(|row| losses::perceptron(y(row) * (x.row(row).dot(w) + b)))
                .sum();
            loss + 0.5 * alpha * w.dot(w)
        };
        let (next_w, next_b) = after(4);
        let h = 1e-7;
        for j in 0..3 {
            let mut ahead = w.clone();
            ahead[j] += h;
            let slope = (criterion(&ahead, b) - criterion(&w, b)) / h;
            assert!(
                (next_w[j] - (w[j] - 0.1 * slope)).abs() < 1e-5,
                "{alpha} {j}"
            );
        }
        let slope = (criterion(&w, b + h) - criterion(&w, b)) / h;
        assert!((next_b - (b - 0.1 * slope)).abs() < 1e-5);
    }
}

// 000a:SUP-04: from zero the predictions do not depend on the length of a step.
#[test]
fn the_length_of_a_step_changes_no_prediction() {
    let x = random_matrix(50, 3, 6);
    let labels = Labels::from_indices((0..50).map(|row| (row * 7 / 3) % 2).collect());
    let scores = |eta0: f64| {
        let perceptron = Perceptron {
            eta0,
            max_iter: 5,
            ..Default::default()
        };
        let model = perceptron.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        model.predict(&x).unwrap()
    };
    assert_eq!(scores(1.0), scores(0.25));
}

// 000a:SUP-07: after a correction of a positive row its score is higher by η(‖x‖² + 1).
#[test]
fn a_correction_raises_the_score_of_its_row() {
    let mut stream = OnlineClassifier::new(PerceptronRule { eta: 0.5 }, 2, 2).unwrap();
    stream.observe(&[1.0, 1.0], 0).unwrap();
    let score = |stream: &OnlineClassifier<PerceptronRule>| {
        let (w, b) = stream.weights();
        3.0 * w[[0, 0]] + 4.0 * w[[0, 1]] + b[0]
    };
    let before = score(&stream);
    assert!(stream.observe(&[3.0, 4.0], 1).unwrap().is_mistake);
    assert!((score(&stream) - before - 0.5 * 26.0).abs() < 1e-12);
}

// 000a:SUP-07: the plane that is found depends on the order of the rows, and every one separates.
#[test]
fn other_orders_find_other_planes_that_separate() {
    let (x, labels) = separable(60, 3, 0.2, 2);
    let fit = |random_state: u64| {
        let perceptron = Perceptron {
            random_state,
            ..Default::default()
        };
        perceptron.fit(Labelled::new(&x, &labels).unwrap()).unwrap()
    };
    let models: Vec<_> = (0..4).map(fit).collect();
    for model in &models {
        assert_eq!(model.history().stop, StopReason::Converged);
        assert_eq!(model.predict(&x).unwrap(), labels.indices);
    }
    assert!(models.iter().any(|model| model.coef() != models[0].coef()));
}

// 000a:SUP-05: from a start other than zero the counts are not all of w, so there are none.
#[test]
fn weights_that_did_not_start_at_zero_have_no_counts() {
    let (x, labels) = separable(60, 4, 0.2, 1);
    let data = || Labelled::new(&x, &labels).unwrap();
    let short = Perceptron {
        max_iter: 1,
        ..Default::default()
    };
    let begun = short.fit(data()).unwrap();
    assert!(begun.dual_coef().is_some());
    let more = Perceptron::default().fit_from(&begun, data()).unwrap();
    assert!(more.dual_coef().is_none());
}

// 000a:SUP-06: nothing is below w = 0, where the criterion with a price is zero; so where rows
// cannot be separated the weights shrink to the length of a step, however short it is.
#[test]
fn a_price_on_a_perceptron_shrinks_it_to_nothing() {
    let x = random_matrix(30, 3, 5);
    let labels = Labels::from_indices((0..30).map(|row| row % 2).collect());
    let norm = |eta0: f64| {
        let perceptron = Perceptron {
            mode: PerceptronMode::Batch,
            alpha: 0.5,
            eta0,
            max_iter: 20_000,
            fit_intercept: false,
            ..Default::default()
        };
        let model = perceptron.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        assert_eq!(model.history().stop, StopReason::IterationLimit);
        model.coef().iter().map(|w| w * w).sum::<f64>().sqrt()
    };
    let lengths = [0.1, 0.01, 0.001].map(norm);
    assert!(
        lengths[1] < 0.3 * lengths[0] && lengths[2] < 0.3 * lengths[1],
        "{lengths:?}"
    );
    assert!(lengths[2] < 0.05, "{lengths:?}");
}

// 000a:SUP-08: W·Φ(x, k) = wₖ·x and ‖Φ(x, a) − Φ(x, b)‖² = 2‖x‖².
#[test]
fn the_joint_feature_map_puts_the_row_into_the_block_of_its_class() {
    let x = [1.0, -2.0, 0.5];
    let w = random_matrix(4, 3, 8);
    let all: Array1<f64> = w.iter().copied().collect();
    for class in 0..4 {
        let joint = Array1::from(joint_feature_map(&x, class, 4).unwrap());
        assert!((all.dot(&joint) - w.row(class).dot(&Array1::from(x.to_vec()))).abs() < 1e-14);
    }
    let difference = Array1::from(joint_feature_map(&x, 0, 4).unwrap())
        - Array1::from(joint_feature_map(&x, 3, 4).unwrap());
    assert!((difference.dot(&difference) - 2.0 * 5.25).abs() < 1e-14);
    assert!(joint_feature_map(&x, 4, 4).is_err());
}

// 000a:SUP-09: the weights of all classes sum to zero, and three separated clouds are learned.
#[test]
fn several_classes_share_one_set_of_corrections() {
    let (x, labels) = three_clouds(90, 3);
    let data = Labelled::new(&x, &labels).unwrap();
    let model = Perceptron::default().fit(data).unwrap();
    assert_eq!(model.history().stop, StopReason::Converged);
    assert_eq!(model.predict(&x).unwrap(), labels.indices);
    assert!(
        model
            .coef()
            .sum_axis(Axis(0))
            .iter()
            .all(|sum| sum.abs() < 1e-9)
    );
    assert_eq!(model.decision_function(&x).unwrap().ncols(), 3);
    assert!(model.dual_coef().is_none());
}

// 000a:SUP-09: with two scores, w¹ − w² follows the perceptron with a single score and step 2η.
#[test]
fn two_scores_are_the_single_score_with_steps_twice_as_long() {
    let (one, two) = (PerceptronRule { eta: 2.0 }, PerceptronRule { eta: 1.0 });
    let x = random_matrix(80, 2, 9);
    let (mut single, mut double) = ([0.0; 2], [[0.0; 2]; 2]);
    for (turn, row) in x.rows().into_iter().enumerate() {
        let label = usize::from(row[0] + 0.3 * row[1] > 0.2) ^ usize::from(turn % 9 == 0);
        let score = |w: &[f64; 2]| w[0] * row[0] + w[1] * row[1];
        let a = one.correction(&[score(&single)], label, 0.0, 1.0);
        let b = two.correction(&[score(&double[0]), score(&double[1])], label, 0.0, 1.0);
        assert_eq!(a.is_mistake, b.is_mistake);
        for j in 0..2 {
            single[j] += a.step * row[j];
            if b.step != 0.0 {
                double[b.raised][j] += b.step * row[j];
                double[b.lowered.unwrap()][j] -= b.step * row[j];
            }
            assert!((double[1][j] - double[0][j] - single[j]).abs() < 1e-12);
        }
    }
}

// 000a:GEN-12: predict, then learn; a mistake-driven learner changes exactly at its mistakes.
#[test]
fn mistakes_made_on_line_are_the_updates() {
    let x = random_matrix(500, 4, 12);
    let mut stream = OnlineClassifier::new(PerceptronRule { eta: 1.0 }, 4, 2).unwrap();
    let mut mistakes = 0;
    for row in x.rows() {
        let row = row.to_vec();
        let label = usize::from(row[0] - row[1] > 0.1);
        let predicted = stream.predict(&row).unwrap();
        let correction = stream.observe(&row, label).unwrap();
        assert!(predicted == label || correction.is_mistake);
        mistakes += usize::from(correction.is_mistake);
        assert_eq!(correction.is_mistake, correction.step != 0.0);
    }
    assert_eq!(
        (stream.n_mistakes(), stream.n_updates(), stream.n_seen()),
        (mistakes, mistakes, 500)
    );
    assert!(mistakes < 100 && stream.cumulative_loss() > 0.0);
    assert!(stream.observe(&[1.0], 0).is_err());
    assert!(stream.observe(&[1.0; 4], 2).is_err());
}

// 003:P98: f decides what the rule descends.
#[test]
fn the_delta_rule_is_perceptron_widrow_hoff_or_cross_entropy() {
    let x = random_matrix(20, 3, 10);
    let w = array![0.3, -0.2, 0.5];
    let bits: Vec<f64> = (0..20).map(|row| f64::from(row % 3 == 0)).collect();
    let signs: Vec<f64> = bits.iter().map(|bit| 2.0 * bit - 1.0).collect();
    let slope = |loss: &dyn Fn(&Array1<f64>) -> f64, j: usize| {
        let (mut up, mut down) = (w.clone(), w.clone());
        up[j] += 1e-6;
        down[j] -= 1e-6;
        (loss(&up) - loss(&down)) / 2e-6
    };
    let sums = |w: &Array1<f64>| x.dot(w);
    let squares = |w: &Array1<f64>| {
        sums(w)
            .iter()
            .zip(&bits)
            .map(|(o, y)| losses::squared(y - o))
            .sum::<f64>()
    };
    let entropy = |w: &Array1<f64>| {
        sums(w)
            .iter()
            .zip(&signs)
            .map(|(o, y)| losses::logistic(y * o))
            .sum::<f64>()
    };
    let step = delta_rule(x.view(), &bits, w.view(), 0.1, Activation::Step).unwrap();
    let sign = delta_rule(x.view(), &signs, w.view(), 0.1, Activation::Sign).unwrap();
    let linear = delta_rule(x.view(), &bits, w.view(), 0.1, Activation::Identity).unwrap();
    let smooth = delta_rule(x.view(), &bits, w.view(), 0.1, Activation::Sigmoid).unwrap();
    for j in 0..3 {
        assert!((linear[j] + 0.1 * slope(&squares, j)).abs() < 1e-8);
        assert!((smooth[j] + 0.1 * slope(&entropy, j)).abs() < 1e-8);
        // Labels ±1 double the step of labels 0 and 1.
        assert!((sign[j] - 2.0 * step[j]).abs() < 1e-14);
    }
    assert!(delta_rule(x.view(), &bits, array![1.0].view(), 0.1, Activation::Step).is_err());
}

#[test]
fn the_pocket_keeps_the_pass_with_the_fewest_mistakes() {
    let x = random_matrix(200, 2, 14);
    let labels: Vec<usize> = (0..200)
        .map(|row| usize::from((x[[row, 0]] > 0.0) ^ (row % 12 == 0)))
        .collect();
    let labels = Labels::from_indices(labels);
    let wrong = |pocket: bool, max_iter: usize| {
        let perceptron = Perceptron {
            pocket,
            max_iter,
            ..Default::default()
        };
        let model = perceptron.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        let predicted = model.predict(&x).unwrap();
        predicted
            .iter()
            .zip(&labels.indices)
            .filter(|(a, b)| a != b)
            .count()
    };
    let kept = wrong(true, 40);
    assert!((1..=40).all(|passes| kept <= wrong(false, passes)));
    let averaged = Perceptron {
        average: true,
        max_iter: 40,
        ..Default::default()
    };
    let model = averaged.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let predicted = model.predict(&x).unwrap();
    assert!(
        predicted
            .iter()
            .zip(&labels.indices)
            .filter(|(a, b)| a != b)
            .count()
            < 40
    );
}

// 001:CLS-06, 002b:NN-07: every gate of two inputs; only XOR and its opposite cannot be separated.
#[test]
fn all_gates_are_separable_but_two() {
    let x = corners();
    for code in 1..15 {
        let outputs: [usize; 4] = std::array::from_fn(|bit| (code >> bit) & 1);
        let labels = gate(outputs);
        match linear_separability(Labelled::new(&x, &labels).unwrap(), &Run::new()).unwrap() {
            Separability::Separable { weights, intercept } => {
                assert!(code != 6 && code != 9);
                for (row, &label) in x.rows().into_iter().zip(&outputs) {
                    let score = row.dot(&Array1::from(weights.clone())) + intercept;
                    assert!(if label == 1 { score > 0.0 } else { score < 0.0 });
                }
            }
            Separability::Inseparable { shares, distance } => {
                assert!(code == 6 || code == 9);
                assert!(distance < 1e-7, "{distance}");
                assert!((shares.iter().sum::<f64>() - 2.0).abs() < 1e-12);
                assert!(
                    shares.iter().all(|share| (share - 0.5).abs() < 1e-6),
                    "{shares:?}"
                );
            }
        }
    }
}

// 001:CLS-06: scipy.optimize.linprog says so of the three pairs of iris (scikit-learn 1.9.1 data).
#[test]
fn versicolor_and_virginica_are_the_inseparable_pair_of_iris() {
    let iris = didact_datasets::iris();
    let (x, labels) = (
        iris.samples().dense().unwrap().to_owned(),
        iris.labels().unwrap(),
    );
    for (a, b, expected) in [(0, 1, true), (0, 2, true), (1, 2, false)] {
        let kept: Vec<usize> = (0..150)
            .filter(|&row| [a, b].contains(&labels.indices[row]))
            .collect();
        let y = kept
            .iter()
            .map(|&row| usize::from(labels.indices[row] == b))
            .collect();
        let (x, y) = (x.select(Axis(0), &kept), Labels::from_indices(y));
        let answer = linear_separability(Labelled::new(&x, &y).unwrap(), &Run::new()).unwrap();
        assert_eq!(
            matches!(answer, Separability::Separable { .. }),
            expected,
            "{a} {b}"
        );
        if let Separability::Inseparable { shares, .. } = answer {
            let mut difference = Array1::<f64>::zeros(4);
            for (row, share) in shares.iter().enumerate() {
                difference.scaled_add(share * (2.0 * y.indices[row] as f64 - 1.0), &x.row(row));
            }
            assert!(
                difference.iter().all(|off| off.abs() < 1e-6),
                "{difference}"
            );
        }
    }
}

// 000a:fx-D8, 000a:SUP-25: τ = 1/13, and afterwards the margin is exactly one.
#[test]
fn a_passive_aggressive_step_has_its_published_length() {
    let rule = |denominator| PassiveAggressiveRule {
        variant: Aggressiveness::Pa,
        c: 1.0,
        rival: Rival::RunnerUp,
        denominator,
    };
    let mut stream = OnlineClassifier::new(rule(Denominator::Exact), 2, 2)
        .unwrap()
        .without_intercept();
    let correction = stream.observe(&[3.0, 2.0], 1).unwrap();
    assert!((correction.step - 1.0 / 13.0).abs() < 1e-15);
    let (w, _) = stream.weights();
    assert!((w[[0, 0]] - 3.0 / 13.0).abs() < 1e-15 && (w[[0, 1]] - 2.0 / 13.0).abs() < 1e-15);
    // Passive where the margin is one.
    assert_eq!(stream.observe(&[3.0, 2.0], 1).unwrap().step, 0.0);
    // 000a:SUP-27: several classes, exact and as printed.
    for (denominator, step, margin) in [
        (Denominator::Exact, 1.0 / 26.0, 1.0),
        (Denominator::Single, 1.0 / 13.0, 2.0),
    ] {
        let mut stream = OnlineClassifier::new(rule(denominator), 2, 3)
            .unwrap()
            .without_intercept();
        let correction = stream.observe(&[3.0, 2.0], 0).unwrap();
        assert!((correction.step - step).abs() < 1e-15);
        let (w, _) = stream.weights();
        let score = |class: usize| 3.0 * w[[class, 0]] + 2.0 * w[[class, 1]];
        assert!((score(0) - score(correction.lowered.unwrap()) - margin).abs() < 1e-14);
    }
}

// 000a:SUP-27: with the best class as the rival, rows that are right change nothing.
#[test]
fn the_argmax_rival_leaves_right_rows_alone() {
    let rule = |rival| PassiveAggressiveRule {
        variant: Aggressiveness::Pa1,
        c: 1.0,
        rival,
        denominator: Denominator::Exact,
    };
    let scores = [0.2, 0.5, 0.1];
    assert_eq!(
        rule(Rival::Argmax).correction(&scores, 1, 4.0, 1.0).step,
        0.0
    );
    let correction = rule(Rival::RunnerUp).correction(&scores, 1, 4.0, 1.0);
    assert!((correction.step - 0.7 / 8.0).abs() < 1e-15);
    assert_eq!((correction.raised, correction.lowered), (1, Some(0)));
    let wrong = rule(Rival::Argmax).correction(&scores, 0, 4.0, 1.0);
    assert!(wrong.is_mistake && (wrong.step - 1.3 / 8.0).abs() < 1e-15);
}

// 000a:SUP-25, 000a:SUP-26: PassiveAggressiveClassifier(C=0.01, shuffle=False, tol=None,
// max_iter=2, fit_intercept=False) of scikit-learn 1.9.1; hinge is PA-I, squared hinge PA-II.
#[test]
fn passive_aggressive_has_the_weights_of_scikit_learn() {
    let (x, labels) = cancer();
    for (variant, expected) in [
        (
            Aggressiveness::Pa1,
            [
                0.01232564121806926,
                0.08900026986687942,
                -0.02670520864744237,
            ],
        ),
        (
            Aggressiveness::Pa2,
            [
                0.01223466005145099,
                0.0882329535147001,
                -0.026500626507442983,
            ],
        ),
    ] {
        let learner = PassiveAggressiveClassifier {
            variant,
            c: 0.01,
            shuffle: false,
            tol: 0.0,
            max_iter: 2,
            fit_intercept: false,
            ..Default::default()
        };
        let model = learner.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        for (found, expected) in model.coef().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{variant:?} {model:?}");
        }
    }
    let diabetes = didact_datasets::diabetes();
    let data = diabetes.measured().unwrap();
    let expected = [
        (
            Aggressiveness::Pa1,
            [
                0.3085249103732848,
                -0.059521780570167444,
                1.3627604332655345,
            ],
        ),
        (
            Aggressiveness::Pa2,
            [
                0.30822016773722655,
                -0.05947513874601594,
                1.3616424231189284,
            ],
        ),
    ];
    for (variant, expected) in expected {
        let learner = PassiveAggressiveRegressor {
            variant,
            c: 0.01,
            epsilon: 1.0,
            shuffle: false,
            tol: 0.0,
            max_iter: 2,
            fit_intercept: false,
            ..Default::default()
        };
        let model = learner.fit(data.clone()).unwrap();
        for (found, expected) in model.coef().iter().zip(expected) {
            assert!(
                (found - expected).abs() < 1e-12,
                "{variant:?} {:?}",
                model.coef()
            );
        }
    }
}

#[test]
fn several_classes_and_rows_far_from_zero_are_learned_passively() {
    let (x, labels) = three_clouds(120, 4);
    let data = Labelled::new(&x, &labels).unwrap();
    for variant in [Aggressiveness::Pa, Aggressiveness::Pa1, Aggressiveness::Pa2] {
        let learner = PassiveAggressiveClassifier {
            variant,
            ..Default::default()
        };
        let model = learner.fit(data.clone()).unwrap();
        assert_eq!(model.predict(&x).unwrap(), labels.indices);
        assert!(model.cumulative_loss() > 0.0 && model.n_updates() > 0);
    }
}

#[test]
fn sparse_rows_teach_what_dense_rows_teach() {
    let sparse = random_sparse(80, 12, 0.3, 15);
    let dense = sparse.view().to_dense();
    let labels = Labels::from_indices((0..80).map(|row| (row * 5 / 7) % 3).collect());
    let targets: Vec<f64> = (0..80).map(|row| f64::from(row % 7)).collect();
    let (of_sparse, of_dense) = (
        Labelled::new(&sparse, &labels).unwrap(),
        Labelled::new(&dense, &labels).unwrap(),
    );
    let close = |a: &Array2<f64>, b: &Array2<f64>| (a - b).iter().all(|off| off.abs() < 1e-9);
    for (alpha, average) in [(0.0, false), (0.0, true), (0.5, true)] {
        let perceptron = Perceptron {
            alpha,
            average,
            max_iter: 7,
            ..Default::default()
        };
        let (a, b) = (
            perceptron.fit(of_sparse.clone()).unwrap(),
            perceptron.fit(of_dense.clone()).unwrap(),
        );
        assert!(close(a.coef(), b.coef()));
    }
    let learner = PassiveAggressiveClassifier {
        max_iter: 7,
        ..Default::default()
    };
    let (a, b) = (
        learner.fit(of_sparse).unwrap(),
        learner.fit(of_dense).unwrap(),
    );
    assert!(close(a.coef(), b.coef()));
    let learner = PassiveAggressiveRegressor {
        max_iter: 7,
        ..Default::default()
    };
    let a = learner
        .fit(Measured::new(&sparse, &targets).unwrap())
        .unwrap();
    let b = learner
        .fit(Measured::new(&dense, &targets).unwrap())
        .unwrap();
    assert!(close(a.coef(), b.coef()));
}

#[test]
fn weights_lengthen_the_step_and_rows_of_weight_zero_are_not_seen() {
    let (x, labels) = separable(40, 2, 0.0, 16);
    let more = concatenate![Axis(0), x, array![[1e6, -1e6]]];
    let mut more_labels = labels.clone();
    more_labels.indices.push(0);
    let mut weights = vec![2.0; 40];
    weights.push(0.0);
    let samples = Samples::from(&more).weighted(&weights).unwrap();
    let fixed = Perceptron {
        shuffle: false,
        ..Default::default()
    };
    let plain = fixed.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let weighted = fixed
        .fit(Labelled::new(samples, &more_labels).unwrap())
        .unwrap();
    assert_eq!(weighted.coef(), &(plain.coef() * 2.0));
    let balanced = Perceptron {
        class_weight: ClassWeight::Balanced,
        ..fixed
    };
    assert!(balanced.fit(Labelled::new(&x, &labels).unwrap()).is_ok());
}

#[test]
fn rows_that_overflow_are_an_error() {
    let x = array![[1e300, 1.0], [-1e300, 1.0]];
    let labels = Labels::from_indices(vec![0, 1]);
    let message = Perceptron::default()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap_err()
        .to_string();
    assert!(message.contains("columns overflow"), "{message}");
    let sparse = Csr::from_dense(x.view());
    assert!(
        PassiveAggressiveClassifier::default()
            .fit(Labelled::new(&sparse, &labels).unwrap())
            .is_err()
    );
}

#[test]
fn what_a_model_knows_is_listed() {
    let (x, labels) = separable(30, 2, 0.5, 17);
    let model = Perceptron::default()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    let names: Vec<&str> = model
        .attributes()
        .iter()
        .map(|(described, _)| described.name)
        .collect();
    assert_eq!(
        names,
        [
            "classes",
            "coef",
            "intercept",
            "n_iter",
            "n_updates",
            "dual_coef"
        ]
    );
}

proptest! {
    // 001:CLS-10, 000a:SUP-04: at most (R/γ)² mistakes on separable rows, then a clean pass.
    #[test]
    fn mistakes_are_bounded_on_separable_rows(seed in 0u64..40, gap in 0.2f64..1.0) {
        let (x, labels) = separable(50, 3, gap, seed);
        let perceptron = Perceptron { fit_intercept: false, max_iter: 100_000, random_state: seed, ..Default::default() };
        let model = perceptron.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        prop_assert_eq!(model.history().stop, StopReason::Converged);
        let radius = x.rows().into_iter().map(|row| row.dot(&row)).fold(0.0, f64::max);
        // The plane x₀ = 0 has a margin of at least `gap`.
        prop_assert!(model.n_updates() as f64 <= radius / (gap * gap));
        let data = Labelled::new(&x, &labels).unwrap();
        let is_separable = matches!(linear_separability(data, &Run::new()).unwrap(), Separability::Separable { .. });
        prop_assert!(is_separable);
    }

    // 000a:SUP-25: the step is the projection onto the half-space of margin one; 000a:SUP-26: at
    // most C‖x‖ long, and the same for a large C.
    #[test]
    fn a_passive_aggressive_step_is_a_projection(
        start in prop::array::uniform2(-1.0..1.0), x in prop::array::uniform2(-2.0..2.0), label in 0usize..2, c in 0.01f64..1.0,
    ) {
        let rule = |variant, c| PassiveAggressiveRule { variant, c, rival: Rival::RunnerUp, denominator: Denominator::Exact };
        let length = x[0] * x[0] + x[1] * x[1];
        prop_assume!(length > 1e-3);
        let y = 2.0 * label as f64 - 1.0;
        let score = start[0] * x[0] + start[1] * x[1];
        let full = rule(Aggressiveness::Pa, 1.0).correction(&[score], label, length, 1.0);
        let after = y * (score + full.step * length);
        let is_right = match y * score >= 1.0 {
            true => full.step == 0.0,
            false => (after - 1.0).abs() < 1e-12,
        };
        prop_assert!(is_right);
        let capped = rule(Aggressiveness::Pa1, c).correction(&[score], label, length, 1.0);
        prop_assert!(capped.step.abs() <= c + 1e-15);
        let free = rule(Aggressiveness::Pa1, 1e12).correction(&[score], label, length, 1.0);
        prop_assert_eq!(free.step, full.step);
    }
}
