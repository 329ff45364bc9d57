//! The description of a Bayesian network: a directed acyclic graph and conditional tables.

use crate::Source;
use didact_core::{Error, Result};
use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, Serialize};

/// One variable of a network: its values, its parents, and P(value ∣ parents).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkVariable {
    /// The name of the variable.
    pub name: String,
    /// The names of its values.
    pub values: Vec<String>,
    /// The names of its parents.
    #[serde(default)]
    pub parents: Vec<String>,
    /// One row per combination of the parents' values, the last parent changing fastest; one
    /// column per value. Each row sums to one.
    pub table: Vec<Vec<f64>>,
}

/// A Bayesian network that was checked: no cycles, and every row of every table sums to one.
///
/// P(x) = Π P(xᵢ ∣ parents of xᵢ)
///
/// ```
/// use didact_data::{Source, read_network};
/// let text = r#"{"variables": [
///     {"name": "rain", "values": ["no", "yes"], "table": [[0.8, 0.2]]},
///     {"name": "wet", "values": ["no", "yes"], "parents": ["rain"],
///      "table": [[0.9, 0.1], [0.05, 0.95]]}]}"#;
/// let network = read_network(Source::bytes("rain.json", text))?;
/// assert_eq!(network.order(), [0, 1]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct NetworkSpec {
    variables: Vec<NetworkVariable>,
    #[serde(skip)]
    order: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    variables: Vec<NetworkVariable>,
}

impl TryFrom<Unchecked> for NetworkSpec {
    type Error = Error;

    fn try_from(unchecked: Unchecked) -> Result<Self> {
        NetworkSpec::new(unchecked.variables)
    }
}

impl NetworkSpec {
    /// Checks the variables and puts them together.
    pub fn new(variables: Vec<NetworkVariable>) -> Result<NetworkSpec> {
        let mut places: HashMap<String, usize> = HashMap::new();
        for (place, variable) in variables.iter().enumerate() {
            if places.insert(variable.name.clone(), place).is_some() {
                return Err(Error::data(format!(
                    "two variables are called {}; rename one",
                    variable.name
                )));
            }
        }
        if variables.is_empty() {
            return Err(Error::data("the network has no variables"));
        }
        let mut parents = Vec::with_capacity(variables.len());
        for variable in &variables {
            check_values(variable)?;
            parents.push(find_parents(variable, &places)?);
        }
        let order = sort_by_parents(&variables, &parents)?;
        for (variable, parents) in variables.iter().zip(&parents) {
            let sizes = parents.iter().map(|&parent| variables[parent].values.len());
            check_table(variable, sizes)?;
        }
        Ok(NetworkSpec { variables, order })
    }

    /// The variables as they were given.
    pub fn variables(&self) -> &[NetworkVariable] {
        &self.variables
    }

    /// The places of the variables in an order in which parents come before their children.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The network as JSON that [`read_network`] reads back.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("names and finite numbers are valid JSON")
    }
}

/// Reads the description of a network from JSON.
pub fn read_network(source: impl Into<Source>) -> Result<NetworkSpec> {
    let source = source.into();
    let bytes = source.read_all()?;
    let unchecked: Unchecked = serde_json::from_slice(&bytes)
        .map_err(|error| source.complain(format!("this is no network: {error}")))?;
    NetworkSpec::try_from(unchecked).map_err(|error| source.complain(error))
}

fn check_values(variable: &NetworkVariable) -> Result<()> {
    let name = &variable.name;
    if variable.values.is_empty() {
        return Err(Error::data(format!("variable {name} has no values")));
    }
    let mut seen = HashSet::new();
    match variable.values.iter().find(|value| !seen.insert(*value)) {
        Some(value) => Err(Error::data(format!(
            "variable {name} has the value {value} twice"
        ))),
        None => Ok(()),
    }
}

fn find_parents(variable: &NetworkVariable, places: &HashMap<String, usize>) -> Result<Vec<usize>> {
    let name = &variable.name;
    let mut found = Vec::with_capacity(variable.parents.len());
    for parent in &variable.parents {
        let place = *places.get(parent).ok_or_else(|| {
            Error::data(format!(
                "variable {name} has the parent {parent}, which is no variable of the network"
            ))
        })?;
        if found.contains(&place) {
            return Err(Error::data(format!(
                "variable {name} has the parent {parent} twice"
            )));
        }
        found.push(place);
    }
    Ok(found)
}

/// Takes variables whose parents are all taken until none is left; what remains holds a cycle.
fn sort_by_parents(variables: &[NetworkVariable], parents: &[Vec<usize>]) -> Result<Vec<usize>> {
    let mut waiting: Vec<usize> = parents.iter().map(Vec::len).collect();
    let mut children = vec![Vec::new(); variables.len()];
    for (child, parents) in parents.iter().enumerate() {
        parents
            .iter()
            .for_each(|&parent| children[parent].push(child));
    }
    let mut order: Vec<usize> = (0..variables.len())
        .filter(|&place| waiting[place] == 0)
        .collect();
    let mut next = 0;
    while let Some(&place) = order.get(next) {
        next += 1;
        for &child in &children[place] {
            waiting[child] -= 1;
            if waiting[child] == 0 {
                order.push(child);
            }
        }
    }
    match waiting.iter().position(|&count| count > 0) {
        None => Ok(order),
        Some(start) => Err(Error::data(format!(
            "the arrows form a cycle: {}",
            cycle(start, variables, parents, &waiting).join(" ← ")
        ))),
    }
}

