//! The nearest class mean in the space of a kernel.

use crate::anchors::{Anchors, counting_rows};
use crate::roster::{are_sound, best_classes, bury, ensure_positive, shown, taught_classes};
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Features, Figure, Fit, Labelled, Model,
    Result, Rows, Run, Scores, Shape, Value,
};
use didact_math::kernel::{Gamma, Kernel, KernelChoice};
use didact_math::linalg::transposed_rows_times;
use ndarray::{Array1, Array2, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Assigns a row to the class whose mean is nearest in the space of a kernel.
///
/// The squared distance of φ(x) to the mean of class c there is, up to a part that all classes share,
/// −2·f_c(x) with f_c(x) = mean of k(x, xᵢ) over its rows − ½·mean of k over all pairs of them. For
/// two classes the score is f₁ − f₀ = ⟨φ(x), c₁−c₀⟩ + b with b = ½(‖c₀‖² − ‖c₁‖²): the border halves
/// the way between the means. With the linear kernel that is the nearest class mean. Without the
/// `offset` the mean similarities are compared, which for a Gaussian kernel is the comparison of two
/// densities by windows.
///
/// ```
/// use didact_core::{Classify, Fit, Labelled, Labels};
/// use didact_kernel::KernelClassMean;
/// let x = ndarray::array![[0.0], [1.0], [4.0], [5.0]];
/// let labels = Labels::from_names(["near", "near", "far", "far"]);
/// let model = KernelClassMean::default().fit(Labelled::new(&x, &labels)?)?;
/// assert_eq!(model.predict(&ndarray::array![[0.2], [4.1]])?, [1, 0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KernelClassMean {
    /// How alike two rows are.
    pub kernel: KernelChoice,
    /// The rate of the kernels poly, rbf, sigmoid, laplacian and chi-square.
    pub gamma: Gamma,
    /// The power of the kernel poly.
    #[schemars(range(min = 1))]
    pub degree: u32,
    /// The constant of the kernels poly and sigmoid.
    pub coef0: f64,
    /// Whether the lengths of the means count, so that the nearest mean wins.
    pub offset: bool,
}

impl Default for KernelClassMean {
    fn default() -> Self {
        KernelClassMean {
            kernel: KernelChoice::default(),
            gamma: Gamma::Scale,
            degree: 3,
            coef0: 0.0,
            offset: true,
        }
    }
}

/// The rows of the classes, whose means exist only in the space of the kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelClassMeanModel {
    anchors: Anchors,
    classes: Classes,
    taught: Vec<usize>,
    /// The share of each row in the mean of each class.
    shares: Array2<f64>,
    /// −½ of the squared length of each mean.
    offsets: Array1<f64>,
    with_offset: bool,
}

impl Fit<Labelled<'_>> for KernelClassMean {
    type Model = KernelClassMeanModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<KernelClassMeanModel> {
        let taught = taught_classes(&data)?;
        let rows = counting_rows(&data.samples)?;
        let samples = data.samples.select(&rows);
        let Self {
            gamma,
            degree,
            coef0,
            ..
        } = *self;
        let kernel = self.kernel.resolve(gamma, degree, coef0, &samples)?;
        let totals = data.class_weights();
        let mut shares = Array2::zeros((rows.len(), totals.len()));
        for (place, &row) in rows.iter().enumerate() {
            let class = data.labels[row];
            ensure_positive(totals[class])?;
            shares[[place, class]] = data.samples.weight(row) / totals[class];
        }
        let all: Vec<usize> = (0..rows.len()).collect();
        let anchors = Anchors::new(kernel, samples.rows(), &all);
        // ‖c‖² = Σᵢ shareᵢ·⟨φ(xᵢ), c⟩, without ever holding the kernel of all pairs.
        let similarities = anchors.combine(anchors.rows(), shares.view(), |_| {}, run)?;
        let offsets = (&similarities * &shares).sum_axis(Axis(0)) * -0.5;
        Ok(KernelClassMeanModel {
            anchors,
            classes: data.classes.clone(),
            taught,
            shares,
            offsets,
            with_offset: self.offset,
        })
    }
}

