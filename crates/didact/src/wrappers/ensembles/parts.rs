//! Members of an ensemble that may know fewer classes than the whole.

use crate::{Spec, Stored};
use didact_core::abilities::check_rows;
use didact_core::random::Generator;
use didact_core::{Classes, Data, Error, Labelled, Result, Rows, Run, Samples};
use didact_math::numeric::argmax;
use ndarray::Array2;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// A classifier that learned from some of the rows, and which classes it has seen.
#[derive(Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) model: Stored,
    /// The class of the whole that each of its own classes is.
    pub(super) known: Vec<usize>,
}

/// The same specification with a seed of its own for whatever it draws.
pub(super) fn seeded(estimator: &Spec, random: &mut Generator) -> Result<Spec> {
    let mut spec = estimator.clone();
    spec.set_seed(u64::from(random.random::<u32>() >> 1) + 1)?;
    Ok(spec)
}

impl Part {
    /// Teaches a classifier with the classes that have weight among the rows.
    pub(super) fn fit(
        estimator: &Spec,
        samples: &Samples<'_>,
        labels: &[usize],
        classes: &Classes,
        run: &Run,
    ) -> Result<Self> {
        let learner = super::super::classifier(estimator)?;
        let mut present = vec![false; classes.len()];
        for (row, &label) in labels.iter().enumerate() {
            present[label] |= samples.weight(row) > 0.0;
        }
        let known: Vec<usize> = (0..classes.len()).filter(|&class| present[class]).collect();
        if known.len() == classes.len() {
            let data = Labelled::from_parts(samples.view(), labels, classes)?;
            let model = Stored::fit(learner.as_ref(), Data::Labelled(data), run)?;
            return Ok(Part { model, known });
        }
        // Rows of classes without weight say nothing.
        let kept: Vec<usize> = (0..labels.len())
            .filter(|&row| present[labels[row]])
            .collect();
        let own: Vec<usize> = kept
            .iter()
            .map(|&row| known.partition_point(|&class| class < labels[row]))
            .collect();
        let names = known.iter().map(|&class| classes.names()[class].clone());
        let own_classes = Classes::new(names);
        let chosen = samples.select(&kept);
        let data = Labelled::from_parts(chosen.view(), &own, &own_classes)?;
        let model = Stored::fit(learner.as_ref(), Data::Labelled(data), run)?;
        Ok(Part { model, known })
    }

    /// The class of the whole that each row is given.
    pub(super) fn labels(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let labels = super::super::members::labels(&self.model, rows)?;
        Ok(labels.into_iter().map(|label| self.known[label]).collect())
    }

    /// The probabilities of the member's classes; one for the class of each row where it knows no
    /// probabilities.
    pub(super) fn shares(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let model = self.model.model.as_ref();
        check_rows(model, rows)?;
        match model.as_probabilities() {
            Some(probabilities) => probabilities.probabilities(rows),
            None => {
                let labels = super::super::members::labels(&self.model, rows)?;
                let mut shares = Array2::zeros((labels.len(), self.known.len()));
                for (row, label) in labels.into_iter().enumerate() {
                    shares[[row, label]] = 1.0;
                }
                Ok(shares)
            }
        }
    }

    /// What the member says of each of its classes, signed: decision scores, else 2p − 1.
    pub(super) fn signed(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let model = self.model.model.as_ref();
        check_rows(model, rows)?;
        let Some(scores) = model.as_scores() else {
            return Ok(self.shares(rows)?.mapv(|share| 2.0 * share - 1.0));
        };
        let scores = scores.scores(rows)?;
        match (scores.ncols(), self.known.len()) {
            // One column: the score of the second class, and its opposite for the first.
            (1, 2) => Ok(Array2::from_shape_fn(
                (scores.nrows(), 2),
                |(row, class)| (2.0 * class as f64 - 1.0) * scores[[row, 0]],
            )),
            (found, known) if found == known => Ok(scores),
            _ => Err(Error::unsupported(
                "the wrapped classifier does not give one score per class; vote by majority instead",
            )),
        }
    }

    pub(super) fn is_sound(&self, n_classes: usize) -> bool {
        let own = self
            .model
            .model
            .as_classify()
            .map(|model| model.classes().len());
        own == Some(self.known.len())
            && !self.known.is_empty()
            && self.known.is_sorted_by(|a, b| a < b)
            && self.known.iter().all(|&class| class < n_classes)
    }
}

/// The highest column of each row, the first of equals.
pub(super) fn highest(values: &Array2<f64>) -> Vec<usize> {
    values
        .rows()
        .into_iter()
        .map(|row| argmax(row.iter().copied()).unwrap_or(0))
        .collect()
}
