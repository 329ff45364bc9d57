//! Mean and covariance from rows: maximum likelihood, shrinkage, and what to do without volume.

use super::singular::{SingularNormal, pseudo_inverse};
use crate::check;
use crate::laws::MultivariateNormal;
use crate::observations::check_weights;
use didact_core::{Error, Result, Rows, Run};
use didact_math::linalg::{Cholesky, Moments, a_times_bt};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use std::f64::consts::TAU;

/// Mean and covariance of rows, and what is to be said about them.
///
/// The divisor is n, the weight of the rows, not n − 1; [`GaussianEstimate::with_divisor`] has
/// others.
///
/// ```
/// use didact_probability::gaussian::GaussianEstimate;
/// use ndarray::array;
/// let x = array![[1.0, 2.0], [3.0, 0.0], [2.0, 4.0]];
/// let found = GaussianEstimate::maximum_likelihood(x.view(), None)?;
/// assert_eq!(found.mean, array![2.0, 2.0]);
/// assert!((found.covariance[[0, 0]] - 2.0 / 3.0).abs() < 1e-15);
/// assert!(found.message.is_none());
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GaussianEstimate {
    /// The mean of the rows.
    pub mean: Array1<f64>,
    /// The estimated covariance.
    pub covariance: Array2<f64>,
    /// The weight of the rows, their number where they are not weighted.
    pub weight: f64,
    /// The rank of the covariance.
    pub rank: usize,
    /// How much of the covariance is the target of the shrinkage, zero to one.
    pub shrinkage: f64,
    /// What the reader should know: that the covariance has no inverse.
    pub message: Option<String>,
    /// Σ w·(x−x̄)(x−x̄)ᵀ, from which the likelihood of any covariance follows.
    scatter: Array2<f64>,
}

impl GaussianEstimate {
    /// The mean and the covariance that make the rows most likely, divided by n.
    pub fn maximum_likelihood(rows: ArrayView2<'_, f64>, weights: Option<&[f64]>) -> Result<Self> {
        GaussianEstimate::with_divisor(rows, weights, 0.0)
    }

    /// The scatter divided by n − `ddof`: 0 for maximum likelihood, 1 for no bias.
    pub fn with_divisor(
        rows: ArrayView2<'_, f64>,
        weights: Option<&[f64]>,
        ddof: f64,
    ) -> Result<Self> {
        let moments = summarise(rows, weights)?;
        let divisor = moments.weight - ddof;
        if divisor <= 0.0 || ddof.is_nan() {
            return Err(Error::parameter(
                "ddof",
                ddof,
                format!(
                    "it must be less than the weight of the rows, {}",
                    moments.weight
                ),
            ));
        }
        let covariance = &moments.scatter / divisor;
        GaussianEstimate::of(moments, covariance, 0.0)
    }

    /// (1−δ)·S + δ·(tr S/d)·I: positive definite for δ > 0 unless all rows are equal.
    pub fn shrunk(
        rows: ArrayView2<'_, f64>,
        weights: Option<&[f64]>,
        shrinkage: f64,
    ) -> Result<Self> {
        check::probability("shrinkage", shrinkage)?;
        let moments = summarise(rows, weights)?;
        let covariance = shrink(&moments.scatter / moments.weight, shrinkage);
        GaussianEstimate::of(moments, covariance, shrinkage)
    }

    /// Shrunk by the share that makes the expected squared error least (Ledoit and Wolf 2004):
    /// δ = min(β, δ²)/δ² with δ² = ‖S−mI‖²/d and β = Σ‖xxᵀ−S‖²/(d·n²).
    pub fn ledoit_wolf(rows: ArrayView2<'_, f64>) -> Result<Self> {
        let moments = summarise(rows, None)?;
        let (n, d) = (moments.weight, rows.ncols() as f64);
        let covariance = &moments.scatter / n;
        let middle = covariance.diag().sum() / d;
        let norm: f64 = covariance.iter().map(|value| value * value).sum();
        // Entry by entry, because ‖S‖² − d·m² cancels near a sphere.
        let distance: f64 = covariance
            .indexed_iter()
            .map(|((i, j), &value)| (value - if i == j { middle } else { 0.0 }).powi(2))
            .sum::<f64>()
            / d;
        let fourth: f64 = rows
            .rows()
            .into_iter()
            .map(|row| {
                let shift = &row - &moments.mean;
                shift.dot(&shift).powi(2)
            })
            .sum();
        let error = ((fourth / n - norm) / (d * n)).max(0.0);
        let shrinkage = if distance > 0.0 {
            (error / distance).min(1.0)
        } else {
            0.0
        };
        GaussianEstimate::of(moments, shrink(covariance, shrinkage), shrinkage)
    }