/// Walks from parent to parent among the variables that wait until one comes again.
fn cycle<'a>(
    start: usize,
    variables: &'a [NetworkVariable],
    parents: &[Vec<usize>],
    waiting: &[usize],
) -> Vec<&'a str> {
    let mut path = vec![start];
    loop {
        let last = path[path.len() - 1];
        // Every waiting variable has a parent that waits too, else it would have been taken.
        let Some(&parent) = parents[last].iter().find(|&&parent| waiting[parent] > 0) else {
            break;
        };
        let seen = path.iter().position(|&place| place == parent);
        path.push(parent);
        if let Some(seen) = seen {
            path.drain(..seen);
            break;
        }
    }
    path.iter()
        .map(|&place| variables[place].name.as_str())
        .collect()
}

fn check_table(
    variable: &NetworkVariable,
    parent_sizes: impl Iterator<Item = usize>,
) -> Result<()> {
    let name = &variable.name;
    let rows = parent_sizes.fold(1_usize, usize::saturating_mul);
    if variable.table.len() != rows {
        return Err(Error::data(format!(
            "the table of {name} has {} rows; its parents have {rows} combinations of values",
            variable.table.len()
        )));
    }
    for (place, row) in variable.table.iter().enumerate() {
        let complain = |what: String| {
            Err(Error::data(format!(
                "row {} of the table of {name} {what}",
                place + 1
            )))
        };
        if row.len() != variable.values.len() {
            return complain(format!(
                "has {} numbers for {} values",
                row.len(),
                variable.values.len()
            ));
        }
        if let Some(wrong) = row.iter().find(|value| !(0.0..=1.0).contains(*value)) {
            return complain(format!("holds {wrong}, which is no probability"));
        }
        let sum: f64 = row.iter().sum();
        if (sum - 1.0).abs() > 1e-9 {
            return complain(format!("sums to {sum}; it must sum to 1"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, parents: &[&str], table: &[&[f64]]) -> NetworkVariable {
        NetworkVariable {
            name: name.to_owned(),
            values: vec!["0".to_owned(), "1".to_owned()],
            parents: parents.iter().map(|&parent| parent.to_owned()).collect(),
            table: table.iter().map(|row| row.to_vec()).collect(),
        }
    }

    fn complaint(variables: Vec<NetworkVariable>) -> String {
        NetworkSpec::new(variables).unwrap_err().to_string()
    }

    const COIN: &[&[f64]] = &[&[0.5, 0.5]];
    const TWO: &[&[f64]] = &[&[0.5, 0.5], &[0.1, 0.9]];

    // 001:BN-01: the printed table of figure 13.7 has the row 0.67, 0.23.
    #[test]
    fn rows_that_do_not_sum_to_one_are_refused() {
        let printed: &[&[f64]] = &[&[0.5, 0.5], &[0.67, 0.23]];
        let message = complaint(vec![
            variable("x1", &[], COIN),
            variable("x2", &["x1"], printed),
        ]);
        assert!(
            message.starts_with("row 2 of the table of x2 sums to 0.9"),
            "{message}"
        );
        for corrected in [[0.77, 0.23], [0.67, 0.33]] {
            let table: &[&[f64]] = &[&[0.5, 0.5], &corrected];
            let network = vec![variable("x1", &[], COIN), variable("x2", &["x1"], table)];
            assert!(NetworkSpec::new(network).is_ok());
        }
    }

    // 001:BN-01: acyclicity.
    #[test]
    fn cycles_are_refused_by_name() {
        let message = complaint(vec![
            variable("a", &["c"], TWO),
            variable("b", &["a"], TWO),
            variable("c", &["b"], TWO),
            variable("d", &["c"], TWO),
        ]);
        assert_eq!(message, "the arrows form a cycle: a ← c ← b ← a");
        assert!(complaint(vec![variable("a", &["a"], TWO)]).ends_with("a ← a"));
    }

    #[test]
    fn parents_come_before_children() {
        let spec = NetworkSpec::new(vec![
            variable("child", &["left", "right"], &[COIN[0]; 4]),
            variable("left", &[], COIN),
            variable("right", &["left"], TWO),
        ])
        .unwrap();
        assert_eq!(spec.order(), [1, 2, 0]);
        let back = read_network(Source::bytes("n.json", spec.to_json())).unwrap();
        assert_eq!(back, spec);
    }

    #[test]
    fn everything_else_that_is_wrong_is_named() {
        assert!(complaint(vec![]).contains("no variables"));
        assert!(complaint(vec![variable("a", &["b"], TWO)]).contains("the parent b, which is no"));
        assert!(
            complaint(vec![variable("a", &[], TWO)])
                .contains("has 2 rows; its parents have 1 combinations")
        );
        assert!(complaint(vec![variable("a", &[], &[&[1.0]])]).contains("1 numbers for 2 values"));
        assert!(
            complaint(vec![variable("a", &[], &[&[1.5, -0.5]])])
                .contains("holds 1.5, which is no probability")
        );
        assert!(complaint(vec![variable("a", &[], &[&[f64::NAN, 0.5]])]).contains("NaN"));
        assert!(
            complaint(vec![variable("a", &[], COIN), variable("a", &[], COIN)])
                .contains("two variables are called a")
        );
        let bad = read_network(Source::bytes("n.json", "{\"nodes\": []}")).unwrap_err();
        assert!(bad.to_string().starts_with("n.json: this is no network"));
    }
}
