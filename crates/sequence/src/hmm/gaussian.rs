//! Gaussian emissions: covariances, and the densities of rows under every state.

use super::parameters::CovarianceType;
use didact_core::model::ensure_consistent;
use didact_core::{Error, Result, Run};
use didact_math::linalg::Cholesky;
use ndarray::{Array1, Array2, Array3, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// Rows that are evaluated side by side, one per lane.
const LANES: usize = 8;

/// The covariances of the states, no more of them than the type needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Covariances {
    /// One matrix per state.
    Full(Array3<f64>),
    /// One matrix for all.
    Tied(Array2<f64>),
    /// One row of variances per state.
    Diag(Array2<f64>),
    /// One variance per state.
    Spherical(Array1<f64>),
}

impl Covariances {
    /// The same covariance for every state, simplified to what the type can express.
    pub(crate) fn common(kind: CovarianceType, covariance: &Array2<f64>, n_states: usize) -> Self {
        let variances = covariance.diag().to_owned();
        let d = variances.len();
        match kind {
            CovarianceType::Full => {
                let all = covariance
                    .broadcast((n_states, d, d))
                    .expect("one matrix repeated");
                Covariances::Full(all.to_owned())
            }
            CovarianceType::Tied => Covariances::Tied(covariance.clone()),
            CovarianceType::Diag => {
                let all = variances
                    .broadcast((n_states, d))
                    .expect("one row repeated");
                Covariances::Diag(all.to_owned())
            }
            CovarianceType::Spherical => {
                Covariances::Spherical(Array1::from_elem(n_states, variances.sum() / d as f64))
            }
        }
    }

    /// Number of free parameters.
    pub(crate) fn n_parameters(&self, n_states: usize, n_features: usize) -> usize {
        let triangle = n_features * (n_features + 1) / 2;
        match self {
            Covariances::Full(_) => n_states * triangle,
            Covariances::Tied(_) => triangle,
            Covariances::Diag(_) => n_states * n_features,
            Covariances::Spherical(_) => n_states,
        }
    }

    /// The covariance matrix of a state written out.
    pub(crate) fn matrix(&self, state: usize, n_features: usize) -> Array2<f64> {
        match self {
            Covariances::Full(all) => all.index_axis(Axis(0), state).to_owned(),
            Covariances::Tied(common) => common.clone(),
            Covariances::Diag(all) => Array2::from_diag(&all.row(state)),
            Covariances::Spherical(all) => Array2::eye(n_features) * all[state],
        }
    }

    /// Whether full matrices have to be learned.
    pub(crate) fn has_matrices(&self) -> bool {
        matches!(self, Covariances::Full(_) | Covariances::Tied(_))
    }

    /// Fails unless the shapes suit the means and every covariance is positive definite.
    pub(crate) fn validate(&self, n_states: usize, n_features: usize) -> Result<()> {
        let (k, d) = (n_states, n_features);
        let positive = |value: &f64| *value > 0.0 && value.is_finite();
        match self {
            Covariances::Full(all) => {
                ensure_consistent(all.dim() == (k, d, d))?;
                all.outer_iter().try_for_each(check_matrix)
            }
            Covariances::Tied(common) => {
                ensure_consistent(common.dim() == (d, d))?;
                check_matrix(common.view())
            }
            Covariances::Diag(all) => {
                ensure_consistent(all.dim() == (k, d) && all.iter().all(positive))
            }
            Covariances::Spherical(all) => {
                ensure_consistent(all.len() == k && all.iter().all(positive))
            }
        }
    }
}

fn check_matrix(matrix: ArrayView2<'_, f64>) -> Result<()> {
    let largest = matrix
        .iter()
        .fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let symmetric = matrix
        .indexed_iter()
        .all(|((i, j), value)| (value - matrix[[j, i]]).abs() <= 1e-9 * largest);
    if !symmetric {
        return Err(Error::data("a covariance matrix is not symmetric"));
    }
    Cholesky::new(matrix).map(|_| ())
}

/// The density of one state, ready to be evaluated.
#[derive(Clone, Debug)]
struct Density {
    mean: Vec<f64>,
    factor: Factor,
    /// −½(d·ln 2π + ln |Σ|).
    log_constant: f64,
}

#[derive(Clone, Debug)]
enum Factor {
    /// The Cholesky factor L of Σ = L·Lᵀ in C order, and 1/L_ii.
    Lower {
        lower: Vec<f64>,
        inverse_diagonal: Vec<f64>,
    },
    /// 1/σ of each column.
    Diagonal { inverse_deviations: Vec<f64> },
}

/// The densities of all states.
#[derive(Clone, Debug)]
pub(crate) struct Densities {
    n_features: usize,
    states: Vec<Density>,
}

