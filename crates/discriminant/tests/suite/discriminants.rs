//! Linear, Fisher's and quadratic discriminants: published directions, scikit-learn's numbers,
//! singular covariances.

use didact_core::random::generator;
use didact_core::{
    AnyModel, Classify, Fit, Labelled, Labels, LearnInPieces, LogDensity, Next, Probabilities, Run,
    Sample, Samples, Scores, Transform,
};
use didact_discriminant::{
    ClassCovariance, ClassWeighting, FisherAxis, FisherDiscriminant, Lda, LdaSolver,
    LinearDiscriminantModel, Qda, QdaModel, Shrinkage,
};
use didact_math::linalg::{Cholesky, generalised_eigen, symmetric_eigen};
use ndarray::{Array1, Array2, ArrayView1, Axis, array, concatenate, s};
use proptest::prelude::*;
use rand_distr::{Distribution, StandardNormal};

#[track_caller]
fn assert_close<'a>(
    found: impl IntoIterator<Item = &'a f64>,
    expected: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
) {
    let found: Vec<f64> = found.into_iter().copied().collect();
    let expected: Vec<f64> = expected.into_iter().copied().collect();
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(&expected) {
        let close = a == b || (a - b).abs() <= tolerance * b.abs().max(1.0);
        assert!(close, "{found:?}\n{expected:?}");
    }
}

fn random(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut generator = generator(seed, 0);
    Array2::from_shape_fn((rows, columns), |_| StandardNormal.sample(&mut generator))
}

/// The direction of a vector, with its last coordinate positive.
fn direction(vector: ArrayView1<'_, f64>) -> Array1<f64> {
    let sign = vector[vector.len() - 1].signum();
    &vector * (sign / vector.dot(&vector).sqrt())
}

fn two_classes() -> (Array2<f64>, Labels) {
    let x = array![
        [1.0, 2.0],
        [2.0, 3.0],
        [3.0, 3.0],
        [4.0, 5.0],
        [5.0, 5.0],
        [1.0, 0.0],
        [2.0, 1.0],
        [3.0, 1.0],
        [3.0, 2.0],
        [5.0, 3.0],
        [6.0, 5.0]
    ];
    let names = ["a", "a", "a", "a", "a", "b", "b", "b", "b", "b", "b"];
    (x, Labels::from_names(names))
}

/// Every solver of LDA.
const SOLVERS: [LdaSolver; 3] = [LdaSolver::Svd, LdaSolver::Eigen, LdaSolver::Lsqr];

fn lda(solver: LdaSolver) -> Lda {
    Lda {
        solver,
        ..Lda::default()
    }
}

// 002a:LD01, EX25, FIG56, FD01, 003:P68, 004:M61.
#[test]
fn two_classes_have_the_published_directions() {
    let (x, labels) = two_classes();
    let data = || Labelled::new(&x, &labels).unwrap();
    for solver in SOLVERS {
        let model = lda(solver).fit(data()).unwrap();
        for vector in [model.scalings().column(0), model.coef().row(0)] {
            assert_close(&direction(vector), &[-0.665557, 0.746347], 1e-6);
        }
        assert_eq!(model.scalings().ncols(), 1);
    }
    // Unbalanced classes: Fisher's direction is another one.
    let model = FisherDiscriminant::default().fit(data()).unwrap();
    assert_close(
        &direction(model.coef().row(0)),
        &[-0.663381, 0.748282],
        1e-6,
    );
    // The threshold is half way between the projected means.
    let middle = 0.5 * (&model.means().row(0) + &model.means().row(1));
    let score = model
        .decision_function(&middle.insert_axis(Axis(0)))
        .unwrap();
    assert!(score[[0, 0]].abs() < 1e-12);
    // The first principal axis (.686891, .726761) mixes the classes, the discriminant does not.
    let separate = |axis: Array1<f64>| {
        let places = x.dot(&axis);
        let (a, b) = (places.slice(s![..5]), places.slice(s![5..]));
        let least = |v: ArrayView1<'_, f64>| v.iter().copied().fold(f64::INFINITY, f64::min);
        let most = |v: ArrayView1<'_, f64>| v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        least(a) > most(b) || least(b) > most(a)
    };
    assert!(separate(array![-0.665557, 0.746347]));
    assert!(!separate(array![0.686891, 0.726761]));
    // S̃² as a sum of squares is Σ n_k·S_k, which is the metric of LDA, not of Fisher's form.
    let plain = lda(LdaSolver::Lsqr).fit(data()).unwrap();
    assert!((direction(plain.coef().row(0))[0] + 0.663381).abs() > 1e-3);
}

