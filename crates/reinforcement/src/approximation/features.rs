//! Features of states.

use crate::acting::check_policy;
use crate::{Environment, Policy};
use didact_core::{Accepts, Error, FitData, Result};
use ndarray::{Array2, ArrayView2};

/// One feature per state: the linear function is then a table.
pub fn one_hot_features(n_states: usize) -> Array2<f64> {
    Array2::eye(n_states)
}

/// One feature per group of states, all of a group being worth the same.
///
/// ```
/// use didact_reinforcement::group_features;
/// let features = group_features(&[0, 0, 1])?;
/// assert_eq!(features.row(1).to_vec(), [1.0, 0.0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn group_features(group_of_state: &[usize]) -> Result<Array2<f64>> {
    let n_states = group_of_state.len();
    let last = group_of_state.iter().copied().max().unwrap_or(0);
    if last >= n_states {
        return Err(Error::data(format!(
            "there is a group {last} of {n_states} states; groups are numbered from 0 on, \
             and there cannot be more groups than states"
        )));
    }
    Ok(Array2::from_shape_fn(
        (n_states, last + 1),
        |(state, group)| f64::from(group_of_state[state] == group),
    ))
}

/// An environment whose states are described by features, one row per state.
pub struct Described<'a> {
    /// Where to act.
    pub environment: &'a mut dyn Environment,
    /// φ(s), one row per state; those of terminal states are never read.
    pub features: ArrayView2<'a, f64>,
}

impl FitData for Described<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.environment.check(accepts)?;
        check_features(self.features, self.environment.n_states())
    }

    fn n_rows(&self) -> usize {
        self.environment.n_states()
    }
}

/// A policy that acts in an environment whose states are described by features.
pub struct DescribedActing<'a> {
    /// Where it acts.
    pub environment: &'a mut dyn Environment,
    /// What it does.
    pub policy: &'a Policy,
    /// φ(s), one row per state; those of terminal states are never read.
    pub features: ArrayView2<'a, f64>,
}

impl FitData for DescribedActing<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.environment.check(accepts)?;
        check_policy(&*self.environment, self.policy)?;
        check_features(self.features, self.environment.n_states())
    }

    fn n_rows(&self) -> usize {
        self.environment.n_states()
    }
}

fn check_features(features: ArrayView2<'_, f64>, n_states: usize) -> Result<()> {
    if features.nrows() != n_states || features.ncols() == 0 {
        return Err(Error::data(format!(
            "there are {} rows of {} features for {n_states} states; \
             there must be one row per state with at least one feature",
            features.nrows(),
            features.ncols()
        )));
    }
    match features
        .indexed_iter()
        .find(|(_, value)| !value.is_finite())
    {
        None => Ok(()),
        Some(((row, column), &value)) => Err(Error::NotFinite {
            row,
            column,
            value,
            hint: "features must be finite numbers",
        }),
    }
}

/// Features row by row, of which only those that are not zero are touched.
pub(super) struct FeatureRows {
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl FeatureRows {
    pub(super) fn new(features: ArrayView2<'_, f64>) -> Self {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in features.rows() {
            for (column, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                columns.push(column);
                values.push(value);
            }
            starts.push(columns.len());
        }
        FeatureRows {
            starts,
            columns,
            values,
        }
    }

    /// The columns and values of a state.
    pub(super) fn of(&self, state: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[state]..self.starts[state + 1];
        let columns = self.columns[range.clone()].iter().copied();
        columns.zip(self.values[range].iter().copied())
    }

    /// w·φ(s).
    pub(super) fn dot(&self, state: usize, weights: &[f64]) -> f64 {
        self.of(state)
            .map(|(column, value)| weights[column] * value)
            .sum()
    }

    /// w ← w + step·φ(s).
    pub(super) fn add(&self, state: usize, step: f64, weights: &mut [f64]) {
        for (column, value) in self.of(state) {
            weights[column] += step * value;
        }
    }
}
