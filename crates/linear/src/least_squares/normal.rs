//! The normal equations (G + λI)·w = c of moments.

use super::{Intercept, Solution};
use didact_core::{Error, Result, Run};
use didact_math::linalg::{Cholesky, CrossMoments, at_times_b, matmul, symmetric_eigen_within};
use ndarray::{Array1, Array2, ArrayView2, Axis, CowArray, Ix2, s};

/// The smallest share of a column that the columns before it may leave unexplained. The normal
/// equations lose the reciprocal of it in precision; below this, orthogonal methods take over.
const LEAST_PIVOT: f64 = 1e-7;

/// G = AᵀA, c = Aᵀy and yᵀy of the design matrix A.
pub(crate) struct System<'a> {
    /// Borrowed from the moments where they hold it.
    gram: CowArray<'a, f64, Ix2>,
    cross: Array2<f64>,
    squares: Array1<f64>,
}

impl<'a> System<'a> {
    pub(crate) fn new(moments: &'a CrossMoments, intercept: Intercept) -> Self {
        let (xx, xy) = (moments.scatter_xx(), moments.scatter_xy());
        let squares = moments.scatter_yy().diag().to_owned();
        if intercept == Intercept::Free {
            return System {
                gram: CowArray::from(xx),
                cross: xy.to_owned(),
                squares,
            };
        }
        // Back from centred to plain sums: Σ w·x·xᵀ = S + W·x̄·x̄ᵀ, with a one at the end of
        // every row where the intercept is a weight like the others.
        let one = usize::from(intercept == Intercept::Penalised);
        let (d, k) = xy.dim();
        let mut mean = Array1::ones(d + one);
        mean.slice_mut(s![..d]).assign(&moments.mean_x());
        let column = mean.view().insert_axis(Axis(1));
        let weight = moments.weight();
        let mut gram = column.dot(&column.t()) * weight;
        let mut corner = gram.slice_mut(s![..d, ..d]);
        corner += &xx;
        let mut cross = column.dot(&moments.mean_y().insert_axis(Axis(0))) * weight;
        let mut top = cross.slice_mut(s![..d, ..k]);
        top += &xy;
        // A product of two vectors may come out in Fortran order.
        let gram = gram.as_standard_layout().into_owned();
        let squares = squares + moments.mean_y().mapv(|mean| weight * mean * mean);
        System {
            gram: CowArray::from(gram),
            cross,
            squares,
        }
    }

    /// The same with matrices of its own.
    pub(crate) fn into_owned(self) -> System<'static> {
        System {
            gram: CowArray::from(self.gram.as_standard_layout().into_owned()),
            cross: self.cross,
            squares: self.squares,
        }
    }

    /// G.
    pub(crate) fn gram(&self) -> ArrayView2<'_, f64> {
        self.gram.view()
    }

    /// c, a column for each target.
    pub(crate) fn cross(&self) -> ArrayView2<'_, f64> {
        self.cross.view()
    }

    /// yᵀy of each target.
    pub(crate) fn squares(&self) -> &Array1<f64> {
        &self.squares
    }

    /// The solution, unless the system is so close to singular that digits would be lost.
    pub(super) fn solve(&self, lambda: f64, run: &Run) -> Result<Option<Solution>> {
        let gram = self.gram.as_standard_layout().into_owned();
        let Some(definite) = Definite::new(gram, lambda, run)? else {
            return Ok(None);
        };
        let weights = definite.solve(self.cross.view());
        Ok(weights.map(|weights| self.solution(weights, definite.rank())))
    }

    /// The shortest solution of a system of any rank, as far as moments can tell.
    pub(super) fn solve_any_rank(&self, lambda: f64, run: &Run) -> Result<Solution> {
        let eigen = symmetric_eigen_within(self.gram.view(), run)?;
        let largest = eigen.values.first().copied().unwrap_or(0.0).max(0.0);
        let negligible = 16.0 * f64::EPSILON * eigen.values.len().max(8) as f64 * largest;
        let rank = eigen
            .values
            .iter()
            .filter(|&&value| value > negligible)
            .count();
        let vectors = eigen.vectors.slice(s![.., ..rank]);
        let mut parts = at_times_b(vectors, self.cross.view());
        for (mut part, value) in parts.rows_mut().into_iter().zip(&eigen.values) {
            part /= value + lambda;
        }
        Ok(self.solution(matmul(vectors, parts.view()), rank))
    }

    /// ‖y − Aw‖² = yᵀy − 2wᵀc + wᵀGw.
    fn solution(&self, weights: Array2<f64>, rank: usize) -> Solution {
        let curved = matmul(self.gram.view(), weights.view());
        let residual = Array1::from_shape_fn(weights.ncols(), |target| {
            let w = weights.column(target);
            let explained = 2.0 * w.dot(&self.cross.column(target)) - w.dot(&curved.column(target));
            // Rounding may leave a perfect fit just below zero.
            (self.squares[target] - explained).max(0.0)
        });
        Solution {
            weights,
            rank,
            singular: None,
            residual,
            trace: None,
        }
    }
}

