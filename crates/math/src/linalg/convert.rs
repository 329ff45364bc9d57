//! The bridge between `ndarray` and faer.

use crate::vectorised::vectorised;
use didact_core::{Error, Result};
use faer::{Mat, MatMut, MatRef, Par};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, CowArray, Ix2};
use rayon::prelude::*;

/// A matrix that faer can read: borrowed where the memory is contiguous, copied otherwise.
pub(crate) struct Operand<'a>(CowArray<'a, f64, Ix2>);

impl<'a> Operand<'a> {
    pub(crate) fn new(view: ArrayView2<'a, f64>) -> Self {
        match view.is_standard_layout() || view.t().is_standard_layout() {
            true => Operand(CowArray::from(view)),
            false => Operand(CowArray::from(view.as_standard_layout().into_owned())),
        }
    }

    pub(crate) fn matrix(&self) -> MatRef<'_, f64> {
        let (rows, columns) = self.0.dim();
        match self.0.as_slice() {
            Some(slice) => MatRef::from_row_major_slice(slice, rows, columns),
            None => {
                let slice = self
                    .0
                    .as_slice_memory_order()
                    .expect("Fortran order is contiguous");
                MatRef::from_column_major_slice(slice, rows, columns)
            }
        }
    }
}

/// Lets `work` write into `output` as a faer matrix, through a copy only where the memory is not
/// contiguous.
pub(crate) fn with_matrix_mut(
    mut output: ArrayViewMut2<'_, f64>,
    work: impl FnOnce(MatMut<'_, f64>),
) {
    let (rows, columns) = output.dim();
    if let Some(slice) = output.as_slice_mut() {
        return work(MatMut::from_row_major_slice_mut(slice, rows, columns));
    }
    if let Some(slice) = output.view_mut().reversed_axes().as_slice_mut() {
        return work(MatMut::from_column_major_slice_mut(slice, rows, columns));
    }
    let mut copy = output.as_standard_layout().into_owned();
    let slice = copy.as_slice_mut().expect("a fresh copy is contiguous");
    work(MatMut::from_row_major_slice_mut(slice, rows, columns));
    output.assign(&copy);
}

/// A window of a matrix in C order: the first `columns` of every `stride` values are a row.
///
/// Through the transpose, because faer 0.24 takes the strides of its own row-major constructor
/// for those of columns.
pub(crate) fn window_mut<T>(
    values: &mut [T],
    rows: usize,
    columns: usize,
    stride: usize,
) -> MatMut<'_, T> {
    MatMut::from_column_major_slice_with_stride_mut(values, columns, rows, stride).transpose_mut()
}

/// Copies a faer matrix into an array in C order.
pub(crate) fn to_array(matrix: MatRef<'_, f64>) -> Array2<f64> {
    let mut array = Array2::zeros((matrix.nrows(), matrix.ncols()));
    for_each_in_tiles(array.dim(), |i, j| array[[i, j]] = matrix[(i, j)]);
    array
}

/// Copies columns of a faer matrix, in the order given, into an array in C order.
pub(crate) fn to_array_of_columns(
    matrix: MatRef<'_, f64>,
    columns: &[usize],
    parts: Par,
) -> Array2<f64> {
    let width = columns.len();
    let mut array = Array2::zeros((matrix.nrows(), width));
    let values = array.as_slice_mut().expect("a new array is contiguous");
    let size = TILE * width.max(1);
    let work = |(tile, output): (usize, &mut [f64])| {
        let rows = output.len() / width;
        for (group, columns) in columns.chunks(TILE).enumerate() {
            for (place, &column) in columns.iter().enumerate() {
                let column = matrix.col(column).subrows(tile * TILE, rows);
                let output = output[group * TILE + place..].iter_mut().step_by(width);
                output.zip(column.iter()).for_each(|(to, from)| *to = *from);
            }
        }
    };
    match parts {
        Par::Seq => values.chunks_mut(size).enumerate().for_each(work),
        Par::Rayon(_) => values.par_chunks_mut(size).enumerate().for_each(work),
    }
    array
}

/// Copies columns of a faer matrix, in the order given, into the rows of an array in C order.
pub(crate) fn to_array_of_rows(matrix: MatRef<'_, f64>, columns: &[usize]) -> Array2<f64> {
    let mut array = Array2::zeros((columns.len(), matrix.nrows()));
    for (mut row, &column) in array.rows_mut().into_iter().zip(columns) {
        let values = matrix.col(column).iter();
        row.iter_mut()
            .zip(values)
            .for_each(|(to, from)| *to = *from);
    }
    array
}

/// Copies an array into a faer matrix, every value times `factor`.
pub(crate) fn to_scaled_matrix(view: ArrayView2<'_, f64>, factor: f64) -> Mat<f64> {
    let mut matrix = Mat::zeros(view.nrows(), view.ncols());
    for_each_in_tiles(view.dim(), |i, j| matrix[(i, j)] = view[[i, j]] * factor);
    matrix
}

