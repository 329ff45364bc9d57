//! Machines that rows without a class took part in.

use super::one_against_rest::{best, completed, n_contests, side_by_side};
use super::switching::Switched;
use crate::known::fits;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Features, Model, PartlyLabelled, Result,
    Rows, Scores, Trace, Value,
};
use didact_svm::SvcModel;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// A machine for the second of two classes, or one for each of more against the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TransductiveSvmModel {
    n_features: usize,
    classes: Classes,
    /// None for a class that had no rows.
    machines: Vec<Option<SvcModel>>,
    transduction: Vec<usize>,
    /// The histories of the searches, one after the other.
    trace: Trace,
}

impl TransductiveSvmModel {
    pub(super) fn new(data: &PartlyLabelled<'_>, found: Vec<Option<Switched>>) -> Result<Self> {
        let mut objectives = Vec::new();
        let (mut name, mut stop) = (String::new(), None);
        let mut machines = Vec::new();
        let mut assigned: Option<Vec<f64>> = None;
        let is_alone = found.len() == 1;
        for switched in found {
            machines.push(switched.map(|switched| {
                objectives.extend(switched.trace.objectives);
                name = switched.trace.objective_name;
                stop = Some(switched.trace.stop);
                if is_alone {
                    assigned = Some(switched.signs);
                }
                switched.model
            }));
        }
        let mut model = TransductiveSvmModel {
            n_features: data.samples.n_columns(),
            classes: data.classes.clone(),
            machines,
            transduction: Vec::new(),
            trace: Trace {
                objective_name: name,
                objectives,
                stop: stop.unwrap_or(didact_core::StopReason::Converged),
            },
        };
        model.transduction = match assigned {
            // What was assigned keeps the share of positive rows, which the signs of f may not.
            Some(signs) => signs.iter().map(|&sign| usize::from(sign > 0.0)).collect(),
            None => completed(data.labels, &model.scores(data.samples.rows())?),
        };
        Ok(model)
    }

    /// The class of each training row: the known one, or the one that the search assigned.
    pub fn transduction(&self) -> &[usize] {
        &self.transduction
    }

    /// The machine of the second of two classes, or of each class against the rest; none for a
    /// class that had no rows.
    pub fn machines(&self) -> &[Option<SvcModel>] {
        &self.machines
    }

    /// The objective of every machine that the search taught.
    pub fn history(&self) -> &Trace {
        &self.trace
    }

    fn objectives(&self) -> Array1<f64> {
        let machines = self.machines.iter().flatten();
        machines
            .map(|machine| machine.certificates()[0].primal)
            .collect()
    }
}

impl Features for TransductiveSvmModel {
    fn n_features(&self) -> usize {
        self.n_features
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Scores for TransductiveSvmModel {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut columns = Vec::new();
        for machine in &self.machines {
            let scores = machine
                .as_ref()
                .map(|machine| machine.scores(rows))
                .transpose()?;
            columns.push(scores.map(|scores| scores.into_iter().collect()));
        }
        Ok(side_by_side(rows.n_rows(), columns))
    }
}

impl Classify for TransductiveSvmModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        Ok(self.scores(rows)?.rows().into_iter().map(best).collect())
    }
}

impl Model for TransductiveSvmModel {
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
            name: "objective",
            meaning: "The objective ½‖w‖² + C·Σξ + C*·Σξ* of each machine.",
            get: |model| Value::from(model.objectives()),
        },
        Attribute {
            name: "n_iter",
            meaning: "How many machines were taught on the way.",
            get: |model| Value::from(model.trace.n_iter()),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        ensure_consistent(self.classes.len() >= 2 && self.n_features > 0)?;
        ensure_consistent(self.machines.len() == n_contests(&self.classes))?;
        ensure_consistent(self.machines.iter().any(Option::is_some))?;
        for machine in self.machines.iter().flatten() {
            machine.validate()?;
            ensure_consistent(machine.n_features() == self.n_features)?;
            ensure_consistent(machine.classes().len() == 2 && machine.certificates().len() == 1)?;
        }
        ensure_consistent(fits(
            &self.transduction,
            self.transduction.len(),
            &self.classes,
        ))
    }
}
