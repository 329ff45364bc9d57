//! The tasks, one function each. Data are shared; every library gets them in its own layout, made
//! before the clock starts.

use crate::data::Made;
use crate::measure::{Run as Turn, Task, Turns, share_right, squared_error, timed};
use didact::prelude::*;
use linfa::DatasetBase;
use linfa::traits::{Fit as _, Predict as _};
use ndarray::Axis;
use smartcore::linalg::basic::matrix::DenseMatrix;
use std::rc::Rc;

/// Every task, for didact on so many threads.
pub(crate) fn all(threads: usize) -> Vec<Task> {
    vec![
        ("k-means 100k×20 k=10", Box::new(move || k_means(threads))),
        ("mixture full 20k×10 k=5, thirty passes", Box::new(move || mixture(threads))),
        ("PCA 50k×100 → 10", Box::new(move || pca(threads))),
        ("least squares 100k×50", Box::new(move || least_squares(threads))),
        ("logistic 50k×50 binary", Box::new(move || logistic(threads))),
        ("Gaussian naive Bayes 100k×50", Box::new(move || naive_bayes(threads))),
        ("neighbours 5k in 20k×20", Box::new(move || neighbours(threads))),
        ("SVC 5k×20, Gaussian kernel", Box::new(move || machine(threads))),
    ]
}

/// The rows as linfa wants them.
fn linfa_rows(made: &Made) -> ndarray16::Array2<f64> {
    ndarray16::Array2::from_shape_vec(made.rows.dim(), made.rows.iter().copied().collect()).expect("the same shape")
}

/// The rows as smartcore wants them.
fn smartcore_rows(made: &Made) -> DenseMatrix<f64> {
    let (rows, columns) = made.rows.dim();
    DenseMatrix::new(rows, columns, made.rows.iter().copied().collect(), false).expect("the same shape")
}

fn turn(run: impl Fn() -> crate::measure::Answer + 'static) -> Turn {
    Box::new(run)
}

fn k_means(threads: usize) -> Turns {
    let made = Rc::new(Made::blobs(100_000, 20, 10, 1.0));
    // A row of each group: from elsewhere everybody would end at an optimum of their own.
    let of_group = |group| made.labels.iter().position(|&label| label == group);
    let places: Vec<usize> = (0..10).filter_map(of_group).collect();
    let start = made.rows.select(Axis(0), &places);
    let settings = KMeans {
        n_clusters: 10,
        init_centers: Some(start.rows().into_iter().map(|row| row.to_vec()).collect()),
        max_iter: 50,
        ..KMeans::default()
    };
    let theirs = DatasetBase::from(linfa_rows(&made));
    let centres = ndarray16::Array2::from_shape_vec(start.dim(), start.iter().copied().collect()).expect("the same shape");
    let rows = made.clone();
    vec![
        (
            "didact",
            turn(move || {
                let run = Run::new().threads(threads);
                timed(|| settings.fit_with(Samples::from(&rows.rows), &run), |model| -model.expect("a fit").inertia())
            }),
        ),
        (
            "linfa",
            turn(move || {
                let settings = linfa_clustering::KMeans::params(10)
                    .init_method(linfa_clustering::KMeansInit::Precomputed(centres.clone()))
                    .n_runs(1)
                    .max_n_iterations(50)
                    .tolerance(1e-4);
                timed(|| settings.fit(&theirs), |model| -1e5 * model.expect("a fit").inertia())
            }),
        ),
    ]
}

fn mixture(threads: usize) -> Turns {
    let made = Rc::new(Made::blobs(20_000, 10, 5, 2.0));
    let theirs = DatasetBase::from(linfa_rows(&made));
    let judged = made.clone();
    let score = Rc::new(move |model: GaussianMixtureModel| {
        let densities = model.score_samples(Samples::from(&judged.rows)).expect("densities");
        densities.iter().sum::<f64>() / densities.len() as f64
    });
    let ours = score.clone();
    vec![
        (
            "didact",
            turn(move || {
                let settings = GaussianMixture { n_components: 5, max_iter: 30, tol: 1e-9, ..GaussianMixture::default() };
                let run = Run::new().threads(threads);
                timed(|| settings.fit_with(Samples::from(&made.rows), &run), |model| ours(model.expect("a fit")))
            }),
        ),
        (
            "linfa",
            turn(move || {
                let settings = linfa_clustering::GaussianMixtureModel::params(5).n_runs(1).max_n_iterations(30).tolerance(1e-9);
                timed(
                    || settings.fit(&theirs),
                    // Not to have come to rest after thirty passes is an error there, as asked for here.
                    |model| model.map_or(f64::NAN, |model| score(translated(&model))),
                )
            }),
        ),
    ]
}

