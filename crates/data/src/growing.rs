//! Columns that grow piece by piece.

use crate::all_words::AllWords;
use crate::pieces::join;
use didact_core::Column;

/// A column that grows by pieces of one kind.
///
/// Numbers and words go to their place at once, so that they are never in memory twice.
#[derive(Default)]
pub(crate) enum Growing {
    /// There is no piece yet.
    #[default]
    Empty,
    Numbers(Vec<f64>),
    Words(AllWords),
    /// Pieces of another kind.
    Others(Vec<Column>),
}

impl Growing {
    /// Puts a piece below what is there.
    pub(crate) fn push(&mut self, piece: Column) {
        match (&mut *self, piece) {
            (Growing::Numbers(all), Column::Numbers(values)) => all.extend_from_slice(&values),
            (Growing::Words(all), Column::Categories { codes, names }) => all.push(&codes, names),
            (Growing::Others(all), piece) => all.push(piece),
            (_, Column::Numbers(values)) => *self = Growing::Numbers(values),
            (_, Column::Categories { codes, names }) => {
                let mut all = AllWords::default();
                all.push(&codes, names);
                *self = Growing::Words(all);
            }
            (_, piece) => *self = Growing::Others(vec![piece]),
        }
    }

    /// The whole column.
    pub(crate) fn finish(self) -> Column {
        match self {
            Growing::Empty => Column::Numbers(Vec::new()),
            Growing::Numbers(mut values) => {
                values.shrink_to_fit();
                Column::Numbers(values)
            }
            Growing::Words(all) => all.finish(),
            Growing::Others(pieces) => join(pieces),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_kind_come_below_each_other() {
        let mut numbers = Growing::default();
        numbers.push(Column::Numbers(vec![1.0]));
        numbers.push(Column::Numbers(vec![2.0, 3.0]));
        assert_eq!(numbers.finish(), Column::Numbers(vec![1.0, 2.0, 3.0]));
        let mut words = Growing::default();
        words.push(Column::from_words([Some("pear")]));
        words.push(Column::from_words([None, Some("apple")]));
        let expected = Column::from_words([Some("pear"), None, Some("apple")]);
        assert_eq!(words.finish(), expected);
        let mut flags = Growing::default();
        flags.push(Column::Booleans(vec![None]));
        flags.push(Column::Booleans(vec![Some(true)]));
        assert_eq!(flags.finish(), Column::Booleans(vec![None, Some(true)]));
    }
}
