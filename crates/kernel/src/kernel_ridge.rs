//! Ridge regression in the space of a kernel.

use crate::anchors::{Anchors, counting_rows, ensure_finite};
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Error, Features, Fit, Measured, Model, Regress, Result, Rows,
    Run, Value,
};
use didact_math::kernel::{Gamma, Kernel, KernelChoice, KernelName};
use didact_math::linalg::{Cholesky, matmul, symmetric_eigen_within};
use ndarray::{Array1, Array2, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Least squares with a price on large weights, in the space of a kernel.
///
/// Minimises Σᵢ (yᵢ − f(xᵢ))² + α‖f‖² over functions f(x) = Σᵢ cᵢ·k(x, xᵢ); the coefficients solve
/// (K + αI)·c = y. Only the values of the kernel are used: with the linear one it is ridge regression
/// without an intercept, and with any other its prediction is the mean of a Gaussian process whose
/// noise has the variance α. Takes time cubic and memory quadratic in the rows.
///
/// A kernel that is not positive semidefinite, or α = 0 with equal rows, gives the solution of least
/// size.
///
/// ```
/// use didact_core::{Fit, Measured, Regress};
/// use didact_kernel::KernelRidge;
/// use didact_math::kernel::{Gamma, KernelName};
/// let x = ndarray::Array2::from_shape_fn((20, 1), |(i, _)| i as f64 / 10.0);
/// let y: Vec<f64> = x.iter().map(|x| (3.0 * x).sin()).collect();
/// let model = KernelRidge {
///     alpha: 1e-3,
///     kernel: KernelName::Rbf.into(),
///     gamma: Gamma::Value(5.0),
///     ..KernelRidge::default()
/// }
/// .fit(Measured::new(&x, &y)?)?;
/// assert!((model.predict(&ndarray::array![[0.55]])?[[0, 0]] - 1.65_f64.sin()).abs() < 1e-2);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KernelRidge {
    /// Price α of large weights.
    #[schemars(range(min = 0))]
    pub alpha: f64,
    /// How alike two rows are.
    pub kernel: KernelChoice,
    /// The rate of the kernels poly, rbf, sigmoid, laplacian and chi-square.
    pub gamma: Gamma,
    /// The power of the kernel poly.
    #[schemars(range(min = 1))]
    pub degree: u32,
    /// The constant of the kernels poly and sigmoid.
    pub coef0: f64,
}

impl Default for KernelRidge {
    fn default() -> Self {
        KernelRidge {
            alpha: 1.0,
            kernel: KernelName::Linear.into(),
            gamma: Gamma::Auto,
            degree: 3,
            coef0: 1.0,
        }
    }
}

/// A sum of kernels about the training rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelRidgeModel {
    anchors: Anchors,
    /// A row for each training row of positive weight, a column for each target.
    dual_coef: Array2<f64>,
}

impl Fit<Measured<'_>> for KernelRidge {
    type Model = KernelRidgeModel;
    const ACCEPTS: Accepts = Accepts::SPARSE
        .union(Accepts::WEIGHTS)
        .union(Accepts::MULTI_OUTPUT);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<KernelRidgeModel> {
        if !self.alpha.is_finite() {
            return Err(Error::parameter("alpha", self.alpha, "it must be finite"));
        }
        let rows = counting_rows(&data.samples)?;
        let taught = data.samples.select(&rows);
        let Self {
            gamma,
            degree,
            coef0,
            ..
        } = *self;
        let kernel = self.kernel.resolve(gamma, degree, coef0, &taught)?;
        let all: Vec<usize> = (0..rows.len()).collect();
        let anchors = Anchors::new(kernel, taught.rows(), &all);
        let mut system = anchors.gram(run)?;
        // With weights W: √W·K·√W + αI for √W·y, of which c is √W times the solution.
        let roots: Array1<f64> = rows
            .iter()
            .map(|&row| data.samples.weight(row).sqrt())
            .collect();
        let mut targets = data.targets.select(Axis(0), &rows);
        if data.samples.weights().is_some() {
            system *= &roots;
            system *= &roots.view().insert_axis(Axis(1));
            targets *= &roots.view().insert_axis(Axis(1));
        }
        system.diag_mut().mapv_inplace(|value| value + self.alpha);
        let mut dual_coef = solve(system, &targets, run)?;
        dual_coef *= &roots.insert_axis(Axis(1));
        ensure_finite(&dual_coef)?;
        Ok(KernelRidgeModel { anchors, dual_coef })
    }
}

