//! Where the solver finds the kernel of two points: a matrix of all pairs, or rows made as needed.
//!
//! The solver works on the points that can still move. Whoever answers it keeps rows for these
//! alone, in their order, so that its loops run over contiguous memory.

mod cache;
mod gaussian;
mod maker;
mod row;

use cache::RowCache;
pub(crate) use maker::{RowMaker, are_rows_cheap};
pub(crate) use row::{Precision, Row, Stored};

use didact_core::{Error, Result, Rows, Run, parallel};
use didact_math::kernel::{Kernel, kernel_matrix_self};
use didact_math::vectorised::vectorised;
use ndarray::{Array2, ArrayView2};

/// How many values of a long sum are added up before another thread may take some.
const PIECE: usize = 1 << 12;

/// The kernel of all pairs of points.
pub(crate) enum Gram<'a> {
    /// All pairs are in memory.
    Whole(Whole),
    /// Rows are made when they are asked for, and the last ones are kept.
    Rows(Box<RowCache<'a>>),
}

/// The matrix of all pairs, and that of the points which can still move.
pub(crate) struct Whole {
    all: Array2<f64>,
    active: Option<Array2<f64>>,
}

/// Bytes of the kernel of all pairs of `n` points.
pub(crate) fn bytes_of_pairs(n: usize) -> usize {
    n.saturating_mul(n).saturating_mul(size_of::<f64>())
}

/// The kernel of all pairs of rows, none of which overflows.
pub(crate) fn all_pairs(rows: Rows<'_>, kernel: &Kernel, run: &Run) -> Result<Array2<f64>> {
    let matrix = kernel_matrix_self(rows, kernel, run)?;
    check_finite(matrix.as_slice().expect("a fresh matrix is contiguous"))?;
    Ok(matrix)
}

/// Fails where the kernel of two rows overflows.
fn check_finite(values: &[f64]) -> Result<()> {
    match values.iter().all(|value| value.is_finite()) {
        true => Ok(()),
        false => Err(Error::numerical(
            "the kernel of some rows overflows; \
             divide the columns by a power of ten so that their values are near one",
        )),
    }
}

impl<'a> Gram<'a> {
    /// Rows made as needed where they are cheap or all pairs do not fit into so many bytes, else all
    /// pairs.
    pub(crate) fn new(rows: Rows<'a>, kernel: &Kernel, bytes: usize, run: &Run) -> Result<Self> {
        let fits = bytes_of_pairs(rows.n_rows()) <= bytes;
        match fits && !are_rows_cheap(rows, kernel) {
            true => Ok(Gram::of_matrix(all_pairs(rows, kernel, run)?)),
            false => {
                kernel.check_rows(rows)?;
                let maker = RowMaker::new(rows, kernel.clone());
                Ok(Gram::Rows(Box::new(RowCache::new(maker, bytes))))
            }
        }
    }

    /// All pairs, known already.
    pub(crate) fn of_matrix(all: Array2<f64>) -> Self {
        Gram::Whole(Whole { all, active: None })
    }

    /// The kernel of every point with itself.
    pub(crate) fn diagonal(&self, run: &Run) -> Result<Vec<f64>> {
        let diagonal = match self {
            Gram::Whole(whole) => whole.all.diag().to_vec(),
            Gram::Rows(cache) => cache.maker().diagonal(run)?,
        };
        check_finite(&diagonal)?;
        Ok(diagonal)
    }

    /// Makes sure that [`row`](Gram::row) knows this point until three others have been asked for.
    pub(crate) fn prepare(&mut self, place: usize, run: &Run) -> Result<()> {
        match self {
            Gram::Whole(_) => Ok(()),
            Gram::Rows(cache) => cache.prepare(place, run),
        }
    }

