//! How many groups: elbow, silhouette, criteria, held-out likelihood, a few labels.

use super::criteria::Criteria;
use super::partition_criteria::{PartitionLikelihood, partition_criteria};
use crate::cross_validate::cross_validate;
use crate::metrics::{Noise, place_noise, silhouette_sampled, within_sse};
use crate::split::Split;
use crate::validation::{MakeLearner, Spread};
use didact_core::abilities::check_rows;
use didact_core::{Data, Error, Learner, Result, Run, Samples};
use didact_math::numeric::{argmax, argmin};
use ndarray::{ArrayView2, Axis};
use serde::Serialize;
use serde_json::{Map, Value};

/// Rows of which silhouettes are computed; more are sampled.
const SILHOUETTE_ROWS: usize = 5_000;

/// What one number of groups gives.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClusterTrial {
    /// The number of groups that was asked for.
    pub count: usize,
    /// Within-group sum of squares; rows in no group contribute nothing.
    pub sse: f64,
    /// Rows in no group.
    pub noise: usize,
    /// Mean silhouette of at most 5000 rows; nothing for one group or one per row.
    pub silhouette: Option<f64>,
    /// AIC, AICc and BIC by the likelihood that was asked for.
    pub criteria: Criteria,
}

/// The trials and what each rule would choose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClusterChoice {
    /// One trial per number of groups.
    pub trials: Vec<ClusterTrial>,
    /// By the bend of the sum of squares.
    pub by_elbow: Option<usize>,
    /// By the largest silhouette.
    pub by_silhouette: Option<usize>,
    /// By the least AIC.
    pub by_aic: Option<usize>,
    /// By the least BIC.
    pub by_bic: Option<usize>,
    /// By the least mean rank over sum of squares, AIC and BIC: low on all of them.
    pub by_all: Option<usize>,
}

/// A method and the numbers of groups to try with it.
pub struct GroupCounts<'a> {
    /// Makes the method.
    pub make: &'a MakeLearner<'a>,
    /// Its other parameters.
    pub fixed: &'a Map<String, Value>,
    /// What it calls the number of groups: `n_clusters`, `n_components`.
    pub parameter: &'a str,
    /// The numbers to try.
    pub counts: &'a [usize],
}

impl GroupCounts<'_> {
    fn learner(&self, count: usize) -> Result<Box<dyn Learner>> {
        let mut parameters = self.fixed.clone();
        parameters.insert(self.parameter.to_owned(), Value::from(count));
        (self.make)(&parameters)
    }

    /// Fits on the rows and groups them.
    fn clusters(
        &self,
        count: usize,
        rows: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Vec<Option<usize>>> {
        let samples = Samples::from(rows);
        let learner = self.learner(count)?;
        let model = learner.fit(Data::Samples(samples.view()), &run.quietly())?;
        check_rows(model.as_ref(), samples.rows())?;
        match model.as_assign() {
            Some(assign) => assign.assign(samples.rows()),
            None => Err(Error::unsupported(format!(
                "a model that can {} does not say which group a row belongs to",
                model.ability_names().join(", ")
            ))),
        }
    }

    /// Fits the method with each number and judges the groups it finds.
    pub fn judge(
        &self,
        rows: ArrayView2<'_, f64>,
        likelihood: PartitionLikelihood,
        run: &Run,
    ) -> Result<ClusterChoice> {
        let mut trials = Vec::new();
        for &count in self.counts {
            run.check()?;
            let clusters = self.clusters(count, rows, run)?;
            let (kept, groups) = place_noise(&clusters, Noise::Excluded);
            let judged = rows.select(Axis(0), &kept);
            let silhouette = silhouette_sampled(judged.view(), &groups, SILHOUETTE_ROWS, 0, run);
            if matches!(silhouette, Err(Error::Cancelled)) {
                return Err(Error::Cancelled);
            }
            trials.push(ClusterTrial {
                count,
                sse: within_sse(rows, &clusters)?,
                noise: clusters.len() - kept.len(),
                silhouette: silhouette.ok(),
                criteria: partition_criteria(rows, &clusters, likelihood)?,
            });
        }
        Ok(choose(trials))
    }

    /// Mean held-out log-likelihood of each number of components, by cross-validation.
    pub fn held_out_likelihoods(
        &self,
        data: &Data<'_>,
        splits: &[Split],
        run: &Run,
    ) -> Result<Vec<(usize, Spread)>> {
        let one = |&count: &usize| {
            let learner = self.learner(count)?;
            let judged = cross_validate(learner.as_ref(), data, splits, run, &|| ())?;
            let figures = judged.folds.first().map_or(&[][..], |fold| &fold.figures);
            let metric = figures
                .iter()
                .map(|figure| figure.metric)
                .find(|metric| metric.starts_with("log-likelihood"))
                .ok_or_else(|| {
                    Error::unsupported(
                        "this method has no density, so there is no held-out likelihood",
                    )
                })?;
            Ok((count, Spread::of(&judged.values(metric))?))
        };
        self.counts.iter().map(one).collect()
    }

    /// How well groups follow a few labels, given as pairs of row and label: those of the training
    /// part of each split name their group by majority, and the share of test labels named right
    /// is averaged. Splits cut the list of labels.
    ///
    /// The judged labels are held out, because purity on its own labels always favours many
    /// groups. A test row whose group has no training label counts as wrong.
    pub fn judge_by_few_labels(
        &self,
        rows: ArrayView2<'_, f64>,
        labelled: &[(usize, usize)],
        splits: &[Split],
        run: &Run,
    ) -> Result<Vec<(usize, Spread)>> {
        if let Some((row, _)) = labelled.iter().find(|(row, _)| *row >= rows.nrows()) {
            return Err(Error::data(format!(
                "row {row} has a label but there are only {} rows",
                rows.nrows()
            )));
        }
        let places = splits
            .iter()
            .flat_map(|split| split.train.iter().chain(&split.test));
        if let Some(place) = places.copied().find(|&place| place >= labelled.len()) {
            return Err(Error::data(format!(
                "a split names label {place} but there are only {}",
                labelled.len()
            )));
        }
        let one = |&count: &usize| {
            let clusters = self.clusters(count, rows, run)?;
            let shares: Vec<f64> = splits
                .iter()
                .map(|split| named_right(&clusters, labelled, split))
                .collect();
            Ok((count, Spread::of(&shares)?))
        };
        self.counts.iter().map(one).collect()
    }
}

