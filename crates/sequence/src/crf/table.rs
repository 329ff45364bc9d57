//! Items in the coordinates of the search.

use super::by_column::ByColumn;
use super::columns::Columns;
use super::likelihood::Items;
use super::rows::contiguous;
use super::weights::ChainWeights;
use didact_core::{Csr, CsrView, OwnedRows, Result, Rows, Run};
use ndarray::Array2;

/// Items in the coordinates of the search, and the way back.
///
/// Dense columns are centred where an intercept takes up what that changes; sparse ones are not.
/// Sparse columns that are never set say nothing, and weights of zero are the cheapest for them:
/// they take no part in the search, so that a wide vocabulary costs what its part in use costs.
pub(super) struct Table {
    rows: OwnedRows,
    by_column: Option<ByColumn>,
    columns: Columns,
    /// The column of each coordinate, where some have none.
    places: Option<Vec<usize>>,
    n_columns: usize,
}

impl Table {
    pub(super) fn new(rows: Rows<'_>, centred: bool, alpha: f64, run: &Run) -> Result<Self> {
        match rows {
            Rows::Dense(dense) => {
                let (values, d) = (contiguous(dense), dense.ncols());
                let columns = Columns::new(values, d, centred, alpha, run)?;
                let scaled = Array2::from_shape_vec(dense.dim(), columns.apply(values, run)?);
                Ok(Table {
                    rows: OwnedRows::Dense(scaled.expect("one value per entry")),
                    by_column: None,
                    columns,
                    places: None,
                    n_columns: d,
                })
            }
            Rows::Sparse(sparse) => Table::of_sparse(sparse, alpha, run),
        }
    }

    fn of_sparse(rows: CsrView<'_>, alpha: f64, run: &Run) -> Result<Self> {
        let (compact, places) = compact(rows)?;
        let columns = Columns::of_sparse(compact.view(), alpha, run)?;
        let (starts, numbers, mut values, d) = compact.into_parts();
        for (value, &column) in values.iter_mut().zip(&numbers) {
            *value /= columns.units[column as usize];
        }
        let scaled = Csr::new(starts, numbers, values, d)?;
        Ok(Table {
            by_column: ByColumn::new(scaled.view()),
            rows: OwnedRows::Sparse(scaled),
            columns,
            places: Some(places),
            n_columns: rows.n_columns(),
        })
    }

    /// The items with their labels.
    pub(super) fn items<'a>(&'a self, labels: &'a [usize]) -> Items<'a> {
        Items {
            by_column: self.by_column.as_ref(),
            ..Items::new(self.rows.view(), labels)
        }
    }

    /// The unit of each coordinate.
    pub(super) fn units(&self) -> &[f64] {
        &self.columns.units
    }

    /// How many times smaller than those of single columns slopes are in these coordinates.
    pub(super) fn crowding(&self) -> f64 {
        self.columns.crowding
    }

    /// Weights of zero for these coordinates.
    pub(super) fn zeros(&self, n_labels: usize) -> ChainWeights {
        ChainWeights::zeros_for(n_labels, self.rows.view())
    }

    /// Weights of these coordinates as weights of the columns themselves.
    pub(super) fn restore(&self, mut weights: ChainWeights) -> Result<ChainWeights> {
        self.columns.restore(&mut weights)?;
        let Some(places) = &self.places else {
            return Ok(weights);
        };
        let mut coef = Array2::zeros((weights.n_labels(), self.n_columns));
        for (from, mut to) in weights.coef.rows().into_iter().zip(coef.rows_mut()) {
            for (&weight, &place) in from.iter().zip(places) {
                to[place] = weight;
            }
        }
        Ok(ChainWeights { coef, ..weights })
    }
}

/// The rows without the columns that are never set, and which columns are left.
fn compact(rows: CsrView<'_>) -> Result<(Csr, Vec<usize>)> {
    let (starts, mut numbers, values, n_columns) = rows.to_owned().into_parts();
    let mut is_set = vec![false; n_columns];
    for &column in &numbers {
        is_set[column as usize] = true;
    }
    let places: Vec<usize> = (0..n_columns).filter(|&column| is_set[column]).collect();
    let mut coordinates = vec![0; n_columns];
    for (coordinate, &place) in (0..).zip(&places) {
        coordinates[place] = coordinate;
    }
    for column in &mut numbers {
        *column = coordinates[*column as usize];
    }
    let n_places = places.len();
    Ok((Csr::new(starts, numbers, values, n_places)?, places))
}
