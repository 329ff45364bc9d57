//! Segmental k-means: the counts of Baum–Welch with the best path in place of the posteriors.

use super::decode::viterbi;
use super::groups::{Group, LEAST_ROWS, groups, over_groups};
use super::model::{Engine, HmmModel};
use super::statistics::Statistics;
use didact_core::{Features, Result, Run, Sequences};

/// Counts along the best path of every sequence; the likelihood is that of the paths.
pub(crate) fn path_counts(
    model: &HmmModel,
    sequences: &Sequences<'_>,
    first_row: usize,
    run: &Run,
) -> Result<Statistics> {
    let values = model.values(sequences.samples.rows())?;
    let engine = model.engine()?;
    let counts = over_groups(
        &groups(sequences, LEAST_ROWS),
        run,
        |group| count_group(model, &engine, values, group, first_row, run),
        |left, right| left.merge(&right),
    )?;
    Ok(counts.unwrap_or_else(|| Statistics::zeros(model)))
}

fn count_group(
    model: &HmmModel,
    engine: &Engine,
    values: &[f64],
    group: &Group,
    first_row: usize,
    run: &Run,
) -> Result<Statistics> {
    let (k, d) = (model.n_states(), model.n_features());
    let rows = &values[group.rows.start * d..group.rows.end * d];
    let place = first_row + group.rows.start;
    let evaluated = engine.scorer.evaluate(rows, k, place, run)?;
    let mut counts = Statistics::zeros(model);
    let mut certainty = vec![0.0; group.rows.len() * k];
    let mut path = Vec::new();
    for range in &group.sequences {
        let items = range.start - group.rows.start..range.end - group.rows.start;
        path.resize(items.len(), 0);
        let score = viterbi(&engine.chain, &evaluated, items.clone(), &mut path, run)?;
        if score == f64::NEG_INFINITY {
            counts
                .first_impossible
                .get_or_insert(first_row + range.start);
        }
        counts.log_likelihood += score;
        let own = &mut certainty[items.start * k..items.end * k];
        counts.add_path(&path, own);
    }
    counts.add_items(model, rows, &certainty, run)?;
    Ok(counts)
}
