//! Pictures of models that predict numbers, and of how predictions follow a feature.

use super::{Subject, knowledge, predicted_deviations};
use didact_core::{Data, Error, Measured, Result, Rows, Run};
use didact_evaluate::partial_dependence as dependence;
use didact_plot::{Bands, Picture};
use ndarray::{Array2, Axis};

/// Places along a curve.
const PLACES: usize = 200;
/// Places along a partial dependence, each of which predicts all rows.
const STEPS: usize = 40;
/// Rows over which a partial dependence is averaged; more are thinned evenly.
const ROWS: usize = 2_000;

fn measured<'a, 'd>(subject: &Subject<'a, 'd>) -> Result<&'a Measured<'d>> {
    match subject.data()? {
        Data::Measured(data) => Ok(data),
        _ => Err(Error::unsupported(
            "this picture needs data with known targets",
        )),
    }
}

fn regress(subject: &Subject<'_, '_>, rows: Rows<'_>) -> Result<Array2<f64>> {
    match subject.trained.model.as_regress() {
        Some(regress) => regress.regress(rows),
        None => Err(Error::unsupported(
            "this picture needs a model that predicts numbers",
        )),
    }
}

pub(super) fn residuals(subject: &Subject<'_, '_>) -> Result<Picture> {
    let data = measured(subject)?;
    let predicted = regress(subject, subject.rows()?)?;
    let mut pictures = Vec::new();
    for (target, (truth, predicted)) in data
        .targets
        .columns()
        .into_iter()
        .zip(predicted.columns())
        .enumerate()
    {
        let name = match data.targets.ncols() {
            1 => subject.target(),
            _ => format!("{} {target}", subject.target()),
        };
        pictures.push(didact_plot::residuals(
            &truth.to_vec(),
            &predicted.to_vec(),
            &name,
        )?);
    }
    match pictures.len() {
        1 => Ok(pictures.remove(0)),
        _ => Picture::beside(pictures, 2),
    }
}

/// The feature along which a curve runs: the one named, or the only one, or the strongest.
fn along(subject: &Subject<'_, '_>, run: &Run) -> Result<usize> {
    match subject.options.features.as_slice() {
        [name] => subject.place(name),
        [] if subject.trained.model.n_features() == 1 => Ok(0),
        [] => Ok(knowledge::strongest(subject, run)?
            .first()
            .copied()
            .unwrap_or(0)),
        other => Err(Error::parameter(
            "feature",
            other.join(", "),
            "a curve runs along one feature; name one or none",
        )),
    }
}

pub(super) fn regression_curve(subject: &Subject<'_, '_>) -> Result<Picture> {
    let data = measured(subject)?;
    let rows = subject.dense()?;
    let place = along(subject, &Run::new())?;
    let x = rows.column(place).to_vec();
    let (low, high) = x
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| {
            (low.min(value), high.max(value))
        });
    let grid: Vec<f64> = (0..PLACES)
        .map(|step| low + (high - low) * step as f64 / (PLACES - 1) as f64)
        .collect();
    // The other features are held at their means.
    let means = rows.mean_axis(Axis(0)).unwrap_or_default();
    let mut asked = Array2::from_shape_fn((PLACES, rows.ncols()), |(_, column)| means[column]);
    for (mut row, &value) in asked.rows_mut().into_iter().zip(&grid) {
        row[place] = value;
    }
    let curve = regress(subject, Rows::Dense(asked.view()))?;
    let names = subject.names();
    let model = subject.trained.model.as_ref();
    let deviation = match (
        rows.ncols(),
        predicted_deviations(model, Rows::Dense(asked.view()))?,
    ) {
        (_, Some(known)) => known.to_vec(),
        (1, None) => vec![error_deviation(subject, data)?; PLACES],
        _ => Vec::new(),
    };
    let picture = didact_plot::regression_curve(
        &x,
        &data.targets.column(0).to_vec(),
        Bands {
            x: &grid,
            mean: &curve.column(0).to_vec(),
            deviation: &deviation,
        },
        &names[place],
        &subject.target(),
    )?;
    Ok(picture)
}

/// The root mean squared error on these rows: how wide the bands are where the model itself
/// does not say.
fn error_deviation(subject: &Subject<'_, '_>, data: &Measured<'_>) -> Result<f64> {
    let predicted = regress(subject, subject.rows()?)?;
    let squares = data.targets.column(0).into_iter().zip(predicted.column(0));
    let total: f64 = squares
        .map(|(truth, predicted)| (truth - predicted).powi(2))
        .sum();
    Ok((total / data.targets.nrows().max(1) as f64).sqrt())
}

pub(super) fn partial_dependence(subject: &Subject<'_, '_>, run: &Run) -> Result<Picture> {
    let place = along(subject, run)?;
    dependence_on(subject, place, run)
}

/// The partial dependence on one feature.
pub(crate) fn dependence_on(subject: &Subject<'_, '_>, place: usize, run: &Run) -> Result<Picture> {
    let rows = subject.dense()?;
    let count = rows.nrows().min(ROWS);
    let few: Vec<usize> = (0..count)
        .map(|row| row * rows.nrows() / count.max(1))
        .collect();
    let rows = rows.select(Axis(0), &few);
    let model = subject.trained.model.as_ref();
    let found = dependence(model, rows.view(), place, STEPS, run)?;
    let classes = model.as_classify().map(|one| one.classes().names());
    let (outputs, output): (Vec<String>, String) = match (model.as_regress(), classes) {
        (Some(_), _) => (
            (0..found.means.ncols())
                .map(|one| one.to_string())
                .collect(),
            subject.target(),
        ),
        (None, Some(names)) if names.len() == found.means.ncols() => (
            names.iter().map(ToString::to_string).collect(),
            match model.as_probabilities() {
                Some(_) => "Mean probability".to_owned(),
                None => "Mean score".to_owned(),
            },
        ),
        _ => (
            (0..found.means.ncols())
                .map(|one| one.to_string())
                .collect(),
            "Mean score".to_owned(),
        ),
    };
    let names = subject.names();
    let seen = rows.column(place).to_vec();
    // With two classes the second mirrors the first.
    let (means, outputs) = match outputs.len() == 2 && model.as_probabilities().is_some() {
        true => (
            found.means.slice(ndarray::s![.., 1..]).to_owned(),
            vec![outputs[1].clone()],
        ),
        false => (found.means.clone(), outputs),
    };
    let output = match (outputs.len(), model.as_classify().is_some()) {
        (1, true) => format!("{output} of {}", outputs[0]),
        _ => output,
    };
    didact_plot::partial_dependence(
        &names[place],
        &found.grid,
        means.view(),
        &outputs,
        &output,
        &seen,
    )
}
