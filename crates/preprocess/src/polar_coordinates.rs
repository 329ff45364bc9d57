//! Polar coordinates, in which rings are straight.

use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Error, Features, Figure, Fit, Invert, Model, OwnedRows, Result,
    Rows, Run, Samples, Shape, Transform, Value,
};
use didact_math::linalg::Variances;
use didact_math::numeric::length;
use ndarray::{Array1, Array2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Replaces the columns by the distance from a centre and the angles about it.
///
/// (a, b) becomes (r, θ) with r = √(a² + b²) and a = r·cos θ, b = r·sin θ, θ in (−π, π]. With more
/// columns, θ₁ … θ_{d−1} are the angles of a sphere: xᵢ = r·sin θ₁⋯sin θ_{i−1}·cos θᵢ, all but the last
/// within [0, π]. A single column keeps its sign. Rings about the centre become bands of r, which a
/// line parts; angles near −π and π are neighbours although their numbers are not.
///
/// ```
/// use didact_core::{Fit, Transform};
/// use didact_preprocess::PolarCoordinates;
/// let x = ndarray::array![[0.0, 2.0], [-3.0, 0.0]];
/// let polar = PolarCoordinates::default().fit((&x).into())?.transform(&x)?.into_dense();
/// let pi = std::f64::consts::PI;
/// assert_eq!(polar, ndarray::array![[2.0, pi / 2.0], [3.0, pi]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PolarCoordinates {
    /// Where the centre is.
    pub center: PolarCenter,
    /// The centre itself, a number for each column, which replaces the choice.
    pub given_center: Option<Vec<f64>>,
}

/// Where polar coordinates have their centre.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PolarCenter {
    /// At zero in every column.
    #[default]
    Origin,
    /// At the mean of the rows.
    Mean,
}

/// The centre of polar coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolarCoordinatesModel {
    center: Array1<f64>,
}

impl Fit<Samples<'_>> for PolarCoordinates {
    type Model = PolarCoordinatesModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<PolarCoordinatesModel> {
        let n_columns = data.n_columns();
        let center = match (&self.given_center, self.center) {
            (Some(given), _) => {
                let finite = given.iter().all(|value| value.is_finite());
                if given.len() != n_columns || !finite {
                    return Err(Error::parameter(
                        "given_center",
                        format!("{given:?}"),
                        format!("it must hold {n_columns} finite numbers, one for each column"),
                    ));
                }
                Array1::from(given.clone())
            }
            (None, PolarCenter::Origin) => Array1::zeros(n_columns),
            (None, PolarCenter::Mean) => {
                Variances::summarise(data.rows(), data.weights(), run)?.mean
            }
        };
        Ok(PolarCoordinatesModel { center })
    }
}

impl PolarCoordinatesModel {
    /// The centre.
    pub fn center(&self) -> &Array1<f64> {
        &self.center
    }
}

impl Features for PolarCoordinatesModel {
    fn n_features(&self) -> usize {
        self.center.len()
    }
}

impl Transform for PolarCoordinatesModel {
    fn n_outputs(&self) -> usize {
        self.center.len()
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let mut output = &rows.dense()? - &self.center;
        let d = self.center.len();
        for mut row in output.rows_mut() {
            if d == 1 {
                continue;
            }
            let x = row.to_vec();
            row[0] = length(&x);
            for i in 0..d - 2 {
                // From the rest of the row, which is exact where arccosines are not.
                row[i + 1] = length(&x[i + 1..]).atan2(x[i]);
            }
            // A zero of either sign has the angle of a positive one.
            row[d - 1] = (x[d - 1] + 0.0).atan2(x[d - 2] + 0.0);
        }
        match output.iter().all(|value| value.is_finite()) {
            true => Ok(OwnedRows::Dense(output)),
            false => Err(Error::numerical(
                "a row is too far from the centre for a number; scale the columns",
            )),
        }
    }

    fn output_names(&self, input_names: &[String]) -> Vec<String> {
        match input_names.len() {
            2 => vec!["radius".to_owned(), "angle".to_owned()],
            n => (0..n)
                .map(|i| match i {
                    0 => "radius".to_owned(),
                    _ => format!("angle{i}"),
                })
                .collect(),
        }
    }
}

impl Invert for PolarCoordinatesModel {
    fn invert_rows(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut output = rows.to_dense().into_owned();
        let d = self.center.len();
        for mut row in output.rows_mut() {
            let polar = row.to_vec();
            let mut reach = polar[0];
            for i in 0..d - 1 {
                let (sine, cosine) = polar[i + 1].sin_cos();
                row[i] = reach * cosine;
                reach *= sine;
            }
            row[d - 1] = reach;
            row += &self.center;
        }
        Ok(output)
    }
}

