//! Bayes' rule over any densities, with costs and an unknown region.

use crate::{Spec, Stored};
use didact_core::abilities::check_rows;
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Accepts, AnyModel, Attribute, Classes, Classify, Data, DataKind, Drawn, Error,
    Features, Fit, Labelled, Learner, LogDensity, Model, Probabilities, Result, Rows, Run, Sample,
    Value, parallel,
};
use didact_math::numeric::{argmax, log_softmax_in_place, log_sum_exp};
use didact_probability::decision::LossMatrix;
use ndarray::{Array1, Array2, ArrayView1, Axis};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Classifies by Bayes' rule over a density for each class, from any method that learns one.
///
/// P(c | x) = π_c·p(x | c)/Σ π·p. The decision is the most probable class or, with `costs`, the one
/// of least expected cost. Far from all rows every density is tiny and the comparison says
/// nothing: rows below a floor of density, and rows too doubtful for their cost, are left undecided
/// where `reject_quantile` and `reject_cost` say so. Their prediction is then missing in a table
/// and `None` in Python; figures of merit count the class that would have been said.
///
/// ```
/// use didact::prelude::*;
/// let iris = datasets::iris();
/// let wrapper = BayesClassifier {
///     estimator: "gaussian-mixture(n_components=2)".parse()?,
///     reject_quantile: Some(0.0),
///     ..BayesClassifier::default()
/// };
/// let model = wrapper.fit(iris.labelled()?)?;
/// assert!(accuracy(iris.labelled()?.labels, &model.predict(iris.samples())?)? > 0.97);
/// let far = ndarray::array![[90.0, 90.0, 90.0, 90.0]];
/// assert_eq!(model.decide(Rows::Dense(far.view()))?, [None]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BayesClassifier {
    /// The method that learns the density of each class.
    pub estimator: Spec,
    /// The probability of each class in label order; learned from the rows where absent.
    pub priors: Option<Vec<f64>>,
    /// What it costs to say each class (across) where each class (down) is true; where absent,
    /// every error costs 1.
    pub costs: Option<Vec<Vec<f64>>>,
    /// What it costs to leave a row undecided; where absent, doubt is no reason to.
    #[schemars(range(min = 0.0))]
    pub reject_cost: Option<f64>,
    /// Rows are unknown where no class is denser than this share of the training rows were in
    /// their own class; where absent, rows are never too far away.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub reject_quantile: Option<f64>,
}

impl Default for BayesClassifier {
    fn default() -> Self {
        BayesClassifier {
            estimator: Spec::of("gaussian-mixture"),
            priors: None,
            costs: None,
            reject_cost: None,
            reject_quantile: None,
        }
    }
}

/// A density for each class, their probabilities, and how to decide.
#[derive(Serialize, Deserialize)]
pub struct BayesClassifierModel {
    classes: Classes,
    priors: Array1<f64>,
    members: Vec<Stored>,
    losses: Option<LossMatrix>,
    reject_cost: Option<f64>,
    floor: Option<f64>,
}

impl BayesClassifier {
    /// The wrapped method, which must learn densities.
    fn density(&self) -> Result<Box<dyn Learner>> {
        let learner = self.estimator.learner()?;
        let route = learner.route_for(DataKind::Samples)?;
        match route.abilities.contains(&"log-density") {
            true => Ok(learner),
            false => Err(Error::parameter(
                "estimator",
                &self.estimator,
                "it must learn a density, such as gaussian-mixture",
            )),
        }
    }

    fn class_priors(&self, data: &Labelled<'_>) -> Result<Array1<f64>> {
        let Some(priors) = &self.priors else {
            let weights = Array1::from(data.class_weights());
            let total = weights.sum();
            return Ok(weights / total);
        };
        let total: f64 = priors.iter().sum();
        let legal = priors.iter().all(|&prior| prior >= 0.0) && (total - 1.0).abs() < 1e-8;
        match legal && priors.len() == data.classes.len() {
            true => Ok(Array1::from(priors.clone()) / total),
            false => Err(Error::parameter(
                "priors",
                format!("{priors:?}"),
                format!(
                    "it must hold {} probabilities that add up to 1",
                    data.classes.len()
                ),
            )),
        }
    }

