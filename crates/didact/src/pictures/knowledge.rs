//! Pictures of what a model knows: weights, importances, components, its history.

use super::Subject;
use super::kind::array_of;
use didact_core::{Data, Error, Result, Run};
use didact_evaluate::{Importance, Subset, permutation_importance};
use didact_plot::Picture;
use ndarray::{Array2, Ix1, Ix2};

/// Times that each column is shuffled.
const REPEATS: usize = 5;
/// Rows on which columns are shuffled; more are thinned evenly.
const ROWS: usize = 2_000;

/// The importance of each column on these rows, by shuffling.
pub(crate) fn importances(subject: &Subject<'_, '_>, run: &Run) -> Result<Vec<Importance>> {
    let data = subject.data()?;
    if !matches!(data, Data::Labelled(_) | Data::Measured(_)) {
        return Err(Error::unsupported(
            "importances need data with known answers",
        ));
    }
    let total = didact_evaluate::n_units(data);
    let count = total.min(ROWS);
    let few: Vec<usize> = (0..count).map(|row| row * total / count.max(1)).collect();
    let subset = Subset::new(data, &few)?;
    let model = subject.trained.model.as_ref();
    permutation_importance(model, &subset.data()?, REPEATS, subject.options.seed, run)
}

/// The columns, the most important one first.
pub(crate) fn strongest(subject: &Subject<'_, '_>, run: &Run) -> Result<Vec<usize>> {
    let Ok(importances) = importances(subject, run) else {
        run.check()?;
        return Ok((0..subject.trained.model.n_features()).collect());
    };
    let mut order: Vec<&Importance> = importances.iter().collect();
    order.sort_by(|left, right| right.drop.mean.total_cmp(&left.drop.mean));
    Ok(order.iter().map(|one| one.column).collect())
}

pub(super) fn importance(subject: &Subject<'_, '_>, run: &Run) -> Result<Picture> {
    importance_picture(subject, &importances(subject, run)?)
}

pub(crate) fn importance_picture(
    subject: &Subject<'_, '_>,
    importances: &[Importance],
) -> Result<Picture> {
    let names = subject.names();
    let means: Vec<f64> = importances.iter().map(|one| one.drop.mean).collect();
    let deviations: Vec<f64> = importances.iter().map(|one| one.drop.deviation).collect();
    let measure = match (subject.data()?, subject.trained.model.as_classify()) {
        (Data::Measured(_), _) => "Fall of R² when shuffled",
        (_, Some(_)) => "Fall of accuracy when shuffled",
        (_, None) => "Fall of the adjusted Rand index when shuffled",
    };
    didact_plot::feature_importance(&names, &means, &deviations, measure)
}

pub(super) fn coefficients(subject: &Subject<'_, '_>) -> Result<Picture> {
    let coef = array_of(subject, "coef");
    let coef = coef.ok_or_else(|| Error::unsupported("this model has no coefficients"))?;
    let weights: Array2<f64> = match coef.ndim() {
        1 => coef
            .into_dimensionality::<Ix1>()
            .map(|row| row.insert_axis(ndarray::Axis(0))),
        _ => coef.into_dimensionality::<Ix2>(),
    }
    .map_err(|_| Error::unsupported("the coefficients are no table of features and outputs"))?;
    let classes = subject
        .trained
        .model
        .as_classify()
        .map(|one| one.classes().names());
    let outputs: Vec<String> = match classes {
        Some(names) if names.len() == weights.nrows() => {
            names.iter().map(ToString::to_string).collect()
        }
        // With two classes the weights speak for the second.
        Some(names) if weights.nrows() == 1 && names.len() == 2 => vec![names[1].to_string()],
        _ if weights.nrows() == 1 => vec![subject.target()],
        _ => (0..weights.nrows())
            .map(|one| format!("{} {one}", subject.target()))
            .collect(),
    };
    didact_plot::coefficients(&subject.last_names(), weights.view(), &outputs)
}

pub(super) fn scree(subject: &Subject<'_, '_>) -> Result<Picture> {
    let shares = array_of(subject, "explained_variance_ratio");
    let shares = shares.ok_or_else(|| Error::unsupported("this model has no components"))?;
    didact_plot::scree(&shares.iter().copied().collect::<Vec<_>>())
}

pub(super) fn trace(subject: &Subject<'_, '_>) -> Result<Picture> {
    match subject.trained.model.trace() {
        Some(trace) => didact_plot::loss_trace(&[(subject.name(), trace)]),
        None => Err(Error::unsupported(
            "this model was not fitted by iterations",
        )),
    }
}
