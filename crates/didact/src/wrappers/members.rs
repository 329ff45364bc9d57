//! Classifiers for two classes that together tell several apart.

use crate::{Spec, Stored};
use didact_core::abilities::check_rows;
use didact_core::{Classes, Data, Error, Labelled, Learner, Result, Rows, Run, parallel};
use didact_math::numeric::argmax;
use ndarray::{Array2, ArrayView1};

/// Teaches a classifier for each of the `questions` that so many classes ask, where `answer` says
/// what the rows of a class are to each; or a single one where there are no more than two classes.
pub(super) fn teach_all<Q: Sync>(
    estimator: &Spec,
    data: &Labelled<'_>,
    questions: impl FnOnce(usize) -> Vec<Q>,
    answer: impl Fn(&Q, usize) -> Option<bool> + Sync + Send,
    run: &Run,
) -> Result<Vec<Stored>> {
    let learner = super::classifier(estimator)?;
    let learner = learner.as_ref();
    super::every_class_has_rows(data)?;
    match data.classes.len() {
        0..=2 => Ok(vec![Stored::fit(
            learner,
            Data::Labelled(data.clone()),
            run,
        )?]),
        count => parallel::map(&questions(count), run, |question| {
            let answer = |label: usize| answer(question, label);
            teach(learner, data, answer, &run.quietly())
        }),
    }
}

/// Teaches a classifier to tell the rows with the answer `true` from those with `false`; rows
/// without an answer are left out.
fn teach(
    learner: &dyn Learner,
    data: &Labelled<'_>,
    answer: impl Fn(usize) -> Option<bool>,
    run: &Run,
) -> Result<Stored> {
    let kept: Vec<usize> = (0..data.labels.len())
        .filter(|&row| answer(data.labels[row]).is_some())
        .collect();
    let sides: Vec<usize> = kept
        .iter()
        .map(|&row| usize::from(answer(data.labels[row]) == Some(true)))
        .collect();
    let classes = Classes::new(["other", "this"]);
    let selected;
    let samples = match kept.len() == data.labels.len() {
        true => data.samples.view(),
        false => {
            selected = data.samples.select(&kept);
            selected.view()
        }
    };
    let two = Labelled::from_parts(samples, &sides, &classes)?;
    Stored::fit(learner, Data::Labelled(two), run)
}

/// How sure a member is of the answer `true`, between −1 and 1: from its probability, else from
/// its decision score cut off at ±1, else from its label.
pub(super) fn confidence(member: &Stored, rows: Rows<'_>) -> Result<Vec<f64>> {
    let model = member.model.as_ref();
    check_rows(model, rows)?;
    if let Some(probabilities) = model.as_probabilities() {
        let chances = probabilities.probabilities(rows)?;
        return Ok(chances.column(1).iter().map(|p| 2.0 * p - 1.0).collect());
    }
    if let Some(scores) = model.as_scores() {
        let scores = scores.scores(rows)?;
        return Ok(scores
            .column(0)
            .iter()
            .map(|s| s.clamp(-1.0, 1.0))
            .collect());
    }
    let labels = labels(member, rows)?;
    Ok(labels
        .iter()
        .map(|&label| 2.0 * label as f64 - 1.0)
        .collect())
}

/// The side that a member says each row is on.
pub(super) fn labels(member: &Stored, rows: Rows<'_>) -> Result<Vec<usize>> {
    let classify = member.model.as_classify();
    let classify =
        classify.ok_or_else(|| Error::unsupported("the wrapped algorithm is no classifier"))?;
    check_rows(member.model.as_ref(), rows)?;
    classify.classify(rows)
}

/// The class with the highest score of each row, the lowest where several are equally high.
pub(super) fn highest(scores: &Array2<f64>) -> Vec<usize> {
    let best = |row: ArrayView1<'_, f64>| argmax(row.iter().copied()).unwrap_or(0);
    scores.rows().into_iter().map(best).collect()
}

/// Lets a type with the fields `classes` and `members` classify: by its only member, or by what
/// `$scores` makes of several.
macro_rules! member_model {
    ($model:ident, $scores:ident) => {
        impl didact_core::Features for $model {
            fn n_features(&self) -> usize {
                self.members[0].model.n_features()
            }

            fn accepts(&self) -> didact_core::Accepts {
                self.members[0].model.accepts()
            }
        }

        impl didact_core::Classify for $model {
            fn classes(&self) -> &didact_core::Classes {
                &self.classes
            }

            fn classify(&self, rows: didact_core::Rows<'_>) -> didact_core::Result<Vec<usize>> {
                match self.members.as_slice() {
                    [only] => super::members::labels(only, rows),
                    _ => Ok(super::members::highest(&self.$scores(rows)?)),
                }
            }
        }
    };
}
pub(super) use member_model;
