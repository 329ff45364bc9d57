//! Vectors of two decompositions that a link between them combines.

use faer::linalg::matmul::matmul;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par};

/// In which rows a vector is not zero by construction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Support {
    First,
    Both,
    Second,
}

impl Support {
    /// What a combination of two vectors has.
    pub(super) fn joined(self, other: Self) -> Self {
        match self == other {
            true => self,
            false => Support::Both,
        }
    }
}

/// A vector that feels the link.
pub(super) struct Coupled {
    pub(super) column: usize,
    pub(super) support: Support,
    /// The value it had without the link.
    pub(super) pole: f64,
    /// How much it feels, z.
    pub(super) share: f64,
}

/// Which vectors the link changes, by rising value, and the columns of the others.
pub(super) struct Choice {
    pub(super) coupled: Vec<Coupled>,
    pub(super) untouched: Vec<usize>,
    /// The coupled ones with those of the same support together, so that two products of half the
    /// height make the new ones of them.
    pub(super) grouped: Vec<usize>,
}

impl Choice {
    pub(super) fn new(coupled: Vec<Coupled>, untouched: Vec<usize>) -> Self {
        let mut grouped: Vec<usize> = (0..coupled.len()).collect();
        grouped.sort_by_key(|&i| coupled[i].support);
        Choice {
            coupled,
            untouched,
            grouped,
        }
    }

    /// Replaces the coupled vectors by combinations of them, one for each column of `rotation`, whose
    /// rows are in the order `grouped`: they come first, and the untouched ones behind them. In the
    /// first `middle` rows are the first half of the vectors; `room` is as large as the vectors.
    pub(super) fn combine(
        &self,
        mut vectors: MatMut<'_, f64>,
        middle: usize,
        rotation: MatRef<'_, f64>,
        mut room: MatMut<'_, f64>,
        parts: Par,
    ) {
        let k = self.coupled.len();
        self.set_aside(vectors.rb(), middle, room.rb_mut());
        let (new, behind) = vectors.rb_mut().split_at_col_mut(k);
        let (old, kept) = room.rb().split_at_col(k);
        let count = self.untouched.len();
        behind
            .subcols_mut(0, count)
            .copy_from(kept.subcols(0, count));
        let before = |support| {
            let coupled = self.coupled.iter();
            coupled.filter(|one| one.support < support).count()
        };
        let (second, first) = (before(Support::Both), before(Support::Second));
        let (top, bottom) = new.split_at_row_mut(middle);
        let (old_top, old_bottom) = old.split_at_row(middle);
        for (new, old, rotation) in [
            (top, old_top.subcols(0, first), rotation.subrows(0, first)),
            (
                bottom,
                old_bottom.subcols(second, k - second),
                rotation.subrows(second, k - second),
            ),
        ] {
            matmul(new, Accum::Replace, old, rotation, 1.0, parts);
        }
    }

    /// Copies the vectors that are coupled, grouped, and behind them the untouched ones.
    fn set_aside(&self, vectors: MatRef<'_, f64>, middle: usize, mut room: MatMut<'_, f64>) {
        let n = vectors.nrows();
        for (place, &i) in self.grouped.iter().enumerate() {
            // What is zero by construction is not multiplied either.
            let rows = match self.coupled[i].support {
                Support::First => 0..middle,
                Support::Both => 0..n,
                Support::Second => middle..n,
            };
            let (first, count) = (rows.start, rows.len());
            let old = vectors.col(self.coupled[i].column).subrows(first, count);
            let room = room.rb_mut().col_mut(place).subrows_mut(first, count);
            { room }.copy_from(old);
        }
        for (place, &column) in (self.grouped.len()..).zip(&self.untouched) {
            room.rb_mut().col_mut(place).copy_from(vectors.col(column));
        }
    }
}

/// Turns the plane of two vectors: the first becomes c·a + s·b, the second c·b − s·a.
pub(super) fn turn(
    vectors: MatMut<'_, f64>,
    [first, second]: [usize; 2],
    [cosine, sine]: [f64; 2],
) {
    let (first, second) = vectors.two_cols_mut(first, second);
    for (first, second) in first.iter_mut().zip(second.iter_mut()) {
        (*first, *second) = (
            cosine * *first + sine * *second,
            cosine * *second - sine * *first,
        );
    }
}

/// The largest magnitude.
pub(super) fn largest(numbers: &[f64]) -> f64 {
    numbers
        .iter()
        .fold(0.0, |most, number| most.max(number.abs()))
}
