//! Single decision trees.

mod classifier;
mod pruning;
mod regressor;

pub use classifier::{ClassCriterion, ClassificationTree, DecisionTreeClassifier};
pub use pruning::PruningPath;
pub use regressor::{DecisionTreeRegressor, NumberCriterion, RegressionTree};

use crate::tree::Tree;
use didact_core::{Result, Rows, Run, parallel};
use ndarray::Array2;

/// How deep the rules of a tree are written out as an attribute.
pub(crate) const RULES_DEPTH: usize = 10;

/// The answer of the leaf of each row.
fn answers(tree: &Tree, rows: Rows<'_>) -> Result<Array2<f64>> {
    let rows = rows.dense()?;
    let width = tree.width;
    let mut answers = Array2::zeros((rows.nrows(), width));
    let output = answers.as_slice_mut().expect("answers are contiguous");
    parallel::fill(output, width, 4096, &Run::new(), |range, answers| {
        for (row, answer) in range.zip(answers.chunks_mut(width)) {
            let row = rows.row(row);
            let row = row.to_slice().expect("rows are contiguous");
            answer.copy_from_slice(tree.value(tree.leaf(row)));
        }
        Ok(())
    })?;
    Ok(answers)
}

/// The leaf of each row.
fn leaves(tree: &Tree, rows: Rows<'_>) -> Result<Vec<usize>> {
    let rows = rows.dense()?;
    let leaf = |row: ndarray::ArrayView1<'_, f64>| tree.leaf(row.to_slice().unwrap_or_default());
    Ok(rows.rows().into_iter().map(leaf).collect())
}

/// The column that each node asks; −1 for leaves.
fn asked(tree: &Tree) -> Vec<i64> {
    let feature = |node: &crate::tree::Node| match node.is_leaf() {
        true => -1,
        false => i64::from(node.feature),
    };
    tree.nodes.iter().map(feature).collect()
}
