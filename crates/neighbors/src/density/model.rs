//! A fitted density: how probable rows are, and new rows.

use super::bandwidth::Trials;
use super::estimate::Estimate;
use super::frame::Frame;
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Attribute, Drawn, Features, Figure, LogDensity, Model, Result, Rows, Run, Sample,
    Shape, Value,
};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// Windows around rows, in coordinates in which they are round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Windows {
    pub(super) estimate: Estimate,
    pub(super) frame: Option<Frame>,
    pub(super) trials: Option<Trials>,
}

impl Windows {
    pub(super) fn n_columns(&self) -> usize {
        self.estimate.rows().ncols()
    }

    pub(super) fn log_density(&self, rows: Rows<'_>, run: &Run) -> Result<Array1<f64>> {
        let rows = rows.dense()?;
        match &self.frame {
            None => self.estimate.log_density(rows, run).map(Array1::from),
            Some(frame) => {
                let inner = self.estimate.log_density(frame.inward(rows).view(), run)?;
                Ok(Array1::from(inner) - frame.log_determinant())
            }
        }
    }

    pub(super) fn leave_one_out(&self, run: &Run) -> Result<Array1<f64>> {
        let inner = Array1::from(self.estimate.leave_one_out(run)?);
        Ok(match &self.frame {
            None => inner,
            Some(frame) => inner - frame.log_determinant(),
        })
    }

    pub(super) fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Array2<f64>> {
        let drawn = self.estimate.draw(n_rows, generator)?;
        Ok(match &self.frame {
            None => drawn,
            Some(frame) => frame.outward(drawn),
        })
    }

    /// The rows as they were given.
    fn rows(&self) -> Array2<f64> {
        let rows = self.estimate.rows().clone();
        match &self.frame {
            None => rows,
            Some(frame) => frame.outward(rows),
        }
    }

    pub(super) fn validate(&self) -> Result<()> {
        self.estimate.validate()?;
        if let Some(frame) = &self.frame {
            frame.validate(self.n_columns())?;
        }
        let trials = self.trials.as_ref();
        ensure_consistent(
            trials.is_none_or(|trials| trials.bandwidths.len() == trials.scores.len()),
        )
    }
}

/// A density by windows around the training rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KernelDensityModel {
    pub(super) windows: Windows,
    pub(super) n_samples: usize,
}

impl KernelDensityModel {
    /// The width of the windows.
    pub fn bandwidth(&self) -> f64 {
        self.windows.estimate.bandwidth()
    }

    /// The bandwidths that were tried and the log-likelihood of unseen rows under each, which is −∞
    /// where one of these is out of reach; empty where the bandwidth was given.
    pub fn bandwidth_scores(&self) -> Vec<(f64, f64)> {
        let trials = self.windows.trials.iter();
        trials
            .flat_map(|trials| {
                trials
                    .bandwidths
                    .iter()
                    .copied()
                    .zip(trials.scores.iter().copied())
            })
            .collect()
    }

    /// The log-density of each training row of positive weight without its own window.
    pub fn leave_one_out(&self) -> Result<Array1<f64>> {
        self.windows.leave_one_out(&Run::new())
    }

    fn tried(&self, part: impl Fn(&super::bandwidth::Trials) -> &Vec<f64>) -> Option<Array1<f64>> {
        let trials = self.windows.trials.as_ref();
        trials.map(|trials| Array1::from(part(trials).clone()))
    }
}

impl Features for KernelDensityModel {
    fn n_features(&self) -> usize {
        self.windows.n_columns()
    }
}

impl LogDensity for KernelDensityModel {
    fn log_density(&self, rows: Rows<'_>) -> Result<Array1<f64>> {
        self.windows.log_density(rows, &Run::new())
    }
}

impl Sample for KernelDensityModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        Ok(Drawn {
            rows: self.windows.draw(n_rows, generator)?,
            labels: vec![0; n_rows],
        })
    }
}

/// More windows than these are too many to draw.
const MOST_DRAWN: usize = 2000;

impl Model for KernelDensityModel {
    const ABILITIES: Abilities<Self> = Abilities::none().log_density().sample();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "bandwidth",
            meaning: "The width of the windows.",
            get: |model| Value::from(model.bandwidth()),
        },
        Attribute {
            name: "n_samples_fit",
            meaning: "Number of training rows.",
            get: |model| Value::from(model.n_samples),
        },
        Attribute {
            name: "bandwidths",
            meaning: "The bandwidths that were tried.",
            get: |model| Value::from(model.tried(|trials| &trials.bandwidths)),
        },
        Attribute {
            name: "bandwidth_scores",
            meaning: "The log-likelihood of unseen rows under each of them.",
            get: |model| Value::from(model.tried(|trials| &trials.scores)),
        },
    ];

    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "windows",
        meaning: "A ball of the bandwidth around each training row.",
        get: |model| {
            let is_round = model.windows.frame.is_none();
            let few = model.windows.estimate.rows().nrows() <= MOST_DRAWN;
            (is_round && few).then(|| Shape::Balls {
                centers: model.windows.rows(),
                radius: model.bandwidth(),
            })
        },
    }];

    fn validate(&self) -> Result<()> {
        self.windows.validate()
    }
}
