//! Gibbs sampling: one node after the other is drawn given all the others.

use crate::Network;
use didact_core::random::{Generator, generator};
use didact_core::{Error, Result, Run, parallel};
use didact_math::numeric::log_softmax_in_place;
use ndarray::Array2;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Forward draws that are tried before the most probable explanation is taken as the start.
const TRIES: usize = 100;

/// Draws from P(everything else | what is known) by Gibbs sampling.
///
/// A sweep draws every unknown node from its conditional given the current values of all others,
/// P(y_k | rest) ∝ θ(y_k | parents)·Π θ(child | its parents), where nodes later in the sweep still
/// have the values of the sweep before. One sample is kept after a sweep.
///
/// Tables with zeros or nearly so make chains that rarely or never cross from one probable region
/// to another: compare [`GibbsDraws::standard_error`] and several chains before trusting one.
///
/// ```
/// use didact_core::Run;
/// use didact_graphical::{Gibbs, Network, Variable};
/// let network = Network::new(vec![
///     Variable::root("a", &[0.6, 0.4]),
///     Variable::new("b", &["a"], &[&[0.7, 0.3], &[0.2, 0.8]]),
/// ])?;
/// let draws = Gibbs { sweeps: 2000, ..Gibbs::default() }.draw(&network, &[("b", 1)], &Run::new())?;
/// let exact = network.query(&["a"], &[("b", 1)])?.probability(&[0])?;
/// assert!((draws.marginal(0)[0] - exact).abs() < 0.05);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Gibbs {
    /// How many sweeps each chain makes after the burn-in.
    #[schemars(range(min = 1))]
    pub sweeps: usize,
    /// How many sweeps are made first and forgotten.
    pub burn_in: usize,
    /// Of how many sweeps one is kept.
    #[schemars(range(min = 1))]
    pub thinning: usize,
    /// How many chains are started, each on its own.
    #[schemars(range(min = 1))]
    pub chains: usize,
    /// Seed of everything random.
    pub random_state: u64,
}

impl Default for Gibbs {
    fn default() -> Self {
        Gibbs {
            sweeps: 1000,
            burn_in: 100,
            thinning: 1,
            chains: 1,
            random_state: 0,
        }
    }
}

impl Gibbs {
    /// Draws from the network, given what is known.
    pub fn draw(
        &self,
        network: &Network,
        given: &[(&str, usize)],
        run: &Run,
    ) -> Result<GibbsDraws> {
        didact_core::parameters::check(self)?;
        let known = network.evidence(given)?;
        let links = links(network);
        let streams: Vec<u64> = (0..self.chains as u64).collect();
        let chains = parallel::map(&streams, run, |&stream| {
            let mut generator = generator(self.random_state, stream);
            let start = start(network, given, &known, &mut generator, run)?;
            let mut chain = Chain::new(network, &links, &known, start);
            let kept = self.sweeps.div_ceil(self.thinning);
            let mut rows = Array2::zeros((kept, known.len()));
            for sweep in 0..self.burn_in + self.sweeps {
                if sweep % 64 == 0 {
                    run.check()?;
                }
                chain.sweep(&mut generator);
                let place = sweep.checked_sub(self.burn_in);
                if let Some(place) = place.filter(|place| place % self.thinning == 0) {
                    let row = rows.row_mut(place / self.thinning);
                    row.into_iter()
                        .zip(&chain.values)
                        .for_each(|(to, from)| *to = *from);
                }
            }
            Ok(rows)
        })?;
        Ok(GibbsDraws {
            chains,
            sizes: network.sizes(),
        })
    }
}

/// For each node its children and how many rows of a child's table its next value is away.
fn links(network: &Network) -> Vec<Vec<(usize, usize)>> {
    let mut links = vec![Vec::new(); network.graph().n_nodes()];
    for child in 0..links.len() {
        let strides = network.table(child).parent_strides();
        for (&parent, &stride) in network.graph().parents(child).iter().zip(strides) {
            links[parent].push((child, stride));
        }
    }
    links
}

