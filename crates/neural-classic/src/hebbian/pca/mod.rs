//! Principal axes by Hebbian learning.

mod axes;
mod model;

pub use axes::{HebbianAxes, HebbianPcaRule};
pub use model::HebbianPcaModel;

use crate::scale::{in_unit, unit_of};
use didact_core::random::generator;
use didact_core::{Error, Fit, Result, Rows, Run, Samples, StopReason, Trace, TraceWriter};
use didact_math::linalg::{Moments, fix_signs, orthonormal_basis};
use ndarray::{Array2, ArrayView2};
use rand::seq::SliceRandom;
use rand_distr::{Distribution, StandardNormal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Finds the axes along which the rows vary most by Hebbian learning, as networks do.
///
/// Linear units y = W·(x − μ) learn by Oja's rule: a unit grows by α·y·x and forgets α·y²·w, which
/// brings its weights to length one and to the first principal axis. Several units share the work:
/// by Sanger's rule each sees what those before it have left,
/// ΔW = α·(y·xᵀ − tril(y·yᵀ)·W), and the units become the axes in order; by the subspace rule
/// ΔW = α·(y·xᵀ − y·yᵀ·W) all see the same, and they span the axes together.
///
/// The averaged rule uses the covariance C instead of single rows, W·C for y·xᵀ, and converges to
/// the axes of principal component analysis; row by row it comes as near as the rate allows, and
/// needs only one row at a time ([`HebbianAxes`]).
///
/// ```
/// use didact_core::Fit;
/// use didact_neural_classic::HebbianPca;
/// let iris = didact_datasets::iris();
/// let model = HebbianPca::default().fit(iris.samples())?;
/// // The first axis of the four columns, as principal component analysis has it.
/// assert!((model.components()[[0, 2]] - 0.856_670_61).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "HebbianPCA")]
pub struct HebbianPca {
    /// Number of units; null is two, or one where there is only one column.
    #[schemars(range(min = 1))]
    pub n_components: Option<usize>,
    /// How several units share the work.
    pub rule: HebbianPcaRule,
    /// Whether the averaged rule is used or one row at a time.
    pub training: HebbianTraining,
    /// The rate α as a share of what the largest variance, or the longest row, allows.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub learning_rate: f64,
    /// Passes over the rows when they are learned one at a time; the rate falls as 1/(1 + passes).
    #[schemars(range(min = 1))]
    pub epochs: usize,
    /// Most steps of the averaged rule, or passes over the rows.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The averaged rule stops when the weights change at most this much per unit of rate and
    /// variance.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Seed of the first weights and of the order of rows.
    pub random_state: u64,
}

/// Whether Hebbian learning uses averages or single rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HebbianTraining {
    /// The mean change over all rows.
    #[default]
    Averaged,
    /// One row at a time, in random order.
    Online,
}

impl Default for HebbianPca {
    fn default() -> Self {
        HebbianPca {
            n_components: None,
            rule: HebbianPcaRule::Sanger,
            training: HebbianTraining::Averaged,
            learning_rate: 0.75,
            epochs: 30,
            max_iter: 2000,
            tol: 1e-8,
            random_state: 0,
        }
    }
}

impl Fit<Samples<'_>> for HebbianPca {
    type Model = HebbianPcaModel;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<HebbianPcaModel> {
        let d = data.n_columns();
        let count = self.n_components.unwrap_or(d.min(2));
        if count > d {
            return Err(Error::parameter(
                "n_components",
                count,
                format!("there are only {d} columns; ask for at most {d}"),
            ));
        }
        let unit = unit_of(data.dense()?);
        let rows = in_unit(data.dense()?, unit);
        let moments = Moments::summarise(Rows::Dense(rows.view()), None, run)?;
        let covariance = moments.scatter / moments.weight;
        let mut axes = HebbianAxes::new(self.first_weights(count, d)?, self.rule)?;
        let trace = match self.training {
            HebbianTraining::Averaged => self.averaged(&mut axes, &covariance, run)?,
            HebbianTraining::Online => {
                let centred = &rows - &moments.mean;
                self.row_by_row(&mut axes, centred.view(), &covariance, run)?
            }
        };
        let mut components = axes.into_weights();
        fix_signs(components.view_mut(), None);
        HebbianPcaModel::new(components, &moments.mean * unit, &covariance, unit, trace)
    }
}

impl HebbianPca {
    /// Random orthonormal weights: units that start alike would stay alike.
    fn first_weights(&self, count: usize, d: usize) -> Result<Array2<f64>> {
        let mut generator = generator(self.random_state, 0);
        let random = Array2::from_shape_fn((d, count), |_| StandardNormal.sample(&mut generator));
        let basis = orthonormal_basis(random.view())?;
        Ok(basis.t().as_standard_layout().into_owned())
    }

    /// The mean change over all rows until the weights are at rest.
    fn averaged(
        &self,
        axes: &mut HebbianAxes,
        covariance: &Array2<f64>,
        run: &Run,
    ) -> Result<Trace> {
        // At least the largest eigenvalue: with this rate no unit overshoots its length.
        let size = covariance
            .iter()
            .map(|value| value * value)
            .sum::<f64>()
            .sqrt();
        let mut trace = TraceWriter::new(run, "captured variance", Some(self.max_iter));
        if size == 0.0 {
            return Ok(trace.finish(StopReason::Converged));
        }
        let relative = covariance / size;
        let total = relative.diag().sum();
        for _ in 0..self.max_iter {
            let (change, captured) = axes.mean_change(relative.view());
            let rest = change.iter().map(|value| value * value).sum::<f64>().sqrt();
            trace.record(captured / total)?;
            if rest <= self.tol {
                return Ok(trace.finish(StopReason::Converged));
            }
            axes.add(&change, self.learning_rate)?;
        }
        Ok(trace.finish(StopReason::IterationLimit))
    }

    /// One row at a time, with a rate that falls from pass to pass.
    fn row_by_row(
        &self,
        axes: &mut HebbianAxes,
        centred: ArrayView2<'_, f64>,
        covariance: &Array2<f64>,
        run: &Run,
    ) -> Result<Trace> {
        let limit = self.epochs.min(self.max_iter);
        let mut trace = TraceWriter::new(run, "captured variance", Some(limit));
        let longest = didact_math::distance::squared_norms(Rows::Dense(centred))
            .iter()
            .fold(0.0_f64, |a, &b| a.max(b));
        let total = covariance.diag().sum();
        if longest == 0.0 || total == 0.0 {
            return Ok(trace.finish(StopReason::Converged));
        }
        let breath = ((1 << 18) / axes.weights().len()).max(1);
        let mut order: Vec<usize> = (0..centred.nrows()).collect();
        for epoch in 0..limit {
            order.shuffle(&mut generator(self.random_state, 1 + epoch as u64));
            for (place, &row) in order.iter().enumerate() {
                if place % breath == 0 {
                    run.check()?;
                }
                let passed = epoch as f64 + place as f64 / centred.nrows() as f64;
                let rate = self.learning_rate / (longest * (1.0 + passed));
                let row = centred.row(row);
                axes.learn(row.as_slice().expect("rows are contiguous"), rate)?;
            }
            trace.record(axes.mean_change(covariance.view()).1 / total)?;
        }
        Ok(trace.finish(match limit < self.epochs {
            true => StopReason::IterationLimit,
            false => StopReason::Converged,
        }))
    }
}
