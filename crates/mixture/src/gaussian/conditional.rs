//! Parts of a mixture: what some columns say alone, and what they say of the others.

use super::components::{Components, Covariances};
use super::model::GaussianMixtureModel;
use didact_core::{Error, Result};
use didact_math::linalg::{Cholesky, a_times_bt};
use didact_math::numeric::log_softmax_in_place;
use ndarray::{Array1, Array2, ArrayView1, Axis};
use serde::{Deserialize, Serialize};

/// A mixture seen from some of its columns: the law of the others given those.
///
/// Component k given x is N(μ_y + Σ_yx·Σ_xx⁻¹(x − μ_x), Σ_yy − Σ_yx·Σ_xx⁻¹·Σ_xy) with the weight
/// w_k(x) ∝ π_k·N(x; μ_x, Σ_xx).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConditionalMixture {
    /// The mixture of the given columns alone.
    given: Components,
    /// The means of the other columns, a row per component.
    means: Array2<f64>,
    /// Σ_yx·Σ_xx⁻¹ of each component.
    gains: Vec<Array2<f64>>,
    /// The covariance of the other columns that is left, of each component.
    covariances: Vec<Array2<f64>>,
}

impl GaussianMixtureModel {
    /// The mixture of some columns, whatever the others are.
    ///
    /// ```
    /// use didact_mixture::{Covariances, GaussianMixtureModel};
    /// use ndarray::array;
    /// let covariances = Covariances::Full(vec![array![[2.0, 1.0], [1.0, 3.0]]]);
    /// let joint = GaussianMixtureModel::new(vec![1.0], array![[5.0, 7.0]], covariances)?;
    /// let second = joint.marginal(&[1])?;
    /// assert_eq!(second.means(), array![[7.0]]);
    /// assert_eq!(second.covariances().matrix(0, 1), array![[3.0]]);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn marginal(&self, kept: &[usize]) -> Result<GaussianMixtureModel> {
        check_columns("kept", kept, self.means().ncols())?;
        let covariances = (0..self.weights().len()).map(|component| {
            let matrix = self.covariances().matrix(component, self.means().ncols());
            matrix.select(Axis(0), kept).select(Axis(1), kept)
        });
        GaussianMixtureModel::new(
            self.weights().to_vec(),
            self.means().select(Axis(1), kept),
            Covariances::Full(covariances.collect()),
        )
    }

    /// The law of all other columns, in their order, given those in `given`.
    pub fn conditional(&self, given: &[usize]) -> Result<ConditionalMixture> {
        let d = self.means().ncols();
        check_columns("given", given, d)?;
        let others: Vec<usize> = (0..d).filter(|column| !given.contains(column)).collect();
        if others.is_empty() {
            return Err(Error::parameter(
                "given",
                format!("{given:?}"),
                "at least one column must be left to predict",
            ));
        }
        let marginal = self.marginal(given)?;
        let (mut gains, mut covariances) = (Vec::new(), Vec::new());
        for component in 0..self.weights().len() {
            let matrix = self.covariances().matrix(component, d);
            let part = |rows: &[usize], columns: &[usize]| {
                matrix.select(Axis(0), rows).select(Axis(1), columns)
            };
            let factor = Cholesky::new(part(given, given).view())?;
            let cross = part(given, &others);
            let gain = factor.solve(cross.view()).reversed_axes();
            let mut left = part(&others, &others) - a_times_bt(gain.view(), cross.t());
            // Rounding leaves the triangles apart, and may leave less than no variance.
            let mirrored = left.t().to_owned();
            left += &mirrored;
            left *= 0.5;
            left.diag_mut().mapv_inplace(|variance| variance.max(0.0));
            gains.push(gain.as_standard_layout().into_owned());
            covariances.push(left);
        }
        Ok(ConditionalMixture {
            given: marginal.into_components(),
            means: self.means().select(Axis(1), &others),
            gains,
            covariances,
        })
    }
}

