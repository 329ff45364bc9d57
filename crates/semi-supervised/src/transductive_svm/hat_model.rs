//! Planes that rows without a class took part in.

use super::hat::Plane;
use super::one_against_rest::{best, completed, n_contests, side_by_side};
use crate::known::fits;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Classes, Classify, Features, Figure, Model, PartlyLabelled, Result, Rows,
    Scores, Shape, StopReason, Trace, Value,
};
use didact_math::numeric::dot;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// A plane for the second of two classes, or one for each of more against the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HatLossSvmModel {
    classes: Classes,
    coef: Array2<f64>,
    intercept: Array1<f64>,
    /// Whether each contest had rows of its class.
    is_present: Vec<bool>,
    transduction: Vec<usize>,
    trace: Trace,
}

impl HatLossSvmModel {
    pub(super) fn new(data: &PartlyLabelled<'_>, planes: Vec<Option<Plane>>) -> Result<Self> {
        let shape = (planes.len(), data.samples.n_columns());
        let mut model = HatLossSvmModel {
            classes: data.classes.clone(),
            coef: Array2::zeros(shape),
            intercept: Array1::zeros(shape.0),
            is_present: planes.iter().map(Option::is_some).collect(),
            transduction: Vec::new(),
            trace: Trace {
                objective_name: "objective".to_owned(),
                objectives: Vec::new(),
                stop: StopReason::Converged,
            },
        };
        for (contest, plane) in planes.into_iter().enumerate() {
            let Some(plane) = plane else { continue };
            model.coef.row_mut(contest).assign(&plane.weights);
            model.intercept[contest] = plane.intercept;
            model.trace.objectives.extend(plane.trace.objectives);
            if plane.trace.stop != StopReason::Converged {
                model.trace.stop = plane.trace.stop;
            }
        }
        let scores = model.scores(data.samples.rows())?;
        model.transduction = completed(data.labels, &scores);
        Ok(model)
    }

    /// The class of each training row: the known one, or that of the side on which it is.
    pub fn transduction(&self) -> &[usize] {
        &self.transduction
    }

    /// The weights of each plane, a row per plane.
    pub fn coef(&self) -> &Array2<f64> {
        &self.coef
    }

    /// The intercept of each plane.
    pub fn intercept(&self) -> &Array1<f64> {
        &self.intercept
    }
}

impl Features for HatLossSvmModel {
    fn n_features(&self) -> usize {
        self.coef.ncols()
    }
}

impl Scores for HatLossSvmModel {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let x = rows.dense()?;
        let column = |contest: usize| {
            let weights = self.coef.row(contest);
            let weights = weights.to_slice().expect("weights are contiguous");
            let score = |row: ndarray::ArrayView1<'_, f64>| {
                dot(
                    row.to_slice().expect("checked rows are contiguous"),
                    weights,
                ) + self.intercept[contest]
            };
            let is_present = self.is_present[contest];
            is_present.then(|| x.rows().into_iter().map(score).collect())
        };
        let columns = (0..self.coef.nrows()).map(column).collect();
        Ok(side_by_side(x.nrows(), columns))
    }
}

impl Classify for HatLossSvmModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        Ok(self.scores(rows)?.rows().into_iter().map(best).collect())
    }
}

impl Model for HatLossSvmModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().scores();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "transduction",
            meaning: "The class of each training row, as its place among the classes.",
            get: |model| Value::from(&model.transduction[..]),
        },
        Attribute {
            name: "coef",
            meaning: "The weights of each plane.",
            get: |model| Value::from(&model.coef),
        },
        Attribute {
            name: "intercept",
            meaning: "The intercept of each plane.",
            get: |model| Value::from(&model.intercept),
        },
        Attribute {
            name: "n_iter",
            meaning: "The number of steps, over all planes.",
            get: |model| Value::from(model.trace.n_iter()),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "boundaries",
        meaning: "Where the score of a plane is zero.",
        get: |model| {
            Some(Shape::Hyperplanes {
                normals: model.coef.clone(),
                offsets: model.intercept.to_vec(),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let contests = n_contests(&self.classes);
        ensure_consistent(self.classes.len() >= 2 && self.coef.ncols() > 0)?;
        ensure_consistent(self.coef.nrows() == contests && self.coef.is_standard_layout())?;
        ensure_consistent(self.intercept.len() == contests && self.is_present.len() == contests)?;
        ensure_consistent(self.is_present.contains(&true))?;
        let mut numbers = self.coef.iter().chain(&self.intercept);
        ensure_consistent(numbers.all(|number| number.is_finite()))?;
        ensure_consistent(fits(
            &self.transduction,
            self.transduction.len(),
            &self.classes,
        ))
    }
}
