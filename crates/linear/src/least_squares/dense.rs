//! Routes that see the design matrix itself: the dual system and singular values.

use super::normal::Definite;
use super::{Intercept, Solution, Totals};
use crate::rows::CountingMeasured;
use didact_core::{Result, Rows, Run, parallel};
use didact_math::linalg::{
    Svd, Variances, a_times_bt, at_times_b, matmul, orthonormal_basis, thin_svd_within,
    upper_of_a_times_at,
};
use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

/// The design matrix A and the targets: centred or with a column of ones as the intercept asks,
/// every row times the root of its weight.
pub(super) struct Design {
    a: Array2<f64>,
    y: Array2<f64>,
    intercept: Intercept,
    /// The root of the weight of each row.
    roots: Array1<f64>,
    mean_x: Array1<f64>,
    mean_y: Array1<f64>,
    squares_y: Array1<f64>,
}

impl Design {
    pub(super) fn new(
        data: &CountingMeasured<'_>,
        intercept: Intercept,
        run: &Run,
    ) -> Result<Self> {
        let (n, d) = (
            data.samples.rows().n_rows(),
            data.samples.rows().n_columns(),
        );
        let weights = data.samples.weights();
        let roots = weights.map_or_else(|| Array1::ones(n), |weights| weights.mapv(f64::sqrt));
        let mean_x = Variances::summarise(data.samples.rows(), weights, run)?.mean;
        let y_totals = Variances::summarise(Rows::Dense(data.targets.view()), weights, run)?;
        let (mean_y, squares_y) = (y_totals.mean, y_totals.sum_squares);
        let one = usize::from(intercept == Intercept::Penalised);
        let mut y = data.targets.to_owned();
        if intercept == Intercept::Free {
            y -= &mean_y;
        }
        // The matrix is large: every way writes it once.
        let mut a = match (data.samples.rows(), intercept) {
            (Rows::Dense(x), Intercept::Free) => centred(x, &mean_x, run)?,
            (Rows::Dense(x), Intercept::Absent) => x.to_owned(),
            (rows, _) => {
                let mut a = Array2::ones((n, d + one));
                a.slice_mut(s![.., ..d]).assign(&rows.to_dense());
                if intercept == Intercept::Free {
                    a -= &mean_x;
                }
                a
            }
        };
        if weights.is_some() {
            let column = roots.view().insert_axis(Axis(1));
            a *= &column;
            y *= &column;
        }
        Ok(Design {
            a,
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
        if directions >= self.a.ncols() {
            return self.solve_reduced(lambda, run);
        }
        match self.solve_dual(lambda, run)? {
            Some(solution) => Ok(solution),
            None => by_singular_values(self.a.view(), self.y.view(), lambda, run),
        }
    }

    /// w = Aᵀ(AAᵀ + λI)⁻¹y, or nothing where that system is too close to singular.
    fn solve_dual(&self, lambda: f64, run: &Run) -> Result<Option<Solution>> {
        let mut kernel = upper_of_a_times_at(self.a.view(), run)?;
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
        let weights = at_times_b(self.a.view(), dual.view());
        let mut missed = &self.y - &matmul(self.a.view(), weights.view());
        missed.scaled_add(-lambda, &dual);
        if let Some(correction) = system.solve(missed.view()) {
            dual += &correction;
        }
        let weights = at_times_b(self.a.view(), dual.view());
        let residual = squares(&self.y - &matmul(self.a.view(), weights.view()));
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
    fn solve_reduced(&self, lambda: f64, run: &Run) -> Result<Solution> {
        let columns = self.a.ncols();
        let width = columns + self.y.ncols();
        let reduced = parallel::reduce(
            self.a.nrows(),
            (4 * width).max(512),
            run,
            &|range| {
                let a = self.a.slice(s![range.clone(), ..]);
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
