//! Sequences out of a table: which rows belong together, and in which order.

use didact_core::{Column, Error, Labels, Result, Sequences, Table};
use ndarray::{Array2, ArrayView2, Axis, concatenate, s};

/// Several sequences as one matrix: the first `lengths[0]` rows are the first sequence, and so
/// on. Splits and folds must be by whole sequences, because items depend on each other.
///
/// ```
/// use didact_core::{Column, Table};
/// use didact_data::sequences_from_table;
/// let mut table = Table::new();
/// table.push("day", Column::from_words([Some("mon"), Some("tue"), Some("mon")]))?;
/// table.push("rain", Column::Numbers(vec![1.0, 5.0, 2.0]))?;
/// let set = sequences_from_table(&table, "day", None)?;
/// assert_eq!(set.lengths, [2, 1]);
/// assert_eq!(set.items.column(0).to_vec(), [1.0, 2.0, 5.0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SequenceSet {
    /// All items, one row each.
    pub items: Array2<f64>,
    /// Number of items of each sequence.
    pub lengths: Vec<usize>,
    /// The user's name of each sequence.
    pub ids: Vec<String>,
    /// The class of each item, where there is one.
    pub labels: Option<Labels>,
    /// The names of the columns of `items`.
    pub feature_names: Vec<String>,
    /// For each column the words that its whole numbers stand for, where it held words.
    pub symbols: Vec<Option<Vec<String>>>,
    /// The row of the table that each item was.
    pub rows: Vec<usize>,
}

impl SequenceSet {
    /// Puts matrices below each other; all must have the same columns and at least one row.
    pub fn from_matrices(matrices: &[ArrayView2<'_, f64>]) -> Result<SequenceSet> {
        let Some(first) = matrices.first() else {
            return Err(Error::data("there are no sequences"));
        };
        for (place, matrix) in matrices.iter().enumerate() {
            if matrix.nrows() == 0 {
                return Err(Error::data(format!(
                    "sequence {place} has no items; leave empty sequences out"
                )));
            }
            if matrix.ncols() != first.ncols() {
                return Err(Error::data(format!(
                    "sequence {place} has {} columns but the first has {}",
                    matrix.ncols(),
                    first.ncols()
                )));
            }
        }
        let items = concatenate(Axis(0), matrices)
            .map_err(|error| Error::data(format!("the sequences do not fit together: {error}")))?;
        let count = items.nrows();
        Ok(SequenceSet {
            lengths: matrices.iter().map(ArrayView2::nrows).collect(),
            ids: (0..matrices.len()).map(|place| place.to_string()).collect(),
            labels: None,
            feature_names: (1..=first.ncols())
                .map(|place| format!("column_{place}"))
                .collect(),
            symbols: vec![None; first.ncols()],
            rows: (0..count).collect(),
            items,
        })
    }

    /// Each sequence as a matrix of its own.
    pub fn matrices(&self) -> Vec<ArrayView2<'_, f64>> {
        let mut start = 0;
        self.lengths
            .iter()
            .map(|&length| {
                start += length;
                self.items.slice(s![start - length..start, ..])
            })
            .collect()
    }

    /// The sequences as methods read them.
    pub fn view(&self) -> Result<Sequences<'_>> {
        Sequences::new(&self.items, &self.lengths)
    }
}

/// Gathers the rows of each sequence, in the order of the table; ids may interleave.
///
/// Every column but `id` and `label` is a feature: booleans become 0 and 1, words their place in
/// the sorted list of words, times seconds. Missing values become NaN.
pub fn sequences_from_table(table: &Table, id: &str, label: Option<&str>) -> Result<SequenceSet> {
    let (rows, lengths, ids) = group_rows(table, id)?;
    let labels = match label {
        None => None,
        Some(name) if name == id => {
            return Err(Error::data(format!(
                "column {id} cannot be both the id and the label of a sequence"
            )));
        }
        Some(name) => {
            let labels = table.labels(name)?;
            Some(Labels {
                indices: rows.iter().map(|&row| labels.indices[row]).collect(),
                classes: labels.classes,
            })
        }
    };
    let features: Vec<(&String, &Column)> = table
        .names()
        .iter()
        .zip(table.columns())
        .filter(|(name, _)| *name != id && label != Some(name.as_str()))
        .collect();
    if features.is_empty() {
        return Err(Error::data(format!(
            "no columns are left as features beside {id}"
        )));
    }
    let mut items = Array2::zeros((rows.len(), features.len()));
    for (place, (_, column)) in features.iter().enumerate() {
        for (item, &row) in rows.iter().enumerate() {
            items[[item, place]] = as_number(column, row);
        }
    }
    let words = |column: &Column| match column {
        Column::Categories { names, .. } => Some(names.clone()),
        _ => None,
    };
    Ok(SequenceSet {
        items,
        lengths,
        ids,
        labels,
        feature_names: features.iter().map(|(name, _)| (*name).clone()).collect(),
        symbols: features.iter().map(|(_, column)| words(column)).collect(),
        rows,
    })
}

