//! Expectation, variance and covariance of samples and weighted values; change of variable.

use crate::{Cumulative, Density, Draw, Tail, check};
use didact_core::random::Generator;
use didact_core::{Error, Result};
use didact_math::numeric::compensated_sum;

/// E f(x) = Σ f(x)·p(x) over values with probabilities; what never happens does not count.
///
/// ```
/// use didact_probability::expectation::expectation;
/// let die = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let mean = expectation(&die, &[1.0 / 6.0; 6], |x| x)?;
/// assert!((mean - 3.5).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn expectation(values: &[f64], probabilities: &[f64], f: impl Fn(f64) -> f64) -> Result<f64> {
    check::probabilities("probabilities", probabilities)?;
    check::same_dimension("values", values.len(), probabilities.len())?;
    let pairs = values.iter().zip(probabilities).filter(|(_, p)| **p > 0.0);
    let total = compensated_sum(pairs.map(|(&x, p)| p * f(x)));
    match total.is_nan() {
        true => Err(Error::data("the function is not a number at some value")),
        false => Ok(total),
    }
}

/// Mean and variance of values with probabilities; the variance is taken about the mean,
/// because E x² − (E x)² cancels.
pub fn moments(values: &[f64], probabilities: &[f64]) -> Result<(f64, f64)> {
    let mean = expectation(values, probabilities, |x| x)?;
    let variance = expectation(values, probabilities, |x| (x - mean) * (x - mean))?;
    Ok((mean, variance))
}

/// The mean of a sample.
pub fn sample_mean(values: &[f64]) -> Result<f64> {
    check_sample(values)?;
    let origin = values[0];
    let shifted = compensated_sum(values.iter().map(|x| x - origin));
    Ok(origin + shifted / values.len() as f64)
}

/// Σ(x−x̄)²/(n−ddof): divided by n for `ddof` 0, by n − 1 for `ddof` 1.
///
/// ```
/// use didact_probability::expectation::sample_variance;
/// assert_eq!(sample_variance(&[1.0, 3.0], 0.0)?, 1.0);
/// assert_eq!(sample_variance(&[1.0, 3.0], 1.0)?, 2.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn sample_variance(values: &[f64], ddof: f64) -> Result<f64> {
    sample_covariance(values, values, ddof)
}

/// Σ(x−x̄)(y−ȳ)/(n−ddof), centred before multiplying.
pub fn sample_covariance(x: &[f64], y: &[f64], ddof: f64) -> Result<f64> {
    check::same_dimension("y", y.len(), x.len())?;
    let (mean_x, mean_y) = (sample_mean(x)?, sample_mean(y)?);
    let divisor = x.len() as f64 - ddof;
    if divisor <= 0.0 || ddof.is_nan() {
        return Err(Error::parameter(
            "ddof",
            ddof,
            format!("it must be less than the number of values, {}", x.len()),
        ));
    }
    let products = x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y));
    Ok(compensated_sum(products) / divisor)
}

fn check_sample(values: &[f64]) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        _ if values.is_empty() => Err(Error::data("there are no values to average")),
        Some(index) => Err(Error::data(format!(
            "value {index} is {}; values must be finite",
            values[index]
        ))),
        None => Ok(()),
    }
}

/// The law of Y = g(X) for a rising or falling g:
/// p_Y(y) = |dg⁻¹(y)/dy|·p_X(g⁻¹(y)).
///
/// ```
/// use didact_probability::expectation::Transformed;
/// use didact_probability::{Density, laws::{LogNormal, Normal}};
/// let normal = Normal::with_deviation(0.0, 1.0)?;
/// let law = Transformed::new(normal, f64::exp, f64::ln, |y: f64| 1.0 / y)?;
/// let known = LogNormal::new(0.0, 1.0)?;
/// assert!((law.log_density(2.5) - known.log_density(2.5)).abs() < 1e-14);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Transformed<L, G, H, D> {
    law: L,
    forward: G,
    inverse: H,
    slope: D,
    rising: bool,
}

