//! Wide margins that rows without a class take part in.

use crate::data::{accuracy, first_of_each};
use didact_core::{
    Classes, Classify, Fit, Labelled, Labels, PartialLabels, PartlyLabelled, Samples, Scores,
};
use didact_datasets::iris;
use didact_math::kernel::KernelName;
use didact_semi_supervised::{HatLoss, HatLossSvm, TransductiveSvm};
use didact_svm::Svc;
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array2, array};

/// The data of 000a:fx-D20: labelled −2 and 2, unlabelled −1.5, −1, −0.5, 0, 0.5 and 3.
fn eight() -> (Array2<f64>, PartialLabels) {
    let x = array![[-2.0], [2.0], [-1.5], [-1.0], [-0.5], [0.0], [0.5], [3.0]];
    let mut names = [None; 8];
    (names[0], names[1]) = (Some("-"), Some("a"));
    (x, PartialLabels::from_names(names))
}

fn linear(c: f64, c_unlabelled: f64) -> TransductiveSvm {
    TransductiveSvm {
        c,
        c_unlabelled,
        kernel: KernelName::Linear.into(),
        tol: 1e-9,
        ..TransductiveSvm::default()
    }
}

/// Two clouds in the plane; the first two rows of each are labelled.
fn clouds(n: usize, distance: f64, seed: u64) -> (Array2<f64>, Vec<usize>, PartialLabels) {
    let mut x = random_matrix(n, 2, seed);
    let truth: Vec<usize> = (0..n).map(|row| row % 2).collect();
    for (mut row, &class) in x.rows_mut().into_iter().zip(&truth) {
        row[0] += distance * class as f64;
    }
    let labels = first_of_each(&Labels::from_indices(truth.clone()), 2);
    (x, truth, labels)
}

// 000a:SSL-13, 000a:SSL-16, 000a:fx-D20: the boundary moves to the gap between 0.5 and 2.
#[test]
fn one_positive_row_of_six_puts_the_boundary_into_the_gap() {
    let (x, labels) = eight();
    let data = || PartlyLabelled::new(&x, &labels).unwrap();
    let method = TransductiveSvm {
        positive_share: Some(1.0 / 6.0),
        ..linear(10.0, 10.0)
    };
    let model = method.fit(data()).unwrap();
    let machine = model.machines()[0].as_ref().unwrap();
    assert!((machine.coef().unwrap()[[0, 0]] - 4.0 / 3.0).abs() < 1e-6);
    assert!((machine.intercept()[0] + 5.0 / 3.0).abs() < 1e-6);
    assert_eq!(model.transduction(), [0, 1, 0, 0, 0, 0, 0, 1]);
    assert!((machine.certificates()[0].primal - 8.0 / 9.0).abs() < 1e-9);
    // Constraints read y·f ≥ 1 − ξ: at the solution every slack is zero and none is negative.
    let scores = model.decision_function(&x).unwrap();
    for (score, &class) in scores.iter().zip(model.transduction()) {
        assert!(score * (2.0 * class as f64 - 1.0) >= 1.0 - 1e-6);
    }
}

// 000a:SSL-13: C* → 0 is the machine of the labelled rows, whose boundary is at zero.
#[test]
fn rows_that_cost_nothing_change_nothing() {
    let (x, labels) = eight();
    let model = linear(10.0, 1e-9)
        .fit(PartlyLabelled::new(&x, &labels).unwrap())
        .unwrap();
    let machine = model.machines()[0].as_ref().unwrap();
    assert!((machine.coef().unwrap()[[0, 0]] - 0.5).abs() < 1e-6);
    assert!(machine.intercept()[0].abs() < 1e-6);
}

// 000a:SSL-15, 000a:SSL-16: the share of positive rows, a fraction of u = N − l, is kept.
#[test]
fn as_many_rows_are_positive_as_asked() {
    let (x, _, labels) = clouds(44, 1.0, 1);
    for (share, expected) in [
        (None, 20),
        (Some(0.25), 10),
        (Some(0.0), 1),
        (Some(1.0), 39),
    ] {
        let method = TransductiveSvm {
            positive_share: share,
            ..TransductiveSvm::default()
        };
        let model = method
            .fit(PartlyLabelled::new(&x, &labels).unwrap())
            .unwrap();
        let unknown = model.transduction().iter().zip(&labels.indices);
        let positive = unknown.filter(|(class, known)| known.is_none() && **class == 1);
        assert_eq!(positive.count(), expected, "{share:?}");
    }
}

