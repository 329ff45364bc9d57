//! Centres laid out so that three rows are compared with up to twelve of them at a time, with all
//! products in registers.

use super::squared::{rounding_bound, squared_euclidean, squared_norms};
use didact_core::Rows;
use ndarray::{ArrayView2, CowArray, Ix2};
use pulp::{Arch, Scalar, Simd, WithSimd};

/// Centres that are packed side by side; panels hold one to three times as many.
const UNIT: usize = 4;

/// Centres of the widest panel.
const WIDEST: usize = 3 * UNIT;

/// Rows that are compared at a time: their scores for the widest panel take nine of the sixteen
/// registers of a common machine, enough to hide how long a product takes; with one row more,
/// centres and rows would have no room beside them.
const TILE: usize = 3;

/// Panels are gone through in turns of about so many values, which stay in the second cache.
const TURN: usize = 1 << 15;

/// Centres in the shape in which many rows are compared with all of them.
///
/// The score of a centre is ‖c‖²/2 − x·c, which is half of ‖x − c‖² − ‖x‖².
///
/// ```
/// use didact_math::distance::PackedCenters;
/// use ndarray::array;
/// let centers = array![[0.0], [2.0], [8.0]];
/// let centers = PackedCenters::new(centers.view());
/// let mut best = [Default::default()];
/// centers.compare(&[&[3.0]], &mut best);
/// assert_eq!((best[0].label, best[0].score, best[0].next), (1, -4.0, 0.0));
/// ```
pub struct PackedCenters<'a> {
    centers: CowArray<'a, f64, Ix2>,
    panels: Vec<Panel>,
    largest_norm: f64,
}

/// Up to twelve centres, column by column; unused places are infinitely far away.
struct Panel {
    first: usize,
    width: usize,
    values: Vec<f64>,
    /// ‖c‖²/2.
    halves: Vec<f64>,
}

/// The best two scores of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestTwo {
    /// A centre with the least score.
    pub label: usize,
    /// Its score.
    pub score: f64,
    /// The least score of the other centres, infinite where there are none.
    pub next: f64,
}

impl Default for BestTwo {
    fn default() -> Self {
        BestTwo {
            label: 0,
            score: f64::INFINITY,
            next: f64::INFINITY,
        }
    }
}

impl<'a> PackedCenters<'a> {
    /// Packs centres, the rows of a matrix.
    ///
    /// # Panics
    /// When there is none.
    pub fn new(centers: ArrayView2<'a, f64>) -> Self {
        assert!(centers.nrows() > 0, "there must be at least one centre");
        let centers = match centers.is_standard_layout() {
            true => CowArray::from(centers),
            false => CowArray::from(centers.as_standard_layout().into_owned()),
        };
        let squares = squared_norms(Rows::Dense(centers.view()));
        let panels = (0..centers.nrows()).step_by(WIDEST).map(|first| {
            let used = WIDEST.min(centers.nrows() - first);
            let width = used.next_multiple_of(UNIT);
            let mut values = vec![0.0; width * centers.ncols()];
            let mut halves = vec![f64::INFINITY; width];
            for place in 0..used {
                halves[place] = 0.5 * squares[first + place];
                let center = centers.row(first + place);
                for (column, &value) in center.iter().enumerate() {
                    values[column * width + place] = value;
                }
            }
            Panel {
                first,
                width,
                values,
                halves,
            }
        });
        PackedCenters {
            panels: panels.collect(),
            largest_norm: squares.iter().copied().fold(0.0, f64::max).sqrt(),
            centers,
        }
    }

    /// One of the centres.
    pub fn center(&self, index: usize) -> &[f64] {
        let d = self.centers.ncols();
        let values = self.centers.as_slice().expect("centres are contiguous");
        &values[index * d..(index + 1) * d]
    }

    /// How far twice a score of a row of this length, with ‖x‖² added, may be from the squared
    /// distance.
    pub fn doubt(&self, norm: f64) -> f64 {
        rounding_bound(self.centers.ncols(), norm, self.largest_norm)
    }

    /// The length of the longest centre.
    pub fn largest_norm(&self) -> f64 {
        self.largest_norm
    }

    /// Finds the best two scores of every row.
    ///
    /// # Panics
    /// When a row has another number of columns than the centres, or there is not one place of
    /// output for every row.
    pub fn compare(&self, rows: &[&[f64]], output: &mut [BestTwo]) {
        let d = self.centers.ncols();
        assert_eq!(rows.len(), output.len(), "one place for every row");
        assert!(
            rows.iter().all(|row| row.len() == d),
            "rows and centres differ in columns"
        );
        output.fill(BestTwo::default());
        let panels = self.panels.chunks((TURN / (WIDEST * d.max(1))).max(1));
        for panels in panels {
            Arch::new().dispatch(Comparison {
                panels,
                rows,
                output: &mut *output,
            });
        }
    }

