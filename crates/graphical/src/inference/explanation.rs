//! The most probable explanation by max-product elimination.

use super::{Elimination, EliminationOrder, impossible};
use crate::Network;
use didact_core::{Result, Run};

/// The most probable values of all variables, given what is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// One value per variable; what is known keeps its value.
    pub values: Vec<usize>,
    /// ln P(values), what is known included.
    pub log_probability: f64,
}

impl Network {
    /// The values of all variables that are most probable together: max-product elimination, then
    /// the choices are taken back from the last variable to the first. Where several are equally
    /// probable each choice falls on the lowest value.
    ///
    /// ```
    /// use didact_core::Run;
    /// use didact_graphical::{Network, Variable};
    /// let network = Network::new(vec![
    ///     Variable::root("a", &[0.6, 0.4]),
    ///     Variable::new("b", &["a"], &[&[0.5, 0.5], &[0.1, 0.9]]),
    /// ])?;
    /// // a = 0 is more probable alone, a = 1 together with b.
    /// let best = network.most_probable(&[], &Run::new())?;
    /// assert_eq!(best.values, [1, 1]);
    /// assert!((best.log_probability - 0.36_f64.ln()).abs() < 1e-12);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn most_probable(&self, given: &[(&str, usize)], run: &Run) -> Result<Explanation> {
        let known = self.evidence(given)?;
        let all: Vec<usize> = (0..known.len()).collect();
        let hidden: Vec<usize> = all
            .iter()
            .copied()
            .filter(|&node| known[node].is_none())
            .collect();
        let mut elimination = Elimination::new(self, &all, &known, run);
        let order = elimination.order(self, &hidden, &EliminationOrder::MinFill)?;
        let mut choices = Vec::with_capacity(order.len());
        for &variable in &order {
            let mut best: Vec<u32> = Vec::new();
            let scope = elimination.eliminate(variable, &mut |logs| {
                let (place, largest) = largest(logs);
                best.push(place as u32);
                largest
            })?;
            choices.push((variable, scope, best));
        }
        if elimination.log_constant == f64::NEG_INFINITY {
            return Err(impossible(given));
        }
        let mut values: Vec<usize> = known.iter().map(|value| value.unwrap_or(0)).collect();
        for (variable, scope, best) in choices.iter().rev() {
            let place = scope.iter().fold(0, |place, &other| {
                place * self.table(other).n_values() + values[other]
            });
            values[*variable] = best[place] as usize;
        }
        Ok(Explanation {
            log_probability: self.log_joint(&values),
            values,
        })
    }
}

/// The first largest value and its place.
fn largest(values: &[f64]) -> (usize, f64) {
    let mut best = (0, values[0]);
    for (place, &value) in values.iter().enumerate().skip(1) {
        if value > best.1 {
            best = (place, value);
        }
    }
    best
}
