//! The principal directions of each view and how those of two views go together.

use didact_core::{Error, Measured, Result, Rows, Run};
use didact_math::linalg::{
    CrossMoments, Eigen, Svd, Variances, at_times_b, matmul, scale_columns, scale_rows,
    symmetric_eigen, thin_svd_within,
};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

/// The directions in which a view varies, in units of the scales of its columns.
pub(super) struct Side {
    pub(super) mean: Array1<f64>,
    /// What each column was divided by.
    scale: Array1<f64>,
    /// Orthonormal directions, a row each.
    directions: Array2<f64>,
    /// The variance along each, with divisor n.
    squares: Array1<f64>,
}

/// Two views of the same rows.
pub(super) struct Pair {
    pub(super) x: Side,
    pub(super) y: Side,
    /// The covariances of the directions of x (rows) with those of y (columns).
    pub(super) cross: Array2<f64>,
}

/// The standard deviations, or ones where nothing is to be divided or nothing varies.
fn scales(variances: ArrayView1<'_, f64>, scale: bool) -> Array1<f64> {
    variances.mapv(|variance| match scale && variance > 0.0 {
        true => variance.sqrt(),
        false => 1.0,
    })
}

fn constant(what: &str) -> Error {
    Error::data(format!(
        "{what} do not vary, so nothing correlates with them; \
         give at least two different rows of columns and of targets"
    ))
}

impl Pair {
    /// From the moments of the joined rows.
    pub(super) fn of_moments(moments: &CrossMoments, scale: bool) -> Result<Self> {
        let weight = moments.weight();
        if weight <= 0.0 {
            return Err(Error::data(
                "no row counts; give at least one a weight above zero",
            ));
        }
        let x = Side::of_scatter(
            "the columns",
            moments.mean_x(),
            moments.scatter_xx(),
            weight,
            scale,
        )?;
        let y = Side::of_scatter(
            "the targets",
            moments.mean_y(),
            moments.scatter_yy(),
            weight,
            scale,
        )?;
        let mut cross = &moments.scatter_xy() / weight;
        scale_rows(cross.view_mut(), x.scale.mapv(f64::recip).view());
        scale_columns(cross.view_mut(), y.scale.mapv(f64::recip).view());
        let cross = matmul(x.directions.view(), cross.view());
        let cross = matmul(cross.view(), y.directions.t());
        Ok(Pair { x, y, cross })
    }

    /// From the rows themselves: with X = U·diag(s)·Vᵀ the covariances of the directions are
    /// diag(s_x)·U_xᵀU_y·diag(s_y).
    pub(super) fn of_rows(data: &Measured<'_>, scale: bool, run: &Run) -> Result<Self> {
        let weights = data.samples.weights();
        let total = data.samples.total_weight();
        if total <= 0.0 {
            return Err(Error::data(
                "no row counts; give at least one a weight above zero",
            ));
        }
        let shares = Array1::from_shape_fn(data.targets.nrows(), |row| {
            (data.samples.weight(row) / total).sqrt()
        });
        let side = |what: &str, rows: ArrayView2<'_, f64>| -> Result<(Side, Array2<f64>)> {
            let mean = Variances::summarise(Rows::Dense(rows), weights, run)?.mean;
            let mut centred = &rows - &mean;
            scale_rows(centred.view_mut(), shares.view());
            Side::of_rows(what, mean, centred, scale, run)
        };
        let (x, scores_x) = side("the columns", data.samples.dense()?)?;
        let (y, scores_y) = side("the targets", data.targets)?;
        let cross = at_times_b(scores_x.view(), scores_y.view());
        Ok(Pair { x, y, cross })
    }
}

