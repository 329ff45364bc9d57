//! Linear functions of features, learned from episodes.

use didact_core::model::ensure_consistent;
use didact_core::{Abilities, Attribute, Features, Model, Regress, Result, Rows, Run, Trace};
use didact_math::linalg::{rows_times, rows_times_vector};
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

/// The value of a state as a linear function of its features: V(s) = w·φ(s).
///
/// It predicts the values of any rows of features, of states that were never visited too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearValues {
    pub(super) discount: f64,
    pub(super) weights: Array1<f64>,
    pub(super) n_cut_off: usize,
    pub(super) trace: Trace,
}

impl LinearValues {
    /// w, one weight per feature.
    pub fn weights(&self) -> &Array1<f64> {
        &self.weights
    }

    /// The discount γ.
    pub fn discount(&self) -> f64 {
        self.discount
    }

    /// How many episodes were cut off before they came to an end.
    pub fn n_cut_off(&self) -> usize {
        self.n_cut_off
    }
}

impl Features for LinearValues {
    fn n_features(&self) -> usize {
        self.weights.len()
    }
}

impl Regress for LinearValues {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let values = rows_times_vector(rows, self.weights.view(), &Run::new())?;
        Ok(values.insert_axis(Axis(1)))
    }
}

impl Model for LinearValues {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "coef",
            meaning: "weight of each feature",
            get: |model| model.weights().into(),
        },
        Attribute {
            name: "n_cut_off",
            meaning: "number of episodes that were cut off",
            get: |model| model.n_cut_off.into(),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        ensure_consistent(!self.weights.is_empty())
    }
}

/// The values of actions as linear functions of the features of a state: Q(s, a) = w_a·φ(s).
///
/// It predicts one number per action for any rows of features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearActionValues {
    pub(super) discount: f64,
    /// One row per action.
    pub(super) weights: Array2<f64>,
    pub(super) n_cut_off: usize,
    pub(super) trace: Trace,
}

impl LinearActionValues {
    /// w, one row of weights per action.
    pub fn weights(&self) -> &Array2<f64> {
        &self.weights
    }

    /// The discount γ.
    pub fn discount(&self) -> f64 {
        self.discount
    }

    /// How many episodes were cut off before they came to an end.
    pub fn n_cut_off(&self) -> usize {
        self.n_cut_off
    }

    /// The learning curve: the discounted return of every episode.
    pub fn episode_returns(&self) -> &[f64] {
        &self.trace.objectives
    }
}

impl Features for LinearActionValues {
    fn n_features(&self) -> usize {
        self.weights.ncols()
    }
}

impl Regress for LinearActionValues {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        rows_times(rows, self.weights.t(), &Run::new())
    }
}

impl Model for LinearActionValues {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "coef",
            meaning: "weight of each feature, one row per action",
            get: |model| model.weights().into(),
        },
        Attribute {
            name: "n_cut_off",
            meaning: "number of episodes that were cut off",
            get: |model| model.n_cut_off.into(),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        ensure_consistent(!self.weights.is_empty())
    }
}
