//! How many clusters, components or states a method should have.

use crate::{Spec, find};
use didact_core::abilities::check_rows;
use didact_core::{AnyModel, Data, Error, Learner, Result, Rows, Run, Value};
use didact_evaluate::{
    Criteria, Metric, Noise, PartitionLikelihood, Scoring, Split, Spread, cross_validate_by, elbow,
    partition_criteria, place_noise, silhouette_sampled, within_sse,
};
use didact_math::numeric::{argmax, argmin};
use ndarray::{ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// Rows of which silhouettes are computed; more are sampled.
const SILHOUETTE_ROWS: usize = 5_000;

/// The rule that picks a number of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountCriterion {
    /// Where the within-group sum of squares bends.
    Elbow,
    /// The largest mean silhouette.
    Silhouette,
    /// The least Akaike criterion.
    Aic,
    /// The least Akaike criterion with the correction for few rows.
    Aicc,
    /// The least Bayesian criterion.
    Bic,
    /// The largest log-likelihood of rows that were held out.
    HeldOut,
}

/// What one number of groups gives; what the method does not have is absent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CountTrial {
    /// The number of groups that was asked for.
    pub count: usize,
    /// Within-group sum of squares, in the space in which the groups were found.
    pub sse: Option<f64>,
    /// Mean silhouette of at most 5000 rows.
    pub silhouette: Option<f64>,
    /// By the model's own likelihood, or else by that of Gaussian groups with a variance per
    /// column.
    pub criteria: Option<Criteria>,
    /// Log-likelihood of a row that was held out, where that was asked for.
    pub held_out: Option<Spread>,
}

/// The trials and the number that the rule picks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CountChoice {
    /// The parameter that holds the number.
    pub parameter: String,
    /// The rule.
    pub criterion: CountCriterion,
    /// One trial per number.
    pub trials: Vec<CountTrial>,
    /// The number that the rule picks; nothing where no trial has what it looks at.
    pub chosen: Option<usize>,
}

impl CountChoice {
    /// The figure that the rule looks at, for each trial.
    pub fn values(&self) -> Vec<f64> {
        let of = |trial: &CountTrial| {
            match self.criterion {
                CountCriterion::Elbow => trial.sse,
                CountCriterion::Silhouette => trial.silhouette,
                CountCriterion::Aic => trial.criteria.map(|criteria| criteria.aic),
                CountCriterion::Aicc => trial.criteria.and_then(|criteria| criteria.aicc),
                CountCriterion::Bic => trial.criteria.map(|criteria| criteria.bic),
                CountCriterion::HeldOut => trial.held_out.map(|spread| spread.mean),
            }
            .unwrap_or(f64::NAN)
        };
        self.trials.iter().map(of).collect()
    }

    /// Picks the number by what the trials show so far.
    pub fn settle(&mut self) {
        let counts: Vec<f64> = self.trials.iter().map(|trial| trial.count as f64).collect();
        let values = self.values();
        let place = match self.criterion {
            CountCriterion::Elbow => elbow(&counts, &values),
            CountCriterion::Silhouette | CountCriterion::HeldOut => argmax(values),
            _ => argmin(values),
        };
        self.chosen = place.map(|place| self.trials[place].count);
    }
}

/// The parameter of the last step that holds a number of groups, where it has one.
///
/// ```
/// use didact::{Spec, count_parameter};
/// assert_eq!(count_parameter(&"standard-scaler | k-means".parse()?)?, "n_clusters");
/// assert!(count_parameter(&Spec::of("ridge")).is_err());
/// # Ok::<(), didact::Error>(())
/// ```
pub fn count_parameter(spec: &Spec) -> Result<&'static str> {
    let last = spec.steps.last().map_or("", |step| step.algorithm.as_str());
    let properties = &find(last)?.schema["properties"];
    ["n_clusters", "n_components", "n_states"]
        .into_iter()
        .find(|name| properties.get(*name).is_some())
        .ok_or_else(|| {
            Error::Specification(format!(
                "{last} has no number of clusters or components to choose"
            ))
        })
}

