//! Ranking machines as users see them.

use didact_core::{Fit, Labelled, Labels, Run, Samples, StopReason};
use didact_math::kernel::KernelName;
use didact_svm::{LabelSets, RankingSvm, RankingSvmModel, Svc, ranking_loss, ranking_slacks};
use didact_testing::random_matrix;
use ndarray::{Array1, Array2, array};

fn fit(svm: &RankingSvm, x: &Array2<f64>, labels: &LabelSets) -> RankingSvmModel {
    svm.fit(Samples::from(x), labels, &Run::new()).unwrap()
}

/// Rows in the plane with a label for each of four directions that they point in.
fn directions(n: usize, noise: f64) -> (Array2<f64>, LabelSets) {
    let (x, off) = (random_matrix(n, 2, 1), random_matrix(n, 4, 2) * noise);
    let has = Array2::from_shape_fn((n, 4), |(row, label)| {
        let angle = std::f64::consts::FRAC_PI_2 * label as f64;
        x[[row, 0]] * angle.cos() + x[[row, 1]] * angle.sin() + off[[row, label]] > 0.0
    });
    (x, LabelSets::new(has))
}

// 000a:fx-D9, 000a:SUP-28: the slacks of the pairs sum to 1.3, and the largest is 0.8.
#[test]
fn the_slacks_of_the_published_scores_are_found() {
    let scores = array![2.0, 0.5, 1.0, 0.8];
    let slacks = ranking_slacks(scores.view(), array![true, false, true, false].view());
    assert_eq!(slacks.len(), 4);
    let total: f64 = slacks.iter().map(|(_, _, slack)| slack).sum();
    assert!((total - 1.3).abs() < 1e-12);
    let largest = slacks.iter().max_by(|a, b| a.2.total_cmp(&b.2)).unwrap();
    assert!((largest.0, largest.1) == (2, 3) && (largest.2 - 0.8).abs() < 1e-12);
    // One of the four pairs is in the wrong order in the second row; an empty side is right.
    let labels = LabelSets::new(array![[true, false, true, false], [true, true, true, true]]);
    let scores = array![[0.4, 0.5, 1.0, 0.3], [1.0, 2.0, 3.0, 4.0]];
    assert_eq!(ranking_loss(scores.view(), &labels), 0.125);
}

// 000a:SUP-29: the objective is the sum of pairwise hinges with xᵢ in both scores and Σb = 0; no nearby
// machine is better.
#[test]
fn no_nearby_ranking_is_better_and_the_intercepts_sum_to_zero() {
    let (x, labels) = directions(40, 0.5);
    let svm = RankingSvm {
        c: 0.3,
        tol: 1e-9,
        max_iter: 100_000,
        ..Default::default()
    };
    let model = fit(&svm, &x, &labels);
    assert_eq!(model.history().stop, StopReason::Converged);
    assert!(model.intercept().sum().abs() < 1e-9 && model.imbalance() < 1e-9);
    assert!(
        model.duality_gap() <= 1e-6 * model.objective(),
        "{}",
        model.duality_gap()
    );
    // The weights follow from the scores at the unit vectors.
    let at =
        |point: Array2<f64>| model.scores(&point).unwrap().row(0).to_owned() - model.intercept();
    let w = [at(array![[1.0, 0.0]]), at(array![[0.0, 1.0]])];
    let objective = |w: &[Array1<f64>; 2], b: &Array1<f64>| {
        let has = labels.view();
        let rows = x.rows().into_iter().zip(has.rows());
        let cost: f64 = rows
            .map(|(row, has)| {
                let scores = &w[0] * row[0] + &w[1] * row[1] + b;
                ranking_slacks(scores.view(), has)
                    .iter()
                    .map(|(_, _, slack)| slack)
                    .sum::<f64>()
            })
            .sum();
        0.5 * w.iter().map(|w| w.dot(w)).sum::<f64>() + 0.3 * cost
    };
    let reached = objective(&w, model.intercept());
    assert!((reached - model.objective()).abs() <= 1e-9 * reached);
    for direction in 0..20 {
        let step = random_matrix(3, 4, 100 + direction) * 1e-3;
        let moved = [&w[0] + &step.row(0), &w[1] + &step.row(1)];
        assert!(objective(&moved, &(model.intercept() + &step.row(2))) >= reached - 1e-9);
    }
}

