//! Responsibilities and availabilities.

use didact_core::{Result, Run, parallel};
use didact_math::numeric::argmax;
use didact_math::vectorised::vectorised;
use ndarray::Array2;

/// Rows whose messages one thread renews.
const CHUNK: usize = 32;
/// Columns that are compared side by side.
const LANES: usize = 16;

/// The messages between all pairs, row by row.
pub(super) struct Messages {
    n: usize,
    similarities: Vec<f64>,
    responsibilities: Vec<f64>,
    availabilities: Vec<f64>,
}

impl Messages {
    pub(super) fn new(similarities: Array2<f64>) -> Self {
        let n = similarities.nrows();
        let similarities = similarities.into_raw_vec_and_offset().0;
        Messages {
            n,
            responsibilities: vec![0.0; n * n],
            availabilities: vec![0.0; n * n],
            similarities,
        }
    }

    /// One exchange: r(i,k) = s(i,k) − max over others of a + s, then
    /// a(i,k) = min(0, r(k,k) + Σ of the positive r(j,k) of others), a(k,k) = that sum alone.
    pub(super) fn exchange(&mut self, damping: f64, run: &Run) -> Result<()> {
        self.renew_responsibilities(damping, run)?;
        let support = self.support(run)?;
        self.renew_availabilities(&support, damping, run)
    }

    fn renew_responsibilities(&mut self, damping: f64, run: &Run) -> Result<()> {
        let n = self.n;
        let (similarities, availabilities) = (&self.similarities, &self.availabilities);
        parallel::fill(&mut self.responsibilities, n, CHUNK, run, |range, piece| {
            for (row, output) in range.zip(piece.chunks_exact_mut(n)) {
                let similar = &similarities[row * n..(row + 1) * n];
                let available = &availabilities[row * n..(row + 1) * n];
                vectorised(
                    #[inline(always)]
                    || responsibilities(similar, available, output, damping),
                );
            }
            Ok(())
        })
    }

    fn renew_availabilities(&mut self, support: &[f64], damping: f64, run: &Run) -> Result<()> {
        let n = self.n;
        let received = &self.responsibilities;
        // Gathered once: one row's walk down the diagonal would touch a line of memory per column.
        let willing: Vec<f64> = (0..n)
            .map(|column| received[column * n + column] + support[column])
            .collect();
        parallel::fill(&mut self.availabilities, n, CHUNK, run, |range, piece| {
            for (row, output) in range.zip(piece.chunks_exact_mut(n)) {
                let own = &received[row * n..(row + 1) * n];
                let to_itself = damping * output[row] + (1.0 - damping) * support[row];
                vectorised(
                    #[inline(always)]
                    || availabilities(own, &willing, output, damping),
                );
                output[row] = to_itself;
            }
            Ok(())
        })
    }

    /// The positive responsibilities that each column receives from the other rows.
    fn support(&self, run: &Run) -> Result<Vec<f64>> {
        let n = self.n;
        let summarise = |range: std::ops::Range<usize>| {
            let mut sums = vec![0.0; n];
            for row in range {
                let values = &self.responsibilities[row * n..(row + 1) * n];
                let of_others = sums[row];
                vectorised(
                    #[inline(always)]
                    || add_positive(values, &mut sums),
                );
                sums[row] = of_others;
            }
            Ok(sums)
        };
        let merge = |mut left: Vec<f64>, right: Vec<f64>| {
            left.iter_mut()
                .zip(right)
                .for_each(|(left, right)| *left += right);
            left
        };
        let sums = parallel::reduce(n, 8 * CHUNK, run, &summarise, &merge)?;
        Ok(sums.unwrap_or_default())
    }

    fn evidence(&self, row: usize) -> f64 {
        let place = row * self.n + row;
        self.responsibilities[place] + self.availabilities[place]
    }

    /// The rows that choose themselves.
    pub(super) fn exemplars(&self) -> Vec<usize> {
        (0..self.n)
            .filter(|&row| self.evidence(row) > 0.0)
            .collect()
    }

    pub(super) fn most_willing(&self) -> usize {
        argmax((0..self.n).map(|row| self.evidence(row))).unwrap_or(0)
    }

    /// In every cluster the row that is most similar to all others, in rising order.
    pub(super) fn refined(&self, exemplars: Vec<usize>) -> Vec<usize> {
        let similar = |row: usize, other: usize| self.similarities[row * self.n + other];
        let mut members = vec![Vec::new(); exemplars.len()];
        for row in 0..self.n {
            let cluster = match exemplars.binary_search(&row) {
                Ok(own) => own,
                Err(_) => argmax(exemplars.iter().map(|&other| similar(row, other))).unwrap_or(0),
            };
            members[cluster].push(row);
        }
        let best = |members: &Vec<usize>| {
            let total = |&candidate: &usize| -> f64 {
                members.iter().map(|&row| similar(row, candidate)).sum()
            };
            argmax(members.iter().map(total)).map(|place| members[place])
        };
        let mut refined: Vec<usize> = members.iter().filter_map(best).collect();
        refined.sort_unstable();
        refined
    }
}

