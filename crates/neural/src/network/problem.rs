//! The mean loss of a network over rows, and its gradient batch by batch.

use super::judge::Judge;
use super::piece::{Extra, Piece};
use super::{Architecture, Layer};
use crate::training::Learnable;
use crate::{Noise, Real};
use didact_core::random::generator;
use didact_core::{Result, Run, parallel};

/// A piece of a batch costs about this many multiplications on the way forward: enough to be
/// worth a task of its own.
const WORK: usize = 1 << 21;

/// At most so many pieces are on their way at once, which bounds the memory.
const WAVE: usize = 16;

/// Rows and targets in C order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Examples<'a, T> {
    pub(crate) inputs: &'a [T],
    pub(crate) targets: &'a [T],
    pub(crate) n_inputs: usize,
    pub(crate) n_outputs: usize,
}

/// The wish that hidden units be active in a share ρ of all rows, at the price
/// β·Σⱼ KL(ρ‖ρ̂ⱼ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sparsity {
    pub(crate) layer: usize,
    pub(crate) target: f64,
    pub(crate) weight: f64,
}

/// What a feed-forward network learns from.
pub(crate) struct FeedForward<'a, T> {
    pub(crate) plan: &'a Architecture,
    pub(crate) examples: Examples<'a, T>,
    /// The price α of the weights: α/(2m)·Σw² for a batch of m rows.
    pub(crate) decay: f64,
    pub(crate) judge: Judge,
    pub(crate) noise: Noise,
    pub(crate) noise_level: f64,
    pub(crate) sparsity: Option<Sparsity>,
    pub(crate) seed: u64,
    pieces: Vec<Piece<T>>,
    rows_per_piece: usize,
}

impl<'a, T: Real> FeedForward<'a, T> {
    pub(crate) fn new(
        plan: &'a Architecture,
        examples: Examples<'a, T>,
        decay: f64,
        judge: Judge,
        seed: u64,
    ) -> Self {
        FeedForward {
            plan,
            examples,
            decay,
            judge,
            noise: Noise::None,
            noise_level: 0.0,
            sparsity: None,
            seed,
            pieces: Vec::new(),
            // The plan alone decides how a batch is cut, never the number of threads: gradients
            // are summed in the same order on every machine.
            rows_per_piece: (WORK / plan.work()).clamp(least_rows(plan), 1024),
        }
    }

    fn is_random(&self) -> bool {
        let drops = |layer: &Layer| matches!(layer, Layer::Dropout(_));
        self.noise != Noise::None || self.plan.layers.iter().any(drops)
    }

    /// Calls `work` for every piece of the rows, in parallel; how many pieces there are.
    fn for_each_piece(
        &mut self,
        items: &[usize],
        run: &Run,
        work: impl Fn(usize, &[usize], &mut Piece<T>) + Sync + Send,
    ) -> Result<usize> {
        let size = self.rows_per_piece;
        let count = items.len().div_ceil(size);
        while self.pieces.len() < count {
            self.pieces
                .push(Piece::new(self.plan, size.min(items.len())));
        }
        // A later batch may be longer than the first one was.
        if self.pieces[0].input.len() < size.min(items.len()) * self.plan.inputs() {
            let rows = size.min(items.len());
            self.pieces
                .iter_mut()
                .for_each(|piece| *piece = Piece::new(self.plan, rows));
        }
        parallel::fill(&mut self.pieces[..count], 1, 1, run, |range, pieces| {
            let items = &items[range.start * size..items.len().min(range.end * size)];
            work(range.start, items, &mut pieces[0]);
            Ok(())
        })?;
        Ok(count)
    }

