//! Two decompositions and the link between them make one.

use super::super::coupling::{Choice, Coupled, Support, largest, turn};
use super::super::secular::{Secular, exact_shares, for_each_column};
use super::Room;
use crate::vectorised::vectorised;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{MatMut, Par};

/// The decompositions of two matrices that stand one after the other on a diagonal.
pub(super) struct Halves<'a> {
    /// The values of the first and of the second.
    pub(super) values: &'a mut [f64],
    /// The vectors: the first `middle` columns are zero from row `middle` on, the others before.
    pub(super) vectors: MatMut<'a, f64>,
    /// How many rows the first has.
    pub(super) middle: usize,
    pub(super) room: Room<'a>,
}

impl Halves<'_> {
    /// Adds the link: values and vectors become those of D + ρ·z·zᵀ in the basis of the old
    /// vectors. `order` lists the columns of either half by rising value; gives that of all.
    ///
    /// Values that are as good as equal and vectors that hardly feel the link stay as they are.
    /// The others solve the secular equation; their vectors are those of a coupling for which the
    /// roots that were found are exact (Gu and Eisenstat), and so orthogonal to the last digit.
    pub(super) fn linked_by(mut self, link: f64, mut order: Vec<usize>, parts: Par) -> Vec<usize> {
        // The vector (…, 0, 1, ±1, 0, …) has the length √2: with ‖z‖ = 1, ρ is twice the link.
        let strength = 2.0 * link.abs();
        let shares = self.shares(link);
        order.sort_by(|&a, &b| self.values[a].total_cmp(&self.values[b]));
        let choice = self.deflate(shares, &order, strength);
        if !choice.coupled.is_empty() {
            self.couple(&choice, strength, parts);
        }
        order.sort_by(|&a, &b| self.values[a].total_cmp(&self.values[b]));
        order
    }

    /// The vector of the link in the basis of the vectors.
    fn shares(&self, link: f64) -> Vec<f64> {
        let share = std::f64::consts::FRAC_1_SQRT_2;
        let middle = self.middle;
        let of_column = |column| match column < middle {
            true => share * self.vectors[(middle - 1, column)],
            false => share.copysign(link) * self.vectors[(middle, column)],
        };
        (0..self.values.len()).map(of_column).collect()
    }

    /// Which vectors the link changes, by rising value, and the columns of the others.
    fn deflate(&mut self, mut shares: Vec<f64>, order: &[usize], strength: f64) -> Choice {
        let negligible = 8.0 * f64::EPSILON * largest(self.values).max(largest(&shares));
        let mut coupled: Vec<Coupled> = Vec::with_capacity(order.len());
        let mut untouched = Vec::new();
        for &column in order {
            if strength * shares[column].abs() <= negligible {
                untouched.push(column);
                continue;
            }
            let mut support = match column < self.middle {
                true => Support::First,
                false => Support::Second,
            };
            if let Some(before) = coupled.pop_if(|before| {
                let gap = self.values[column] - self.values[before.column];
                let square = shares[column].powi(2) + before.share.powi(2);
                (gap * shares[column] * before.share).abs() <= negligible * square
            }) {
                shares[column] = self.turn(&before, column, shares[column]);
                support = support.joined(before.support);
                untouched.push(before.column);
            }
            coupled.push(Coupled {
                column,
                support,
                pole: self.values[column],
                share: shares[column],
            });
        }
        Choice::new(coupled, untouched)
    }

    /// Turns the plane of two vectors of nearly one value until only the second feels the link;
    /// gives how much that does.
    fn turn(&mut self, before: &Coupled, column: usize, share: f64) -> f64 {
        let length = share.hypot(before.share);
        let (cosine, sine) = (share / length, -before.share / length);
        let columns = [before.column, column];
        turn(self.vectors.rb_mut(), columns, [cosine, sine]);
        let (first, second) = (self.values[before.column], self.values[column]);
        self.values[before.column] = first * cosine * cosine + second * sine * sine;
        self.values[column] = first * sine * sine + second * cosine * cosine;
        length
    }

    /// Puts the new vectors first and the untouched ones behind them.
    fn couple(&mut self, choice: &Choice, strength: f64, parts: Par) {
        let k = choice.coupled.len();
        let untouched = choice.untouched.iter();
        let kept: Vec<f64> = untouched.map(|&column| self.values[column]).collect();
        let (new_values, behind) = self.values.split_at_mut(k);
        behind.copy_from_slice(&kept);
        let mut rotation = self.room.rotation.rb_mut().submatrix_mut(0, 0, k, k);
        write_rotation(rotation.rb_mut(), choice, strength, new_values, parts);
        let (vectors, room) = (self.vectors.rb_mut(), self.room.vectors.rb_mut());
        choice.combine(vectors, self.middle, rotation.rb(), room, parts);
    }
}

/// Writes the vectors of diag(poles) + ρ·z·zᵀ as columns, with their entries grouped, and into
/// `values` their values.
fn write_rotation(
    mut columns: MatMut<'_, f64>,
    choice: &Choice,
    strength: f64,
    values: &mut [f64],
    parts: Par,
) {
    let coupled = &choice.coupled;
    let poles: Vec<f64> = coupled.iter().map(|one| one.pole).collect();
    let shares: Vec<f64> = coupled.iter().map(|one| one.share).collect();
    let secular = Secular {
        poles: &poles,
        weights: &shares.iter().map(|share| share * share).collect::<Vec<_>>(),
        strength,
    };
    for_each_column(columns.rb_mut(), values, parts, |j, gaps, value| {
        *value = secular.root(j, gaps);
    });
    let shares = exact_shares(columns.rb(), &poles, &shares, parts);
    for_each_column(columns, values, parts, |_, gaps, _| {
        let (vector, length) = vectorised(
            #[inline(always)]
            || {
                let entries = gaps.iter().zip(&shares);
                let vector: Vec<f64> = entries.map(|(gap, z)| z / gap).collect();
                let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
                (vector, length)
            },
        );
        for (entry, &i) in gaps.iter_mut().zip(&choice.grouped) {
            *entry = vector[i] / length;
        }
    });
}
