//! A few rows at a time, side by side: one column after the other, so that every inner loop runs
//! over neighbouring rows and needs no sum across the lanes of a register.

use super::components::{Components, Whitening};
use didact_math::linalg::{Accumulate, matmul_into};
use didact_math::vectorised::{exponential, vectorised};
use ndarray::{Array2, Array3, ArrayView1, ArrayView2, ArrayViewMut1, Axis, s};

/// Rows that are computed side by side. A block is filled up to a multiple of it with rows of
/// zeros that no component has a share in.
const LANES: usize = 8;

/// Up to this many columns loops over a triangle beat matrix products.
const SMALL: usize = 24;

/// What the rows of a block have together.
#[derive(Default)]
pub(super) struct Shared {
    /// Σ w.
    pub(super) weight: f64,
    /// Σ w·ln p(x).
    pub(super) log_likelihood: f64,
    /// The least ln p(x), and the row that has it.
    pub(super) worst: Option<(f64, usize)>,
}

/// Room for a block of rows, used again for every block of a chunk.
pub(super) struct Block {
    n_rows: usize,
    /// One line per column.
    rows: Array2<f64>,
    /// Rows less the mean of each component: per component one line per column.
    centred: Array3<f64>,
    /// Whitened rows, later rows times their shares, one line per column.
    scratch: Array2<f64>,
    /// ln πₖ N(x), then w·rₖ, one line per component.
    scores: Array2<f64>,
    /// One value per row.
    largest: Vec<f64>,
    totals: Vec<f64>,
}

impl Block {
    /// Room for `size` rows.
    pub(super) fn new(components: &Components, size: usize) -> Self {
        let (k, d) = components.means.dim();
        let size = size.next_multiple_of(LANES);
        Block {
            n_rows: 0,
            rows: Array2::zeros((d, size)),
            centred: Array3::zeros((k, d, size)),
            scratch: Array2::zeros((d, size)),
            scores: Array2::zeros((k, size)),
            largest: vec![0.0; size],
            totals: vec![0.0; size],
        }
    }

    /// Takes rows in, and rows of zeros up to whole lanes.
    pub(super) fn load(&mut self, rows: ArrayView2<'_, f64>) {
        self.n_rows = rows.nrows();
        for (mut line, column) in self.rows.rows_mut().into_iter().zip(rows.columns()) {
            line.slice_mut(s![..rows.nrows()]).assign(&column);
            line.slice_mut(s![rows.nrows()..]).fill(0.0);
        }
    }

    /// The rows and those of zeros after them.
    fn width(&self) -> usize {
        self.n_rows.next_multiple_of(LANES)
    }

    /// Takes the mean of one component from the rows.
    pub(super) fn center(&mut self, components: &Components, component: usize) {
        let width = self.width();
        let mut centred = self.centred.index_axis_mut(Axis(0), component);
        let lines = centred.rows_mut().into_iter().zip(self.rows.rows());
        for ((mut centred, line), mean) in lines.zip(components.means.row(component)) {
            let centred = centred.as_slice_mut().expect("the block is contiguous");
            let line = line.to_slice().expect("the block is contiguous");
            subtract(&mut centred[..width], line, *mean);
        }
    }