    fn losses(&self, classes: usize) -> Result<Option<LossMatrix>> {
        let Some(costs) = &self.costs else {
            return Ok(None);
        };
        if costs.len() != classes || costs.iter().any(|row| row.len() != classes) {
            return Err(Error::parameter(
                "costs",
                format!("a table of {} rows", costs.len()),
                format!("it must have one row and one column for each of the {classes} classes"),
            ));
        }
        let table = Array2::from_shape_fn((classes, classes), |(i, j)| costs[i][j]);
        LossMatrix::new(table).map(Some)
    }

    /// The density that the given share of the training rows falls short of in its own class.
    fn floor(&self, data: &Labelled<'_>, members: &[Stored]) -> Result<Option<f64>> {
        let Some(share) = self.reject_quantile else {
            return Ok(None);
        };
        let mut own = Vec::with_capacity(data.labels.len());
        for (class, member) in members.iter().enumerate() {
            let rows = rows_of(data, class);
            let samples = data.samples.select(&rows);
            own.extend(densities(member.model.as_ref(), samples.rows())?);
        }
        own.sort_by(f64::total_cmp);
        let place = (share * (own.len() - 1) as f64).floor() as usize;
        Ok(Some(own[place]))
    }
}

/// The rows of a class that count.
fn rows_of(data: &Labelled<'_>, class: usize) -> Vec<usize> {
    (0..data.labels.len())
        .filter(|&row| data.labels[row] == class && data.samples.weight(row) > 0.0)
        .collect()
}

fn densities(model: &dyn AnyModel, rows: Rows<'_>) -> Result<Array1<f64>> {
    check_rows(model, rows)?;
    let density = model.as_log_density();
    density
        .ok_or_else(|| Error::unsupported("the wrapped method has no densities"))?
        .log_density(rows)
}

impl Fit<Labelled<'_>> for BayesClassifier {
    type Model = BayesClassifierModel;
    const ACCEPTS: Accepts = super::PASSED_ON;

    /// What the wrapped method takes.
    fn accepts(&self) -> Accepts {
        super::accepted(&self.estimator, DataKind::Samples)
    }

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<BayesClassifierModel> {
        let learner = self.density()?;
        super::every_class_has_rows(&data)?;
        let priors = self.class_priors(&data)?;
        let losses = self.losses(data.classes.len())?;
        let one = |&class: &usize| {
            let samples = data.samples.select(&rows_of(&data, class));
            Stored::fit(learner.as_ref(), Data::Samples(samples), &run.quietly()).map_err(|error| {
                match error {
                    Error::Cancelled => Error::Cancelled,
                    other => Error::data(format!("class {}: {other}", data.classes.names()[class])),
                }
            })
        };
        let classes: Vec<usize> = (0..data.classes.len()).collect();
        let members = parallel::map(&classes, run, one)?;
        Ok(BayesClassifierModel {
            floor: self.floor(&data, &members)?,
            classes: data.classes.clone(),
            reject_cost: self.reject_cost,
            priors,
            members,
            losses,
        })
    }
}

impl BayesClassifierModel {
    /// ln p(x | c) of each row, a column per class.
    fn class_densities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut columns = Array2::zeros((rows.n_rows(), self.members.len()));
        for (mut column, member) in columns.columns_mut().into_iter().zip(&self.members) {
            column.assign(&densities(member.model.as_ref(), rows)?);
        }
        Ok(columns)
    }

    /// Adds ln π, so that densities become joint densities.
    fn joint(&self, densities: Array2<f64>) -> Array2<f64> {
        densities + &self.priors.mapv(f64::ln)
    }

    fn posterior(&self, joint: Array2<f64>) -> Array2<f64> {
        let mut joint = joint;
        for mut row in joint.rows_mut() {
            if row.iter().all(|&score| score == f64::NEG_INFINITY) {
                // Out of the range of numbers only the class probabilities are left.
                row.assign(&self.priors);
                continue;
            }
            let mut scores = row.to_vec();
            log_softmax_in_place(&mut scores);
            row.assign(&Array1::from(scores).mapv(f64::exp));
        }
        joint
    }

    /// The decision of least expected cost, and that cost.
    fn decision(&self, posterior: ArrayView1<'_, f64>) -> Result<(usize, f64)> {
        match &self.losses {
            Some(losses) => {
                let total = posterior.sum();
                let decision = losses.decide(&posterior.mapv(|share| share / total).to_vec())?;
                Ok((decision.action, decision.risk))
            }
            None => {
                let best = argmax(posterior.iter().copied()).unwrap_or(0);
                Ok((best, 1.0 - posterior[best]))
            }
        }
    }

    /// The density of the class below which a row is unknown, where there is such a floor.
    pub fn floor(&self) -> Option<f64> {
        self.floor
    }
}

