//! Rules that say what a row changes.

use serde::{Deserialize, Serialize};

/// What a row changes: x·step is added to the weights of one score and taken from another's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correction {
    /// The score whose weights gain x·step.
    pub raised: usize,
    /// The score whose weights lose x·step, where there are several scores.
    pub lowered: Option<usize>,
    /// How much of the row is added; zero where the row is passed over.
    pub step: f64,
    /// Whether the right class did not score strictly best.
    pub is_mistake: bool,
    /// What the row cost before the correction.
    pub loss: f64,
}

/// A rule that looks at one row at a time and corrects the weights.
///
/// Two classes have one score, positive for the second class; more have a score each. A row whose
/// correction has the step zero changes nothing.
pub trait UpdateRule: Clone + Send + Sync {
    /// What a row of class `label` changes, given its scores, its squared length (with the
    /// constant feature of the intercept, where there is one) and how much it counts.
    fn correction(
        &self,
        scores: &[f64],
        label: usize,
        squared_length: f64,
        count: f64,
    ) -> Correction;
}

/// By how much the right score leads, and which score comes next; for a single score y·s with
/// y = ±1.
fn lead(scores: &[f64], label: usize) -> (f64, Option<usize>) {
    if let [score] = scores {
        return (if label == 1 { *score } else { -*score }, None);
    }
    let mut rival = usize::from(label == 0);
    for (class, &score) in scores.iter().enumerate() {
        if class != label && score > scores[rival] {
            rival = class;
        }
    }
    (scores[label] - scores[rival], Some(rival))
}

/// A correction in favour of a class: a single score rises for the second and falls for the first.
fn favour(label: usize, rival: Option<usize>, step: f64, margin: f64, loss: f64) -> Correction {
    Correction {
        raised: if rival.is_some() { label } else { 0 },
        lowered: rival,
        step: match (rival, label) {
            (None, 0) => -step,
            _ => step,
        },
        is_mistake: margin <= 0.0,
        loss,
    }
}

/// The perceptron: where the right class does not score strictly best, w += η·y·x.
///
/// A tie is a mistake, so the first row is always learned from when all weights are zero.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerceptronRule {
    /// The length η of a step.
    pub eta: f64,
}

impl UpdateRule for PerceptronRule {
    fn correction(&self, scores: &[f64], label: usize, _: f64, count: f64) -> Correction {
        let (margin, rival) = lead(scores, label);
        let step = match margin <= 0.0 {
            true => self.eta * count,
            false => 0.0,
        };
        favour(label, rival, step, margin, (-margin).max(0.0))
    }
}

/// How far a passive-aggressive step goes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Aggressiveness {
    /// All the way to a margin of one: τ = ℓ/‖x‖².
    Pa,
    /// At most C: τ = min{C, ℓ/‖x‖²}.
    #[default]
    #[serde(rename = "pa-1")]
    Pa1,
    /// Ever less of the way: τ = ℓ/(‖x‖² + 1/(2C)).
    #[serde(rename = "pa-2")]
    Pa2,
}

impl Aggressiveness {
    /// The multiplier τ for a loss ℓ and a squared length; rows of length zero are passed over.
    pub(crate) fn multiplier(self, loss: f64, squared_length: f64, c: f64) -> f64 {
        if loss <= 0.0 || squared_length <= 0.0 {
            return 0.0;
        }
        match self {
            Aggressiveness::Pa => loss / squared_length,
            Aggressiveness::Pa1 => (loss / squared_length).min(c),
            Aggressiveness::Pa2 => loss / (squared_length + 0.5 / c),
        }
    }
}

/// Which class a passive-aggressive step pushes away.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Rival {
    /// The wrong class that scores best, also where the right one scores better.
    #[default]
    RunnerUp,
    /// The class that scores best: rows that are classified rightly change nothing.
    Argmax,
}

/// What the loss of several classes is divided by.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Denominator {
    /// 2‖x‖², because two scores move: the margin is one after the step.
    #[default]
    Exact,
    /// ‖x‖²: the margin is 2 − γ after the step.
    Single,
}

/// Passive-aggressive: the least change of the weights after which the margin is one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassiveAggressiveRule {
    /// How far a step goes.
    pub variant: Aggressiveness,
    /// The price C of what a step leaves.
    pub c: f64,
    /// Which class is pushed away.
    pub rival: Rival,
    /// What the loss of several classes is divided by.
    pub denominator: Denominator,
}

impl UpdateRule for PassiveAggressiveRule {
    fn correction(
        &self,
        scores: &[f64],
        label: usize,
        squared_length: f64,
        count: f64,
    ) -> Correction {
        let (margin, rival) = lead(scores, label);
        let loss = (1.0 - margin).max(0.0);
        // Where the right class itself scores best, pushing it away and pulling it cancel.
        let is_idle = rival.is_some() && self.rival == Rival::Argmax && margin > 0.0;
        let length = match (rival, self.denominator) {
            (Some(_), Denominator::Exact) => 2.0 * squared_length,
            _ => squared_length,
        };
        let step = match is_idle {
            true => 0.0,
            false => self.variant.multiplier(loss, length, self.c * count),
        };
        favour(label, rival, step, margin, if is_idle { 0.0 } else { loss })
    }
}
