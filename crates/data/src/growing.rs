//! Columns that grow piece by piece.

use crate::pieces::join;
use didact_core::Column;

/// A column that grows by pieces of one kind.
///
/// Numbers go to their place at once, so that they are never in memory twice. Other pieces wait for
/// the last one: only then are all words known.
pub(crate) struct Growing {
    numbers: Vec<f64>,
    others: Vec<Column>,
}

impl Growing {
    /// A column without rows.
    pub(crate) fn new() -> Growing {
        Growing {
            numbers: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Puts a piece below what is there.
    pub(crate) fn push(&mut self, piece: Column) {
        match piece {
            Column::Numbers(values) => self.numbers.extend_from_slice(&values),
            other => self.others.push(other),
        }
    }

    /// The whole column.
    pub(crate) fn finish(mut self) -> Column {
        match self.others.is_empty() {
            true => {
                self.numbers.shrink_to_fit();
                Column::Numbers(self.numbers)
            }
            false => join(self.others),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_either_kind_come_below_each_other() {
        let mut numbers = Growing::new();
        numbers.push(Column::Numbers(vec![1.0]));
        numbers.push(Column::Numbers(vec![2.0, 3.0]));
        assert_eq!(numbers.finish(), Column::Numbers(vec![1.0, 2.0, 3.0]));
        let mut words = Growing::new();
        words.push(Column::from_words([Some("pear")]));
        words.push(Column::from_words([None, Some("apple")]));
        let expected = Column::from_words([Some("pear"), None, Some("apple")]);
        assert_eq!(words.finish(), expected);
    }
}
