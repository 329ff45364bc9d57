//! One against one: many classes by means of a classifier for every pair of them.

use super::members::{confidence, labels, member_model, teach_all};
use crate::{Spec, Stored};
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, DataKind, Error, Fit, Labelled, Model, Probabilities,
    Result, Rows, Run, Scores, Value,
};
use didact_math::linalg::pseudo_solve;
use ndarray::{Array1, Array2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tells every two classes apart by a classifier of its own, and lets them vote.
///
/// The classifier of a pair learns only from the rows of its two classes. A row belongs to the
/// class with the most votes, and among equals to the one that its supporters are surest of; or,
/// with weighted votes, to the one they are surest of altogether. With two classes a single
/// classifier is enough and this wrapper changes nothing.
///
/// ```
/// use didact::prelude::*;
/// use didact::wrappers::OneVsOne;
/// let iris = datasets::iris();
/// let learner = OneVsOne { estimator: "linear-svc".parse()?, ..Default::default() };
/// let model = learner.fit(iris.labelled()?)?;
/// assert!(accuracy(iris.labelled()?.labels, &model.predict(iris.samples())?)? > 0.9);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "OneVsOneClassifier")]
pub struct OneVsOne {
    /// The classifier for two classes.
    pub estimator: Spec,
    /// How the classifiers vote.
    pub voting: PairwiseVote,
}

/// How classifiers vote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PairwiseVote {
    /// Every classifier has one vote; how sure they are decides ties only.
    #[default]
    Simple,
    /// A vote counts as much as its classifier is sure.
    Weighted,
}

impl Default for OneVsOne {
    fn default() -> Self {
        OneVsOne {
            estimator: Spec::of("logistic-regression"),
            voting: PairwiseVote::Simple,
        }
    }
}

/// A fitted classifier for every pair of classes.
#[derive(Serialize, Deserialize)]
pub struct OneVsOneModel {
    classes: Classes,
    voting: PairwiseVote,
    /// In the order (0, 1), (0, 2), …, (1, 2), …; "this" is the second of a pair.
    members: Vec<Stored>,
}

/// The pairs of classes in the order of their classifiers.
fn pairs(count: usize) -> Vec<(usize, usize)> {
    (0..count)
        .flat_map(|a| (a + 1..count).map(move |b| (a, b)))
        .collect()
}

impl Fit<Labelled<'_>> for OneVsOne {
    type Model = OneVsOneModel;
    const ACCEPTS: Accepts = super::PASSED_ON;

    /// What the wrapped classifier takes.
    fn accepts(&self) -> Accepts {
        super::accepted(&self.estimator, DataKind::Labelled)
    }

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<OneVsOneModel> {
        let answer = |&(a, b): &(usize, usize), label: usize| {
            (label == a || label == b).then_some(label == b)
        };
        let members = teach_all(&self.estimator, &data, pairs, answer, run)?;
        Ok(OneVsOneModel {
            classes: data.classes.clone(),
            voting: self.voting,
            members,
        })
    }
}

impl OneVsOneModel {
    /// The votes for each class with what decides between equals, or how sure the classifiers of
    /// each class are altogether.
    fn tally(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let k = self.classes.len();
        let mut votes = Array2::<f64>::zeros((rows.n_rows(), k));
        let mut surety = Array2::<f64>::zeros((rows.n_rows(), k));
        for ((a, b), member) in pairs(k).into_iter().zip(&self.members) {
            let sure = confidence(member, rows)?;
            for (row, side) in labels(member, rows)?.into_iter().enumerate() {
                votes[[row, if side == 1 { b } else { a }]] += 1.0;
                surety[[row, a]] -= sure[row];
                surety[[row, b]] += sure[row];
            }
        }
        Ok(match self.voting {
            PairwiseVote::Weighted => surety,
            // Squeezed below half a vote, so that it never outweighs one.
            PairwiseVote::Simple => votes + surety.mapv(|sure| sure / (3.0 * (sure.abs() + 1.0))),
        })
    }

    /// The chance of the second class of each pair, a column for each pair.
    fn chances(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut columns = Array2::zeros((rows.n_rows(), self.members.len()));
        for (column, member) in self.members.iter().enumerate() {
            let probabilities = member.model.as_probabilities().ok_or_else(|| {
                Error::unsupported("the wrapped classifier gives no probabilities")
            })?;
            let chances = probabilities.probabilities(rows)?;
            columns.column_mut(column).assign(&chances.column(1));
        }
        Ok(columns)
    }
}

