//! Cholesky factors that follow a change of rank one.

use super::Cholesky;
use didact_core::{Error, Result};
use ndarray::{Array1, ArrayView1};

impl Cholesky {
    /// Turns the factor of A into that of A + v·vᵀ, in d² multiplications.
    ///
    /// ```
    /// use didact_math::linalg::Cholesky;
    /// use ndarray::array;
    /// let mut factor = Cholesky::new(array![[4.0, 0.0], [0.0, 1.0]].view())?;
    /// factor.update(array![0.0, 1.0].view())?;
    /// assert!((factor.log_determinant() - 8.0_f64.ln()).abs() < 1e-14);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    ///
    /// # Panics
    /// When v has another length than A has rows.
    pub fn update(&mut self, v: ArrayView1<'_, f64>) -> Result<()> {
        let mut rest = self.change(v)?;
        for pivot in 0..self.dimension() {
            // The rotation that moves what is left of v at this pivot into the factor.
            let radius = self.upper[[pivot, pivot]].hypot(rest[pivot]);
            let cosine = self.upper[[pivot, pivot]] / radius;
            let sine = rest[pivot] / radius;
            self.upper[[pivot, pivot]] = radius;
            for column in pivot + 1..rest.len() {
                let value = self.upper[[pivot, column]];
                self.upper[[pivot, column]] = cosine * value + sine * rest[column];
                rest[column] = cosine * rest[column] - sine * value;
            }
        }
        Ok(())
    }

    /// Turns the factor of A into that of A − v·vᵀ, in d² multiplications.
    ///
    /// Fails, and leaves the factor as it was, where A − v·vᵀ is not positive definite, which is
    /// where vᵀA⁻¹v reaches one up to rounding.
    ///
    /// # Panics
    /// When v has another length than A has rows.
    pub fn downdate(&mut self, v: ArrayView1<'_, f64>) -> Result<()> {
        let mut rest = self.change(v)?;
        let before = self.upper.clone();
        for pivot in 0..self.dimension() {
            let old = self.upper[[pivot, pivot]];
            let share = rest[pivot] / old;
            // 1 − share² without the cancellation of squaring first.
            let left = (1.0 - share) * (1.0 + share);
            let is_positive = left > self.dimension() as f64 * f64::EPSILON;
            if !is_positive {
                self.upper = before;
                return Err(Error::numerical(format!(
                    "the matrix minus v·vᵀ is not positive definite: nothing is left of its \
                     pivot {pivot} (of {}); subtract a shorter vector",
                    self.dimension()
                )));
            }
            let cosine = left.sqrt();
            self.upper[[pivot, pivot]] = cosine * old;
            for column in pivot + 1..rest.len() {
                let value = (self.upper[[pivot, column]] - share * rest[column]) / cosine;
                self.upper[[pivot, column]] = value;
                rest[column] = cosine * rest[column] - share * value;
            }
        }
        Ok(())
    }

    fn change(&self, v: ArrayView1<'_, f64>) -> Result<Array1<f64>> {
        assert_eq!(v.len(), self.dimension(), "one value per row of the matrix");
        match v.iter().position(|value| !value.is_finite()) {
            None => Ok(v.to_owned()),
            Some(place) => Err(Error::numerical(format!(
                "value {place} of the rank-one change is {}; every value must be a finite number",
                v[place]
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{a_times_bt, matmul};
    use didact_testing::{assert_close, random_matrix};
    use ndarray::{Array2, Axis, array};
    use proptest::prelude::*;

    fn outer(v: &Array1<f64>) -> Array2<f64> {
        let column = v.view().insert_axis(Axis(1));
        matmul(column, column.t())
    }

    #[test]
    fn a_downdate_that_takes_too_much_is_refused_and_changes_nothing() {
        let mut factor = Cholesky::new(array![[4.0, 2.0], [2.0, 5.0]].view()).unwrap();
        let before = factor.clone();
        // vᵀA⁻¹v = (0, 2.1)·A⁻¹·(0, 2.1)ᵀ = 4.41·4/16 > 1.
        let error = factor.downdate(array![0.0, 2.1].view()).unwrap_err();
        assert!(error.to_string().contains("pivot 1 (of 2)"), "{error}");
        assert!(factor.downdate(array![2.0, 1.0].view()).is_err());
        assert!(factor.update(array![f64::NAN, 0.0].view()).is_err());
        assert_eq!(factor, before);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn an_updated_factor_is_that_of_the_updated_matrix(d in 1usize..30, seed: u64) {
            let root = random_matrix(d, d + 5, seed);
            let matrix = a_times_bt(root.view(), root.view()) + Array2::<f64>::eye(d);
            let v = random_matrix(d, 1, seed ^ 1).column(0).to_owned();
            let mut factor = Cholesky::new(matrix.view()).unwrap();
            factor.update(v.view()).unwrap();
            let restored = matmul(factor.lower(), factor.lower().t());
            assert_close(&restored, &(&matrix + &outer(&v)), 1e-12);
            factor.downdate(v.view()).unwrap();
            assert_close(&matmul(factor.lower(), factor.lower().t()), &matrix, 1e-11);
        }
    }
}
