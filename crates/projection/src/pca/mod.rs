//! Principal component analysis: the few orthogonal axes along which the rows vary most.

mod components;
mod deflation;
mod density;
mod diagnostics;
mod model;
mod solver;
#[cfg(test)]
mod testing;
mod whitening;

pub use components::Components;
pub use model::PcaModel;
pub use whitening::Whitening;

use didact_core::{Accepts, Error, Fit, LearnInPieces, Next, Result, Run, Samples, ensure_belongs};
use didact_math::linalg::Moments;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use solver::Spectrum;

/// Finds the orthogonal axes along which the rows vary most.
///
/// With the mean μ and the covariance C = (1/n)·Σ(x−μ)(x−μ)ᵀ the axes e₁ … e_p are the
/// eigenvectors of the largest eigenvalues λ₁ ≥ λ₂ ≥ … of C. A row becomes the scores
/// yᵢ = eᵢ·(x−μ), which are uncorrelated and have the variances λᵢ. Of all p axes these keep the
/// most variance, Σ_{i≤p} λᵢ, and the rows μ + Σ yᵢeᵢ lie closest to the original ones: the mean
/// squared distance is exactly the sum of the discarded eigenvalues, Σ_{i>p} λᵢ.
///
/// The divisor is n; `ddof = 1` gives n − 1, as scikit-learn has it. The entry of largest
/// magnitude of each axis is positive. Sparse rows stay sparse.
///
/// ```
/// use didact_core::{Fit, Invert, Transform};
/// use didact_projection::{Components, Pca};
/// let iris = didact_datasets::iris();
/// let model = Pca { n_components: Components::Count(2), ..Pca::default() }.fit(iris.samples())?;
/// assert!(model.lost_share() < 0.03);
/// let scores = model.transform(iris.samples())?.into_dense();
/// let restored = model.inverse_transform(&scores)?;
/// assert!((&restored - &iris.features()).iter().all(|error| error.abs() < 0.8));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "PCA")]
pub struct Pca {
    /// How many axes to keep: a whole number, a share of the variance between 0 and 1, or null
    /// for all.
    pub n_components: Components,
    /// Whether the scores are scaled to variance one, and in which coordinates.
    pub whiten: Whitening,
    /// How the axes are found; all ways but the random projection give the same axes.
    pub svd_solver: SvdSolver,
    /// What is subtracted from n in the divisor of the covariance: 0, or 1 as in scikit-learn.
    #[schemars(range(max = 1))]
    pub ddof: usize,
    /// Seed of the random projection.
    pub random_state: u64,
}

/// How the axes are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SvdSolver {
    /// The cheapest exact way for the shape of the data, or a random projection where few of
    /// very many axes of dense rows are wanted.
    #[default]
    Auto,
    /// Eigenvectors of the d×d covariance: for many more rows than columns.
    CovarianceEigh,
    /// Singular vectors of the centred rows: the most accurate small eigenvalues.
    Full,
    /// Singular vectors inside a random subspace: for few axes of large data, approximate.
    Randomized,
    /// Eigenvectors of the n×n matrix of scalar products: for many more columns than rows.
    Gram,
    /// One axis after the other, each orthogonal to those before.
    Deflation,
    /// Axes in a Krylov space, for which the rows are only multiplied by vectors: for few axes of
    /// sparse rows, exact.
    Lanczos,
}

impl Fit<Samples<'_>> for Pca {
    type Model = PcaModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<PcaModel> {
        let spectrum = match without_zero_weights(&data) {
            Some(counted) => Spectrum::of_rows(self, &counted, run)?,
            None => Spectrum::of_rows(self, &data, run)?,
        };
        PcaModel::new(self, spectrum)
    }
}

/// The rows that count, where some do not.
fn without_zero_weights(data: &Samples<'_>) -> Option<Samples<'static>> {
    let weights = data.weights()?;
    let chosen: Vec<usize> = (0..weights.len())
        .filter(|&row| weights[row] > 0.0)
        .collect();
    (chosen.len() < weights.len()).then(|| data.select(&chosen))
}

/// What a chunk of rows contributes: its mean and scatter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PcaSummary {
    moments: Moments,
    n_rows: usize,
}

/// More columns than this would make the summary of a chunk larger than most chunks.
const WIDEST_SUMMARY: usize = 10_000;

impl LearnInPieces<Samples<'_>> for Pca {
    type State = ();
    type Summary = PcaSummary;

    fn start(&self) -> Result<()> {
        Ok(())
    }

    fn summarise(
        &self,
        _: &(),
        chunk: Samples<'_>,
        _first_row: usize,
        run: &Run,
    ) -> Result<PcaSummary> {
        if chunk.n_columns() > WIDEST_SUMMARY {
            return Err(Error::data(format!(
                "the rows have {} columns; learning in pieces keeps one number per pair of \
                 columns and takes at most {WIDEST_SUMMARY}",
                chunk.n_columns()
            )));
        }
        let counted = |weight: &&f64| **weight > 0.0;
        let n_rows = match chunk.weights() {
            Some(weights) => weights.iter().filter(counted).count(),
            None => chunk.n_rows(),
        };
        let moments = Moments::summarise(chunk.rows(), chunk.weights(), run)?;
        Ok(PcaSummary { moments, n_rows })
    }

    fn check_summary(&self, _: &(), summary: &PcaSummary) -> Result<()> {
        ensure_belongs(summary.moments.is_consistent())
    }

    fn merge(&self, left: PcaSummary, right: PcaSummary) -> Result<PcaSummary> {
        let (expected, found) = (left.moments.mean.len(), right.moments.mean.len());
        if expected != found {
            return Err(Error::Columns { expected, found });
        }
        Ok(PcaSummary {
            moments: left.moments.merge(right.moments),
            n_rows: left.n_rows + right.n_rows,
        })
    }

    fn step(&self, _: (), summary: PcaSummary, run: &Run) -> Result<Next<(), PcaModel>> {
        if summary.n_rows == 0 {
            return Err(Error::data(
                "all weights are zero; at least one row must count",
            ));
        }
        let spectrum = Spectrum::of_moments(self, summary.moments, summary.n_rows, run)?;
        Ok(Next::Done(PcaModel::new(self, spectrum)?))
    }
}
