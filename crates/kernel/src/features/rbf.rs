//! Radial features: how near a row is to each of some centres.

use crate::anchors::Anchors;
use didact_cluster::KMeans;
use didact_core::model::ensure_consistent;
use didact_core::random::generator;
use didact_core::{
    Abilities, Accepts, Attribute, Error, Features, Figure, Fit, Model, OwnedRows, Result, Rows,
    Run, Samples, Shape, Transform, Value,
};
use didact_math::distance::Metric;
use didact_math::kernel::Kernel;
use ndarray::{Array2, ArrayView2, Axis};
use rand::seq::SliceRandom;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Replaces the columns by how near a row is to each of some centres.
///
/// The feature of centre c is exp(−‖x−c‖²/σ²), with σ² and not 2σ². Centres are given, are the means
/// of k-means, or are rows drawn at random. A plane in these features is a network of radial basis
/// functions; it tells rings apart that no plane in the columns does.
///
/// ```
/// use didact_core::{Fit, Samples, Transform};
/// use didact_kernel::{FeatureWidth, RbfFeatures};
/// let x = ndarray::array![[0.0, 0.0], [1.0, 2.0]];
/// let parameters = RbfFeatures {
///     given_centers: Some(vec![vec![0.0, 0.0]]),
///     width: FeatureWidth::Value(2.0),
///     ..RbfFeatures::default()
/// };
/// let features = parameters.fit(Samples::from(&x))?.transform(&x)?.into_dense();
/// assert_eq!(features[[0, 0]], 1.0);
/// assert!((features[[1, 0]] - (-5.0_f64 / 4.0).exp()).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RbfFeatures {
    /// How many centres are chosen; no more than there are different rows.
    #[schemars(range(min = 1))]
    pub n_centers: usize,
    /// How they are chosen.
    pub centers: CenterChoice,
    /// The centres themselves, which replace any choice.
    pub given_centers: Option<Vec<Vec<f64>>>,
    /// The width σ of the features.
    pub width: FeatureWidth,
    /// Whether the columns stay beside the features.
    pub keep_columns: bool,
    /// Seed of everything random.
    pub random_state: u64,
}

/// How centres are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CenterChoice {
    /// The means of clusters that k-means finds.
    #[default]
    KMeans,
    /// Rows drawn at random.
    Rows,
}

/// The width σ of radial features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureWidth {
    /// The mean distance of a centre to the one nearest to it, times the root of two; 1 for a single
    /// centre.
    #[default]
    Auto,
    /// This number.
    #[serde(untagged)]
    Value(#[schemars(extend("exclusiveMinimum" = 0))] f64),
}

impl Default for RbfFeatures {
    fn default() -> Self {
        RbfFeatures {
            n_centers: 10,
            centers: CenterChoice::default(),
            given_centers: None,
            width: FeatureWidth::default(),
            keep_columns: false,
            random_state: 0,
        }
    }
}

/// Centres and the width of the features about them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RbfFeaturesModel {
    anchors: Anchors,
    width: f64,
    keep_columns: bool,
}

impl Fit<Samples<'_>> for RbfFeatures {
    type Model = RbfFeaturesModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<RbfFeaturesModel> {
        let centers = self.choose(&data, run)?;
        let width = match self.width {
            FeatureWidth::Value(width) => width,
            FeatureWidth::Auto => usual_width(centers.view()),
        };
        let gamma = width.recip().powi(2);
        if !(gamma > 0.0 && gamma.is_finite()) {
            return Err(Error::parameter(
                "width",
                width,
                "the values of the columns are too large or too small for features of this width; \
                 scale the columns",
            ));
        }
        let all: Vec<usize> = (0..centers.nrows()).collect();
        Ok(RbfFeaturesModel {
            anchors: Anchors::new(Kernel::Rbf { gamma }, Rows::Dense(centers.view()), &all),
            width,
            keep_columns: self.keep_columns,
        })
    }
}

