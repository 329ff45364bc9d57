//! The learned network as a classifier: the class is one more node.

use super::learned::LearnedNetwork;
use crate::Network;
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Attribute, Classes, Classify, Drawn, Features, LogDensity, Model, Probabilities,
    Result, Rows, Sample, Trace, Value,
};
use didact_math::numeric::{argmax, log_softmax_in_place, log_sum_exp};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// A fitted [`crate::BayesianNetwork`] of rows with classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BayesianNetworkClassifierModel {
    learned: LearnedNetwork,
    classes: Classes,
    class_prior: Vec<f64>,
}

impl BayesianNetworkClassifierModel {
    pub(super) fn new(learned: LearnedNetwork, classes: Classes, class_prior: Vec<f64>) -> Self {
        BayesianNetworkClassifierModel {
            learned,
            classes,
            class_prior,
        }
    }

    /// The network; its nodes are called `x0`, `x1`, … after the columns, then `class`.
    pub fn network(&self) -> &Network {
        &self.learned.network
    }

    /// The BIC score of the graph on the training rows, larger is better.
    pub fn bic_score(&self) -> f64 {
        self.learned.score
    }

    /// Σ ln P(row, class) of the training rows.
    pub fn log_likelihood(&self) -> f64 {
        self.learned.log_likelihood
    }

    /// ln P(c | parents)·Π P(children of the class | …) for every class: all that tells classes
    /// apart when every column is known. What is impossible for every class is left to the shares
    /// of the classes.
    fn class_scores(&self, values: &mut [usize], scores: &mut [f64]) {
        let class = self.n_features();
        for (label, score) in scores.iter_mut().enumerate() {
            values[class] = label;
            let children = self.network().graph().children(class).iter();
            let of_children = children.map(|&child| self.learned.log_share(child, values));
            *score = self.learned.log_share(class, values) + of_children.sum::<f64>();
        }
    }

    /// ln Π P(x | parents) over the columns that have nothing to do with the class.
    fn log_rest(&self, values: &[usize]) -> f64 {
        let class = self.n_features();
        let rest =
            (0..class).filter(|&node| !self.network().graph().parents(node).contains(&class));
        rest.map(|node| self.learned.log_share(node, values)).sum()
    }

    fn posterior(&self, values: &mut [usize], scores: &mut [f64]) {
        self.class_scores(values, scores);
        if scores.iter().all(|&score| score == f64::NEG_INFINITY) {
            let pairs = scores.iter_mut().zip(&self.class_prior);
            pairs.for_each(|(score, share)| *score = share.ln());
        }
    }
}

impl Features for BayesianNetworkClassifierModel {
    fn n_features(&self) -> usize {
        self.network().graph().n_nodes() - 1
    }
}

impl Classify for BayesianNetworkClassifierModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let k = self.classes.len();
        let scores = self
            .learned
            .per_row(rows, k, |values, scores| self.posterior(values, scores))?;
        let label = |scores: &[f64]| argmax(scores.iter().copied()).unwrap_or(0);
        Ok(scores.chunks_exact(k).map(label).collect())
    }
}

impl Probabilities for BayesianNetworkClassifierModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let k = self.classes.len();
        let shares = self.learned.per_row(rows, k, |values, scores| {
            self.posterior(values, scores);
            log_softmax_in_place(scores);
            scores.iter_mut().for_each(|score| *score = score.exp());
            let total: f64 = scores.iter().sum();
            scores.iter_mut().for_each(|share| *share /= total);
        })?;
        Ok(Array2::from_shape_vec((rows.n_rows(), k), shares).expect("one share per class"))
    }
}

impl LogDensity for BayesianNetworkClassifierModel {
    /// ln P(x) = ln Σ_c P(x, c).
    fn log_density(&self, rows: Rows<'_>) -> Result<Array1<f64>> {
        let k = self.classes.len();
        let logs = self.learned.per_row(rows, 1, |values, output| {
            let mut scores = vec![0.0; k];
            self.class_scores(values, &mut scores);
            output[0] = log_sum_exp(&scores) + self.log_rest(values);
        })?;
        Ok(Array1::from(logs))
    }
}

impl Sample for BayesianNetworkClassifierModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let mut rows = Array2::zeros((n_rows, self.n_features()));
        let mut labels = Vec::with_capacity(n_rows);
        let mut values = vec![0; self.n_features() + 1];
        for row in rows.rows_mut() {
            self.network().draw_forward(&mut values, generator);
            row.into_iter()
                .zip(&values)
                .for_each(|(to, &from)| *to = from as f64);
            labels.push(values[self.n_features()]);
        }
        Ok(Drawn { rows, labels })
    }
}

impl Model for BayesianNetworkClassifierModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .classify()
        .probabilities()
        .log_density()
        .sample();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "class_prior",
            meaning: "The smoothed share of each class.",
            get: |model| Value::from(model.class_prior.as_slice()),
        },
        Attribute {
            name: "edges",
            meaning: "The arrows of the graph: the numbers of parent and child, a row each; the class comes after the last column.",
            get: |model| Value::from(model.learned.edges()),
        },
        Attribute {
            name: "arrows",
            meaning: "The arrows of the graph by the names of their ends.",
            get: |model| Value::Names(model.learned.arrows()),
        },
        Attribute {
            name: "n_categories",
            meaning: "The number of values of each column, then of classes.",
            get: |model| Value::from(model.network().sizes().as_slice()),
        },
        Attribute {
            name: "n_parameters",
            meaning: "The free numbers in all tables.",
            get: |model| Value::from(model.network().n_free()),
        },
        Attribute {
            name: "bic_score",
            meaning: "The BIC score of the graph on the training rows, larger is better.",
            get: |model| Value::from(model.learned.score),
        },
        Attribute {
            name: "log_likelihood",
            meaning: "The log-likelihood of the training rows and classes with the smoothed tables.",
            get: |model| Value::from(model.learned.log_likelihood),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        self.learned.trace.as_ref()
    }

    fn validate(&self) -> Result<()> {
        self.learned.validate()?;
        let k = self.classes.len();
        let is_share = |share: &f64| (0.0..=1.0).contains(share);
        ensure_consistent(k > 0 && self.class_prior.len() == k)?;
        ensure_consistent(self.class_prior.iter().all(is_share) && self.n_features() > 0)?;
        ensure_consistent(self.network().table(self.n_features()).n_values() == k)
    }
}
