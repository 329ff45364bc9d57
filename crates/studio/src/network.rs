//! A fitted network as a graph: its weights, and what every unit answers to an input.

use crate::Shared;
use crate::events::stream;
use crate::request::{Points, Request};
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::core::{AnyModel, Rows};
use didact::neural::{Activation, Head, MlpClassifierModel, MlpRegressorModel, Network};
use didact::{Error, PipelineModel, Result};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Networks with more weights than this are told by their sizes alone.
const MOST_WEIGHTS: usize = 4096;

/// Most units of a layer of a network that is sent.
const MOST_UNITS: usize = 512;

/// How far a step may be from an affine map, as a share of the size of its values.
const ROUNDING: f64 = 1e-9;

/// A layer: weights with a row per unit, and biases.
#[derive(Deserialize, Serialize)]
pub(crate) struct Layer {
    weights: Vec<Vec<f64>>,
    biases: Vec<f64>,
}

/// What the last layer makes of its sums.
#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Output {
    Identity,
    Logistic,
    Softmax,
}

impl Output {
    fn head(self) -> Head {
        match self {
            Output::Identity => Head::REGRESSION,
            Output::Logistic => Head::COINS,
            Output::Softmax => Head::CLASSES,
        }
    }
}

/// A network and an input of it.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    layers: Vec<Layer>,
    activation: Activation,
    output: Output,
    input: Vec<f64>,
}

/// Answers with the activations of every layer, the inputs first.
pub(crate) async fn activate(State(shared): State<Shared>, Json(wanted): Json<Wanted>) -> Response {
    stream(shared, move |_| Ok(wanted.answer()?)).into_response()
}

impl Wanted {
    fn answer(&self) -> Result<Value> {
        let layers: Vec<_> = self
            .layers
            .iter()
            .map(Layer::arrays)
            .collect::<Result<_>>()?;
        let network = Network::from_layers(&layers, self.activation, self.output.head())?;
        let input = ArrayView2::from_shape((1, self.input.len()), &self.input);
        let input = input.map_err(|error| Error::data(error.to_string()))?;
        let found = network.activations(input)?;
        Ok(found
            .iter()
            .map(|values| json!(values.row(0).to_vec()))
            .collect())
    }
}

impl Layer {
    fn arrays(&self) -> Result<(Array2<f64>, Array1<f64>)> {
        let (rows, columns) = (self.weights.len(), self.weights.first().map_or(0, Vec::len));
        if rows > MOST_UNITS || columns > MOST_UNITS {
            let requirement = format!("a layer has at most {MOST_UNITS} units");
            return Err(Error::parameter("layers", rows.max(columns), requirement));
        }
        let weights = Array2::from_shape_vec((rows, columns), self.weights.concat());
        let weights = weights.map_err(|_| {
            Error::data("the units of a layer have different numbers of weights; give each as many")
        })?;
        Ok((weights, Array1::from(self.biases.clone())))
    }
}

/// The weights of a model that is a network or a pipeline that ends in one; nothing for others.
pub(crate) fn described(request: &Request, points: &Points, model: &dyn AnyModel) -> Result<Value> {
    let pipeline = model.as_any().downcast_ref::<PipelineModel>();
    let steps: Vec<&dyn AnyModel> = match pipeline {
        Some(pipeline) => pipeline.steps().collect(),
        None => vec![model],
    };
    let Some((network, output)) = steps.last().and_then(|last| found(*last)) else {
        return Ok(Value::Null);
    };
    if network.n_parameters() > MOST_WEIGHTS {
        return Ok(json!({ "sizes": network.sizes() }));
    }
    let activation = match request
        .spec
        .steps
        .last()
        .and_then(|step| step.parameters.get("activation"))
    {
        Some(named) => serde_json::from_value(named.clone()).unwrap_or_default(),
        None => Activation::default(),
    };
    let layers = (0..network.sizes().len() - 1).filter_map(|layer| {
        Some(Layer {
            weights: network
                .weights(layer)?
                .outer_iter()
                .map(|row| row.to_vec())
                .collect(),
            biases: network.biases(layer)?.to_vec(),
        })
    });
    Ok(json!({
        "sizes": network.sizes(),
        "layers": layers.collect::<Vec<_>>(),
        "activation": activation,
        "output": output,
        "before": affine(&steps[..steps.len() - 1], points)?,
    }))
}

fn found(model: &dyn AnyModel) -> Option<(&Network, Output)> {
    if let Some(model) = model.as_any().downcast_ref::<MlpRegressorModel>() {
        return Some((model.network(), Output::Identity));
    }
    let model = model.as_any().downcast_ref::<MlpClassifierModel>()?;
    let output = match model.network().n_outputs() {
        1 => Output::Logistic,
        _ => Output::Softmax,
    };
    Some((model.network(), output))
}

/// What the steps before the network make of a point, as a matrix and an offset; nothing where
/// they bend the plane.
fn affine(steps: &[&dyn AnyModel], points: &Points) -> Result<Value> {
    let columns = points.rows.ncols();
    let origin = Array2::zeros((1, columns));
    let Some(offset) = through(steps, &origin)? else {
        return Ok(Value::Null);
    };
    let Some(ends) = through(steps, &Array2::eye(columns))? else {
        return Ok(Value::Null);
    };
    // A row per column of the points: where a step along it leads.
    let matrix = &ends - &offset;
    let straight = points.rows.dot(&matrix) + &offset;
    let Some(really) = through(steps, &points.rows)? else {
        return Ok(Value::Null);
    };
    let size = really
        .iter()
        .fold(1.0_f64, |most, value| most.max(value.abs()));
    let far = (&straight - &really)
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    if far > ROUNDING * size {
        return Ok(Value::Null);
    }
    let matrix: Vec<Vec<f64>> = matrix.axis_iter(Axis(1)).map(|row| row.to_vec()).collect();
    Ok(json!({ "matrix": matrix, "offset": offset.row(0).to_vec() }))
}

fn through(steps: &[&dyn AnyModel], rows: &Array2<f64>) -> Result<Option<Array2<f64>>> {
    let mut rows = rows.clone();
    for step in steps {
        let Some(transform) = step.as_transform() else {
            return Ok(None);
        };
        rows = match transform.transform_rows(Rows::Dense(rows.view())) {
            Ok(next) => next.into_dense().into_owned(),
            // A step for counts, say, has nothing to say about zero.
            Err(_) => return Ok(None),
        };
    }
    Ok(Some(rows))
}
