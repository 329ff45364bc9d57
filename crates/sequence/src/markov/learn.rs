//! Learning a Markov chain by counting.

use super::model::{MarkovModel, Table};
use crate::hmm::ITEMS_PER_CHECK;
use didact_core::{Error, Fit, Result, Run, Sequences};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// More probabilities than this are a mistake of the order or the number of symbols.
const MOST_PROBABILITIES: usize = 1 << 26;

/// Explains sequences of symbols by the symbols before: a Markov chain of any order.
///
/// A chain of order m gives a sequence the probability
/// p(x₁…x_T) = ∏ₜ p(xₜ | xₜ₋ₘ…xₜ₋₁), where the first m factors have as many symbols before them as
/// there are: p(x₁), p(x₂ | x₁) and so on, learned from the beginnings of sequences alone. All
/// factors are shares of counts, which maximises the likelihood. What was never seen before some
/// symbols is undecided: all symbols are then equally probable. A pseudo-count smooths all
/// factors.
///
/// Items are symbols 0, 1, 2, … in one column.
///
/// ```
/// use didact_core::{Fit, SequenceLikelihood, Sequences};
/// use didact_sequence::MarkovChain;
/// use ndarray::array;
/// let symbols = array![[0.0], [1.0], [1.0], [0.0], [1.0], [0.0], [0.0], [1.0]];
/// let sequences = Sequences::new(&symbols, &[8])?;
/// let model = MarkovChain::default().fit(sequences.clone())?;
/// assert_eq!(model.transitions(), array![[1.0 / 4.0, 3.0 / 4.0], [2.0 / 3.0, 1.0 / 3.0]]);
/// assert!((model.stationary()?[0] - 8.0 / 17.0).abs() < 1e-15);
/// assert!(model.score_sequences(&sequences)? < 0.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MarkovChain {
    /// How many symbols before a symbol matter.
    #[schemars(range(min = 1, max = 64))]
    pub order: usize,
    /// Number of symbols; by default the largest symbol seen plus one.
    #[schemars(range(min = 1))]
    pub n_symbols: Option<usize>,
    /// Pseudo-count added to every symbol after every context.
    #[schemars(range(min = 0.0))]
    pub smoothing: f64,
}

impl Default for MarkovChain {
    fn default() -> Self {
        MarkovChain {
            order: 1,
            n_symbols: None,
            smoothing: 0.0,
        }
    }
}

impl Fit<Sequences<'_>> for MarkovChain {
    type Model = MarkovModel;

    fn learn(&self, data: Sequences<'_>, run: &Run) -> Result<MarkovModel> {
        let rows = data.samples.dense()?;
        if rows.ncols() != 1 {
            return Err(Error::data(format!(
                "a Markov chain needs one column of symbols; there are {}",
                rows.ncols()
            )));
        }
        let values = rows.as_slice().expect("samples keep dense rows contiguous");
        let symbols = symbols_of(values, self.n_symbols)?;
        let seen = symbols.iter().max().map_or(1, |largest| largest + 1);
        let k = self.n_symbols.unwrap_or(seen);
        let mut tables = self.empty_tables(k)?;
        for range in data.ranges() {
            for (place, row) in range.clone().enumerate() {
                if row % ITEMS_PER_CHECK == 0 {
                    run.check()?;
                }
                let depth = place.min(self.order);
                tables[depth].count(&symbols[row - depth..row], symbols[row]);
            }
        }
        for table in &mut tables {
            table.normalise(self.smoothing);
        }
        MarkovModel::learned(tables)
    }
}

impl MarkovChain {
    fn empty_tables(&self, k: usize) -> Result<Vec<Table>> {
        let power = u32::try_from(self.order)
            .unwrap_or(u32::MAX)
            .saturating_add(1);
        match k
            .checked_pow(power)
            .filter(|&size| size <= MOST_PROBABILITIES)
        {
            Some(_) => Ok((0..=self.order)
                .map(|depth| Table::zeros(depth, k))
                .collect()),
            None => Err(Error::parameter(
                "order",
                self.order,
                format!(
                    "{k} symbols make more than {MOST_PROBABILITIES} probabilities; \
                     choose a lower order or fewer symbols"
                ),
            )),
        }
    }
}

/// Values as symbols; fails where one is not a whole number below the number of symbols.
pub(super) fn symbols_of(values: &[f64], n_symbols: Option<usize>) -> Result<Vec<usize>> {
    let most = n_symbols.unwrap_or(MOST_PROBABILITIES);
    let symbol = |(row, &value): (usize, &f64)| match value >= 0.0
        && value.fract() == 0.0
        && value < most as f64
    {
        true => Ok(value as usize),
        false => Err(Error::data(format!(
            "row {row} is {value}; a Markov chain of {most} symbols needs whole numbers from \
                 0 to {}",
            most - 1
        ))),
    };
    values.iter().enumerate().map(symbol).collect()
}
