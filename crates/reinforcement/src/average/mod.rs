//! Acting for ever without discounting: the reward of an average step, and what a start adds to it.

mod chain;
mod classes;
mod improve;
mod model;

pub use model::AveragePlan;

use crate::reach::homeward;
use crate::sweep::check_scale;
use crate::{DecisionProcess, Following, Policy};
use chain::Evaluated;
use didact_core::{Accepts, Error, Fit, FitData, Result, Run, StopReason, TraceWriter};
use improve::improve;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The matrices of larger worlds take too much memory and time.
const MOST_STATES: usize = 2000;

/// What makes a policy best when it acts for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AverageCriterion {
    /// The reward of an average step, the gain; blind to what happens before the routine sets in.
    Gain,
    /// The gain, and among policies of equal gain the extra reward of the initial phase, the bias.
    #[default]
    Bias,
}

/// Finds the policy that earns most per step in the long run, and on the way there.
///
/// The gain of a state is g(s) = lim (1/h)·E[r₁ + … + r_h], which (1 − γ)·V_γ(s) approaches as
/// γ → 1, and its bias h(s) is what V_γ(s) − g(s)/(1 − γ) approaches: how much more is earned from
/// there than the gain promises. Policy iteration after Howard and Veinott improves first the gain
/// Σ T·g, then R + Σ T·h among the actions that keep it, and for the bias Σ T·w among those that
/// keep both, where h + (I − P)w = 0. The chain of a policy may fall apart into any number of
/// closed classes with gains of their own. Terminal states earn nothing for ever.
///
/// ```
/// use didact_core::{Decisions, Fit, Outcome};
/// use didact_reinforcement::{AverageReward, DecisionProcess};
/// let on = |state, reward| vec![Outcome { state, probability: 1.0, reward }];
/// // Both ways lead to a routine that earns 1 a step; the second earns 10 once.
/// let world = Decisions::new(vec![vec![on(1, 0.0), on(1, 10.0)], vec![on(1, 1.0)]])?;
/// let plan = AverageReward::default().fit(&DecisionProcess::new(&world)?)?;
/// assert!((plan.gains()[0] - 1.0).abs() < 1e-12);
/// assert_eq!(plan.policy().action(0), Some(1));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AverageReward {
    /// What makes a policy best.
    pub criterion: AverageCriterion,
    /// Most rounds of evaluation and improvement.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
}

impl Default for AverageReward {
    fn default() -> Self {
        AverageReward {
            criterion: AverageCriterion::Bias,
            max_iter: 1000,
        }
    }
}

impl Fit<&DecisionProcess> for AverageReward {
    type Model = AveragePlan;

    fn learn(&self, process: &DecisionProcess, run: &Run) -> Result<AveragePlan> {
        check_size(process)?;
        let mut trace = TraceWriter::new(run, "mean gain", Some(self.max_iter));
        let mut policy = homeward(process);
        loop {
            let found = Evaluated::new(process, &policy, run)?;
            trace.record(found.gains.mean().unwrap_or(0.0))?;
            let improved = improve(process, &policy, &found, self.criterion);
            let stop = if improved == policy {
                StopReason::Converged
            } else if trace.n_iter() >= self.max_iter {
                StopReason::IterationLimit
            } else {
                policy = improved;
                continue;
            };
            let trace = trace.finish(stop);
            return Ok(AveragePlan::new(policy, found, trace));
        }
    }
}

/// The gain and the bias of every state under one policy, which may be stochastic.
///
/// ```
/// use didact_core::{Decisions, Outcome, Run};
/// use didact_reinforcement::{DecisionProcess, Policy, gain_and_bias};
/// let on = |state, reward| vec![Outcome { state, probability: 1.0, reward }];
/// // 4 and 0 in turn: 2 a step, and whoever starts before the 4 is ahead.
/// let process = DecisionProcess::new(&Decisions::new(vec![vec![on(1, 4.0)], vec![on(0, 0.0)]])?)?;
/// let (gain, bias) = gain_and_bias(&process, &Policy::uniform(process.layout()), &Run::new())?;
/// assert!((gain[0] - 2.0).abs() < 1e-12 && (gain[1] - 2.0).abs() < 1e-12);
/// assert!((bias[0] - 1.0).abs() < 1e-12 && (bias[1] + 1.0).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn gain_and_bias(
    process: &DecisionProcess,
    policy: &Policy,
    run: &Run,
) -> Result<(Vec<f64>, Vec<f64>)> {
    Following { process, policy }.check(Accepts::empty())?;
    check_size(process)?;
    let found = Evaluated::new(process, policy, run)?;
    Ok((found.gains.to_vec(), found.biases.to_vec()))
}

/// Fails when the states are too many or the rewards too large for the linear systems.
fn check_size(process: &DecisionProcess) -> Result<()> {
    if process.n_states() > MOST_STATES {
        return Err(Error::data(format!(
            "there are {} states, but the average reward is found by linear systems that take \
             at most {MOST_STATES}; plan with a discount close to 1 instead",
            process.n_states()
        )));
    }
    check_scale(process, 1.0)
}