fn choose(trials: Vec<ClusterTrial>) -> ClusterChoice {
    let count_at = |place: Option<usize>| place.map(|place| trials[place].count);
    let column = |figure: fn(&ClusterTrial) -> f64| trials.iter().map(figure).collect::<Vec<f64>>();
    let sse = column(|trial| trial.sse);
    let aic = column(|trial| trial.criteria.aic);
    let bic = column(|trial| trial.criteria.bic);
    let silhouettes = column(|trial| trial.silhouette.unwrap_or(f64::NAN));
    let counts = column(|trial| trial.count as f64);
    let ranks = |values: &[f64], place: usize| {
        values
            .iter()
            .filter(|value| **value < values[place])
            .count() as f64
    };
    let mean_ranks =
        (0..trials.len()).map(|place| ranks(&sse, place) + ranks(&aic, place) + ranks(&bic, place));
    ClusterChoice {
        by_elbow: count_at(elbow(&counts, &sse)),
        by_silhouette: count_at(argmax(silhouettes)),
        by_aic: count_at(argmin(aic.iter().copied())),
        by_bic: count_at(argmin(bic.iter().copied())),
        by_all: count_at(argmin(mean_ranks)),
        trials,
    }
}

/// The place where a falling curve bends: farthest below the chord from its first to its last
/// point, both axes scaled to 0…1. Nothing for fewer than three points or a flat curve.
///
/// ```
/// let bend = didact_evaluate::elbow(&[1.0, 2.0, 3.0, 4.0, 5.0], &[100.0, 40.0, 10.0, 8.0, 7.0]);
/// assert_eq!(bend, Some(2));
/// ```
pub fn elbow(x: &[f64], y: &[f64]) -> Option<usize> {
    let (first, last) = (*y.first()?, *y.last()?);
    let (start, end) = (*x.first()?, *x.last()?);
    let flat = x.len() != y.len() || x.len() < 3 || start == end || first == last;
    if flat {
        return None;
    }
    let below = |place: usize| {
        let along = (x[place] - start) / (end - start);
        let height = (y[place] - last) / (first - last);
        1.0 - along - height
    };
    let place = argmax((0..x.len()).map(below))?;
    (below(place) > 0.0).then_some(place)
}

/// Share of the test labels that the majority of the training labels of their group predicts.
fn named_right(clusters: &[Option<usize>], labelled: &[(usize, usize)], split: &Split) -> f64 {
    let mut votes: std::collections::BTreeMap<(usize, usize), usize> = Default::default();
    for &place in &split.train {
        let (row, label) = labelled[place];
        if let Some(cluster) = clusters[row] {
            *votes.entry((cluster, label)).or_default() += 1;
        }
    }
    let name = |cluster: usize| {
        let of_cluster = votes.range((cluster, 0)..=(cluster, usize::MAX));
        // Of equal votes the lowest label wins.
        of_cluster
            .rev()
            .max_by_key(|(_, count)| **count)
            .map(|((_, label), _)| *label)
    };
    let right = split.test.iter().filter(|&&place| {
        let (row, label) = labelled[place];
        clusters[row].and_then(name) == Some(label)
    });
    right.count() as f64 / split.test.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    // 001:CLU-24, 003:P77: the bend is the point farthest from the chord of the scaled curve.
    #[test]
    fn the_bend_is_farthest_from_the_chord() {
        let counts = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        // Below the chord by 1 − i/5 − (y − 12)/888: 0.14, 0.28, 0.39, 0.20 at places 1 to 4.
        let curve = [900.0, 600.0, 300.0, 20.0, 15.0, 12.0];
        assert_eq!(elbow(&counts, &curve), Some(3));
        // A straight line has no bend, nor have two points.
        assert_eq!(elbow(&counts[..3], &[3.0, 2.0, 1.0]), None);
        assert_eq!(elbow(&counts[..2], &[3.0, 1.0]), None);
        assert_eq!(elbow(&counts[..3], &[2.0, 2.0, 2.0]), None);
        assert_eq!(elbow(&[], &[]), None);
    }

    // 001:CLU-25: labels that judge were not used to name the groups.
    #[test]
    fn one_group_per_row_is_not_rewarded() {
        let labelled: Vec<(usize, usize)> = (0..6).map(|row| (row, row / 3)).collect();
        let split = Split {
            train: vec![0, 1, 3, 4],
            test: vec![2, 5],
        };
        let halves: Vec<Option<usize>> = (0..6).map(|row| Some(row / 3)).collect();
        let singles: Vec<Option<usize>> = (0..6).map(Some).collect();
        assert_eq!(named_right(&halves, &labelled, &split), 1.0);
        assert_eq!(named_right(&singles, &labelled, &split), 0.0);
    }
}
