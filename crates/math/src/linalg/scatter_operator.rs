//! The scatter of sparse rows times vectors, without the scatter.

use crate::vectorised::vectorised;
use didact_core::{CsrView, Result, Run, parallel};
use ndarray::{Array2, ArrayView1, ArrayView2};
use std::ops::Range;

/// How many vectors are multiplied at a time.
const LANES: usize = 4;

/// One number of each of the vectors that are multiplied together.
type Lanes = [f64; LANES];

/// The rows are cut into at most so many parts, each with sums of its own.
const MOST_PARTS: usize = 8;

/// Σᵢ wᵢ·(xᵢ−μ)(xᵢ−μ)ᵀ over sparse rows xᵢ, known through its products with vectors; neither the
/// scatter nor the centred rows are ever written out.
///
/// Four vectors are multiplied at a time: what is stored is read once for all of them, and every
/// stored value meets four neighbouring numbers, which fill a vector register.
///
/// ```
/// use didact_core::{Csr, Run};
/// use didact_math::linalg::ScatterOperator;
/// use ndarray::array;
/// let x = Csr::from_dense(array![[1.0, 0.0], [0.0, 2.0]].view());
/// let zero = array![0.0, 0.0];
/// let scatter = ScatterOperator::new(x.view(), zero.view(), None);
/// let found = scatter.times_rows(array![[3.0, 1.0], [1.0, 0.0]].view(), &Run::new())?;
/// assert_eq!(found, array![[3.0, 4.0], [1.0, 0.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub struct ScatterOperator<'a> {
    rows: CsrView<'a>,
    mean: ArrayView1<'a, f64>,
    weights: Option<ArrayView1<'a, f64>>,
}

/// What some rows add to the product.
struct Part {
    /// Σ w·((x−μ)·v)·x, by column.
    sums: Vec<Lanes>,
    /// Σ w·((x−μ)·v).
    total: Lanes,
}

impl Part {
    fn merge(mut self, other: Part) -> Part {
        for (left, right) in self.sums.iter_mut().zip(&other.sums) {
            add(left, 1.0, right);
        }
        add(&mut self.total, 1.0, &other.total);
        self
    }
}

impl<'a> ScatterOperator<'a> {
    /// The scatter around the mean μ; weights are one where there are none.
    ///
    /// # Panics
    /// When the mean has not as many values as there are columns.
    pub fn new(
        rows: CsrView<'a>,
        mean: ArrayView1<'a, f64>,
        weights: Option<ArrayView1<'a, f64>>,
    ) -> Self {
        assert_eq!(mean.len(), rows.n_columns(), "a value per column");
        ScatterOperator {
            rows,
            mean,
            weights,
        }
    }

    /// The products with vectors, which are rows and so are their products, in one pass over what
    /// is stored for every four, in parallel.
    ///
    /// # Panics
    /// When the vectors have not as many values as there are columns.
    pub fn times_rows(&self, vectors: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        let (count, d) = vectors.dim();
        assert_eq!(d, self.mean.len(), "a value per column");
        let mut products = Array2::zeros((count, d));
        for first in (0..count).step_by(LANES) {
            let lanes = (count - first).min(LANES);
            let mut packed = vec![[0.0; LANES]; d];
            for lane in 0..lanes {
                for (slot, &value) in packed.iter_mut().zip(vectors.row(first + lane)) {
                    slot[lane] = value;
                }
            }
            let Part { sums, total } = self.pass(&packed, run)?;
            for lane in 0..lanes {
                let mut product = products.row_mut(first + lane);
                for ((value, sum), mean) in product.iter_mut().zip(&sums).zip(self.mean) {
                    *value = sum[lane] - mean * total[lane];
                }
            }
        }
        Ok(products)
    }

