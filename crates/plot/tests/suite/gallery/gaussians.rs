//! A small model to draw: Gaussian classes with known means and variances.

use didact_core::{
    Abilities, Assign, Attribute, Classes, Classify, Features, Figure, LogDensity, Model,
    Probabilities, Result, Rows, Shape,
};
use ndarray::{Array1, Array2, ArrayView1, array};
use serde::{Deserialize, Serialize};

/// Classes of equal weight, each a Gaussian with uncorrelated features.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Gaussians {
    means: Array2<f64>,
    variances: Array2<f64>,
    classes: Classes,
}

impl Gaussians {
    pub(crate) fn new(means: Array2<f64>, variances: Array2<f64>, names: &[&str]) -> Self {
        Gaussians {
            means,
            variances,
            classes: Classes::new(names.iter().copied()),
        }
    }

    /// The model that the blobs of the gallery are drawn from.
    pub(crate) fn blobs(names: &[&str]) -> Self {
        let means = array![[1.0, 1.0], [4.0, 1.5], [2.5, 4.0]];
        let deviations = array![[0.6, 0.5], [0.5, 0.8], [0.9, 0.4]];
        Gaussians::new(means, deviations.mapv(|value| value * value), names)
    }

    /// The log-density of each class at a row.
    fn log_densities(&self, row: ArrayView1<'_, f64>) -> Array1<f64> {
        let tau = std::f64::consts::TAU;
        let classes = self.means.rows().into_iter().zip(self.variances.rows());
        classes
            .map(|(mean, variance)| {
                let terms = row.iter().zip(mean).zip(variance);
                terms
                    .map(|((x, m), v)| -0.5 * ((x - m).powi(2) / v + (tau * v).ln()))
                    .sum()
            })
            .collect()
    }
}

impl Features for Gaussians {
    fn n_features(&self) -> usize {
        self.means.ncols()
    }
}

impl Probabilities for Gaussians {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let rows = rows.dense()?;
        let mut shares = Array2::zeros((rows.nrows(), self.means.nrows()));
        for (row, mut share) in rows.rows().into_iter().zip(shares.rows_mut()) {
            let heights = self.log_densities(row);
            let highest = heights.fold(f64::NEG_INFINITY, |one, two| one.max(*two));
            let weights = heights.mapv(|height| (height - highest).exp());
            share.assign(&(&weights / weights.sum()));
        }
        Ok(shares)
    }
}

impl Classify for Gaussians {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let shares = self.probabilities(rows)?;
        let best = |row: ArrayView1<'_, f64>| {
            (0..row.len())
                .max_by(|one, two| row[*one].total_cmp(&row[*two]))
                .unwrap_or(0)
        };
        Ok(shares.rows().into_iter().map(best).collect())
    }
}

impl Model for Gaussians {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[];
}

/// The same Gaussians as a density whose components are clusters.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Mixture(pub(crate) Gaussians);

impl Features for Mixture {
    fn n_features(&self) -> usize {
        self.0.n_features()
    }
}

impl Assign for Mixture {
    fn assign(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        Ok(self.0.classify(rows)?.into_iter().map(Some).collect())
    }
}

impl LogDensity for Mixture {
    fn log_density(&self, rows: Rows<'_>) -> Result<Array1<f64>> {
        let weight = 1.0 / self.0.means.nrows() as f64;
        let density = |row| {
            let heights = self.0.log_densities(row);
            (heights.mapv(f64::exp).sum() * weight).ln()
        };
        Ok(rows.dense()?.rows().into_iter().map(density).collect())
    }
}

impl Model for Mixture {
    const ABILITIES: Abilities<Self> = Abilities::none().assign().log_density();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "components",
        meaning: "The ellipsoids of the components.",
        get: |model| {
            let variances = model.0.variances.rows().into_iter();
            Some(Shape::Ellipsoids {
                centers: model.0.means.clone(),
                covariances: variances.map(|row| Array2::from_diag(&row)).collect(),
            })
        },
    }];
}
