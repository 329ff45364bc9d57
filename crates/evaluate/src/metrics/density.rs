//! How probable data are under a model, and how well they come back from a compression.

use super::check::check_finite;
use didact_core::{Error, Result};
use didact_math::linalg::Cholesky;
use ndarray::ArrayView2;
use serde::Serialize;

/// The log-likelihood of rows or sequences, always as a logarithm.
///
/// ```
/// use didact_evaluate::LogLikelihood;
/// let held_out = LogLikelihood::new(&[-2.0, -4.0], 10)?;
/// assert_eq!((held_out.total, held_out.per_unit, held_out.per_item), (-6.0, -3.0, -0.6));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LogLikelihood {
    /// Σ ln p over everything.
    pub total: f64,
    /// Mean per row, or per sequence.
    pub per_unit: f64,
    /// Mean per row, or per item of the sequences.
    pub per_item: f64,
}

impl LogLikelihood {
    /// From the log-density of each row or sequence and the number of rows or items in all.
    ///
    /// A log-density of minus infinity is allowed: something impossible happened.
    pub fn new(log_densities: &[f64], n_items: usize) -> Result<Self> {
        if log_densities.is_empty() || n_items == 0 {
            return Err(Error::data("there is nothing to judge: no rows were given"));
        }
        if let Some(place) = log_densities.iter().position(|value| value.is_nan()) {
            return Err(Error::data(format!(
                "log-density {place} is NaN; the model could not judge it"
            )));
        }
        let total: f64 = log_densities.iter().sum();
        Ok(LogLikelihood {
            total,
            per_unit: total / log_densities.len() as f64,
            per_item: total / n_items as f64,
        })
    }
}

/// −(M/2)·(N ln 2π + ln det B + tr(B⁻¹C)): the log-likelihood of M centred rows with covariance C
/// (divisor M) under a Gaussian of covariance B.
pub fn gaussian_log_likelihood(
    n_rows: usize,
    model_covariance: ArrayView2<'_, f64>,
    covariance: ArrayView2<'_, f64>,
) -> Result<f64> {
    if !model_covariance.is_square() || model_covariance.dim() != covariance.dim() {
        return Err(Error::data(format!(
            "the covariances are {:?} and {:?}; both must be square and of the same size",
            model_covariance.dim(),
            covariance.dim()
        )));
    }
    check_finite("covariance", covariance.iter())?;
    let factor = Cholesky::new(model_covariance)?;
    let trace: f64 = factor.solve(covariance).diag().sum();
    let constant = covariance.nrows() as f64 * std::f64::consts::TAU.ln();
    Ok(-(n_rows as f64) / 2.0 * (constant + factor.log_determinant() + trace))
}

/// Mean over the rows of ‖x − x̂‖²; zero for a perfect reconstruction.
pub fn reconstruction_error(
    rows: ArrayView2<'_, f64>,
    rebuilt: ArrayView2<'_, f64>,
) -> Result<f64> {
    check_same(rows, rebuilt)?;
    let squares: f64 = rows
        .iter()
        .zip(&rebuilt)
        .map(|(x, y)| (x - y) * (x - y))
        .sum();
    Ok(squares / rows.nrows() as f64)
}

/// Mean over the rows of −Σ(x ln x̂ + (1−x) ln(1−x̂)) for values from 0 to 1.
///
/// A perfect reconstruction leaves the entropy of the values themselves, which is zero for bits.
/// Reconstructions are kept a machine precision away from zero and one.
pub fn reconstruction_cross_entropy(
    rows: ArrayView2<'_, f64>,
    rebuilt: ArrayView2<'_, f64>,
) -> Result<f64> {
    check_same(rows, rebuilt)?;
    if let Some(value) = rows
        .iter()
        .chain(&rebuilt)
        .find(|value| !(0.0..=1.0).contains(*value))
    {
        return Err(Error::data(format!(
            "a value is {value}; the cross-entropy needs values from 0 to 1"
        )));
    }
    let surprise = |(x, y): (&f64, &f64)| {
        let y = y.clamp(f64::EPSILON, 1.0 - f64::EPSILON);
        -x * y.ln() - (1.0 - x) * (1.0 - y).ln()
    };
    Ok(rows.iter().zip(&rebuilt).map(surprise).sum::<f64>() / rows.nrows() as f64)
}

fn check_same(rows: ArrayView2<'_, f64>, rebuilt: ArrayView2<'_, f64>) -> Result<()> {
    if rows.dim() != rebuilt.dim() || rows.nrows() == 0 {
        return Err(Error::data(format!(
            "the rows are {:?} and their reconstructions {:?}; both must have the same shape and at least one row",
            rows.dim(),
            rebuilt.dim()
        )));
    }
    check_finite("value", rows.iter().chain(&rebuilt))
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_near;
    use super::*;
    use ndarray::array;

    // 000b:E03: per datum and per sequence, as logarithms only.
    #[test]
    fn the_likelihood_is_given_per_unit_and_per_item() {
        let sequences = LogLikelihood::new(&[-1000.0, -2000.0], 300).unwrap();
        assert_eq!(sequences.per_unit, -1500.0);
        assert_eq!(sequences.per_item, -10.0);
        let impossible = LogLikelihood::new(&[f64::NEG_INFINITY, -1.0], 2).unwrap();
        assert_eq!(impossible.total, f64::NEG_INFINITY);
        assert!(LogLikelihood::new(&[f64::NAN], 1).is_err());
        assert!(LogLikelihood::new(&[], 1).is_err());
    }

    // 000b:E04: zero for a perfect squared error; the Bernoulli entropy for cross-entropy.
    #[test]
    fn a_perfect_reconstruction_leaves_nothing_or_the_entropy() {
        let rows = array![[0.25, 1.0], [0.5, 0.0]];
        assert_eq!(reconstruction_error(rows.view(), rows.view()).unwrap(), 0.0);
        let entropy = |p: f64| -p * p.ln() - (1.0 - p) * (1.0 - p).ln();
        let expected = (entropy(0.25) + entropy(0.5)) / 2.0;
        assert_near(
            reconstruction_cross_entropy(rows.view(), rows.view()).unwrap(),
            expected,
        );
        let off = array![[0.25, 0.0], [0.5, 0.0]];
        assert_near(reconstruction_error(rows.view(), off.view()).unwrap(), 0.5);
        assert!(
            reconstruction_cross_entropy(rows.view(), off.view())
                .unwrap()
                .is_finite()
        );
        assert!(reconstruction_cross_entropy(array![[2.0]].view(), array![[0.5]].view()).is_err());
    }

    // 002a:PPCA02: the formula equals the sum of the log-densities of the rows. In one dimension
    // with rows ±2 (C = 4) and B = 9: each density is N(2; 0, 9).
    #[test]
    fn the_likelihood_of_a_covariance_is_the_sum_over_the_rows() {
        let one = -0.5 * (std::f64::consts::TAU * 9.0).ln() - 4.0 / 18.0;
        let found = gaussian_log_likelihood(2, array![[9.0]].view(), array![[4.0]].view()).unwrap();
        assert_near(found, 2.0 * one);
        let two = array![[2.0, 0.5], [0.5, 1.0]];
        let own = gaussian_log_likelihood(3, two.view(), two.view()).unwrap();
        // At B = C the trace is the number of columns; det = 1.75.
        let expected = -1.5 * (2.0 * std::f64::consts::TAU.ln() + 1.75_f64.ln() + 2.0);
        assert_near(own, expected);
    }
}
