//! The point with the least sum of distances to some rows.

use didact_core::{Result, Run, Samples};
use didact_math::distance::Metric;
use ndarray::ArrayView2;

/// Steps of a search for a centre; the next iteration goes on from where it ended.
const STEPS: usize = 60;

/// The rows of one cluster.
pub(super) struct Members<'a, 'b> {
    pub(super) rows: ArrayView2<'a, f64>,
    pub(super) members: &'a [usize],
    pub(super) data: &'a Samples<'b>,
    pub(super) metric: Metric,
}

impl Members<'_, '_> {
    fn row(&self, row: usize) -> &[f64] {
        self.rows.row(row).to_slice().expect("rows are contiguous")
    }

    fn n_columns(&self) -> usize {
        self.rows.ncols()
    }

    /// The weighted mean, which cannot overflow where a sum would.
    pub(super) fn mean(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.n_columns()];
        let mut total = 0.0;
        for &row in self.members {
            total += self.data.weight(row);
            let share = self.data.weight(row) / total;
            for (mean, value) in mean.iter_mut().zip(self.row(row)) {
                *mean += (value - *mean) * share;
            }
        }
        mean
    }

    /// The best centre for the metric; the present one, whose cost is given, where none as good is
    /// found.
    pub(super) fn matching(&self, current: Vec<f64>, cost: f64, run: &Run) -> Result<Vec<f64>> {
        let found = match self.metric {
            Metric::SquaredEuclidean => self.mean(),
            Metric::Manhattan => self.medians(),
            Metric::Hamming => self.by_column(mode),
            Metric::Cosine => self.direction(),
            Metric::Euclidean => self.geometric_median(run)?,
            _ => self.descend(&current, cost, run)?,
        };
        // The searches end early, and rounding is rounding.
        match self.cost(&found) <= cost {
            true => Ok(found),
            false => Ok(current),
        }
    }

    fn cost(&self, center: &[f64]) -> f64 {
        let terms = self.members.iter();
        terms
            .map(|&row| self.data.weight(row) * self.metric.between(self.row(row), center))
            .sum()
    }

    /// The median of each column.
    fn medians(&self) -> Vec<f64> {
        if self.data.weights().is_some() {
            return self.by_column(median);
        }
        // Rows that all count the same need no sorting.
        let mut values = Vec::with_capacity(self.members.len());
        (0..self.n_columns())
            .map(|column| {
                values.clear();
                values.extend(self.members.iter().map(|&row| self.row(row)[column]));
                middle(&mut values)
            })
            .collect()
    }

    fn by_column(&self, choose: fn(&mut [(f64, f64)]) -> f64) -> Vec<f64> {
        let mut values = Vec::with_capacity(self.members.len());
        (0..self.n_columns())
            .map(|column| {
                values.clear();
                values.extend(
                    self.members
                        .iter()
                        .map(|&row| (self.row(row)[column], self.data.weight(row))),
                );
                values.sort_by(|a, b| a.0.total_cmp(&b.0));
                choose(&mut values)
            })
            .collect()
    }

    /// The mean of the rows scaled to length one, which has the greatest sum of cosines.
    fn direction(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.n_columns()];
        for &row in self.members {
            let length = didact_math::numeric::length(self.row(row));
            if length > 0.0 {
                let scale = self.data.weight(row) / length;
                for (sum, value) in sum.iter_mut().zip(self.row(row)) {
                    *sum += value * scale;
                }
            }
        }
        let length = didact_math::numeric::length(&sum);
        if length > 0.0 {
            sum.iter_mut().for_each(|value| *value /= length);
        }
        sum
    }

    /// Weiszfeld's iteration from the mean, with the correction of Vardi and Zhang where it meets
    /// a row.
    fn geometric_median(&self, run: &Run) -> Result<Vec<f64>> {
        let mut center = self.mean();
        for _ in 0..STEPS {
            run.check()?;
            let mut sum = vec![0.0; center.len()];
            let (mut total, mut here) = (0.0, 0.0);
            for &row in self.members {
                let weight = self.data.weight(row);
                let distance = Metric::Euclidean.between(self.row(row), &center);
                if distance == 0.0 {
                    here += weight;
                    continue;
                }
                total += weight / distance;
                for (sum, value) in sum.iter_mut().zip(self.row(row)) {
                    *sum += value * weight / distance;
                }
            }
            if total == 0.0 {
                break;
            }
            let pull: Vec<f64> = sum
                .iter()
                .zip(&center)
                .map(|(s, c)| s - c * total)
                .collect();
            let strength = didact_math::numeric::length(&pull);
            // Rows at the centre hold it until the others pull harder than they weigh.
            if strength <= here {
                break;
            }
            let share = (1.0 - here / strength) / total;
            let mut movement: f64 = 0.0;
            for (center, pull) in center.iter_mut().zip(&pull) {
                movement = movement.max((pull * share).abs());
                *center += pull * share;
            }
            if movement <= 1e-14 * didact_math::numeric::length(&center) {
                break;
            }
        }
        Ok(center)
    }

    /// The best of the present centre, the mean and the medians; from there steps against the
    /// gradient, shortened until they pay, where the metric has one that is worth following.
    fn descend(&self, current: &[f64], cost: f64, run: &Run) -> Result<Vec<f64>> {
        let candidates = [current.to_vec(), self.mean(), self.medians()];
        let costs = [cost, self.cost(&candidates[1]), self.cost(&candidates[2])];
        let best = didact_math::numeric::argmin(costs).unwrap_or(0);
        let (mut center, mut cost) = (candidates[best].clone(), costs[best]);
        if matches!(self.metric, Metric::ChiSquare | Metric::Jaccard) {
            return Ok(center);
        }
        let total: f64 = self.members.iter().map(|&row| self.data.weight(row)).sum();
        let mut step = cost / total;
        for _ in 0..STEPS {
            run.check()?;
            let gradient = self.gradient(&center);
            let length = didact_math::numeric::length(&gradient);
            if length == 0.0 || step < 1e-12 * cost / total {
                break;
            }
            let moved = center
                .iter()
                .zip(&gradient)
                .map(|(c, g)| c - g / length * step);
            let moved: Vec<f64> = moved.collect();
            let found = self.cost(&moved);
            if found < cost {
                (center, cost) = (moved, found);
                step *= 2.0;
            } else {
                step /= 4.0;
            }
        }
        Ok(center)
    }

    fn gradient(&self, center: &[f64]) -> Vec<f64> {
        let mut gradient = vec![0.0; center.len()];
        for &row in self.members {
            let weight = self.data.weight(row);
            let differences: Vec<f64> = self
                .row(row)
                .iter()
                .zip(center)
                .map(|(x, c)| x - c)
                .collect();
            let distance = self.metric.between(self.row(row), center);
            if distance == 0.0 {
                continue;
            }
            match self.metric {
                Metric::Minkowski { p } => {
                    for (gradient, difference) in gradient.iter_mut().zip(&differences) {
                        let slope = (difference.abs() / distance).powf(p - 1.0);
                        *gradient -= weight * slope * difference.signum();
                    }
                }
                _ => {
                    let widest = differences.iter().map(|difference| difference.abs());
                    if let Some(column) = didact_math::numeric::argmax(widest) {
                        gradient[column] -= weight * differences[column].signum();
                    }
                }
            }
        }
        gradient
    }
}

