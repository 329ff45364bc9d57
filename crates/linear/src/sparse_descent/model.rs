//! The minimum of the second-order model, coordinate by coordinate.

use super::columns::{Column, Product};
use super::{Slopes, SparseProblem, State};
use didact_core::{Result, Run};
use ndarray::{Array2, ArrayView1};

/// The model is solved to this share of the first violation: the next model differs anyway.
const ACCURACY: f64 = 1e-3;

/// At most this many sweeps over a small matrix, or over the columns themselves.
const MOST_SWEEPS: usize = 1000;
const MOST_COLUMN_SWEEPS: usize = 30;

/// Curvatures below this share of the largest are lifted to it; the line search forgives it.
const LEAST_BEND: f64 = 1e-14;

/// The change of the weights, and what it does to the scores.
pub(super) fn minimise(
    problem: &SparseProblem<'_, '_>,
    state: &State,
    slopes: &Slopes,
    run: &Run,
) -> Result<(Vec<f64>, Vec<f64>)> {
    match problem
        .columns
        .product(&slopes.bends, problem.constant, run)?
    {
        Product::Matrix(matrix) => {
            let change = by_matrix(problem, state, slopes, &matrix, run)?;
            let ahead = problem.columns.scores(&change, problem.constant, run)?;
            Ok((change, ahead))
        }
        Product::Each(column) => by_columns(problem, state, slopes, column, run),
    }
}

/// The best value of a weight whose model has this slope and curvature at its present value.
#[inline]
fn best(weight: f64, slope: f64, bend: f64, price: f64) -> f64 {
    let free = weight - slope / bend;
    let threshold = price / bend;
    match free.abs() > threshold {
        true => free - threshold.copysign(free),
        false => 0.0,
    }
}

/// How far the slope is from what the price holds.
#[inline]
fn violation(weight: f64, slope: f64, price: f64) -> f64 {
    match weight == 0.0 {
        true => (slope.abs() - price).max(0.0),
        false => (slope + price.copysign(weight)).abs(),
    }
}

fn by_matrix(
    problem: &SparseProblem<'_, '_>,
    state: &State,
    slopes: &Slopes,
    matrix: &Array2<f64>,
    run: &Run,
) -> Result<Vec<f64>> {
    let size = state.weights.len();
    let mut weights = state.weights.clone();
    let mut current = slopes.of_weights.clone();
    let least = LEAST_BEND
        * matrix
            .diag()
            .iter()
            .fold(0.0_f64, |most, &bend| most.max(bend));
    let mut goal = None;
    for sweep in 0..MOST_SWEEPS {
        if sweep % 16 == 0 {
            run.check()?;
        }
        let mut worst = 0.0_f64;
        for j in 0..size {
            let price = problem.price(j);
            let off = violation(weights[j], current[j], price);
            let bend = matrix[[j, j]].max(least) + problem.squared_price(j);
            if off == 0.0 || bend <= 0.0 {
                continue;
            }
            worst = worst.max(off);
            let next = best(weights[j], current[j], bend, price);
            let step = next - weights[j];
            if step == 0.0 {
                continue;
            }
            weights[j] = next;
            let row: ArrayView1<'_, f64> = matrix.row(j);
            for (slope, product) in current.iter_mut().zip(row) {
                *slope += step * product;
            }
            current[j] += step * problem.squared_price(j);
        }
        let goal = *goal.get_or_insert(ACCURACY * worst);
        if worst <= goal {
            break;
        }
    }
    Ok(weights
        .iter()
        .zip(&state.weights)
        .map(|(new, old)| new - old)
        .collect())
}

fn by_columns(
    problem: &SparseProblem<'_, '_>,
    state: &State,
    slopes: &Slopes,
    column: Column<'_>,
    run: &Run,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let size = state.weights.len();
    let mut weights = state.weights.clone();
    let mut ahead = vec![0.0; state.scores.len()];
    // The slope by each score, kept current.
    let mut current = slopes.of_scores.clone();
    // Weights that are zero and held there by far need not be looked at in this model.
    let largest = (0..size)
        .map(|j| violation(weights[j], slopes.of_weights[j], problem.price(j)))
        .fold(0.0, f64::max);
    let active: Vec<usize> = (0..size)
        .filter(|&j| {
            let slack = problem.price(j) - slopes.of_weights[j].abs();
            weights[j] != 0.0 || slack < largest
        })
        .collect();
    let bends = curvatures(problem, slopes, column, &active, run)?;
    let mut bend_of = vec![0.0; size];
    active
        .iter()
        .zip(&bends)
        .for_each(|(&j, &bend)| bend_of[j] = bend);
    let least = LEAST_BEND * bends.iter().copied().fold(0.0, f64::max);
    let mut goal = None;
    for _ in 0..MOST_COLUMN_SWEEPS {
        let mut worst = 0.0_f64;
        for (turn, &j) in active.iter().enumerate() {
            if turn % 64 == 0 {
                run.check()?;
            }
            let is_intercept = j + 1 == size;
            let mut slope = problem.squared_price(j) * weights[j];
            match is_intercept {
                true => slope += problem.constant * current.iter().sum::<f64>(),
                false => column.each(j, |row, value| slope += value * current[row]),
            }
            let price = problem.price(j);
            let off = violation(weights[j], slope, price);
            let bend = bend_of[j].max(least) + problem.squared_price(j);
            if off == 0.0 || bend <= 0.0 {
                continue;
            }
            worst = worst.max(off);
            let next = best(weights[j], slope, bend, price);
            let step = next - weights[j];
            if step == 0.0 {
                continue;
            }
            weights[j] = next;
            let mut shift = |row: usize, value: f64| {
                ahead[row] += step * value;
                current[row] += step * value * slopes.bends[row];
            };
            match is_intercept {
                true => (0..slopes.bends.len()).for_each(|row| shift(row, problem.constant)),
                false => column.each(j, shift),
            }
        }
        let goal = *goal.get_or_insert(ACCURACY.sqrt() * worst);
        if worst <= goal {
            break;
        }
    }
    let change = weights
        .iter()
        .zip(&state.weights)
        .map(|(new, old)| new - old)
        .collect();
    Ok((change, ahead))
}

/// The second derivative of the losses by each of some weights.
fn curvatures(
    problem: &SparseProblem<'_, '_>,
    slopes: &Slopes,
    column: Column<'_>,
    active: &[usize],
    run: &Run,
) -> Result<Vec<f64>> {
    let size = slopes.of_weights.len();
    active
        .iter()
        .enumerate()
        .map(|(turn, &j)| {
            if turn % 64 == 0 {
                run.check()?;
            }
            if j + 1 == size {
                return Ok(problem.constant * problem.constant * slopes.bends.iter().sum::<f64>());
            }
            let mut bend = 0.0;
            column.each(j, |row, value| bend += value * value * slopes.bends[row]);
            Ok(bend)
        })
        .collect()
}
