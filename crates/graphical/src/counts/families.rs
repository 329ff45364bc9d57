//! Counts of a node's values for every combination of its parents' values.

use super::CategoryTable;
use didact_core::{Error, Result, Run, parallel};
use didact_math::numeric::x_log_x;

/// Rows that one thread counts at once.
const ROWS_AT_ONCE: usize = 1 << 16;

/// Most cells of one conditional table.
pub(crate) fn most_cells() -> usize {
    1 << 24
}

/// A node with some parents, ready to be counted with one parent more.
///
/// The code of a row is (place of the parents' values)·r + value, so that the counts of one
/// combination of the parents lie together.
pub(crate) struct Family<'a> {
    data: &'a CategoryTable,
    child: usize,
    cells: usize,
    codes: Vec<u32>,
}

impl<'a> Family<'a> {
    /// Prepares the family; an error where its table would be too large.
    pub(crate) fn new(data: &'a CategoryTable, child: usize, parents: &[usize]) -> Result<Self> {
        let sizes = data.sizes();
        let factors = parents.iter().chain([&child]);
        let cells = factors
            .clone()
            .try_fold(1_usize, |cells, &node| cells.checked_mul(sizes[node]));
        let Some(cells) = cells.filter(|&cells| cells <= most_cells()) else {
            return Err(Error::data(format!(
                "the table of column {child} with the parents {parents:?} has more than {} cells; \
                 lower max_parents, give fewer edges or merge rare values of these columns",
                most_cells()
            )));
        };
        let mut codes = vec![0_u32; data.n_rows()];
        for &node in factors {
            let size = sizes[node] as u32;
            let pairs = codes.iter_mut().zip(data.column(node));
            pairs.for_each(|(code, value)| *code = *code * size + value);
        }
        Ok(Family {
            data,
            child,
            cells,
            codes,
        })
    }

    /// The weight of the rows in each cell, combination after combination.
    pub(crate) fn counts(&self, run: &Run) -> Result<Vec<f64>> {
        let weights = self.data.weights();
        let counts = parallel::reduce(
            self.codes.len(),
            ROWS_AT_ONCE.max(self.cells),
            run,
            &|rows| {
                let mut counts = vec![0.0; self.cells];
                match weights {
                    None => self.codes[rows]
                        .iter()
                        .for_each(|&code| counts[code as usize] += 1.0),
                    Some(weights) => {
                        let pairs = self.codes[rows.clone()].iter().zip(&weights[rows]);
                        pairs.for_each(|(&code, weight)| counts[code as usize] += weight);
                    }
                }
                Ok(counts)
            },
            &|mut left: Vec<f64>, right| {
                left.iter_mut()
                    .zip(right)
                    .for_each(|(left, right)| *left += right);
                left
            },
        )?;
        Ok(counts.unwrap_or_else(|| vec![0.0; self.cells]))
    }

    /// Σ ln θ̂(value | parents) over the rows with the observed shares θ̂.
    pub(crate) fn log_likelihood(&self, run: &Run) -> Result<f64> {
        Ok(self.of_counts(&self.counts(run)?))
    }

    /// The same with one more parent. `counts` is room that is used again and again.
    pub(crate) fn log_likelihood_with(&self, parent: usize, counts: &mut Vec<f64>) -> f64 {
        let size = self.data.sizes()[parent];
        let values = self.data.column(parent);
        // Many more cells than rows are mostly empty: then it is quicker to sort the rows.
        if self.cells.saturating_mul(size) > 8 * self.codes.len() + 4096 {
            return self.sorted_log_likelihood(values);
        }
        counts.clear();
        counts.resize(self.cells * size, 0.0);
        let places = self.codes.iter().zip(values);
        let places = places.map(|(&code, &value)| value as usize * self.cells + code as usize);
        match self.data.weights() {
            None => places.for_each(|place| counts[place] += 1.0),
            Some(weights) => places
                .zip(weights)
                .for_each(|(place, weight)| counts[place] += weight),
        }
        self.of_counts(counts)
    }

    fn sorted_log_likelihood(&self, values: &[u32]) -> f64 {
        let weight = |row: usize| self.data.weights().map_or(1.0, |weights| weights[row]);
        let place =
            |row: usize| u64::from(values[row]) * self.cells as u64 + u64::from(self.codes[row]);
        let mut rows: Vec<(u64, f64)> = (0..self.codes.len())
            .map(|row| (place(row), weight(row)))
            .collect();
        // Equal places keep the order of the rows, so that sums are the same every time.
        rows.sort_by_key(|row| row.0);
        let size = self.data.sizes()[self.child] as u64;
        let mut sum = 0.0;
        for combination in rows.chunk_by(|left, right| left.0 / size == right.0 / size) {
            let total = |rows: &[(u64, f64)]| rows.iter().map(|row| row.1).sum::<f64>();
            let cells = combination.chunk_by(|left, right| left.0 == right.0);
            sum +=
                cells.map(|cell| x_log_x(total(cell))).sum::<f64>() - x_log_x(total(combination));
        }
        sum
    }

    /// Σ N_v·ln(N_v/N) over all combinations of the parents.
    fn of_counts(&self, counts: &[f64]) -> f64 {
        let combination = |counts: &[f64]| {
            let total: f64 = counts.iter().sum();
            match total > 0.0 {
                true => counts.iter().map(|&count| x_log_x(count)).sum::<f64>() - x_log_x(total),
                false => 0.0,
            }
        };
        counts
            .chunks_exact(self.data.sizes()[self.child])
            .map(combination)
            .sum()
    }
}
