//! Fitting: the model's answers for the page, or the model file.

use crate::Shared;
use crate::answer::answer;
use crate::blocking::finished;
use crate::events::stream;
use crate::failure::Failure;
use crate::request::Request;
use axum::Json;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use didact::core::{DataKind, Run};
use didact::{Job, Roles, Trained};

/// Fits a model and shows what it knows; progress comes on the way.
pub(crate) async fn fit(State(shared): State<Shared>, Json(request): Json<Request>) -> Response {
    stream(shared, move |run| {
        let learner = request.spec.learner()?;
        let points = request.training(learner.as_ref())?;
        let trained = Trained::fit(&request.spec, learner.as_ref(), points.data()?, run)?;
        answer(&request, learner.as_ref(), &points, &trained, run)
    })
    .into_response()
}

/// Fits a model and gives its file, with the names that the page uses.
pub(crate) async fn model(
    State(shared): State<Shared>,
    Json(request): Json<Request>,
) -> Result<Response, Failure> {
    let bytes = finished(&shared, move |run| file(&request, run)).await?;
    let headers = [
        (CONTENT_TYPE, "application/octet-stream"),
        (CONTENT_DISPOSITION, "attachment; filename=\"model.didact\""),
    ];
    Ok((headers, bytes).into_response())
}

fn file(request: &Request, run: &Run) -> Result<Vec<u8>, Failure> {
    let learner = request.spec.learner()?;
    let points = request.training(learner.as_ref())?;
    let mut job = Job::new(request.spec.clone());
    job.roles = Roles {
        target: match points.kind() {
            DataKind::Labelled | DataKind::LabelledSequences => Some("class".to_owned()),
            DataKind::Measured => Some(points.target_names().join(",")),
            _ => None,
        },
        sequence: points.is_sequences().then(|| "sequence".to_owned()),
        ..Roles::default()
    };
    let trained = job.fit(request.table(&points)?, run)?;
    Ok(trained.to_bytes()?)
}
