//! One label out of several raters: a vote, a soft label, or a mean.

use didact_core::{ClassName, Classes, Column, Error, PartialLabels, Result};
use ndarray::Array2;

/// What several raters say about each row.
///
/// Categories must not be averaged: they are voted on, or kept as shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Votes {
    /// The class with the most votes; of equals the first; unknown where nobody rated.
    pub labels: PartialLabels,
    /// The share of the votes for each class, one row per row; zeros where nobody rated.
    pub soft_labels: Array2<f64>,
    /// The rows on which several classes had the most votes.
    pub ties: Vec<Tie>,
}

/// A row on which several classes had the most votes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tie {
    /// The row, counted from zero.
    pub row: usize,
    /// The indices of the classes that share the most votes.
    pub classes: Vec<usize>,
}

/// Counts the votes of the raters, one column each; a missing value is no vote.
///
/// ```
/// use didact_core::Column;
/// use didact_data::vote;
/// let ann = Column::from_words([Some("cat"), Some("dog")]);
/// let bob = Column::from_words([Some("cat"), Some("cat")]);
/// let votes = vote(&[&ann, &bob])?;
/// assert_eq!(votes.labels.indices, [Some(0), Some(0)]);
/// assert_eq!(votes.soft_labels.row(1).to_vec(), [0.5, 0.5]);
/// assert_eq!(votes.ties[0].row, 1);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn vote(raters: &[&Column]) -> Result<Votes> {
    let rows = check_lengths(raters)?;
    let opinions: Vec<PartialLabels> = raters.iter().map(|rater| rater.partial_labels()).collect();
    let names = opinions.iter().flat_map(|opinion| opinion.classes.names());
    let classes = Classes::new(names.cloned().collect::<Vec<ClassName>>());
    let mut counts: Array2<f64> = Array2::zeros((rows, classes.len()));
    for opinion in &opinions {
        let places: Vec<Option<usize>> = opinion
            .classes
            .names()
            .iter()
            .map(|name| classes.label(name))
            .collect();
        for (row, index) in opinion.indices.iter().enumerate() {
            if let Some(class) = index.and_then(|index| places[index]) {
                counts[[row, class]] += 1.0;
            }
        }
    }
    let (mut indices, mut ties) = (Vec::with_capacity(rows), Vec::new());
    for (row, mut votes) in counts.rows_mut().into_iter().enumerate() {
        let most = votes.iter().copied().fold(0.0, f64::max);
        let winners: Vec<usize> = (0..votes.len())
            .filter(|&class| most > 0.0 && votes[class] == most)
            .collect();
        indices.push(winners.first().copied());
        let total = votes.sum();
        if total > 0.0 {
            votes /= total;
        }
        if winners.len() > 1 {
            ties.push(Tie {
                row,
                classes: winners,
            });
        }
    }
    Ok(Votes {
        labels: PartialLabels { indices, classes },
        soft_labels: counts,
        ties,
    })
}

/// The mean score of the raters of each row, over those who gave one; NaN where nobody did.
///
/// Only numbers can be averaged; for words and booleans use [`vote`].
pub fn mean_scores(raters: &[&Column]) -> Result<Vec<f64>> {
    let rows = check_lengths(raters)?;
    let mut means = vec![f64::NAN; rows];
    let mut counts = vec![0.0; rows];
    for (rater, column) in raters.iter().enumerate() {
        let Column::Numbers(scores) = column else {
            return Err(Error::data(format!(
                "rater {} gave words, not scores; words are voted on, not averaged",
                rater + 1
            )));
        };
        for ((mean, count), &score) in means.iter_mut().zip(&mut counts).zip(scores) {
            if score.is_nan() {
                continue;
            }
            *count += 1.0;
            *mean = match *count > 1.0 {
                true => *mean + (score - *mean) / *count,
                false => score,
            };
        }
    }
    Ok(means)
}

fn check_lengths(raters: &[&Column]) -> Result<usize> {
    let Some(first) = raters.first() else {
        return Err(Error::data("there are no raters; give at least one column"));
    };
    match raters.iter().position(|rater| rater.len() != first.len()) {
        None => Ok(first.len()),
        Some(other) => Err(Error::data(format!(
            "rater {} judged {} rows but the first judged {}",
            other + 1,
            raters[other].len(),
            first.len()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 002a:BP14: the mean of the raters is the true score.
    #[test]
    fn scores_are_averaged_over_those_who_gave_one() {
        let ann = Column::Numbers(vec![1.0, f64::NAN, 5.0]);
        let bob = Column::Numbers(vec![2.0, f64::NAN, f64::NAN]);
        let eve = Column::Numbers(vec![6.0, f64::NAN, 7.0]);
        let means = mean_scores(&[&ann, &bob, &eve]).unwrap();
        assert_eq!((means[0], means[2]), (3.0, 6.0));
        assert!(means[1].is_nan());
    }

    // 002a:BP14: categories need a vote or a soft label, never an average.
    #[test]
    fn categories_are_voted_on_and_never_averaged() {
        let raters = [
            Column::from_words([Some("b"), Some("a"), None]),
            Column::from_words([Some("b"), Some("c"), None]),
            Column::from_words([Some("a"), None, None]),
        ];
        let raters: Vec<&Column> = raters.iter().collect();
        let votes = vote(&raters).unwrap();
        assert_eq!(votes.labels.indices, [Some(1), Some(0), None]);
        assert_eq!(
            votes.soft_labels.row(0).to_vec(),
            [1.0 / 3.0, 2.0 / 3.0, 0.0]
        );
        assert_eq!(votes.soft_labels.row(2).sum(), 0.0);
        assert_eq!(
            votes.ties,
            [Tie {
                row: 1,
                classes: vec![0, 2]
            }]
        );
        assert!(mean_scores(&raters).is_err());
    }

    #[test]
    fn whole_numbers_can_be_classes_too() {
        let ann = Column::Numbers(vec![10.0, 2.0]);
        let bob = Column::Numbers(vec![10.0, 10.0]);
        let votes = vote(&[&ann, &bob]).unwrap();
        assert_eq!(votes.labels.classes.names()[0].to_string(), "2");
        assert_eq!(votes.labels.indices, [Some(1), Some(0)]);
    }

    #[test]
    fn raters_must_judge_the_same_rows() {
        let short = Column::Numbers(vec![1.0]);
        let long = Column::Numbers(vec![1.0, 2.0]);
        assert!(vote(&[]).is_err());
        let message = vote(&[&short, &long]).unwrap_err().to_string();
        assert!(
            message.starts_with("rater 2 judged 2 rows but the first judged 1"),
            "{message}"
        );
    }
}
