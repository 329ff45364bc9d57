//! The rows of the kernel that were asked for last.

use super::row::{KeptRow, Precision, Row};
use super::{RowMaker, add_scaled, bytes_of_pairs};
use didact_core::{Result, Run, parallel};

/// So many rows are kept however little memory there is: the two that a step moves, for each of
/// two sums that must not change.
const LEAST_ROWS: usize = 4;

/// Where all pairs in double precision take more bytes than this, single precision is worth its
/// rounding, which has to be watched.
const LARGE: usize = 16 << 20;

/// Rows of the points that can still move; the one that was not asked for longest gives way.
pub(crate) struct RowCache<'a> {
    maker: RowMaker<'a>,
    bytes: usize,
    precision: Precision,
    capacity: usize,
    slots: Vec<Slot>,
    /// Where the row of each place is kept.
    slot_of: Vec<Option<usize>>,
    /// How often a row was asked for so far.
    clock: u64,
}

struct Slot {
    place: usize,
    asked: u64,
    row: KeptRow,
}

impl<'a> RowCache<'a> {
    pub(super) fn new(maker: RowMaker<'a>, bytes: usize) -> Self {
        let mut cache = RowCache {
            maker,
            bytes,
            precision: Precision::Double,
            capacity: 0,
            slots: Vec::new(),
            slot_of: Vec::new(),
            clock: 0,
        };
        cache.clear();
        cache
    }

    pub(super) fn maker(&self) -> &RowMaker<'a> {
        &self.maker
    }

    pub(super) fn precision(&self) -> Precision {
        self.precision
    }

    /// Whether all pairs would fit into the memory that was given.
    pub(super) fn has_room_for_all(&self) -> bool {
        bytes_of_pairs(self.maker.n_all()) <= self.bytes
    }

    /// Stores rows in half the memory where it is much.
    pub(super) fn allow_single(&mut self) {
        if bytes_of_pairs(self.maker.n_all()) > LARGE {
            self.precision = Precision::Single;
            self.clear();
        }
    }

    /// Stores rows as they are from now on.
    pub(super) fn demand_double(&mut self) {
        if self.precision == Precision::Single {
            self.precision = Precision::Double;
            self.clear();
        }
    }

    pub(super) fn row(&self, place: usize) -> Row<'_> {
        let slot = self.slot_of[place].expect("the row was prepared");
        self.slots[slot].row.view()
    }

    pub(super) fn prepare(&mut self, place: usize, run: &Run) -> Result<()> {
        self.clock += 1;
        let slot = match self.slot_of[place] {
            Some(slot) => slot,
            None => self.load(place, run)?,
        };
        self.slots[slot].asked = self.clock;
        Ok(())
    }

    fn load(&mut self, place: usize, run: &Run) -> Result<usize> {
        let slot = match self.slots.len() < self.capacity {
            true => {
                self.slots.push(Slot {
                    place,
                    asked: 0,
                    row: KeptRow::zeros(self.precision, self.slot_of.len()),
                });
                self.slots.len() - 1
            }
            false => self.oldest(),
        };
        let kept = &mut self.slots[slot];
        self.slot_of[kept.place] = None;
        kept.place = place;
        match &mut kept.row {
            KeptRow::Single(row) => self.maker.fill_active(place, row, run)?,
            KeptRow::Double(row) => self.maker.fill_active(place, row, run)?,
        }
        self.slot_of[place] = Some(slot);
        Ok(slot)
    }

    /// Looking at every slot costs far less than the row that is going to be made.
    fn oldest(&self) -> usize {
        let asked = self.slots.iter().map(|slot| slot.asked).enumerate();
        let oldest = asked.min_by_key(|&(_, asked)| asked);
        oldest.map_or(0, |(slot, _)| slot)
    }

    /// Calls `see` with the index and the unrounded row of each of these places.
    pub(super) fn exact_rows(
        &mut self,
        places: &[usize],
        run: &Run,
        mut see: impl FnMut(usize, &[f64]),
    ) -> Result<()> {
        let mut made = Vec::new();
        for (index, &place) in places.iter().enumerate() {
            if self.precision == Precision::Double {
                self.prepare(place, run)?;
                if let Row::Double(row) = self.row(place) {
                    see(index, row);
                }
                continue;
            }
            run.check()?;
            made.resize(self.maker.n_active(), 0.0);
            self.maker.fill_active(place, &mut made, run)?;
            see(index, &made);
        }
        Ok(())
    }

    /// Σⱼ βⱼ·k(xⱼ, ·) at some points, of rows that are made for this once where they are not kept:
    /// some by each thread, and together in a fixed order.
    pub(super) fn combine(
        &self,
        moved: &[usize],
        multipliers: &[f64],
        at: &[usize],
        run: &Run,
    ) -> Result<Vec<f64>> {
        let chosen;
        let others = match at.len() == self.maker.n_all() {
            true => self.maker.all(),
            false => {
                chosen = self.maker.prepared(at);
                &chosen
            }
        };
        let work = |range: std::ops::Range<usize>| {
            let mut sums = vec![0.0; at.len()];
            let mut unknown = Vec::new();
            for &point in &moved[range] {
                match self.known_row(point, at.len()) {
                    Some(row) => add_scaled(&mut sums, multipliers[point], row),
                    None => unknown.push(point),
                }
            }
            self.maker
                .add_rows(&unknown, multipliers, others, &mut sums, run)?;
            Ok(sums)
        };
        let together = |mut left: Vec<f64>, right: Vec<f64>| {
            add_scaled(&mut left, 1.0, &right);
            left
        };
        let sums = parallel::reduce(moved.len(), 64, run, &work, &together)?;
        Ok(sums.unwrap_or_else(|| vec![0.0; at.len()]))
    }

    /// The unrounded row of a point with as many others, all of them, if it is kept.
    fn known_row(&self, point: usize, n_others: usize) -> Option<&[f64]> {
        let n = self.maker.n_all();
        if n_others < n || self.maker.n_active() < n {
            return None;
        }
        match &self.slots[self.slot_of[point]?].row {
            KeptRow::Double(row) => Some(row),
            KeptRow::Single(_) => None,
        }
    }

    /// Keeps what is known of the rows of these places.
    pub(super) fn keep(&mut self, places: &[usize]) {
        let mut next = vec![None; self.slot_of.len()];
        for (new, &old) in places.iter().enumerate() {
            next[old] = Some(new);
        }
        self.slots.retain_mut(|slot| {
            let Some(new) = next[slot.place] else {
                return false;
            };
            slot.place = new;
            slot.row = slot.row.gathered(places);
            true
        });
        self.slot_of = vec![None; places.len()];
        for (index, slot) in self.slots.iter().enumerate() {
            self.slot_of[slot.place] = Some(index);
        }
        self.maker.keep(places);
        self.capacity = self.room();
    }

    pub(super) fn keep_all(&mut self) {
        if self.maker.n_active() < self.maker.n_all() {
            self.maker.keep_all();
            // The rows are those of fewer points now.
            self.clear();
        }
    }

    fn clear(&mut self) {
        self.slots.clear();
        self.slot_of = vec![None; self.maker.n_active()];
        self.capacity = self.room();
    }

    fn room(&self) -> usize {
        let row = self.maker.n_active().max(1) * self.precision.bytes();
        (self.bytes / row).max(LEAST_ROWS)
    }
}
