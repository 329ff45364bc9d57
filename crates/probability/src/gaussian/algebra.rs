//! Marginals, conditionals, sums and products of normal laws.
//!
//! Noise *adds*: a sum of independent normal variables adds their covariances. Information
//! *joins*: a product of two normal densities adds their precisions.

use crate::laws::{MultivariateNormal, Normal};
use crate::{Density, check};
use didact_core::{Error, Result};
use didact_math::linalg::{Cholesky, a_times_bt, at_times_b, matmul};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

/// The law of some coordinates, in the given order.
///
/// ```
/// use didact_probability::{gaussian::marginal, laws::MultivariateNormal};
/// use ndarray::array;
/// let law = MultivariateNormal::new(array![1.0, 2.0], array![[2.0, 0.5], [0.5, 1.0]])?;
/// assert_eq!(marginal(&law, &[1])?.covariance(), array![[1.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn marginal(law: &MultivariateNormal, kept: &[usize]) -> Result<MultivariateNormal> {
    check_indices("kept", kept, law.dimension())?;
    MultivariateNormal::new(
        law.location().select(Axis(0), kept),
        law.covariance().select(Axis(0), kept).select(Axis(1), kept),
    )
}

/// The law of the other coordinates once the `known` ones have these values:
/// μ_x + Σ_xy·Σ_yy⁻¹(y−μ_y) and Σ_xx − Σ_xy·Σ_yy⁻¹·Σ_yx.
///
/// ```
/// use didact_probability::{gaussian::condition, laws::MultivariateNormal};
/// use ndarray::array;
/// let law = MultivariateNormal::new(array![0.0, 0.0], array![[1.0, 0.8], [0.8, 1.0]])?;
/// let rest = condition(&law, &[1], array![2.0].view())?;
/// assert!((rest.location()[0] - 1.6).abs() < 1e-15);
/// assert!((rest.covariance()[[0, 0]] - 0.36).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn condition(
    law: &MultivariateNormal,
    known: &[usize],
    values: ArrayView1<'_, f64>,
) -> Result<MultivariateNormal> {
    check_indices("known", known, law.dimension())?;
    check::same_dimension("values", values.len(), known.len())?;
    check::finite_all("values", values)?;
    let rest: Vec<usize> = (0..law.dimension())
        .filter(|i| !known.contains(i))
        .collect();
    if rest.is_empty() {
        return Err(Error::parameter(
            "known",
            "every coordinate",
            "at least one must be left to be described",
        ));
    }
    let covariance = law.covariance();
    let own = covariance.select(Axis(0), &rest).select(Axis(1), &rest);
    let cross = covariance.select(Axis(0), known).select(Axis(1), &rest);
    let factor = marginal(law, known)?.factor().clone();
    let shift = &values - &law.location().select(Axis(0), known);
    // With Z = L⁻¹Σ_yx the conditional covariance is Σ_xx − ZᵀZ.
    let half = factor.half_solve(cross.view());
    let mean =
        law.location().select(Axis(0), &rest) + cross.t().dot(&factor.solve_vector(shift.view()));
    MultivariateNormal::new(
        mean,
        symmetrised(own - at_times_b(half.view(), half.view())),
    )
}

/// The law of A·x + b.
///
/// A must have full row rank: a law without volume has no density.
pub fn affine(
    law: &MultivariateNormal,
    map: ArrayView2<'_, f64>,
    shift: ArrayView1<'_, f64>,
) -> Result<MultivariateNormal> {
    check::same_dimension("map", map.ncols(), law.dimension())?;
    check::same_dimension("shift", shift.len(), map.nrows())?;
    let root = matmul(map, law.factor().lower());
    let covariance = a_times_bt(root.view(), root.view());
    MultivariateNormal::new(map.dot(law.location()) + shift, covariance)
}

