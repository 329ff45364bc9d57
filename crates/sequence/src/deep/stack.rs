//! Hidden layers with a chain on top, and all their weights as one list.

use super::parameters::DeepCrf;
use crate::crf::{ChainWeights, Columns};
use didact_core::model::ensure_consistent;
use didact_core::{Classes, Result};
use didact_neural::HiddenLayers;
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1, ArrayViewMut2};
use serde::{Deserialize, Serialize};

/// Hidden layers, the chain on top of them, and the predictor of single items where there is one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stack {
    pub(crate) layers: HiddenLayers,
    pub(crate) chain: ChainWeights,
    pub(crate) independent: Option<Independent>,
}

/// What adds λ·(v·h + c) to the scores of an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Independent {
    pub(crate) weight: f64,
    pub(crate) coef: Array2<f64>,
    pub(crate) intercept: Array1<f64>,
}

impl Stack {
    /// The given layers with weights of zero on top.
    pub(crate) fn new(layers: HiddenLayers, n_labels: usize, independent_weight: f64) -> Self {
        let n_units = layers.n_outputs();
        Stack {
            layers,
            chain: ChainWeights::zeros(n_labels, n_units),
            independent: (independent_weight > 0.0).then(|| Independent {
                weight: independent_weight,
                coef: Array2::zeros((n_labels, n_units)),
                intercept: Array1::zeros(n_labels),
            }),
        }
    }

    /// The weights that score the units of the last layer: those of the chain and λ times those
    /// of the predictor of single items.
    pub(crate) fn scorer(&self) -> ChainWeights {
        let mut scorer = self.chain.clone();
        if let Some(independent) = &self.independent {
            scorer
                .coef
                .scaled_add(independent.weight, &independent.coef);
            scorer
                .intercept
                .scaled_add(independent.weight, &independent.intercept);
        }
        scorer
    }

    /// How many weights belong to what stands on the layers.
    pub(crate) fn n_top(&self) -> usize {
        let independent = self.independent.as_ref();
        let more = independent.map_or(0, |own| own.coef.len() + own.intercept.len());
        self.chain.values().count() + more
    }

    /// All weights: those of the chain, of the predictor of single items, and of the layers.
    pub(crate) fn to_vec(&self) -> Vec<f64> {
        let mut all = self.chain.to_vec();
        if let Some(own) = &self.independent {
            all.extend(own.coef.iter().chain(&own.intercept));
        }
        all.extend(self.layers.parameters());
        all
    }

    /// Takes all weights in that order.
    pub(crate) fn set(&mut self, values: &[f64]) {
        let mut values = values.iter().copied();
        let mut take = |own: &mut f64| *own = values.next().expect("a value for each weight");
        self.chain.values_mut().for_each(&mut take);
        if let Some(own) = &mut self.independent {
            own.coef.iter_mut().for_each(&mut take);
            own.intercept.iter_mut().for_each(&mut take);
        }
        self.layers.parameters_mut().iter_mut().for_each(take);
    }

    /// A gradient with respect to all weights, given that with respect to the scorer and to the
    /// layers.
    pub(crate) fn gradient(&self, scorer: &ChainWeights, layers: &[f64]) -> Vec<f64> {
        let mut all = scorer.to_vec();
        if let Some(own) = &self.independent {
            let slopes = scorer.coef.iter().chain(&scorer.intercept);
            all.extend(slopes.map(|slope| own.weight * slope));
        }
        all.extend(layers);
        all
    }

    /// The price of the square of each weight, halved; none for those of layers.
    pub(crate) fn prices(&self, deep: &DeepCrf) -> Vec<f64> {
        let mut priced = self.clone();
        let of_intercepts = match deep.penalize_intercept {
            true => deep.alpha,
            false => 0.0,
        };
        priced
            .chain
            .values_mut()
            .for_each(|price| *price = deep.alpha);
        priced.chain.intercept.fill(of_intercepts);
        if let Some(own) = &mut priced.independent {
            own.coef.fill(deep.alpha);
            own.intercept.fill(of_intercepts);
        }
        priced.layers.parameters_mut().fill(0.0);
        priced.to_vec()
    }

    /// The price of the magnitude of each weight: of layers, but not of biases.
    pub(crate) fn magnitude_prices(&self, deep: &DeepCrf) -> Vec<f64> {
        let n_top = self.n_top();
        let mut prices = vec![0.0; n_top + self.layers.n_parameters()];
        for range in self.layers.weight_ranges() {
            prices[n_top + range.start..n_top + range.end].fill(deep.network_alpha);
        }
        prices
    }

    /// Writes the scaling of the columns into the weights that read them.
    pub(crate) fn restore(&mut self, columns: &Columns) -> Result<()> {
        let sizes = self.layers.sizes();
        if sizes.len() == 1 {
            columns.restore(&mut self.chain)?;
            return match &mut self.independent {
                Some(own) => columns.restore_units(own.coef.view_mut(), own.intercept.view_mut()),
                None => Ok(()),
            };
        }
        let (n_weights, n_biases) = (sizes[0] * sizes[1], sizes[1]);
        let (weights, rest) = self.layers.parameters_mut().split_at_mut(n_weights);
        columns.restore_units(
            ArrayViewMut2::from_shape((sizes[1], sizes[0]), weights).expect("a row per unit"),
            ArrayViewMut1::from(&mut rest[..n_biases]),
        )
    }

    /// Fails unless all parts are finite and belong together and to the classes.
    pub(crate) fn validate(&self, classes: &Classes) -> Result<()> {
        self.layers.validate()?;
        self.chain.validate(classes)?;
        ensure_consistent(self.chain.n_features() == self.layers.n_outputs())?;
        if let Some(own) = &self.independent {
            ensure_consistent(own.coef.dim() == self.chain.coef.dim())?;
            ensure_consistent(own.intercept.len() == self.chain.n_labels())?;
            let mut values = own.coef.iter().chain(&own.intercept).chain([&own.weight]);
            ensure_consistent(values.all(|value| value.is_finite()))?;
        }
        Ok(())
    }
}

/// The slopes of a loss by the units of the last layer, given its slopes by the scores of items.
pub(crate) fn unit_slopes(scorer: &ChainWeights, by_scores: &[f64]) -> Array2<f64> {
    let k = scorer.n_labels();
    let by_scores = ArrayView2::from_shape((by_scores.len() / k, k), by_scores);
    by_scores.expect("K values per item").dot(&scorer.coef)
}
