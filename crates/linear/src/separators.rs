//! Linear scores of classes: what every linear classifier ends with.

use crate::online::Roster;
use crate::rows::linear_scores;
use didact_core::model::ensure_consistent;
use didact_core::{Classes, Error, Result, Rows, Shape};
use didact_math::numeric::argmax;
use ndarray::{Array1, Array2, ArrayView1};
use serde::{Deserialize, Serialize};

/// A linear score for each class that had rows, or a single one where there were two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Separators {
    pub(crate) classes: Classes,
    /// The classes that had rows.
    pub(crate) present: Vec<usize>,
    /// The weights, a row for each score.
    pub(crate) coef: Array2<f64>,
    /// The intercept of each score.
    pub(crate) intercept: Array1<f64>,
}

impl Separators {
    /// Separators whose numbers are finite, or an error that says how to make them so.
    pub(crate) fn new(
        classes: Classes,
        present: Vec<usize>,
        coef: Array2<f64>,
        intercept: Array1<f64>,
    ) -> Result<Self> {
        let mut numbers = coef.iter().chain(&intercept);
        match numbers.all(|number| number.is_finite()) {
            true => Ok(Separators {
                classes,
                present,
                coef,
                intercept,
            }),
            false => Err(overflow()),
        }
    }

    /// Fails unless a fit to these rows may start from here.
    pub(crate) fn check_start(&self, roster: &Roster) -> Result<()> {
        check_start(
            (&self.classes, &self.present, self.coef.ncols()),
            (&roster.classes, &roster.present, roster.n_columns),
        )
    }

    pub(crate) fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let scores = self.linear(rows)?;
        Ok(choose_all(&scores, &self.present))
    }

    pub(crate) fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        Ok(spread(
            self.linear(rows)?,
            self.classes.len(),
            &self.present,
        ))
    }

    fn linear(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        linear_scores(rows, self.coef.view(), &self.intercept.to_vec())
    }

    pub(crate) fn shape(&self) -> Shape {
        boundaries(&self.coef, &self.intercept)
    }

    pub(crate) fn validate(&self) -> Result<()> {
        validate(&self.classes, &self.present, &self.coef, &self.intercept)
    }
}

/// Fails unless a model to start from tells the same classes apart by as many columns.
pub(crate) fn check_start(
    start: (&Classes, &[usize], usize),
    data: (&Classes, &[usize], usize),
) -> Result<()> {
    if start.2 != data.2 {
        return Err(Error::Columns {
            expected: start.2,
            found: data.2,
        });
    }
    match (start.0, start.1) == (data.0, data.1) {
        true => Ok(()),
        false => Err(Error::data(
            "the model to start from tells other classes apart; fit without it",
        )),
    }
}

/// The weights overflow: what to do about it.
pub(crate) fn overflow() -> Error {
    Error::numerical(
        "the weights of some columns overflow; \
         divide the columns by a power of ten so that their values are near one",
    )
}

/// The place of the class that the scores speak for.
pub(crate) fn choose(scores: ArrayView1<'_, f64>) -> usize {
    match scores.len() {
        // A score of zero belongs to the second class.
        1 => usize::from(scores[0] >= 0.0),
        _ => argmax(scores.iter().copied()).unwrap_or(0),
    }
}

/// The class that the scores of each row speak for, among those that had rows.
pub(crate) fn choose_all(scores: &Array2<f64>, present: &[usize]) -> Vec<usize> {
    let Some(values) = scores.as_slice() else {
        let rows = scores.rows().into_iter();
        return rows.map(|scores| present[choose(scores)]).collect();
    };
    let best = |scores: &[f64]| {
        let mut place = 0;
        for (other, score) in scores.iter().enumerate().skip(1) {
            // Ties go to the first.
            place = if *score > scores[place] { other } else { place };
        }
        present[place]
    };
    match scores.ncols() {
        1 => {
            let side = |score: &f64| present[usize::from(*score >= 0.0)];
            values.iter().map(side).collect()
        }
        // With a known number of scores the compiler needs no loop.
        3 => values.as_chunks::<3>().0.iter().map(|s| best(s)).collect(),
        width => values.chunks_exact(width.max(1)).map(best).collect(),
    }
}

/// The scores of all classes from those of the classes that had rows.
pub(crate) fn spread(scores: Array2<f64>, n_classes: usize, present: &[usize]) -> Array2<f64> {
    if n_classes == 2 {
        return scores;
    }
    // A class that had no rows scores less than any other.
    let mut all = Array2::from_elem((scores.nrows(), n_classes), f64::MIN);
    for (mut row, scores) in all.rows_mut().into_iter().zip(scores.rows()) {
        match scores.len() {
            1 => {
                row[present[0]] = -0.5 * scores[0];
                row[present[1]] = 0.5 * scores[0];
            }
            _ => {
                for (&class, &score) in present.iter().zip(scores) {
                    row[class] = score;
                }
            }
        }
    }
    all
}

