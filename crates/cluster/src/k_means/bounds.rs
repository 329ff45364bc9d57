//! The nearest centre of each row, with most distances spared by the triangle inequality.
//!
//! Each row has an upper bound of the distance to its own centre and, for each group of eight
//! centres, a lower bound of the distance to the others in the group. When centres move, bounds
//! move by as much; while the upper bound stays below all lower bounds the row keeps its centre
//! unseen, otherwise only the groups in question are measured. All bounds carry the rounding of
//! their making, so the labels are exactly those of measuring everything.

use didact_core::{Result, Run, parallel};
use didact_math::distance::squared_euclidean;
use ndarray::{Array2, ArrayView2};
use pulp::Arch;

/// Centres in a group; their distances are found side by side.
const GROUP: usize = 8;

/// Adding a drift to a bound rounds once; this covers it.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Labels and bounds of all rows.
pub(crate) struct Bounds {
    pieces: Vec<Piece>,
    piece_rows: usize,
    n_groups: usize,
    previous: Option<Array2<f64>>,
}

/// Labels and bounds of some consecutive rows.
struct Piece {
    labels: Vec<usize>,
    upper: Vec<f64>,
    /// One bound per row and group.
    lower: Vec<f64>,
}

/// The centres of an iteration in the shape that the distances are computed in.
struct Centers<'a> {
    values: &'a [f64],
    n_columns: usize,
    n_clusters: usize,
    /// For each group, for each column, the values of its eight centres; what is missing to
    /// eight is infinitely far.
    grouped: Vec<f64>,
    /// Relative error of a measured distance, generously.
    rounding: f64,
}

impl Bounds {
    pub(crate) fn new(n_rows: usize, n_columns: usize, n_clusters: usize) -> Self {
        let n_groups = n_clusters.div_ceil(GROUP);
        let work = n_columns * n_clusters;
        let piece_rows = ((1 << 21) / work.max(1)).clamp(16, 2048);
        let pieces = (0..n_rows).step_by(piece_rows).map(|first| {
            let rows = piece_rows.min(n_rows - first);
            Piece {
                labels: vec![0; rows],
                upper: vec![f64::INFINITY; rows],
                lower: vec![0.0; rows * n_groups],
            }
        });
        Bounds {
            pieces: pieces.collect(),
            piece_rows,
            n_groups,
            previous: None,
        }
    }

    /// The nearest centre of each row, the lowest where several are equally near.
    pub(crate) fn assign(
        &mut self,
        rows: ArrayView2<'_, f64>,
        centers: &Array2<f64>,
        run: &Run,
    ) -> Result<Vec<usize>> {
        let drifts = self.drifts(centers);
        let centers = Centers::new(centers);
        let (piece_rows, n_groups) = (self.piece_rows, self.n_groups);
        let values = rows.to_slice().expect("rows are contiguous");
        let d = centers.n_columns;
        parallel::fill(&mut self.pieces, 1, 1, run, |range, pieces| {
            for (index, piece) in range.zip(pieces) {
                let first = index * piece_rows;
                let rows = &values[first * d..(first + piece.labels.len()) * d];
                // The same arithmetic in the widest registers that the machine has.
                Arch::new().dispatch(|| piece.assign(rows, &centers, &drifts, n_groups));
            }
            Ok(())
        })?;
        let labels = self.pieces.iter().flat_map(|piece| &piece.labels);
        Ok(labels.copied().collect())
    }

    /// Gives a row to another cluster and forgets what was known of it.
    pub(crate) fn move_row(&mut self, row: usize, label: usize) {
        let piece = &mut self.pieces[row / self.piece_rows];
        let row = row % self.piece_rows;
        piece.labels[row] = label;
        piece.upper[row] = f64::INFINITY;
        piece.lower[row * self.n_groups..(row + 1) * self.n_groups].fill(0.0);
    }

    /// How far each centre moved since the last call, rounded up, and the most in each group.
    fn drifts(&mut self, centers: &Array2<f64>) -> Drifts {
        let rounding = 1.0 + relative_rounding(centers.ncols());
        let centers_of = |array: &Array2<f64>, index: usize| array.row(index).to_vec();
        let single: Vec<f64> = match &self.previous {
            None => vec![0.0; centers.nrows()],
            Some(previous) => (0..centers.nrows())
                .map(|index| {
                    let (from, to) = (centers_of(previous, index), centers_of(centers, index));
                    squared_euclidean(&from, &to).sqrt() * rounding
                })
                .collect(),
        };
        self.previous = Some(centers.clone());
        let most = |group: &[f64]| group.iter().copied().fold(0.0, f64::max);
        Drifts {
            groups: single.chunks(GROUP).map(most).collect(),
            single,
        }
    }
}

struct Drifts {
    single: Vec<f64>,
    groups: Vec<f64>,
}

fn relative_rounding(n_columns: usize) -> f64 {
    4.0 * (n_columns + 8) as f64 * f64::EPSILON
}