/// A mixture of linfa's as ours, so that both are judged by the same likelihood.
fn translated(model: &linfa_clustering::GaussianMixtureModel<f64>) -> GaussianMixtureModel {
    let means = ndarray::Array2::from_shape_vec(model.means().dim(), model.means().iter().copied().collect());
    let covariances = model
        .covariances()
        .outer_iter()
        .map(|one| ndarray::Array2::from_shape_vec(one.dim(), one.iter().copied().collect()).expect("the same shape"))
        .collect();
    GaussianMixtureModel::new(model.weights().to_vec(), means.expect("the same shape"), Covariances::Full(covariances))
        .expect("a mixture")
}

fn pca(threads: usize) -> Turns {
    let made = Rc::new(Made::linear(50_000, 100));
    let theirs = DatasetBase::from(linfa_rows(&made));
    vec![
        (
            "didact",
            turn(move || {
                let settings = Pca { n_components: Components::Count(10), ..Pca::default() };
                let run = Run::new().threads(threads);
                timed(|| settings.fit_with(Samples::from(&made.rows), &run), |model| {
                    model.expect("a fit").explained_variance().sum()
                })
            }),
        ),
        (
            "linfa",
            turn(move || {
                timed(|| linfa_reduction::Pca::params(10).fit(&theirs), |model| {
                    // It divides by the number of components less one, where rows are meant.
                    model.expect("a fit").explained_variance().sum() * 9.0 / 49_999.0
                })
            }),
        ),
    ]
}

fn least_squares(threads: usize) -> Turns {
    let made = Rc::new(Made::linear(100_000, 50));
    let theirs = DatasetBase::new(linfa_rows(&made), ndarray16::Array1::from(made.targets.clone()));
    let (matrix, targets) = (smartcore_rows(&made), made.targets.clone());
    let (ours, second, third) = (made.clone(), made.clone(), made);
    vec![
        (
            "didact",
            turn(move || {
                let run = Run::new().threads(threads);
                let data = Measured::new(&ours.rows, &ours.targets).expect("as many targets as rows");
                timed(|| LinearRegression::default().fit_with(data, &run), |model| {
                    let predicted = model.expect("a fit").predict(Samples::from(&ours.rows)).expect("predictions");
                    -squared_error(&ours.targets, predicted.iter())
                })
            }),
        ),
        (
            "linfa",
            turn(move || {
                timed(|| linfa_linear::LinearRegression::default().fit(&theirs), |model| {
                    -squared_error(&second.targets, model.expect("a fit").predict(theirs.records()).iter())
                })
            }),
        ),
        (
            "smartcore",
            turn(move || {
                use smartcore::linear::linear_regression::{LinearRegression, LinearRegressionParameters};
                timed(
                    || LinearRegression::fit(&matrix, &targets, LinearRegressionParameters::default()),
                    |model| -squared_error(&third.targets, model.expect("a fit").predict(&matrix).expect("predictions").iter()),
                )
            }),
        ),
    ]
}

fn logistic(threads: usize) -> Turns {
    let made = Rc::new(Made::linear(50_000, 50));
    let labels = Labels::from_indices(made.labels.clone());
    let theirs = DatasetBase::new(linfa_rows(&made), ndarray16::Array1::from(made.labels.clone()));
    let (matrix, classes) = (smartcore_rows(&made), made.labels.clone());
    let (ours, second, third) = (made.clone(), made.clone(), made);
    vec![
        (
            "didact",
            turn(move || {
                let run = Run::new().threads(threads);
                let data = Labelled::new(&ours.rows, &labels).expect("as many labels as rows");
                timed(|| LogisticRegression::default().fit_with(data, &run), |model| {
                    let predicted = model.expect("a fit").predict(Samples::from(&ours.rows)).expect("predictions");
                    share_right(&ours.labels, predicted.iter())
                })
            }),
        ),
        (
            "linfa",
            turn(move || {
                let settings = linfa_logistic::LogisticRegression::default().max_iterations(200);
                timed(|| settings.fit(&theirs), |model| {
                    share_right(&second.labels, model.expect("a fit").predict(theirs.records()).iter())
                })
            }),
        ),
        (
            "smartcore",
            turn(move || {
                use smartcore::linear::logistic_regression::{LogisticRegression, LogisticRegressionParameters};
                timed(
                    || LogisticRegression::fit(&matrix, &classes, LogisticRegressionParameters::default().with_alpha(1.0)),
                    |model| share_right(&third.labels, model.expect("a fit").predict(&matrix).expect("labels").iter()),
                )
            }),
        ),
    ]
}

