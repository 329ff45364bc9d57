//! From tables to data of the kind that a learner wants.

use didact_core::{
    Column, Data, DataKind, Error, Labelled, LabelledSequences, Labels, Learner, Measured,
    OwnedRows, PartialLabels, PartlyLabelled, Result, Rows, Samples, Sequences, Task,
};
use didact_data::Parts;
use ndarray::Array2;

/// Rows and targets as numbers, ready to be lent to a learner.
pub struct TableData {
    rows: OwnedRows,
    weights: Option<Vec<f64>>,
    lengths: Option<Vec<usize>>,
    target: Target,
}

enum Target {
    None,
    Labels(Labels),
    SomeLabels(PartialLabels),
    Values(Vec<f64>),
    Several(Array2<f64>),
}

impl TableData {
    /// Puts the rows made of the features and the other parts together, with the target as what
    /// `kind` needs.
    pub fn new(rows: impl Into<OwnedRows>, parts: Parts, kind: DataKind) -> Result<Self> {
        let rows = rows.into();
        let missing = || Error::data("this needs a target column; name it with --target");
        if !parts.more_targets.is_empty() && kind != DataKind::Measured {
            return Err(Error::data(format!(
                "{} columns are to be predicted but this method takes one; name one with --target",
                1 + parts.more_targets.len()
            )));
        }
        let target = match kind {
            DataKind::Labelled | DataKind::LabelledSequences => Target::Labels(
                parts
                    .target
                    .ok_or_else(missing)?
                    .partial_labels()
                    .complete()?,
            ),
            DataKind::PartlyLabelled => {
                Target::SomeLabels(parts.target.ok_or_else(missing)?.partial_labels())
            }
            DataKind::Measured => {
                let first = measurements(parts.target.ok_or_else(missing)?)?;
                match parts.more_targets.is_empty() {
                    true => Target::Values(first),
                    false => Target::Several(side_by_side(first, parts.more_targets)?),
                }
            }
            DataKind::Samples | DataKind::Sequences => Target::None,
            other => return Err(Error::unsupported(format!("a table does not hold {other}"))),
        };
        let sequences = matches!(kind, DataKind::Sequences | DataKind::LabelledSequences);
        let lengths = match parts.lengths {
            Some(lengths) => Some(lengths),
            // Without a column that tells sequences apart the table is one sequence.
            None => sequences.then(|| vec![rows.view().n_rows()]),
        };
        Ok(TableData {
            rows,
            weights: parts.weights,
            lengths,
            target,
        })
    }

    /// The data, borrowed.
    pub fn data(&self) -> Result<Data<'_>> {
        let mut samples = Samples::from(&self.rows);
        if let Some(weights) = &self.weights {
            samples = samples.weighted(weights)?;
        }
        Ok(match (&self.target, &self.lengths) {
            (Target::None, None) => Data::Samples(samples),
            (Target::Labels(labels), None) => Data::Labelled(Labelled::new(samples, labels)?),
            (Target::SomeLabels(labels), _) => {
                Data::PartlyLabelled(PartlyLabelled::new(samples, labels)?)
            }
            (Target::Values(values), _) => Data::Measured(Measured::new(samples, values)?),
            (Target::Several(values), _) => Data::Measured(Measured::many(samples, values.view())?),
            (Target::Labels(labels), Some(lengths)) => Data::LabelledSequences(
                LabelledSequences::new(Sequences::new(samples, lengths)?, labels)?,
            ),
            (Target::None, Some(lengths)) => Data::Sequences(Sequences::new(samples, lengths)?),
        })
    }

    /// The encoded rows.
    pub fn rows(&self) -> Rows<'_> {
        self.rows.view()
    }
}

/// Several targets, a column each.
fn side_by_side(first: Vec<f64>, others: Vec<Column>) -> Result<Array2<f64>> {
    let mut columns = vec![first];
    for column in others {
        columns.push(measurements(column)?);
    }
    let shape = (columns[0].len(), columns.len());
    Ok(Array2::from_shape_fn(shape, |(row, target)| {
        columns[target][row]
    }))
}

/// The target as real numbers, or an error that says which kind it is.
fn measurements(column: Column) -> Result<Vec<f64>> {
    match column {
        Column::Numbers(values) => match values.iter().position(|value| value.is_nan()) {
            None => Ok(values),
            Some(row) => Err(Error::data(format!(
                "the target of row {row} is missing; remove the rows without a target"
            ))),
        },
        other => Err(Error::data(format!(
            "the target is of kind {:?} but this method predicts numbers; choose a classifier",
            other.kind()
        ))),
    }
}

/// The kind of data that suits learner, target and sequences; `task` settles a choice between
/// classes and numbers that the target column leaves open.
pub fn kind_for(learner: &dyn Learner, parts: &Parts, task: Option<Task>) -> Result<DataKind> {
    let kinds: Vec<DataKind> = learner.routes().iter().map(|route| route.kind).collect();
    let has = |kind: DataKind| kinds.contains(&kind);
    let no_sequences =
        |kind: &DataKind| !matches!(kind, DataKind::Sequences | DataKind::LabelledSequences);
    let as_sequences = parts.lengths.is_some() || !kinds.iter().any(no_sequences);
    let Some(target) = &parts.target else {
        let kind = match as_sequences && has(DataKind::Sequences) {
            true => DataKind::Sequences,
            false => DataKind::Samples,
        };
        return match has(kind) {
            true => Ok(kind),
            false => Err(Error::data(format!(
                "{} learns from a target; name its column with --target",
                learner.id()
            ))),
        };
    };
    if as_sequences && (has(DataKind::LabelledSequences) || has(DataKind::Sequences)) {
        return Ok(DataKind::LabelledSequences);
    }
    let classes = match task {
        Some(Task::Classification) => true,
        Some(Task::Regression) => false,
        _ => match (has(DataKind::Labelled), has(DataKind::Measured)) {
            (true, false) => true,
            (false, true) => false,
            _ => target.looks_like_classes(),
        },
    };
    Ok(match classes {
        true if has(DataKind::PartlyLabelled) && target.n_missing() > 0 => DataKind::PartlyLabelled,
        true => DataKind::Labelled,
        false => DataKind::Measured,
    })
}
