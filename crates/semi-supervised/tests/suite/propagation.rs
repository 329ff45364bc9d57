//! Labels that spread over the rows of a data set.

use crate::data::{accuracy, first_of_each, moons};
use didact_core::{
    Classify, Csr, Fit, Labelled, PartialLabels, PartlyLabelled, Probabilities, Rows, Run, Samples,
};
use didact_datasets::{hide_labels, iris};
use didact_math::kernel::{Kernel, RbfWidth, kernel_matrix_self};
use didact_semi_supervised::{
    GraphKernel, GraphPropagation, LabelPropagation, LabelSpreading, transductive_risk,
};
use didact_testing::assert_close;
use ndarray::{Array2, array};

fn rbf(gamma: f64) -> LabelPropagation {
    LabelPropagation {
        kernel: GraphKernel::Rbf,
        gamma: Some(gamma),
        ..LabelPropagation::default()
    }
}

// 000a:SSL-07: the rows X and σ give S_ij = exp(−‖x_i−x_j‖²/2σ²), so γ = 1/(2σ²).
#[test]
fn the_rate_of_the_kernel_is_that_of_the_width() {
    let iris = iris();
    let few = hide_labels(iris.labels().unwrap(), 0.1, 1).unwrap();
    let gamma = RbfWidth::from_sigma(0.5).unwrap().gamma();
    let model = rbf(gamma)
        .fit(PartlyLabelled::new(iris.samples(), &few).unwrap())
        .unwrap();
    let rows = Rows::Dense(iris.features());
    let weights = kernel_matrix_self(rows, &Kernel::Rbf { gamma }, &Run::new()).unwrap();
    let expected = GraphPropagation::default()
        .solve(Rows::Dense(weights.view()), &few.indices, 3, &Run::new())
        .unwrap();
    assert_close(model.label_distributions(), &expected.distributions, 1e-12);
}

#[test]
fn a_label_on_each_moon_is_enough() {
    let moons = moons(400, "0.05", 3);
    let truth = moons.labels().unwrap();
    let few = first_of_each(truth, 1);
    for kernel in [GraphKernel::Knn, GraphKernel::Rbf] {
        let method = LabelPropagation {
            kernel,
            ..LabelPropagation::default()
        };
        let model = method
            .fit(PartlyLabelled::new(moons.samples(), &few).unwrap())
            .unwrap();
        let risk = transductive_risk(model.transduction(), &truth.indices, &few.indices).unwrap();
        assert!(risk < 0.01, "{kernel:?}: {risk}");
        let new = moons_of_another_seed();
        let predicted = model.predict(new.samples()).unwrap();
        assert!(accuracy(&predicted, &new.labels().unwrap().indices) > 0.98);
    }
}

fn moons_of_another_seed() -> didact_datasets::Dataset {
    moons(200, "0.05", 4)
}

#[test]
fn many_rows_are_no_strain() {
    let moons = moons(4_000, "0.06", 5);
    let truth = moons.labels().unwrap();
    let few = first_of_each(truth, 3);
    let model = LabelPropagation::default()
        .fit(PartlyLabelled::new(moons.samples(), &few).unwrap())
        .unwrap();
    assert_eq!(model.n_unreached(), 0);
    assert!(accuracy(model.transduction(), &truth.indices) > 0.99);
}

#[test]
fn known_classes_stay_and_may_be_doubted_at_a_price() {
    let iris = iris();
    let mut wrong = hide_labels(iris.labels().unwrap(), 0.5, 2).unwrap();
    // A setosa in the middle of its kind that is said to be a virginica.
    wrong.indices[0] = Some(2);
    let data = || PartlyLabelled::new(iris.samples(), &wrong).unwrap();
    let hard = LabelPropagation::default().fit(data()).unwrap();
    for (found, known) in hard.transduction().iter().zip(&wrong.indices) {
        assert!(known.is_none_or(|known| known == *found));
    }
    let soft = LabelSpreading::default().fit(data()).unwrap();
    assert_eq!(soft.transduction()[0], 0);
}

