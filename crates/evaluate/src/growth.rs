//! How the cost of a method grows with the size of the problem.

use didact_core::{Error, Result};

/// The exponent p of seconds ≈ c·sizeᵖ: the slope of the least-squares line through the points
/// (ln size, ln seconds).
///
/// One is linear growth in rows or columns, two is quadratic. An exponent that itself grows with
/// the sizes is the mark of exponential growth, the curse of dimensionality.
///
/// ```
/// use didact_evaluate::growth_exponent;
/// let exponent = growth_exponent(&[100.0, 200.0, 400.0], &[0.5, 2.0, 8.0])?;
/// assert!((exponent - 2.0).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn growth_exponent(sizes: &[f64], seconds: &[f64]) -> Result<f64> {
    if sizes.len() != seconds.len() {
        return Err(Error::data(format!(
            "there are {} sizes but {} times; give one time for each size",
            sizes.len(),
            seconds.len()
        )));
    }
    let logarithms = |values: &[f64], what: &str| -> Result<Vec<f64>> {
        let logarithm = |value: &f64| match *value > 0.0 && value.is_finite() {
            true => Ok(value.ln()),
            false => Err(Error::data(format!(
                "a {what} is {value}; it must be finite and above zero"
            ))),
        };
        values.iter().map(logarithm).collect()
    };
    let (x, y) = (logarithms(sizes, "size")?, logarithms(seconds, "time")?);
    if x.iter().all(|size| *size == x[0]) {
        return Err(Error::data(
            "growth cannot be seen in a single size; give at least two different ones",
        ));
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (x_mean, y_mean) = (mean(&x), mean(&y));
    let spread: f64 = x.iter().map(|x| (x - x_mean).powi(2)).sum();
    let product = |(x, y): (&f64, &f64)| (x - x_mean) * (y - y_mean);
    Ok(x.iter().zip(&y).map(product).sum::<f64>() / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    // 000a:GEN-13, 002a:BP07: slopes on logarithmic axes.
    #[test]
    fn exact_powers_give_their_exponent() {
        let sizes = [10.0, 30.0, 100.0, 1000.0];
        for exponent in [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0] {
            let seconds = sizes.map(|size: f64| 3e-7 * size.powf(exponent));
            let found = growth_exponent(&sizes, &seconds).unwrap();
            assert!((found - exponent).abs() < 1e-12, "{exponent}: {found}");
        }
    }

    // 002a:BP07: the exponent of c·2ᵈ grows with d, that of any power does not.
    #[test]
    fn exponential_growth_shows_as_a_growing_exponent() {
        let exponent = |sizes: &[f64]| {
            let seconds: Vec<f64> = sizes.iter().map(|size| size.exp2()).collect();
            growth_exponent(sizes, &seconds).unwrap()
        };
        // From d to 2d the logarithm grows by d·ln 2, so the slope is d.
        assert!((exponent(&[4.0, 8.0]) - 4.0).abs() < 1e-12);
        assert!((exponent(&[8.0, 16.0]) - 8.0).abs() < 1e-12);
    }

    #[test]
    fn what_has_no_slope_is_refused_in_words() {
        let say = |sizes: &[f64], seconds: &[f64]| {
            growth_exponent(sizes, seconds).unwrap_err().to_string()
        };
        assert!(say(&[1.0, 2.0], &[1.0]).contains("2 sizes but 1 times"));
        assert!(say(&[1.0, 2.0], &[0.0, 1.0]).contains("a time is 0"));
        assert!(say(&[1.0, f64::NAN], &[1.0, 1.0]).contains("a size is NaN"));
        assert!(say(&[7.0, 7.0], &[1.0, 2.0]).contains("single size"));
        assert!(say(&[], &[]).contains("single size"));
    }
}
