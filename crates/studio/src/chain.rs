//! A sequence under a model of hidden states: what each state was likely to be, and the sums over
//! all paths that say so.

use crate::Shared;
use crate::events::stream;
use crate::request::Request;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::core::{AnyModel, Run, Samples, Sequences};
use didact::prelude::HmmModel;
use didact::{Error, Result};
use ndarray::{Array2, ArrayView2, Axis, s};
use serde::Deserialize;
use serde_json::{Value, json};

/// Most items that are shown.
const MOST_ITEMS: usize = 200;

/// A method on sequences, and the sequence that is looked at.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    #[serde(flatten)]
    request: Request,
    #[serde(default)]
    sequence: usize,
}

/// Fits the model and follows one sequence through it.
pub(crate) async fn follow(State(shared): State<Shared>, Json(wanted): Json<Wanted>) -> Response {
    stream(shared, move |run| Ok(wanted.answer(run)?)).into_response()
}

impl Wanted {
    fn answer(&self, run: &Run) -> Result<Value> {
        let learner = self.request.spec.learner()?;
        let points = self.request.training(learner.as_ref())?;
        let model = learner.fit(points.data()?, run)?;
        let decode = model.as_decode().ok_or_else(|| {
            Error::unsupported(format!(
                "{} knows no hidden states; choose a method for sequences",
                learner.id()
            ))
        })?;
        let Some(&length) = points.lengths().get(self.sequence) else {
            let requirement = format!("there are {} sequences", points.lengths().len());
            return Err(Error::parameter("sequence", self.sequence, requirement));
        };
        let before: usize = points.lengths()[..self.sequence].iter().sum();
        let items = points.rows.slice(s![before..before + length, ..]);
        let lengths = [length];
        let sequences = Sequences::new(Samples::from(items), &lengths)?;
        let (path, log_probability) = decode.viterbi(&sequences)?;
        let posteriors = decode.state_probabilities(&sequences)?;
        let shown = length.min(MOST_ITEMS);
        let names: Vec<String> = match decode.state_names() {
            Some(names) => self.names_of(names.names()),
            None => (0..decode.n_states()).map(|one| one.to_string()).collect(),
        };
        Ok(json!({
            "length": length,
            "shown": shown,
            "names": names,
            "path": path[..shown],
            "log_probability": log_probability[0],
            "posteriors": lists(posteriors.slice(s![..shown, ..])),
            "lattice": lattice(model.as_ref(), items, shown)?,
        }))
    }

    /// The classes of the page are numbers to the model.
    fn names_of(&self, classes: &[didact::core::ClassName]) -> Vec<String> {
        let name = |class: &didact::core::ClassName| {
            let said = class.to_string();
            let place = said.parse::<usize>().ok();
            let known = place.and_then(|place| self.request.classes.get(place).cloned());
            known.unwrap_or(said)
        };
        classes.iter().map(name).collect()
    }
}

/// The recursions of a hidden Markov model over the items: ln α, ln β, ln b and ξ, with what the
/// edges of the trellis are made of. Nothing for other models.
fn lattice(model: &dyn AnyModel, items: ArrayView2<'_, f64>, shown: usize) -> Result<Value> {
    let Some(model) = model.as_any().downcast_ref::<HmmModel>() else {
        return Ok(Value::Null);
    };
    let lattice = model.lattice(items)?;
    // ln b_i(x_t): the backward variable with its own emission, less the one without.
    let emissions = lattice.log_backward_including() - lattice.log_backward();
    let pairs = lattice.pair_posteriors();
    let steps = pairs.axis_iter(Axis(0)).take(shown.saturating_sub(1));
    Ok(json!({
        "start": model.startprob().to_vec(),
        "transitions": lists(model.transmat().view()),
        "stop": model.stopprob().map(|stop| stop.to_vec()),
        "log_likelihood": lattice.log_likelihood(),
        "forward": lists(first(lattice.log_forward(), shown)),
        "backward": lists(first(lattice.log_backward(), shown)),
        "emissions": lists(first(&emissions, shown)),
        "pairs": steps.map(lists).collect::<Vec<_>>(),
    }))
}

fn first(matrix: &Array2<f64>, rows: usize) -> ArrayView2<'_, f64> {
    matrix.slice(s![..rows, ..])
}

fn lists(matrix: ArrayView2<'_, f64>) -> Value {
    let rows = matrix.rows().into_iter();
    rows.map(|row| json!(row.to_vec())).collect()
}
