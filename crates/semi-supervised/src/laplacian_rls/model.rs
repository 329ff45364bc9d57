//! A smooth function for each class.

use crate::known::fits;
use crate::magnitude::check_magnitude;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Classes, Classify, Features, Model, PartlyLabelled, Result, Rows, Run,
    Scores, Value, parallel,
};
use didact_math::kernel::Kernel;
use didact_math::numeric::argmax;
use ndarray::{Array2, ArrayView1};
use serde::{Deserialize, Serialize};

/// g(x) = Σᵢaᵢk(xᵢ, x) for each class, or for the second of two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaplacianRlsModel {
    kernel: Kernel,
    rows: Array2<f64>,
    coefficients: Array2<f64>,
    classes: Classes,
    transduction: Vec<usize>,
    /// aᵀKa, summed over the functions.
    squared_norm: f64,
}

impl LaplacianRlsModel {
    pub(super) fn new(
        data: &PartlyLabelled<'_>,
        kernel: Kernel,
        coefficients: Array2<f64>,
        values: &Array2<f64>,
    ) -> Result<Self> {
        let labels = values.rows().into_iter().map(best);
        Ok(LaplacianRlsModel {
            kernel,
            rows: data.samples.dense()?.as_standard_layout().into_owned(),
            classes: data.classes.clone(),
            transduction: labels.collect(),
            squared_norm: (&coefficients * values).sum(),
            coefficients,
        })
    }

    /// The class of each training row.
    pub fn transduction(&self) -> &[usize] {
        &self.transduction
    }

    /// The coefficients a: a row per training row, a column per function.
    pub fn coefficients(&self) -> &Array2<f64> {
        &self.coefficients
    }

    /// The kernel with all its numbers.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }
}

/// The class of some scores: the sign of one decides between two, else the largest wins.
fn best(scores: ArrayView1<'_, f64>) -> usize {
    match scores.len() {
        1 => usize::from(scores[0] >= 0.0),
        _ => argmax(scores.iter().copied()).unwrap_or(0),
    }
}

impl Features for LaplacianRlsModel {
    fn n_features(&self) -> usize {
        self.rows.ncols()
    }
}

impl Scores for LaplacianRlsModel {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        check_magnitude(rows)?;
        self.kernel.check_rows(rows)?;
        let x = rows.dense()?;
        let width = self.coefficients.ncols();
        let mut scores = Array2::zeros((x.nrows(), width));
        let output = scores.as_slice_mut().expect("a new array is contiguous");
        let chunk = ((1 << 18) / self.rows.len().max(1)).clamp(1, 64);
        // Pair by pair, so that a row has the same scores alone and among others.
        parallel::fill(output, width, chunk, &Run::new(), |range, piece| {
            for (row, scores) in range.zip(piece.chunks_exact_mut(width)) {
                let x = x.row(row);
                let x = x.as_slice().expect("checked rows are contiguous");
                for (known, coefficients) in
                    self.rows.rows().into_iter().zip(self.coefficients.rows())
                {
                    let known = known.to_slice().expect("training rows are contiguous");
                    let likeness = self.kernel.between(x, known);
                    for (score, coefficient) in scores.iter_mut().zip(coefficients) {
                        *score += likeness * coefficient;
                    }
                }
            }
            Ok(())
        })?;
        Ok(scores)
    }
}

impl Classify for LaplacianRlsModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        Ok(self.scores(rows)?.rows().into_iter().map(best).collect())
    }
}

impl Model for LaplacianRlsModel {
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
            name: "dual_coef",
            meaning: "The coefficients of the kernel at the training rows, a column per function.",
            get: |model| Value::from(&model.coefficients),
        },
        Attribute {
            name: "squared_norm",
            meaning: "The squared norm of the functions in the space of the kernel, summed.",
            get: |model| Value::from(model.squared_norm),
        },
    ];

    fn validate(&self) -> Result<()> {
        let n = self.rows.nrows();
        ensure_consistent(self.kernel.check().is_ok())?;
        ensure_consistent(self.rows.ncols() > 0 && self.classes.len() >= 2)?;
        ensure_consistent(fits(&self.transduction, n, &self.classes))?;
        let width = match self.classes.len() {
            2 => 1,
            more => more,
        };
        ensure_consistent(self.coefficients.dim() == (n, width))?;
        let mut numbers = self.rows.iter().chain(&self.coefficients);
        ensure_consistent(numbers.all(|number| number.is_finite()))?;
        ensure_consistent(self.rows.is_standard_layout() && self.squared_norm.is_finite())
    }
}
