//! AdaBoost for numbers (R2): regressors that learn most from the rows predicted worst.

use super::bagging_regressor::{predicted, teach};
use super::drawing::draw_by_weight;
use super::parts::seeded;
use crate::{Spec, Stored};
use didact_core::model::ensure_consistent;
use didact_core::random::generator;
use didact_core::{
    Abilities, Accepts, Attribute, DataKind, Features, Fit, Measured, Model, Regress, Result, Rows,
    Run, StopReason, Trace, TraceWriter, Value,
};
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Predicts numbers by the weighted median of regressors, each taught most by the rows predicted worst.
///
/// In each round a regressor learns from rows drawn by their weights. With Lᵢ the error of row i as
/// a share of the largest one, ε = Σ wᵢ·Lᵢ and β = ε/(1 − ε), rows are weighted wᵢ ← wᵢ·β^(1 − Lᵢ)
/// and the regressor has the voice ln(1/β). It stops early where ε ≥ ½ or all errors are zero.
///
/// ```
/// use didact::prelude::*;
/// use didact::wrappers::AdaBoostRegressor;
/// let diabetes = datasets::diabetes();
/// let model = AdaBoostRegressor::default().fit(diabetes.measured()?)?;
/// let found = didact::core::Regress::predict(&model, diabetes.samples())?;
/// assert!(r2(diabetes.measured()?.targets, found.view())? > 0.5);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AdaBoostRegressor {
    /// The weak regressor.
    pub estimator: Spec,
    /// How many rounds there are at most.
    #[schemars(range(min = 1))]
    pub n_estimators: usize,
    /// The power that β is raised to.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub learning_rate: f64,
    /// How errors count.
    pub loss: ErrorShape,
    /// Seed of what is drawn at random.
    pub random_state: u64,
}

/// How the errors of a round count, as shares of the largest one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorShape {
    /// As they are.
    #[default]
    Linear,
    /// By their squares.
    Square,
    /// By 1 − exp(−error).
    Exponential,
}

impl Default for AdaBoostRegressor {
    fn default() -> Self {
        let mut tree = Spec::of("decision-tree-regressor");
        tree.steps[0]
            .parameters
            .insert("max_depth".to_owned(), 3.into());
        AdaBoostRegressor {
            estimator: tree,
            n_estimators: 50,
            learning_rate: 1.0,
            loss: ErrorShape::Linear,
            random_state: 0,
        }
    }
}

/// Regressors with a voice each.
#[derive(Serialize, Deserialize)]
pub struct AdaBoostRegressorModel {
    members: Vec<Stored>,
    voices: Vec<f64>,
    trace: Trace,
}

