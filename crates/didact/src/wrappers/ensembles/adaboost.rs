//! AdaBoost: classifiers that learn most from the rows that those before them got wrong.

use super::drawing::draw_by_weight;
use super::parts::{Part, highest, seeded};
use crate::Spec;
use didact_core::model::ensure_consistent;
use didact_core::random::generator;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, DataKind, Features, Fit, Labelled, Model,
    Probabilities, Result, Rows, Run, Samples, Scores, StopReason, Trace, TraceWriter, Value,
};
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Adds up weak classifiers, each taught to mend what those before it got wrong.
///
/// Rows start with equal weights wᵢ. In round t a classifier h_t learns from the weighted rows; its
/// error is ε_t = Σ wᵢ[h_t(xᵢ) ≠ yᵢ] and its voice a_t = ½·ln((1 − ε_t)/ε_t); rows that it got wrong
/// gain weight, wᵢ ← wᵢ·exp(−a_t·yᵢ·h_t(xᵢ))/Z, and the answer is the sign of F(x) = Σ a_t·h_t(x).
/// It stops early where ε_t ≥ ½, when nothing better than a guess is left, or ε_t = 0, when one
/// classifier is right everywhere and decides alone. The training error is at most Π 2√(ε_t(1 − ε_t)).
///
/// With K classes (SAMME) a_t has ½·ln(K − 1) more, a guess is ε_t = 1 − 1/K, and the class with the
/// loudest voices wins. Voices are half of those that scikit-learn reports, which changes no answer.
/// A learner that takes no weights, or any with `resample`, learns from rows drawn by their weights.
///
/// ```
/// use didact::prelude::*;
/// use didact::wrappers::AdaBoost;
/// let cancer = datasets::breast_cancer();
/// let model = AdaBoost::default().fit(cancer.labelled()?)?;
/// assert!(accuracy(cancer.labelled()?.labels, &model.predict(cancer.samples())?)? > 0.98);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "AdaBoostClassifier")]
pub struct AdaBoost {
    /// The weak classifier.
    pub estimator: Spec,
    /// How many rounds there are at most.
    #[schemars(range(min = 1))]
    pub n_estimators: usize,
    /// What every voice is multiplied with.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub learning_rate: f64,
    /// Whether rows are drawn by their weights, instead of weighing them.
    pub resample: bool,
    /// Seed of what is drawn at random.
    pub random_state: u64,
}

impl Default for AdaBoost {
    fn default() -> Self {
        let mut stump = Spec::of("decision-tree-classifier");
        stump.steps[0]
            .parameters
            .insert("max_depth".to_owned(), 1.into());
        AdaBoost {
            estimator: stump,
            n_estimators: 50,
            learning_rate: 1.0,
            resample: false,
            random_state: 0,
        }
    }
}

/// Classifiers with a voice each.
#[derive(Serialize, Deserialize)]
pub struct AdaBoostModel {
    classes: Classes,
    members: Vec<Part>,
    voices: Vec<f64>,
    /// ε of each round.
    errors: Vec<f64>,
    /// What each row weighs in the end.
    sample_weights: Vec<f64>,
    trace: Trace,
}

impl Fit<Labelled<'_>> for AdaBoost {
    type Model = AdaBoostModel;
    const ACCEPTS: Accepts = super::super::PASSED_ON;

    /// What the wrapped classifier takes, and weights in any case.
    fn accepts(&self) -> Accepts {
        super::super::accepted(&self.estimator, DataKind::Labelled) | Accepts::WEIGHTS
    }

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<AdaBoostModel> {
        let learner = super::super::classifier(&self.estimator)?;
        let takes_weights = learner
            .route_for(DataKind::Labelled)?
            .accepts
            .contains(Accepts::WEIGHTS);
        let n_rows = data.labels.len();
        let given: Vec<f64> = (0..n_rows).map(|row| data.samples.weight(row)).collect();
        let total: f64 = given.iter().sum();
        let mut weights: Vec<f64> = given.iter().map(|weight| weight / total).collect();
        let shares = weights.clone();
        let n_classes = weighty_classes(&data);
        let rows = data.samples.rows();
        let mut trace = TraceWriter::new(run, "training error", Some(self.n_estimators));
        let mut model = AdaBoostModel {
            classes: data.classes.clone(),
            members: Vec::new(),
            voices: Vec::new(),
            errors: Vec::new(),
            sample_weights: Vec::new(),
            trace: TraceWriter::new(run, "training error", None).finish(StopReason::Converged),
        };
        let mut votes = Array2::zeros((n_rows, data.classes.len()));
        let mut stop = StopReason::IterationLimit;
        for round in 0..self.n_estimators {
            let mut random = generator(self.random_state, round as u64);
            let estimator = seeded(&self.estimator, &mut random)?;
            let part = match self.resample || !takes_weights {
                true => {
                    let drawn = draw_by_weight(&weights, &mut random);
                    let labels: Vec<usize> = drawn.iter().map(|&row| data.labels[row]).collect();
                    let samples = Samples::from(rows).select(&drawn);
                    Part::fit(&estimator, &samples, &labels, data.classes, &run.quietly())?
                }
                false => {
                    let samples = Samples::from(rows.reborrow()).weighted(&weights)?;
                    Part::fit(
                        &estimator,
                        &samples,
                        data.labels,
                        data.classes,
                        &run.quietly(),
                    )?
                }
            };
            let found = part.labels(rows)?;
            let is_wrong: Vec<bool> = found.iter().zip(data.labels).map(|(a, b)| a != b).collect();
            let wrong = weights.iter().zip(&is_wrong).filter(|(_, wrong)| **wrong);
            let error: f64 = wrong.map(|(weight, _)| weight).sum();
            // Right wherever it matters, also up to rounding: it decides alone.
            let perfect = error <= 0.0;
            let guessing = error >= 1.0 - 1.0 / n_classes as f64;
            if guessing && !perfect && round > 0 {
                stop = StopReason::Stalled;
                break;
            }
            let more = (n_classes as f64 - 1.0).max(1.0).ln();
            let voice = match perfect || guessing {
                true => 1.0,
                false => 0.5 * self.learning_rate * (((1.0 - error) / error).ln() + more),
            };
            if perfect {
                model.members.clear();
                model.voices.clear();
                votes.fill(0.0);
            }
            for (row, &label) in found.iter().enumerate() {
                votes[[row, label]] += voice;
            }
            model.members.push(part);
            model.voices.push(voice);
            model.errors.push(error);
            let missed = highest(&votes).into_iter().zip(data.labels).zip(&shares);
            let missed = missed.filter(|((found, label), _)| found != *label);
            trace.record(missed.map(|(_, share)| share).sum())?;
            if perfect || guessing {
                stop = match perfect {
                    true => StopReason::Converged,
                    false => StopReason::Stalled,
                };
                break;
            }
            let factor = (2.0 * voice).exp();
            for (weight, &wrong) in weights.iter_mut().zip(&is_wrong) {
                if wrong {
                    *weight *= factor;
                }
            }
            let total: f64 = weights.iter().sum();
            weights.iter_mut().for_each(|weight| *weight /= total);
        }
        model.sample_weights = weights;
        model.trace = trace.finish(stop);
        Ok(model)
    }
}

