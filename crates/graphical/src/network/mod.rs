//! Bayesian networks: a graph with a conditional table at every node.

mod known;
mod table;

pub use table::ConditionalTable;

use crate::Dag;
use didact_core::{Error, Result};
use didact_probability::tables::JointTable;
use serde::{Deserialize, Serialize};

/// Most cells of a joint table that is written out.
const MOST_CELLS: usize = 1 << 24;

/// One variable of a network: its name, its parents and P(value | parents).
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The name of the variable.
    pub name: String,
    /// The names of its parents.
    pub parents: Vec<String>,
    /// A row for every combination of the parents' values, the last parent changing fastest; a
    /// column for every value.
    pub table: Vec<Vec<f64>>,
}

impl Variable {
    /// A variable with parents.
    pub fn new(name: &str, parents: &[&str], table: &[&[f64]]) -> Self {
        Variable {
            name: name.to_owned(),
            parents: parents.iter().map(|parent| (*parent).to_owned()).collect(),
            table: table.iter().map(|row| row.to_vec()).collect(),
        }
    }

    /// A variable without parents.
    pub fn root(name: &str, shares: &[f64]) -> Self {
        Variable::new(name, &[], &[shares])
    }
}

/// A discrete Bayesian network: P(x) = Πᵢ P(xᵢ | parents of xᵢ).
///
/// ```
/// use didact_graphical::{Network, Variable};
/// let network = Network::new(vec![
///     Variable::root("sprinkler", &[0.7, 0.3]),
///     Variable::root("rain", &[0.8, 0.2]),
///     Variable::new(
///         "wet",
///         &["sprinkler", "rain"],
///         &[&[1.0, 0.0], &[0.2, 0.8], &[0.1, 0.9], &[0.01, 0.99]],
///     ),
/// ])?;
/// assert_eq!((network.n_cells(), network.n_free()), (12, 6));
/// assert!((network.probability(&[0, 1, 1])? - 0.7 * 0.2 * 0.8).abs() < 1e-15);
/// // Rain explains a wet lawn, which makes the sprinkler less probable.
/// let wet = network.query(&["sprinkler"], &[("wet", 1)])?.probability(&[1])?;
/// let both = network.query(&["sprinkler"], &[("wet", 1), ("rain", 1)])?.probability(&[1])?;
/// assert!(both < wet);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub struct Network {
    graph: Dag,
    tables: Vec<ConditionalTable>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    graph: Dag,
    sizes: Vec<usize>,
    tables: Vec<Vec<f64>>,
}

impl TryFrom<Raw> for Network {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        Network::from_parts(raw.graph, &raw.sizes, raw.tables)
    }
}

impl From<Network> for Raw {
    fn from(network: Network) -> Self {
        Raw {
            sizes: network.sizes(),
            tables: (network.tables.iter())
                .map(|table| table.probabilities().to_vec())
                .collect(),
            graph: network.graph,
        }
    }
}

impl Network {
    /// The network of these variables in any order; fails where the arrows form a cycle, where a
    /// parent is missing or where a row of a table does not sum to one.
    pub fn new(variables: Vec<Variable>) -> Result<Self> {
        let names: Vec<&str> = variables.iter().map(|each| each.name.as_str()).collect();
        let edges: Vec<(&str, &str)> = variables
            .iter()
            .flat_map(|each| {
                each.parents
                    .iter()
                    .map(|parent| (parent.as_str(), each.name.as_str()))
            })
            .collect();
        let graph = Dag::from_edges(&names, &edges)?;
        let width = |each: &Variable| each.table.first().map_or(0, Vec::len);
        let sizes: Vec<usize> = variables.iter().map(width).collect();
        for (each, &size) in variables.iter().zip(&sizes) {
            if let Some(row) = each.table.iter().position(|row| row.len() != size) {
                return Err(Error::data(format!(
                    "row {row} of the table of {} has {} numbers but its first row {size}; \
                     every row needs one for each value",
                    each.name,
                    each.table[row].len()
                )));
            }
        }
        let tables = variables.into_iter().map(|each| each.table.concat());
        Network::from_parts(graph, &sizes, tables.collect())
    }

    /// The network of a graph, the number of values of each node, and the numbers of each table
    /// row after row.
    pub fn from_parts(graph: Dag, sizes: &[usize], tables: Vec<Vec<f64>>) -> Result<Self> {
        if sizes.len() != graph.n_nodes() || tables.len() != graph.n_nodes() {
            return Err(Error::data(format!(
                "there are {} nodes, {} sizes and {} tables; every node needs one of each",
                graph.n_nodes(),
                sizes.len(),
                tables.len()
            )));
        }
        let table = |(node, probabilities): (usize, Vec<f64>)| {
            let parents = graph.parents(node).iter().map(|&parent| sizes[parent]);
            let name = &graph.names()[node];
            ConditionalTable::new(name, sizes[node], parents.collect(), probabilities)
        };
        let tables = tables.into_iter().enumerate().map(table);
        let tables = tables.collect::<Result<Vec<_>>>()?;
        Ok(Network { graph, tables })
    }