    /// Finds ln πₖ N(x) of each row for one component, about which the rows are centred.
    pub(super) fn score(&mut self, components: &Components, component: usize) {
        let (width, stride) = (self.width(), self.rows.ncols());
        let centred = self.centred.index_axis(Axis(0), component);
        let mut scores = self.scores.row_mut(component);
        let scores = scores.as_slice_mut().expect("the block is contiguous");
        let lines = centred.to_slice().expect("the block is contiguous");
        match &components.whitening {
            Whitening::Dense(matrices) => {
                let matrix = &matrices[component.min(matrices.len() - 1)];
                match components.n_features() <= SMALL {
                    true => vectorised(
                        #[inline(always)]
                        || squared_lengths(matrix, lines, stride, &mut scores[..width]),
                    ),
                    false => {
                        let mut whitened = self.scratch.slice_mut(s![.., ..width]);
                        let centred = centred.slice(s![.., ..width]);
                        let output = whitened.view_mut();
                        matmul_into(output, matrix.view(), centred, 1.0, Accumulate::Replace);
                        scores[..width].fill(0.0);
                        for line in whitened.rows() {
                            let line = line.to_slice().expect("lines are contiguous");
                            add_scaled_squares(&mut scores[..width], line, 1.0);
                        }
                    }
                }
            }
            Whitening::Diagonal(scales) => {
                scores[..width].fill(0.0);
                for (line, scale) in lines.chunks_exact(stride).zip(scales.row(component)) {
                    add_scaled_squares(&mut scores[..width], line, *scale);
                }
            }
        }
        let constant = components.constants[component];
        for score in &mut scores[..width] {
            *score = constant - 0.5 * *score;
        }
    }

    /// Turns scores into weighted responsibilities.
    pub(super) fn share(&mut self, weights: Option<ArrayView1<'_, f64>>) -> Shared {
        let (width, n_rows) = (self.width(), self.n_rows);
        let stride = self.rows.ncols();
        let scores = self.scores.as_slice_mut().expect("the block is contiguous");
        let (largest, totals) = (&mut self.largest[..width], &mut self.totals[..width]);
        exponentials(scores, stride, largest, totals);
        let mut shared = Shared::default();
        for row in 0..width {
            let weight = match weights {
                _ if row >= n_rows => 0.0,
                Some(weights) => weights[row],
                None => 1.0,
            };
            // A row without weight is absent, however far away it may be.
            if weight != 0.0 {
                let log_density = largest[row] + totals[row].ln();
                shared.weight += weight;
                shared.log_likelihood += weight * log_density;
                if shared.worst.is_none_or(|(least, _)| log_density < least) {
                    shared.worst = Some((log_density, row));
                }
            }
            totals[row] = weight / totals[row];
        }
        for line in scores.chunks_exact_mut(stride) {
            multiply(&mut line[..width], totals);
        }
        shared
    }

    /// Gives the rows to one component altogether, each with its weight.
    pub(super) fn give(&mut self, component: usize, weights: impl Iterator<Item = f64>) {
        let mut shares = self.scores.row_mut(component);
        shares.fill(0.0);
        for (share, weight) in shares.iter_mut().zip(weights) {
            *share = weight;
        }
    }

    /// Σ w·rₖ.
    pub(super) fn count(&self, component: usize) -> f64 {
        self.scores.slice(s![component, ..self.n_rows]).sum()
    }

    /// Prepares w·rₖ·(x−μₖ) of one component and adds its sum.
    pub(super) fn weigh(&mut self, component: usize, mut sums: ArrayViewMut1<'_, f64>) {
        let width = self.width();
        let shares = self.scores.row(component);
        let shares = &shares.to_slice().expect("the block is contiguous")[..width];
        let centred = self.centred.index_axis(Axis(0), component);
        let lines = self.scratch.rows_mut().into_iter().zip(centred.rows());
        for ((mut weighted, centred), sum) in lines.zip(&mut sums) {
            let weighted = weighted.as_slice_mut().expect("the block is contiguous");
            let centred = centred.to_slice().expect("the block is contiguous");
            *sum += weighted_sum(&mut weighted[..width], centred, shares);
        }
    }

    /// Adds Σ w·rₖ·(x−μₖ)(x−μₖ)ᵀ, of which the lower triangle is enough.
    pub(super) fn add_scatter(&self, component: usize, scatter: &mut Array2<f64>) {
        let (width, stride, d) = (self.width(), self.rows.ncols(), self.rows.nrows());
        let centred = self.centred.index_axis(Axis(0), component);
        if d > SMALL {
            let weighted = self.scratch.slice(s![.., ..width]);
            let centred = centred.slice(s![.., ..width]);
            let output = scatter.view_mut();
            return matmul_into(output, weighted, centred.t(), 1.0, Accumulate::Add);
        }
        let centred = centred.to_slice().expect("the block is contiguous");
        let weighted = self.scratch.as_slice().expect("the block is contiguous");
        let sums = scatter.as_slice_mut().expect("sums are contiguous");
        vectorised(
            #[inline(always)]
            || add_products(weighted, centred, stride, width, sums),
        );
    }

