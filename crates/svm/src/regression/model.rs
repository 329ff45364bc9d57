//! What a kernel regression has learned.

use super::machine::Machine;
use crate::certificate::{Certificate, Role};
use crate::rows::{Counting, Points};
use crate::solver::overflow;
use crate::support::{SupportVectors, linear_scores};
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Features, Figure, Model, Regress, Result, Rows, Shape, Trace,
    Value,
};
use didact_math::kernel::Kernel;
use didact_math::numeric::dot;
use ndarray::{Array1, Array2, Axis, s};
use serde::{Deserialize, Serialize};

/// A curve f(x) = Σ β·k(xᵢ, x) + b with a tube about it, held by support vectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SvrModel {
    support_vectors: SupportVectors,
    /// The row of each support vector among those that were given.
    support: Vec<usize>,
    /// The target of each support vector.
    support_targets: Array1<f64>,
    /// The multipliers α⁺ − α⁻ of the support vectors, as a single row.
    dual_coef: Array2<f64>,
    intercept: Array1<f64>,
    /// The weights where the kernel is linear, as a single row.
    coef: Option<Array2<f64>>,
    epsilon: f64,
    roles: Vec<Role>,
    certificate: Certificate,
    n_iter: usize,
    trace: Trace,
}

impl SvrModel {
    pub(super) fn new(
        counting: &Counting<'_>,
        targets: &[f64],
        points: &Points<'_>,
        kernel: Kernel,
        machine: Machine,
    ) -> Result<Self> {
        let multipliers = &machine.multipliers;
        let holding: Vec<usize> = (0..targets.len())
            .filter(|&row| multipliers[row] != 0.0)
            .collect();
        let mut roles = vec![Role::Idle; counting.n_given()];
        for (&given, &role) in counting.given.iter().zip(&machine.roles) {
            roles[given] = role;
        }
        let (weights, shift) = match kernel {
            Kernel::Linear => points.weights(multipliers),
            _ => (Array1::zeros(0), 0.0),
        };
        let is_linear = kernel == Kernel::Linear;
        let dual = holding.iter().map(|&row| multipliers[row]);
        let model = SvrModel {
            dual_coef: dual.collect::<Array1<f64>>().insert_axis(Axis(0)),
            support_targets: holding.iter().map(|&row| targets[row]).collect(),
            support: holding.iter().map(|&row| counting.given[row]).collect(),
            support_vectors: SupportVectors::new(kernel, counting.rows(), &holding),
            intercept: Array1::from_elem(1, machine.intercept - shift),
            coef: is_linear.then(|| weights.insert_axis(Axis(0))),
            epsilon: machine.epsilon,
            roles,
            certificate: machine.certificate,
            n_iter: machine.steps,
            trace: machine.trace,
        };
        match model.has_finite_numbers() {
            true => Ok(model),
            false => Err(overflow()),
        }
    }

    /// The rows that hold the solution.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// The multipliers α⁺ − α⁻ of the support vectors, as a single row.
    pub fn dual_coef(&self) -> &Array2<f64> {
        &self.dual_coef
    }

    /// The prediction where all products are zero.
    pub fn intercept(&self) -> f64 {
        self.intercept[0]
    }

    /// The weights as a single row, where the kernel is linear.
    pub fn coef(&self) -> Option<&Array2<f64>> {
        self.coef.as_ref()
    }

    /// Half the height of the tube.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// The ε-margin 2ε/‖w‖: how far apart in the space of the kernel two points must be for the
    /// curve to rise by the height of the tube. The tube itself has the same height everywhere.
    pub fn margin(&self) -> f64 {
        2.0 * self.epsilon / self.certificate.squared_length.sqrt()
    }

    /// What each of the rows learned from has to do with the solution.
    pub fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// What proves the solution.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
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
        let numbers = self.dual_coef.iter().chain(&self.intercept).chain(coef);
        let mut numbers = numbers.chain(&self.support_targets);
        numbers.all(|number| number.is_finite())
            && self.epsilon.is_finite()
            && self.certificate.is_finite()
    }

    /// The support vectors of one role, with their targets as the last coordinate.
    fn supports(&self, role: Role) -> Option<Shape> {
        let chosen: Vec<usize> = (0..self.support.len())
            .filter(|&vector| self.roles[self.support[vector]] == role)
            .collect();
        let d = self.support_vectors.n_columns();
        let mut points = Array2::zeros((chosen.len(), d + 1));
        let vectors = self.support_vectors.rows().select(&chosen).into_dense();
        points.slice_mut(s![.., ..d]).assign(&vectors);
        for (mut point, &vector) in points.rows_mut().into_iter().zip(&chosen) {
            point[d] = self.support_targets[vector];
        }
        (!chosen.is_empty()).then_some(Shape::Points { points })
    }

    /// The planes w·x − y + b = level in the space of features and targets.
    fn planes(&self, levels: &[f64]) -> Option<Shape> {
        let coef = self.coef.as_ref()?;
        let d = coef.ncols();
        let mut normals = Array2::from_elem((levels.len(), d + 1), -1.0);
        normals.slice_mut(s![.., ..d]).assign(coef);
        let offsets = levels.iter().map(|level| self.intercept[0] - level);
        Some(Shape::Hyperplanes {
            normals,
            offsets: offsets.collect(),
        })
    }
}

