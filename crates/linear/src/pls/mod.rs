//! Partial least squares: components of the rows that go along with the targets.

mod discriminant;
mod kernel;
mod model;

pub use discriminant::{PlsDiscriminant, PlsDiscriminantModel};
pub use model::PlsModel;

use crate::least_squares::{Intercept, System};
use crate::planes::Planes;
use crate::rows::CountingMeasured;
use crate::spectrum::{Centred, learns_from_moments};
use didact_core::{Accepts, Fit, Measured, Result, Run};
use didact_math::linalg::CrossMoments;
use kernel::{Components, Rotation, Variation};
use ndarray::{Array1, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Regresses on the components of the rows that vary most together with the targets.
///
/// Each component t = Xr has the weights of largest covariance with the targets and is
/// uncorrelated with the components before it, whose part has been taken out of rows and
/// targets. The targets are then regressed on the components. With as many components as the
/// rows have rank this is least squares; with one target and few components it shrinks.
///
/// ```
/// use didact_core::{Fit, Transform};
/// use didact_linear::PlsRegression;
/// let diabetes = didact_datasets::diabetes();
/// let model = PlsRegression::default().fit(diabetes.measured()?)?;
/// assert_eq!(model.transform(diabetes.samples())?.into_dense().dim(), (442, 2));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlsRegression {
    /// How many components to use at most; fewer where the rows have no more to say.
    #[schemars(range(min = 1))]
    pub n_components: usize,
    /// Whether columns and targets are divided by their standard deviations first.
    pub scale: bool,
}

impl Default for PlsRegression {
    fn default() -> Self {
        PlsRegression {
            n_components: 2,
            scale: true,
        }
    }
}

/// The means and standard deviations by which columns and targets are made comparable.
struct Units {
    mean_x: Array1<f64>,
    mean_y: Array1<f64>,
    scale_x: Array1<f64>,
    scale_y: Array1<f64>,
    squares_y: Array1<f64>,
}

impl PlsRegression {
    pub(super) fn fit_data(&self, data: &CountingMeasured<'_>, run: &Run) -> Result<PlsModel> {
        let rows = data.samples.rows();
        if rows.n_columns() <= rows.n_rows() {
            let weights = data.samples.weights();
            let moments = CrossMoments::summarise(rows, data.targets.view(), weights, run)?;
            return self.fit_moments(&moments, run);
        }
        let mut centred = Centred::new(data, true, run)?;
        let squares_x = centred.x.mapv(|value| value * value).sum_axis(Axis(0));
        let units = self.units(
            squares_x,
            centred.squares_y.clone(),
            centred.mean_x.clone(),
            centred.mean_y.clone(),
            centred.weight,
        );
        centred.x /= &units.scale_x;
        centred.y /= &units.scale_y;
        let cross = centred.x.t().dot(&centred.y);
        let found = Components::find(Variation::Rows(centred.x), cross, self.n_components, run)?;
        self.model(found, units)
    }

    fn fit_moments(&self, moments: &CrossMoments, run: &Run) -> Result<PlsModel> {
        let system = System::new(moments, Intercept::Free);
        let units = self.units(
            system.gram().diag().to_owned(),
            system.squares().clone(),
            moments.mean_x().to_owned(),
            moments.mean_y().to_owned(),
            moments.weight(),
        );
        let (column_x, column_y) = (&units.scale_x, &units.scale_y);
        let mut gram = system.gram().to_owned();
        gram /= column_x;
        gram /= &column_x.view().insert_axis(Axis(1));
        let mut cross = system.cross().to_owned();
        cross /= column_y;
        cross /= &column_x.view().insert_axis(Axis(1));
        let found = Components::find(Variation::Products(gram), cross, self.n_components, run)?;
        self.model(found, units)
    }

    fn units(
        &self,
        squares_x: Array1<f64>,
        squares_y: Array1<f64>,
        mean_x: Array1<f64>,
        mean_y: Array1<f64>,
        weight: f64,
    ) -> Units {
        let deviation = |squares: &Array1<f64>| {
            squares.mapv(|squares| {
                let variance = squares / (weight - 1.0);
                match self.scale && variance > 0.0 && variance.is_finite() {
                    true => variance.sqrt(),
                    false => 1.0,
                }
            })
        };
        Units {
            scale_x: deviation(&squares_x),
            scale_y: deviation(&squares_y),
            mean_x,
            mean_y,
            squares_y,
        }
    }

    fn model(&self, found: Rotation, units: Units) -> Result<PlsModel> {
        // ŷ = ȳ + Σ t·q with t = ((x − x̄)/s)·r, in the units of the targets.
        let mut coef = found.y_loadings.dot(&found.rotations);
        coef /= &units.scale_x;
        coef *= &units.scale_y.view().insert_axis(Axis(1));
        let intercept = &units.mean_y - &coef.dot(&units.mean_x);
        let explained = found
            .y_loadings
            .rows()
            .into_iter()
            .map(|q| {
                let each = q.iter().zip(&found.squares);
                each.map(|(q, squares)| q * q * squares).sum::<f64>()
            })
            .collect::<Array1<f64>>();
        let scale_y = &units.scale_y * &units.scale_y;
        let residual = &units.squares_y - &(explained * scale_y);
        Ok(PlsModel {
            planes: Planes::new(coef, intercept)?,
            mean: units.mean_x,
            scale: units.scale_x,
            weights: found.weights,
            loadings: found.loadings,
            rotations: found.rotations,
            y_loadings: found.y_loadings,
            residual_sum_of_squares: residual.mapv(|value| value.max(0.0)),
            total_sum_of_squares: units.squares_y,
        })
    }
}

impl Fit<Measured<'_>> for PlsRegression {
    type Model = PlsModel;
    const ACCEPTS: Accepts = Accepts::SPARSE
        .union(Accepts::WEIGHTS)
        .union(Accepts::MULTI_OUTPUT);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<PlsModel> {
        self.fit_data(&CountingMeasured::new(data), run)
    }
}

learns_from_moments!(PlsRegression, PlsModel, |this, moments, run| this
    .fit_moments(moments, run));
