//! Absolute prices on the weights: minima with exact zeros.
//!
//! Two classes are one problem of [`crate::sparse_descent`]. With more, the scores of all classes
//! but one are held: as a function of that one, the cross-entropy is a logistic loss whose scores
//! are shifted by the logarithm of what the others add up to. So the classes take turns.

use super::{LogisticModel, LogisticRegression};
use crate::online::Examples;
use crate::separators::overflow;
use crate::sparse_descent::{Columns, FLAT, PointLoss, Progress, SparseProblem, State};
use didact_core::{Labelled, Result, Run, StopReason, Trace, TraceWriter};
use didact_math::numeric::log_sum_exp;
use ndarray::{Array1, Array2};

const OBJECTIVE: &str = "penalised cross-entropy";

impl LogisticRegression {
    /// Learns with a price on the absolute values of the weights.
    pub(super) fn learn_sparse(
        &self,
        start: Option<&LogisticModel>,
        data: Labelled<'_>,
        run: &Run,
    ) -> Result<LogisticModel> {
        let examples = Examples::new(data, &self.class_weight)?;
        let d = examples.n_columns();
        let mut weights = vec![vec![0.0; d + 1]; examples.n_outputs()];
        if let Some(start) = start {
            start.check_start(&examples.classes, &examples.present, d)?;
            for (k, weights) in weights.iter_mut().enumerate() {
                let own = start.coef.row(k).into_iter().copied();
                *weights = own.chain([start.intercept[k]]).collect();
            }
            if !self.fit_intercept {
                weights.iter_mut().for_each(|weights| weights[d] = 0.0);
            }
        }
        let columns = Columns::new(examples.rows(), run)?;
        let turns = Turns {
            parameters: self,
            examples: &examples,
            columns: &columns,
        };
        let (weights, gap, trace) = match examples.n_outputs() {
            1 => turns.two_classes(weights.remove(0), run)?,
            _ => turns.several_classes(weights, run)?,
        };
        let coef = Array2::from_shape_fn((weights.len(), d), |(k, j)| weights[k][j]);
        let mut intercept: Array1<f64> = weights.iter().map(|each| each[d]).collect();
        if weights.len() > 1 {
            // Adding the same to all scores changes nothing.
            let mean = intercept.sum() / weights.len() as f64;
            intercept -= mean;
        }
        let mut numbers = coef.iter().chain(&intercept);
        if !numbers.all(|number| number.is_finite()) {
            return Err(overflow());
        }
        Ok(LogisticModel {
            coef,
            intercept,
            trace,
            dual_gap: Some(gap),
            inference: None,
            contrasts: None,
            present: examples.present,
            classes: examples.classes,
        })
    }
}

struct Turns<'a, 'b, 'c> {
    parameters: &'a LogisticRegression,
    examples: &'a Examples<'b>,
    columns: &'a Columns<'c>,
}

type Learned = (Vec<Vec<f64>>, f64, Trace);

impl<'c> Turns<'_, '_, 'c> {
    fn problem(&self, positive: usize, offsets: Option<Vec<f64>>) -> SparseProblem<'_, 'c> {
        let (absolute, squared) = self.parameters.prices();
        SparseProblem {
            columns: self.columns,
            constant: f64::from(u8::from(self.parameters.fit_intercept)),
            loss: PointLoss::Logistic,
            places: &self.examples.places,
            positive,
            counts: &self.examples.counts,
            offsets,
            absolute,
            absolute_of_intercept: 0.0,
            squared,
        }
    }

    fn two_classes(&self, start: Vec<f64>, run: &Run) -> Result<Learned> {
        let (tol, max_iter) = (self.parameters.tol, self.parameters.max_iter);
        let found = self.problem(1, None).solve(start, tol, max_iter, run)?;
        let trace = Trace {
            objective_name: OBJECTIVE.to_owned(),
            objectives: found.objectives,
            stop: found.stop,
        };
        Ok((vec![found.weights], found.gap, trace))
    }