    /// Adds the gradients and losses of one wave of pieces.
    fn add_wave(
        &mut self,
        parameters: &[T],
        items: &[usize],
        stream: u64,
        gradient: &mut [T],
        run: &Run,
    ) -> Result<f64> {
        let (plan, examples) = (self.plan, self.examples);
        let (noise, level) = (self.noise, self.noise_level);
        let (seed, is_random) = (self.seed, self.is_random());
        let sparsity = self.sparsity;
        let start = move |index: usize, items: &[usize], piece: &mut Piece<T>| {
            piece.gather(&examples, items);
            let mut random = is_random.then(|| generator(seed, stream + index as u64));
            if let Some(random) = &mut random {
                noise.corrupt(
                    level,
                    &mut piece.input[..items.len() * examples.n_inputs],
                    random,
                );
            }
            piece.forward(plan, parameters, random.as_mut());
        };
        let count = match sparsity {
            None => self.for_each_piece(items, run, |index, items, piece| {
                start(index, items, piece);
                piece.charge_and_go_back(plan, parameters, None);
            })?,
            Some(sparsity) => {
                let count = self.for_each_piece(items, run, start)?;
                let slopes = self.sparsity_slopes(sparsity, count, items.len());
                let extra = Extra {
                    layer: sparsity.layer,
                    slopes: &slopes.1,
                };
                self.for_each_piece(items, run, |_, _, piece| {
                    piece.charge_and_go_back(plan, parameters, Some(extra));
                })?;
                self.pieces[0].loss += slopes.0;
                count
            }
        };
        let mut loss = 0.0;
        for piece in &self.pieces[..count] {
            loss += piece.loss;
            for (sum, &slope) in gradient.iter_mut().zip(&piece.gradient) {
                *sum += slope;
            }
        }
        Ok(loss)
    }

    /// The price of the mean activations ρ̂ of a batch of m rows, times m, and its slope with
    /// respect to each unit of each row: β(−ρ/ρ̂ + (1−ρ)/(1−ρ̂)).
    fn sparsity_slopes(&self, sparsity: Sparsity, count: usize, rows: usize) -> (f64, Vec<T>) {
        let means = self.mean_outputs(sparsity.layer, count, rows);
        let (rho, beta) = (sparsity.target, sparsity.weight);
        let mut price = 0.0;
        let slope = |mean: f64| {
            let mean = mean.clamp(1e-8, 1.0 - 1e-8);
            price += rho * (rho / mean).ln() + (1.0 - rho) * ((1.0 - rho) / (1.0 - mean)).ln();
            T::of(beta * (-rho / mean + (1.0 - rho) / (1.0 - mean)))
        };
        let slopes = means.into_iter().map(slope).collect();
        (beta * price * rows as f64, slopes)
    }

    /// The mean output of every unit of a layer over the pieces that went forward last.
    fn mean_outputs(&self, layer: usize, count: usize, rows: usize) -> Vec<f64> {
        let width = self.plan.layers[layer].outputs();
        let mut sums = vec![0.0; width];
        for piece in &self.pieces[..count] {
            for row in piece.output(self.plan, layer).chunks_exact(width) {
                sums.iter_mut()
                    .zip(row)
                    .for_each(|(sum, a)| *sum += a.widen());
            }
        }
        sums.iter().map(|sum| sum / rows as f64).collect()
    }

    /// The mean output of every unit of a layer over the chosen rows, nothing left out.
    pub(crate) fn mean_activations(
        &mut self,
        parameters: &[T],
        layer: usize,
        items: &[usize],
        run: &Run,
    ) -> Result<Vec<f64>> {
        let (plan, examples) = (self.plan, self.examples);
        let mut means = vec![0.0; plan.layers[layer].outputs()];
        for wave in items.chunks(self.rows_per_piece * WAVE) {
            let count = self.for_each_piece(wave, run, |_, items, piece| {
                piece.gather(&examples, items);
                piece.forward(plan, parameters, None);
            })?;
            let share = wave.len() as f64 / items.len() as f64;
            let part = self.mean_outputs(layer, count, wave.len());
            means
                .iter_mut()
                .zip(part)
                .for_each(|(mean, part)| *mean += share * part);
        }
        Ok(means)
    }

    /// The weighted inputs of the last layer for the chosen rows, nothing left out.
    fn scores(&mut self, parameters: &[T], items: &[usize], run: &Run) -> Result<Vec<T>> {
        let (plan, examples) = (self.plan, self.examples);
        let mut scores = Vec::with_capacity(items.len() * plan.outputs());
        for wave in items.chunks(self.rows_per_piece * WAVE) {
            let count = self.for_each_piece(wave, run, |_, items, piece| {
                piece.gather(&examples, items);
                piece.forward(plan, parameters, None);
            })?;
            for piece in &self.pieces[..count] {
                scores.extend_from_slice(piece.scores(plan));
            }
        }
        Ok(scores)
    }
}

