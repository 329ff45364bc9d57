//! The fitted mixture of counts.

use super::DiscreteLaw;
use super::components::Components;
use crate::joint::{Joint, joint_model, pick};
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Attribute, Drawn, Error, Features, Figure, Model, Result, Rows, Run, Sample, Shape,
    Trace, Value, parallel,
};
use ndarray::Array2;
use rand::RngExt;
use rand_distr::{Distribution, Poisson};
use serde::{Deserialize, Serialize};

/// The law p(x) = Σₖ πₖ p(x; θₖ) of counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiscreteMixtureModel {
    components: Components,
    trace: Trace,
}

impl DiscreteMixtureModel {
    pub(super) fn new(components: Components, trace: Trace) -> Self {
        DiscreteMixtureModel { components, trace }
    }

    /// The law of the components.
    pub fn law(&self) -> DiscreteLaw {
        self.components.law
    }

    /// The share of each component.
    pub fn weights(&self) -> &[f64] {
        &self.components.weights
    }

    /// Means (Poisson), probabilities (Bernoulli) or shares (multinomial), a row per component.
    pub fn parameters(&self) -> &Array2<f64> {
        &self.components.parameters
    }

    /// The history of the fit.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}

impl Joint for DiscreteMixtureModel {
    fn n_components(&self) -> usize {
        self.components.n_components()
    }

    /// Hands ln πₖ p(x; θₖ) of every row to `finish`, which leaves `width` values.
    fn per_row(
        &self,
        rows: Rows<'_>,
        width: usize,
        finish: impl Fn(&mut [f64], &mut [f64]) + Sync + Send,
    ) -> Result<Vec<f64>> {
        self.components.law.check_rows(rows)?;
        let x = rows.dense()?;
        let (k, d) = self.components.parameters.dim();
        let mut output = vec![0.0; x.nrows() * width];
        let chunk = ((1 << 17) / (k * d)).clamp(32, 2048);
        parallel::fill(&mut output, width, chunk, &Run::new(), |range, piece| {
            let mut scores = vec![0.0; k];
            for (row, output) in range.zip(piece.chunks_exact_mut(width)) {
                self.components.joint_log_densities(x.row(row), &mut scores);
                finish(&mut scores, output);
            }
            Ok(())
        })?;
        Ok(output)
    }
}

impl Features for DiscreteMixtureModel {
    fn n_features(&self) -> usize {
        self.components.parameters.ncols()
    }
}

joint_model!(DiscreteMixtureModel, density);

impl Sample for DiscreteMixtureModel {
    /// Rows of the multinomial law have a token for each column, for want of a law of lengths.
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let d = self.n_features();
        let mut rows = Array2::zeros((n_rows, d));
        let mut labels = Vec::with_capacity(n_rows);
        for mut row in rows.rows_mut() {
            let label = pick(&self.components.weights, generator.random());
            let parameters = self.components.parameters.row(label);
            match self.components.law {
                DiscreteLaw::Poisson => {
                    for (value, &rate) in row.iter_mut().zip(parameters) {
                        *value = draw_poisson(rate, generator)?;
                    }
                }
                DiscreteLaw::Bernoulli => {
                    for (value, &share) in row.iter_mut().zip(parameters) {
                        *value = f64::from(u8::from(generator.random::<f64>() < share));
                    }
                }
                DiscreteLaw::Multinomial => {
                    let shares = parameters.to_vec();
                    // A component that has seen no token has none to draw.
                    let tokens = if parameters.sum() > 0.0 { d } else { 0 };
                    for _ in 0..tokens {
                        row[pick(&shares, generator.random())] += 1.0;
                    }
                }
            }
            labels.push(label);
        }
        Ok(Drawn { rows, labels })
    }
}

fn draw_poisson(rate: f64, generator: &mut Generator) -> Result<f64> {
    if rate == 0.0 {
        return Ok(0.0);
    }
    let law = Poisson::new(rate).map_err(|error| {
        Error::numerical(format!("a rate of {rate} cannot be drawn from: {error}"))
    })?;
    Ok(law.sample(generator))
}

impl Model for DiscreteMixtureModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .assign()
        .probabilities()
        .log_density()
        .sample();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "weights",
            meaning: "The share of each component.",
            get: |model| Value::from(model.weights()),
        },
        Attribute {
            name: "parameters",
            meaning: "Means, probabilities or shares of the columns, a row per component.",
            get: |model| Value::from(model.parameters()),
        },
        Attribute {
            name: "n_iter",
            meaning: "Iterations of the best start.",
            get: |model| Value::from(model.trace.n_iter() - 1),
        },
        Attribute {
            name: "lower_bound",
            meaning: "The mean log-likelihood of a training row, with its pretended rows.",
            get: |model| Value::from(model.trace.objectives.last().copied()),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "means",
        meaning: "The mean counts of each component.",
        get: |model| {
            let shown = model.law() != DiscreteLaw::Multinomial;
            shown.then(|| Shape::Points {
                points: model.parameters().clone(),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        ensure_consistent(self.components.is_consistent() && self.trace.n_iter() > 0)
    }
}