    fn of(moments: Moments, covariance: Array2<f64>, shrinkage: f64) -> Result<Self> {
        let d = moments.mean.len();
        let rank = match Cholesky::new(covariance.view()) {
            Ok(_) => d,
            Err(_) => pseudo_inverse(covariance.view())?
                .rank
                .min(d.saturating_sub(1)),
        };
        let message = (rank < d).then(|| {
            format!(
                "the covariance of {d} columns has rank {rank} only ({} rows); \
                 the pseudo-inverse stands for its inverse",
                moments.weight
            )
        });
        Ok(GaussianEstimate {
            mean: moments.mean,
            covariance,
            weight: moments.weight,
            rank,
            shrinkage,
            message,
            scatter: moments.scatter,
        })
    }

    /// The same with independent columns: the variances alone.
    pub fn diagonal(&self) -> Result<Self> {
        let covariance = Array2::from_diag(&self.covariance.diag());
        GaussianEstimate::of(self.moments(), covariance, self.shrinkage)
    }

    /// The same with one variance, Σ‖x−μ‖²/(n·d): divided by n·d, not by n.
    pub fn spherical(&self) -> Result<Self> {
        let d = self.mean.len();
        let variance = self.covariance.diag().sum() / d as f64;
        GaussianEstimate::of(self.moments(), Array2::eye(d) * variance, self.shrinkage)
    }

    fn moments(&self) -> Moments {
        Moments {
            weight: self.weight,
            mean: self.mean.clone(),
            scatter: self.scatter.clone(),
        }
    }

    /// The law with these parameters, where the covariance has full rank.
    pub fn law(&self) -> Result<MultivariateNormal> {
        match &self.message {
            None => MultivariateNormal::new(self.mean.clone(), self.covariance.clone()),
            Some(message) => Err(Error::numerical(format!(
                "{message}; shrink the covariance or use the law on the subspace"
            ))),
        }
    }

    /// The law on the subspace that the rows span, whatever the rank.
    pub fn singular_law(&self) -> Result<SingularNormal> {
        SingularNormal::new(self.mean.clone(), self.covariance.view())
    }

    /// The inverse of the covariance, or its pseudo-inverse where there is none.
    pub fn precision(&self) -> Result<Array2<f64>> {
        match self.message {
            None => Ok(
                MultivariateNormal::new(self.mean.clone(), self.covariance.clone())?.precision(),
            ),
            Some(_) => Ok(pseudo_inverse(self.covariance.view())?.matrix),
        }
    }

    /// The log-likelihood of the rows: −½·n·(d·ln 2π + ln |Σ|) − ½·tr(Σ⁻¹·scatter).
    pub fn log_likelihood(&self) -> Result<f64> {
        let factor = self.law()?.factor().clone();
        let trace = factor.solve(self.scatter.view()).diag().sum();
        let d = self.mean.len() as f64;
        Ok(-0.5 * (self.weight * (d * TAU.ln() + factor.log_determinant()) + trace))
    }

    /// −log-likelihood/n, the loss that maximum likelihood makes small.
    pub fn loss(&self) -> Result<f64> {
        Ok(-self.log_likelihood()? / self.weight)
    }
}

fn shrink(covariance: Array2<f64>, shrinkage: f64) -> Array2<f64> {
    let d = covariance.nrows();
    let middle = covariance.diag().sum() / d as f64;
    covariance * (1.0 - shrinkage) + Array2::<f64>::eye(d) * (shrinkage * middle)
}

