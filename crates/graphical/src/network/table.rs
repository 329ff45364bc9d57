//! The conditional table of a node.

use didact_core::{Error, Result};

/// How far the sum of a row may be from one.
const ROUNDING: f64 = 1e-9;

/// P(value | values of the parents): a row for every combination of the parents' values, the
/// last parent changing fastest, and a column for every value.
///
/// With m parents of two values each a node of two values has 2ᵐ rows and two columns.
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionalTable {
    n_values: usize,
    parent_sizes: Vec<usize>,
    /// How many rows further the next value of each parent is.
    parent_strides: Vec<usize>,
    probabilities: Vec<f64>,
    /// Their logarithms, which follow from them.
    logs: Vec<f64>,
}

impl ConditionalTable {
    /// The table of a variable with so many values whose parents have so many; the numbers come
    /// row after row. Fails unless every row sums to one.
    pub fn new(
        name: &str,
        n_values: usize,
        parent_sizes: Vec<usize>,
        probabilities: Vec<f64>,
    ) -> Result<Self> {
        if n_values == 0 {
            return Err(Error::data(format!(
                "variable {name} has no values; it needs at least one"
            )));
        }
        let rows = (parent_sizes.iter()).try_fold(1_usize, |rows, &size| rows.checked_mul(size));
        let cells = rows.and_then(|rows| rows.checked_mul(n_values));
        if cells != Some(probabilities.len()) || cells == Some(0) {
            return Err(Error::data(format!(
                "the table of {name} has {} numbers; {n_values} values and parents of {parent_sizes:?} \
                 values need one for each combination",
                probabilities.len()
            )));
        }
        for (row, shares) in probabilities.chunks_exact(n_values).enumerate() {
            check_row(name, row, shares)?;
        }
        let mut parent_strides = vec![1; parent_sizes.len()];
        for place in (1..parent_sizes.len()).rev() {
            parent_strides[place - 1] = parent_strides[place] * parent_sizes[place];
        }
        Ok(ConditionalTable {
            logs: probabilities.iter().map(|share| share.ln()).collect(),
            n_values,
            parent_sizes,
            parent_strides,
            probabilities,
        })
    }

    /// How many values the variable has.
    pub fn n_values(&self) -> usize {
        self.n_values
    }

    /// How many values each parent has.
    pub fn parent_sizes(&self) -> &[usize] {
        &self.parent_sizes
    }

    pub(crate) fn parent_strides(&self) -> &[usize] {
        &self.parent_strides
    }

    /// Number of rows: combinations of the parents' values.
    pub fn n_rows(&self) -> usize {
        self.probabilities.len() / self.n_values
    }

    /// All probabilities, row after row.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    pub(crate) fn logs(&self) -> &[f64] {
        &self.logs
    }

    /// The distribution of the variable in a row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.probabilities[row * self.n_values..][..self.n_values]
    }

    /// The row of these values of the parents.
    pub(crate) fn row_of(&self, values: impl Iterator<Item = usize>) -> usize {
        let pairs = self.parent_strides.iter().zip(values);
        pairs.map(|(stride, value)| stride * value).sum()
    }
}

fn check_row(name: &str, row: usize, shares: &[f64]) -> Result<()> {
    if let Some(share) = shares.iter().find(|share| !(0.0..=1.0).contains(*share)) {
        return Err(Error::data(format!(
            "row {row} of the table of {name} holds {share}; probabilities lie between 0 and 1"
        )));
    }
    let sum: f64 = shares.iter().sum();
    match (sum - 1.0).abs() <= ROUNDING {
        true => Ok(()),
        false => Err(Error::data(format!(
            "row {row} of the table of {name} sums to {sum}; every row must sum to 1"
        ))),
    }
}
