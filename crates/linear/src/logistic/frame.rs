//! The coordinates of the search, and what is known before it starts.

use super::evaluation::{Evaluation, Weights};
use super::{LogisticRegression, Solver};
use didact_core::{Classes, Error, Result, present_classes};
use didact_math::linalg::{Moments, Variances};
use ndarray::{Array1, Array2, Axis, s};
use serde::{Deserialize, Serialize};

/// What a first pass over the rows finds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Survey {
    pub(super) classes: Classes,
    pub(super) class_weights: Vec<f64>,
    pub(super) columns: Variances,
    pub(super) sparse: bool,
}

impl Survey {
    pub(super) fn merge(mut self, other: Survey) -> Result<Survey> {
        if self.classes != other.classes || self.columns.mean.len() != other.columns.mean.len() {
            return Err(Error::data(
                "the chunks have different classes or different columns",
            ));
        }
        for (total, weight) in self.class_weights.iter_mut().zip(&other.class_weights) {
            *total += weight;
        }
        Ok(Survey {
            columns: self.columns.merge(other.columns),
            sparse: self.sparse || other.sparse,
            ..self
        })
    }
}

/// The frame of the search: which classes there are, and how its coordinates u relate to weights.
///
/// A weight is w = u·scale of its feature, and scores are w·(x − center) + offset. The scale
/// makes the second derivative by u about one, penalty included.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Frame {
    pub(super) classes: Classes,
    /// The classes that have rows.
    pub(super) present: Vec<usize>,
    /// What the weight of a row is multiplied with, by its class.
    pub(super) factors: Vec<f64>,
    pub(super) center: Array1<f64>,
    scale: Array1<f64>,
    /// Scale of the offsets, where there is an intercept.
    offset_scale: Option<f64>,
    lambda: f64,
    /// Sum of the weights of all rows.
    pub(super) weight: f64,
}

impl Frame {
    pub(super) fn new(parameters: &LogisticRegression, survey: Survey) -> Result<Self> {
        let Survey {
            classes,
            class_weights,
            columns,
            sparse,
        } = survey;
        let present = present_classes(&classes, &class_weights)?;
        let weight: f64 = class_weights.iter().sum();
        let factors = parameters.class_weight.factors(&classes, &class_weights)?;
        // Steps along single rows would have to fill sparse ones.
        let single = sparse && parameters.solver == Solver::Saga;
        let center = match parameters.fit_intercept && !single {
            true => columns.mean.clone(),
            false => Array1::zeros(columns.mean.len()),
        };
        // The greatest second derivative of a point loss by its own score.
        let outputs = outputs(present.len()) as f64;
        let bend = if present.len() == 2 {
            0.25
        } else {
            (1.0 - 1.0 / outputs) / outputs
        };
        let (_, lambda) = parameters.prices();
        let squares = &columns.sum_squares
            + &((&columns.mean - &center).mapv(|shift| weight * shift * shift));
        let curvature = squares.mapv(|squares| bend * squares + lambda);
        if curvature.iter().any(|value| !value.is_finite()) {
            return Err(Error::numerical(
                "the squares of the columns overflow; \
                 divide the columns by a power of ten so that their values stay below 1e150",
            ));
        }
        // A column without variance or price can do nothing: it is kept at zero.
        let scale = curvature.mapv(|value| {
            if value > 0.0 {
                value.sqrt().recip()
            } else {
                0.0
            }
        });
        let offset_scale = parameters
            .fit_intercept
            .then(|| (bend * weight).sqrt().recip());
        Ok(Frame {
            classes,
            present,
            factors,
            center,
            scale,
            offset_scale,
            lambda,
            weight,
        })
    }

    /// Number of scores of a row.
    pub(super) fn n_outputs(&self) -> usize {
        outputs(self.present.len())
    }

    /// Number of coordinates for each score.
    fn width(&self) -> usize {
        self.scale.len() + usize::from(self.offset_scale.is_some())
    }

    /// Number of coordinates.
    pub(super) fn size(&self) -> usize {
        self.n_outputs() * self.width()
    }

    /// Whether there may be no finite minimum.
    pub(super) fn is_unpenalised(&self) -> bool {
        self.lambda == 0.0
    }

