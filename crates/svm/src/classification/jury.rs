//! The machines of all pairs of classes, and how they come to a verdict.

use super::pairs::{Examples, PairMachine, pairs};
use didact_core::model::ensure_consistent;
use didact_core::{Classes, Result};
use didact_math::numeric::{argmax, dot};
use ndarray::{Array1, Array2, ArrayView1, Axis};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A machine for every pair of classes; each knows the kernel of a row with the support vectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Jury {
    pub(super) classes: Classes,
    /// The classes that had rows.
    pub(super) present: Vec<usize>,
    /// How many support vectors each of these has; they are kept class by class.
    pub(super) n_support: Vec<usize>,
    /// The multipliers αy: for each support vector those in the machines of its class with the
    /// other classes, in their order.
    pub(super) dual_coef: Array2<f64>,
    /// The intercept of each machine.
    pub(super) intercept: Array1<f64>,
    pub(super) break_ties: bool,
}

/// The machines, ready to judge.
pub(super) struct Machines<'a> {
    pairs: Vec<(usize, usize)>,
    /// Where the support vectors of each class are.
    ranges: Vec<Range<usize>>,
    coefficients: Vec<&'a [f64]>,
    intercept: &'a Array1<f64>,
}

impl Machines<'_> {
    /// Writes the score of every machine for a row, given its kernel with the support vectors.
    pub(super) fn judge(&self, kernel: &[f64], scores: &mut [f64]) {
        for ((&(a, b), score), intercept) in self.pairs.iter().zip(scores).zip(self.intercept) {
            let part = |own: usize, machine: usize| {
                let range = self.ranges[own].clone();
                dot(&self.coefficients[machine][range.clone()], &kernel[range])
            };
            *score = part(a, b - 1) + part(b, a) + intercept;
        }
    }
}

impl Jury {
    pub(super) fn machines(&self) -> Machines<'_> {
        let mut end = 0;
        let range = |&count: &usize| {
            end += count;
            end - count..end
        };
        let rows = self.dual_coef.axis_iter(Axis(0));
        Machines {
            pairs: pairs(self.present.len()),
            ranges: self.n_support.iter().map(range).collect(),
            coefficients: rows
                .map(|row| row.to_slice().expect("the multipliers are contiguous"))
                .collect(),
            intercept: &self.intercept,
        }
    }

    /// The class of each row by the scores of the machines.
    pub(super) fn classify(&self, pair_scores: &Array2<f64>) -> Vec<usize> {
        let rows = pair_scores.rows().into_iter();
        rows.map(|scores| self.present[self.choose(scores)])
            .collect()
    }

    /// One score for two classes, else one for each class.
    pub(super) fn scores(&self, pair_scores: Array2<f64>) -> Array2<f64> {
        match self.classes.len() {
            2 => pair_scores,
            _ => self.class_scores(&pair_scores),
        }
    }

    /// The place of the class that the machines vote for.
    fn choose(&self, scores: ArrayView1<'_, f64>) -> usize {
        if scores.len() == 1 {
            // A score of zero belongs to the second class.
            return usize::from(scores[0] >= 0.0);
        }
        let [votes, confidence] = self.tally(scores);
        let decided = match self.break_ties {
            true => argmax(squeezed(&votes, &confidence)),
            false => argmax(votes),
        };
        decided.unwrap_or(0)
    }

    /// The votes for each class, and how sure they were altogether.
    fn tally(&self, scores: ArrayView1<'_, f64>) -> [Vec<f64>; 2] {
        let count = self.present.len();
        let (mut votes, mut confidence) = (vec![0.0; count], vec![0.0; count]);
        for ((a, b), &score) in pairs(count).into_iter().zip(scores) {
            votes[if score >= 0.0 { a } else { b }] += 1.0;
            confidence[a] += score;
            confidence[b] -= score;
        }
        [votes, confidence]
    }

    fn class_scores(&self, pair_scores: &Array2<f64>) -> Array2<f64> {
        // A class that had no rows scores less than any other.
        let mut all = Array2::from_elem((pair_scores.nrows(), self.classes.len()), f64::MIN);
        for (mut row, scores) in all.rows_mut().into_iter().zip(pair_scores.rows()) {
            let own = match scores.len() {
                1 => vec![-0.5 * scores[0], 0.5 * scores[0]],
                _ => {
                    let [votes, confidence] = self.tally(scores);
                    squeezed(&votes, &confidence).collect()
                }
            };
            for (&class, score) in self.present.iter().zip(own) {
                row[class] = score;
            }
        }
        all
    }

    pub(super) fn has_finite_numbers(&self) -> bool {
        let mut numbers = self.dual_coef.iter().chain(&self.intercept);
        numbers.all(|number| number.is_finite())
    }

    /// Fails where the parts do not belong together, for so many support vectors.
    pub(super) fn validate(&self, vectors: usize) -> Result<()> {
        let count = self.present.len();
        ensure_consistent(count >= 2 && self.n_support.len() == count)?;
        ensure_consistent(self.present.windows(2).all(|pair| pair[0] < pair[1]))?;
        ensure_consistent(self.present.iter().all(|&class| class < self.classes.len()))?;
        ensure_consistent(self.n_support.iter().all(|&own| own <= vectors))?;
        ensure_consistent(self.n_support.iter().sum::<usize>() == vectors)?;
        ensure_consistent(self.dual_coef.dim() == (count - 1, vectors))?;
        ensure_consistent(self.intercept.len() == count * (count - 1) / 2)
    }
}

