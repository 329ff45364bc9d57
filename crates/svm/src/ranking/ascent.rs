//! The dual of the ranking machine, row after row.

use super::labels::LabelSets;
use crate::gram::Gram;
use crate::solver::overflow;
use didact_core::{Result, Run, StopReason, Trace, TraceWriter};
use ndarray::{Array1, Array2};

/// Passes over the pairs of one row before the other rows hear of it.
const OWN_PASSES: usize = 4;

/// How many times the mean kernel of a row with itself the weight of the sums is that ought to vanish.
const PULL: f64 = 10.0;

/// max Σα − ½Σᵣ cᵣᵀKcᵣ where 0 ≤ α ≤ C for each row i and pair (r, s) of its labels and of others; label r
/// has the multipliers cᵢᵣ = Σₛαᵢᵣₛ, label s has −Σᵣαᵢᵣₛ, and those of each label sum to zero.
pub(super) struct Ascent<'a, 'g> {
    gram: &'a mut Gram<'g>,
    run: &'a Run,
    pairs: Vec<Vec<Pair>>,
    prices: Vec<f64>,
    diagonal: Vec<f64>,
    /// cᵢᵣ, a row for each row.
    multipliers: Array2<f64>,
    /// Σⱼ cⱼᵣ·k(xⱼ, xᵢ), a row for each label.
    products: Array2<f64>,
    /// Σᵢ cᵢᵣ, which has to vanish.
    sums: Array1<f64>,
    intercepts: Array1<f64>,
    /// The price of the sums: ½·pull·Σ sums².
    pull: f64,
}

/// A label that a row has, one that it has not, and their multiplier.
struct Pair {
    own: usize,
    other: usize,
    alpha: f64,
}

/// What was found.
pub(super) struct Found {
    pub(super) multipliers: Array2<f64>,
    pub(super) intercepts: Array1<f64>,
    pub(super) primal: f64,
    pub(super) dual: f64,
    /// The largest sum of the multipliers of a label.
    pub(super) imbalance: f64,
    pub(super) trace: Trace,
}

impl<'a, 'g> Ascent<'a, 'g> {
    pub(super) fn new(
        labels: &LabelSets,
        prices: Vec<f64>,
        gram: &'a mut Gram<'g>,
        run: &'a Run,
    ) -> Result<Self> {
        let (n, k) = (labels.n_rows(), labels.n_labels());
        let diagonal = gram.diagonal(run)?;
        let mean = diagonal.iter().map(|value| value.abs()).sum::<f64>() / n as f64;
        let pairs_of = |row: usize| {
            let (own, others) = labels.sides(row);
            let pair = |(own, other)| Pair {
                own,
                other,
                alpha: 0.0,
            };
            let both = own
                .iter()
                .flat_map(|&r| others.iter().map(move |&s| (r, s)));
            both.map(pair).collect()
        };
        Ok(Ascent {
            pairs: (0..n).map(pairs_of).collect(),
            multipliers: Array2::zeros((n, k)),
            products: Array2::zeros((k, n)),
            sums: Array1::zeros(k),
            intercepts: Array1::zeros(k),
            pull: PULL * mean.max(f64::MIN_POSITIVE),
            gram,
            run,
            prices,
            diagonal,
        })
    }

    /// Passes over all rows until no multiplier wants to move and the sums vanish.
    pub(super) fn run(mut self, tol: f64, max_iter: usize) -> Result<Found> {
        let mut trace = TraceWriter::new(self.run, "dual objective", Some(max_iter));
        let stop = loop {
            let violation = self.pass()?;
            let dual = self.dual();
            if !dual.is_finite() {
                return Err(overflow());
            }
            trace.record(dual)?;
            let drift = self
                .sums
                .iter()
                .fold(0.0_f64, |most, sum| most.max(sum.abs()))
                * self.pull;
            if violation <= tol && drift <= tol {
                break StopReason::Converged;
            }
            if trace.n_iter() >= max_iter {
                break StopReason::IterationLimit;
            }
            // The sums are near what this pull can do: the intercepts take over the rest.
            if violation <= 0.1 * drift || violation <= tol {
                self.intercepts.scaled_add(self.pull, &self.sums);
            }
        };
        // The intercepts that the scores were computed with.
        self.intercepts.scaled_add(self.pull, &self.sums);
        Ok(Found {
            primal: self.primal(),
            dual: self.dual() - self.intercepts.dot(&self.sums),
            imbalance: self
                .sums
                .iter()
                .fold(0.0, |most: f64, sum| most.max(sum.abs())),
            multipliers: self.multipliers,
            intercepts: self.intercepts,
            trace: trace.finish(stop),
        })
    }

