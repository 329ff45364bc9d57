//! Sequences drawn from hidden Markov models.

use super::Generate;
use super::gaussians::{choose, row_of};
use super::points::{check_size, made, normal, normals};
use crate::dataset::{Dataset, Info, Roles, Task};
use didact_core::random::Generator;
use didact_core::{Column, Result, Table};
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sequences of letters from a hidden Markov model.
///
/// A state stays with probability `persistence` and else moves to any other state alike. The
/// probability of a letter in a state is proportional to exp(sharpness·z) for a normal z. The
/// truth has `start`, `transitions` and `emissions`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CategoricalHmm {
    /// How many sequences to draw.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub n_sequences: usize,
    /// How many items each sequence has.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub length: usize,
    /// How many hidden states.
    #[schemars(range(min = 1, max = 1000))]
    pub n_states: usize,
    /// How many letters.
    #[schemars(range(min = 1, max = 26))]
    pub n_symbols: usize,
    /// Probability of staying in a state.
    #[schemars(range(min = 0, max = 1))]
    pub persistence: f64,
    /// How differently the states choose letters; zero is not at all.
    #[schemars(range(min = 0, max = 100))]
    pub sharpness: f64,
}

impl Default for CategoricalHmm {
    fn default() -> Self {
        CategoricalHmm {
            n_sequences: 20,
            length: 50,
            n_states: 2,
            n_symbols: 4,
            persistence: 0.9,
            sharpness: 2.0,
        }
    }
}

impl Generate for CategoricalHmm {
    const INFO: Info = made(
        "categorical-hmm",
        "Letters from a hidden Markov model",
        "Sequences of letters; the target is the hidden state.",
        Task::Sequences,
    );

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_sequences, self.length)?;
        let mut emissions = normals(self.n_states, self.n_symbols, random);
        for mut row in emissions.rows_mut() {
            row.mapv_inplace(|value| (self.sharpness * value).exp());
            let total = row.sum();
            row /= total;
        }
        let transitions = transitions(self.n_states, self.persistence);
        let states = paths(self.n_sequences, self.length, &transitions, random);
        let emit = |&state: &usize| {
            let letters = emissions.row(state);
            let letters = letters.as_slice().unwrap_or_default();
            Some(choose(letters, random) as u32)
        };
        let codes = states.iter().map(emit).collect();
        let names = (b'a'..)
            .take(self.n_symbols)
            .map(|letter| char::from(letter).to_string())
            .collect();
        let symbols = vec![("symbol".to_owned(), Column::Categories { codes, names })];
        Ok(assemble(Self::INFO, self.length, symbols, states)?
            .with_truth(
                "start",
                row_of(&vec![1.0 / self.n_states as f64; self.n_states]),
            )
            .with_truth("transitions", transitions)
            .with_truth("emissions", emissions))
    }
}

/// Sequences of real vectors from a hidden Markov model with round normal states.
///
/// The truth has `start`, `transitions`, `means` and `variances`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GaussianHmm {
    /// How many sequences to draw.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub n_sequences: usize,
    /// How many items each sequence has.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub length: usize,
    /// How many hidden states.
    #[schemars(range(min = 1, max = 1000))]
    pub n_states: usize,
    /// How many columns.
    #[schemars(range(min = 1, max = 1000))]
    pub n_features: usize,
    /// Probability of staying in a state.
    #[schemars(range(min = 0, max = 1))]
    pub persistence: f64,
    /// Distance between the means of one state and the next in every column.
    #[schemars(range(min = 0))]
    pub separation: f64,
    /// Standard deviation of the items around the mean of their state.
    #[schemars(range(min = 0))]
    pub noise: f64,
}

impl Default for GaussianHmm {
    fn default() -> Self {
        GaussianHmm {
            n_sequences: 10,
            length: 100,
            n_states: 3,
            n_features: 1,
            persistence: 0.9,
            separation: 3.0,
            noise: 1.0,
        }
    }
}

impl Generate for GaussianHmm {
    const INFO: Info = made(
        "gaussian-hmm",
        "Vectors from a hidden Markov model",
        "Sequences of real vectors; the target is the hidden state.",
        Task::Sequences,
    );

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_sequences, self.length)?;
        check_size(self.n_sequences * self.length, self.n_features)?;
        let shape = (self.n_states, self.n_features);
        // Every column has its own order of the states, so that several columns add knowledge.
        let means = Array2::from_shape_fn(shape, |(state, column)| {
            self.separation * ((state + column) % self.n_states) as f64
        });
        let transitions = transitions(self.n_states, self.persistence);
        let states = paths(self.n_sequences, self.length, &transitions, random);
        let items = (0..self.n_features)
            .map(|column| {
                let draw = |&state: &usize| means[[state, column]] + self.noise * normal(random);
                let values = states.iter().map(draw).collect();
                (format!("x{}", column + 1), Column::Numbers(values))
            })
            .collect();
        Ok(assemble(Self::INFO, self.length, items, states)?
            .with_truth(
                "start",
                row_of(&vec![1.0 / self.n_states as f64; self.n_states]),
            )
            .with_truth("transitions", transitions)
            .with_truth("means", means)
            .with_truth(
                "variances",
                Array2::from_elem(shape, self.noise * self.noise),
            ))
    }
}

fn transitions(n_states: usize, persistence: f64) -> Array2<f64> {
    if n_states == 1 {
        return Array2::ones((1, 1));
    }
    let leave = (1.0 - persistence) / (n_states - 1) as f64;
    Array2::from_shape_fn((n_states, n_states), |(from, to)| {
        if from == to { persistence } else { leave }
    })
}

/// The states of all sequences, one after the other; the first of each is drawn uniformly.
fn paths(
    n_sequences: usize,
    length: usize,
    transitions: &Array2<f64>,
    random: &mut Generator,
) -> Vec<usize> {
    let start = vec![1.0 / transitions.nrows() as f64; transitions.nrows()];
    let mut states = Vec::with_capacity(n_sequences * length);
    for _ in 0..n_sequences {
        let mut state = choose(&start, random);
        states.push(state);
        for _ in 1..length {
            let row = transitions.row(state);
            state = choose(row.as_slice().unwrap_or_default(), random);
            states.push(state);
        }
    }
    states
}

fn assemble(
    info: Info,
    length: usize,
    items: Vec<(String, Column)>,
    states: Vec<usize>,
) -> Result<Dataset> {
    let mut table = Table::new();
    let sequence = (0..states.len()).map(|row| (row / length) as f64).collect();
    table.push("sequence", Column::Numbers(sequence))?;
    for (name, column) in items {
        table.push(name, column)?;
    }
    let states = states.into_iter().map(|state| state as f64).collect();
    table.push("state", Column::Numbers(states))?;
    let roles = Roles {
        target: Some("state"),
        sequence: Some("sequence"),
        index: None,
    };
    Dataset::new(info, table, roles)
}
