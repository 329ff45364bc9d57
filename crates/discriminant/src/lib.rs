//! Classifiers that model how each class generates its rows.
//!
//! By Bayes' rule P(class | x) ∝ P(class)·p(x | class); naive Bayes takes the attributes as
//! independent given the class, so p(x | class) is a product with one factor per attribute.
//! Discriminant analysis takes each class as one Gaussian, of a shape of its own or of one shape
//! for all, in which case boundaries are planes.

mod bernoulli_nb;
mod catalogue;
mod categorical_nb;
mod categories;
mod complement_nb;
mod counts;
mod gaussian_nb;
mod linear;
mod mixed_nb;
mod multinomial_nb;
mod pieces;
mod posterior;
mod priors;
mod qda;

pub use bernoulli_nb::{Bernoulli, BernoulliNB, BernoulliNBModel};
pub use catalogue::catalogue;
pub use categorical_nb::{CategoricalNB, CategoricalNBModel};
pub use categories::CategoryTotals;
pub use complement_nb::{Complement, ComplementNB, ComplementNBModel};
pub use counts::{ClassTotals, CountModel, Reading};
pub use gaussian_nb::{ClassVariances, Estimate, GaussianNB, GaussianNBModel};
pub use linear::{
    ClassMoments, ClassWeighting, FisherAxis, FisherDiscriminant, Lda, LdaSolver,
    LinearDiscriminantModel, Shrinkage,
};
pub use mixed_nb::{AttributeKind, AttributeKinds, MixedNB, MixedNBModel, MixedTotals};
pub use multinomial_nb::{Multinomial, MultinomialNB, MultinomialNBModel};
pub use qda::{ClassCovariance, Qda, QdaModel};
