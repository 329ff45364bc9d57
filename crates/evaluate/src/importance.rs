//! What a fitted model looks at, for models of any type.

use crate::score::score;
use crate::validation::Spread;
use didact_core::abilities::check_rows;
use didact_core::random::generator;
use didact_core::{AnyModel, Data, Error, OwnedRows, Result, Rows, Run, parallel};
use ndarray::{Array2, ArrayView2, Axis};
use rand::RngExt;
use serde::Serialize;

/// How much worse a model is without one column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Importance {
    /// The column.
    pub column: usize,
    /// How far the figure falls when the column is shuffled, over the repeats; positive where the
    /// model needs the column, about zero where it does not.
    pub drop: Spread,
}

/// Shuffles one column at a time and judges the model again by its first figure.
///
/// Use rows that did not train the model. Columns that say the same share their importance:
/// shuffling one leaves the other.
pub fn permutation_importance(
    model: &dyn AnyModel,
    data: &Data<'_>,
    n_repeats: usize,
    seed: u64,
    run: &Run,
) -> Result<Vec<Importance>> {
    if n_repeats == 0 {
        return Err(Error::parameter(
            "n_repeats",
            n_repeats,
            "it must be at least 1",
        ));
    }
    let first = |data: &Data<'_>| -> Result<f64> {
        let figures = score(model, data)?;
        let figure = figures
            .first()
            .ok_or_else(|| Error::unsupported("the model has no figure to judge by"))?;
        Ok(if figure.higher_is_better {
            figure.value
        } else {
            -figure.value
        })
    };
    let before = first(data)?;
    let samples = data
        .samples()
        .ok_or_else(|| Error::unsupported("ratings have no columns to shuffle"))?;
    let rows = samples.dense()?;
    let columns: Vec<usize> = (0..rows.ncols()).collect();
    let one = |&column: &usize| {
        let mut shuffled = OwnedRows::Dense(rows.to_owned());
        let mut drops = Vec::with_capacity(n_repeats);
        for repeat in 0..n_repeats {
            run.check()?;
            if let OwnedRows::Dense(dense) = &mut shuffled {
                let stream = (column * n_repeats + repeat) as u64;
                let mut generator = generator(seed, stream);
                let mut values = dense.column_mut(column);
                values.assign(&rows.column(column));
                for last in (1..values.len()).rev() {
                    values.swap(last, generator.random_range(0..=last));
                }
            }
            drops.push(before - first(&data.with_rows(&shuffled)?)?);
        }
        Ok(Importance {
            column,
            drop: Spread::of(&drops)?,
        })
    };
    run.install(|| parallel::map(&columns, run, one))
}

/// The mean prediction as one column takes each of several values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartialDependence {
    /// The column.
    pub column: usize,
    /// The values it takes.
    pub grid: Vec<f64>,
    /// One row per value: mean predicted targets, class probabilities, or scores.
    pub means: Array2<f64>,
}

/// Gives a column each value of a grid in all rows and averages what the model predicts:
/// f̄(v) = (1/n)Σᵢ f(xᵢ with column = v).
///
/// The grid runs over `steps` values between the 5th and 95th percentile, or over all values where
/// those are fewer.
pub fn partial_dependence(
    model: &dyn AnyModel,
    rows: ArrayView2<'_, f64>,
    column: usize,
    steps: usize,
    run: &Run,
) -> Result<PartialDependence> {
    if column >= rows.ncols() || rows.nrows() == 0 {
        return Err(Error::parameter(
            "column",
            column,
            format!(
                "there are {} columns and {} rows",
                rows.ncols(),
                rows.nrows()
            ),
        ));
    }
    check_rows(model, Rows::Dense(rows))?;
    let grid = grid_of(rows.column(column).to_vec(), steps)?;
    let one = |&value: &f64| {
        let mut changed = rows.as_standard_layout().into_owned();
        changed.column_mut(column).fill(value);
        let predicted = predictions(model, Rows::Dense(changed.view()))?;
        Ok(predicted.sum_axis(Axis(0)) / rows.nrows() as f64)
    };
    let means = run.install(|| parallel::map(&grid, run, one))?;
    let width = means.first().map_or(0, |row| row.len());
    let mut table = Array2::zeros((grid.len(), width));
    for (mut row, mean) in table.rows_mut().into_iter().zip(&means) {
        row.assign(mean);
    }
    Ok(PartialDependence {
        column,
        grid,
        means: table,
    })
}

fn grid_of(mut values: Vec<f64>, steps: usize) -> Result<Vec<f64>> {
    if steps < 2 {
        return Err(Error::parameter("steps", steps, "it must be at least 2"));
    }
    values.retain(|value| value.is_finite());
    values.sort_unstable_by(f64::total_cmp);
    let mut distinct = values.clone();
    distinct.dedup();
    if distinct.len() <= steps {
        return Ok(distinct);
    }
    let low = crate::metrics::quantile(&values, 0.05);
    let high = crate::metrics::quantile(&values, 0.95);
    let share = |step: usize| step as f64 / (steps - 1) as f64;
    Ok((0..steps)
        .map(|step| low + (high - low) * share(step))
        .collect())
}

fn predictions(model: &dyn AnyModel, rows: Rows<'_>) -> Result<Array2<f64>> {
    match (
        model.as_regress(),
        model.as_probabilities(),
        model.as_scores(),
    ) {
        (Some(regress), _, _) => regress.regress(rows),
        (_, Some(probabilities), _) => probabilities.probabilities(rows),
        (_, _, Some(scores)) => scores.scores(rows),
        _ => Err(Error::unsupported(format!(
            "a model that can {} predicts neither numbers nor probabilities nor scores",
            model.ability_names().join(", ")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_keep_few_values_and_trim_many() {
        assert_eq!(grid_of(vec![2.0, 1.0, 2.0], 5).unwrap(), [1.0, 2.0]);
        let many: Vec<f64> = (0..=100).map(f64::from).collect();
        assert_eq!(grid_of(many, 3).unwrap(), [5.0, 50.0, 95.0]);
        assert!(grid_of(vec![1.0], 1).is_err());
    }
}
