//! Bagging: classifiers of rows drawn anew vote.

use super::drawing::{draw, left_out};
use super::parts::{Part, highest, seeded};
use crate::Spec;
use didact_core::model::ensure_consistent;
use didact_core::random::generator;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, DataKind, Features, Fit, Labelled, Model,
    Probabilities, Result, Rows, Run, Value, parallel,
};
use didact_tree_ensemble::Amount;
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lets classifiers vote that learned from rows drawn anew for each.
///
/// Each of K members learns from so many rows drawn at random, with replacement (a bootstrap) or
/// without (a plain subset). They vote by the mean of their class probabilities, by majority, or by
/// the sum of their signed outputs c(x) = Σ_k C_k(x). The rows that a member did not draw judge it
/// without a test set (`oob_score`). One member with all rows is the wrapped classifier itself.
///
/// ```
/// use didact::prelude::*;
/// use didact::wrappers::Bagging;
/// let iris = datasets::iris();
/// let learner = Bagging { estimator: "gaussian-nb".parse()?, oob_score: true, ..Default::default() };
/// let model = learner.fit(iris.labelled()?)?;
/// assert!(model.oob_score().unwrap() > 0.9);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "BaggingClassifier")]
pub struct Bagging {
    /// The classifier that is taught again and again.
    pub estimator: Spec,
    /// How many classifiers vote.
    #[schemars(range(min = 1))]
    pub n_estimators: usize,
    /// How many rows each draws, as a number or a share of all.
    pub max_samples: Amount,
    /// Whether a row may be drawn more than once.
    pub bootstrap: bool,
    /// How the classifiers vote.
    pub vote: BaggingVote,
    /// Whether they are judged by the rows that they did not draw.
    pub oob_score: bool,
    /// Seed of what is drawn at random.
    pub random_state: u64,
}

/// How the members of a bag vote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BaggingVote {
    /// By the mean of their class probabilities; by majority where they have none.
    #[default]
    MeanPosterior,
    /// Each with one vote.
    Majority,
    /// By the sum of their signed outputs.
    Sum,
}

impl Default for Bagging {
    fn default() -> Self {
        Bagging {
            estimator: Spec::of("decision-tree-classifier"),
            n_estimators: 10,
            max_samples: Amount::Share(1.0),
            bootstrap: true,
            vote: BaggingVote::MeanPosterior,
            oob_score: false,
            random_state: 0,
        }
    }
}

/// Fitted classifiers that vote.
#[derive(Serialize, Deserialize)]
pub struct BaggingModel {
    classes: Classes,
    vote: BaggingVote,
    members: Vec<Part>,
    oob_score: Option<f64>,
}

impl Fit<Labelled<'_>> for Bagging {
    type Model = BaggingModel;
    const ACCEPTS: Accepts = super::super::PASSED_ON;

    /// What the wrapped classifier takes.
    fn accepts(&self) -> Accepts {
        super::super::accepted(&self.estimator, DataKind::Labelled)
    }

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<BaggingModel> {
        let n_rows = data.labels.len();
        let count = match self.bootstrap {
            true => self.max_samples.of(n_rows).max(1),
            false => self.max_samples.of(n_rows).clamp(1, n_rows),
        };
        let width = data.classes.len();
        let numbers: Vec<u64> = (0..self.n_estimators as u64).collect();
        let fitted = parallel::map(&numbers, run, |&number| {
            let mut random = generator(self.random_state, number);
            let drawn = draw(n_rows, count, self.bootstrap, &mut random);
            let estimator = seeded(&self.estimator, &mut random)?;
            let labels: Vec<usize> = drawn.iter().map(|&row| data.labels[row]).collect();
            let samples = data.samples.select(&drawn);
            let weightless = samples
                .weights()
                .is_some_and(|weights| weights.sum() == 0.0);
            let quiet = run.quietly();
            let part = match weightless {
                // Only rows that do not count were drawn: all rows are as good.
                true => Part::fit(&estimator, &data.samples, data.labels, data.classes, &quiet)?,
                false => Part::fit(&estimator, &samples, &labels, data.classes, &quiet)?,
            };
            let outside = match self.oob_score {
                true => left_out(n_rows, &drawn),
                false => Vec::new(),
            };
            let mut votes = Array2::zeros((outside.len(), width));
            if !outside.is_empty() {
                let rows = data.samples.rows().select(&outside);
                self.vote.add(&part, rows.view(), &mut votes)?;
            }
            Ok((part, outside, votes))
        })?;
        let mut sums: Array2<f64> = Array2::zeros((n_rows, width));
        let mut judged = vec![false; n_rows];
        let mut members = Vec::with_capacity(fitted.len());
        for (part, outside, votes) in fitted {
            for (&row, votes) in outside.iter().zip(votes.rows()) {
                judged[row] = true;
                let mut sum = sums.row_mut(row);
                sum += &votes;
            }
            members.push(part);
        }
        let found = highest(&sums);
        let rows: Vec<usize> = (0..n_rows).filter(|&row| judged[row]).collect();
        let right = rows
            .iter()
            .filter(|&&row| found[row] == data.labels[row])
            .count();
        Ok(BaggingModel {
            classes: data.classes.clone(),
            vote: self.vote,
            members,
            oob_score: (!rows.is_empty()).then(|| right as f64 / rows.len() as f64),
        })
    }
}