    fn several_classes(&self, mut weights: Vec<Vec<f64>>, run: &Run) -> Result<Learned> {
        let (n, k) = (self.examples.n_rows(), self.examples.n_outputs());
        let constant = f64::from(u8::from(self.parameters.fit_intercept));
        let mut scores = Array2::zeros((n, k));
        for (class, weights) in weights.iter().enumerate() {
            let own = self.columns.scores(weights, constant, run)?;
            scores.column_mut(class).assign(&Array1::from(own));
        }
        let max_iter = self.parameters.max_iter;
        let mut trace = TraceWriter::new(run, OBJECTIVE, Some(max_iter));
        let mut progress = Progress::default();
        let (stop, gap) = loop {
            let (objective, gap) = self.certify(&weights, &scores, run)?;
            if trace.n_iter() > 0 {
                trace.record(objective)?;
            }
            if gap <= self.parameters.tol * objective {
                break (StopReason::Converged, gap);
            }
            if trace.n_iter() == max_iter {
                break (StopReason::IterationLimit, gap);
            }
            let mut moved = false;
            for class in 0..k {
                let problem = self.problem(class, Some(others(&scores, class)));
                let own = scores.column(class).to_vec();
                let mut state = State {
                    objective: problem.value(own.iter().copied(), &weights[class]),
                    weights: weights[class].clone(),
                    scores: own,
                };
                moved |= problem.step(&mut state, run)?;
                scores.column_mut(class).assign(&Array1::from(state.scores));
                weights[class] = state.weights;
            }
            if trace.n_iter() == 0 {
                let (objective, _) = self.certify(&weights, &scores, run)?;
                trace.record(objective)?;
            }
            if !moved || (gap <= FLAT * objective && progress.is_over(gap)) {
                let (_, gap) = self.certify(&weights, &scores, run)?;
                break (StopReason::Stalled, gap);
            }
        };
        Ok((weights, gap, trace.finish(stop)))
    }

    /// The objective, and by how much it is above the least one at most.
    fn certify(&self, weights: &[Vec<f64>], scores: &Array2<f64>, run: &Run) -> Result<(f64, f64)> {
        let (absolute, squared) = self.parameters.prices();
        let (n, k) = scores.dim();
        let d = self.columns.n_columns();
        let mut slopes = vec![vec![0.0; n]; k];
        let mut objective = 0.0;
        for row in 0..n {
            let row_scores = scores.row(row).to_vec();
            let (total, count) = (log_sum_exp(&row_scores), self.examples.counts[row]);
            let own = self.examples.places[row];
            objective += count * (total - row_scores[own]);
            for (class, score) in row_scores.iter().enumerate() {
                let target = f64::from(u8::from(class == own));
                slopes[class][row] = count * ((score - total).exp() - target);
            }
        }
        let constant = f64::from(u8::from(self.parameters.fit_intercept));
        let mut pushes = Vec::with_capacity(k);
        for of_class in &slopes {
            pushes.push(self.columns.combination(of_class, constant, run)?);
        }
        let mut share = 1.0_f64;
        for (w, push) in weights.iter().zip(&pushes) {
            for j in 0..d {
                objective += absolute * w[j].abs() + 0.5 * squared * w[j] * w[j];
                if squared == 0.0 && push[j].abs() > absolute {
                    share = share.min(absolute / push[j].abs());
                }
            }
        }
        let mut dual = 0.0;
        for row in 0..n {
            let (count, own) = (self.examples.counts[row], self.examples.places[row]);
            for (class, of_class) in slopes.iter().enumerate() {
                let target = f64::from(u8::from(class == own));
                let p = (target + share * of_class[row] / count).clamp(0.0, 1.0);
                if p > 0.0 {
                    dual -= count * p * p.ln();
                }
            }
        }
        let mut missed = 0.0;
        for (w, push) in weights.iter().zip(&pushes) {
            if squared > 0.0 {
                let over = push[..d]
                    .iter()
                    .map(|slope| (slope.abs() - absolute).max(0.0));
                dual -= over.map(|over| 0.5 * over * over / squared).sum::<f64>();
            }
            missed += (share * push[d] * w[d]).abs();
        }
        match objective.is_finite() && dual.is_finite() {
            true => Ok((objective, (objective - dual).max(0.0) + missed)),
            false => Err(overflow()),
        }
    }
}

/// The logarithm of what the scores of all other classes add up to, for each row.
fn others(scores: &Array2<f64>, class: usize) -> Vec<f64> {
    let mut rest = Vec::with_capacity(scores.ncols());
    scores
        .rows()
        .into_iter()
        .map(|row| {
            rest.clear();
            let each = row.iter().enumerate();
            rest.extend(each.filter(|&(k, _)| k != class).map(|(_, score)| score));
            log_sum_exp(&rest)
        })
        .collect()
}
