//! Passes over paired rows.

use super::{CcaNetwork, NonlinearCcaNetwork};
use didact_core::random::generator;
use didact_core::{Error, Result, Run, StopReason, Trace, TraceWriter};
use didact_math::distance::pearson_correlation;
use ndarray::{ArrayView2, Axis};
use rand::RngExt;
use rand::seq::SliceRandom;

/// Trains networks that find what two views have in common, on paired rows.
///
/// Columns are centred and scaled to variance one within the training; the networks take such
/// columns.
///
/// ```
/// use didact_core::Run;
/// use didact_neural_classic::CcaTraining;
/// let iris = didact_datasets::iris();
/// let (sepals, petals) = iris.features().split_at(ndarray::Axis(1), 2);
/// let (_, trace) = CcaTraining::default().linear(sepals, petals, &Run::new())?;
/// // The first canonical correlation of sepals and petals is 0.941.
/// assert!((trace.objectives.last().unwrap() - 0.941).abs() < 0.002);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CcaTraining {
    /// The rate η of the weights at the first pass; it falls linearly to nothing.
    pub eta: f64,
    /// The rate η₀ of the multipliers at the first pass; it falls with the other.
    pub eta0: f64,
    /// Passes over the rows.
    pub epochs: usize,
    /// Seed of the first weights and of the order of rows.
    pub random_state: u64,
}

impl Default for CcaTraining {
    fn default() -> Self {
        CcaTraining {
            eta: 0.01,
            eta0: 0.01,
            epochs: 100,
            random_state: 0,
        }
    }
}

impl CcaTraining {
    /// Trains the linear network; gives the correlation of its outputs after every pass.
    pub fn linear(
        &self,
        first: ArrayView2<'_, f64>,
        second: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<(CcaNetwork, Trace)> {
        let mut network = CcaNetwork::new(
            self.first_weights(first.ncols(), 1),
            self.first_weights(second.ncols(), 2),
        )?;
        let trace = self.train(first, second, run, |x1, x2, rates| match rates {
            Some((eta, eta0)) => network.learn(x1, x2, eta, eta0),
            None => network.outputs(x1, x2),
        })?;
        Ok((network, trace))
    }

    /// Trains the non-linear network from gains of one half; gives the correlation of its outputs
    /// after every pass.
    pub fn nonlinear(
        &self,
        first: ArrayView2<'_, f64>,
        second: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<(NonlinearCcaNetwork, Trace)> {
        let weights = [
            self.first_weights(first.ncols(), 1),
            self.first_weights(second.ncols(), 2),
        ];
        let gains = [vec![0.5; first.ncols()], vec![0.5; second.ncols()]];
        let mut network = NonlinearCcaNetwork::new(weights, gains)?;
        let trace = self.train(first, second, run, |x1, x2, rates| match rates {
            Some((eta, eta0)) => network.learn(x1, x2, eta, eta0),
            None => network.outputs(x1, x2),
        })?;
        Ok((network, trace))
    }

    /// Small random weights.
    fn first_weights(&self, count: usize, stream: u64) -> Vec<f64> {
        let mut generator = generator(self.random_state, stream);
        (0..count)
            .map(|_| 0.2 * generator.random::<f64>() - 0.1)
            .collect()
    }

    /// Shows the paired rows in random order, with rates, and after every pass all of them
    /// without.
    fn train(
        &self,
        first: ArrayView2<'_, f64>,
        second: ArrayView2<'_, f64>,
        run: &Run,
        mut show: impl FnMut(&[f64], &[f64], Option<(f64, f64)>) -> Result<(f64, f64)>,
    ) -> Result<Trace> {
        if first.nrows() != second.nrows() {
            return Err(Error::data(format!(
                "the first view has {} rows and the second {}; give both views of every thing",
                first.nrows(),
                second.nrows()
            )));
        }
        let views = [standardised(first)?, standardised(second)?];
        let rows: Vec<(&[f64], &[f64])> = views[0]
            .iter()
            .zip(&views[1])
            .map(|(a, b)| (a.as_slice(), b.as_slice()))
            .collect();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let mut trace = TraceWriter::new(run, "correlation", Some(self.epochs));
        for epoch in 0..self.epochs {
            let share = 1.0 - epoch as f64 / self.epochs as f64;
            order.shuffle(&mut generator(self.random_state, 3 + epoch as u64));
            for (place, &row) in order.iter().enumerate() {
                if place % 1024 == 0 {
                    run.check()?;
                }
                let (x1, x2) = rows[row];
                show(x1, x2, Some((share * self.eta, share * self.eta0)))?;
            }
            let mut outputs = (Vec::new(), Vec::new());
            for (x1, x2) in &rows {
                let (y1, y2) = show(x1, x2, None)?;
                outputs.0.push(y1);
                outputs.1.push(y2);
            }
            let correlation = pearson_correlation(&outputs.0, &outputs.1)?;
            trace.record(correlation.coefficient)?;
        }
        Ok(trace.finish(StopReason::Converged))
    }
}

/// The columns centred and scaled to variance one, as rows; constant columns become zeros.
fn standardised(view: ArrayView2<'_, f64>) -> Result<Vec<Vec<f64>>> {
    if view.is_empty() || view.iter().any(|value| !value.is_finite()) {
        return Err(Error::data(
            "a view has no rows or columns, or a value is not finite; give paired rows of numbers",
        ));
    }
    let mean = view.mean_axis(Axis(0)).expect("there is a row");
    let deviation = view.std_axis(Axis(0), 0.0);
    if deviation.iter().any(|value| !value.is_finite()) {
        return Err(Error::numerical(
            "the values of a column are too large for their variance; scale the columns down",
        ));
    }
    Ok(view
        .rows()
        .into_iter()
        .map(|row| {
            let scaled = row.iter().zip(&mean).zip(&deviation);
            scaled
                .map(|((value, mean), deviation)| match *deviation > 0.0 {
                    true => (value - mean) / deviation,
                    false => 0.0,
                })
                .collect()
        })
        .collect())
}
