//! The moments of rows that re-estimate Gaussian states.

use super::chain::NEGLIGIBLE;
use super::gaussian::Covariances;
use didact_core::{Result, Run};
use didact_math::linalg::{Accumulate, Cholesky, matmul, matmul_into, symmetric_eigen};
use ndarray::{Array1, Array2, Array3, ArrayView1, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

/// Rows that share one matrix product.
const BLOCK: usize = 256;

/// Weighted moments of the rows about the current means: small differences, so that nothing is
/// lost to cancellation however far the data lie from zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct GaussianMoments {
    /// Σ γ(k)·(x − μ_k) in row k.
    sums: Array2<f64>,
    /// Σ γ(k)·(x − μ_k)(x − μ_k)ᵀ, or only its diagonal as a matrix of one row.
    scatters: Array3<f64>,
    /// Whether the scatters are whole matrices.
    matrices: bool,
}

impl GaussianMoments {
    pub(crate) fn zeros(means: &Array2<f64>, covariances: &Covariances) -> Self {
        let (k, d) = means.dim();
        let matrices = covariances.has_matrices();
        let height = if matrices { d } else { 1 };
        let scatters = Array3::zeros((k, height, d));
        GaussianMoments {
            sums: Array2::zeros((k, d)),
            scatters,
            matrices,
        }
    }

    pub(crate) fn has_shape_of(&self, other: &Self) -> bool {
        self.matrices == other.matrices
            && self.sums.dim() == other.sums.dim()
            && self.scatters.dim() == other.scatters.dim()
    }

    /// Adds moments of the same shape.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.sums += &other.sums;
        self.scatters += &other.scatters;
    }

    /// Adds rows with their state probabilities γ, both row by row.
    pub(crate) fn add(
        &mut self,
        means: &Array2<f64>,
        rows: &[f64],
        posteriors: &[f64],
        run: &Run,
    ) -> Result<()> {
        let (k, d) = means.dim();
        let mut centred = Array2::zeros((BLOCK.min(rows.len() / d), d));
        let mut weighted = centred.clone();
        for (rows, posteriors) in rows.chunks(BLOCK * d).zip(posteriors.chunks(BLOCK * k)) {
            let n = rows.len() / d;
            for state in 0..k {
                run.check()?;
                let mean = means.row(state);
                for row in 0..n {
                    let weight = posteriors[row * k + state];
                    for column in 0..d {
                        let difference = rows[row * d + column] - mean[column];
                        centred[[row, column]] = difference;
                        weighted[[row, column]] = weight * difference;
                    }
                }
                let centred = centred.slice(s![..n, ..]);
                self.add_block(state, centred, weighted.slice(s![..n, ..]));
            }
        }
        Ok(())
    }

    fn add_block(
        &mut self,
        state: usize,
        centred: ArrayView2<'_, f64>,
        weighted: ArrayView2<'_, f64>,
    ) {
        let matrices = self.matrices;
        let mut sums = self.sums.row_mut(state);
        for row in weighted.rows() {
            sums += &row;
        }
        let mut scatter = self.scatters.index_axis_mut(Axis(0), state);
        match matrices {
            true => matmul_into(scatter, weighted.t(), centred, 1.0, Accumulate::Add),
            false => {
                let mut squares = scatter.row_mut(0);
                for (left, right) in weighted.rows().into_iter().zip(centred.rows()) {
                    for column in 0..squares.len() {
                        squares[column] += left[column] * right[column];
                    }
                }
            }
        }
    }

    /// Moves the means and covariances to the maximum of the expected log-likelihood.
    ///
    /// A state without observations keeps its own. No direction gets a variance below `floor`:
    /// raising the smaller eigenvalues to it is the maximum under that condition.
    pub(crate) fn maximise(
        &self,
        occupancy: &[f64],
        floor: f64,
        means: &mut Array2<f64>,
        covariances: &mut Covariances,
    ) -> Result<()> {
        let (k, d) = means.dim();
        let visited = |state: usize| occupancy[state] > NEGLIGIBLE;
        let mut shifts = Array2::zeros((k, d));
        for state in (0..k).filter(|&state| visited(state)) {
            let shift = self.sums.row(state).mapv(|sum| sum / occupancy[state]);
            means
                .row_mut(state)
                .zip_mut_with(&shift, |mean, shift| *mean += shift);
            shifts.row_mut(state).assign(&shift);
        }
        match covariances {
            Covariances::Full(all) => {
                for state in (0..k).filter(|&state| visited(state)) {
                    let scatter = self.centred_scatter(state, occupancy[state], shifts.row(state));
                    let floored = floored_matrix(scatter / occupancy[state], floor)?;
                    all.index_axis_mut(Axis(0), state).assign(&floored);
                }
            }
            Covariances::Tied(common) => {
                let mut scatter = Array2::zeros((d, d));
                for state in (0..k).filter(|&state| visited(state)) {
                    scatter += &self.centred_scatter(state, occupancy[state], shifts.row(state));
                }
                *common = floored_matrix(scatter / occupancy.iter().sum::<f64>(), floor)?;
            }
            Covariances::Diag(all) => {
                for state in (0..k).filter(|&state| visited(state)) {
                    let variances = self.variances(state, occupancy[state], shifts.row(state));
                    all.row_mut(state)
                        .assign(&variances.mapv(|variance| variance.max(floor)));
                }
            }
            Covariances::Spherical(all) => {
                for state in (0..k).filter(|&state| visited(state)) {
                    let variances = self.variances(state, occupancy[state], shifts.row(state));
                    all[state] = (variances.sum() / d as f64).max(floor);
                }
            }
        }
        Ok(())
    }

    /// Σ γ(x − new mean)(x − new mean)ᵀ = S − N·δδᵀ, with δ the shift of the mean.
    fn centred_scatter(
        &self,
        state: usize,
        weight: f64,
        shift: ArrayView1<'_, f64>,
    ) -> Array2<f64> {
        let column = shift.insert_axis(Axis(1));
        let moved = matmul(column, column.t()) * weight;
        let scatter = &self.scatters.index_axis(Axis(0), state) - &moved;
        (&scatter + &scatter.t()) * 0.5
    }

    fn variances(&self, state: usize, weight: f64, shift: ArrayView1<'_, f64>) -> Array1<f64> {
        let squares = self.scatters.slice(s![state, 0, ..]);
        Array1::from_shape_fn(shift.len(), |i| squares[i] / weight - shift[i] * shift[i])
    }
}

