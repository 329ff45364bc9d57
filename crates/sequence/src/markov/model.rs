//! The fitted Markov chain.

use super::learn::symbols_of;
use super::stationary::stationary;
use didact_core::abilities::check_rows;
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Attribute, Drawn, Error, Features, Model, Result, Sample, SequenceLikelihood,
    Sequences, Value,
};
use didact_math::linalg::matmul;
use ndarray::{Array1, Array2, ArrayView1};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// How far from one the probabilities of a row may add up.
const SUM_TOLERANCE: f64 = 1e-9;

/// The probabilities of the next symbol after each context of so many symbols.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Table {
    depth: usize,
    /// A row per context; the last symbol before runs fastest.
    rows: Array2<f64>,
}

impl Table {
    pub(super) fn zeros(depth: usize, k: usize) -> Self {
        Table {
            depth,
            rows: Array2::zeros((k.pow(depth as u32), k)),
        }
    }

    fn place(&self, context: &[usize]) -> usize {
        let k = self.rows.ncols();
        context.iter().fold(0, |place, symbol| place * k + symbol)
    }

    pub(super) fn count(&mut self, context: &[usize], symbol: usize) {
        let place = self.place(context);
        self.rows[[place, symbol]] += 1.0;
    }

    /// Counts as shares; contexts without any get equal ones.
    pub(super) fn normalise(&mut self, smoothing: f64) {
        let k = self.rows.ncols() as f64;
        for mut row in self.rows.rows_mut() {
            let total = row.sum() + k * smoothing;
            match total > 0.0 {
                true => row.mapv_inplace(|count| (count + smoothing) / total),
                false => row.fill(k.recip()),
            }
        }
    }

    fn after(&self, context: &[usize]) -> ArrayView1<'_, f64> {
        self.rows.row(self.place(context))
    }
}

/// A Markov chain: p(x₁…x_T) = ∏ₜ p(xₜ | the m symbols before).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarkovModel {
    /// The probabilities after contexts of 0, 1, …, m symbols.
    tables: Vec<Table>,
}

impl MarkovModel {
    /// A chain of first order with given start and transition probabilities.
    pub fn first_order(start: Array1<f64>, transitions: Array2<f64>) -> Result<Self> {
        let start = start.insert_axis(ndarray::Axis(0));
        let tables = [start, transitions.as_standard_layout().into_owned()];
        let tables = tables.into_iter().enumerate();
        let model = MarkovModel {
            tables: tables.map(|(depth, rows)| Table { depth, rows }).collect(),
        };
        model.validate().map_err(|_| {
            Error::data(
                "the probabilities do not belong together; give K start probabilities and K×K \
                 transition probabilities, each row without negative entries and with sum 1",
            )
        })?;
        Ok(model)
    }

    pub(super) fn learned(tables: Vec<Table>) -> Result<Self> {
        let model = MarkovModel { tables };
        model.validate()?;
        Ok(model)
    }

    /// How many symbols before a symbol matter.
    pub fn order(&self) -> usize {
        self.tables.len() - 1
    }

    /// Number of symbols K.
    pub fn n_symbols(&self) -> usize {
        self.tables[0].rows.ncols()
    }

