//! Classes that are normal distributions.

use super::climb::Climber;
use super::posterior::score_rows;
use didact_core::{Error, Result, Rows, Run};
use didact_math::linalg::{Cholesky, Moments, Variances, a_times_bt};
use ndarray::{Array1, Array2, ArrayView2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// What the covariances of the classes look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClassShape {
    /// Every class has an ellipsoid of its own.
    #[default]
    Full,
    /// All classes share one ellipsoid.
    Tied,
    /// Every class has a variance for each column, which is naive Bayes.
    Diag,
    /// Every class has one variance for all columns.
    Spherical,
}

/// The spread of one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Spread {
    Ellipsoid(Cholesky),
    Variances(Array1<f64>),
}

/// The weight, mean and spread of each class; a class without rows has weight zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Gaussians {
    pub(super) weights: Array1<f64>,
    pub(super) means: Array2<f64>,
    pub(super) spreads: Vec<Spread>,
}

impl Spread {
    /// Whether a saved spread is one of so many columns.
    pub(super) fn is_sound(&self, columns: usize) -> bool {
        match self {
            // Reading a factor checks its values.
            Spread::Ellipsoid(factor) => factor.dimension() == columns,
            Spread::Variances(variances) => {
                let is_variance = |variance: &f64| *variance > 0.0 && variance.is_finite();
                variances.len() == columns && variances.iter().all(is_variance)
            }
        }
    }

    pub(super) fn covariance(&self) -> Array2<f64> {
        match self {
            Spread::Ellipsoid(factor) => a_times_bt(factor.lower(), factor.lower()),
            Spread::Variances(variances) => Array2::from_diag(variances),
        }
    }

    fn log_determinant(&self) -> f64 {
        match self {
            Spread::Ellipsoid(factor) => factor.log_determinant(),
            Spread::Variances(variances) => variances.iter().map(|variance| variance.ln()).sum(),
        }
    }

    /// (x − μ)ᵀΣ⁻¹(x − μ) of the difference, which is overwritten. Row by row, so that a row has
    /// the same density alone and among others.
    fn squared_distance(&self, difference: &mut [f64]) -> f64 {
        match self {
            Spread::Variances(variances) => {
                let terms = difference.iter().zip(variances);
                terms
                    .map(|(value, variance)| value / variance * value)
                    .sum()
            }
            Spread::Ellipsoid(factor) => {
                let lower = factor.lower();
                let mut square = 0.0;
                for pivot in 0..difference.len() {
                    let column = lower.column(pivot);
                    let column = column.as_slice().expect("factors lie in memory by columns");
                    let value = difference[pivot] / column[pivot];
                    square += value * value;
                    let below = difference[pivot + 1..].iter_mut().zip(&column[pivot + 1..]);
                    below.for_each(|(difference, below)| *difference -= value * below);
                }
                square
            }
        }
    }
}

impl Gaussians {
    /// ln πₖ N(x; μₖ, Σₖ), minus infinity for classes without rows.
    pub(super) fn joint(&self, rows: Rows<'_>, run: &Run) -> Result<Array2<f64>> {
        let d = self.means.ncols() as f64;
        let constant = |(spread, weight): (&Spread, &f64)| {
            weight.ln() - 0.5 * (d * TAU.ln() + spread.log_determinant())
        };
        let constants: Vec<f64> = self
            .spreads
            .iter()
            .zip(&self.weights)
            .map(constant)
            .collect();
        rows.dense()?;
        score_rows(rows, self.spreads.len(), run, |row, scores| {
            let Rows::Dense(x) = row else { return };
            let mut difference = vec![0.0; x.ncols()];
            for (class, score) in scores.iter_mut().enumerate() {
                let terms = x.iter().zip(self.means.row(class));
                for (difference, (x, mean)) in difference.iter_mut().zip(terms) {
                    *difference = x - mean;
                }
                let square = self.spreads[class].squared_distance(&mut difference);
                *score = constants[class] - 0.5 * square;
            }
        })
    }
}

/// Finds normal distributions.
pub(super) struct GaussianClimber<'a> {
    pub(super) x: ArrayView2<'a, f64>,
    pub(super) shape: ClassShape,
    pub(super) reg_covar: f64,
}

