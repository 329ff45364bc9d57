//! Valleys between steep slopes (Ankerst, Breunig, Kriegel and Sander 1999), with the correction
//! of Schubert and Gertz (2018): the last row of a cluster must have been reached from inside.

use super::ordering::Ordering;

/// A steep way down, where a cluster may begin.
#[derive(Clone, Copy)]
struct Descent {
    start: usize,
    end: usize,
    /// The highest reachability since its end.
    highest_since: f64,
}

/// The reachabilities in their order and what is steep in them.
struct Curve<'a> {
    ordering: &'a Ordering,
    /// Ends with a wall, so that an open cluster is closed.
    heights: Vec<f64>,
    complement: f64,
    min_samples: usize,
    min_cluster_size: usize,
}

/// The label of each row: clusters inside others come first, and the outer ones are dropped.
pub(super) fn labels(
    ordering: &Ordering,
    xi: f64,
    min_samples: usize,
    min_cluster_size: usize,
) -> Vec<Option<usize>> {
    let heights = ordering.order.iter().map(|&row| ordering.reachability[row]);
    let curve = Curve {
        ordering,
        heights: heights.chain([f64::INFINITY]).collect(),
        complement: 1.0 - xi,
        min_samples,
        min_cluster_size,
    };
    let mut by_place: Vec<Option<usize>> = vec![None; ordering.order.len()];
    let mut count = 0;
    for (start, end) in curve.clusters() {
        if by_place[start..=end].iter().all(Option::is_none) {
            by_place[start..=end].fill(Some(count));
            count += 1;
        }
    }
    let mut labels = vec![None; by_place.len()];
    for (&row, label) in ordering.order.iter().zip(by_place) {
        labels[row] = label;
    }
    labels
}

impl Curve<'_> {
    /// How a height compares with the next; not a number where both are infinite or zero.
    fn ratio(&self, place: usize) -> f64 {
        self.heights[place] / self.heights[place + 1]
    }

    fn is_steep_up(&self, place: usize) -> bool {
        self.ratio(place) <= self.complement
    }

    fn is_steep_down(&self, place: usize) -> bool {
        self.ratio(place) >= 1.0 / self.complement
    }

    /// Where a steep region that begins here ends: it never turns round, and has at most
    /// `min_samples` places in a row that are not steep.
    fn extend(
        &self,
        start: usize,
        is_steep: impl Fn(usize) -> bool,
        turns: impl Fn(f64) -> bool,
    ) -> usize {
        let (mut end, mut flat) = (start, 0);
        for place in start..self.heights.len() - 1 {
            if is_steep(place) {
                (end, flat) = (place, 0);
            } else if turns(self.ratio(place)) {
                break;
            } else {
                flat += 1;
                if flat > self.min_samples {
                    break;
                }
            }
        }
        end
    }

    /// All clusters as first and last place, inner ones before those around them.
    fn clusters(&self) -> Vec<(usize, usize)> {
        let mut descents: Vec<Descent> = Vec::new();
        let mut found = Vec::new();
        let (mut next, mut highest) = (0, 0.0_f64);
        for place in 0..self.heights.len() - 1 {
            if place < next || !(self.is_steep_up(place) || self.is_steep_down(place)) {
                continue;
            }
            let between = self.heights[next..=place].iter().copied();
            highest = between.fold(highest, f64::max);
            self.forget(&mut descents, highest);
            if self.is_steep_down(place) {
                let end = self.extend(place, |at| self.is_steep_down(at), |ratio| ratio < 1.0);
                descents.push(Descent {
                    start: place,
                    end,
                    highest_since: 0.0,
                });
                next = end + 1;
            } else {
                let end = self.extend(place, |at| self.is_steep_up(at), |ratio| ratio > 1.0);
                let closed = descents.iter().rev();
                found.extend(closed.filter_map(|descent| self.close(descent, place, end)));
                next = end + 1;
            }
            highest = self.heights[next];
        }
        found
    }

    /// Drops the descents that a height in between has overtopped.
    fn forget(&self, descents: &mut Vec<Descent>, highest: f64) {
        if highest.is_infinite() {
            descents.clear();
        }
        descents.retain(|descent| highest <= self.heights[descent.start] * self.complement);
        for descent in descents {
            descent.highest_since = descent.highest_since.max(highest);
        }
    }

    /// The cluster between a descent and the ascent from `up` to `end`, if there is one.
    fn close(&self, descent: &Descent, up: usize, end: usize) -> Option<(usize, usize)> {
        let (mut first, mut last) = (descent.start, end);
        let (before, after) = (self.heights[descent.start], self.heights[end + 1]);
        if after * self.complement < descent.highest_since {
            return None;
        }
        if before * self.complement >= after {
            // The left wall is higher: begin where it has come down to the right one.
            while first < descent.end && self.heights[first + 1] > after {
                first += 1;
            }
        } else if after * self.complement >= before {
            while last > up && self.heights[last - 1] > before {
                last -= 1;
            }
        }
        let last = self.reached_from_inside(first, last)?;
        let is_cluster =
            last - first + 1 >= self.min_cluster_size && first <= descent.end && last >= up;
        is_cluster.then_some((first, last))
    }

    /// The last place that was reached from inside, or that is lower than the first.
    fn reached_from_inside(&self, first: usize, last: usize) -> Option<usize> {
        let order = &self.ordering.order;
        (first + 1..=last).rev().find(|&end| {
            let predecessor = self.ordering.predecessors[order[end]];
            self.heights[first] > self.heights[end]
                || order[first..end]
                    .iter()
                    .any(|&row| Some(row) == predecessor)
        })
    }
}
