//! The multivariate normal law with heavy tails.

use super::sampling::{gamma, standard_normal};
use crate::check;
use crate::laws::MultivariateNormal;
use crate::special::log_gamma_ratio;
use crate::{Density, Draw, Modal, Mode, Moments};
use didact_core::random::Generator;
use didact_core::{Error, Result};
use didact_math::gaussian::squared_mahalanobis;
use didact_math::linalg::Cholesky;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// The multivariate t law with ν degrees of freedom, location m and scale matrix S:
/// Γ((ν+d)/2)/(Γ(ν/2)·(νπ)^(d/2)·|S|^½)·(1 + (x−m)ᵀS⁻¹(x−m)/ν)^(−(ν+d)/2).
///
/// ```
/// use didact_probability::{Density, Moments, laws::MultivariateStudentT};
/// use ndarray::array;
/// let law = MultivariateStudentT::new(4.0, array![0.0, 0.0], array![[1.0, 0.0], [0.0, 3.0]])?;
/// assert_eq!(law.variance(), Some(array![[2.0, 0.0], [0.0, 6.0]])); // ν/(ν−2) times the scale
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub struct MultivariateStudentT {
    freedom: f64,
    location: Array1<f64>,
    scale: Array2<f64>,
    factor: Cholesky,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    freedom: f64,
    location: Array1<f64>,
    scale: Array2<f64>,
}

impl TryFrom<Raw> for MultivariateStudentT {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        MultivariateStudentT::new(raw.freedom, raw.location, raw.scale)
    }
}

impl From<MultivariateStudentT> for Raw {
    fn from(law: MultivariateStudentT) -> Self {
        Raw {
            freedom: law.freedom,
            location: law.location,
            scale: law.scale,
        }
    }
}

impl MultivariateStudentT {
    /// The law with these degrees of freedom, location and positive definite scale matrix.
    pub fn new(freedom: f64, location: Array1<f64>, scale: Array2<f64>) -> Result<Self> {
        check::positive("freedom", freedom)?;
        check::finite_all("location", location.view())?;
        let factor = check::positive_definite("scale", scale.view())?;
        check::same_dimension("scale", scale.nrows(), location.len())?;
        Ok(MultivariateStudentT {
            freedom,
            location,
            scale,
            factor,
        })
    }

    /// The degrees of freedom ν.
    pub fn freedom(&self) -> f64 {
        self.freedom
    }

    /// The location m.
    pub fn location(&self) -> &Array1<f64> {
        &self.location
    }

    /// The scale matrix S, which is not the covariance.
    pub fn scale(&self) -> &Array2<f64> {
        &self.scale
    }

    /// The log-density of each row.
    ///
    /// # Panics
    /// When the rows have another dimension.
    pub fn log_densities(&self, rows: ArrayView2<'_, f64>) -> Array1<f64> {
        let (v, d) = (self.freedom, self.location.len() as f64);
        let constant = log_gamma_ratio(0.5 * v, 0.5 * d)
            - 0.5 * (d * (v * PI).ln() + self.factor.log_determinant());
        squared_mahalanobis(rows, self.location.view(), &self.factor)
            .mapv_into(|square| constant - 0.5 * (v + d) * (square / v).ln_1p())
    }

    /// The normal law with the same mean and covariance, where ν > 2.
    pub fn moment_matched_normal(&self) -> Result<MultivariateNormal> {
        match self.variance() {
            Some(covariance) => MultivariateNormal::new(self.location.clone(), covariance),
            None => Err(Error::parameter(
                "freedom",
                self.freedom,
                "it must be greater than 2 for a finite covariance to match",
            )),
        }
    }
}

impl Density<ArrayView1<'_, f64>> for MultivariateStudentT {
    /// # Panics
    /// When the vector has another dimension.
    fn log_density(&self, x: ArrayView1<'_, f64>) -> f64 {
        self.log_densities(x.insert_axis(Axis(0)))[0]
    }
}

impl Moments for MultivariateStudentT {
    type Mean = Array1<f64>;
    type Variance = Array2<f64>;

    fn mean(&self) -> Option<Array1<f64>> {
        (self.freedom > 1.0).then(|| self.location.clone())
    }

    /// ν/(ν−2)·S for ν > 2.
    fn variance(&self) -> Option<Array2<f64>> {
        let v = self.freedom;
        (v > 2.0).then(|| &self.scale * (v / (v - 2.0)))
    }
}

impl Modal<Array1<f64>> for MultivariateStudentT {
    fn mode(&self) -> Mode<Array1<f64>> {
        Mode::At(self.location.clone())
    }
}

impl Draw<Array1<f64>> for MultivariateStudentT {
    fn draw(&self, generator: &mut Generator) -> Array1<f64> {
        let noise: Array1<f64> = (0..self.location.len())
            .map(|_| standard_normal(generator))
            .collect();
        let precision = gamma(0.5 * self.freedom, generator) / (0.5 * self.freedom);
        &self.location + &(self.factor.lower().dot(&noise) / precision.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::StudentT;
    use crate::testing::{assert_relative, kolmogorov_smirnov};
    use crate::{Cumulative, Tail};
    use ndarray::array;

    // scipy.stats.multivariate_t([1, -1], [[2, .5], [.5, 1]], df=3.5).logpdf([0, 1])
    // 000a:UNS-28
    #[test]
    fn the_density_matches_scipy_and_the_law_of_numbers() {
        let law = MultivariateStudentT::new(3.5, array![1.0, -1.0], array![[2.0, 0.5], [0.5, 1.0]])
            .unwrap();
        assert_relative(
            law.log_density(array![0.0, 1.0].view()),
            -4.945126686600177,
            1e-13,
        );
        let line = MultivariateStudentT::new(5.0, array![2.0], array![[9.0]]).unwrap();
        let number = StudentT::new(5.0, 2.0, 3.0).unwrap();
        for x in [-4.0, 2.0, 11.0] {
            assert_relative(
                line.log_density(array![x].view()),
                number.log_density(x),
                1e-14,
            );
        }
        assert!(MultivariateStudentT::new(5.0, array![2.0], array![[-9.0]]).is_err());
    }

    /// The first coordinate of draws, which follows a law of numbers.
    struct First(MultivariateStudentT, StudentT);

    impl Draw<f64> for First {
        fn draw(&self, generator: &mut Generator) -> f64 {
            self.0.draw(generator)[0]
        }
    }

    impl Cumulative<f64> for First {
        fn log_tails(&self, x: f64) -> (f64, f64) {
            self.1.log_tails(x)
        }

        fn at_tail(&self, tail: Tail) -> f64 {
            self.1.at_tail(tail)
        }
    }

    #[test]
    fn a_coordinate_of_the_draws_follows_student_t() {
        let law = MultivariateStudentT::new(3.0, array![1.0, 5.0], array![[4.0, 1.0], [1.0, 2.0]])
            .unwrap();
        kolmogorov_smirnov(&First(law, StudentT::new(3.0, 1.0, 2.0).unwrap()));
    }

    #[test]
    fn the_matched_normal_law_needs_a_covariance() {
        let law = |freedom| MultivariateStudentT::new(freedom, array![0.0], array![[1.0]]).unwrap();
        assert_eq!(
            law(4.0).moment_matched_normal().unwrap().covariance(),
            array![[2.0]]
        );
        assert!(law(2.0).moment_matched_normal().is_err());
        assert_eq!((law(1.0).mean(), law(2.0).variance()), (None, None));
    }
}
