//! Complement naive Bayes: classes judged by what the other classes say.

use crate::counts::{
    ClassTotals, CountLaw, CountModel, LinearScores, Reading, class_prior, common_attributes,
};
use crate::pieces::learns_from_totals;
use didact_core::{Abilities, Accepts, Attribute, Error, Labelled, Model, Result, Run};
use ndarray::{Array1, Array2, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Classifies documents by how unlike all other classes they are.
///
/// The shares of the tokens are those of the *complement* of each class, (N_j − N_cj + α) over
/// their sum, so that a class with few documents is judged from many (Rennie et al. 2003). The
/// score of a class is −Σⱼ xⱼ·ln θ̃_cj; its probabilities are softmax scores, not calibrated ones.
///
/// ```
/// use didact_core::{Classify, Fit, Labelled, Labels};
/// use didact_discriminant::ComplementNB;
/// let x = ndarray::array![[3.0, 1.0, 0.0], [0.0, 1.0, 2.0], [2.0, 0.0, 0.0]];
/// let labels = Labels::from_names(["sport", "music", "sport"]);
/// let model = ComplementNB::default().fit(Labelled::new(&x, &labels)?)?;
/// assert_eq!(model.predict(&ndarray::array![[0.0, 0.0, 1.0]])?, [0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ComplementNB {
    /// How often every token is pretended to have been seen in every complement.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Whether class probabilities are learned; they count only where there is a single class.
    pub fit_prior: bool,
    /// The probability of each class in label order, where it is known.
    pub class_prior: Option<Vec<f64>>,
    /// Whether the weights of each class are divided by their sum.
    pub norm: bool,
}

impl Default for ComplementNB {
    fn default() -> Self {
        ComplementNB {
            alpha: 1.0,
            fit_prior: true,
            class_prior: None,
            norm: false,
        }
    }
}

/// The law of [`ComplementNB`].
#[derive(Clone, Debug, PartialEq)]
pub struct Complement;

impl CountLaw for Complement {
    fn feature_log_prob(weights: &Array2<f64>) -> Array2<f64> {
        weights.t().as_standard_layout().into_owned()
    }
}

/// A fitted [`ComplementNB`].
pub type ComplementNBModel = CountModel<Complement>;

impl ComplementNB {
    fn model(&self, totals: ClassTotals) -> Result<ComplementNBModel> {
        // The complement of a class without rows is everything, so it needs none.
        let prior = class_prior(self.class_prior.as_deref(), self.fit_prior, 1.0);
        let prior = prior.probabilities(&totals.class_count, &totals.classes)?;
        let (k, d) = totals.feature_count.dim();
        let all = totals.feature_count.sum_axis(Axis(0));
        let mut weights = Array2::zeros((d, k));
        for (class, counts) in totals.feature_count.rows().into_iter().enumerate() {
            // Rounding may leave less than nothing of a token that only this class has.
            let rest = |column: usize| (all[column] - counts[column]).max(0.0) + self.alpha;
            let log_total = (0..d).map(rest).sum::<f64>().ln();
            for column in 0..d {
                let rest = rest(column);
                weights[[column, class]] = match rest > 0.0 {
                    true => log_total - rest.ln(),
                    false => f64::INFINITY,
                };
            }
        }
        if self.norm {
            self.normalise(&mut weights)?;
        }
        let offsets = match k {
            1 => prior.mapv(f64::ln),
            _ => Array1::zeros(k),
        };
        let scores = LinearScores {
            offsets,
            weights,
            certain: None,
        };
        Ok(CountModel::new(totals, prior, scores, Reading::Count))
    }

    fn normalise(&self, weights: &mut Array2<f64>) -> Result<()> {
        for mut weights in weights.columns_mut() {
            if let Some(column) = weights.iter().position(|weight| weight.is_infinite()) {
                return Err(Error::parameter(
                    "alpha",
                    self.alpha,
                    format!(
                        "column {column} occurs in at most one class, so its weight is infinite \
                         and norm cannot divide by the sum; set alpha above 0"
                    ),
                ));
            }
            let total = weights.sum();
            // A single token has the share 1, whose logarithm says nothing.
            if total != 0.0 {
                weights /= total;
            }
        }
        Ok(())
    }

    fn totals(&self, data: &Labelled<'_>, run: &Run) -> Result<ClassTotals> {
        ClassTotals::new(data, Reading::Count, run)
    }
}

learns_from_totals!(ComplementNB, ClassTotals => ComplementNBModel {
    accepts: Accepts::WEIGHTS.union(Accepts::SPARSE),
    check: |_, totals| totals.check(),
    recall: |_, model| Some(model.totals()),
});

impl Model for ComplementNBModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities();
    const ATTRIBUTES: &'static [Attribute<Self>] = &common_attributes::<Complement>();

    fn validate(&self) -> Result<()> {
        self.check()
    }
}
