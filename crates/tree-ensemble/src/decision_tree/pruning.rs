//! Which prices of a leaf change a tree.

use super::{DecisionTreeClassifier, DecisionTreeRegressor};
use crate::tree::pruning_steps;
use didact_core::{Labelled, Measured, Result, Run, parameters};

/// The prices of a leaf at which branches fall off, and how impure the leaves are after each.
///
/// ```
/// use didact_tree_ensemble::DecisionTreeClassifier;
/// let iris = didact_datasets::iris();
/// let path = DecisionTreeClassifier::default().pruning_path(&iris.labelled()?)?;
/// assert_eq!(path.ccp_alphas[0], 0.0);
/// // At the last price only the root is left, whose Gini index is that of three equal classes.
/// assert!((path.impurities.last().unwrap() - 2.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PruningPath {
    /// The prices, rising.
    pub ccp_alphas: Vec<f64>,
    /// The impurity of all leaves together at each price.
    pub impurities: Vec<f64>,
}

impl DecisionTreeClassifier {
    /// Every price of a leaf at which the tree on these rows becomes smaller.
    pub fn pruning_path(&self, data: &Labelled<'_>) -> Result<PruningPath> {
        parameters::check(self)?;
        let (tree, _) = self.grown(data, &Run::new())?;
        let steps = pruning_steps(&tree, f64::INFINITY);
        Ok(PruningPath {
            ccp_alphas: steps.alphas,
            impurities: steps.impurities,
        })
    }
}

impl DecisionTreeRegressor {
    /// Every price of a leaf at which the tree on these rows becomes smaller.
    pub fn pruning_path(&self, data: &Measured<'_>) -> Result<PruningPath> {
        parameters::check(self)?;
        let (tree, _) = self.grown(data, &Run::new())?;
        let steps = pruning_steps(&tree, f64::INFINITY);
        Ok(PruningPath {
            ccp_alphas: steps.alphas,
            impurities: steps.impurities,
        })
    }
}
