//! Routes that see the design matrix itself: the dual system and singular values.

use super::normal::Definite;
use super::{Intercept, Solution, Totals};
use crate::rows::CountingMeasured;
use didact_core::{Result, Rows, Run, parallel};
use didact_math::linalg::{
    Svd, Variances, a_times_bt, at_times_b, matmul, orthonormal_basis, thin_svd_within,
    upper_of_a_times_at,
};
use ndarray::{Array1, Array2, ArrayView2, Axis, CowArray, Ix2, concatenate, s};

/// The design matrix A and the targets: centred or with a column of ones as the intercept asks,
/// every row times the root of its weight.
pub(super) struct Design<'a> {
    a: CowArray<'a, f64, Ix2>,
    /// What is still to be taken from every row of A, where that needs no copy.
    shift: Option<Array1<f64>>,
    y: Array2<f64>,
    intercept: Intercept,
    /// The root of the weight of each row.
    roots: Array1<f64>,
    mean_x: Array1<f64>,
    mean_y: Array1<f64>,
    squares_y: Array1<f64>,
}

impl<'a> Design<'a> {
    pub(super) fn new(
        data: &'a CountingMeasured<'_>,
        intercept: Intercept,
        run: &Run,
    ) -> Result<Self> {
        let (n, d) = (
            data.samples.rows().n_rows(),
            data.samples.rows().n_columns(),
        );
        let weights = data.samples.weights();
        let roots = weights.map_or_else(|| Array1::ones(n), |weights| weights.mapv(f64::sqrt));
        let x_totals = Variances::summarise(data.samples.rows(), weights, run)?;
        let y_totals = Variances::summarise(Rows::Dense(data.targets.view()), weights, run)?;
        let (mean_y, squares_y) = (y_totals.mean, y_totals.sum_squares);
        let one = usize::from(intercept == Intercept::Penalised);
        let mut y = data.targets.to_owned();
        if intercept == Intercept::Free {
            y -= &mean_y;
        }
        let near = weights.is_none() && x_totals.are_near_zero();
        let mean_x = x_totals.mean;
        let mut shift = None;
        // The matrix is large: every way writes it once at most.
        let mut a = match (data.samples.rows(), intercept) {
            (Rows::Dense(x), Intercept::Free) if near => {
                shift = Some(mean_x.clone());
                CowArray::from(x)
            }
            (Rows::Dense(x), Intercept::Free) => CowArray::from(centred(x, &mean_x, run)?),
            (Rows::Dense(x), Intercept::Absent) => CowArray::from(x),
            (rows, _) => {
                let mut a = Array2::ones((n, d + one));
                a.slice_mut(s![.., ..d]).assign(&rows.to_dense());
                if intercept == Intercept::Free {
                    a -= &mean_x;
                }
                CowArray::from(a)
            }
        };
        if weights.is_some() {
            let column = roots.view().insert_axis(Axis(1));
            a *= &column;
            y *= &column;
        }
        Ok(Design {
            a,
            shift,
            y,
            intercept,
            roots,
            mean_x,
            mean_y,
            squares_y,
        })
    }

