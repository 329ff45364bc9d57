//! Which rows a node holds, and in which order a column has them.

use crate::columns::{Columns, MISSING};
use didact_core::{Result, Run, parallel};
use std::ops::Range;

/// From this many moved places on, the columns of a node are cut in parallel.
const LARGE: usize = 1 << 17;

/// The rows of all nodes: a node owns a range of places, and a split rearranges them.
///
/// Where most columns are looked at in every node, the sorted order of each column is kept and cut
/// in two with every split, so that nothing is ever sorted again. Where a node looks at few columns,
/// as in a forest, only those are sorted, by rank.
pub(crate) struct NodeRows<'a> {
    columns: &'a Columns,
    /// Rows of the nodes, rising within each.
    rows: Vec<u32>,
    /// The same places for every column, each sorted by its values.
    lists: Option<Vec<u32>>,
    /// The child that each row goes to, while a node is split.
    child_of: Vec<u8>,
}

/// Room for one column of a node, used again and again.
#[derive(Default)]
pub(crate) struct SortRoom {
    keys: Vec<u64>,
    other: Vec<u64>,
    counts: Vec<u32>,
    sorted: Vec<u32>,
}

impl<'a> NodeRows<'a> {
    /// The rows of the root; `presorted` where most columns are looked at in every node.
    pub(crate) fn new(columns: &'a Columns, rows: Vec<u32>, presorted: bool) -> Self {
        let all = rows.len() == columns.n_rows();
        let lists = presorted.then(|| {
            let mut kept = vec![false; columns.n_rows()];
            rows.iter().for_each(|&row| kept[row as usize] = true);
            let mut lists = Vec::with_capacity(rows.len() * columns.len());
            for feature in 0..columns.len() {
                let order = &columns.column(feature).order;
                match all {
                    true => lists.extend_from_slice(order),
                    false => lists.extend(order.iter().filter(|&&row| kept[row as usize])),
                }
            }
            lists
        });
        NodeRows {
            columns,
            lists,
            child_of: vec![0; columns.n_rows()],
            rows,
        }
    }

    /// The rows of a node.
    pub(crate) fn of(&self, node: &Range<usize>) -> &[u32] {
        &self.rows[node.clone()]
    }

    /// The rows of a node by the value of a column, missing values last.
    pub(crate) fn sorted<'s>(
        &'s self,
        feature: usize,
        node: &Range<usize>,
        room: &'s mut SortRoom,
    ) -> &'s [u32] {
        if let Some(lists) = &self.lists {
            let first = feature * self.rows.len();
            return &lists[first + node.start..first + node.end];
        }
        let column = self.columns.column(feature);
        room.sort(self.of(node), &column.ranks, column.values.len());
        &room.sorted
    }

    /// Gives every row of a node to a child, in order of the children, and says where each begins
    /// and ends. The rows keep their order within a child.
    pub(crate) fn split(
        &mut self,
        node: Range<usize>,
        n_children: usize,
        child: impl Fn(u32) -> u8,
        is_last: bool,
        run: &Run,
    ) -> Result<Vec<Range<usize>>> {
        let mut counts = vec![0; n_children];
        for &row in &self.rows[node.clone()] {
            let child = child(row);
            self.child_of[row as usize] = child;
            counts[child as usize] += 1;
        }
        let mut ranges = Vec::with_capacity(n_children);
        let mut start = node.start;
        for &count in &counts {
            ranges.push(start..start + count);
            start += count;
        }
        let starts: Vec<usize> = ranges
            .iter()
            .map(|range| range.start - node.start)
            .collect();
        let child_of = &self.child_of;
        let mut room = Vec::new();
        cut(&mut self.rows[node.clone()], &starts, child_of, &mut room);
        // Children that are leaves anyway need no order.
        let Some(lists) = self.lists.as_mut().filter(|_| !is_last) else {
            return Ok(ranges);
        };
        let length = self.rows.len();
        match node.len() * self.columns.len() >= LARGE {
            true => parallel::fill(lists, length, 1, run, |_, list| {
                cut(&mut list[node.clone()], &starts, child_of, &mut Vec::new());
                Ok(())
            })?,
            false => {
                for list in lists.chunks_mut(length) {
                    cut(&mut list[node.clone()], &starts, child_of, &mut room);
                }
            }
        }
        Ok(ranges)
    }
}

/// Moves the rows of each child together and keeps their order.
fn cut(list: &mut [u32], starts: &[usize], child_of: &[u8], room: &mut Vec<u32>) {
    room.resize(list.len().max(room.len()), 0);
    if let [_, second] = *starts {
        // Two children: both places are written and one is moved on, which needs no guess.
        let (mut left, mut right) = (0, 0);
        for place in 0..list.len() {
            let row = list[place];
            let goes_right = usize::from(child_of[row as usize]);
            list[left] = row;
            room[right] = row;
            left += 1 - goes_right;
            right += goes_right;
        }
        list[second..].copy_from_slice(&room[..right]);
        return;
    }
    let mut places = starts.to_vec();
    for &row in list.iter() {
        let place = &mut places[child_of[row as usize] as usize];
        room[*place] = row;
        *place += 1;
    }
    list.copy_from_slice(&room[..list.len()]);
}

