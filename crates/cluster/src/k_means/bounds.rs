//! The nearest centre of each row, with most rows spared by the triangle inequality.
//!
//! Each row has an upper bound of the distance to its own centre and a lower bound of the
//! distance to every other one. When centres move, bounds move by as much; while the upper bound
//! stays below the lower one the row keeps its centre unseen, otherwise it is compared with all
//! centres. All bounds carry the rounding of their making, so the labels are exactly those of
//! measuring everything.

use didact_core::{Result, Run, parallel};
use didact_math::distance::{BestTwo, PackedCenters, squared_euclidean};
use didact_math::numeric::dot;
use ndarray::{Array2, ArrayView2};

/// Rows that are compared with the centres at a time.
const BLOCK: usize = 64;

/// With so many centres it pays to measure the own one before all others.
const MANY: usize = 24;

/// Adding a drift to a bound rounds once; this covers it.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Labels and bounds of all rows.
pub(crate) struct Bounds {
    pieces: Vec<Piece>,
    piece_rows: usize,
    previous: Option<Array2<f64>>,
}

/// Labels and bounds of some consecutive rows.
struct Piece {
    labels: Vec<usize>,
    upper: Vec<f64>,
    lower: Vec<f64>,
    /// ‖x‖², once the rows were seen.
    squares: Vec<f64>,
    largest_norm: f64,
}

impl Bounds {
    pub(crate) fn new(n_rows: usize, n_columns: usize, n_clusters: usize) -> Self {
        let work = n_columns * n_clusters;
        let piece_rows = ((1 << 21) / work.max(1)).clamp(BLOCK, 2048);
        let pieces = (0..n_rows).step_by(piece_rows).map(|first| {
            let rows = piece_rows.min(n_rows - first);
            Piece {
                labels: vec![0; rows],
                upper: vec![f64::INFINITY; rows],
                lower: vec![0.0; rows],
                squares: Vec::new(),
                largest_norm: 0.0,
            }
        });
        Bounds {
            pieces: pieces.collect(),
            piece_rows,
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
        let packed = PackedCenters::new(centers.view());
        let piece_rows = self.piece_rows;
        let values = rows.to_slice().expect("rows are contiguous");
        let d = centers.ncols();
        parallel::fill(&mut self.pieces, 1, 1, run, |range, pieces| {
            for (index, piece) in range.zip(pieces) {
                let first = index * piece_rows;
                let rows = &values[first * d..(first + piece.labels.len()) * d];
                piece.assign(Table { values: rows, d }, &packed, &drifts);
            }
            Ok(())
        })?;
        let mut labels = Vec::with_capacity(rows.nrows());
        for piece in &self.pieces {
            labels.extend_from_slice(&piece.labels);
        }
        Ok(labels)
    }

    /// Gives a row to another cluster and forgets what was known of it.
    pub(crate) fn move_row(&mut self, row: usize, label: usize) {
        let piece = &mut self.pieces[row / self.piece_rows];
        let row = row % self.piece_rows;
        piece.labels[row] = label;
        piece.upper[row] = f64::INFINITY;
        piece.lower[row] = 0.0;
    }

    /// How far each centre moved since the last call, rounded up.
    fn drifts(&mut self, centers: &Array2<f64>) -> Drifts {
        let rounding = 1.0 + relative_rounding(centers.ncols());
        let single: Vec<f64> = match &self.previous {
            None => vec![0.0; centers.nrows()],
            Some(previous) => previous
                .rows()
                .into_iter()
                .zip(centers.rows())
                .map(|(from, to)| {
                    let from = from.to_slice().expect("centres are contiguous");
                    let to = to.to_slice().expect("centres are contiguous");
                    squared_euclidean(from, to).sqrt() * rounding
                })
                .collect(),
        };
        self.previous = Some(centers.clone());
        let largest = |list: &[f64]| list.iter().copied().fold(0.0, f64::max);
        let most = largest(&single);
        // Of the other centres of a row none moves more than the farthest, and where that is its
        // own, none more than the second.
        let others = (0..single.len())
            .map(|index| match single[index] < most {
                true => most,
                false => largest(&single[..index]).max(largest(&single[index + 1..])),
            })
            .collect();
        Drifts { single, others }
    }
}

/// How far centres moved.
struct Drifts {
    single: Vec<f64>,
    /// The most that any other centre moved.
    others: Vec<f64>,
}

/// Consecutive rows of `d` values.
#[derive(Clone, Copy)]
struct Table<'a> {
    values: &'a [f64],
    d: usize,
}

