//! ferrolearn at the tasks, with the settings that the others have.

use crate::data::Made;
use crate::measure::{Answer, Task, Turns, share_right, squared_error, timed};
use ferrolearn_core::{Fit, Predict};
use ndarray::Array1;

/// Every task.
pub(crate) fn all() -> Vec<Task> {
    vec![
        ("k-means 100k×20 k=10", Box::new(k_means)),
        ("mixture full 20k×10 k=5, thirty passes", Box::new(mixture)),
        ("PCA 50k×100 → 10", Box::new(pca)),
        ("least squares 100k×50", Box::new(least_squares)),
        ("logistic 50k×50 binary", Box::new(logistic)),
        ("Gaussian naive Bayes 100k×50", Box::new(naive_bayes)),
        ("neighbours 5k in 20k×20", Box::new(neighbours)),
    ]
}

fn alone(run: impl Fn() -> Answer + 'static) -> Turns {
    vec![("ferrolearn", Box::new(run))]
}

/// It draws its own starting centres, so that the quality may differ a little.
fn k_means() -> Turns {
    let made = Made::blobs(100_000, 20, 10, 1.0);
    let settings = ferrolearn_cluster::KMeans::new(10).with_max_iter(50).with_n_init(1).with_random_state(0);
    alone(move || timed(|| settings.fit(&made.rows, &()), |model| -model.expect("a fit").inertia()))
}

fn mixture() -> Turns {
    let made = Made::blobs(20_000, 10, 5, 2.0);
    let settings = ferrolearn_cluster::GaussianMixture::new(5).with_max_iter(30).with_tol(1e-9).with_n_init(1).with_random_state(0);
    alone(move || {
        timed(|| settings.fit(&made.rows, &()), |model| model.map_or(f64::NAN, |model| model.score(&made.rows).expect("a score")))
    })
}

fn pca() -> Turns {
    let made = Made::linear(50_000, 100);
    let settings = ferrolearn_decomp::PCA::new(10);
    alone(move || timed(|| settings.fit(&made.rows, &()), |model| model.expect("a fit").explained_variance().sum()))
}

fn least_squares() -> Turns {
    let made = Made::linear(100_000, 50);
    let targets = Array1::from(made.targets.clone());
    let settings = ferrolearn_linear::LinearRegression::<f64>::new();
    alone(move || {
        timed(|| settings.fit(&made.rows, &targets), |model| {
            -squared_error(&made.targets, model.expect("a fit").predict(&made.rows).expect("predictions").iter())
        })
    })
}

fn logistic() -> Turns {
    let made = Made::linear(50_000, 50);
    let labels = Array1::from(made.labels.clone());
    let settings = ferrolearn_linear::LogisticRegression::<f64>::new().with_max_iter(200);
    alone(move || {
        timed(|| settings.fit(&made.rows, &labels), |model| {
            share_right(&made.labels, model.expect("a fit").predict(&made.rows).expect("labels").iter())
        })
    })
}

fn naive_bayes() -> Turns {
    let made = Made::blobs(100_000, 50, 5, 6.0);
    let labels = Array1::from(made.labels.clone());
    let settings = ferrolearn_bayes::GaussianNB::<f64>::new();
    alone(move || {
        timed(|| settings.fit(&made.rows, &labels), |model| {
            share_right(&made.labels, model.expect("a fit").predict(&made.rows).expect("labels").iter())
        })
    })
}

fn neighbours() -> Turns {
    let made = Made::blobs(20_000, 20, 3, 6.0);
    let queries = Made::blobs(5_000, 20, 3, 6.0);
    let labels = Array1::from(made.labels.clone());
    let model = ferrolearn_neighbors::KNeighborsClassifier::new().with_n_neighbors(5).fit(&made.rows, &labels).expect("a fit");
    alone(move || timed(|| model.predict(&queries.rows), |predicted| share_right(&queries.labels, predicted.expect("labels").iter())))
}
