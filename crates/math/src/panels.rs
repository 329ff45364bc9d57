//! Rows packed side by side, so that three or four others are multiplied with up to three registers
//! of them at a time, with all products in registers.

use crate::vectorised::register_lanes;
use pulp::Simd;

/// The numbers of the widest registers that there are.
const MOST_LANES: usize = 8;

/// Rows that are multiplied with a panel at a time where there are sixteen registers: their products
/// with the widest panel take nine of them, enough to hide how long a product takes; with one row
/// more, panel and rows would have no room beside them.
pub(crate) const TILE: usize = 3;

/// The same where registers hold eight numbers, of which there are thirty-two.
pub(crate) const WIDE_TILE: usize = 4;

/// Rows of the widest panel on this processor.
pub(crate) fn widest() -> usize {
    3 * unit()
}

/// Rows that are packed side by side; panels hold one to three times as many.
fn unit() -> usize {
    register_lanes().max(4)
}

/// Some rows, column by column; unused places are infinitely long.
pub(crate) struct Panel {
    /// The number of the first row.
    pub(crate) first: usize,
    width: usize,
    values: Vec<f64>,
    /// ‖y‖²/2.
    halves: Vec<f64>,
}

/// What is done with the scores ‖y‖²/2 − x·y of the `T` rows x of a tile and the rows y of a panel.
pub(crate) trait Scored<S: Simd, const T: usize> {
    /// Takes `V` registers of scores for each row of the tile.
    fn take<const V: usize>(&mut self, simd: S, panel: &Panel, scores: &[[S::f64s; V]; T]);
}

impl Panel {
    /// Packs no more rows than the widest panel has, of which the first has a number; `squares` are
    /// their ‖y‖².
    pub(crate) fn pack(first: usize, rows: &[&[f64]], squares: &[f64]) -> Self {
        let width = rows.len().next_multiple_of(unit());
        let d = rows[0].len();
        let mut values = vec![0.0; width * d];
        let mut halves = vec![f64::INFINITY; width];
        for (place, (row, square)) in rows.iter().zip(squares).enumerate() {
            halves[place] = 0.5 * square;
            for (column, &value) in row.iter().enumerate() {
                values[column * width + place] = value;
            }
        }
        Panel {
            first,
            width,
            values,
            halves,
        }
    }

    /// Finds the scores of the rows of a tile, of as many columns.
    #[inline(always)]
    pub(crate) fn score<S: Simd, const T: usize>(
        &self,
        simd: S,
        rows: [&[f64]; T],
        taker: &mut impl Scored<S, T>,
    ) {
        match self.width / S::F64_LANES {
            1 => taker.take(simd, self, &self.scores::<S, T, 1>(simd, rows)),
            2 => taker.take(simd, self, &self.scores::<S, T, 2>(simd, rows)),
            3 => taker.take(simd, self, &self.scores::<S, T, 3>(simd, rows)),
            4 => taker.take(simd, self, &self.scores::<S, T, 4>(simd, rows)),
            6 => taker.take(simd, self, &self.scores::<S, T, 6>(simd, rows)),
            8 => taker.take(simd, self, &self.scores::<S, T, 8>(simd, rows)),
            _ => taker.take(simd, self, &self.scores::<S, T, 12>(simd, rows)),
        }
    }

    #[inline(always)]
    fn scores<S: Simd, const T: usize, const V: usize>(
        &self,
        simd: S,
        rows: [&[f64]; T],
    ) -> [[S::f64s; V]; T] {
        let d = rows[0].len();
        let rows = rows.map(|row| &row[..d]);
        let (columns, _) = S::as_simd_f64s(&self.values);
        let mut sums = [[simd.splat_f64s(0.0); V]; T];
        for (column, packed) in columns.chunks_exact(V).enumerate() {
            for row in 0..T {
                let value = simd.splat_f64s(rows[row][column]);
                for place in 0..V {
                    sums[row][place] = simd.mul_add_e_f64s(value, packed[place], sums[row][place]);
                }
            }
        }
        let (halves, _) = S::as_simd_f64s(&self.halves);
        for place in 0..V {
            for row in 0..T {
                sums[row][place] = simd.sub_f64s(halves[place], sums[row][place]);
            }
        }
        sums
    }
}

/// The rows of a tile, the first instead of those that are missing.
#[inline(always)]
pub(crate) fn tile<'a, const T: usize>(rows: &[&'a [f64]]) -> [&'a [f64]; T] {
    std::array::from_fn(|row| *rows.get(row).unwrap_or(&rows[0]))
}

/// The numbers of a register; infinity beyond its lanes.
#[inline(always)]
pub(crate) fn lanes<S: Simd>(register: S::f64s) -> [f64; MOST_LANES] {
    let mut values = [f64::INFINITY; MOST_LANES];
    S::as_mut_simd_f64s(&mut values).0[0] = register;
    values
}

/// 0, 1, 2, ... in the lanes of a register.
#[inline(always)]
pub(crate) fn counted<S: Simd>() -> S::f64s {
    let steps: [f64; MOST_LANES] = std::array::from_fn(|lane| lane as f64);
    S::as_simd_f64s(&steps).0[0]
}
