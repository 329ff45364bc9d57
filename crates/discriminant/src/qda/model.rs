//! The fitted quadratic discriminant.

use crate::linear::ClassMoments;
use crate::posterior::joint_model;
use crate::priors::draw_rows;
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Attribute, Drawn, Features, Figure, Model, Result, Rows, Run, Sample, Scores, Shape,
    Value, parallel,
};
use didact_math::gaussian;
use didact_math::linalg::{Cholesky, a_times_bt};
use ndarray::{Array1, Array2, Array3, ArrayView2, Axis};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// The probability, mean and covariance of each class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QdaModel {
    pub(super) moments: ClassMoments,
    pub(super) class_prior: Array1<f64>,
    pub(super) factors: Vec<Cholesky>,
    pub(super) ridges: Array1<f64>,
}

impl QdaModel {
    /// The probability of each class before a row is seen.
    pub fn priors(&self) -> &Array1<f64> {
        &self.class_prior
    }

    /// The mean of each class, a row per class.
    pub fn means(&self) -> &Array2<f64> {
        &self.moments.means
    }

    /// The covariance of a class, as it is used.
    pub fn covariance(&self, class: usize) -> Array2<f64> {
        let lower = self.factors[class].lower();
        a_times_bt(lower, lower)
    }

    /// What was added to the variances of each class so that its covariance has an inverse.
    pub fn ridges(&self) -> &Array1<f64> {
        &self.ridges
    }

    /// The joint log-densities ln π_c + ln N(x; μ_c, Σ_c), a column per class; minus infinity for a
    /// class that cannot be.
    pub fn joint_log_densities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let x = rows.dense()?;
        let k = self.factors.len();
        let mut joint = Array2::zeros((x.nrows(), k));
        let output = joint.as_slice_mut().expect("a new array is contiguous");
        let chunk = ((1 << 18) / (k * x.ncols())).clamp(16, 1024);
        let constants: Vec<f64> = (0..k).map(|class| self.constant(class)).collect();
        parallel::fill(output, k, chunk, &Run::new(), |range, piece| {
            let mut solved = vec![0.0; x.ncols()];
            for (row, scores) in range.zip(piece.chunks_exact_mut(k)) {
                let x = x.row(row).to_slice().expect("checked rows are contiguous");
                for (class, score) in scores.iter_mut().enumerate() {
                    *score = constants[class] - 0.5 * self.distance(class, x, &mut solved);
                }
            }
            Ok(())
        })?;
        Ok(joint)
    }

    /// ln π − ½(d·ln 2π + ln|Σ|), what all rows share.
    fn constant(&self, class: usize) -> f64 {
        let determinant = self.factors[class].log_determinant();
        let spread = self.n_features() as f64 * TAU.ln() + determinant;
        self.class_prior[class].ln() - 0.5 * spread
    }

    /// ‖L⁻¹(x − μ)‖² by forward substitution, row by row, so that a row has the same densities
    /// alone and among others; column by column of L, which lies in memory so.
    fn distance(&self, class: usize, x: &[f64], solved: &mut [f64]) -> f64 {
        let (means, lower) = (self.moments.means.row(class), self.factors[class].lower());
        for ((solved, x), mean) in solved.iter_mut().zip(x).zip(means) {
            *solved = x - mean;
        }
        let mut square = 0.0;
        for pivot in 0..solved.len() {
            let column = lower.column(pivot);
            let column = column.as_slice().expect("factors lie in memory by columns");
            let value = solved[pivot] / column[pivot];
            square += value * value;
            let below = &column[pivot + 1..];
            for (solved, below) in solved[pivot + 1..].iter_mut().zip(below) {
                *solved -= value * below;
            }
        }
        square
    }

    fn covariances(&self) -> Array3<f64> {
        let d = self.n_features();
        let mut all = Array3::zeros((self.factors.len(), d, d));
        for (class, mut covariance) in all.axis_iter_mut(Axis(0)).enumerate() {
            covariance.assign(&self.covariance(class));
        }
        all
    }
}

impl Features for QdaModel {
    fn n_features(&self) -> usize {
        self.moments.n_columns()
    }
}

joint_model!(QdaModel, moments.classes);

impl Scores for QdaModel {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let joint = self.joint_log_densities(rows)?;
        if self.factors.len() != 2 {
            return Ok(joint);
        }
        // Where neither class can be, neither is preferred: −∞ − (−∞) would be NaN.
        let difference = |row: ArrayView2<'_, f64>| match row[[0, 1]] == row[[0, 0]] {
            true => 0.0,
            false => row[[0, 1]] - row[[0, 0]],
        };
        let values = joint.axis_chunks_iter(Axis(0), 1).map(difference);
        Ok(values.collect::<Array1<f64>>().insert_axis(Axis(1)))
    }
}

impl Sample for QdaModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let (d, prior) = (self.n_features(), &self.class_prior);
        draw_rows(n_rows, d, prior, generator, |class, mut row, generator| {
            let mean = self.moments.means.row(class);
            let drawn = gaussian::sample(mean, &self.factors[class], 1, generator);
            row.assign(&drawn.row(0));
            Ok(())
        })
    }
}

impl Model for QdaModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .classify()
        .probabilities()
        .scores()
        .log_density()
        .sample();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.moments.classes),
        },
        Attribute {
            name: "class_count",
            meaning: "The weight of the training rows of each class.",
            get: |model| Value::from(&model.moments.weights),
        },
        Attribute {
            name: "priors",
            meaning: "The probability of each class before a row is seen.",
            get: |model| Value::from(&model.class_prior),
        },
        Attribute {
            name: "means",
            meaning: "The mean of each class, a row per class.",
            get: |model| Value::from(&model.moments.means),
        },
        Attribute {
            name: "covariance",
            meaning: "The covariance of each class, as it is used.",
            get: |model| Value::from(model.covariances()),
        },
        Attribute {
            name: "ridge",
            meaning: "What was added to the variances of each class so that its covariance has an inverse.",
            get: |model| Value::from(&model.ridges),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "classes",
        meaning: "The mean and covariance of each class that can be.",
        get: |model| {
            let possible: Vec<usize> = (0..model.factors.len())
                .filter(|&class| model.class_prior[class] > 0.0)
                .collect();
            Some(Shape::Ellipsoids {
                centers: model.moments.means.select(Axis(0), &possible),
                covariances: possible
                    .iter()
                    .map(|&class| model.covariance(class))
                    .collect(),
            })
        },
    }];

    fn validate(&self) -> Result<()> {
        self.moments.check(false)?;
        let (k, d) = self.moments.means.dim();
        ensure_consistent(self.class_prior.len() == k && self.ridges.len() == k)?;
        ensure_consistent(self.factors.len() == k)?;
        ensure_consistent(self.factors.iter().all(|factor| factor.dimension() == d))?;
        ensure_consistent((self.class_prior.sum() - 1.0).abs() < 1e-6)
    }
}
