//! The first weights of a map.

use super::{Grid, Som, SomInit, bring_to_length_one};
use didact_core::random::generator;
use didact_core::{Error, Result, Rows, Run};
use didact_math::linalg::{TruncatedSvdOptions, Variances, fix_signs, truncated_svd};
use ndarray::{Array2, ArrayView2, Axis};
use rand::RngExt;
use rand::seq::index;

/// The stream of random numbers that the start uses; passes use those after it.
const STREAM: u64 = 0;

/// Nodes at the rim of the plane are so many standard deviations from the middle: values that are
/// spread evenly end there.
const REACH: f64 = 1.732_050_807_568_877_2;

/// The first weights of a map, in the unit of the rows.
pub(super) fn weights(
    som: &Som,
    grid: &Grid,
    rows: ArrayView2<'_, f64>,
    unit: f64,
    run: &Run,
) -> Result<Array2<f64>> {
    let mut weights = match (&som.init_weights, som.init) {
        (Some(given), _) => given_weights(given, grid, rows, unit)?,
        (None, SomInit::Plane) => plane(som, grid, rows, run)?,
        (None, SomInit::Rows) => some_rows(som, grid, rows),
        (None, SomInit::Random) => in_ranges(som, grid, rows),
    };
    if som.normalise {
        bring_to_length_one(&mut weights);
    }
    Ok(weights)
}

/// Nodes spread over the plane in which the rows vary most, its longer side along the longer side
/// of the grid.
fn plane(som: &Som, grid: &Grid, rows: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
    let columns = Variances::summarise(Rows::Dense(rows), None, run)?;
    let axes = principal_axes(som, rows, &columns, run)?;
    let (n_rows, n_columns) = grid.shape();
    let (first, second) = match n_rows > n_columns {
        true => (0, 1),
        false => (1, 0),
    };
    let mut weights = Array2::zeros((grid.len(), rows.ncols()));
    for (mut node, position) in weights.rows_mut().into_iter().zip(grid.positions().rows()) {
        node.assign(&columns.mean);
        for (axis, side) in axes.rows().into_iter().zip([first, second]) {
            node.scaled_add(REACH * place_within(grid, side, position[side]), &axis);
        }
    }
    Ok(weights)
}

/// Where a coordinate lies between the sides of the grid: −1 to 1, and 0 where there is one place.
fn place_within(grid: &Grid, side: usize, coordinate: f64) -> f64 {
    let largest = grid
        .positions()
        .column(side)
        .fold(0.0_f64, |a, &b| a.max(b));
    match largest > 0.0 {
        true => 2.0 * coordinate / largest - 1.0,
        false => 0.0,
    }
}

/// The two directions in which the rows vary most, each one standard deviation long.
fn principal_axes(
    som: &Som,
    rows: ArrayView2<'_, f64>,
    columns: &Variances,
    run: &Run,
) -> Result<Array2<f64>> {
    let is_constant = rows.rows().into_iter().all(|row| row == rows.row(0));
    if is_constant {
        return Ok(Array2::zeros((0, rows.ncols())));
    }
    let svd = truncated_svd(
        Rows::Dense(rows),
        Some(columns),
        TruncatedSvdOptions::new(2),
        &mut generator(som.random_state, STREAM),
        run,
    )?;
    let mut axes = svd.vt;
    fix_signs(axes.view_mut(), None);
    let root = (rows.nrows() as f64).sqrt();
    for (mut axis, value) in axes.rows_mut().into_iter().zip(&svd.singular_values) {
        axis *= value / root;
    }
    Ok(axes)
}

/// Rows drawn at random, each at most once where there are enough.
fn some_rows(som: &Som, grid: &Grid, rows: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut generator = generator(som.random_state, STREAM);
    let n = rows.nrows();
    let chosen: Vec<usize> = match grid.len() <= n {
        true => index::sample(&mut generator, n, grid.len()).into_vec(),
        false => (0..grid.len())
            .map(|_| generator.random_range(0..n))
            .collect(),
    };
    rows.select(Axis(0), &chosen)
}

/// Random points within the ranges of the columns.
fn in_ranges(som: &Som, grid: &Grid, rows: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut generator = generator(som.random_state, STREAM);
    let ranges: Vec<(f64, f64)> = rows
        .columns()
        .into_iter()
        .map(|column| {
            column.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| {
                (low.min(value), high.max(value))
            })
        })
        .collect();
    Array2::from_shape_fn((grid.len(), rows.ncols()), |(_, column)| {
        let (low, high) = ranges[column];
        low + (high - low) * generator.random::<f64>()
    })
}

/// Fails where given first weights do not fit the grid and the rows.
fn given_weights(
    given: &[Vec<f64>],
    grid: &Grid,
    rows: ArrayView2<'_, f64>,
    unit: f64,
) -> Result<Array2<f64>> {
    let d = rows.ncols();
    let (n_rows, n_columns) = grid.shape();
    let sound = given.len() == grid.len()
        && given
            .iter()
            .all(|node| node.len() == d && node.iter().all(|value| value.is_finite()));
    if !sound {
        return Err(Error::parameter(
            "init_weights",
            format!("a list of {} lists", given.len()),
            format!(
                "give {} lists, one per node of the {n_rows}×{n_columns} grid, of {d} finite \
                 numbers each, one per column",
                grid.len()
            ),
        ));
    }
    let values = given.iter().flatten().map(|value| value / unit).collect();
    Ok(Array2::from_shape_vec((grid.len(), d), values).expect("one value per node and column"))
}
