//! Mixtures of laws of counts by expectation–maximisation.

mod components;
mod model;

pub use model::DiscreteMixtureModel;

use components::{Components, Totals};
use didact_core::random::generator;
use didact_core::{
    Accepts, Error, Fit, Result, Rows, Run, Samples, StopReason, Trace, TraceWriter, parallel,
};
use ndarray::{Array1, Array2};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Describes rows of counts as draws from a few Poisson, Bernoulli or multinomial laws.
///
/// Columns are independent within a component. Maximises Σᵢ ln Σₖ πₖ p(xᵢ; θₖ) by
/// expectation–maximisation: responsibilities rᵢₖ ∝ πₖ p(xᵢ; θₖ), then θₖ = Σᵢ rᵢₖ xᵢ/Nₖ and πₖ = Nₖ/n. Every
/// component is pretended to have seen `alpha` rows equal to the mean row too, so that none is
/// ruled out by a count it has not seen.
///
/// ```
/// use didact_core::{Assign, Fit};
/// use didact_mixture::DiscreteMixture;
/// let x = ndarray::array![[1.0], [0.0], [2.0], [1.0], [20.0], [23.0], [19.0], [21.0]];
/// let model = DiscreteMixture { n_components: 2, ..DiscreteMixture::default() }.fit((&x).into())?;
/// let groups = model.predict(&x)?;
/// assert!(groups[..4].iter().all(|group| *group == groups[0]));
/// assert!(groups[4..].iter().all(|group| *group == groups[7] && *group != groups[0]));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DiscreteMixture {
    /// How many components the mixture has.
    #[schemars(range(min = 1))]
    pub n_components: usize,
    /// The law of the counts in a component.
    pub law: DiscreteLaw,
    /// How many rows equal to the mean row every component is pretended to have seen.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Stop when the mean log-likelihood of a row changes by less than this.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Most iterations of one start.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// How many starts to try; the one with the highest likelihood wins.
    #[schemars(range(min = 1))]
    pub n_init: usize,
    /// Seed of everything random.
    pub random_state: u64,
}

/// The law of the counts in a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DiscreteLaw {
    /// Counts whose variance is their mean.
    #[default]
    Poisson,
    /// Values 0 and 1.
    Bernoulli,
    /// Counts of tokens, given how many there are in a row.
    Multinomial,
}

impl DiscreteLaw {
    /// Fails where a value cannot come from the law.
    fn check(self, row: usize, column: usize, value: f64) -> Result<()> {
        let whole = value >= 0.0 && value.fract() == 0.0;
        let requirement = match self {
            DiscreteLaw::Bernoulli if value == 0.0 || value == 1.0 => return Ok(()),
            DiscreteLaw::Bernoulli => "the law bernoulli needs 0 or 1",
            // Beyond this neighbouring numbers are no longer told apart.
            _ if whole && value < 9e15 => return Ok(()),
            _ => "counts must be whole numbers from 0 on",
        };
        Err(Error::data(format!(
            "row {row}, column {column} is {value}; {requirement}"
        )))
    }

    pub(crate) fn check_rows(self, rows: Rows<'_>) -> Result<()> {
        for ((row, column), &value) in rows.dense()?.indexed_iter() {
            self.check(row, column, value)?;
        }
        Ok(())
    }
}

impl Default for DiscreteMixture {
    fn default() -> Self {
        DiscreteMixture {
            n_components: 1,
            law: DiscreteLaw::Poisson,
            alpha: 1e-3,
            tol: 1e-6,
            max_iter: 500,
            n_init: 1,
            random_state: 0,
        }
    }
}

impl Fit<Samples<'_>> for DiscreteMixture {
    type Model = DiscreteMixtureModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<DiscreteMixtureModel> {
        self.law.check_rows(data.rows())?;
        let mean = mean_row(&data, run)?;
        let mut best: Option<(Components, Trace)> = None;
        for start in 0..self.n_init {
            let climbed = self.climb(&data, &mean, start, run)?;
            let higher = |(_, trace): &(Components, Trace)| {
                climbed.1.objectives.last() > trace.objectives.last()
            };
            if best.as_ref().is_none_or(higher) {
                best = Some(climbed);
            }
        }
        let (components, trace) = best.expect("there is at least one start");
        Ok(DiscreteMixtureModel::new(components, trace))
    }
}