impl Model for PolarCoordinatesModel {
    const ABILITIES: Abilities<Self> = Abilities::none().transform().invert();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[Attribute {
        name: "center",
        meaning: "The centre, a number for each column.",
        get: |model| Value::from(&model.center),
    }];

    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "centre",
        meaning: "Where distances and angles are measured from.",
        get: |model| {
            let points = model.center.clone().insert_axis(ndarray::Axis(0));
            Some(Shape::Points { points })
        },
    }];

    fn validate(&self) -> Result<()> {
        let finite = self.center.iter().all(|value| value.is_finite());
        ensure_consistent(!self.center.is_empty() && finite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use proptest::prelude::*;

    fn fitted(parameters: &PolarCoordinates, x: &Array2<f64>) -> PolarCoordinatesModel {
        parameters.fit(x.into()).unwrap()
    }

    fn polar(model: &PolarCoordinatesModel, x: &Array2<f64>) -> Array2<f64> {
        model.transform(x).unwrap().into_dense()
    }

    // 002a:HC05: rings become separable after (r, θ), by a threshold of r.
    #[test]
    fn rings_are_parted_by_their_radius() {
        let x = Array2::from_shape_fn((100, 2), |(row, column)| {
            let wobble = (row as f64 * 1.7).sin() * 0.3;
            let radius = if row % 2 == 0 { 1.0 } else { 3.0 } + wobble;
            let angle = row as f64 * 0.9;
            5.0 + radius
                * if column == 0 {
                    angle.cos()
                } else {
                    angle.sin()
                }
        });
        let about = PolarCoordinates {
            given_center: Some(vec![5.0, 5.0]),
            ..PolarCoordinates::default()
        };
        let found = polar(&fitted(&about, &x), &x);
        assert!((0..100).all(|row| (found[[row, 0]] > 2.0) == (row % 2 == 1)));
        // No threshold of either column does so.
        let parted = |column: usize, threshold: f64| {
            let right = (0..100).filter(|&row| (x[[row, column]] > threshold) == (row % 2 == 1));
            right.count()
        };
        let best = (0..100)
            .map(|row| parted(0, x[[row, 0]]).max(parted(1, x[[row, 1]])))
            .max();
        assert!(best.unwrap() < 85);
    }

    #[test]
    fn spheres_have_their_known_angles() {
        let x = array![
            [0.0, 0.0, 2.0],
            [1.0, 0.0, 0.0],
            [-1.0, 0.0, 0.0],
            [0.0, 0.0, 0.0]
        ];
        let model = fitted(&PolarCoordinates::default(), &x);
        let (found, half) = (polar(&model, &x), std::f64::consts::FRAC_PI_2);
        let expected = array![
            [2.0, half, half],
            [1.0, 0.0, 0.0],
            [1.0, 2.0 * half, 0.0],
            [0.0, 0.0, 0.0]
        ];
        assert!((found - expected).iter().all(|gap| gap.abs() < 1e-15));
        assert_eq!(
            model.output_names(&["a".into(), "b".into(), "c".into()])[2],
            "angle2"
        );
    }

    #[test]
    fn the_mean_is_a_centre_and_one_column_keeps_its_sign() {
        let x = array![[1.0], [3.0]];
        let about = PolarCoordinates {
            center: PolarCenter::Mean,
            ..PolarCoordinates::default()
        };
        let model = fitted(&about, &x);
        assert_eq!(polar(&model, &x), array![[-1.0], [1.0]]);
        assert_eq!(model.inverse_transform(&array![[-1.0], [1.0]]).unwrap(), x);
        let wrong = PolarCoordinates {
            given_center: Some(vec![1.0, 2.0]),
            ..PolarCoordinates::default()
        };
        let error = wrong.fit((&x).into()).unwrap_err().to_string();
        assert!(error.starts_with("given_center is [1.0, 2.0]; "), "{error}");
    }

    proptest! {
        #[test]
        fn rows_come_back(d in 1usize..6, values in prop::collection::vec(-50.0..50.0f64, 30)) {
            let x = Array2::from_shape_fn((5, d), |(i, j)| values[i * d + j]);
            let model = fitted(&PolarCoordinates::default(), &x);
            let back = model.inverse_transform(&polar(&model, &x)).unwrap();
            prop_assert!((back - x).iter().all(|gap| gap.abs() < 1e-12));
        }
    }
}
