//! One cluster into two.

use super::DivisiveMethod;
use crate::KMeans;
use crate::too_far::rows_too_far;
use didact_core::{Fit, Result, Run, Samples};
use didact_math::distance::{Metric, squared_euclidean};
use ndarray::ArrayView2;

/// What a split needs to know.
pub(super) struct Split<'a, 'b> {
    pub(super) data: &'a Samples<'b>,
    pub(super) rows: ArrayView2<'a, f64>,
    pub(super) metric: Metric,
    pub(super) method: DivisiveMethod,
    pub(super) random_state: u64,
}

/// How high a cluster stands and its two parts.
type Parts = (f64, Vec<usize>, Vec<usize>);

impl Split<'_, '_> {
    /// Splits two or more rows; neither part is empty.
    pub(super) fn split(&self, members: Vec<usize>, run: &Run) -> Result<Parts> {
        let is_equal = |&row: &usize| self.row(row) == self.row(members[0]);
        if members.iter().all(is_equal) {
            // Halves, because taking single rows off would take quadratic time.
            let (left, right) = members.split_at(members.len() / 2);
            return Ok((0.0, left.to_vec(), right.to_vec()));
        }
        let (height, left, right) = match self.method {
            DivisiveMethod::BisectingKMeans => self.bisect(&members, run)?,
            DivisiveMethod::FarthestPair => self.farthest_pair(&members, run)?,
            DivisiveMethod::Diana => self.splinter(&members, run)?,
            DivisiveMethod::LongestEdge => unreachable!("single linkage has a tree of its own"),
        };
        if !height.is_finite() {
            return Err(rows_too_far());
        }
        match left.is_empty() || right.is_empty() {
            false => Ok((height, left, right)),
            // Rows that differ by less than distances can tell.
            true => Ok((height, vec![members[0]], members[1..].to_vec())),
        }
    }

    fn row(&self, row: usize) -> &[f64] {
        self.rows.row(row).to_slice().expect("rows are contiguous")
    }

    fn between(&self, a: usize, b: usize) -> f64 {
        self.metric.between(self.row(a), self.row(b))
    }

    /// k-means with two centres; the height is the root of the sum of squares before.
    fn bisect(&self, members: &[usize], run: &Run) -> Result<Parts> {
        let part = self.data.select(members);
        let mean = part.dense()?.mean_axis(ndarray::Axis(0));
        let mean = mean.expect("there are rows").to_vec();
        let squares: f64 = members
            .iter()
            .map(|&row| squared_euclidean(self.row(row), &mean))
            .sum();
        let method = KMeans {
            n_clusters: 2,
            random_state: self.random_state,
            ..KMeans::default()
        };
        let model = method.fit_with(part, &run.quietly())?;
        let labels = model.labels().expect("rows in memory have labels");
        let of = |wanted: usize| {
            let pairs = members.iter().zip(labels);
            pairs
                .filter(|(_, label)| **label == wanted)
                .map(|(&row, _)| row)
                .collect()
        };
        Ok((squares.sqrt(), of(labels[0]), of(1 - labels[0])))
    }

    /// The farthest pair; every row goes to the nearer of the two, the lower where equally near.
    fn farthest_pair(&self, members: &[usize], run: &Run) -> Result<Parts> {
        let (mut diameter, mut pair) = (-1.0, (members[0], members[1]));
        for (index, &a) in members.iter().enumerate() {
            run.check()?;
            for &b in &members[index + 1..] {
                let distance = self.between(a, b);
                if distance > diameter {
                    (diameter, pair) = (distance, (a, b));
                }
            }
        }
        let nearer = |&row: &usize| self.between(row, pair.0) <= self.between(row, pair.1);
        let (left, right) = members.iter().partition(|row| nearer(row));
        Ok((diameter, left, right))
    }

    /// DIANA: rows leave as long as they are nearer on average to those that left.
    fn splinter(&self, members: &[usize], run: &Run) -> Result<Parts> {
        let n = members.len();
        let mut diameter: f64 = 0.0;
        // Sums of the distances of each row to those that stay and those that left.
        let mut to_stayers = vec![0.0; n];
        for i in 0..n {
            run.check()?;
            for j in 0..i {
                let distance = self.between(members[i], members[j]);
                diameter = diameter.max(distance);
                to_stayers[i] += distance;
                to_stayers[j] += distance;
            }
        }
        let mut to_leavers = vec![0.0; n];
        let mut has_left = vec![false; n];
        let mut n_left = 0;
        while n_left + 1 < n {
            run.check()?;
            let gain = |i: usize| {
                let stayers = to_stayers[i] / (n - n_left - 1) as f64;
                match n_left {
                    0 => stayers,
                    _ => stayers - to_leavers[i] / n_left as f64,
                }
            };
            let stayers = (0..n).filter(|&i| !has_left[i]);
            let next = stayers.max_by(|&a, &b| gain(a).total_cmp(&gain(b)).then(b.cmp(&a)));
            let next = next.expect("somebody stays");
            if n_left > 0 && gain(next) <= 0.0 {
                break;
            }
            has_left[next] = true;
            n_left += 1;
            for i in 0..n {
                let distance = self.between(members[i], members[next]);
                to_stayers[i] -= distance;
                to_leavers[i] += distance;
            }
        }
        let part = |wanted: bool| {
            let pairs = members.iter().zip(&has_left);
            pairs
                .filter(|(_, left)| **left == wanted)
                .map(|(&row, _)| row)
                .collect()
        };
        Ok((diameter, part(false), part(true)))
    }
}