    /// The graph.
    pub fn graph(&self) -> &Dag {
        &self.graph
    }

    /// The conditional table of a node.
    pub fn table(&self, node: usize) -> &ConditionalTable {
        &self.tables[node]
    }

    /// The variables: graph and tables read back.
    pub fn variables(&self) -> Vec<Variable> {
        let name = |node: usize| self.graph.names()[node].clone();
        let variable = |(node, table): (usize, &ConditionalTable)| Variable {
            name: name(node),
            parents: self
                .graph
                .parents(node)
                .iter()
                .map(|&parent| name(parent))
                .collect(),
            table: (0..table.n_rows())
                .map(|row| table.row(row).to_vec())
                .collect(),
        };
        self.tables.iter().enumerate().map(variable).collect()
    }

    /// How many values each variable has.
    pub fn sizes(&self) -> Vec<usize> {
        self.tables.iter().map(ConditionalTable::n_values).collect()
    }

    /// The numbers in all tables, Σᵢ rᵢ·Π r of the parents.
    pub fn n_cells(&self) -> usize {
        self.tables
            .iter()
            .map(|table| table.probabilities().len())
            .sum()
    }

    /// The free numbers among them, Σᵢ (rᵢ − 1)·Π r of the parents: the last of each row follows
    /// from the others.
    pub fn n_free(&self) -> usize {
        self.tables
            .iter()
            .map(|table| (table.n_values() - 1) * table.n_rows())
            .sum()
    }

    /// ln P(x) of one value per variable.
    pub fn log_probability(&self, values: &[usize]) -> Result<f64> {
        if values.len() != self.tables.len() {
            return Err(Error::data(format!(
                "there are {} values for {} variables; give one for each",
                values.len(),
                self.tables.len()
            )));
        }
        for (node, &value) in values.iter().enumerate() {
            self.check_value(node, value)?;
        }
        Ok(self.log_joint(values))
    }

    /// P(x) of one value per variable.
    pub fn probability(&self, values: &[usize]) -> Result<f64> {
        Ok(self.log_probability(values)?.exp())
    }

    /// ln P(x) of values that have been checked.
    pub(crate) fn log_joint(&self, values: &[usize]) -> f64 {
        let term = |(node, table): (usize, &ConditionalTable)| {
            let row = self.row(node, values);
            table.logs()[row * table.n_values() + values[node]]
        };
        self.tables.iter().enumerate().map(term).sum()
    }

    /// The row of a node's table that the values of its parents choose.
    pub(crate) fn row(&self, node: usize, values: &[usize]) -> usize {
        let parents = self.graph.parents(node).iter();
        self.tables[node].row_of(parents.map(|&parent| values[parent]))
    }

    pub(crate) fn check_value(&self, node: usize, value: usize) -> Result<()> {
        let size = self.tables[node].n_values();
        match value < size {
            true => Ok(()),
            false => Err(Error::parameter(
                &self.graph.names()[node],
                value,
                format!("it must be less than {size}, the number of its values"),
            )),
        }
    }

    /// The known value of each node, where it has one.
    pub(crate) fn evidence(&self, given: &[(&str, usize)]) -> Result<Vec<Option<usize>>> {
        let mut known = vec![None; self.tables.len()];
        for &(name, value) in given {
            let node = self.graph.node(name)?;
            self.check_value(node, value)?;
            if known[node].replace(value).is_some() {
                return Err(Error::parameter(
                    name,
                    value,
                    "it is given twice; give each variable one value",
                ));
            }
        }
        Ok(known)
    }

    /// The joint table of all variables, for networks small enough to write it out.
    pub fn joint_table(&self) -> Result<JointTable> {
        let sizes = self.sizes();
        let cells = sizes
            .iter()
            .try_fold(1_usize, |cells, &size| cells.checked_mul(size));
        let Some(cells) = cells.filter(|&cells| cells <= MOST_CELLS) else {
            return Err(Error::data(format!(
                "the joint table of {} variables has more than {MOST_CELLS} cells; \
                 ask for some variables instead",
                sizes.len()
            )));
        };
        let mut values = vec![0; sizes.len()];
        let mut probabilities = Vec::with_capacity(cells);
        for _ in 0..cells {
            probabilities.push(self.log_joint(&values).exp());
            for place in (0..sizes.len()).rev() {
                values[place] += 1;
                if values[place] < sizes[place] {
                    break;
                }
                values[place] = 0;
            }
        }
        let names: Vec<&str> = self.graph.names().iter().map(String::as_str).collect();
        JointTable::new(&names, &sizes, probabilities)
    }
}
