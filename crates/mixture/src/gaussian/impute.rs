//! Gaps filled with what the mixture expects of them.

use super::gaps::{View, by_gaps};
use super::model::GaussianMixtureModel;
use didact_core::abilities::check_rows;
use didact_core::{Result, Run, Samples};
use didact_math::numeric::log_softmax_in_place;
use ndarray::{Array1, Array2, ArrayView1};

impl GaussianMixtureModel {
    /// The rows with every gap filled by its expectation given the values that are there,
    /// E[x_m | x_o] = Σₖ rₖ(x_o)·(μ_m + Σ_mo·Σ_oo⁻¹(x_o − μ_o)).
    ///
    /// ```
    /// use didact_mixture::{Covariances, GaussianMixtureModel};
    /// use ndarray::array;
    /// let covariances = Covariances::Full(vec![array![[1.0, 0.5], [0.5, 1.0]]]);
    /// let model = GaussianMixtureModel::new(vec![1.0], array![[0.0, 10.0]], covariances)?;
    /// let filled = model.impute(&array![[2.0, f64::NAN]])?;
    /// assert_eq!(filled, array![[2.0, 11.0]]);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn impute<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Array2<f64>> {
        let samples = rows.into();
        check_rows(self, samples.rows())?;
        let rows = samples.dense()?;
        let gapped: Vec<usize> = (0..rows.nrows())
            .filter(|&row| rows.row(row).iter().any(|value| value.is_nan()))
            .collect();
        let (mut filled, run) = (rows.to_owned(), Run::new());
        for members in by_gaps(rows, &gapped) {
            let view = View::of(self.components(), rows.row(members[0]))?;
            for row in members {
                run.check()?;
                let expected = self.expectation(&view, rows.row(row));
                for &column in view.missing() {
                    filled[[row, column]] = expected[column];
                }
            }
        }
        Ok(filled)
    }

    fn expectation(&self, view: &View<'_>, row: ArrayView1<'_, f64>) -> Array1<f64> {
        let mut shares = vec![0.0; self.weights().len()];
        view.joint_log_densities(row, &mut shares);
        log_softmax_in_place(&mut shares);
        let mut expected = Array1::zeros(row.len());
        for (component, share) in shares.iter().enumerate() {
            let place = view.completed(component, row) + self.means().row(component);
            expected.scaled_add(share.exp(), &place);
        }
        expected
    }
}