// 002a:LD04.
#[test]
fn the_means_only_axis_goes_from_mean_to_mean() {
    let (x, labels) = two_classes();
    let algorithm = FisherDiscriminant {
        axis: FisherAxis::MeansOnly,
        ..FisherDiscriminant::default()
    };
    let model = algorithm.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let shift = &model.means().row(0) - &model.means().row(1);
    assert_close(
        &direction(model.coef().row(0)),
        &direction(shift.view()),
        1e-12,
    );
}

/// Prior-weighted scatter within and between classes.
fn scatters(x: &Array2<f64>, labels: &[usize]) -> (Array2<f64>, Array2<f64>) {
    let (n, d) = x.dim();
    let common = x.mean_axis(Axis(0)).unwrap();
    let (mut within, mut between) = (Array2::zeros((d, d)), Array2::zeros((d, d)));
    for class in 0..=labels.iter().copied().max().unwrap() {
        let own: Vec<usize> = (0..n).filter(|&row| labels[row] == class).collect();
        let rows = x.select(Axis(0), &own);
        let mean = rows.mean_axis(Axis(0)).unwrap();
        let centred = &rows - &mean;
        within = within + centred.t().dot(&centred) / n as f64;
        let shift = (&mean - &common).insert_axis(Axis(1));
        between = between + shift.dot(&shift.t()) * (own.len() as f64 / n as f64);
    }
    (within, between)
}

// 004:M62: A = S_b^½·S_w⁻¹·S_b^½ has the ratios of the discriminant, and w = S_w⁻¹·S_b^½·w′ leads
// back. The printed way back by the inverse of S_b^½, which does not exist, gives with its
// pseudo-inverse no more than the difference of the means.
#[test]
fn the_square_root_of_the_scatter_between_leads_back_through_the_scatter_within() {
    let (x, labels) = two_classes();
    let (within, between) = scatters(&x, &labels.indices);
    let eigen = symmetric_eigen(between.view()).unwrap();
    let power = |exponent: f64| {
        let values = eigen.values.mapv(|value| match value > 1e-12 {
            true => value.powf(exponent),
            false => 0.0,
        });
        (&eigen.vectors * &values).dot(&eigen.vectors.t())
    };
    let factor = Cholesky::new(within.view()).unwrap();
    let root = power(0.5);
    let product = root.dot(&factor.solve(root.view()));
    let found = symmetric_eigen(product.view()).unwrap();
    let axis = found.vectors.column(0).to_owned();
    let back = factor.solve_vector(root.dot(&axis).view());
    let expected = lda(LdaSolver::Eigen)
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    let expected = direction(expected.scalings().column(0));
    assert_close(&direction(back.view()), &expected, 1e-9);
    let ratio = expected.dot(&between.dot(&expected)) / expected.dot(&within.dot(&expected));
    assert!((found.values[0] - ratio).abs() < 1e-12 * ratio);
    let printed = direction(power(-0.5).dot(&axis).view());
    let means = x.slice(s![..5, ..]).mean_axis(Axis(0)).unwrap()
        - x.slice(s![5.., ..]).mean_axis(Axis(0)).unwrap();
    assert_close(&printed, &direction(means.view()), 1e-9);
    assert!((&printed - &expected).iter().any(|off| off.abs() > 0.1));
}

// 002a:LD02: S_w⁻¹·S_b with the largest ratios or S_b⁻¹·S_w with the smallest; the second needs a
// regular S_b, here four classes in two dimensions.
#[test]
fn both_ways_round_the_eigenproblem_has_the_same_axes() {
    let labels: Vec<usize> = (0..40).map(|row| row % 4).collect();
    let mut x = random(40, 2, 3);
    for (mut row, &label) in x.rows_mut().into_iter().zip(&labels) {
        row += &[
            array![3.0, 0.0],
            array![0.0, 2.0],
            array![-2.0, 1.0],
            array![1.0, -4.0],
        ][label];
    }
    let (within, between) = scatters(&x, &labels);
    let forward = generalised_eigen(between.view(), within.view()).unwrap();
    let backward = generalised_eigen(within.view(), between.view()).unwrap();
    let labels = Labels::from_indices(labels);
    let model = lda(LdaSolver::Eigen)
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    for axis in 0..2 {
        let expected = direction(model.scalings().column(axis));
        assert_close(&direction(forward.vectors.column(axis)), &expected, 1e-9);
        // The least ratio of the one is the inverse of the largest of the other.
        assert_close(
            &direction(backward.vectors.column(1 - axis)),
            &expected,
            1e-9,
        );
        let product = forward.values[axis] * backward.values[1 - axis];
        assert!((product - 1.0).abs() < 1e-12);
    }
}

