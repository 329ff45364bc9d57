//! The hyper-parameters of hidden Markov models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Explains sequences by a hidden chain of states, each of which emits one item.
///
/// With hidden states h and items x,
/// p(x, h) = π(h₁)·∏ₜ a(hₜ₋₁, hₜ)·∏ₜ b(xₜ | hₜ)·a(h_n, stop),
/// where the last factor exists only with a stop state. Learning from sequences alone maximises
/// Σ ln p(x) = Σ ln Σ_h p(x, h) over all sequences by the Baum–Welch (EM) algorithm; learning
/// from labelled sequences counts, and takes the classes as states.
///
/// Items are symbols 0, 1, 2, … in one column, or rows of real numbers with a Gaussian per
/// state; which of the two, the data tell unless it is said.
///
/// ```
/// use didact_core::{Decode, Fit};
/// use didact_sequence::Hmm;
/// let nile = didact_datasets::nile();
/// let hmm = Hmm { n_components: 2, ..Hmm::default() };
/// let model = hmm.fit(nile.sequences()?)?;
/// let (states, _) = model.decode(&nile.sequences()?)?;
/// assert_ne!(states[0], states[99]); // Less water since the dam of 1898.
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "HMM")]
pub struct Hmm {
    /// Number of hidden states; labelled sequences bring their own.
    #[schemars(range(min = 1))]
    pub n_components: usize,
    /// What a state emits.
    pub emission: HmmEmission,
    /// Shape of the covariances of Gaussian emissions.
    pub covariance_type: CovarianceType,
    /// Which states may follow each other at the start of learning; what is impossible then
    /// stays impossible.
    pub topology: Topology,
    /// Whether sequences end by a step into a stop state, so that their lengths are modelled.
    pub stop_state: bool,
    /// Where the means of Gaussian emissions start.
    pub init: HmmStart,
    /// Where the start and transition probabilities start.
    pub chain_init: ChainStart,
    /// How it learns from sequences without labels.
    pub training: HmmTraining,
    /// At most this many passes over the sequences.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Stop when a pass raises the log-likelihood of all sequences by less than this.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Seed of the random start.
    pub random_state: u64,
    /// Pseudo-count added to every possible start, step and stop.
    #[schemars(range(min = 0.0))]
    pub transition_smoothing: f64,
    /// Pseudo-count added to every symbol of every state.
    #[schemars(range(min = 0.0))]
    pub emission_smoothing: f64,
    /// Least variance of a Gaussian emission in any direction.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub min_covar: f64,
    /// Number of symbols; by default the largest symbol seen plus one.
    #[schemars(range(min = 1))]
    pub n_symbols: Option<usize>,
    /// What the model does with symbols that it did not learn.
    pub unknown: UnknownSymbols,
    /// Start probabilities to begin with; zeros stay zero.
    pub startprob_init: Option<Vec<f64>>,
    /// Transition probabilities to begin with, one row per state; zeros stay zero. With a stop
    /// state, what a row lacks to one is the probability to stop.
    pub transmat_init: Option<Vec<Vec<f64>>>,
    /// Symbol probabilities to begin with, one row per state; zeros stay zero.
    pub emissionprob_init: Option<Vec<Vec<f64>>>,
    /// Means to begin with, one row per state.
    pub means_init: Option<Vec<Vec<f64>>>,
    /// Variance of every state in every column to begin with; by default that of the data.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub variance_init: Option<f64>,
}

impl Default for Hmm {
    fn default() -> Self {
        Hmm {
            n_components: 2,
            emission: HmmEmission::default(),
            covariance_type: CovarianceType::default(),
            topology: Topology::default(),
            stop_state: false,
            init: HmmStart::default(),
            chain_init: ChainStart::default(),
            training: HmmTraining::default(),
            max_iter: 100,
            tol: 1e-2,
            random_state: 0,
            transition_smoothing: 0.0,
            emission_smoothing: 0.0,
            min_covar: 1e-6,
            n_symbols: None,
            unknown: UnknownSymbols::default(),
            startprob_init: None,
            transmat_init: None,
            emissionprob_init: None,
            means_init: None,
            variance_init: None,
        }
    }
}

/// What a state emits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HmmEmission {
    /// Symbols where the data are one column of whole numbers from zero, all smaller than the
    /// number of rows; normal distributions otherwise.
    #[default]
    Auto,
    /// A symbol 0, 1, 2, … from a table of probabilities.
    Categorical,
    /// A row of real numbers from a normal distribution.
    Gaussian,
}

/// The shape of the covariances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CovarianceType {
    /// Every state has its own matrix.
    Full,
    /// All states share one matrix.
    Tied,
    /// Every state has its own variance for each column.
    #[default]
    Diag,
    /// Every state has one variance for all columns.
    Spherical,
}

/// Which states may follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Topology {
    /// Every state may follow every state.
    #[default]
    Ergodic,
    /// The first state starts, and a state is followed by itself or the next.
    LeftRight,
}

/// Where the means of Gaussian emissions start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HmmStart {
    /// At the centres of a k-means clustering of the rows; in a left-right model at the means of
    /// equal shares of each sequence.
    #[default]
    Kmeans,
    /// At rows drawn at random.
    Random,
}

/// Where the start and transition probabilities start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChainStart {
    /// At random probabilities.
    #[default]
    Random,
    /// At equal probabilities of all that the topology allows; the emissions tell the states
    /// apart.
    Uniform,
}

/// How a model learns from sequences without labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HmmTraining {
    /// Baum–Welch: all paths count as much as they are probable; raises Σ ln p(x).
    #[default]
    BaumWelch,
    /// Segmental k-means: only the best path of each sequence counts; raises Σ ln max_h p(x, h),
    /// in fewer and cheaper passes.
    Segmental,
    /// Segmental k-means until it converges, then Baum–Welch.
    Hybrid,
}

/// What a model does with symbols that it did not learn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownSymbols {
    /// Refuses them with an error.
    #[default]
    Error,
    /// Gives them probability zero, so that the sequence is impossible.
    Impossible,
    /// Takes them as missing: they say nothing about the state.
    Ignore,
}