    /// The weights at a point of the search.
    pub(super) fn weights(&self, point: &[f64]) -> Weights {
        let d = self.scale.len();
        let mut coef = Array2::zeros((self.n_outputs(), d));
        let mut offsets = vec![0.0; self.n_outputs()];
        for (output, part) in point.chunks_exact(self.width()).enumerate() {
            let mut row = coef.row_mut(output);
            let pairs = part.iter().zip(&self.scale);
            for (w, (part, scale)) in row.iter_mut().zip(pairs) {
                *w = part * scale;
            }
            if let Some(scale) = self.offset_scale {
                offsets[output] = part[d] * scale;
            }
        }
        Weights { coef, offsets }
    }

    /// The weights and intercepts of the original columns.
    pub(super) fn original(&self, point: &[f64]) -> (Array2<f64>, Array1<f64>) {
        let weights = self.weights(point);
        let intercepts = self.intercepts(&weights);
        (weights.coef, intercepts)
    }

    /// The intercepts that belong to weights of the original columns.
    pub(super) fn intercepts(&self, weights: &Weights) -> Array1<f64> {
        Array1::from(weights.offsets.clone()) - weights.coef.dot(&self.center)
    }

    /// The point of the search at which weights and intercepts of the original columns lie. What
    /// all scores have in common changes nothing and is taken away.
    pub(super) fn point(&self, coef: &Array2<f64>, intercept: &Array1<f64>) -> Vec<f64> {
        let mut offsets = intercept + &coef.dot(&self.center);
        let mut coef = coef.clone();
        if self.n_outputs() > 1 {
            let outputs = self.n_outputs() as f64;
            coef -= &(coef.sum_axis(Axis(0)) / outputs);
            offsets -= offsets.sum() / outputs;
        }
        let coordinate = |value: f64, scale: f64| match scale > 0.0 {
            true => value / scale,
            false => 0.0,
        };
        let mut point = Vec::with_capacity(self.size());
        for (w, &offset) in coef.rows().into_iter().zip(&offsets) {
            let pairs = w.iter().zip(&self.scale);
            point.extend(pairs.map(|(&w, &scale)| coordinate(w, scale)));
            point.extend(self.offset_scale.map(|scale| coordinate(offset, scale)));
        }
        point
    }

    /// The deviation of each weight of a single score and of its intercept, where there is one,
    /// from the covariance of the coordinates.
    pub(super) fn deviations(&self, covariance: &Array2<f64>) -> (Array1<f64>, Option<f64>) {
        let d = self.scale.len();
        let variances = covariance.diag();
        let weights = Array1::from_shape_fn(d, |j| self.scale[j] * variances[j].max(0.0).sqrt());
        let intercept = self.offset_scale.map(|offset| {
            // The intercept is the offset minus the weights times the centre.
            let slopes = self.scale.iter().zip(&self.center).map(|(s, c)| -s * c);
            let direction: Array1<f64> = slopes.chain([offset]).collect();
            direction.dot(&covariance.dot(&direction)).max(0.0).sqrt()
        });
        (weights, intercept)
    }

    /// The objective and its gradient at the point, from the sums over the rows.
    pub(super) fn objective(&self, point: &[f64], evaluation: &Evaluation) -> (f64, Vec<f64>) {
        let d = self.scale.len();
        let mut value = evaluation.loss;
        let mut gradient = vec![0.0; point.len()];
        let parts = point
            .chunks_exact(self.width())
            .zip(gradient.chunks_exact_mut(self.width()));
        for (output, (part, slopes)) in parts.enumerate() {
            let found = evaluation.gradient.row(output);
            let found = found.as_slice().expect("a gradient is contiguous");
            let mut squares = [0.0; 4];
            let coordinates = part.iter().zip(&self.scale).zip(found).zip(&mut *slopes);
            for (j, (((part, scale), found), slope)) in coordinates.enumerate() {
                let w = part * scale;
                // Four sums side by side do not wait for each other.
                squares[j % 4] += w * w;
                *slope = (found + self.lambda * w) * scale;
            }
            value += 0.5 * self.lambda * squares.iter().sum::<f64>();
            if let Some(scale) = self.offset_scale {
                slopes[d] = found[d] * scale;
            }
        }
        (value, gradient)
    }

