//! How much is not known before a value is seen.

use super::Base;
use crate::quadrature::integrate;
use crate::{Density, check};
use didact_core::{Error, Result};
use didact_math::linalg::thin_svd;
use didact_math::numeric::{compensated_sum, x_log_x};
use ndarray::{ArrayView2, Axis};

/// −log p, what an outcome of this probability tells.
///
/// ```
/// use didact_probability::information::{Base, information_content};
/// assert_eq!(information_content(1.0 / 8.0, Base::Bits)?, 3.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn information_content(p: f64, base: Base) -> Result<f64> {
    check::probability("probability", p)?;
    Ok(match base {
        Base::Nats => -p.ln(),
        Base::Bits => -p.log2(),
        Base::Digits => -p.log10(),
    } + 0.0)
}

/// H(p) = −Σ p·log p.
///
/// ```
/// use didact_probability::information::{Base, entropy};
/// assert_eq!(entropy(&[0.5, 0.25, 0.25], Base::Bits)?, 1.5);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn entropy(probabilities: &[f64], base: Base) -> Result<f64> {
    check::probabilities("probabilities", probabilities)?;
    Ok(compensated_sum(probabilities.iter().map(|&p| base.share(p))).max(0.0))
}

/// The entropy of the shares in which the labels occur.
pub fn entropy_of_labels<T: Ord>(labels: &[T], base: Base) -> Result<f64> {
    if labels.is_empty() {
        return Err(Error::data("there are no labels to count"));
    }
    let mut sorted: Vec<&T> = labels.iter().collect();
    sorted.sort();
    let n = labels.len() as f64;
    let shares = sorted
        .chunk_by(|a, b| a == b)
        .map(|same| same.len() as f64 / n);
    Ok(compensated_sum(shares.map(|p| base.share(p))))
}

/// The entropy in nats of a trial that succeeds with probability p.
pub fn binary_entropy(p: f64) -> f64 {
    let failure = match p == 1.0 {
        true => 0.0,
        false => -(1.0 - p) * (-p).ln_1p(),
    };
    failure - x_log_x(p) + 0.0
}

/// H(x, y) of a joint table of probabilities.
pub fn joint_entropy(table: ArrayView2<'_, f64>, base: Base) -> Result<f64> {
    entropy(&table.iter().copied().collect::<Vec<_>>(), base)
}

/// H(column | row) = H(row, column) − H(row), what is left to learn of the column once the row
/// is known; transpose the table for the other direction.
///
/// ```
/// use didact_probability::information::{Base, conditional_entropy};
/// // The row tells the column.
/// let table = ndarray::array![[0.5, 0.0], [0.0, 0.5]];
/// assert_eq!(conditional_entropy(table.view(), Base::Bits)?, 0.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn conditional_entropy(table: ArrayView2<'_, f64>, base: Base) -> Result<f64> {
    check::probabilities("table", &table.iter().copied().collect::<Vec<_>>())?;
    let rows = table.sum_axis(Axis(1));
    // Summed per row from conditional probabilities, so that nothing cancels.
    let terms = table
        .rows()
        .into_iter()
        .zip(&rows)
        .map(|(row, &weight)| match weight > 0.0 {
            true => weight * row.iter().map(|&p| base.share(p / weight)).sum::<f64>(),
            false => 0.0,
        });
    Ok(compensated_sum(terms))
}

/// −∫ f·ln f dx of a continuous law on [low, high], in nats.
///
/// ```
/// use didact_probability::{information::differential_entropy, laws::Normal};
/// let bell = Normal::with_deviation(0.0, 1.0)?;
/// let entropy = differential_entropy(&bell, f64::NEG_INFINITY, f64::INFINITY)?;
/// assert!((entropy - 1.418_938_533_204_672_7).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn differential_entropy(law: &impl Density<f64>, low: f64, high: f64) -> Result<f64> {
    integrate(low, high, |x| {
        let log = law.log_density(x);
        if log == f64::NEG_INFINITY {
            0.0
        } else {
            -log * log.exp()
        }
    })
}