// 002a:FD01, FD02: with two classes the form for many is (Σ₁ + Σ₂)⁻¹(μ₁ − μ₂).
#[test]
fn the_form_for_many_classes_is_the_form_for_two() {
    let (x, labels) = two_classes();
    let of = |rows: std::ops::Range<usize>| x.slice(s![rows, ..]).to_owned();
    let moments = |rows: Array2<f64>| {
        let mean = rows.mean_axis(Axis(0)).unwrap();
        let centred = &rows - &mean;
        (centred.t().dot(&centred) / rows.nrows() as f64, mean)
    };
    let ((first, mean), (second, other)) = (moments(of(0..5)), moments(of(5..11)));
    let factor = Cholesky::new((&first + &second).view()).unwrap();
    let expected = factor.solve_vector((&mean - &other).view());
    let model = FisherDiscriminant::default()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    assert_eq!(model.scalings().ncols(), 1);
    for found in [model.scalings().column(0), model.coef().row(0)] {
        assert_close(&direction(found), &direction(expected.view()), 1e-12);
    }
}

// 002a:FD02.
#[test]
fn balanced_classes_make_fisher_and_lda_the_same_subspace() {
    let iris = didact_datasets::iris();
    let data = || iris.labelled().unwrap();
    let fisher = FisherDiscriminant::default().fit(data()).unwrap();
    let lda = lda(LdaSolver::Lsqr).fit(data()).unwrap();
    assert_eq!(fisher.scalings().ncols(), 2);
    for axis in 0..2 {
        assert_close(
            &direction(fisher.scalings().column(axis)),
            &direction(lda.scalings().column(axis)),
            1e-9,
        );
    }
    assert_close(
        &fisher.predict_proba(iris.samples()).unwrap(),
        &lda.predict_proba(iris.samples()).unwrap(),
        1e-9,
    );
}

// 003:P67, 002a:LD01: S_T = S_W + S_B; the axes solve S_b·v = λ·S_w·v with vᵀS_w·v = 1 (003:P69).
#[test]
fn scatter_adds_up_and_the_axes_solve_the_generalised_eigenproblem() {
    let wine = didact_datasets::wine();
    for solver in [LdaSolver::Eigen, LdaSolver::Lsqr] {
        let algorithm = Lda {
            store_covariance: true,
            ..lda(solver)
        };
        let model = algorithm.fit(wine.labelled().unwrap()).unwrap();
        let attributes = model.attributes();
        let within = attributes
            .iter()
            .find(|(named, _)| named.name == "covariance");
        let within = within.unwrap().1.as_array().unwrap().to_owned();
        let within: Array2<f64> = within.into_dimensionality().unwrap();
        let x = wine.features();
        let mean = x.mean_axis(Axis(0)).unwrap();
        let centred = &x - &mean;
        let total = centred.t().dot(&centred) / x.nrows() as f64;
        let mut between = Array2::zeros((13, 13));
        for (class, prior) in model.priors().iter().enumerate() {
            let shift = &model.means().row(class) - &mean;
            let column = shift.view().insert_axis(Axis(1));
            between = between + column.dot(&column.t()) * *prior;
        }
        assert_close(&(&within + &between), &total, 1e-9);
        for axis in model.scalings().columns() {
            let (left, right) = (between.dot(&axis), within.dot(&axis));
            assert!((axis.dot(&right) - 1.0).abs() < 1e-9);
            let ratio = axis.dot(&left);
            let off = &left - &(&right * ratio);
            assert!(off.dot(&off).sqrt() < 1e-9 * left.dot(&left).sqrt().max(1.0));
        }
        assert!((model.explained_variance_ratio().sum() - 1.0).abs() < 1e-12);
    }
}

