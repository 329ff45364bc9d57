//! Centres that many rows are compared with.

use super::squared::{rounding_bound, squared_euclidean, squared_norms};
use crate::panels::{Panel, Scored, TILE, WIDE_TILE, counted, lanes, tile, widest};
use didact_core::Rows;
use ndarray::{ArrayView2, CowArray, Ix2};
use pulp::{Arch, Simd, WithSimd};

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
        let rows: Vec<&[f64]> = centers
            .rows()
            .into_iter()
            .map(|row| row.to_slice().expect("centres are contiguous"))
            .collect();
        let squares_of = squares.as_slice().expect("one dimension is contiguous");
        let panels = rows.chunks(widest()).zip(squares_of.chunks(widest()));
        let panels: Vec<Panel> = panels
            .enumerate()
            .map(|(index, (rows, squares))| Panel::pack(index * widest(), rows, squares))
            .collect();
        PackedCenters {
            panels,
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
        let panels = self.panels.chunks((TURN / (widest() * d.max(1))).max(1));
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
        match S::F64_LANES {
            8 => self.compare::<S, WIDE_TILE>(simd),
            _ => self.compare::<S, TILE>(simd),
        }
    }
}

impl Comparison<'_> {
    #[inline(always)]
    fn compare<S: Simd, const T: usize>(self, simd: S) {
        for (rows, output) in self.rows.chunks(T).zip(self.output.chunks_mut(T)) {
            let mut best = BestLanes([Lanes::new(simd); T]);
            for panel in self.panels {
                panel.score(simd, tile::<T>(rows), &mut best);
            }
            for (output, best) in output.iter_mut().zip(&best.0) {
                best.merge_into(simd, output);
            }
        }
    }
}

/// What the rows of a tile have found so far.
struct BestLanes<S: Simd, const T: usize>([Lanes<S>; T]);

impl<S: Simd, const T: usize> Scored<S, T> for BestLanes<S, T> {
    #[inline(always)]
    fn take<const V: usize>(&mut self, simd: S, panel: &Panel, scores: &[[S::f64s; V]; T]) {
        for place in 0..V {
            let first = simd.splat_f64s((panel.first + place * S::F64_LANES) as f64);
            let label = simd.add_f64s(first, counted::<S>());
            for row in 0..T {
                self.0[row].add(simd, scores[row][place], label);
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

    /// Hears of the best two that others have found.
    #[inline(always)]
    fn merge(&mut self, simd: S, other: Self) {
        self.next = simd.min_f64s(self.next, other.next);
        self.add(simd, other.score, other.label);
    }

    /// Brings the lanes together by halves and puts what they found into the output.
    #[inline(always)]
    fn merge_into(&self, simd: S, output: &mut BestTwo) {
        let mut best = *self;
        let mut distance = S::F64_LANES / 2;
        while distance > 0 {
            let other = Lanes {
                score: simd.rotate_right_f64s(best.score, distance),
                next: simd.rotate_right_f64s(best.next, distance),
                label: simd.rotate_right_f64s(best.label, distance),
            };
            best.merge(simd, other);
            distance /= 2;
        }
        best.merge(
            simd,
            Lanes {
                score: simd.splat_f64s(output.score),
                next: simd.splat_f64s(output.next),
                label: simd.splat_f64s(output.label as f64),
            },
        );
        *output = BestTwo {
            label: lanes::<S>(best.label)[0] as u32 as usize,
            score: lanes::<S>(best.score)[0],
            next: lanes::<S>(best.next)[0],
        };
    }
}
