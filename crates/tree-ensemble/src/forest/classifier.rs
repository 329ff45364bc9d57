//! Forests that tell classes apart.

use super::members::{Drawing, Members};
use super::{ExtraTreesClassifier, RandomForestClassifier};
use crate::ClassCriterion;
use crate::sizes::Sizes;
use crate::teaching::Teaching;
use didact_core::{
    Abilities, Accepts, Attribute, ClassWeight, Classes, Classify, Features, Fit, Labelled, Model,
    Probabilities, Result, Rows, Run, Value,
};
use didact_math::numeric::argmax;
use ndarray::{Array2, ArrayView1};
use serde::{Deserialize, Serialize};

/// Trees whose class shares are averaged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClassificationForest {
    members: Members,
    classes: Classes,
    oob_score: Option<f64>,
}

impl ClassificationForest {
    fn grow(
        data: &Labelled<'_>,
        criterion: ClassCriterion,
        class_weight: &ClassWeight,
        (sizes, drawing): (&Sizes, &Drawing),
        oob_score: bool,
        run: &Run,
    ) -> Result<Self> {
        let teaching = Teaching::of_classes(
            data,
            class_weight,
            criterion.impurity(),
            sizes.splitter,
            run,
        )?;
        let (n_rows, n_features) = (teaching.n_rows(), teaching.columns.len());
        let growth = sizes.growth(n_rows, n_features, teaching.weight(), 1.0)?;
        let members = Members::grow(&teaching, &growth, drawing, run)?;
        let mut forest = ClassificationForest {
            members,
            classes: data.classes.clone(),
            oob_score: None,
        };
        if oob_score {
            let rows = data.samples.dense()?;
            let (answers, judged) = forest.members.out_of_bag(rows, drawing, run)?;
            let labels = judged.iter().map(|&row| data.labels[row]);
            let right = highest(&answers)
                .into_iter()
                .zip(labels)
                .filter(|(a, b)| a == b);
            let share = right.count() as f64 / judged.len().max(1) as f64;
            forest.oob_score = (!judged.is_empty()).then_some(share);
        }
        Ok(forest)
    }

    /// The share of the training rows whose class is found by the trees that did not draw them;
    /// nothing where it was not asked for or every tree saw every row.
    pub fn oob_score(&self) -> Option<f64> {
        self.oob_score
    }
}

fn highest(answers: &Array2<f64>) -> Vec<usize> {
    let best = |row: ArrayView1<'_, f64>| argmax(row.iter().copied()).unwrap_or(0);
    answers.rows().into_iter().map(best).collect()
}

impl Fit<Labelled<'_>> for RandomForestClassifier {
    type Model = ClassificationForest;
    const ACCEPTS: Accepts = Accepts::WEIGHTS.union(Accepts::MISSING);

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<ClassificationForest> {
        let how = (&self.sizes(), &self.drawing());
        let (criterion, weight) = (self.criterion, &self.class_weight);
        ClassificationForest::grow(&data, criterion, weight, how, self.oob_score, run)
    }
}

impl Fit<Labelled<'_>> for ExtraTreesClassifier {
    type Model = ClassificationForest;
    const ACCEPTS: Accepts = Accepts::WEIGHTS.union(Accepts::MISSING);

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<ClassificationForest> {
        let how = (&self.sizes(), &self.drawing());
        let (criterion, weight) = (self.criterion, &self.class_weight);
        ClassificationForest::grow(&data, criterion, weight, how, self.oob_score, run)
    }
}

impl Features for ClassificationForest {
    fn n_features(&self) -> usize {
        self.members.importances.len()
    }

    fn accepts(&self) -> Accepts {
        Accepts::MISSING
    }
}

impl Classify for ClassificationForest {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        Ok(highest(&self.probabilities(rows)?))
    }
}

impl Probabilities for ClassificationForest {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        self.members.mean(rows.dense()?)
    }
}

impl Model for ClassificationForest {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "feature_importances",
            meaning: "By how much the splits of each column lower the impurity, in all one.",
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
            meaning: "Share of the training rows whose class is found by the trees that did not draw them.",
            get: |model| Value::from(model.oob_score),
        },
    ];

    fn validate(&self) -> Result<()> {
        self.members.validate(self.classes.len())
    }
}
