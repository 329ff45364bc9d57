//! Two decompositions and the row between them make one.

use super::super::coupling::{Choice, Coupled, Support, largest, turn};
use super::super::secular::{Secular, exact_shares, for_each_column};
use super::Room;
use crate::vectorised::vectorised;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{MatMut, MatRef, Par};

/// What is smaller than this, relative to the largest value, is rounding.
const NEGLIGIBLE: f64 = 8.0 * f64::EPSILON;

/// The decompositions of two matrices that stand one after the other on a diagonal, with a row between
/// them that belongs to the first.
pub(super) struct Halves<'a> {
    /// The values of the first, a zero for the row, and the values of the second.
    pub(super) values: &'a mut [f64],
    /// The vectors: the first `middle` columns are zero from row `middle` on, the others before. On the
    /// right side there may be one more, which both matrices map to zero.
    pub(super) u: MatMut<'a, f64>,
    pub(super) v: MatMut<'a, f64>,
    /// How many rows the first has, with the row between them as the last.
    pub(super) middle: usize,
    pub(super) room: Room<'a>,
}

impl Halves<'_> {
    /// Adds the row, which has one entry α in the last column of the first matrix and one entry β in the
    /// first column of the second. In the basis of the vectors what is to be decomposed is
    /// diag(d) with z as the first row, where d begins with zero: its squares are the values of
    /// diag(d²) + z·zᵀ. `order` lists the columns of either half by rising value; gives that of all.
    pub(super) fn linked_by(
        mut self,
        [alpha, beta]: [f64; 2],
        mut order: Vec<usize>,
        parts: Par,
    ) -> Vec<usize> {
        // Squares must neither overflow nor vanish.
        let scale = largest(self.values).max(alpha.abs()).max(beta.abs());
        if scale > 0.0 {
            self.values.iter_mut().for_each(|value| *value /= scale);
            let shares = self.shares(alpha / scale, beta / scale);
            order.sort_by(|&a, &b| self.values[a].total_cmp(&self.values[b]));
            let choice = self.deflate(shares, &order);
            self.couple(&choice, parts);
            self.values.iter_mut().for_each(|value| *value *= scale);
        }
        let mut all: Vec<usize> = (0..self.values.len()).collect();
        all.sort_by(|&a, &b| self.values[a].total_cmp(&self.values[b]));
        all
    }

    /// The row in the basis of the vectors of the right side. Of the two that are mapped to zero, the one
    /// that feels the row is in the last column of the first half; the other one stays such a vector.
    fn shares(&mut self, alpha: f64, beta: f64) -> Vec<f64> {
        let (n, middle) = (self.values.len(), self.middle);
        let of_column = |v: MatRef<'_, f64>, column| match column < middle {
            true => alpha * v[(middle - 1, column)],
            false => beta * v[(middle, column)],
        };
        let mut shares: Vec<f64> = (0..n)
            .map(|column| of_column(self.v.rb(), column))
            .collect();
        if self.v.ncols() > n {
            let (first, second) = (shares[middle - 1], of_column(self.v.rb(), n));
            let length = first.hypot(second);
            if length > 0.0 {
                let angle = [first / length, second / length];
                turn(self.v.rb_mut(), [middle - 1, n], angle);
                shares[middle - 1] = length;
            }
        }
        shares
    }

    /// Which vectors the row changes, by rising value, and the columns of the others.
    fn deflate(&mut self, mut shares: Vec<f64>, order: &[usize]) -> Choice {
        let row = self.middle - 1;
        let mut coupled = vec![Coupled {
            column: row,
            support: Support::Both,
            pole: 0.0,
            // Without it the row would not be there.
            share: shares[row].abs().max(NEGLIGIBLE).copysign(shares[row]),
        }];
        let mut untouched = Vec::new();
        for &column in order {
            if shares[column].abs() <= NEGLIGIBLE {
                untouched.push(column);
                continue;
            }
            let mut support = match column < self.middle {
                true => Support::First,
                false => Support::Second,
            };
            let is_near = |before: &mut Coupled| {
                before.column != row && self.values[column] - before.pole <= NEGLIGIBLE
            };
            if let Some(before) = coupled.pop_if(is_near) {
                let length = shares[column].hypot(before.share);
                let angle = [shares[column] / length, -before.share / length];
                for vectors in [self.u.rb_mut(), self.v.rb_mut()] {
                    turn(vectors, [before.column, column], angle);
                }
                shares[column] = length;
                support = support.joined(before.support);
                untouched.push(before.column);
            }
            coupled.push(Coupled {
                column,
                support,
                // No square may come too near to that of the row.
                pole: self.values[column].max(0.5 * NEGLIGIBLE),
                share: shares[column],
            });
        }
        Choice::new(coupled, untouched)
    }

    /// Puts the new vectors first and the untouched ones behind them.
    fn couple(&mut self, choice: &Choice, parts: Par) {
        let (n, k) = (self.values.len(), choice.coupled.len());
        let untouched = choice.untouched.iter();
        let kept: Vec<f64> = untouched.map(|&column| self.values[column]).collect();
        let (values, behind) = self.values.split_at_mut(k);
        behind.copy_from_slice(&kept);
        let values_of: Vec<f64> = choice.coupled.iter().map(|one| one.pole).collect();
        let squares: Vec<f64> = values_of.iter().map(|value| value * value).collect();
        let shares: Vec<f64> = choice.coupled.iter().map(|one| one.share).collect();
        let secular = Secular {
            poles: &squares,
            weights: &shares.iter().map(|share| share * share).collect::<Vec<_>>(),
            strength: 1.0,
        };
        let mut gaps = self.room.gaps.rb_mut().submatrix_mut(0, 0, k, k);
        for_each_column(gaps.rb_mut(), values, parts, |j, gaps, value| {
            *value = secular.root(j, gaps).sqrt();
        });
        let shares = exact_shares(gaps.rb(), &squares, &shares, parts);
        let mut rotation = self.room.rotation.rb_mut().submatrix_mut(0, 0, k, k);
        // On the right side zⱼ ⁄ (dⱼ² − σ²), on the left dⱼ·zⱼ ⁄ (dⱼ² − σ²) and −1 for the row.
        let left: Vec<f64> = shares.iter().zip(&values_of).map(|(z, d)| z * d).collect();
        for (vectors, factors, of_row) in [
            (&mut self.v, &shares, None),
            (&mut self.u, &left, Some(-1.0)),
        ] {
            for_each_column(rotation.rb_mut(), values, parts, |j, column, _| {
                let gaps = gaps.rb().col(j).try_as_col_major().expect("whole columns");
                write_vector(column, gaps.as_slice(), factors, of_row, &choice.grouped);
            });
            let vectors = vectors.rb_mut().subcols_mut(0, n);
            let (height, room) = (vectors.nrows(), self.room.vectors.rb_mut());
            let room = room.submatrix_mut(0, 0, height, n);
            choice.combine(vectors, self.middle, rotation.rb(), room, parts);
        }
    }
}

/// Writes the vector of length one in the direction of factorⱼ ⁄ gapⱼ, with its entries grouped.
fn write_vector(
    column: &mut [f64],
    gaps: &[f64],
    factors: &[f64],
    of_row: Option<f64>,
    grouped: &[usize],
) {
    let (mut vector, mut square) = (vec![0.0; gaps.len()], 0.0);
    vectorised(
        #[inline(always)]
        || {
            for ((entry, gap), factor) in vector.iter_mut().zip(gaps).zip(factors) {
                *entry = factor / gap;
            }
        },
    );
    if let Some(entry) = of_row {
        vector[0] = entry;
    }
    vector.iter().for_each(|entry| square += entry * entry);
    let length = square.sqrt();
    for (entry, &i) in column.iter_mut().zip(grouped) {
        *entry = vector[i] / length;
    }
}
