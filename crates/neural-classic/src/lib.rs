//! Networks of the first decades: associative memories, Hebbian learning, self-organising maps.
//!
//! | to do | network |
//! |---|---|
//! | compute gates with single units | [`Unit`], [`Gate`] |
//! | learn linear units by the delta rule | [`Adaline`] |
//! | predict a series from a window of it | [`Tdnn`] |
//! | unfold a grid over the data | [`Som`], as a mixture [`BayesianSom`] |
//! | recall patterns from parts of them | [`Hopfield`], with [`CapacityExperiment`] |
//! | associate sparse patterns with others | [`Willshaw`] |
//! | join what is active together | [`HebbNetwork`], and on average [`HebbianFlow`] |
//! | find principal axes | [`HebbianPca`], from a stream [`HebbianAxes`] |
//! | make outputs uncorrelated, or independent | [`Foldiak`], [`JuttenHerault`] |
//! | follow units through continuous time | [`LeakyNetwork`], [`SingleUnit`] |
//! | measure what a linear unit passes on | [`output_noise_information`], [`TwoOutputs`] |
//! | find what two views have in common | [`CcaTraining`] of [`CcaNetwork`] and [`NonlinearCcaNetwork`] |

mod adaline;
mod affine;
mod bayesian_som;
mod catalogue;
mod cca_network;
mod dynamics;
mod hebbian;
mod infomax;
mod lateral;
mod memory;
mod scale;
mod som;
mod tdnn;
mod units;

pub use adaline::{Adaline, AdalineClassifierModel, AdalineRegressorModel, AdalineTraining};
pub use bayesian_som::{BayesianSom, GaussianNode, NodeLaw, OrganisingMixture};
pub use catalogue::catalogue;
pub use cca_network::{CcaNetwork, CcaTraining, NonlinearCcaNetwork};
pub use dynamics::{
    Course, Drive, Equilibrium, EquilibriumKind, Integrator, LeakyNetwork, Regime, SingleUnit,
    step_response,
};
pub use hebbian::{
    Constraint, HebbNetwork, HebbRule, HebbianAxes, HebbianFlow, HebbianPca, HebbianPcaModel,
    HebbianPcaRule, HebbianTraining, WeightBound, WeightDecay, hebbian_change, instar_after,
    outstar_after,
};
pub use infomax::{
    Design, TwoOutputs, better_design, in_bits, input_noise_information, noise_entropy,
    output_noise_information,
};
pub use lateral::{
    Foldiak, FoldiakNetwork, JuttenHerault, JuttenHeraultNetwork, OddFunction, OutputTargets,
    Separation, amari_index, decorrelated_covariance, foldiak_pair_weight, foldiak_weights,
};
pub use memory::{
    CapacityExperiment, CapacityPoint, HEBBIAN_CAPACITY, Hopfield, HopfieldModel, Recall,
    RecallEnd, RecallThreshold, StateKind, StorageRule, TieRule, UpdateMode, Willshaw,
    WillshawSizes,
};
pub use som::{
    Decay, Grid, Neighbourhood, PresentationOrder, Som, SomInit, SomModel, SomTraining, Topology,
    Winner,
};
pub use tdnn::{HiddenLayer, Tdnn, TdnnModel};
pub use units::{Gate, Transfer, Unit, layers_output};
