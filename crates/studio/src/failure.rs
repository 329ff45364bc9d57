//! Errors as answers: a sentence for people, in JSON.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Why a request was not answered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The library says what is wrong with data or parameters.
    #[error("{0}")]
    Library(#[from] didact::Error),
    /// There is nothing of that name.
    #[error("there is no {0}")]
    NotFound(String),
    /// The work stopped in a way that is our fault.
    #[error("the work broke off; this is a bug of didact: {0}")]
    Broken(String),
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = match self {
            Failure::Library(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Failure::NotFound(_) => StatusCode::NOT_FOUND,
            Failure::Broken(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, Json(json!({ "error": self.to_string() }))).into_response()
    }
}
