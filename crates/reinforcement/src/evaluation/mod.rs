//! What a policy is worth: V^π and Q^π.

mod exact;
mod model;

pub use model::StateValues;

use crate::sweep::{Rule, SweepOrder, Sweeping, check_scale};
use crate::{DecisionProcess, Policy};
use didact_core::{Accepts, Error, Fit, FitData, Result, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Up to how many states a linear system is solved where nobody says.
pub(crate) const EXACT_STATES: usize = 1000;

/// A policy that is followed in a known world.
#[derive(Clone, Copy, Debug)]
pub struct Following<'a> {
    /// The world.
    pub process: &'a DecisionProcess,
    /// The policy.
    pub policy: &'a Policy,
}

impl FitData for Following<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.process.check(accepts)?;
        match self.policy.layout() == self.process.layout() {
            true => Ok(()),
            false => Err(Error::data(
                "the policy was made for other states and actions than the process has",
            )),
        }
    }

    fn n_rows(&self) -> usize {
        self.process.n_states()
    }
}

/// How a policy is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EvaluationMethod {
    /// The linear system up to a thousand states, else sweeps.
    #[default]
    Auto,
    /// The linear system (I − γP^π)V = R^π: exact, in time that grows with the cube of the states.
    Exact,
    /// Sweeps V ← R^π + γP^πV, a new value counting at once, until V is within `tol`.
    Iterative,
}

/// Finds what a policy is worth in a known world: V^π(s), the return to expect from each state.
///
/// V^π solves V(s) = Σₐ π(s, a) Σ T·(R + γV(s′)), with V = 0 in terminal states, and
/// Q^π(s, a) = Σ T·(R + γV^π(s′)) is the worth of one action before the policy is followed, so
/// V^π(s) = Σₐ π(s, a)·Q^π(s, a). A discount of one is allowed where every walk comes to an end,
/// or goes on for nothing.
///
/// ```
/// use didact_core::{Decisions, Fit, Outcome};
/// use didact_reinforcement::{DecisionProcess, Following, Policy, PolicyEvaluation};
/// // One state that earns one for ever: V = 1/(1 − γ).
/// let again = Outcome { state: 0, probability: 1.0, reward: 1.0 };
/// let process = DecisionProcess::new(&Decisions::new(vec![vec![vec![again]]])?)?;
/// let policy = Policy::uniform(process.layout());
/// let evaluation = PolicyEvaluation { discount: 0.75, ..PolicyEvaluation::default() };
/// let found = evaluation.fit(Following { process: &process, policy: &policy })?;
/// assert!((found.values()[0] - 4.0).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyEvaluation {
    /// What a reward one step later is worth now, γ.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub discount: f64,
    /// How the values are found.
    pub method: EvaluationMethod,
    /// How far values found by sweeps may be from the true ones.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
    /// Most sweeps.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
}

impl Default for PolicyEvaluation {
    fn default() -> Self {
        PolicyEvaluation {
            discount: 0.9,
            method: EvaluationMethod::Auto,
            tol: 1e-9,
            max_iter: 100_000,
        }
    }
}

impl Fit<Following<'_>> for PolicyEvaluation {
    type Model = StateValues;

    fn learn(&self, data: Following<'_>, run: &Run) -> Result<StateValues> {
        let Following { process, policy } = data;
        let is_small = process.n_states() <= EXACT_STATES;
        match self.method {
            EvaluationMethod::Exact => self.solve(process, policy, run),
            EvaluationMethod::Auto if is_small => self.solve(process, policy, run),
            _ => self.sweep(process, policy, run),
        }
    }
}

impl PolicyEvaluation {
    fn solve(&self, process: &DecisionProcess, policy: &Policy, run: &Run) -> Result<StateValues> {
        check_scale(process, self.discount)?;
        let values = exact::solve(process, policy, self.discount, run)?;
        let action_values = process.action_values(&values, self.discount, run)?;
        Ok(StateValues::new(
            process,
            self.discount,
            values,
            action_values,
        ))
    }

    fn sweep(&self, process: &DecisionProcess, policy: &Policy, run: &Run) -> Result<StateValues> {
        let sweeping = Sweeping {
            discount: self.discount,
            tol: self.tol,
            max_iter: self.max_iter,
            order: SweepOrder::GaussSeidel,
            by_span: false,
        };
        let swept = sweeping.iterate(process, Rule::Follow(policy), run)?;
        let action_values = process.action_values(&swept.values, self.discount, run)?;
        let found = StateValues::new(process, self.discount, swept.values, action_values);
        Ok(found.swept(swept.error_bound, swept.trace))
    }
}