/// Votes with how sure they were squeezed below half a vote, so that it never outweighs one.
fn squeezed(votes: &[f64], confidence: &[f64]) -> impl Iterator<Item = f64> {
    let pairs = votes.iter().zip(confidence);
    pairs.map(|(vote, sure)| vote + sure / (3.0 * (sure.abs() + 1.0)))
}

/// Which rows are support vectors, class by class.
pub(super) struct Layout {
    pub(super) rows: Vec<usize>,
    n_support: Vec<usize>,
}

impl Layout {
    pub(super) fn new(examples: &Examples, machines: &[PairMachine]) -> Self {
        let mut holds = vec![false; examples.places.len()];
        for (rows, machine) in machines {
            for (&row, &beta) in rows.iter().zip(&machine.multipliers) {
                holds[row] |= beta != 0.0;
            }
        }
        let of_class = |class: usize| {
            let rows = 0..holds.len();
            let holds = &holds;
            rows.filter(move |&row| holds[row] && examples.places[row] == class)
        };
        let classes = 0..examples.present.len();
        Layout {
            n_support: classes
                .clone()
                .map(|class| of_class(class).count())
                .collect(),
            rows: classes.flat_map(of_class).collect(),
        }
    }

    /// The machines in the order of their support vectors.
    pub(super) fn jury(
        &self,
        classes: Classes,
        examples: &Examples,
        machines: &[PairMachine],
        intercept: Array1<f64>,
        break_ties: bool,
    ) -> Jury {
        let count = examples.present.len();
        let mut column = vec![None; examples.places.len()];
        for (vector, &row) in self.rows.iter().enumerate() {
            column[row] = Some(vector);
        }
        let mut dual_coef = Array2::zeros((count - 1, self.rows.len()));
        for ((a, b), (rows, machine)) in pairs(count).into_iter().zip(machines) {
            for (&row, &beta) in rows.iter().zip(&machine.multipliers) {
                // The other class, its own left out of the count.
                let other = if examples.places[row] == a { b - 1 } else { a };
                if let Some(vector) = column[row] {
                    dual_coef[[other, vector]] = beta;
                }
            }
        }
        Jury {
            classes,
            present: examples.present.clone(),
            n_support: self.n_support.clone(),
            dual_coef,
            intercept,
            break_ties,
        }
    }
}
