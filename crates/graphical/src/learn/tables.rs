//! Conditional tables by counting.

use crate::counts::Family;
use crate::{CategoryTable, Dag, Network};
use didact_core::{Error, Result, Run};

/// The network whose tables are learned from rows, and how well it explains them.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimatedTables {
    /// The network.
    pub network: Network,
    /// Σₜ ln P(row t) of the rows it was learned from.
    pub log_likelihood: f64,
    /// For each node and each row of its table the logarithm of what a value that was never seen
    /// is given.
    pub(crate) unseen: Vec<Vec<f64>>,
}

/// The tables of a graph whose nodes are the columns of the rows: θ = (N_v + α)/(N + α·r).
///
/// Without smoothing (α = 0) they make the rows most likely; a combination of the parents' values
/// that was never seen says nothing, and its row is uniform.
///
/// ```
/// use didact_core::{Run, Samples};
/// use didact_graphical::{CategoryTable, Dag, estimate_tables};
/// let x = ndarray::array![[0.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]];
/// let table = CategoryTable::new(&Samples::from(&x), None, &Run::new())?;
/// let graph = Dag::from_edges(&["a", "b"], &[("a", "b")])?;
/// let tables = estimate_tables(&table, &graph, 0.0, &Run::new())?;
/// assert_eq!(tables.network.table(0).row(0), [0.75, 0.25]);
/// assert_eq!(tables.network.table(1).row(0), [1.0 / 3.0, 2.0 / 3.0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn estimate_tables(
    data: &CategoryTable,
    graph: &Dag,
    alpha: f64,
    run: &Run,
) -> Result<EstimatedTables> {
    if graph.n_nodes() != data.n_columns() {
        return Err(Error::data(format!(
            "the graph has {} nodes but the rows have {} columns; they must be the same",
            graph.n_nodes(),
            data.n_columns()
        )));
    }
    if !(alpha >= 0.0 && alpha.is_finite()) {
        return Err(Error::parameter(
            "alpha",
            alpha,
            "it must be finite and at least 0",
        ));
    }
    let mut tables = Vec::with_capacity(graph.n_nodes());
    let mut unseen = Vec::with_capacity(graph.n_nodes());
    let mut log_likelihood = 0.0;
    for node in 0..graph.n_nodes() {
        run.check()?;
        let counts = Family::new(data, node, graph.parents(node))?.counts(run)?;
        let mut table = Vec::with_capacity(counts.len());
        let mut logs = Vec::with_capacity(counts.len() / data.sizes()[node]);
        for counts in counts.chunks_exact(data.sizes()[node]) {
            let (shares, never) = shares(counts, alpha);
            let seen = counts
                .iter()
                .zip(&shares)
                .filter(|(count, _)| **count > 0.0);
            log_likelihood += seen.map(|(count, share)| count * share.ln()).sum::<f64>();
            table.extend(shares);
            logs.push(never.ln());
        }
        tables.push(table);
        unseen.push(logs);
    }
    Ok(EstimatedTables {
        network: Network::from_parts(graph.clone(), data.sizes(), tables)?,
        log_likelihood,
        unseen,
    })
}

/// The smoothed share of each value, and that of one which was never seen. Where nothing is known
/// nothing is preferred; so it is too where the pretended counts are beyond all numbers.
pub(super) fn shares(counts: &[f64], alpha: f64) -> (Vec<f64>, f64) {
    let total: f64 = counts.iter().map(|count| count + alpha).sum();
    match total > 0.0 && total.is_finite() {
        true => {
            let share = |count: &f64| (count + alpha) / total;
            (counts.iter().map(share).collect(), alpha / total)
        }
        false => {
            let equal = 1.0 / counts.len() as f64;
            (vec![equal; counts.len()], equal)
        }
    }
}
