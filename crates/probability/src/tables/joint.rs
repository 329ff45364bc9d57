//! Joint tables of categorical variables.

use crate::check;
use crate::observations::check_weights;
use didact_core::{Error, Result};
use ndarray::{ArrayD, Axis, Dimension, IxDyn, Slice};
use serde::{Deserialize, Serialize};

/// The probabilities of all combinations of the values of several variables.
///
/// ```
/// use didact_probability::tables::JointTable;
/// // Weather (sun, rain) and umbrella (no, yes).
/// let table = JointTable::new(&["weather", "umbrella"], &[2, 2], vec![0.6, 0.1, 0.05, 0.25])?;
/// assert!((table.marginal(&["weather"])?.probability(&[1])? - 0.3).abs() < 1e-15);
/// let with_umbrella = table.condition(&[("umbrella", 1)])?;
/// assert!((with_umbrella.probability(&[1])? - 0.25 / 0.35).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub struct JointTable {
    names: Vec<String>,
    pub(super) cells: ArrayD<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    names: Vec<String>,
    shape: Vec<usize>,
    probabilities: Vec<f64>,
}

impl TryFrom<Raw> for JointTable {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        let names: Vec<&str> = raw.names.iter().map(String::as_str).collect();
        JointTable::new(&names, &raw.shape, raw.probabilities)
    }
}

impl From<JointTable> for Raw {
    fn from(table: JointTable) -> Self {
        Raw {
            shape: table.cells.shape().to_vec(),
            probabilities: table.cells.iter().copied().collect(),
            names: table.names,
        }
    }
}

impl JointTable {
    /// The table of these variables with so many values each; the last variable runs fastest.
    pub fn new(names: &[&str], shape: &[usize], probabilities: Vec<f64>) -> Result<Self> {
        check_names(names)?;
        check::same_dimension("shape", shape.len(), names.len())?;
        let cells = shape
            .iter()
            .try_fold(1_usize, |size, &k| size.checked_mul(k));
        if cells != Some(probabilities.len()) {
            return Err(Error::parameter(
                "the number of probabilities",
                probabilities.len(),
                format!("it must be the product of the numbers of values, {shape:?}"),
            ));
        }
        check::probabilities("probabilities", &probabilities)?;
        let cells = ArrayD::from_shape_vec(IxDyn(shape), probabilities)
            .map_err(|error| Error::data(error.to_string()))?;
        Ok(JointTable {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            cells,
        })
    }

    /// The table proportional to these counts or weights: the one that makes them most likely.
    pub fn from_counts(names: &[&str], shape: &[usize], counts: &[f64]) -> Result<Self> {
        let total = check_weights(counts.len(), Some(counts))?;
        JointTable::new(
            names,
            shape,
            counts.iter().map(|count| count / total).collect(),
        )
    }

    /// The table of independent variables, each with its own probabilities.
    pub fn product(variables: &[(&str, &[f64])]) -> Result<Self> {
        let mut cells = vec![1.0];
        for (name, probabilities) in variables {
            check::probabilities(name, probabilities)?;
            cells = cells
                .iter()
                .flat_map(|left| probabilities.iter().map(move |right| left * right))
                .collect();
        }
        let names: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
        let shape: Vec<usize> = variables.iter().map(|(_, p)| p.len()).collect();
        JointTable::new(&names, &shape, cells)
    }

    /// The names of the variables.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many values each variable has.
    pub fn shape(&self) -> &[usize] {
        self.cells.shape()
    }

    /// All probabilities, the last variable running fastest.
    pub fn probabilities(&self) -> Vec<f64> {
        self.cells.iter().copied().collect()
    }

    /// The free numbers of the table: one less than its cells, Kᴺ−1 for N variables of K values.
    pub fn n_free(&self) -> usize {
        self.cells.len() - 1
    }

    /// The free numbers of its marginals alone, Σ(K−1): what independent variables need.
    pub fn n_free_of_marginals(&self) -> usize {
        self.shape().iter().map(|values| values - 1).sum()
    }

    /// The probability of one combination of values.
    pub fn probability(&self, values: &[usize]) -> Result<f64> {
        self.cells.get(IxDyn(values)).copied().ok_or_else(|| {
            Error::parameter(
                "values",
                format!("{values:?}"),
                format!(
                    "there must be one per variable, each less than {:?}",
                    self.shape()
                ),
            )
        })
    }

    /// The position of a variable.
    pub(super) fn position(&self, name: &str) -> Result<usize> {
        self.names
            .iter()
            .position(|other| other == name)
            .ok_or_else(|| {
                Error::parameter(
                    "variable",
                    name,
                    format!("it must be one of {}", self.names.join(", ")),
                )
            })
    }

    fn positions(&self, names: &[&str]) -> Result<Vec<usize>> {
        check_names(names)?;
        names.iter().map(|name| self.position(name)).collect()
    }