impl KernelClassMeanModel {
    /// The mean similarity of each row to each class, less half the squared length of its mean
    /// where that counts.
    fn similarities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let found = self
            .anchors
            .combine(rows, self.shares.view(), |_| {}, &Run::new())?;
        Ok(match self.with_offset {
            true => found + &self.offsets,
            false => found,
        })
    }

    /// The constant b = ½(‖c₀‖² − ‖c₁‖²) of two classes, zero where it does not count.
    pub fn intercept(&self) -> Option<f64> {
        let [first, second] = self.taught[..] else {
            return None;
        };
        Some(match self.with_offset {
            true => self.offsets[second] - self.offsets[first],
            false => 0.0,
        })
    }

    /// The means of the classes that had rows, where the kernel is linear: one per row.
    pub fn means(&self) -> Option<Array2<f64>> {
        if self.anchors.kernel != Kernel::Linear {
            return None;
        }
        let sums = transposed_rows_times(self.anchors.rows(), self.shares.view(), &Run::new());
        Some(sums.ok()?.t().select(Axis(0), &self.taught))
    }

    /// The means of two classes.
    fn pair(&self) -> Option<(Array1<f64>, Array1<f64>)> {
        let means = self.means().filter(|means| means.nrows() == 2)?;
        Some((means.row(0).to_owned(), means.row(1).to_owned()))
    }
}

impl Features for KernelClassMeanModel {
    fn n_features(&self) -> usize {
        self.anchors.n_columns()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Classify for KernelClassMeanModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        if self.classes.len() == 2 {
            // A score of zero means the second class.
            let scores = self.scores(rows)?;
            return Ok(scores
                .iter()
                .map(|&score| usize::from(score >= 0.0))
                .collect());
        }
        let mut scores = self.similarities(rows)?;
        bury(&mut scores, &self.taught);
        Ok(best_classes(scores.view()))
    }
}

impl Scores for KernelClassMeanModel {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        Ok(shown(self.similarities(rows)?, &self.taught))
    }
}