    /// Adds the diagonal of Σ w·rₖ·(x−μₖ)(x−μₖ)ᵀ.
    pub(super) fn add_squares(&self, component: usize, mut squares: ArrayViewMut1<'_, f64>) {
        let width = self.width();
        let centred = self.centred.index_axis(Axis(0), component);
        let lines = self.scratch.rows().into_iter().zip(centred.rows());
        for ((weighted, centred), square) in lines.zip(&mut squares) {
            let weighted = weighted.to_slice().expect("the block is contiguous");
            let centred = centred.to_slice().expect("the block is contiguous");
            *square += dot(&weighted[..width], &centred[..width]);
        }
    }
}

/// Takes one number from each of the values.
fn subtract(output: &mut [f64], values: &[f64], number: f64) {
    vectorised(
        #[inline(always)]
        || {
            for (output, value) in output.iter_mut().zip(values) {
                *output = value - number;
            }
        },
    );
}

/// Adds the squares of the scaled values.
fn add_scaled_squares(sums: &mut [f64], values: &[f64], scale: f64) {
    vectorised(
        #[inline(always)]
        || {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += (value * scale) * (value * scale);
            }
        },
    );
}

/// Replaces the scores of each row by exp(score − largest), and finds the largest and the total.
fn exponentials(scores: &mut [f64], stride: usize, largest: &mut [f64], totals: &mut [f64]) {
    vectorised(
        #[inline(always)]
        || {
            largest.fill(f64::NEG_INFINITY);
            totals.fill(0.0);
            for line in scores.chunks_exact(stride) {
                for (largest, &score) in largest.iter_mut().zip(line) {
                    *largest = if score > *largest { score } else { *largest };
                }
            }
            for line in scores.chunks_exact_mut(stride) {
                for ((score, largest), total) in line.iter_mut().zip(&*largest).zip(&mut *totals) {
                    let below = *score - largest;
                    // The exponential of a loop takes NaN for very little.
                    let power = exponential(below);
                    *score = if below.is_nan() { below } else { power };
                    *total += *score;
                }
            }
        },
    );
}

/// Multiplies shares with a factor for each row.
fn multiply(shares: &mut [f64], factors: &[f64]) {
    vectorised(
        #[inline(always)]
        || {
            for (share, &factor) in shares.iter_mut().zip(factors) {
                // The share of a row that is absent may be NaN.
                *share = if factor == 0.0 { 0.0 } else { *share * factor };
            }
        },
    );
}

/// Writes shares times values, and gives their sum.
fn weighted_sum(weighted: &mut [f64], values: &[f64], shares: &[f64]) -> f64 {
    vectorised(
        #[inline(always)]
        || {
            let mut lanes = [0.0; LANES];
            let groups = weighted.as_chunks_mut::<LANES>().0.iter_mut();
            let groups = groups.zip(values.as_chunks::<LANES>().0);
            for ((weighted, values), shares) in groups.zip(shares.as_chunks::<LANES>().0) {
                for lane in 0..LANES {
                    // A row that does not count may be infinitely far away.
                    weighted[lane] = match shares[lane] == 0.0 {
                        true => 0.0,
                        false => shares[lane] * values[lane],
                    };
                    lanes[lane] += weighted[lane];
                }
            }
            lanes.iter().sum::<f64>()
        },
    )
}