/// The law of x₁ + x₂ for independent variables: means and *variances* add.
///
/// ```
/// use didact_probability::{Moments, gaussian::normal_sum, laws::Normal};
/// let sum = normal_sum(&Normal::with_deviation(1.0, 3.0)?, &Normal::with_deviation(2.0, 4.0)?)?;
/// assert_eq!((sum.location(), sum.deviation()), (3.0, 5.0));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn normal_sum(first: &Normal, second: &Normal) -> Result<Normal> {
    Normal::with_deviation(
        first.location() + second.location(),
        first.deviation().hypot(second.deviation()),
    )
}

/// The law of x₁ + x₂ for independent vectors: means and covariances add.
pub fn sum(first: &MultivariateNormal, second: &MultivariateNormal) -> Result<MultivariateNormal> {
    check::same_dimension("second", second.dimension(), first.dimension())?;
    MultivariateNormal::new(
        first.location() + second.location(),
        first.covariance() + second.covariance(),
    )
}

/// The product of two normal densities, which is a normal density times a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Product<L, G> {
    /// The normalised product.
    pub law: L,
    /// The logarithm of the integral of the product, ln N(μ₁; μ₂, Σ₁+Σ₂): the product is no
    /// density until it is divided by it.
    pub log_normaliser: f64,
    /// The gain K: the mean is (I−K)·μ₁ + K·μ₂.
    pub gain: G,
}

/// The product of two normal densities of numbers, weights σ₂²/(σ₁²+σ₂²) and σ₁²/(σ₁²+σ₂²).
pub fn normal_product(first: &Normal, second: &Normal) -> Result<Product<Normal, f64>> {
    let deviation = first.deviation().hypot(second.deviation());
    let gain = (first.deviation() / deviation).powi(2);
    let mean = first.location() + gain * (second.location() - first.location());
    let spread = Normal::with_deviation(second.location(), deviation)?;
    Ok(Product {
        law: Normal::with_deviation(mean, first.deviation() / deviation * second.deviation())?,
        log_normaliser: spread.log_density(first.location()),
        gain,
    })
}

/// The product of two normal densities of vectors: precisions add,
/// P = (P₁⁻¹+P₂⁻¹)⁻¹ = P₁(P₁+P₂)⁻¹P₂.
///
/// ```
/// use didact_probability::{gaussian::product, laws::MultivariateNormal};
/// use ndarray::array;
/// let first = MultivariateNormal::new(array![0.0], array![[1.0]])?;
/// let second = MultivariateNormal::new(array![3.0], array![[2.0]])?;
/// let both = product(&first, &second)?;
/// assert!((both.law.location()[0] - 1.0).abs() < 1e-15);
/// assert!((both.law.covariance()[[0, 0]] - 2.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn product(
    first: &MultivariateNormal,
    second: &MultivariateNormal,
) -> Result<Product<MultivariateNormal, Array2<f64>>> {
    check::same_dimension("second", second.dimension(), first.dimension())?;
    let total = sum(first, second)?;
    let (left, right) = (first.covariance(), second.covariance());
    let gain = gain(left.view(), right.view(), GainForm::Covariance)?;
    let mean = first.location() + &gain.dot(&(second.location() - first.location()));
    // Without subtraction, so that a sharp and a vague law do not cancel.
    let half_left = total.factor().half_solve(left.view());
    let half_right = total.factor().half_solve(right.view());
    let covariance = symmetrised(at_times_b(half_left.view(), half_right.view()));
    let spread = MultivariateNormal::new(second.location().clone(), total.covariance().clone())?;
    Ok(Product {
        law: MultivariateNormal::new(mean, covariance)?,
        log_normaliser: spread.log_density(first.location().view()),
        gain,
    })
}

/// Four ways to write the gain; they are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GainForm {
    /// (P₁⁻¹+P₂⁻¹)⁻¹·P₂⁻¹
    Information,
    /// I − (P₁⁻¹+P₂⁻¹)⁻¹·P₁⁻¹
    InformationComplement,
    /// P₁(P₁+P₂)⁻¹
    Covariance,
    /// I − P₂(P₁+P₂)⁻¹
    CovarianceComplement,
}