/// Values of positive probability that agree with what is known.
fn start(
    network: &Network,
    given: &[(&str, usize)],
    known: &[Option<usize>],
    generator: &mut Generator,
    run: &Run,
) -> Result<Vec<usize>> {
    let mut values = vec![0; known.len()];
    for _ in 0..TRIES {
        if network.draw_around(known, &mut values, generator) > f64::NEG_INFINITY {
            return Ok(values);
        }
    }
    // Evidence that hardly any draw agrees with: an exact search finds the best one or shows that
    // there is none.
    Ok(network.most_probable(given, run)?.values)
}

/// The current values, and the row of each table that they choose.
struct Chain<'a> {
    network: &'a Network,
    links: &'a [Vec<(usize, usize)>],
    free: Vec<usize>,
    values: Vec<usize>,
    rows: Vec<usize>,
    logs: Vec<f64>,
}

impl<'a> Chain<'a> {
    fn new(
        network: &'a Network,
        links: &'a [Vec<(usize, usize)>],
        known: &[Option<usize>],
        values: Vec<usize>,
    ) -> Self {
        Chain {
            network,
            links,
            free: (0..known.len())
                .filter(|&node| known[node].is_none())
                .collect(),
            rows: (0..known.len())
                .map(|node| network.row(node, &values))
                .collect(),
            values,
            logs: Vec::new(),
        }
    }

    fn sweep(&mut self, generator: &mut Generator) {
        for place in 0..self.free.len() {
            let node = self.free[place];
            let value = self.conditional_draw(node, generator);
            let before = std::mem::replace(&mut self.values[node], value);
            for &(child, stride) in &self.links[node] {
                self.rows[child] = self.rows[child] + value * stride - before * stride;
            }
        }
    }

    fn conditional_draw(&mut self, node: usize, generator: &mut Generator) -> usize {
        let own = self.network.table(node);
        let size = own.n_values();
        self.logs.clear();
        self.logs
            .extend(&own.logs()[self.rows[node] * size..][..size]);
        for &(child, stride) in &self.links[node] {
            let table = self.network.table(child);
            let first = self.rows[child] - self.values[node] * stride;
            let column = first * table.n_values() + self.values[child];
            let step = stride * table.n_values();
            for (value, log) in self.logs.iter_mut().enumerate() {
                *log += table.logs()[column + value * step];
            }
        }
        log_softmax_in_place(&mut self.logs);
        self.logs.iter_mut().for_each(|log| *log = log.exp());
        super::pick(&self.logs, generator.random())
    }
}

/// What Gibbs sampling has drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct GibbsDraws {
    /// For each chain one row per sweep kept, one column per variable.
    pub chains: Vec<Array2<usize>>,
    sizes: Vec<usize>,
}

impl GibbsDraws {
    /// The share of each value of the variable in this column.
    pub fn marginal(&self, column: usize) -> Vec<f64> {
        let mut counts = vec![0.0; self.sizes[column]];
        for chain in &self.chains {
            chain
                .column(column)
                .iter()
                .for_each(|&value| counts[value] += 1.0);
        }
        let total: f64 = counts.iter().sum();
        counts.into_iter().map(|count| count / total).collect()
    }

    /// The standard error of the share of a value by means over batches of consecutive sweeps:
    /// about √T batches of √T sweeps in each chain. Sweeps resemble each other, so it is larger
    /// than for independent draws; it is too small where a chain has not crossed between its
    /// regions often.
    pub fn standard_error(&self, column: usize, value: usize) -> Result<f64> {
        let mut means = Vec::new();
        for chain in &self.chains {
            let values = chain.column(column).to_vec();
            let length = (values.len() as f64).sqrt().ceil() as usize;
            let hits = |batch: &[usize]| batch.iter().filter(|&&other| other == value).count();
            means.extend(
                values
                    .chunks_exact(length)
                    .map(|batch| hits(batch) as f64 / length as f64),
            );
        }
        if means.len() < 2 {
            return Err(Error::data(
                "there are too few sweeps for a standard error; keep at least 4",
            ));
        }
        let count = means.len() as f64;
        let mean = means.iter().sum::<f64>() / count;
        let squares: f64 = means.iter().map(|each| (each - mean).powi(2)).sum();
        Ok((squares / (count - 1.0) / count).sqrt())
    }
}