/// Σ aᵢbᵢ of two lists whose lengths are multiples of the lanes.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    vectorised(
        #[inline(always)]
        || {
            let mut lanes = [0.0; LANES];
            for (a, b) in a
                .as_chunks::<LANES>()
                .0
                .iter()
                .zip(b.as_chunks::<LANES>().0)
            {
                for lane in 0..LANES {
                    lanes[lane] += a[lane] * b[lane];
                }
            }
            lanes.iter().sum::<f64>()
        },
    )
}

/// Adds the products of every line of `weighted` with the lines of `centred` up to its own.
#[inline(always)]
fn add_products(weighted: &[f64], centred: &[f64], stride: usize, width: usize, sums: &mut [f64]) {
    let d = weighted.len() / stride;
    for (row, weighted) in weighted.chunks_exact(stride).enumerate() {
        let sums = &mut sums[row * d..(row + 1) * d];
        // Four products at a time; some of them may lie above the diagonal.
        for column in (0..=row).step_by(4) {
            let line = |offset: usize| {
                let first = (column + offset).min(d - 1) * stride;
                &centred[first..first + width]
            };
            let products = four_dots(&weighted[..width], [line(0), line(1), line(2), line(3)]);
            for (sum, product) in sums[column..].iter_mut().zip(products) {
                *sum += product;
            }
        }
    }
}

/// ‖L⁻¹·z‖² of every centred row z.
#[inline(always)]
fn squared_lengths(matrix: &Array2<f64>, lines: &[f64], stride: usize, output: &mut [f64]) {
    let d = matrix.nrows();
    let factors = matrix.as_slice().expect("factors are contiguous");
    let mut group = [[0.0; LANES]; SMALL];
    for (place, squares) in output.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        for (values, line) in group.iter_mut().zip(lines.chunks_exact(stride)) {
            *values = line.as_chunks::<LANES>().0[place];
        }
        *squares = [0.0; LANES];
        for (row, factors) in factors.chunks_exact(d).enumerate() {
            let mut sums = [0.0; LANES];
            // The rest of the row is above the diagonal.
            for (factor, values) in factors[..=row].iter().zip(&group) {
                for lane in 0..LANES {
                    sums[lane] += factor * values[lane];
                }
            }
            for lane in 0..LANES {
                squares[lane] += sums[lane] * sums[lane];
            }
        }
    }
}

/// The products of one vector with four others, whose lengths are multiples of the lanes.
#[inline(always)]
fn four_dots(a: &[f64], others: [&[f64]; 4]) -> [f64; 4] {
    let mut sums = [[0.0; LANES]; 4];
    let groups = others.map(|other| other.as_chunks::<LANES>().0);
    for (place, a) in a.as_chunks::<LANES>().0.iter().enumerate() {
        for (sums, group) in sums.iter_mut().zip(groups) {
            let values = &group[place];
            for lane in 0..LANES {
                sums[lane] += a[lane] * values[lane];
            }
        }
    }
    sums.map(|lanes| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|lane| lanes[lane] + lanes[lane + 4]);
        (a + c) + (b + d)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_library_and_what_is_no_number_stays_none() {
        let scores = [
            [-1.0, -700.0, 3.5, f64::NAN],
            [-2.5, -1e300, 3.5, -1.0],
            [0.25, -701.0, f64::NEG_INFINITY, -2.0],
        ];
        let mut found = scores.concat();
        let (mut largest, mut totals) = ([0.0; 4], [0.0; 4]);
        exponentials(&mut found, 4, &mut largest, &mut totals);
        assert_eq!(largest, [0.25, -700.0, 3.5, -1.0]);
        assert!(found[3].is_nan() && totals[3].is_nan());
        for row in 0..3 {
            let expected = scores.map(|line| (line[row] - largest[row]).exp());
            for (component, expected) in expected.into_iter().enumerate() {
                let error = found[4 * component + row] - expected;
                assert!(error.abs() <= 1e-15 * expected, "{row} {component}");
            }
            let total: f64 = expected.iter().sum();
            assert!((totals[row] - total).abs() <= 1e-15 * total);
        }
    }
}