    pub(super) fn totals(&self) -> Totals<'_> {
        Totals {
            mean_x: self.mean_x.view(),
            mean_y: self.mean_y.view(),
            squares_y: self.squares_y.clone(),
        }
    }

    pub(super) fn solve(&self, lambda: f64, run: &Run) -> Result<Solution> {
        // Centred rows leave one direction fewer than there are rows.
        let directions = self.a.nrows() - usize::from(self.intercept == Intercept::Free);
        let is_tall = directions >= self.a.ncols();
        if !is_tall && let Some(solution) = self.solve_dual(lambda, run)? {
            return Ok(solution);
        }
        let whole = match &self.shift {
            Some(shift) => CowArray::from(centred(self.a.view(), shift, run)?),
            None => CowArray::from(self.a.view()),
        };
        match is_tall {
            true => self.solve_reduced(whole.view(), lambda, run),
            false => by_singular_values(whole.view(), self.y.view(), lambda, run),
        }
    }

    /// Aᵀ·b.
    fn transposed_times(&self, b: ArrayView2<'_, f64>) -> Array2<f64> {
        let mut product = at_times_b(self.a.view(), b);
        if let Some(shift) = &self.shift {
            let totals = b.sum_axis(Axis(0));
            for (mut row, shift) in product.rows_mut().into_iter().zip(shift) {
                row.scaled_add(-shift, &totals);
            }
        }
        product
    }

    /// A·w.
    fn times(&self, weights: ArrayView2<'_, f64>) -> Array2<f64> {
        let product = matmul(self.a.view(), weights);
        match &self.shift {
            Some(shift) => product - &shift.dot(&weights),
            None => product,
        }
    }

    /// The upper triangle of AAᵀ.
    fn kernel(&self, run: &Run) -> Result<Array2<f64>> {
        let mut kernel = upper_of_a_times_at(self.a.view(), run)?;
        if let Some(shift) = &self.shift {
            // (a − c)·(b − c) = a·b − (a·c − ½c·c) − (b·c − ½c·c).
            let column = shift.view().insert_axis(Axis(1));
            let along = matmul(self.a.view(), column).remove_axis(Axis(1));
            let along = along - 0.5 * shift.dot(shift);
            for (i, mut row) in kernel.rows_mut().into_iter().enumerate() {
                let own = along[i];
                let upper = row.iter_mut().zip(&along).skip(i);
                upper.for_each(|(value, other)| *value -= own + other);
            }
        }
        Ok(kernel)
    }

    /// w = Aᵀ(AAᵀ + λI)⁻¹y, or nothing where that system is too close to singular.
    fn solve_dual(&self, lambda: f64, run: &Run) -> Result<Option<Solution>> {
        let mut kernel = self.kernel(run)?;
        if self.intercept == Intercept::Free {
            // Centred rows always leave the direction of the weight roots out, and so do the
            // centred targets: filling it in makes the system regular and changes nothing.
            let unit = &self.roots / self.roots.dot(&self.roots).sqrt();
            let size = kernel.diag().mean().unwrap_or(1.0);
            for (i, mut row) in kernel.rows_mut().into_iter().enumerate() {
                let mut upper = row.slice_mut(s![i..]);
                upper.scaled_add(size * unit[i], &unit.slice(s![i..]));
            }
        }
        let Some(system) = Definite::new(kernel, lambda, run)? else {
            return Ok(None);
        };
        let Some(mut dual) = system.solve(self.y.view()) else {
            return Ok(None);
        };
        // The system has the square of the condition of A; a correction by what the solution
        // misses takes most of that loss back.
        let weights = self.transposed_times(dual.view());
        let mut missed = &self.y - &self.times(weights.view());
        missed.scaled_add(-lambda, &dual);
        if let Some(correction) = system.solve(missed.view()) {
            dual += &correction;
        }
        let weights = self.transposed_times(dual.view());
        let residual = squares(&self.y - &self.times(weights.view()));
        let filled = usize::from(self.intercept == Intercept::Free);
        Ok(Some(Solution {
            weights,
            rank: system.rank().saturating_sub(filled),
            singular: None,
            residual,
            trace: None,
        }))
    }

    /// Reduces the rows of (A, y) to as many as it has columns by orthogonal steps, which keep
    /// all lengths and angles, then takes the singular values of what is left.
    fn solve_reduced(&self, a: ArrayView2<'_, f64>, lambda: f64, run: &Run) -> Result<Solution> {
        let columns = a.ncols();
        let width = columns + self.y.ncols();
        let reduced = parallel::reduce(
            a.nrows(),
            (4 * width).max(512),
            run,
            &|range| {
                let a = a.slice(s![range.clone(), ..]);
                let y = self.y.slice(s![range, ..]);
                Ok(compress(concatenate![Axis(1), a, y]))
            },
            &|left, right| compress(concatenate![Axis(0), left?, right?]),
        )?;
        let reduced = reduced.expect("there is at least one row")?;
        let (a, y) = reduced.view().split_at(Axis(1), columns);
        by_singular_values(a, y, lambda, run)
    }
}