/// h(Wx) = h(x) + ln |det W|: the entropy in nats after an invertible linear map.
pub fn entropy_after_linear_map(entropy: f64, map: ArrayView2<'_, f64>) -> Result<f64> {
    Ok(entropy + log_absolute_determinant(map)?)
}

/// ln |det W|, or an error where W is not square or not invertible.
pub(super) fn log_absolute_determinant(map: ArrayView2<'_, f64>) -> Result<f64> {
    let (rows, columns) = map.dim();
    if rows != columns || rows == 0 {
        return Err(Error::parameter(
            "map",
            format!("{rows} by {columns}"),
            "it must be square and not empty",
        ));
    }
    let values = thin_svd(map)?.singular_values;
    let (largest, smallest) = (values[0], values[rows - 1]);
    match smallest > f64::EPSILON * rows as f64 * largest {
        true => Ok(values.iter().map(|value| value.ln()).sum()),
        false => Err(Error::parameter(
            "map",
            "singular",
            "it must be invertible, or the entropy falls without bound",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Normal, Uniform};
    use crate::testing::assert_relative;
    use crate::{Entropy, laws};
    use ndarray::array;
    use proptest::prelude::*;

    // 002b:IT-02: one of eight outcomes tells 3 bits, one of two tells 1: three times as much,
    // although it is four times less likely.
    #[test]
    fn eight_outcomes_tell_three_times_what_two_tell() {
        let bits = |p| information_content(p, Base::Bits).unwrap();
        assert_eq!((bits(0.5), bits(0.125)), (1.0, 3.0));
        assert_eq!(bits(0.125) / bits(0.5), 3.0);
        assert_eq!(bits(1.0), 0.0);
        assert_eq!(bits(0.0), f64::INFINITY);
        assert_relative(information_content(0.01, Base::Digits).unwrap(), 2.0, 1e-15);
        assert!(information_content(1.5, Base::Bits).is_err());
    }

    // 002b:IT-03, 004:M42 (scipy.stats.entropy(base=2) for 0.811)
    #[test]
    fn coins_fair_biased_and_certain() {
        let bits = |p: &[f64]| entropy(p, Base::Bits).unwrap();
        assert_eq!(bits(&[0.5, 0.5]), 1.0);
        assert_relative(bits(&[0.25, 0.75]), 0.8112781244591328, 1e-15);
        assert_eq!(bits(&[1.0, 0.0]), 0.0);
        assert_eq!(bits(&[0.5, 0.25, 0.25]), 1.5);
        assert_eq!(bits(&[0.5, 0.25, 0.125, 0.125]), 1.75);
        assert_relative(
            bits(&[0.625, 0.125, 0.125, 0.125]),
            1.5487949406953987,
            1e-15,
        );
        assert!(entropy(&[0.5, 0.6], Base::Bits).is_err());
        assert_eq!(
            entropy_of_labels(&["a", "b", "a", "b"], Base::Bits).unwrap(),
            1.0
        );
        assert!(entropy_of_labels::<u8>(&[], Base::Bits).is_err());
        assert_relative(
            binary_entropy(0.25),
            bits(&[0.25, 0.75]) * 2.0_f64.ln(),
            1e-15,
        );
        assert_eq!((binary_entropy(0.0), binary_entropy(1.0)), (0.0, 0.0));
        // −p·ln p + p up to p², where 1 − p is as good as one.
        assert_relative(binary_entropy(1e-20), 1e-20 * (1.0 - 1e-20_f64.ln()), 1e-14);
    }

    // 002b:IT-04: uniform on [0, a] has ln a; the normal law has the most for its variance.
    #[test]
    fn differential_entropies_agree_with_integration() {
        let uniform = Uniform::new(0.0, 5.0).unwrap();
        assert_relative(
            differential_entropy(&uniform, 0.0, 5.0).unwrap(),
            5.0_f64.ln(),
            1e-12,
        );
        let normal = Normal::with_variance(0.0, 1.0).unwrap();
        assert_relative(normal.entropy(), 1.418_938_533_204_672_7, 1e-15);
        let laplace = laws::Laplace::new(0.0, 0.5_f64.sqrt()).unwrap();
        let same_variance = Uniform::new(-3.0_f64.sqrt(), 3.0_f64.sqrt()).unwrap();
        assert!(laplace.entropy() < normal.entropy());
        assert!(same_variance.entropy() < normal.entropy());
    }

    /// Height ½/a on [0, a] and ½/b on [a, a+b].
    struct Plateaus(f64, f64);

    impl Density<f64> for Plateaus {
        fn log_density(&self, x: f64) -> f64 {
            -(2.0 * if x < self.0 { self.0 } else { self.1 }).ln()
        }
    }

    // 002b:IT-04: as printed, without the halves, the example integrates to 2 and its entropy is
    // said to be ln(ab); normalised it is ln 2 + ½·ln(ab).
    #[test]
    fn two_plateaus_have_the_entropy_of_the_normalised_density() {
        let (a, b) = (2.0, 5.0);
        let law = Plateaus(a, b);
        let piece = |low, high| differential_entropy(&law, low, high).unwrap();
        let expected = 2.0_f64.ln() + 0.5 * (a * b).ln();
        assert_relative(piece(0.0, a) + piece(a, a + b), expected, 1e-12);
        assert!((expected - (a * b).ln()).abs() > 0.4);
    }

    // 002b:IT-05
    #[test]
    fn the_chain_rule_of_entropy_holds_and_signs_are_right() {
        let table = array![[0.1, 0.2], [0.3, 0.4]];
        let joint = joint_entropy(table.view(), Base::Nats).unwrap();
        let rows = entropy(&[0.3, 0.7], Base::Nats).unwrap();
        let given_rows = conditional_entropy(table.view(), Base::Nats).unwrap();
        assert_relative(joint, rows + given_rows, 1e-14);
        // The printed first line carries a minus sign, which would make this negative.
        assert!(given_rows > 0.0);
        let product = array![[0.12, 0.28], [0.18, 0.42]];
        let joint = joint_entropy(product.view(), Base::Nats).unwrap();
        let columns = entropy(&[0.3, 0.7], Base::Nats).unwrap();
        assert_relative(
            joint,
            entropy(&[0.4, 0.6], Base::Nats).unwrap() + columns,
            1e-14,
        );
        assert!(conditional_entropy(array![[0.5, 0.4]].view(), Base::Nats).is_err());
    }

    // 002b:IT-07
    #[test]
    fn a_linear_map_adds_the_logarithm_of_its_determinant() {
        let map = array![[2.0, 1.0], [0.0, -3.0]];
        assert_relative(
            entropy_after_linear_map(1.0, map.view()).unwrap(),
            1.0 + 6.0_f64.ln(),
            1e-14,
        );
        assert!(entropy_after_linear_map(1.0, array![[1.0, 1.0], [1.0, 1.0]].view()).is_err());
        assert!(entropy_after_linear_map(1.0, array![[1.0, 1.0]].view()).is_err());
    }

    proptest! {
        // 002b:IT-05: conditioning never adds entropy, and additivity needs independence.
        #[test]
        fn conditioning_never_adds_entropy(weights in prop::collection::vec(0.001..1.0_f64, 6)) {
            let total: f64 = weights.iter().sum();
            let table = ndarray::Array2::from_shape_fn((2, 3), |(i, j)| weights[3 * i + j] / total);
            let columns: Vec<f64> = table.sum_axis(Axis(0)).to_vec();
            let given = conditional_entropy(table.view(), Base::Bits).unwrap();
            prop_assert!(given <= entropy(&columns, Base::Bits).unwrap() + 1e-12);
            let rows: Vec<f64> = table.sum_axis(Axis(1)).to_vec();
            let joint = joint_entropy(table.view(), Base::Bits).unwrap();
            prop_assert!((joint - given - entropy(&rows, Base::Bits).unwrap()).abs() < 1e-12);
        }
    }
}
