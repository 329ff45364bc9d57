//! Canonical correlation: directions in which two views of the same things go together.

mod model;
mod multi_set;
mod side;

pub use model::CcaModel;
pub use multi_set::{MultiSetCca, MultiSetMethod, MultiSetModel};

use didact_core::{
    Accepts, Error, Fit, LearnInPieces, Measured, Next, Result, Run, ensure_belongs,
};
use didact_math::linalg::{CrossMoments, Svd, fix_signs, matmul, thin_svd_within};
use ndarray::{Axis, s};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use side::Pair;

/// Finds pairs of weighted sums, one of columns and one of targets, that correlate most.
///
/// Each pair w, v makes the correlation ρ of the variates w·x and v·y as large as can be among
/// those uncorrelated with the pairs before. With C the covariances, the pairs come from the
/// singular vectors of C_xx^(−½)·C_xy·C_yy^(−½), whose singular values are the ρ, and are scaled
/// to variates of variance one, wᵀC_xxw = 1. Any invertible affine map of a view leaves the
/// correlations as they are. The targets are predicted from the variates of the columns by least
/// squares.
///
/// ```
/// use didact_core::{Fit, Measured};
/// use didact_projection::Cca;
/// use ndarray::array;
/// let x = array![[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
/// let y = array![[3.0], [1.0], [-1.0], [1.0]];
/// let model = Cca::default().fit(Measured::many(&x, y.view())?)?;
/// assert!((model.correlations()[0] - 1.0).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "CanonicalCorrelation")]
pub struct Cca {
    /// How many pairs to find at most; fewer where a view has fewer independent columns.
    #[schemars(range(min = 1))]
    pub n_components: usize,
    /// Whether columns and targets are divided by their standard deviations first, which
    /// matters only beside a ridge.
    pub scale: bool,
    /// The ridge that is added to every variance; with fewer rows than columns the correlations
    /// are all one without it.
    #[schemars(range(min = 0))]
    pub regularization: f64,
}

impl Default for Cca {
    fn default() -> Self {
        Cca {
            n_components: 2,
            scale: true,
            regularization: 0.0,
        }
    }
}

impl Cca {
    fn model(&self, pair: Pair, run: &Run) -> Result<CcaModel> {
        let Pair { x, y, cross } = pair;
        let (roots_x, roots_y) = (x.roots(self.regularization), y.roots(self.regularization));
        let whitened = &cross * &roots_x.view().insert_axis(Axis(1)) * &roots_y;
        let Svd {
            u,
            singular_values,
            vt,
        } = thin_svd_within(whitened.view(), run)?;
        let count = self.n_components.min(singular_values.len());
        let mut x_weights = x.weights(u.t().slice(s![..count, ..]), &roots_x);
        let mut y_weights = y.weights(vt.slice(s![..count, ..]), &roots_y);
        fix_signs(
            x_weights.view_mut(),
            Some(y_weights.view_mut().reversed_axes()),
        );
        // W_xᵀ·C_xy: what a unit of each variate says about the targets.
        let along = x.along(&x_weights);
        let says = matmul(matmul(along.view(), cross.view()).view(), y.back().view());
        let coef = matmul(says.t(), x_weights.view());
        let intercept = &y.mean - &coef.dot(&x.mean);
        let numbers = coef
            .iter()
            .chain(&intercept)
            .chain(&x_weights)
            .chain(&y_weights);
        if !numbers.into_iter().all(|number| number.is_finite()) {
            return Err(Error::numerical(
                "the weights of some columns overflow; multiply columns and targets by powers of \
                 ten so that their values are near one",
            ));
        }
        Ok(CcaModel {
            correlations: singular_values.slice(s![..count]).mapv(|rho| rho.min(1.0)),
            x_loadings: x.covariance_with(&x_weights),
            y_loadings: y.covariance_with(&y_weights),
            constraint: x.inverse_covariance(self.regularization),
            x_mean: x.mean,
            y_mean: y.mean,
            x_weights,
            y_weights,
            coef,
            intercept,
        })
    }
}

impl Fit<Measured<'_>> for Cca {
    type Model = CcaModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS.union(Accepts::MULTI_OUTPUT);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<CcaModel> {
        let rows = data.samples.rows();
        if rows.n_rows() < 2 {
            return Err(Error::data(
                "there is only one sample, a single row; \
                 canonical correlation needs at least two different rows",
            ));
        }
        let columns = rows.n_columns().max(data.n_targets());
        let pair = match columns <= rows.n_rows() {
            true => {
                let weights = data.samples.weights();
                let moments = CrossMoments::summarise(rows, data.targets, weights, run)?;
                Pair::of_moments(&moments, self.scale)?
            }
            // With more columns than rows the rows themselves are the smaller matrix.
            false => Pair::of_rows(&data, self.scale, run)?,
        };
        self.model(pair, run)
    }
}

impl LearnInPieces<Measured<'_>> for Cca {
    type State = ();
    type Summary = CrossMoments;

    fn start(&self) -> Result<()> {
        Ok(())
    }

    fn summarise(&self, _: &(), chunk: Measured<'_>, _: usize, run: &Run) -> Result<CrossMoments> {
        let weights = chunk.samples.weights();
        CrossMoments::summarise(chunk.samples.rows(), chunk.targets, weights, run)
    }

    fn check_summary(&self, _: &(), summary: &CrossMoments) -> Result<()> {
        ensure_belongs(summary.is_consistent())
    }

    fn merge(&self, left: CrossMoments, right: CrossMoments) -> Result<CrossMoments> {
        ensure_belongs(
            left.mean_x().len() == right.mean_x().len()
                && left.mean_y().len() == right.mean_y().len(),
        )?;
        Ok(left.merge(right))
    }

    fn step(&self, _: (), summary: CrossMoments, run: &Run) -> Result<Next<(), CcaModel>> {
        let pair = Pair::of_moments(&summary, self.scale)?;
        self.model(pair, run).map(Next::Done)
    }
}