// 004:M60, 002a:LD03: unweighted sums are another method when class sizes differ, the same when
// they do not.
#[test]
fn equal_weighting_matters_only_for_unbalanced_classes() {
    let equal = Lda {
        class_weighting: ClassWeighting::Equal,
        ..lda(LdaSolver::Eigen)
    };
    let (x, labels) = two_classes();
    let data = || Labelled::new(&x, &labels).unwrap();
    let direction_of = |algorithm: &Lda, data: Labelled<'_>| {
        direction(algorithm.fit(data).unwrap().scalings().column(0))
    };
    assert_close(&direction_of(&equal, data()), &[-0.663381, 0.748282], 1e-6);
    assert!((direction_of(&lda(LdaSolver::Eigen), data())[0] + 0.663381).abs() > 1e-3);
    let iris = didact_datasets::iris();
    assert_close(
        &direction_of(&equal, iris.labelled().unwrap()),
        &direction_of(&lda(LdaSolver::Eigen), iris.labelled().unwrap()),
        1e-9,
    );
}

// 004:M63: two classes, Σ_k(μ_k−μ)(μ_k−μ)ᵀ = (r₁²+r₂²)·δδᵀ, and Σ_k r_k(…)(…)ᵀ = r₁r₂·δδᵀ.
#[test]
fn two_definitions_of_the_scatter_between_are_multiples_of_each_other() {
    let (x, labels) = two_classes();
    let model = lda(LdaSolver::Svd)
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    let (r1, r2) = (5.0 / 11.0, 6.0 / 11.0);
    let common = x.mean_axis(Axis(0)).unwrap();
    let outer = |v: Array1<f64>| {
        let column = v.insert_axis(Axis(1));
        column.dot(&column.t())
    };
    let parts: Vec<Array2<f64>> = (0..2)
        .map(|k| outer(&model.means().row(k) - &common))
        .collect();
    let shift = outer(&model.means().row(0) - &model.means().row(1));
    assert_close(
        &(&parts[0] + &parts[1]),
        &(&shift * (r1 * r1 + r2 * r2)),
        1e-12,
    );
    assert_close(
        &(&parts[0] * r1 + &parts[1] * r2),
        &(&shift * (r1 * r2)),
        1e-12,
    );
}

// scikit-learn 1.9.1: LinearDiscriminantAnalysis on iris; row 70 lies between two classes.
#[test]
fn iris_has_the_numbers_of_scikit_learn() {
    let iris = didact_datasets::iris();
    let row = iris.features().slice(s![70..71, ..]).to_owned();
    let fit = |algorithm: Lda| algorithm.fit(iris.labelled().unwrap()).unwrap();
    let model = fit(Lda::default());
    assert_close(
        model.coef().row(1),
        &[
            -1.5624481512316775,
            -4.465350487440077,
            4.791495210114746,
            3.125087132298998,
        ],
        1e-10,
    );
    assert_close(
        &model.intercept(),
        &[-15.771290286756777, -2.040818273458922, -34.19970866714024],
        1e-10,
    );
    assert_close(
        model.explained_variance_ratio(),
        &[0.9912126049653671, 0.008787395034632777],
        1e-10,
    );
    let place = model.transform(&row).unwrap().into_dense().mapv(f64::abs);
    assert_close(&place, &[3.7536219477327846, 1.0551188999474657], 1e-9);
    let priors = Some(vec![0.2, 0.3, 0.5]);
    let share = |share: f64| Some(Shrinkage::Share(share));
    for (algorithm, expected) in [
        (Lda::default(), [0.24907733395274803, 0.750922666047252]),
        (
            lda(LdaSolver::Eigen),
            [0.24907733395274803, 0.750922666047252],
        ),
        (
            lda(LdaSolver::Lsqr),
            [0.24907733395274803, 0.750922666047252],
        ),
        (
            Lda {
                shrinkage: share(0.3),
                ..lda(LdaSolver::Lsqr)
            },
            [0.44100337461642236, 0.5589966253835777],
        ),
        (
            Lda {
                shrinkage: share(0.3),
                ..lda(LdaSolver::Eigen)
            },
            [0.44100337461642236, 0.5589966253835777],
        ),
        (
            Lda {
                shrinkage: Some(Shrinkage::Auto),
                ..lda(LdaSolver::Lsqr)
            },
            [0.3004880111048074, 0.6995119888951926],
        ),
        (
            Lda {
                priors: priors.clone(),
                ..lda(LdaSolver::Lsqr)
            },
            [0.1935467358902606, 0.8064532641097394],
        ),
        (
            Lda {
                priors,
                ..Lda::default()
            },
            [0.1659834904880184, 0.8340165095119817],
        ),
    ] {
        let found = fit(algorithm.clone()).predict_proba(&row).unwrap();
        assert_close(found.slice(s![0, 1..]), &expected, 1e-9);
    }
}