    /// The sums over all rows.
    fn pass(&self, vectors: &[Lanes], run: &Run) -> Result<Part> {
        let (n, d) = (self.rows.n_rows(), vectors.len());
        let mut shift = [0.0; LANES];
        for (vector, &mean) in vectors.iter().zip(self.mean) {
            add(&mut shift, mean, vector);
        }
        // A part costs one pass over its sums, which has to be little beside what it stores.
        let parts = (self.rows.n_stored() / (4 * d).max(1)).clamp(1, MOST_PARTS);
        let part = parallel::reduce(
            n,
            n.div_ceil(parts).max(1),
            run,
            &|range| {
                Ok(vectorised(
                    #[inline(always)]
                    || self.part(vectors, shift, range),
                ))
            },
            &Part::merge,
        )?;
        Ok(part.unwrap_or_else(|| Part {
            sums: vec![[0.0; LANES]; d],
            total: [0.0; LANES],
        }))
    }

    /// The sums over some rows; each is read twice while it is in the nearest cache.
    #[inline(always)]
    fn part(&self, vectors: &[Lanes], shift: Lanes, range: Range<usize>) -> Part {
        let mut sums = vec![[0.0; LANES]; vectors.len()];
        let mut total = [0.0; LANES];
        for row in range {
            let (columns, values) = self.rows.row(row);
            let mut score = products(columns, values, vectors);
            add(&mut score, -1.0, &shift);
            if let Some(weights) = self.weights {
                score.iter_mut().for_each(|score| *score *= weights[row]);
            }
            add(&mut total, 1.0, &score);
            for (&column, &value) in columns.iter().zip(values) {
                add(&mut sums[column as usize], value, &score);
            }
        }
        Part { sums, total }
    }
}

/// x·v of a sparse row and every vector, in two sums side by side, which do not wait for each other.
#[inline(always)]
fn products(columns: &[u32], values: &[f64], vectors: &[Lanes]) -> Lanes {
    let (column_pairs, last_column) = columns.as_chunks::<2>();
    let (value_pairs, last_value) = values.as_chunks::<2>();
    let (mut even, mut odd) = ([0.0; LANES], [0.0; LANES]);
    for (columns, values) in column_pairs.iter().zip(value_pairs) {
        add(&mut even, values[0], &vectors[columns[0] as usize]);
        add(&mut odd, values[1], &vectors[columns[1] as usize]);
    }
    for (&column, &value) in last_column.iter().zip(last_value) {
        add(&mut even, value, &vectors[column as usize]);
    }
    add(&mut even, 1.0, &odd);
    even
}

/// Adds a multiple.
#[inline(always)]
fn add(sum: &mut Lanes, factor: f64, other: &Lanes) {
    for lane in 0..LANES {
        sum[lane] += factor * other[lane];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::{assert_close, random_matrix, random_sparse};
    use ndarray::Axis;

    #[test]
    fn it_is_the_product_with_the_scatter_written_out() {
        let sparse = random_sparse(400, 7, 0.3, 1);
        let x = sparse.view().to_dense();
        let mean = x.mean_axis(Axis(0)).unwrap();
        let weights = random_matrix(1, 400, 2).row(0).mapv(f64::abs);
        let centred = &x - &mean;
        for weights in [None, Some(weights.view())] {
            let weighted = match weights {
                Some(weights) => &centred * &weights.insert_axis(Axis(1)),
                None => centred.clone(),
            };
            for count in 1..7 {
                let vectors = random_matrix(count, 7, 3);
                let expected = vectors.dot(&centred.t()).dot(&weighted);
                let scatter = ScatterOperator::new(sparse.view(), mean.view(), weights);
                let found = scatter.times_rows(vectors.view(), &Run::new()).unwrap();
                assert_close(&found, &expected, 1e-12);
            }
        }
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let sparse = random_sparse(3000, 20, 0.3, 4);
        let mean = sparse.view().to_dense().mean_axis(Axis(0)).unwrap();
        let vectors = random_matrix(4, 20, 5);
        let product = |threads: usize| {
            let scatter = ScatterOperator::new(sparse.view(), mean.view(), None);
            let run = Run::new().threads(threads);
            scatter.times_rows(vectors.view(), &run).unwrap()
        };
        assert_eq!(product(1), product(2));
    }
}