/// The gain K of two covariances, by the given formula.
pub fn gain(
    first: ArrayView2<'_, f64>,
    second: ArrayView2<'_, f64>,
    form: GainForm,
) -> Result<Array2<f64>> {
    let left = check::positive_definite("first", first)?;
    let right = check::positive_definite("second", second)?;
    check::same_dimension("second", second.nrows(), first.nrows())?;
    let identity = Array2::eye(first.nrows());
    // (A·B⁻¹)ᵀ = B⁻¹·A for symmetric A and B.
    let over = |top: ArrayView2<'_, f64>, factor: &Cholesky| factor.solve(top).reversed_axes();
    Ok(match form {
        GainForm::Covariance => over(first, &Cholesky::new((&first + &second).view())?),
        GainForm::CovarianceComplement => {
            identity - over(second, &Cholesky::new((&first + &second).view())?)
        }
        GainForm::Information | GainForm::InformationComplement => {
            let inverse = |factor: &Cholesky| symmetrised(factor.solve(identity.view()));
            let (own, other) = (inverse(&left), inverse(&right));
            let joint = Cholesky::new((&own + &other).view())?;
            match form {
                GainForm::Information => joint.solve(other.view()),
                _ => identity - joint.solve(own.view()),
            }
        }
    })
}

fn symmetrised(matrix: Array2<f64>) -> Array2<f64> {
    0.5 * (&matrix + &matrix.t())
}

