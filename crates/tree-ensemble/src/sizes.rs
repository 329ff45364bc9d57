//! The parameters that say how far a tree is grown, as users write them.

use crate::tree::{Growth, Splitter};
use crate::{Amount, MaxFeatures};
use didact_core::{Error, Result};

/// What all methods that grow trees have in common.
pub(crate) struct Sizes {
    pub(crate) splitter: Splitter,
    pub(crate) max_depth: Option<usize>,
    pub(crate) min_samples_split: Amount,
    pub(crate) min_samples_leaf: Amount,
    pub(crate) min_weight_fraction_leaf: f64,
    pub(crate) max_features: Option<MaxFeatures>,
    pub(crate) max_leaf_nodes: Option<usize>,
    pub(crate) min_impurity_decrease: f64,
    pub(crate) max_children: usize,
    /// Whether columns that part a node equally well win in a drawn order.
    pub(crate) draws_order: bool,
}

impl Sizes {
    /// The same for so many rows of so much weight; `unit` is what the targets' impurity is
    /// divided by.
    pub(crate) fn growth(
        &self,
        n_rows: usize,
        n_features: usize,
        weight: f64,
        unit: f64,
    ) -> Result<Growth> {
        if self.min_samples_split == Amount::Count(1) {
            let requirement = "a node of one row cannot be split; it must be at least 2";
            return Err(Error::parameter("min_samples_split", 1, requirement));
        }
        Ok(Growth {
            splitter: self.splitter,
            max_depth: self.max_depth.unwrap_or(usize::MAX),
            min_samples_split: self.min_samples_split.of(n_rows).max(2),
            min_samples_leaf: self.min_samples_leaf.of(n_rows).max(1),
            min_weight_leaf: self.min_weight_fraction_leaf * weight,
            max_features: self
                .max_features
                .map_or(Ok(n_features), |most| most.of(n_features))?,
            max_leaf_nodes: self.max_leaf_nodes,
            min_impurity_decrease: self.min_impurity_decrease / unit,
            max_children: self.max_children,
            draws_order: self.draws_order,
        })
    }
}
