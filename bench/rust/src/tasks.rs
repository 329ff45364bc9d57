//! The tasks, one function each. Data are shared; every library gets them in its own layout, made
//! before the clock starts.

use crate::data::Made;
use crate::ferrolearn;
use crate::measure::{Run as Turn, Task, timed};
use didact::prelude::*;
use linfa::DatasetBase;
use linfa::traits::{Fit as _, Predict as _};
use ndarray::s;
use smartcore::linalg::basic::matrix::DenseMatrix;
use std::rc::Rc;

/// Every task, for didact on so many threads.
pub(crate) fn all(threads: usize) -> Vec<Task> {
    vec![
        k_means(threads),
        mixture(threads),
        pca(threads),
        least_squares(threads),
        logistic(threads),
        naive_bayes(threads),
        neighbours(threads),
    ]
}

fn turn(run: impl Fn() -> crate::measure::Answer + 'static) -> Turn {
    Box::new(run)
}

fn k_means(threads: usize) -> Task {
    let made = Rc::new(Made::blobs(100_000, 20, 10, 1.0));
    let start = made.rows.slice(s![..10, ..]).to_owned();
    let settings = KMeans {
        n_clusters: 10,
        init_centers: Some(start.rows().into_iter().map(|row| row.to_vec()).collect()),
        max_iter: 50,
        ..KMeans::default()
    };
    let theirs = DatasetBase::from(made.linfa());
    let centres = theirs.records().slice(ndarray16::s![..10, ..]).to_owned();
    let (rows, third) = (made.clone(), made.clone());
    Task {
        name: "k-means 100k×20 k=10",
        who: vec![
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
            ferrolearn::k_means(third),
        ],
    }
}

fn mixture(threads: usize) -> Task {
    let made = Rc::new(Made::blobs(20_000, 10, 5, 2.0));
    let theirs = DatasetBase::from(made.linfa());
    let judged = made.clone();
    let score = Rc::new(move |model: GaussianMixtureModel| {
        let densities = model.log_density(Samples::from(&judged.rows)).expect("densities");
        densities.iter().sum::<f64>() / densities.len() as f64
    });
    let (ours, third) = (score.clone(), made.clone());
    Task {
        name: "mixture full 20k×10 k=5, thirty passes",
        who: vec![
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
            ferrolearn::mixture(third),
        ],
    }
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

fn pca(threads: usize) -> Task {
    let made = Rc::new(Made::linear(50_000, 100));
    let theirs = DatasetBase::from(made.linfa());
    let third = made.clone();
    Task {
        name: "PCA 50k×100 → 10",
        who: vec![
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
                        model.expect("a fit").explained_variance().sum()
                    })
                }),
            ),
            ferrolearn::pca(third),
        ],
    }
}

fn least_squares(threads: usize) -> Task {
    let made = Rc::new(Made::linear(100_000, 50));
    let theirs = DatasetBase::new(made.linfa(), ndarray16::Array1::from(made.targets.clone()));
    let (matrix, targets) = (made.smartcore(), made.targets.clone());
    let (ours, second, third, fourth) = (made.clone(), made.clone(), made.clone(), made);
    Task {
        name: "least squares 100k×50",
        who: vec![
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
            ferrolearn::least_squares(fourth),
        ],
    }
}

pub(crate) fn squared_error<'a>(truth: &[f64], predicted: impl Iterator<Item = &'a f64>) -> f64 {
    truth.iter().zip(predicted).map(|(y, p)| (y - p).powi(2)).sum::<f64>() / truth.len() as f64
}

fn logistic(threads: usize) -> Task {
    let made = Rc::new(Made::linear(50_000, 50));
    let labels = Labels::from_indices(made.labels.clone());
    let theirs = DatasetBase::new(made.linfa(), ndarray16::Array1::from(made.labels.clone()));
    let (matrix, classes) = (made.smartcore(), made.labels.clone());
    let (ours, second, third, fourth) = (made.clone(), made.clone(), made.clone(), made);
    Task {
        name: "logistic 50k×50 binary",
        who: vec![
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
            ferrolearn::logistic(fourth),
        ],
    }
}

pub(crate) fn share_right<'a>(truth: &[usize], predicted: impl Iterator<Item = &'a usize>) -> f64 {
    truth.iter().zip(predicted).filter(|(y, p)| y == p).count() as f64 / truth.len() as f64
}

fn naive_bayes(threads: usize) -> Task {
    let made = Rc::new(Made::blobs(100_000, 50, 5, 6.0));
    let labels = Labels::from_indices(made.labels.clone());
    let theirs = DatasetBase::new(made.linfa(), ndarray16::Array1::from(made.labels.clone()));
    let (ours, second, third) = (made.clone(), made.clone(), made);
    Task {
        name: "Gaussian naive Bayes 100k×50",
        who: vec![
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
            ferrolearn::naive_bayes(third),
        ],
    }
}

fn neighbours(threads: usize) -> Task {
    use linfa_nn::NearestNeighbour;
    use smartcore::neighbors::knn_classifier::{KNNClassifier, KNNClassifierParameters};
    let made = Rc::new(Made::blobs(20_000, 20, 3, 6.0));
    let queries = Rc::new(Made::blobs(5_000, 20, 3, 6.0));
    let labels = Labels::from_indices(made.labels.clone());
    let data = Labelled::new(&made.rows, &labels).expect("as many labels as rows");
    let model = KNeighbors { n_neighbors: 5, ..KNeighbors::default() }
        .fit_with(data, &Run::new().threads(threads))
        .expect("a fit");
    let (records, asked) = (made.linfa(), queries.linfa());
    let (ours, second, third) = (queries.clone(), queries.clone(), queries.clone());
    let classes = made.labels.clone();
    let matrix: DenseMatrix<f64> = queries.smartcore();
    let fitted = KNNClassifier::fit(&made.smartcore(), &made.labels, KNNClassifierParameters::default().with_k(5)).expect("a fit");
    Task {
        name: "neighbours 5k in 20k×20",
        who: vec![
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
            ferrolearn::neighbours(&made, queries),
        ],
    }
}

fn majority(labels: impl Iterator<Item = usize>) -> usize {
    let mut votes = [0; 3];
    labels.for_each(|label| votes[label] += 1);
    (0..3).rev().max_by_key(|&label| votes[label]).unwrap_or(0)
}
