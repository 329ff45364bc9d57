//! Bernoulli naive Bayes: which tokens are there and which are not.

use crate::counts::{
    ClassTotals, CountLaw, CountModel, LinearScores, Reading, class_prior, common_attributes,
};
use crate::pieces::learns_from_totals;
use crate::priors::draw_rows;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Accepts, Attribute, Drawn, Features, Labelled, Model, Result, Run, Sample,
};
use didact_math::numeric::{log_sigmoid, sigmoid};
use ndarray::{Array1, Array2};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Classifies by which of the columns are on; a column that is off speaks too.
///
/// Predicts argmax P(c)·Πⱼ p_cj^xⱼ·(1 − p_cj)^(1−xⱼ) with p_cj = (N_cj + α)/(N_c + 2α), the share
/// of the rows of class c in which column j is on. With α = 0 a column that is never, or always,
/// on in a class rules the class out for rows that differ.
///
/// ```
/// use didact_core::{Classify, Fit, Labelled, Labels};
/// use didact_discriminant::BernoulliNB;
/// let x = ndarray::array![[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [0.0, 1.0]];
/// let labels = Labels::from_names(["on", "on", "off", "off"]);
/// let model = BernoulliNB::default().fit(Labelled::new(&x, &labels)?)?;
/// assert_eq!(model.predict(&ndarray::array![[1.0, 0.0], [0.0, 0.0]])?, [1, 0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BernoulliNB {
    /// How many rows with the column on, and as many with it off, every class is pretended to have.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Values above this threshold are on; where absent, every value must be 0 or 1.
    pub binarize: Option<f64>,
    /// Whether class probabilities are learned; else every class is equally probable.
    pub fit_prior: bool,
    /// The probability of each class in label order, where it is known.
    pub class_prior: Option<Vec<f64>>,
}

impl Default for BernoulliNB {
    fn default() -> Self {
        BernoulliNB {
            alpha: 1.0,
            binarize: Some(0.0),
            fit_prior: true,
            class_prior: None,
        }
    }
}

/// The law of [`BernoulliNB`].
#[derive(Clone, Debug, PartialEq)]
pub struct Bernoulli;

impl CountLaw for Bernoulli {
    fn feature_log_prob(weights: &Array2<f64>) -> Array2<f64> {
        // The weights are ln p − ln(1 − p).
        let transposed = weights.t().as_standard_layout().into_owned();
        transposed.mapv_into(log_sigmoid)
    }
}

/// A fitted [`BernoulliNB`].
pub type BernoulliNBModel = CountModel<Bernoulli>;

impl BernoulliNB {
    fn reading(&self) -> Reading {
        self.binarize.map_or(Reading::Binary, Reading::Above)
    }

    fn model(&self, totals: ClassTotals) -> Result<BernoulliNBModel> {
        let prior = class_prior(self.class_prior.as_deref(), self.fit_prior, self.alpha);
        let prior = prior.probabilities(&totals.class_count, &totals.classes)?;
        let (k, d) = totals.feature_count.dim();
        let mut offsets = prior.mapv(f64::ln);
        let mut weights = Array2::zeros((d, k));
        let mut certain = Array1::<f64>::zeros(k);
        for (class, counts) in totals.feature_count.rows().into_iter().enumerate() {
            let rows = totals.class_count[class];
            if rows + self.alpha == 0.0 {
                continue;
            }
            let log_total = (rows + 2.0 * self.alpha).ln();
            for (column, &count) in counts.iter().enumerate() {
                // Rounding of weights may count a column more often than there are rows.
                let (on, off) = (count + self.alpha, (rows - count).max(0.0) + self.alpha);
                weights[[column, class]] = on.ln() - off.ln();
                match off > 0.0 {
                    true => offsets[class] += off.ln() - log_total,
                    false => certain[class] += 1.0,
                }
            }
        }
        let scores = LinearScores {
            offsets,
            weights,
            certain: certain.iter().any(|&count| count > 0.0).then_some(certain),
        };
        Ok(CountModel::new(totals, prior, scores, self.reading()))
    }

    fn totals(&self, data: &Labelled<'_>, run: &Run) -> Result<ClassTotals> {
        ClassTotals::new(data, self.reading(), run)
    }
}

learns_from_totals!(BernoulliNB, ClassTotals => BernoulliNBModel {
    accepts: Accepts::WEIGHTS.union(Accepts::SPARSE),
    check: |_, totals| totals.check(),
    recall: |_, model| Some(model.totals()),
});

impl Sample for BernoulliNBModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let probabilities = self.scores.weights.mapv(sigmoid);
        // Values that are read as on and off.
        let (on, off) = match self.reading {
            Reading::Above(threshold) if !(0.0..1.0).contains(&threshold) => {
                (threshold + threshold.abs().max(1.0), threshold)
            }
            _ => (1.0, 0.0),
        };
        let (d, prior) = (self.n_features(), &self.class_prior);
        draw_rows(n_rows, d, prior, generator, |class, row, generator| {
            for (value, probability) in row.into_iter().zip(probabilities.column(class)) {
                *value = match generator.random::<f64>() < *probability {
                    true => on,
                    false => off,
                };
            }
            Ok(())
        })
    }
}

impl Model for BernoulliNBModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .classify()
        .probabilities()
        .log_density()
        .sample();
    const ATTRIBUTES: &'static [Attribute<Self>] = &common_attributes::<Bernoulli>();

    fn validate(&self) -> Result<()> {
        self.check()
    }
}