impl SortRoom {
    /// Sorts rows by rank, rows of one rank by index: by counting where there are few ranks, by
    /// digits where there are many rows.
    fn sort(&mut self, rows: &[u32], ranks: &[u32], n_ranks: usize) {
        if n_ranks <= 2 * rows.len() && rows.len() > 64 {
            return self.count(rows, ranks, n_ranks);
        }
        self.keys.clear();
        let key = |&row: &u32| u64::from(ranks[row as usize]) << 32 | u64::from(row);
        self.keys.extend(rows.iter().map(key));
        match rows.len() > 400 {
            true => self.by_digits(n_ranks),
            false => self.keys.sort_unstable(),
        }
        self.sorted.clear();
        self.sorted.extend(self.keys.iter().map(|&key| key as u32));
    }

    fn count(&mut self, rows: &[u32], ranks: &[u32], n_ranks: usize) {
        let slot = |row: u32| (ranks[row as usize].min(n_ranks as u32)) as usize;
        self.counts.clear();
        self.counts.resize(n_ranks + 1, 0);
        rows.iter().for_each(|&row| self.counts[slot(row)] += 1);
        let mut start = 0;
        for count in &mut self.counts {
            start += std::mem::replace(count, start);
        }
        self.sorted.resize(rows.len(), 0);
        for &row in rows {
            let place = &mut self.counts[slot(row)];
            self.sorted[*place as usize] = row;
            *place += 1;
        }
    }

    /// Sorts the keys by rank, eight bits at a time; the rows are in order already.
    fn by_digits(&mut self, n_ranks: usize) {
        self.other.resize(self.keys.len(), 0);
        // The missing rank is cut to all ones, which no other rank is.
        let bits = usize::BITS - n_ranks.leading_zeros();
        for shift in (0..bits).step_by(8) {
            let digit = |key: u64| (key >> (32 + shift)) as usize & 255;
            let mut places = [0u32; 256];
            self.keys.iter().for_each(|&key| places[digit(key)] += 1);
            let mut start = 0;
            for place in &mut places {
                start += std::mem::replace(place, start);
            }
            for &key in &self.keys {
                let place = &mut places[digit(key)];
                self.other[*place as usize] = key;
                *place += 1;
            }
            std::mem::swap(&mut self.keys, &mut self.other);
        }
    }
}

/// How many of the sorted rows have a value.
pub(crate) fn count_present(sorted: &[u32], ranks: &[u32]) -> usize {
    match sorted.last() {
        Some(&row) if ranks[row as usize] == MISSING => {
            sorted.partition_point(|&row| ranks[row as usize] != MISSING)
        }
        _ => sorted.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    // Both ways of keeping the rows give every column in the same order, down the tree.
    #[test]
    fn sorting_a_node_and_cutting_a_sorted_list_agree() {
        for (n_rows, n_values) in [(900, 7), (900, 100_000), (50, 5), (5000, 3000)] {
            let x = Array2::from_shape_fn((n_rows, 3), |(row, column)| {
                let value = (row * 7919 + column * 104_729) % 65_537 % n_values;
                match value % 13 == 5 {
                    true => f64::NAN,
                    false => value as f64,
                }
            });
            let columns = Columns::new(x.view(), &Run::new()).unwrap();
            let rows: Vec<u32> = (0..n_rows as u32).filter(|row| row % 5 != 0).collect();
            let run = Run::new();
            let mut both =
                [true, false].map(|presorted| NodeRows::new(&columns, rows.clone(), presorted));
            let whole = 0..rows.len();
            let mut nodes = vec![whole];
            for n_children in [2, 3, 2] {
                let mut next = Vec::new();
                for node in nodes {
                    let child = |row: u32| (row as usize * 31 % 7 % n_children) as u8;
                    let [a, b] = both.each_mut().map(|rows| {
                        rows.split(node.clone(), n_children, child, false, &run)
                            .unwrap()
                    });
                    assert_eq!(a, b);
                    next.extend(a);
                }
                nodes = next;
                for node in &nodes {
                    for feature in 0..3 {
                        let mut rooms = [SortRoom::default(), SortRoom::default()];
                        let [first, second] = &mut rooms;
                        let lists = both[0].sorted(feature, node, first);
                        assert_eq!(lists, both[1].sorted(feature, node, second));
                    }
                }
            }
        }
    }
}
