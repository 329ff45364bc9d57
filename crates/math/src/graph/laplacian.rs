//! Laplacians of weighted graphs.

use super::components::check_square;
use crate::linalg::sparse_transpose;
use didact_core::{Csr, CsrView, Error, Result};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which Laplacian of a graph with weights S and degrees dᵢ = Σⱼ Sᵢⱼ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LaplacianKind {
    /// D − S: rows sum to zero.
    #[default]
    Unnormalised,
    /// D^−½·(D − S)·D^−½: eigenvalues within [0, 2].
    Symmetric,
    /// D⁻¹·(D − S): rows sum to zero; it has the eigenvalues of the symmetric one.
    RandomWalk,
}

/// The degree of each node: the sum of its weights. Loops, that is the diagonal, do not count.
pub fn degrees(graph: CsrView<'_>) -> Array1<f64> {
    let degree = |row: usize| {
        let (columns, values) = graph.row(row);
        let entries = columns.iter().zip(values);
        entries
            .filter(|(column, _)| **column as usize != row)
            .map(|(_, value)| value)
            .sum()
    };
    (0..graph.n_rows()).map(degree).collect()
}

/// The Laplacian of a symmetric graph with weights not below zero, in time linear in its edges.
///
/// Loops change nothing. The row of a node without edges is zero in every kind, so that it counts
/// as a component of its own.
///
/// ```
/// use didact_core::Csr;
/// use didact_math::graph::{LaplacianKind, laplacian};
/// use ndarray::array;
/// let path = Csr::from_dense(array![[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]].view());
/// let found = laplacian(path.view(), LaplacianKind::Unnormalised)?;
/// let expected = array![[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]];
/// assert_eq!(found.view().to_dense(), expected);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn laplacian(graph: CsrView<'_>, kind: LaplacianKind) -> Result<Csr> {
    check_weights(graph)?;
    let degrees = degrees(graph);
    let n = graph.n_rows();
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        let (row_columns, row_values) = graph.row(i);
        let mut has_diagonal = degrees[i] == 0.0;
        for (&j, &weight) in row_columns.iter().zip(row_values) {
            let j = j as usize;
            if j > i && !has_diagonal {
                columns.push(i as u32);
                values.push(diagonal(degrees[i], kind));
                has_diagonal = true;
            }
            if j != i && weight != 0.0 {
                columns.push(j as u32);
                values.push(-weight * scale(degrees[i], degrees[j], kind));
            }
        }
        if !has_diagonal {
            columns.push(i as u32);
            values.push(diagonal(degrees[i], kind));
        }
        starts.push(columns.len());
    }
    Csr::new(starts, columns, values, n)
}

/// [`laplacian`] of a graph that is written out.
pub fn laplacian_matrix(weights: ArrayView2<'_, f64>, kind: LaplacianKind) -> Result<Array2<f64>> {
    let graph = Csr::from_dense(weights);
    Ok(laplacian(graph.view(), kind)?.view().to_dense())
}

fn diagonal(degree: f64, kind: LaplacianKind) -> f64 {
    match kind {
        LaplacianKind::Unnormalised => degree,
        _ => 1.0,
    }
}

fn scale(degree: f64, other: f64, kind: LaplacianKind) -> f64 {
    match kind {
        LaplacianKind::Unnormalised => 1.0,
        LaplacianKind::Symmetric => (degree.sqrt() * other.sqrt()).recip(),
        LaplacianKind::RandomWalk => degree.recip(),
    }
}

/// How much a function on the nodes varies along the edges:
/// fᵀ·L·f = ½·ΣSᵢⱼ(fᵢ−fⱼ)², or with fᵢ/√dᵢ in place of fᵢ for the symmetric Laplacian. The sum of
/// squares cannot come out negative, unlike the product.
pub fn quadratic_form(
    graph: CsrView<'_>,
    function: ArrayView1<'_, f64>,
    kind: LaplacianKind,
) -> Result<f64> {
    check_weights(graph)?;
    if function.len() != graph.n_rows() {
        return Err(Error::data(format!(
            "the function has {} values for a graph of {} nodes; give one per node",
            function.len(),
            graph.n_rows()
        )));
    }
    let degrees = degrees(graph);
    let value = |i: usize| match kind {
        LaplacianKind::Symmetric if degrees[i] > 0.0 => function[i] / degrees[i].sqrt(),
        LaplacianKind::Symmetric => 0.0,
        _ => function[i],
    };
    if kind == LaplacianKind::RandomWalk {
        return Err(Error::unsupported(
            "the random-walk Laplacian is not symmetric and has no quadratic form; \
             ask for the unnormalised or the symmetric one",
        ));
    }
    let mut sum = 0.0;
    for i in 0..graph.n_rows() {
        let (columns, values) = graph.row(i);
        for (&j, &weight) in columns.iter().zip(values) {
            let difference = value(i) - value(j as usize);
            sum += weight * difference * difference;
        }
    }
    Ok(sum / 2.0)
}

