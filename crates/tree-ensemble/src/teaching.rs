//! Training data as trees want them: ranked columns, weights and targets of a moderate size.

use crate::columns::Columns;
use crate::tree::{Growth, Impurity, Logarithms, Problem, Splitter, Target, Tree, grow};
use didact_core::random::Generator;
use didact_core::{ClassWeight, Labelled, Measured, Result, Run, Samples};

/// Everything that is made once, however many trees are grown.
pub(crate) struct Teaching<'a> {
    pub(crate) columns: Columns<'a>,
    pub(crate) weights: Vec<f64>,
    pub(crate) target: Target,
    pub(crate) impurity: Impurity,
    /// The targets as they were given; empty for classes.
    pub(crate) original: Vec<f64>,
    /// What the impurity of the targets was divided by.
    pub(crate) unit: f64,
    logarithms: Logarithms,
}

impl<'a> Teaching<'a> {
    pub(crate) fn of_classes(
        data: &'a Labelled<'_>,
        class_weight: &ClassWeight,
        impurity: Impurity,
        splitter: Splitter,
        run: &Run,
    ) -> Result<Self> {
        let factors = class_weight.factors(data.classes, &data.class_weights())?;
        let mut weights = weights(&data.samples);
        for (weight, &label) in weights.iter_mut().zip(data.labels) {
            *weight *= factors[label];
        }
        moderate(&mut weights);
        Ok(Teaching {
            columns: columns(&data.samples, splitter, run)?,
            weights,
            target: Target::Classes {
                labels: data.labels.iter().map(|&label| label as u32).collect(),
                n_classes: data.classes.len(),
            },
            impurity,
            original: Vec::new(),
            unit: 1.0,
            logarithms: Logarithms::new(impurity, data.labels.len()),
        })
    }

    pub(crate) fn of_numbers(
        data: &'a Measured<'_>,
        impurity: Impurity,
        splitter: Splitter,
        run: &Run,
    ) -> Result<Self> {
        let mut weights = weights(&data.samples);
        moderate(&mut weights);
        let original: Vec<f64> = data.targets.iter().copied().collect();
        let n_targets = data.n_targets();
        let (values, _, scale) = centred(&original, n_targets);
        Ok(Teaching {
            columns: columns(&data.samples, splitter, run)?,
            weights,
            target: Target::Numbers { values, n_targets },
            impurity,
            original,
            unit: match impurity {
                Impurity::Absolute => scale,
                _ => scale * scale,
            },
            logarithms: Logarithms::new(impurity, 0),
        })
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.weights.len()
    }

    /// The sum of the weights.
    pub(crate) fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Grows a tree with weights of its own.
    pub(crate) fn tree(
        &self,
        weights: &[f64],
        growth: &Growth,
        generator: Generator,
        run: &Run,
    ) -> Result<Tree> {
        let problem = Problem::new(
            &self.columns,
            weights,
            &self.target,
            self.impurity,
            &self.logarithms,
        );
        let width = self.target.width();
        let mut tree = match &self.target {
            Target::Classes { .. } => {
                grow(&problem, growth, generator, run, &mut |_, node, list| {
                    list.extend(node.totals.iter().map(|total| total / node.weight));
                })?
            }
            Target::Numbers { .. } => {
                grow(&problem, growth, generator, run, &mut |rows, node, list| {
                    for target in 0..width {
                        let value = |row: u32| self.original[row as usize * width + target];
                        let answer = match self.impurity {
                            Impurity::Absolute => problem.median(rows, value),
                            _ => mean(rows, weights, node.weight, value),
                        };
                        list.push(answer);
                    }
                })?
            }
        };
        if let Some(statistics) = &mut tree.statistics {
            statistics
                .impurities
                .iter_mut()
                .for_each(|impurity| *impurity *= self.unit);
        }
        Ok(tree)
    }
}

/// Columns as a splitter wants them.
fn columns<'a>(samples: &'a Samples<'_>, splitter: Splitter, run: &Run) -> Result<Columns<'a>> {
    match splitter {
        Splitter::Best => Columns::ranked(samples.dense()?, run),
        Splitter::Random => Columns::plain(samples.dense()?, run),
    }
}

/// The weighted mean; exactly the value where all are equal, and no sum that could overflow.
fn mean(rows: &[u32], weights: &[f64], total: f64, value: impl Fn(u32) -> f64) -> f64 {
    let first = rows.first().map_or(0.0, |&row| value(row));
    let shifted = rows
        .iter()
        .map(|&row| weights[row as usize] / total * (value(row) - first));
    first + shifted.sum::<f64>()
}

fn weights(samples: &Samples<'_>) -> Vec<f64> {
    match samples.weights() {
        Some(weights) => weights.to_vec(),
        None => vec![1.0; samples.n_rows()],
    }
}

/// Brings weights whose squares would overflow or vanish to a moderate size; a power of two changes
/// no digit of their ratios.
fn moderate(weights: &mut [f64]) {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if largest > 0.0 && !(1e-30..=1e30).contains(&largest) {
        let scale = power_of_two(largest);
        weights.iter_mut().for_each(|weight| *weight /= scale);
    }
}

/// Targets around zero, the largest of them around one; around what they lay, and by what they were
/// divided.
pub(crate) fn centred(targets: &[f64], width: usize) -> (Vec<f64>, Vec<f64>, f64) {
    let rows = (targets.len() / width) as f64;
    let mut centers = vec![0.0; width];
    for row in targets.chunks(width) {
        for (center, value) in centers.iter_mut().zip(row) {
            *center += value / rows;
        }
    }
    let largest = targets.iter().map(|value| value.abs()).fold(0.0, f64::max);
    let scale = match largest > 0.0 {
        true => power_of_two(largest),
        false => 1.0,
    };
    let mut values = Vec::with_capacity(targets.len());
    for row in targets.chunks(width) {
        let shifted = row.iter().zip(&centers);
        values.extend(shifted.map(|(value, center)| value / scale - center / scale));
    }
    let spread = values.iter().map(|value| value.abs()).fold(0.0, f64::max);
    let again = match spread > 0.0 {
        true => power_of_two(spread),
        false => 1.0,
    };
    values.iter_mut().for_each(|value| *value /= again);
    (values, centers, scale * again)
}

/// The power of two just below a positive number.
fn power_of_two(value: f64) -> f64 {
    let exponent = value.log2().floor().clamp(-1000.0, 1000.0);
    2.0_f64.powi(exponent as i32)
}
