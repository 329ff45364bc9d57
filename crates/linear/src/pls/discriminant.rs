//! Classification by partial least squares on indicators of the classes.

use super::{PlsModel, PlsRegression};
use crate::rows::CountingMeasured;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Error, Features, Fit, Labelled, Measured,
    Model, OwnedRows, Regress, Result, Rows, Run, Scores, Transform, Value,
};
use didact_math::numeric::argmax;
use ndarray::{Array2, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Classifies by partial least squares on one indicator per class.
///
/// Every class is a target that is one in its rows and zero elsewhere; a row belongs to the class
/// whose indicator is predicted highest. The components are axes along which the classes
/// differ, also where there are more columns than rows.
///
/// ```
/// use didact_core::{Classify, Fit};
/// use didact_linear::PlsDiscriminant;
/// let wine = didact_datasets::wine();
/// let model = PlsDiscriminant::default().fit(wine.labelled()?)?;
/// let predicted = model.predict(wine.samples())?;
/// let right = predicted.iter().zip(&wine.labels()?.indices).filter(|(a, b)| a == b).count();
/// assert!(right > 170);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlsDiscriminant {
    /// How many components to use at most; fewer where the rows have no more to say.
    #[schemars(range(min = 1))]
    pub n_components: usize,
    /// Whether columns are divided by their standard deviations first.
    pub scale: bool,
}

impl Default for PlsDiscriminant {
    fn default() -> Self {
        PlsDiscriminant {
            n_components: 2,
            scale: true,
        }
    }
}

/// Components of the rows, and an indicator of each class that had rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlsDiscriminantModel {
    classes: Classes,
    /// The classes that had rows.
    present: Vec<usize>,
    regression: PlsModel,
}

impl Fit<Labelled<'_>> for PlsDiscriminant {
    type Model = PlsDiscriminantModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<PlsDiscriminantModel> {
        let weights = data.class_weights();
        let present: Vec<usize> = (0..weights.len()).filter(|&k| weights[k] > 0.0).collect();
        if present.len() < 2 {
            return Err(Error::data(
                "the rows are all of one class; give rows of at least two classes",
            ));
        }
        let mut indicators = Array2::zeros((data.labels.len(), present.len()));
        for (row, label) in data.labels.iter().enumerate() {
            if let Ok(place) = present.binary_search(label) {
                indicators[[row, place]] = 1.0;
            }
        }
        let measured = Measured::many(data.samples.view(), indicators.view())?;
        let regression = PlsRegression {
            n_components: self.n_components,
            scale: self.scale,
        };
        Ok(PlsDiscriminantModel {
            classes: data.classes.clone(),
            present,
            regression: regression.fit_data(&CountingMeasured::new(measured), run)?,
        })
    }
}

impl PlsDiscriminantModel {
    /// The regression on the indicators.
    pub fn regression(&self) -> &PlsModel {
        &self.regression
    }
}

impl Features for PlsDiscriminantModel {
    fn n_features(&self) -> usize {
        self.regression.n_features()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Classify for PlsDiscriminantModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let indicators = self.regression.regress(rows)?;
        let best = |row: ndarray::ArrayView1<'_, f64>| match row.len() {
            // As the decision score says: a tie belongs to the second class.
            2 => usize::from(row[1] >= row[0]),
            _ => argmax(row.iter().copied()).unwrap_or(0),
        };
        let rows = indicators.rows().into_iter();
        Ok(rows.map(|row| self.present[best(row)]).collect())
    }
}

impl Scores for PlsDiscriminantModel {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let indicators = self.regression.regress(rows)?;
        if self.classes.len() == 2 {
            let difference = &indicators.column(1) - &indicators.column(0);
            return Ok(difference.insert_axis(Axis(1)));
        }
        // A class that had no rows scores less than any other.
        let mut all = Array2::from_elem((indicators.nrows(), self.classes.len()), f64::MIN);
        for (place, &class) in self.present.iter().enumerate() {
            all.column_mut(class).assign(&indicators.column(place));
        }
        Ok(all)
    }
}

impl Transform for PlsDiscriminantModel {
    fn n_outputs(&self) -> usize {
        self.regression.n_outputs()
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        self.regression.transform_rows(rows)
    }

    fn output_names(&self, names: &[String]) -> Vec<String> {
        self.regression.output_names(names)
    }
}

impl Model for PlsDiscriminantModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().scores().transform();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "coef",
            meaning: "The weight of each feature for the indicator of each class.",
            get: |model| Value::from(model.regression.coef()),
        },
        Attribute {
            name: "intercept",
            meaning: "The indicators where all features are zero.",
            get: |model| Value::from(model.regression.intercept()),
        },
        Attribute {
            name: "x_rotations",
            meaning: "What turns scaled columns into components, a row per component.",
            get: |model| Value::from(model.regression.rotations()),
        },
    ];

    fn validate(&self) -> Result<()> {
        self.regression.validate()?;
        ensure_consistent(self.present.windows(2).all(|pair| pair[0] < pair[1]))?;
        ensure_consistent(self.present.iter().all(|&class| class < self.classes.len()))?;
        ensure_consistent(
            self.present.len() >= 2 && self.regression.coef().nrows() == self.present.len(),
        )
    }
}