/// The probabilities p of the classes that agree best with the chances rₐᵦ of pairs: they
/// minimise Σ(rᵦₐ·pₐ − rₐᵦ·pᵦ)² and sum to one (pairwise coupling after Wu, Lin and Weng).
fn couple(chances: impl Iterator<Item = f64>, k: usize) -> Result<Array1<f64>> {
    let mut matrix = Array2::zeros((k + 1, k + 1));
    for ((a, b), of_second) in pairs(k).into_iter().zip(chances) {
        let of_first = 1.0 - of_second;
        matrix[[a, a]] += of_second * of_second;
        matrix[[b, b]] += of_first * of_first;
        matrix[[a, b]] -= of_first * of_second;
        matrix[[b, a]] -= of_first * of_second;
    }
    for class in 0..k {
        matrix[[class, k]] = 1.0;
        matrix[[k, class]] = 1.0;
    }
    let mut right = Array2::zeros((k + 1, 1));
    right[[k, 0]] = 1.0;
    let solution = pseudo_solve(matrix.view(), right.view(), None)?.solution;
    let mut chances: Array1<f64> = (0..k).map(|class| solution[[class, 0]].max(0.0)).collect();
    let total = chances.sum();
    match total > 0.0 {
        true => chances /= total,
        false => chances.fill(1.0 / k as f64),
    }
    Ok(chances)
}

member_model!(OneVsOneModel, tally);

impl Scores for OneVsOneModel {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        if let [only] = self.members.as_slice() {
            let sure = confidence(only, rows)?;
            return Ok(Array1::from(sure).insert_axis(ndarray::Axis(1)));
        }
        self.tally(rows)
    }
}

impl Probabilities for OneVsOneModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let chances = self.chances(rows)?;
        let k = self.classes.len();
        let mut all = Array2::zeros((rows.n_rows(), k));
        for (mut row, chances) in all.rows_mut().into_iter().zip(chances.rows()) {
            match k {
                2 => {
                    row[0] = 1.0 - chances[0];
                    row[1] = chances[0];
                }
                _ => row.assign(&couple(chances.iter().copied(), k)?),
            }
        }
        Ok(all)
    }
}

impl Model for OneVsOneModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities().scores();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "n_estimators",
            meaning: "Number of fitted classifiers.",
            get: |model| Value::from(model.members.len()),
        },
    ];

    fn validate(&self) -> Result<()> {
        let count = self.classes.len();
        let expected = if count <= 2 { 1 } else { pairs(count).len() };
        super::members_belong_together(&self.members, expected)?;
        ensure_consistent(count >= 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    fn fitted(estimator: &str, voting: PairwiseVote) -> OneVsOneModel {
        let iris = datasets::iris();
        let learner = OneVsOne {
            estimator: Spec::of(estimator),
            voting,
        };
        learner.fit(iris.labelled().unwrap()).unwrap()
    }

    // 002a:SV09, 002a:EN01: three classes take three pairs; simple and weighted votes.
    #[test]
    fn every_pair_of_classes_has_a_vote() {
        let iris = datasets::iris();
        let data = iris.labelled().unwrap();
        for voting in [PairwiseVote::Simple, PairwiseVote::Weighted] {
            let model = fitted("linear-svc", voting);
            assert_eq!(model.members.len(), 3);
            let predicted = model.predict(data.samples.rows()).unwrap();
            assert!(accuracy(data.labels, &predicted).unwrap() > 0.94);
            let scores = model.decision_function(data.samples.rows()).unwrap();
            assert_eq!(scores.ncols(), 3);
            if voting == PairwiseVote::Simple {
                // Three votes are cast for every row, and certainty adds less than half of one.
                let votes = scores.mapv(f64::round).sum_axis(ndarray::Axis(1));
                assert!(votes.iter().all(|votes| (2.0..=4.0).contains(votes)));
            }
        }
    }

    // 002b:GP-22: probabilities of pairs become probabilities of classes.
    #[test]
    fn coupled_probabilities_agree_with_chances_that_are_consistent() {
        let p = [0.2, 0.5, 0.3];
        let chances = pairs(3).into_iter().map(|(a, b)| p[b] / (p[a] + p[b]));
        let found = couple(chances, 3).unwrap();
        for (found, expected) in found.iter().zip(p) {
            assert!((found - expected).abs() < 1e-12);
        }
        let iris = datasets::iris();
        let model = fitted("logistic-regression", PairwiseVote::Simple);
        let all = model.predict_proba(iris.samples()).unwrap();
        assert!(
            all.rows()
                .into_iter()
                .all(|row| (row.sum() - 1.0).abs() < 1e-12)
        );
        assert!(
            fitted("perceptron", PairwiseVote::Simple)
                .predict_proba(iris.samples())
                .is_err()
        );
    }

    #[test]
    fn two_classes_are_the_wrapped_classifier_itself() {
        let cancer = datasets::breast_cancer();
        let data = cancer.labelled().unwrap();
        let wrapped = OneVsOne {
            estimator: Spec::of("gaussian-nb"),
            ..Default::default()
        };
        let wrapped = wrapped.fit(data.clone()).unwrap();
        let plain = Spec::of("gaussian-nb").learner().unwrap();
        let plain = plain
            .fit(Data::Labelled(data.clone()), &Run::new())
            .unwrap();
        let rows = data.samples.rows();
        let expected = plain.as_classify().unwrap().classify(rows).unwrap();
        assert_eq!(wrapped.classify(rows).unwrap(), expected);
        let chances = plain
            .as_probabilities()
            .unwrap()
            .probabilities(rows)
            .unwrap();
        assert_eq!(
            wrapped.predict_proba(rows).unwrap().column(1),
            chances.column(1)
        );
    }
}
