//! Linear discriminants: axes along which classes lie apart, and the linear boundaries they give.

mod axes;
mod fisher;
mod lda;
mod metric;
mod model;
mod moments;
mod shrinkage;

pub use fisher::{FisherAxis, FisherDiscriminant};
pub use lda::{ClassWeighting, Lda, LdaSolver, Shrinkage};
pub use model::LinearDiscriminantModel;
pub use moments::ClassMoments;
