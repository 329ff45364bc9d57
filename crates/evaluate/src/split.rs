//! Cutting data into parts for training, choosing and judging.

use didact_core::random::generator;
use didact_core::{Error, Result};
use rand::RngExt;
use std::collections::BTreeMap;

/// The rows of each part of a split. The parts are disjoint and together hold every row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Rows to learn from.
    pub train: Vec<usize>,
    /// Rows to judge by.
    pub test: Vec<usize>,
}

/// The rows of a three-way split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreeWaySplit {
    /// Rows to learn from.
    pub train: Vec<usize>,
    /// Rows to choose hyper-parameters by.
    pub validation: Vec<usize>,
    /// Rows to judge by, once, at the very end.
    pub test: Vec<usize>,
}

impl ThreeWaySplit {
    /// The rows for the last fit before the single test: training and validation together.
    pub fn refit(&self) -> Vec<usize> {
        let mut rows = [self.train.as_slice(), &self.validation].concat();
        rows.sort_unstable();
        rows
    }
}

/// What must stay together or stay balanced when rows are dealt out.
#[derive(Clone, Copy, Debug)]
pub enum Keep<'a> {
    /// Nothing: every row goes where chance puts it.
    Nothing,
    /// The share of each class in every part.
    Shares(&'a [usize]),
    /// Rows of the same group (sequence, patient, user) in the same part.
    Groups(&'a [usize]),
}

/// How much of the data trains by default: twice as much as tests.
pub const TRAIN_SHARE: f64 = 2.0 / 3.0;

/// Cuts rows into a training and a test part.
///
/// ```
/// use didact_evaluate::{Keep, split};
/// let parts = split(9, 2.0 / 3.0, 7, Keep::Nothing)?;
/// assert_eq!((parts.train.len(), parts.test.len()), (6, 3));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn split(n_rows: usize, train_share: f64, seed: u64, keep: Keep<'_>) -> Result<Split> {
    check_share("train_share", train_share)?;
    let units = units(n_rows, keep)?;
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for (stratum, mut units) in units.into_iter().enumerate() {
        shuffle(&mut units, seed, stratum as u64);
        let kept = (units.len() as f64 * train_share).round() as usize;
        // A part that would be empty takes one unit from the other where there are two.
        let kept = if units.len() > 1 {
            kept.clamp(1, units.len() - 1)
        } else {
            kept
        };
        for (place, rows) in units.into_iter().enumerate() {
            if place < kept { &mut train } else { &mut test }.extend(rows);
        }
    }
    if train.is_empty() || test.is_empty() {
        return Err(Error::data(format!(
            "{n_rows} rows cannot be cut into two parts; at least two rows or groups are needed"
        )));
    }
    train.sort_unstable();
    test.sort_unstable();
    Ok(Split { train, test })
}

/// Cuts rows into parts for training, for validation and for the test at the end.
pub fn three_way_split(
    n_rows: usize,
    train_share: f64,
    validation_share: f64,
    seed: u64,
    keep: Keep<'_>,
) -> Result<ThreeWaySplit> {
    check_share("train_share", train_share)?;
    check_share("validation_share", validation_share)?;
    if train_share + validation_share >= 1.0 {
        return Err(Error::parameter(
            "train_share + validation_share",
            train_share + validation_share,
            "they must leave something for the test",
        ));
    }
    let outer = split(n_rows, train_share + validation_share, seed, keep)?;
    let chosen: Vec<usize>;
    let inner_keep = match keep {
        Keep::Nothing => Keep::Nothing,
        Keep::Shares(labels) => {
            chosen = outer.train.iter().map(|&row| labels[row]).collect();
            Keep::Shares(&chosen)
        }
        Keep::Groups(groups) => {
            chosen = outer.train.iter().map(|&row| groups[row]).collect();
            Keep::Groups(&chosen)
        }
    };
    let share = train_share / (train_share + validation_share);
    let inner = split(outer.train.len(), share, seed.wrapping_add(1), inner_keep)?;
    let lookup = |rows: Vec<usize>| rows.into_iter().map(|row| outer.train[row]).collect();
    Ok(ThreeWaySplit {
        train: lookup(inner.train),
        validation: lookup(inner.test),
        test: outer.test,
    })
}

