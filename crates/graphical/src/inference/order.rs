//! In which order variables are eliminated.

use std::collections::BTreeSet;

/// How the next variable to eliminate is chosen. The answer does not depend on it, the work does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EliminationOrder {
    /// The variable whose neighbours need the fewest new links to be all linked with each other.
    #[default]
    MinFill,
    /// The variable whose elimination makes the smallest table.
    MinWeight,
    /// The variable with the fewest neighbours.
    MinDegree,
    /// These variables in this order; what is not named follows by [`EliminationOrder::MinFill`].
    Given(Vec<String>),
}

/// What a greedy choice makes small.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Greedy {
    Fill,
    Weight,
    Degree,
}

/// Which variables occur together in a factor.
pub(super) struct Links {
    neighbours: Vec<BTreeSet<usize>>,
    log_sizes: Vec<f64>,
}

impl Links {
    pub(super) fn new<'a>(scopes: impl Iterator<Item = &'a [usize]>, sizes: &[usize]) -> Self {
        let mut links = Links {
            neighbours: vec![BTreeSet::new(); sizes.len()],
            log_sizes: sizes.iter().map(|&size| (size as f64).ln()).collect(),
        };
        scopes.for_each(|scope| links.connect(scope));
        links
    }

    fn connect(&mut self, scope: &[usize]) {
        for (place, &left) in scope.iter().enumerate() {
            for &right in &scope[place + 1..] {
                self.neighbours[left].insert(right);
                self.neighbours[right].insert(left);
            }
        }
    }

    /// Takes a variable out and links its neighbours; tells whose costs may have changed.
    pub(super) fn eliminate(&mut self, variable: usize) -> Vec<usize> {
        let around: Vec<usize> = std::mem::take(&mut self.neighbours[variable])
            .into_iter()
            .collect();
        for &neighbour in &around {
            self.neighbours[neighbour].remove(&variable);
        }
        self.connect(&around);
        around
    }

    fn cost(&self, variable: usize, greedy: Greedy) -> (f64, f64) {
        let around = &self.neighbours[variable];
        let weight = around
            .iter()
            .map(|&neighbour| self.log_sizes[neighbour])
            .sum::<f64>()
            + self.log_sizes[variable];
        let first = match greedy {
            Greedy::Weight => weight,
            Greedy::Degree => around.len() as f64,
            Greedy::Fill => self.fill(variable) as f64,
        };
        (first, weight)
    }

    fn fill(&self, variable: usize) -> usize {
        let around: Vec<usize> = self.neighbours[variable].iter().copied().collect();
        let missing = |(place, left): (usize, &usize)| {
            let later = around[place + 1..].iter();
            later
                .filter(|right| !self.neighbours[*left].contains(right))
                .count()
        };
        around.iter().enumerate().map(missing).sum()
    }

    /// All the variables, each time the one of least cost.
    pub(super) fn greedy_order(mut self, variables: &[usize], greedy: Greedy) -> Vec<usize> {
        let mut left: BTreeSet<usize> = variables.iter().copied().collect();
        // Costs are found when they are needed: a hub with a thousand leaves would be looked at
        // again for each of them.
        let mut costs: Vec<Option<(f64, f64)>> = vec![None; self.neighbours.len()];
        let mut leaves: Vec<usize> = variables.to_vec();
        let mut order = Vec::with_capacity(variables.len());
        while !left.is_empty() {
            let leaf = std::iter::from_fn(|| leaves.pop())
                .find(|leaf| left.contains(leaf) && self.neighbours[*leaf].len() <= 1);
            let chosen = leaf.unwrap_or_else(|| {
                let mut cost = |&variable: &usize| {
                    *costs[variable].get_or_insert_with(|| self.cost(variable, greedy))
                };
                let mut best: Option<(usize, (f64, f64))> = None;
                for variable in &left {
                    let cost = cost(variable);
                    if best.is_none_or(|(_, least)| cost < least) {
                        best = Some((*variable, cost));
                    }
                }
                best.expect("some variables are left").0
            });
            left.remove(&chosen);
            order.push(chosen);
            let around = self.eliminate(chosen);
            // New links change the fill of those who are linked to both ends.
            for &neighbour in &around {
                costs[neighbour] = None;
                if around.len() > 1 && greedy == Greedy::Fill {
                    self.neighbours[neighbour]
                        .iter()
                        .for_each(|&other| costs[other] = None);
                }
            }
            leaves.extend(around);
        }
        order
    }
}