    /// The table of some variables in the given order; the others are summed out.
    pub fn marginal(&self, kept: &[&str]) -> Result<JointTable> {
        let kept = self.positions(kept)?;
        let mut cells = self.cells.clone();
        for axis in (0..self.names.len())
            .rev()
            .filter(|axis| !kept.contains(axis))
        {
            cells = cells.sum_axis(Axis(axis));
        }
        // What is left is in the order of this table; bring it into the order asked for.
        let mut remaining = kept.clone();
        remaining.sort_unstable();
        let order: Vec<usize> = kept
            .iter()
            .map(|axis| {
                remaining
                    .iter()
                    .position(|other| other == axis)
                    .unwrap_or(0)
            })
            .collect();
        Ok(JointTable {
            names: kept.iter().map(|&axis| self.names[axis].clone()).collect(),
            cells: cells.permuted_axes(order).as_standard_layout().into_owned(),
        })
    }

    /// The table of the other variables once some have known values; an error where that has
    /// probability zero.
    pub fn condition(&self, known: &[(&str, usize)]) -> Result<JointTable> {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let axes = self.positions(&names)?;
        if axes.len() == self.names.len() {
            return Err(Error::data(
                "every variable is known; at least one must be left to be described",
            ));
        }
        let mut cells = self.cells.view();
        for (&axis, &(name, value)) in axes.iter().zip(known) {
            if value >= self.shape()[axis] {
                return Err(Error::parameter(
                    name,
                    value,
                    format!("it must be less than {}", self.shape()[axis]),
                ));
            }
            cells.slice_axis_inplace(Axis(axis), Slice::from(value..=value));
        }
        let total = cells.sum();
        if total <= 0.0 {
            return Err(Error::data(format!(
                "the condition {known:?} has probability 0; nothing follows from it"
            )));
        }
        let mut cells = cells.to_owned();
        let mut axes = axes;
        axes.sort_unstable();
        for axis in axes.into_iter().rev() {
            cells = cells.index_axis_move(Axis(axis), 0);
        }
        let left = self
            .names
            .iter()
            .filter(|name| !names.contains(&name.as_str()));
        Ok(JointTable {
            names: left.cloned().collect(),
            cells: (cells / total).as_standard_layout().into_owned(),
        })
    }

    /// The logarithms of the factors p(x₁)·p(x₂|x₁)·…·p(x_n|x₁ … x_{n−1}) of one combination of
    /// values; they sum to the logarithm of its probability.
    pub fn chain_rule(&self, values: &[usize]) -> Result<Vec<f64>> {
        self.probability(values)?;
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let mut before = 0.0;
        let mut factors = Vec::with_capacity(values.len());
        for known in 1..=values.len() {
            let joint = self
                .marginal(&names[..known])?
                .probability(&values[..known])?
                .ln();
            // Once the beginning is impossible, so is the whole; the rest has no say.
            factors.push(if before == f64::NEG_INFINITY {
                0.0
            } else {
                joint - before
            });
            before = joint;
        }
        Ok(factors)
    }

    /// E f(x) over all combinations of values.
    pub fn expectation(&self, f: impl Fn(&[usize]) -> f64) -> f64 {
        let terms = self.cells.indexed_iter().map(|(index, &p)| {
            // What never happens does not count, even where f is infinite.
            if p == 0.0 {
                0.0
            } else {
                p * f(index.as_array_view().as_slice().unwrap_or(&[]))
            }
        });
        didact_math::numeric::compensated_sum(terms)
    }

    /// E[f(x)|y] for every value of one variable: a function of that value, not one number.
    /// `None` where the value has probability zero.
    pub fn conditional_expectation(
        &self,
        given: &str,
        f: impl Fn(&[usize]) -> f64,
    ) -> Result<Vec<Option<f64>>> {
        let axis = self.position(given)?;
        let weights = self.marginal(&[given])?.probabilities();
        let mut sums = vec![0.0; weights.len()];
        for (index, &p) in self.cells.indexed_iter() {
            let values = index.as_array_view();
            if p > 0.0 {
                sums[values[axis]] += p * f(values.as_slice().unwrap_or(&[]));
            }
        }
        let pairs = sums.into_iter().zip(weights);
        Ok(pairs
            .map(|(sum, weight)| (weight > 0.0).then(|| sum / weight))
            .collect())
    }
}

