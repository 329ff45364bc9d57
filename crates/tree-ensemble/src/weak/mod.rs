//! Boosting of very simple classifiers: lines, circles, boxes and other shapes with two sides.

mod model;
mod rounds;
mod shape;

pub use model::WeakBoostingModel;

use didact_core::{Accepts, Fit, Labelled, Result, Run};
use model::Ensemble;
use rounds::{Material, boost};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shape::Space;

/// The shape whose two sides a weak classifier tells apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WeakLearner {
    /// One column against a threshold; the best of all columns.
    #[default]
    Stumps,
    /// A straight line in a random direction.
    Lines,
    /// A circle around a random row: Euclidean distance.
    Circles,
    /// A square around a random row: the largest difference of a column.
    Squares,
    /// A diamond around a random row: the sum of the differences.
    Diamonds,
    /// A box around a random row, its sides in random proportion.
    Rectangles,
    /// A contour of a Gaussian bump around a random row, its widths in random proportion.
    Gaussians,
    /// The contour of a support vector machine of two random rows, one of each class.
    Svms,
}

/// What a round minimises, and how rows gain weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BoostingVariant {
    /// AdaBoost: sides answer ±1, with one voice ½·ln((1 − ε)/ε).
    #[default]
    Discrete,
    /// Sides answer with half the logarithm of their odds.
    Real,
    /// Sides answer with the mean of y = ±1, which is never large.
    Gentle,
    /// Newton steps down the logistic loss.
    Logit,
}

/// Adds up very simple classifiers until they separate complex data.
///
/// Each round draws some shapes of a family (lines, circles, boxes, …) and keeps the one, with its
/// best size, that the variant of boosting likes most: least weighted error ε (discrete), least
/// Σ_sides √(W₊·W₋) (real), least weighted squares (gentle, logit). With F the sum of their answers,
/// rows weigh exp(−y·F), or P(1 − P) for the logistic loss, and P(x) = 1/(1 + exp(−2F)). Several
/// classes are told from the rest one by one. It stops early where no shape is better than a guess
/// or one is right everywhere.
///
/// ```
/// use didact_core::{Classify, Fit};
/// use didact_tree_ensemble::{WeakBoosting, WeakLearner};
/// let iris = didact_datasets::iris();
/// let boosting = WeakBoosting { weak_learner: WeakLearner::Circles, ..Default::default() };
/// let model = boosting.fit(iris.labelled()?)?;
/// let labels = Classify::predict(&model, iris.samples())?;
/// let right = labels.iter().zip(&iris.labels()?.indices).filter(|(a, b)| a == b).count();
/// assert!(right > 145);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "WeakBoostingClassifier")]
pub struct WeakBoosting {
    /// The shape whose two sides a weak classifier tells apart.
    pub weak_learner: WeakLearner,
    /// What a round minimises.
    pub variant: BoostingVariant,
    /// How many rounds there are at most, for each class where there are more than two.
    #[schemars(range(min = 1))]
    pub n_estimators: usize,
    /// How many shapes a round draws; stumps draw none, all columns are looked at.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub n_candidates: usize,
    /// Seed of the shapes.
    pub random_state: u64,
}

impl Default for WeakBoosting {
    fn default() -> Self {
        WeakBoosting {
            weak_learner: WeakLearner::Stumps,
            variant: BoostingVariant::Discrete,
            n_estimators: 50,
            n_candidates: 10,
            random_state: 0,
        }
    }
}

impl Fit<Labelled<'_>> for WeakBoosting {
    type Model = WeakBoostingModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<WeakBoostingModel> {
        // Rows without a weight are not there: no threshold lies between two of them.
        let weighs = |row: &usize| data.samples.weight(*row) > 0.0;
        let chosen: Vec<usize> = (0..data.labels.len()).filter(weighs).collect();
        let samples = data.samples.select(&chosen);
        let rows = samples.dense()?;
        let space = Space::new(rows);
        let total = samples.total_weight();
        let weights: Vec<f64> = (0..rows.nrows())
            .map(|row| samples.weight(row) / total)
            .collect();
        let n_classes = data.classes.len();
        // Two classes need one sum, whose sign decides.
        let asked: Vec<usize> = match n_classes {
            0 | 1 => Vec::new(),
            2 => vec![1],
            many => (0..many).collect(),
        };
        let material = Material {
            scaled: space.scaled(rows),
            weights,
        };
        let mut ensembles: Vec<Ensemble> = Vec::new();
        for class in asked {
            let signs: Vec<f64> = chosen
                .iter()
                .map(|&row| if data.labels[row] == class { 1.0 } else { -1.0 })
                .collect();
            ensembles.push(boost(self, &material, &signs, class as u64, run)?);
        }
        Ok(WeakBoostingModel {
            classes: data.classes.clone(),
            space,
            ensembles,
        })
    }
}
