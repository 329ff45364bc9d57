//! Data that several subjects use.

use didact_core::{Csr, Labels, PartialLabels, Rows, Run};
use didact_datasets::{Dataset, generate};
use didact_math::distance::Metric;
use didact_math::graph::{AffinityGraph, EdgeWeight, Neighbourhood};
use didact_testing::random_matrix;
use ndarray::Array2;

/// A path of nodes with edges of weight one.
pub(crate) fn path(n: usize) -> Csr {
    let edges = |node: usize| {
        let before = node.checked_sub(1).map(|other| (other, 1.0));
        let after = (node + 1 < n).then_some((node + 1, 1.0));
        before.into_iter().chain(after).collect()
    };
    Csr::from_rows(&(0..n).map(edges).collect::<Vec<_>>(), n).unwrap()
}

/// A connected graph of random points, weights by distance.
pub(crate) fn random_graph(n: usize, k: usize, seed: u64) -> Csr {
    let x = random_matrix(n, 2, seed);
    AffinityGraph {
        neighbourhood: Neighbourhood::Nearest { k },
        weight: EdgeWeight::Gaussian { gamma: 0.5 },
        metric: Metric::Euclidean,
    }
    .of_rows(Rows::Dense(x.view()), &Run::new())
    .unwrap()
}

/// The Laplacian D − S, written out.
pub(crate) fn laplacian(graph: &Csr) -> Array2<f64> {
    let weights = graph.view().to_dense();
    let mut laplacian = -&weights;
    for (i, row) in weights.rows().into_iter().enumerate() {
        laplacian[[i, i]] += row.sum();
    }
    laplacian
}

/// Two moons and their labels.
pub(crate) fn moons(n: usize, noise: &str, seed: u64) -> Dataset {
    let size = n.to_string();
    generate("moons", &[("n_samples", &size), ("noise", noise)], seed).unwrap()
}

/// The labels of the first `count` rows of each class, and no other.
pub(crate) fn first_of_each(labels: &Labels, count: usize) -> PartialLabels {
    let mut left = vec![count; labels.classes.len()];
    let keep = |&label: &usize| {
        (left[label] > 0).then(|| {
            left[label] -= 1;
            label
        })
    };
    PartialLabels {
        indices: labels.indices.iter().map(keep).collect(),
        classes: labels.classes.clone(),
    }
}

/// The share of equal labels.
pub(crate) fn accuracy(found: &[usize], truth: &[usize]) -> f64 {
    let right = found.iter().zip(truth).filter(|(a, b)| a == b).count();
    right as f64 / truth.len() as f64
}
