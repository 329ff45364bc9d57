//! Features by some of the rows, whose inner products come close to any kernel.

use crate::anchors::{Anchors, ensure_finite};
use didact_core::model::ensure_consistent;
use didact_core::random::generator;
use didact_core::{
    Abilities, Accepts, Attribute, Error, Features, Fit, Model, OwnedRows, Result, Rows, Run,
    Samples, Transform, Value,
};
use didact_math::kernel::{Gamma, Kernel, KernelChoice};
use didact_math::linalg::{matmul, symmetric_eigen_within};
use ndarray::{Array2, Axis};
use rand::seq::SliceRandom;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Replaces the columns by features whose inner products come close to a kernel.
///
/// With m of the rows as landmarks and the kernel K = U·Λ·Uᵀ of all pairs of them, the features of a
/// row are φ(x) = K^(−½)·k(x), so that φ(x)·φ(y) = k(x)ᵀ·K⁻¹·k(y): the kernel itself where one of the
/// two is a landmark, and Nyström's approximation elsewhere. A linear method on these is a kernel
/// method in time linear in the rows.
///
/// ```
/// use didact_core::{Fit, Samples, Transform};
/// use didact_kernel::Nystroem;
/// use didact_math::kernel::Gamma;
/// let x = ndarray::array![[0.0], [1.0], [3.0]];
/// let parameters = Nystroem { n_components: 3, gamma: Gamma::Value(0.5), ..Nystroem::default() };
/// let z = parameters.fit(Samples::from(&x))?.transform(&x)?.into_dense();
/// assert!((z.row(0).dot(&z.row(1)) - (-0.5_f64).exp()).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Nystroem {
    /// How many rows are landmarks; all of them where there are fewer.
    #[schemars(range(min = 1))]
    pub n_components: usize,
    /// How alike two rows are.
    pub kernel: KernelChoice,
    /// The rate of the kernels poly, rbf, sigmoid, laplacian and chi-square.
    pub gamma: Gamma,
    /// The power of the kernel poly.
    #[schemars(range(min = 1))]
    pub degree: u32,
    /// The constant of the kernels poly and sigmoid.
    pub coef0: f64,
    /// Seed of the choice of landmarks.
    pub random_state: u64,
}

impl Default for Nystroem {
    fn default() -> Self {
        Nystroem {
            n_components: 100,
            kernel: KernelChoice::default(),
            gamma: Gamma::Auto,
            degree: 3,
            coef0: 1.0,
            random_state: 0,
        }
    }
}

/// Landmarks and what makes their kernel features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NystroemModel {
    anchors: Anchors,
    /// K^(−½), symmetric.
    normalisation: Array2<f64>,
    /// Which training rows the landmarks are.
    landmarks: Vec<usize>,
}

impl Fit<Samples<'_>> for Nystroem {
    type Model = NystroemModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<NystroemModel> {
        let Self {
            gamma,
            degree,
            coef0,
            ..
        } = *self;
        let kernel = self.kernel.resolve(gamma, degree, coef0, &data)?;
        let mut landmarks: Vec<usize> = (0..data.n_rows()).collect();
        landmarks.shuffle(&mut generator(self.random_state, 0));
        landmarks.truncate(self.n_components);
        let anchors = Anchors::new(kernel, data.rows(), &landmarks);
        let eigen = symmetric_eigen_within(anchors.gram(run)?.view(), run)?;
        let largest = eigen
            .values
            .iter()
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        // Directions that the landmarks do not span, up to rounding, have no features.
        let floor = f64::EPSILON * landmarks.len() as f64 * largest;
        let roots = eigen.values.mapv(|value| match value > floor {
            true => value.sqrt().recip(),
            false => 0.0,
        });
        if roots.iter().all(|&root| root == 0.0) {
            return Err(Error::data(
                "the kernel of all landmark rows vanishes, so that there are no features; use \
                 another kernel or other rows",
            ));
        }
        let scaled = &eigen.vectors * &roots.insert_axis(Axis(0));
        let normalisation = matmul(scaled.view(), eigen.vectors.t());
        ensure_finite(&normalisation)?;
        Ok(NystroemModel {
            anchors,
            normalisation,
            landmarks,
        })
    }
}

