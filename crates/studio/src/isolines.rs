//! The projections of a model all over the plane, of which lines of equal height are drawn.

use crate::Shared;
use crate::events::stream;
use crate::map::floats;
use crate::request::Request;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::core::abilities::check_rows;
use didact::core::{AnyModel, Rows, Run, Transform, Value as Known};
use didact::{Error, Result};
use ndarray::{Array2, Axis, s};
use serde::Deserialize;
use serde_json::{Value, json};
use std::ops::Range;

/// Most projections that are shown at once.
const MOST_PROJECTIONS: usize = 12;

/// Cells that are projected at a time.
const PIECE: usize = 2048;

/// A method on some points, and which of its projections are looked at.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    #[serde(flatten)]
    request: Request,
    /// The first of them, counted from zero.
    #[serde(default)]
    first: usize,
    /// How many.
    #[serde(default = "one")]
    count: usize,
}

fn one() -> usize {
    1
}

/// Fits the model and gives its projections of every cell and of every point.
pub(crate) async fn draw(State(shared): State<Shared>, Json(wanted): Json<Wanted>) -> Response {
    stream(shared, move |run| Ok(wanted.answer(run)?)).into_response()
}

impl Wanted {
    fn answer(&self, run: &Run) -> Result<Value> {
        if !(1..=MOST_PROJECTIONS).contains(&self.count) {
            let requirement = format!("it must be between 1 and {MOST_PROJECTIONS}");
            return Err(Error::parameter("count", self.count, requirement));
        }
        let grid = self.request.grid.as_ref();
        let grid = grid.ok_or_else(|| Error::data("the request has no grid to draw over"))?;
        let learner = self.request.spec.learner()?;
        let points = self.request.training(learner.as_ref())?;
        let model = learner.fit(points.data()?, run)?;
        let transform = model.as_transform().ok_or_else(|| {
            let id = learner.id();
            Error::unsupported(format!("{id} projects nothing; choose kernel-pca, say"))
        })?;
        let there = transform.n_outputs();
        if self.first >= there {
            let requirement = format!("there are {there} projections, counted from zero");
            return Err(Error::parameter("first", self.first, requirement));
        }
        let seen = self.first..there.min(self.first + self.count);
        let look = Look {
            model: model.as_ref(),
            transform,
            seen: seen.clone(),
        };
        let heights = look.at(&grid.places(model.n_features())?, run)?;
        let own = look.at(&self.request.all_rows()?, run)?;
        let shares = number_list(model.as_ref(), "explained_variance_ratio");
        let projections = seen.enumerate().map(|(column, index)| {
            json!({
                "index": index,
                "heights": floats(heights.column(column).iter().copied()),
                "points": own.column(column).to_vec(),
                "share": shares.get(index),
            })
        });
        let [width, height] = grid.cells();
        Ok(json!({
            "width": width,
            "height": height,
            "projections": projections.collect::<Vec<_>>(),
            "there": there,
            "gamma": number_list(model.as_ref(), "gamma").first(),
        }))
    }
}

/// Some of the projections of a model.
struct Look<'a> {
    model: &'a dyn AnyModel,
    transform: &'a dyn Transform,
    seen: Range<usize>,
}

impl Look<'_> {
    /// The projections of rows, a column each. A kernel has as many projections as points, so only
    /// those that are looked at are kept.
    fn at(&self, rows: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
        check_rows(self.model, Rows::Dense(rows.view()))?;
        let mut kept = Array2::zeros((rows.nrows(), self.seen.len()));
        let pieces = rows.axis_chunks_iter(Axis(0), PIECE);
        for (piece, mut to) in pieces.zip(kept.axis_chunks_iter_mut(Axis(0), PIECE)) {
            run.check()?;
            let all = self.transform.transform_rows(Rows::Dense(piece))?;
            let all = all.into_dense();
            to.assign(&all.slice(s![.., self.seen.clone()]));
        }
        Ok(kept)
    }
}

/// The numbers of an attribute; none where the model does not know it.
fn number_list(model: &dyn AnyModel, name: &str) -> Vec<f64> {
    let attributes = model.attributes();
    let found = attributes.into_iter().find(|(one, _)| one.name == name);
    match found {
        Some((_, Known::Array(array))) => array.iter().copied().collect(),
        Some((_, Known::Number(number))) => vec![number],
        _ => Vec::new(),
    }
}
