//! What two variables tell about each other.

use super::entropy::log_absolute_determinant;
use super::{Base, kl_divergence};
use crate::check;
use didact_core::{Error, Result};
use didact_math::linalg::thin_svd;
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use std::collections::BTreeMap;

/// I(row; column) of a joint table of probabilities: D(joint‖product of the marginals), which is
/// H(x) − H(x|y) = H(y) − H(y|x).
///
/// ```
/// use didact_probability::information::{Base, mutual_information};
/// let same = ndarray::array![[0.5, 0.0], [0.0, 0.5]];
/// assert!((mutual_information(same.view(), Base::Bits)? - 1.0).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn mutual_information(table: ArrayView2<'_, f64>, base: Base) -> Result<f64> {
    let joint: Vec<f64> = table.iter().copied().collect();
    check::probabilities("table", &joint)?;
    let (rows, columns) = (table.sum_axis(Axis(1)), table.sum_axis(Axis(0)));
    let product: Vec<f64> = rows
        .iter()
        .flat_map(|row| columns.iter().map(move |column| row * column))
        .collect();
    // Marginals of numbers that sum to one within rounding do so too.
    kl_divergence(&joint, &product, base)
}

/// The mutual information of two labellings of the same things.
pub fn mutual_information_of_labels<A: Ord, B: Ord>(
    left: &[A],
    right: &[B],
    base: Base,
) -> Result<f64> {
    if left.len() != right.len() || left.is_empty() {
        return Err(Error::data(format!(
            "there are {} labels on one side and {} on the other; both must label the same \
             things, at least one",
            left.len(),
            right.len()
        )));
    }
    let (rows, columns) = (positions(left), positions(right));
    let mut table = Array2::zeros((rows.len(), columns.len()));
    let share = 1.0 / left.len() as f64;
    for (a, b) in left.iter().zip(right) {
        table[[rows[a], columns[b]]] += share;
    }
    mutual_information(table.view(), base)
}

/// Each distinct label with its position in sorted order.
fn positions<T: Ord>(labels: &[T]) -> BTreeMap<&T, usize> {
    let mut places: BTreeMap<&T, usize> = labels.iter().map(|label| (label, 0)).collect();
    for (position, place) in places.values_mut().enumerate() {
        *place = position;
    }
    places
}

/// I(y₁; …; yₙ) = Σ H(yᵢ) − H(x) − ln |det W| in nats for y = Wx: what independent component
/// analysis makes small.
///
/// `component_entropies` are the entropies of the single yᵢ, not of y as a whole.
pub fn mutual_information_of_components(
    component_entropies: &[f64],
    source_entropy: f64,
    map: ArrayView2<'_, f64>,
) -> Result<f64> {
    check::same_dimension(
        "component_entropies",
        component_entropies.len(),
        map.nrows(),
    )?;
    let log_determinant = log_absolute_determinant(map)?;
    Ok(component_entropies.iter().sum::<f64>() - source_entropy - log_determinant)
}

/// ½·Σ ln 1/(1−ρᵢ²) in nats: the mutual information of two normal vectors with these canonical
/// correlations.
///
/// ```
/// use didact_probability::information::mutual_information_from_correlations;
/// let nats = mutual_information_from_correlations(&[0.6])?;
/// assert!((nats - 0.8_f64.recip().ln()).abs() < 1e-15); // √(1 − 0.36) = 0.8
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn mutual_information_from_correlations(correlations: &[f64]) -> Result<f64> {
    let mut sum = 0.0;
    for (index, &rho) in correlations.iter().enumerate() {
        if !(-1.0..=1.0).contains(&rho) {
            return Err(Error::parameter(
                format!("correlations[{index}]"),
                rho,
                "it must be between -1 and 1",
            ));
        }
        sum -= 0.5 * (-rho * rho).ln_1p();
    }
    Ok(sum)
}

/// ½·ln(|Σ_xx|·|Σ_yy|/|Σ|) in nats: the mutual information of the first `n_first` and the other
/// variables of a normal law with covariance Σ.
pub fn gaussian_mutual_information(covariance: ArrayView2<'_, f64>, n_first: usize) -> Result<f64> {
    let (first, second) = blocks(covariance, n_first)?;
    let whole = check::positive_definite("covariance", covariance)?.log_determinant();
    let first = check::positive_definite("covariance", first)?.log_determinant();
    let second = check::positive_definite("covariance", second)?.log_determinant();
    Ok((0.5 * (first + second - whole)).max(0.0))
}

/// The canonical correlations of the first `n_first` and the other variables, the largest first:
/// the singular values of L_x⁻¹·Σ_xy·L_y⁻ᵀ.
pub fn canonical_correlations(
    covariance: ArrayView2<'_, f64>,
    n_first: usize,
) -> Result<Array1<f64>> {
    let (first, second) = blocks(covariance, n_first)?;
    check::symmetric("covariance", covariance)?;
    let first = check::positive_definite("covariance", first)?;
    let second = check::positive_definite("covariance", second)?;
    let cross = covariance.slice(s![..n_first, n_first..]);
    let half = first.half_solve(cross);
    let white = second.half_solve(half.t());
    Ok(thin_svd(white.view())?
        .singular_values
        .mapv(|rho| rho.min(1.0)))
}