/// Fails unless the weights are finite, not below zero and symmetric up to rounding.
pub(super) fn check_weights(graph: CsrView<'_>) -> Result<()> {
    check_square(graph)?;
    for i in 0..graph.n_rows() {
        let (columns, values) = graph.row(i);
        let is_wrong = |weight: &f64| !(weight.is_finite() && *weight >= 0.0);
        if let Some(place) = values.iter().position(is_wrong) {
            return Err(Error::data(format!(
                "the edge from node {i} to node {} has the weight {}; \
                 weights must be finite and not below 0",
                columns[place], values[place]
            )));
        }
    }
    let reversed = sparse_transpose(graph)?;
    let reversed = reversed.view();
    for i in 0..graph.n_rows() {
        for ((column, weight), other) in entries(graph, i).zip(matching(graph, reversed, i)) {
            if (weight - other).abs() > 1e-9 * weight.max(other) {
                return Err(Error::data(format!(
                    "the edge from node {i} to node {column} weighs {weight} one way and {other} \
                     the other; a Laplacian needs a symmetric graph"
                )));
            }
        }
    }
    Ok(())
}

fn entries<'a>(graph: CsrView<'a>, row: usize) -> impl Iterator<Item = (usize, f64)> + 'a {
    let (columns, values) = graph.row(row);
    columns
        .iter()
        .zip(values)
        .map(|(&column, &value)| (column as usize, value))
}

