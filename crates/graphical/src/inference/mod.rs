//! Exact answers by variable elimination.

mod explanation;
mod factor;
mod order;

pub use explanation::Explanation;
pub use order::EliminationOrder;

use crate::Network;
use didact_core::{Error, Result, Run};
use didact_math::numeric::log_sum_exp;
use didact_probability::tables::{Independence, JointTable};
use factor::{Factor, cells, product};
use order::{Greedy, Links};

/// The answer to a question, and what it took to find it.
#[derive(Clone, Debug, PartialEq)]
pub struct Inferred {
    /// The distribution of the variables asked for, given what is known.
    pub table: JointTable,
    /// ln P(what is known).
    pub log_evidence: f64,
    /// The variables in the order of their elimination.
    pub order: Vec<String>,
    /// The induced width: the number of variables in the largest table made, less one.
    pub width: usize,
}

impl Network {
    /// P(variables | given) by variable elimination; the table has the variables in the order
    /// asked for. Fails where what is given has probability zero.
    pub fn query(&self, variables: &[&str], given: &[(&str, usize)]) -> Result<JointTable> {
        let inferred = self.infer(variables, given, &EliminationOrder::MinFill, &Run::new())?;
        Ok(inferred.table)
    }

    /// P(variables | given) with the order of elimination, its width and ln P(given).
    ///
    /// P(x_k | x_J) = P(x_k, x_J)/Σ P(x_k, x_J), where the sum runs over the variables asked for
    /// and the numerator is summed over everything else. Variables that are neither asked for, nor
    /// known, nor ancestors of such sum to one and are left out.
    pub fn infer(
        &self,
        variables: &[&str],
        given: &[(&str, usize)],
        order: &EliminationOrder,
        run: &Run,
    ) -> Result<Inferred> {
        let asked = self.graph().nodes(variables)?;
        let known = self.evidence(given)?;
        if let Some(place) = (0..asked.len()).find(|&i| known[asked[i]].is_some()) {
            return Err(Error::parameter(
                "variable",
                variables[place],
                "it is known already; ask for a variable that is not among those given",
            ));
        }
        let sizes = self.sizes();
        let kept = self.relevant(&asked, &known);
        let hidden = |node: &usize| known[*node].is_none() && !asked.contains(node);
        let hidden: Vec<usize> = kept.iter().copied().filter(hidden).collect();
        let mut elimination = Elimination::new(self, &kept, &known, run);
        let order = elimination.order(self, &hidden, order)?;
        for &variable in &order {
            elimination.eliminate(variable, &mut |logs| log_sum_exp(logs))?;
        }
        let constant = elimination.log_constant;
        let width = elimination.width.max(asked.len().saturating_sub(1));
        let logs = elimination.finish(&asked)?;
        let total = log_sum_exp(&logs);
        let log_evidence = constant + total;
        if log_evidence == f64::NEG_INFINITY {
            return Err(impossible(given));
        }
        // The answer without the constant of what has no say in it: near −10⁹ its digits are gone.
        let probabilities = normalised(&logs, total);
        Ok(Inferred {
            table: JointTable::new(variables, &sizes_of(&asked, &sizes), probabilities)?,
            log_evidence,
            order: order
                .iter()
                .map(|&node| self.graph().names()[node].clone())
                .collect(),
            width,
        })
    }

    /// ln P(given): minus infinity where it cannot happen.
    pub fn log_evidence(&self, given: &[(&str, usize)], run: &Run) -> Result<f64> {
        let known = self.evidence(given)?;
        let kept = self.relevant(&[], &known);
        let hidden: Vec<usize> = kept
            .iter()
            .copied()
            .filter(|&node| known[node].is_none())
            .collect();
        let mut elimination = Elimination::new(self, &kept, &known, run);
        for variable in elimination.order(self, &hidden, &EliminationOrder::MinFill)? {
            elimination.eliminate(variable, &mut |logs| log_sum_exp(logs))?;
        }
        Ok(elimination.log_constant)
    }

    /// How far two variables are from being independent by their numbers, once others are known:
    /// the largest |P(x, y | z) − P(x | z)·P(y | z)|.
    ///
    /// What the graph separates is independent; numbers may make variables independent by
    /// accident too.
    pub fn independence(
        &self,
        x: &str,
        y: &str,
        given: &[&str],
        tolerance: f64,
    ) -> Result<Independence> {
        let variables: Vec<&str> = [x, y].iter().chain(given).copied().collect();
        let table = self.query(&variables, &[])?;
        table.conditional_independence(x, y, given, tolerance)
    }

    /// The nodes that have a say: those asked for or known and their ancestors. All others are
    /// barren, their sums are one.
    ///
    /// What the evidence separates from the question falls apart from it into factors of its own,
    /// whose sums are constants. They are kept, because they alone may show that the evidence is
    /// impossible.
    fn relevant(&self, asked: &[usize], known: &[Option<usize>]) -> Vec<usize> {
        let mut roots = asked.to_vec();
        roots.extend((0..known.len()).filter(|&node| known[node].is_some()));
        let has_a_say = self.graph().with_ancestors(&roots);
        (0..known.len()).filter(|&node| has_a_say[node]).collect()
    }
}