impl RbfFeatures {
    fn choose(&self, data: &Samples<'_>, run: &Run) -> Result<Array2<f64>> {
        if let Some(given) = &self.given_centers {
            return check_given(given, data.n_columns());
        }
        let mut rows: Vec<usize> = (0..data.n_rows())
            .filter(|&row| data.weight(row) > 0.0)
            .collect();
        if rows.is_empty() {
            return Err(Error::data(
                "all rows have the weight 0; give some of them a positive weight",
            ));
        }
        let dense = data.dense()?;
        let key = |row: usize| {
            dense
                .row(row)
                .iter()
                .map(|v| (v + 0.0).to_bits())
                .collect::<Vec<_>>()
        };
        let different = rows
            .iter()
            .map(|&row| key(row))
            .collect::<std::collections::HashSet<_>>();
        let count = self.n_centers.min(different.len());
        match self.centers {
            CenterChoice::KMeans => {
                let parameters = KMeans {
                    n_clusters: count,
                    random_state: self.random_state,
                    ..KMeans::default()
                };
                let model = parameters.learn(data.view(), &run.quietly())?;
                Ok(model.cluster_centers().to_owned())
            }
            CenterChoice::Rows => {
                rows.shuffle(&mut generator(self.random_state, 0));
                let mut seen = std::collections::HashSet::new();
                rows.retain(|&row| seen.insert(key(row)));
                rows.truncate(count);
                Ok(dense.select(Axis(0), &rows))
            }
        }
    }
}

fn check_given(given: &[Vec<f64>], n_columns: usize) -> Result<Array2<f64>> {
    let sound = |center: &Vec<f64>| {
        center.len() == n_columns && center.iter().all(|value| value.is_finite())
    };
    match !given.is_empty() && given.iter().all(sound) {
        true => Ok(Array2::from_shape_fn((given.len(), n_columns), |(i, j)| {
            given[i][j]
        })),
        false => Err(Error::parameter(
            "given_centers",
            format!("a list of {}", given.len()),
            format!("it must hold at least 1 centre, each of {n_columns} finite numbers"),
        )),
    }
}

/// √2 times the mean distance of a centre to its nearest other.
fn usual_width(centers: ArrayView2<'_, f64>) -> f64 {
    let n = centers.nrows();
    let row = |index: usize| centers.row(index).to_vec();
    let nearest = |index: usize| {
        let others = (0..n).filter(|&other| other != index);
        let distances = others.map(|other| Metric::Euclidean.between(&row(index), &row(other)));
        distances.fold(f64::INFINITY, f64::min)
    };
    let mean = (0..n).map(|index| nearest(index) / n as f64).sum::<f64>();
    match n > 1 && mean > 0.0 {
        true => std::f64::consts::SQRT_2 * mean,
        false => 1.0,
    }
}

impl RbfFeaturesModel {
    /// The centres, one per row.
    pub fn centers(&self) -> Array2<f64> {
        self.anchors.rows().to_dense().into_owned()
    }

    /// The width σ.
    pub fn width(&self) -> f64 {
        self.width
    }

    fn kept(&self) -> usize {
        usize::from(self.keep_columns) * self.n_features()
    }
}

impl Features for RbfFeaturesModel {
    fn n_features(&self) -> usize {
        self.anchors.n_columns()
    }
}

impl Transform for RbfFeaturesModel {
    fn n_outputs(&self) -> usize {
        self.kept() + self.anchors.len()
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let features = self.anchors.compare(rows, &Run::new())?;
        if !self.keep_columns {
            return Ok(OwnedRows::Dense(features));
        }
        let both = ndarray::concatenate(Axis(1), &[rows.dense()?, features.view()]);
        Ok(OwnedRows::Dense(both.expect("as many rows of both")))
    }

    fn output_names(&self, input_names: &[String]) -> Vec<String> {
        let features = (0..self.anchors.len()).map(|center| format!("rbf{center}"));
        let kept = input_names.iter().take(self.kept()).cloned();
        kept.chain(features).collect()
    }
}

