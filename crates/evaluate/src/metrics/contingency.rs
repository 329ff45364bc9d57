//! Two groupings of the same rows, and how far they agree.

use super::assignment::assign;
use super::check::check_lengths;
use super::class_counts::{ClassScores, occurring};
use didact_core::{Error, Result};
use ndarray::Array2;

/// How many rows each true group shares with each predicted one.
///
/// All figures are the same under other names for the groups. [`Contingency::rand`] and
/// [`Contingency::adjusted_rand`] count pairs of rows, the family of
/// [`Contingency::mutual_information`] counts nats, [`Contingency::purity`] and
/// [`Contingency::matched_accuracy`] count rows.
///
/// ```
/// use didact_evaluate::Contingency;
/// let table = Contingency::new(&[0, 0, 1, 1], &[5, 5, 2, 2])?;
/// assert_eq!(table.adjusted_rand(), 1.0);
/// assert_eq!(table.matched_accuracy()?, 1.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Contingency {
    /// True group, predicted group and number of rows, where there are any.
    pub(crate) cells: Vec<(usize, usize, f64)>,
    /// Rows of each true group.
    pub(crate) truth: Vec<f64>,
    /// Rows of each predicted group.
    pub(crate) predicted: Vec<f64>,
}

impl Contingency {
    /// Counts the rows of each pair of groups.
    pub fn new(truth: &[usize], predicted: &[usize]) -> Result<Self> {
        check_lengths(truth.len(), predicted.len())?;
        let (true_groups, true_place) = occurring(truth, &[]);
        let (groups, place) = occurring(predicted, &[]);
        let keys = truth
            .iter()
            .zip(predicted)
            .map(|(&truth, &predicted)| true_place.of(truth) * groups.len() + place.of(predicted));
        let mut table = Contingency {
            cells: count_keys(keys, true_groups.len() * groups.len())
                .into_iter()
                .map(|(key, count)| (key / groups.len(), key % groups.len(), count))
                .collect(),
            truth: vec![0.0; true_groups.len()],
            predicted: vec![0.0; groups.len()],
        };
        for &(truth, predicted, count) in &table.cells {
            table.truth[truth] += count;
            table.predicted[predicted] += count;
        }
        Ok(table)
    }

    /// Number of rows.
    pub fn n_rows(&self) -> f64 {
        self.truth.iter().sum()
    }

    /// Pairs of rows that are together in both groupings, in the truth, in the prediction, and
    /// all pairs.
    fn pairs(&self) -> (f64, f64, f64, f64) {
        let pairs = |count: f64| count * (count - 1.0) / 2.0;
        let both = self.cells.iter().map(|cell| pairs(cell.2)).sum();
        let truth = self.truth.iter().map(|&count| pairs(count)).sum();
        let predicted = self.predicted.iter().map(|&count| pairs(count)).sum();
        (both, truth, predicted, pairs(self.n_rows()))
    }

    /// Share of pairs of rows on which the groupings agree: together in both or apart in both.
    pub fn rand(&self) -> f64 {
        let (both, truth, predicted, all) = self.pairs();
        match all > 0.0 {
            true => (all - truth - predicted + 2.0 * both) / all,
            false => 1.0,
        }
    }

    /// The Rand index corrected for chance: one for equal groupings, about zero for unrelated
    /// ones.
    pub fn adjusted_rand(&self) -> f64 {
        let (both, truth, predicted, all) = self.pairs();
        if truth == both && predicted == both {
            return 1.0;
        }
        let expected = truth * predicted / all.max(1.0);
        (both - expected) / ((truth + predicted) / 2.0 - expected)
    }

    /// Geometric mean of the shares of pairs together in one grouping that are together in the
    /// other, too.
    pub fn fowlkes_mallows(&self) -> f64 {
        let (both, truth, predicted, _) = self.pairs();
        match both > 0.0 {
            true => (both / truth).sqrt() * (both / predicted).sqrt(),
            false => 0.0,
        }
    }

    /// Share of rows whose true group is the most frequent one of their predicted group.
    ///
    /// More groups never lower it; with one group per row it is one.
    pub fn purity(&self) -> f64 {
        let mut largest = vec![0.0_f64; self.predicted.len()];
        for &(_, predicted, count) in &self.cells {
            largest[predicted] = largest[predicted].max(count);
        }
        largest.iter().sum::<f64>() / self.n_rows()
    }

