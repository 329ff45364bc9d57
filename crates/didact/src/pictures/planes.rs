//! Pictures in the plane of two features or components.

use super::Subject;
use super::kind::array_of;
use didact_core::{Data, Error, Result};
use didact_plot::{Cloud, Picture};
use ndarray::{Ix2, s};

pub(super) fn scatter(subject: &Subject<'_, '_>) -> Result<Picture> {
    let rows = subject.dense()?;
    let picture = didact_plot::scatter(&subject.cloud(rows.view())?)?;
    with_figures(subject, picture)
}

pub(super) fn decision_map(subject: &Subject<'_, '_>) -> Result<Picture> {
    let rows = subject.dense()?;
    let model = subject.trained.model.as_ref();
    let picture = didact_plot::decision_map(&subject.cloud(rows.view())?, model)?;
    // Boundaries and ellipses of a classifier are what the map shows already.
    match model.as_assign() {
        Some(_) => with_figures(subject, picture),
        None => Ok(picture),
    }
}

/// Lays the model's own figures over the picture.
fn with_figures(subject: &Subject<'_, '_>, picture: Picture) -> Result<Picture> {
    let figures = subject.trained.model.figures();
    match figures.is_empty() {
        true => Ok(picture),
        false => picture.with_figures(&figures),
    }
}

pub(super) fn density(subject: &Subject<'_, '_>) -> Result<Picture> {
    let rows = subject.dense()?;
    let model = subject.trained.model.as_ref();
    didact_plot::density_contours(&subject.cloud(rows.view())?, model)
}

pub(super) fn biplot(subject: &Subject<'_, '_>) -> Result<Picture> {
    let transform = subject.trained.model.as_transform();
    let transform = transform.ok_or_else(|| Error::unsupported("this model does not project"))?;
    let scores = transform.transform_rows(subject.rows()?)?.into_dense();
    let components = array_of(subject, "components")
        .and_then(|array| array.into_dimensionality::<Ix2>().ok())
        .ok_or_else(|| Error::unsupported("this model has no components"))?;
    let names = transform.output_names(&subject.names());
    let scores = scores.slice(s![.., ..2]).to_owned();
    let loadings = components.slice(s![..2, ..]).reversed_axes();
    let mut cloud = Cloud::new(scores.view()).feature_names(&names[..2]);
    if matches!(subject.data()?, Data::Labelled(_)) {
        let (labels, classes) = subject.classes()?;
        cloud = cloud.labels(&labels, &classes);
    }
    didact_plot::biplot(&cloud, loadings, &subject.last_names())
}
