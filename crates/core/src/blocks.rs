//! Asking a model about many rows.

use crate::abilities::check_rows;
use crate::{Features, Result, Rows, Run, parallel};

/// Values of a block: few enough to stay in the second cache between the check and the answer.
const VALUES: usize = 1 << 16;

/// Rows of a block at least; methods that multiply matrices need so many to be fast.
const LEAST: usize = 1024;

/// Checks rows and asks a model about them block by block, in parallel; the answers are in the
/// order of the rows.
///
/// Every block is checked just before it is asked about, so that it comes from memory only once.
///
/// ```
/// use didact_core::{Features, Rows, Run, ask_in_blocks};
/// struct Any;
/// impl Features for Any {
///     fn n_features(&self) -> usize { 2 }
/// }
/// let x = ndarray::Array2::<f64>::ones((100_000, 2));
/// let sums = ask_in_blocks(&Any, Rows::Dense(x.view()), &Run::new(), |block| Ok(block.dense()?.sum()))?;
/// assert!(sums.len() > 1);
/// assert_eq!(sums.iter().sum::<f64>(), 200_000.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn ask_in_blocks<T: Send>(
    model: &(impl Features + Sync + ?Sized),
    rows: Rows<'_>,
    run: &Run,
    ask: impl Fn(Rows<'_>) -> Result<T> + Send + Sync,
) -> Result<Vec<T>> {
    let checked = |rows: Rows<'_>| {
        check_rows(model, rows)?;
        ask(rows)
    };
    let size = (VALUES / rows.n_columns().max(1)).max(LEAST);
    if rows.n_rows() < 2 * size {
        return Ok(vec![checked(rows)?]);
    }
    let starts: Vec<usize> = (0..rows.n_rows()).step_by(size).collect();
    let answers = parallel::map(&starts, run, |&start| {
        checked(rows.slice(start..(start + size).min(rows.n_rows())))
    });
    match answers {
        Ok(answers) => Ok(answers),
        // The complaint of a block numbers its own rows; asked at once, the model names the right one.
        Err(_) => Ok(vec![checked(rows)?]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use ndarray::Array2;

    struct Plain;

    impl Features for Plain {
        fn n_features(&self) -> usize {
            3
        }
    }

    #[test]
    fn answers_come_in_the_order_of_the_rows_and_errors_name_the_row() {
        let mut x = Array2::from_shape_fn((150_000, 3), |(row, _)| row as f64);
        let firsts = |x: &Array2<f64>| {
            ask_in_blocks(&Plain, Rows::Dense(x.view()), &Run::new(), |block| {
                Ok(block.dense()?.column(0).to_vec())
            })
        };
        let found = firsts(&x).unwrap();
        assert!(found.len() > 4);
        assert_eq!(found.concat(), x.column(0).to_vec());
        x[[123_456, 1]] = f64::NAN;
        match firsts(&x).unwrap_err() {
            Error::NotFinite { row, column, .. } => assert_eq!((row, column), (123_456, 1)),
            other => panic!("{other}"),
        }
    }
}
