//! What the states emit, and how probable given items are under each state.

use super::gaussian::{Covariances, Densities};
use super::parameters::UnknownSymbols;
use didact_core::{Error, Result, Run};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// The most symbols that a table may have: beyond lies a column that is no symbol at all.
const MOST_SYMBOLS: f64 = 1e8;
/// e to this is still a full-precision number; what lies below is taken as zero.
const SMALLEST_EXPONENT: f64 = -700.0;

/// The emission distributions of all states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Emission {
    Categorical {
        /// One row of symbol probabilities per state.
        probabilities: Array2<f64>,
        unknown: UnknownSymbols,
    },
    Gaussian {
        /// One row per state.
        means: Array2<f64>,
        covariances: Covariances,
    },
}

/// Emissions prepared for evaluating many items.
#[derive(Clone, Debug)]
pub(crate) enum Scorer {
    Categorical(Table),
    Gaussian(Densities),
}

/// Likelihoods by symbol; the last row is that of unknown symbols.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    n_symbols: usize,
    unknown: UnknownSymbols,
    /// Row v holds the probabilities of symbol v divided by the largest of them.
    likelihoods: Vec<f64>,
    /// The logarithm of what row v was divided by.
    shifts: Vec<f64>,
    /// Row v holds the logarithms of the probabilities.
    logarithms: Vec<f64>,
}

/// The emissions of some items.
#[derive(Debug)]
pub(crate) struct Evaluated<'a> {
    n_states: usize,
    source: Source<'a>,
}

#[derive(Debug)]
enum Source<'a> {
    Symbols {
        table: &'a Table,
        symbols: Vec<usize>,
    },
    Densities {
        logarithms: Vec<f64>,
    },
}

impl Scorer {
    pub(crate) fn new(emission: &Emission) -> Result<Self> {
        match emission {
            Emission::Gaussian { means, covariances } => {
                Ok(Scorer::Gaussian(Densities::new(means, covariances)?))
            }
            Emission::Categorical {
                probabilities,
                unknown,
            } => Ok(Scorer::Categorical(Table::new(probabilities, *unknown))),
        }
    }

    /// Evaluates items, one row each; `first_row` is where they stand in all the data.
    pub(crate) fn evaluate(
        &self,
        rows: &[f64],
        n_states: usize,
        first_row: usize,
        run: &Run,
    ) -> Result<Evaluated<'_>> {
        let source = match self {
            Scorer::Categorical(table) => {
                let symbols = rows
                    .iter()
                    .enumerate()
                    .map(|(row, &value)| table.place(value, first_row + row))
                    .collect::<Result<_>>()?;
                Source::Symbols { table, symbols }
            }
            Scorer::Gaussian(densities) => {
                let n_features = densities.n_features();
                let mut logarithms = vec![0.0; rows.len() / n_features * n_states];
                densities.log_densities(rows, &mut logarithms, run)?;
                Source::Densities { logarithms }
            }
        };
        Ok(Evaluated { n_states, source })
    }
}

impl Table {
    fn new(probabilities: &Array2<f64>, unknown: UnknownSymbols) -> Self {
        let (n_states, n_symbols) = probabilities.dim();
        let mut table = Table {
            n_symbols,
            unknown,
            likelihoods: Vec::with_capacity((n_symbols + 1) * n_states),
            shifts: Vec::with_capacity(n_symbols + 1),
            logarithms: Vec::with_capacity((n_symbols + 1) * n_states),
        };
        for column in probabilities.columns() {
            let largest = column.iter().copied().fold(0.0, f64::max);
            let unit = if largest > 0.0 { largest } else { 1.0 };
            table.shifts.push(unit.ln());
            table
                .likelihoods
                .extend(column.iter().map(|probability| probability / unit));
            table
                .logarithms
                .extend(column.iter().map(|probability| probability.ln()));
        }
        let unknown_likelihood: f64 = match unknown {
            UnknownSymbols::Ignore => 1.0,
            UnknownSymbols::Error | UnknownSymbols::Impossible => 0.0,
        };
        table.shifts.push(0.0);
        table
            .likelihoods
            .extend(std::iter::repeat_n(unknown_likelihood, n_states));
        table
            .logarithms
            .extend(std::iter::repeat_n(unknown_likelihood.ln(), n_states));
        table
    }

    /// The row of the table that serves this value.
    fn place(&self, value: f64, row: usize) -> Result<usize> {
        let symbol = symbol_of(value, row)?;
        if symbol < self.n_symbols {
            return Ok(symbol);
        }
        match self.unknown {
            UnknownSymbols::Error => Err(Error::data(format!(
                "row {row} has the symbol {symbol} but the model knows only 0 to {}; \
                 set unknown to impossible or ignore to go on",
                self.n_symbols - 1
            ))),
            UnknownSymbols::Impossible | UnknownSymbols::Ignore => Ok(self.n_symbols),
        }
    }
}

/// The symbol that a number stands for.
pub(crate) fn symbol_of(value: f64, row: usize) -> Result<usize> {
    match value >= 0.0 && value.fract() == 0.0 && value < MOST_SYMBOLS {
        true => Ok(value as usize),
        false => Err(Error::data(format!(
            "row {row} has the value {value}; categorical emissions need symbols numbered \
             0, 1, 2, … below {MOST_SYMBOLS}"
        ))),
    }
}

