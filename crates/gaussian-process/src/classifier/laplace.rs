//! Laplace's approximation: the latent function is Gaussian around its most probable values.

use crate::covariance::{Covariance, Pairs};
use crate::exact::scale_and_add;
use crate::factor::inverse;
use crate::process::Process;
use didact_core::{Error, Result, Run};
use didact_math::linalg::{Cholesky, scale_columns, scale_rows};
use didact_math::numeric::{log_sigmoid, sigmoid};
use ndarray::{Array1, Array2, Axis};
use std::cell::RefCell;

/// Halvings of a Newton step after which the mode is as good as floating point allows.
const HALVINGS: usize = 30;

/// Rows of two classes, +1 and −1, each as often as its weight says.
pub(crate) struct Signs {
    pub(crate) rows: Array2<f64>,
    pub(crate) signs: Array1<f64>,
    pub(crate) weights: Array1<f64>,
}

impl Signs {
    /// Σ w·ln σ(y·f).
    pub(crate) fn log_likelihood(&self, latent: &Array1<f64>) -> f64 {
        let each = self.signs.iter().zip(latent).zip(&self.weights);
        each.map(|((sign, f), weight)| weight * log_sigmoid(sign * f))
            .sum()
    }

    /// The first derivatives w·(t − π) and the negative second ones w·π(1 − π), with t one for
    /// the class +1 and zero for the other.
    fn derivatives(&self, latent: &Array1<f64>) -> (Array1<f64>, Array1<f64>) {
        let slopes = (0..latent.len())
            .map(|i| self.weights[i] * self.signs[i] * sigmoid(-self.signs[i] * latent[i]));
        let bends =
            (0..latent.len()).map(|i| self.weights[i] * sigmoid(latent[i]) * sigmoid(-latent[i]));
        (slopes.collect(), bends.collect())
    }
}

/// The Gaussian around the mode.
pub(crate) struct Mode {
    /// The most probable latent values f̂.
    pub(crate) latent: Array1<f64>,
    /// The slopes of the log-likelihood there, which are K⁻¹f̂.
    pub(crate) slopes: Array1<f64>,
    /// W^½, the roots of the negative second derivatives there.
    pub(crate) roots: Array1<f64>,
    /// The factor of B = I + W^½KW^½.
    pub(crate) factor: Cholesky,
    pub(crate) log_evidence: f64,
}

/// The pairs of the training rows, for any parameters.
pub(crate) struct Laplace<'a> {
    data: &'a Signs,
    pairs: Pairs<'a>,
    max_iter: usize,
    /// K⁻¹f̂ of the last evaluation: modes of similar processes are near each other.
    last: RefCell<Array1<f64>>,
}

impl<'a> Laplace<'a> {
    pub(crate) fn new(
        covariance: &Covariance,
        data: &'a Signs,
        max_iter: usize,
        run: &Run,
    ) -> Result<Self> {
        Ok(Laplace {
            pairs: Pairs::own(covariance, data.rows.view(), run)?,
            last: RefCell::new(Array1::zeros(data.signs.len())),
            data,
            max_iter,
        })
    }

    pub(crate) fn mode(&self, process: &Process, run: &Run) -> Result<Mode> {
        let matrix = self.pairs.matrix(process.covariance(), run)?;
        self.mode_of(&matrix, run)
    }

