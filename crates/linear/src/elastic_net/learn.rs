//! From parameters and data to a model.

use super::descent::{Search, Settings};
use super::design::Design;
use super::{ElasticNet, ElasticNetModel};
use crate::Reduction;
use crate::least_squares::{Intercept, Problem};
use crate::online::check_columns;
use crate::planes::Planes;
use crate::rows::CountingMeasured;
use didact_core::{Error, Measured, Result, Run, StopReason, TraceWriter};
use ndarray::{Array1, Array2, ArrayView1};

pub(super) const OBJECTIVE: &str = "penalised squared error";

/// Fails unless a fit to the data may start from the weights of the model.
fn check_start(start: &ElasticNetModel, data: &Measured<'_>) -> Result<()> {
    let (targets, columns) = start.planes.coef.dim();
    check_columns(columns, data.samples.rows().n_columns())?;
    match targets == data.targets.ncols() {
        true => Ok(()),
        false => Err(Error::data(format!(
            "the model to start from has {targets} targets and the data {}; fit without it",
            data.targets.ncols()
        ))),
    }
}

/// What is minimised.
pub(super) struct Objective<'a> {
    pub(super) net: &'a ElasticNet,
}

impl<'a> Objective<'a> {
    pub(super) fn new(net: &'a ElasticNet) -> Self {
        Objective { net }
    }

    /// Searches from the weights of `start`, or from zero.
    pub(super) fn fit(
        &self,
        start: Option<&ElasticNetModel>,
        data: Measured<'_>,
        run: &Run,
    ) -> Result<ElasticNetModel> {
        let net = self.net;
        if let Some(start) = start {
            check_start(start, &data)?;
        }
        if net.alpha * net.l1_ratio == 0.0 && !net.positive {
            return self.fit_closed_form(data, run);
        }
        let data = CountingMeasured::new(data);
        let design = Design::new(&data, net.fit_intercept, run)?;
        let settings = self.settings(net.alpha, design.weight)?;
        let targets = data.targets.ncols();
        let mut coef = Array2::zeros((targets, design.curvature.len()));
        let (mut gaps, mut residuals) = (Array1::zeros(targets), Array1::zeros(targets));
        let (mut n_iter, mut stop) = (0, StopReason::Converged);
        let mut trace = TraceWriter::new(run, OBJECTIVE, None);
        for target in 0..targets {
            let mut search = Search::new(&design, target, settings);
            if let Some(start) = start {
                search.start_at(start.planes.coef.row(target));
            }
            let ending = search.run(&mut trace, run)?;
            coef.row_mut(target)
                .assign(&ArrayView1::from(search.weights.as_slice()));
            gaps[target] = ending.gap * settings.shown;
            residuals[target] = ending.residual_squares;
            n_iter += ending.sweeps;
            if ending.stop != StopReason::Converged {
                stop = ending.stop;
            }
        }
        Ok(ElasticNetModel {
            planes: self.planes(coef, &design)?,
            dual_gap: Some(gaps),
            residual_sum_of_squares: residuals,
            total_sum_of_squares: design.total_squares,
            n_iter,
            trace: Some(trace.finish(stop)),
        })
    }

    /// The prices in the problem ½‖r‖² + λ₁‖w‖₁ + (λ₂/2)‖w‖².
    pub(super) fn settings(&self, alpha: f64, weight: f64) -> Result<Settings> {
        let net = self.net;
        let factor = match net.reduction {
            Reduction::Sum => 1.0,
            Reduction::Mean => weight,
        };
        let price = alpha * factor;
        if !price.is_finite() {
            return Err(Error::parameter(
                "alpha",
                alpha,
                "times the weight of the rows it overflows; it must be smaller",
            ));
        }
        Ok(Settings {
            l1: price * net.l1_ratio,
            l2: price * (1.0 - net.l1_ratio),
            positive: net.positive,
            max_iter: net.max_iter,
            tol: net.tol,
            shown: factor.recip(),
        })
    }

    pub(super) fn planes(&self, coef: Array2<f64>, design: &Design) -> Result<Planes> {
        let intercept = match self.net.fit_intercept {
            true => &design.mean_y - &coef.dot(&design.mean_x),
            false => Array1::zeros(coef.nrows()),
        };
        Planes::new(coef, intercept)
    }

    /// Without a price on absolute weights the minimum is that of ridge or of least squares.
    fn fit_closed_form(&self, data: Measured<'_>, run: &Run) -> Result<ElasticNetModel> {
        let problem = Problem {
            alpha: self.net.alpha * (1.0 - self.net.l1_ratio),
            mean: self.net.reduction == Reduction::Mean,
            inference: false,
            intercept: match self.net.fit_intercept {
                true => Intercept::Free,
                false => Intercept::Absent,
            },
        };
        let model = problem.fit(data, run)?;
        Ok(ElasticNetModel {
            planes: Planes::new(model.coef, model.intercept)?,
            dual_gap: None,
            residual_sum_of_squares: model.residual_sum_of_squares,
            total_sum_of_squares: model.total_sum_of_squares,
            n_iter: 0,
            trace: None,
        })
    }
}
