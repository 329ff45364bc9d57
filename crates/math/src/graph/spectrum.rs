//! The smooth end of the spectrum of a graph.

use super::laplacian::{LaplacianKind, degrees, laplacian};
use crate::linalg::{Eigen, ExtremeEigenOptions, SpectrumEnd, extreme_eigen};
use didact_core::random::generator;
use didact_core::{CsrView, Error, Result, Run};
use ndarray::{Array1, ArrayView1, ArrayView2, Axis};

/// The `count` smallest eigenvalues of a Laplacian in rising order, and their vectors φ as
/// columns: the smoothest functions on the graph.
///
/// The eigenvalue zero comes once per connected component; its vectors span the indicators of
/// the components but are only determined up to rotation. The vectors have length one; those of
/// the random walk are D^−½ times those of the symmetric Laplacian, scaled. Found through
/// products with the sparse matrix alone (see [`extreme_eigen`]); small graphs are decomposed.
///
/// ```
/// use didact_core::{Csr, Run};
/// use didact_math::graph::{LaplacianKind, graph_spectrum};
/// use ndarray::array;
/// let path = Csr::from_dense(array![[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]].view());
/// let spectrum = graph_spectrum(path.view(), LaplacianKind::Unnormalised, 2, &Run::new())?;
/// assert!(spectrum.values[0].abs() < 1e-14 && (spectrum.values[1] - 1.0).abs() < 1e-14);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn graph_spectrum(
    graph: CsrView<'_>,
    kind: LaplacianKind,
    count: usize,
    run: &Run,
) -> Result<Eigen> {
    let symmetric = match kind {
        LaplacianKind::Unnormalised => LaplacianKind::Unnormalised,
        _ => LaplacianKind::Symmetric,
    };
    let matrix = laplacian(graph, symmetric)?;
    let matrix = matrix.view();
    let apply = |v: &[f64], output: &mut [f64]| {
        for (row, output) in output.iter_mut().enumerate() {
            let (columns, values) = matrix.row(row);
            let terms = columns.iter().zip(values);
            *output = terms
                .map(|(&column, value)| value * v[column as usize])
                .sum();
        }
        Ok(())
    };
    let options = ExtremeEigenOptions::new(count, SpectrumEnd::Smallest);
    // Any start finds the same spectrum; a fixed one makes the vectors repeatable.
    let mut generator = generator(0, 0);
    let mut eigen = extreme_eigen(graph.n_rows(), apply, options, &mut generator, run)?;
    // Laplacians are positive semidefinite; what is below zero is rounding.
    eigen.values.mapv_inplace(|value| value.max(0.0));
    if kind == LaplacianKind::RandomWalk {
        let scales = degrees(graph).mapv(|degree| match degree > 0.0 {
            true => degree.sqrt().recip(),
            false => 1.0,
        });
        eigen.vectors *= &scales.insert_axis(Axis(1));
        for mut vector in eigen.vectors.columns_mut() {
            let length = vector.dot(&vector).sqrt();
            vector.mapv_inplace(|value| value / length);
        }
    }
    Ok(eigen)
}