/// Cuts rows into `n_folds` parts of nearly equal size; each is the test part once.
pub fn k_fold(n_rows: usize, n_folds: usize, seed: u64, keep: Keep<'_>) -> Result<Vec<Split>> {
    let strata = units(n_rows, keep)?;
    let n_units: usize = strata.iter().map(Vec::len).sum();
    if n_folds < 2 || n_folds > n_units {
        return Err(Error::parameter(
            "n_folds",
            n_folds,
            format!("it must be at least 2 and at most {n_units}, the number of rows or groups"),
        ));
    }
    let mut fold_of = vec![0; n_rows];
    // Strata go on dealing where the one before stopped, so that fold sizes differ by one.
    let mut next = 0;
    for (stratum, mut units) in strata.into_iter().enumerate() {
        shuffle(&mut units, seed, stratum as u64);
        for rows in units {
            for row in rows {
                fold_of[row] = next % n_folds;
            }
            next += 1;
        }
    }
    let part = |fold: usize, inside: bool| {
        (0..n_rows)
            .filter(|&row| (fold_of[row] == fold) == inside)
            .collect::<Vec<_>>()
    };
    Ok((0..n_folds)
        .map(|fold| Split {
            train: part(fold, false),
            test: part(fold, true),
        })
        .collect())
}

fn check_share(name: &str, share: f64) -> Result<()> {
    match share > 0.0 && share < 1.0 {
        true => Ok(()),
        false => Err(Error::parameter(
            name,
            share,
            "it must be greater than 0 and less than 1",
        )),
    }
}

/// What is dealt out: strata of units, a unit being rows that stay together.
fn units(n_rows: usize, keep: Keep<'_>) -> Result<Vec<Vec<Vec<usize>>>> {
    let (Keep::Shares(marks) | Keep::Groups(marks)) = keep else {
        return Ok(vec![(0..n_rows).map(|row| vec![row]).collect()]);
    };
    if marks.len() != n_rows {
        return Err(Error::data(format!(
            "there are {} marks for {n_rows} rows",
            marks.len()
        )));
    }
    let mut by_mark: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (row, &mark) in marks.iter().enumerate() {
        by_mark.entry(mark).or_default().push(row);
    }
    let groups = by_mark.into_values();
    Ok(match keep {
        Keep::Groups(_) => vec![groups.collect()],
        _ => groups
            .map(|rows| rows.into_iter().map(|row| vec![row]).collect())
            .collect(),
    })
}

fn shuffle<T>(items: &mut [T], seed: u64, stream: u64) {
    let mut generator = generator(seed, stream);
    for last in (1..items.len()).rev() {
        items.swap(last, generator.random_range(0..=last));
    }
}

