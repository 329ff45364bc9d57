//! Functions that are smooth on a graph.

use crate::data::{accuracy, first_of_each, laplacian, moons, path, random_graph};
use didact_core::{Classify, Fit, PartialLabels, PartlyLabelled, Rows, Run, Scores};
use didact_datasets::{hide_labels, iris};
use didact_math::graph::{LaplacianKind, graph_spectrum, quadratic_form, spectral_coefficients};
use didact_math::kernel::{Gamma, Kernel, kernel_matrix_self};
use didact_semi_supervised::{
    GraphPropagation, LabelConstraint, LaplacianRls, SmoothExpansion, transductive_risk,
};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array2, array};

fn known(n: usize) -> Vec<bool> {
    (0..n).map(|i| i % 4 == 0).collect()
}

fn targets(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, 1), |(i, _)| if i % 8 == 0 { 1.0 } else { -1.0 })
}

// 000a:SSL-09, 000a:fx-D19: the problem on the graph alone.
#[test]
fn the_path_of_three_has_the_values_found_by_hand() {
    let problem = SmoothExpansion {
        norm_weight: 1.0,
        label_weight: 2.0,
    };
    let path = path(3);
    let targets = array![[1.0], [9.0], [0.0]];
    let found = problem
        .solve(
            Rows::Sparse(path.view()),
            None,
            targets.view(),
            &[true, false, true],
            &Run::new(),
        )
        .unwrap();
    let expected = array![[42.0 / 85.0], [4.0 / 17.0], [8.0 / 85.0]];
    assert_close(&found, &expected, 1e-14);
}

// 000a:SSL-09: no step from the solution makes the objective smaller, which has no ½ before fᵀLf.
#[test]
fn the_expansion_minimises_its_objective() {
    let n = 30;
    let graph = random_graph(n, 4, 1);
    let x = random_matrix(n, 2, 1);
    let gram = kernel_matrix_self(
        Rows::Dense(x.view()),
        &Kernel::Rbf { gamma: 0.7 },
        &Run::new(),
    )
    .unwrap();
    let (norm_weight, label_weight) = (0.3, 1.7);
    let (is_known, y) = (known(n), targets(n));
    let objective = |a: &Array2<f64>| {
        let f = gram.dot(a);
        let smooth = f.t().dot(&laplacian(&graph)).dot(&f)[[0, 0]];
        let norm = a.t().dot(&f)[[0, 0]];
        let errors: f64 = (0..n)
            .filter(|&i| is_known[i])
            .map(|i| (f[[i, 0]] - y[[i, 0]]).powi(2))
            .sum();
        smooth + 0.5 * norm_weight * norm + 0.5 * label_weight * errors
    };
    let problem = SmoothExpansion {
        norm_weight,
        label_weight,
    };
    let weights = Rows::Sparse(graph.view());
    let found = problem
        .solve(weights, Some(gram.view()), y.view(), &is_known, &Run::new())
        .unwrap();
    let least = objective(&found);
    for seed in 0..20 {
        let step = random_matrix(n, 1, 100 + seed);
        for size in [1e-3, 1e-1, 10.0] {
            assert!(objective(&(&found + &(&step * size))) > least);
        }
    }
    // Half as much smoothness is another problem.
    let halved = SmoothExpansion {
        norm_weight: 2.0 * norm_weight,
        label_weight: 2.0 * label_weight,
    };
    let other = halved
        .solve(weights, Some(gram.view()), y.view(), &is_known, &Run::new())
        .unwrap();
    assert!(objective(&other) > least + 1e-6);
}

// 000a:SSL-09: without a norm the problem on the graph is soft propagation, with λ = λ₂/2.
#[test]
fn without_a_norm_labels_spread_softly() {
    let n = 40;
    let graph = random_graph(n, 6, 2);
    let labels: Vec<Option<usize>> = (0..n).map(|i| (i % 4 == 0).then_some(i / 4 % 2)).collect();
    let y = Array2::from_shape_fn((n, 1), |(i, _)| f64::from(labels[i] == Some(1)));
    let problem = SmoothExpansion {
        norm_weight: 0.0,
        label_weight: 1.6,
    };
    let weights = Rows::Sparse(graph.view());
    let found = problem
        .solve(weights, None, y.view(), &known(n), &Run::new())
        .unwrap();
    let spread = GraphPropagation {
        constraint: LabelConstraint::Soft { label_weight: 0.8 },
        ..GraphPropagation::default()
    }
    .solve(weights, &labels, 2, &Run::new())
    .unwrap();
    let expected = spread.distributions.column(1).to_owned();
    assert_close(&found.column(0).to_owned(), &expected, 1e-10);
}

