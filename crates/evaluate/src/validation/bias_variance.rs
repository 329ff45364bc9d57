//! Why a prediction errs: noise, bias and variance.

use didact_core::abilities::check_rows;
use didact_core::{Data, Error, Learner, Measured, Result, Rows, Run, parallel};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::Serialize;

/// E(y − f̂)² = σ² + (E y − E f̂)² + E(f̂ − E f̂)²: noise, squared bias and variance, averaged over
/// the test points; the expectation of f̂ is over training sets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BiasVariance {
    /// Mean variance of the targets about their expectation.
    pub noise: f64,
    /// Mean squared distance of the mean prediction from the expected target: under-fitting.
    pub squared_bias: f64,
    /// Mean variance of the predictions over the training sets: over-fitting.
    pub variance: f64,
}

impl BiasVariance {
    /// Splits the error of predictions, one row per training set and one column per test point.
    ///
    /// `expected` is E y at each point and `noise` the variance of y about it. With real data
    /// E y is not known: give the observed targets and a noise of zero, and read `squared_bias` as
    /// noise plus bias.
    ///
    /// ```
    /// use didact_evaluate::BiasVariance;
    /// let predictions = ndarray::array![[1.0], [3.0]];
    /// let parts = BiasVariance::of(predictions.view(), &[0.0], 0.5)?;
    /// assert_eq!((parts.squared_bias, parts.variance, parts.total()), (4.0, 1.0, 5.5));
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn of(predictions: ArrayView2<'_, f64>, expected: &[f64], noise: f64) -> Result<Self> {
        if predictions.ncols() != expected.len() || predictions.is_empty() {
            return Err(Error::data(format!(
                "there are {} predictions per training set for {} points; give as many of each, and at least one",
                predictions.ncols(),
                expected.len()
            )));
        }
        let mean = predictions.sum_axis(Axis(0)) / predictions.nrows() as f64;
        let points = expected.len() as f64;
        let bias = mean
            .iter()
            .zip(expected)
            .map(|(mean, y)| (mean - y).powi(2))
            .sum::<f64>();
        let spread = (&predictions - &mean).mapv(|value| value * value).sum();
        Ok(BiasVariance {
            noise,
            squared_bias: bias / points,
            variance: spread / predictions.len() as f64,
        })
    }

    /// The expected squared error.
    pub fn total(&self) -> f64 {
        self.noise + self.squared_bias + self.variance
    }
}

/// Draws training sets, fits on each, and splits the error at the test rows.
///
/// `draw` makes training set number i: rows and one target each, from a generator or by a bootstrap.
pub fn bias_variance(
    learner: &dyn Learner,
    draw: &(dyn Fn(u64) -> Result<(Array2<f64>, Vec<f64>)> + Sync),
    n_sets: usize,
    test_rows: ArrayView2<'_, f64>,
    expected: &[f64],
    noise: f64,
    run: &Run,
) -> Result<BiasVariance> {
    if n_sets < 2 {
        return Err(Error::parameter("n_sets", n_sets, "it must be at least 2"));
    }
    let test_rows = test_rows.as_standard_layout();
    let quiet = run.quietly();
    let one = |&set: &u64| -> Result<Array1<f64>> {
        let (rows, targets) = draw(set)?;
        let model = learner.fit(Data::Measured(Measured::new(&rows, &targets)?), &quiet)?;
        let rows = Rows::Dense(test_rows.view());
        check_rows(model.as_ref(), rows)?;
        let regress = model.as_regress().ok_or_else(|| {
            Error::unsupported("bias and variance need a model that predicts numbers")
        })?;
        Ok(regress.regress(rows)?.column(0).to_owned())
    };
    let sets: Vec<u64> = (0..n_sets as u64).collect();
    let predicted = run.install(|| parallel::map(&sets, run, one))?;
    let mut table = Array2::zeros((n_sets, expected.len()));
    for (mut row, predicted) in table.rows_mut().into_iter().zip(&predicted) {
        if predicted.len() != row.len() {
            return Err(Error::data(format!(
                "there are {} test rows but {} expected targets",
                predicted.len(),
                row.len()
            )));
        }
        row.assign(predicted);
    }
    BiasVariance::of(table.view(), expected, noise)
}
