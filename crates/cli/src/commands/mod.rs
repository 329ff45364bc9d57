//! One file per verb.

pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod cv;
pub(crate) mod data;
pub(crate) mod describe;
pub(crate) mod fit;
pub(crate) mod inspect;
pub(crate) mod list;
pub(crate) mod plot;
pub(crate) mod predict;
pub(crate) mod report;
pub(crate) mod score;
pub(crate) mod search;
pub(crate) mod studio;
