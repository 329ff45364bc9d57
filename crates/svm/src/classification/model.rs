//! What a kernel classifier has learned.

use super::jury::{Jury, Layout};
use super::pairs::{Examples, PairMachine};
use crate::certificate::{Certificate, Role};
use crate::rows::{Counting, Points};
use crate::solver::overflow;
use crate::support::{SupportVectors, linear_scores};
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Features, Figure, Model, Result, Rows,
    Scores, Shape, Trace, Value,
};
use didact_math::kernel::Kernel;
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

/// A machine for every pair of classes, held by support vectors they share.
///
/// Two classes have one score, positive for the second. Among several classes each pair votes; the
/// score of a class is its votes, and less than half a vote for how sure they were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SvcModel {
    jury: Jury,
    support_vectors: SupportVectors,
    /// The row of each support vector among those that were given, class by class.
    support: Vec<usize>,
    /// The weights of each machine where the kernel is linear.
    coef: Option<Array2<f64>>,
    /// What each given row has to do with the solution, at most.
    roles: Vec<Role>,
    certificates: Vec<Certificate>,
    /// The distance of the two edges of each margin.
    margin: Array1<f64>,
    /// The ρ of each machine that was asked for a share of errors.
    rho: Option<Array1<f64>>,
    /// The steps of each machine.
    n_iter: Vec<usize>,
    trace: Trace,
}

impl SvcModel {
    /// The rows that hold the solution, class by class.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// The number of support vectors of each class that had rows.
    pub fn n_support(&self) -> &[usize] {
        &self.jury.n_support
    }

    /// The multipliers αy of the support vectors, a row for each machine that a class takes part in.
    pub fn dual_coef(&self) -> &Array2<f64> {
        &self.jury.dual_coef
    }

    /// The intercept of each machine.
    pub fn intercept(&self) -> &Array1<f64> {
        &self.jury.intercept
    }

    /// The weights of each machine, where the kernel is linear.
    pub fn coef(&self) -> Option<&Array2<f64>> {
        self.coef.as_ref()
    }

    /// What each of the rows learned from has to do with the solution.
    pub fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// What proves the solution of each machine.
    pub fn certificates(&self) -> &[Certificate] {
        &self.certificates
    }

    /// The distance 2/‖w‖ of the two edges of the margin of each machine, in the space of the kernel.
    pub fn margin(&self) -> &Array1<f64> {
        &self.margin
    }

    /// The ρ of each machine, where a share of errors was asked for; zero where there is no margin.
    pub fn rho(&self) -> Option<&Array1<f64>> {
        self.rho.as_ref()
    }

    /// The kernel with all its numbers.
    pub fn kernel(&self) -> &Kernel {
        &self.support_vectors.kernel
    }

    /// The history of the fit.
    pub fn history(&self) -> &Trace {
        &self.trace
    }

    fn has_finite_numbers(&self) -> bool {
        let coef = self.coef.iter().flatten();
        let mut certificates = self.certificates.iter();
        self.jury.has_finite_numbers()
            && coef.into_iter().all(|number| number.is_finite())
            && certificates.all(Certificate::is_finite)
    }

    /// The scores of all machines.
    fn pair_scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        match &self.coef {
            Some(coef) => linear_scores(rows, coef, &self.jury.intercept),
            None => {
                let machines = self.jury.machines();
                let judge = |kernel: &[f64], scores: &mut [f64]| machines.judge(kernel, scores);
                self.support_vectors
                    .judge(rows, self.jury.intercept.len(), judge)
            }
        }
    }

    /// The support vectors of one role.
    fn supports(&self, role: Role) -> Option<Shape> {
        let chosen: Vec<usize> = (0..self.support.len())
            .filter(|&vector| self.roles[self.support[vector]] == role)
            .collect();
        (!chosen.is_empty()).then(|| Shape::Points {
            points: self.support_vectors.rows().select(&chosen).into_dense(),
        })
    }

    /// The planes on which every machine has one of these scores.
    fn planes(&self, levels: &[f64]) -> Option<Shape> {
        let coef = self.coef.as_ref()?;
        let normals: Vec<usize> = (0..coef.nrows())
            .flat_map(|machine| std::iter::repeat_n(machine, levels.len()))
            .collect();
        let offsets = self
            .jury
            .intercept
            .iter()
            .flat_map(|b| levels.iter().map(move |level| b - level));
        Some(Shape::Hyperplanes {
            normals: coef.select(Axis(0), &normals),
            offsets: offsets.collect(),
        })
    }
}

