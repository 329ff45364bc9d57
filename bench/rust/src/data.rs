//! The same kinds of data that the Python rows use.

use ndarray::Array2;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use rand_distr::StandardNormal;

/// Rows with a class and a real target each.
pub(crate) struct Made {
    pub(crate) rows: Array2<f64>,
    pub(crate) labels: Vec<usize>,
    pub(crate) targets: Vec<f64>,
}

impl Made {
    /// Groups of normal rows around normal centres.
    pub(crate) fn blobs(rows: usize, columns: usize, groups: usize, spread: f64) -> Self {
        let mut random = StdRng::seed_from_u64(0);
        let centres = Array2::from_shape_fn((groups, columns), |_| 4.0 * normal(&mut random));
        let labels: Vec<usize> = (0..rows).map(|_| random.random_range(0..groups)).collect();
        let rows = Array2::from_shape_fn((rows, columns), |(row, column)| {
            centres[[labels[row], column]] + spread * normal(&mut random)
        });
        let targets = labels.iter().map(|&label| label as f64).collect();
        Self { rows, labels, targets }
    }

    /// A linear function with noise; the class is whether it is positive.
    pub(crate) fn linear(rows: usize, columns: usize) -> Self {
        let mut random = StdRng::seed_from_u64(0);
        let weights: Vec<f64> = (0..columns).map(|_| normal(&mut random)).collect();
        let rows = Array2::from_shape_fn((rows, columns), |_| normal(&mut random));
        let noise = (columns as f64).sqrt() / 2.0;
        let targets: Vec<f64> = rows
            .rows()
            .into_iter()
            .map(|row| row.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>() + noise * normal(&mut random))
            .collect();
        let labels = targets.iter().map(|&target| usize::from(target > 0.0)).collect();
        Self { rows, labels, targets }
    }
}

fn normal(random: &mut StdRng) -> f64 {
    random.sample(StandardNormal)
}
