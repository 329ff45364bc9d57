//! A restricted Boltzmann machine in the making, as far as the start of a layer needs it.

use crate::product::{Matrix, add_product, multiply};
use crate::{Activation, Real};
use didact_core::random::Generator;
use didact_core::{Result, Run};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_distr::{Distribution, StandardNormal};

/// What the visible units are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visible {
    /// Probabilities of ones.
    Binary,
    /// Normal with deviation one.
    Gaussian,
}

/// Weights with a row per hidden unit, and the biases of both sides.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) visible: Visible,
    pub(super) n_visible: usize,
    pub(super) n_hidden: usize,
    pub(super) weights: Vec<f32>,
    pub(super) hidden_biases: Vec<f32>,
    pub(super) visible_biases: Vec<f32>,
}

/// How a machine learns.
pub(super) struct Steps {
    pub(super) n_iter: usize,
    pub(super) rate: f64,
    pub(super) batch_size: usize,
}

impl Machine {
    /// A machine with small random weights.
    pub(super) fn new(
        visible: Visible,
        (n_visible, n_hidden): (usize, usize),
        random: &mut Generator,
    ) -> Self {
        let mut draw = || -> f64 { StandardNormal.sample(random) };
        Machine {
            visible,
            n_visible,
            n_hidden,
            weights: (0..n_visible * n_hidden)
                .map(|_| f32::of(0.01 * draw()))
                .collect(),
            hidden_biases: vec![0.0; n_hidden],
            visible_biases: vec![0.0; n_visible],
        }
    }

    /// p(h = 1 | v) for rows.
    pub(super) fn up(&self, visible: &[f32], hidden: &mut [f32]) {
        fill_rows(hidden, &self.hidden_biases);
        let weights = Matrix::new(&self.weights, self.n_visible);
        add_product(hidden, Matrix::new(visible, self.n_visible), weights.t());
        Activation::Logistic.apply(hidden);
    }

    /// The mean of v given h for rows.
    pub(super) fn down(&self, hidden: &[f32], visible: &mut [f32]) {
        fill_rows(visible, &self.visible_biases);
        let weights = Matrix::new(&self.weights, self.n_visible);
        add_product(visible, Matrix::new(hidden, self.n_hidden), weights);
        if self.visible == Visible::Binary {
            Activation::Logistic.apply(visible);
        }
    }

    /// Contrastive divergence with one step: data against what the machine makes of them. The
    /// mean squared error of the reconstructions of each pass.
    pub(super) fn learn(
        &mut self,
        rows: &[f32],
        steps: &Steps,
        random: &mut Generator,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let n_rows = rows.len() / self.n_visible;
        let mut order: Vec<usize> = (0..n_rows).collect();
        let mut errors = Vec::with_capacity(steps.n_iter);
        let mut batch = Vec::new();
        for _ in 0..steps.n_iter {
            order.shuffle(random);
            let mut error = 0.0;
            for chosen in order.chunks(steps.batch_size) {
                run.check()?;
                batch.clear();
                for &row in chosen {
                    batch
                        .extend_from_slice(&rows[row * self.n_visible..(row + 1) * self.n_visible]);
                }
                error += self.step(&batch, steps.rate, random);
            }
            errors.push(error / n_rows as f64);
        }
        Ok(errors)
    }

    /// One step on a batch; the sum of the squared errors of the reconstructions.
    fn step(&mut self, data: &[f32], rate: f64, random: &mut Generator) -> f64 {
        let rows = data.len() / self.n_visible;
        let mut hidden = vec![0.0; rows * self.n_hidden];
        self.up(data, &mut hidden);
        let sampled: Vec<f32> = hidden
            .iter()
            .map(|&p| if random.random::<f32>() < p { 1.0 } else { 0.0 })
            .collect();
        let mut again = vec![0.0; data.len()];
        self.down(&sampled, &mut again);
        let mut dreamed = vec![0.0; hidden.len()];
        self.up(&again, &mut dreamed);
        let mut change = vec![0.0; self.weights.len()];
        multiply(
            &mut change,
            Matrix::new(&dreamed, self.n_hidden).t(),
            Matrix::new(&again, self.n_visible),
        );
        change.iter_mut().for_each(|value| *value = -*value);
        add_product(
            &mut change,
            Matrix::new(&hidden, self.n_hidden).t(),
            Matrix::new(data, self.n_visible),
        );
        let share = f32::of(rate / rows as f64);
        for (weight, change) in self.weights.iter_mut().zip(&change) {
            *weight += share * change;
        }
        add_differences(&mut self.hidden_biases, &hidden, &dreamed, share);
        add_differences(&mut self.visible_biases, data, &again, share);
        let errors = data
            .iter()
            .zip(&again)
            .map(|(v, w)| f64::from(v - w).powi(2));
        errors.sum()
    }
}

fn fill_rows(rows: &mut [f32], values: &[f32]) {
    for row in rows.chunks_exact_mut(values.len()) {
        row.copy_from_slice(values);
    }
}

/// Adds the sum over rows of (a − b), times a share.
fn add_differences(biases: &mut [f32], a: &[f32], b: &[f32], share: f32) {
    let width = biases.len();
    for (a, b) in a.chunks_exact(width).zip(b.chunks_exact(width)) {
        for (bias, (a, b)) in biases.iter_mut().zip(a.iter().zip(b)) {
            *bias += share * (a - b);
        }
    }
}