/// The machines of all pairs, and the rows they were taught with.
pub(super) struct Taught<'a, 'c, 'p> {
    pub(super) classes: Classes,
    pub(super) examples: &'a Examples,
    pub(super) counting: &'a Counting<'c>,
    pub(super) points: &'a Points<'p>,
    pub(super) kernel: Kernel,
    /// For each pair its rows and its machine.
    pub(super) machines: Vec<PairMachine>,
    pub(super) trace: Trace,
}

impl Taught<'_, '_, '_> {
    pub(super) fn model(self, break_ties: bool) -> Result<SvcModel> {
        let layout = Layout::new(self.examples, &self.machines);
        let given = &self.counting.given;
        let (intercept, coef) = self.planes();
        let machines = || self.machines.iter().map(|(_, machine)| machine);
        let model = SvcModel {
            jury: layout.jury(
                self.classes.clone(),
                self.examples,
                &self.machines,
                intercept,
                break_ties,
            ),
            support: layout.rows.iter().map(|&row| given[row]).collect(),
            coef,
            roles: self.roles(),
            margin: machines().map(|machine| machine.margin).collect(),
            rho: machines().map(|machine| machine.rho).collect(),
            n_iter: machines().map(|machine| machine.steps).collect(),
            certificates: machines().map(|machine| machine.certificate).collect(),
            support_vectors: SupportVectors::new(self.kernel, self.counting.rows(), &layout.rows),
            trace: self.trace,
        };
        match model.has_finite_numbers() {
            true => Ok(model),
            false => Err(overflow()),
        }
    }

    /// What each given row has to do with any of the machines, at most.
    fn roles(&self) -> Vec<Role> {
        let mut roles = vec![Role::Idle; self.counting.n_given()];
        for (rows, machine) in &self.machines {
            for (&row, &role) in rows.iter().zip(&machine.roles) {
                let known = &mut roles[self.counting.given[row]];
                *known = role.max(*known);
            }
        }
        roles
    }

    /// The intercept of each machine, and its weights where the kernel is linear.
    fn planes(&self) -> (Array1<f64>, Option<Array2<f64>>) {
        let machines = self.machines.iter();
        let mut intercept: Array1<f64> = machines.map(|(_, machine)| machine.intercept).collect();
        if self.kernel != Kernel::Linear {
            return (intercept, None);
        }
        let rows = self.points.rows();
        let mut coef = Array2::zeros((self.machines.len(), rows.n_columns()));
        for (index, (own, machine)) in self.machines.iter().enumerate() {
            let mut multipliers = vec![0.0; rows.n_rows()];
            for (&row, &beta) in own.iter().zip(&machine.multipliers) {
                multipliers[row] = beta;
            }
            let (weights, shift) = self.points.weights(&multipliers);
            coef.row_mut(index).assign(&weights);
            intercept[index] -= shift;
        }
        (intercept, Some(coef))
    }
}