/// The matrix with every eigenvalue raised to at least `floor`.
pub(crate) fn floored_matrix(mut matrix: Array2<f64>, floor: f64) -> Result<Array2<f64>> {
    let mut excess = matrix.clone();
    excess.diag_mut().mapv_inplace(|value| value - floor);
    // Most matrices are well above the floor, and a Cholesky factor shows it cheaply.
    if Cholesky::new(excess.view()).is_ok() {
        return Ok(matrix);
    }
    let eigen = symmetric_eigen(matrix.view())?;
    if eigen.values.iter().all(|&value| value >= floor) {
        return Ok(matrix);
    }
    let raised = &eigen.vectors * &eigen.values.mapv(|value| value.max(floor));
    matrix = matmul(raised.view(), eigen.vectors.t());
    Ok((&matrix + &matrix.t()) * 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_floor_raises_only_the_eigenvalues_below_it() {
        // Eigenvalues 2 and 0 along (1,1) and (1,−1); the second becomes 0.5.
        let floored = floored_matrix(array![[1.0, 1.0], [1.0, 1.0]], 0.5).unwrap();
        let expected = array![[1.25, 0.75], [0.75, 1.25]];
        assert!(
            (&floored - &expected)
                .iter()
                .all(|difference| difference.abs() < 1e-12)
        );
        let above = array![[1.0, 0.2], [0.2, 1.0]];
        assert_eq!(floored_matrix(above.clone(), 0.5).unwrap(), above);
    }

    #[test]
    fn a_state_without_items_keeps_its_distribution() {
        let mut means = array![[0.0], [7.0]];
        let mut covariances = Covariances::Diag(array![[1.0], [3.0]]);
        let mut moments = GaussianMoments::zeros(&means, &covariances);
        moments
            .add(&means, &[2.0, 4.0], &[1.0, 0.0, 1.0, 0.0], &Run::new())
            .unwrap();
        moments
            .maximise(&[2.0, 0.0], 1e-6, &mut means, &mut covariances)
            .unwrap();
        assert_eq!(means, array![[3.0], [7.0]]);
        assert_eq!(covariances, Covariances::Diag(array![[1.0], [3.0]]));
    }
}
