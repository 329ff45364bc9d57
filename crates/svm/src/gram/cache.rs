//! The rows of the kernel that were asked for last.

use super::{RowMaker, check_finite};
use didact_core::{Result, Run};

/// So many rows are kept however little memory there is: the two that a step moves, for each of
/// two sums that must not change.
const LEAST_ROWS: usize = 4;

/// Rows of the points that can still move; the one that was not asked for longest gives way.
pub(crate) struct RowCache<'a> {
    maker: RowMaker<'a>,
    bytes: usize,
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
    row: Vec<f64>,
}

impl<'a> RowCache<'a> {
    pub(super) fn new(maker: RowMaker<'a>, bytes: usize) -> Self {
        let mut cache = RowCache {
            maker,
            bytes,
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

    pub(super) fn row(&self, place: usize) -> &[f64] {
        let slot = self.slot_of[place].expect("the row was prepared");
        &self.slots[slot].row
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
                    row: vec![0.0; self.slot_of.len()],
                });
                self.slots.len() - 1
            }
            false => self.oldest(),
        };
        let kept = &mut self.slots[slot];
        self.slot_of[kept.place] = None;
        kept.place = place;
        self.maker.fill_active(place, &mut kept.row, run)?;
        check_finite(&kept.row)?;
        self.slot_of[place] = Some(slot);
        Ok(slot)
    }

    /// Looking at every slot costs far less than the row that is going to be made.
    fn oldest(&self) -> usize {
        let asked = self.slots.iter().map(|slot| slot.asked).enumerate();
        let oldest = asked.min_by_key(|&(_, asked)| asked);
        oldest.map_or(0, |(slot, _)| slot)
    }

    /// Keeps what is known of the rows of these places.
    pub(super) fn keep(&mut self, places: &[usize]) -> Result<()> {
        let mut next = vec![None; self.slot_of.len()];
        for (new, &old) in places.iter().enumerate() {
            next[old] = Some(new);
        }
        self.slots.retain_mut(|slot| {
            let Some(new) = next[slot.place] else {
                return false;
            };
            slot.place = new;
            slot.row = places.iter().map(|&other| slot.row[other]).collect();
            true
        });
        self.slot_of = vec![None; places.len()];
        for (index, slot) in self.slots.iter().enumerate() {
            self.slot_of[slot.place] = Some(index);
        }
        self.maker.keep(places);
        self.capacity = self.room();
        Ok(())
    }

    pub(super) fn keep_all(&mut self) {
        self.maker.keep_all();
        // The rows are those of fewer points now.
        self.clear();
    }

    fn clear(&mut self) {
        self.slots.clear();
        self.slot_of = vec![None; self.maker.n_active()];
        self.capacity = self.room();
    }

    fn room(&self) -> usize {
        let row = self.maker.n_active().max(1) * size_of::<f64>();
        (self.bytes / row).max(LEAST_ROWS)
    }
}