fn check_names(names: &[&str]) -> Result<()> {
    if names.is_empty() {
        return Err(Error::parameter(
            "names",
            "empty",
            "at least one variable must be named",
        ));
    }
    match (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
        None => Ok(()),
        Some(i) => Err(Error::parameter(
            format!("names[{i}]"),
            names[i],
            "each variable must be named once",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, assert_relative};
    use proptest::prelude::*;

    fn random(weights: &[f64]) -> JointTable {
        JointTable::from_counts(&["a", "b", "c", "d"], &[2, 2, 2, 2], weights).unwrap()
    }

    // 002b:ST-01: Kᴺ−1 free numbers, not Kᴺ⁻¹; the marginals have N(K−1).
    #[test]
    fn a_table_has_one_free_number_less_than_cells() {
        let table = random(&[1.0; 16]);
        assert_eq!((table.n_free(), table.n_free_of_marginals()), (15, 4));
        let three = JointTable::from_counts(&["x", "y"], &[3, 3], &[1.0; 9]).unwrap();
        assert_eq!((three.n_free(), three.n_free_of_marginals()), (8, 4));
    }

    // 003:P11
    #[test]
    fn conditioning_on_what_never_happens_is_an_error() {
        let table = JointTable::new(&["x", "y"], &[2, 2], vec![0.5, 0.0, 0.5, 0.0]).unwrap();
        let error = table.condition(&[("y", 1)]).unwrap_err().to_string();
        assert!(error.contains("probability 0"), "{error}");
        assert_eq!(
            table.condition(&[("y", 0)]).unwrap().probabilities(),
            [0.5, 0.5]
        );
        assert!(table.condition(&[("z", 0)]).is_err());
        assert!(table.condition(&[("y", 2)]).is_err());
        assert!(table.condition(&[("x", 0), ("y", 0)]).is_err());
        assert!(table.probability(&[0]).is_err() && table.probability(&[0, 2]).is_err());
    }

    #[test]
    fn bad_tables_are_refused_by_name() {
        let fails = |names: &[&str], shape: &[usize], cells: Vec<f64>| {
            JointTable::new(names, shape, cells)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            fails(&["x"], &[2], vec![0.5, 0.4]),
            "the sum of probabilities is 0.9; it must be 1"
        );
        assert!(fails(&["x"], &[3], vec![0.5, 0.5]).starts_with("the number of probabilities"));
        assert!(fails(&["x", "x"], &[1, 2], vec![0.5, 0.5]).starts_with("names[1]"));
        let table = random(&[1.0; 16]);
        let text = serde_json::to_string(&table).unwrap();
        assert_eq!(serde_json::from_str::<JointTable>(&text).unwrap(), table);
    }

    #[test]
    fn marginals_come_in_the_order_asked_for() {
        let table =
            JointTable::new(&["x", "y"], &[2, 3], vec![0.1, 0.2, 0.0, 0.3, 0.3, 0.1]).unwrap();
        let swapped = table.marginal(&["y", "x"]).unwrap();
        assert_eq!(swapped.shape(), [3, 2]);
        assert_eq!(swapped.probability(&[1, 0]).unwrap(), 0.2);
        assert_close(
            &table.marginal(&["y"]).unwrap().probabilities(),
            &[0.4, 0.5, 0.1],
            1e-15,
        );
        let independent = JointTable::product(&[("x", &[0.3, 0.7]), ("y", &[0.4, 0.6])]).unwrap();
        assert_relative(independent.probability(&[1, 0]).unwrap(), 0.28, 1e-15);
        assert!(table.marginal(&[]).is_err());
    }

    // 003:P14, 003:P15
    #[test]
    fn conditional_expectation_is_a_function_and_averages_to_the_expectation() {
        let table =
            JointTable::new(&["x", "y"], &[2, 3], vec![0.1, 0.2, 0.0, 0.3, 0.4, 0.0]).unwrap();
        let f = |values: &[usize]| (values[0] as f64 + 1.0) * (values[1] as f64 - 0.5);
        let given = table.conditional_expectation("y", f).unwrap();
        assert_eq!(given.len(), 3);
        assert_eq!(given[2], None);
        let weights = table.marginal(&["y"]).unwrap().probabilities();
        let tower: f64 = given
            .iter()
            .zip(&weights)
            .map(|(e, w)| e.unwrap_or(0.0) * w)
            .sum();
        assert_relative(tower, table.expectation(f), 1e-14);
        assert!((given[0].unwrap() - given[1].unwrap()).abs() > 0.1);
    }

    proptest! {
        // 000b:S03, 000b:P07, 003:P10, 003:P11, 002b:ST-01, 002b:ST-04
        #[test]
        fn products_of_conditionals_are_the_joint(weights in prop::collection::vec(0.01..1.0_f64, 16), cell in 0_usize..16) {
            let table = random(&weights);
            let values = [cell >> 3 & 1, cell >> 2 & 1, cell >> 1 & 1, cell & 1];
            let joint = table.probability(&values).unwrap();
            let chain: f64 = table.chain_rule(&values).unwrap().iter().sum();
            prop_assert!((chain.exp() - joint).abs() < 1e-13);
            let marginal = table.marginal(&["b", "d"]).unwrap();
            prop_assert!((marginal.probabilities().iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let given = table.condition(&[("b", values[1]), ("d", values[3])]).unwrap();
            let product = given.probability(&[values[0], values[2]]).unwrap()
                * marginal.probability(&[values[1], values[3]]).unwrap();
            prop_assert!((product - joint).abs() < 1e-13);
            // Bayes: p(b|a)·p(a) = p(a|b)·p(b).
            let of = |name: &str, value: usize| table.marginal(&[name]).unwrap().probability(&[value]).unwrap();
            let pair = table.marginal(&["a", "b"]).unwrap();
            let b_given_a = pair.condition(&[("a", values[0])]).unwrap().probability(&[values[1]]).unwrap();
            let a_given_b = pair.condition(&[("b", values[1])]).unwrap().probability(&[values[0]]).unwrap();
            prop_assert!((b_given_a * of("a", values[0]) - a_given_b * of("b", values[1])).abs() < 1e-13);
        }
    }
}
