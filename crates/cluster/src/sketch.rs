//! A sample of distinct rows that does not depend on how the rows are cut or ordered.
//!
//! Every row has a hash of its values and the seed; the sketch keeps the distinct rows with the
//! smallest hashes, and for each the total weight of its copies. Taking the sketch of two pieces
//! and merging gives the sketch of the whole, exactly, so a start that is drawn from it is the
//! same for threads, files larger than memory and clusters. While there are no more distinct
//! rows than the sketch holds, it holds them all, and it knows how many there are.

use didact_core::{Csr, Error, OwnedRows, Result, Rows, Run, Samples, parallel};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The distinct rows with the smallest hashes, each with the weight of all its copies.
///
/// ```
/// use didact_cluster::RowSketch;
/// use didact_core::{Run, Samples};
/// let x = ndarray::array![[1.0], [2.0], [1.0]];
/// let sketch = RowSketch::of(&Samples::from(&x), 10, 0, &Run::new())?;
/// assert_eq!(sketch.len(), 2);
/// assert_eq!(sketch.weights().iter().sum::<f64>(), 3.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowSketch {
    capacity: usize,
    n_columns: usize,
    sparse: bool,
    /// Whether distinct rows had to be left out.
    overflowed: bool,
    kept: BTreeMap<u64, KeptRow>,
}

/// One distinct row: what it stores, and how much its copies weigh together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct KeptRow {
    weight: f64,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl RowSketch {
    /// Sketches some rows; rows of weight zero are not there.
    pub fn of(samples: &Samples<'_>, capacity: usize, seed: u64, run: &Run) -> Result<Self> {
        let rows = samples.rows();
        let capacity = capacity.max(1);
        let (chosen, overflowed) = choose(samples, capacity, seed, run)?;
        let kept = chosen
            .into_iter()
            .map(|(hash, (row, weight))| {
                let (columns, values) = stored(rows, row);
                let row = KeptRow {
                    weight,
                    columns,
                    values,
                };
                (hash, row)
            })
            .collect();
        Ok(RowSketch {
            capacity,
            n_columns: rows.n_columns(),
            sparse: rows.is_sparse(),
            overflowed,
            kept,
        })
    }

    /// Whether every kept row fits the columns, which those of a damaged sketch may not.
    pub fn is_consistent(&self) -> bool {
        self.is_sound(|value| value.is_finite())
    }

    /// The same for rows in which values may be missing.
    pub fn is_consistent_with_gaps(&self) -> bool {
        self.is_sound(|value| !value.is_infinite())
    }

    fn is_sound(&self, legal: impl Fn(&f64) -> bool) -> bool {
        let fits = |column: &u32| (*column as usize) < self.n_columns;
        let sound = |row: &KeptRow| {
            row.columns.len() == row.values.len()
                && row.columns.iter().all(fits)
                && row.values.iter().all(&legal)
                && row.weight > 0.0
                && row.weight.is_finite()
        };
        self.capacity > 0 && self.kept.values().all(sound)
    }

    /// Number of columns of the rows.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// The sketch of the rows of both.
    pub fn merge(mut self, other: RowSketch) -> Result<RowSketch> {
        if self.n_columns != other.n_columns {
            return Err(Error::Columns {
                expected: self.n_columns,
                found: other.n_columns,
            });
        }
        self.overflowed |= other.overflowed;
        self.sparse &= other.sparse;
        for (hash, row) in other.kept {
            match self.kept.entry(hash) {
                Entry::Occupied(mut same) => same.get_mut().weight += row.weight,
                Entry::Vacant(place) => {
                    place.insert(row);
                }
            }
        }
        while self.kept.len() > self.capacity {
            self.kept.pop_last();
            self.overflowed = true;
        }
        Ok(self)
    }

    /// Number of rows kept.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether no row is kept.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether all rows came in sparse form.
    pub fn is_sparse(&self) -> bool {
        self.sparse
    }

    /// Whether every distinct row is kept.
    pub fn is_complete(&self) -> bool {
        !self.overflowed
    }

    /// The total weight of the copies of each kept row.
    pub fn weights(&self) -> Vec<f64> {
        self.kept.values().map(|row| row.weight).collect()
    }

    /// The kept rows in the order of their hashes, which is random but fixed.
    pub fn rows(&self) -> Result<OwnedRows> {
        if self.sparse {
            let rows: Vec<Vec<(usize, f64)>> = self
                .kept
                .values()
                .map(|row| {
                    let columns = row.columns.iter().map(|&column| column as usize);
                    columns.zip(row.values.iter().copied()).collect()
                })
                .collect();
            return Ok(OwnedRows::Sparse(Csr::from_rows(&rows, self.n_columns)?));
        }
        let mut dense = Array2::zeros((self.kept.len(), self.n_columns));
        for (mut output, row) in dense.rows_mut().into_iter().zip(self.kept.values()) {
            for (&column, &value) in row.columns.iter().zip(&row.values) {
                output[column as usize] = value;
            }
        }
        Ok(OwnedRows::Dense(dense))
    }
}