/// The middle of values that count the same; between two middles the point halfway.
fn middle(values: &mut [f64]) -> f64 {
    let is_even = values.len().is_multiple_of(2);
    let half = values.len() / 2;
    let (below, &mut upper, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    match below.iter().copied().max_by(f64::total_cmp) {
        Some(lower) if is_even => lower + (upper - lower) / 2.0,
        _ => upper,
    }
}

/// The middle of sorted values by weight; between two middles the point halfway.
fn median(values: &mut [(f64, f64)]) -> f64 {
    let half = values.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut below = 0.0;
    for (index, &(value, weight)) in values.iter().enumerate() {
        below += weight;
        if below > half {
            return value;
        }
        if below == half
            && let Some(&(next, _)) = values.get(index + 1)
        {
            return value + (next - value) / 2.0;
        }
    }
    values.last().map_or(0.0, |&(value, _)| value)
}

/// The value of the greatest weight, the lowest where several are.
fn mode(values: &mut [(f64, f64)]) -> f64 {
    let mut best = (0.0, f64::NEG_INFINITY);
    for group in values.chunk_by(|a, b| a.0 == b.0) {
        let weight: f64 = group.iter().map(|(_, weight)| weight).sum();
        if weight > best.1 {
            best = (group[0].0, weight);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middles_and_modes_follow_the_weights() {
        assert_eq!(median(&mut [(1.0, 1.0), (2.0, 1.0), (9.0, 1.0)]), 2.0);
        assert_eq!(median(&mut [(1.0, 1.0), (3.0, 1.0)]), 2.0);
        assert_eq!(median(&mut [(1.0, 3.0), (2.0, 1.0), (9.0, 1.0)]), 1.0);
        for values in [
            vec![4.0],
            vec![3.0, 1.0],
            vec![9.0, 1.0, 2.0],
            vec![5.0, 5.0, 0.0, 7.0],
        ] {
            let mut weighted: Vec<(f64, f64)> = values.iter().map(|&value| (value, 1.0)).collect();
            weighted.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert_eq!(middle(&mut values.clone()), median(&mut weighted));
        }
        assert_eq!(
            mode(&mut [(1.0, 1.0), (2.0, 1.0), (2.0, 1.0), (9.0, 2.0)]),
            2.0
        );
    }
}
