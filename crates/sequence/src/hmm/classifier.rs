//! Classifying whole sequences by a hidden Markov model of each class.

use super::model::HmmModel;
use super::parameters::Hmm;
use didact_core::{Classes, Error, Fit, Labels, Result, Run, SequenceLikelihood, Sequences};
use ndarray::Array2;

/// Says which class a whole sequence belongs to, by a hidden Markov model of each class.
///
/// A sequence belongs to the class under whose model it is most probable. What belongs to none
/// can be refused: by a garbage model of anything else, which wins where no class is better, and
/// by comparing the log-likelihood per item with those of the class's own training sequences.
///
/// ```
/// use didact_core::{Labels, Run, Sequences};
/// use didact_sequence::{Hmm, HmmClassifier};
/// use ndarray::Array2;
/// // Sequences around zero and around five.
/// let items = Array2::from_shape_fn((80, 1), |(row, _)| {
///     (row as f64).sin() + if row / 10 % 2 == 0 { 0.0 } else { 5.0 }
/// });
/// let sequences = Sequences::new(&items, &[10; 8])?;
/// let labels = Labels::from_indices((0..8).map(|sequence| sequence % 2).collect());
/// let classifier = HmmClassifier { hmm: Hmm { n_components: 1, ..Hmm::default() }, ..HmmClassifier::default() };
/// let model = classifier.fit(&sequences, &labels, None, &Run::new())?;
/// assert_eq!(model.predict(&sequences)?[..3], [Some(0), Some(1), Some(0)]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HmmClassifier {
    /// How the model of each class learns.
    pub hmm: Hmm,
    /// Whether log-likelihoods are divided by the number of free parameters of their model
    /// before they are compared. Between models of one size nothing changes; otherwise a negative
    /// log-likelihood comes out *larger* for the larger model, which favours it.
    pub per_parameter: bool,
    /// Which sequences are refused although a class is best.
    pub rejection: HmmRejection,
}

/// Which sequences are refused for being unlike the training sequences of their class, all
/// measured by the log-likelihood per item.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum HmmRejection {
    /// None.
    #[default]
    Never,
    /// Those further from the mean of the training sequences, to either side, than so many of
    /// their standard deviations.
    Outside(f64),
    /// Those below the quantile at which this share of the training sequences is accepted.
    BelowShare(f64),
}

/// A hidden Markov model of each class, and what its training sequences were like.
#[derive(Clone, Debug, PartialEq)]
pub struct HmmClassifierModel {
    classes: Classes,
    models: Vec<HmmModel>,
    garbage: Option<HmmModel>,
    /// The log-likelihoods per item of the training sequences of each class, lowest first.
    training: Vec<Vec<f64>>,
    per_parameter: bool,
    rejection: HmmRejection,
}

impl HmmClassifier {
    /// Learns from sequences with a class each, and from others that belong to none.
    pub fn fit(
        &self,
        sequences: &Sequences<'_>,
        labels: &Labels,
        garbage: Option<&Sequences<'_>>,
        run: &Run,
    ) -> Result<HmmClassifierModel> {
        self.check()?;
        if labels.indices.len() != sequences.lengths.len() {
            return Err(Error::data(format!(
                "there are {} classes for {} sequences; give one for each sequence",
                labels.indices.len(),
                sequences.lengths.len()
            )));
        }
        let rows = sequences.samples.dense()?;
        let ranges: Vec<_> = sequences.ranges().collect();
        let (mut models, mut training) = (Vec::new(), Vec::new());
        for class in 0..labels.classes.len() {
            let own = (0..ranges.len()).filter(|&at| labels.indices[at] == class);
            let own: Vec<_> = own.map(|at| ranges[at].clone()).collect();
            if own.is_empty() {
                return Err(Error::data(format!(
                    "class {} has no sequences; give at least one of each class",
                    labels.classes.names()[class]
                )));
            }
            let places: Vec<usize> = own.iter().cloned().flatten().collect();
            let lengths: Vec<usize> = own.iter().map(|range| range.len()).collect();
            let items = rows.select(ndarray::Axis(0), &places);
            let own = Sequences::new(&items, &lengths)?;
            let model = self.hmm.fit_with(own.clone(), run)?;
            let mut scores = model.log_likelihoods_per_item(&own)?;
            scores.sort_by(f64::total_cmp);
            models.push(model);
            training.push(scores);
        }
        let garbage = garbage.map(|other| self.hmm.fit_with(other.clone(), run));
        Ok(HmmClassifierModel {
            classes: labels.classes.clone(),
            models,
            garbage: garbage.transpose()?,
            training,
            per_parameter: self.per_parameter,
            rejection: self.rejection,
        })
    }