impl<L, G, H, D> Transformed<L, G, H, D>
where
    L: Cumulative<f64>,
    G: Fn(f64) -> f64,
    H: Fn(f64) -> f64,
    D: Fn(f64) -> f64,
{
    /// The law of g(X), from g, its inverse and the derivative of the inverse.
    ///
    /// Whether g rises or falls is read off the quartiles of X.
    pub fn new(law: L, forward: G, inverse: H, slope: D) -> Result<Self> {
        let (low, high) = (law.quantile(0.25)?, law.quantile(0.75)?);
        let (at_low, at_high) = (forward(low), forward(high));
        if at_low == at_high || at_low.is_nan() || at_high.is_nan() {
            return Err(Error::parameter(
                "forward",
                format!("{at_low} at {low} and {at_high} at {high}"),
                "it must rise or fall",
            ));
        }
        for (y, x) in [(at_low, low), (at_high, high)] {
            let back = inverse(y);
            if (back - x).abs() > 1e-6 * (1.0 + x.abs()) || back.is_nan() {
                return Err(Error::parameter(
                    "inverse",
                    format!("{back} at {y}"),
                    format!("it must undo the map and give {x}"),
                ));
            }
        }
        Ok(Transformed {
            law,
            forward,
            inverse,
            slope,
            rising: at_high > at_low,
        })
    }
}

impl<L, G, H, D> Density<f64> for Transformed<L, G, H, D>
where
    L: Density<f64>,
    H: Fn(f64) -> f64,
    D: Fn(f64) -> f64,
{
    fn log_density(&self, y: f64) -> f64 {
        // The absolute value matters where the map falls.
        let log_slope = (self.slope)(y).abs().ln();
        let x = (self.inverse)(y);
        match x.is_nan() && !y.is_nan() {
            // No x leads there.
            true => f64::NEG_INFINITY,
            false => self.law.log_density(x) + log_slope,
        }
    }
}

impl<L, G, H, D> Cumulative<f64> for Transformed<L, G, H, D>
where
    L: Cumulative<f64>,
    G: Fn(f64) -> f64,
    H: Fn(f64) -> f64,
{
    fn log_tails(&self, y: f64) -> (f64, f64) {
        let (below, above) = self.law.log_tails((self.inverse)(y));
        if self.rising {
            (below, above)
        } else {
            (above, below)
        }
    }

    fn at_tail(&self, tail: Tail) -> f64 {
        let tail = if self.rising { tail } else { tail.flip() };
        (self.forward)(self.law.at_tail(tail))
    }
}