/// How many classes have rows that count; two at least, so that a guess is defined.
fn weighty_classes(data: &Labelled<'_>) -> usize {
    let weights = data.class_weights();
    weights
        .iter()
        .filter(|&&weight| weight > 0.0)
        .count()
        .max(2)
}

impl AdaBoostModel {
    /// The sum of the voices for each class.
    fn votes(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut votes = Array2::zeros((rows.n_rows(), self.classes.len()));
        for (part, voice) in self.members.iter().zip(&self.voices) {
            for (row, label) in part.labels(rows)?.into_iter().enumerate() {
                votes[[row, label]] += voice;
            }
        }
        Ok(votes)
    }

    /// The voice a_t of each classifier.
    pub fn voices(&self) -> &[f64] {
        &self.voices
    }

    /// The weighted error ε_t of each round.
    pub fn errors(&self) -> &[f64] {
        &self.errors
    }

    /// The training error after each round, by the weights that the rows were given.
    pub fn staged_errors(&self) -> &[f64] {
        &self.trace.objectives
    }

    /// Π 2√(ε(1 − ε)) after each round, which the training error of two classes never exceeds at
    /// the full learning rate.
    pub fn error_bounds(&self) -> Vec<f64> {
        let step = |bound: &mut f64, error: &f64| {
            *bound *= 2.0 * (error * (1.0 - error)).max(0.0).sqrt();
            Some(*bound)
        };
        self.errors.iter().scan(1.0, step).collect()
    }

    /// What each training row weighs in the end.
    pub fn sample_weights(&self) -> &[f64] {
        &self.sample_weights
    }
}

impl Features for AdaBoostModel {
    fn n_features(&self) -> usize {
        self.members[0].model.model.n_features()
    }

    fn accepts(&self) -> Accepts {
        self.members[0].model.model.accepts()
    }
}

impl Classify for AdaBoostModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        Ok(highest(&self.votes(rows)?))
    }
}

impl Probabilities for AdaBoostModel {
    /// P(c | x) ∝ exp(2·votes of c), what the exponential loss estimates.
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut shares = self.votes(rows)?;
        for mut row in shares.rows_mut() {
            let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            row.mapv_inplace(|votes| (2.0 * (votes - most)).exp());
            let total = row.sum();
            row /= total;
        }
        Ok(shares)
    }
}

impl Scores for AdaBoostModel {
    /// F(x) = Σ a_t·h_t(x) with h = ±1 for two classes, else the voices for each class.
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let votes = self.votes(rows)?;
        Ok(match self.classes.len() {
            2 => {
                let difference = &votes.column(1) - &votes.column(0);
                difference.insert_axis(ndarray::Axis(1))
            }
            _ => votes,
        })
    }
}

impl Model for AdaBoostModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities().scores();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "n_members",
            meaning: "Number of fitted classifiers.",
            get: |model| Value::from(model.members.len()),
        },
        Attribute {
            name: "estimator_weights",
            meaning: "The voice of each classifier, ½·ln((1 − ε)/ε) for two classes.",
            get: |model| Value::from(model.voices.as_slice()),
        },
        Attribute {
            name: "estimator_errors",
            meaning: "The weighted error ε of each round.",
            get: |model| Value::from(model.errors.as_slice()),
        },
        Attribute {
            name: "staged_errors",
            meaning: "The training error after each round.",
            get: |model| Value::from(model.trace.objectives.as_slice()),
        },
        Attribute {
            name: "error_bounds",
            meaning: "Π 2√(ε(1 − ε)) after each round, an upper bound of the training error of two classes.",
            get: |model| Value::from(ndarray::Array1::from(model.error_bounds())),
        },
        Attribute {
            name: "sample_weights",
            meaning: "What each training row weighs in the end.",
            get: |model| Value::from(model.sample_weights.as_slice()),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let width = self
            .members
            .first()
            .map(|part| part.model.model.n_features());
        let sound = |part: &Part| {
            part.is_sound(self.classes.len()) && Some(part.model.model.n_features()) == width
        };
        ensure_consistent(
            !self.members.is_empty()
                && self.members.len() == self.voices.len()
                && self.voices.iter().all(|voice| voice.is_finite())
                && self.members.iter().all(sound),
        )
    }
}