// 000a:SSL-01: the mean of the training rows, weighted by the kernel.
#[test]
fn a_new_row_is_the_weighted_mean_of_the_training_rows() {
    let x = array![[0.0], [1.0], [3.0]];
    let labels = PartialLabels::from_names([Some("a"), None, Some("b")]);
    let model = rbf(1.0)
        .fit(PartlyLabelled::new(&x, &labels).unwrap())
        .unwrap();
    // S₁₀ = e⁻¹ and S₁₂ = e⁻⁴.
    let inner = (-1.0_f64).exp() / ((-1.0_f64).exp() + (-4.0_f64).exp());
    assert!((model.label_distributions()[[1, 0]] - inner).abs() < 1e-15);
    let weights = [0.0, 1.0, 3.0].map(|x| (-(2.0_f64 - x) * (2.0 - x)).exp());
    let expected = (weights[0] + weights[1] * inner) / weights.iter().sum::<f64>();
    let found = model.predict_proba(&array![[2.0]]).unwrap();
    assert!((found[[0, 0]] - expected).abs() < 1e-14);
}

#[test]
fn rows_far_from_all_others_follow_the_nearest() {
    let x = array![[0.0], [1.0], [3.0]];
    let labels = PartialLabels::from_names([Some("a"), None, Some("b")]);
    let model = rbf(20.0)
        .fit(PartlyLabelled::new(&x, &labels).unwrap())
        .unwrap();
    let found = model.predict_proba(&array![[1e6], [-1e6]]).unwrap();
    assert_close(&found, &array![[0.0, 1.0], [1.0, 0.0]], 1e-12);
}

#[test]
fn sparse_rows_are_dense_rows_with_zeros() {
    let iris = iris();
    let x = iris
        .features()
        .mapv(|value| if value < 1.5 { 0.0 } else { value });
    let sparse = Csr::from_dense(x.view());
    let few = hide_labels(iris.labels().unwrap(), 0.2, 3).unwrap();
    for kernel in [GraphKernel::Knn, GraphKernel::Rbf] {
        let method = LabelPropagation {
            kernel,
            gamma: Some(0.8),
            ..LabelPropagation::default()
        };
        let fit = |samples: &Samples<'_>| {
            let data = PartlyLabelled::new(samples.view(), &few).unwrap();
            method.fit(data).unwrap()
        };
        let (plain, thin) = (fit(&Samples::from(&x)), fit(&Samples::from(&sparse)));
        assert_close(
            thin.label_distributions(),
            plain.label_distributions(),
            1e-9,
        );
        let expected = plain.predict_proba(&x).unwrap();
        assert_close(&plain.predict_proba(&sparse).unwrap(), &expected, 1e-9);
        assert_close(&thin.predict_proba(&x).unwrap(), &expected, 1e-9);
    }
}

#[test]
fn all_labels_give_a_vote_of_neighbours() {
    let iris = iris();
    let labels = iris.labels().unwrap();
    let model = LabelPropagation::default()
        .fit(iris.labelled().unwrap())
        .unwrap();
    assert_eq!(model.transduction(), labels.indices);
    assert!(accuracy(&model.predict(iris.samples()).unwrap(), &labels.indices) > 0.95);
    let one_hot = Array2::from_shape_fn((150, 3), |(row, class)| {
        f64::from(labels.indices[row] == class)
    });
    assert_eq!(model.label_distributions(), one_hot);
}

#[test]
fn one_class_and_no_class_are_told_apart() {
    let x = array![[0.0], [1.0], [2.0]];
    let one = PartialLabels::from_names([Some("only"), None, None]);
    let model = LabelPropagation::default()
        .fit(PartlyLabelled::new(&x, &one).unwrap())
        .unwrap();
    assert_eq!(model.transduction(), [0, 0, 0]);
    let none = PartialLabels::from_names([None::<&str>, None, None]);
    let error = LabelPropagation::default().fit(PartlyLabelled::new(&x, &none).unwrap());
    assert_eq!(
        error.unwrap_err().to_string(),
        "no row has a class; give the class of at least one row of each"
    );
}

#[test]
fn too_many_pairs_are_refused_before_memory_is_asked_for() {
    let x = Array2::zeros((25_001, 1));
    let labels = didact_core::Labels::from_indices(vec![0; 25_001]);
    let method = rbf(1.0);
    let error = method
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("kernel is rbf; ") && error.contains("choose knn"),
        "{error}"
    );
}

#[test]
fn a_few_rows_are_not_all_neighbours() {
    let rows = array![
        [0.1, 0.2],
        [0.2, 0.1],
        [0.0, 0.3],
        [3.1, 3.2],
        [3.0, 2.9],
        [2.8, 3.3]
    ];
    let few = PartialLabels::from_names([Some("x"), None, None, Some("y"), None, None]);
    let data = PartlyLabelled::new(&rows, &few).unwrap();
    let model = LabelPropagation::default().fit(data).unwrap();
    assert_eq!(model.predict(&rows).unwrap(), [0, 0, 0, 1, 1, 1]);
}