impl<L, G, H, D> Draw<f64> for Transformed<L, G, H, D>
where
    L: Draw<f64>,
    G: Fn(f64) -> f64,
{
    fn draw(&self, generator: &mut Generator) -> f64 {
        (self.forward)(self.law.draw(generator))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Exponential, LogNormal, Normal, Uniform};
    use crate::quadrature::integrate;
    use crate::testing::{assert_relative, check_continuous, kolmogorov_smirnov};
    use proptest::prelude::*;

    // 003:P14, 002b:ST-03: numpy.cov(x, y, bias=True)[0, 1] and numpy.cov(x, y)[0, 1].
    #[test]
    fn covariance_states_its_divisor_and_survives_an_offset() {
        let (x, y) = ([1.0, 2.0, 4.0, 3.5], [2.0, 1.0, 5.5, 4.1]);
        for offset in [0.0, 1e8] {
            let far = x.map(|x| x + offset);
            assert!((sample_covariance(&far, &y, 0.0).unwrap() - 1.8187499999999999).abs() < 1e-7);
            assert!((sample_covariance(&far, &y, 1.0).unwrap() - 2.425).abs() < 1e-7);
        }
        assert_relative(
            sample_covariance(&x, &y, 0.0).unwrap(),
            1.8187499999999999,
            1e-14,
        );
        assert_eq!(
            sample_covariance(&x, &x, 0.0).unwrap(),
            sample_variance(&x, 0.0).unwrap()
        );
        // The one-pass form E xy − E x·E y loses all digits at an offset of 10⁸.
        let far = x.map(|x| x + 1e8);
        let naive =
            far.iter().map(|x| x * x).sum::<f64>() / 4.0 - (far.iter().sum::<f64>() / 4.0).powi(2);
        assert!((naive - sample_variance(&x, 0.0).unwrap()).abs() > 0.1);
        assert!(sample_variance(&[1.0], 1.0).is_err());
        assert!(sample_variance(&[], 0.0).is_err());
        assert!(sample_variance(&[f64::NAN], 0.0).is_err());
    }

    // 003:P14, 000b:P08
    #[test]
    fn moments_of_a_table_are_weighted_sums() {
        let (mean, variance) = moments(&[0.0, 10.0], &[0.9, 0.1]).unwrap();
        assert_relative(mean, 1.0, 1e-15);
        assert_relative(variance, 9.0, 1e-15);
        let with_impossible = expectation(&[1.0, f64::INFINITY], &[1.0, 0.0], |x| x).unwrap();
        assert_eq!(with_impossible, 1.0);
        assert!(expectation(&[1.0], &[0.5, 0.5], |x| x).is_err());
        assert!(expectation(&[1.0], &[1.0], |_| f64::NAN).is_err());
    }

    // 003:P16
    #[test]
    fn the_exponential_of_a_normal_variable_is_log_normal() {
        let normal = Normal::with_deviation(0.3, 0.7).unwrap();
        let law = Transformed::new(normal, f64::exp, f64::ln, |y: f64| 1.0 / y).unwrap();
        let known = LogNormal::new(0.3, 0.7).unwrap();
        for y in [0.2, 1.0, 6.0] {
            assert_relative(law.log_density(y), known.log_density(y), 1e-13);
            assert_relative(law.log_survival(y), known.log_survival(y), 1e-13);
        }
        assert_eq!(law.density(-1.0), 0.0);
        check_continuous(&law, (0.0, f64::INFINITY));
    }

    // 003:P16: −ln U/λ falls; without the absolute value its density would be negative.
    #[test]
    fn a_falling_map_of_a_uniform_variable_is_exponential() {
        let rate = 1.7;
        let uniform = Uniform::new(0.0, 1.0).unwrap();
        let law = Transformed::new(
            uniform,
            |x: f64| -x.ln() / rate,
            |y: f64| (-rate * y).exp(),
            |y: f64| -rate * (-rate * y).exp(),
        )
        .unwrap();
        let known = Exponential::new(rate).unwrap();
        for y in [0.1, 1.0, 5.0] {
            assert_relative(law.density(y), known.density(y), 1e-13);
            assert_relative(law.survival(y), known.survival(y), 1e-13);
            assert_relative(
                law.quantile(0.3).unwrap(),
                known.quantile(0.3).unwrap(),
                1e-13,
            );
        }
        let area = integrate(0.0, f64::INFINITY, |y| law.density(y)).unwrap();
        assert_relative(area, 1.0, 1e-11);
        kolmogorov_smirnov(&law);
    }

    #[test]
    fn maps_that_do_not_fit_are_refused() {
        let normal = Normal::with_deviation(0.0, 1.0).unwrap();
        assert!(Transformed::new(normal, |_| 1.0, |y| y, |_| 1.0).is_err());
        assert!(Transformed::new(normal, f64::exp, |y| y, |_| 1.0).is_err());
    }

    proptest! {
        // 000b:P08: the rules of expectation and variance, for independent tables.
        #[test]
        fn expectation_is_linear_and_variances_of_independent_sums_add(
            x in prop::collection::vec((-5.0..5.0_f64, 0.01..1.0_f64), 2..5),
            y in prop::collection::vec((-5.0..5.0_f64, 0.01..1.0_f64), 2..5),
            a in -3.0..3.0_f64
        ) {
            let split = |pairs: &[(f64, f64)]| {
                let total: f64 = pairs.iter().map(|pair| pair.1).sum();
                let values: Vec<f64> = pairs.iter().map(|pair| pair.0).collect();
                let shares: Vec<f64> = pairs.iter().map(|pair| pair.1 / total).collect();
                (values, shares)
            };
            let ((xs, px), (ys, py)) = (split(&x), split(&y));
            let ((mx, vx), (my, vy)) = (moments(&xs, &px).unwrap(), moments(&ys, &py).unwrap());
            let pairs: Vec<(f64, f64, f64)> = xs.iter().zip(&px)
                .flat_map(|(x, p)| ys.iter().zip(&py).map(move |(y, q)| (*x, *y, p * q)))
                .collect();
            let shares: Vec<f64> = pairs.iter().map(|pair| pair.2).collect();
            let sums: Vec<f64> = pairs.iter().map(|pair| pair.0 + pair.1).collect();
            let products: Vec<f64> = pairs.iter().map(|pair| pair.0 * pair.1).collect();
            let (mean, variance) = moments(&sums, &shares).unwrap();
            prop_assert!((mean - mx - my).abs() < 1e-12);
            prop_assert!((variance - vx - vy).abs() < 1e-11);
            prop_assert!((expectation(&products, &shares, |x| x).unwrap() - mx * my).abs() < 1e-12);
            // Var(aX) = a²·Var X, Var(a+X) = Var X, Var X = E X² − μ².
            let scaled: Vec<f64> = xs.iter().map(|x| a * x).collect();
            let moved: Vec<f64> = xs.iter().map(|x| a + x).collect();
            prop_assert!((moments(&scaled, &px).unwrap().1 - a * a * vx).abs() < 1e-11);
            prop_assert!((moments(&moved, &px).unwrap().1 - vx).abs() < 1e-12);
            let square = expectation(&xs, &px, |x| x * x).unwrap();
            prop_assert!((square - mx * mx - vx).abs() < 1e-11);
        }
    }
}
