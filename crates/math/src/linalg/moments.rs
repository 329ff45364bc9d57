//! Weight, mean and scatter of rows, in pieces that can be merged.

use super::gram::{add_dense, check_weights, rows_per_partial};
use super::product::mirror_lower;
use super::sparse_scatter::{SparseColumns, lower_scatter};
use didact_core::{Error, Result, Rows, Run, parallel};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Zip, concatenate, s};
use serde::{Deserialize, Serialize};

/// The weight W, mean μ and scatter Σ w·(x−μ)(x−μ)ᵀ of some rows.
///
/// Rows are centred before they are squared and pieces are merged by the distance of their means
/// (Chan, Golub and LeVeque 1979), so data far from the origin keep their variance and a
/// constant column has exactly none.
///
/// ```
/// use didact_core::{Rows, Run};
/// use didact_math::linalg::Moments;
/// use ndarray::array;
/// let x = array![[1e8, 1.0], [1e8 + 2.0, 3.0]];
/// let moments = Moments::summarise(Rows::Dense(x.view()), None, &Run::new())?;
/// assert_eq!(moments.mean, array![1e8 + 1.0, 2.0]);
/// assert_eq!(moments.scatter, array![[2.0, 2.0], [2.0, 2.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// The sum of the weights, the number of rows where they are not weighted.
    pub weight: f64,
    /// The mean of each column.
    pub mean: Array1<f64>,
    /// The centred sums of products, symmetric to the last bit.
    pub scatter: Array2<f64>,
}

impl Moments {
    /// The moments of no rows.
    pub fn empty(n_columns: usize) -> Self {
        Moments {
            weight: 0.0,
            mean: Array1::zeros(n_columns),
            scatter: Array2::zeros((n_columns, n_columns)),
        }
    }

    /// Sums up the rows, each as often as its weight says.
    ///
    /// # Panics
    /// When there is not one weight per row.
    pub fn summarise(
        rows: Rows<'_>,
        weights: Option<ArrayView1<'_, f64>>,
        run: &Run,
    ) -> Result<Self> {
        Moments::summarise_with(rows, None, weights, run)
    }

    /// Sums up the rows with further dense columns at their right.
    pub(super) fn summarise_with(
        rows: Rows<'_>,
        further: Option<ArrayView2<'_, f64>>,
        weights: Option<ArrayView1<'_, f64>>,
        run: &Run,
    ) -> Result<Self> {
        check_weights(rows, weights);
        let width = rows.n_columns() + further.map_or(0, |further| further.ncols());
        let origin = origin(rows, further, weights);
        let moments = parallel::reduce(
            rows.n_rows(),
            rows_per_partial(width),
            run,
            &|range| {
                let weights = weights.map(|weights| weights.slice_move(s![range.clone()]));
                let further = further.map(|further| further.slice_move(s![range.clone(), ..]));
                summarise_piece(rows.slice(range), further, weights, origin.view(), run)
            },
            &Moments::merge,
        )?;
        let mut moments = moments.unwrap_or_else(|| Moments::empty(width));
        if moments.weight > 0.0 {
            moments.mean += &origin;
        }
        mirror_lower(&mut moments.scatter);
        moments.check()?;
        Ok(moments)
    }

    /// What two sets of rows amount to together.
    ///
    /// # Panics
    /// When they have different numbers of columns.
    pub fn merge(self, other: Self) -> Self {
        if self.weight == 0.0 {
            return other;
        }
        if other.weight == 0.0 {
            return self;
        }
        let weight = self.weight + other.weight;
        let share = other.weight / weight;
        let shift = &other.mean - &self.mean;
        let mut scatter = self.scatter + &other.scatter;
        let factor = self.weight * share;
        for (mut row, &left) in scatter.rows_mut().into_iter().zip(&shift) {
            // The product of the shifts comes first so that the result is symmetric.
            Zip::from(&mut row)
                .and(&shift)
                .for_each(|value, &right| *value += factor * (left * right));
        }
        Moments {
            weight,
            mean: self.mean + shift * share,
            scatter,
        }
    }

