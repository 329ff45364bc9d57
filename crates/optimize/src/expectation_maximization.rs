//! Expectation–maximisation with its lower bound.

use crate::Stop;
use didact_core::{Error, Result, Run, Trace, TraceWriter, parameters};
use didact_math::numeric::log_sum_exp;
use ndarray::{Array2, ArrayView2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A model with latent variables Z of which only X is seen.
pub trait LatentModel {
    /// What is known of Z given X and the parameters: P(Z|X, θ), or what the M-step needs of it.
    type Posterior;

    /// The E-step: P(Z|X, θ) and the log-likelihood ln P(X|θ) under the current parameters.
    fn expect(&mut self, run: &Run) -> Result<(Self::Posterior, f64)>;

    /// The M-step: replaces θ by the maximiser of E[ln P(X, Z|θ)] under the posterior.
    fn maximise(&mut self, posterior: &Self::Posterior, run: &Run) -> Result<()>;

    /// The lower bound Σ q·ln(P(X, Z|θ)/q) on the log-likelihood for the current parameters and
    /// the given q, where the model can tell it.
    fn bound(&mut self, _posterior: &Self::Posterior) -> Result<Option<f64>> {
        Ok(None)
    }
}

/// How expectation–maximisation ended.
#[derive(Clone, Debug, PartialEq)]
pub struct EmOutcome {
    /// The log-likelihood at the end.
    pub log_likelihood: f64,
    /// Which test ended the iteration.
    pub stop: Stop,
    /// The log-likelihood after each iteration; it never falls.
    pub trace: Trace,
    /// For each iteration the bound before and after its M-step, where the model tells it.
    pub bounds: Vec<(f64, f64)>,
}

/// Expectation–maximisation: E-step and M-step in turn until the log-likelihood settles.
///
/// With q = P(Z|X, θ), the bound ln P(X|θ′) ≥ Σ q·ln(P(X, Z|θ′)/q) touches the log-likelihood at
/// θ′ = θ; the M-step lifts it, so that the log-likelihood never falls. The gap between both is the
/// Kullback–Leibler divergence of q from P(Z|X, θ′). A log-likelihood that falls is an error,
/// because one of the steps is wrong. The end may be a local maximum or a saddle: use several
/// starts ([`MultiStart`](crate::MultiStart)).
///
/// ```
/// use didact_optimize::{ExpectationMaximization, LatentModel};
/// use didact_core::{Result, Run};
/// /// Two coins of equal chance, five tosses each time; only the heads are seen.
/// struct Coins { heads: Vec<f64>, chance: [f64; 2] }
/// impl LatentModel for Coins {
///     type Posterior = Vec<f64>;
///     fn expect(&mut self, _run: &Run) -> Result<(Vec<f64>, f64)> {
///         let mut log_likelihood = 0.0;
///         let first = self.heads.iter().map(|h| {
///             let joint = self.chance.map(|p| 0.5 * p.powf(*h) * (1.0 - p).powf(5.0 - h));
///             log_likelihood += (joint[0] + joint[1]).ln();
///             joint[0] / (joint[0] + joint[1])
///         }).collect();
///         Ok((first, log_likelihood))
///     }
///     fn maximise(&mut self, first: &Vec<f64>, _run: &Run) -> Result<()> {
///         let mean = |weight: &dyn Fn(f64) -> f64| {
///             let total: f64 = first.iter().map(|w| weight(*w)).sum();
///             first.iter().zip(&self.heads).map(|(w, h)| weight(*w) * h / 5.0).sum::<f64>() / total
///         };
///         self.chance = [mean(&|w| w), mean(&|w| 1.0 - w)];
///         Ok(())
///     }
/// }
/// let mut coins = Coins { heads: vec![5.0, 4.0, 5.0, 0.0, 1.0], chance: [0.6, 0.5] };
/// let outcome = ExpectationMaximization::default().maximise(&mut coins, &Run::new())?;
/// assert!(outcome.trace.objectives.windows(2).all(|pair| pair[1] >= pair[0] - 1e-12));
/// assert!(coins.chance[0] > 0.9 && coins.chance[1] < 0.2);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExpectationMaximization {
    /// At most this many iterations.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Converged when an iteration raises the log-likelihood by at most this share of it.
    #[schemars(range(min = 0))]
    pub tol: f64,
}

impl Default for ExpectationMaximization {
    fn default() -> Self {
        ExpectationMaximization {
            max_iter: 1000,
            tol: 1e-10,
        }
    }
}