impl GaussianClimber<'_> {
    /// The laws of the rows whose class is known alone.
    ///
    /// A class of at most as many rows as columns has no covariance of its own. Where the
    /// iterations go on from here, it starts with that of all rows, which leaves room to find the
    /// right one; where they do not, the least ridge that mends it is added.
    pub(super) fn start(&self, codes: &Array2<f64>, goes_on: bool, run: &Run) -> Result<Gaussians> {
        let mut law = self.maximise(codes, run)?;
        let least = match self.shape {
            ClassShape::Full => self.x.ncols() as f64,
            ClassShape::Diag | ClassShape::Spherical => 1.0,
            ClassShape::Tied => return Ok(law),
        };
        if goes_on {
            let everything = Array2::ones((self.x.nrows(), 1));
            let common = self.maximise(&everything, run)?.spreads.swap_remove(0);
            for (class, spread) in law.spreads.iter_mut().enumerate() {
                if codes.column(class).sum() <= least {
                    *spread = common.clone();
                }
            }
        }
        Ok(law)
    }

    fn ellipsoids(&self, responsibilities: &Array2<f64>, run: &Run) -> Result<Vec<Moments>> {
        let of_class = |class: usize| {
            let weights = responsibilities.column(class).to_owned();
            Moments::summarise(Rows::Dense(self.x), Some(weights.view()), run)
        };
        (0..responsibilities.ncols()).map(of_class).collect()
    }

    fn full(&self, responsibilities: &Array2<f64>, run: &Run) -> Result<Gaussians> {
        let moments = self.ellipsoids(responsibilities, run)?;
        let total: f64 = moments.iter().map(|moments| moments.weight).sum();
        let spreads: Result<Vec<Spread>> = match self.shape {
            ClassShape::Tied => {
                let zero = Array2::zeros((self.x.ncols(), self.x.ncols()));
                let pooled = moments
                    .iter()
                    .fold(zero, |sum, moments| sum + &moments.scatter);
                let spread = self.ellipsoid(pooled / total)?;
                Ok(vec![spread; moments.len()])
            }
            _ => {
                let own = |moments: &Moments| {
                    let weight = moments.weight.max(f64::MIN_POSITIVE);
                    self.ellipsoid(&moments.scatter / weight)
                };
                moments.iter().map(own).collect()
            }
        };
        let mut means = Array2::zeros((moments.len(), self.x.ncols()));
        for (mut mean, moments) in means.rows_mut().into_iter().zip(&moments) {
            mean.assign(&moments.mean);
        }
        Ok(Gaussians {
            weights: moments
                .iter()
                .map(|moments| moments.weight / total)
                .collect(),
            means,
            spreads: spreads?,
        })
    }

    fn ellipsoid(&self, mut covariance: Array2<f64>) -> Result<Spread> {
        let add = self.reg_covar;
        covariance
            .diag_mut()
            .mapv_inplace(|variance| variance + add);
        let (factor, _) = Cholesky::with_jitter(covariance.view()).map_err(|_| collapsed())?;
        Ok(Spread::Ellipsoid(factor))
    }

    fn diagonal(&self, responsibilities: &Array2<f64>, run: &Run) -> Result<Gaussians> {
        let classes = responsibilities.ncols();
        let mut means = Array2::zeros((classes, self.x.ncols()));
        let (mut weights, mut spreads) = (Array1::zeros(classes), Vec::new());
        for class in 0..classes {
            let own = responsibilities.column(class).to_owned();
            let found = Variances::summarise(Rows::Dense(self.x), Some(own.view()), run)?;
            weights[class] = found.weight;
            means.row_mut(class).assign(&found.mean);
            let mut variances = &found.sum_squares / found.weight.max(f64::MIN_POSITIVE);
            if self.shape == ClassShape::Spherical {
                let mean = variances.mean().unwrap_or(0.0);
                variances.fill(mean);
            }
            spreads.push(self.variances(variances)?);
        }
        let total = weights.sum();
        Ok(Gaussians {
            weights: weights / total,
            means,
            spreads,
        })
    }

    /// Variances that are all positive; a constant column gets the least share of the others that
    /// a covariance would get.
    fn variances(&self, variances: Array1<f64>) -> Result<Spread> {
        let mean = variances.mean().unwrap_or(0.0);
        let least = if mean > 0.0 { 1e-12 * mean } else { 1e-12 };
        let mended = variances.mapv(|variance| match variance + self.reg_covar {
            positive if positive > 0.0 => positive,
            _ => least,
        });
        match mended.iter().all(|variance| variance.is_normal()) {
            true => Ok(Spread::Variances(mended)),
            false => Err(collapsed()),
        }
    }
}

fn collapsed() -> Error {
    Error::numerical(
        "the covariance of a class cannot be used, because its rows coincide or its columns differ \
         in size too much; raise reg_covar or bring the columns to one scale",
    )
}

impl Climber for GaussianClimber<'_> {
    type Law = Gaussians;

    fn maximise(&self, responsibilities: &Array2<f64>, run: &Run) -> Result<Gaussians> {
        match self.shape {
            ClassShape::Full | ClassShape::Tied => self.full(responsibilities, run),
            ClassShape::Diag | ClassShape::Spherical => self.diagonal(responsibilities, run),
        }
    }

    fn joint(&self, law: &Gaussians, run: &Run) -> Result<Array2<f64>> {
        law.joint(Rows::Dense(self.x), run)
    }

    fn log_prior(&self, _law: &Gaussians) -> f64 {
        0.0
    }
}