    /// Newton's method on ψ = −½aᵀf + Σ ln σ(y·f) with f = Ka, which is concave; steps are
    /// halved where they overshoot all the same.
    fn mode_of(&self, matrix: &Array2<f64>, run: &Run) -> Result<Mode> {
        let objective =
            |a: &Array1<f64>, f: &Array1<f64>| self.data.log_likelihood(f) - 0.5 * a.dot(f);
        let mut a = self.last.borrow().clone();
        let mut latent = matrix.dot(&a);
        let mut value = objective(&a, &latent);
        let nothing = self.data.log_likelihood(&Array1::zeros(a.len()));
        if value.is_nan() || value <= nothing {
            a.fill(0.0);
            latent.fill(0.0);
            value = objective(&a, &latent);
        }
        for _ in 0..self.max_iter {
            run.check()?;
            let (slopes, bends) = self.data.derivatives(&latent);
            let roots = bends.mapv(f64::sqrt);
            let factor = factor_of(matrix, &roots, run)?;
            let right = &bends * &latent + &slopes;
            let carried = factor.solve_vector((&roots * &matrix.dot(&right)).view());
            let target = right - &roots * &carried;
            let direction = &target - &a;
            let towards = matrix.dot(&direction);
            let mut length = 1.0;
            let mut gain = f64::NEG_INFINITY;
            for _ in 0..HALVINGS {
                let next = &a + &(&direction * length);
                let next_latent = &latent + &(&towards * length);
                gain = objective(&next, &next_latent) - value;
                if gain >= 0.0 {
                    (a, latent) = (next, next_latent);
                    value += gain;
                    break;
                }
                length /= 2.0;
            }
            if gain <= 1e-12 * (1.0 + value.abs()) {
                break;
            }
        }
        let (slopes, bends) = self.data.derivatives(&latent);
        let roots = bends.mapv(f64::sqrt);
        let factor = factor_of(matrix, &roots, run)?;
        let log_evidence = value - 0.5 * factor.log_determinant();
        if !log_evidence.is_finite() {
            return Err(Error::numerical(
                "the density of the classes overflows; \
                 multiply the columns by powers of ten so that their values are near one",
            ));
        }
        self.last.replace(a);
        Ok(Mode {
            latent,
            slopes,
            roots,
            factor,
            log_evidence,
        })
    }

    /// The approximate log-evidence with its derivatives, which include those of the mode.
    pub(crate) fn evaluate(
        &self,
        process: &Process,
        gradient: Option<&mut [f64]>,
        run: &Run,
    ) -> Result<f64> {
        let matrix = self.pairs.matrix(process.covariance(), run)?;
        let mode = self.mode_of(&matrix, run)?;
        if let Some(gradient) = gradient {
            let mut slopes = inverse(&mode.factor, run)?;
            // How the determinant changes with the mode: −½·[(K⁻¹ + W)⁻¹]ᵢᵢ·∂Wᵢᵢ/∂fᵢ, and
            // [(K⁻¹ + W)⁻¹]ᵢᵢ = (1 − [B⁻¹]ᵢᵢ)/Wᵢᵢ.
            let kept = slopes.diag();
            let shift: Array1<f64> = kept
                .iter()
                .zip(&mode.latent)
                .map(|(kept, f)| -0.5 * (1.0 - kept) * (1.0 - 2.0 * sigmoid(*f)))
                .collect();
            // R = W^½B⁻¹W^½.
            scale_rows(slopes.view_mut(), mode.roots.view());
            scale_columns(slopes.view_mut(), mode.roots.view());
            let pull = &shift - &slopes.dot(&matrix.dot(&shift));
            let left = (&mode.slopes * 0.5 + pull).insert_axis(Axis(1));
            let right = mode.slopes.clone().insert_axis(Axis(1));
            scale_and_add(&mut slopes, -0.5, &left, &right, run)?;
            let found = self
                .pairs
                .contract(process.covariance(), slopes.view(), run)?;
            gradient.copy_from_slice(&found);
        }
        Ok(mode.log_evidence)
    }
}

/// The factor of I + W^½KW^½, whose eigenvalues are at least one.
fn factor_of(matrix: &Array2<f64>, roots: &Array1<f64>, run: &Run) -> Result<Cholesky> {
    let mut scaled = matrix.clone();
    scale_rows(scaled.view_mut(), roots.view());
    scale_columns(scaled.view_mut(), roots.view());
    scaled.diag_mut().mapv_inplace(|value| value + 1.0);
    Cholesky::new_within(scaled.view(), run)
}
