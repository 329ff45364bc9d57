//! Data for every kind, and everything that a model says about rows, as comparable bits.

use didact::core::catalogue::Route;
use didact::core::random::generator;
use didact::core::{
    AnyModel, Data, DataKind, Entry, Labelled, LabelledSequences, Labels, Learner, Measured,
    PartialLabels, PartlyLabelled, Result, Rows, Samples, Sequences,
};
use ndarray::Array2;
use rand::RngExt;
use serde_json::{Map, Value};

/// Rows with all sorts of targets beside them.
#[derive(Clone)]
pub(crate) struct Fixture {
    pub(crate) x: Array2<f64>,
    pub(crate) labels: Labels,
    /// The same without every third.
    pub(crate) some_labels: PartialLabels,
    pub(crate) targets: Vec<f64>,
    pub(crate) lengths: Vec<usize>,
}

impl Fixture {
    /// Targets and labels that follow from the rows, for any rows.
    pub(crate) fn of(x: Array2<f64>) -> Self {
        let names = ["yes", "no", "maybe"];
        let n_rows = x.nrows();
        let score = |row: usize| {
            x.row(row)
                .iter()
                .filter(|value| value.is_finite())
                .sum::<f64>()
        };
        let mut order: Vec<usize> = (0..n_rows).collect();
        order.sort_by(|&a, &b| score(a).total_cmp(&score(b)).then(a.cmp(&b)));
        let mut class = vec![0; n_rows];
        for (place, &row) in order.iter().enumerate() {
            // A few labels are wrong on purpose, so that no class can be separated perfectly.
            class[row] = (place * 3 / n_rows.max(1) + usize::from(place % 7 == 3)) % 3;
        }
        let targets = (0..n_rows)
            .map(|row| {
                let sum = score(row);
                (if sum.is_finite() {
                    sum.clamp(-1e6, 1e6)
                } else {
                    0.0
                }) + (row % 5) as f64
            })
            .collect();
        let name = |row: usize| (row % 3 != 2).then_some(names[class[row]]);
        Fixture {
            some_labels: PartialLabels::from_names((0..n_rows).map(name)),
            labels: Labels::from_names(class.iter().map(|&class| names[class])),
            targets,
            lengths: lengths(n_rows),
            x,
        }
    }

    /// The data as the given kind.
    pub(crate) fn data(&self, kind: DataKind) -> Data<'_> {
        self.data_of(Samples::from(&self.x), kind)
    }

    pub(crate) fn data_of<'a>(&'a self, samples: Samples<'a>, kind: DataKind) -> Data<'a> {
        match kind {
            DataKind::Samples => Data::Samples(samples),
            DataKind::Labelled => Data::Labelled(Labelled::new(samples, &self.labels).unwrap()),
            DataKind::PartlyLabelled => {
                Data::PartlyLabelled(PartlyLabelled::new(samples, &self.some_labels).unwrap())
            }
            DataKind::Measured => Data::Measured(Measured::new(samples, &self.targets).unwrap()),
            DataKind::Sequences => Data::Sequences(Sequences::new(samples, &self.lengths).unwrap()),
            DataKind::LabelledSequences => {
                let sequences = Sequences::new(samples, &self.lengths).unwrap();
                Data::LabelledSequences(LabelledSequences::new(sequences, &self.labels).unwrap())
            }
            other => panic!("the laws need a fixture for {other}"),
        }
    }
}

/// Sequences of a dozen rows, the last one shorter.
fn lengths(n_rows: usize) -> Vec<usize> {
    let mut lengths = vec![12; n_rows / 12];
    if !n_rows.is_multiple_of(12) {
        lengths.push(n_rows % 12);
    }
    lengths
}

/// Three noisy groups in the plane and beyond.
pub(crate) fn groups(n_rows: usize, n_columns: usize, seed: u64) -> Fixture {
    let mut generator = generator(seed, 0);
    let mut noise = move || -> f64 { (0..4).map(|_| generator.random::<f64>() - 0.5).sum() };
    let x = Array2::from_shape_fn((n_rows, n_columns), |(row, column)| {
        let group = row % 3;
        (if column % 3 == group { 3.0 } else { 0.0 }) + noise()
    });
    Fixture::of(x)
}

/// The same with one column of small whole numbers, which suits numbers and symbols alike.
pub(crate) fn symbols(n_rows: usize, seed: u64) -> Fixture {
    Fixture::of(
        groups(n_rows, 1, seed)
            .x
            .mapv(|value| (value.abs() * 4.0).round().min(11.0)),
    )
}

/// Rows of zeros and ones.
pub(crate) fn coins(n_rows: usize, seed: u64) -> Fixture {
    Fixture::of(
        groups(n_rows, 4, seed)
            .x
            .mapv(|value| f64::from(value > 0.0)),
    )
}

/// Every algorithm with its default parameters, once per route.
pub(crate) fn every_route(mut law: impl FnMut(&Entry, &Route, &dyn Learner)) {
    for entry in didact::catalogue() {
        let learner = entry.learner(&Map::new()).unwrap();
        for route in &entry.routes {
            law(entry, route, learner.as_ref());
        }
    }
}