impl BaggingVote {
    /// Adds the vote of a member.
    fn add(self, part: &Part, rows: Rows<'_>, votes: &mut Array2<f64>) -> Result<()> {
        let values = match self {
            BaggingVote::Majority => {
                for (row, label) in part.labels(rows)?.into_iter().enumerate() {
                    votes[[row, label]] += 1.0;
                }
                return Ok(());
            }
            BaggingVote::MeanPosterior => part.shares(rows)?,
            BaggingVote::Sum => part.signed(rows)?,
        };
        for (column, &class) in part.known.iter().enumerate() {
            let mut sum = votes.column_mut(class);
            sum += &values.column(column);
        }
        Ok(())
    }
}

impl BaggingModel {
    fn votes(&self, vote: BaggingVote, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut votes = Array2::zeros((rows.n_rows(), self.classes.len()));
        for part in &self.members {
            vote.add(part, rows, &mut votes)?;
        }
        Ok(votes)
    }

    /// The share of the training rows whose class is found by the members that did not draw them;
    /// nothing where it was not asked for or every member drew every row.
    pub fn oob_score(&self) -> Option<f64> {
        self.oob_score
    }
}

impl Features for BaggingModel {
    fn n_features(&self) -> usize {
        self.members[0].model.model.n_features()
    }

    fn accepts(&self) -> Accepts {
        self.members[0].model.model.accepts()
    }
}

impl Classify for BaggingModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        Ok(highest(&self.votes(self.vote, rows)?))
    }
}

impl Probabilities for BaggingModel {
    /// The mean of the members' probabilities, or their shares of the votes.
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let vote = match self.vote {
            BaggingVote::Majority => BaggingVote::Majority,
            _ => BaggingVote::MeanPosterior,
        };
        Ok(self.votes(vote, rows)? / self.members.len() as f64)
    }
}

