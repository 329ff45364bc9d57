//! Centred and normalised kernel matrices, and their alignment with targets.

use super::mercer::check_square;
use crate::linalg::{scale_columns, scale_rows};
use didact_core::{Error, Result};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// Moves the origin of the feature space to the mean of the training rows, by the kernel alone:
/// k̃(x, z) = k(x, z) − mean k(x, ·) − mean k(·, z) + mean k(·, ·), means over training rows.
///
/// ```
/// use didact_math::kernel::KernelCentring;
/// use ndarray::array;
/// // The linear kernel of the rows 1 and 3, whose mean is 2.
/// let gram = array![[1.0, 3.0], [3.0, 9.0]];
/// let centring = KernelCentring::new(gram.view())?;
/// assert_eq!(centring.centred(gram.view())?, array![[1.0, -1.0], [-1.0, 1.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelCentring {
    means: Array1<f64>,
    total: f64,
}

impl KernelCentring {
    /// Learns the means of a Gram matrix of training rows.
    pub fn new(gram: ArrayView2<'_, f64>) -> Result<Self> {
        check_square(gram)?;
        let means = gram
            .mean_axis(Axis(0))
            .filter(|means| !means.is_empty())
            .ok_or_else(|| Error::data("there are no rows to centre a kernel by; give some"))?;
        let total = means.mean().unwrap_or(0.0);
        Ok(KernelCentring { means, total })
    }

    /// The centred kernel of some rows (queries or the training rows themselves) against the
    /// training rows, a column for each of these.
    pub fn centred(&self, kernel: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        if kernel.ncols() != self.means.len() {
            return Err(Error::data(format!(
                "the kernel matrix has {} columns, but there were {} training rows",
                kernel.ncols(),
                self.means.len()
            )));
        }
        let mut centred = kernel.to_owned();
        for mut row in centred.rows_mut() {
            let mean = row.mean().unwrap_or(0.0);
            row -= &self.means;
            row += self.total - mean;
        }
        Ok(centred)
    }
}

/// The kernel matrix scaled to ones on the diagonal, Kᵢⱼ/√(Kᵢᵢ·Kⱼⱼ): cosines in the space of
/// features.
///
/// Fails where a diagonal entry is not positive, because that row has no direction.
pub fn normalised(gram: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
    check_square(gram)?;
    if let Some((row, value)) = gram
        .diag()
        .iter()
        .enumerate()
        .find(|(_, value)| value.is_nan() || **value <= 0.0)
    {
        return Err(Error::data(format!(
            "row {row} of the kernel matrix has {value} on the diagonal; \
             a normalised kernel needs values greater than 0 there"
        )));
    }
    let scales = gram.diag().mapv(|value| value.sqrt().recip());
    let mut scaled = gram.to_owned();
    scale_rows(scaled.view_mut(), scales.view());
    scale_columns(scaled.view_mut(), scales.view());
    scaled.diag_mut().fill(1.0);
    Ok(scaled)
}

/// How well a kernel agrees with targets of ±1, yᵀKy/(‖y‖²·‖K‖), at most one.
pub fn kernel_alignment(gram: ArrayView2<'_, f64>, targets: ArrayView1<'_, f64>) -> Result<f64> {
    check_square(gram)?;
    if targets.len() != gram.nrows() {
        return Err(Error::data(format!(
            "there are {} targets for a kernel matrix of {} rows; give one per row",
            targets.len(),
            gram.nrows()
        )));
    }
    let agreement = targets.dot(&gram.dot(&targets));
    let size = gram.iter().map(|value| value * value).sum::<f64>().sqrt();
    let scale = targets.dot(&targets) * size;
    match scale > 0.0 {
        true => Ok(agreement / scale),
        false => Err(Error::data(
            "the alignment of a kernel matrix or targets of zeros is undefined",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kernel, kernel_matrix, kernel_matrix_self};
    use super::*;
    use didact_core::{Rows, Run};
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;

    #[test]
    fn centring_the_linear_kernel_is_subtracting_the_mean_of_the_rows() {
        let (x, queries) = (random_matrix(12, 3, 1) + 5.0, random_matrix(4, 3, 2));
        let gram = kernel_matrix_self(Rows::Dense(x.view()), &Kernel::Linear, &Run::new()).unwrap();
        let cross = kernel_matrix(
            Rows::Dense(queries.view()),
            Rows::Dense(x.view()),
            &Kernel::Linear,
            &Run::new(),
        )
        .unwrap();
        let mean = x.mean_axis(Axis(0)).unwrap();
        let (x_centred, queries_centred) = (&x - &mean, &queries - &mean);
        let centring = KernelCentring::new(gram.view()).unwrap();
        let found = centring.centred(gram.view()).unwrap();
        assert_close(&found, &x_centred.dot(&x_centred.t()), 1e-12);
        let found = centring.centred(cross.view()).unwrap();
        assert_close(&found, &queries_centred.dot(&x_centred.t()), 1e-12);
        assert!(centring.centred(array![[1.0]].view()).is_err());
        assert!(KernelCentring::new(Array2::zeros((0, 0)).view()).is_err());
    }

    #[test]
    fn normalising_the_linear_kernel_gives_the_cosines() {
        let x = random_matrix(7, 3, 3);
        let rows = Rows::Dense(x.view());
        let gram = kernel_matrix_self(rows, &Kernel::Linear, &Run::new()).unwrap();
        let cosines = kernel_matrix_self(rows, &Kernel::Cosine, &Run::new()).unwrap();
        assert_close(&normalised(gram.view()).unwrap(), &cosines, 1e-12);
        let error = normalised(array![[1.0, 0.0], [0.0, 0.0]].view())
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("row 1 of the kernel matrix has 0"),
            "{error}"
        );
    }

    #[test]
    fn the_ideal_kernel_is_aligned_perfectly() {
        let y = array![1.0, -1.0, -1.0, 1.0];
        let column = y.view().insert_axis(Axis(1));
        let ideal = column.dot(&column.t());
        assert!((kernel_alignment(ideal.view(), y.view()).unwrap() - 1.0).abs() < 1e-15);
        let identity = kernel_alignment(Array2::eye(4).view(), y.view()).unwrap();
        // yᵀIy/(4·√4) = ½.
        assert!((identity - 0.5).abs() < 1e-15);
        assert!(kernel_alignment(ideal.view(), array![1.0].view()).is_err());
    }
}