    /// Share of rows in the right group when each predicted group stands for at most one true
    /// group, chosen as well as possible.
    pub fn matched_accuracy(&self) -> Result<f64> {
        let size = self.truth.len().saturating_mul(self.predicted.len());
        if size > 25_000_000 {
            return Err(Error::data(format!(
                "{} true and {} predicted groups are too many to match one to one",
                self.truth.len(),
                self.predicted.len()
            )));
        }
        let mut costs = Array2::zeros((self.predicted.len(), self.truth.len()));
        for &(truth, predicted, count) in &self.cells {
            costs[[predicted, truth]] = -count;
        }
        let matched = assign(costs.view())?;
        let right = |(predicted, truth): (usize, &Option<usize>)| {
            truth.map_or(0.0, |truth| -costs[[predicted, truth]])
        };
        Ok(matched.iter().enumerate().map(right).sum::<f64>() / self.n_rows())
    }

    /// Σ over the true groups of their share of the rows times the best F₁ any predicted group
    /// has for them.
    pub fn f_measure(&self) -> f64 {
        let mut best = vec![0.0_f64; self.truth.len()];
        for &(truth, predicted, count) in &self.cells {
            let counts = (count, self.truth[truth], self.predicted[predicted]);
            best[truth] = best[truth].max(ClassScores::from_counts(counts, 1.0).f_measure);
        }
        let weighted: f64 = best
            .iter()
            .zip(&self.truth)
            .map(|(f, count)| f * count)
            .sum();
        weighted / self.n_rows()
    }
}

/// How often each key below `limit` occurs; a table of counts where that is small, else by sorting.
fn count_keys(keys: impl Iterator<Item = usize>, limit: usize) -> Vec<(usize, f64)> {
    if limit <= 4_000_000 {
        let mut counts = vec![0.0; limit];
        keys.for_each(|key| counts[key] += 1.0);
        let found = counts.into_iter().enumerate();
        return found.filter(|&(_, count)| count > 0.0).collect();
    }
    let mut keys: Vec<usize> = keys.collect();
    keys.sort_unstable();
    let runs = keys.chunk_by(|left, right| left == right);
    runs.map(|run| (run[0], run.len() as f64)).collect()
}

/// Agreement of two groupings, corrected for chance: one for the same grouping under other
/// names, about zero for unrelated ones.
pub fn adjusted_rand(truth: &[usize], predicted: &[usize]) -> Result<f64> {
    Ok(Contingency::new(truth, predicted)?.adjusted_rand())
}

/// Share of rows whose true group is the most frequent one of their predicted group.
pub fn purity(truth: &[usize], predicted: &[usize]) -> Result<f64> {
    Ok(Contingency::new(truth, predicted)?.purity())
}

/// Share of rows grouped right under the best one-to-one naming of the predicted groups.
pub fn matched_accuracy(truth: &[usize], predicted: &[usize]) -> Result<f64> {
    Contingency::new(truth, predicted)?.matched_accuracy()
}

