//! ferrolearn at the tasks, with the settings that the others have.

use crate::data::Made;
use crate::measure::{Run, timed};
use crate::tasks::{share_right, squared_error};
use ferrolearn_core::{Fit, Predict};
use ndarray::Array1;
use std::rc::Rc;

const NAME: &str = "ferrolearn";

fn turn(run: impl Fn() -> crate::measure::Answer + 'static) -> (&'static str, Run) {
    (NAME, Box::new(run))
}

/// It draws its own starting centres, so that the quality may differ a little.
pub(crate) fn k_means(made: Rc<Made>) -> (&'static str, Run) {
    let settings = ferrolearn_cluster::KMeans::new(10).with_max_iter(50).with_n_init(1).with_random_state(0);
    turn(move || timed(|| settings.fit(&made.rows, &()), |model| -model.expect("a fit").inertia()))
}

pub(crate) fn mixture(made: Rc<Made>) -> (&'static str, Run) {
    let settings = ferrolearn_cluster::GaussianMixture::new(5).with_max_iter(30).with_tol(1e-9).with_n_init(1).with_random_state(0);
    turn(move || {
        timed(|| settings.fit(&made.rows, &()), |model| model.map_or(f64::NAN, |model| model.score(&made.rows).expect("a score")))
    })
}

pub(crate) fn pca(made: Rc<Made>) -> (&'static str, Run) {
    let settings = ferrolearn_decomp::PCA::new(10);
    turn(move || timed(|| settings.fit(&made.rows, &()), |model| model.expect("a fit").explained_variance().sum()))
}

pub(crate) fn least_squares(made: Rc<Made>) -> (&'static str, Run) {
    let targets = Array1::from(made.targets.clone());
    let settings = ferrolearn_linear::LinearRegression::<f64>::new();
    turn(move || {
        timed(|| settings.fit(&made.rows, &targets), |model| {
            -squared_error(&made.targets, model.expect("a fit").predict(&made.rows).expect("predictions").iter())
        })
    })
}

pub(crate) fn logistic(made: Rc<Made>) -> (&'static str, Run) {
    let labels = Array1::from(made.labels.clone());
    let settings = ferrolearn_linear::LogisticRegression::<f64>::new().with_max_iter(200);
    turn(move || {
        timed(|| settings.fit(&made.rows, &labels), |model| {
            share_right(&made.labels, model.expect("a fit").predict(&made.rows).expect("labels").iter())
        })
    })
}

pub(crate) fn naive_bayes(made: Rc<Made>) -> (&'static str, Run) {
    let labels = Array1::from(made.labels.clone());
    let settings = ferrolearn_bayes::GaussianNB::<f64>::new();
    turn(move || {
        timed(|| settings.fit(&made.rows, &labels), |model| {
            share_right(&made.labels, model.expect("a fit").predict(&made.rows).expect("labels").iter())
        })
    })
}

pub(crate) fn neighbours(made: &Made, queries: Rc<Made>) -> (&'static str, Run) {
    let labels = Array1::from(made.labels.clone());
    let model = ferrolearn_neighbors::KNeighborsClassifier::new().with_n_neighbors(5).fit(&made.rows, &labels).expect("a fit");
    turn(move || timed(|| model.predict(&queries.rows), |predicted| share_right(&queries.labels, predicted.expect("labels").iter())))
}