// 000a:SUP-29: with two labels of which every row has one, the difference of the scores is the machine
// for two classes: ‖w₀‖² + ‖w₁‖² = ½‖w₁ − w₀‖², so C doubles.
#[test]
fn two_exclusive_labels_are_the_machine_for_two_classes() {
    let x = random_matrix(50, 2, 7);
    let class = |row: usize| {
        usize::from(x[[row, 0]] - 0.4 * x[[row, 1]] + 0.3 * ((row % 5) as f64 - 2.0) > 0.2)
    };
    let y = Labels::from_indices((0..50).map(class).collect());
    let has = Array2::from_shape_fn((50, 2), |(row, label)| y.indices[row] == label);
    let labels = LabelSets::new(has);
    for kernel in [KernelName::Linear, KernelName::Rbf] {
        let svm = RankingSvm {
            c: 0.5,
            kernel: kernel.into(),
            tol: 1e-9,
            max_iter: 100_000,
            ..Default::default()
        };
        let scores = fit(&svm, &x, &labels).scores(&x).unwrap();
        let svc = Svc {
            c: 1.0,
            kernel: kernel.into(),
            tol: 1e-9,
            ..Default::default()
        };
        let model = svc.fit(Labelled::new(&x, &y).unwrap()).unwrap();
        let expected = didact_core::Scores::decision_function(&model, &x).unwrap();
        for row in 0..50 {
            let difference = scores[[row, 1]] - scores[[row, 0]];
            assert!(
                (difference - expected[[row, 0]]).abs() < 1e-5,
                "{difference} {}",
                expected[[row, 0]]
            );
        }
    }
}

// 000a:SUP-28, 000a:SUP-30: rankings, label sets by a threshold, and kernels.
#[test]
fn labels_are_ranked_and_chosen_by_a_threshold() {
    let (x, labels) = directions(80, 0.0);
    for kernel in [KernelName::Linear, KernelName::Rbf] {
        let svm = RankingSvm {
            c: 10.0,
            kernel: kernel.into(),
            ..Default::default()
        };
        let model = fit(&svm, &x, &labels);
        assert!(model.loss(&x, &labels).unwrap() < 0.02);
        let ranks = model.rank(&x).unwrap();
        let scores = model.scores(&x).unwrap();
        assert!((0..80).all(|row| scores[[row, ranks[row][0]]] >= scores[[row, ranks[row][3]]]));
        let wrong = |threshold: f64| {
            let found = model.predict(&x, threshold).unwrap();
            found
                .view()
                .iter()
                .zip(labels.view().iter())
                .filter(|(a, b)| a != b)
                .count()
        };
        let best = model.best_threshold(&x, &labels).unwrap();
        assert!(wrong(best) <= wrong(0.0) && wrong(best) <= wrong(best + 0.3));
        assert!(wrong(best) < 24, "{}", wrong(best));
    }
}

#[test]
fn rows_with_all_labels_or_none_say_nothing_and_alone_they_are_an_error() {
    let (x, labels) = directions(30, 0.3);
    let mut has = labels.view().to_owned();
    has.row_mut(3).fill(true);
    has.row_mut(8).fill(false);
    let all = LabelSets::new(has);
    let svm = RankingSvm {
        tol: 1e-9,
        max_iter: 100_000,
        ..Default::default()
    };
    let kept: Vec<usize> = (0..30).filter(|row| ![3, 8].contains(row)).collect();
    let fewer = LabelSets::new(all.view().select(ndarray::Axis(0), &kept));
    let one = fit(&svm, &x, &all).scores(&x).unwrap();
    let two = fit(&svm, &x.select(ndarray::Axis(0), &kept), &fewer)
        .scores(&x)
        .unwrap();
    assert!((one - two).iter().all(|error| error.abs() < 1e-6));
    let nothing = LabelSets::new(Array2::from_elem((30, 4), true));
    let error = svm
        .fit(Samples::from(&x), &nothing, &Run::new())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("every row has all labels or none"),
        "{error}"
    );
    let short = LabelSets::new(Array2::from_elem((3, 4), true));
    assert!(svm.fit(Samples::from(&x), &short, &Run::new()).is_err());
}