impl Model for RbfFeaturesModel {
    const ABILITIES: Abilities<Self> = Abilities::none().transform();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "centers",
            meaning: "The centres, one per row.",
            get: |model| Value::from(model.centers()),
        },
        Attribute {
            name: "width",
            meaning: "The width σ of exp(−‖x−c‖²/σ²).",
            get: |model| Value::from(model.width),
        },
    ];

    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "centres",
        meaning: "A ball of the width around each centre.",
        get: |model| {
            Some(Shape::Balls {
                centers: model.centers(),
                radius: model.width,
            })
        },
    }];

    fn validate(&self) -> Result<()> {
        let is_gaussian = matches!(self.anchors.kernel, Kernel::Rbf { .. });
        ensure_consistent(
            is_gaussian
                && self.anchors.len() > 0
                && self.anchors.n_columns() > 0
                && self.anchors.is_sound()
                && self.width > 0.0
                && matches!(self.anchors.rows(), Rows::Dense(_)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::random_matrix;
    use ndarray::array;

    fn features(parameters: &RbfFeatures, x: &Array2<f64>) -> Array2<f64> {
        let model = parameters.fit(Samples::from(x)).unwrap();
        model.transform(x).unwrap().into_dense()
    }

    // 000a:SUP-18 (iv): exp{−((a−a₀)²+(b−b₀)²)/σ²}; with 2σ² it would be e^(−5/8).
    #[test]
    fn the_width_is_squared_without_a_two() {
        let parameters = RbfFeatures {
            given_centers: Some(vec![vec![1.0, 1.0], vec![2.0, 3.0]]),
            width: FeatureWidth::Value(2.0),
            ..RbfFeatures::default()
        };
        let found = features(&parameters, &array![[2.0, 3.0], [1.0, 1.0]]);
        let far = (-5.0_f64 / 4.0).exp();
        for (found, expected) in found.iter().zip([far, 1.0, 1.0, far]) {
            assert!((found - expected).abs() < 1e-15);
        }
    }

    // 002a:HC05, 001:KER-03: one centre in the middle makes rings a matter of a threshold.
    #[test]
    fn a_centre_in_the_middle_parts_rings() {
        let x = Array2::from_shape_fn((60, 2), |(row, column)| {
            let radius = if row % 2 == 0 { 1.0 } else { 3.0 };
            let angle = row as f64;
            radius
                * if column == 0 {
                    angle.cos()
                } else {
                    angle.sin()
                }
        });
        let parameters = RbfFeatures {
            given_centers: Some(vec![vec![0.0, 0.0]]),
            width: FeatureWidth::Value(2.0),
            ..RbfFeatures::default()
        };
        let found = features(&parameters, &x);
        assert!((0..60).all(|row| (found[[row, 0]] > 0.5) == (row % 2 == 0)));
    }

    #[test]
    fn centres_are_found_by_k_means_or_drawn_from_the_rows() {
        let x = array![[0.0], [0.2], [9.8], [10.0]];
        let of = |centers| RbfFeatures {
            n_centers: 2,
            centers,
            ..RbfFeatures::default()
        };
        let model = of(CenterChoice::KMeans).fit(Samples::from(&x)).unwrap();
        let mut found = model.centers().iter().copied().collect::<Vec<_>>();
        found.sort_by(f64::total_cmp);
        assert!((found[0] - 0.1).abs() < 1e-12 && (found[1] - 9.9).abs() < 1e-12);
        assert!((model.width() - 9.8 * 2_f64.sqrt()).abs() < 1e-12);
        let drawn = of(CenterChoice::Rows)
            .fit(Samples::from(&x))
            .unwrap()
            .centers();
        assert!(drawn.iter().all(|value| x.iter().any(|row| row == value)));
        assert_ne!(drawn[[0, 0]], drawn[[1, 0]]);
        // Three equal rows have one centre, of width one.
        let same = Array2::from_elem((3, 2), 4.0);
        let model = of(CenterChoice::KMeans).fit(Samples::from(&same)).unwrap();
        assert_eq!((model.centers().nrows(), model.width()), (1, 1.0));
    }

    #[test]
    fn columns_stay_on_request_and_wrong_centres_are_named() {
        let x = random_matrix(12, 2, 1);
        let parameters = RbfFeatures {
            n_centers: 3,
            keep_columns: true,
            ..RbfFeatures::default()
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        let found = model.transform(&x).unwrap().into_dense();
        assert_eq!(found.slice(ndarray::s![.., ..2]), x);
        let names = model.output_names(&["a".into(), "b".into()]);
        assert_eq!(names, ["a", "b", "rbf0", "rbf1", "rbf2"]);
        let wrong = RbfFeatures {
            given_centers: Some(vec![vec![1.0]]),
            ..RbfFeatures::default()
        };
        let error = wrong.fit(Samples::from(&x)).unwrap_err().to_string();
        assert!(
            error.starts_with("given_centers is a list of 1; "),
            "{error}"
        );
    }
}
