//! Weights that learn row by row, whether rows are dense or sparse.

use super::check_columns;
use crate::planes::Planes;
use crate::rows::Row;
use didact_core::Result;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// Below this the common factor is multiplied into the weights, before sums lose their digits.
const LEAST_SCALE: f64 = 1e-4;

/// The weights w = s·v of each score, with their average where it is wanted.
///
/// The factor s makes shrinking all weights a single multiplication, so that a step costs no more
/// than the entries of its row. The sum of all weights so far is S·v + U for the same reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Weights {
    n_features: usize,
    directions: Vec<f64>,
    scale: f64,
    pub(crate) intercept: Vec<f64>,
    average: Option<Average>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Average {
    /// U, for each weight.
    rest: Vec<f64>,
    /// S, the sum of the factors s.
    scales: f64,
    intercept: Vec<f64>,
    count: f64,
}

impl Weights {
    /// Weights of zero.
    pub(crate) fn new(outputs: usize, n_features: usize) -> Self {
        Weights {
            n_features,
            directions: vec![0.0; outputs * n_features],
            scale: 1.0,
            intercept: vec![0.0; outputs],
            average: None,
        }
    }

    /// Weights to start from, a row for each score.
    pub(crate) fn from_parts(coef: &Array2<f64>, intercept: &Array1<f64>) -> Self {
        Weights {
            n_features: coef.ncols(),
            directions: coef.iter().copied().collect(),
            scale: 1.0,
            intercept: intercept.to_vec(),
            average: None,
        }
    }

    /// A single hyperplane to start from, or zero.
    pub(crate) fn of_plane(start: Option<&Planes>, n_features: usize) -> Result<Self> {
        let Some(start) = start else {
            return Ok(Weights::new(1, n_features));
        };
        check_columns(start.n_features(), n_features)?;
        Ok(Weights::from_parts(&start.coef, &start.intercept))
    }

    /// One of several scores to start from.
    pub(crate) fn of_score(coef: &Array2<f64>, intercept: &Array1<f64>, score: usize) -> Self {
        let (coef, intercept) = (coef.row(score), intercept[score]);
        let coef = coef.insert_axis(ndarray::Axis(0)).to_owned();
        Weights::from_parts(&coef, &Array1::from_elem(1, intercept))
    }

    /// The same, which remember the average of what they have been after every row.
    pub(crate) fn averaged(mut self) -> Self {
        self.average = Some(Average {
            rest: vec![0.0; self.directions.len()],
            scales: 0.0,
            intercept: vec![0.0; self.intercept.len()],
            count: 0.0,
        });
        self
    }

    /// Number of scores.
    pub(crate) fn n_outputs(&self) -> usize {
        self.intercept.len()
    }

    /// Number of columns.
    pub(crate) fn n_features(&self) -> usize {
        self.n_features
    }

    fn direction(&self, output: usize) -> &[f64] {
        &self.directions[output * self.n_features..(output + 1) * self.n_features]
    }

    /// The score w·x + b.
    #[inline]
    pub(crate) fn score(&self, output: usize, row: Row<'_>) -> f64 {
        self.scale * row.dot(self.direction(output)) + self.intercept[output]
    }

    /// Fills in the scores of a row.
    #[inline]
    pub(crate) fn scores(&self, row: Row<'_>, scores: &mut [f64]) {
        for (output, score) in scores.iter_mut().enumerate() {
            *score = self.score(output, row);
        }
    }

    /// w += step·x.
    #[inline]
    pub(crate) fn add(&mut self, output: usize, step: f64, row: Row<'_>) {
        let range = output * self.n_features..(output + 1) * self.n_features;
        let relative = step / self.scale;
        row.add_to(&mut self.directions[range.clone()], relative);
        if let Some(average) = &mut self.average {
            row.add_to(&mut average.rest[range], -average.scales * relative);
        }
    }

    /// w *= factor, for all scores.
    #[inline]
    pub(crate) fn shrink(&mut self, factor: f64) {
        self.scale *= factor;
        if self.scale < LEAST_SCALE {
            self.multiply_out();
        }
    }

