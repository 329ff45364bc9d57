//! What the rows of each class amount to, column by column.

use super::AttributeKind;
use crate::ClassVariances;
use crate::categories::CategoryTotals;
use didact_core::{Labelled, Result, Run, ensure_belongs, parallel};
use didact_math::linalg::Variances;
use ndarray::Array1;
use serde::{Deserialize, Serialize};

/// Means and squares of all columns, and the tables of the categorical ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MixedTotals {
    pub(super) variances: ClassVariances,
    pub(super) categories: CategoryTotals,
}

impl MixedTotals {
    pub(super) fn new(data: &Labelled<'_>, kinds: &[AttributeKind], run: &Run) -> Result<Self> {
        check_values(data, kinds, run)?;
        let categorical: Vec<usize> = (0..kinds.len())
            .filter(|&column| kinds[column] == AttributeKind::Categorical)
            .collect();
        Ok(MixedTotals {
            variances: ClassVariances::new(data, run)?,
            categories: CategoryTotals::new(data, &categorical, run)?,
        })
    }

    pub(super) fn class_count(&self) -> Array1<f64> {
        let classes = self.variances.variances.iter();
        classes.map(|class| class.weight).collect()
    }

    pub(super) fn n_columns(&self) -> usize {
        let first = self.variances.variances.first();
        first.map_or(0, |class| class.mean.len())
    }

    /// All classes together.
    pub(super) fn overall(&self) -> Variances {
        let classes = self.variances.variances.iter().cloned();
        classes.fold(Variances::empty(self.n_columns()), Variances::merge)
    }

    pub(super) fn merge(self, other: Self) -> Result<Self> {
        Ok(MixedTotals {
            variances: self.variances.merge(other.variances)?,
            categories: self.categories.merge(other.categories)?,
        })
    }

    /// Fails when the parts do not belong together, as in a damaged summary.
    pub(super) fn check(&self, kinds: &[AttributeKind]) -> Result<()> {
        self.variances.check()?;
        self.categories.check()?;
        let of_kind = kinds
            .iter()
            .filter(|kind| **kind == AttributeKind::Categorical);
        ensure_belongs(
            self.variances.classes == self.categories.classes
                && self.n_columns() > 0
                && kinds.len() == self.n_columns()
                && self.categories.counts.len() == of_kind.count(),
        )
    }
}

fn check_values(data: &Labelled<'_>, kinds: &[AttributeKind], run: &Run) -> Result<()> {
    if kinds.iter().all(|kind| *kind == AttributeKind::Gaussian) {
        return Ok(());
    }
    let x = data.samples.dense()?;
    parallel::reduce(
        x.nrows(),
        4096,
        run,
        &|rows| {
            for row in rows {
                for (column, (&value, kind)) in x.row(row).iter().zip(kinds).enumerate() {
                    kind.check(row, column, value)?;
                }
            }
            Ok(())
        },
        &|(), ()| (),
    )?;
    Ok(())
}
