//! What the tests of this crate claim, one module per subject.

mod cca;
mod pca_contract;
mod pca_items;