/// The solution of a symmetric system; the least of those that fit best where it is singular.
fn solve(system: Array2<f64>, targets: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
    match Cholesky::new_within(system.view(), run) {
        Ok(factor) => {
            let found = factor.solve(targets.view());
            if found.iter().all(|value| value.is_finite()) {
                return Ok(found);
            }
        }
        Err(Error::Numerical(_)) => {}
        Err(other) => return Err(other),
    }
    let eigen = symmetric_eigen_within(system.view(), run)?;
    let largest = eigen
        .values
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    let floor = f64::EPSILON * system.nrows() as f64 * largest;
    let inverse = eigen.values.mapv(|value| match value.abs() > floor {
        true => value.recip(),
        false => 0.0,
    });
    let along = matmul(eigen.vectors.t(), targets.view()) * inverse.insert_axis(Axis(1));
    Ok(matmul(eigen.vectors.view(), along.view()))
}

impl KernelRidgeModel {
    /// The coefficients c of the kernels, a row for each training row of positive weight and a
    /// column for each target.
    pub fn dual_coef(&self) -> &Array2<f64> {
        &self.dual_coef
    }

    /// The kernel with all its numbers.
    pub fn kernel(&self) -> &Kernel {
        &self.anchors.kernel
    }
}

impl Features for KernelRidgeModel {
    fn n_features(&self) -> usize {
        self.anchors.n_columns()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Regress for KernelRidgeModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        self.anchors
            .combine(rows, self.dual_coef.view(), |_| {}, &Run::new())
    }
}