/// By hash the first of equal rows, and the weight of them all.
type Chosen = BTreeMap<u64, (usize, f64)>;

/// The rows that a sketch of all samples would keep, and the weight of the copies of each, without
/// the detour over their serialisable form.
pub(crate) fn distinct_sample(
    samples: &Samples<'_>,
    capacity: usize,
    seed: u64,
    run: &Run,
) -> Result<(OwnedRows, Vec<f64>)> {
    let (chosen, _) = choose(samples, capacity, seed, run)?;
    let (rows, weights): (Vec<usize>, Vec<f64>) = chosen.into_values().unzip();
    Ok((samples.rows().select(&rows), weights))
}

/// By hash the first row and the weight of its copies; and whether some were left out.
fn choose(samples: &Samples<'_>, capacity: usize, seed: u64, run: &Run) -> Result<(Chosen, bool)> {
    let rows = samples.rows();
    let mut hashes = vec![0; rows.n_rows()];
    let chunk = ((1 << 20) / rows.n_columns().max(1)).clamp(16, 8192);
    parallel::fill(&mut hashes, 1, chunk, run, |range, piece| {
        let rows = rows.slice(range);
        for (row, hash) in piece.iter_mut().enumerate() {
            *hash = row_hash(rows, row, seed);
        }
        Ok(())
    })?;
    Ok(smallest(&hashes, capacity, |row| samples.weight(row)))
}

/// The distinct hashes that are smallest, each with its first row and the weight of all rows that
/// share it; and whether some had to be left out.
fn smallest(hashes: &[u64], capacity: usize, weight: impl Fn(usize) -> f64) -> (Chosen, bool) {
    let mut kept = Chosen::new();
    let mut overflowed = false;
    let mut largest = u64::MAX;
    for (row, &hash) in hashes.iter().enumerate() {
        let weight = weight(row);
        if weight == 0.0 {
            continue;
        }
        // What is once beyond the largest kept hash stays beyond it, so no kept row ever misses
        // the weight of an earlier copy.
        if hash > largest {
            overflowed = true;
            continue;
        }
        kept.entry(hash).or_insert((row, 0.0)).1 += weight;
        if kept.len() > capacity {
            kept.pop_last();
            overflowed = true;
        }
        if kept.len() == capacity {
            largest = kept.last_key_value().map_or(u64::MAX, |(&hash, _)| hash);
        }
    }
    (kept, overflowed)
}

/// Columns and values of what is not zero in a row.
fn stored(rows: Rows<'_>, row: usize) -> (Vec<u32>, Vec<f64>) {
    let not_zero = |(_, value): &(u32, f64)| *value != 0.0;
    match rows {
        Rows::Dense(dense) => (0..)
            .zip(dense.row(row).iter().copied())
            .filter(not_zero)
            .unzip(),
        Rows::Sparse(sparse) => {
            let (columns, values) = sparse.row(row);
            let pairs = columns.iter().copied().zip(values.iter().copied());
            pairs.filter(not_zero).unzip()
        }
    }
}

