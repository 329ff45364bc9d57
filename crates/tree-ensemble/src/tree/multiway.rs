//! Nodes with more than two children: one column cut into several half-open ranges at once.

use super::problem::Target;
use super::split::{Border, Cut, Searched};
use crate::columns::RankedColumn;

/// Up to so many different blocks the best ranges are found by dynamic programming, whose time
/// grows with their square; above it every cut is moved to its best place between its neighbours,
/// again and again, starting from the best cut of the best range.
const EXACT: usize = 160;

/// A run of rows with neighbouring values that no best cut divides.
struct Blocks {
    /// Rows, weight and classes of everything before each block.
    rows: Vec<usize>,
    weights: Vec<f64>,
    /// Weights of the classes before each block, one after the other.
    totals: Vec<f64>,
    /// The last row of each block and the first of the next.
    borders: Vec<(u32, u32)>,
    width: usize,
}

/// The best way to cut a column into at most `max_children` ranges; of equally good ones that with
/// the fewest.
pub(super) fn best(searched: &Searched<'_>, feature: usize, sorted: &[u32]) -> Option<Cut> {
    let columns = searched.problem.columns;
    let column = columns.column(feature);
    let blocks = Blocks::new(searched, column, sorted)?;
    let cuts = match blocks.len() <= EXACT {
        true => blocks.exact(searched),
        false => blocks.refined(searched),
    };
    let (merit, cuts) = cuts?;
    let mut borders = cuts.iter().map(|&cut| {
        let (below, above) = blocks.borders[cut - 1];
        let rank = column.ranks.of(above);
        (rank, columns.between(feature, below, above))
    });
    let (rank, threshold) = borders.next()?;
    Some(Cut {
        merit,
        rank,
        border: Border::Number(threshold),
        more: borders.collect(),
        missing_child: None,
    })
}

impl Blocks {
    fn new(searched: &Searched<'_>, column: &RankedColumn, sorted: &[u32]) -> Option<Self> {
        let Target::Classes { labels, n_classes } = searched.problem.target else {
            return None;
        };
        let width = *n_classes;
        let mut blocks = Blocks {
            rows: vec![0],
            weights: vec![0.0],
            totals: vec![0.0; width],
            borders: Vec::new(),
            width,
        };
        // Values of one class only, next to values of the same class, need no cut between them:
        // impurity is least at the ends of such a run. Where children need a number of rows a cut
        // inside may be the best that is allowed.
        let joins = searched.least.rows <= 1 && searched.least.weight <= 0.0;
        let rank = |place: usize| column.ranks.of(sorted[place]);
        let class = |place: usize| labels[sorted[place] as usize];
        let mut start = 0;
        let mut running = vec![0.0; width];
        let (mut count, mut weight) = (0, 0.0);
        let mut previous: Option<u32> = None;
        while start < sorted.len() {
            let mut end = start;
            let mut only = Some(class(start));
            while end < sorted.len() && rank(end) == rank(start) {
                let row = sorted[end] as usize;
                running[labels[row] as usize] += searched.problem.weights[row];
                weight += searched.problem.weights[row];
                count += 1;
                only = only.filter(|&class| class == labels[row]);
                end += 1;
            }
            if joins && only.is_some() && previous == only {
                let last = blocks.len();
                blocks.rows[last] = count;
                blocks.weights[last] = weight;
                blocks.totals[last * width..].copy_from_slice(&running);
            } else {
                blocks.rows.push(count);
                blocks.weights.push(weight);
                blocks.totals.extend_from_slice(&running);
            }
            previous = only;
            if end < sorted.len() {
                let border = (sorted[end - 1], sorted[end]);
                match blocks.borders.len() == blocks.len() {
                    true => *blocks.borders.last_mut().expect("there is a block") = border,
                    false => blocks.borders.push(border),
                }
            }
            start = end;
        }
        (blocks.len() > 1).then_some(blocks)
    }

    fn len(&self) -> usize {
        self.rows.len() - 1
    }

