//! All pairs of rows: matrices of covariances, and how they change with the parameters.

use super::shape::FARTHEST;
use super::{Covariance, CovarianceShape};
use didact_core::{Error, Result, Rows, Run, parallel};
use didact_math::distance::{Metric, pairwise_into};
use didact_math::linalg::{row_products, rows_times};
use didact_math::numeric::dot;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

/// Rows of a matrix that make a task.
const CHUNK: usize = 32;

/// Squared distances of all pairs of rows, or their inner products where the covariance is
/// linear: what stays the same while parameters are learned.
///
/// With one length scale the parameters only rescale the distances, which are therefore kept.
/// With one per column they have to be measured anew for each choice of parameters.
pub(crate) struct Pairs<'a> {
    rows: ArrayView2<'a, f64>,
    others: Option<ArrayView2<'a, f64>>,
    kept: Option<Array2<f64>>,
}

impl<'a> Pairs<'a> {
    /// All pairs of the rows.
    pub(crate) fn own(
        covariance: &Covariance,
        rows: ArrayView2<'a, f64>,
        run: &Run,
    ) -> Result<Self> {
        Pairs::new(covariance, rows, None, run)
    }

    /// Each of the rows with each of the others.
    pub(crate) fn cross(
        covariance: &Covariance,
        rows: ArrayView2<'a, f64>,
        others: ArrayView2<'a, f64>,
        run: &Run,
    ) -> Result<Self> {
        Pairs::new(covariance, rows, Some(others), run)
    }

    fn new(
        covariance: &Covariance,
        rows: ArrayView2<'a, f64>,
        others: Option<ArrayView2<'a, f64>>,
        run: &Run,
    ) -> Result<Self> {
        let kept = match covariance.is_isotropic() {
            true => Some(measured(covariance.shape, rows, others, run)?),
            false => None,
        };
        Ok(Pairs { rows, others, kept })
    }

    /// The squared distances, or inner products, in units of the length scales.
    fn scaled(&self, covariance: &Covariance, run: &Run) -> Result<Array2<f64>> {
        match &self.kept {
            Some(kept) => {
                let mut scaled = kept.clone();
                let factor = covariance.length_scales[0].powi(-2);
                let values = scaled.as_slice_mut().expect("a clone is contiguous");
                parallel::fill(values, 1, 1 << 16, run, |_, piece| {
                    rescale(piece, factor);
                    Ok(())
                })?;
                Ok(scaled)
            }
            None => {
                let rows = covariance.scaled(self.rows);
                let others = self.others.map(|others| covariance.scaled(others));
                let others = others.as_ref().map(|others| others.view());
                measured(covariance.shape, rows.view(), others, run)
            }
        }
    }

    /// The matrix of covariances.
    pub(crate) fn matrix(&self, covariance: &Covariance, run: &Run) -> Result<Array2<f64>> {
        let mut matrix = self.scaled(covariance, run)?;
        let values = matrix.as_slice_mut().expect("a fresh matrix is contiguous");
        parallel::fill(values, 1, 1 << 14, run, |_, piece| {
            covariance.shape.apply(piece);
            piece
                .iter_mut()
                .for_each(|value| *value *= covariance.amplitude);
            match piece.iter().all(|value| value.is_finite()) {
                true => Ok(()),
                false => Err(Error::numerical(
                    "the covariance of some rows overflows; \
                     multiply the columns by powers of ten so that their values are near one",
                )),
            }
        })?;
        Ok(matrix)
    }

