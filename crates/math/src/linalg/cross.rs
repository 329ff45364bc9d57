//! Moments of rows and targets together, for regression.

use super::Moments;
use didact_core::{Result, Rows, Run};
use ndarray::{ArrayView1, ArrayView2, s};
use serde::{Deserialize, Serialize};

/// The moments of the joined rows (x, y): means and scatter of features and targets.
///
/// ```
/// use didact_core::{Rows, Run};
/// use didact_math::linalg::CrossMoments;
/// use ndarray::array;
/// let (x, y) = (array![[1.0], [3.0]], array![[10.0], [14.0]]);
/// let moments = CrossMoments::summarise(Rows::Dense(x.view()), y.view(), None, &Run::new())?;
/// assert_eq!(moments.scatter_xy(), array![[4.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossMoments {
    joint: Moments,
    n_features: usize,
}

impl CrossMoments {
    /// Sums up rows and their targets, each pair as often as its weight says.
    ///
    /// # Panics
    /// When there is not one row of targets, or one weight, per row.
    pub fn summarise(
        rows: Rows<'_>,
        targets: ArrayView2<'_, f64>,
        weights: Option<ArrayView1<'_, f64>>,
        run: &Run,
    ) -> Result<Self> {
        assert_eq!(
            targets.nrows(),
            rows.n_rows(),
            "there must be one row of targets per row"
        );
        Ok(CrossMoments {
            joint: Moments::summarise_with(rows, Some(targets), weights, run)?,
            n_features: rows.n_columns(),
        })
    }

    /// What two sets of rows amount to together.
    ///
    /// # Panics
    /// When they have different numbers of columns.
    pub fn merge(self, other: Self) -> Self {
        assert_eq!(
            self.n_features, other.n_features,
            "the rows have different columns"
        );
        CrossMoments {
            joint: self.joint.merge(other.joint),
            n_features: self.n_features,
        }
    }

    /// Whether the parts have the same columns, which a summary from elsewhere may not.
    pub fn is_consistent(&self) -> bool {
        self.joint.is_consistent() && self.n_features <= self.joint.mean.len()
    }

    /// The sum of the weights, the number of rows where they are not weighted.
    pub fn weight(&self) -> f64 {
        self.joint.weight
    }

    /// The mean of each feature.
    pub fn mean_x(&self) -> ArrayView1<'_, f64> {
        self.joint.mean.slice(s![..self.n_features])
    }

    /// The mean of each target.
    pub fn mean_y(&self) -> ArrayView1<'_, f64> {
        self.joint.mean.slice(s![self.n_features..])
    }

    /// Σ w·(x−x̄)(x−x̄)ᵀ.
    pub fn scatter_xx(&self) -> ArrayView2<'_, f64> {
        self.joint
            .scatter
            .slice(s![..self.n_features, ..self.n_features])
    }

    /// Σ w·(x−x̄)(y−ȳ)ᵀ, a row for each feature and a column for each target.
    pub fn scatter_xy(&self) -> ArrayView2<'_, f64> {
        self.joint
            .scatter
            .slice(s![..self.n_features, self.n_features..])
    }

    /// Σ w·(y−ȳ)(y−ȳ)ᵀ.
    pub fn scatter_yy(&self) -> ArrayView2<'_, f64> {
        self.joint
            .scatter
            .slice(s![self.n_features.., self.n_features..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::{assert_close, random_matrix, random_sparse};
    use ndarray::{Array1, Axis};

    #[test]
    fn features_and_targets_agree_with_the_definition_dense_or_sparse() {
        let sparse = random_sparse(1500, 6, 0.3, 1);
        let x = sparse.view().to_dense();
        // Targets far from zero must not lose digits beside sparse rows either.
        let y = random_matrix(1500, 2, 2) + 1e5;
        let weights: Array1<f64> = random_matrix(1500, 1, 3).column(0).mapv(f64::abs);
        let column = weights.view().insert_axis(Axis(1));
        let mean = |a: &ndarray::Array2<f64>| (a * &column).sum_axis(Axis(0)) / weights.sum();
        let (x_centred, y_centred) = (&x - &mean(&x), &y - &mean(&y));
        let weighted = &x_centred * &column;
        for rows in [Rows::Dense(x.view()), Rows::Sparse(sparse.view())] {
            let found =
                CrossMoments::summarise(rows, y.view(), Some(weights.view()), &Run::new()).unwrap();
            assert!((found.weight() - weights.sum()).abs() < 1e-9);
            assert_close(&found.mean_x().to_owned(), &mean(&x), 1e-12);
            assert_close(&found.mean_y().to_owned(), &mean(&y), 1e-12);
            assert_close(
                &found.scatter_xx().to_owned(),
                &weighted.t().dot(&x_centred),
                1e-12,
            );
            // Targets at 1e5 are themselves known to 1e-11 only.
            assert_close(
                &found.scatter_xy().to_owned(),
                &weighted.t().dot(&y_centred),
                1e-9,
            );
            assert_close(
                &found.scatter_yy().to_owned(),
                &(&y_centred * &column).t().dot(&y_centred),
                1e-9,
            );
        }
    }

    #[test]
    fn merging_a_cut_gives_the_whole() {
        let (x, y) = (random_matrix(50, 3, 1), random_matrix(50, 2, 2));
        let rows = Rows::Dense(x.view());
        let part = |range: std::ops::Range<usize>| {
            CrossMoments::summarise(
                rows.slice(range.clone()),
                y.slice(s![range, ..]),
                None,
                &Run::new(),
            )
            .unwrap()
        };
        let (whole, merged) = (part(0..50), part(0..17).merge(part(17..50)));
        assert_close(&merged.joint.scatter, &whole.joint.scatter, 1e-12);
        assert_close(&merged.joint.mean, &whole.joint.mean, 1e-12);
    }
}
