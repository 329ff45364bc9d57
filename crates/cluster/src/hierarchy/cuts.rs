//! Flat clusters from a tree.

use super::Dendrogram;
use didact_core::{Error, Result};

impl Dendrogram {
    /// The labels of the rows when the last merges are undone until there are `n_clusters`; cuts
    /// into more clusters divide those of cuts into fewer. Clusters are numbered by their lowest
    /// row.
    pub fn cut_count(&self, n_clusters: usize) -> Result<Vec<usize>> {
        if n_clusters == 0 || n_clusters > self.n_leaves() {
            return Err(Error::parameter(
                "n_clusters",
                n_clusters,
                format!(
                    "the tree has {} rows; ask for 1 to that many clusters",
                    self.n_leaves()
                ),
            ));
        }
        let kept = self.n_leaves() - n_clusters;
        Ok(self.labels_where(|merge| merge < kept))
    }

    /// The labels of the rows when only merges of at most `height` are made, and none above a
    /// higher one: with heights that fall on the way up, no cluster holds a merge beyond `height`.
    pub fn cut_height(&self, height: f64) -> Vec<usize> {
        let highest = self.highest_below();
        self.labels_where(|merge| highest[merge] <= height)
    }

    /// The same with merges strictly below `height`, as `distance_threshold` of scikit-learn has
    /// it.
    pub(crate) fn cut_below(&self, height: f64) -> Vec<usize> {
        let highest = self.highest_below();
        self.labels_where(|merge| highest[merge] < height)
    }

    /// The labels of the rows when only merges are made that, with all below them, have an
    /// inconsistency of at most `threshold` (see [`Dendrogram::inconsistency`]).
    pub fn cut_inconsistent(&self, threshold: f64, depth: usize) -> Vec<usize> {
        let coefficients = self.inconsistency(depth).column(3).to_vec();
        let greatest = self.greatest_below(coefficients);
        self.labels_where(|merge| greatest[merge] <= threshold)
    }

    /// The labels when the merges that `is_made` says are made; with a merge all below it must be.
    fn labels_where(&self, is_made: impl Fn(usize) -> bool) -> Vec<usize> {
        let n = self.n_leaves();
        // The topmost node that each node was merged into.
        let mut tops: Vec<usize> = (0..n + self.merges().len()).collect();
        for (index, merge) in self.merges().iter().enumerate().rev() {
            if is_made(index) {
                tops[merge.left] = tops[n + index];
                tops[merge.right] = tops[n + index];
            }
        }
        numbered_by_first_row(&tops[..n]).0
    }
}

/// Groups with any names as labels 0, 1, …, in the order of their first rows, and how many.
pub(crate) fn numbered_by_first_row(names: &[usize]) -> (Vec<usize>, usize) {
    let most = names.iter().copied().max().unwrap_or(0);
    let mut numbers: Vec<Option<usize>> = vec![None; most + 1];
    let mut count = 0;
    let labels = names
        .iter()
        .map(|&name| {
            *numbers[name].get_or_insert_with(|| {
                count += 1;
                count - 1
            })
        })
        .collect();
    (labels, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_height_below_an_inversion_does_not_keep_the_merge_above_it() {
        // 003:P83: the second merge is lower than the first that it contains.
        let tree = Dendrogram::from_merges(&[(0, 1, 2.0), (2, 3, 1.8)]).unwrap();
        assert_eq!(tree.cut_height(1.9), [0, 1, 2]);
        assert_eq!(tree.cut_height(2.0), [0, 0, 0]);
        assert_eq!(tree.cut_below(2.0), [0, 1, 2]);
        assert_eq!(tree.cut_count(2).unwrap(), [0, 0, 1]);
    }

    #[test]
    fn impossible_counts_are_refused_by_name() {
        let tree = Dendrogram::from_merges(&[(0, 1, 2.0)]).unwrap();
        for count in [0, 3] {
            let error = tree.cut_count(count).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("n_clusters is {count}")),
                "{error}"
            );
        }
    }
}
