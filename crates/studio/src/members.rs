//! What the densities draw that a classifier compares.
//!
//! A classifier by Bayes' rule keeps the density of each class to itself. The same method with the
//! same seed on the same rows learns the same again, so it is asked once more for what it draws.

use crate::request::Points;
use didact::core::{Data, DataKind, Run};
use didact::{Result, Spec, find};
use serde_json::{Value, json};

/// The figures of each class, where the method wraps another that learns a density per class.
pub(crate) fn class_figures(spec: &Spec, points: &Points, run: &Run) -> Result<Vec<Value>> {
    let Some(density) = wrapped_density(spec)? else {
        return Ok(Vec::new());
    };
    let learner = density.learner()?;
    let mut figures = Vec::new();
    for class in 0..points.n_classes() {
        let rows = points.rows_of(class);
        if rows.nrows() == 0 {
            continue;
        }
        let model = learner.fit(Data::Samples((&rows).into()), &run.quietly())?;
        figures.extend(model.figures().into_iter().map(|(described, shape)| {
            json!({
                "name": described.name, "meaning": described.meaning, "shape": shape, "owner": class,
            })
        }));
    }
    Ok(figures)
}

/// The method inside a lone classifier that itself has a density; steps in front of it would have
/// moved the rows.
fn wrapped_density(spec: &Spec) -> Result<Option<Spec>> {
    let [step] = spec.steps.as_slice() else {
        return Ok(None);
    };
    let entry = find(&step.algorithm)?;
    let generative = entry
        .route(DataKind::Labelled)
        .is_some_and(|route| route.abilities.contains(&"log-density"));
    let usual = &entry.schema["properties"]["estimator"]["default"];
    let inside = step.parameters.get("estimator").unwrap_or(usual);
    match generative && !inside.is_null() {
        true => Ok(serde_json::from_value(inside.clone()).ok()),
        false => Ok(None),
    }
}
