//! What the tests of this crate claim, one module per subject.

mod category_nb;
mod count_nb;
mod discriminants;
mod gaussian_nb;
