//! Pictures of classifiers.

use super::Subject;
use super::subject::Ranking;
use didact_core::{Data, Error, Result};
use didact_evaluate::{Binning, CalibrationCurve, ConfusionMatrix, PrecisionRecallCurve, RocCurve};
use didact_plot::{Curve, Picture, Reliability};

/// Bins of a calibration curve.
const BINS: usize = 10;

pub(super) fn roc(subject: &Subject<'_, '_>) -> Result<Picture> {
    let rankings = subject.rankings()?;
    let mut found = Vec::new();
    for Ranking {
        name,
        is_class,
        scores,
    } in &rankings
    {
        // A class of which there are no rows has no curve.
        if is_class.contains(&true) && is_class.contains(&false) {
            found.push((name, RocCurve::new(is_class, scores, None)?));
        }
    }
    let curves: Vec<Curve<'_>> = found
        .iter()
        .map(|(name, roc)| Curve {
            name,
            x: &roc.false_positive_rates,
            y: &roc.true_positive_rates,
            area: Some(roc.area()),
            chosen: subject
                .options
                .threshold
                .map(|least| operating_point(roc, least)),
        })
        .collect();
    not_one_class(curves.len())?;
    didact_plot::roc(&curves)
}

/// The place on the curve of the rule that takes scores from `least` on as positive.
fn operating_point(roc: &RocCurve, least: f64) -> usize {
    // The thresholds fall; the last one that is not below belongs to the same decisions.
    let kept = roc.thresholds.partition_point(|&score| score >= least);
    kept.saturating_sub(1)
}

fn not_one_class(n_curves: usize) -> Result<()> {
    match n_curves {
        0 => Err(Error::data(
            "all rows are of one class; a curve needs rows of the class and others",
        )),
        _ => Ok(()),
    }
}

pub(super) fn precision_recall(subject: &Subject<'_, '_>) -> Result<Picture> {
    let rankings = subject.rankings()?;
    let mut found = Vec::new();
    for Ranking {
        name,
        is_class,
        scores,
    } in &rankings
    {
        if is_class.contains(&true) {
            found.push((name, PrecisionRecallCurve::new(is_class, scores, None)?));
        }
    }
    let curves: Vec<Curve<'_>> = found
        .iter()
        .map(|(name, curve)| Curve {
            name,
            x: &curve.recalls,
            y: &curve.precisions,
            area: Some(curve.average_precision()),
            chosen: None,
        })
        .collect();
    not_one_class(curves.len())?;
    let share = match rankings.as_slice() {
        [only] => {
            let positives = only.is_class.iter().filter(|is| **is).count();
            Some(positives as f64 / only.is_class.len().max(1) as f64)
        }
        _ => None,
    };
    didact_plot::precision_recall(&curves, share)
}

pub(super) fn confusion(subject: &Subject<'_, '_>) -> Result<Picture> {
    let (truth, predicted, names) = match subject.trained.model.as_classify() {
        Some(classify) => {
            let (truth, names) = subject.classes()?;
            (truth, classify.classify(subject.rows()?)?, names)
        }
        None => states(subject)?,
    };
    let matrix = ConfusionMatrix::new(&truth, &predicted, names.len(), None)?;
    didact_plot::confusion_matrix(matrix.counts.view(), &names)
}

/// True and decoded states, where labels taught the states.
fn states(subject: &Subject<'_, '_>) -> Result<(Vec<usize>, Vec<usize>, Vec<String>)> {
    let decode = subject.trained.model.as_decode();
    let names = decode.and_then(|decode| decode.state_names());
    let (Some(decode), Some(known), Data::LabelledSequences(data)) =
        (decode, names, subject.data()?)
    else {
        return Err(Error::unsupported("this model tells no classes apart"));
    };
    let label = |&label: &usize| {
        let name = &data.classes.names()[label];
        known
            .label(name)
            .ok_or_else(|| Error::data(format!("state {name} is unknown to the model")))
    };
    let truth = data.labels.iter().map(label).collect::<Result<_>>()?;
    let (predicted, _) = decode.viterbi(&data.sequences)?;
    Ok((
        truth,
        predicted,
        known.names().iter().map(ToString::to_string).collect(),
    ))
}

pub(super) fn calibration(subject: &Subject<'_, '_>) -> Result<Picture> {
    let mut bins = Vec::new();
    for ranking in subject.rankings()? {
        let (is_class, scores) = (&ranking.is_class, &ranking.scores);
        let curve = CalibrationCurve::new(is_class, scores, BINS, Binning::Uniform, None)?;
        let column = |value: fn(&didact_evaluate::CalibrationBin) -> f64| -> Vec<f64> {
            curve.bins.iter().map(value).collect()
        };
        bins.push((
            ranking.name.clone(),
            column(|bin| bin.predicted),
            column(|bin| bin.observed),
            column(|bin| bin.weight),
        ));
    }
    let curves: Vec<Reliability<'_>> = bins
        .iter()
        .map(|(name, predicted, observed, counts)| Reliability {
            name,
            predicted,
            observed,
            counts,
        })
        .collect();
    didact_plot::calibration(&curves)
}
