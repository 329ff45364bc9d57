//! Networks of layers that learn by passing errors back.
//!
//! A network is a plan of layers and one list of parameters. Every layer knows its way forward
//! and its way back, written by hand on buffers that are made once; all that has the shape of a
//! matrix product is one. Learning calculates in single precision, answers in double.
//!
//! ```
//! use didact_core::{Classify, Fit};
//! use didact_neural::Mlp;
//! let iris = didact_datasets::iris();
//! let model = Mlp { random_state: 1, ..Mlp::default() }.fit(iris.labelled()?)?;
//! let predicted = model.predict(iris.samples())?;
//! let right = predicted.iter().zip(&iris.labels()?.indices).filter(|(a, b)| a == b).count();
//! assert!(right > 140);
//! # Ok::<(), didact_core::Error>(())
//! ```

mod autoencoder;
mod catalogue;
mod fan;
mod functions;
mod image;
mod lesion;
mod mlp;
mod network;
mod pretraining;
mod product;
mod ranking;
mod real;
mod recurrent;
mod rows;
mod training;

pub use autoencoder::{Autoencoder, AutoencoderModel, ReconstructionLoss};
pub use catalogue::catalogue;
pub use fan::{FanNetwork, InputBranch, KFan, KFanModel, OutputBranch};
pub use functions::{
    Activation, Head, NetworkLoss, OutputActivation, Transfer, binary_cross_entropy, cross_entropy,
    hinge, softmax, softmax_jacobian, squared_error, weight_decay, weight_decay_gradient,
};
pub use image::{Cnn, CnnModel, Filters, max_pooling, strongest_places};
pub use lesion::Lesion;
pub use mlp::{Mlp, MlpClassifierModel, MlpRegressorModel};
pub use network::{Forward, HiddenLayers, Network};
pub use pretraining::{DeepFeatures, DeepFeaturesModel, PretrainedLayer, Pretraining};
pub use ranking::{DeepRankingModel, DeepRankingSvm};
pub use real::Real;
pub use recurrent::{
    Cell, GradientNorms, Lstm, LstmVariant, Readout, RecurrentModel, RecurrentNetwork, Rnn,
    SequenceClassifier, SequenceClassifierModel,
};
pub use training::{LearningRate, Noise, Solver};
