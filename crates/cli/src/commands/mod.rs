//! One file per verb.

pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod data;
pub(crate) mod describe;
pub(crate) mod fit;
pub(crate) mod inspect;
pub(crate) mod list;
pub(crate) mod predict;
pub(crate) mod score;
pub(crate) mod studio;
