//! Learning from few labels and many rows without.
//!
//! [`LabelPropagation`] and [`LabelSpreading`] carry labels along a graph of near rows;
//! [`LaplacianRls`] learns a function of the kernel that is smooth on such a graph.
//! [`GraphPropagation`] does the same on a graph that is given. [`SemiSupervisedMixture`] and
//! [`SemiSupervisedNaiveBayes`] model how classes generate rows, by expectation–maximisation with
//! known classes clamped; [`TransductiveSvm`] and [`HatLossSvm`] put wide margins where no rows are.

mod absorption;
mod catalogue;
mod generative;
mod known;
mod laplacian_rls;
mod magnitude;
mod propagation;
mod risk;
mod transductive_svm;

pub use catalogue::catalogue;
pub use generative::{
    ClassShape, CountLaw, SemiSupervisedMixture, SemiSupervisedMixtureModel,
    SemiSupervisedNaiveBayes, SemiSupervisedNaiveBayesModel, UnlabelledUse,
};
pub use laplacian_rls::{LaplacianRls, LaplacianRlsModel, SmoothExpansion};
pub use propagation::{
    GraphKernel, GraphPropagation, LabelConstraint, LabelPropagation, LabelSpreading, Propagation,
    PropagationModel,
};
pub use risk::transductive_risk;
pub use transductive_svm::{
    HatLoss, HatLossSvm, HatLossSvmModel, TransductiveSvm, TransductiveSvmModel,
};