pub(crate) fn summarise(rows: ArrayView2<'_, f64>, weights: Option<&[f64]>) -> Result<Moments> {
    check_weights(rows.nrows(), weights)?;
    if rows.ncols() == 0 {
        return Err(Error::data("the rows have no columns"));
    }
    if let Some(((row, column), &value)) = rows.indexed_iter().find(|(_, x)| !x.is_finite()) {
        return Err(Error::NotFinite {
            row,
            column,
            value,
            hint: "a finite number is needed",
        });
    }
    let rows = rows.as_standard_layout();
    Moments::summarise(
        Rows::Dense(rows.view()),
        weights.map(ArrayView1::from),
        &Run::new(),
    )
}

/// (X−1μᵀ)ᵀ(X−1μᵀ), d×d: n times the covariance.
pub fn centred_scatter(rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
    Ok(summarise(rows, None)?.scatter)
}

/// (X−1μᵀ)(X−1μᵀ)ᵀ, n×n: the dot products of the centred rows. It has the same eigenvalues as
/// [`centred_scatter`], and zeros.
pub fn centred_gram(rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
    let mean = summarise(rows, None)?.mean;
    let centred = &rows - &mean.insert_axis(Axis(0));
    Ok(a_times_bt(centred.view(), centred.view()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Density;
    use crate::testing::{assert_close, assert_relative};
    use didact_math::linalg::{at_times_b, symmetric_eigen};
    use ndarray::array;

    fn rows() -> Array2<f64> {
        array![[1.0, 2.0], [3.0, 0.0], [2.0, 4.0]]
    }

    // 001:GEN-03, 002a:BP18, 002b:ES-01, 004:M20 and the numbers of 004: ML (2, 2),
    // Σ̂ = [[.6667, −.6667], [−.6667, 2.6667]]. The printed factor ½ for 1/n would give 1 for ⅔.
    #[test]
    fn the_divisor_is_the_number_of_rows() {
        let found = GaussianEstimate::maximum_likelihood(rows().view(), None).unwrap();
        let third = 1.0 / 3.0;
        assert_close(&found.mean, &array![2.0, 2.0], 1e-15);
        let expected = array![[2.0 * third, -2.0 * third], [-2.0 * third, 8.0 * third]];
        assert_close(&found.covariance, &expected, 1e-15);
        // numpy.cov with its default divisor n − 1.
        let unbiased = GaussianEstimate::with_divisor(rows().view(), None, 1.0).unwrap();
        assert_close(
            &unbiased.covariance,
            &array![[1.0, -1.0], [-1.0, 4.0]],
            1e-15,
        );
        assert!(GaussianEstimate::with_divisor(rows().view(), None, 3.0).is_err());
    }

    // 004:M20: the trace form is the sum of the log-densities; 001:GEN-06.
    #[test]
    fn the_likelihood_by_trace_is_the_sum_over_rows_and_has_its_top_here() {
        let found = GaussianEstimate::maximum_likelihood(rows().view(), None).unwrap();
        let law = found.law().unwrap();
        let sum = law.log_densities(rows().view()).sum();
        assert_relative(found.log_likelihood().unwrap(), sum, 1e-13);
        assert_relative(found.loss().unwrap(), -sum / 3.0, 1e-13);
        for (i, j) in [(0, 0), (0, 1), (1, 1)] {
            for step in [-1e-4, 1e-4] {
                let mut covariance = found.covariance.clone();
                covariance[[i, j]] += step;
                covariance[[j, i]] = covariance[[i, j]];
                let other = MultivariateNormal::new(found.mean.clone(), covariance).unwrap();
                assert!(other.log_densities(rows().view()).sum() < sum);
            }
        }
    }

    // 001:GEN-07, 001:T-13: divided by n·d; divided by n the variance would be 2.
    #[test]
    fn one_variance_for_all_columns_is_divided_by_all_entries() {
        let square = array![[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]];
        let found = GaussianEstimate::maximum_likelihood(square.view(), None).unwrap();
        let round = found.spherical().unwrap();
        assert_close(&round.mean, &array![1.0, 1.0], 1e-15);
        assert_close(&round.covariance, &Array2::eye(2), 1e-15);
        // ln 2π + 1
        assert_relative(round.loss().unwrap(), 2.837_877_066_409_345, 1e-14);
        let mixed = GaussianEstimate::maximum_likelihood(rows().view(), None).unwrap();
        // The mean of the variances ⅔ and 8/3 is 5/3.
        assert_relative(
            mixed.spherical().unwrap().covariance[[1, 1]],
            5.0 / 3.0,
            1e-14,
        );
        assert_eq!(mixed.diagonal().unwrap().covariance[[0, 1]], 0.0);
    }

    // scikit-learn LedoitWolf().fit(X): shrinkage_ and covariance_ for these rows.
    // 002a:BP18
    #[test]
    fn the_shrinkage_of_ledoit_and_wolf_matches_scikit_learn() {
        let x = array![
            [1.0, 2.0, 0.5],
            [2.5, 3.1, -1.0],
            [0.3, 1.2, 0.9],
            [3.3, 3.9, -2.2],
            [1.9, 2.2, 0.1]
        ];
        let found = GaussianEstimate::ledoit_wolf(x.view()).unwrap();
        assert_relative(found.shrinkage, 0.2500419253490844, 1e-12);
        assert_relative(found.covariance[[0, 1]], 0.7259594162620863, 1e-12);
        assert_relative(found.covariance[[2, 2]], 1.2217925205177234, 1e-12);
        let by_hand = GaussianEstimate::shrunk(x.view(), None, found.shrinkage).unwrap();
        assert_close(&by_hand.covariance, &found.covariance, 1e-14);
        assert!(GaussianEstimate::shrunk(x.view(), None, 1.5).is_err());
    }

    // 002a:BP19
    #[test]
    fn fewer_rows_than_columns_fall_back_to_the_pseudo_inverse_and_say_so() {
        let x = array![[1.0, 2.0, 3.0], [2.0, 1.0, 0.0]];
        let found = GaussianEstimate::maximum_likelihood(x.view(), None).unwrap();
        assert_eq!(found.rank, 1);
        let message = found.message.clone().unwrap();
        assert!(
            message.contains("rank 1") && message.contains("pseudo-inverse"),
            "{message}"
        );
        assert!(found.law().is_err());
        let precision = found.precision().unwrap();
        let identity = found.covariance.dot(&precision).dot(&found.covariance);
        assert_close(&identity, &found.covariance, 1e-12);
        let law = found.singular_law().unwrap();
        assert!(law.log_density(x.row(0)).is_finite());
        // A little shrinkage mends it.
        assert!(
            GaussianEstimate::shrunk(x.view(), None, 0.1)
                .unwrap()
                .law()
                .is_ok()
        );
        // All rows equal: rank zero, and still no panic.
        let same =
            GaussianEstimate::maximum_likelihood(array![[1.0, 2.0], [1.0, 2.0]].view(), None);
        assert_eq!(same.unwrap().rank, 0);
    }

    // 004:M22
    #[test]
    fn scatter_and_gram_have_the_same_eigenvalues() {
        let x = array![[1.0, 2.0], [3.0, 0.0], [2.0, 4.0], [0.0, -1.0]];
        let scatter = symmetric_eigen(centred_scatter(x.view()).unwrap().view())
            .unwrap()
            .values;
        let gram = symmetric_eigen(centred_gram(x.view()).unwrap().view())
            .unwrap()
            .values;
        for k in 0..2 {
            assert_relative(gram[k], scatter[k], 1e-12);
        }
        assert!(gram[2].abs() < 1e-12 && gram[3].abs() < 1e-12);
        // Without centring it is another matrix.
        let plain = at_times_b(x.view(), x.view());
        assert!((plain[[0, 0]] - centred_scatter(x.view()).unwrap()[[0, 0]]).abs() > 1.0);
    }

    #[test]
    fn weights_count_rows_and_bad_rows_are_named() {
        let weighted =
            GaussianEstimate::maximum_likelihood(rows().view(), Some(&[2.0, 1.0, 1.0])).unwrap();
        let repeated = array![[1.0, 2.0], [1.0, 2.0], [3.0, 0.0], [2.0, 4.0]];
        let plain = GaussianEstimate::maximum_likelihood(repeated.view(), None).unwrap();
        assert_close(&weighted.covariance, &plain.covariance, 1e-14);
        let error = GaussianEstimate::maximum_likelihood(array![[1.0], [f64::NAN]].view(), None);
        assert!(
            error
                .unwrap_err()
                .to_string()
                .starts_with("row 1, column 0")
        );
        assert!(GaussianEstimate::maximum_likelihood(Array2::zeros((0, 2)).view(), None).is_err());
    }
}