    /// The kernel of a point that can move, by its place among these, with all of them.
    pub(crate) fn row(&self, place: usize) -> Row<'_> {
        match self {
            Gram::Whole(whole) => Row::Double(whole.row(place)),
            Gram::Rows(cache) => cache.row(place),
        }
    }

    /// How the values of [`row`](Gram::row) are rounded.
    pub(crate) fn precision(&self) -> Precision {
        match self {
            Gram::Whole(_) => Precision::Double,
            Gram::Rows(cache) => cache.precision(),
        }
    }

    /// Whether the rows of many points may be asked for one after the other.
    pub(crate) fn has_room_for_all(&self) -> bool {
        match self {
            Gram::Whole(_) => true,
            Gram::Rows(cache) => cache.has_room_for_all(),
        }
    }

    /// Lets rows be stored in single precision where that saves much memory.
    pub(crate) fn allow_single(&mut self) {
        if let Gram::Rows(cache) = self {
            cache.allow_single();
        }
    }

    /// From now on rows are stored in double precision.
    pub(crate) fn demand_double(&mut self) {
        if let Gram::Rows(cache) = self {
            cache.demand_double();
        }
    }

    /// Calls `see` with the index and the unrounded row of each of these places.
    pub(crate) fn exact_rows(
        &mut self,
        places: &[usize],
        run: &Run,
        mut see: impl FnMut(usize, &[f64]),
    ) -> Result<()> {
        match self {
            Gram::Whole(whole) => {
                for (index, &place) in places.iter().enumerate() {
                    see(index, whole.row(place));
                }
                Ok(())
            }
            Gram::Rows(cache) => cache.exact_rows(places, run, see),
        }
    }

    /// From now on only these of the points that could move so far still can.
    pub(crate) fn keep(&mut self, places: &[usize], run: &Run) -> Result<()> {
        match self {
            Gram::Whole(whole) => {
                let before = whole.active.as_ref().unwrap_or(&whole.all);
                whole.active = Some(gathered(before.view(), places, run)?);
                Ok(())
            }
            Gram::Rows(cache) => {
                cache.keep(places);
                Ok(())
            }
        }
    }

    /// All points can move again.
    pub(crate) fn keep_all(&mut self) {
        match self {
            Gram::Whole(whole) => whole.active = None,
            Gram::Rows(cache) => cache.keep_all(),
        }
    }

    /// Σⱼ βⱼ·k(xⱼ, ·) at these points, whether they can move or not.
    pub(crate) fn combine(&self, multipliers: &[f64], at: &[usize], run: &Run) -> Result<Vec<f64>> {
        let moved: Vec<usize> = (0..multipliers.len())
            .filter(|&point| multipliers[point] != 0.0)
            .collect();
        match self {
            Gram::Whole(whole) => whole.combine(&moved, multipliers, at, run),
            Gram::Rows(cache) => cache.combine(&moved, multipliers, at, run),
        }
    }
}

impl Whole {
    fn row(&self, place: usize) -> &[f64] {
        row_of(self.active.as_ref().unwrap_or(&self.all), place)
    }

    fn combine(
        &self,
        moved: &[usize],
        multipliers: &[f64],
        at: &[usize],
        run: &Run,
    ) -> Result<Vec<f64>> {
        let are_all = at.len() == self.all.nrows();
        let mut sums = vec![0.0; at.len()];
        parallel::fill(&mut sums, 1, PIECE, run, |range, piece| {
            for &point in moved {
                let (factor, row) = (multipliers[point], row_of(&self.all, point));
                if are_all {
                    add_scaled(piece, factor, &row[range.clone()]);
                    continue;
                }
                for (sum, &other) in piece.iter_mut().zip(&at[range.clone()]) {
                    *sum += factor * row[other];
                }
            }
            Ok(())
        })?;
        Ok(sums)
    }
}

fn add_scaled(sums: &mut [f64], factor: f64, row: &[f64]) {
    vectorised(
        #[inline(always)]
        || {
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += factor * value;
            }
        },
    );
}

fn row_of(matrix: &Array2<f64>, place: usize) -> &[f64] {
    let n = matrix.ncols();
    &matrix.as_slice().expect("the matrix is contiguous")[place * n..(place + 1) * n]
}

