//! The fixed point of TD(0), solved for.

use super::features::{DescribedActing, FeatureRows};
use super::model::LinearValues;
use crate::acting::play;
use crate::returns::discounted_return;
use didact_core::random::generator;
use didact_core::{Error, Fit, Result, Run, StopReason, TraceWriter};
use didact_math::linalg::Lu;
use ndarray::{Array1, Array2, ArrayView2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns what a policy is worth as a linear function of features, by solving for the weights.
///
/// The steps of all episodes are added up to A = Σ φ(s)(φ(s) − γφ(s′))ᵀ and b = Σ φ(s)·r, and
/// (A + penalty·I)w = b is solved: the weights at which the temporal differences cancel out. No
/// step size has to be chosen, and every step is used to the full, at a cost that grows with the
/// square of the number of features that are not zero.
///
/// ```
/// use didact_core::{Decisions, Fit, Outcome};
/// use didact_reinforcement::{
///     DecisionProcess, DescribedActing, LeastSquaresTemporalDifference, Policy, Simulator,
///     group_features,
/// };
/// let on = |state, reward| vec![Outcome { state, probability: 1.0, reward }];
/// let world = Decisions::new(vec![vec![on(1, 2.0)], vec![on(2, 4.0)], vec![]])?;
/// let process = DecisionProcess::new(&world)?;
/// let found = LeastSquaresTemporalDifference { discount: 0.5, n_episodes: 1, ..Default::default() }
///     .fit(DescribedActing {
///         environment: &mut Simulator::new(&process, 0)?,
///         policy: &Policy::uniform(process.layout()),
///         features: group_features(&[0, 1, 1])?.view(),
///     })?;
/// assert!((found.weights()[0] - 4.0).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LeastSquaresTemporalDifference {
    /// What a reward one step later is worth now, γ.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub discount: f64,
    /// How many episodes to play.
    #[schemars(range(min = 1))]
    pub n_episodes: usize,
    /// Most steps of an episode; what comes after a cut is still estimated.
    #[schemars(range(min = 1))]
    pub max_steps: usize,
    /// Price of large weights; more than zero where a feature may never be seen.
    #[schemars(range(min = 0.0))]
    pub penalty: f64,
    /// Seed of everything random.
    pub random_state: u64,
}

impl Default for LeastSquaresTemporalDifference {
    fn default() -> Self {
        LeastSquaresTemporalDifference {
            discount: 0.9,
            n_episodes: 1000,
            max_steps: 1000,
            penalty: 0.0,
            random_state: 0,
        }
    }
}

impl Fit<DescribedActing<'_>> for LeastSquaresTemporalDifference {
    type Model = LinearValues;

    fn learn(&self, data: DescribedActing<'_>, run: &Run) -> Result<LinearValues> {
        let DescribedActing {
            environment,
            policy,
            features,
        } = data;
        let layout = policy.layout();
        let mut sums = Sums::new(features, self.discount);
        let mut trace = TraceWriter::new(run, "return", Some(self.n_episodes));
        let mut n_cut_off = 0;
        for number in 0..self.n_episodes {
            let mut chance = generator(self.random_state, number as u64);
            let choose = |state: usize, chance: &mut _| policy.draw(state, chance).unwrap_or(0);
            let episode = play(
                environment,
                layout,
                self.max_steps,
                &mut chance,
                run,
                choose,
            )?;
            n_cut_off += usize::from(!episode.ended);
            for (step, &reward) in episode.rewards.iter().enumerate() {
                let (state, next) = (episode.states[step], episode.states[step + 1]);
                sums.add(state, reward, (!layout.is_terminal(next)).then_some(next));
            }
            trace.record(discounted_return(&episode.rewards, self.discount)?)?;
        }
        Ok(LinearValues {
            discount: self.discount,
            weights: sums.solve(self.penalty, run)?,
            n_cut_off,
            trace: trace.finish(StopReason::IterationLimit),
        })
    }
}

/// A = Σ φ(s)(φ(s) − γφ(s′))ᵀ and b = Σ φ(s)·r of the steps seen so far.
struct Sums {
    rows: FeatureRows,
    discount: f64,
    matrix: Array2<f64>,
    right: Array1<f64>,
}

impl Sums {
    fn new(features: ArrayView2<'_, f64>, discount: f64) -> Self {
        let d = features.ncols();
        Sums {
            rows: FeatureRows::new(features),
            discount,
            matrix: Array2::zeros((d, d)),
            right: Array1::zeros(d),
        }
    }

    /// Adds a step; there is no next state at the end.
    fn add(&mut self, state: usize, reward: f64, next: Option<usize>) {
        for (i, value) in self.rows.of(state) {
            self.right[i] += value * reward;
            for (j, other) in self.rows.of(state) {
                self.matrix[[i, j]] += value * other;
            }
            for (j, other) in next.into_iter().flat_map(|next| self.rows.of(next)) {
                self.matrix[[i, j]] -= self.discount * value * other;
            }
        }
    }

    fn solve(self, penalty: f64, run: &Run) -> Result<Array1<f64>> {
        let Sums {
            mut matrix, right, ..
        } = self;
        matrix.diag_mut().map_inplace(|value| *value += penalty);
        let lu = match right.len() > 256 {
            // A large decomposition cannot be asked to stop.
            true => run.apart(move || Lu::new(matrix.view()))?,
            false => Lu::new(matrix.view()),
        };
        let lu = lu.map_err(|error| {
            let requirement = format!(
                "the episodes do not determine all weights ({error}); take a penalty above 0, \
                 more episodes, or features that are not combinations of each other"
            );
            Error::parameter("penalty", penalty, requirement)
        })?;
        Ok(lu.solve_vector(right.view()))
    }
}