/// A hash of the values of a row: the same for dense and sparse rows, for 0.0 and −0.0, and for
/// every way to write a missing value.
///
/// A sum over the columns, so that the terms are independent and the processor overlaps them.
fn row_hash(rows: Rows<'_>, row: usize, seed: u64) -> u64 {
    let mut sum = 0u64;
    let mut add = |column: u64, value: f64| {
        if value != 0.0 {
            let value = if value.is_nan() { f64::NAN } else { value };
            sum = sum.wrapping_add(mix(
                value.to_bits() ^ column.wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ));
        }
    };
    match rows {
        Rows::Dense(dense) => {
            for (column, &value) in (0..).zip(dense.row(row)) {
                add(column, value);
            }
        }
        Rows::Sparse(sparse) => {
            let (columns, values) = sparse.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                add(u64::from(column), value);
            }
        }
    }
    mix(sum ^ mix(seed))
}

/// Spreads every bit of the input over the whole output (the finaliser of SplitMix64).
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array, s};
    use proptest::prelude::*;

    fn sketch(x: &Array2<f64>, capacity: usize) -> RowSketch {
        RowSketch::of(&Samples::from(x), capacity, 7, &Run::new()).unwrap()
    }

    fn numbered(n: usize, distinct: usize) -> Array2<f64> {
        Array2::from_shape_fn((n, 3), |(row, column)| {
            ((row % distinct) * 3 + column) as f64
        })
    }

    #[test]
    fn copies_are_kept_once_with_their_weight() {
        let all = sketch(&numbered(100, 10), 16);
        assert_eq!((all.len(), all.is_complete()), (10, true));
        assert!(all.weights().iter().all(|&weight| weight == 10.0));
        let some = sketch(&numbered(100, 10), 4);
        assert_eq!((some.len(), some.is_complete()), (4, false));
        assert!(some.weights().iter().all(|&weight| weight == 10.0));
    }

    #[test]
    fn rows_of_weight_zero_are_not_there() {
        let x = array![[1.0], [2.0], [3.0]];
        let samples = Samples::from(&x).weighted(&[1.0, 0.0, 2.5]).unwrap();
        let sketch = RowSketch::of(&samples, 9, 0, &Run::new()).unwrap();
        let rows = sketch.rows().unwrap().into_dense();
        let mut pairs: Vec<(f64, f64)> = rows.iter().copied().zip(sketch.weights()).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(pairs, [(1.0, 1.0), (3.0, 2.5)]);
    }

    #[test]
    fn dense_and_sparse_rows_and_both_zeros_have_the_same_sketch() {
        let x = array![[0.0, 2.0], [1.0, -0.0], [1.0, 0.0]];
        let sparse = Csr::from_dense(x.view());
        let of_sparse = RowSketch::of(&Samples::from(&sparse), 9, 7, &Run::new()).unwrap();
        assert_eq!(of_sparse.kept, sketch(&x, 9).kept);
        assert_eq!(of_sparse.len(), 2);
        assert_eq!(
            of_sparse.rows().unwrap().into_dense(),
            sketch(&x, 9).rows().unwrap().into_dense()
        );
    }

    #[test]
    fn the_rows_in_memory_are_those_of_the_sketch() {
        let x = numbered(100, 30);
        let samples = Samples::from(&x);
        let (rows, weights) = distinct_sample(&samples, 20, 7, &Run::new()).unwrap();
        let sketch = sketch(&x, 20);
        assert_eq!((rows, weights), (sketch.rows().unwrap(), sketch.weights()));
    }

    #[test]
    fn the_sample_is_uniform_over_the_distinct_rows() {
        // 400 of 4000: the mean of the kept numbers has standard deviation 4000/√12/√400 ≈ 58.
        let x = Array2::from_shape_fn((4000, 1), |(row, _)| row as f64);
        let mean = sketch(&x, 400).rows().unwrap().into_dense().mean().unwrap();
        assert!((mean - 1999.5).abs() < 4.0 * 58.0, "{mean}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn any_cut_and_order_gives_the_same_sketch(
            n in 2usize..80, distinct in 1usize..40, capacity in 1usize..50, cut in 0.0..1.0,
        ) {
            let x = numbered(n, distinct);
            let cut = (cut * n as f64) as usize;
            let part = |range| sketch(&x.slice(s![range, ..]).to_owned(), capacity);
            let (left, right) = (part(0..cut), part(cut..n));
            let whole = sketch(&x, capacity);
            prop_assert_eq!(&left.clone().merge(right.clone()).unwrap(), &whole);
            prop_assert_eq!(&right.merge(left).unwrap(), &whole);
        }
    }
}