// 002a:LD02, 003:P69: columns that depend on each other, and more columns than rows.
#[test]
fn singular_scatter_has_a_defined_answer() {
    let (x, labels) = two_classes();
    let twice = concatenate(Axis(1), &[x.view(), x.view()]).unwrap();
    let constant = Array2::from_elem((11, 1), 7.0);
    let wide = concatenate(Axis(1), &[twice.view(), constant.view()]).unwrap();
    for solver in SOLVERS {
        let plain = lda(solver)
            .fit(Labelled::new(&x, &labels).unwrap())
            .unwrap();
        let model = lda(solver)
            .fit(Labelled::new(&wide, &labels).unwrap())
            .unwrap();
        assert_close(
            &model.predict_proba(&wide).unwrap(),
            &plain.predict_proba(&x).unwrap(),
            1e-8,
        );
    }
    // The rows themselves, or their products: the same where both can be used.
    let x = random(12, 30, 1);
    let labels = Labels::from_indices((0..12).map(|row| row % 3).collect());
    let data = || Labelled::new(&x, &labels).unwrap();
    let rows = Lda::default().fit(data()).unwrap();
    let products = Lda {
        store_covariance: true,
        ..Lda::default()
    }
    .fit(data())
    .unwrap();
    assert_close(&rows.coef(), &products.coef(), 1e-7);
    assert_eq!(rows.scalings().ncols(), 2);
}

#[test]
fn complaints_name_the_parameter() {
    let (x, labels) = two_classes();
    let complain = |algorithm: Lda| {
        let data = Labelled::new(&x, &labels).unwrap();
        algorithm.fit(data).unwrap_err().to_string()
    };
    let message = complain(Lda {
        n_components: Some(2),
        ..Lda::default()
    });
    assert!(
        message.starts_with("n_components is 2; 2 classes"),
        "{message}"
    );
    let message = complain(Lda {
        shrinkage: Some(Shrinkage::Auto),
        ..Lda::default()
    });
    assert!(
        message.starts_with("shrinkage is auto; the solver svd"),
        "{message}"
    );
    let message = complain(Lda {
        shrinkage: Some(Shrinkage::Share(1.5)),
        ..lda(LdaSolver::Lsqr)
    });
    assert!(message.starts_with("shrinkage is 1.5"), "{message}");
    let one = Labels::from_indices(vec![0; 11]);
    let error = Lda::default()
        .fit(Labelled::new(&x, &one).unwrap())
        .unwrap_err();
    assert!(
        error.to_string().starts_with("only one class has rows"),
        "{error}"
    );
}

// 002a:BC02, EX27: N(0, 1) against N(0, 4) with equal priors changes sides at ±1.359556, where
// x² = (8/3)·ln 2.
#[test]
fn two_variances_about_one_mean_have_the_published_boundary() {
    let x = array![[-1.0], [1.0], [-2.0], [2.0]];
    let labels = Labels::from_names(["narrow", "narrow", "wide", "wide"]);
    let text = Qda {
        ddof: 0,
        ..Qda::default()
    };
    let model = text.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    for side in [-1.0, 1.0] {
        let border = side * 1.359556;
        let scores = model.decision_function(&array![[border]]).unwrap();
        assert!(scores[[0, 0]].abs() < 1e-6);
        assert_eq!(
            model
                .predict(&array![[0.999 * border], [1.001 * border]])
                .unwrap(),
            [0, 1]
        );
    }
    // −2·ln π moves the border when the classes are not equally probable.
    let priors = Some(vec![0.9, 0.1]);
    let model = Qda { priors, ..text }
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    let border = (8.0 / 3.0 * (2.0_f64.ln() + 9.0_f64.ln())).sqrt();
    assert!(model.decision_function(&array![[border]]).unwrap()[[0, 0]].abs() < 1e-12);
}

