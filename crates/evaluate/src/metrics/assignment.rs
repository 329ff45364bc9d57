//! The best one-to-one assignment of rows to columns.

use super::check::check_finite;
use didact_core::Result;
use ndarray::ArrayView2;

/// Assigns rows to columns, each at most once, so that the sum of the costs is least (the
/// Hungarian method, O(n³)).
///
/// Where there are more rows than columns some rows get none. Ties go to the first column found.
///
/// ```
/// let costs = ndarray::array![[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]];
/// assert_eq!(didact_evaluate::assign(costs.view())?, [Some(1), Some(0), Some(2)]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn assign(costs: ArrayView2<'_, f64>) -> Result<Vec<Option<usize>>> {
    check_finite("cost", costs.iter())?;
    if costs.nrows() <= costs.ncols() {
        return Ok(assign_wide(costs).into_iter().map(Some).collect());
    }
    let mut columns = vec![None; costs.nrows()];
    for (column, row) in assign_wide(costs.t()).into_iter().enumerate() {
        columns[row] = Some(column);
    }
    Ok(columns)
}

/// The column of each row, where there are at least as many columns.
///
/// Rows join one by one; each finds the shortest augmenting path in reduced costs, which the
/// potentials `of_row` and `of_column` keep non-negative.
fn assign_wide(costs: ArrayView2<'_, f64>) -> Vec<usize> {
    let (n_rows, n_columns) = costs.dim();
    // Place zero of these is a stand-in for "no column" and "no row".
    let mut of_row = vec![0.0; n_rows + 1];
    let mut of_column = vec![0.0; n_columns + 1];
    let mut row_at = vec![0; n_columns + 1];
    let mut previous = vec![0; n_columns + 1];
    for row in 1..=n_rows {
        row_at[0] = row;
        let mut column = 0;
        let mut distance = vec![f64::INFINITY; n_columns + 1];
        let mut settled = vec![false; n_columns + 1];
        loop {
            settled[column] = true;
            let here = row_at[column];
            let (mut step, mut next) = (f64::INFINITY, 0);
            for other in 1..=n_columns {
                if settled[other] {
                    continue;
                }
                let reduced = costs[[here - 1, other - 1]] - of_row[here] - of_column[other];
                if reduced < distance[other] {
                    distance[other] = reduced;
                    previous[other] = column;
                }
                if distance[other] < step {
                    (step, next) = (distance[other], other);
                }
            }
            for other in 0..=n_columns {
                match settled[other] {
                    true => {
                        of_row[row_at[other]] += step;
                        of_column[other] -= step;
                    }
                    false => distance[other] -= step,
                }
            }
            column = next;
            if row_at[column] == 0 {
                break;
            }
        }
        while column != 0 {
            let before = previous[column];
            row_at[column] = row_at[before];
            column = before;
        }
    }
    let mut columns = vec![0; n_rows];
    for column in 1..=n_columns {
        if row_at[column] > 0 {
            columns[row_at[column] - 1] = column - 1;
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use proptest::prelude::*;

    /// The least sum over all one-to-one choices, by trying them all.
    fn by_enumeration(costs: &Array2<f64>, row: usize, taken: &mut Vec<usize>) -> f64 {
        if row == costs.nrows() {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for column in 0..costs.ncols() {
            if !taken.contains(&column) {
                taken.push(column);
                best = best.min(costs[[row, column]] + by_enumeration(costs, row + 1, taken));
                taken.pop();
            }
        }
        best
    }

    proptest! {
        #[test]
        fn no_other_assignment_is_cheaper(
            rows in 1usize..5, extra in 0usize..3,
            values in prop::collection::vec(-9.0..9.0_f64, 40)
        ) {
            let costs = Array2::from_shape_fn((rows, rows + extra), |(i, j)| values[i * 7 + j]);
            let chosen = assign(costs.view()).unwrap();
            let sum: f64 = chosen.iter().enumerate().map(|(i, j)| costs[[i, j.unwrap()]]).sum();
            let best = by_enumeration(&costs, 0, &mut Vec::new());
            prop_assert!((sum - best).abs() < 1e-9);
            // Tall tables are the wide ones on their side.
            let tall = assign(costs.t()).unwrap();
            let sum: f64 = tall.iter().enumerate().filter_map(|(j, i)| i.map(|i| costs[[i, j]])).sum();
            prop_assert!((sum - best).abs() < 1e-9);
        }
    }

    #[test]
    fn empty_tables_and_bad_costs_are_handled() {
        assert_eq!(assign(Array2::zeros((0, 3)).view()).unwrap(), []);
        assert_eq!(assign(Array2::zeros((2, 0)).view()).unwrap(), [None, None]);
        assert!(assign(Array2::from_elem((1, 1), f64::NAN).view()).is_err());
    }
}
