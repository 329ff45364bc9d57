//! Principal component regression.

use crate::planes::{Planes, explained, hyperplane_model, per_target};
use crate::rows::CountingMeasured;
use crate::spectrum::{Spectrum, learns_from_moments};
use didact_core::{Accepts, Fit, Measured, Result, Run, Trace, Value};
use didact_math::linalg::at_times_b;
use ndarray::{Array1, Array2, s};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fits the hyperplane of least squared error on the first principal components of the rows.
///
/// With the components V of the centred rows, w = V·(VᵀXᵀXV)⁻¹VᵀXᵀy. The components are chosen
/// without a look at the targets: what a target depends on may lie in a direction in which the
/// rows hardly vary, and is lost then. Partial least squares looks.
///
/// ```
/// use didact_core::Fit;
/// use didact_linear::{LinearRegression, PrincipalComponentRegression};
/// let diabetes = didact_datasets::diabetes();
/// let few = PrincipalComponentRegression { n_components: Some(3) }.fit(diabetes.measured()?)?;
/// let all = PrincipalComponentRegression::default().fit(diabetes.measured()?)?;
/// let plain = LinearRegression::default().fit(diabetes.measured()?)?;
/// assert!(few.r2()[0] < all.r2()[0]);
/// assert!((all.r2()[0] - plain.r2()[0]).abs() < 1e-9);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PrincipalComponentRegression {
    /// How many components to use at most; all where absent, which is least squares.
    #[schemars(range(min = 1))]
    pub n_components: Option<usize>,
}

/// Hyperplanes within the first principal components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrincipalComponentModel {
    planes: Planes,
    components: Array2<f64>,
    residual_sum_of_squares: Array1<f64>,
    total_sum_of_squares: Array1<f64>,
    trace: Option<Trace>,
}

impl PrincipalComponentModel {
    /// The components, a row each.
    pub fn components(&self) -> &Array2<f64> {
        &self.components
    }

    /// The share of the variance of each training target that is explained.
    pub fn r2(&self) -> Array1<f64> {
        explained(&self.residual_sum_of_squares, &self.total_sum_of_squares)
    }

    fn is_sound(&self) -> bool {
        let (targets, d) = self.planes.coef.dim();
        self.components.ncols() == d
            && self.residual_sum_of_squares.len() == targets
            && self.total_sum_of_squares.len() == targets
    }
}

hyperplane_model!(PrincipalComponentModel {
    "components", "The principal components, a row each.",
        |model| Value::from(&model.components);
    "residual_sum_of_squares", "The sum of squared residuals on the training rows.",
        |model| per_target(&model.residual_sum_of_squares);
    "r2", "The share of the variance of the training targets that is explained.",
        |model| match model.planes.coef.nrows() {
            1 => Value::Number(model.r2()[0]),
            _ => Value::from(model.r2()),
        };
});

impl PrincipalComponentRegression {
    fn model(&self, spectrum: Spectrum) -> Result<PrincipalComponentModel> {
        let rank = spectrum.squares.len();
        let kept = self.n_components.map_or(rank, |wanted| wanted.min(rank));
        let components = spectrum.directions.slice(s![..kept, ..]);
        let mut parts = spectrum.along.slice(s![..kept, ..]).to_owned();
        let mut residual = spectrum.squares_y.clone();
        for (mut part, square) in parts.rows_mut().into_iter().zip(&spectrum.squares) {
            residual -= &part.mapv(|along| along * along / square);
            part /= *square;
        }
        let coef = at_times_b(parts.view(), components);
        let intercept = &spectrum.mean_y - &coef.dot(&spectrum.mean_x);
        Ok(PrincipalComponentModel {
            planes: Planes::new(coef, intercept)?,
            components: components.to_owned(),
            // Rounding may leave a perfect fit just below zero.
            residual_sum_of_squares: residual.mapv(|value| value.max(0.0)),
            total_sum_of_squares: spectrum.squares_y,
            trace: None,
        })
    }
}

impl Fit<Measured<'_>> for PrincipalComponentRegression {
    type Model = PrincipalComponentModel;
    const ACCEPTS: Accepts = Accepts::SPARSE
        .union(Accepts::WEIGHTS)
        .union(Accepts::MULTI_OUTPUT);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<PrincipalComponentModel> {
        self.model(Spectrum::of(&CountingMeasured::new(data), true, run)?)
    }
}

learns_from_moments!(
    PrincipalComponentRegression,
    PrincipalComponentModel,
    |this, moments, _| this.model(Spectrum::of_moments(moments, true)?)
);