impl<'a> Table<'a> {
    fn row(self, index: usize) -> &'a [f64] {
        &self.values[index * self.d..(index + 1) * self.d]
    }
}

fn relative_rounding(n_columns: usize) -> f64 {
    4.0 * (n_columns + 8) as f64 * f64::EPSILON
}

impl Piece {
    fn assign(&mut self, rows: Table<'_>, centers: &PackedCenters<'_>, drifts: &Drifts) {
        if self.squares.is_empty() {
            self.squares = (0..self.labels.len())
                .map(|row| dot(rows.row(row), rows.row(row)))
                .collect();
            self.largest_norm = self.squares.iter().copied().fold(0.0, f64::max).sqrt();
        }
        let mut doubtful = self.follow(drifts);
        if drifts.single.len() >= MANY {
            self.tighten(rows, centers, &mut doubtful);
        }
        let mut best = [BestTwo::default(); BLOCK];
        let mut block: Vec<&[f64]> = Vec::with_capacity(BLOCK);
        for members in doubtful.chunks(BLOCK) {
            block.clear();
            block.extend(members.iter().map(|&row| rows.row(row)));
            let best = &mut best[..members.len()];
            centers.compare(&block, best);
            self.renew(members, &block, best, centers);
        }
    }

    /// Moves the bounds as the centres moved; returns the rows that may have another centre now.
    fn follow(&mut self, drifts: &Drifts) -> Vec<usize> {
        let mut doubtful = vec![0; self.labels.len()];
        let mut count = 0;
        let bounds = self.upper.iter_mut().zip(&mut self.lower);
        for (row, ((upper, lower), &label)) in bounds.zip(&self.labels).enumerate() {
            *upper = (*upper + drifts.single[label]) * (1.0 + ROUNDING);
            *lower = (*lower - drifts.others[label]) * (1.0 - ROUNDING);
            // Without a branch, which no processor could foresee.
            doubtful[count] = row;
            count += usize::from(*upper >= *lower);
        }
        doubtful.truncate(count);
        doubtful
    }

    /// Measures the own centre of the rows in question, which settles most of them.
    fn tighten(&mut self, rows: Table<'_>, centers: &PackedCenters<'_>, doubtful: &mut Vec<usize>) {
        let grow = 1.0 + relative_rounding(rows.d);
        doubtful.retain(|&row| {
            // A row that was never measured is in question whatever comes out.
            if self.upper[row] == f64::INFINITY {
                return true;
            }
            let own = squared_euclidean(rows.row(row), centers.center(self.labels[row]));
            self.upper[row] = own.sqrt() * grow;
            self.upper[row] >= self.lower[row]
        });
    }

    /// Takes over what comparing the rows with all centres has found.
    fn renew(
        &mut self,
        members: &[usize],
        rows: &[&[f64]],
        best: &[BestTwo],
        centers: &PackedCenters<'_>,
    ) {
        let doubt = centers.doubt(self.largest_norm);
        for ((&row, values), best) in members.iter().zip(rows).zip(best) {
            let square = self.squares[row];
            let (least, next) = (square + 2.0 * best.score, square + 2.0 * best.next);
            if next - least > 2.0 * doubt {
                self.labels[row] = best.label;
                self.upper[row] = (least + doubt).max(0.0).sqrt() * (1.0 + ROUNDING);
                self.lower[row] = (next - doubt).max(0.0).sqrt() * (1.0 - ROUNDING);
            } else {
                // Exact ties go to the lowest index, and the row is compared again next time.
                self.labels[row] = centers.nearest_by_definition(values);
                self.upper[row] = f64::INFINITY;
                self.lower[row] = 0.0;
            }
        }
    }
}
