//! Models of sequences: Markov chains, hidden Markov models, conditional random fields, the
//! Kalman filter and autoregressive series.
//!
//! ```
//! use didact_core::{Decode, Fit};
//! use didact_sequence::Hmm;
//! let nile = didact_datasets::nile();
//! let hmm = Hmm { n_components: 2, ..Hmm::default() };
//! let model = hmm.fit(nile.sequences()?)?;
//! let (states, _) = model.decode(&nile.sequences()?)?;
//! // The flow of the Nile fell for good after 1898, the 28th year of the record.
//! assert!(states[..28].iter().all(|&state| state == states[0]));
//! assert!(states[28..].iter().all(|&state| state != states[0]));
//! # Ok::<(), didact_core::Error>(())
//! ```

mod autoregressive;
mod catalogue;
mod crf;
mod deep;
mod hmm;
mod kalman;
mod markov;

pub use autoregressive::{Autoregressive, AutoregressiveMethod, AutoregressiveModel};
pub use catalogue::catalogue;
pub use crf::{
    ChainWeights, Crf, CrfModel, CrfSolver, ItemClassifier, Memm, MemmModel, StructuredPerceptron,
    label_items,
};
pub use deep::{DeepCrf, DeepCrfModel, DeepCrfSignal, DeepCrfTraining};
pub use hmm::{
    ChainStart, CovarianceType, Enumeration, Hmm, HmmClassifier, HmmClassifierModel, HmmEmission,
    HmmForecast, HmmModel, HmmRejection, HmmStart, HmmState, HmmSummary, HmmTraining, Lattice,
    StartSample, Statistics, Topology, UnknownSymbols,
};
pub use kalman::{Belief, Filtered, KalmanFilter, Motion, Sensor, Simulated, Update};
pub use markov::{MarkovChain, MarkovModel};