impl Densities {
    pub(crate) fn new(means: &Array2<f64>, covariances: &Covariances) -> Result<Self> {
        let (k, d) = means.dim();
        let half_log_tau = 0.5 * d as f64 * std::f64::consts::TAU.ln();
        let diagonal = |variances: Vec<f64>| {
            let log_determinant: f64 = variances.iter().map(|variance| variance.ln()).sum();
            let inverse_deviations = variances.iter().map(|v| v.sqrt().recip()).collect();
            (Factor::Diagonal { inverse_deviations }, log_determinant)
        };
        let full = |matrix: ArrayView2<'_, f64>| -> Result<(Factor, f64)> {
            let (cholesky, _) = Cholesky::with_jitter(matrix)?;
            let inverse_diagonal = cholesky.lower().diag().iter().map(|v| v.recip()).collect();
            let lower = cholesky.lower().iter().copied().collect();
            Ok((
                Factor::Lower {
                    lower,
                    inverse_diagonal,
                },
                cholesky.log_determinant(),
            ))
        };
        let common = match covariances {
            Covariances::Tied(matrix) => Some(full(matrix.view())?),
            _ => None,
        };
        let states = (0..k).map(|state| {
            let (factor, log_determinant) = match covariances {
                Covariances::Full(all) => full(all.index_axis(Axis(0), state))?,
                Covariances::Tied(_) => common.clone().expect("it was factored above"),
                Covariances::Diag(all) => diagonal(all.row(state).to_vec()),
                Covariances::Spherical(all) => diagonal(vec![all[state]; d]),
            };
            let log_constant = -half_log_tau - 0.5 * log_determinant;
            Ok(Density {
                mean: means.row(state).to_vec(),
                factor,
                log_constant,
            })
        });
        Ok(Densities {
            n_features: d,
            states: states.collect::<Result<_>>()?,
        })
    }

    pub(crate) fn n_features(&self) -> usize {
        self.n_features
    }

    /// Writes the log-density of every row under every state, row by row.
    ///
    /// Every lane does the arithmetic of its own row in a fixed order, so a row's densities do
    /// not depend on its neighbours.
    pub(crate) fn log_densities(&self, rows: &[f64], output: &mut [f64], run: &Run) -> Result<()> {
        let (d, k) = (self.n_features, self.states.len());
        let mut lanes = vec![[0.0; LANES]; d];
        let mut whitened = vec![[0.0; LANES]; d];
        let blocks = rows.chunks(LANES * d).zip(output.chunks_mut(LANES * k));
        for (block, (rows, output)) in blocks.enumerate() {
            if block % 32 == 0 {
                run.check()?;
            }
            for (lane, row) in rows.chunks_exact(d).enumerate() {
                for (column, &value) in row.iter().enumerate() {
                    lanes[column][lane] = value;
                }
            }
            for (state, density) in self.states.iter().enumerate() {
                let squares = density.squared_lengths(&lanes, &mut whitened);
                for (values, square) in output.chunks_exact_mut(k).zip(squares) {
                    let value = density.log_constant - 0.5 * square;
                    // Differences that overflow are infinitely improbable, not undefined.
                    values[state] = if value.is_nan() {
                        f64::NEG_INFINITY
                    } else {
                        value
                    };
                }
            }
        }
        Ok(())
    }
}

impl Density {
    /// The squared Mahalanobis distance of each lane's row from the mean.
    fn squared_lengths(
        &self,
        rows: &[[f64; LANES]],
        whitened: &mut [[f64; LANES]],
    ) -> [f64; LANES] {
        let d = self.mean.len();
        let mut squares = [0.0; LANES];
        for i in 0..d {
            let mut value = rows[i];
            value.iter_mut().for_each(|value| *value -= self.mean[i]);
            let scale = match &self.factor {
                Factor::Diagonal { inverse_deviations } => inverse_deviations[i],
                Factor::Lower {
                    lower,
                    inverse_diagonal,
                } => {
                    // Forward substitution: z_i = (x_i − μ_i − Σ_{j<i} L_ij·z_j) / L_ii.
                    for (factor, known) in lower[i * d..i * d + i].iter().zip(whitened.iter()) {
                        for lane in 0..LANES {
                            value[lane] -= factor * known[lane];
                        }
                    }
                    inverse_diagonal[i]
                }
            };
            for lane in 0..LANES {
                value[lane] *= scale;
                squares[lane] += value[lane] * value[lane];
            }
            whitened[i] = value;
        }
        squares
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn densities_are_those_of_the_formula_for_every_covariance_type() {
        let means = array![[1.0, -1.0]];
        let rows = [0.0, 1.0];
        let density = |covariances: Covariances| {
            let mut output = [0.0];
            Densities::new(&means, &covariances)
                .unwrap()
                .log_densities(&rows, &mut output, &Run::new())
                .unwrap();
            output[0]
        };
        // 000b:TV-20: μ=(1,−1), Σ=[[2,.5],[.5,1]], x=(0,1): log −5.26054210323.
        let matrix = array![[2.0, 0.5], [0.5, 1.0]];
        let full = density(Covariances::Full(matrix.clone().insert_axis(Axis(0))));
        assert!((full + 5.260_542_103_23).abs() < 1e-10);
        assert_eq!(density(Covariances::Tied(matrix)), full);
        // −ln 2π − ½ ln 2 − ½(1/2 + 4/1).
        let diagonal = -std::f64::consts::TAU.ln() - 0.5 * 2.0_f64.ln() - 2.25;
        assert!((density(Covariances::Diag(array![[2.0, 1.0]])) - diagonal).abs() < 1e-12);
        // −ln 2π − ln 2 − ½·5/2.
        let spherical = -std::f64::consts::TAU.ln() - 2.0_f64.ln() - 1.25;
        assert!((density(Covariances::Spherical(array![2.0])) - spherical).abs() < 1e-12);
    }

    #[test]
    fn rows_that_overflow_are_infinitely_improbable_not_undefined() {
        let matrix = array![[[1.0, 0.5], [0.5, 1.0]]];
        let densities = Densities::new(&array![[0.0, 0.0]], &Covariances::Full(matrix)).unwrap();
        let mut output = [0.0; 2];
        let rows = [1e308, 1e308, -1e308, 1e308];
        densities
            .log_densities(&rows, &mut output, &Run::new())
            .unwrap();
        assert_eq!(output, [f64::NEG_INFINITY; 2]);
    }
}
