//! Where the components of a mixture start.

use super::components::{Components, Covariances};
use super::observed::{ObservedColumns, has_gaps};
use super::statistics::Statistics;
use super::{Climb, CovarianceType, GaussianMixture, MixtureInit, SKETCH};
use didact_cluster::{KMeans, RowSketch};
use didact_core::random::generator;
use didact_core::{Error, Fit, Result, Run, Samples};
use didact_math::distance::nearest_center;
use didact_math::linalg::Cholesky;
use ndarray::{Array1, Array2, ArrayView2, Axis};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Iterations that tell which of two starts leads higher.
const TRIAL: usize = 10;

/// Inverse covariances in the shape of their type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PrecisionsInit {
    /// One number per component, for spherical covariances.
    Spherical(Vec<f64>),
    /// One row of numbers per component, for diagonal covariances; one matrix for tied ones.
    Rows(Vec<Vec<f64>>),
    /// One matrix per component, for full covariances.
    Matrices(Vec<Vec<Vec<f64>>>),
}

impl GaussianMixture {
    /// Every restart at its first components.
    pub(super) fn starts(
        &self,
        sketch: &RowSketch,
        columns: &ObservedColumns,
        run: &Run,
    ) -> Result<Vec<Climb>> {
        let variances = columns.variances()?;
        let starts = match self.fill_gaps(sketch, columns, run)? {
            Some(filled) => self.first_components(&filled, &variances, run)?,
            None => self.first_components(sketch, &variances, run)?,
        };
        let climb = |components| Climb::new(components, variances.clone());
        Ok(starts.into_iter().map(climb).collect())
    }

    /// The sketch with the means of the columns in the gaps, where there are any. Good enough to
    /// begin with; the iterations do without.
    fn fill_gaps(
        &self,
        sketch: &RowSketch,
        columns: &ObservedColumns,
        run: &Run,
    ) -> Result<Option<RowSketch>> {
        let mut rows = sketch.rows()?.into_dense();
        if !has_gaps(rows.view()) {
            return Ok(None);
        }
        columns.fill(&mut rows);
        let weights = sketch.weights();
        let samples = Samples::from(&rows).weighted(&weights)?;
        // Rows that differed only in their gaps are now equal.
        RowSketch::of(&samples, SKETCH, self.random_state, run).map(Some)
    }

    fn first_components(
        &self,
        sketch: &RowSketch,
        variances: &Array1<f64>,
        run: &Run,
    ) -> Result<Vec<Components>> {
        if sketch.len() < self.n_components {
            let distinct = sketch.len();
            return Err(Error::parameter(
                "n_components",
                self.n_components,
                format!("there are only {distinct} distinct rows; ask for at most {distinct}"),
            ));
        }
        let weights = self.first_weights()?;
        let rows = sketch.rows()?.into_dense();
        let row_weights = sketch.weights();
        let samples = Samples::from(&rows).weighted(&row_weights)?;
        // Given means leave nothing to chance, so one start is all there is.
        let n_starts = if self.means_init.is_some() {
            1
        } else {
            self.n_init
        };
        (0..n_starts)
            .map(|restart| {
                let means = self.first_means(&samples, restart as u64, run)?;
                if self.init_params == MixtureInit::KMeansClusters && self.means_init.is_none() {
                    return self.of_clusters(means, &samples, run);
                }
                // Given covariances are taken as they are; the floor comes with the first step.
                match &self.precisions_init {
                    Some(precisions) => {
                        let covariances = self.given_covariances(precisions, rows.ncols())?;
                        Components::new(weights.clone(), means, covariances, 0.0)
                    }
                    None => {
                        let given = self.means_init.is_some().then(|| means.clone());
                        let covariances = self.common(variances);
                        let common =
                            Components::new(weights.clone(), means, covariances, self.reg_covar)?;
                        match given {
                            Some(means) if self.weights_init.is_none() && !self.fixed_weights => {
                                self.better(common, means, &samples, run)
                            }
                            _ => Ok(common),
                        }
                    }
                }
            })
            .collect()
    }