/// The coefficients α = Φᵀ·f of a function on the nodes in a basis of eigenvectors (columns of
/// Φ): f = Σαᵢφᵢ where the basis is complete, and fᵀLf = Σλᵢαᵢ².
pub fn spectral_coefficients(
    vectors: ArrayView2<'_, f64>,
    function: ArrayView1<'_, f64>,
) -> Result<Array1<f64>> {
    match vectors.nrows() == function.len() {
        true => Ok(function.dot(&vectors)),
        false => Err(Error::data(format!(
            "the function has {} values but the eigenvectors {}; give one per node",
            function.len(),
            vectors.nrows()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        AffinityGraph, EdgeWeight, Neighbourhood, connected_components, quadratic_form,
    };
    use super::*;
    use didact_core::{Csr, Rows};
    use didact_testing::{assert_close, random_matrix};
    use ndarray::{Array2, array};

    const KINDS: [LaplacianKind; 3] = [
        LaplacianKind::Unnormalised,
        LaplacianKind::Symmetric,
        LaplacianKind::RandomWalk,
    ];

    #[test]
    fn zero_comes_once_per_component_and_its_vectors_are_constant_there() {
        // 000a:UNS-11: connected means that zero is simple, not that it occurs.
        for n in [60, 600] {
            let mut x = random_matrix(n, 2, 1);
            for (i, mut row) in x.rows_mut().into_iter().enumerate() {
                row += (i % 3) as f64 * 100.0;
            }
            let graph = AffinityGraph {
                neighbourhood: Neighbourhood::Nearest { k: 8 },
                weight: EdgeWeight::Gaussian { gamma: 0.5 },
                ..AffinityGraph::default()
            };
            let weights = graph.of_rows(Rows::Dense(x.view()), &Run::new()).unwrap();
            let parts = connected_components(weights.view()).unwrap();
            assert_eq!(parts.count, 3);
            for kind in [LaplacianKind::Unnormalised, LaplacianKind::RandomWalk] {
                let spectrum = graph_spectrum(weights.view(), kind, 5, &Run::new()).unwrap();
                let zeros = spectrum
                    .values
                    .iter()
                    .filter(|value| **value < 1e-9)
                    .count();
                assert_eq!(zeros, 3, "{kind:?} {}", spectrum.values);
                for vector in spectrum.vectors.columns().into_iter().take(3) {
                    for i in 3..n {
                        assert!((vector[i] - vector[i % 3]).abs() < 1e-6, "{kind:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn smoothness_is_the_sum_over_the_spectrum() {
        // 000a:SSL-10: L = ΦΛΦᵀ with φ as columns, α = Φᵀf; printed with Φ and Φᵀ exchanged.
        let weights = array![
            [0.0, 1.0, 0.5, 0.0],
            [1.0, 0.0, 2.0, 0.0],
            [0.5, 2.0, 0.0, 0.25],
            [0.0, 0.0, 0.25, 0.0]
        ];
        let graph = Csr::from_dense(weights.view());
        let f = array![1.0, -0.5, 2.0, 0.75];
        for kind in [LaplacianKind::Unnormalised, LaplacianKind::Symmetric] {
            let spectrum = graph_spectrum(graph.view(), kind, 4, &Run::new()).unwrap();
            let alpha = spectral_coefficients(spectrum.vectors.view(), f.view()).unwrap();
            let by_spectrum: f64 = spectrum
                .values
                .iter()
                .zip(&alpha)
                .map(|(l, a)| l * a * a)
                .sum();
            let direct = quadratic_form(graph.view(), f.view(), kind).unwrap();
            assert!((by_spectrum - direct).abs() < 1e-12);
            assert_close(&spectrum.vectors.dot(&alpha), &f, 1e-12);
        }
        assert!(spectral_coefficients(Array2::eye(3).view(), f.view()).is_err());
    }

    #[test]
    fn every_kind_satisfies_its_own_equation() {
        let x = random_matrix(400, 2, 2);
        let graph = AffinityGraph {
            neighbourhood: Neighbourhood::Nearest { k: 6 },
            ..AffinityGraph::default()
        };
        let weights = graph.of_rows(Rows::Dense(x.view()), &Run::new()).unwrap();
        for kind in KINDS {
            let spectrum = graph_spectrum(weights.view(), kind, 4, &Run::new()).unwrap();
            let matrix = laplacian(weights.view(), kind).unwrap().view().to_dense();
            let residual = matrix.dot(&spectrum.vectors) - &spectrum.vectors * &spectrum.values;
            assert!(residual.iter().all(|value| value.abs() < 1e-8), "{kind:?}");
            assert!(
                spectrum
                    .values
                    .windows(2)
                    .into_iter()
                    .all(|pair| pair[0] <= pair[1] + 1e-12)
            );
        }
    }
}