// 000a:SSL-02: divisor l_k, as in scikit-learn 1.9.1, whose numbers these are (before, l_k − 1).
#[test]
fn quadratic_boundaries_have_the_numbers_of_scikit_learn() {
    let iris = didact_datasets::iris();
    let row = iris.features().slice(s![70..71, ..]).to_owned();
    let fit = |algorithm: Qda| algorithm.fit(iris.labelled().unwrap()).unwrap();
    for (algorithm, expected) in [
        (Qda::default(), [0.3284513343009155, 0.6715486656990844]),
        (
            Qda {
                reg_param: 0.2,
                ..Qda::default()
            },
            [0.5506061001682381, 0.4493938998317153],
        ),
        (
            Qda {
                priors: Some(vec![0.2, 0.3, 0.5]),
                ..Qda::default()
            },
            [0.22687817649841446, 0.7731218235015855],
        ),
    ] {
        let found = fit(algorithm).predict_proba(&row).unwrap();
        assert_close(found.slice(s![0, 1..]), &expected, 1e-10);
    }
    let text = fit(Qda::default());
    let unbiased = fit(Qda {
        ddof: 1,
        ..Qda::default()
    });
    assert_close(
        &(text.covariance(1) * 50.0 / 49.0),
        &unbiased.covariance(1),
        1e-12,
    );
}

// 002a:FIG54: isotropic and diagonal shapes are the full one with less to say.
#[test]
fn shapes_and_shrinkage_join_neighbouring_methods() {
    let iris = didact_datasets::iris();
    let fit = |algorithm: Qda| algorithm.fit(iris.labelled().unwrap()).unwrap();
    let linear = Lda::default().fit(iris.labelled().unwrap()).unwrap();
    let shared = fit(Qda {
        shrinkage: 1.0,
        ..Qda::default()
    });
    assert_close(
        &shared.predict_proba(iris.samples()).unwrap(),
        &linear.predict_proba(iris.samples()).unwrap(),
        1e-9,
    );
    let diagonal = fit(Qda {
        covariance_type: ClassCovariance::Diagonal,
        ddof: 0,
        ..Qda::default()
    });
    let naive = didact_discriminant::GaussianNB {
        var_smoothing: 0.0,
        ..Default::default()
    };
    let naive = naive.fit(iris.labelled().unwrap()).unwrap();
    assert_close(
        &diagonal.predict_proba(iris.samples()).unwrap(),
        &naive.predict_proba(iris.samples()).unwrap(),
        1e-9,
    );
    let round = fit(Qda {
        covariance_type: ClassCovariance::Spherical,
        ..Qda::default()
    });
    let matrix = round.covariance(2);
    let middle = matrix[[0, 0]];
    assert_close(&matrix, &(Array2::<f64>::eye(4) * middle), 1e-12);
}

// 000a:SSL-02: a class with at most d rows needs a ridge, and gets the least that does.
#[test]
fn classes_of_few_rows_get_a_ridge_and_no_more() {
    let mut x = random(23, 4, 5);
    x.row_mut(22).fill(9.0);
    let mut labels: Vec<usize> = (0..23).map(|row| usize::from(row >= 20)).collect();
    labels[22] = 2;
    let labels = Labels::from_indices(labels);
    let model = Qda::default()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    assert_eq!(model.ridges()[0], 0.0);
    assert!(model.ridges()[1] > 0.0 && model.ridges()[2] > 0.0);
    assert_eq!(model.predict(&x).unwrap(), labels.indices);
    let drawn = model.sample(2_000, 3).unwrap();
    assert!(drawn.rows.iter().all(|value| value.is_finite()));
    assert!(
        model
            .score_samples(&drawn.rows)
            .unwrap()
            .iter()
            .all(|value| value.is_finite())
    );
}

