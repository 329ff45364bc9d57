//! Labels of the items of sequences.

use super::check::check_lengths;
use didact_core::{Error, Result};
use serde::Serialize;

/// Shares of items and of whole sequences that were labelled right.
///
/// ```
/// use didact_evaluate::SequenceAccuracy;
/// // Two words of three letters; one letter of the second is wrong.
/// let found = SequenceAccuracy::new(&[0, 1, 2, 0, 1, 2], &[0, 1, 2, 0, 1, 1], &[3, 3])?;
/// assert_eq!(found.items, 5.0 / 6.0);
/// assert_eq!(found.sequences, 0.5);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SequenceAccuracy {
    /// Share of items labelled right: letters.
    pub items: f64,
    /// Share of sequences of which all items are right: words.
    pub sequences: f64,
}

impl SequenceAccuracy {
    /// Compares the labels of all items; `lengths` says how many belong to each sequence.
    pub fn new(truth: &[usize], predicted: &[usize], lengths: &[usize]) -> Result<Self> {
        check_lengths(truth.len(), predicted.len())?;
        let total: usize = lengths.iter().sum();
        if total != truth.len() {
            return Err(Error::data(format!(
                "the lengths of the sequences add up to {total} but there are {} items",
                truth.len()
            )));
        }
        let (mut start, mut items, mut sequences) = (0, 0, 0);
        for &length in lengths {
            let range = start..start + length;
            let right = truth[range.clone()]
                .iter()
                .zip(&predicted[range])
                .filter(|(truth, predicted)| truth == predicted)
                .count();
            items += right;
            sequences += usize::from(right == length);
            start += length;
        }
        Ok(SequenceAccuracy {
            items: items as f64 / total as f64,
            sequences: sequences as f64 / lengths.len() as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        // 000b:E01, 000b:E02: for sequences of one length whole ones are never more often right
        // than items, and the order of the sequences does not matter.
        #[test]
        fn whole_sequences_are_never_more_often_right_than_items(
            words in prop::collection::vec(prop::collection::vec((0usize..2, 0usize..2), 3), 1..12)
        ) {
            let judge = |words: &[Vec<(usize, usize)>]| {
                let truth: Vec<usize> = words.iter().flatten().map(|item| item.0).collect();
                let predicted: Vec<usize> = words.iter().flatten().map(|item| item.1).collect();
                SequenceAccuracy::new(&truth, &predicted, &vec![3; words.len()]).unwrap()
            };
            let found = judge(&words);
            prop_assert!(found.sequences <= found.items + 1e-15);
            let mut reversed = words.clone();
            reversed.reverse();
            prop_assert_eq!(judge(&reversed), found);
        }
    }

    // 000b:E01: a hand-counted example, nine letters in words of two, three and four.
    #[test]
    fn letters_and_words_are_counted_by_hand() {
        let truth = [0, 0, 1, 1, 1, 2, 2, 2, 2];
        let predicted = [0, 0, 1, 0, 1, 2, 2, 2, 0];
        let found = SequenceAccuracy::new(&truth, &predicted, &[2, 3, 4]).unwrap();
        assert_eq!(found.items, 7.0 / 9.0);
        assert_eq!(found.sequences, 1.0 / 3.0);
        assert!(SequenceAccuracy::new(&truth, &predicted, &[2, 3]).is_err());
    }
}
