//! Logistic likelihood with any score function: curved boundaries, small networks.

use didact_core::{Accepts, Error, FitData, Labelled, Result, Run, Trace};
use didact_math::numeric::{log_sigmoid, sigmoid};
use didact_optimize::{Lbfgs, Minimise};

/// A score f(x; θ) that is positive where the second class is the more probable one.
pub trait ScoreFunction {
    /// Number of parameters θ.
    fn n_parameters(&self) -> usize;

    /// The score of a row, and its derivatives by the parameters.
    fn score(&self, row: &[f64], parameters: &[f64], gradient: &mut [f64]) -> f64;
}

/// P(second class | x) = σ(f(x; θ)) for a score function that the user supplies.
///
/// ```
/// use didact_core::{Labelled, Labels, Run};
/// use didact_linear::{GeneralLogistic, ScoreFunction};
/// /// A circle: r² − ‖x‖², with the parameter r².
/// struct Circle;
/// impl ScoreFunction for Circle {
///     fn n_parameters(&self) -> usize {
///         1
///     }
///     fn score(&self, row: &[f64], parameters: &[f64], gradient: &mut [f64]) -> f64 {
///         gradient[0] = 1.0;
///         parameters[0] - row.iter().map(|x| x * x).sum::<f64>()
///     }
/// }
/// let x = ndarray::array![[0.0], [0.5], [1.4], [2.0], [-0.7], [-1.5]];
/// let inside = Labels::from_indices(vec![1, 1, 0, 0, 1, 0]);
/// let learner = GeneralLogistic::new(Circle);
/// let found = learner.fit(&Labelled::new(&x, &inside)?, &[0.0], &Run::new())?;
/// assert!(found.parameters[0] > 0.5 && found.parameters[0] < 2.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GeneralLogistic<F> {
    function: F,
    price: f64,
}

/// The parameters of highest likelihood that were found.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneralLogisticFit {
    /// The parameters θ.
    pub parameters: Vec<f64>,
    /// Σ ln P(y | x, θ), without the price of the parameters.
    pub log_likelihood: f64,
    /// The largest derivative of the objective by a parameter.
    pub gradient_norm: f64,
    /// The objective after each iteration, and why the search ended.
    pub trace: Trace,
}

impl<F: ScoreFunction> GeneralLogistic<F> {
    /// Maximises the likelihood alone.
    pub fn new(function: F) -> Self {
        GeneralLogistic {
            function,
            price: 0.0,
        }
    }

    /// Charges price/2·‖θ‖², which keeps parameters finite where the classes can be separated.
    pub fn with_price(mut self, price: f64) -> Result<Self> {
        if !(price >= 0.0 && price.is_finite()) {
            let requirement = "it must be finite and not negative";
            return Err(Error::parameter("price", price, requirement));
        }
        self.price = price;
        Ok(self)
    }

    /// The probability of the second class.
    pub fn probability(&self, row: &[f64], parameters: &[f64]) -> f64 {
        let mut gradient = vec![0.0; self.function.n_parameters()];
        sigmoid(self.function.score(row, parameters, &mut gradient))
    }

    /// ln L = Σ y·ln σ(f) + (1 − y)·ln(1 − σ(f)), the likelihood of the labels given the rows,
    /// and its gradient Σ(y − σ(f))·∂f.
    pub fn log_likelihood(
        &self,
        data: &Labelled<'_>,
        parameters: &[f64],
    ) -> Result<(f64, Vec<f64>)> {
        self.check(data, parameters)?;
        let mut gradient = vec![0.0; parameters.len()];
        let value = self.evaluate(data, parameters, &mut gradient)?;
        Ok((value, gradient))
    }

    /// Searches the parameters of highest likelihood from a start.
    pub fn fit(&self, data: &Labelled<'_>, start: &[f64], run: &Run) -> Result<GeneralLogisticFit> {
        self.check(data, start)?;
        let mut objective = |parameters: &[f64], gradient: &mut [f64]| -> Result<f64> {
            run.check()?;
            let value = self.evaluate(data, parameters, gradient)?;
            let mut squares = 0.0;
            for (slope, theta) in gradient.iter_mut().zip(parameters) {
                *slope = -*slope + self.price * theta;
                squares += theta * theta;
            }
            Ok(-value + 0.5 * self.price * squares)
        };
        let outcome = Lbfgs::default().minimise(&mut objective, start, run)?;
        let mut gradient = vec![0.0; start.len()];
        Ok(GeneralLogisticFit {
            log_likelihood: self.evaluate(data, &outcome.x, &mut gradient)?,
            gradient_norm: outcome.gradient_norm,
            parameters: outcome.x,
            trace: outcome.trace,
        })
    }

    fn check(&self, data: &Labelled<'_>, parameters: &[f64]) -> Result<()> {
        data.check(Accepts::WEIGHTS)?;
        if data.classes.len() != 2 {
            return Err(Error::data(format!(
                "there are {} classes; give rows of exactly two",
                data.classes.len()
            )));
        }
        match parameters.len() == self.function.n_parameters() {
            true => Ok(()),
            false => Err(Error::parameter(
                "parameters",
                format!("of length {}", parameters.len()),
                format!("there must be {}", self.function.n_parameters()),
            )),
        }
    }

    fn evaluate(
        &self,
        data: &Labelled<'_>,
        parameters: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64> {
        gradient.fill(0.0);
        let mut own = vec![0.0; parameters.len()];
        let mut value = 0.0;
        let x = data.samples.dense()?;
        for (row, x) in x.rows().into_iter().enumerate() {
            let x = x.to_slice().expect("checked rows are contiguous");
            own.fill(0.0);
            let score = self.function.score(x, parameters, &mut own);
            let (label, count) = (data.labels[row] as f64, data.samples.weight(row));
            value += count * log_sigmoid(if data.labels[row] == 1 { score } else { -score });
            // y − σ(f), with the digits of both ends kept.
            let error = match data.labels[row] {
                1 => sigmoid(-score),
                _ => label - sigmoid(score),
            };
            for (total, slope) in gradient.iter_mut().zip(&own) {
                *total += count * error * slope;
            }
        }
        Ok(value)
    }
}