    /// Charges the weights of a row's columns for their absolute values: each pays what has been
    /// charged in all and not paid yet, up to all that it has.
    pub(crate) fn charge(&mut self, row: Row<'_>, charged: f64, paid: &mut [f64]) {
        let (scale, directions, average) = (self.scale, &mut self.directions, &mut self.average);
        row.each(|j| {
            let before = scale * directions[j];
            let after = match before > 0.0 {
                true => (before - (charged + paid[j])).max(0.0),
                false => (before + (charged - paid[j])).min(0.0),
            };
            paid[j] += after - before;
            let change = after / scale - directions[j];
            directions[j] += change;
            if after == 0.0 {
                directions[j] = 0.0;
            }
            if let Some(average) = average {
                average.rest[j] -= average.scales * change;
            }
        });
    }

    fn multiply_out(&mut self) {
        let scale = self.scale;
        if let Some(average) = &mut self.average {
            // S·v + U must not change when v changes.
            for (rest, v) in average.rest.iter_mut().zip(&self.directions) {
                *rest += average.scales * v * (1.0 - scale);
            }
        }
        self.directions.iter_mut().for_each(|v| *v *= scale);
        self.scale = 1.0;
    }

    /// Ends the step of a row: what the weights are now counts towards the average.
    #[inline]
    pub(crate) fn settle(&mut self) {
        if let Some(average) = &mut self.average {
            average.scales += self.scale;
            average.count += 1.0;
            for (sum, b) in average.intercept.iter_mut().zip(&self.intercept) {
                *sum += b;
            }
        }
    }

    /// Whether the parts belong together and to this many scores and columns.
    pub(crate) fn is_sound(&self, outputs: usize, n_features: usize) -> bool {
        let average = self.average.as_ref();
        self.n_features == n_features
            && self.directions.len() == outputs * n_features
            && self.intercept.len() == outputs
            && average.is_none_or(|average| {
                average.rest.len() == self.directions.len() && average.intercept.len() == outputs
            })
    }

    /// Whether no number has overflowed.
    pub(crate) fn is_finite(&self) -> bool {
        let numbers = self.directions.iter().chain(&self.intercept);
        self.scale.is_finite() && numbers.into_iter().all(|number| number.is_finite())
    }

    /// The weights and intercepts: the average where there is one, else the last.
    pub(crate) fn finish(&self) -> (Array2<f64>, Array1<f64>) {
        let (coef, intercept): (Vec<f64>, Vec<f64>) = match &self.average {
            Some(average) if average.count > 0.0 => {
                let pairs = self.directions.iter().zip(&average.rest);
                let mean = |(v, rest): (&f64, &f64)| (average.scales * v + rest) / average.count;
                let intercept = average.intercept.iter().map(|sum| sum / average.count);
                (pairs.map(mean).collect(), intercept.collect())
            }
            _ => {
                let coef = self.directions.iter().map(|v| self.scale * v);
                (coef.collect(), self.intercept.clone())
            }
        };
        let shape = (self.n_outputs(), self.n_features);
        let coef = Array2::from_shape_vec(shape, coef).expect("one weight per score and column");
        (coef, Array1::from(intercept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn scaled_sums_and_averages_equal_those_written_out(
            steps in prop::collection::vec((-2.0..2.0, prop::array::uniform3(-1.0..1.0), 0.01..1.0), 1..30),
        ) {
            let mut fast = Weights::new(1, 3).averaged();
            let (mut slow, mut total) = ([0.0; 3], [0.0; 3]);
            for (step, x, factor) in &steps {
                fast.shrink(*factor);
                fast.add(0, *step, Row::Dense(x));
                fast.settle();
                for j in 0..3 {
                    slow[j] = slow[j] * factor + step * x[j];
                    total[j] += slow[j];
                }
                let row = Row::Dense(&[1.0, 1.0, 1.0]);
                prop_assert!((fast.score(0, row) - slow.iter().sum::<f64>()).abs() < 1e-9);
            }
            let (mean, _) = fast.finish();
            for j in 0..3 {
                prop_assert!((mean[[0, j]] - total[j] / steps.len() as f64).abs() < 1e-9);
            }
        }
    }
}