/// Where the score of two classes is zero, or where two of several scores are equal.
pub(crate) fn boundaries(coef: &Array2<f64>, intercept: &Array1<f64>) -> Shape {
    let outputs = coef.nrows();
    if outputs == 1 {
        return Shape::Hyperplanes {
            normals: coef.clone(),
            offsets: intercept.to_vec(),
        };
    }
    let pairs: Vec<(usize, usize)> = (0..outputs)
        .flat_map(|a| (0..a).map(move |b| (b, a)))
        .collect();
    let normals = Array2::from_shape_fn((pairs.len(), coef.ncols()), |(pair, j)| {
        coef[[pairs[pair].1, j]] - coef[[pairs[pair].0, j]]
    });
    let offsets = pairs.iter().map(|&(a, b)| intercept[b] - intercept[a]);
    Shape::Hyperplanes {
        normals,
        offsets: offsets.collect(),
    }
}

/// Fails where the parts of a linear classifier do not belong together.
pub(crate) fn validate(
    classes: &Classes,
    present: &[usize],
    coef: &Array2<f64>,
    intercept: &Array1<f64>,
) -> Result<()> {
    let outputs = if present.len() == 2 { 1 } else { present.len() };
    ensure_consistent(present.len() >= 2 && coef.ncols() > 0)?;
    ensure_consistent(present.windows(2).all(|pair| pair[0] < pair[1]))?;
    ensure_consistent(present.iter().all(|&class| class < classes.len()))?;
    ensure_consistent(coef.nrows() == outputs && intercept.len() == outputs)?;
    let mut numbers = coef.iter().chain(intercept);
    ensure_consistent(numbers.all(|number| number.is_finite()))
}

/// Makes a model of a type with the fields `separators` and `trace` and the method `is_sound`: it
/// classifies by its scores and knows them besides the attributes that are listed.
macro_rules! separator_model {
    ($model:ident { $($name:literal, $meaning:literal, $get:expr;)* }) => {
        impl $model {
            /// The weights: one row for two classes, else one for each class that had rows.
            pub fn coef(&self) -> &ndarray::Array2<f64> {
                &self.separators.coef
            }

            /// The intercepts, one for each row of the weights.
            pub fn intercept(&self) -> &ndarray::Array1<f64> {
                &self.separators.intercept
            }

            /// The history of the fit.
            pub fn history(&self) -> &didact_core::Trace {
                &self.trace
            }
        }

        impl didact_core::Features for $model {
            fn n_features(&self) -> usize {
                self.separators.coef.ncols()
            }

            fn accepts(&self) -> didact_core::Accepts {
                didact_core::Accepts::SPARSE
            }
        }

        impl didact_core::Classify for $model {
            fn classes(&self) -> &didact_core::Classes {
                &self.separators.classes
            }

            fn classify(&self, rows: didact_core::Rows<'_>) -> didact_core::Result<Vec<usize>> {
                self.separators.classify(rows)
            }
        }

        impl didact_core::Scores for $model {
            fn scores(
                &self,
                rows: didact_core::Rows<'_>,
            ) -> didact_core::Result<ndarray::Array2<f64>> {
                self.separators.scores(rows)
            }
        }

        impl didact_core::Model for $model {
            const ABILITIES: didact_core::Abilities<Self> =
                didact_core::Abilities::none().classify().scores();
            const ATTRIBUTES: &'static [didact_core::Attribute<Self>] = &[
                didact_core::Attribute {
                    name: "classes",
                    meaning: "The classes in label order.",
                    get: |model| didact_core::Value::from(&model.separators.classes),
                },
                didact_core::Attribute {
                    name: "coef",
                    meaning: "The weight of each feature: one row for two classes, else one per class.",
                    get: |model| didact_core::Value::from(&model.separators.coef),
                },
                didact_core::Attribute {
                    name: "intercept",
                    meaning: "The scores where all features are zero.",
                    get: |model| didact_core::Value::from(&model.separators.intercept),
                },
                didact_core::Attribute {
                    name: "n_iter",
                    meaning: "The number of iterations made.",
                    get: |model| didact_core::Value::from(model.trace.n_iter()),
                },
                $(didact_core::Attribute { name: $name, meaning: $meaning, get: $get },)*
            ];
            const FIGURES: &'static [didact_core::Figure<Self>] = &[didact_core::Figure {
                name: "boundaries",
                meaning: "Where the score of two classes is zero, or where two of several scores are equal.",
                get: |model| Some(model.separators.shape()),
            }];

            fn trace(&self) -> Option<&didact_core::Trace> {
                Some(&self.trace)
            }

            fn validate(&self) -> didact_core::Result<()> {
                self.separators.validate()?;
                didact_core::model::ensure_consistent(self.is_sound())
            }
        }
    };
}
pub(crate) use separator_model;
