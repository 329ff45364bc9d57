//! Exploring: when to try something else than the best known action.

use didact_core::random::Generator;
use didact_core::{Error, Result};
use didact_math::numeric::argmax;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which actions are tried besides the best.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExplorationRule {
    /// With probability ε any action, all equally often; else the best.
    #[default]
    EpsilonGreedy,
    /// Every action with probability proportional to exp(Q/τ): the better, the more often.
    Softmax,
}

/// How exploration fades from episode to episode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decay {
    /// Not at all.
    #[default]
    Constant,
    /// rate·(1 − decay)ᵉ in episode e.
    Geometric,
    /// rate/(1 + decay·e) in episode e: fades, but tries everything again and again.
    Harmonic,
}

/// When to try something else than the best known action.
///
/// Too little exploration stays with the first good thing that was found, too much costs reward.
/// Of several equally good actions one is drawn.
///
/// ```
/// use didact_reinforcement::{Decay, Exploration};
/// let exploration = Exploration {
///     rate: 0.5,
///     schedule: Decay::Harmonic,
///     decay: 0.5,
///     ..Exploration::default()
/// };
/// assert_eq!(exploration.rate_at(2), 0.25);
/// assert_eq!(exploration.probabilities(&[1.0, 3.0], 2), [0.125, 0.875]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Exploration {
    /// Which actions are tried besides the best.
    pub rule: ExplorationRule,
    /// ε, at most one, or the temperature τ of the soft maximum; zero takes the best action only.
    #[schemars(range(min = 0.0))]
    pub rate: f64,
    /// How the rate fades from episode to episode.
    pub schedule: Decay,
    /// How fast it fades.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub decay: f64,
    /// The rate never falls below this.
    #[schemars(range(min = 0.0))]
    pub minimum: f64,
}

impl Default for Exploration {
    fn default() -> Self {
        Exploration {
            rule: ExplorationRule::EpsilonGreedy,
            rate: 0.1,
            schedule: Decay::Constant,
            decay: 0.01,
            minimum: 0.0,
        }
    }
}

impl Exploration {
    /// ε-greedy with an ε that does not fade.
    pub fn epsilon(rate: f64) -> Self {
        Exploration {
            rate,
            ..Exploration::default()
        }
    }

    /// Soft maximum at a temperature that does not fade.
    pub fn softmax(temperature: f64) -> Self {
        Exploration {
            rule: ExplorationRule::Softmax,
            rate: temperature,
            ..Exploration::default()
        }
    }

    /// ε or the temperature in an episode, counted from zero.
    pub fn rate_at(&self, episode: usize) -> f64 {
        let faded = match self.schedule {
            Decay::Constant => self.rate,
            Decay::Geometric => self.rate * (1.0 - self.decay).powf(episode as f64),
            Decay::Harmonic => self.rate / (1.0 + self.decay * episode as f64),
        };
        // A minimum above the rate would be no fading but a jump.
        faded.max(self.minimum.min(self.rate))
    }

    /// How probable each action is in an episode, given what the actions are believed to be worth.
    pub fn probabilities(&self, action_values: &[f64], episode: usize) -> Vec<f64> {
        self.distribution(action_values, self.rate_at(episode))
    }

    /// Fails unless ε is a probability.
    pub(crate) fn check(&self) -> Result<()> {
        match self.rule == ExplorationRule::EpsilonGreedy && self.rate > 1.0 {
            true => Err(Error::parameter(
                "exploration.rate",
                self.rate,
                "it must be at most 1, the probability of trying any action",
            )),
            false => Ok(()),
        }
    }

    fn distribution(&self, action_values: &[f64], rate: f64) -> Vec<f64> {
        let best = largest(action_values);
        let is_soft = self.rule == ExplorationRule::Softmax && rate > 0.0;
        let weigh = |value: &f64| match is_soft {
            true => ((value - best) / rate).exp(),
            false => f64::from(*value == best),
        };
        let mut weights: Vec<f64> = action_values.iter().map(weigh).collect();
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= total);
        if self.rule == ExplorationRule::EpsilonGreedy {
            let share = rate / weights.len() as f64;
            weights
                .iter_mut()
                .for_each(|weight| *weight = share + (1.0 - rate) * *weight);
        }
        weights
    }

    /// Σₐ π(a)·Q(a) of the exploring policy.
    pub(crate) fn expected_value(&self, action_values: &[f64], rate: f64) -> f64 {
        let probabilities = self.distribution(action_values, rate);
        let terms = probabilities.iter().zip(action_values);
        terms.map(|(probability, value)| probability * value).sum()
    }

    /// Draws an action.
    pub(crate) fn draw(
        &self,
        action_values: &[f64],
        rate: f64,
        generator: &mut Generator,
    ) -> usize {
        if self.rule == ExplorationRule::Softmax && rate > 0.0 {
            let best = largest(action_values);
            // The largest of values with Gumbel noise is drawn like the soft maximum, without a sum.
            let noisy = action_values.iter().map(|value| {
                let uniform = 1.0 - generator.random::<f64>();
                (value - best) / rate - (-uniform.ln()).ln()
            });
            return argmax(noisy).unwrap_or(0);
        }
        if rate > 0.0 && generator.random::<f64>() < rate {
            return generator.random_range(0..action_values.len());
        }
        draw_best(action_values, generator)
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// One of the best actions, all equally often.
fn draw_best(action_values: &[f64], generator: &mut Generator) -> usize {
    let best = largest(action_values);
    let n_best = action_values.iter().filter(|value| **value == best).count();
    let chosen = match n_best {
        // None is best when none is a number; whoever learns from it will say so.
        0 | 1 => 0,
        _ => generator.random_range(0..n_best),
    };
    let places = (0..action_values.len()).filter(|&action| action_values[action] == best);
    places.into_iter().nth(chosen).unwrap_or(0)
}
