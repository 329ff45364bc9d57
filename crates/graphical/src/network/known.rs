//! Models known by other names that are networks too.

use super::Network;
use crate::Dag;
use didact_core::{Error, Result};
use ndarray::ArrayView2;

impl Network {
    /// The hidden Markov model of a sequence of this length as a network: hidden states
    /// `y0 → y1 → …`, each with its item `yₜ → xₜ`.
    ///
    /// `transition` has a row per state of before, `emission` a row per state.
    pub fn hidden_markov(
        start: &[f64],
        transition: ArrayView2<'_, f64>,
        emission: ArrayView2<'_, f64>,
        length: usize,
    ) -> Result<Network> {
        let states = start.len();
        let fits = transition.dim() == (states, states) && emission.nrows() == states;
        if !fits || length == 0 {
            return Err(Error::data(format!(
                "{states} states need a transition table of {states} rows and columns, an emission \
                 table of {states} rows and at least one item"
            )));
        }
        let mut names = Vec::with_capacity(2 * length);
        let mut parents = Vec::with_capacity(2 * length);
        let mut sizes = Vec::with_capacity(2 * length);
        let mut tables = Vec::with_capacity(2 * length);
        for item in 0..length {
            names.extend([format!("y{item}"), format!("x{item}")]);
            sizes.extend([states, emission.ncols()]);
            match item {
                0 => parents.push(Vec::new()),
                _ => parents.push(vec![2 * (item - 1)]),
            }
            tables.push(match item {
                0 => start.to_vec(),
                _ => transition.iter().copied().collect(),
            });
            parents.push(vec![2 * item]);
            tables.push(emission.iter().copied().collect());
        }
        Network::from_parts(Dag::new(names, parents)?, &sizes, tables)
    }

    /// Naive Bayes as a network: a `class` with these shares and columns `x0`, `x1`, … that depend
    /// on nothing but the class. With the class never observed it is a mixture of independent
    /// columns.
    ///
    /// Each column is a table with a row per class.
    pub fn naive_bayes(shares: &[f64], columns: &[ArrayView2<'_, f64>]) -> Result<Network> {
        let classes = shares.len();
        if let Some(column) = columns.iter().position(|table| table.nrows() != classes) {
            return Err(Error::data(format!(
                "the table of column {column} has {} rows; it needs one for each of the {classes} classes",
                columns[column].nrows()
            )));
        }
        let mut names = vec!["class".to_owned()];
        names.extend((0..columns.len()).map(|column| format!("x{column}")));
        let mut parents = vec![Vec::new()];
        parents.extend(vec![vec![0]; columns.len()]);
        let mut sizes = vec![classes];
        sizes.extend(columns.iter().map(|table| table.ncols()));
        let mut tables = vec![shares.to_vec()];
        tables.extend(columns.iter().map(|table| table.iter().copied().collect()));
        Network::from_parts(Dag::new(names, parents)?, &sizes, tables)
    }
}