// 000a:SSL-10: L = ΦΛΦᵀ with φ as columns and α = Φᵀf, so fᵀLf = Σλα².
#[test]
fn smooth_functions_live_in_the_low_eigenvectors() {
    let n = 40;
    let graph = random_graph(n, 5, 3);
    let spectrum =
        graph_spectrum(graph.view(), LaplacianKind::Unnormalised, n, &Run::new()).unwrap();
    let labels: Vec<Option<usize>> = (0..n)
        .map(|i| (i % 10 == 0).then_some(i / 10 % 2))
        .collect();
    let weights = Rows::Sparse(graph.view());
    let share_of_low = |label_weight: f64| {
        let method = GraphPropagation {
            constraint: LabelConstraint::Soft { label_weight },
            ..GraphPropagation::default()
        };
        let found = method.solve(weights, &labels, 2, &Run::new()).unwrap();
        let f = found.distributions.column(1);
        let alpha = spectral_coefficients(spectrum.vectors.view(), f).unwrap();
        let form = quadratic_form(graph.view(), f, LaplacianKind::Unnormalised).unwrap();
        let sum: f64 = spectrum
            .values
            .iter()
            .zip(&alpha)
            .map(|(l, a)| l * a * a)
            .sum();
        assert!((sum - form).abs() <= 1e-12 * form.max(1.0));
        // Both classes vary alike, so the smoothness of all is twice that of one.
        assert!((found.smoothness - 2.0 * form).abs() <= 1e-12 * form.max(1.0));
        alpha.iter().take(5).map(|a| a * a).sum::<f64>() / alpha.dot(&alpha)
    };
    // The less labels weigh, the smoother the function.
    assert!(share_of_low(0.01) > share_of_low(100.0));
    assert!(share_of_low(0.01) > 0.999);
}

#[test]
fn a_label_on_each_moon_bends_the_boundary_between_them() {
    let moons = moons(300, "0.05", 6);
    let truth = moons.labels().unwrap();
    let few = first_of_each(truth, 2);
    let method = LaplacianRls {
        gamma: Gamma::Value(4.0),
        norm_weight: 1e-3,
        ..LaplacianRls::default()
    };
    let model = method
        .fit(PartlyLabelled::new(moons.samples(), &few).unwrap())
        .unwrap();
    let risk = transductive_risk(model.transduction(), &truth.indices, &few.indices).unwrap();
    assert!(risk < 0.02, "{risk}");
    let new = crate::data::moons(200, "0.05", 7);
    let predicted = model.predict(new.samples()).unwrap();
    assert!(accuracy(&predicted, &new.labels().unwrap().indices) > 0.97);
    // One score for two classes, positive for the second.
    let scores = model.decision_function(new.samples()).unwrap();
    assert_eq!(scores.ncols(), 1);
    let signs: Vec<usize> = scores
        .iter()
        .map(|&score| usize::from(score >= 0.0))
        .collect();
    assert_eq!(signs, predicted);
}

#[test]
fn three_classes_have_three_functions() {
    let iris = iris();
    let truth = iris.labels().unwrap();
    let few = hide_labels(truth, 0.2, 1).unwrap();
    let model = LaplacianRls::default()
        .fit(PartlyLabelled::new(iris.samples(), &few).unwrap())
        .unwrap();
    assert_eq!(model.decision_function(iris.samples()).unwrap().ncols(), 3);
    assert!(accuracy(model.transduction(), &truth.indices) > 0.93);
}

#[test]
fn one_class_cannot_be_separated() {
    let x = array![[0.0], [1.0]];
    let labels = PartialLabels::from_names([Some("only"), None]);
    let error = LaplacianRls::default()
        .fit(PartlyLabelled::new(&x, &labels).unwrap())
        .unwrap_err();
    assert!(
        error.to_string().contains("at least two classes"),
        "{error}"
    );
}