/// The active columns of G + λI, divided by the roots of its diagonal from both sides.
///
/// Only the upper triangle is scaled, the one that is factored.
fn with_unit_diagonal(gram: Array2<f64>, active: &[usize], roots: &Array1<f64>) -> Array2<f64> {
    let mut scaled = match active.len() == gram.nrows() {
        true => gram,
        false => gram.select(Axis(0), active).select(Axis(1), active),
    };
    let factors: Array1<f64> = active.iter().map(|&j| roots[j].recip()).collect();
    for (i, mut row) in scaled.rows_mut().into_iter().enumerate() {
        let own = factors[i];
        let upper = row.iter_mut().zip(&factors).skip(i + 1);
        upper.for_each(|(value, factor)| *value *= factor * own);
        row[i] = 1.0;
    }
    scaled
}

/// G + λI of a positive semidefinite G, factored by Cholesky's method without its columns of
/// zeros.
pub(super) struct Definite {
    factor: Cholesky,
    /// The columns that are not zero.
    active: Vec<usize>,
    /// The roots of the diagonal: a unit diagonal makes the pivots independent of the units of
    /// the columns.
    roots: Array1<f64>,
}

impl Definite {
    /// Nothing where G + λI is too close to singular.
    pub(super) fn new(gram: Array2<f64>, lambda: f64, run: &Run) -> Result<Option<Self>> {
        let diagonal = gram.diag().mapv(|value| value + lambda);
        let active: Vec<usize> = (0..diagonal.len()).filter(|&j| diagonal[j] > 0.0).collect();
        let roots = diagonal.mapv(f64::sqrt);
        let scaled = with_unit_diagonal(gram, &active, &roots);
        let factor = match Cholesky::in_place_within(scaled, run) {
            Ok(factor) => factor,
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(_) => return Ok(None),
        };
        let pivots = factor.lower().diag().mapv(|pivot| pivot * pivot);
        let is_regular = pivots.iter().all(|&pivot| pivot >= LEAST_PIVOT);
        Ok(is_regular.then_some(Definite {
            factor,
            active,
            roots,
        }))
    }

    /// The number of columns that are not zero.
    pub(super) fn rank(&self) -> usize {
        self.active.len()
    }

    /// The W with (G + λI)·W = C, in which columns of zeros have the weight zero; nothing where
    /// it overflows.
    pub(super) fn solve(&self, cross: ArrayView2<'_, f64>) -> Option<Array2<f64>> {
        let shape = (self.active.len(), cross.ncols());
        let mut solution = Array2::from_shape_fn(shape, |(i, target)| {
            cross[[self.active[i], target]] / self.roots[self.active[i]]
        });
        self.factor.solve_in_place(solution.view_mut());
        let mut weights = Array2::zeros(cross.dim());
        for (i, &j) in self.active.iter().enumerate() {
            weights
                .row_mut(j)
                .assign(&(&solution.row(i) / self.roots[j]));
        }
        let is_finite = weights.iter().all(|weight| weight.is_finite());
        is_finite.then_some(weights)
    }
}