impl Features for SvrModel {
    fn n_features(&self) -> usize {
        self.support_vectors.n_columns()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Regress for SvrModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        if let Some(coef) = &self.coef {
            return linear_scores(rows, coef, &self.intercept);
        }
        let dual = self.dual_coef.as_slice().expect("a single row");
        self.support_vectors.judge(rows, 1, |kernel, value| {
            value[0] = dot(dual, kernel) + self.intercept[0];
        })
    }
}

impl Model for SvrModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "support",
            meaning: "The rows that hold the solution.",
            get: |model| Value::from(&model.support[..]),
        },
        Attribute {
            name: "support_vectors",
            meaning: "The support vectors.",
            get: |model| Value::from(model.support_vectors.rows().to_dense().into_owned()),
        },
        Attribute {
            name: "n_support",
            meaning: "The number of support vectors.",
            get: |model| Value::Integers(vec![model.support.len() as i64]),
        },
        Attribute {
            name: "dual_coef",
            meaning: "The multipliers α⁺ − α⁻ of the support vectors, as a single row.",
            get: |model| Value::from(&model.dual_coef),
        },
        Attribute {
            name: "coef",
            meaning: "The weight of each feature, where the kernel is linear.",
            get: |model| Value::from(model.coef.as_ref()),
        },
        Attribute {
            name: "intercept",
            meaning: "The intercept.",
            get: |model| Value::from(&model.intercept),
        },
        Attribute {
            name: "epsilon",
            meaning: "Half the height of the tube.",
            get: |model| Value::from(model.epsilon),
        },
        Attribute {
            name: "roles",
            meaning: "For each row learned from: 0 inside the tube, 1 on its edge, 2 outside.",
            get: |model| Value::Integers(model.roles.iter().map(|&role| role as i64).collect()),
        },
        Attribute {
            name: "objective",
            meaning: "The primal objective.",
            get: |model| Value::from(model.certificate.primal),
        },
        Attribute {
            name: "dual_objective",
            meaning: "The dual objective.",
            get: |model| Value::from(model.certificate.dual),
        },
        Attribute {
            name: "dual_gap",
            meaning: "By how much the objective is above the least one at most.",
            get: |model| Value::from(model.certificate.gap()),
        },
        Attribute {
            name: "violation",
            meaning: "By how much two multipliers still contradict each other.",
            get: |model| Value::from(model.certificate.violation),
        },
        Attribute {
            name: "n_iter",
            meaning: "The number of steps.",
            get: |model| Value::from(model.n_iter),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[
        Figure {
            name: "hyperplane",
            meaning: "The hyperplane w·x − y + b = 0 in the space of features and targets, where the kernel is linear.",
            get: |model| model.planes(&[0.0]),
        },
        Figure {
            name: "tube",
            meaning: "The edges of the tube, where the kernel is linear.",
            get: |model| model.planes(&[model.epsilon, -model.epsilon]),
        },
        Figure {
            name: "support vectors",
            meaning: "The rows on the edge of the tube, with their targets.",
            get: |model| model.supports(Role::Edge),
        },
        Figure {
            name: "bound support vectors",
            meaning: "The rows outside the tube, with their targets.",
            get: |model| model.supports(Role::Bound),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let vectors = self.support_vectors.len();
        let d = self.support_vectors.n_columns();
        ensure_consistent(d > 0 && self.intercept.len() == 1)?;
        ensure_consistent(self.support_vectors.kernel.check().is_ok())?;
        ensure_consistent(self.support_vectors.is_finite())?;
        ensure_consistent(self.support.len() == vectors && self.support_targets.len() == vectors)?;
        ensure_consistent(self.support.iter().all(|&row| row < self.roles.len()))?;
        ensure_consistent(self.dual_coef.dim() == (1, vectors))?;
        ensure_consistent((*self.kernel() == Kernel::Linear) == self.coef.is_some())?;
        ensure_consistent(self.coef.as_ref().is_none_or(|coef| coef.dim() == (1, d)))?;
        ensure_consistent(self.has_finite_numbers())
    }
}