fn check_indices(name: &str, indices: &[usize], dimension: usize) -> Result<()> {
    if indices.is_empty() {
        return Err(Error::parameter(
            name,
            "empty",
            "it must name at least one coordinate",
        ));
    }
    for (position, &index) in indices.iter().enumerate() {
        if index >= dimension || indices[..position].contains(&index) {
            return Err(Error::parameter(
                format!("{name}[{position}]"),
                index,
                format!("it must be less than {dimension} and occur once"),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Draw;
    use crate::testing::{assert_close, assert_relative};
    use didact_core::random::generator;
    use ndarray::{array, s};
    use proptest::prelude::*;

    fn three() -> MultivariateNormal {
        let covariance = array![[2.0, 0.3, 0.8], [0.3, 1.0, -0.2], [0.8, -0.2, 1.5]];
        MultivariateNormal::new(array![1.0, -1.0, 0.5], covariance).unwrap()
    }

    // 002b:ST-08, 002b:ST-04: p(x|y)·p(y) = p(x, y).
    #[test]
    fn conditional_times_marginal_is_the_joint_density() {
        let law = three();
        let known = array![0.7, -0.4];
        let given = condition(&law, &[2, 0], known.view()).unwrap();
        let y = marginal(&law, &[2, 0]).unwrap();
        for x in [-2.0, -1.0, 3.0] {
            let joint = law.log_density(array![-0.4, x, 0.7].view());
            let parts = given.log_density(array![x].view()) + y.log_density(known.view());
            assert_relative(parts, joint, 1e-12);
        }
        assert!(condition(&law, &[0, 1, 2], array![0.0, 0.0, 0.0].view()).is_err());
        assert!(condition(&law, &[0, 0], array![0.0, 0.0].view()).is_err());
        assert!(marginal(&law, &[3]).is_err() && marginal(&law, &[]).is_err());
    }

    // 004:M54: the second slot is a variance in both lines, never a deviation in one of them.
    #[test]
    fn sums_add_variances() {
        let first = Normal::with_variance(1.0, 9.0).unwrap();
        let second = Normal::with_variance(2.0, 16.0).unwrap();
        let total = normal_sum(&first, &second).unwrap();
        assert_eq!(total.deviation(), 5.0);
        let (mut left, mut right) = (generator(1, 0), generator(1, 1));
        let n = 20_000;
        let draws: Vec<f64> = (0..n)
            .map(|_| first.draw(&mut left) + second.draw(&mut right))
            .collect();
        let mean = draws.iter().sum::<f64>() / n as f64;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
        assert!((mean - 3.0).abs() < 5.0 * 5.0 / (n as f64).sqrt());
        // The variance of a variance is 2σ⁴/n.
        assert!((variance - 25.0).abs() < 5.0 * 25.0 * (2.0 / n as f64).sqrt());
        let vector = sum(&three(), &three()).unwrap();
        assert_close(vector.covariance(), &(three().covariance() * 2.0), 1e-15);
    }

    // 004:M55: the numbers of section 3 of that inventory.
    #[test]
    fn the_printed_product_is_found() {
        let first =
            MultivariateNormal::new(array![1.0, 2.0], array![[2.0, 0.3], [0.3, 1.0]]).unwrap();
        let second =
            MultivariateNormal::new(array![0.0, 4.0], array![[1.0, -0.2], [-0.2, 0.5]]).unwrap();
        let both = product(&first, &second).unwrap();
        let close = |found: &[f64], expected: &[f64]| {
            found
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 5e-8)
        };
        assert!(close(
            &both.law.location().to_vec(),
            &[0.6503341, 3.2449889]
        ));
        let covariance: Vec<f64> = both.law.covariance().iter().copied().collect();
        assert!(close(
            &covariance,
            &[0.6302895, -0.0543430, -0.0543430, 0.3151448]
        ));
        let gain: Vec<f64> = both.gain.iter().copied().collect();
        assert!(close(&gain, &[0.6614699, 0.1559020, 0.0779510, 0.6614699]));
        assert!((both.log_normaliser.exp() - 0.0159757).abs() < 1e-7);
    }

    // 004:M55, 004:M52: the product of the densities is the law times its normaliser, at every
    // point; precisions add.
    #[test]
    fn the_product_of_densities_is_the_law_times_its_normaliser() {
        let first = Normal::with_variance(1.0, 2.0).unwrap();
        let second = Normal::with_variance(-0.5, 0.3).unwrap();
        let both = normal_product(&first, &second).unwrap();
        for x in [-3.0, 0.0, 2.5] {
            let product = first.log_density(x) + second.log_density(x);
            assert_relative(
                both.law.log_density(x) + both.log_normaliser,
                product,
                1e-12,
            );
        }
        let precision = |law: &Normal| law.deviation().powi(-2);
        assert_relative(
            precision(&both.law),
            precision(&first) + precision(&second),
            1e-14,
        );
        let lift = |law: &Normal| {
            MultivariateNormal::new(array![law.location()], array![[law.deviation().powi(2)]])
                .unwrap()
        };
        let vector = product(&lift(&first), &lift(&second)).unwrap();
        assert_relative(vector.law.location()[0], both.law.location(), 1e-14);
        assert_relative(vector.log_normaliser, both.log_normaliser, 1e-13);
        assert_relative(vector.gain[[0, 0]], both.gain, 1e-14);
    }

    #[test]
    fn an_affine_map_moves_mean_and_covariance() {
        let map = array![[1.0, 1.0, 0.0], [0.0, 2.0, -1.0]];
        let law = affine(&three(), map.view(), array![1.0, 0.0].view()).unwrap();
        assert_close(law.location(), &array![1.0, -2.5], 1e-15);
        assert_close(
            law.covariance(),
            &map.dot(three().covariance()).dot(&map.t()),
            1e-14,
        );
        assert_eq!(law.location().slice(s![..1]).len(), 1);
        let flat = array![[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
        assert!(affine(&three(), flat.view(), array![0.0, 0.0].view()).is_err());
    }

    proptest! {
        // 004:M55
        #[test]
        fn four_forms_of_the_gain_agree(entries in prop::collection::vec(-1.0..1.0_f64, 18)) {
            let root = |offset: usize| Array2::from_shape_fn((3, 3), |(i, j)| entries[offset + 3 * i + j]);
            let covariance = |a: Array2<f64>| a.dot(&a.t()) + Array2::<f64>::eye(3) * 0.3;
            let (first, second) = (covariance(root(0)), covariance(root(9)));
            let form = |form| gain(first.view(), second.view(), form).unwrap();
            let reference = form(GainForm::Covariance);
            for other in [GainForm::Information, GainForm::InformationComplement, GainForm::CovarianceComplement] {
                let other = form(other);
                for (a, b) in other.iter().zip(&reference) {
                    prop_assert!((a - b).abs() < 1e-12);
                }
            }
        }
    }
}
