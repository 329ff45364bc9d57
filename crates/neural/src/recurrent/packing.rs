//! Sequences side by side: all first items, then all second items, and so on.

use std::ops::Range;

/// Where the items of several sequences are when they are packed step by step, the longest
/// sequence first: at every step the sequences that are still running are the first ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Packing {
    /// The sequences in the order of their lengths, longest first.
    pub(crate) order: Vec<usize>,
    /// For every packed row the row of the item in the data.
    pub(crate) rows: Vec<usize>,
    /// The first packed row of each step, and the number of rows at the end.
    offsets: Vec<usize>,
}

impl Packing {
    /// Packs the chosen sequences, given the rows of all.
    pub(crate) fn new(ranges: &[Range<usize>], chosen: &[usize]) -> Self {
        let mut order = chosen.to_vec();
        // A stable sort keeps the given order among equals.
        order.sort_by_key(|&sequence| std::cmp::Reverse(ranges[sequence].len()));
        let longest = order.first().map_or(0, |&sequence| ranges[sequence].len());
        let total = order.iter().map(|&sequence| ranges[sequence].len()).sum();
        let mut rows = Vec::with_capacity(total);
        let mut offsets = Vec::with_capacity(longest + 1);
        for step in 0..longest {
            offsets.push(rows.len());
            let running = order
                .iter()
                .take_while(|&&sequence| step < ranges[sequence].len());
            rows.extend(running.map(|&sequence| ranges[sequence].start + step));
        }
        offsets.push(rows.len());
        Packing {
            order,
            rows,
            offsets,
        }
    }

    /// Number of steps of the longest sequence.
    pub(crate) fn n_steps(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The packed rows of a step.
    pub(crate) fn step(&self, step: usize) -> Range<usize> {
        self.offsets[step]..self.offsets[step + 1]
    }

    /// The packed rows, one step before, of the sequences that are still running at a step.
    pub(crate) fn before(&self, step: usize) -> Range<usize> {
        let start = self.offsets[step - 1];
        start..start + self.step(step).len()
    }

    /// The packed row of the last item of each sequence, in the order of the packing.
    pub(crate) fn last_rows(&self) -> Vec<usize> {
        let mut last = vec![0; self.order.len()];
        for step in 0..self.n_steps() {
            for (place, row) in self.step(step).enumerate() {
                last[place] = row;
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stand_step_by_step_with_the_longest_sequence_first() {
        let ranges = [0..1, 1..4, 4..6, 6..9];
        let packing = Packing::new(&ranges, &[0, 1, 2, 3]);
        assert_eq!(packing.order, [1, 3, 2, 0]);
        assert_eq!(packing.rows, [1, 6, 4, 0, 2, 7, 5, 3, 8]);
        assert_eq!(
            (packing.n_steps(), packing.step(1), packing.step(2)),
            (3, 4..7, 7..9)
        );
        assert_eq!(packing.before(2), 4..6);
        assert_eq!(packing.last_rows(), [7, 8, 6, 3]);
    }
}