impl<'a> Centers<'a> {
    fn new(centers: &'a Array2<f64>) -> Self {
        let (n_clusters, n_columns) = centers.dim();
        let n_groups = n_clusters.div_ceil(GROUP);
        let mut grouped = vec![f64::INFINITY; n_groups * n_columns * GROUP];
        for (index, center) in centers.rows().into_iter().enumerate() {
            let base = (index / GROUP) * n_columns * GROUP + index % GROUP;
            for (column, &value) in center.iter().enumerate() {
                grouped[base + column * GROUP] = value;
            }
        }
        Centers {
            values: centers.as_slice().expect("centres are contiguous"),
            n_columns,
            n_clusters,
            grouped,
            rounding: relative_rounding(n_columns),
        }
    }

    fn center(&self, index: usize) -> &[f64] {
        &self.values[index * self.n_columns..(index + 1) * self.n_columns]
    }

    /// Squared distances of a row to the eight centres of a group.
    #[inline(always)]
    fn measure(&self, row: &[f64], group: usize, output: &mut [f64]) {
        let size = self.n_columns * GROUP;
        let block = &self.grouped[group * size..(group + 1) * size];
        let mut sums = [0.0; GROUP];
        for (&value, centers) in row.iter().zip(block.as_chunks::<GROUP>().0) {
            for lane in 0..GROUP {
                let difference = value - centers[lane];
                sums[lane] += difference * difference;
            }
        }
        output.copy_from_slice(&sums);
    }

    /// The centre of the least of the measured distances. Where rounding leaves several in
    /// question the definition decides, and exact ties go to the lowest index.
    #[inline(always)]
    fn nearest(&self, row: &[f64], distances: &[f64]) -> usize {
        let (mut label, mut least, mut second) = (0, f64::INFINITY, f64::INFINITY);
        for (index, &distance) in distances[..self.n_clusters].iter().enumerate() {
            if distance < least {
                (label, second, least) = (index, least, distance);
            } else if distance < second {
                second = distance;
            }
        }
        let doubtful = least * (1.0 + self.rounding);
        if second > doubtful {
            return label;
        }
        let mut nearest = f64::INFINITY;
        for (index, &distance) in distances[..self.n_clusters].iter().enumerate() {
            if distance <= doubtful {
                let distance = squared_euclidean(row, self.center(index));
                if distance < nearest {
                    (label, nearest) = (index, distance);
                }
            }
        }
        label
    }
}

impl Piece {
    #[inline(always)]
    fn assign(&mut self, rows: &[f64], centers: &Centers<'_>, drifts: &Drifts, n_groups: usize) {
        let mut distances = vec![f64::INFINITY; n_groups * GROUP];
        let d = centers.n_columns;
        let grow = 1.0 + centers.rounding;
        for (index, row) in rows.chunks_exact(d).enumerate() {
            let lower = &mut self.lower[index * n_groups..(index + 1) * n_groups];
            let label = self.labels[index];
            let mut least_lower = f64::INFINITY;
            for (bound, drift) in lower.iter_mut().zip(&drifts.groups) {
                *bound = ((*bound - drift) * (1.0 - ROUNDING)).max(0.0);
                least_lower = if *bound < least_lower {
                    *bound
                } else {
                    least_lower
                };
            }
            let mut upper = (self.upper[index] + drifts.single[label]) * (1.0 + ROUNDING);
            if upper >= least_lower {
                let own = squared_euclidean(row, centers.center(label));
                upper = own.sqrt() * grow;
                if upper >= least_lower {
                    let label = search(row, label, own, upper, lower, centers, &mut distances);
                    self.labels[index] = label.0;
                    upper = label.1;
                }
            }
            self.upper[index] = upper;
        }
    }
}

/// The least of eight distances, none of which is NaN: halves are compared side by side.
#[inline(always)]
fn least_of(distances: &[f64; GROUP]) -> f64 {
    let less = |a: f64, b: f64| if a < b { a } else { b };
    let mut least = *distances;
    for width in [4, 2, 1] {
        for lane in 0..width {
            least[lane] = less(least[lane], least[lane + width]);
        }
    }
    least[0]
}

/// Measures the groups that may hold a nearer centre than the present one, at squared distance
/// `own`; renews the lower bounds and returns the label and its upper bound.
#[inline(always)]
fn search(
    row: &[f64],
    label: usize,
    own: f64,
    upper: f64,
    lower: &mut [f64],
    centers: &Centers<'_>,
    distances: &mut [f64],
) -> (usize, f64) {
    for (group, bound) in lower.iter().enumerate() {
        let output = &mut distances[group * GROUP..(group + 1) * GROUP];
        match *bound <= upper {
            true => centers.measure(row, group, output),
            false => output.fill(f64::INFINITY),
        }
    }
    distances[label] = own;
    let nearest = centers.nearest(row, distances);
    let distance = distances[nearest];
    // Only centres that are not the row's own count for the lower bounds.
    distances[nearest] = f64::INFINITY;
    for (bound, distances) in lower.iter_mut().zip(distances.as_chunks::<GROUP>().0) {
        let least = least_of(distances).sqrt();
        let least = least * (1.0 - centers.rounding);
        // A group that was not measured keeps its bound, unless the old centre was in it.
        *bound = match *bound <= upper {
            true => least,
            false => bound.min(least),
        };
    }
    (nearest, distance.sqrt() * (1.0 + centers.rounding))
}