    fn first_weights(&self) -> Result<Vec<f64>> {
        let k = self.n_components;
        let Some(weights) = &self.weights_init else {
            return Ok(vec![(k as f64).recip(); k]);
        };
        let total: f64 = weights.iter().sum();
        let legal = weights.iter().all(|&weight| weight >= 0.0) && total > 0.0 && total.is_finite();
        if weights.len() != k || !legal {
            return Err(Error::parameter(
                "weights_init",
                format!("{weights:?}"),
                format!("give {k} weights, none negative and not all zero"),
            ));
        }
        Ok(weights.iter().map(|weight| weight / total).collect())
    }

    /// The first means: distinct rows, or the centres of k-means.
    fn first_means(&self, samples: &Samples<'_>, restart: u64, run: &Run) -> Result<Array2<f64>> {
        if let Some(means) = &self.means_init {
            return given_means(means, self.n_components, samples.n_columns());
        }
        if self.init_params == MixtureInit::Random {
            let mut order: Vec<usize> = (0..samples.n_rows()).collect();
            let mut generator = generator(self.random_state, restart);
            for place in 0..self.n_components {
                let other = generator.random_range(place..order.len());
                order.swap(place, other);
            }
            return Ok(samples
                .dense()?
                .select(Axis(0), &order[..self.n_components]));
        }
        let clusters = KMeans {
            n_clusters: self.n_components,
            random_state: self.random_state.wrapping_add(restart),
            ..KMeans::default()
        };
        let clusters = clusters.fit_with(samples.view(), &run.quietly())?;
        Ok(clusters.cluster_centers().to_owned())
    }

    /// The variances of all rows for every component.
    fn common(&self, variances: &Array1<f64>) -> Covariances {
        let k = self.n_components;
        let diagonal = || Array2::from_diag(variances);
        match self.covariance_type {
            CovarianceType::Full => Covariances::Full(vec![diagonal(); k]),
            CovarianceType::Tied => Covariances::Tied(diagonal()),
            CovarianceType::Diag => {
                Covariances::Diag(Array2::from_shape_fn((k, variances.len()), |(_, j)| {
                    variances[j]
                }))
            }
            CovarianceType::Spherical => {
                Covariances::Spherical(vec![variances.mean().unwrap_or(0.0); k])
            }
        }
    }

    /// Sizes, means and covariances of the clusters around the means: one step with
    /// responsibilities of zero and one.
    fn of_clusters(
        &self,
        means: Array2<f64>,
        samples: &Samples<'_>,
        run: &Run,
    ) -> Result<Components> {
        let nearest = nearest_center(samples.rows(), means.view(), run)?;
        let start = self.around(means)?;
        let rows = samples.dense()?;
        let statistics =
            Statistics::of_labels(&start, rows, samples.weights(), &nearest.labels, run)?;
        statistics.maximise(&start, self).complete(self.reg_covar)
    }

    /// The better of two starts from means alone: the variances of all rows for every component,
    /// or the clusters of the rows nearest to each mean. Which leads higher depends on the rows, and
    /// a few iterations on the sketch tell.
    fn better(
        &self,
        common: Components,
        means: Array2<f64>,
        samples: &Samples<'_>,
        run: &Run,
    ) -> Result<Components> {
        let clusters = match self.of_clusters(means, samples, run) {
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            // A mean without rows of its own, or with equal ones only, makes no cluster.
            Err(_) => return Ok(common),
            Ok(clusters) => clusters,
        };
        let (of_common, of_clusters) = (
            self.height(common.clone(), samples, run)?,
            self.height(clusters.clone(), samples, run)?,
        );
        Ok(match of_clusters > of_common {
            true => clusters,
            false => common,
        })
    }

    /// The mean log-likelihood after a few iterations from a start.
    fn height(&self, start: Components, samples: &Samples<'_>, run: &Run) -> Result<f64> {
        let rows = samples.dense()?;
        let climb = || {
            let mut components = start;
            for _ in 0..TRIAL {
                let statistics = Statistics::of(&components, rows, samples.weights(), run)?;
                components = statistics
                    .maximise(&components, self)
                    .complete(self.reg_covar)?;
            }
            let statistics = Statistics::of(&components, rows, samples.weights(), run)?;
            Ok(statistics.mean_log_likelihood())
        };
        match climb() {
            Err(Error::Cancelled) => Err(Error::Cancelled),
            Err(_) => Ok(f64::NEG_INFINITY),
            Ok(height) if height.is_nan() => Ok(f64::NEG_INFINITY),
            Ok(height) => Ok(height),
        }
    }

