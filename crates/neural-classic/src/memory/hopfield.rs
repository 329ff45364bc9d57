//! Hopfield's network: patterns stored in symmetric weights, at the bottom of an energy.

use super::model::HopfieldModel;
use super::spins::spins;
use didact_core::{Error, Fit, Result, Run, Samples};
use didact_math::linalg::{a_times_bt, symmetric_eigen_within, transposed_rows_times};
use ndarray::{Array2, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Stores patterns of −1 and +1 and recalls them from noisy or partial ones.
///
/// K units are joined by symmetric weights without self-connections. One pass over the N patterns
/// stores them: w_ij = (1/K)·Σₙ xᵢⁿxⱼⁿ for i ≠ j, w_ii = 0. Recall starts from a cue and lets units
/// take the sign of their weighted sum until nothing changes. One unit at a time, the energy
/// E = −½·Σ w_ij·sᵢ·sⱼ never rises, so recall ends; all at once, it may end in a cycle of two
/// states, which is noticed.
///
/// About 0.138·K random patterns can be stored so. The pseudo-inverse rule, whose weights project
/// on the span of the patterns, keeps all of them stable up to K − 1 independent ones, also where
/// they are alike. With every pattern its opposite is stable, and so are some mixtures.
///
/// Values above `binarize` are read as +1, others as −1, so rows of −1 and 1 and rows of 0 and 1
/// are read alike. The model transforms each row to what is recalled from it.
///
/// ```
/// use didact_core::{Fit, Samples, Transform};
/// use didact_neural_classic::Hopfield;
/// use ndarray::array;
/// let patterns = array![[1.0, 1.0, 1.0, -1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0, 1.0, -1.0]];
/// let memory = Hopfield::default().fit(Samples::from(&patterns))?;
/// let cue = array![[-1.0, 1.0, 1.0, -1.0, -1.0, -1.0]];
/// assert_eq!(memory.transform(&cue)?.into_dense().row(0), patterns.row(0));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hopfield {
    /// How patterns become weights.
    pub rule: StorageRule,
    /// Whether units change one at a time or all at once.
    pub update: UpdateMode,
    /// What a unit does whose weighted sum is zero.
    pub ties: TieRule,
    /// Values above this are +1 and others −1; null takes only rows of −1 and 1 or of 0 and 1.
    pub binarize: Option<f64>,
    /// Most sweeps over all units in a recall.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Seed of the random order of units.
    pub random_state: u64,
}

/// How patterns become weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StorageRule {
    /// (1/K)·Σₙ xᵢⁿxⱼⁿ: local, one pass.
    #[default]
    Hebbian,
    /// (1/K)·Σ xᵢᵘ·(C⁻¹)ᵤᵥ·xⱼᵛ with the overlaps C of the patterns: the projection on their span,
    /// for patterns that are alike.
    PseudoInverse,
}

/// In which order units change during a recall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UpdateMode {
    /// One at a time, from the first to the last.
    #[default]
    Asynchronous,
    /// One at a time, in a new random order in every sweep.
    RandomOrder,
    /// All at once; this may end in a cycle of two states.
    Synchronous,
}

/// What a unit does whose weighted sum is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TieRule {
    /// It becomes +1.
    #[default]
    Plus,
    /// It stays as it is: every change then lowers the energy.
    Keep,
}

impl Default for Hopfield {
    fn default() -> Self {
        Hopfield {
            rule: StorageRule::Hebbian,
            update: UpdateMode::Asynchronous,
            ties: TieRule::Plus,
            binarize: Some(0.0),
            max_iter: 100,
            random_state: 0,
        }
    }
}

/// More units than this would need more weights than fit in memory.
const MOST_UNITS: usize = 10_000;

impl Fit<Samples<'_>> for Hopfield {
    type Model = HopfieldModel;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<HopfieldModel> {
        if data.n_columns() > MOST_UNITS {
            return Err(Error::data(format!(
                "the rows have {} columns; a Hopfield network keeps a weight for every pair of \
                 columns and takes at most {MOST_UNITS}",
                data.n_columns()
            )));
        }
        let patterns = spins(data.dense()?, self.binarize)?;
        let couplings = couplings(self.rule, &patterns, run)?;
        Ok(HopfieldModel::new(self.clone(), patterns, couplings))
    }
}

/// The weights times K, with zeros on the diagonal. For the Hebbian rule these are whole numbers,
/// so that sums of them are exact and a tie is a tie.
pub(super) fn couplings(
    rule: StorageRule,
    patterns: &Array2<f64>,
    run: &Run,
) -> Result<Array2<f64>> {
    let rows = didact_core::Rows::Dense(patterns.view());
    let mut couplings = transposed_rows_times(rows, patterns.view(), run)?;
    if rule == StorageRule::PseudoInverse {
        couplings = projection(&couplings, run)? * patterns.ncols() as f64;
    }
    couplings.diag_mut().fill(0.0);
    Ok(couplings)
}

/// The projection on the span of the patterns, from XᵀX: Xᵀ(XXᵀ)⁺X is the sum of v·vᵀ over the
/// eigenvectors v of XᵀX with eigenvalues above zero, which needs no inverse where patterns
/// depend on each other.
pub(super) fn projection(products: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
    let eigen = symmetric_eigen_within(products.view(), run)?;
    let largest = eigen.values.iter().fold(0.0_f64, |a, &b| a.max(b));
    let floor = products.nrows() as f64 * 1e-14 * largest;
    let kept: Vec<usize> = (0..eigen.values.len())
        .filter(|&index| eigen.values[index] > floor)
        .collect();
    let basis = eigen.vectors.select(Axis(1), &kept);
    let projection = a_times_bt(basis.view(), basis.view());
    // Where the patterns span everything nothing joins two units; what is left is rounding.
    Ok(projection.mapv(|value| if value.abs() < 1e-12 { 0.0 } else { value }))
}