impl Features for BayesClassifierModel {
    fn n_features(&self) -> usize {
        self.members[0].model.n_features()
    }

    fn accepts(&self) -> Accepts {
        self.members[0].model.accepts()
    }
}

impl Classify for BayesClassifierModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let posterior = self.probabilities(rows)?;
        let one = |row: ArrayView1<'_, f64>| self.decision(row).map(|(class, _)| class);
        posterior.rows().into_iter().map(one).collect()
    }

    /// The class of each row, or nothing where the row is unknown: farther from every class than
    /// the training rows were, or too doubtful for its cost.
    fn decide(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        let densities = self.class_densities(rows)?;
        let highest = densities.map_axis(Axis(1), |row| {
            row.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        });
        let posterior = self.posterior(self.joint(densities));
        let one = |(posterior, &highest): (ArrayView1<'_, f64>, &f64)| {
            let (class, risk) = self.decision(posterior)?;
            let too_far = self.floor.is_some_and(|floor| highest < floor);
            let too_doubtful = self.reject_cost.is_some_and(|cost| risk > cost);
            Ok((!too_far && !too_doubtful).then_some(class))
        };
        posterior
            .rows()
            .into_iter()
            .zip(&highest)
            .map(one)
            .collect()
    }
}

impl Probabilities for BayesClassifierModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        Ok(self.posterior(self.joint(self.class_densities(rows)?)))
    }
}

impl LogDensity for BayesClassifierModel {
    fn log_density(&self, rows: Rows<'_>) -> Result<Array1<f64>> {
        let joint = self.joint(self.class_densities(rows)?);
        Ok(joint.map_axis(Axis(1), |row| log_sum_exp(&row.to_vec())))
    }
}

impl Sample for BayesClassifierModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let last = self
            .priors
            .iter()
            .rposition(|&prior| prior > 0.0)
            .unwrap_or(0);
        let labels: Vec<usize> = (0..n_rows)
            .map(|_| {
                let mut left = generator.random::<f64>();
                let found = self.priors.iter().position(|prior| {
                    left -= prior;
                    left < 0.0 && *prior > 0.0
                });
                found.unwrap_or(last)
            })
            .collect();
        let mut rows = Array2::zeros((n_rows, self.n_features()));
        for (class, member) in self.members.iter().enumerate() {
            let own: Vec<usize> = (0..n_rows).filter(|&row| labels[row] == class).collect();
            let sample = member.model.as_sample();
            let sample =
                sample.ok_or_else(|| Error::unsupported("the wrapped method cannot draw rows"))?;
            let drawn = sample.draw(own.len(), generator)?;
            for (values, &row) in drawn.rows.rows().into_iter().zip(&own) {
                rows.row_mut(row).assign(&values);
            }
        }
        Ok(Drawn { rows, labels })
    }
}