impl Side {
    fn of_scatter(
        what: &str,
        mean: ArrayView1<'_, f64>,
        scatter: ArrayView2<'_, f64>,
        weight: f64,
        scale: bool,
    ) -> Result<Self> {
        let mut covariance = &scatter / weight;
        let scale = scales(covariance.diag(), scale);
        let inverse = scale.mapv(f64::recip);
        scale_rows(covariance.view_mut(), inverse.view());
        scale_columns(covariance.view_mut(), inverse.view());
        let Eigen { values, vectors } = symmetric_eigen(covariance.view())?;
        // Sums of squares know a variance to about d·ε of the largest.
        let negligible = 64.0 * values.len() as f64 * f64::EPSILON;
        let rank = rank(&values, negligible);
        Side::new(what, mean.to_owned(), scale, vectors.t(), &values, rank)
    }

    /// Also gives the rows in the coordinates of the directions.
    fn of_rows(
        what: &str,
        mean: Array1<f64>,
        mut centred: Array2<f64>,
        scale: bool,
        run: &Run,
    ) -> Result<(Self, Array2<f64>)> {
        let variances = centred.mapv(|value| value * value).sum_axis(Axis(0));
        let scale = scales(variances.view(), scale);
        centred /= &scale;
        let Svd {
            u,
            singular_values,
            vt,
        } = thin_svd_within(centred.view(), run)?;
        let squares = singular_values.mapv(|value| value * value);
        let size = centred.nrows().max(centred.ncols()) as f64;
        let rank = rank(&squares, (size * f64::EPSILON).powi(2) * 64.0);
        let scores = &u.slice(s![.., ..rank]) * &singular_values.slice(s![..rank]);
        let side = Side::new(what, mean, scale, vt.view(), &squares, rank)?;
        Ok((side, scores))
    }

    fn new(
        what: &str,
        mean: Array1<f64>,
        scale: Array1<f64>,
        directions: ArrayView2<'_, f64>,
        squares: &Array1<f64>,
        rank: usize,
    ) -> Result<Self> {
        if rank == 0 {
            return Err(constant(what));
        }
        Ok(Side {
            mean,
            scale,
            directions: directions.slice(s![..rank, ..]).to_owned(),
            squares: squares.slice(s![..rank]).to_owned(),
        })
    }

    /// λ + ridge to the power −½, for every direction.
    pub(super) fn roots(&self, ridge: f64) -> Array1<f64> {
        self.squares.mapv(|square| (square + ridge).sqrt().recip())
    }

    /// Weights for the columns themselves, from weights for the whitened directions, a row each.
    pub(super) fn weights(
        &self,
        whitened: ArrayView2<'_, f64>,
        roots: &Array1<f64>,
    ) -> Array2<f64> {
        matmul((&whitened * roots).view(), self.directions.view()) / &self.scale
    }

    /// Weights for the columns in the coordinates of the directions.
    pub(super) fn along(&self, weights: &Array2<f64>) -> Array2<f64> {
        matmul((weights * &self.scale).view(), self.directions.t())
    }

    /// What leads from the coordinates of the directions to the columns.
    pub(super) fn back(&self) -> Array2<f64> {
        &self.directions * &self.scale
    }

    /// W·C: the covariances of variates (rows) with the columns.
    pub(super) fn covariance_with(&self, weights: &Array2<f64>) -> Array2<f64> {
        matmul(
            (self.along(weights) * &self.squares).view(),
            self.back().view(),
        )
    }

    /// The inverse of C plus the ridge, on the directions in which the view varies, where the
    /// view has so few columns that somebody may look at it.
    pub(super) fn inverse_covariance(&self, ridge: f64) -> Option<Array2<f64>> {
        if self.mean.len() > 3 {
            return None;
        }
        let roots = self.roots(ridge).insert_axis(Axis(1));
        let scaled = (&self.directions * &roots) / &self.scale;
        Some(at_times_b(scaled.view(), scaled.view()))
    }
}

/// How many of the falling variances are more than rounding.
fn rank(squares: &Array1<f64>, negligible: f64) -> usize {
    let largest = squares.first().copied().unwrap_or(0.0);
    let is_kept = |square: &&f64| **square > negligible * largest;
    match largest > 0.0 {
        true => squares.iter().take_while(is_kept).count(),
        false => 0,
    }
}