impl Fit<Measured<'_>> for AdaBoostRegressor {
    type Model = AdaBoostRegressorModel;
    const ACCEPTS: Accepts = super::super::PASSED_ON;

    /// What the wrapped regressor takes, and weights in any case.
    fn accepts(&self) -> Accepts {
        super::super::accepted(&self.estimator, DataKind::Measured) | Accepts::WEIGHTS
    }

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<AdaBoostRegressorModel> {
        let n_rows = data.targets.nrows();
        let rows = data.samples.rows();
        let total = data.samples.total_weight();
        let mut weights: Vec<f64> = (0..n_rows)
            .map(|row| data.samples.weight(row) / total)
            .collect();
        // The weights are in the drawing; a member weighs its rows alike.
        let unweighted = Measured::many(didact_core::Samples::from(rows), data.targets)?;
        let mut trace = TraceWriter::new(run, "mean relative error", Some(self.n_estimators));
        let (mut members, mut voices) = (Vec::new(), Vec::new());
        let mut stop = StopReason::IterationLimit;
        for round in 0..self.n_estimators {
            let mut random = generator(self.random_state, round as u64);
            let estimator = seeded(&self.estimator, &mut random)?;
            let drawn = draw_by_weight(&weights, &mut random);
            let member = teach(&estimator, &unweighted, &drawn, &run.quietly())?;
            let found = predicted(&member, rows)?;
            let mut errors: Vec<f64> = found
                .column(0)
                .iter()
                .zip(data.targets.column(0))
                .map(|(found, truth)| (found - truth).abs())
                .collect();
            let counted = errors
                .iter()
                .zip(&weights)
                .filter(|(_, weight)| **weight > 0.0);
            let largest = counted.map(|(error, _)| *error).fold(0.0, f64::max);
            if largest > 0.0 {
                errors
                    .iter_mut()
                    .for_each(|error| *error = self.loss.of((*error / largest).min(1.0)));
            }
            let error: f64 = match largest > 0.0 {
                true => errors
                    .iter()
                    .zip(&weights)
                    .map(|(error, weight)| error * weight)
                    .sum(),
                false => 0.0,
            };
            if error >= 0.5 && round > 0 {
                stop = StopReason::Stalled;
                break;
            }
            trace.record(error)?;
            members.push(member);
            if error <= 0.0 || error >= 0.5 {
                // Right everywhere, or no better than nothing at the very first: it stands alone.
                stop = match error <= 0.0 {
                    true => StopReason::Converged,
                    false => StopReason::Stalled,
                };
                if error <= 0.0 {
                    members.drain(..members.len() - 1);
                    voices.clear();
                }
                voices.push(1.0);
                break;
            }
            let beta = error / (1.0 - error);
            voices.push(-self.learning_rate * beta.ln());
            for (weight, error) in weights.iter_mut().zip(&errors) {
                *weight *= beta.powf((1.0 - error) * self.learning_rate);
            }
            let total: f64 = weights.iter().sum();
            weights.iter_mut().for_each(|weight| *weight /= total);
        }
        Ok(AdaBoostRegressorModel {
            members,
            voices,
            trace: trace.finish(stop),
        })
    }
}

impl ErrorShape {
    fn of(self, error: f64) -> f64 {
        match self {
            ErrorShape::Linear => error,
            ErrorShape::Square => error * error,
            ErrorShape::Exponential => 1.0 - (-error).exp(),
        }
    }
}

impl Features for AdaBoostRegressorModel {
    fn n_features(&self) -> usize {
        self.members[0].model.n_features()
    }

    fn accepts(&self) -> Accepts {
        self.members[0].model.accepts()
    }
}

impl Regress for AdaBoostRegressorModel {
    /// The weighted median of what the members say.
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let said = self.members.iter().map(|member| predicted(member, rows));
        let said: Vec<Array2<f64>> = said.collect::<Result<_>>()?;
        let half = self.voices.iter().sum::<f64>() / 2.0;
        let mut order: Vec<usize> = (0..said.len()).collect();
        Ok(Array2::from_shape_fn((rows.n_rows(), 1), |(row, _)| {
            order.sort_unstable_by(|&a, &b| {
                said[a][[row, 0]]
                    .total_cmp(&said[b][[row, 0]])
                    .then(a.cmp(&b))
            });
            let mut sum = 0.0;
            let middle = order.iter().find(|&&member| {
                sum += self.voices[member];
                sum >= half
            });
            said[*middle.unwrap_or(&order[order.len() - 1])][[row, 0]]
        }))
    }
}

impl Model for AdaBoostRegressorModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "n_members",
            meaning: "Number of fitted regressors.",
            get: |model| Value::from(model.members.len()),
        },
        Attribute {
            name: "estimator_weights",
            meaning: "The voice ln(1/β) of each regressor.",
            get: |model| Value::from(model.voices.as_slice()),
        },
        Attribute {
            name: "estimator_errors",
            meaning: "The weighted mean of the relative errors of each round.",
            get: |model| Value::from(model.trace.objectives.as_slice()),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        super::super::members_belong_together(&self.members, self.voices.len())?;
        let regresses = |member: &Stored| member.model.as_regress().is_some();
        ensure_consistent(self.members.iter().all(regresses))
    }
}