impl ExpectationMaximization {
    /// Improves the parameters of the model, telling `run` of every iteration.
    pub fn maximise<M: LatentModel + ?Sized>(&self, model: &mut M, run: &Run) -> Result<EmOutcome> {
        parameters::check(self)?;
        let mut trace = TraceWriter::new(run, "log-likelihood", Some(self.max_iter));
        let mut bounds = Vec::new();
        let (mut posterior, mut log_likelihood) = model.expect(run)?;
        check_likelihood(log_likelihood)?;
        let stop = loop {
            if trace.n_iter() == self.max_iter {
                break Stop::IterationLimit;
            }
            run.check()?;
            let before = model.bound(&posterior)?;
            model.maximise(&posterior, run)?;
            let after = model.bound(&posterior)?;
            bounds.extend(before.zip(after));
            let (next, higher) = model.expect(run)?;
            check_likelihood(higher)?;
            let gain = higher - log_likelihood;
            let size = log_likelihood.abs().max(1.0);
            if gain < -1e-9 * size {
                return Err(Error::numerical(format!(
                    "the log-likelihood fell from {log_likelihood} to {higher}; \
                     the E-step or the M-step is wrong"
                )));
            }
            (posterior, log_likelihood) = (next, higher);
            trace.record(log_likelihood)?;
            if gain <= self.tol * size {
                break Stop::Objective;
            }
        };
        Ok(EmOutcome {
            log_likelihood,
            stop,
            trace: trace.finish(stop.into()),
            bounds,
        })
    }
}

fn check_likelihood(value: f64) -> Result<()> {
    match value.is_nan() || value == f64::INFINITY {
        true => Err(Error::numerical(format!(
            "the log-likelihood is {value}; a component has collapsed onto a point"
        ))),
        false => Ok(()),
    }
}

/// The lower bound on a log-likelihood with a discrete latent variable, and what it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct LowerBound {
    /// Σᵢ ln Σ_z P(xᵢ, z).
    pub log_likelihood: f64,
    /// Σᵢ Σ_z q·ln(P(xᵢ, z)/q).
    pub bound: f64,
    /// Σᵢ KL(q‖P(z|xᵢ)), computed on its own: bound + gap = log-likelihood.
    pub gap: f64,
}

/// The bound for a table of ln P(xᵢ, z), a row for each sample, and a table q of the same shape
/// whose rows are distributions.
///
/// ```
/// use didact_optimize::lower_bound;
/// use ndarray::array;
/// let joint = array![[0.1_f64, 0.3]].mapv(f64::ln);
/// let touching = lower_bound(joint.view(), array![[0.25, 0.75]].view())?;
/// assert!((touching.bound - 0.4_f64.ln()).abs() < 1e-15 && touching.gap.abs() < 1e-15);
/// let below = lower_bound(joint.view(), array![[0.5, 0.5]].view())?;
/// assert!(below.bound < below.log_likelihood);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn lower_bound(log_joint: ArrayView2<'_, f64>, q: ArrayView2<'_, f64>) -> Result<LowerBound> {
    if log_joint.dim() != q.dim() {
        return Err(Error::parameter(
            "q",
            format!("{}×{}", q.nrows(), q.ncols()),
            format!("it must be {}×{}", log_joint.nrows(), log_joint.ncols()),
        ));
    }
    let mut total = LowerBound {
        log_likelihood: 0.0,
        bound: 0.0,
        gap: 0.0,
    };
    for (row, (joint, q)) in log_joint.rows().into_iter().zip(q.rows()).enumerate() {
        if q.iter().any(|&q| q.is_nan() || q < 0.0) || (q.sum() - 1.0).abs() > 1e-9 {
            return Err(Error::parameter(
                format!("q[{row}]"),
                q,
                "it must be a distribution: no value negative, all together one",
            ));
        }
        let evidence = log_sum_exp(&joint.to_vec());
        total.log_likelihood += evidence;
        for (&joint, &q) in joint.iter().zip(q).filter(|(_, q)| **q > 0.0) {
            total.bound += q * (joint - q.ln());
            total.gap += q * (q.ln() - (joint - evidence));
        }
    }
    Ok(total)
}

