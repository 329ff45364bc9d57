//! Which algorithm grows which tree.

use super::centers::Centers;
use super::condensed::Condensed;
use super::{Dendrogram, Join, Linkage, Proximity, chain, lists, spanning};
use crate::k_means::{ColumnRanges, shifted_rows};
use didact_core::{Error, Result, Rows, Run};
use didact_math::distance::Metric;
use ndarray::ArrayView2;

/// Up to this many columns measuring distances to means anew is as fast as reading them from a
/// matrix.
const FEW_COLUMNS: usize = 24;

/// More rows than this have more distances than should be stored where they need not be.
const MANY_ROWS: usize = 30_000;

impl Dendrogram {
    /// Merges rows, always the two clusters that the linkage says are nearest, until one is left.
    ///
    /// Takes quadratic time; single linkage, and Ward, centroid and median linkage of rows with
    /// few columns, take linear memory, the others half the square of the number of rows.
    pub fn of_rows(rows: Rows<'_>, metric: Metric, linkage: Linkage, run: &Run) -> Result<Self> {
        metric.check()?;
        metric.check_rows(rows)?;
        let linkage = linkage.resolved(Some(metric));
        linkage.check_metric(metric)?;
        let n = rows.n_rows();
        if n == 0 {
            return Err(Error::data("there are no rows to merge; give at least one"));
        }
        let joins = match (linkage, rows) {
            (Linkage::Single, _) => spanning::of_rows(rows, metric, run)?,
            (_, Rows::Dense(dense))
                if linkage.has_centers()
                    && dense.ncols() > 0
                    && (dense.ncols() <= FEW_COLUMNS || n > MANY_ROWS) =>
            {
                // Means of rows far from the origin would lose digits.
                let offset = ColumnRanges::of(dense, None, run)?.exact_offset();
                let shifted = shifted_rows(rows, &offset);
                join_all(
                    Centers::new(shifted.view().dense()?, linkage)?,
                    n,
                    linkage,
                    run,
                )?
            }
            _ => join_all(
                Condensed::of_rows(rows, metric, linkage, run)?,
                n,
                linkage,
                run,
            )?,
        };
        Ok(Dendrogram::from_joins(n, joins, !linkage.may_invert()))
    }

    /// The same from the distances of all pairs of rows: a symmetric matrix, of which the upper
    /// triangle is read. Ward, centroid and median linkage take them to be Euclidean.
    pub fn of_distances(
        distances: ArrayView2<'_, f64>,
        linkage: Linkage,
        run: &Run,
    ) -> Result<Self> {
        let linkage = linkage.resolved(None);
        let n = distances.nrows();
        if n == 0 || n != distances.ncols() {
            return Err(Error::data(format!(
                "the distances have {n} rows and {} columns; give a square matrix with at least \
                 one row",
                distances.ncols()
            )));
        }
        if distances
            .iter()
            .any(|&distance| distance.is_nan() || distance < 0.0)
        {
            return Err(Error::data(
                "a value of the distances is negative or missing; distances must not be below 0",
            ));
        }
        let joins = match linkage {
            Linkage::Single => spanning::of_matrix(distances, run)?,
            _ => join_all(Condensed::of_matrix(distances, linkage)?, n, linkage, run)?,
        };
        Ok(Dendrogram::from_joins(n, joins, !linkage.may_invert()))
    }
}

fn join_all(
    mut proximity: impl Proximity,
    n: usize,
    linkage: Linkage,
    run: &Run,
) -> Result<Vec<Join>> {
    match linkage.may_invert() {
        true => lists::join_all(&mut proximity, n, run),
        false => chain::join_all(&mut proximity, n, run),
    }
}