/// Columns whose mean differs between the two parts by more than `limit` standard errors: a
/// sign that the parts were not drawn from the same population.
pub fn shifted_columns(
    rows: ndarray::ArrayView2<'_, f64>,
    parts: &Split,
    limit: f64,
) -> Vec<(usize, f64)> {
    let moments = |column: usize, part: &[usize]| {
        let count = part.len() as f64;
        let mean = part.iter().map(|&row| rows[[row, column]]).sum::<f64>() / count;
        let squares: f64 = part
            .iter()
            .map(|&row| (rows[[row, column]] - mean).powi(2))
            .sum();
        (mean, squares / (count - 1.0).max(1.0) / count)
    };
    (0..rows.ncols())
        .filter_map(|column| {
            let (train_mean, train_error) = moments(column, &parts.train);
            let (test_mean, test_error) = moments(column, &parts.test);
            let error = (train_error + test_error).sqrt();
            let distance = (train_mean - test_mean).abs() / error;
            (error > 0.0 && distance > limit).then_some((column, distance))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_partition(n_rows: usize, parts: &[&[usize]]) -> bool {
        let mut all: Vec<usize> = parts.concat();
        all.sort_unstable();
        all == (0..n_rows).collect::<Vec<_>>()
    }

    proptest! {
        // 000a:GEN-04, 001:OV-02, 001:REG-20, 002a:BP08: disjoint, exhaustive, reproducible.
        #[test]
        fn every_split_is_a_partition_and_reproducible(n_rows in 4usize..200, seed: u64, share in 0.1..0.9f64) {
            let parts = split(n_rows, share, seed, Keep::Nothing).unwrap();
            prop_assert!(is_partition(n_rows, &[&parts.train, &parts.test]));
            prop_assert_eq!(&parts, &split(n_rows, share, seed, Keep::Nothing).unwrap());
            let three = three_way_split(n_rows, 0.5, 0.25, seed, Keep::Nothing).unwrap();
            prop_assert!(is_partition(n_rows, &[&three.train, &three.validation, &three.test]));
            prop_assert!(is_partition(n_rows, &[&three.refit(), &three.test]));
        }

        // 000b:S01: items of a sequence never end up on both sides.
        #[test]
        fn groups_stay_together(marks in prop::collection::vec(0usize..9, 20..80), seed: u64) {
            let parts = split(marks.len(), 0.6, seed, Keep::Groups(&marks));
            if let Ok(parts) = parts {
                for &row in &parts.train {
                    prop_assert!(parts.test.iter().all(|&other| marks[other] != marks[row]));
                }
            }
        }

        #[test]
        fn folds_are_balanced_partitions(n_rows in 6usize..100, folds in 2usize..6, seed: u64) {
            let labels: Vec<usize> = (0..n_rows).map(|row| row % 3).collect();
            let splits = k_fold(n_rows, folds, seed, Keep::Shares(&labels)).unwrap();
            let tests: Vec<&[usize]> = splits.iter().map(|split| split.test.as_slice()).collect();
            prop_assert!(is_partition(n_rows, &tests));
            let sizes: Vec<usize> = tests.iter().map(|test| test.len()).collect();
            prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        }
    }

    // 002a:BP09: twice as many rows to train as to test.
    #[test]
    fn the_default_is_two_thirds() {
        let parts = split(300, TRAIN_SHARE, 0, Keep::Nothing).unwrap();
        assert_eq!((parts.train.len(), parts.test.len()), (200, 100));
    }

    #[test]
    fn stratified_parts_keep_class_shares() {
        let labels: Vec<usize> = (0..300).map(|row| usize::from(row % 10 == 0)).collect();
        let parts = split(300, 2.0 / 3.0, 3, Keep::Shares(&labels)).unwrap();
        let rare = |rows: &[usize]| rows.iter().filter(|&&row| labels[row] == 1).count();
        assert_eq!((rare(&parts.train), rare(&parts.test)), (20, 10));
    }

    // 001:OV-02: the diagnostic for parts that are not identically distributed.
    #[test]
    fn a_drifting_column_is_noticed() {
        let rows = ndarray::Array2::from_shape_fn((200, 2), |(row, column)| match column {
            0 => row as f64,
            _ => (row * 7919 % 101) as f64,
        });
        let sorted = Split {
            train: (0..100).collect(),
            test: (100..200).collect(),
        };
        let shifted = shifted_columns(rows.view(), &sorted, 4.0);
        assert_eq!(
            shifted
                .iter()
                .map(|(column, _)| *column)
                .collect::<Vec<_>>(),
            [0]
        );
        let random = split(200, 0.5, 1, Keep::Nothing).unwrap();
        assert!(shifted_columns(rows.view(), &random, 4.0).is_empty());
    }

    #[test]
    fn impossible_requests_are_explained() {
        assert!(
            split(1, 0.5, 0, Keep::Nothing)
                .unwrap_err()
                .to_string()
                .contains("cannot be cut")
        );
        assert!(
            split(9, 1.0, 0, Keep::Nothing)
                .unwrap_err()
                .to_string()
                .contains("less than 1")
        );
        assert!(
            k_fold(3, 4, 0, Keep::Nothing)
                .unwrap_err()
                .to_string()
                .contains("at most 3")
        );
        assert!(three_way_split(9, 0.7, 0.3, 0, Keep::Nothing).is_err());
    }
}