impl Model for KernelClassMeanModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().scores();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "intercept",
            meaning: "Half the difference of the squared lengths of two class means.",
            get: |model| Value::from(model.intercept()),
        },
        Attribute {
            name: "squared_lengths",
            meaning: "The squared length of each class mean in the space of the kernel.",
            get: |model| Value::from(&model.offsets * -2.0),
        },
        Attribute {
            name: "centroids",
            meaning: "The class means, where the kernel is linear.",
            get: |model| Value::from(model.means()),
        },
        Attribute {
            name: "n_samples_fit",
            meaning: "Number of training rows that count.",
            get: |model| Value::from(model.anchors.len()),
        },
    ];

    const FIGURES: &'static [Figure<Self>] = &[
        Figure {
            name: "means",
            meaning: "The means of the classes, for a linear kernel.",
            get: |model| {
                Some(Shape::Points {
                    points: model.means()?,
                })
            },
        },
        Figure {
            name: "way between the means",
            meaning: "From the middle between two means to the mean of the second class.",
            get: |model| {
                let (first, second) = model.pair()?;
                Some(Shape::Axes {
                    origin: ((&first + &second) / 2.0).to_vec(),
                    directions: ((second - first) / 2.0).insert_axis(Axis(0)),
                })
            },
        },
        Figure {
            name: "border",
            meaning: "Where two classes have the same score, for a linear kernel.",
            get: |model| {
                let (first, second) = model.pair()?;
                Some(Shape::Hyperplanes {
                    normals: (second - first).insert_axis(Axis(0)),
                    offsets: vec![model.intercept()?],
                })
            },
        },
    ];

    fn validate(&self) -> Result<()> {
        ensure_consistent(
            self.anchors.len() > 0
                && self.anchors.is_sound()
                && are_sound(&self.taught, &self.classes)
                && self.shares.dim() == (self.anchors.len(), self.classes.len())
                && self.offsets.len() == self.classes.len()
                && self
                    .shares
                    .iter()
                    .chain(&self.offsets)
                    .all(|value| value.is_finite()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::{Labels, Samples};
    use didact_math::kernel::KernelName;
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;

    fn linear() -> KernelClassMean {
        KernelClassMean {
            kernel: KernelName::Linear.into(),
            ..KernelClassMean::default()
        }
    }

    // 002a:SV00: for a linear kernel the nearest class mean, as NearestCentroid.
    #[test]
    fn the_linear_kernel_finds_the_nearest_class_mean() {
        let x = random_matrix(60, 3, 1);
        let labels = Labels::from_indices((0..60).map(|row| row % 4).collect());
        let model = linear().fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        let means = Array2::from_shape_fn((4, 3), |(class, column)| {
            let rows = (0..60).filter(|row| row % 4 == class);
            rows.map(|row| x[[row, column]]).sum::<f64>() / 15.0
        });
        assert_close(&model.means().unwrap(), &means, 1e-12);
        let queries = random_matrix(40, 3, 2);
        let expected: Vec<usize> = queries
            .rows()
            .into_iter()
            .map(|row| {
                let distance = |class: usize| (&row - &means.row(class)).mapv(|v| v * v).sum();
                (0..4)
                    .min_by(|&a, &b| f64::total_cmp(&distance(a), &distance(b)))
                    .unwrap()
            })
            .collect();
        assert_eq!(model.predict(&queries).unwrap(), expected);
    }

    // 002a:SV00 002a:FIG71: ⟨x, c₊−c₋⟩ + b with b = ½(‖c₋‖² − ‖c₊‖²); the border goes through the
    // middle of the means, at right angles to the way between them.
    #[test]
    fn two_classes_are_parted_half_way_between_their_means() {
        let x = array![[0.0, 0.0], [2.0, 0.0], [4.0, 4.0], [6.0, 4.0]];
        let labels = Labels::from_indices(vec![0, 0, 1, 1]);
        let model = linear().fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        // Means (1, 0) and (5, 4): b = ½(1 − 41) = −20, w = (4, 4).
        assert_eq!(model.intercept(), Some(-20.0));
        let points = array![[3.0, 2.0], [5.0, 0.0], [0.0, 0.0], [5.0, 4.0]];
        let scores = model.decision_function(&points).unwrap();
        assert_close(&scores, &array![[0.0], [0.0], [-20.0], [16.0]], 1e-12);
        // A row on the border belongs to the second class.
        assert_eq!(model.predict(&points).unwrap(), [1, 1, 0, 1]);
        let [means, way, border] = KernelClassMeanModel::FIGURES else {
            panic!("three figures are listed")
        };
        assert_eq!(
            (means.get)(&model),
            Some(Shape::Points {
                points: array![[1.0, 0.0], [5.0, 4.0]]
            })
        );
        assert_eq!(
            (way.get)(&model),
            Some(Shape::Axes {
                origin: vec![3.0, 2.0],
                directions: array![[2.0, 2.0]]
            })
        );
        assert_eq!(
            (border.get)(&model),
            Some(Shape::Hyperplanes {
                normals: array![[4.0, 4.0]],
                offsets: vec![-20.0]
            })
        );
    }

    // 002a:SV00: labels are known, so there is no random assignment; the same rows give the same
    // scores, written out from the kernel.
    #[test]
    fn scores_are_mean_similarities_less_half_the_squared_lengths() {
        let x = random_matrix(12, 2, 3);
        let labels = Labels::from_indices((0..12).map(|row| usize::from(row < 5)).collect());
        let gamma = 0.8;
        let parameters = KernelClassMean {
            gamma: Gamma::Value(gamma),
            ..KernelClassMean::default()
        };
        let model = parameters.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        let kernel = |a: ndarray::ArrayView1<'_, f64>, b: ndarray::ArrayView1<'_, f64>| {
            let gap = &a - &b;
            (-gamma * gap.dot(&gap)).exp()
        };
        let query = array![0.3, -0.4];
        let score = |class: usize| {
            let rows: Vec<usize> = (0..12)
                .filter(|&row| labels.indices[row] == class)
                .collect();
            let n = rows.len() as f64;
            let near: f64 = rows.iter().map(|&i| kernel(query.view(), x.row(i))).sum();
            let pairs = rows.iter().flat_map(|&i| rows.iter().map(move |&j| (i, j)));
            let within: f64 = pairs.map(|(i, j)| kernel(x.row(i), x.row(j))).sum();
            near / n - 0.5 * within / (n * n)
        };
        let expected = score(1) - score(0);
        let found = model
            .decision_function(&query.clone().insert_axis(Axis(0)))
            .unwrap();
        assert!((found[[0, 0]] - expected).abs() < 1e-13);
    }

    #[test]
    fn weights_count_rows_and_a_class_without_rows_is_never_said() {
        let x = array![[0.0], [1.0], [5.0], [50.0]];
        let mut labels = Labels::from_indices(vec![0, 0, 1, 1]);
        labels.classes = Classes::new(["a", "b", "c"]);
        let weighted = Samples::from(&x).weighted(&[1.0, 3.0, 1.0, 0.0]).unwrap();
        let model = linear()
            .fit(Labelled::new(weighted, &labels).unwrap())
            .unwrap();
        assert_close(&model.means().unwrap(), &array![[0.75], [5.0]], 1e-15);
        let scores = model.decision_function(&array![[-9.0]]).unwrap();
        assert_eq!(scores.ncols(), 3);
        assert!(scores[[0, 2]] < scores[[0, 1]]);
        assert_eq!(model.predict(&array![[-9.0], [9.0]]).unwrap(), [0, 1]);
    }
}
