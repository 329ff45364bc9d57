//! didact: the whole machine-learning curriculum as one fast, dependable toolkit.
//!
//! An algorithm is a plain struct of hyper-parameters; `fit` gives a model of another type.
//!
//! ```
//! use didact::prelude::*;
//! let iris = datasets::iris();
//! let model = GaussianNB::default().fit(iris.labelled()?)?;
//! let predicted = model.predict(iris.samples())?;
//! assert!(accuracy(iris.labelled()?.labels, &predicted)? > 0.95);
//! # Ok::<(), Error>(())
//! ```
//!
//! Every algorithm is also known by name, alone or in a pipeline, which is how the command and
//! the other faces reach it:
//!
//! ```
//! use didact::prelude::*;
//! let iris = datasets::iris();
//! let spec: Spec = "standard-scaler | pca(n_components=2) | k-neighbors".parse()?;
//! let learner = spec.learner()?;
//! let model = learner.fit(Data::Labelled(iris.labelled()?), &Run::new())?;
//! assert!(model.as_classify().is_some());
//! # Ok::<(), Error>(())
//! ```

mod catalogue;
mod counts;
mod facts;
pub mod file;
mod framing;
mod input_rows;
pub mod pictures;
mod pipeline;
mod predict;
pub mod report;
mod spec;
mod stored;
mod stream;
mod table_data;
mod trained;
pub mod wrappers;

pub use catalogue::{catalogue, find};
pub use counts::{CountChoice, CountCriterion, CountTrial, choose_count, count_parameter};
pub use didact_core as core;
pub use didact_core::{Error, Result};
pub use didact_data as data;
pub use didact_data::Roles;
pub use didact_datasets as datasets;
pub use didact_evaluate as evaluate;
pub use didact_graphical as graphical;
pub use didact_kernel as kernel;
pub use didact_neural as neural;
pub use didact_neural_classic as neural_classic;
pub use didact_plot as plot;
pub use didact_preprocess as preprocess;
pub use didact_recommend as recommend;
pub use didact_reinforcement as reinforcement;
pub use didact_semi_supervised as semi_supervised;
pub use didact_sequence as sequence;
pub use didact_tree_ensemble as tree_ensemble;
pub use facts::{Feature, Header, TrainingFacts};
pub use framing::Framing;
pub use pipeline::{Pipeline, PipelineModel};
pub use spec::{Spec, Step, parse_value};
pub use stored::Stored;
pub use table_data::{TableData, kind_for};
pub use trained::{Job, Prepared, Trained, default_encoder};

/// Everything that most programs need.
pub mod prelude {
    pub use crate::wrappers::{BayesClassifier, Calibrated, OneVsRest};
    pub use crate::{Job, Roles, Spec, Trained, catalogue};
    pub use didact_cluster::*;
    pub use didact_core::{
        AnyModel, Assign, Cancel, ClassName, Classes, Classify, Column, Csr, Data, Decode, Error,
        Fit, Invert, Labelled, LabelledSequences, Labels, LearnInPieces, Learner, LogDensity,
        Measured, Online, PartialLabels, PartlyLabelled, Probabilities, Regress, Result, Rows, Run,
        Sample, Samples, Scores, SequenceLikelihood, Sequences, Table, Transform,
    };
    pub use didact_datasets as datasets;
    pub use didact_discriminant::*;
    pub use didact_evaluate::{accuracy, cross_validate, folds_for, r2, score};
    pub use didact_gaussian_process::*;
    pub use didact_graphical::{BayesianNetwork, BayesianNetworkModel};
    pub use didact_kernel::*;
    pub use didact_linear::*;
    pub use didact_mixture::*;
    pub use didact_neighbors::*;
    pub use didact_neural::{Autoencoder, Cnn, Lstm, Mlp, Rnn};
    pub use didact_neural_classic::{Adaline, HebbianPca, Hopfield, Som};
    pub use didact_preprocess::*;
    pub use didact_projection::*;
    pub use didact_semi_supervised::{
        LabelPropagation, LabelSpreading, LaplacianRls, SemiSupervisedMixture, TransductiveSvm,
    };
    pub use didact_sequence::{Hmm, HmmEmission, HmmModel, HmmStart, Topology};
    pub use didact_svm::*;
    pub use didact_tree_ensemble::{
        DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreesClassifier, ExtraTreesRegressor,
        GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier,
        RandomForestRegressor,
    };
}
