//! The rating that follows from how generous the user is and how popular the item.

use crate::offsets::Offsets;
use crate::recommender::predict_rows;
use crate::{RatingMatrix, Recommender};
use didact_core::{
    Abilities, Attribute, Features, Fit, Model, Ratings, Regress, Result, Rows, Run, StopReason,
    Trace, TraceWriter, Value,
};
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Predicts ratings from the mean, the generosity of the user and the popularity of the item.
///
/// The prediction is μ + b_u + b_i with the mean μ of all ratings and the biases that minimise
/// ½Σ(r − μ − b_u − b_i)² + (α_u/2)Σb_u² + (α_i/2)Σb_i² over the observed ratings: a user or item
/// with few ratings stays near zero. Users and items take turns until the biases settle.
/// What a method of recommendation adds should be judged against this.
///
/// ```
/// use didact_core::{Fit, Ratings};
/// use didact_recommend::{RatingBaseline, Recommender};
/// let ratings = Ratings::new(&[0, 0, 1], &[0, 1, 0], &[5.0, 3.0, 4.0])?;
/// let free = RatingBaseline { user_alpha: 0.0, item_alpha: 0.0, ..Default::default() };
/// // User 1 is one star stricter than user 0, item 1 two stars worse than item 0.
/// assert!((free.fit(ratings)?.predict(1, 1) - 2.0).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RatingBaseline {
    /// Price of the biases of users.
    #[schemars(range(min = 0))]
    pub user_alpha: f64,
    /// Price of the biases of items.
    #[schemars(range(min = 0))]
    pub item_alpha: f64,
    /// Most rounds.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Stop when no bias moves by more than this share of the range of the ratings.
    #[schemars(range(min = 0))]
    pub tol: f64,
    /// Whether predictions stay within the range of the training ratings.
    pub clip: bool,
}

impl Default for RatingBaseline {
    fn default() -> Self {
        RatingBaseline {
            user_alpha: 5.0,
            item_alpha: 5.0,
            max_iter: 200,
            tol: 1e-9,
            clip: false,
        }
    }
}

impl Fit<Ratings<'_>> for RatingBaseline {
    type Model = BaselineModel;

    fn learn(&self, data: Ratings<'_>, run: &Run) -> Result<BaselineModel> {
        let ratings = RatingMatrix::new(&data)?;
        let mut users = vec![0.0; ratings.n_users()];
        let mut items = vec![0.0; ratings.n_items()];
        let mut trace = TraceWriter::new(run, "penalised squared error", Some(self.max_iter));
        let tolerance = self.tol * (ratings.range().1 - ratings.range().0);
        let stop = loop {
            let item_step = update(
                &mut items,
                &users,
                self.item_alpha,
                ratings.mean(),
                |item| ratings.of_item(item),
            );
            let user_step = update(
                &mut users,
                &items,
                self.user_alpha,
                ratings.mean(),
                |user| ratings.of_user(user),
            );
            trace.record(self.objective(&ratings, &users, &items))?;
            if item_step.max(user_step) <= tolerance {
                break StopReason::Converged;
            }
            if trace.n_iter() == self.max_iter {
                break StopReason::IterationLimit;
            }
        };
        for bias in &mut users {
            *bias += ratings.mean();
        }
        Ok(BaselineModel {
            offsets: Offsets { users, items },
            clip: self.clip,
            trace: trace.finish(stop),
            ratings,
        })
    }
}

impl RatingBaseline {
    fn objective(&self, ratings: &RatingMatrix, users: &[f64], items: &[f64]) -> f64 {
        let squares = |biases: &[f64]| biases.iter().map(|bias| bias * bias).sum::<f64>();
        let errors = ratings.ratings().map(|(user, item, value)| {
            let error = value - ratings.mean() - users[user] - items[item];
            error * error
        });
        let penalties = self.user_alpha * squares(users) + self.item_alpha * squares(items);
        0.5 * (errors.sum::<f64>() + penalties)
    }
}

/// Gives every user (item) the best bias given those of all items (users); returns how far the
/// biases moved at most.
fn update<'a>(
    biases: &mut [f64],
    others: &[f64],
    alpha: f64,
    mean: f64,
    ratings: impl Fn(usize) -> (&'a [u32], &'a [f64]),
) -> f64 {
    let mut step = 0.0_f64;
    for (index, bias) in biases.iter_mut().enumerate() {
        let best = best_bias(ratings(index), others, mean, alpha);
        step = step.max((best - *bias).abs());
        *bias = best;
    }
    step
}

/// The bias of one user (item) given those of all items (users).
fn best_bias((others, values): (&[u32], &[f64]), biases: &[f64], mean: f64, alpha: f64) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let rest = others.iter().zip(values);
    let sum: f64 = rest
        .map(|(&other, value)| value - mean - biases[other as usize])
        .sum();
    sum / (values.len() as f64 + alpha)
}

/// The mean and the biases of users and items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BaselineModel {
    /// The mean is part of the users' offsets.
    offsets: Offsets,
    clip: bool,
    trace: Trace,
    ratings: RatingMatrix,
}

impl BaselineModel {
    /// How much above the mean each user rates.
    pub fn user_biases(&self) -> Vec<f64> {
        let mean = self.ratings.mean();
        self.offsets
            .users
            .iter()
            .map(|offset| offset - mean)
            .collect()
    }

    /// How much above the mean each item is rated.
    pub fn item_biases(&self) -> &[f64] {
        &self.offsets.items
    }
}

impl Recommender for BaselineModel {
    fn ratings(&self) -> &RatingMatrix {
        &self.ratings
    }

    fn clips(&self) -> bool {
        self.clip
    }

    fn estimate(&self, user: usize, item: usize) -> f64 {
        self.offsets.of(user, item)
    }
}

impl Features for BaselineModel {
    fn n_features(&self) -> usize {
        2
    }
}

impl Regress for BaselineModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        predict_rows(self, rows)
    }
}

impl Model for BaselineModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "mean",
            meaning: "Mean of all ratings.",
            get: |model| Value::from(model.ratings.mean()),
        },
        Attribute {
            name: "user_biases",
            meaning: "How much above the mean each user rates.",
            get: |model| Value::from(ndarray::Array1::from(model.user_biases())),
        },
        Attribute {
            name: "item_biases",
            meaning: "How much above the mean each item is rated.",
            get: |model| Value::from(model.item_biases()),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        self.offsets.validate(&self.ratings)
    }
}