/// The rows less their mean, in parallel.
fn centred(x: ArrayView2<'_, f64>, mean: &Array1<f64>, run: &Run) -> Result<Array2<f64>> {
    let d = x.ncols();
    let mut centred = Array2::zeros(x.dim());
    let output = centred.as_slice_mut().expect("a new array is contiguous");
    parallel::fill(output, d, (1 << 17) / d.max(1), run, |rows, piece| {
        for (row, output) in rows.zip(piece.chunks_exact_mut(d)) {
            for ((output, value), mean) in output.iter_mut().zip(x.row(row)).zip(mean) {
                *output = value - mean;
            }
        }
        Ok(())
    })?;
    Ok(centred)
}

/// A matrix of as many rows as columns at most, with the same products of its columns.
fn compress(matrix: Array2<f64>) -> Result<Array2<f64>> {
    if matrix.nrows() <= matrix.ncols() {
        return Ok(matrix);
    }
    let basis = orthonormal_basis(matrix.view())?;
    Ok(at_times_b(basis.view(), matrix.view()))
}

/// The shortest solution for a matrix of any rank: w = V·diag(σ/(σ² + λ))·Uᵀ·y.
fn by_singular_values(
    a: ArrayView2<'_, f64>,
    y: ArrayView2<'_, f64>,
    lambda: f64,
    run: &Run,
) -> Result<Solution> {
    let Svd {
        u,
        singular_values,
        vt,
    } = thin_svd_within(a, run)?;
    let largest = singular_values.first().copied().unwrap_or(0.0);
    // What rounding leaves of a dependent column grows with the columns, not with the rows.
    let negligible = 16.0 * f64::EPSILON * a.nrows().min(a.ncols()).max(8) as f64 * largest;
    let rank = singular_values
        .iter()
        .take_while(|&&value| value > negligible)
        .count();
    let mut parts = at_times_b(u.slice(s![.., ..rank]), y);
    for (mut part, &value) in parts.rows_mut().into_iter().zip(&singular_values) {
        // σ/(σ² + λ) without squaring a σ that may be huge.
        part /= value + lambda / value;
    }
    let weights = at_times_b(vt.slice(s![..rank, ..]), parts.view());
    let residual = squares(&y - &a_times_bt(a, weights.t()));
    Ok(Solution {
        weights,
        rank,
        singular: Some(singular_values),
        residual,
        trace: None,
    })
}

/// The sum of squares of each column.
fn squares(matrix: Array2<f64>) -> Array1<f64> {
    matrix.mapv(|value| value * value).sum_axis(Axis(0))
}

#[cfg(test)]
mod tests {
    use crate::{LinearModel, Ridge};
    use didact_core::{Fit, Measured, Samples};
    use didact_testing::random_matrix;
    use ndarray::{Array2, Axis, concatenate};

    fn fit(alpha: f64, x: &Array2<f64>, y: &[f64]) -> LinearModel {
        let ridge = Ridge {
            alpha,
            ..Ridge::default()
        };
        ridge
            .fit(Measured::new(Samples::from(x), y).unwrap())
            .unwrap()
    }

    #[test]
    fn wide_rows_near_zero_have_the_weights_of_the_same_rows_far_away() {
        let near = random_matrix(30, 50, 1) + 0.1;
        let y = random_matrix(1, 30, 2).into_raw_vec_and_offset().0;
        // Equal rows leave the dual system without a price singular.
        let twice = concatenate![Axis(0), near, near];
        let targets = [y.clone(), y.clone()].concat();
        for (alpha, x, y) in [(1.0, &near, &y), (0.0, &near, &y), (0.0, &twice, &targets)] {
            let (found, expected) = (fit(alpha, x, y), fit(alpha, &(x + 64.0), y));
            for (found, expected) in found.coef().iter().zip(expected.coef()) {
                assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
        }
    }
}