    /// Improves the multipliers of every row; the steepest slope that was found.
    fn pass(&mut self) -> Result<f64> {
        let mut steepest = 0.0_f64;
        for row in 0..self.pairs.len() {
            if self.pairs[row].is_empty() {
                continue;
            }
            self.run.check()?;
            let before = self.multipliers.row(row).to_owned();
            steepest = steepest.max(self.improve(row));
            self.tell_others(row, &before)?;
        }
        Ok(steepest)
    }

    /// The scores of a row, the pull on the sums included.
    fn scores(&self, row: usize) -> Array1<f64> {
        let pulled = &self.intercepts + &(&self.sums * self.pull);
        &self.products.column(row) + &pulled
    }

    /// Moves each multiplier of a row to its best value, several times; the steepest slope at first.
    fn improve(&mut self, row: usize) -> f64 {
        let mut scores = self.scores(row);
        let curvature = self.diagonal[row] + self.pull;
        let (price, mut steepest) = (self.prices[row], 0.0_f64);
        for pass in 0..OWN_PASSES {
            let mut moved = false;
            for pair in &mut self.pairs[row] {
                let slope = 1.0 - scores[pair.own] + scores[pair.other];
                let next = (pair.alpha + slope / (2.0 * curvature)).clamp(0.0, price);
                let change = next - pair.alpha;
                if pass == 0 && change != 0.0 {
                    steepest = steepest.max(slope.abs());
                }
                moved |= change != 0.0;
                pair.alpha = next;
                self.multipliers[[row, pair.own]] += change;
                self.multipliers[[row, pair.other]] -= change;
                scores[pair.own] += change * curvature;
                scores[pair.other] -= change * curvature;
            }
            if !moved {
                break;
            }
        }
        steepest
    }

    /// Adds what a row has changed to the products of all rows.
    fn tell_others(&mut self, row: usize, before: &Array1<f64>) -> Result<()> {
        let change = &self.multipliers.row(row) - before;
        if change.iter().all(|change| *change == 0.0) {
            return Ok(());
        }
        let products = &mut self.products;
        self.gram.exact_rows(&[row], self.run, |_, kernel| {
            let kernel = ndarray::ArrayView1::from(kernel);
            for (label, &change) in change.iter().enumerate() {
                if change != 0.0 {
                    products.row_mut(label).scaled_add(change, &kernel);
                }
            }
        })?;
        self.sums += &change;
        Ok(())
    }

    /// Σᵣ cᵣᵀKcᵣ = Σ‖wᵣ‖².
    fn squared_length(&self) -> f64 {
        (&self.multipliers.t() * &self.products).sum()
    }

    fn dual(&self) -> f64 {
        let alphas: f64 = self.pairs.iter().flatten().map(|pair| pair.alpha).sum();
        alphas - 0.5 * self.squared_length()
    }

    fn primal(&self) -> f64 {
        let cost = self.pairs.iter().enumerate().map(|(row, pairs)| {
            let scores = &self.products.column(row) + &self.intercepts;
            let slack = |pair: &Pair| (1.0 - scores[pair.own] + scores[pair.other]).max(0.0);
            self.prices[row] * pairs.iter().map(slack).sum::<f64>()
        });
        0.5 * self.squared_length() + cost.sum::<f64>()
    }
}
