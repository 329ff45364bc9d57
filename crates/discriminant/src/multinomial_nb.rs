//! Multinomial naive Bayes: documents as bags of tokens.

use crate::counts::{
    ClassTotals, CountLaw, CountModel, LinearScores, Reading, class_prior, common_attributes,
};
use crate::pieces::learns_from_totals;
use crate::priors::draw_rows;
use didact_core::random::Generator;
use didact_core::{Abilities, Accepts, Attribute, Drawn, Labelled, Model, Result, Run, Sample};
use ndarray::Array2;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Classifies documents by how often each class uses their tokens.
///
/// Predicts argmax P(c)·Πⱼ θ_cj^xⱼ, where xⱼ counts token j in the document and
/// θ_cj = (N_cj + α)/(N_c + α·d) is its share of the tokens of class c. With α = 0 a token that a
/// class never uses rules the class out; where every class is ruled out, the class
/// probabilities alone answer.
///
/// ```
/// use didact_core::{Classify, Fit, Labelled, Labels};
/// use didact_discriminant::MultinomialNB;
/// // Counts of the letters a, b, c, d in "aab", "ab" and "cdb".
/// let x = ndarray::array![[2.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0]];
/// let labels = Labels::from_names(["yes", "yes", "no"]);
/// let model = MultinomialNB::default().fit(Labelled::new(&x, &labels)?)?;
/// assert_eq!(model.predict(&ndarray::array![[0.0, 1.0, 0.0, 0.0]])?, [1]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MultinomialNB {
    /// How often every token is pretended to have been seen in every class; zero does not smooth.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Whether class probabilities are learned; else every class is equally probable.
    pub fit_prior: bool,
    /// The probability of each class in label order, where it is known.
    pub class_prior: Option<Vec<f64>>,
}

impl Default for MultinomialNB {
    fn default() -> Self {
        MultinomialNB {
            alpha: 1.0,
            fit_prior: true,
            class_prior: None,
        }
    }
}

/// The law of [`MultinomialNB`].
#[derive(Clone, Debug, PartialEq)]
pub struct Multinomial;

impl CountLaw for Multinomial {
    fn feature_log_prob(weights: &Array2<f64>) -> Array2<f64> {
        weights.t().as_standard_layout().into_owned()
    }
}

/// A fitted [`MultinomialNB`].
///
/// The log-density of a row is that of its tokens in the order in which they were written, given
/// their number; drawn documents have the mean length of their class.
pub type MultinomialNBModel = CountModel<Multinomial>;

impl MultinomialNB {
    fn model(&self, totals: ClassTotals) -> Result<MultinomialNBModel> {
        let prior = class_prior(self.class_prior.as_deref(), self.fit_prior, self.alpha);
        let prior = prior.probabilities(&totals.class_count, &totals.classes)?;
        let (k, d) = totals.feature_count.dim();
        let mut weights = Array2::zeros((d, k));
        for (class, counts) in totals.feature_count.rows().into_iter().enumerate() {
            let log_total = (counts.sum() + self.alpha * d as f64).ln();
            for (column, count) in counts.iter().enumerate() {
                let smoothed = count + self.alpha;
                // A class without tokens uses none of them: 0/0 is 0.
                weights[[column, class]] = match smoothed > 0.0 {
                    true => smoothed.ln() - log_total,
                    false => f64::NEG_INFINITY,
                };
            }
        }
        let scores = LinearScores {
            offsets: prior.mapv(f64::ln),
            weights,
            certain: None,
        };
        Ok(CountModel::new(totals, prior, scores, Reading::Count))
    }

    fn totals(&self, data: &Labelled<'_>, run: &Run) -> Result<ClassTotals> {
        ClassTotals::new(data, Reading::Count, run)
    }
}

learns_from_totals!(MultinomialNB, ClassTotals => MultinomialNBModel {
    accepts: Accepts::WEIGHTS.union(Accepts::SPARSE),
    check: |_, totals| totals.check(),
    recall: |_, model| Some(model.totals()),
});

impl Sample for MultinomialNBModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let (k, d) = self.feature_count.dim();
        // θ_c1, θ_c1 + θ_c2, …: a token is found by where a number between 0 and 1 falls.
        let mut shares = self.feature_log_prob().mapv_into(f64::exp);
        for mut shares in shares.rows_mut() {
            let mut sum = 0.0;
            shares.mapv_inplace(|share| {
                sum += share;
                sum
            });
        }
        let all = self.feature_count.sum() / self.class_count.sum();
        let length = |class: usize| match self.class_count[class] > 0.0 {
            true => (self.feature_count.row(class).sum() / self.class_count[class]).round(),
            false => all.round(),
        };
        let lengths: Vec<f64> = (0..k).map(length).collect();
        let prior = &self.class_prior;
        draw_rows(n_rows, d, prior, generator, |class, mut row, generator| {
            let shares = shares.row(class).to_vec();
            // Longer documents than this are no counts of tokens.
            for _ in 0..lengths[class].min(1e6) as usize {
                let place = generator.random::<f64>() * shares[d - 1];
                let token = shares.partition_point(|&share| share <= place);
                row[token.min(d - 1)] += 1.0;
            }
            Ok(())
        })
    }
}

impl Model for MultinomialNBModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .classify()
        .probabilities()
        .log_density()
        .sample();
    const ATTRIBUTES: &'static [Attribute<Self>] = &common_attributes::<Multinomial>();

    fn validate(&self) -> Result<()> {
        self.check()
    }
}
