//! Cuts by distance from the median: the cost of every beginning of a list of rows.

use super::problem::{Problem, Target};
use super::split::{Best, Scan};

/// Keeps what is needed to know the median of a growing set: two Fenwick trees over the sorted
/// targets of the node, one of weights and one of weighted targets. A row is added, and the cost
/// Σ w·|y − median| is read, in O(log n).
#[derive(Default)]
pub(crate) struct MedianScan {
    values: Vec<f64>,
    weights: Vec<f64>,
    sums: Vec<f64>,
    place_of: Vec<u32>,
    costs: Vec<f64>,
}

impl MedianScan {
    /// Looks at every cut of a scan; the merit of a cut is minus the cost of both sides.
    pub(super) fn scan(&mut self, scan: &Scan<'_>, best: &mut Option<Best>) {
        let problem = scan.searched.problem;
        let Target::Numbers { values, n_targets } = problem.target else {
            return;
        };
        let (moves, ahead) = scan.moves();
        let mut order: Vec<u32> = moves.collect();
        if ahead == 0 {
            // Rows without a value stay behind, on the right.
            order.extend_from_slice(&scan.sorted[scan.present..]);
        }
        let count = order.len();
        self.costs.clear();
        self.costs.resize(count + 1, 0.0);
        for target in 0..*n_targets {
            let value = |row: u32| values[row as usize * n_targets + target];
            self.prepare(&order, value, problem.weights.len());
            self.pass(problem, &order, value, |costs, added, cost| {
                costs[added] += cost
            });
            order.reverse();
            self.clear();
            self.pass(problem, &order, value, |costs, added, cost| {
                costs[count - added] += cost;
            });
            order.reverse();
        }
        let mut weight = 0.0;
        let total = scan.searched.summary.weight;
        for (moved, &row) in (1..count).zip(&order) {
            weight += problem.weights[row as usize];
            if moved > ahead
                && moved - ahead <= scan.present
                && scan.is_cut(moved - ahead)
                && scan.is_enough(moved, weight, total - weight)
            {
                let merit = -self.costs[moved] / *n_targets as f64;
                scan.offer(best, merit, moved - ahead);
            }
        }
    }

    /// Sorts the targets of the rows and empties the trees.
    fn prepare(&mut self, rows: &[u32], value: impl Fn(u32) -> f64, n_rows: usize) {
        let mut sorted: Vec<(f64, u32)> = rows.iter().map(|&row| (value(row), row)).collect();
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.values.clear();
        self.values.extend(sorted.iter().map(|pair| pair.0));
        self.place_of.resize(n_rows, 0);
        for (place, &(_, row)) in (0..).zip(&sorted) {
            self.place_of[row as usize] = place;
        }
        self.clear();
    }

    fn clear(&mut self) {
        for tree in [&mut self.weights, &mut self.sums] {
            tree.clear();
            tree.resize(self.values.len() + 1, 0.0);
        }
    }

    /// Adds row after row and tells the cost after each.
    fn pass(
        &mut self,
        problem: &Problem<'_>,
        rows: &[u32],
        value: impl Fn(u32) -> f64,
        mut tell: impl FnMut(&mut [f64], usize, f64),
    ) {
        let (mut weight, mut sum) = (0.0, 0.0);
        for (added, &row) in (1..).zip(rows) {
            let (own, value) = (problem.weights[row as usize], value(row));
            weight += own;
            sum += own * value;
            let mut place = self.place_of[row as usize] as usize + 1;
            while place <= self.values.len() {
                self.weights[place] += own;
                self.sums[place] += own * value;
                place += place & place.wrapping_neg();
            }
            let (below, sum_below, median) = self.median(weight / 2.0);
            let cost = median * below - sum_below + (sum - sum_below) - median * (weight - below);
            tell(&mut self.costs, added, cost.max(0.0));
        }
    }

    /// The weight and the weighted sum of what is not above the median, and the median.
    fn median(&self, half: f64) -> (f64, f64, f64) {
        let (mut place, mut below, mut sum) = (0, 0.0, 0.0);
        let mut step = self.values.len().next_power_of_two();
        while step > 0 {
            let next = place + step;
            if next <= self.values.len() && below + self.weights[next] < half {
                place = next;
                below += self.weights[next];
                sum += self.sums[next];
            }
            step /= 2;
        }
        // The value at `place` is the first with at least half of the weight up to it; any point
        // of the middle interval has the same cost.
        let median = self.values[place.min(self.values.len() - 1)];
        (below, sum, median)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::Columns;
    use crate::tree::problem::{Impurity, Logarithms};
    use didact_core::Run;
    use ndarray::Array2;

    #[test]
    fn costs_of_beginnings_are_those_of_their_definition() {
        let x = Array2::zeros((9, 1));
        let columns = Columns::ranked(x.view(), &Run::new()).unwrap();
        let values = vec![3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0];
        let weights = vec![1.0, 2.0, 0.5, 1.0, 1.0, 3.0, 1.0, 1.0, 0.25];
        let target = Target::Numbers {
            values: values.clone(),
            n_targets: 1,
        };
        let logarithms = Logarithms::new(Impurity::Absolute, 9);
        let problem = Problem::new(&columns, &weights, &target, Impurity::Absolute, &logarithms);
        let rows: Vec<u32> = vec![4, 0, 8, 2, 6, 1, 3, 5, 7];
        let mut scan = MedianScan::default();
        scan.costs.resize(10, 0.0);
        let value = |row: u32| values[row as usize];
        scan.prepare(&rows, value, 9);
        scan.pass(&problem, &rows, value, |costs, added, cost| {
            costs[added] = cost
        });
        for length in 1..=9 {
            let summary = problem.summarise(&rows[..length]);
            let expected = summary.impurity * summary.weight;
            assert!(
                (scan.costs[length] - expected).abs() < 1e-12,
                "{length}: {} {expected}",
                scan.costs[length]
            );
        }
    }
}