/// The rows and columns of these places.
pub(crate) fn gathered(
    matrix: ArrayView2<'_, f64>,
    places: &[usize],
    run: &Run,
) -> Result<Array2<f64>> {
    let n = places.len();
    let mut values = vec![0.0; n * n];
    let chunk = (PIECE / n.max(1)).max(1);
    parallel::fill(&mut values, n, chunk, run, |rows, piece| {
        for (&place, output) in places[rows].iter().zip(piece.chunks_mut(n.max(1))) {
            let row = matrix.row(place);
            let row = row.as_slice().expect("the matrix is contiguous");
            for (value, &other) in output.iter_mut().zip(places) {
                *value = row[other];
            }
        }
        Ok(())
    })?;
    Ok(Array2::from_shape_vec((n, n), values).expect("one value per pair"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::{random_matrix, random_sparse};

    fn kernels() -> Vec<Kernel> {
        let polynomial = Kernel::Polynomial {
            degree: 3,
            gamma: 0.5,
            coef0: 1.0,
        };
        vec![
            Kernel::Rbf { gamma: 0.3 },
            Kernel::Linear,
            polynomial,
            Kernel::Laplacian { gamma: 0.2 },
        ]
    }

    /// The rows of the active points, one after the other.
    fn rows(gram: &mut Gram<'_>, n: usize) -> Vec<Vec<f64>> {
        let run = Run::new();
        let row = |place| {
            gram.prepare(place, &run).unwrap();
            let row = gram.row(place);
            (0..n).map(|other| row.at(other)).collect()
        };
        (0..n).map(row).collect()
    }

    #[test]
    fn rows_made_as_needed_are_those_of_the_whole_matrix_before_and_after_shrinking() {
        let run = Run::new();
        let dense = random_matrix(37, 5, 1);
        let sparse = random_sparse(37, 12, 0.4, 2);
        for data in [Rows::Dense(dense.view()), Rows::Sparse(sparse.view())] {
            for kernel in kernels() {
                let mut whole = Gram::of_matrix(all_pairs(data, &kernel, &run).unwrap());
                let mut made = Gram::new(data, &kernel, 37 * 8 * 6, &run).unwrap();
                assert!(matches!(made, Gram::Rows(_)));
                assert_same(&rows(&mut made, 37), &rows(&mut whole, 37));
                let diagonals = [&whole, &made].map(|gram| vec![gram.diagonal(&run).unwrap()]);
                assert_same(&diagonals[0], &diagonals[1]);
                let kept: Vec<usize> = (0..37).filter(|place| place % 3 != 1).collect();
                for gram in [&mut whole, &mut made] {
                    gram.keep(&kept, &run).unwrap();
                    gram.keep(&[0, 4, 9, 20], &run).unwrap();
                }
                assert_same(&rows(&mut made, 4), &rows(&mut whole, 4));
                assert_eq!(rows(&mut whole, 4)[1].len(), 4);
                for gram in [&mut whole, &mut made] {
                    gram.keep_all();
                }
                assert_same(&rows(&mut made, 37), &rows(&mut whole, 37));
            }
        }
    }

    #[test]
    fn many_rows_are_rounded_to_single_precision_until_double_is_demanded() {
        let run = Run::new();
        let x = random_matrix(1500, 3, 4);
        let kernel = Kernel::Rbf { gamma: 0.5 };
        let data = Rows::Dense(x.view());
        let mut gram = Gram::new(data, &kernel, usize::MAX, &run).unwrap();
        let exact = rows_of_first(&mut gram, 20);
        gram.allow_single();
        assert_eq!(gram.precision(), Precision::Single);
        for (found, exact) in rows_of_first(&mut gram, 20).iter().zip(&exact) {
            assert!((found - exact).abs() <= Precision::Single.unit() * exact);
        }
        let mut whole = Vec::new();
        let see = |_: usize, row: &[f64]| whole.extend_from_slice(row);
        gram.exact_rows(&(0..20).collect::<Vec<usize>>(), &run, see)
            .unwrap();
        assert_eq!(whole, exact);
        gram.demand_double();
        assert_eq!(rows_of_first(&mut gram, 20), exact);
        let mut few = Gram::new(data.slice(0..100), &kernel, usize::MAX, &run).unwrap();
        few.allow_single();
        assert_eq!(few.precision(), Precision::Double);
    }

    fn rows_of_first(gram: &mut Gram<'_>, count: usize) -> Vec<f64> {
        let run = Run::new();
        let mut values = Vec::new();
        for place in 0..count {
            gram.prepare(place, &run).unwrap();
            let row = gram.row(place);
            values.extend((0..1500).map(|other| row.at(other)));
        }
        values
    }

    #[test]
    fn combinations_are_sums_of_rows_by_either_way() {
        let run = Run::new();
        let x = random_matrix(50, 4, 3);
        let multipliers: Vec<f64> = (0..50).map(|i| f64::from(i % 4) - 1.0).collect();
        for kernel in kernels() {
            let matrix = kernel_matrix_self(Rows::Dense(x.view()), &kernel, &run).unwrap();
            let expected = matrix
                .dot(&ndarray::ArrayView1::from(&multipliers))
                .to_vec();
            let all: Vec<usize> = (0..50).collect();
            let some: Vec<usize> = (0..50).filter(|point| point % 3 == 1).collect();
            let of_some: Vec<f64> = some.iter().map(|&point| expected[point]).collect();
            for bytes in [usize::MAX, 0] {
                let mut gram = Gram::new(Rows::Dense(x.view()), &kernel, bytes, &run).unwrap();
                // A row that is kept serves as well as one that is made.
                gram.prepare(7, &run).unwrap();
                let found = gram.combine(&multipliers, &all, &run).unwrap();
                assert_same(&[found], std::slice::from_ref(&expected));
                let found = gram.combine(&multipliers, &some, &run).unwrap();
                assert_same(&[found], std::slice::from_ref(&of_some));
            }
        }
    }

    #[track_caller]
    fn assert_same(found: &[Vec<f64>], expected: &[Vec<f64>]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
            assert!(
                (found - expected).abs() <= 1e-9 * (1.0 + expected.abs()),
                "{found} {expected}"
            );
        }
    }
}