// 000a:SSL-12: all labelings of six rows with as many positives, one machine each.
#[test]
fn no_other_labeling_has_a_lower_objective_where_the_clouds_are_apart() {
    for seed in 0..3 {
        let (x, _, labels) = clouds(10, 5.0, 30 + seed);
        let model = linear(1.0, 1.0)
            .fit(PartlyLabelled::new(&x, &labels).unwrap())
            .unwrap();
        let found = model.machines()[0].as_ref().unwrap().certificates()[0].primal;
        let machine = Svc {
            kernel: KernelName::Linear.into(),
            tol: 1e-9,
            ..Svc::default()
        };
        let classes = Classes::new([0, 1]);
        let mut least = f64::INFINITY;
        for mask in 0u32..64 {
            if mask.count_ones() != 3 {
                continue;
            }
            let mut free = (0..6).map(|bit| usize::from(mask >> bit & 1 == 1));
            let all: Vec<usize> = labels
                .indices
                .iter()
                .map(|label| label.unwrap_or_else(|| free.next().unwrap()))
                .collect();
            let data = Labelled::from_parts(Samples::from(&x), &all, &classes).unwrap();
            least = least.min(machine.fit(data).unwrap().certificates()[0].primal);
        }
        assert!(found <= least + 1e-6, "{found} {least}");
        assert!(found >= least - 1e-6);
    }
}

#[test]
fn with_all_classes_known_it_is_the_usual_machine() {
    let iris = iris();
    let rows: Vec<usize> = (50..150).collect();
    let samples = iris.samples().select(&rows);
    let labels = Labels::from_indices(rows.iter().map(|row| row / 100).collect());
    let data = || Labelled::new(samples.view(), &labels).unwrap();
    let model = TransductiveSvm::default().fit(data()).unwrap();
    let usual = Svc::default().fit(data()).unwrap();
    let expected = usual.decision_function(samples.view()).unwrap();
    assert_close(
        &model.decision_function(samples.view()).unwrap(),
        &expected,
        1e-12,
    );
    assert_eq!(model.transduction(), labels.indices);
}

#[test]
fn three_classes_are_told_apart_one_against_the_rest() {
    let iris = iris();
    let truth = iris.labels().unwrap();
    let few = first_of_each(truth, 5);
    let data = || PartlyLabelled::new(iris.samples(), &few).unwrap();
    let switched = TransductiveSvm::default().fit(data()).unwrap();
    assert!(accuracy(switched.transduction(), &truth.indices) > 0.9);
    assert_eq!(
        switched.decision_function(iris.samples()).unwrap().ncols(),
        3
    );
    let method = TransductiveSvm {
        positive_share: Some(0.5),
        ..TransductiveSvm::default()
    };
    let error = method.fit(data()).unwrap_err().to_string();
    assert!(
        error.starts_with("positive_share is 0.5; it is for two classes"),
        "{error}"
    );
}

fn signs(labels: &PartialLabels) -> Vec<Option<f64>> {
    let sign = |label: &Option<usize>| label.map(|label| 2.0 * label as f64 - 1.0);
    labels.indices.iter().map(sign).collect()
}

// 000a:SSL-14, 000a:fx-D20: the hat objective at the inductive and at the transductive solution.
#[test]
fn the_hat_objective_has_the_values_found_by_hand() {
    let (x, labels) = eight();
    let loss = HatLoss {
        x: x.view(),
        signs: &signs(&labels),
        c: 10.0,
        c_unlabelled: 10.0,
    };
    assert_eq!(loss.objective(array![0.5].view(), 0.0), 32.625);
    let transductive = loss.objective(array![4.0 / 3.0].view(), -5.0 / 3.0);
    assert!((transductive - 8.0 / 9.0).abs() < 1e-14);
    // Rows with |f| ≥ 1 cost nothing: the printed condition f ≥ 0 would charge those at f < −1.
    assert_eq!(loss.objective(array![100.0].view(), -125.0), 5_000.0);
}

// 000a:SSL-14: the intercept has a gradient too.
#[test]
fn the_subgradient_is_the_slope_away_from_kinks() {
    let (x, _, labels) = clouds(40, 1.5, 7);
    let loss = HatLoss {
        x: x.view(),
        signs: &signs(&labels),
        c: 1.3,
        c_unlabelled: 0.4,
    };
    let (weights, intercept) = (array![0.31, -0.17], 0.123);
    let (by_weights, by_intercept) = loss.subgradient(weights.view(), intercept);
    let step = 1e-7;
    for column in 0..2 {
        let mut moved = [weights.clone(), weights.clone()];
        moved[0][column] += step;
        moved[1][column] -= step;
        let slope = (loss.objective(moved[0].view(), intercept)
            - loss.objective(moved[1].view(), intercept))
            / (2.0 * step);
        assert!((slope - by_weights[column]).abs() < 1e-6);
    }
    let slope = (loss.objective(weights.view(), intercept + step)
        - loss.objective(weights.view(), intercept - step))
        / (2.0 * step);
    assert!((slope - by_intercept).abs() < 1e-6 && by_intercept != 0.0);
}