fn blocks(
    covariance: ArrayView2<'_, f64>,
    n_first: usize,
) -> Result<(ArrayView2<'_, f64>, ArrayView2<'_, f64>)> {
    let d = covariance.nrows();
    check::symmetric("covariance", covariance)?;
    match n_first > 0 && n_first < d {
        true => Ok((
            covariance.slice_move(s![..n_first, ..n_first]),
            covariance.slice_move(s![n_first.., n_first..]),
        )),
        false => Err(Error::parameter(
            "n_first",
            n_first,
            format!("it must be at least 1 and less than the {d} variables"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::information::{
        conditional_entropy, entropy, entropy_after_linear_map, joint_entropy,
    };
    use crate::laws::MultivariateNormal;
    use crate::testing::assert_relative;
    use crate::{Entropy, laws::Normal};
    use ndarray::array;
    use proptest::prelude::*;

    // 002b:IT-06: printed H(x) − H(y|x), which would be negative here.
    #[test]
    fn all_forms_of_mutual_information_agree() {
        let table = array![[0.3, 0.1, 0.05], [0.05, 0.05, 0.45]];
        let nats = |p: Array1<f64>| entropy(&p.to_vec(), Base::Nats).unwrap();
        let (rows, columns) = (nats(table.sum_axis(Axis(1))), nats(table.sum_axis(Axis(0))));
        let row_given = conditional_entropy(table.t(), Base::Nats).unwrap();
        let column_given = conditional_entropy(table.view(), Base::Nats).unwrap();
        let joint = joint_entropy(table.view(), Base::Nats).unwrap();
        let found = mutual_information(table.view(), Base::Nats).unwrap();
        for form in [
            rows - row_given,
            columns - column_given,
            rows + columns - joint,
        ] {
            assert_relative(found, form, 1e-12);
        }
        assert!((rows - column_given - found).abs() > 0.1);
        assert_relative(
            mutual_information(table.t(), Base::Nats).unwrap(),
            found,
            1e-14,
        );
    }

    // scikit-learn mutual_info_score([0,0,1,1,2,2], [0,0,0,1,1,1]) = 0.4620981203732969
    #[test]
    fn labels_are_counted_into_a_table() {
        let found = mutual_information_of_labels(
            &[0, 0, 1, 1, 2, 2],
            &["a", "a", "a", "b", "b", "b"],
            Base::Nats,
        );
        assert_relative(found.unwrap(), 0.4620981203732969, 1e-14);
        assert!(mutual_information_of_labels(&[0], &[1, 2], Base::Nats).is_err());
        assert!(mutual_information_of_labels::<u8, u8>(&[], &[], Base::Nats).is_err());
    }

    // 002b:IT-07: with H(y) printed for ΣH(yᵢ) the answer would be zero for every map.
    #[test]
    fn components_of_a_mixed_signal_share_information() {
        // x independent standard normal, y = Wx correlated.
        let map = array![[1.0, 0.0], [0.8, 0.6]];
        let source = 2.0 * Normal::with_variance(0.0, 1.0).unwrap().entropy();
        // Both components again have variance one: 1² and 0.8² + 0.6².
        let components = [source / 2.0; 2];
        let found = mutual_information_of_components(&components, source, map.view()).unwrap();
        // Their correlation is 0.8, so I = −½·ln(1 − 0.64).
        assert_relative(
            found,
            mutual_information_from_correlations(&[0.8]).unwrap(),
            1e-13,
        );
        let whole = entropy_after_linear_map(source, map.view()).unwrap();
        assert!((whole - source - 0.6_f64.ln()).abs() < 1e-14);
        assert!(mutual_information_of_components(&[1.0], source, map.view()).is_err());
    }

    // 002b:IT-08
    #[test]
    fn canonical_correlations_and_determinants_give_the_same_information() {
        let covariance = array![
            [2.0, 0.3, 0.8, 0.1],
            [0.3, 1.0, -0.2, 0.4],
            [0.8, -0.2, 1.5, 0.2],
            [0.1, 0.4, 0.2, 1.0]
        ];
        let rho = canonical_correlations(covariance.view(), 2).unwrap();
        let found = mutual_information_from_correlations(&rho.to_vec()).unwrap();
        let direct = gaussian_mutual_information(covariance.view(), 2).unwrap();
        assert_relative(found, direct, 1e-13);
        // And the entropies of the three laws say the same.
        let law = MultivariateNormal::new(Array1::zeros(4), covariance.clone()).unwrap();
        let part = |range: std::ops::Range<usize>| {
            let block = covariance.slice(s![range.clone(), range]).to_owned();
            MultivariateNormal::new(Array1::zeros(2), block)
                .unwrap()
                .entropy()
        };
        assert_relative(part(0..2) + part(2..4) - law.entropy(), direct, 1e-12);
    }

    #[test]
    fn bad_arguments_are_named() {
        let error = mutual_information_from_correlations(&[0.2, 1.5])
            .unwrap_err()
            .to_string();
        assert_eq!(error, "correlations[1] is 1.5; it must be between -1 and 1");
        assert_eq!(
            mutual_information_from_correlations(&[1.0]).unwrap(),
            f64::INFINITY
        );
        assert!(gaussian_mutual_information(Array2::eye(3).view(), 3).is_err());
        assert!(canonical_correlations(array![[1.0, 2.0], [2.0, 1.0]].view(), 0).is_err());
    }

    proptest! {
        // 002b:IT-06: never negative, symmetric.
        #[test]
        fn mutual_information_is_never_negative(weights in prop::collection::vec(0.0..1.0_f64, 12)) {
            let total: f64 = weights.iter().sum();
            prop_assume!(total > 0.1);
            let table = Array2::from_shape_fn((3, 4), |(i, j)| weights[4 * i + j] / total);
            let found = mutual_information(table.view(), Base::Bits).unwrap();
            prop_assert!(found >= 0.0);
            prop_assert!((found - mutual_information(table.t(), Base::Bits).unwrap()).abs() < 1e-12);
        }
    }
}