/// Fits the specification with each number of groups and judges what it finds.
///
/// Groups are judged in the space of the last step: what a scaler in front does counts. A run
/// that is cancelled leaves the trials that were finished in `choice`.
///
/// ```
/// use didact::core::{Data, Run};
/// use didact::{CountChoice, CountCriterion, choose_count, datasets};
/// let iris = datasets::iris();
/// let data = Data::Samples(iris.samples());
/// let mut choice = CountChoice {
///     parameter: "n_clusters".to_owned(),
///     criterion: CountCriterion::Silhouette,
///     trials: Vec::new(),
///     chosen: None,
/// };
/// choose_count(&"k-means".parse()?, &[2, 3, 4], &data, &[], &mut choice, &Run::new(), &|| ())?;
/// assert_eq!(choice.chosen, Some(2));
/// # Ok::<(), didact::Error>(())
/// ```
pub fn choose_count(
    spec: &Spec,
    counts: &[usize],
    data: &Data<'_>,
    splits: &[Split],
    choice: &mut CountChoice,
    run: &Run,
    done: &dyn Fn(),
) -> Result<()> {
    let mut last = spec.clone();
    let before = Spec {
        steps: last.steps.drain(..spec.steps.len() - 1).collect(),
    };
    let front = front(&before, data, run)?;
    let samples = data
        .samples()
        .ok_or_else(|| Error::unsupported("ratings have no rows to group"))?;
    let moved = match &front {
        Some(model) => match model.as_transform() {
            Some(transform) => Some(transform.transform_rows(samples.rows())?),
            None => return Err(Error::unsupported("the first steps do not transform rows")),
        },
        None => None,
    };
    for &count in counts {
        run.check()?;
        let learner = with_count(&last, &choice.parameter, count)?;
        let mut trial = match &moved {
            Some(rows) => judge(learner.as_ref(), count, &data.with_rows(rows)?, run)?,
            None => judge(learner.as_ref(), count, data, run)?,
        };
        if choice.criterion == CountCriterion::HeldOut {
            let whole = with_count(spec, &choice.parameter, count)?;
            trial.held_out = Some(held_out(whole.as_ref(), data, splits, run)?);
        }
        choice.trials.push(trial);
        choice.settle();
        done();
    }
    match choice.chosen {
        Some(_) => Ok(()),
        None if choice.criterion == CountCriterion::Elbow && choice.trials[0].sse.is_some() => {
            Err(Error::data(
                "the sum of squares does not bend; try at least three numbers, from one on",
            ))
        }
        None => Err(Error::unsupported(format!(
            "this method has nothing that the criterion could look at; {} has no such figure",
            last
        ))),
    }
}

fn front(before: &Spec, data: &Data<'_>, run: &Run) -> Result<Option<Box<dyn AnyModel>>> {
    match before.steps.is_empty() {
        true => Ok(None),
        false => Ok(Some(before.learner()?.fit(data.clone(), &run.quietly())?)),
    }
}

fn with_count(spec: &Spec, parameter: &str, count: usize) -> Result<Box<dyn Learner>> {
    let mut spec = spec.clone();
    spec.set(parameter, count.into())?;
    spec.learner()
}

fn judge(learner: &dyn Learner, count: usize, data: &Data<'_>, run: &Run) -> Result<CountTrial> {
    let model = learner.fit(data.clone(), &run.quietly())?;
    let model = model.as_ref();
    let mut trial = CountTrial {
        count,
        sse: None,
        silhouette: None,
        criteria: likelihood_criteria(model, data)?,
        held_out: None,
    };
    let Some(samples) = data.samples() else {
        return Ok(trial);
    };
    if let (Some(assign), Rows::Dense(rows)) = (model.as_assign(), samples.rows()) {
        check_rows(model, samples.rows())?;
        let clusters = assign.assign(samples.rows())?;
        trial.sse = Some(within_sse(rows, &clusters)?);
        trial.silhouette = mean_silhouette(rows, &clusters, run)?;
        if trial.criteria.is_none() {
            let likelihood = PartitionLikelihood::GaussianDiagonal;
            trial.criteria = Some(partition_criteria(rows, &clusters, likelihood)?);
        }
    }
    Ok(trial)
}