/// Share of the links that a grouping respects: pairs that belong together and are, pairs that
/// belong apart and are. A row in no group is together with nobody.
///
/// ```
/// use didact_evaluate::constraint_satisfaction;
/// let clusters = [Some(0), Some(0), Some(1), None];
/// let share = constraint_satisfaction(&clusters, &[(0, 1), (1, 2)], &[(0, 3)])?;
/// assert!((share - 2.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn constraint_satisfaction(
    clusters: &[Option<usize>],
    together: &[(usize, usize)],
    apart: &[(usize, usize)],
) -> Result<f64> {
    let links = together.iter().chain(apart);
    if let Some((left, right)) = links
        .copied()
        .find(|&(left, right)| left.max(right) >= clusters.len())
    {
        return Err(Error::data(format!(
            "the link ({left}, {right}) points outside the {} rows",
            clusters.len()
        )));
    }
    let count = together.len() + apart.len();
    if count == 0 {
        return Err(Error::data("there are no links to satisfy"));
    }
    let same = |&&(left, right): &&(usize, usize)| {
        clusters[left].is_some() && clusters[left] == clusters[right]
    };
    let kept = together.iter().filter(same).count();
    let broken = apart.iter().filter(same).count();
    Ok((kept + apart.len() - broken) as f64 / count as f64)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_near, labels, noisy};
    use super::*;
    use proptest::prelude::*;

    // Hand computation: table [[2, 0], [1, 1]], pairs 1, rows 1+1, columns 3+0 of 6:
    // (1 − 2·3/6) / ((2+3)/2 − 2·3/6) = 0.
    #[test]
    fn adjusted_rand_ignores_names_and_chance() {
        assert_eq!(adjusted_rand(&[0, 0, 1, 1], &[5, 5, 2, 2]).unwrap(), 1.0);
        assert!(adjusted_rand(&[0, 0, 1, 1], &[0, 0, 0, 1]).unwrap().abs() < 1e-15);
        assert_eq!(adjusted_rand(&[0, 0], &[0, 0]).unwrap(), 1.0);
    }

    // Oracle: scikit-learn's rand_score, adjusted_rand_score, fowlkes_mallows_score; accuracy after
    // scipy's linear_sum_assignment. Purity and best F by their definitions in NumPy.
    // 001:CLU-17, 002a:CM07: external figures.
    #[test]
    fn agreement_of_groupings_agrees_with_the_oracle() {
        let truth = labels(120, 4, 91);
        let predicted = noisy(&truth, 6, 0.7, 92);
        let table = Contingency::new(&truth, &predicted).unwrap();
        let found = [
            table.rand(),
            table.adjusted_rand(),
            table.fowlkes_mallows(),
            table.purity(),
            table.matched_accuracy().unwrap(),
            table.f_measure(),
        ];
        for (found, expected) in found.into_iter().zip(AGREEMENT) {
            assert_near(found, expected);
        }
    }

    const AGREEMENT: [f64; 6] = [
        0.8372549019607843,
        0.5380258325739262,
        0.6448887193849896,
        0.8083333333333333,
        0.7666666666666667,
        0.8021468443836866,
    ];

    // 000a:SSL-27: one for a permuted truth; the share of satisfied links beside it.
    #[test]
    fn a_permuted_truth_matches_perfectly_and_links_are_counted() {
        let truth = [0, 1, 2, 0, 1, 2];
        let renamed = [9, 4, 7, 9, 4, 7];
        assert_eq!(matched_accuracy(&truth, &renamed).unwrap(), 1.0);
        // Two groups for three classes: the third class has no group left.
        assert_near(
            matched_accuracy(&truth, &[0, 1, 1, 0, 1, 1]).unwrap(),
            4.0 / 6.0,
        );
        let clusters: Vec<Option<usize>> = renamed.iter().copied().map(Some).collect();
        assert_eq!(
            constraint_satisfaction(&clusters, &[(0, 3)], &[(0, 1)]).unwrap(),
            1.0
        );
        assert_eq!(
            constraint_satisfaction(&clusters, &[(0, 1)], &[(0, 3)]).unwrap(),
            0.0
        );
        assert!(constraint_satisfaction(&clusters, &[(0, 6)], &[]).is_err());
        assert!(constraint_satisfaction(&clusters, &[], &[]).is_err());
    }

    proptest! {
        #[test]
        fn names_of_groups_never_matter(
            rows in prop::collection::vec((0usize..4, 0usize..5), 1..60), shift in 1usize..9
        ) {
            let truth: Vec<usize> = rows.iter().map(|row| row.0).collect();
            let groups: Vec<usize> = rows.iter().map(|row| row.1).collect();
            // Reversed order and far-away names, which are counted by sorting.
            let renamed: Vec<usize> = groups.iter().map(|group| (9 - group) * shift * 1_000_000_007).collect();
            let (a, b) = (
                Contingency::new(&truth, &groups).unwrap(),
                Contingency::new(&truth, &renamed).unwrap(),
            );
            for (left, right) in [
                (a.adjusted_rand(), b.adjusted_rand()),
                (a.rand(), b.rand()),
                (a.purity(), b.purity()),
                (a.matched_accuracy().unwrap(), b.matched_accuracy().unwrap()),
                (a.fowlkes_mallows(), b.fowlkes_mallows()),
            ] {
                prop_assert!((left - right).abs() < 1e-12);
            }
            prop_assert!(a.matched_accuracy().unwrap() <= a.purity() + 1e-12);
        }
    }
}
