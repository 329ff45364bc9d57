//! Principal components in the space of a kernel.

mod model;
mod pre_image;
#[cfg(test)]
mod tests;

pub use model::KernelPcaModel;
pub use pre_image::PreImage;

use crate::anchors::Anchors;
use didact_core::random::generator;
use didact_core::{Accepts, Error, Fit, Result, Run, Samples};
use didact_math::kernel::{Gamma, KernelCentring, KernelChoice, KernelName};
use didact_math::linalg::{Eigen, fix_signs, leading_eigen, rows_times, symmetric_eigen_within};
use ndarray::{Array2, s};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Finds the directions of most variance in the space of a kernel.
///
/// With the kernel centred in that space, K̃ = HKH and H = I − 1/M, the components solve K̃·a = M·λ·a
/// with ‖a‖² = 1/(M·λ), so that v = Σⱼ aⱼ·φ̃(xⱼ) has length one and variance λ. A row is projected by
/// its own centred kernel, k̃(x)·a; a training row has the same projection as in training. There are
/// up to M − 1 components, more than columns: rows are lifted rather than reduced, and groups that
/// no line parts may be parted by the first of them. A narrow kernel gives every row a component of
/// its own. With the linear kernel it is principal component analysis.
///
/// Coming back, a point of the projections has no exact original in general. The one of least
/// squares is a linear function of the projections; for a Gaussian kernel the fixed-point iteration
/// z ← Σ γᵢ·k(z, xᵢ)·xᵢ / Σ γᵢ·k(z, xᵢ) starts from it and ends where φ(z) is nearest to the point.
///
/// ```
/// use didact_core::{Fit, Samples, Transform};
/// use didact_kernel::KernelPca;
/// use didact_math::kernel::{Gamma, KernelName};
/// // Two rings: the first component tells the inner from the outer one.
/// let x = ndarray::Array2::from_shape_fn((40, 2), |(row, column)| {
///     let (radius, angle) = (if row < 20 { 1.0 } else { 4.0 }, row as f64 * 0.314);
///     radius * if column == 0 { angle.cos() } else { angle.sin() }
/// });
/// let parameters = KernelPca {
///     n_components: Some(1),
///     kernel: KernelName::Rbf.into(),
///     gamma: Gamma::Value(0.2),
///     ..KernelPca::default()
/// };
/// let projections = parameters.fit(Samples::from(&x))?.transform(&x)?.into_dense();
/// let inner = projections[[0, 0]] > 0.0;
/// assert!((0..40).all(|row| (projections[[row, 0]] > 0.0) == (inner == (row < 20))));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KernelPca {
    /// How many components to keep; all with a variance where absent.
    #[schemars(range(min = 1))]
    pub n_components: Option<usize>,
    /// How alike two rows are.
    pub kernel: KernelChoice,
    /// The rate of the kernels poly, rbf, sigmoid, laplacian and chi-square.
    pub gamma: Gamma,
    /// The power of the kernel poly.
    #[schemars(range(min = 1))]
    pub degree: u32,
    /// The constant of the kernels poly and sigmoid.
    pub coef0: f64,
    /// How a row is found that has given projections.
    pub pre_image: PreImage,
    /// Most steps of the fixed-point iteration.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The fixed-point iteration ends when a step is no longer than this share of the deviation of
    /// the rows.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Seed of the search for few components of many rows.
    pub random_state: u64,
}

impl Default for KernelPca {
    fn default() -> Self {
        KernelPca {
            n_components: None,
            kernel: KernelName::Linear.into(),
            gamma: Gamma::Auto,
            degree: 3,
            coef0: 1.0,
            pre_image: PreImage::default(),
            max_iter: 200,
            tol: 1e-8,
            random_state: 0,
        }
    }
}

/// Few components of more rows than this are found by Lanczos' method.
const FEW_ROWS: usize = 500;

impl Fit<Samples<'_>> for KernelPca {
    type Model = KernelPcaModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<KernelPcaModel> {
        let n = data.n_rows();
        let Self {
            gamma,
            degree,
            coef0,
            ..
        } = *self;
        let kernel = self.kernel.resolve(gamma, degree, coef0, &data)?;
        let all: Vec<usize> = (0..n).collect();
        let anchors = Anchors::new(kernel, data.rows(), &all);
        let gram = anchors.gram(run)?;
        let centring = KernelCentring::new(gram.view())?;
        let centred = centring.centred(gram.view())?;
        // What rounding leaves of directions without variance, seen from the kernel before centring.
        let scale = gram
            .diag()
            .iter()
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        drop(gram);
        let total: f64 = centred.diag().sum();
        let eigen = self.eigen(centred, run)?;
        let floor = f64::EPSILON * n as f64 * eigen.values.first().map_or(0.0, |value| value.abs());
        let floor = floor.max(f64::EPSILON * n as f64 * scale);
        let found = eigen
            .values
            .iter()
            .take_while(|&&value| value > floor)
            .count();
        let count = self.count(found, n)?;
        let values = eigen.values.slice(s![..count]).to_owned();
        let mut vectors = eigen
            .vectors
            .slice(s![.., ..count])
            .t()
            .as_standard_layout()
            .into_owned();
        fix_signs(vectors.view_mut(), None);
        KernelPcaModel::new(self, anchors, centring, values, vectors, total, run)
    }
}

impl KernelPca {
    /// The eigenvalues of the centred kernel, largest first, with their vectors.
    fn eigen(&self, centred: Array2<f64>, run: &Run) -> Result<Eigen> {
        let n = centred.nrows();
        match self.n_components {
            Some(count) if n > FEW_ROWS && count < n / 10 => {
                let apply = |vectors: ndarray::ArrayView2<'_, f64>| {
                    let rows = didact_core::Rows::Dense(centred.view());
                    let product = rows_times(rows, vectors.t(), run)?;
                    Ok(product.t().as_standard_layout().into_owned())
                };
                let mut generator = generator(self.random_state, 0);
                leading_eigen(n, apply, count, 1e-12, &mut generator, run)
            }
            _ => symmetric_eigen_within(centred.view(), run),
        }
    }

    fn count(&self, found: usize, n_rows: usize) -> Result<usize> {
        if n_rows == 1 {
            return Err(Error::data(
                "there is only 1 sample, which has no direction of variance; give rows that differ",
            ));
        }
        if found == 0 {
            return Err(Error::data(format!(
                "the {n_rows} rows are all alike to the kernel, so that there is no direction of \
                 variance; give rows that differ, or another kernel or gamma"
            )));
        }
        match self.n_components {
            Some(wanted) if wanted > found => Err(Error::parameter(
                "n_components",
                wanted,
                format!(
                    "the rows have variance along {found} directions of the kernel's space only; \
                     ask for at most that many"
                ),
            )),
            Some(wanted) => Ok(wanted),
            None => Ok(found),
        }
    }
}