impl DiscreteMixture {
    /// One start and its iterations up.
    fn climb(
        &self,
        data: &Samples<'_>,
        mean: &Array1<f64>,
        start: usize,
        run: &Run,
    ) -> Result<(Components, Trace)> {
        let mut trace = TraceWriter::new(run, "mean log-likelihood", Some(self.max_iter));
        let mut components = self.start(data, mean, start, run)?;
        let mut before = f64::NEG_INFINITY;
        loop {
            let totals = Totals::of(&components, data, run)?;
            let objective =
                (totals.log_likelihood + self.penalty(&components, mean)) / totals.weight;
            if !objective.is_finite() {
                return Err(Error::numerical(format!(
                    "the log-likelihood is {objective}; divide large columns by a power of ten, \
                     or set alpha above 0"
                )));
            }
            trace.record(objective)?;
            let n_iter = trace.n_iter() - 1;
            if n_iter > 0 && (objective - before).abs() <= self.tol {
                return Ok((components, trace.finish(StopReason::Converged)));
            }
            if n_iter >= self.max_iter {
                return Ok((components, trace.finish(StopReason::IterationLimit)));
            }
            before = objective;
            components = self.maximise(totals, mean)?;
        }
    }

    /// Distinct rows, drawn far from each other, half way to the mean.
    fn start(
        &self,
        data: &Samples<'_>,
        mean: &Array1<f64>,
        start: usize,
        run: &Run,
    ) -> Result<Components> {
        let rows = data.dense()?;
        let mut generator = generator(self.random_state, start as u64);
        let scale = mean.mapv(|mean| mean.max(f64::MIN_POSITIVE).sqrt());
        let mut least: Vec<f64> = (0..rows.nrows())
            .map(|row| if data.weight(row) > 0.0 { 1.0 } else { 0.0 })
            .collect();
        let mut parameters = Array2::zeros((self.n_components, rows.ncols()));
        for component in 0..self.n_components {
            let total: f64 = least.iter().sum();
            if total <= 0.0 {
                return Err(Error::parameter(
                    "n_components",
                    self.n_components,
                    format!("there are only {component} distinct rows; ask for at most that many"),
                ));
            }
            let mut place = generator.random::<f64>() * total;
            let chosen = least.iter().position(|distance| {
                place -= distance;
                place < 0.0 && *distance > 0.0
            });
            let last = || {
                least
                    .iter()
                    .rposition(|&distance| distance > 0.0)
                    .unwrap_or(0)
            };
            let chosen = chosen.unwrap_or_else(last);
            let half_way = 0.5 * (&rows.row(chosen) + mean);
            parameters.row_mut(component).assign(&half_way);
            for (row, least) in least.iter_mut().enumerate() {
                if row % 256 == 0 {
                    run.check()?;
                }
                let shift = (&rows.row(row) - &rows.row(chosen)) / &scale;
                let distance = shift.dot(&shift);
                *least = match component == 0 && *least > 0.0 {
                    true => distance,
                    false => least.min(distance),
                };
            }
        }
        let weights = vec![1.0 / self.n_components as f64; self.n_components];
        Ok(Components::new(self.law, weights, parameters))
    }

    fn maximise(&self, totals: Totals, mean: &Array1<f64>) -> Result<Components> {
        let mut parameters = totals.sums;
        let pairs = parameters.rows_mut().into_iter().zip(&totals.shares);
        for (mut parameter, share) in pairs {
            parameter.scaled_add(self.alpha, mean);
            let seen = share + self.alpha;
            if seen > 0.0 {
                parameter /= seen;
            } else {
                // A component that nobody answers to starts again from the mean.
                parameter.assign(mean);
            }
        }
        let weights = totals
            .shares
            .iter()
            .map(|share| share / totals.weight)
            .collect();
        Ok(Components::new(self.law, weights, parameters))
    }

    /// What the pretended rows add to the log-likelihood, up to a constant.
    fn penalty(&self, components: &Components, mean: &Array1<f64>) -> f64 {
        match self.alpha > 0.0 {
            true => self.alpha * components.log_kernel_of_all(mean),
            false => 0.0,
        }
    }
}

/// The weighted mean of the rows.
fn mean_row(data: &Samples<'_>, run: &Run) -> Result<Array1<f64>> {
    let rows = data.dense()?;
    let sums = parallel::reduce(
        rows.nrows(),
        4096,
        run,
        &|range| {
            let mut sums = Array1::zeros(rows.ncols());
            for row in range.filter(|&row| data.weight(row) > 0.0) {
                sums.scaled_add(data.weight(row), &rows.row(row));
            }
            Ok(sums)
        },
        &|left: Array1<f64>, right| left + right,
    )?;
    let sums = sums.unwrap_or_else(|| Array1::zeros(rows.ncols()));
    match sums.iter().all(|sum| sum.is_finite()) {
        true => Ok(sums / data.total_weight()),
        false => Err(Error::numerical(
            "the sums of the columns overflow; divide the values by a power of ten",
        )),
    }
}
