//! Two decompositions and the link between them make one.

use super::secular::Secular;
use crate::vectorised::vectorised;
use faer::linalg::matmul::matmul;
use faer::prelude::ReborrowMut;
use faer::{Accum, ColMut, Mat, MatMut, Par};
use rayon::prelude::*;

/// From this many roots on they are shared out.
const SHARED: usize = 64;

/// How many roots one task finds.
const ROOTS_PER_TASK: usize = 16;

/// The decompositions of two matrices that stand one after the other on a diagonal.
pub(super) struct Halves<'a> {
    /// The values of the first and of the second.
    pub(super) values: &'a mut [f64],
    /// The vectors: the first `middle` columns are zero from row `middle` on, the others before.
    pub(super) vectors: MatMut<'a, f64>,
    /// How many rows the first has.
    pub(super) middle: usize,
}

/// In which rows a vector is not zero by construction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Support {
    First,
    Both,
    Second,
}

/// A vector that feels the link.
struct Coupled {
    column: usize,
    support: Support,
    /// The value it had without the link.
    pole: f64,
    /// How much it feels, z.
    share: f64,
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
        let (coupled, untouched) = self.deflate(shares, &order, strength);
        if !coupled.is_empty() {
            self.couple(&coupled, &untouched, strength, parts);
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
    fn deflate(
        &mut self,
        mut shares: Vec<f64>,
        order: &[usize],
        strength: f64,
    ) -> (Vec<Coupled>, Vec<usize>) {
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
                if before.support != support {
                    support = Support::Both;
                }
                untouched.push(before.column);
            }
            coupled.push(Coupled {
                column,
                support,
                pole: self.values[column],
                share: shares[column],
            });
        }
        (coupled, untouched)
    }

    /// Turns the plane of two vectors of nearly one value until only the second feels the link;
    /// gives how much that does.
    fn turn(&mut self, before: &Coupled, column: usize, share: f64) -> f64 {
        let length = share.hypot(before.share);
        let (cosine, sine) = (share / length, -before.share / length);
        let (first, second) = self.vectors.rb_mut().two_cols_mut(before.column, column);
        for (first, second) in first.iter_mut().zip(second.iter_mut()) {
            (*first, *second) = (
                cosine * *first + sine * *second,
                cosine * *second - sine * *first,
            );
        }
        let (first, second) = (self.values[before.column], self.values[column]);
        self.values[before.column] = first * cosine * cosine + second * sine * sine;
        self.values[column] = first * sine * sine + second * cosine * cosine;
        length
    }

    /// Puts the new vectors first and the untouched ones behind them.
    fn couple(&mut self, coupled: &[Coupled], untouched: &[usize], strength: f64, parts: Par) {
        let (n, k) = (self.values.len(), coupled.len());
        // Vectors of the same support stand together, so that two products of half the height do.
        let mut grouped: Vec<usize> = (0..k).collect();
        grouped.sort_by_key(|&i| coupled[i].support);
        let old = Mat::from_fn(n, k, |row, place| {
            self.vectors[(row, coupled[grouped[place]].column)]
        });
        let kept = Mat::from_fn(n, n - k, |row, place| self.vectors[(row, untouched[place])]);
        let kept_values: Vec<f64> = untouched
            .iter()
            .map(|&column| self.values[column])
            .collect();
        let (new_values, behind) = self.values.split_at_mut(k);
        let rotation = rotation(coupled, &grouped, strength, new_values, parts);
        behind.copy_from_slice(&kept_values);
        let (new, mut behind) = self.vectors.rb_mut().split_at_col_mut(k);
        behind.copy_from(&kept);
        let before = |support| coupled.iter().filter(|one| one.support < support).count();
        let (second, first) = (before(Support::Both), before(Support::Second));
        let (top, bottom) = new.split_at_row_mut(self.middle);
        let (old_top, old_bottom) = old.as_ref().split_at_row(self.middle);
        for (new, old, rotation) in [
            (
                top,
                old_top.subcols(0, first),
                rotation.as_ref().subrows(0, first),
            ),
            (
                bottom,
                old_bottom.subcols(second, k - second),
                rotation.as_ref().subrows(second, k - second),
            ),
        ] {
            matmul(new, Accum::Replace, old, rotation, 1.0, parts);
        }
    }
}