/// Nothing for one group or one per row.
fn mean_silhouette(
    rows: ArrayView2<'_, f64>,
    clusters: &[Option<usize>],
    run: &Run,
) -> Result<Option<f64>> {
    let (kept, groups) = place_noise(clusters, Noise::Excluded);
    let judged = rows.select(Axis(0), &kept);
    match silhouette_sampled(judged.view(), &groups, SILHOUETTE_ROWS, 0, run) {
        Err(Error::Cancelled) => Err(Error::Cancelled),
        other => Ok(other.ok()),
    }
}

/// The criteria of a model that counts its free parameters and knows how likely data are.
fn likelihood_criteria(model: &dyn AnyModel, data: &Data<'_>) -> Result<Option<Criteria>> {
    let attributes = model.attributes();
    let parameters = attributes
        .iter()
        .find(|(described, _)| described.name == "n_parameters")
        .and_then(|(_, value)| Value::as_number(value));
    let (Some(parameters), Some(samples)) = (parameters, data.samples()) else {
        return Ok(None);
    };
    let sequences = match data {
        Data::Sequences(sequences) => Some(sequences),
        Data::LabelledSequences(data) => Some(&data.sequences),
        _ => None,
    };
    let total = match (
        model.as_sequence_likelihood(),
        sequences,
        model.as_log_density(),
    ) {
        (Some(model), Some(sequences), _) => model.log_likelihoods(sequences)?.iter().sum(),
        (_, _, Some(density)) => density.log_density(samples.rows())?.sum(),
        _ => return Ok(None),
    };
    Criteria::new(total, parameters, samples.n_rows()).map(Some)
}

