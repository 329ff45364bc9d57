//! Learning codes.

use super::model::AutoencoderModel;
use super::parameters::{Autoencoder, ReconstructionLoss};
use crate::network::{Architecture, Examples, FeedForward, Judge, Layer, Sparsity};
use crate::rows::to_real;
use crate::training::{Learned, minimise_whole};
use crate::{Network, Pretraining, Real, Solver};
use didact_core::random::generator;
use didact_core::{Error, Fit, FitData, Result, Run, Samples};
use ndarray::{Array1, ArrayView2};

impl Fit<Samples<'_>> for Autoencoder {
    type Model = AutoencoderModel;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<AutoencoderModel> {
        let rows = data.dense()?;
        self.learn_pairs(rows, rows, run)
    }
}

impl Autoencoder {
    /// Learns to tell clean rows from spoiled ones, pair by pair; where both are the same this is
    /// `fit`. Further noise, where there is some, is added to the spoiled rows.
    pub fn fit_pairs(
        &self,
        spoiled: Samples<'_>,
        clean: Samples<'_>,
        run: &Run,
    ) -> Result<AutoencoderModel> {
        didact_core::parameters::check(self)?;
        spoiled.check(Self::ACCEPTS)?;
        clean.check(Self::ACCEPTS)?;
        let (spoiled, clean) = (spoiled.dense()?, clean.dense()?);
        if spoiled.dim() != clean.dim() {
            return Err(Error::data(format!(
                "the spoiled rows are {}×{} and the clean ones {}×{}; give one clean row of the \
                 same columns for each spoiled one",
                spoiled.nrows(),
                spoiled.ncols(),
                clean.nrows(),
                clean.ncols()
            )));
        }
        run.install(|| self.learn_pairs(spoiled, clean, run))
    }

    fn learn_pairs(
        &self,
        spoiled: ArrayView2<'_, f64>,
        clean: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<AutoencoderModel> {
        self.check()?;
        if self.loss == ReconstructionLoss::CrossEntropy {
            check_between_zero_and_one(clean)?;
        }
        let plan = self.plan(spoiled.ncols());
        let n_rows = spoiled.nrows();
        match self.solver {
            Solver::Lbfgs => self.solve::<f64>(plan, spoiled, clean, run, |problem, parameters| {
                minimise_whole(problem, parameters, n_rows, self.max_iter, self.tol, run)
            }),
            _ => self.solve::<f32>(plan, spoiled, clean, run, |problem, parameters| {
                let items: Vec<usize> = (0..n_rows).collect();
                let training = self.training(n_rows);
                training.descend(problem, parameters, &items, &[], run)
            }),
        }
    }

    fn solve<T: Real>(
        &self,
        plan: Architecture,
        spoiled: ArrayView2<'_, f64>,
        clean: ArrayView2<'_, f64>,
        run: &Run,
        solver: impl FnOnce(&mut FeedForward<'_, T>, &mut Vec<T>) -> Result<Learned>,
    ) -> Result<AutoencoderModel> {
        let inputs: Vec<T> = to_real(spoiled, "column")?;
        let targets: Vec<T> = to_real(clean, "column")?;
        let examples = Examples {
            inputs: &inputs,
            targets: &targets,
            n_inputs: plan.inputs(),
            n_outputs: plan.outputs(),
        };
        let seed = self.random_state;
        let code = self.hidden_layer_sizes.len() - 1;
        let mut problem = FeedForward::new(&plan, examples, self.alpha, Judge::RSquared, seed);
        problem.noise = self.noise;
        problem.noise_level = self.noise_level;
        problem.sparsity = (self.sparsity_weight > 0.0).then_some(Sparsity {
            layer: code,
            target: self.sparsity_target,
            weight: self.sparsity_weight,
        });
        let mut parameters: Vec<T> = match self.pretrain_iter {
            0 => plan.random_start(&mut generator(seed, 0)),
            _ => self.unrolled(&plan, spoiled, run)?,
        };
        let learned = solver(&mut problem, &mut parameters)?;
        let items: Vec<usize> = (0..spoiled.nrows()).collect();
        let means = problem.mean_activations(&parameters, code, &items, run)?;
        let parameters = parameters.into_iter().map(Real::widen).collect();
        AutoencoderModel::new(
            Network { plan, parameters },
            code + 1,
            Array1::from(means),
            learned,
            clean,
        )
    }
}

impl Autoencoder {
    /// Layers that were learned from the (spoiled) rows alone, mirrored into the decoder: the
    /// network begins as the way up and down again through them.
    fn unrolled<T: Real>(
        &self,
        plan: &Architecture,
        rows: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Vec<T>> {
        let pretraining = Pretraining {
            n_iter: self.pretrain_iter,
            seed: self.random_state,
            ..Pretraining::default()
        };
        let layers = pretraining.learn(rows, &self.hidden_layer_sizes, run)?;
        let normal = !layers[0].is_binary;
        if normal && (self.tied || self.loss == ReconstructionLoss::CrossEntropy) {
            return Err(Error::parameter(
                "pretrain_iter",
                self.pretrain_iter,
                "with tied weights or cross-entropy it needs values between 0 and 1; scale the \
                 columns, or set this to 0",
            ));
        }
        let up = layers.iter().map(|layer| (&layer.weights, &layer.biases));
        let down = layers
            .iter()
            .rev()
            .map(|layer| (&layer.down_weights, &layer.down_biases));
        let mut parameters = vec![T::zero(); plan.n_parameters];
        for (layer, (weights, biases)) in plan.layers.iter().zip(up.chain(down)) {
            let Some((weight_range, bias_range)) = layer.parameter_ranges() else {
                continue;
            };
            // Tied layers find their weights where the encoder has put them.
            if !matches!(layer, Layer::Dense(dense) if dense.tied) {
                let to = parameters[weight_range].iter_mut();
                to.zip(weights).for_each(|(to, &from)| *to = T::of(from));
            }
            let to = parameters[bias_range].iter_mut();
            to.zip(biases).for_each(|(to, &from)| *to = T::of(from));
        }
        Ok(parameters)
    }
}

fn check_between_zero_and_one(rows: ArrayView2<'_, f64>) -> Result<()> {
    match rows.indexed_iter().find(|(_, v)| !(0.0..=1.0).contains(*v)) {
        None => Ok(()),
        Some(((row, column), value)) => Err(Error::data(format!(
            "row {row}, column {column} is {value}; cross-entropy needs values between 0 and 1, \
             so scale the columns or choose the loss squared-error"
        ))),
    }
}
