//! Classifiers for two classes that together tell several apart.

use crate::Stored;
use didact_core::abilities::check_rows;
use didact_core::{Classes, Data, Error, Labelled, Learner, Result, Rows, Run};

/// Teaches a classifier to tell the rows with the answer `true` from those with `false`; rows
/// without an answer are left out.
pub(super) fn teach(
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
