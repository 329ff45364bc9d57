//! The normal law of vectors.

use super::sampling::standard_normal;
use crate::check;
use crate::gaussian::GaussianEstimate;
use crate::{Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments};
use didact_core::random::Generator;
use didact_core::{Error, Result};
use didact_math::gaussian;
use didact_math::linalg::{Cholesky, symmetric_eigen};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use serde::{Deserialize, Serialize};
use std::f64::consts::{E, TAU};

/// The multivariate normal law: (2π)^(−d/2)·|Σ|^(−½)·exp(−½(x−μ)ᵀΣ⁻¹(x−μ)).
///
/// ```
/// use didact_probability::{Density, laws::MultivariateNormal};
/// use ndarray::array;
/// let law = MultivariateNormal::new(array![1.0, -1.0], array![[2.0, 0.5], [0.5, 1.0]])?;
/// assert!((law.log_density(array![0.0, 1.0].view()) + 5.260_542_103_23).abs() < 1e-11);
/// let round = MultivariateNormal::spherical(array![0.0, 0.0], 4.0)?;
/// assert_eq!(round, MultivariateNormal::diagonal(array![0.0, 0.0], array![4.0, 4.0])?);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub struct MultivariateNormal {
    mean: Array1<f64>,
    covariance: Array2<f64>,
    factor: Cholesky,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    mean: Array1<f64>,
    covariance: Array2<f64>,
}

impl TryFrom<Raw> for MultivariateNormal {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        MultivariateNormal::new(raw.mean, raw.covariance)
    }
}

impl From<MultivariateNormal> for Raw {
    fn from(law: MultivariateNormal) -> Self {
        Raw {
            mean: law.mean,
            covariance: law.covariance,
        }
    }
}

/// The points at the same Mahalanobis distance from the mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Ellipsoid {
    /// The mean.
    pub centre: Array1<f64>,
    /// The directions of the axes as columns of length one, the longest first.
    pub axes: Array2<f64>,
    /// Half the lengths of the axes.
    pub radii: Array1<f64>,
}

impl MultivariateNormal {
    /// The law with this mean and positive definite covariance.
    pub fn new(mean: Array1<f64>, covariance: Array2<f64>) -> Result<Self> {
        check::finite_all("mean", mean.view())?;
        let factor = check::positive_definite("covariance", covariance.view())?;
        check::same_dimension("covariance", covariance.nrows(), mean.len())?;
        Ok(MultivariateNormal {
            mean,
            covariance,
            factor,
        })
    }

    /// Independent coordinates with these variances: axis-parallel ellipsoids.
    pub fn diagonal(mean: Array1<f64>, variances: Array1<f64>) -> Result<Self> {
        check::positive_all("variances", variances.view())?;
        MultivariateNormal::new(mean, Array2::from_diag(&variances))
    }

    /// The same variance in every direction: spheres.
    pub fn spherical(mean: Array1<f64>, variance: f64) -> Result<Self> {
        check::positive("variance", variance)?;
        let variances = Array1::from_elem(mean.len(), variance);
        MultivariateNormal::diagonal(mean, variances)
    }

    /// The number of coordinates.
    pub fn dimension(&self) -> usize {
        self.mean.len()
    }

    /// The mean μ.
    pub fn location(&self) -> &Array1<f64> {
        &self.mean
    }

    /// The covariance Σ.
    pub fn covariance(&self) -> &Array2<f64> {
        &self.covariance
    }

    /// The Cholesky factor of the covariance.
    pub fn factor(&self) -> &Cholesky {
        &self.factor
    }

    /// The precision or concentration Σ⁻¹, for those who want to see it: densities do not.
    pub fn precision(&self) -> Array2<f64> {
        let inverse = self.factor.solve(Array2::eye(self.dimension()).view());
        0.5 * (&inverse + &inverse.t())
    }

    /// The log-density of each row.
    ///
    /// # Panics
    /// When the rows have another dimension.
    pub fn log_densities(&self, rows: ArrayView2<'_, f64>) -> Array1<f64> {
        gaussian::log_densities(rows, self.mean.view(), &self.factor)
    }

