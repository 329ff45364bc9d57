//! Random probabilities and places for states to start from.

use didact_core::random::{Generator, generator};
use didact_core::{Result, Rows, Run};
use didact_math::distance::nearest_center;
use ndarray::{Array2, Axis};
use rand::RngExt;

/// k-means only has to get near: Baum–Welch moves the means anyway.
const CLUSTERING_ROUNDS: usize = 30;

/// Rows of random probabilities, zero where not allowed: equal rows would never part.
pub(crate) fn random_rows(
    height: usize,
    width: usize,
    generator: &mut Generator,
    allowed: &dyn Fn(usize, usize) -> bool,
) -> Array2<f64> {
    let mut rows = Array2::zeros((height, width));
    for ((row, column), value) in rows.indexed_iter_mut() {
        // An exponential variable, kept away from zero so that no state starts out dead.
        let uniform: f64 = generator.random();
        *value = if allowed(row, column) {
            0.5 - (1.0 - uniform).ln()
        } else {
            0.0
        };
    }
    normalised(rows)
}

/// Rows of equal probabilities, zero where not allowed.
pub(crate) fn equal_rows(
    height: usize,
    width: usize,
    _: &mut Generator,
    allowed: &dyn Fn(usize, usize) -> bool,
) -> Array2<f64> {
    let rows = Array2::from_shape_fn((height, width), |(row, column)| {
        f64::from(u8::from(allowed(row, column)))
    });
    normalised(rows)
}

fn normalised(mut rows: Array2<f64>) -> Array2<f64> {
    for mut row in rows.rows_mut() {
        let sum = row.sum();
        row /= sum;
    }
    rows
}

/// Rows drawn at random, each at most once while there are enough.
pub(crate) fn random_means(rows: &Array2<f64>, k: usize, seed: u64) -> Array2<f64> {
    let generator = &mut generator(seed, 1);
    let mut places: Vec<usize> = (0..rows.nrows()).collect();
    let chosen: Vec<usize> = (0..k)
        .map(|taken| match places.is_empty() {
            true => taken % rows.nrows(),
            false => places.swap_remove(generator.random_range(0..places.len())),
        })
        .collect();
    rows.select(Axis(0), &chosen)
}

/// Rows far from each other: each next one is drawn with a chance proportional to its squared
/// distance from those before (k-means++).
pub(crate) fn spread_rows(rows: &Array2<f64>, k: usize, seed: u64) -> Array2<f64> {
    let generator = &mut generator(seed, 1);
    let squared = |a: usize, b: usize| -> f64 {
        rows.row(a)
            .iter()
            .zip(rows.row(b))
            .map(|(x, y)| (x - y) * (x - y))
            .sum()
    };
    let mut chosen = vec![generator.random_range(0..rows.nrows())];
    let mut nearest = vec![f64::INFINITY; rows.nrows()];
    while chosen.len() < k {
        let newest = chosen[chosen.len() - 1];
        for (row, distance) in nearest.iter_mut().enumerate() {
            *distance = distance.min(squared(row, newest));
        }
        let total: f64 = nearest.iter().sum();
        let mut place = generator.random::<f64>() * total;
        let found = nearest.iter().position(|distance| {
            place -= distance;
            place < 0.0
        });
        chosen.push(found.unwrap_or_else(|| generator.random_range(0..rows.nrows())));
    }
    rows.select(Axis(0), &chosen)
}

/// Moves centres to the means of the rows nearest to them until nothing changes.
pub(crate) fn cluster(
    rows: &Array2<f64>,
    mut centers: Array2<f64>,
    run: &Run,
) -> Result<Array2<f64>> {
    let mut labels = Vec::new();
    for _ in 0..CLUSTERING_ROUNDS {
        run.check()?;
        let found = nearest_center(Rows::Dense(rows.view()), centers.view(), run)?;
        if found.labels == labels {
            break;
        }
        labels = found.labels;
        let mut counts = vec![0.0; centers.nrows()];
        let mut moves = Array2::zeros(centers.dim());
        for (row, &label) in rows.rows().into_iter().zip(&labels) {
            counts[label] += 1.0;
            let mut target = moves.row_mut(label);
            target += &(&row - &centers.row(label));
        }
        for (label, count) in counts
            .into_iter()
            .enumerate()
            .filter(|(_, count)| *count > 0.0)
        {
            let mut center = centers.row_mut(label);
            center.scaled_add(1.0 / count, &moves.row(label));
        }
    }
    Ok(centers)
}