// 000a:SSL-14: warm start from the labelled machine; the best point is kept.
#[test]
fn the_descent_ends_below_the_machine_of_the_labelled_rows() {
    let (x, labels) = eight();
    let method = HatLossSvm {
        c: 10.0,
        c_unlabelled: 10.0,
        balance: false,
        ..HatLossSvm::default()
    };
    let model = method
        .fit(PartlyLabelled::new(&x, &labels).unwrap())
        .unwrap();
    let signs = signs(&labels);
    let loss = HatLoss {
        x: x.view(),
        signs: &signs,
        c: 10.0,
        c_unlabelled: 10.0,
    };
    let found = loss.objective(model.coef().row(0), model.intercept()[0]);
    // From 32.625; the local minimum between 0 and 0.5 has 8, where f = 4x − 1.
    assert!(found < 10.0, "{found}");
}

// 000a:SSL-15: the share of U on the positive side is that of D.
#[test]
fn the_share_of_positive_rows_is_that_of_the_known_ones() {
    let (x, _, mut labels) = clouds(60, 4.0, 8);
    labels.indices[4] = Some(0);
    let model = HatLossSvm::default()
        .fit(PartlyLabelled::new(&x, &labels).unwrap())
        .unwrap();
    let scores = model.decision_function(&x).unwrap();
    let unknown = (0..60).filter(|&row| labels.indices[row].is_none());
    let positive = unknown.filter(|&row| scores[[row, 0]] >= 0.0).count();
    // Two of the five known rows are positive, so 22 of the other 55 are.
    assert_eq!(positive, 22);
}

#[test]
fn two_clouds_are_told_apart_by_descent() {
    let (x, truth, labels) = clouds(60, 5.0, 9);
    let model = HatLossSvm::default()
        .fit(PartlyLabelled::new(&x, &labels).unwrap())
        .unwrap();
    assert!(accuracy(model.transduction(), &truth) > 0.95);
    assert!(accuracy(&model.predict(&x).unwrap(), &truth) > 0.95);
}

#[test]
fn descent_tells_three_corners_apart() {
    // A plane can part each corner of a triangle from the other two, unlike the middle iris.
    let corners = [[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]];
    let truth: Vec<usize> = (0..90).map(|row| row % 3).collect();
    let mut x = random_matrix(90, 2, 11);
    for (mut row, &class) in x.rows_mut().into_iter().zip(&truth) {
        row += &array![corners[class][0], corners[class][1]];
    }
    let labels = first_of_each(&Labels::from_indices(truth.clone()), 2);
    let model = HatLossSvm::default()
        .fit(PartlyLabelled::new(&x, &labels).unwrap())
        .unwrap();
    assert_eq!(model.coef().nrows(), 3);
    assert!(accuracy(model.transduction(), &truth) > 0.95);
}

// 000a:SSL-12: of all labelings of six rows, the descent finds the one of the lowest objective.
#[test]
fn descent_finds_the_best_labeling_where_the_clouds_are_apart() {
    for seed in 0..3 {
        let (x, _, labels) = clouds(10, 5.0, 40 + seed);
        let method = HatLossSvm {
            c_unlabelled: 1.0,
            ..HatLossSvm::default()
        };
        let model = method
            .fit(PartlyLabelled::new(&x, &labels).unwrap())
            .unwrap();
        let machine = Svc {
            kernel: KernelName::Linear.into(),
            tol: 1e-9,
            ..Svc::default()
        };
        let classes = Classes::new([0, 1]);
        let mut best = (f64::INFINITY, Vec::new());
        for mask in 0u32..64 {
            let mut free = (0..6).map(|bit| usize::from(mask >> bit & 1 == 1));
            let all: Vec<usize> = labels
                .indices
                .iter()
                .map(|label| label.unwrap_or_else(|| free.next().unwrap()))
                .collect();
            let data = Labelled::from_parts(Samples::from(&x), &all, &classes).unwrap();
            let objective = machine.fit(data).unwrap().certificates()[0].primal;
            if objective < best.0 {
                best = (objective, all);
            }
        }
        assert_eq!(model.transduction(), best.1);
        let signs = signs(&labels);
        let loss = HatLoss {
            x: x.view(),
            signs: &signs,
            c: 1.0,
            c_unlabelled: 1.0,
        };
        // The least hat objective is that of the best labeling.
        let found = loss.objective(model.coef().row(0), model.intercept()[0]);
        assert!(found >= best.0 - 1e-9, "{found} {}", best.0);
    }
}

// 000a:SSL-13: C* → 0 leaves the machine of the labelled rows.
#[test]
fn descent_stays_at_the_labelled_machine_where_other_rows_cost_nothing() {
    let (x, labels) = eight();
    let method = HatLossSvm {
        c: 10.0,
        c_unlabelled: 1e-9,
        balance: false,
        ..HatLossSvm::default()
    };
    let model = method
        .fit(PartlyLabelled::new(&x, &labels).unwrap())
        .unwrap();
    // The start is solved to the tolerance of its solver, 10⁻³.
    assert!((model.coef()[[0, 0]] - 0.5).abs() < 1e-3);
    assert!(model.intercept()[0].abs() < 1e-3);
}