    /// The merit of a range of blocks, or nothing where it has too few rows.
    fn merit(&self, searched: &Searched<'_>, from: usize, to: usize) -> Option<f64> {
        let weight = self.weights[to] - self.weights[from];
        let rows = self.rows[to] - self.rows[from];
        if rows < searched.least.rows || weight < searched.least.weight || weight <= 0.0 {
            return None;
        }
        let before = &self.totals[from * self.width..(from + 1) * self.width];
        let after = &self.totals[to * self.width..(to + 1) * self.width];
        let mut totals = [0.0; 64];
        if self.width <= 64 {
            for class in 0..self.width {
                totals[class] = after[class] - before[class];
            }
            return Some(searched.problem.merit(&totals[..self.width], weight));
        }
        let totals: Vec<f64> = after.iter().zip(before).map(|(a, b)| a - b).collect();
        Some(searched.problem.merit(&totals, weight))
    }

    /// The best of all ranges: the best cut of the first j blocks into c ranges is the best over
    /// the last range of the best of c − 1 before it.
    fn exact(&self, searched: &Searched<'_>) -> Option<(f64, Vec<usize>)> {
        let n = self.len();
        let most = searched.max_children.min(n);
        let mut merits = vec![None; (n + 1) * (n + 1)];
        for from in 0..n {
            for to in from + 1..=n {
                merits[from * (n + 1) + to] = self.merit(searched, from, to);
            }
        }
        let mut value: Vec<Option<f64>> = (0..=n).map(|to| merits[to]).collect();
        let mut back: Vec<Vec<usize>> = vec![vec![0; n + 1]];
        let mut best: Option<(f64, Vec<usize>)> = None;
        for children in 2..=most {
            let mut next = vec![None; n + 1];
            let mut from_where = vec![0; n + 1];
            for to in children..=n {
                for from in children - 1..to {
                    let (Some(before), Some(last)) = (value[from], merits[from * (n + 1) + to])
                    else {
                        continue;
                    };
                    if next[to].is_none_or(|known: f64| before + last > known) {
                        next[to] = Some(before + last);
                        from_where[to] = from;
                    }
                }
            }
            value = next;
            back.push(from_where);
            if let Some(merit) = value[n]
                && best
                    .as_ref()
                    .is_none_or(|(known, _)| is_better(merit, *known))
            {
                let mut cuts = Vec::new();
                let mut to = n;
                for level in (1..children).rev() {
                    to = back[level][to];
                    cuts.push(to);
                }
                cuts.reverse();
                best = Some((merit, cuts));
            }
        }
        best
    }

    /// Good ranges of very many blocks.
    fn refined(&self, searched: &Searched<'_>) -> Option<(f64, Vec<usize>)> {
        let n = self.len();
        let mut cuts = vec![0, n];
        let mut best: Option<(f64, Vec<usize>)> = None;
        while cuts.len() <= searched.max_children {
            // The cut of one range that gains most.
            let ranges = cuts.windows(2);
            let found = ranges.filter_map(|range| {
                let (gain, cut) = self.best_between(searched, range[0], range[1])?;
                let whole = self.merit(searched, range[0], range[1])?;
                Some((gain - whole, cut))
            });
            let Some((_, cut)) = found.reduce(|a, b| if b.0 > a.0 { b } else { a }) else {
                break;
            };
            cuts.push(cut);
            cuts.sort_unstable();
            for _ in 0..8 {
                let before = cuts.clone();
                for place in 1..cuts.len() - 1 {
                    let (from, to) = (cuts[place - 1], cuts[place + 1]);
                    if let Some((_, cut)) = self.best_between(searched, from, to) {
                        cuts[place] = cut;
                    }
                }
                if cuts == before {
                    break;
                }
            }
            let merits = cuts
                .windows(2)
                .map(|range| self.merit(searched, range[0], range[1]));
            let merit: f64 = merits.collect::<Option<Vec<f64>>>()?.iter().sum();
            if best
                .as_ref()
                .is_none_or(|(known, _)| is_better(merit, *known))
            {
                best = Some((merit, cuts[1..cuts.len() - 1].to_vec()));
            }
        }
        best
    }

    /// The best single cut of a range of blocks, with the merit of both sides.
    fn best_between(
        &self,
        searched: &Searched<'_>,
        from: usize,
        to: usize,
    ) -> Option<(f64, usize)> {
        let sides =
            |cut: usize| Some(self.merit(searched, from, cut)? + self.merit(searched, cut, to)?);
        let cuts = (from + 1..to).filter_map(|cut| Some((sides(cut)?, cut)));
        cuts.reduce(|a, b| if b.0 > a.0 { b } else { a })
    }
}

/// Better by more than rounding: an additional child must be worth it.
fn is_better(merit: f64, known: f64) -> bool {
    merit > known + 1e-12 * known.abs()
}
