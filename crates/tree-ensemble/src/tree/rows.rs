//! Which rows a node holds, and in which order a column has them.

use crate::columns::{Columns, MISSING, Rank, Ranks};
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
    columns: &'a Columns<'a>,
    /// Rows of the nodes, rising within each.
    rows: Vec<u32>,
    /// The same places for every column, each sorted by its values.
    lists: Option<Vec<u32>>,
    /// The child that each row goes to, while a node is split.
    child_of: Vec<u8>,
    room: Vec<u32>,
}

/// Room for one column of a node, used again and again.
#[derive(Default)]
pub(crate) struct SortRoom {
    pub(super) keys: Vec<u64>,
    other: Vec<u64>,
    counts: Vec<u32>,
    sorted: Vec<u32>,
}

impl<'a> NodeRows<'a> {
    /// The rows of the root; `presorted` where most columns are looked at in every node.
    pub(crate) fn new(columns: &'a Columns<'a>, rows: Vec<u32>, presorted: bool) -> Self {
        let all = rows.len() == columns.n_rows();
        let lists = presorted.then(|| {
            let mut kept = vec![false; columns.n_rows()];
            rows.iter().for_each(|&row| kept[row as usize] = true);
            let mut lists = Vec::with_capacity(rows.len() * columns.len());
            for feature in 0..columns.len() {
                let order = columns.column(feature).order();
                match all {
                    true => lists.extend_from_slice(&order),
                    false => lists.extend(order.iter().filter(|&&row| kept[row as usize])),
                }
            }
            lists
        });
        NodeRows {
            columns,
            lists,
            child_of: vec![0; columns.n_rows()],
            room: vec![0; rows.len()],
            rows,
        }
    }

    /// Whether every column is kept in order.
    pub(crate) fn is_presorted(&self) -> bool {
        self.lists.is_some()
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
        if let Some(list) = self.list(feature, node) {
            return list;
        }
        let column = self.columns.column(feature);
        room.sort(self.of(node), &column.ranks, column.n_values);
        &room.sorted
    }

    /// The same where every column is kept in order.
    pub(crate) fn list(&self, feature: usize, node: &Range<usize>) -> Option<&[u32]> {
        let first = feature * self.rows.len();
        let lists = self.lists.as_ref()?;
        Some(&lists[first + node.start..first + node.end])
    }

    /// Gives every row of a node to one of two children and says where the second begins. The rows
    /// keep their order within a child.
    pub(crate) fn split_in_two(
        &mut self,
        node: Range<usize>,
        goes_right: impl Fn(u32) -> bool,
        is_last: bool,
        run: &Run,
    ) -> Result<usize> {
        let rows = &mut self.rows[node.clone()];
        let room = &mut self.room[..];
        let child_of = &mut self.child_of;
        let keeps_lists = self.lists.is_some() && !is_last;
        let left = part(rows, room, |row| {
            let goes_right = goes_right(row);
            if keeps_lists {
                child_of[row as usize] = u8::from(goes_right);
            }
            goes_right
        });
        if keeps_lists {
            self.cut_lists(&node, &[0, left], run)?;
        }
        Ok(node.start + left)
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
        let rows = &mut self.rows[node.clone()];
        cut(rows, &starts, &self.child_of, &mut self.room);
        // Children that are leaves anyway need no order.
        if !is_last {
            self.cut_lists(&node, &starts, run)?;
        }
        Ok(ranges)
    }

    /// Cuts the sorted list of every column as the rows of a node were cut.
    fn cut_lists(&mut self, node: &Range<usize>, starts: &[usize], run: &Run) -> Result<()> {
        let Some(lists) = &mut self.lists else {
            return Ok(());
        };
        let length = self.rows.len();
        let (child_of, room) = (&self.child_of, &mut self.room);
        match node.len() * self.columns.len() >= LARGE {
            true => parallel::fill(lists, length, 1, run, |_, list| {
                let mut room = vec![0; node.len()];
                cut(&mut list[node.clone()], starts, child_of, &mut room);
                Ok(())
            }),
            false => {
                for list in lists.chunks_mut(length) {
                    cut(&mut list[node.clone()], starts, child_of, room);
                }
                Ok(())
            }
        }
    }
}