    /// The nearest centre by the definition, the lowest where several are equally near.
    pub fn nearest_by_definition(&self, row: &[f64]) -> usize {
        let mut label = 0;
        let mut least = f64::INFINITY;
        for index in 0..self.centers.nrows() {
            let distance = squared_euclidean(row, self.center(index));
            if distance < least {
                (label, least) = (index, distance);
            }
        }
        label
    }
}

/// Rows that are to be compared with the centres of some panels.
struct Comparison<'a> {
    panels: &'a [Panel],
    rows: &'a [&'a [f64]],
    output: &'a mut [BestTwo],
}

impl WithSimd for Comparison<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if !UNIT.is_multiple_of(S::F64_LANES) {
            return self.with_simd(Scalar::new());
        }
        for (rows, output) in self.rows.chunks(TILE).zip(self.output.chunks_mut(TILE)) {
            // The last tile is filled up with its first row.
            let tile: [&[f64]; TILE] =
                std::array::from_fn(|row| *rows.get(row).unwrap_or(&rows[0]));
            let mut best = [Lanes::new(simd); TILE];
            for panel in self.panels {
                match panel.width / S::F64_LANES {
                    1 => panel.compare::<S, 1>(simd, tile, &mut best),
                    2 => panel.compare::<S, 2>(simd, tile, &mut best),
                    3 => panel.compare::<S, 3>(simd, tile, &mut best),
                    4 => panel.compare::<S, 4>(simd, tile, &mut best),
                    6 => panel.compare::<S, 6>(simd, tile, &mut best),
                    8 => panel.compare::<S, 8>(simd, tile, &mut best),
                    _ => panel.compare::<S, 12>(simd, tile, &mut best),
                }
            }
            for (output, best) in output.iter_mut().zip(&best) {
                best.merge_into(output);
            }
        }
    }
}

/// The best two of the centres that a lane of a register has seen.
#[derive(Clone, Copy)]
struct Lanes<S: Simd> {
    score: S::f64s,
    next: S::f64s,
    label: S::f64s,
}

impl<S: Simd> Lanes<S> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        Lanes {
            score: simd.splat_f64s(f64::INFINITY),
            next: simd.splat_f64s(f64::INFINITY),
            label: simd.splat_f64s(0.0),
        }
    }

    /// Hears of one centre per lane.
    #[inline(always)]
    fn add(&mut self, simd: S, score: S::f64s, label: S::f64s) {
        let better = simd.less_than_f64s(score, self.score);
        let worse = simd.select_f64s(better, self.score, score);
        self.next = simd.min_f64s(self.next, worse);
        self.score = simd.select_f64s(better, score, self.score);
        self.label = simd.select_f64s(better, label, self.label);
    }

    #[inline(always)]
    fn merge_into(&self, output: &mut BestTwo) {
        let values = |vector: S::f64s| {
            let mut values = [f64::INFINITY; UNIT];
            S::as_mut_simd_f64s(&mut values).0[0] = vector;
            values
        };
        let (scores, nexts, labels) = (values(self.score), values(self.next), values(self.label));
        let (mut score, mut next) = (output.score, output.next);
        let mut label = output.label as f64;
        for lane in 0..S::F64_LANES {
            let better = scores[lane] < score;
            let worse = if better { score } else { scores[lane] };
            label = if better { labels[lane] } else { label };
            score = if better { scores[lane] } else { score };
            next = if worse < next { worse } else { next };
            next = if nexts[lane] < next {
                nexts[lane]
            } else {
                next
            };
        }
        *output = BestTwo {
            label: label as u32 as usize,
            score,
            next,
        };
    }
}

impl Panel {
    /// Compares the rows of a tile with the centres, of which `V` registers hold one column.
    #[inline(always)]
    fn compare<S: Simd, const V: usize>(
        &self,
        simd: S,
        rows: [&[f64]; TILE],
        best: &mut [Lanes<S>; TILE],
    ) {
        let d = rows[0].len();
        let rows = rows.map(|row| &row[..d]);
        let (columns, _) = S::as_simd_f64s(&self.values);
        let mut sums = [[simd.splat_f64s(0.0); V]; TILE];
        for (column, centers) in columns.chunks_exact(V).enumerate() {
            for row in 0..TILE {
                let value = simd.splat_f64s(rows[row][column]);
                for place in 0..V {
                    sums[row][place] = simd.mul_add_e_f64s(value, centers[place], sums[row][place]);
                }
            }
        }
        let (halves, _) = S::as_simd_f64s(&self.halves);
        let steps: [f64; UNIT] = std::array::from_fn(|lane| lane as f64);
        let (steps, _) = S::as_simd_f64s(&steps);
        for place in 0..V {
            let first = simd.splat_f64s((self.first + place * S::F64_LANES) as f64);
            let label = simd.add_f64s(first, steps[0]);
            for row in 0..TILE {
                let score = simd.sub_f64s(halves[place], sums[row][place]);
                best[row].add(simd, score, label);
            }
        }
    }
}
