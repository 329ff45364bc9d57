//! Columns in units in which the optimiser sees about the same curvature everywhere.

use super::weights::ChainWeights;
use crate::hmm::ITEMS_PER_CHECK;
use didact_core::{CsrView, Error, Result, Run};
use ndarray::{ArrayViewMut1, ArrayViewMut2};

/// How many times more than bounds the curvature sparse columns are stretched: L-BFGS then took
/// about a third fewer iterations on tagged text.
const STRETCH: f64 = 4.0;

/// What is taken from each column, and what it is then divided by.
///
/// Only the coordinates of the search change, not the optimum: with u = (x − m) / h the weights
/// are w = v / h and the intercepts b = c − w·m. As intercepts carry no price, neither does m.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    pub(crate) centres: Vec<f64>,
    pub(crate) units: Vec<f64>,
    /// How many times larger than those of single columns the units are at most, because columns
    /// of an item move together. Slopes in these units are as many times smaller.
    pub(crate) crowding: f64,
}

impl Columns {
    /// Units h² = mean of (x − m)² + α/n: the curvature of the objective is then bounded however
    /// large or small the columns are.
    pub(crate) fn new(
        rows: &[f64],
        d: usize,
        centred: bool,
        alpha: f64,
        run: &Run,
    ) -> Result<Self> {
        let n = (rows.len() / d) as f64;
        let mut centres = vec![0.0; d];
        let mut largest = vec![0.0_f64; d];
        let mut squares = vec![0.0; d];
        each_row(rows, d, run, |place, row| {
            for column in (0..d).filter(|_| centred) {
                centres[column] += (row[column] - centres[column]) / (place + 1) as f64;
            }
        })?;
        each_row(rows, d, run, |_, row| {
            for column in 0..d {
                largest[column] = largest[column].max((row[column] - centres[column]).abs());
            }
        })?;
        // An infinite centre makes differences NaN, which the maximum hides.
        let sound = |column: usize| centres[column].is_finite() && largest[column].is_finite();
        if let Some(column) = (0..d).find(|&column| !sound(column)) {
            return Err(Error::data(format!(
                "column {column} has values so large that their differences overflow; \
                 divide it by a power of ten"
            )));
        }
        each_row(rows, d, run, |_, row| {
            for column in (0..d).filter(|&column| largest[column] > 0.0) {
                squares[column] += ((row[column] - centres[column]) / largest[column]).powi(2);
            }
        })?;
        let unit = |column: usize| {
            let spread = largest[column] * (squares[column] / n).sqrt();
            // A column that is constant up to the rounding of its mean carries no information.
            let spread = match largest[column] > 1e-14 * centres[column].abs() {
                true => spread,
                false => centres[column].abs(),
            };
            unit_of(spread, alpha, n)
        };
        let units = (0..d).map(unit).collect();
        Ok(Columns {
            centres,
            units,
            crowding: 1.0,
        })
    }

    /// Units of sparse rows, without centres, which would fill them: h² = 4m·(mean of x²) + α/n
    /// for m stored values per item.
    ///
    /// The columns of an item move together: (Σ wx)² ≤ m·Σ w²x², so that m times the curvature of
    /// one of them bounds that of all.
    pub(crate) fn of_sparse(rows: CsrView<'_>, alpha: f64, run: &Run) -> Result<Self> {
        let (n, d) = (rows.n_rows() as f64, rows.n_columns());
        let mut largest = vec![0.0_f64; d];
        let mut squares = vec![0.0; d];
        each_stored(rows, run, |column, value| {
            largest[column] = largest[column].max(value.abs());
        })?;
        each_stored(rows, run, |column, value| {
            if value != 0.0 {
                squares[column] += (value / largest[column]).powi(2);
            }
        })?;
        let spreads = largest.iter().zip(&squares);
        let together = (STRETCH * rows.n_stored() as f64 / n).max(1.0);
        let spreads = spreads.map(|(largest, squares)| largest * (together * squares / n).sqrt());
        Ok(Columns {
            centres: vec![0.0; d],
            units: spreads.map(|spread| unit_of(spread, alpha, n)).collect(),
            crowding: together.sqrt(),
        })
    }

    /// The rows in these coordinates.
    pub(crate) fn apply(&self, rows: &[f64], run: &Run) -> Result<Vec<f64>> {
        let mut scaled = Vec::with_capacity(rows.len());
        each_row(rows, self.units.len(), run, |_, row| {
            for ((value, centre), unit) in row.iter().zip(&self.centres).zip(&self.units) {
                scaled.push((value - centre) / unit);
            }
        })?;
        Ok(scaled)
    }

    /// Weights for these coordinates as weights for the columns themselves.
    pub(crate) fn restore(&self, weights: &mut ChainWeights) -> Result<()> {
        let (coef, intercept) = (&mut weights.coef, &mut weights.intercept);
        self.restore_units(coef.view_mut(), intercept.view_mut())
    }

    /// The same for a row of weights and a bias of each unit of any layer.
    pub(crate) fn restore_units(
        &self,
        mut weights: ArrayViewMut2<'_, f64>,
        mut biases: ArrayViewMut1<'_, f64>,
    ) -> Result<()> {
        for (mut row, bias) in weights.rows_mut().into_iter().zip(&mut biases) {
            for ((weight, centre), unit) in row.iter_mut().zip(&self.centres).zip(&self.units) {
                *weight /= unit;
                *bias -= *weight * centre;
            }
        }
        match weights.iter().chain(&biases).all(|value| value.is_finite()) {
            true => Ok(()),
            false => Err(Error::numerical(
                "the weights overflow because a column has tiny values only; \
                 multiply it by a power of ten",
            )),
        }
    }
}

/// h of a column with that root of the mean square; one where nothing is known of it.
fn unit_of(spread: f64, alpha: f64, n: f64) -> f64 {
    match spread.hypot((alpha / n).sqrt()) {
        0.0 => 1.0,
        unit => unit,
    }
}

fn each_stored(rows: CsrView<'_>, run: &Run, mut work: impl FnMut(usize, f64)) -> Result<()> {
    for row in 0..rows.n_rows() {
        if row % ITEMS_PER_CHECK == 0 {
            run.check()?;
        }
        let (columns, values) = rows.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            work(column as usize, value);
        }
    }
    Ok(())
}

fn each_row(rows: &[f64], d: usize, run: &Run, mut work: impl FnMut(usize, &[f64])) -> Result<()> {
    for (place, row) in rows.chunks_exact(d).enumerate() {
        if place % ITEMS_PER_CHECK == 0 {
            run.check()?;
        }
        work(place, row);
    }
    Ok(())
}