    /// The points that lie this many standard deviations from the mean.
    pub fn ellipsoid(&self, deviations: f64) -> Result<Ellipsoid> {
        check::positive("deviations", deviations)?;
        let eigen = symmetric_eigen(self.covariance.view())?;
        Ok(Ellipsoid {
            centre: self.mean.clone(),
            axes: eigen.vectors,
            radii: eigen
                .values
                .mapv(|value| deviations * value.max(0.0).sqrt()),
        })
    }
}

impl Density<ArrayView1<'_, f64>> for MultivariateNormal {
    /// # Panics
    /// When the vector has another dimension.
    fn log_density(&self, x: ArrayView1<'_, f64>) -> f64 {
        self.log_densities(x.insert_axis(Axis(0)))[0]
    }
}

impl Moments for MultivariateNormal {
    type Mean = Array1<f64>;
    type Variance = Array2<f64>;

    fn mean(&self) -> Option<Array1<f64>> {
        Some(self.mean.clone())
    }

    fn variance(&self) -> Option<Array2<f64>> {
        Some(self.covariance.clone())
    }
}

impl Modal<Array1<f64>> for MultivariateNormal {
    fn mode(&self) -> Mode<Array1<f64>> {
        Mode::At(self.mean.clone())
    }
}

impl Entropy for MultivariateNormal {
    fn entropy(&self) -> f64 {
        0.5 * (self.dimension() as f64 * (TAU * E).ln() + self.factor.log_determinant())
    }
}

impl Draw<Array1<f64>> for MultivariateNormal {
    fn draw(&self, generator: &mut Generator) -> Array1<f64> {
        let noise: Array1<f64> = (0..self.dimension())
            .map(|_| standard_normal(generator))
            .collect();
        &self.mean + &self.factor.lower().dot(&noise)
    }
}

