//! Bagging of regressors: the mean of what rows drawn anew teach.

use super::drawing::{draw, left_out};
use super::parts::seeded;
use crate::{Spec, Stored};
use didact_core::abilities::check_rows;
use didact_core::model::ensure_consistent;
use didact_core::random::generator;
use didact_core::{
    Abilities, Accepts, Attribute, Data, DataKind, Error, Features, Fit, Measured, Model, Regress,
    Result, Rows, Run, Value, parallel,
};
use didact_tree_ensemble::Amount;
use ndarray::{Array2, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Averages regressors that learned from rows drawn anew for each.
///
/// Each member learns from so many rows drawn at random, with replacement (a bootstrap) or without
/// (a plain subset); the mean of their answers varies less than that of one. The rows that a member
/// did not draw judge it without a test set (`oob_score`, by R²).
///
/// ```
/// use didact::prelude::*;
/// use didact::wrappers::BaggingRegressor;
/// let diabetes = datasets::diabetes();
/// let learner = BaggingRegressor { oob_score: true, n_estimators: 30, ..Default::default() };
/// let model = learner.fit(diabetes.measured()?)?;
/// assert!(model.oob_score().unwrap() > 0.3);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BaggingRegressor {
    /// The regressor that is taught again and again.
    pub estimator: Spec,
    /// How many regressors are averaged.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub n_estimators: usize,
    /// How many rows each draws, as a number or a share of all.
    pub max_samples: Amount,
    /// Whether a row may be drawn more than once.
    pub bootstrap: bool,
    /// Whether they are judged by the rows that they did not draw.
    pub oob_score: bool,
    /// Seed of what is drawn at random.
    pub random_state: u64,
}

impl Default for BaggingRegressor {
    fn default() -> Self {
        BaggingRegressor {
            estimator: Spec::of("decision-tree-regressor"),
            n_estimators: 10,
            max_samples: Amount::Share(1.0),
            bootstrap: true,
            oob_score: false,
            random_state: 0,
        }
    }
}

/// Fitted regressors whose answers are averaged.
#[derive(Serialize, Deserialize)]
pub struct BaggingRegressorModel {
    members: Vec<Stored>,
    oob_score: Option<f64>,
}

/// What a fitted regressor predicts.
pub(super) fn predicted(member: &Stored, rows: Rows<'_>) -> Result<Array2<f64>> {
    check_rows(member.model.as_ref(), rows)?;
    match member.model.as_regress() {
        Some(model) => model.regress(rows),
        None => Err(Error::unsupported("the wrapped algorithm is no regressor")),
    }
}

/// The wrapped algorithm, taught with some of the rows.
pub(super) fn teach(
    estimator: &Spec,
    data: &Measured<'_>,
    drawn: &[usize],
    run: &Run,
) -> Result<Stored> {
    let learner = estimator.learner()?;
    if !learner
        .route_for(DataKind::Measured)?
        .abilities
        .contains(&"regress")
    {
        return Err(Error::parameter(
            "estimator",
            estimator,
            "it must be a regressor, such as ridge",
        ));
    }
    let samples = data.samples.select(drawn);
    // Only rows that do not count were drawn: all rows are as good.
    if samples
        .weights()
        .is_some_and(|weights| weights.sum() == 0.0)
    {
        return Stored::fit(learner.as_ref(), Data::Measured(data.clone()), run);
    }
    let targets = data.targets.select(Axis(0), drawn);
    let part = Measured::many(samples.view(), targets.view())?;
    Stored::fit(learner.as_ref(), Data::Measured(part), run)
}

impl Fit<Measured<'_>> for BaggingRegressor {
    type Model = BaggingRegressorModel;
    const ACCEPTS: Accepts = super::super::PASSED_ON.union(Accepts::MULTI_OUTPUT);

    /// What the wrapped regressor takes.
    fn accepts(&self) -> Accepts {
        super::super::accepted(&self.estimator, DataKind::Measured)
    }

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<BaggingRegressorModel> {
        let n_rows = data.targets.nrows();
        let count = match self.bootstrap {
            true => self.max_samples.of(n_rows).max(1),
            false => self.max_samples.of(n_rows).clamp(1, n_rows),
        };
        let numbers: Vec<u64> = (0..self.n_estimators as u64).collect();
        let fitted = parallel::map(&numbers, run, |&number| {
            let mut random = generator(self.random_state, number);
            let drawn = draw(n_rows, count, self.bootstrap, &mut random);
            let estimator = seeded(&self.estimator, &mut random)?;
            let member = teach(&estimator, &data, &drawn, &run.quietly())?;
            let outside = match self.oob_score {
                true => left_out(n_rows, &drawn),
                false => Vec::new(),
            };
            let found = match outside.is_empty() {
                true => Array2::zeros((0, data.n_targets())),
                false => predicted(&member, data.samples.rows().select(&outside).view())?,
            };
            Ok((member, outside, found))
        })?;
        let mut sums: Array2<f64> = Array2::zeros(data.targets.dim());
        let mut counts = vec![0.0; n_rows];
        let mut members = Vec::with_capacity(fitted.len());
        for (member, outside, found) in fitted {
            for (&row, found) in outside.iter().zip(found.rows()) {
                counts[row] += 1.0;
                let mut sum = sums.row_mut(row);
                sum += &found;
            }
            members.push(member);
        }
        let judged: Vec<usize> = (0..n_rows).filter(|&row| counts[row] > 0.0).collect();
        let truth = data.targets.select(Axis(0), &judged);
        let found = Array2::from_shape_fn(truth.dim(), |(place, target)| {
            sums[[judged[place], target]] / counts[judged[place]]
        });
        let oob_score = match judged.len() > 1 {
            true => didact_evaluate::r2(truth.view(), found.view()).ok(),
            false => None,
        };
        Ok(BaggingRegressorModel { members, oob_score })
    }
}

impl BaggingRegressorModel {
    /// R² of the training rows as predicted by the members that did not draw them; nothing where
    /// it was not asked for or every member drew every row.
    pub fn oob_score(&self) -> Option<f64> {
        self.oob_score
    }
}

impl Features for BaggingRegressorModel {
    fn n_features(&self) -> usize {
        self.members[0].model.n_features()
    }

    fn accepts(&self) -> Accepts {
        self.members[0].model.accepts()
    }
}

impl Regress for BaggingRegressorModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut sum = predicted(&self.members[0], rows)?;
        for member in &self.members[1..] {
            let found = predicted(member, rows)?;
            if found.dim() != sum.dim() {
                return ensure_consistent(false).map(|()| sum);
            }
            sum += &found;
        }
        Ok(sum / self.members.len() as f64)
    }
}

impl Model for BaggingRegressorModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "n_members",
            meaning: "Number of fitted regressors.",
            get: |model| Value::from(model.members.len()),
        },
        Attribute {
            name: "oob_score",
            meaning: "R² of the training rows as predicted by the members that did not draw them.",
            get: |model| Value::from(model.oob_score.filter(|score| score.is_finite())),
        },
    ];

    fn validate(&self) -> Result<()> {
        super::super::members_belong_together(&self.members, self.members.len())?;
        let regresses = |member: &Stored| member.model.as_regress().is_some();
        ensure_consistent(self.members.iter().all(regresses))
    }
}