fn held_out(learner: &dyn Learner, data: &Data<'_>, splits: &[Split], run: &Run) -> Result<Spread> {
    let scoring = Scoring {
        metrics: vec![Metric::LogLikelihood],
        on_training: false,
    };
    let judged = cross_validate_by(learner, data, splits, &scoring, run, &|_, _| ())?;
    let value = |fold: &didact_evaluate::Fold| fold.figures.first().map(|figure| figure.value);
    Spread::of(&judged.folds.iter().filter_map(value).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_datasets as datasets;

    fn choose(spec: &str, criterion: CountCriterion, counts: &[usize]) -> Result<CountChoice> {
        let iris = datasets::iris();
        let data = Data::Samples(iris.samples());
        let spec: Spec = spec.parse()?;
        let mut choice = CountChoice {
            parameter: count_parameter(&spec)?.to_owned(),
            criterion,
            trials: Vec::new(),
            chosen: None,
        };
        let splits = didact_evaluate::folds_for(&data, 5, 0)?;
        choose_count(
            &spec,
            counts,
            &data,
            &splits,
            &mut choice,
            &Run::new(),
            &|| (),
        )?;
        Ok(choice)
    }

    #[test]
    fn a_mixture_is_judged_by_its_own_likelihood() {
        let choice = choose("gaussian-mixture", CountCriterion::Bic, &[1, 2, 3]).unwrap();
        // One Gaussian in four columns: 4 means and 10 covariances.
        let one = choice.trials[0].criteria.unwrap();
        let penalty = one.bic - one.aic;
        assert!(
            (penalty - 14.0 * (150f64.ln() - 2.0)).abs() < 1e-9,
            "{penalty}"
        );
        // The well-known answer for iris: BIC sees two groups.
        assert_eq!(choice.chosen, Some(2));
    }

    #[test]
    fn groups_are_judged_where_they_were_found() {
        let raw = choose("k-means", CountCriterion::Elbow, &[1, 2, 3, 4, 5, 6]).unwrap();
        let scaled = "standard-scaler | k-means";
        let scaled = choose(scaled, CountCriterion::Elbow, &[1, 2, 3, 4, 5, 6]).unwrap();
        // One group of standardised rows: n·d.
        assert!((scaled.trials[0].sse.unwrap() - 600.0).abs() < 1e-9);
        assert!((raw.trials[0].sse.unwrap() - 600.0).abs() > 1.0);
        assert!(raw.chosen.is_some() && scaled.chosen.is_some());
    }

    #[test]
    fn held_out_rows_choose_components_of_a_mixture_and_of_pca() {
        let mixture = choose("gaussian-mixture", CountCriterion::HeldOut, &[1, 2, 3]).unwrap();
        assert_ne!(mixture.chosen, Some(1));
        let pca = choose("pca", CountCriterion::HeldOut, &[1, 2, 3]).unwrap();
        assert!(pca.trials.iter().all(|trial| trial.held_out.is_some()));
    }

    #[test]
    fn what_a_method_does_not_have_is_refused_in_words() {
        let message =
            |spec: &str, criterion| choose(spec, criterion, &[2, 3]).unwrap_err().to_string();
        assert!(message("ridge", CountCriterion::Bic).contains("no number of clusters"));
        assert!(message("pca", CountCriterion::Silhouette).contains("no such figure"));
        assert!(message("k-means", CountCriterion::HeldOut).contains("log-likelihood"));
        assert!(message("k-means", CountCriterion::Elbow).contains("does not bend"));
    }

    /// Judges numbers of groups of rows that are made here.
    fn of_rows(spec: &str, rows: &ndarray::Array2<f64>, criterion: CountCriterion) -> CountChoice {
        let spec: Spec = spec.parse().unwrap();
        let mut choice = CountChoice {
            parameter: count_parameter(&spec).unwrap().to_owned(),
            criterion,
            trials: Vec::new(),
            chosen: None,
        };
        let counts: Vec<usize> = (1..=8).collect();
        let data = Data::Samples(didact_core::Samples::from(rows));
        let run = Run::new();
        choose_count(&spec, &counts, &data, &[], &mut choice, &run, &|| ()).unwrap();
        choice
    }

    /// Rows drawn round about centres, `each` of every one.
    fn around(centers: &[[f64; 2]], deviation: f64, each: usize) -> ndarray::Array2<f64> {
        use rand::RngExt;
        let mut generator = didact_core::random::generator(5, 0);
        let mut normal = || -> f64 {
            // The sum of twelve uniform numbers, less six, is near enough to a normal one.
            (0..12).map(|_| generator.random::<f64>()).sum::<f64>() - 6.0
        };
        ndarray::Array2::from_shape_fn((centers.len() * each, 2), |(row, column)| {
            centers[row % centers.len()][column] + deviation * normal()
        })
    }

    // 002a:FIG51: 100 rows in two columns, four clusters; the elbow is at 4.
    #[test]
    fn four_clusters_bend_the_curve_at_four_and_the_picture_says_so() {
        let rows = around(&[[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [6.0, 6.0]], 0.7, 25);
        let choice = of_rows("k-means(n_init=10)", &rows, CountCriterion::Elbow);
        assert_eq!(choice.chosen, Some(4));
        let drawn = crate::pictures::count_picture(&choice).unwrap().svg();
        assert!(drawn.contains("bend at 4"));
    }

    // 002a:EX06, 002a:FIG52: BIC of three Gaussians is lower than that of two; three are chosen.
    #[test]
    fn three_gaussians_have_a_lower_bic_than_two() {
        let rows = around(&[[0.0, 0.0], [5.0, 1.0], [2.0, 6.0]], 1.0, 40);
        let choice = of_rows("gaussian-mixture(n_init=3)", &rows, CountCriterion::Bic);
        let bic = choice.values();
        assert!(bic[2] < bic[1]);
        assert_eq!(choice.chosen, Some(3));
        let drawn = crate::pictures::count_picture(&choice).unwrap().svg();
        assert!(drawn.contains("BIC, lowest at 3"));
    }
}