/// Renews the responsibilities that one row sends.
#[inline(always)]
fn responsibilities(similar: &[f64], available: &[f64], output: &mut [f64], damping: f64) {
    let (best, first, second) = two_greatest(similar, available);
    let renewed =
        |old: f64, similar: f64, rival: f64| damping * old + (1.0 - damping) * (similar - rival);
    // A single row has no rival.
    let second = if second.is_finite() { second } else { 0.0 };
    let to_best = renewed(output[best], similar[best], second);
    for (output, &similar) in output.iter_mut().zip(similar) {
        *output = renewed(*output, similar, first);
    }
    output[best] = to_best;
}

/// Renews the availabilities that one row receives, as if it were none of the columns.
#[inline(always)]
fn availabilities(own: &[f64], willing: &[f64], output: &mut [f64], damping: f64) {
    for ((output, &own), &willing) in output.iter_mut().zip(own).zip(willing) {
        let message = lesser(willing - greater(own, 0.0), 0.0);
        *output = damping * *output + (1.0 - damping) * message;
    }
}

#[inline(always)]
fn add_positive(values: &[f64], sums: &mut [f64]) {
    for (sum, &value) in sums.iter_mut().zip(values) {
        *sum += greater(value, 0.0);
    }
}

/// Where a + s is greatest, how great, and the second greatest.
#[inline(always)]
fn two_greatest(similar: &[f64], available: &[f64]) -> (usize, f64, f64) {
    let (similar_blocks, similar_rest) = similar.as_chunks::<LANES>();
    let (available_blocks, available_rest) = available.as_chunks::<LANES>();
    let mut firsts = [f64::NEG_INFINITY; LANES];
    let mut seconds = firsts;
    for (similar, available) in similar_blocks.iter().zip(available_blocks) {
        for lane in 0..LANES {
            let value = similar[lane] + available[lane];
            seconds[lane] = greater(seconds[lane], lesser(firsts[lane], value));
            firsts[lane] = greater(firsts[lane], value);
        }
    }
    let (mut first, mut second) = greatest_of_lanes(firsts, seconds);
    for (similar, available) in similar_rest.iter().zip(available_rest) {
        let value = similar + available;
        second = greater(second, lesser(first, value));
        first = greater(first, value);
    }
    (place_of(first, similar, available), first, second)
}

/// The first place where a + s is as great as that.
#[inline(always)]
fn place_of(greatest: f64, similar: &[f64], available: &[f64]) -> usize {
    let blocks = similar.as_chunks::<LANES>().0.iter();
    let mut start = 0;
    // Whole blocks are asked at once; only that of the greatest is searched.
    for (similar, available) in blocks.zip(available.as_chunks::<LANES>().0) {
        let mut is_here = false;
        for lane in 0..LANES {
            is_here |= similar[lane] + available[lane] == greatest;
        }
        if is_here {
            break;
        }
        start += LANES;
    }
    let is_greatest = |place: &usize| similar[*place] + available[*place] == greatest;
    (start..similar.len()).find(is_greatest).unwrap_or(0)
}

/// The greatest and the second greatest over all lanes, which hold theirs each.
#[inline(always)]
fn greatest_of_lanes(mut firsts: [f64; LANES], mut seconds: [f64; LANES]) -> (f64, f64) {
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            let loser = lesser(firsts[lane], firsts[lane + width]);
            seconds[lane] = greater(greater(seconds[lane], seconds[lane + width]), loser);
            firsts[lane] = greater(firsts[lane], firsts[lane + width]);
        }
        width /= 2;
    }
    (firsts[0], seconds[0])
}

/// The greater of two numbers, without the care for NaN that costs [`f64::max`] two instructions.
#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline(always)]
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::random_matrix;

    #[test]
    fn the_two_greatest_are_those_of_the_sorted_sums() {
        for n in [1, 2, 7, 16, 17, 100] {
            for seed in 0..20 {
                // Rounded, so that some sums are equal.
                let values = random_matrix(2, n, seed).mapv(|value| (4.0 * value).round());
                let (similar, available) = (values.row(0).to_vec(), values.row(1).to_vec());
                let sums: Vec<f64> = similar.iter().zip(&available).map(|(s, a)| s + a).collect();
                let mut sorted = sums.clone();
                sorted.sort_by(|a, b| b.total_cmp(a));
                let (best, first, second) = two_greatest(&similar, &available);
                assert_eq!(Some(best), argmax(sums));
                assert_eq!(first, sorted[0]);
                assert_eq!(second, *sorted.get(1).unwrap_or(&f64::NEG_INFINITY));
            }
        }
    }
}