    /// Components of equal weight and no particular shape around some means.
    pub(crate) fn around(&self, means: Array2<f64>) -> Result<Components> {
        let k = self.n_components;
        let covariances = self.common(&Array1::ones(means.ncols()));
        Components::new(vec![(k as f64).recip(); k], means, covariances, 0.0)
    }

    fn given_covariances(&self, precisions: &PrecisionsInit, d: usize) -> Result<Covariances> {
        let k = self.n_components;
        let wrong = |requirement: String| {
            Error::parameter("precisions_init", "of another shape", requirement)
        };
        let covariances = match (self.covariance_type, precisions) {
            (CovarianceType::Spherical, PrecisionsInit::Spherical(values)) if values.len() == k => {
                Covariances::Spherical(values.iter().map(|value| value.recip()).collect())
            }
            (CovarianceType::Diag, PrecisionsInit::Rows(rows)) if is_shaped(rows, k, d) => {
                Covariances::Diag(to_array(rows, d).mapv_into(f64::recip))
            }
            (CovarianceType::Tied, PrecisionsInit::Rows(rows)) if is_shaped(rows, d, d) => {
                Covariances::Tied(inverse(&to_array(rows, d))?)
            }
            (CovarianceType::Full, PrecisionsInit::Matrices(matrices))
                if matrices.len() == k && matrices.iter().all(|rows| is_shaped(rows, d, d)) =>
            {
                let inverses = matrices.iter().map(|rows| inverse(&to_array(rows, d)));
                Covariances::Full(inverses.collect::<Result<_>>()?)
            }
            (CovarianceType::Spherical, _) => {
                return Err(wrong(format!("spherical covariances need {k} numbers")));
            }
            (CovarianceType::Diag, _) => {
                return Err(wrong(format!(
                    "diagonal covariances need {k} rows of {d} numbers"
                )));
            }
            (CovarianceType::Tied, _) => {
                return Err(wrong(format!("tied covariances need a {d}×{d} matrix")));
            }
            (CovarianceType::Full, _) => {
                return Err(wrong(format!(
                    "full covariances need {k} matrices of {d}×{d}"
                )));
            }
        };
        Ok(covariances)
    }
}

/// The centres with those first that most of the rows are nearest to.
pub(crate) fn ordered_by_size(
    samples: &Samples<'_>,
    centers: ArrayView2<'_, f64>,
    run: &Run,
) -> Result<Array2<f64>> {
    let nearest = nearest_center(samples.rows(), centers, run)?;
    let mut sizes = vec![0.0; centers.nrows()];
    for (row, &label) in nearest.labels.iter().enumerate() {
        sizes[label] += samples.weight(row);
    }
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]));
    Ok(centers.select(Axis(0), &order))
}

fn given_means(means: &[Vec<f64>], k: usize, d: usize) -> Result<Array2<f64>> {
    match is_shaped(means, k, d) {
        true => Ok(to_array(means, d)),
        false => Err(Error::parameter(
            "means_init",
            format!("a list of {}", means.len()),
            format!("give {k} means of {d} values, one for each column"),
        )),
    }
}

fn is_shaped(rows: &[Vec<f64>], n: usize, d: usize) -> bool {
    rows.len() == n && rows.iter().all(|row| row.len() == d)
}

fn to_array(rows: &[Vec<f64>], d: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows.len(), d), |(row, column)| rows[row][column])
}

fn inverse(precision: &Array2<f64>) -> Result<Array2<f64>> {
    let factor = Cholesky::new(precision.view()).map_err(|error| {
        Error::parameter("precisions_init", "not a precision", error.to_string())
    })?;
    Ok(factor.solve(Array2::eye(precision.nrows()).view()))
}