fn impossible(given: &[(&str, usize)]) -> Error {
    Error::data(format!(
        "the values {given:?} have probability 0 together; nothing follows from what cannot happen"
    ))
}

fn sizes_of(variables: &[usize], sizes: &[usize]) -> Vec<usize> {
    variables.iter().map(|&variable| sizes[variable]).collect()
}

/// exp(log − total), scaled once more so that the sum is one up to the last digit.
fn normalised(logs: &[f64], total: f64) -> Vec<f64> {
    let shares: Vec<f64> = logs.iter().map(|log| (log - total).exp()).collect();
    let sum: f64 = shares.iter().sum();
    shares.into_iter().map(|share| share / sum).collect()
}

/// The factors that are left, and what has been summed up.
struct Elimination<'a> {
    sizes: Vec<usize>,
    run: &'a Run,
    /// `None` once a factor has been used up.
    factors: Vec<Option<Factor>>,
    /// For each variable the factors that have it, used up or not.
    places: Vec<Vec<usize>>,
    log_constant: f64,
    width: usize,
}

impl<'a> Elimination<'a> {
    fn new(network: &Network, kept: &[usize], known: &[Option<usize>], run: &'a Run) -> Self {
        let sizes = network.sizes();
        let mut elimination = Elimination {
            places: vec![Vec::new(); sizes.len()],
            sizes,
            run,
            factors: Vec::with_capacity(2 * kept.len()),
            log_constant: 0.0,
            width: 0,
        };
        for &node in kept {
            elimination.add(Factor::of_node(network, node, known));
        }
        elimination
    }

    fn add(&mut self, factor: Factor) {
        if factor.scope.is_empty() {
            self.log_constant += factor.logs[0];
            return;
        }
        for &variable in &factor.scope {
            self.places[variable].push(self.factors.len());
        }
        self.width = self.width.max(factor.scope.len() - 1);
        self.factors.push(Some(factor));
    }

    fn order(
        &self,
        network: &Network,
        hidden: &[usize],
        order: &EliminationOrder,
    ) -> Result<Vec<usize>> {
        let scopes = self
            .factors
            .iter()
            .flatten()
            .map(|factor| factor.scope.as_slice());
        let mut links = Links::new(scopes, &self.sizes);
        let (mut first, greedy) = match order {
            EliminationOrder::MinFill => (Vec::new(), Greedy::Fill),
            EliminationOrder::MinWeight => (Vec::new(), Greedy::Weight),
            EliminationOrder::MinDegree => (Vec::new(), Greedy::Degree),
            EliminationOrder::Given(names) => {
                let mut first = Vec::with_capacity(names.len());
                for name in names {
                    let node = network.graph().node(name)?;
                    // What is asked for, known or barren has nothing to be summed out.
                    if hidden.contains(&node) && !first.contains(&node) {
                        first.push(node);
                    }
                }
                (first, Greedy::Fill)
            }
        };
        for &variable in &first {
            links.eliminate(variable);
        }
        let rest = hidden.iter().copied().filter(|node| !first.contains(node));
        let rest: Vec<usize> = rest.collect();
        first.extend(links.greedy_order(&rest, greedy));
        Ok(first)
    }

    /// Multiplies the factors that have the variable and lets `reduce` make one number of the
    /// logarithms along it.
    fn eliminate(
        &mut self,
        variable: usize,
        reduce: &mut dyn FnMut(&[f64]) -> f64,
    ) -> Result<Vec<usize>> {
        let places = std::mem::take(&mut self.places[variable]);
        let used: Vec<Factor> = places
            .iter()
            .filter_map(|&place| self.factors[place].take())
            .collect();
        let mut scope: Vec<usize> = used
            .iter()
            .flat_map(|factor| factor.scope.iter().copied())
            .collect();
        scope.sort_unstable();
        scope.dedup();
        scope.retain(|&other| other != variable);
        scope.push(variable);
        self.width = self.width.max(scope.len() - 1);
        let mut logs = Vec::with_capacity(cells(&scope, &self.sizes)? / self.sizes[variable]);
        product(&used, &scope, &self.sizes, self.run, |_, along| {
            logs.push(reduce(along))
        })?;
        scope.pop();
        self.add(Factor {
            scope: scope.clone(),
            logs,
        });
        Ok(scope)
    }

    /// The product of what is left, over the variables asked for in their order.
    fn finish(self, asked: &[usize]) -> Result<Vec<f64>> {
        if asked.is_empty() {
            return Err(Error::data("no variable is asked for; name at least one"));
        }
        let mut logs = Vec::with_capacity(cells(asked, &self.sizes)?);
        let left: Vec<Factor> = self.factors.into_iter().flatten().collect();
        product(&left, asked, &self.sizes, self.run, |_, along| {
            logs.extend(along)
        })?;
        Ok(logs)
    }
}