impl Features for SvcModel {
    fn n_features(&self) -> usize {
        self.support_vectors.n_columns()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Classify for SvcModel {
    fn classes(&self) -> &Classes {
        &self.jury.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        Ok(self.jury.classify(&self.pair_scores(rows)?))
    }
}

impl Scores for SvcModel {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        Ok(self.jury.scores(self.pair_scores(rows)?))
    }
}

impl Model for SvcModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().scores();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.jury.classes),
        },
        Attribute {
            name: "support",
            meaning: "The rows that hold the solution, class by class.",
            get: |model| Value::from(&model.support[..]),
        },
        Attribute {
            name: "support_vectors",
            meaning: "The support vectors, class by class.",
            get: |model| Value::from(model.support_vectors.rows().to_dense().into_owned()),
        },
        Attribute {
            name: "n_support",
            meaning: "The number of support vectors of each class that had rows.",
            get: |model| Value::from(&model.jury.n_support[..]),
        },
        Attribute {
            name: "dual_coef",
            meaning: "The multipliers αy of the support vectors, a row for each other class.",
            get: |model| Value::from(&model.jury.dual_coef),
        },
        Attribute {
            name: "coef",
            meaning: "The weights of each machine, where the kernel is linear.",
            get: |model| Value::from(model.coef.as_ref()),
        },
        Attribute {
            name: "intercept",
            meaning: "The intercept of each machine.",
            get: |model| Value::from(&model.jury.intercept),
        },
        Attribute {
            name: "roles",
            meaning: "For each row learned from: 0 beyond the margin, 1 on it, 2 within it or on the wrong side.",
            get: |model| Value::Integers(model.roles.iter().map(|&role| role as i64).collect()),
        },
        Attribute {
            name: "margin",
            meaning: "The distance 2/‖w‖ of the two edges of the margin of each machine.",
            get: |model| Value::from(&model.margin),
        },
        Attribute {
            name: "rho",
            meaning: "The ρ of each machine that was asked for a share of errors, zero without a margin.",
            get: |model| Value::from(model.rho.as_ref()),
        },
        Attribute {
            name: "objective",
            meaning: "The primal objective of each machine.",
            get: |model| Value::from(certified(model, |certificate| certificate.primal)),
        },
        Attribute {
            name: "dual_objective",
            meaning: "The dual objective of each machine.",
            get: |model| Value::from(certified(model, |certificate| certificate.dual)),
        },
        Attribute {
            name: "dual_gap",
            meaning: "By how much each objective is above the least one at most.",
            get: |model| Value::from(certified(model, Certificate::gap)),
        },
        Attribute {
            name: "violation",
            meaning: "By how much two multipliers of each machine still contradict each other.",
            get: |model| Value::from(certified(model, |certificate| certificate.violation)),
        },
        Attribute {
            name: "n_iter",
            meaning: "The number of steps of each machine.",
            get: |model| Value::from(&model.n_iter[..]),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[
        Figure {
            name: "boundaries",
            meaning: "Where the score of a linear machine is zero.",
            get: |model| model.planes(&[0.0]),
        },
        Figure {
            name: "margins",
            meaning: "Where the score of a linear machine is one or minus one.",
            get: |model| model.planes(&[1.0, -1.0]),
        },
        Figure {
            name: "support vectors",
            meaning: "The rows on the margin.",
            get: |model| model.supports(Role::Edge),
        },
        Figure {
            name: "bound support vectors",
            meaning: "The rows within the margin or on the wrong side.",
            get: |model| model.supports(Role::Bound),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let vectors = self.support_vectors.len();
        self.jury.validate(vectors)?;
        ensure_consistent(self.support_vectors.n_columns() > 0)?;
        ensure_consistent(self.support_vectors.kernel.check().is_ok())?;
        ensure_consistent(self.support_vectors.is_finite())?;
        ensure_consistent(self.support.len() == vectors)?;
        ensure_consistent(self.support.iter().all(|&row| row < self.roles.len()))?;
        let machines = self.jury.intercept.len();
        ensure_consistent(self.margin.len() == machines)?;
        ensure_consistent(self.certificates.len() == machines && self.n_iter.len() == machines)?;
        ensure_consistent(self.rho.as_ref().is_none_or(|rho| rho.len() == machines))?;
        let shape = (machines, self.support_vectors.n_columns());
        let is_linear = *self.kernel() == Kernel::Linear;
        ensure_consistent(is_linear == self.coef.is_some())?;
        ensure_consistent(self.coef.as_ref().is_none_or(|coef| coef.dim() == shape))?;
        ensure_consistent(self.has_finite_numbers())
    }
}

fn certified(model: &SvcModel, number: impl Fn(&Certificate) -> f64) -> Array1<f64> {
    model.certificates.iter().map(number).collect()
}