impl NystroemModel {
    /// The training rows that are landmarks.
    pub fn landmarks(&self) -> &[usize] {
        &self.landmarks
    }

    /// The kernel with all its numbers.
    pub fn kernel(&self) -> &Kernel {
        &self.anchors.kernel
    }
}

impl Features for NystroemModel {
    fn n_features(&self) -> usize {
        self.anchors.n_columns()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Transform for NystroemModel {
    fn n_outputs(&self) -> usize {
        self.landmarks.len()
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let features =
            self.anchors
                .combine(rows, self.normalisation.view(), |_| {}, &Run::new())?;
        Ok(OwnedRows::Dense(features))
    }

    fn output_names(&self, _input_names: &[String]) -> Vec<String> {
        (0..self.landmarks.len())
            .map(|place| format!("nystroem{place}"))
            .collect()
    }
}

impl Model for NystroemModel {
    const ABILITIES: Abilities<Self> = Abilities::none().transform();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "component_indices",
            meaning: "The training rows that are landmarks.",
            get: |model| Value::from(model.landmarks.as_slice()),
        },
        Attribute {
            name: "components",
            meaning: "The landmarks themselves, where the rows were dense.",
            get: |model| match model.anchors.rows() {
                Rows::Dense(dense) => Value::from(dense.to_owned()),
                Rows::Sparse(_) => Value::Absent,
            },
        },
        Attribute {
            name: "normalization",
            meaning: "The inverse root of the kernel of all pairs of landmarks.",
            get: |model| Value::from(&model.normalisation),
        },
    ];

    fn validate(&self) -> Result<()> {
        let m = self.landmarks.len();
        ensure_consistent(
            m > 0
                && self.anchors.len() == m
                && self.anchors.is_sound()
                && self.normalisation.dim() == (m, m)
                && self.normalisation.iter().all(|value| value.is_finite()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_math::kernel::{KernelName, kernel_matrix_self};
    use didact_testing::random_matrix;

    fn of(kernel: KernelName, n_components: usize) -> Nystroem {
        Nystroem {
            n_components,
            kernel: kernel.into(),
            gamma: Gamma::Value(0.5),
            ..Nystroem::default()
        }
    }

    #[test]
    fn inner_products_with_a_landmark_are_the_kernel() {
        let x = random_matrix(30, 3, 1);
        for kernel in [KernelName::Rbf, KernelName::Poly, KernelName::Laplacian] {
            let model = of(kernel, 12).fit(Samples::from(&x)).unwrap();
            let z = model.transform(&x).unwrap().into_dense();
            let products = z.dot(&z.t());
            let gram =
                kernel_matrix_self(Rows::Dense(x.view()), model.kernel(), &Run::new()).unwrap();
            for &landmark in model.landmarks() {
                for row in 0..30 {
                    let gap = products[[landmark, row]] - gram[[landmark, row]];
                    assert!(
                        gap.abs() < 1e-8 * gram[[landmark, landmark]],
                        "{kernel:?} {gap}"
                    );
                }
            }
        }
    }

    #[test]
    fn more_landmarks_come_closer_to_the_kernel() {
        let x = random_matrix(80, 2, 2);
        let error = |n_components| {
            let model = of(KernelName::Rbf, n_components)
                .fit(Samples::from(&x))
                .unwrap();
            let z = model.transform(&x).unwrap().into_dense();
            let gram =
                kernel_matrix_self(Rows::Dense(x.view()), model.kernel(), &Run::new()).unwrap();
            (z.dot(&z.t()) - gram).mapv(f64::abs).sum() / 6400.0
        };
        let errors = [3, 10, 40].map(error);
        assert!(errors[0] > errors[1] && errors[1] > errors[2], "{errors:?}");
        assert!(error(200) < 1e-6);
    }

    #[test]
    fn rows_without_a_kernel_have_no_features() {
        let zeros = Array2::zeros((4, 2));
        let error = of(KernelName::Linear, 3)
            .fit(Samples::from(&zeros))
            .unwrap_err();
        assert!(error.to_string().contains("vanishes"));
    }
}
