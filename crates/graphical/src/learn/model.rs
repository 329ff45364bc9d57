//! The learned network as a density.

use super::learned::LearnedNetwork;
use crate::Network;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Attribute, Drawn, Features, LogDensity, Model, Result, Rows, Sample, Trace, Value,
};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// A fitted [`crate::BayesianNetwork`] of rows alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BayesianNetworkModel {
    learned: LearnedNetwork,
}

impl BayesianNetworkModel {
    pub(super) fn new(learned: LearnedNetwork) -> Self {
        BayesianNetworkModel { learned }
    }

    /// The network; its nodes are called `x0`, `x1`, … after the columns.
    pub fn network(&self) -> &Network {
        &self.learned.network
    }

    /// The BIC score of the graph on the training rows, larger is better.
    pub fn bic_score(&self) -> f64 {
        self.learned.score
    }

    /// Σ ln P(row) of the training rows.
    pub fn log_likelihood(&self) -> f64 {
        self.learned.log_likelihood
    }
}

impl Features for BayesianNetworkModel {
    fn n_features(&self) -> usize {
        self.network().graph().n_nodes()
    }
}

impl LogDensity for BayesianNetworkModel {
    fn log_density(&self, rows: Rows<'_>) -> Result<Array1<f64>> {
        let nodes = self.n_features();
        let logs = self.learned.per_row(rows, 1, |values, output| {
            output[0] = (0..nodes)
                .map(|node| self.learned.log_share(node, values))
                .sum();
        })?;
        Ok(Array1::from(logs))
    }
}

impl Sample for BayesianNetworkModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let mut rows = Array2::zeros((n_rows, self.n_features()));
        let mut values = vec![0; self.n_features()];
        for row in rows.rows_mut() {
            self.network().draw_forward(&mut values, generator);
            row.into_iter()
                .zip(&values)
                .for_each(|(to, &from)| *to = from as f64);
        }
        Ok(Drawn {
            rows,
            labels: vec![0; n_rows],
        })
    }
}

impl Model for BayesianNetworkModel {
    const ABILITIES: Abilities<Self> = Abilities::none().log_density().sample();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "edges",
            meaning: "The arrows of the graph: the numbers of parent and child, a row each.",
            get: |model| Value::from(model.learned.edges()),
        },
        Attribute {
            name: "arrows",
            meaning: "The arrows of the graph by the names of their ends.",
            get: |model| Value::Names(model.learned.arrows()),
        },
        Attribute {
            name: "n_categories",
            meaning: "The number of values of each column.",
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
            meaning: "The log-likelihood of the training rows with the smoothed tables.",
            get: |model| Value::from(model.learned.log_likelihood),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        self.learned.trace.as_ref()
    }

    fn validate(&self) -> Result<()> {
        self.learned.validate()
    }
}