impl Model for KernelRidgeModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "dual_coef",
            meaning: "The coefficient of the kernel about each training row.",
            get: |model| Value::from(&model.dual_coef),
        },
        Attribute {
            name: "n_samples_fit",
            meaning: "Number of training rows that count.",
            get: |model| Value::from(model.anchors.len()),
        },
    ];

    fn validate(&self) -> Result<()> {
        ensure_consistent(
            self.anchors.len() > 0
                && self.anchors.is_sound()
                && self.dual_coef.nrows() == self.anchors.len()
                && self.dual_coef.ncols() > 0
                && self.dual_coef.iter().all(|value| value.is_finite()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::{Csr, Samples};
    use didact_math::linalg::solve as solve_general;
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;

    fn with(kernel: KernelName, gamma: f64, alpha: f64) -> KernelRidge {
        KernelRidge {
            alpha,
            kernel: kernel.into(),
            gamma: Gamma::Value(gamma),
            ..KernelRidge::default()
        }
    }

    fn targets(n: usize) -> Vec<f64> {
        (0..n)
            .map(|i| (i as f64 * 0.9).sin() + 0.1 * i as f64)
            .collect()
    }

    // 001:KER-09: with the linear kernel the primal ridge (XᵀX + αI)⁻¹Xᵀy predicts the same.
    #[test]
    fn the_linear_kernel_is_ridge_regression_without_an_intercept() {
        let (x, queries) = (random_matrix(30, 4, 1), random_matrix(7, 4, 2));
        let y = targets(30);
        let model = with(KernelName::Linear, 1.0, 0.7)
            .fit(Measured::new(&x, &y).unwrap())
            .unwrap();
        let mut normal = x.t().dot(&x);
        normal.diag_mut().mapv_inplace(|value| value + 0.7);
        let right = x.t().dot(&Array1::from(y)).insert_axis(Axis(1));
        let weights = solve_general(normal.view(), right.view()).unwrap();
        assert_close(
            &model.predict(&queries).unwrap(),
            &queries.dot(&weights),
            1e-11,
        );
    }

    // 001:KER-09: the polynomial kernel predicts like ridge regression on its explicit features.
    #[test]
    fn a_finite_feature_map_gives_the_same_predictions() {
        let (x, queries) = (random_matrix(25, 2, 3), random_matrix(6, 2, 4));
        let y = targets(25);
        let map = |rows: &Array2<f64>| {
            let root = 2_f64.sqrt();
            Array2::from_shape_fn((rows.nrows(), 6), |(i, j)| {
                let (a, b) = (rows[[i, 0]], rows[[i, 1]]);
                [1.0, root * a, root * b, root * a * b, a * a, b * b][j]
            })
        };
        let kernel = KernelRidge {
            degree: 2,
            ..with(KernelName::Poly, 1.0, 0.3)
        };
        let direct = with(KernelName::Linear, 1.0, 0.3);
        let by_kernel = kernel.fit(Measured::new(&x, &y).unwrap()).unwrap();
        let (features, query_features) = (map(&x), map(&queries));
        let by_map = direct.fit(Measured::new(&features, &y).unwrap()).unwrap();
        let expected = by_map.predict(&query_features).unwrap();
        assert_close(&by_kernel.predict(&queries).unwrap(), &expected, 1e-10);
    }

    // 002b:GP-08: the mean K*(K + σ²I)⁻¹y of a process with noise of variance σ².
    #[test]
    fn the_prediction_is_the_mean_of_a_gaussian_process() {
        let (x, queries) = (random_matrix(20, 2, 5), random_matrix(5, 2, 6));
        let y = targets(20);
        let variance = 0.25;
        let model = with(KernelName::Rbf, 0.5, variance)
            .fit(Measured::new(&x, &y).unwrap())
            .unwrap();
        let kernel = |a: &Array2<f64>, b: &Array2<f64>| {
            Array2::from_shape_fn((a.nrows(), b.nrows()), |(i, j)| {
                let gap = &a.row(i) - &b.row(j);
                (-0.5 * gap.dot(&gap)).exp()
            })
        };
        let covariance = kernel(&x, &x) + Array2::<f64>::eye(20) * variance;
        let column = Array1::from(y).insert_axis(Axis(1));
        let weights = solve_general(covariance.view(), column.view()).unwrap();
        let expected = kernel(&queries, &x).dot(&weights);
        assert_close(&model.predict(&queries).unwrap(), &expected, 1e-11);
    }

    #[test]
    fn a_row_of_weight_two_is_the_row_twice_and_one_of_weight_zero_is_none() {
        let x = random_matrix(6, 2, 7);
        let y = [1.0, -1.0, 2.0, 0.5, 3.0, 99.0];
        let chosen = [0, 1, 1, 2, 3, 3, 3, 4];
        let repeated = x.select(Axis(0), &chosen);
        let repeated_y: Vec<f64> = chosen.iter().map(|&row| y[row]).collect();
        let weights = [1.0, 2.0, 1.0, 3.0, 1.0, 0.0];
        let parameters = with(KernelName::Rbf, 1.0, 0.2);
        let samples = Samples::from(&x).weighted(&weights).unwrap();
        let weighted = parameters.fit(Measured::new(samples, &y).unwrap()).unwrap();
        let plain = parameters
            .fit(Measured::new(&repeated, &repeated_y).unwrap())
            .unwrap();
        let queries = random_matrix(5, 2, 8);
        let expected = plain.predict(&queries).unwrap();
        assert_close(&weighted.predict(&queries).unwrap(), &expected, 1e-11);
    }

    #[test]
    fn singular_and_indefinite_kernels_have_a_solution() {
        let x = array![[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        let y = [1.0, 3.0, 5.0];
        // Without a price the equal rows share the mean of their targets.
        let model = with(KernelName::Rbf, 1.0, 0.0)
            .fit(Measured::new(&x, &y).unwrap())
            .unwrap();
        let found = model.predict(&x).unwrap();
        assert_close(&found, &array![[2.0], [2.0], [5.0]], 1e-12);
        let wide = random_matrix(15, 3, 9) * 3.0;
        let sigmoid = KernelRidge {
            coef0: -1.0,
            ..with(KernelName::Sigmoid, 1.0, 1e-3)
        };
        let model = sigmoid
            .fit(Measured::new(&wide, &targets(15)).unwrap())
            .unwrap();
        assert!(
            model
                .predict(&wide)
                .unwrap()
                .iter()
                .all(|value| value.is_finite())
        );
    }

    #[test]
    fn sparse_rows_and_several_targets_are_learned_alike() {
        let x = random_matrix(12, 3, 10).mapv(|value| if value > 0.0 { value } else { 0.0 });
        let many = Array2::from_shape_fn((12, 2), |(i, j)| (i * (j + 1)) as f64);
        let parameters = with(KernelName::Rbf, 0.4, 0.1);
        let dense = parameters
            .fit(Measured::many(&x, many.view()).unwrap())
            .unwrap();
        let sparse_x = Csr::from_dense(x.view());
        let sparse = parameters
            .fit(Measured::many(&sparse_x, many.view()).unwrap())
            .unwrap();
        let expected = dense.predict(&x).unwrap();
        assert_close(&sparse.predict(&sparse_x).unwrap(), &expected, 1e-10);
        assert_close(&sparse.predict(&x).unwrap(), &expected, 1e-10);
        let one: Vec<f64> = many.column(1).to_vec();
        let alone = parameters.fit(Measured::new(&x, &one).unwrap()).unwrap();
        let column = expected.column(1).to_owned().insert_axis(Axis(1));
        assert_close(&alone.predict(&x).unwrap(), &column, 1e-11);
    }
}