    fn check(&self) -> Result<()> {
        match self.rejection {
            HmmRejection::Outside(bound) if bound.is_nan() || bound < 0.0 => Err(Error::parameter(
                "rejection",
                bound,
                "a number of standard deviations is at least 0",
            )),
            HmmRejection::BelowShare(share) if !(0.0..=1.0).contains(&share) => {
                Err(Error::parameter(
                    "rejection",
                    share,
                    "the share of training sequences that is accepted lies between 0 and 1",
                ))
            }
            _ => Ok(()),
        }
    }
}

impl HmmClassifierModel {
    /// The classes in label order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The model of each class.
    pub fn models(&self) -> &[HmmModel] {
        &self.models
    }

    /// What sequences are compared by: the log-likelihood of each (row) under the model of each
    /// class, and under the garbage model in a last column where there is one.
    pub fn scores(&self, sequences: &Sequences<'_>) -> Result<Array2<f64>> {
        let models: Vec<&HmmModel> = self.models.iter().chain(&self.garbage).collect();
        let mut scores = Array2::zeros((sequences.lengths.len(), models.len()));
        for (model, mut column) in models.iter().zip(scores.columns_mut()) {
            let divisor = match self.per_parameter {
                true => model.n_parameters().max(1) as f64,
                false => 1.0,
            };
            let values = model.log_likelihoods(sequences)?;
            for (entry, value) in column.iter_mut().zip(values) {
                *entry = value / divisor;
            }
        }
        Ok(scores)
    }

    /// The class of each sequence, ties to the lowest; nothing for those that are refused.
    pub fn predict(&self, sequences: &Sequences<'_>) -> Result<Vec<Option<usize>>> {
        let scores = self.scores(sequences)?;
        let mut per_item = Vec::with_capacity(self.models.len());
        for model in &self.models {
            per_item.push(model.log_likelihoods_per_item(sequences)?);
        }
        let one = |(sequence, row): (usize, ndarray::ArrayView1<'_, f64>)| {
            let columns = 1..row.len();
            let best = columns.fold(0, |best, at| if row[at] > row[best] { at } else { best });
            let possible = row[best] > f64::NEG_INFINITY && best < self.models.len();
            (possible && self.accepts(best, per_item[best][sequence])).then_some(best)
        };
        Ok(scores.rows().into_iter().enumerate().map(one).collect())
    }

    /// Whether a log-likelihood per item is like those of the training sequences of a class.
    fn accepts(&self, class: usize, per_item: f64) -> bool {
        let training = &self.training[class];
        let n = training.len() as f64;
        match self.rejection {
            HmmRejection::Never => true,
            HmmRejection::Outside(bound) => {
                let mean = training.iter().sum::<f64>() / n;
                let squares: f64 = training.iter().map(|score| (score - mean).powi(2)).sum();
                (per_item - mean).abs() <= bound * (squares / n).sqrt()
            }
            HmmRejection::BelowShare(share) => {
                // As many as the share allows are refused, never more.
                let refused = ((1.0 - share) * n + 1e-9).floor() as usize;
                training
                    .get(refused)
                    .is_some_and(|bound| per_item >= *bound)
            }
        }
    }
}