impl Model for BaggingModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "n_members",
            meaning: "Number of fitted classifiers.",
            get: |model| Value::from(model.members.len()),
        },
        Attribute {
            name: "oob_score",
            meaning: "Share of the training rows whose class is found by the members that did not draw them.",
            get: |model| Value::from(model.oob_score),
        },
    ];

    fn validate(&self) -> Result<()> {
        let width = self
            .members
            .first()
            .map(|part| part.model.model.n_features());
        let sound = |part: &Part| {
            part.is_sound(self.classes.len()) && Some(part.model.model.n_features()) == width
        };
        ensure_consistent(!self.members.is_empty() && self.members.iter().all(sound))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    // 002a:EN02: K = 1 with the full set is the wrapped learner.
    #[test]
    fn one_member_with_all_rows_is_the_wrapped_classifier() {
        let wine = datasets::wine();
        let data = wine.labelled().unwrap();
        let plain = Spec::of("gaussian-nb").learner().unwrap();
        let plain = plain
            .fit(Data::Labelled(data.clone()), &Run::new())
            .unwrap();
        let learner = Bagging {
            estimator: Spec::of("gaussian-nb"),
            n_estimators: 1,
            bootstrap: false,
            ..Bagging::default()
        };
        let model = learner.fit(data.clone()).unwrap();
        let rows = data.samples.rows();
        assert_eq!(
            model.probabilities(rows).unwrap(),
            plain
                .as_probabilities()
                .unwrap()
                .probabilities(rows)
                .unwrap()
        );
    }

    // 002a:EN02: the text draws plain subsets, the cited paper with replacement; both are offered.
    #[test]
    fn with_replacement_a_third_of_the_rows_is_left_out_and_without_it_none() {
        let mut random = generator(0, 0);
        let bootstrap = draw(10_000, 10_000, true, &mut random);
        // (1 − 1/n)ⁿ = e⁻¹ with a standard deviation of about 0.0031.
        let share = left_out(10_000, &bootstrap).len() as f64 / 1e4;
        assert!((share - (-1.0_f64).exp()).abs() < 4.0 * 0.0031, "{share}");
        let mut plain = draw(1000, 400, false, &mut random);
        plain.dedup();
        assert_eq!(plain.len(), 400);
    }

    // 002a:EN01: every way to vote beats the single unstable learner on held-out rows, and rows
    // left out say so without a test set.
    #[test]
    fn votes_of_trees_beat_one_tree_and_rows_left_out_foresee_it() {
        let cancer = datasets::breast_cancer();
        let data = cancer.labelled().unwrap();
        let train: Vec<usize> = (0..data.labels.len()).filter(|row| row % 3 > 0).collect();
        let test: Vec<usize> = (0..data.labels.len()).filter(|row| row % 3 == 0).collect();
        let labels =
            |rows: &[usize]| -> Vec<usize> { rows.iter().map(|&row| data.labels[row]).collect() };
        let (train_labels, test_labels) = (labels(&train), labels(&test));
        let part =
            Labelled::from_parts(data.samples.select(&train), &train_labels, data.classes).unwrap();
        let held_out = data.samples.select(&test);
        let tree = Spec::of("decision-tree-classifier").learner().unwrap();
        let tree = tree.fit(Data::Labelled(part.clone()), &Run::new()).unwrap();
        let alone = tree
            .as_classify()
            .unwrap()
            .classify(held_out.rows())
            .unwrap();
        let alone = accuracy(&test_labels, &alone).unwrap();
        for vote in [
            BaggingVote::MeanPosterior,
            BaggingVote::Majority,
            BaggingVote::Sum,
        ] {
            let learner = Bagging {
                n_estimators: 40,
                vote,
                oob_score: true,
                ..Bagging::default()
            };
            let model = learner.fit(part.clone()).unwrap();
            let together = model.classify(held_out.rows()).unwrap();
            let together = accuracy(&test_labels, &together).unwrap();
            assert!(together > alone, "{vote:?}: {together} {alone}");
            // Two standard errors of a share of 190 rows near 0.95.
            assert!(
                (model.oob_score().unwrap() - together).abs() < 0.04,
                "{vote:?}"
            );
        }
    }

    #[test]
    fn a_member_that_misses_a_class_still_votes() {
        let x = ndarray::Array2::from_shape_fn((40, 1), |(row, _)| row as f64);
        let names = (0..40).map(|row| {
            if row == 39 {
                "rare"
            } else if row < 20 {
                "a"
            } else {
                "b"
            }
        });
        let labels = Labels::from_names(names);
        let learner = Bagging {
            estimator: Spec::of("logistic-regression"),
            ..Bagging::default()
        };
        let model = learner.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        let shares = model.predict_proba(&x).unwrap();
        assert!(
            shares
                .rows()
                .into_iter()
                .all(|row| (row.sum() - 1.0).abs() < 1e-9)
        );
    }
}