/// P(z|xᵢ) for a table of ln P(xᵢ, z): the q for which the bound touches.
pub fn posterior(log_joint: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut q = log_joint.to_owned();
    for mut row in q.rows_mut() {
        let evidence = log_sum_exp(&row.to_vec());
        row.mapv_inplace(|value| (value - evidence).exp());
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::random_matrix;
    use proptest::prelude::*;

    /// A mixture of binomials: weights and chances.
    struct Mixture {
        heads: Vec<f64>,
        weights: Vec<f64>,
        chances: Vec<f64>,
    }

    impl Mixture {
        fn log_joint(&self) -> Array2<f64> {
            Array2::from_shape_fn((self.heads.len(), self.weights.len()), |(i, k)| {
                let (h, p) = (self.heads[i], self.chances[k]);
                self.weights[k].ln() + h * p.ln() + (10.0 - h) * (1.0 - p).ln()
            })
        }
    }

    impl LatentModel for Mixture {
        type Posterior = Array2<f64>;

        fn expect(&mut self, _run: &Run) -> Result<(Array2<f64>, f64)> {
            let joint = self.log_joint();
            let q = posterior(joint.view());
            let likelihood = lower_bound(joint.view(), q.view())?.log_likelihood;
            Ok((q, likelihood))
        }

        fn maximise(&mut self, q: &Array2<f64>, _run: &Run) -> Result<()> {
            for k in 0..self.weights.len() {
                let column = q.column(k);
                let total = column.sum();
                self.weights[k] = total / self.heads.len() as f64;
                let heads: f64 = column.iter().zip(&self.heads).map(|(q, h)| q * h).sum();
                self.chances[k] = heads / (10.0 * total);
            }
            Ok(())
        }

        fn bound(&mut self, q: &Array2<f64>) -> Result<Option<f64>> {
            Ok(Some(lower_bound(self.log_joint().view(), q.view())?.bound))
        }
    }

    fn mixture() -> Mixture {
        Mixture {
            heads: vec![1.0, 2.0, 3.0, 2.0, 8.0, 9.0, 7.0, 8.0, 5.0, 6.0],
            weights: vec![0.5, 0.5],
            chances: vec![0.4, 0.6],
        }
    }

    // 000a:UNS-08 002b:ES-02 003:P86 004:M35
    #[test]
    fn the_log_likelihood_never_falls_and_the_end_is_stationary() {
        let mut model = mixture();
        let outcome = ExpectationMaximization::default()
            .maximise(&mut model, &Run::new())
            .unwrap();
        assert_eq!(outcome.stop, Stop::Objective);
        assert!(
            outcome
                .trace
                .objectives
                .windows(2)
                .all(|pair| pair[1] >= pair[0] - 1e-12)
        );
        assert!((model.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // A stationary point of the observed likelihood: no small change of a chance raises it.
        let value = |model: &mut Mixture| model.expect(&Run::new()).unwrap().1;
        let best = value(&mut model);
        for k in 0..2 {
            for change in [-1e-3, 1e-3] {
                let mut other = mixture();
                (other.weights, other.chances) = (model.weights.clone(), model.chances.clone());
                other.chances[k] += change;
                assert!(value(&mut other) < best);
            }
        }
        let limited = ExpectationMaximization {
            max_iter: 2,
            tol: 0.0,
        };
        let outcome = limited.maximise(&mut mixture(), &Run::new()).unwrap();
        assert_eq!(
            (outcome.stop, outcome.trace.n_iter()),
            (Stop::IterationLimit, 2)
        );
    }

    // 000a:UNS-08 004:M34
    #[test]
    fn the_bound_touches_after_each_e_step_and_stays_below_after_each_m_step() {
        let mut model = mixture();
        let start = model.expect(&Run::new()).unwrap().1;
        let outcome = ExpectationMaximization::default()
            .maximise(&mut model, &Run::new())
            .unwrap();
        let mut likelihood = start;
        for ((before, after), next) in outcome.bounds.iter().zip(&outcome.trace.objectives) {
            assert!((before - likelihood).abs() < 1e-12 * likelihood.abs());
            assert!(*after >= before - 1e-12 && *after <= next + 1e-12);
            likelihood = *next;
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        // 000b:P27 004:M34
        #[test]
        fn bound_and_gap_add_up_to_the_log_likelihood(seed: u64, rows in 1usize..6, states in 1usize..5) {
            let joint = random_matrix(rows, states, seed);
            let q = posterior(random_matrix(rows, states, seed ^ 1).view());
            let parts = lower_bound(joint.view(), q.view()).unwrap();
            prop_assert!((parts.bound + parts.gap - parts.log_likelihood).abs() < 1e-12 * (1.0 + parts.log_likelihood.abs()));
            prop_assert!(parts.gap >= -1e-12);
            let touching = lower_bound(joint.view(), posterior(joint.view()).view()).unwrap();
            prop_assert!(touching.gap.abs() < 1e-12);
        }
    }

    #[test]
    fn a_wrong_step_and_a_q_that_is_no_distribution_are_errors() {
        struct Wrong(f64);
        impl LatentModel for Wrong {
            type Posterior = ();
            fn expect(&mut self, _: &Run) -> Result<((), f64)> {
                Ok(((), self.0))
            }
            fn maximise(&mut self, _: &(), _: &Run) -> Result<()> {
                self.0 -= 1.0;
                Ok(())
            }
        }
        let error = ExpectationMaximization::default().maximise(&mut Wrong(0.0), &Run::new());
        assert!(error.unwrap_err().to_string().contains("fell from 0 to -1"));
        let joint = Array2::zeros((1, 2));
        assert!(lower_bound(joint.view(), ndarray::array![[0.5, 0.6]].view()).is_err());
        assert!(lower_bound(joint.view(), ndarray::array![[1.0]].view()).is_err());
    }
}
