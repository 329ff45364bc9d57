//! Leave-one-out of least squares without n fits.

use didact_core::{Error, Measured, Result};
use didact_math::linalg::thin_svd;
use ndarray::{Array2, s};

/// The error of each row when least squares with an intercept is fitted on all others:
/// eᵢ/(1 − hᵢᵢ), with e the residuals of one fit on all rows and H = X(XᵀX)⁺Xᵀ its hat matrix.
///
/// A row that no other row can stand in for (hᵢᵢ = 1) has no such error and is refused.
///
/// ```
/// use didact_core::Measured;
/// let x = ndarray::array![[1.0], [2.0], [3.0]];
/// let errors = didact_evaluate::leave_one_out_residuals(&Measured::new(&x, &[1.0, 2.0, 4.0])?)?;
/// // The line through the other two rows predicts 0, 2.5 and 3.
/// assert!((errors[[0, 0]] - 1.0).abs() < 1e-12);
/// assert!((errors[[1, 0]] + 0.5).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn leave_one_out_residuals(data: &Measured<'_>) -> Result<Array2<f64>> {
    let rows = data.samples.dense()?;
    if data.samples.weights().is_some() {
        return Err(Error::unsupported(
            "the closed form of leave-one-out does not take sample weights",
        ));
    }
    if rows.nrows() < 2 {
        return Err(Error::data("leave-one-out needs at least two rows"));
    }
    let mut design = Array2::ones((rows.nrows(), rows.ncols() + 1));
    design.slice_mut(s![.., 1..]).assign(&rows);
    let svd = thin_svd(design.view())?;
    let largest = svd.singular_values.iter().copied().fold(0.0, f64::max);
    let tiny = largest * f64::EPSILON * rows.nrows().max(rows.ncols()) as f64;
    let rank = svd
        .singular_values
        .iter()
        .filter(|&&value| value > tiny)
        .count();
    let basis = svd.u.slice(s![.., ..rank]);
    let mut residuals = &data.targets - &basis.dot(&basis.t().dot(&data.targets));
    for (row, mut errors) in residuals.rows_mut().into_iter().enumerate() {
        let leverage: f64 = basis.row(row).iter().map(|value| value * value).sum();
        if 1.0 - leverage < 1e-10 {
            return Err(Error::data(format!(
                "row {row} cannot be left out: no other row says anything about a direction it has alone; use fewer columns"
            )));
        }
        errors /= 1.0 - leverage;
    }
    Ok(residuals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_math::linalg::pseudo_solve;

    // 002a:BP12c: the closed form equals n fits on n − 1 rows each.
    #[test]
    fn one_fit_tells_what_n_fits_would() {
        let rows = Array2::from_shape_fn((15, 3), |(i, j)| {
            ((i * 7 + j * 13) % 11) as f64 + 0.1 * i as f64
        });
        let targets: Vec<f64> = (0..15).map(|i| ((i * i) % 7) as f64).collect();
        let errors = leave_one_out_residuals(&Measured::new(&rows, &targets).unwrap()).unwrap();
        for left_out in 0..15 {
            let others: Vec<usize> = (0..15).filter(|&row| row != left_out).collect();
            let mut design = Array2::ones((14, 4));
            design
                .slice_mut(s![.., 1..])
                .assign(&rows.select(ndarray::Axis(0), &others));
            let y = Array2::from_shape_fn((14, 1), |(i, _)| targets[others[i]]);
            let gram = design.t().dot(&design);
            let weights = pseudo_solve(gram.view(), design.t().dot(&y).view(), None)
                .unwrap()
                .solution;
            let predicted = weights[[0, 0]]
                + (0..3)
                    .map(|j| weights[[j + 1, 0]] * rows[[left_out, j]])
                    .sum::<f64>();
            assert!((errors[[left_out, 0]] - (targets[left_out] - predicted)).abs() < 1e-8);
        }
    }

    #[test]
    fn a_row_that_stands_alone_is_named() {
        let rows = ndarray::array![[0.0], [0.0], [1.0]];
        let error = leave_one_out_residuals(&Measured::new(&rows, &[1.0, 2.0, 3.0]).unwrap());
        assert!(
            error
                .unwrap_err()
                .to_string()
                .contains("row 2 cannot be left out")
        );
    }
}
