//! Modified policy iteration.

use super::Plan;
use crate::DecisionProcess;
use crate::sweep::{Rule, StopTest, check_scale, compare, gauss_seidel, improve};
use didact_core::{Fit, Result, Run, TraceWriter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Plans large worlds: a policy is improved, followed for a few sweeps, improved, and so on.
///
/// A sweep that follows a policy looks at one action of each state instead of all, and no linear
/// system is solved, so this is mostly the fastest way. No `sweeps` at all is value iteration,
/// endlessly many are policy iteration. A new value counts at once, forwards and backwards in turn,
/// as in [`SweepOrder::GaussSeidel`](crate::SweepOrder::GaussSeidel). Stops when an improvement
/// changes no value by more than tol·(1 − γ)/γ, which leaves an error of at most `tol`.
///
/// ```
/// use didact_core::{Decisions, Fit, Outcome};
/// use didact_reinforcement::{DecisionProcess, ModifiedPolicyIteration};
/// let on = |state, reward| vec![Outcome { state, probability: 1.0, reward }];
/// let world = Decisions::new(vec![vec![on(1, 5.0), on(0, 1.0)], vec![]])?;
/// let plan = ModifiedPolicyIteration::default().fit(&DecisionProcess::new(&world)?)?;
/// assert!((plan.values()[0] - 10.0).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ModifiedPolicyIteration {
    /// What a reward one step later is worth now, γ.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub discount: f64,
    /// How many sweeps follow each improved policy at most; fewer where they change little.
    pub sweeps: usize,
    /// How far the values may be from the best ones.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
    /// Most improvements.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
}

impl Default for ModifiedPolicyIteration {
    fn default() -> Self {
        ModifiedPolicyIteration {
            discount: 0.9,
            sweeps: 20,
            tol: 1e-8,
            max_iter: 100_000,
        }
    }
}

impl Fit<&DecisionProcess> for ModifiedPolicyIteration {
    type Model = Plan;

    fn learn(&self, process: &DecisionProcess, run: &Run) -> Result<Plan> {
        check_scale(process, self.discount)?;
        let test = StopTest::new(self.discount, self.tol, self.max_iter);
        let mut trace = TraceWriter::new(run, "largest change", Some(self.max_iter));
        let mut rounds = Rounds::new(process.n_states());
        let mut least_change = f64::INFINITY;
        loop {
            rounds.improve(process, self.discount, run)?;
            let change = compare(&rounds.previous, &rounds.values, run)?;
            trace.record(change.size())?;
            let verdict = test.verdict(change.size(), change.magnitude, trace.n_iter());
            if let Some((stop, bound)) = verdict {
                let trace = trace.finish(stop);
                return Plan::look_ahead(process, self.discount, &rounds.values, bound, trace, run);
            }
            // Improvements alone bring the values nearer to V* every time; sweeps in between are
            // trusted only as long as the changes keep falling.
            if change.size() < least_change {
                least_change = change.size();
                rounds.follow(process, self, change.size(), run)?;
            }
        }
    }
}

/// Sweeps that follow a policy end when they change this much less than its improvement did.
const LITTLE: f64 = 0.05;

/// The values and the policy between improvements.
struct Rounds {
    values: Vec<f64>,
    previous: Vec<f64>,
    actions: Vec<u32>,
    /// The best value and action of each state.
    choices: Vec<(f64, u32)>,
    forwards: bool,
}

impl Rounds {
    fn new(n_states: usize) -> Self {
        Rounds {
            values: vec![0.0; n_states],
            previous: vec![0.0; n_states],
            actions: vec![0; n_states],
            choices: vec![(0.0, 0); n_states],
            forwards: false,
        }
    }

    /// Takes the best action in every state.
    fn improve(&mut self, process: &DecisionProcess, discount: f64, run: &Run) -> Result<()> {
        self.forwards = !self.forwards;
        std::mem::swap(&mut self.values, &mut self.previous);
        let (old, new) = (&self.previous, &mut self.choices);
        improve(process, discount, old, new, self.forwards, run)?;
        for (state, &(value, action)) in self.choices.iter().enumerate() {
            (self.values[state], self.actions[state]) = (value, action);
        }
        Ok(())
    }

    /// Follows the actions for some sweeps.
    fn follow(
        &mut self,
        process: &DecisionProcess,
        settings: &ModifiedPolicyIteration,
        improvement: f64,
        run: &Run,
    ) -> Result<()> {
        for _ in 0..settings.sweeps {
            self.forwards = !self.forwards;
            std::mem::swap(&mut self.values, &mut self.previous);
            let (old, new) = (&self.previous, &mut self.values);
            let rule = Rule::Take(&self.actions);
            gauss_seidel(
                process,
                rule,
                settings.discount,
                old,
                new,
                self.forwards,
                run,
            )?;
            let change = compare(&self.previous, &self.values, run)?;
            if change.size() <= LITTLE * improvement {
                break;
            }
        }
        Ok(())
    }
}
