//! How wide the windows are.

use super::estimate::Estimate;
use didact_core::random::generator;
use didact_core::{Error, Result, Run};
use didact_math::numeric::argmax;
use ndarray::Axis;
use rand::seq::SliceRandom;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The width of the windows: a number, a rule, or the best of several by the likelihood of rows
/// that the windows have not seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Bandwidth {
    /// Scott's rule n^(−1/(d+4)).
    Scott,
    /// Silverman's rule (n·(d+2)/4)^(−1/(d+4)).
    Silverman,
    /// The best of `bandwidths` by the log-likelihood of each row given all others.
    LeaveOneOut,
    /// The best of `bandwidths` by the log-likelihood of rows that were put aside.
    HeldOut,
    /// This number.
    #[serde(untagged)]
    Value(#[schemars(extend("exclusiveMinimum" = 0))] f64),
}

impl Default for Bandwidth {
    fn default() -> Self {
        Bandwidth::Value(1.0)
    }
}

impl From<f64> for Bandwidth {
    fn from(bandwidth: f64) -> Self {
        Bandwidth::Value(bandwidth)
    }
}

/// What was tried and how it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Trials {
    pub(crate) bandwidths: Vec<f64>,
    /// The log-likelihood of the unseen rows; −∞ where a window of that width misses one of them.
    pub(crate) scores: Vec<f64>,
}

/// How bandwidths are tried.
pub(crate) struct Search<'a> {
    pub(crate) bandwidth: Bandwidth,
    pub(crate) candidates: Option<&'a [f64]>,
    pub(crate) validation_fraction: f64,
    pub(crate) random_state: u64,
}

/// How many bandwidths are tried where none are given.
const TRIALS: usize = 30;

impl Search<'_> {
    /// The width for these rows and, where several were tried, how they did.
    pub(crate) fn choose(&self, estimate: &Estimate, run: &Run) -> Result<(f64, Option<Trials>)> {
        let (n, d) = (estimate.total_weight(), estimate.rows().ncols() as f64);
        let bandwidth = match self.bandwidth {
            Bandwidth::Value(bandwidth) => bandwidth,
            Bandwidth::Scott => scott(n, d),
            Bandwidth::Silverman => (n * (d + 2.0) / 4.0).powf(-1.0 / (d + 4.0)),
            Bandwidth::LeaveOneOut | Bandwidth::HeldOut => {
                let trials = self.trials(estimate, run)?;
                let best = trials.best()?;
                return Ok((best, Some(trials)));
            }
        };
        check(bandwidth)?;
        Ok((bandwidth, None))
    }

    fn trials(&self, estimate: &Estimate, run: &Run) -> Result<Trials> {
        let bandwidths = match self.candidates {
            Some([]) => {
                return Err(Error::parameter(
                    "bandwidths",
                    "an empty list",
                    "it must hold at least 1 number greater than 0",
                ));
            }
            Some(given) => given.to_vec(),
            None => usual(estimate)?,
        };
        if estimate.rows().nrows() < 2 {
            return Err(Error::data(
                "there is only 1 row, and none is left when it is put aside; give the bandwidth \
                 as a number",
            ));
        }
        let (mut seen, unseen) = match self.bandwidth {
            Bandwidth::HeldOut => {
                let (seen, unseen) = self.split(estimate, run)?;
                (seen, Some(unseen))
            }
            _ => (estimate.clone(), None),
        };
        let mut scores = Vec::with_capacity(bandwidths.len());
        for &bandwidth in &bandwidths {
            check(bandwidth)?;
            seen = seen.with_bandwidth(bandwidth);
            scores.push(match &unseen {
                Some(unseen) => unseen.weighted_sum(&seen.log_density(unseen.rows().view(), run)?),
                None => seen.weighted_sum(&seen.leave_one_out(run)?),
            });
        }
        Ok(Trials { bandwidths, scores })
    }

    /// The rows that are learned from and those put aside, at least one of each.
    fn split(&self, estimate: &Estimate, run: &Run) -> Result<(Estimate, Estimate)> {
        let n = estimate.rows().nrows();
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(&mut generator(self.random_state, 0));
        let aside = (self.validation_fraction * n as f64).round() as usize;
        let (unseen, seen) = order.split_at(aside.clamp(1, n - 1));
        Ok((estimate.select(seen, run)?, estimate.select(unseen, run)?))
    }
}

impl Trials {
    /// The bandwidth of the greatest score, the first of equals.
    fn best(&self) -> Result<f64> {
        let best =
            argmax(self.scores.iter().copied()).filter(|&best| self.scores[best].is_finite());
        match best {
            Some(best) => Ok(self.bandwidths[best]),
            None => Err(Error::parameter(
                "bandwidths",
                format!("{:?}", self.bandwidths),
                "with each of them some row is out of reach of all other windows; give larger ones \
                 or use the gaussian kernel",
            )),
        }
    }
}

/// Scott's rule.
fn scott(n: f64, d: f64) -> f64 {
    n.powf(-1.0 / (d + 4.0))
}

/// Bandwidths from a twentieth to twice Scott's rule, in units of the mean deviation of the columns.
fn usual(estimate: &Estimate) -> Result<Vec<f64>> {
    let rows = estimate.rows();
    let deviations = rows.std_axis(Axis(0), 0.0);
    let unit = match deviations.mean() {
        Some(unit) if unit > 0.0 => unit,
        _ => 1.0,
    };
    let rule = unit * scott(estimate.total_weight(), rows.ncols() as f64);
    if !(rule > 0.0 && rule.is_finite()) {
        return Err(Error::parameter(
            "bandwidths",
            "absent",
            "the values of the columns are too large or too small to choose by their deviation; \
             give the bandwidths",
        ));
    }
    let ratio = |trial: usize| (trial as f64 / (TRIALS - 1) as f64 * 40_f64.ln()).exp();
    Ok((0..TRIALS)
        .map(|trial| rule / 20.0 * ratio(trial))
        .collect())
}

fn check(bandwidth: f64) -> Result<()> {
    match bandwidth > 0.0 && bandwidth.is_finite() {
        true => Ok(()),
        false => Err(Error::parameter(
            "bandwidth",
            bandwidth,
            "it must be greater than 0 and finite",
        )),
    }
}