    /// Whether mean and scatter have the same columns, which a summary from elsewhere may not.
    pub fn is_consistent(&self) -> bool {
        let columns = self.mean.len();
        self.scatter.dim() == (columns, columns)
    }

    fn check(&self) -> Result<()> {
        let finite = self
            .mean
            .iter()
            .chain(&self.scatter)
            .all(|value| value.is_finite());
        match finite && self.weight.is_finite() {
            true => Ok(()),
            false => Err(overflow()),
        }
    }
}

/// The squares of finite values can be too large all the same.
pub(super) fn overflow() -> Error {
    Error::numerical(
        "the sums of squares of the columns overflow; \
         divide the columns by a power of ten so that their values stay below 1e150",
    )
}

/// The first row that counts. Means of pieces are kept as differences to it until all are merged: far from
/// zero the means themselves would be rounded more coarsely than they differ, and a constant
/// column would not stay constant to the last bit. A row of weight zero may lie anywhere, so a
/// difference to it would lose the digits of the rows that count.
pub(super) fn origin(
    rows: Rows<'_>,
    further: Option<ArrayView2<'_, f64>>,
    weights: Option<ArrayView1<'_, f64>>,
) -> Array1<f64> {
    let counts = |row: &usize| weights.is_none_or(|weights| weights[*row] > 0.0);
    let Some(first) = (0..rows.n_rows()).find(counts) else {
        let width = rows.n_columns() + further.map_or(0, |further| further.ncols());
        return Array1::zeros(width);
    };
    let features = rows.slice(first..first + 1).to_dense().row(0).to_owned();
    match further {
        Some(further) => concatenate![Axis(0), features, further.row(first)],
        None => features,
    }
}

/// The moments of a piece, with the mean less the origin and only the lower half of the scatter.
fn summarise_piece(
    rows: Rows<'_>,
    further: Option<ArrayView2<'_, f64>>,
    weights: Option<ArrayView1<'_, f64>>,
    origin: ArrayView1<'_, f64>,
    run: &Run,
) -> Result<Moments> {
    let sparse = match rows {
        Rows::Dense(dense) => return summarise_dense(dense, further, weights, origin, run),
        Rows::Sparse(sparse) => sparse,
    };
    let (origin_x, origin_y) = origin.split_at(Axis(0), rows.n_columns());
    let found = SparseColumns::new(sparse, weights, origin_x);
    let further_offset = further.map(|further| dense_offset(further, weights, origin_y).1);
    let further_mean = further_offset.as_ref().map(|offset| offset + &origin_y);
    let targets = further.zip(further_mean.as_ref().map(|mean| mean.view()));
    Ok(Moments {
        weight: found.weight,
        scatter: lower_scatter(sparse, &found, targets, weights, run)?,
        mean: match further_offset {
            Some(further) => concatenate![Axis(0), found.offset, further],
            None => found.offset,
        },
    })
}

/// The moments of dense rows and what stands at their right.
///
/// Sums and products are taken about a point near the mean c, so that rows are read only once:
/// Σ w·(x−μ)(x−μ)ᵀ = Σ w·(x−c)(x−c)ᵀ − W·(μ−c)(μ−c)ᵀ. Where c turns out to be so far from the mean
/// that the difference would lose digits, they are taken once more, about the mean.
fn summarise_dense(
    x: ArrayView2<'_, f64>,
    further: Option<ArrayView2<'_, f64>>,
    weights: Option<ArrayView1<'_, f64>>,
    origin: ArrayView1<'_, f64>,
    run: &Run,
) -> Result<Moments> {
    /// The largest share of a sum of squares that the distance from the mean may have.
    const SHARE: f64 = 0.8;
    let weight = weights.map_or(x.nrows() as f64, |weights| weights.sum());
    if weight == 0.0 {
        return Ok(Moments::empty(origin.len()));
    }
    let mut center = offset_of_some(x, further, weights, origin);
    for last in [false, true] {
        let about = &center + &origin;
        let about = about.as_slice().expect("a new array is contiguous");
        let mut lower = Array2::zeros((origin.len(), origin.len()));
        let shift = add_dense(&mut lower, x, further, about, weights, run)? / weight;
        let mut squares = lower.diag().into_iter().zip(&shift);
        let near = squares.all(|(&square, &shift)| weight * shift * shift <= SHARE * square);
        center += &shift;
        if near || last {
            for (row, &left) in shift.iter().enumerate() {
                let mut lower = lower.slice_mut(s![row, ..=row]);
                lower.scaled_add(-weight * left, &shift.slice(s![..=row]));
            }
            return Ok(Moments {
                weight,
                mean: center,
                scatter: lower,
            });
        }
    }
    unreachable!("the last time returns")
}

