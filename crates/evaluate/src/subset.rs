//! Some rows of data of any kind, owned, for folds and splits.

use crate::split::{Keep, Split, k_fold, split};
use didact_core::{
    Classes, Data, DataKind, Error, Labelled, LabelledSequences, Measured, Result, Samples,
    Sequences,
};
use ndarray::{Array2, Axis};

/// Some rows (or whole sequences) of a data set, with their targets.
pub struct Subset<'a> {
    samples: Samples<'static>,
    targets: Targets<'a>,
    lengths: Option<Vec<usize>>,
}

enum Targets<'a> {
    None,
    Labels(Vec<usize>, &'a Classes),
    Values(Array2<f64>),
}

impl<'a> Subset<'a> {
    /// Takes the chosen units, which are rows, or sequences where the data are sequences.
    pub fn new(data: &Data<'a>, units: &[usize]) -> Result<Self> {
        let lengths = sequence_lengths(data);
        let rows = match lengths {
            None => units.to_vec(),
            Some(lengths) => rows_of(lengths, units),
        };
        let samples = data
            .samples()
            .ok_or_else(|| Error::unsupported("ratings are not cut by rows"))?
            .select(&rows);
        let pick = |labels: &[usize]| rows.iter().map(|&row| labels[row]).collect();
        let targets = match data {
            Data::Labelled(data) => Targets::Labels(pick(data.labels), data.classes),
            Data::LabelledSequences(data) => Targets::Labels(pick(data.labels), data.classes),
            Data::Measured(data) => Targets::Values(data.targets.select(Axis(0), &rows)),
            Data::Samples(_) | Data::Sequences(_) => Targets::None,
            _ => {
                return Err(Error::unsupported(format!(
                    "{} cannot be cut into folds",
                    data.kind()
                )));
            }
        };
        Ok(Subset {
            samples,
            targets,
            lengths: lengths.map(|lengths| units.iter().map(|&unit| lengths[unit]).collect()),
        })
    }

    /// The rows as data of the kind they came from.
    pub fn data(&self) -> Result<Data<'_>> {
        let samples = self.samples.view();
        Ok(match (&self.targets, &self.lengths) {
            (Targets::None, None) => Data::Samples(samples),
            (Targets::Labels(labels, classes), None) => {
                Data::Labelled(Labelled::from_parts(samples, labels, classes)?)
            }
            (Targets::Values(values), None) => {
                Data::Measured(Measured::many(samples, values.view())?)
            }
            (Targets::Labels(labels, classes), Some(lengths)) => {
                Data::LabelledSequences(LabelledSequences {
                    sequences: Sequences::new(samples, lengths)?,
                    labels,
                    classes,
                })
            }
            (_, Some(lengths)) => Data::Sequences(Sequences::new(samples, lengths)?),
        })
    }
}

fn sequence_lengths<'b>(data: &'b Data<'_>) -> Option<&'b [usize]> {
    match data {
        Data::Sequences(data) => Some(data.lengths),
        Data::LabelledSequences(data) => Some(data.sequences.lengths),
        _ => None,
    }
}

fn rows_of(lengths: &[usize], sequences: &[usize]) -> Vec<usize> {
    let starts: Vec<usize> = lengths
        .iter()
        .scan(0, |next, length| {
            let start = *next;
            *next += length;
            Some(start)
        })
        .collect();
    sequences
        .iter()
        .flat_map(|&sequence| starts[sequence]..starts[sequence] + lengths[sequence])
        .collect()
}

/// Number of units that can be dealt out: rows, or whole sequences.
pub fn n_units(data: &Data<'_>) -> usize {
    match sequence_lengths(data) {
        Some(lengths) => lengths.len(),
        None => data.samples().map_or(0, |samples| samples.n_rows()),
    }
}

/// Folds that suit the data: class shares are kept for labelled rows, sequences stay whole.
pub fn folds_for(data: &Data<'_>, n_folds: usize, seed: u64) -> Result<Vec<Split>> {
    k_fold(n_units(data), n_folds, seed, keep_for(data))
}

/// A split that suits the data in the same way as [`folds_for`].
pub fn split_for(data: &Data<'_>, train_share: f64, seed: u64) -> Result<Split> {
    split(n_units(data), train_share, seed, keep_for(data))
}

fn keep_for<'b>(data: &'b Data<'_>) -> Keep<'b> {
    match data {
        Data::Labelled(data) => Keep::Shares(data.labels),
        _ => Keep::Nothing,
    }
}

/// Whether data of this kind have something to compare predictions with.
pub fn has_targets(kind: DataKind) -> bool {
    matches!(
        kind,
        DataKind::Labelled | DataKind::Measured | DataKind::LabelledSequences
    )
}