impl Model for BayesClassifierModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .classify()
        .probabilities()
        .log_density()
        .sample();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "priors",
            meaning: "The probability of each class before a row is seen.",
            get: |model| Value::from(&model.priors),
        },
        Attribute {
            name: "n_estimators",
            meaning: "Number of fitted densities.",
            get: |model| Value::from(model.members.len()),
        },
        Attribute {
            name: "log_density_floor",
            meaning: "The log-density below which rows are unknown, where there is such a floor.",
            get: |model| Value::from(model.floor),
        },
    ];

    fn validate(&self) -> Result<()> {
        let k = self.classes.len();
        ensure_consistent(k > 0 && self.members.len() == k && self.priors.len() == k)?;
        let width = self.members[0].model.n_features();
        ensure_consistent(self.members.iter().all(|member| {
            member.model.n_features() == width && member.model.as_log_density().is_some()
        }))?;
        ensure_consistent(
            self.losses
                .as_ref()
                .is_none_or(|losses| losses.n_truths() == k && losses.n_actions() == k),
        )?;
        ensure_consistent((self.priors.sum() - 1.0).abs() < 1e-6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;
    use ndarray::array;

    fn wrapper(components: usize) -> BayesClassifier {
        let estimator = format!("gaussian-mixture(n_components={components}, reg_covar=0)");
        BayesClassifier {
            estimator: estimator.parse().unwrap(),
            ..BayesClassifier::default()
        }
    }

    // 002a:BC06, BC01: one Gaussian per class is the quadratic discriminant.
    #[test]
    fn one_gaussian_per_class_is_the_quadratic_discriminant() {
        let iris = datasets::iris();
        let data = iris.labelled().unwrap();
        let bayes = wrapper(1).fit(data.clone()).unwrap();
        let qda = Qda {
            ddof: 0,
            ..Qda::default()
        }
        .fit(data.clone())
        .unwrap();
        let (ours, theirs) = (
            bayes.predict_proba(iris.samples()).unwrap(),
            qda.predict_proba(iris.samples()).unwrap(),
        );
        assert!(ours.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-9));
        let (ours, theirs) = (
            bayes.score_samples(iris.samples()).unwrap(),
            qda.score_samples(iris.samples()).unwrap(),
        );
        assert!(ours.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-8));
    }

    // 002a:BC01, BC03: p(x | y) decides only where the classes are equally probable.
    #[test]
    fn priors_turn_densities_into_posteriors_that_add_up() {
        let x = array![[-1.0], [1.0], [2.0], [4.0]];
        let labels = Labels::from_names(["a", "a", "b", "b"]);
        let fit = |priors: Vec<f64>| {
            let wrapper = BayesClassifier {
                priors: Some(priors),
                ..wrapper(1)
            };
            wrapper.fit(Labelled::new(&x, &labels).unwrap()).unwrap()
        };
        // Two Gaussians of variance 1 about 0 and 3: half way the odds are those of the priors.
        let asked = array![[1.5], [-400.0], [1e6]];
        let even = fit(vec![0.5, 0.5]).predict_proba(&asked).unwrap();
        assert!((even[[0, 0]] - 0.5).abs() < 1e-9);
        let uneven = fit(vec![0.9, 0.1]).predict_proba(&asked).unwrap();
        assert!((uneven[[0, 0]] - 0.9).abs() < 1e-9);
        // Far away the sum of exponentials neither overflows nor divides zero by zero.
        assert_eq!(uneven.row(1).to_vec(), [1.0, 0.0]);
        assert_eq!(uneven.row(2).to_vec(), [0.0, 1.0]);
    }

    // 002a:BC04: all points beyond a radius are rejected, and doubtful ones where doubt costs.
    #[test]
    fn far_and_doubtful_rows_are_left_undecided() {
        let iris = datasets::iris();
        let data = iris.labelled().unwrap();
        let careful = BayesClassifier {
            reject_quantile: Some(0.02),
            ..wrapper(1)
        };
        let model = careful.fit(data.clone()).unwrap();
        let decided = model.decide(data.samples.rows()).unwrap();
        let unknown = decided.iter().filter(|label| label.is_none()).count();
        assert!((1..=3).contains(&unknown), "{unknown}");
        let centre = iris.features().mean_axis(Axis(0)).unwrap();
        for angle in 0..8 {
            let mut far = centre.clone();
            far[angle % 4] += if angle < 4 { 20.0 } else { -20.0 };
            let rows = far.insert_axis(Axis(0));
            assert_eq!(model.decide(Rows::Dense(rows.view())).unwrap(), [None]);
        }
        let sure = BayesClassifier {
            reject_cost: Some(0.2),
            ..wrapper(1)
        };
        let model = sure.fit(data.clone()).unwrap();
        let p = model.predict_proba(iris.samples()).unwrap();
        let decided = model.decide(data.samples.rows()).unwrap();
        for (row, label) in p.rows().into_iter().zip(decided) {
            let best = row.iter().copied().fold(0.0, f64::max);
            assert_eq!(label.is_none(), 1.0 - best > 0.2);
        }
        let open = wrapper(1).fit(data.clone()).unwrap();
        assert!(
            open.decide(data.samples.rows())
                .unwrap()
                .iter()
                .all(Option::is_some)
        );
        assert_eq!(open.floor(), None);
    }

    #[test]
    fn costs_move_the_border() {
        let x = array![[-1.0], [1.0], [2.0], [4.0]];
        let labels = Labels::from_names(["ill", "ill", "well", "well"]);
        let costs = Some(vec![vec![0.0, 9.0], vec![1.0, 0.0]]);
        let dear = BayesClassifier {
            costs,
            ..wrapper(1)
        };
        let model = dear.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        // Odds of 9 between Gaussians at 0 and 3: 3·(1.5 − x) = −ln 9 at the new border.
        let border = 1.5 + 9.0_f64.ln() / 3.0;
        let asked = array![[border - 1e-3], [border + 1e-3]];
        assert_eq!(model.predict(&asked).unwrap(), [0, 1]);
        let short = BayesClassifier {
            costs: Some(vec![vec![0.0]]),
            ..wrapper(1)
        };
        let message = short
            .fit(Labelled::new(&x, &labels).unwrap())
            .err()
            .unwrap();
        assert!(
            message
                .to_string()
                .starts_with("costs is a table of 1 rows"),
            "{message}"
        );
    }

    // 002a:EX09, FIG55: two intertwined classes, eight full Gaussians each, no training error.
    #[test]
    fn eight_gaussians_each_tell_intertwined_classes_apart() {
        let mut x = Array2::zeros((400, 2));
        let mut names = Vec::new();
        for row in 0..400 {
            let angle = std::f64::consts::PI * (row / 2) as f64 / 199.0;
            let wobble = 0.08 * (7.0 * row as f64).sin();
            let (side, middle, lift) = if row % 2 == 0 {
                (1.0, 0.0, 0.0)
            } else {
                (-1.0, 1.0, 0.5)
            };
            x[[row, 0]] = middle + side * (1.0 + wobble) * angle.cos();
            x[[row, 1]] = lift + side * (1.0 + wobble) * angle.sin();
            names.push(if row % 2 == 0 { "upper" } else { "lower" });
        }
        let labels = Labels::from_names(names);
        let data = Labelled::new(&x, &labels).unwrap();
        let eight = BayesClassifier {
            estimator: "gaussian-mixture(n_components=8, random_state=1)"
                .parse()
                .unwrap(),
            ..BayesClassifier::default()
        };
        let model = eight.fit(data.clone()).unwrap();
        assert_eq!(model.predict(&x).unwrap(), labels.indices);
        // One Gaussian each cannot.
        let one = wrapper(1).fit(data).unwrap();
        assert_ne!(one.predict(&x).unwrap(), labels.indices);
        let drawn = model.sample(500, 3).unwrap();
        let right = model.predict(&drawn.rows).unwrap();
        let agree = right
            .iter()
            .zip(&drawn.labels)
            .filter(|(a, b)| a == b)
            .count();
        assert!(agree > 480);
    }

    #[test]
    fn what_has_no_density_is_refused() {
        let iris = datasets::iris();
        let wrapper = BayesClassifier {
            estimator: "k-means".parse().unwrap(),
            ..BayesClassifier::default()
        };
        let message = wrapper
            .fit(iris.labelled().unwrap())
            .err()
            .unwrap()
            .to_string();
        assert!(message.contains("it must learn a density"), "{message}");
    }
}