impl FitLikelihood<ArrayView2<'_, f64>> for MultivariateNormal {
    /// The mean and the covariance divided by n; rows that span no volume are an error, for
    /// which [`GaussianEstimate`] has answers.
    fn fit_weighted(data: &ArrayView2<'_, f64>, weights: Option<&[f64]>) -> Result<Self> {
        GaussianEstimate::maximum_likelihood(*data, weights)?.law()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Normal;
    use crate::quadrature::integrate;
    use crate::testing::{assert_close, assert_relative};
    use didact_core::random::generator;
    use ndarray::array;

    fn example() -> MultivariateNormal {
        MultivariateNormal::new(array![1.0, -1.0], array![[2.0, 0.5], [0.5, 1.0]]).unwrap()
    }

    // 000a:UNS-05, 000b:P16, 000b:TV-20, 001:GEN-01: without |Σ|^(−½) the value would differ by
    // ½·ln 1.75, without the ½ in the exponent (002b:ST-07) by half the squared distance.
    #[test]
    fn the_printed_value_is_found() {
        let found = example().log_density(array![0.0, 1.0].view());
        assert_relative(found, -5.26054210323, 1e-11);
        let square = -2.0 * (found + TAU.ln() + 0.5 * 1.75_f64.ln());
        let without_determinant = -TAU.ln() - 0.5 * square;
        let without_half = -TAU.ln() - 0.5 * 1.75_f64.ln() - square;
        assert!((found - without_determinant).abs() > 0.2 && (found - without_half).abs() > 1.0);
    }

    // 001:GEN-01, 002b:ST-07
    #[test]
    fn the_density_integrates_to_one() {
        let law = example();
        let line = |x: f64| integrate(-11.0, 9.0, |y| law.density(array![x, y].view())).unwrap();
        assert_relative(integrate(-15.0, 17.0, line).unwrap(), 1.0, 1e-9);
    }

    // 001:GEN-04, 001:GEN-05
    #[test]
    fn spherical_and_diagonal_are_special_cases_with_their_own_shapes() {
        let (mean, x) = (array![0.5, 1.0, 2.0], array![1.0, 0.0, 1.0]);
        let round = MultivariateNormal::spherical(mean.clone(), 0.7).unwrap();
        // −(d/2)·ln 2πσ² − ‖x−μ‖²/(2σ²) with ‖x−μ‖² = 0.25 + 1 + 1
        let expected = -1.5 * (TAU * 0.7).ln() - 2.25 / 1.4;
        assert_relative(round.log_density(x.view()), expected, 1e-14);
        let radius = 2.0 * 0.7_f64.sqrt();
        assert_close(&round.ellipsoid(2.0).unwrap().radii, &[radius; 3], 1e-14);
        let product: f64 = [(0.5, 1.0, 1.0), (1.0, 4.0, 0.0), (2.0, 9.0, 1.0)]
            .iter()
            .map(|&(m, v, x)| Normal::with_variance(m, v).unwrap().log_density(x))
            .sum();
        let parallel = MultivariateNormal::diagonal(mean, array![1.0, 4.0, 9.0]).unwrap();
        assert_relative(parallel.log_density(x.view()), product, 1e-14);
        assert_close(
            &parallel.ellipsoid(1.0).unwrap().radii,
            &array![3.0, 2.0, 1.0],
            1e-14,
        );
    }

    // 002b:ST-07: every point of the n-deviation ellipse lies at Mahalanobis distance n.
    #[test]
    fn points_of_the_ellipse_are_so_many_deviations_away() {
        let law = example();
        let ellipse = law.ellipsoid(2.0).unwrap();
        for angle in [0.0, 0.7, 2.0, 4.0_f64] {
            let along = &ellipse.axes.column(0) * (ellipse.radii[0] * angle.cos());
            let across = &ellipse.axes.column(1) * (ellipse.radii[1] * angle.sin());
            let point = &ellipse.centre + &along + &across;
            let shift = &point - law.location();
            let square = shift.dot(&law.factor().solve_vector(shift.view()));
            assert_relative(square, 4.0, 1e-13);
        }
        assert!(law.ellipsoid(0.0).is_err());
    }

    // 001:GEN-02
    #[test]
    fn the_precision_is_the_inverse_of_the_covariance() {
        let product = example().precision().dot(example().covariance());
        assert_close(&product, &Array2::eye(2), 1e-14);
    }

    #[test]
    fn bad_parameters_are_named() {
        let complaint = |covariance: Array2<f64>| {
            MultivariateNormal::new(array![0.0, 0.0], covariance)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            complaint(array![[1.0, 2.0], [2.0, 1.0]]),
            "covariance is not positive definite; its eigenvalues must all be greater than 0"
        );
        assert_eq!(
            complaint(array![[1.0, 0.5], [0.2, 1.0]]),
            "covariance[0, 1] is 0.5; it must equal covariance[1, 0], which is 0.2"
        );
        assert_eq!(
            complaint(Array2::eye(3)),
            "the dimension of covariance is 3; it must be 2"
        );
        assert!(MultivariateNormal::diagonal(array![0.0], array![-1.0]).is_err());
    }

    // 000b:P16
    #[test]
    fn draws_and_fits_are_inverse_to_each_other() {
        let law = example();
        let n = 20_000;
        let draws = law.draw_many(n, &mut generator(8, 0));
        let rows = Array2::from_shape_fn((n, 2), |(i, j)| draws[i][j]);
        let fitted = MultivariateNormal::fit(&rows.view()).unwrap();
        for i in 0..2 {
            let error = 5.0 * (law.covariance()[[i, i]] / n as f64).sqrt();
            assert!((fitted.location()[i] - law.location()[i]).abs() < error);
            for j in 0..2 {
                let c = law.covariance();
                let spread = (c[[i, i]] * c[[j, j]] + c[[i, j]].powi(2)) / n as f64;
                assert!((fitted.covariance()[[i, j]] - c[[i, j]]).abs() < 5.0 * spread.sqrt());
            }
        }
    }

    #[test]
    fn a_law_survives_a_file() {
        let text = serde_json::to_string(&example()).unwrap();
        assert_eq!(
            serde_json::from_str::<MultivariateNormal>(&text).unwrap(),
            example()
        );
    }
}
