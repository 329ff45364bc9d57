//! Signs of components, which the mathematics leaves open.

use ndarray::ArrayViewMut2;

/// Turns each component (a row) so that its entry of largest magnitude is positive, the first
/// such entry where several are equally large, and turns the matching column of `partner` along.
///
/// ```
/// use ndarray::array;
/// let mut components = array![[0.6, -0.8], [0.8, 0.6]];
/// let mut scores = array![[1.0, 2.0]];
/// didact_math::linalg::fix_signs(components.view_mut(), Some(scores.view_mut()));
/// assert_eq!(components, array![[-0.6, 0.8], [0.8, 0.6]]);
/// assert_eq!(scores, array![[-1.0, 2.0]]);
/// ```
///
/// # Panics
/// When the partner has fewer columns than there are components.
pub fn fix_signs(mut components: ArrayViewMut2<'_, f64>, partner: Option<ArrayViewMut2<'_, f64>>) {
    let mut partner = partner;
    for (index, mut component) in components.rows_mut().into_iter().enumerate() {
        let largest = component.iter().fold(0.0_f64, |largest, &value| {
            if value.abs() > largest.abs() {
                value
            } else {
                largest
            }
        });
        if largest < 0.0 {
            component.mapv_inplace(|value| -value);
            if let Some(partner) = &mut partner {
                partner.column_mut(index).mapv_inplace(|value| -value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_first_of_equally_large_entries_decides() {
        let mut components = array![[-0.5, 0.5], [0.5, -0.5], [0.0, 0.0]];
        fix_signs(components.view_mut(), None);
        assert_eq!(components, array![[0.5, -0.5], [0.5, -0.5], [0.0, 0.0]]);
    }

    #[test]
    fn eigenvectors_as_columns_are_fixed_through_the_transpose() {
        let mut vectors = array![[-1.0, 0.0], [0.0, 1.0]];
        fix_signs(vectors.view_mut().reversed_axes(), None);
        assert_eq!(vectors, array![[1.0, 0.0], [0.0, 1.0]]);
    }
}
