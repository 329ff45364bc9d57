//! A filter over a picture: its responses, where they are largest, and what pooling leaves.

use crate::Shared;
use crate::events::stream;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::neural::{Filters, max_pooling, strongest_places};
use didact::{Error, Result};
use ndarray::Array2;
use serde::Deserialize;
use serde_json::{Value, json};

/// Longest side of a picture.
const LONGEST_SIDE: usize = 128;

/// A picture, a filter, and how both are gone over.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    picture: Vec<Vec<f64>>,
    filter: Vec<Vec<f64>>,
    #[serde(default = "one")]
    stride: usize,
    /// Whether the filter is turned about both axes first: true convolution.
    #[serde(default)]
    flipped: bool,
    /// The side of the windows of which the largest response is kept; one keeps all.
    #[serde(default = "one")]
    window: usize,
    #[serde(default = "one")]
    window_stride: usize,
}

fn one() -> usize {
    1
}

/// Slides the filter over the picture.
pub(crate) async fn apply(State(shared): State<Shared>, Json(wanted): Json<Wanted>) -> Response {
    stream(shared, move |_| Ok(wanted.answer()?)).into_response()
}

impl Wanted {
    fn answer(&self) -> Result<Value> {
        let picture = matrix(&self.picture, "picture")?;
        let filter = matrix(&self.filter, "filter")?;
        let filters = Filters::single(filter.view(), self.stride, self.flipped)?;
        let map = filters.apply_to_image(picture.view())?;
        let pooled = max_pooling(map.view(), (self.window, self.window), self.window_stride)?;
        Ok(json!({
            "map": lists(&map),
            "pooled": lists(&pooled),
            "places": strongest_places(map.view()),
        }))
    }
}

fn matrix(lines: &[Vec<f64>], what: &str) -> Result<Array2<f64>> {
    let width = lines.first().map_or(0, Vec::len);
    let sides = 1..=LONGEST_SIDE;
    if !sides.contains(&lines.len()) || !sides.contains(&width) {
        return Err(Error::data(format!(
            "the {what} is of {}×{width} values; a side must have between 1 and {LONGEST_SIDE}",
            lines.len()
        )));
    }
    if lines.iter().any(|line| line.len() != width) {
        return Err(Error::data(format!("the {what} is no rectangle")));
    }
    let values: Vec<f64> = lines.iter().flatten().copied().collect();
    if values.iter().any(|value| value.abs() > 1e100) {
        return Err(Error::data(format!("a value of the {what} is too large")));
    }
    Array2::from_shape_vec((lines.len(), width), values)
        .map_err(|error| Error::data(format!("the {what} makes no matrix: {error}")))
}

fn lists(matrix: &Array2<f64>) -> Value {
    let rows = matrix.rows().into_iter();
    rows.map(|row| json!(row.to_vec())).collect()
}
