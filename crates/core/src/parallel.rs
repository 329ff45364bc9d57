//! Parallel loops whose results do not depend on the number of threads.
//!
//! Work is cut by the number of rows alone, never by the number of threads, and partial results
//! are merged in a fixed tree. Small work stays on the calling thread.

use crate::{Result, Run};
use rayon::prelude::*;
use std::ops::Range;

/// Summarises ranges of at most `chunk` rows and merges the summaries in a fixed order.
///
/// Returns `None` when there are no rows.
///
/// ```
/// use didact_core::{Run, parallel::reduce};
/// let values: Vec<f64> = (0..10_000).map(f64::from).collect();
/// let sum = reduce(values.len(), 512, &Run::new(), &|rows| Ok(values[rows].iter().sum::<f64>()), &|a, b| a + b)?;
/// assert_eq!(sum, Some(49_995_000.0));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn reduce<T: Send>(
    n_rows: usize,
    chunk: usize,
    run: &Run,
    summarise: &(impl Fn(Range<usize>) -> Result<T> + Sync),
    merge: &(impl Fn(T, T) -> T + Sync),
) -> Result<Option<T>> {
    match n_rows {
        0 => Ok(None),
        few if few <= chunk => reduce_range(0..n_rows, few, run, summarise, merge).map(Some),
        _ => run
            .in_parallel(|| reduce_range(0..n_rows, chunk.max(1), run, summarise, merge))
            .map(Some),
    }
}

fn reduce_range<T: Send>(
    rows: Range<usize>,
    chunk: usize,
    run: &Run,
    summarise: &(impl Fn(Range<usize>) -> Result<T> + Sync),
    merge: &(impl Fn(T, T) -> T + Sync),
) -> Result<T> {
    if rows.len() <= chunk {
        run.check()?;
        return summarise(rows);
    }
    let chunks = rows.len().div_ceil(chunk);
    let middle = rows.start + chunks.div_ceil(2) * chunk;
    let (left, right) = rayon::join(
        || reduce_range(rows.start..middle, chunk, run, summarise, merge),
        || reduce_range(middle..rows.end, chunk, run, summarise, merge),
    );
    Ok(merge(left?, right?))
}

/// Calls `work` for consecutive pieces of `output`, `width` values per row and at most `chunk`
/// rows per piece, in parallel.
///
/// `work` is given the range of rows and the piece of the output that belongs to them.
pub fn fill<T: Send>(
    output: &mut [T],
    width: usize,
    chunk: usize,
    run: &Run,
    work: impl Fn(Range<usize>, &mut [T]) -> Result<()> + Sync + Send,
) -> Result<()> {
    let width = width.max(1);
    let chunk = chunk.max(1);
    let rows = output.len() / width;
    let piece = |(index, values): (usize, &mut [T])| {
        run.check()?;
        let start = index * chunk;
        work(start..start + values.len() / width, values)
    };
    match rows <= chunk {
        true => output
            .chunks_mut(chunk * width)
            .enumerate()
            .try_for_each(piece),
        false => run.in_parallel(|| {
            output
                .par_chunks_mut(chunk * width)
                .enumerate()
                .try_for_each(piece)
        }),
    }
}

/// Calls `work` for every item, in parallel, and keeps the answers in order.
///
/// For few items of much work each: folds, restarts, members of an ensemble.
pub fn map<T: Sync, U: Send>(
    items: &[T],
    run: &Run,
    work: impl Fn(&T) -> Result<U> + Sync + Send,
) -> Result<Vec<U>> {
    let one = |item: &T| {
        run.check()?;
        work(item)
    };
    run.in_parallel(|| items.par_iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cancel, Error};

    #[test]
    fn sums_are_the_same_bit_for_bit_with_any_number_of_threads() {
        let values: Vec<f64> = (0..100_003)
            .map(|i| (f64::from(i) * 0.7).sin() * 1e3)
            .collect();
        let sum = |threads: usize| {
            let run = Run::new().threads(threads);
            run.install(|| {
                reduce(
                    values.len(),
                    1000,
                    &run,
                    &|rows| Ok(values[rows].iter().sum::<f64>()),
                    &|a, b| a + b,
                )
                .unwrap()
                .unwrap()
            })
        };
        assert_eq!(sum(1).to_bits(), sum(2).to_bits());
        assert_eq!(sum(1).to_bits(), sum(4).to_bits());
    }

    #[test]
    fn every_row_is_seen_once_in_order() {
        for rows in [1, 2, 7, 8, 9, 64, 65] {
            let seen = reduce(
                rows,
                8,
                &Run::new(),
                &|range| Ok(range.collect::<Vec<_>>()),
                &|mut a, b| {
                    a.extend(b);
                    a
                },
            );
            assert_eq!(seen.unwrap().unwrap(), (0..rows).collect::<Vec<_>>());
        }
        assert!(
            reduce(0, 8, &Run::new(), &|_| Ok(0.0), &|a, b| a + b)
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn fill_hands_out_the_rows_of_each_piece() {
        let mut output = vec![0usize; 3 * 25];
        fill(&mut output, 3, 4, &Run::new(), |rows, piece| {
            for (row, values) in rows.zip(piece.chunks_mut(3)) {
                values.fill(row);
            }
            Ok(())
        })
        .unwrap();
        assert!(
            output
                .chunks(3)
                .enumerate()
                .all(|(row, values)| values == [row; 3])
        );
    }

    #[test]
    fn a_cancelled_run_stops() {
        let cancel = Cancel::new();
        cancel.cancel();
        let run = Run::new().cancelled_by(&cancel);
        let result = reduce(100, 10, &run, &|_| Ok(0.0), &|a, b| a + b);
        assert!(matches!(result, Err(Error::Cancelled)));
    }
}
