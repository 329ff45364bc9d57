//! Everything that the page shows of a fitted model.

use crate::failure::Failure;
use crate::map::single_scores;
use crate::members::class_figures;
use crate::network::described;
use crate::picture::kinds;
use crate::quality::quality;
use crate::request::{Points, Request};
use crate::views::correlations;
use didact::Trained;
use didact::core::abilities::check_rows;
use didact::core::catalogue::Values;
use didact::core::{AnyModel, DataKind, Learner, Result, Rows, Run, Samples, Sequences, Value};
use didact::evaluate::score;
use ndarray::Array2;
use serde_json::{Map, Value as Json, json};

/// Larger arrays are described by their shape.
const LARGEST_ARRAY: usize = 4096;

/// The answers of the model for the points and the map, and what it knows.
pub(crate) fn answer(
    request: &Request,
    learner: &dyn Learner,
    points: &Points,
    trained: &Trained,
    run: &Run,
) -> Result<Json, Failure> {
    let model = trained.model.as_ref();
    let all = request.all_rows()?;
    let mut figures: Vec<Json> = model
        .figures()
        .into_iter()
        .map(|(named, shape)| {
            json!({ "name": named.name, "meaning": named.meaning, "shape": shape })
        })
        .collect();
    figures.extend(class_figures(&request.spec, points, run)?);
    let attributes: Vec<Json> = model
        .attributes()
        .into_iter()
        .map(|(named, value)| {
            json!({ "name": named.name, "meaning": named.meaning, "value": plain(value) })
        })
        .collect();
    // Between whole numbers, and below zero, methods for counts and codes have nothing to say.
    let everywhere = learner.route_for(points.kind())?.values == Values::Any;
    let maps = match &request.grid {
        Some(grid) if model.n_features() > 0 && everywhere => {
            grid.maps(model, typical_error(model, points)?, request.margins)?
        }
        _ => Vec::new(),
    };
    Ok(json!({
        "kind": trained.header.kind,
        "abilities": model.ability_names(),
        "facts": trained.header.training,
        "trace": model.trace().map(|trace| json!({
            "name": trace.objective_name, "values": trace.objectives, "stop": trace.stop,
        })),
        "attributes": attributes,
        "figures": figures,
        "maps": maps,
        "points": answers(model, &all, points, request.margins)?,
        "pictures": kinds(trained, points)?,
        "scores": scores(request, learner, points, model)?,
        "quality": quality(request, points, model)?,
        "network": described(request, points, model)?,
        "views": correlations(&request.spec, points, model, run)?,
    }))
}

/// The root mean squared error of a model that predicts numbers, on its own points.
fn typical_error(model: &dyn AnyModel, points: &Points) -> Result<Option<f64>> {
    let (Some(regress), DataKind::Measured) = (model.as_regress(), points.kind()) else {
        return Ok(None);
    };
    let predicted = regress.regress(Rows::Dense(points.rows.view()))?;
    let both = predicted
        .column(0)
        .into_iter()
        .zip(points.targets().column(0));
    let squares: f64 = both.map(|(said, truth)| (said - truth).powi(2)).sum();
    Ok(Some((squares / points.len().max(1) as f64).sqrt()))
}

/// What the model says about each point.
fn answers(
    model: &dyn AnyModel,
    all: &Array2<f64>,
    points: &Points,
    margins: bool,
) -> Result<Json> {
    let rows = Rows::Dense(all.view());
    let mut said = Map::new();
    if all.nrows() == 0 {
        return Ok(said.into());
    }
    check_rows(model, rows.reborrow())?;
    if let Some(classify) = model.as_classify() {
        said.insert("labels".into(), json!(classify.classify(rows.reborrow())?));
    } else if let Some(assign) = model.as_assign() {
        said.insert("clusters".into(), json!(assign.assign(rows.reborrow())?));
    } else if let Some(regress) = model.as_regress() {
        let values = regress.regress(rows.reborrow())?;
        said.insert("values".into(), json!(values.column(0).to_vec()));
    }
    if let Some(transform) = model.as_transform() {
        let names: Vec<String> = (0..all.ncols())
            .map(|column| format!("x{column}"))
            .collect();
        let projected = transform.transform_rows(rows)?.into_dense();
        said.insert("projected".into(), lists(&projected));
        // A whitening that lost a column, say, cannot be taken back; the rest is shown all the same.
        if let Some(Ok(back)) = model
            .as_invert()
            .map(|invert| invert.invert_rows(Rows::Dense(projected.view())))
        {
            said.insert("reconstructed".into(), lists(&back));
        }
        said.insert(
            "projected_names".into(),
            json!(transform.output_names(&names)),
        );
    }
    if let Some(scores) = match margins {
        true => single_scores(model, all)?,
        false => None,
    } {
        said.insert("scores".into(), json!(scores));
    }
    if let Some(decode) = model.as_decode() {
        let sequences = Sequences::new(Samples::from(&points.rows), points.lengths())?;
        let (states, scores) = decode.viterbi(&sequences)?;
        said.insert("states".into(), json!(states));
        said.insert("log_probabilities".into(), json!(scores));
        said.insert("n_states".into(), json!(decode.n_states()));
    }
    Ok(said.into())
}

/// How good the model is on what it learned from and on what was held back.
fn scores(
    request: &Request,
    learner: &dyn Learner,
    points: &Points,
    model: &dyn AnyModel,
) -> Result<Json> {
    let judge = |points: &Points| -> Result<Json> {
        if points.len() == 0 {
            return Ok(Json::Null);
        }
        let data = points.data()?;
        let mut said = Map::new();
        // Some models (clusters without a density) cannot be judged without true groups.
        said.insert(
            "figures".into(),
            json!(score(model, &data).unwrap_or_default()),
        );
        if let Some(classify) = model.as_classify() {
            let predicted = classify.classify(Rows::Dense(points.rows.view()))?;
            let count = classify.classes().len();
            let mut confusion = vec![vec![0; count]; count];
            for (&truth, &predicted) in points.labels().iter().zip(&predicted) {
                confusion[truth][predicted] += 1;
            }
            said.insert("confusion".into(), json!(confusion));
        }
        Ok(said.into())
    };
    let test = match request.train.is_some() {
        true => judge(&request.testing(learner)?)?,
        false => Json::Null,
    };
    Ok(json!({ "train": judge(points)?, "test": test, "learned": points.places.len() }))
}

fn lists(matrix: &Array2<f64>) -> Json {
    let rows = matrix.rows().into_iter();
    rows.map(|row| json!(row.to_vec())).collect()
}

fn plain(value: Value<'_>) -> Json {
    match value {
        Value::Number(number) => json!(number),
        Value::Integer(number) => json!(number),
        Value::Flag(flag) => json!(flag),
        Value::Text(text) => json!(text),
        Value::Array(array) if array.len() > LARGEST_ARRAY => json!({ "shape": array.shape() }),
        Value::Array(array) => nested(array.view()),
        Value::Integers(numbers) if numbers.len() > LARGEST_ARRAY => {
            json!({ "shape": [numbers.len()] })
        }
        Value::Integers(numbers) => json!(numbers),
        Value::Names(names) => json!(names),
        Value::Absent => Json::Null,
    }
}

fn nested(array: ndarray::ArrayViewD<'_, f64>) -> Json {
    match array.ndim() {
        0 => json!(array.first()),
        1 => json!(array.iter().collect::<Vec<_>>()),
        _ => array.outer_iter().map(nested).collect(),
    }
}