/// Moves the rows of each child together and keeps their order.
fn cut(list: &mut [u32], starts: &[usize], child_of: &[u8], room: &mut [u32]) {
    if starts.len() == 2 {
        part(list, room, |row| child_of[row as usize] != 0);
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

/// Moves the rows that go left to the front and says how many there are. Both places are written
/// and one is moved on, which needs no guess.
fn part(list: &mut [u32], room: &mut [u32], mut goes_right: impl FnMut(u32) -> bool) -> usize {
    let (mut left, mut right) = (0, 0);
    for place in 0..list.len() {
        let row = list[place];
        let goes_right = usize::from(goes_right(row));
        list[left] = row;
        room[right] = row;
        left += 1 - goes_right;
        right += goes_right;
    }
    list[left..].copy_from_slice(&room[..right]);
    left
}

impl SortRoom {
    fn sort(&mut self, rows: &[u32], ranks: &Ranks, n_ranks: usize) {
        self.collect(rows, ranks);
        self.sort_keys(n_ranks);
        self.sorted.clear();
        let sorted = self.keys.iter().map(|&key| rows[key as u32 as usize]);
        self.sorted.extend(sorted);
    }

    /// Takes the ranks of rows as keys, each with its place among the rows in the lower half.
    pub(super) fn collect(&mut self, rows: &[u32], ranks: &Ranks) {
        self.keys.clear();
        match ranks {
            Ranks::Narrow(ranks) => self.keys.extend(keys(rows, ranks)),
            Ranks::Wide(ranks) => self.keys.extend(keys(rows, ranks)),
        }
    }

    /// Sorts the keys by rank, those of one rank by place: by counting where there are few ranks, by
    /// digits where there are many keys.
    pub(super) fn sort_keys(&mut self, n_ranks: usize) {
        let SortRoom {
            keys,
            other,
            counts,
            ..
        } = self;
        match keys.len() {
            many if many > 64 && n_ranks <= 2 * many => by_counting(n_ranks, keys, other, counts),
            many if many > 128 => by_digits(n_ranks, keys, other),
            _ => keys.sort_unstable(),
        }
    }
}

fn keys<R: Rank>(rows: &[u32], ranks: &[R]) -> impl Iterator<Item = u64> {
    let key = |(&row, place): (&u32, u64)| u64::from(ranks[row as usize].widened()) << 32 | place;
    rows.iter().zip(0..).map(key)
}

fn by_counting(n_ranks: usize, keys: &mut Vec<u64>, other: &mut Vec<u64>, counts: &mut Vec<u32>) {
    let slot = |key: u64| ((key >> 32) as u32).min(n_ranks as u32) as usize;
    counts.clear();
    counts.resize(n_ranks + 1, 0);
    keys.iter().for_each(|&key| counts[slot(key)] += 1);
    let mut start = 0;
    for count in counts.iter_mut() {
        start += std::mem::replace(count, start);
    }
    other.resize(keys.len(), 0);
    for &key in keys.iter() {
        let place = &mut counts[slot(key)];
        other[*place as usize] = key;
        *place += 1;
    }
    std::mem::swap(keys, other);
}

/// Sorts the keys by rank, eight bits at a time; the places are in order already.
fn by_digits(n_ranks: usize, keys: &mut Vec<u64>, other: &mut Vec<u64>) {
    other.resize(keys.len(), 0);
    // The missing rank is cut to all ones, which no other rank is.
    let bits = usize::BITS - n_ranks.leading_zeros();
    let digit = |key: u64, number: usize| (key >> (32 + 8 * number)) as usize & 255;
    let n_digits = bits.div_ceil(8) as usize;
    // All digits are counted in one pass.
    let mut places = [[0u32; 256]; 4];
    for &key in keys.iter() {
        for (number, places) in places[..n_digits].iter_mut().enumerate() {
            places[digit(key, number)] += 1;
        }
    }
    for (number, places) in places[..n_digits].iter_mut().enumerate() {
        let mut start = 0;
        for place in places.iter_mut() {
            start += std::mem::replace(place, start);
        }
        for &key in keys.iter() {
            let place = &mut places[digit(key, number)];
            other[*place as usize] = key;
            *place += 1;
        }
        std::mem::swap(keys, other);
    }
}

/// How many of the sorted rows have a value.
pub(crate) fn count_present(sorted: &[u32], ranks: &Ranks) -> usize {
    match sorted.last() {
        Some(&row) if ranks.of(row) == MISSING => {
            sorted.partition_point(|&row| ranks.of(row) != MISSING)
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
            let columns = Columns::ranked(x.view(), &Run::new()).unwrap();
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