/// Rows and columns of a tile.
const TILE: usize = 32;

/// Visits every place of a matrix, tile by tile: one side of a copy is in C order and the other
/// in Fortran order, and the lines of both stay in the cache while a tile is copied.
pub(super) fn for_each_in_tiles(
    (rows, columns): (usize, usize),
    mut visit: impl FnMut(usize, usize),
) {
    for top in (0..rows).step_by(TILE) {
        for left in (0..columns).step_by(TILE) {
            for i in top..(top + TILE).min(rows) {
                for j in left..(left + TILE).min(columns) {
                    visit(i, j);
                }
            }
        }
    }
}

/// The power of two next to the largest magnitude, or an error naming the first value that is
/// not finite. Dividing by a power of two is exact, and decompositions of the scaled matrix can
/// square its values without overflow.
pub(crate) fn finite_scale(what: &str, view: ArrayView2<'_, f64>) -> Result<f64> {
    let largest = match view.as_slice_memory_order() {
        Some(values) => vectorised(
            #[inline(always)]
            || largest_magnitude(values.iter()),
        ),
        None => largest_magnitude(view.iter()),
    };
    if !largest.is_finite() {
        let mut entries = view.indexed_iter();
        if let Some(((row, column), value)) = entries.find(|(_, value)| !value.is_finite()) {
            return Err(Error::numerical(format!(
                "{what} has the value {value} in row {row}, column {column}; \
                 every value must be a finite number"
            )));
        }
    }
    match largest < f64::MIN_POSITIVE {
        true => Ok(1.0),
        // Kept away from the ends of the range so that its reciprocal is finite too.
        false => Ok(largest.log2().floor().clamp(-1000.0, 1000.0).exp2()),
    }
}

/// The largest magnitude, infinite where some value is not a number.
#[inline(always)]
fn largest_magnitude<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    // The bits of magnitudes are in the order of the magnitudes, and what is not a number comes
    // last. Unlike numbers, whole numbers may be compared in any order, several at once.
    let bits = values.fold(0, |largest: u64, value| largest.max(value.abs().to_bits()));
    f64::from_bits(bits.min(f64::INFINITY.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{array, s};

    #[test]
    fn every_memory_layout_gives_the_same_matrix() {
        let whole = Array2::from_shape_fn((4, 6), |(i, j)| (i * 6 + j) as f64);
        let views = [
            whole.view(),
            whole.t(),
            whole.slice(s![1..3, ..]),
            whole.slice(s![.., 1..4]),
            whole.slice(s![..;2, ..;-1]),
        ];
        for view in views {
            assert_eq!(to_array(Operand::new(view).matrix()), view);
        }
    }

    #[test]
    fn columns_are_copied_in_any_order_into_columns_and_rows() {
        for (rows, columns) in [(0, 2), (3, 0), (1, 1), (33, 40), (70, 31)] {
            let matrix = Mat::from_fn(rows, columns, |i, j| (i * columns + j) as f64);
            let order: Vec<usize> = (0..columns).rev().step_by(2).collect();
            let expected = Array2::from_shape_fn((rows, order.len()), |(i, j)| {
                (i * columns + order[j]) as f64
            });
            for parts in [Par::Seq, Par::rayon(2)] {
                let found = to_array_of_columns(matrix.as_ref(), &order, parts);
                assert_eq!(found, expected);
            }
            assert_eq!(to_array_of_rows(matrix.as_ref(), &order), expected.t());
        }
    }

    #[test]
    fn outputs_of_every_layout_are_written() {
        let double = |mut matrix: MatMut<'_, f64>| {
            for i in 0..matrix.nrows() {
                for j in 0..matrix.ncols() {
                    matrix[(i, j)] *= 2.0;
                }
            }
        };
        let original = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let mut doubled = original.clone();
        with_matrix_mut(doubled.view_mut(), double);
        with_matrix_mut(doubled.view_mut().reversed_axes(), double);
        with_matrix_mut(doubled.slice_mut(s![.., ..2]), double);
        assert_eq!(doubled, array![[8.0, 16.0, 12.0], [32.0, 40.0, 24.0]]);
    }

    #[test]
    fn the_scale_is_a_power_of_two_and_survives_the_ends_of_the_range() {
        assert_eq!(finite_scale("a", array![[0.0]].view()).unwrap(), 1.0);
        assert_eq!(finite_scale("a", array![[-5.0, 1.0]].view()).unwrap(), 4.0);
        for extreme in [f64::MAX, f64::MIN_POSITIVE] {
            let scale = finite_scale("a", array![[extreme]].view()).unwrap();
            assert!(scale.recip().is_finite() && scale.recip() > 0.0);
        }
        let error = finite_scale("the matrix", array![[1.0, f64::NAN]].view()).unwrap_err();
        assert!(error.to_string().contains("row 0, column 1"), "{error}");
    }
}
