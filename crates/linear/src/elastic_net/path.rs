//! The weights of lasso or elastic net for many prices.

use super::ElasticNet;
use super::descent::Search;
use super::design::Design;
use super::learn::{OBJECTIVE, Objective};
use crate::rows::CountingMeasured;
use didact_core::{Accepts, Error, FitData, Measured, Result, Run, TraceWriter, parameters};
use ndarray::{Array1, Array2, ArrayView1};

/// The weights of lasso or elastic net for falling prices.
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticNetPath {
    /// The prices α, the largest first.
    pub alphas: Array1<f64>,
    /// The weights, a row for each price.
    pub coefs: Array2<f64>,
    /// The intercept for each price.
    pub intercepts: Array1<f64>,
    /// By how much the objective exceeds its minimum at most, for each price.
    pub dual_gaps: Array1<f64>,
    /// The sum of squared residuals for each price, without the price.
    pub residual_sums_of_squares: Array1<f64>,
    /// The number of sweeps over the weights, of all prices together.
    pub n_iter: usize,
}

/// Follows the weights of `net` from the price at which all are zero down to `eps` times that
/// price, in `n_alphas` equal ratios; every problem starts from the weights of the one before.
///
/// The parameter `alpha` of `net` is not used. Prices of one's own are given by
/// [`ElasticNetPath::at`].
///
/// ```
/// use didact_core::Run;
/// use didact_linear::{ElasticNet, elastic_net_path};
/// let diabetes = didact_datasets::diabetes();
/// let lasso = ElasticNet { l1_ratio: 1.0, ..ElasticNet::default() };
/// let path = elastic_net_path(&lasso, diabetes.measured()?, 100, 1e-3, &Run::new())?;
/// assert!(path.coefs.row(0).iter().all(|&w| w == 0.0));
/// assert!(path.coefs.row(99).iter().all(|&w| w != 0.0));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn elastic_net_path(
    net: &ElasticNet,
    data: Measured<'_>,
    n_alphas: usize,
    eps: f64,
    run: &Run,
) -> Result<ElasticNetPath> {
    if n_alphas == 0 {
        return Err(Error::parameter("n_alphas", 0, "it must be at least 1"));
    }
    if !(eps > 0.0 && eps < 1.0) {
        return Err(Error::parameter("eps", eps, "it must be between 0 and 1"));
    }
    let (objective, data) = (Objective::new(net), checked(net, data)?);
    run.install(|| {
        let design = Design::new(&data, net.fit_intercept, run)?;
        let largest = objective.largest_price(&design, run)?;
        let ratio = |step: usize| step as f64 / (n_alphas.max(2) - 1) as f64;
        let alphas: Array1<f64> = (0..n_alphas)
            .map(|step| largest * eps.powf(ratio(step)))
            .collect();
        objective.follow(&design, alphas, run)
    })
}

impl ElasticNetPath {
    /// The weights of `net` at the given prices, which are sorted to fall.
    pub fn at(net: &ElasticNet, data: Measured<'_>, alphas: &[f64], run: &Run) -> Result<Self> {
        let mut alphas = alphas.to_vec();
        if let Some(bad) = alphas
            .iter()
            .find(|alpha| !(**alpha > 0.0 && alpha.is_finite()))
        {
            let requirement = "every price must be positive and finite";
            return Err(Error::parameter("alphas", bad, requirement));
        }
        alphas.sort_by(|a, b| b.total_cmp(a));
        let (objective, data) = (Objective::new(net), checked(net, data)?);
        run.install(|| {
            let design = Design::new(&data, net.fit_intercept, run)?;
            objective.follow(&design, Array1::from(alphas), run)
        })
    }
}

fn checked<'a>(net: &ElasticNet, data: Measured<'a>) -> Result<CountingMeasured<'a>> {
    parameters::check(net)?;
    data.check(Accepts::SPARSE.union(Accepts::WEIGHTS))?;
    match net.l1_ratio > 0.0 {
        true => Ok(CountingMeasured::new(data)),
        false => Err(Error::parameter(
            "l1_ratio",
            net.l1_ratio,
            "it must be above 0: without a price on absolute weights no price makes all zero",
        )),
    }
}

impl Objective<'_> {
    /// The smallest α at which all weights are zero: max |xⱼᵀy| in the units of α.
    fn largest_price(&self, design: &Design, run: &Run) -> Result<f64> {
        let zero = vec![0.0; design.curvature.len()];
        let slopes = design.start(0).slopes(&zero, run)?;
        let strength = |slope: &f64| match self.net.positive {
            true => *slope,
            false => slope.abs(),
        };
        let strongest = slopes.iter().map(strength).fold(0.0, f64::max);
        let settings = self.settings(1.0, design.weight)?;
        match strongest > 0.0 {
            true => Ok(strongest / settings.l1),
            false => Err(Error::data(
                "no column goes along with the target, so all weights are zero at every price; \
                 give a target that varies with some column",
            )),
        }
    }

    fn follow(&self, design: &Design, alphas: Array1<f64>, run: &Run) -> Result<ElasticNetPath> {
        let mut coefs = Array2::zeros((alphas.len(), design.curvature.len()));
        let mut gaps = Array1::zeros(alphas.len());
        let mut residuals = Array1::zeros(alphas.len());
        let mut n_iter = 0;
        let first = self.settings(alphas.first().copied().unwrap_or(1.0), design.weight)?;
        let mut search = Search::new(design, 0, first);
        let mut trace = TraceWriter::new(run, OBJECTIVE, None);
        for (place, &alpha) in alphas.iter().enumerate() {
            let settings = self.settings(alpha, design.weight)?;
            search.reprice(settings);
            let ending = search.run(&mut trace, run)?;
            coefs
                .row_mut(place)
                .assign(&ArrayView1::from(search.weights.as_slice()));
            gaps[place] = ending.gap * settings.shown;
            residuals[place] = ending.residual_squares;
            n_iter += ending.sweeps;
        }
        let means = &coefs.dot(&design.mean_x);
        let intercepts = match self.net.fit_intercept {
            true => means.mapv(|mean| design.mean_y[0] - mean),
            false => Array1::zeros(alphas.len()),
        };
        Ok(ElasticNetPath {
            alphas,
            coefs,
            intercepts,
            dual_gaps: gaps,
            residual_sums_of_squares: residuals,
            n_iter,
        })
    }
}
