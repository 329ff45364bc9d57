//! didact for Python: the catalogue, learners and models behind the package `didact`.
//!
//! Nothing here knows an algorithm: classes are made in Python from what the catalogue says,
//! and call the learner and the model of this module.
#![allow(missing_docs)] // What Python sees is documented in the package.

mod arrow;
mod catalogue;
mod datasets;
mod error;
mod functions;
mod input;
mod judge;
mod laws;
mod learner;
mod model;
mod online;
mod picture;
mod value;
mod watch;

use pyo3::prelude::*;

#[global_allocator]
static MEMORY: didact::core::LargePages = didact::core::LargePages;

#[pymodule]
mod _didact {
    #[pymodule_export]
    use crate::arrow::frame;
    #[pymodule_export]
    use crate::catalogue::{entry, names};
    #[pymodule_export]
    use crate::datasets::{generate, generators, load_dataset, read_table, stored_datasets};
    #[pymodule_export]
    use crate::functions::{call, listed, results};
    #[pymodule_export]
    use crate::judge::{Judge, candidates, cut, split, steps};
    #[pymodule_export]
    use crate::laws::{Law, laws};
    #[pymodule_export]
    use crate::learner::Learner;
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::online::Online;
    #[pymodule_export]
    use crate::picture::Picture;

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