/// How many symbols the rows use, or nothing where some value is no symbol.
pub(crate) fn count_symbols(rows: ArrayView2<'_, f64>) -> Option<usize> {
    if rows.ncols() != 1 {
        return None;
    }
    let largest = rows
        .iter()
        .enumerate()
        .try_fold(0, |largest, (row, &value)| {
            Ok::<_, Error>(symbol_of(value, row)?.max(largest))
        });
    Some(largest.ok()? + 1)
}

impl Evaluated<'static> {
    /// Emissions with the given logarithms, K for each item.
    pub(crate) fn from_logarithms(n_states: usize, logarithms: Vec<f64>) -> Self {
        Evaluated {
            n_states,
            source: Source::Densities { logarithms },
        }
    }
}

impl Evaluated<'_> {
    /// Writes ln b_j(x) of the items from number `first` on, as many as the output has room for.
    pub(crate) fn copy_logarithms(&self, first: usize, output: &mut [f64]) {
        let k = self.n_states;
        match &self.source {
            Source::Densities { logarithms } => {
                output.copy_from_slice(&logarithms[first * k..first * k + output.len()]);
            }
            Source::Symbols { table, symbols } => {
                for (values, &symbol) in output.chunks_exact_mut(k).zip(&symbols[first..]) {
                    values.copy_from_slice(&table.logarithms[symbol * k..(symbol + 1) * k]);
                }
            }
        }
    }

    /// Writes b_j(x) divided by the largest of each item. Returns the sum of the logarithms of
    /// those, and whether a positive likelihood became zero.
    pub(crate) fn write_likelihoods(&self, first: usize, output: &mut [f64]) -> (f64, bool) {
        let k = self.n_states;
        let (mut log_scale, mut underflow) = (0.0, false);
        match &self.source {
            Source::Symbols { table, symbols } => {
                for (values, &symbol) in output.chunks_exact_mut(k).zip(&symbols[first..]) {
                    values.copy_from_slice(&table.likelihoods[symbol * k..(symbol + 1) * k]);
                    log_scale += table.shifts[symbol];
                }
            }
            Source::Densities { logarithms } => {
                let logarithms = logarithms[first * k..].chunks_exact(k);
                for (values, logarithms) in output.chunks_exact_mut(k).zip(logarithms) {
                    let (shift, small) = write_shifted(logarithms, values);
                    log_scale += shift;
                    underflow |= small;
                }
            }
        }
        (log_scale, underflow)
    }
}

/// exp(logarithm − largest logarithm), with the largest and whether something underflowed.
fn write_shifted(logarithms: &[f64], output: &mut [f64]) -> (f64, bool) {
    let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        output.fill(0.0);
        return (0.0, false);
    }
    let mut underflow = false;
    for (value, logarithm) in output.iter_mut().zip(logarithms) {
        let exponent = logarithm - largest;
        *value = match exponent < SMALLEST_EXPONENT {
            true => {
                underflow |= exponent > f64::NEG_INFINITY;
                0.0
            }
            false => exponent.exp(),
        };
    }
    (largest, underflow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn evaluated_logarithms(unknown: UnknownSymbols, value: f64) -> Result<Vec<f64>> {
        let probabilities = array![[0.5, 0.5], [1.0, 0.0]];
        let scorer = Scorer::new(&Emission::Categorical {
            probabilities,
            unknown,
        })?;
        let mut logarithms = vec![0.0; 2];
        scorer
            .evaluate(&[value], 2, 7, &Run::new())?
            .copy_logarithms(0, &mut logarithms);
        Ok(logarithms)
    }

    #[test]
    fn unknown_symbols_are_refused_impossible_or_ignored() {
        let error = evaluated_logarithms(UnknownSymbols::Error, 2.0)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("row 7 has the symbol 2 but the model knows only 0 to 1"),
            "{error}"
        );
        let impossible = evaluated_logarithms(UnknownSymbols::Impossible, 2.0).unwrap();
        assert_eq!(impossible, [f64::NEG_INFINITY; 2]);
        assert_eq!(
            evaluated_logarithms(UnknownSymbols::Ignore, 2.0).unwrap(),
            [0.0; 2]
        );
        let known = evaluated_logarithms(UnknownSymbols::Error, 1.0).unwrap();
        assert_eq!(known, [0.5_f64.ln(), f64::NEG_INFINITY]);
    }

    #[test]
    fn values_that_are_no_symbols_are_refused_by_row() {
        for value in [0.5, -1.0, 1e12] {
            let error = symbol_of(value, 3).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("row 3 has the value {value};")),
                "{error}"
            );
        }
        assert_eq!(symbol_of(-0.0, 0).unwrap(), 0);
    }

    #[test]
    fn shifted_likelihoods_have_a_largest_of_one_and_report_underflow() {
        let mut output = [0.0; 3];
        let outcome = write_shifted(&[-1000.0, -1001.0, -2000.0], &mut output);
        assert_eq!(outcome, (-1000.0, true));
        assert_eq!(output, [1.0, (-1.0_f64).exp(), 0.0]);
        // An impossible state is no underflow.
        let outcome = write_shifted(&[0.0, f64::NEG_INFINITY, 0.0], &mut output);
        assert_eq!((outcome, output), ((0.0, false), [1.0, 0.0, 1.0]));
    }
}