fn as_number(column: &Column, row: usize) -> f64 {
    match column {
        Column::Numbers(values) => values[row],
        Column::Booleans(values) => values[row].map_or(f64::NAN, f64::from),
        Column::Categories { codes, .. } => codes[row].map_or(f64::NAN, f64::from),
        Column::Times(values) => values[row].unwrap_or(f64::NAN),
    }
}

/// The rows of each sequence after each other, their numbers, and the names of the sequences in
/// the order of their first row.
pub(crate) fn group_rows(table: &Table, id: &str) -> Result<(Vec<usize>, Vec<usize>, Vec<String>)> {
    let groups = table.column(id)?.partial_labels();
    let mut place_of = vec![None; groups.classes.len()];
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut ids = Vec::new();
    for (row, group) in groups.indices.iter().enumerate() {
        let group = group.ok_or_else(|| {
            Error::data(format!(
                "row {}: column {id} is missing; every row needs the id of its sequence",
                row + 1
            ))
        })?;
        let place = *place_of[group].get_or_insert_with(|| {
            members.push(Vec::new());
            ids.push(groups.classes.names()[group].to_string());
            members.len() - 1
        });
        members[place].push(row);
    }
    let lengths = members.iter().map(Vec::len).collect();
    Ok((members.concat(), lengths, ids))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use proptest::prelude::*;

    #[test]
    fn ids_may_interleave_and_labels_follow_their_rows() {
        let mut table = Table::new();
        table
            .push("id", Column::Numbers(vec![7.0, 3.0, 7.0, 3.0, 7.0]))
            .unwrap();
        table
            .push("x", Column::Numbers(vec![1.0, 2.0, 3.0, 4.0, 5.0]))
            .unwrap();
        let words = ["a", "b", "a", "a", "c"];
        table
            .push("symbol", Column::from_words(words.map(Some)))
            .unwrap();
        table
            .push(
                "tag",
                Column::from_words(["N", "V", "V", "N", "N"].map(Some)),
            )
            .unwrap();
        let set = sequences_from_table(&table, "id", Some("tag")).unwrap();
        assert_eq!(set.ids, ["7", "3"]);
        assert_eq!(set.lengths, [3, 2]);
        assert_eq!(set.items.column(0).to_vec(), [1.0, 3.0, 5.0, 2.0, 4.0]);
        assert_eq!(set.items.column(1).to_vec(), [0.0, 0.0, 2.0, 1.0, 0.0]);
        assert_eq!(set.symbols[1].as_deref().unwrap(), ["a", "b", "c"]);
        assert_eq!(set.labels.as_ref().unwrap().indices, [0, 1, 0, 1, 0]);
        assert_eq!(set.rows, [0, 2, 4, 1, 3]);
        assert_eq!(set.view().unwrap().ranges().count(), 2);
    }

    // 000b:S01: length-1 sequences are accepted, length-0 ones refused by number.
    #[test]
    fn short_sequences_are_accepted_and_empty_ones_refused() {
        let (one, none) = (array![[1.0]], Array2::<f64>::zeros((0, 1)));
        assert_eq!(
            SequenceSet::from_matrices(&[one.view()]).unwrap().lengths,
            [1]
        );
        let message = SequenceSet::from_matrices(&[one.view(), none.view()])
            .unwrap_err()
            .to_string();
        assert!(message.starts_with("sequence 1 has no items"), "{message}");
        assert!(SequenceSet::from_matrices(&[]).is_err());
    }

    #[test]
    fn unusable_tables_name_the_column() {
        let mut table = Table::new();
        table
            .push("id", Column::from_words([Some("a"), None]))
            .unwrap();
        let say = |id: &str| {
            sequences_from_table(&table, id, None)
                .unwrap_err()
                .to_string()
        };
        assert!(say("id").starts_with("row 2: column id is missing"));
        assert!(say("ids").contains("did you mean id"));
    }

    proptest! {
        // 000b:S01: ragged data go in and come out as they were.
        #[test]
        fn ragged_data_round_trip(lengths in proptest::collection::vec(1_usize..6, 1..6)) {
            let mut next = 0.0;
            let matrices: Vec<Array2<f64>> = lengths
                .iter()
                .map(|&length| Array2::from_shape_simple_fn((length, 2), || { next += 1.0; next }))
                .collect();
            let views: Vec<_> = matrices.iter().map(|matrix| matrix.view()).collect();
            let set = SequenceSet::from_matrices(&views).unwrap();
            prop_assert_eq!(&set.lengths, &lengths);
            prop_assert_eq!(set.matrices(), views);
        }
    }
}