fn naive_bayes(threads: usize) -> Turns {
    let made = Rc::new(Made::blobs(100_000, 50, 5, 6.0));
    let labels = Labels::from_indices(made.labels.clone());
    let theirs = DatasetBase::new(linfa_rows(&made), ndarray16::Array1::from(made.labels.clone()));
    let (ours, second) = (made.clone(), made);
    vec![
        (
            "didact",
            turn(move || {
                let run = Run::new().threads(threads);
                let data = Labelled::new(&ours.rows, &labels).expect("as many labels as rows");
                timed(|| GaussianNB::default().fit_with(data, &run), |model| {
                    let predicted = model.expect("a fit").predict(Samples::from(&ours.rows)).expect("predictions");
                    share_right(&ours.labels, predicted.iter())
                })
            }),
        ),
        (
            "linfa",
            turn(move || {
                timed(|| linfa_bayes::GaussianNb::params().fit(&theirs), |model| {
                    share_right(&second.labels, model.expect("a fit").predict(theirs.records()).iter())
                })
            }),
        ),
    ]
}

fn neighbours(threads: usize) -> Turns {
    use linfa_nn::NearestNeighbour;
    use smartcore::neighbors::knn_classifier::{KNNClassifier, KNNClassifierParameters};
    let made = Rc::new(Made::blobs(20_000, 20, 3, 6.0));
    let queries = Rc::new(Made::blobs(5_000, 20, 3, 6.0));
    let labels = Labels::from_indices(made.labels.clone());
    let data = Labelled::new(&made.rows, &labels).expect("as many labels as rows");
    let model = KNeighbors { n_neighbors: 5, ..KNeighbors::default() }
        .fit_with(data, &Run::new().threads(threads))
        .expect("a fit");
    let (records, asked) = (linfa_rows(&made), linfa_rows(&queries));
    let (ours, second, third) = (queries.clone(), queries.clone(), queries.clone());
    let classes = made.labels.clone();
    let matrix: DenseMatrix<f64> = smartcore_rows(&queries);
    let fitted = KNNClassifier::fit(&smartcore_rows(&made), &made.labels, KNNClassifierParameters::default().with_k(5)).expect("a fit");
    vec![
        (
            "didact",
            turn(move || {
                timed(|| model.predict(Samples::from(&ours.rows)), |predicted| {
                    share_right(&ours.labels, predicted.expect("predictions").iter())
                })
            }),
        ),
        (
            "linfa",
            turn(move || {
                // The index is built once by the others too, off the clock.
                let index = linfa_nn::LinearSearch::new().from_batch(&records, linfa_nn::distance::L2Dist).expect("an index");
                timed(
                    || -> Vec<usize> {
                        asked
                            .rows()
                            .into_iter()
                            .map(|query| majority(index.k_nearest(query, 5).expect("neighbours").iter().map(|(_, row)| classes[*row])))
                            .collect()
                    },
                    |predicted| share_right(&second.labels, predicted.iter()),
                )
            }),
        ),
        (
            "smartcore",
            turn(move || timed(|| fitted.predict(&matrix), |predicted| share_right(&third.labels, predicted.expect("labels").iter()))),
        ),
    ]
}

/// Support vectors for two classes that overlap; the quality is how many rows are right.
fn machine(threads: usize) -> Turns {
    use libsvm_rs::{KernelType, SvmNode, SvmParameter, SvmProblem, SvmType};
    let made = Rc::new(Made::linear(5_000, 20));
    let labels = Labels::from_indices(made.labels.clone());
    let nodes = |row: ndarray::ArrayView1<'_, f64>| -> Vec<SvmNode> {
        row.iter().zip(1..).map(|(&value, index)| SvmNode { index, value }).collect()
    };
    let problem = SvmProblem {
        labels: made.labels.iter().map(|&label| label as f64).collect(),
        instances: made.rows.rows().into_iter().map(nodes).collect(),
    };
    let settings = SvmParameter {
        svm_type: SvmType::CSvc,
        kernel_type: KernelType::Rbf,
        // Ours by default.
        gamma: 1.0 / (20.0 * made.rows.var(0.0)),
        cache_size: 200.0,
        ..SvmParameter::default()
    };
    libsvm_rs::set_quiet(true);
    let (ours, second) = (made.clone(), made);
    vec![
        (
            "didact",
            turn(move || {
                let run = Run::new().threads(threads);
                let data = Labelled::new(&ours.rows, &labels).expect("as many labels as rows");
                timed(|| Svc::default().fit_with(data, &run), |model| {
                    let predicted = model.expect("a fit").predict(Samples::from(&ours.rows)).expect("predictions");
                    share_right(&ours.labels, predicted.iter())
                })
            }),
        ),
        (
            "libsvm-rs",
            turn(move || {
                timed(|| libsvm_rs::train::svm_train(&problem, &settings), |model| {
                    let predict = |row: &Vec<SvmNode>| libsvm_rs::predict::predict(&model, row) as usize;
                    let predicted: Vec<usize> = problem.instances.iter().map(predict).collect();
                    share_right(&second.labels, predicted.iter())
                })
            }),
        ),
    ]
}

fn majority(labels: impl Iterator<Item = usize>) -> usize {
    let mut votes = [0; 3];
    labels.for_each(|label| votes[label] += 1);
    (0..3).rev().max_by_key(|&label| votes[label]).unwrap_or(0)
}