/// Every algorithm with its default parameters and with every choice of every parameter that
/// is a choice, once per route. The first argument says which.
pub(crate) fn every_variant(mut law: impl FnMut(&str, &Route, &dyn Learner)) {
    for entry in didact::catalogue() {
        for parameters in choices(entry) {
            let name = format!("{} {}", entry.id, Value::Object(parameters.clone()));
            let learner = entry.learner(&parameters).unwrap();
            for route in &entry.routes {
                law(&name, route, learner.as_ref());
            }
        }
    }
}

/// No parameter set, then each choice of each parameter alone.
fn choices(entry: &Entry) -> Vec<Map<String, Value>> {
    let mut list = vec![Map::new()];
    for (name, schema) in entry.schema["properties"].as_object().into_iter().flatten() {
        let pointer = schema["$ref"]
            .as_str()
            .and_then(|path| path.strip_prefix('#'));
        let schema = pointer
            .and_then(|path| entry.schema.pointer(path))
            .unwrap_or(schema);
        let variants = schema["oneOf"].as_array().into_iter().flatten();
        let words = variants
            .map(|variant| &variant["const"])
            .filter(|word| word.is_string());
        let flags = (schema["type"] == "boolean").then(|| [Value::from(false), Value::from(true)]);
        for value in words.cloned().chain(flags.into_iter().flatten()) {
            list.push(Map::from_iter([(name.clone(), value)]));
        }
    }
    list
}

/// Everything the model says about the rows, row by row: equal models give equal answers.
pub(crate) fn answers(model: &dyn AnyModel, rows: Rows<'_>) -> Result<Vec<Vec<f64>>> {
    let mut answers = vec![Vec::new(); rows.n_rows()];
    let mut add = |values: Array2<f64>| {
        for (answer, row) in answers.iter_mut().zip(values.rows()) {
            answer.extend(row);
        }
    };
    let column = |values: Vec<f64>| {
        let n_rows = values.len();
        Array2::from_shape_vec((n_rows, 1), values).expect("one value per row")
    };
    if let Some(ability) = model.as_classify() {
        add(column(
            ability
                .classify(rows)?
                .into_iter()
                .map(|label| label as f64)
                .collect(),
        ));
    }
    if let Some(ability) = model.as_probabilities() {
        add(ability.probabilities(rows)?);
    }
    if let Some(ability) = model.as_scores() {
        add(ability.scores(rows)?);
    }
    if let Some(ability) = model.as_regress() {
        add(ability.regress(rows)?);
    }
    if let Some(ability) = model.as_assign() {
        add(column(
            ability
                .assign(rows)?
                .into_iter()
                .map(|group| group.map_or(-1.0, |group| group as f64))
                .collect(),
        ));
    }
    if let Some(ability) = model.as_transform() {
        let transformed = ability.transform_rows(rows)?.into_dense();
        if let Some(ability) = model.as_invert() {
            add(ability.invert_rows(Rows::Dense(transformed.view()))?);
        }
        add(transformed);
    }
    if let Some(ability) = model.as_log_density() {
        add(column(ability.log_density(rows)?.to_vec()));
    }
    if let Some(ability) = model.as_deviations() {
        add(ability.deviations(rows)?);
    }
    Ok(answers)
}

/// What a sequence model says about the items of sequences.
pub(crate) fn sequence_answers(model: &dyn AnyModel, data: &Data<'_>) -> Result<Vec<Vec<f64>>> {
    let sequences = match data {
        Data::Sequences(sequences) => sequences,
        Data::LabelledSequences(data) => &data.sequences,
        _ => return Ok(Vec::new()),
    };
    let mut answers = Vec::new();
    if let Some(likelihood) = model.as_sequence_likelihood() {
        answers.push(likelihood.log_likelihoods(sequences)?);
    }
    let Some(decode) = model.as_decode() else {
        return Ok(answers);
    };
    let (states, scores) = decode.viterbi(sequences)?;
    let mut items: Vec<Vec<f64>> = states.iter().map(|&state| vec![state as f64]).collect();
    for (item, row) in items
        .iter_mut()
        .zip(decode.state_probabilities(sequences)?.rows())
    {
        item.extend(row);
    }
    // Items first, in the order of the rows.
    items.push(scores);
    items.append(&mut answers);
    Ok(items)
}

/// All that can be compared between two models: answers, attributes, what is drawn.
pub(crate) fn fingerprint(model: &dyn AnyModel, data: &Data<'_>) -> Result<Vec<Vec<f64>>> {
    let samples = data.samples().expect("the fixtures have rows");
    let mut all = answers(model, samples.rows())?;
    all.extend(sequence_answers(model, data)?);
    for (_, value) in model.attributes() {
        if let Some(array) = value.as_array() {
            all.push(array.iter().copied().collect());
        }
        all.push(value.as_number().into_iter().collect());
    }
    if let Some(sample) = model.as_sample() {
        let drawn = sample.draw(5, &mut generator(3, 0))?;
        all.push(drawn.rows.iter().copied().collect());
    }
    if let Some(trace) = model.trace() {
        all.push(trace.objectives.clone());
    }
    Ok(all)
}

/// Bit patterns, so that equal means equal.
pub(crate) fn bits(values: &[Vec<f64>]) -> Vec<Vec<u64>> {
    values
        .iter()
        .map(|row| row.iter().map(|value| value.to_bits()).collect())
        .collect()
}