impl<T: Real> Learnable<T> for FeedForward<'_, T> {
    fn gradient(
        &mut self,
        parameters: &[T],
        items: &[usize],
        step: u64,
        gradient: &mut [T],
        run: &Run,
    ) -> Result<f64> {
        gradient.fill(T::zero());
        // The mean activations of a sparse code are those of the whole batch.
        let wave = match self.sparsity {
            Some(_) => items.len(),
            None => self.rows_per_piece * WAVE,
        };
        let mut loss = 0.0;
        for (place, wave) in items.chunks(wave).enumerate() {
            // Streams from one on; the first is for the random start.
            let stream = 1 + (step << 24) + (place * WAVE) as u64;
            loss += self.add_wave(parameters, wave, stream, gradient, run)?;
        }
        let share = T::of(1.0 / items.len() as f64);
        self.plan.add_decay(parameters, self.decay, gradient);
        gradient.iter_mut().for_each(|slope| *slope *= share);
        let price = self.decay * self.plan.half_squares(parameters);
        Ok((loss + price) / items.len() as f64)
    }

    fn score(&mut self, parameters: &[T], items: &[usize], run: &Run) -> Result<f64> {
        let scores = self.scores(parameters, items, run)?;
        Ok(self.judge.score(
            &scores,
            self.examples.targets,
            self.examples.n_outputs,
            items,
        ))
    }
}

/// Products of few rows are slow; but an image is many patches, which take much memory.
fn least_rows(plan: &Architecture) -> usize {
    let cuts = |layer: &Layer| matches!(layer, Layer::Convolution(_));
    if plan.layers.iter().any(cuts) { 4 } else { 32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Activation, Head};
    use didact_optimize::check_gradient;
    use didact_testing::random_matrix;

    /// Whether the gradient of a problem is that of its loss, with random numbers held fast.
    fn passes(plan: &Architecture, prepare: impl Fn(&mut FeedForward<'_, f64>)) -> bool {
        let (x, y) = (random_matrix(9, 3, 1), random_matrix(9, plan.outputs(), 2));
        let examples = Examples {
            inputs: x.as_slice().unwrap(),
            targets: y.as_slice().unwrap(),
            n_inputs: 3,
            n_outputs: plan.outputs(),
        };
        let mut problem = FeedForward::new(plan, examples, 0.5, Judge::RSquared, 3);
        prepare(&mut problem);
        let items: Vec<usize> = (0..9).collect();
        let start: Vec<f64> = plan.random_start(&mut generator(5, 0));
        let mut objective = |parameters: &[f64], gradient: &mut [f64]| {
            problem.gradient(parameters, &items, 4, gradient, &Run::new())
        };
        check_gradient(&mut objective, &start)
            .unwrap()
            .relative_error
            < 1e-8
    }

    #[test]
    fn the_gradient_is_right_when_units_are_left_out() {
        let plan = Architecture::dense(&[3, 6, 5, 2], Activation::Logistic, Head::REGRESSION, 0.4);
        assert_eq!(plan.layers.len(), 5);
        assert!(passes(&plan, |_| ()));
    }

    // 000b:D44: the gradient of tied weights is the sum of the encoder's and the decoder's part.
    #[test]
    fn the_gradient_of_tied_weights_sums_both_parts() {
        let mut plan = Architecture::new(Head::REGRESSION);
        let encoder = plan.add_dense(3, 2, Activation::Logistic);
        plan.add_tied(encoder, Activation::Identity);
        assert_eq!(plan.n_parameters, 6 + 2 + 3);
        assert!(passes(&plan, |_| ()));
    }

    // 001:GEN-08: two passes over the batch, the slope of the divergence in every row.
    #[test]
    fn the_gradient_of_a_sparse_code_agrees_with_finite_differences() {
        let plan = Architecture::dense(&[3, 4, 3], Activation::Logistic, Head::REGRESSION, 0.0);
        let sparsity = Sparsity {
            layer: 0,
            target: 0.05,
            weight: 2.0,
        };
        assert!(passes(&plan, |problem| problem.sparsity = Some(sparsity)));
        // Cut into pieces the mean activation is still that of the whole batch.
        assert!(passes(&plan, |problem| {
            problem.sparsity = Some(sparsity);
            problem.rows_per_piece = 4;
        }));
    }

    #[test]
    fn the_gradient_is_right_under_noise() {
        let plan = Architecture::dense(&[3, 4, 3], Activation::Tanh, Head::REGRESSION, 0.0);
        for noise in [Noise::Gaussian, Noise::Mask] {
            assert!(passes(&plan, |problem| {
                problem.noise = noise;
                problem.noise_level = 0.3;
            }));
        }
    }
}
