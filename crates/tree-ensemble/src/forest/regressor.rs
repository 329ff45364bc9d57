//! Forests that predict numbers.

use super::members::{Drawing, Members};
use super::{ExtraTreesRegressor, RandomForestRegressor};
use crate::NumberCriterion;
use crate::sizes::Sizes;
use crate::teaching::Teaching;
use didact_core::{
    Abilities, Accepts, Attribute, Features, Fit, Measured, Model, Regress, Result, Rows, Run,
    Value,
};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// Trees whose answers are averaged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RegressionForest {
    members: Members,
    n_targets: usize,
    oob_score: Option<f64>,
}

impl RegressionForest {
    fn grow(
        data: &Measured<'_>,
        criterion: NumberCriterion,
        (sizes, drawing): (&Sizes, &Drawing),
        oob_score: bool,
        run: &Run,
    ) -> Result<Self> {
        let teaching = Teaching::of_numbers(data, criterion.impurity(), sizes.splitter, run)?;
        let (n_rows, n_features) = (teaching.n_rows(), teaching.columns.len());
        let growth = sizes.growth(n_rows, n_features, teaching.weight(), teaching.unit)?;
        let members = Members::grow(&teaching, &growth, drawing, run)?;
        let oob_score = match oob_score {
            true => {
                let rows = data.samples.dense()?;
                let (answers, judged) = members.out_of_bag(rows, drawing, run)?;
                determination(data.targets, &answers, &judged)
            }
            false => None,
        };
        Ok(RegressionForest {
            members,
            n_targets: data.n_targets(),
            oob_score,
        })
    }

    /// R² of the training rows as predicted by the trees that did not draw them, the mean over the
    /// targets; nothing where it was not asked for or every tree saw every row.
    pub fn oob_score(&self) -> Option<f64> {
        self.oob_score
    }
}

/// R² = 1 − Σ(y − ŷ)² / Σ(y − ȳ)², the mean over the targets that vary.
fn determination(
    targets: ArrayView2<'_, f64>,
    found: &Array2<f64>,
    judged: &[usize],
) -> Option<f64> {
    let rows = judged.len() as f64;
    let one = |target: usize| {
        let truth = |place: usize| targets[[judged[place], target]];
        let mean: f64 = (0..judged.len()).map(|place| truth(place) / rows).sum();
        let all: f64 = (0..judged.len())
            .map(|place| (truth(place) - mean).powi(2))
            .sum();
        let missed = (0..judged.len()).map(|place| (truth(place) - found[[place, target]]).powi(2));
        (all > 0.0).then(|| 1.0 - missed.sum::<f64>() / all)
    };
    let known: Vec<f64> = (0..targets.ncols()).filter_map(one).collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    mean.is_finite().then_some(mean)
}

impl Fit<Measured<'_>> for RandomForestRegressor {
    type Model = RegressionForest;
    const ACCEPTS: Accepts = Accepts::WEIGHTS
        .union(Accepts::MISSING)
        .union(Accepts::MULTI_OUTPUT);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<RegressionForest> {
        let how = (&self.sizes(), &self.drawing());
        RegressionForest::grow(&data, self.criterion, how, self.oob_score, run)
    }
}

impl Fit<Measured<'_>> for ExtraTreesRegressor {
    type Model = RegressionForest;
    const ACCEPTS: Accepts = Accepts::WEIGHTS
        .union(Accepts::MISSING)
        .union(Accepts::MULTI_OUTPUT);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<RegressionForest> {
        let how = (&self.sizes(), &self.drawing());
        RegressionForest::grow(&data, self.criterion, how, self.oob_score, run)
    }
}

impl Features for RegressionForest {
    fn n_features(&self) -> usize {
        self.members.importances.len()
    }

    fn accepts(&self) -> Accepts {
        Accepts::MISSING
    }
}

impl Regress for RegressionForest {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        self.members.mean(rows.dense()?)
    }
}

impl Model for RegressionForest {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "feature_importances",
            meaning: "By how much the splits of each column lower the error, in all one.",
            get: |model| Value::from(model.members.importances.as_slice()),
        },
        Attribute {
            name: "n_trees",
            meaning: "Number of trees.",
            get: |model| Value::from(model.members.trees.len()),
        },
        Attribute {
            name: "n_leaves",
            meaning: "Number of leaves of each tree.",
            get: |model| {
                let trees = model.members.trees.iter();
                Value::Integers(trees.map(|tree| tree.n_leaves() as i64).collect())
            },
        },
        Attribute {
            name: "oob_score",
            meaning: "R² of the training rows as predicted by the trees that did not draw them.",
            get: |model| Value::from(model.oob_score),
        },
    ];

    fn validate(&self) -> Result<()> {
        self.members.validate(self.n_targets)
    }
}
