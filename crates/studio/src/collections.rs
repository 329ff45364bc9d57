//! What there is to choose from: algorithms, generators, data sets.

use crate::Shared;
use crate::blocking::finished;
use crate::failure::Failure;
use axum::Json;
use axum::extract::{Path, State};
use didact::Error;
use didact::core::Column;
use didact::datasets::{self, Dataset};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Most rows that are sent to the page.
const MOST_ROWS: usize = 20_000;

/// Most numbers that are drawn at once.
const MOST_CELLS: u64 = 4_000_000;

/// Every algorithm.
pub(crate) async fn catalogue() -> Json<&'static [didact::core::Entry]> {
    Json(didact::catalogue())
}

/// Every generator with the schema of its parameters.
pub(crate) async fn generators() -> Json<Value> {
    let list: Vec<Value> = datasets::generators()
        .iter()
        .map(|entry| json!({ "info": entry.info, "schema": *(entry.schema)() }))
        .collect();
    Json(list.into())
}

/// Every built-in data set.
pub(crate) async fn datasets() -> Json<Vec<&'static datasets::Info>> {
    Json(datasets::list().collect())
}

/// Which generator, with which parameters.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    id: String,
    #[serde(default)]
    parameters: Map<String, Value>,
    #[serde(default)]
    seed: u64,
}

/// Rows as the canvas shows them.
#[derive(Serialize)]
pub(crate) struct Points {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
    /// The class of each row, where there are classes.
    labels: Option<Vec<usize>>,
    classes: Vec<String>,
    /// The measured target of each row, where there is one.
    values: Option<Vec<f64>>,
    lengths: Option<Vec<usize>>,
}

/// Draws data.
pub(crate) async fn generate(
    State(shared): State<Shared>,
    Json(wanted): Json<Wanted>,
) -> Result<Json<Points>, Failure> {
    let drawn = finished(&shared, move |_| {
        let entry = datasets::generators()
            .iter()
            .find(|entry| entry.info.id == wanted.id)
            .ok_or_else(|| Failure::NotFound(format!("generator {}", wanted.id)))?;
        wanted.check_size()?;
        Ok(points(&entry.generate(&wanted.parameters, wanted.seed)?))
    });
    Ok(Json(drawn.await?))
}

impl Wanted {
    /// Fails where so much is asked for that it would fill the memory: whole numbers count rows,
    /// columns and groups, so none may be larger than the canvas, nor their product than what
    /// some thousand rows of some hundred columns need.
    fn check_size(&self) -> didact::Result<()> {
        let mut cells: u64 = 1;
        for (name, value) in &self.parameters {
            let Some(count) = value.as_u64() else {
                continue;
            };
            if count > MOST_ROWS as u64 {
                let requirement = format!("the canvas shows at most {MOST_ROWS} points");
                return Err(Error::parameter(name.as_str(), count, requirement));
            }
            cells = cells.saturating_mul(count.max(1));
        }
        match cells > MOST_CELLS {
            true => Err(Error::unsupported(format!(
                "this asks for about {cells} numbers; the studio draws at most {MOST_CELLS}"
            ))),
            false => Ok(()),
        }
    }
}

/// A built-in data set.
pub(crate) async fn dataset(Path(id): Path<String>) -> Result<Json<Points>, Failure> {
    let found = datasets::load(&id).map_err(|_| Failure::NotFound(format!("data set {id}")))?;
    Ok(Json(points(&found)))
}

fn points(dataset: &Dataset) -> Points {
    // Rows with gaps cannot be drawn.
    let whole: Vec<usize> = (0..dataset.features().nrows())
        .filter(|&row| {
            dataset
                .features()
                .row(row)
                .iter()
                .all(|value| value.is_finite())
        })
        .take(MOST_ROWS)
        .collect();
    let labels = dataset.labels().ok();
    let target = dataset
        .target()
        .and_then(|name| dataset.table().column(name).ok());
    let values = match (labels, target) {
        (None, Some(Column::Numbers(values))) => {
            Some(whole.iter().map(|&row| values[row]).collect())
        }
        _ => None,
    };
    Points {
        names: dataset.feature_names().to_vec(),
        rows: whole
            .iter()
            .map(|&row| dataset.features().row(row).to_vec())
            .collect(),
        classes: labels.map_or_else(Vec::new, |labels| {
            labels
                .classes
                .names()
                .iter()
                .map(ToString::to_string)
                .collect()
        }),
        labels: labels.map(|labels| whole.iter().map(|&row| labels.indices[row]).collect()),
        values,
        lengths: dataset
            .sequence()
            .and_then(|_| Some(dataset.sequences().ok()?.lengths.to_vec())),
    }
}