/// For each entry of a row, the entry of another matrix in the same place, or zero.
fn matching<'a>(
    graph: CsrView<'a>,
    other: CsrView<'a>,
    row: usize,
) -> impl Iterator<Item = f64> + 'a {
    let (columns, values) = other.row(row);
    graph
        .row(row)
        .0
        .iter()
        .map(move |column| match columns.binary_search(column) {
            Ok(place) => values[place],
            Err(_) => 0.0,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::symmetric_eigenvalues;
    use didact_testing::{assert_close, random_matrix, random_sparse};
    use ndarray::array;
    use proptest::prelude::*;

    const KINDS: [LaplacianKind; 3] = [
        LaplacianKind::Unnormalised,
        LaplacianKind::Symmetric,
        LaplacianKind::RandomWalk,
    ];

    fn path() -> Array2<f64> {
        array![[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    }

    /// Symmetric weights with some missing edges.
    fn random_graph(n: usize, seed: u64) -> Array2<f64> {
        let half = random_sparse(n, n, 0.3, seed)
            .view()
            .to_dense()
            .mapv(f64::abs);
        let mut weights = &half + &half.t();
        weights.diag_mut().fill(0.0);
        weights
    }

    #[test]
    fn the_path_and_the_single_edge_have_their_printed_spectra() {
        // 000a:UNS-11 000a:UNS-13 000a:fx-D12.
        let spectrum = |weights: Array2<f64>, kind| {
            symmetric_eigenvalues(laplacian_matrix(weights.view(), kind).unwrap().view()).unwrap()
        };
        let found = spectrum(path(), LaplacianKind::Unnormalised);
        assert_close(&found, &array![3.0, 1.0, 0.0], 1e-12);
        let found = spectrum(path(), LaplacianKind::Symmetric);
        assert_close(&found, &array![2.0, 1.0, 0.0], 1e-12);
        let mut edge = Array2::zeros((4, 4));
        edge[[0, 1]] = 1.0;
        edge[[1, 0]] = 1.0;
        for kind in [LaplacianKind::Unnormalised, LaplacianKind::Symmetric] {
            assert_close(
                &spectrum(edge.clone(), kind),
                &array![2.0, 0.0, 0.0, 0.0],
                1e-12,
            );
        }
        // 000a:fx-T9: the printed matrix is an affinity, whose own eigenvalues are 2, 1, 1, 0.
        let mut affinity = edge.clone();
        affinity.diag_mut().fill(1.0);
        let found = symmetric_eigenvalues(affinity.view()).unwrap();
        assert_close(&found, &array![2.0, 1.0, 1.0, 0.0], 1e-12);
        // Its loops change nothing in the Laplacian.
        for kind in KINDS {
            let (with, without) = (
                laplacian_matrix(affinity.view(), kind),
                laplacian_matrix(edge.view(), kind),
            );
            assert_eq!(with.unwrap(), without.unwrap());
        }
    }

    #[test]
    fn the_normalised_path_is_that_of_scipy() {
        // scipy.sparse.csgraph.laplacian(path, normed=True): −1/√2 beside a diagonal of ones.
        let found = laplacian_matrix(path().view(), LaplacianKind::Symmetric).unwrap();
        let root = -std::f64::consts::FRAC_1_SQRT_2;
        let expected = array![[1.0, root, 0.0], [root, 1.0, root], [0.0, root, 1.0]];
        assert_close(&found, &expected, 1e-15);
    }

    #[test]
    fn nodes_without_edges_have_rows_of_zeros() {
        // 000a:UNS-13: D^−½ of a degree of zero must not become infinite.
        let mut weights = Array2::zeros((3, 3));
        weights[[0, 1]] = 2.0;
        weights[[1, 0]] = 2.0;
        for kind in KINDS {
            let found = laplacian_matrix(weights.view(), kind).unwrap();
            assert!(
                found
                    .row(2)
                    .iter()
                    .chain(found.column(2))
                    .all(|&value| value == 0.0)
            );
            assert!(found.iter().all(|value| value.is_finite()));
        }
    }

    #[test]
    fn weights_that_are_negative_or_differ_by_direction_are_refused() {
        let complain = |weights: Array2<f64>| {
            laplacian_matrix(weights.view(), LaplacianKind::Symmetric)
                .unwrap_err()
                .to_string()
        };
        let negative = complain(array![[0.0, -1.0], [-1.0, 0.0]]);
        assert!(negative.starts_with("the edge from node 0 to node 1 has the weight -1"));
        let lopsided = complain(array![[0.0, 1.0], [2.0, 0.0]]);
        assert!(
            lopsided.contains("weighs 1 one way and 2 the other"),
            "{lopsided}"
        );
        assert!(complain(array![[0.0, 1.0], [0.0, 0.0]]).contains("symmetric"));
        assert!(complain(array![[0.0, 1.0]]).contains("square"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn laplacian_facts_hold_on_random_graphs(n in 2usize..20, seed: u64) {
            // 000a:UNS-10 000a:UNS-11 000a:UNS-13.
            let weights = random_graph(n, seed);
            let graph = Csr::from_dense(weights.view());
            let f = random_matrix(n, 1, seed ^ 1).column(0).to_owned();
            for kind in KINDS {
                let matrix = laplacian_matrix(weights.view(), kind).unwrap();
                if kind != LaplacianKind::Symmetric {
                    let largest = matrix.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                    prop_assert!(matrix.sum_axis(ndarray::Axis(1)).iter().all(|x| x.abs() <= 1e-13 * largest));
                }
                if kind == LaplacianKind::RandomWalk {
                    prop_assert!(quadratic_form(graph.view(), f.view(), kind).is_err());
                    continue;
                }
                let form = quadratic_form(graph.view(), f.view(), kind).unwrap();
                let product = f.dot(&matrix.dot(&f));
                prop_assert!(form >= 0.0);
                prop_assert!((form - product).abs() <= 1e-12 * (1.0 + product.abs()));
                let values = symmetric_eigenvalues(matrix.view()).unwrap();
                prop_assert!(values[n - 1].abs() <= 1e-12 * (1.0 + values[0]));
                if kind == LaplacianKind::Symmetric {
                    prop_assert!(values[0] <= 2.0 + 1e-12);
                    // The vector D^½·1 belongs to the eigenvalue 0.
                    let root = degrees(graph.view()).mapv(f64::sqrt);
                    prop_assert!(matrix.dot(&root).iter().all(|x| x.abs() < 1e-12));
                }
            }
        }
    }
}
