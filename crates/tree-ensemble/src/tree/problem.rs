//! What a tree learns from: ranked columns, weights and targets, and how impure rows are.

use super::pairs::Pairs;
use crate::columns::Columns;

/// How the impurity of a node is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Impurity {
    /// 1 − Σ p².
    Gini,
    /// −Σ p·log₂ p.
    Entropy,
    /// The mean squared distance from the mean.
    Squared,
    /// The mean distance from the median.
    Absolute,
}

/// Targets of the rows.
pub(crate) enum Target {
    /// The class of each row.
    Classes { labels: Vec<u32>, n_classes: usize },
    /// Numbers, some per row, centred and scaled so that their squares neither vanish nor overflow.
    Numbers { values: Vec<f64>, n_targets: usize },
}

/// Everything that the nodes of a tree have in common.
pub(crate) struct Problem<'a> {
    pub(crate) columns: &'a Columns<'a>,
    pub(crate) weights: &'a [f64],
    pub(crate) target: &'a Target,
    pub(crate) impurity: Impurity,
    pub(crate) logarithms: &'a Logarithms,
    /// Where two sums describe a side of a cut.
    pub(crate) pairs: Option<Pairs>,
}

/// What is known of the rows of a node before it is split.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    pub(crate) weight: f64,
    /// The weight of each class, or the weighted sum of each target.
    pub(crate) totals: Vec<f64>,
    pub(crate) impurity: f64,
}

/// x·ln x of whole numbers, which is what counts of rows are.
pub(crate) struct Logarithms(Vec<f64>);

impl Logarithms {
    /// For counts up to this one; none where the criterion takes no logarithms.
    pub(crate) fn new(impurity: Impurity, largest: usize) -> Self {
        let count = match impurity {
            Impurity::Entropy => largest.min(1 << 20) + 1,
            _ => 0,
        };
        Logarithms((0..count).map(|count| x_ln_x(count as f64)).collect())
    }

    /// x·ln x, zero at zero.
    #[inline]
    pub(crate) fn of(&self, x: f64) -> f64 {
        let whole = x as usize;
        match self.0.get(whole) {
            Some(&known) if whole as f64 == x => known,
            _ => x_ln_x(x),
        }
    }
}

fn x_ln_x(x: f64) -> f64 {
    match x > 0.0 {
        true => x * x.ln(),
        // The limit, where the product of zero and infinity would be NaN (004:M47).
        false => 0.0,
    }
}

impl Target {
    /// How many numbers describe a node.
    pub(crate) fn width(&self) -> usize {
        match self {
            Target::Classes { n_classes, .. } => *n_classes,
            Target::Numbers { n_targets, .. } => *n_targets,
        }
    }
}

impl<'a> Problem<'a> {
    pub(crate) fn new(
        columns: &'a Columns<'a>,
        weights: &'a [f64],
        target: &'a Target,
        impurity: Impurity,
        logarithms: &'a Logarithms,
    ) -> Self {
        Problem {
            columns,
            weights,
            target,
            impurity,
            logarithms,
            pairs: Pairs::new(weights, target, impurity),
        }
    }

    pub(crate) fn summarise(&self, rows: &[u32]) -> Summary {
        let mut summary = Summary::default();
        self.summarise_into(rows, &mut summary);
        summary
    }

    /// The same into a summary that is used again and again.
    pub(crate) fn summarise_into(&self, rows: &[u32], summary: &mut Summary) {
        summary.totals.clear();
        summary.totals.resize(self.target.width(), 0.0);
        match self.target {
            Target::Classes { labels, .. } => {
                for &row in rows {
                    let class = labels[row as usize] as usize;
                    summary.totals[class] += self.weights[row as usize];
                }
                summary.weight = summary.totals.iter().sum();
                summary.impurity = self.class_impurity(&summary.totals, summary.weight);
            }
            Target::Numbers { values, n_targets } => {
                self.summarise_numbers(rows, values, *n_targets, summary);
            }
        }
    }

    fn class_impurity(&self, totals: &[f64], weight: f64) -> f64 {
        let shares = totals.iter().map(|total| total / weight);
        match self.impurity {
            Impurity::Entropy => -shares.map(x_ln_x).sum::<f64>() / std::f64::consts::LN_2,
            _ => 1.0 - shares.map(|share| share * share).sum::<f64>(),
        }
        .max(0.0)
    }

    fn summarise_numbers(&self, rows: &[u32], values: &[f64], width: usize, summary: &mut Summary) {
        let mut weight = 0.0;
        let totals = &mut summary.totals;
        for &row in rows {
            let row = row as usize;
            weight += self.weights[row];
            for (total, value) in totals.iter_mut().zip(&values[row * width..]) {
                *total += self.weights[row] * value;
            }
        }
        let mut impurity = 0.0;
        for target in 0..width {
            let value = |row: u32| values[row as usize * width + target];
            let center = match self.impurity {
                Impurity::Absolute => self.median(rows, value),
                _ => totals[target] / weight,
            };
            for &row in rows {
                let distance = (value(row) - center).abs();
                let cost = match self.impurity {
                    Impurity::Absolute => distance,
                    _ => distance * distance,
                };
                impurity += self.weights[row as usize] * cost;
            }
        }
        summary.weight = weight;
        summary.impurity = impurity / (weight * width as f64);
    }

    /// The weighted median: the mean of the two middle values where the weight falls in halves.
    pub(crate) fn median(&self, rows: &[u32], value: impl Fn(u32) -> f64) -> f64 {
        let mut pairs: Vec<(f64, f64)> = rows
            .iter()
            .map(|&row| (value(row), self.weights[row as usize]))
            .collect();
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let half = pairs.iter().map(|pair| pair.1).sum::<f64>() / 2.0;
        let mut below = 0.0;
        for (place, &(value, weight)) in pairs.iter().enumerate() {
            below += weight;
            if below > half {
                return value;
            }
            if below == half {
                let next = pairs.get(place + 1).map_or(value, |pair| pair.0);
                return value / 2.0 + next / 2.0;
            }
        }
        pairs.last().map_or(0.0, |pair| pair.0)
    }

    /// How pure so many rows are: the larger the better, and sums over children compare splits,
    /// because weight · impurity is the same constant minus this for every way to split.
    #[inline]
    pub(crate) fn merit(&self, totals: &[f64], weight: f64) -> f64 {
        match self.impurity {
            Impurity::Gini => totals.iter().map(|total| total * total).sum::<f64>() / weight,
            Impurity::Entropy => {
                let parts: f64 = totals.iter().map(|&total| self.logarithms.of(total)).sum();
                (parts - self.logarithms.of(weight)) / std::f64::consts::LN_2
            }
            _ => {
                let squares: f64 = totals.iter().map(|total| total * total).sum();
                squares / (weight * totals.len() as f64)
            }
        }
    }
}
