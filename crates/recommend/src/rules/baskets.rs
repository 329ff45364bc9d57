//! Rows of zeros and ones as lists of the items that are frequent enough to matter.

use didact_core::{Error, Result, Rows};

/// The baskets without their rare items.
///
/// Items are known by their rank: the rarest of the frequent items is number 0, which keeps the
/// search shallow where it is wide.
pub(super) struct Baskets {
    /// Least number of baskets of a frequent set.
    pub(super) min_count: usize,
    /// The columns of the frequent items by rank.
    pub(super) columns: Vec<usize>,
    /// In how many baskets the items occur, by rank.
    pub(super) counts: Vec<usize>,
    /// The ranks in each basket, rising.
    contents: Lists,
    /// For each rank its baskets, rising.
    holders: Lists,
}

/// Lists of numbers, one behind the other.
struct Lists {
    starts: Vec<usize>,
    entries: Vec<u32>,
}

impl Lists {
    fn get(&self, index: usize) -> &[u32] {
        &self.entries[self.starts[index]..self.starts[index + 1]]
    }
}

impl Baskets {
    pub(super) fn new(rows: Rows<'_>, min_support: f64) -> Result<Self> {
        let n = rows.n_rows();
        if n > u32::MAX as usize {
            return Err(Error::unsupported(format!(
                "there are {n} baskets; at most {} can be searched",
                u32::MAX
            )));
        }
        let mut counts = vec![0; rows.n_columns()];
        for row in 0..n {
            visit(rows, row, |column| counts[column] += 1)?;
        }
        let min_count = least_count(min_support, n);
        let mut columns: Vec<usize> = (0..counts.len())
            .filter(|&column| counts[column] >= min_count)
            .collect();
        columns.sort_by_key(|&column| (counts[column], column));
        let mut ranks = vec![None; counts.len()];
        for (rank, &column) in columns.iter().enumerate() {
            ranks[column] = Some(rank as u32);
        }
        let mut contents = Lists {
            starts: vec![0],
            entries: Vec::new(),
        };
        for row in 0..n {
            let start = contents.entries.len();
            visit(rows, row, |column| contents.entries.extend(ranks[column]))?;
            contents.entries[start..].sort_unstable();
            contents.starts.push(contents.entries.len());
        }
        let counts: Vec<usize> = columns.iter().map(|&column| counts[column]).collect();
        Ok(Baskets {
            min_count,
            holders: turned(&contents, &counts),
            columns,
            counts,
            contents,
        })
    }

    /// The baskets that hold the item of this rank.
    pub(super) fn holders(&self, rank: usize) -> &[u32] {
        self.holders.get(rank)
    }

    /// The items of a basket whose ranks are higher than this one.
    pub(super) fn after(&self, basket: u32, rank: usize) -> &[u32] {
        let items = self.contents.get(basket as usize);
        &items[items.partition_point(|&item| item as usize <= rank)..]
    }
}

/// Calls `see` for every column of the row that holds a one.
fn visit(rows: Rows<'_>, row: usize, mut see: impl FnMut(usize)) -> Result<()> {
    let mut look = |column: usize, value: f64| match value {
        0.0 => Ok(()),
        1.0 => {
            see(column);
            Ok(())
        }
        _ => Err(Error::data(format!(
            "row {row}, column {column} is {value}; a basket holds 1 for an item that is in it \
             and 0 for one that is not"
        ))),
    };
    match rows {
        Rows::Dense(dense) => {
            let mut cells = dense.row(row).into_iter().enumerate();
            cells.try_for_each(|(column, &value)| look(column, value))
        }
        Rows::Sparse(sparse) => {
            let (columns, values) = sparse.row(row);
            let mut cells = columns.iter().zip(values);
            cells.try_for_each(|(&column, &value)| look(column as usize, value))
        }
    }
}

/// The least count c with c/n ≥ share, at least one; a product would round 0.1·30 up to four.
fn least_count(share: f64, n: usize) -> usize {
    let mut count = (share * n as f64).floor() as usize;
    while (count as f64 / n as f64) < share {
        count += 1;
    }
    while count > 1 && (count - 1) as f64 / n as f64 >= share {
        count -= 1;
    }
    count.max(1)
}

/// For each entry the lists that hold it; `counts` says how many those are.
fn turned(lists: &Lists, counts: &[usize]) -> Lists {
    let mut starts = vec![0];
    starts.extend(counts.iter().scan(0, |sum, count| {
        *sum += count;
        Some(*sum)
    }));
    let mut next = starts.clone();
    let mut entries = vec![0; lists.entries.len()];
    for list in 0..lists.starts.len() - 1 {
        for &entry in lists.get(list) {
            entries[next[entry as usize]] = list as u32;
            next[entry as usize] += 1;
        }
    }
    Lists { starts, entries }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_count_is_where_the_share_is_reached() {
        assert_eq!(least_count(0.1, 30), 3);
        assert_eq!(least_count(0.3, 10), 3);
        assert_eq!(least_count(1e-9, 10), 1);
        assert_eq!(least_count(1.0, 7), 7);
        assert_eq!(least_count(0.5, 7), 4);
    }
}
