//! Parallel loops whose results do not depend on the number of threads.
//!
//! Work is cut by the number of rows alone, never by the number of threads, and partial results
//! are merged in a fixed tree. Small work stays on the calling thread: what is less than a piece,
//! and, where a run says that its thread works itself, what is done before others would be awake.

use crate::{Result, Run};
use rayon::prelude::*;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Several times what handing work over takes where a sleeping core must be woken.
const SHORT: Duration = Duration::from_micros(300);

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
        _ if run.is_at_home() => {
            let start = Instant::now();
            reduce_at_home(0..n_rows, chunk.max(1), run, start, summarise, merge).map(Some)
        }
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
    let (left, right) = halves(rows, chunk);
    let (left, right) = rayon::join(
        || reduce_range(left, chunk, run, summarise, merge),
        || reduce_range(right, chunk, run, summarise, merge),
    );
    Ok(merge(left?, right?))
}

/// The same tree, of which the calling thread hands over what is left after a short time.
fn reduce_at_home<T: Send>(
    rows: Range<usize>,
    chunk: usize,
    run: &Run,
    start: Instant,
    summarise: &(impl Fn(Range<usize>) -> Result<T> + Sync),
    merge: &(impl Fn(T, T) -> T + Sync),
) -> Result<T> {
    if rows.len() <= chunk {
        run.check()?;
        return summarise(rows);
    }
    if start.elapsed() >= SHORT {
        return run.in_parallel(|| reduce_range(rows, chunk, run, summarise, merge));
    }
    let (left, right) = halves(rows, chunk);
    let left = reduce_at_home(left, chunk, run, start, summarise, merge)?;
    let right = reduce_at_home(right, chunk, run, start, summarise, merge)?;
    Ok(merge(left, right))
}

/// Two ranges of whole chunks but for the last.
fn halves(rows: Range<usize>, chunk: usize) -> (Range<usize>, Range<usize>) {
    let chunks = rows.len().div_ceil(chunk);
    let middle = rows.start + chunks.div_ceil(2) * chunk;
    (rows.start..middle, middle..rows.end)
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
    if rows <= chunk {
        let mut pieces = output.chunks_mut(chunk * width).enumerate();
        return pieces.try_for_each(piece);
    }
    let (mut first, mut rest) = (0, output);
    let start = Instant::now();
    while run.is_at_home() && !rest.is_empty() && start.elapsed() < SHORT {
        let (values, others) = rest.split_at_mut(rest.len().min(chunk * width));
        piece((first, values))?;
        (first, rest) = (first + 1, others);
    }
    if rest.is_empty() {
        return Ok(());
    }
    run.in_parallel(|| {
        rest.par_chunks_mut(chunk * width)
            .enumerate()
            .try_for_each(|(index, values)| piece((first + index, values)))
    })
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
    if !run.is_at_home() {
        return run.in_parallel(|| items.par_iter().map(one).collect());
    }
    // A thread that does small work itself sees from the first items whether it pays to hand the
    // others over.
    let start = Instant::now();
    let mut answers = Vec::with_capacity(items.len());
    while answers.len() < items.len() && start.elapsed() < SHORT {
        answers.push(one(&items[answers.len()])?);
    }
    let rest = &items[answers.len()..];
    if !rest.is_empty() {
        let rest = run.in_parallel(|| rest.par_iter().map(one).collect::<Result<Vec<U>>>());
        answers.extend(rest?);
    }
    Ok(answers)
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
    fn a_thread_that_works_itself_gives_the_same_bits_wherever_it_hands_over() {
        let values: Vec<f64> = (0..10_003)
            .map(|i| (f64::from(i) * 0.7).sin() * 1e3)
            .collect();
        // Handed over at once, on the way, and never.
        for pause in [SHORT, SHORT / 8, Duration::ZERO] {
            let home = Run::new().threads(2).beating(Duration::from_secs(1), || ());
            let sum = |run: &Run| {
                let summarise = |rows: Range<usize>| {
                    std::thread::sleep(pause);
                    Ok(values[rows].iter().sum::<f64>())
                };
                reduce(values.len(), 600, run, &summarise, &|a, b| a + b)
                    .unwrap()
                    .unwrap()
            };
            assert_eq!(sum(&home).to_bits(), sum(&Run::new()).to_bits());
            let mut output = vec![0.0; 2 * values.len()];
            fill(&mut output, 2, 600, &home, |rows, piece| {
                std::thread::sleep(pause);
                for (row, pair) in rows.zip(piece.chunks_mut(2)) {
                    pair.copy_from_slice(&[values[row], -values[row]]);
                }
                Ok(())
            })
            .unwrap();
            let expected = values.iter().flat_map(|&value| [value, -value]);
            assert!(output.iter().copied().eq(expected));
        }
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
    fn a_thread_that_works_itself_hands_over_what_is_long_and_keeps_the_order() {
        let run = Run::new().threads(2).beating(Duration::from_secs(1), || ());
        let items: Vec<usize> = (0..40).collect();
        let pause = |duration| {
            map(&items, &run, |&item| {
                std::thread::sleep(duration);
                Ok((item, rayon::current_thread_index().is_some()))
            })
            .unwrap()
        };
        let found = pause(2 * SHORT);
        assert!(found.iter().map(|&(item, _)| item).eq(0..40));
        let handed_over: Vec<bool> = found.iter().map(|&(_, elsewhere)| elsewhere).collect();
        assert!(!handed_over[0]);
        assert!(handed_over[1..].iter().all(|&elsewhere| elsewhere));
        let quick = map(&[1], &run, |_| Ok(rayon::current_thread_index())).unwrap();
        assert_eq!(quick, [None]);
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