/// The mean of a few rows less the origin.
fn offset_of_some(
    x: ArrayView2<'_, f64>,
    further: Option<ArrayView2<'_, f64>>,
    weights: Option<ArrayView1<'_, f64>>,
    origin: ArrayView1<'_, f64>,
) -> Array1<f64> {
    const SOME: usize = 16;
    let step = x.nrows().div_ceil(SOME).max(1);
    let weights = weights.map(|weights| weights.slice_move(s![..;step]));
    let (origin_x, origin_y) = origin.split_at(Axis(0), x.ncols());
    let (_, offset) = dense_offset(x.slice(s![..;step, ..]), weights, origin_x);
    match further {
        Some(further) => {
            let further = further.slice(s![..;step, ..]);
            concatenate![Axis(0), offset, dense_offset(further, weights, origin_y).1]
        }
        None => offset,
    }
}

/// The sum of the weights and the mean less the origin.
pub(super) fn dense_offset(
    x: ArrayView2<'_, f64>,
    weights: Option<ArrayView1<'_, f64>>,
    origin: ArrayView1<'_, f64>,
) -> (f64, Array1<f64>) {
    let weight = weights.map_or(x.nrows() as f64, |weights| weights.sum());
    let mut sums = Array1::<f64>::zeros(x.ncols());
    if weight == 0.0 {
        return (0.0, sums);
    }
    for (index, row) in x.rows().into_iter().enumerate() {
        let w = weights.map_or(1.0, |weights| weights[index]);
        Zip::from(&mut sums)
            .and(&row)
            .and(&origin)
            .for_each(|sum, &value, &origin| *sum += w * (value - origin));
    }
    (weight, sums / weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::Csr;
    use didact_testing::{assert_close, random_matrix, random_sparse};
    use proptest::prelude::*;

    fn naive(x: &Array2<f64>, weights: &Array1<f64>) -> Moments {
        let weight = weights.sum();
        let mean = x.t().dot(weights) / weight;
        let centred = x - &mean;
        let weighted = &centred * &weights.view().insert_axis(Axis(1));
        Moments {
            weight,
            mean,
            scatter: weighted.t().dot(&centred),
        }
    }

    fn assert_same(found: &Moments, expected: &Moments, tolerance: f64) {
        assert!((found.weight - expected.weight).abs() <= tolerance * expected.weight);
        assert_close(&found.mean, &expected.mean, tolerance);
        assert_close(&found.scatter, &expected.scatter, tolerance);
    }

    #[test]
    fn dense_and_sparse_weighted_or_not_agree_with_the_definition() {
        for share in [0.2, 0.95] {
            let sparse = random_sparse(2500, 8, share, 1);
            let x = sparse.view().to_dense();
            let weights = random_matrix(2500, 1, 2).column(0).mapv(f64::abs);
            for rows in [Rows::Dense(x.view()), Rows::Sparse(sparse.view())] {
                let plain = Moments::summarise(rows, None, &Run::new()).unwrap();
                assert_same(&plain, &naive(&x, &Array1::ones(2500)), 1e-12);
                let weighted = Moments::summarise(rows, Some(weights.view()), &Run::new()).unwrap();
                assert_same(&weighted, &naive(&x, &weights), 1e-12);
                assert_eq!(weighted.scatter, weighted.scatter.t());
            }
        }
    }

    #[test]
    fn data_shifted_by_a_hundred_million_keep_their_variance() {
        let x = random_matrix(3000, 5, 3).mapv(|value| (value * 1024.0).round() / 1024.0);
        // Multiples of 2⁻¹⁰ stay exact at 1e8, so nothing but the method can lose digits.
        let far = &x + 1e8;
        let near = Moments::summarise(Rows::Dense(x.view()), None, &Run::new()).unwrap();
        let sparse = Csr::from_dense(far.view());
        for rows in [Rows::Dense(far.view()), Rows::Sparse(sparse.view())] {
            let moments = Moments::summarise(rows, None, &Run::new()).unwrap();
            assert_close(&moments.scatter, &near.scatter, 1e-12);
        }
    }

    // A difference to the far row would round 1 and 3 away.
    #[test]
    fn a_far_first_row_of_weight_zero_changes_nothing() {
        let x = ndarray::array![[1e17], [1.0], [3.0]];
        let weights = ndarray::array![0.0, 1.0, 1.0];
        for sparse in [false, true] {
            let csr = Csr::from_dense(x.view());
            let rows = match sparse {
                true => Rows::Sparse(csr.view()),
                false => Rows::Dense(x.view()),
            };
            let found = Moments::summarise(rows, Some(weights.view()), &Run::new()).unwrap();
            assert_eq!(found.mean, ndarray::array![2.0]);
            assert_eq!(found.scatter, ndarray::array![[2.0]]);
        }
    }

    // Every row from which the mean is guessed lies far away and weighs next to nothing: products
    // about the guess would keep no digit of the scatter.
    #[test]
    fn a_wrong_guess_of_the_mean_costs_no_digit() {
        let mut x = random_matrix(1024, 3, 6);
        let mut weights = Array1::ones(1024);
        for row in (0..1024).step_by(64) {
            x.row_mut(row).fill(1e8);
            weights[row] = 1e-20;
        }
        // The first row that counts is the origin of all sums, so it must not be far.
        weights[0] = 0.0;
        let found = Moments::summarise(Rows::Dense(x.view()), Some(weights.view()), &Run::new());
        assert_same(&found.unwrap(), &naive(&x, &weights), 1e-12);
    }

    #[test]
    fn a_constant_column_has_exactly_no_scatter() {
        let mut x = random_matrix(5000, 3, 4);
        x.column_mut(1).fill(0.1);
        let sparse = Csr::from_dense(x.view());
        for rows in [Rows::Dense(x.view()), Rows::Sparse(sparse.view())] {
            let moments = Moments::summarise(rows, None, &Run::new()).unwrap();
            assert_eq!(moments.mean[1], 0.1);
            assert_eq!(moments.scatter[[1, 1]], 0.0);
        }
    }

    #[test]
    fn no_rows_and_no_weight_change_nothing() {
        let x = random_matrix(10, 2, 5);
        let some = Moments::summarise(Rows::Dense(x.view()), None, &Run::new()).unwrap();
        assert_eq!(some.clone().merge(Moments::empty(2)), some);
        assert_eq!(Moments::empty(2).merge(some.clone()), some);
        let none = Array1::zeros(10);
        let nothing = Moments::summarise(Rows::Dense(x.view()), Some(none.view()), &Run::new());
        assert_eq!(nothing.unwrap(), Moments::empty(2));
    }

    #[test]
    fn overflow_is_an_error_and_not_a_nan() {
        let x = ndarray::array![[1e200], [-1e200]];
        let error = Moments::summarise(Rows::Dense(x.view()), None, &Run::new()).unwrap_err();
        assert!(matches!(error, Error::Numerical(_)), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn merging_any_cut_gives_the_whole(n in 2usize..60, d in 1usize..5, cut in 0.0..1.0, shift in -1e6..1e6_f64, seed: u64) {
            let x = random_matrix(n, d, seed) + shift;
            let rows = Rows::Dense(x.view());
            let cut = (cut * n as f64) as usize;
            let part = |range| Moments::summarise(rows.slice(range), None, &Run::new()).unwrap();
            let whole = part(0..n);
            let (left, right) = (part(0..cut), part(cut..n));
            // The rows themselves are known to ε·shift only.
            assert_same(&left.clone().merge(right.clone()), &whole, 1e-12 + 1e-15 * shift.abs());
            assert_same(&right.merge(left), &whole, 1e-12 + 1e-15 * shift.abs());
        }
    }
}