#[test]
fn integer_weights_are_repetitions() {
    let mut x = random(30, 2, 3);
    let labels = Labels::from_indices((0..30).map(|row| (row / 2) % 2).collect());
    let weights: Vec<f64> = (0..30).map(|row| f64::from(row % 3)).collect();
    let repeated: Vec<usize> = (0..30)
        .flat_map(|row| std::iter::repeat_n(row, row % 3))
        .collect();
    let rows = x.select(Axis(0), &repeated);
    let many = Labels::from_indices(repeated.iter().map(|&row| labels.indices[row]).collect());
    x.row_mut(0).fill(1e300);
    let samples = Samples::from(&x).weighted(&weights).unwrap();
    let data = Labelled::new(samples, &labels).unwrap();
    let repeated = Labelled::new(&rows, &many).unwrap();
    for solver in SOLVERS {
        let (a, b) = (
            lda(solver).fit(data.clone()).unwrap(),
            lda(solver).fit(repeated.clone()).unwrap(),
        );
        assert_close(&a.coef(), &b.coef(), 1e-9);
    }
    let (a, b) = (
        Qda::default().fit(data).unwrap(),
        Qda::default().fit(repeated).unwrap(),
    );
    assert_close(&a.covariance(1), &b.covariance(1), 1e-11);
}

/// Learns from two pieces, the second first.
macro_rules! in_pieces {
    ($algorithm:expr, $data:expr, $cut:expr) => {{
        let (algorithm, run) = ($algorithm, Run::new());
        let part = |range| {
            algorithm
                .summarise(&(), $data.slice(range), 0, &run)
                .unwrap()
        };
        let (left, right) = (part(0..$cut), part($cut..$data.labels.len()));
        let whole = LearnInPieces::<Labelled<'static>>::merge(&algorithm, right, left).unwrap();
        match LearnInPieces::<Labelled<'static>>::step(&algorithm, (), whole, &run).unwrap() {
            Next::Done(model) => model,
            Next::Pass(()) => panic!("one pass is enough"),
        }
    }};
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn any_cut_gives_the_same_discriminants(n in 12usize..60, cut in 1usize..11, shift in -1e3..1e3, seed: u64) {
        let x = random(n, 2, seed) + shift;
        let labels = Labels::from_indices((0..n).map(|row| row % 2).collect());
        let data = Labelled::new(&x, &labels).unwrap();
        let (whole, pieces): (LinearDiscriminantModel, LinearDiscriminantModel) =
            (Lda::default().fit(data.clone()).unwrap(), in_pieces!(Lda::default(), data, cut));
        for (a, b) in whole.coef().iter().zip(&pieces.coef()) {
            prop_assert!((a - b).abs() <= 1e-7 * a.abs().max(1.0));
        }
        let (whole, pieces): (QdaModel, QdaModel) =
            (Qda::default().fit(data.clone()).unwrap(), in_pieces!(Qda::default(), data, cut));
        for (a, b) in whole.covariance(0).iter().zip(&pieces.covariance(0)) {
            prop_assert!((a - b).abs() <= 1e-9);
        }
    }
}

#[test]
fn automatic_shrinkage_counts_a_row_of_weight_two_like_two_rows() {
    let iris = didact_datasets::iris();
    let (x, labels) = (
        iris.samples().rows().dense().unwrap().to_owned(),
        iris.labels().unwrap(),
    );
    let counts: Vec<usize> = (0..150).map(|row| 1 + row * 7 % 3).collect();
    let weights: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
    let repeated: Vec<usize> = (0..150)
        .flat_map(|row| std::iter::repeat_n(row, counts[row]))
        .collect();
    let many = x.select(ndarray::Axis(0), &repeated);
    let many_labels = Labels {
        indices: repeated.iter().map(|&row| labels.indices[row]).collect(),
        classes: labels.classes.clone(),
    };
    for solver in [LdaSolver::Eigen, LdaSolver::Lsqr] {
        let learner = Lda {
            solver,
            shrinkage: Some(Shrinkage::Auto),
            ..Lda::default()
        };
        let samples = Samples::from(&x).weighted(&weights).unwrap();
        let weighted = learner
            .fit(Labelled::new(samples, labels).unwrap())
            .unwrap();
        let repeated = learner
            .fit(Labelled::new(&many, &many_labels).unwrap())
            .unwrap();
        let (ours, theirs) = (
            weighted.predict_proba(&x).unwrap(),
            repeated.predict_proba(&x).unwrap(),
        );
        let worst = (&ours - &theirs)
            .iter()
            .fold(0.0_f64, |a, b| a.max(b.abs()));
        assert!(worst < 1e-10, "{solver:?}: {worst}");
        let plain = learner.fit(Labelled::new(&x, labels).unwrap()).unwrap();
        let plain = plain.predict_proba(&x).unwrap();
        let worst = (&ours - &plain).iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        assert!(worst > 1e-6, "weights must matter");
    }
}
