//! Pictures of hidden states.

use super::Subject;
use didact_core::{Data, Decode, Error, Result, Sequences};
use didact_plot::Picture;
use ndarray::s;
use std::ops::Range;

/// More quantities than this are too many for one picture.
const MOST_SERIES: usize = 6;

/// The sequence that is shown, its rows in the whole, and the model.
fn decoded<'a, 'd>(
    subject: &Subject<'a, 'd>,
) -> Result<(&'a dyn Decode, &'a Sequences<'d>, Range<usize>)> {
    let decode = subject.trained.model.as_decode();
    let decode = decode.ok_or_else(|| Error::unsupported("this model explains no sequences"))?;
    let sequences = match subject.data()? {
        Data::Sequences(sequences) => sequences,
        Data::LabelledSequences(data) => &data.sequences,
        _ => return Err(Error::unsupported("this picture needs sequences")),
    };
    let number = subject.options.sequence;
    if number >= sequences.lengths.len() {
        return Err(Error::parameter(
            "sequence",
            number,
            format!(
                "there are {} sequences, counted from 0",
                sequences.lengths.len()
            ),
        ));
    }
    let start: usize = sequences.lengths[..number].iter().sum();
    Ok((decode, sequences, start..start + sequences.lengths[number]))
}

fn state_names(decode: &dyn Decode) -> Vec<String> {
    match decode.state_names() {
        Some(classes) => classes.names().iter().map(ToString::to_string).collect(),
        None => (0..decode.n_states())
            .map(|state| format!("state {state}"))
            .collect(),
    }
}

pub(super) fn state_path(subject: &Subject<'_, '_>) -> Result<Picture> {
    let rows = subject.dense()?;
    let (decode, sequences, range) = decoded(subject)?;
    let (path, _) = decode.viterbi(sequences)?;
    let shown = rows.ncols().min(MOST_SERIES);
    let series = rows.slice(s![range.clone(), ..shown]);
    let names = subject.names();
    didact_plot::state_path(series, &names[..shown], &path[range], &state_names(decode))
}

pub(super) fn trellis(subject: &Subject<'_, '_>) -> Result<Picture> {
    let (decode, sequences, range) = decoded(subject)?;
    let (path, _) = decode.viterbi(sequences)?;
    let probabilities = decode.state_probabilities(sequences)?;
    let items: Vec<String> = (1..=range.len()).map(|item| item.to_string()).collect();
    didact_plot::trellis(
        probabilities.slice(s![range.clone(), ..]),
        &path[range],
        &state_names(decode),
        &items,
    )
}