fn largest(numbers: &[f64]) -> f64 {
    numbers
        .iter()
        .fold(0.0, |most, number| most.max(number.abs()))
}

/// The vectors of diag(poles) + ρ·z·zᵀ as columns, with their entries in the order of `grouped`,
/// and into `values` their values.
fn rotation(
    coupled: &[Coupled],
    grouped: &[usize],
    strength: f64,
    values: &mut [f64],
    parts: Par,
) -> Mat<f64> {
    let k = coupled.len();
    let poles: Vec<f64> = coupled.iter().map(|one| one.pole).collect();
    let secular = Secular {
        poles: &poles,
        weights: &coupled
            .iter()
            .map(|one| one.share.powi(2))
            .collect::<Vec<_>>(),
        strength,
    };
    let mut columns = Mat::<f64>::zeros(k, k);
    for_each_column(columns.as_mut(), values, parts, |j, gaps, value| {
        *value = secular.root(j, gaps);
    });
    let shares = exact_shares(&columns, &poles, coupled);
    for_each_column(columns.as_mut(), values, parts, |_, gaps, _| {
        let vector: Vec<f64> = gaps.iter().zip(&shares).map(|(gap, z)| z / gap).collect();
        let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        for (entry, &i) in gaps.iter_mut().zip(grouped) {
            *entry = vector[i] / length;
        }
    });
    columns
}

/// The zᵢ for which the roots that were found are exact (Löwner):
/// ρ·zᵢ² = Πⱼ (λⱼ − δᵢ) ⁄ Πⱼ≠ᵢ (δⱼ − δᵢ), up to ρ, from the differences δᵢ − λⱼ.
fn exact_shares(gaps: &Mat<f64>, poles: &[f64], coupled: &[Coupled]) -> Vec<f64> {
    let mut squares = vec![1.0; poles.len()];
    for (j, &pole) in poles.iter().enumerate() {
        let gaps = gaps.col_as_slice(j);
        vectorised(
            #[inline(always)]
            || {
                for range in [0..j, j + 1..poles.len()] {
                    let terms = gaps[range.clone()].iter().zip(&poles[range.clone()]);
                    for (square, (gap, other)) in squares[range].iter_mut().zip(terms) {
                        *square *= gap / (other - pole);
                    }
                }
            },
        );
        squares[j] *= -gaps[j];
    }
    let signed = squares.iter().zip(coupled);
    signed
        .map(|(square, one)| square.max(0.0).sqrt().copysign(one.share))
        .collect()
}

/// Works on every column and its value, on all threads where that is worth while.
fn for_each_column(
    columns: MatMut<'_, f64>,
    values: &mut [f64],
    parts: Par,
    work: impl Fn(usize, &mut [f64], &mut f64) + Sync,
) {
    let one = |j: usize, column: ColMut<'_, f64>, value: &mut f64| {
        let column = column.try_as_col_major_mut().expect("whole columns");
        work(j, column.as_slice_mut(), value);
    };
    if parts == Par::Seq || values.len() < SHARED {
        for (j, (column, value)) in columns.col_iter_mut().zip(values).enumerate() {
            one(j, column, value);
        }
        return;
    }
    columns
        .par_col_chunks_mut(ROOTS_PER_TASK)
        .zip(values.par_chunks_mut(ROOTS_PER_TASK))
        .enumerate()
        .for_each(|(task, (columns, values))| {
            for (j, (column, value)) in columns.col_iter_mut().zip(values).enumerate() {
                one(task * ROOTS_PER_TASK + j, column, value);
            }
        });
}