fn check_columns(name: &str, columns: &[usize], limit: usize) -> Result<()> {
    let repeated = |place: usize| columns[..place].contains(&columns[place]);
    let fault = (0..columns.len()).any(|place| columns[place] >= limit || repeated(place));
    match columns.is_empty() || fault {
        false => Ok(()),
        true => Err(Error::parameter(
            name,
            format!("{columns:?}"),
            format!("it must name different columns from 0 to {}", limit - 1),
        )),
    }
}

impl ConditionalMixture {
    /// Number of columns that are given.
    pub fn n_given(&self) -> usize {
        self.given.n_features()
    }

    /// Number of columns that are predicted.
    pub fn n_predicted(&self) -> usize {
        self.means.ncols()
    }

    /// The weights w_k(x) of the components.
    pub fn weights(&self, x: ArrayView1<'_, f64>) -> Vec<f64> {
        let mut scores = vec![0.0; self.gains.len()];
        self.given.joint_log_densities(x, &mut scores);
        log_softmax_in_place(&mut scores);
        scores.iter_mut().for_each(|score| *score = score.exp());
        let total: f64 = scores.iter().sum();
        scores.iter_mut().for_each(|score| *score /= total);
        scores
    }

    /// The conditional mean of a component.
    fn place(&self, component: usize, x: ArrayView1<'_, f64>) -> Array1<f64> {
        let shift = &x - &self.given.means.row(component);
        self.gains[component].dot(&shift) + self.means.row(component)
    }

    /// ŷ = Σ w_k(x)·μ_k(x).
    pub fn mean(&self, x: ArrayView1<'_, f64>) -> Array1<f64> {
        let weights = self.weights(x);
        let mut mean = Array1::zeros(self.n_predicted());
        for (component, &weight) in weights
            .iter()
            .enumerate()
            .filter(|(_, weight)| **weight > 0.0)
        {
            mean.scaled_add(weight, &self.place(component, x));
        }
        mean
    }

    /// Σ w_k(Σ̃_k + (μ_k − ŷ)(μ_k − ŷ)ᵀ): the spread of the components, and that of their means, about
    /// the common one. (The mean is squared outside the sum, not inside.)
    pub fn covariance(&self, x: ArrayView1<'_, f64>) -> Array2<f64> {
        let (weights, mean) = (self.weights(x), self.mean(x));
        let mut covariance = Array2::zeros((mean.len(), mean.len()));
        for (component, &weight) in weights
            .iter()
            .enumerate()
            .filter(|(_, weight)| **weight > 0.0)
        {
            let shift = (self.place(component, x) - &mean).insert_axis(Axis(1));
            covariance.scaled_add(weight, &self.covariances[component]);
            covariance.scaled_add(weight, &shift.dot(&shift.t()));
        }
        covariance
    }

    /// The whole law of the other columns at x, as a mixture.
    pub fn law(&self, x: ArrayView1<'_, f64>) -> Result<GaussianMixtureModel> {
        let mut means = Array2::zeros(self.means.dim());
        for (component, mut mean) in means.rows_mut().into_iter().enumerate() {
            mean.assign(&self.place(component, x));
        }
        let covariances = Covariances::Full(self.covariances.clone());
        GaussianMixtureModel::new(self.weights(x), means, covariances)
    }

    /// Whether the parts belong together, which those of a damaged file may not.
    pub(crate) fn is_consistent(&self) -> bool {
        let (k, y) = self.means.dim();
        let x = self.given.n_features();
        let sound = |matrix: &Array2<f64>, shape| {
            matrix.dim() == shape && matrix.iter().all(|value| value.is_finite())
        };
        k > 0
            && x > 0
            && y > 0
            && sound(&self.means, (k, y))
            && self.given.is_consistent()
            && self.given.n_components() == k
            && self.gains.len() == k
            && self.gains.iter().all(|gain| sound(gain, (y, x)))
            && self.covariances.len() == k
            && self.covariances.iter().all(|matrix| sound(matrix, (y, y)))
    }
}
