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
    #[schemars(range(min = 1, max = 1_000_000))]
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
