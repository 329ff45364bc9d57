//! Work over many sequences, cut by the number of rows alone.

use didact_core::{Result, Run, Sequences, parallel};
use std::ops::Range;

/// Enough rows that a thread is worth its while.
pub(crate) const LEAST_ROWS: usize = 2048;

/// Some consecutive sequences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// The rows of all of them.
    pub(crate) rows: Range<usize>,
    /// The rows of each.
    pub(crate) sequences: Vec<Range<usize>>,
}

/// Cuts sequences into groups of at least `least_rows` rows, except perhaps the last.
pub(crate) fn groups(sequences: &Sequences<'_>, least_rows: usize) -> Vec<Group> {
    group_ranges(sequences.ranges(), least_rows)
}

/// The same for the rows of each sequence.
pub(crate) fn group_ranges(
    sequences: impl Iterator<Item = Range<usize>>,
    least_rows: usize,
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for range in sequences {
        match groups
            .last_mut()
            .filter(|group| group.rows.len() < least_rows)
        {
            Some(group) => {
                group.rows.end = range.end;
                group.sequences.push(range);
            }
            None => groups.push(Group {
                rows: range.clone(),
                sequences: vec![range],
            }),
        }
    }
    groups
}

/// Works on every group in parallel and merges the results in a fixed order.
pub(crate) fn over_groups<T: Send>(
    groups: &[Group],
    run: &Run,
    work: impl Fn(&Group) -> Result<T> + Sync,
    merge: impl Fn(T, T) -> Result<T> + Sync,
) -> Result<Option<T>> {
    let merged = parallel::reduce(
        groups.len(),
        1,
        run,
        &|range| Ok(work(&groups[range.start])),
        &|left, right| merge(left?, right?),
    )?;
    merged.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn groups_hold_whole_sequences_and_enough_rows() {
        let rows = Array2::zeros((12, 1));
        let sequences = Sequences::new(&rows, &[3, 1, 5, 2, 1]).unwrap();
        let ranges: Vec<_> = groups(&sequences, 4)
            .into_iter()
            .map(|group| group.rows)
            .collect();
        assert_eq!(ranges, [0..4, 4..9, 9..12]);
        assert_eq!(groups(&sequences, 100).len(), 1);
        assert_eq!(groups(&sequences, 4)[2].sequences, [9..11, 11..12]);
    }
}