    /// Σᵢⱼ Gᵢⱼ·∂Kᵢⱼ/∂θ for every parameter θ of [`Covariance::log_parameters`], in O(n²) each.
    /// G must be symmetric where the pairs are those of one set of rows.
    pub(crate) fn contract(
        &self,
        covariance: &Covariance,
        weights: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Vec<f64>> {
        match (covariance.shape, &self.kept) {
            (CovarianceShape::Linear { coef0 }, Some(products)) => {
                let factor = covariance.length_scales[0].powi(-2);
                let mut values = products.clone();
                values.mapv_inplace(|product| product * factor + coef0);
                values *= &weights;
                Ok(vec![covariance.amplitude * values.sum()])
            }
            (CovarianceShape::Linear { .. }, None) => {
                self.contract_slopes(covariance, weights, run)
            }
            (_, Some(squares)) => self.contract_width(covariance, squares, weights, run),
            (_, None) => self.contract_widths(covariance, weights, run),
        }
    }

    /// ∂k/∂ln ℓⱼ = −2·amplitude·aⱼ·bⱼ/ℓⱼ² of a linear covariance.
    fn contract_slopes(
        &self,
        covariance: &Covariance,
        weights: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let rows = covariance.scaled(self.rows);
        let others = covariance.scaled(self.others.unwrap_or(self.rows));
        let carried = rows_times(Rows::Dense(weights), others.view(), run)?;
        let sums = (rows * carried).sum_axis(Axis(0));
        Ok(sums.mapv(|sum| -2.0 * covariance.amplitude * sum).to_vec())
    }

    /// With one length scale: ∂r²/∂ln ℓ = −2r².
    fn contract_width(
        &self,
        covariance: &Covariance,
        squares: &Array2<f64>,
        weights: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let factor = covariance.length_scales[0].powi(-2);
        self.sum_over_rows(covariance, weights, run, |row, visited| {
            visited
                .squares
                .copy_from_slice(&contiguous(squares.row(row))[..visited.squares.len()]);
            rescale(visited.squares, factor);
            visited.add_all_but_widths();
            visited.weigh_slopes();
            visited.sums[1] -= 2.0 * dot(visited.buffer, visited.squares);
        })
    }

    /// With a length scale per column: ∂r²/∂ln ℓⱼ = −2·(aⱼ − bⱼ)²/ℓⱼ².
    fn contract_widths(
        &self,
        covariance: &Covariance,
        weights: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let squares = self.scaled(covariance, run)?;
        let rows = covariance.scaled(self.rows);
        // Each column of the others in one piece of memory.
        let others = covariance.scaled(self.others.unwrap_or(self.rows));
        let others = others.t().as_standard_layout().into_owned();
        self.sum_over_rows(covariance, weights, run, |row, visited| {
            visited
                .squares
                .copy_from_slice(&contiguous(squares.row(row))[..visited.squares.len()]);
            visited.add_all_but_widths();
            visited.weigh_slopes();
            for (column, &own) in rows.row(row).iter().enumerate() {
                let pairs = visited.buffer.iter().zip(others.row(column));
                let terms = pairs.map(|(slope, other)| slope * (own - other).powi(2).min(FARTHEST));
                visited.sums[1 + column] -= 2.0 * terms.sum::<f64>();
            }
        })
    }

    /// Adds up what `add` finds in each row of a matrix of pairs of a stationary covariance. Of
    /// a symmetric matrix one triangle is visited and counted twice.
    fn sum_over_rows(
        &self,
        covariance: &Covariance,
        weights: ArrayView2<'_, f64>,
        run: &Run,
        add: impl Fn(usize, &mut Visited<'_>) + Sync,
    ) -> Result<Vec<f64>> {
        let count = covariance.log_parameters().len();
        let m = weights.ncols();
        let sums = parallel::reduce(
            weights.nrows(),
            CHUNK,
            run,
            &|range| {
                let mut sums = vec![0.0; count];
                let (mut squares, mut buffer) = (vec![0.0; m], vec![0.0; m]);
                for row in range {
                    let width = self.others.map_or(row + 1, |_| m);
                    add(
                        row,
                        &mut Visited {
                            shape: covariance.shape,
                            weights: &contiguous(weights.row(row))[..width],
                            squares: &mut squares[..width],
                            buffer: &mut buffer[..width],
                            sums: &mut sums,
                        },
                    );
                }
                Ok(sums)
            },
            &|mut left, right| {
                left.iter_mut()
                    .zip(right)
                    .for_each(|(left, right)| *left += right);
                left
            },
        )?;
        let mut sums = sums.unwrap_or_else(|| vec![0.0; count]);
        if self.others.is_none() {
            sums.iter_mut().for_each(|sum| *sum *= 2.0);
            // The diagonal was counted twice as well; only the amplitude matters there.
            sums[0] -= weights.diag().sum();
        }
        sums.iter_mut().for_each(|sum| *sum *= covariance.amplitude);
        Ok(sums)
    }
}

/// A row of pairs, with room to work in.
struct Visited<'a> {
    shape: CovarianceShape,
    weights: &'a [f64],
    squares: &'a mut [f64],
    buffer: &'a mut [f64],
    sums: &'a mut [f64],
}

impl Visited<'_> {
    /// Adds the terms of the amplitude and of the exponent of a rational quadratic.
    fn add_all_but_widths(&mut self) {
        self.buffer.copy_from_slice(self.squares);
        self.shape.apply(self.buffer);
        self.sums[0] += dot(self.weights, self.buffer);
        if let (CovarianceShape::RationalQuadratic { .. }, Some(sum)) =
            (self.shape, self.sums.last_mut())
        {
            self.buffer.copy_from_slice(self.squares);
            self.shape.apply_mixture_slope(self.buffer);
            *sum += dot(self.weights, self.buffer);
        }
    }

    /// Puts the weights times the derivatives with respect to the squared distances into the
    /// buffer.
    fn weigh_slopes(&mut self) {
        self.buffer.copy_from_slice(self.squares);
        self.shape.apply_slope(self.buffer);
        let pairs = self.buffer.iter_mut().zip(self.weights);
        pairs.for_each(|(slope, weight)| *slope *= weight);
    }
}

fn contiguous<'a>(row: ArrayView1<'a, f64>) -> &'a [f64] {
    row.to_slice()
        .expect("rows of matrices in C order are contiguous")
}

/// Multiplies squared distances; what becomes infinite is as far as can be.
fn rescale(squares: &mut [f64], factor: f64) {
    squares
        .iter_mut()
        .for_each(|square| *square = (*square * factor).min(FARTHEST));
}

/// Squared distances, or inner products where the covariance is linear.
fn measured(
    shape: CovarianceShape,
    rows: ArrayView2<'_, f64>,
    others: Option<ArrayView2<'_, f64>>,
    run: &Run,
) -> Result<Array2<f64>> {
    let (x, y) = (Rows::Dense(rows), others.map(Rows::Dense));
    if !shape.is_stationary() {
        return row_products(x, y, run);
    }
    let m = others.map_or(rows.nrows(), |others| others.nrows());
    let mut squares = Array2::zeros((rows.nrows(), m));
    pairwise_into(x, y, Metric::SquaredEuclidean, squares.view_mut(), run)?;
    let values = squares
        .as_slice_mut()
        .expect("a fresh matrix is contiguous");
    parallel::fill(values, 1, 1 << 16, run, |_, piece| {
        piece
            .iter_mut()
            .for_each(|square| *square = square.min(FARTHEST));
        Ok(())
    })?;
    Ok(squares)
}