    /// The derivative of the price of the weights by the step from a point along a direction, at
    /// its start, and by how much it grows with the step.
    pub(super) fn price_along(&self, point: &[f64], direction: &[f64]) -> (f64, f64) {
        let (mut level, mut growth) = (0.0, 0.0);
        let width = self.width();
        let each = point.chunks_exact(width).zip(direction.chunks_exact(width));
        for (point, direction) in each {
            for ((part, along), scale) in point.iter().zip(direction).zip(&self.scale) {
                let along = along * scale;
                level += part * scale * along;
                growth += along * along;
            }
        }
        (self.lambda * level, self.lambda * growth)
    }

    /// The objective with the prices of ‖w‖₁ and of ½‖w‖², and the largest slope of its mean that
    /// they do not hold, in units of the features.
    pub(super) fn certificate(
        &self,
        weights: &Weights,
        evaluation: &Evaluation,
        (absolute, squared): (f64, f64),
    ) -> (f64, f64) {
        let d = self.scale.len();
        let (mut value, mut largest) = (evaluation.loss, 0.0_f64);
        let each = weights.coef.rows().into_iter();
        for (w, slopes) in each.zip(evaluation.gradient.rows()) {
            for (j, &w) in w.iter().enumerate() {
                value += absolute * w.abs() + 0.5 * squared * w * w;
                let smooth = slopes[j] + squared * w;
                let left = match w == 0.0 {
                    true => (smooth.abs() - absolute).max(0.0),
                    false => (smooth + absolute.copysign(w)).abs(),
                };
                largest = largest.max(left * self.scale[j]);
            }
            if let Some(scale) = self.offset_scale {
                largest = largest.max(slopes[d].abs() * scale);
            }
        }
        (value, largest / self.weight.sqrt())
    }

    /// The matrix of second derivatives by the coordinates, from the moments of the rows under
    /// the weights pₐ(1 − pₐ) and pₐ·p_b, in the order of [`pairs`].
    pub(super) fn hessian(&self, moments: &[Moments]) -> Array2<f64> {
        let (outputs, width) = (self.n_outputs(), self.width());
        let mut hessian = Array2::zeros((self.size(), self.size()));
        for ((a, b), moments) in pairs(outputs).zip(moments) {
            let mut block = self.block(moments);
            if a != b {
                block *= -1.0;
            } else {
                let prices = self.scale.iter().map(|scale| match *scale > 0.0 {
                    true => self.lambda * scale * scale,
                    // Any positive number: the gradient there is zero.
                    false => 1.0,
                });
                for (j, price) in prices.enumerate() {
                    block[[j, j]] += price;
                }
            }
            let (rows, columns) = (a * width..(a + 1) * width, b * width..(b + 1) * width);
            hessian
                .slice_mut(s![rows.clone(), columns.clone()])
                .assign(&block);
            hessian.slice_mut(s![columns, rows]).assign(&block);
        }
        if outputs > 1 {
            // Adding the same to all scores changes nothing, so the matrix is singular along
            // these directions. Neither point nor gradient has a part in them, and filling them
            // in keeps it so.
            for j in 0..width {
                for a in 0..outputs {
                    for b in 0..outputs {
                        hessian[[a * width + j, b * width + j]] += 1.0 / outputs as f64;
                    }
                }
            }
        }
        hessian
    }

    /// Σ s·z·zᵀ for the coordinates z of the rows, from their moments under the weights s.
    fn block(&self, moments: &Moments) -> Array2<f64> {
        let (d, width) = (self.scale.len(), self.width());
        let shift = &moments.mean - &self.center;
        let mut block = Array2::zeros((width, width));
        for i in 0..d {
            for j in 0..d {
                let product = moments.scatter[[i, j]] + moments.weight * (shift[i] * shift[j]);
                block[[i, j]] = product * self.scale[i] * self.scale[j];
            }
        }
        if let Some(scale) = self.offset_scale {
            for j in 0..d {
                let product = moments.weight * shift[j] * self.scale[j] * scale;
                block[[j, d]] = product;
                block[[d, j]] = product;
            }
            block[[d, d]] = moments.weight * scale * scale;
        }
        block
    }
}

/// Two classes need one score, more need one each.
fn outputs(classes: usize) -> usize {
    if classes == 2 { 1 } else { classes }
}

/// The pairs of scores whose second derivatives are needed.
pub(super) fn pairs(outputs: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..outputs).flat_map(|a| (0..=a).map(move |b| (a, b)))
}
