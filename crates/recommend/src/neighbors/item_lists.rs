//! Which items have the same public: cosines of their ratings, and the best of them.

use crate::recommender::dense;
use crate::{Centering, RatingMatrix, offsets::Offsets};
use didact_core::model::ensure_consistent;
use didact_core::{Csr, Ratings, Result, Run, parallel};
use didact_math::linalg::sparse_transpose;
use didact_math::numeric::length;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// How many items a thread takes at a time.
const ITEMS_AT_A_TIME: usize = 16;

/// Cosines of the columns of a rating matrix, missing ratings counting as zero.
pub(crate) struct Cosines {
    by_user: Csr,
    by_item: Csr,
    lengths: Vec<f64>,
}

impl Cosines {
    pub(crate) fn new(ratings: &RatingMatrix, centering: Centering) -> Result<Self> {
        let by_user = Offsets::new(ratings, centering).remove(ratings.by_user())?;
        let by_item = sparse_transpose(by_user.view())?;
        let lengths = (0..ratings.n_items())
            .map(|item| length(by_item.view().row(item).1))
            .collect();
        Ok(Cosines {
            by_user,
            by_item,
            lengths,
        })
    }

    /// Writes the similarity of one item to every item; an item without a rating other than zero
    /// is similar to none, not even to itself.
    fn write(&self, item: usize, row: &mut [f64]) {
        row.fill(0.0);
        let (by_user, by_item) = (self.by_user.view(), self.by_item.view());
        let (users, values) = by_item.row(item);
        for (&user, &mine) in users.iter().zip(values) {
            let (others, theirs) = by_user.row(user as usize);
            for (&other, &their) in others.iter().zip(theirs) {
                row[other as usize] += mine * their;
            }
        }
        for (other, similarity) in row.iter_mut().enumerate() {
            // The larger first, so that both directions round alike.
            let large = self.lengths[item].max(self.lengths[other]);
            let small = self.lengths[item].min(self.lengths[other]);
            *similarity = match small > 0.0 {
                true if item == other => 1.0,
                true => (*similarity / large / small).clamp(-1.0, 1.0),
                false => 0.0,
            };
        }
    }
}

/// The cosine similarity of every two items.
///
/// S_jt = Σₙ R_nj·R_nt / (√(Σₙ R_nj²)·√(Σₙ R_nt²)) over all users, what was not rated counting as
/// zero: symmetric, and within [0, 1] where no rating is negative. An item without a rating other
/// than zero has similarity zero to everything.
///
/// ```
/// use didact_core::{Ratings, Run};
/// use didact_recommend::{Centering, item_similarities};
/// let ratings = Ratings::new(&[0, 0, 1], &[0, 1, 0], &[3.0, 5.0, 4.0])?;
/// let similarities = item_similarities(&ratings, Centering::None, &Run::new())?;
/// // 3·5 / (√(3² + 4²)·5)
/// assert!((similarities[[0, 1]] - 0.6).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn item_similarities(
    ratings: &Ratings<'_>,
    centering: Centering,
    run: &Run,
) -> Result<Array2<f64>> {
    let ratings = RatingMatrix::new(ratings)?;
    let cosines = Cosines::new(&ratings, centering)?;
    let n = ratings.n_items();
    let mut matrix = dense(n, n)?;
    let cells = matrix.as_slice_mut().expect("a new array is contiguous");
    parallel::fill(cells, n, ITEMS_AT_A_TIME, run, |items, rows| {
        for (item, row) in items.zip(rows.chunks_mut(n)) {
            cosines.write(item, row);
        }
        Ok(())
    })?;
    Ok(matrix)
}

/// For each item the most similar other items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ItemLists {
    n_items: usize,
    /// How many others are in each list.
    width: usize,
    indices: Vec<u32>,
    similarities: Vec<f64>,
}

impl ItemLists {
    /// Keeps the `n_neighbors` most similar of the other items for each item, or all others where
    /// those are fewer; the most similar first, of equally similar ones the lowest index.
    pub(crate) fn new(cosines: &Cosines, n_neighbors: usize, run: &Run) -> Result<Self> {
        let n_items = cosines.lengths.len();
        let width = n_neighbors.min(n_items - 1);
        let mut entries = vec![(0, 0.0); n_items * width];
        parallel::fill(&mut entries, width, ITEMS_AT_A_TIME, run, |items, lists| {
            let mut row = vec![0.0; n_items];
            let mut others: Vec<(u32, f64)> = Vec::with_capacity(n_items);
            for (item, list) in items.zip(lists.chunks_mut(width)) {
                cosines.write(item, &mut row);
                others.clear();
                let all = row.iter().enumerate();
                others.extend(
                    all.filter(|(other, _)| *other != item)
                        .map(|(other, &similarity)| (other as u32, similarity)),
                );
                let order =
                    |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
                if width < others.len() {
                    others.select_nth_unstable_by(width, order);
                }
                others[..width].sort_unstable_by(order);
                list.copy_from_slice(&others[..width]);
            }
            Ok(())
        })?;
        let (indices, similarities) = entries.into_iter().unzip();
        Ok(ItemLists {
            n_items,
            width,
            indices,
            similarities,
        })
    }

    /// The most similar other items of an item, and how similar they are.
    ///
    /// # Panics
    /// When there is no such item.
    pub fn of(&self, item: usize) -> (&[u32], &[f64]) {
        assert!(item < self.n_items, "there is no item {item}");
        let range = item * self.width..(item + 1) * self.width;
        (&self.indices[range.clone()], &self.similarities[range])
    }

    /// How many items are in each list.
    pub fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn validate(&self, n_items: usize) -> Result<()> {
        let n_entries = self.n_items.checked_mul(self.width);
        ensure_consistent(
            self.n_items == n_items
                && n_entries == Some(self.indices.len())
                && n_entries == Some(self.similarities.len())
                && self.indices.iter().all(|&index| (index as usize) < n_items)
                && self.similarities.iter().all(|value| value.is_finite()),
        )
    }
}