    /// p(x₁): the probability of each symbol at the start.
    pub fn start(&self) -> ArrayView1<'_, f64> {
        self.tables[0].rows.row(0)
    }

    /// The probability of each symbol (column) after each context of m symbols (row); in rows,
    /// the last symbol before runs fastest.
    pub fn transitions(&self) -> Array2<f64> {
        self.tables[self.order()].rows.clone()
    }

    /// The probability of each symbol after the given ones, of which only the last m matter.
    pub fn next(&self, before: &[usize]) -> Result<Array1<f64>> {
        if let Some(symbol) = before.iter().find(|&&symbol| symbol >= self.n_symbols()) {
            return Err(Error::data(format!(
                "there is a symbol {symbol}; the chain knows those below {}",
                self.n_symbols()
            )));
        }
        let depth = before.len().min(self.order());
        let context = &before[before.len() - depth..];
        Ok(self.tables[depth].after(context).to_owned())
    }

    /// The transition matrix of the chain of first order whose states are the last m symbols:
    /// Kᵐ × Kᵐ, and the transitions themselves for m = 1.
    pub fn state_transitions(&self) -> Array2<f64> {
        let (k, rows) = (self.n_symbols(), &self.tables[self.order()].rows);
        let n_states = rows.nrows();
        let mut steps = Array2::zeros((n_states, n_states));
        for ((state, symbol), &probability) in rows.indexed_iter() {
            // The oldest symbol drops out and the new one comes last.
            steps[[(state * k + symbol) % n_states, state]] = probability;
        }
        steps.reversed_axes().as_standard_layout().into_owned()
    }

    /// Pᵏ: the probability of each state (column) so many steps after each state (row), where
    /// states are the last m symbols.
    pub fn steps(&self, n_steps: usize) -> Array2<f64> {
        let mut square = self.state_transitions();
        let mut power = Array2::eye(square.nrows());
        let mut left = n_steps;
        while left > 0 {
            if left % 2 == 1 {
                power = matmul(power.view(), square.view());
            }
            square = matmul(square.view(), square.view());
            left /= 2;
        }
        power
    }

    /// π·Pᵏ: the probability of each state so many steps after states with the given
    /// probabilities.
    pub fn forecast(&self, now: ArrayView1<'_, f64>, n_steps: usize) -> Result<Array1<f64>> {
        let steps = self.state_transitions();
        if now.len() != steps.nrows() {
            return Err(Error::data(format!(
                "there are {} probabilities for {} states; give one for each",
                now.len(),
                steps.nrows()
            )));
        }
        Ok((0..n_steps).fold(now.to_owned(), |now, _| now.dot(&steps)))
    }

    /// The probabilities π = π·P of states that steps do not change; fails where there are
    /// several, because some states never meet.
    pub fn stationary(&self) -> Result<Array1<f64>> {
        stationary(&self.state_transitions())
    }

    fn symbols(&self, sequences: &Sequences<'_>) -> Result<Vec<usize>> {
        check_rows(self, sequences.samples.rows())?;
        let rows = sequences.samples.dense()?;
        let values = rows.as_slice().expect("samples keep dense rows contiguous");
        symbols_of(values, Some(self.n_symbols()))
    }
}

impl Features for MarkovModel {
    fn n_features(&self) -> usize {
        1
    }
}

impl SequenceLikelihood for MarkovModel {
    /// ln p(x₁…x_T) of each sequence; minus infinity where a step is impossible.
    fn log_likelihoods(&self, sequences: &Sequences<'_>) -> Result<Vec<f64>> {
        let symbols = self.symbols(sequences)?;
        let one = |range: std::ops::Range<usize>| -> f64 {
            let factors = range.clone().map(|row| {
                let depth = (row - range.start).min(self.order());
                self.tables[depth].after(&symbols[row - depth..row])[symbols[row]].ln()
            });
            factors.sum()
        };
        Ok(sequences.ranges().map(one).collect())
    }
}

impl Sample for MarkovModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let mut labels: Vec<usize> = Vec::with_capacity(n_rows);
        for place in 0..n_rows {
            let depth = place.min(self.order());
            let probabilities = self.tables[depth].after(&labels[place - depth..]);
            let mut left: f64 = generator.random();
            let chosen = probabilities.iter().position(|probability| {
                left -= probability;
                left < 0.0
            });
            // Rounding may leave a crumb at the end, which belongs to the last possible symbol.
            let last = probabilities
                .iter()
                .rposition(|probability| *probability > 0.0);
            labels.push(chosen.or(last).expect("the probabilities sum to one"));
        }
        let rows = Array2::from_shape_fn((n_rows, 1), |(row, _)| labels[row] as f64);
        Ok(Drawn { rows, labels })
    }
}

impl Model for MarkovModel {
    const ABILITIES: Abilities<Self> = Abilities::none().sample().sequence_likelihood();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "startprob",
            meaning: "Probability of each symbol at the start.",
            get: |model| Value::from(&model.tables[0].rows),
        },
        Attribute {
            name: "transmat",
            meaning: "Probability of each symbol (column) after the symbols before (row).",
            get: |model| Value::from(&model.tables[model.tables.len() - 1].rows),
        },
        Attribute {
            name: "n_parameters",
            meaning: "Number of free probabilities.",
            get: |model| {
                let free = |table: &Table| table.rows.nrows() * (table.rows.ncols() - 1);
                Value::from(model.tables.iter().map(free).sum::<usize>())
            },
        },
    ];

    fn validate(&self) -> Result<()> {
        ensure_consistent(self.tables.len() >= 2)?;
        let k = self.tables[0].rows.ncols();
        ensure_consistent(k > 0)?;
        for (depth, table) in self.tables.iter().enumerate() {
            let n_rows = k.checked_pow(depth as u32);
            ensure_consistent(table.depth == depth)?;
            ensure_consistent(n_rows == Some(table.rows.nrows()) && table.rows.ncols() == k)?;
            ensure_consistent(table.rows.iter().all(|value| (0.0..=1.0).contains(value)))?;
            let sums = |row: ArrayView1<'_, f64>| (row.sum() - 1.0).abs() <= SUM_TOLERANCE;
            ensure_consistent(table.rows.rows().into_iter().all(sums))?;
        }
        Ok(())
    }
}
