//! Every way to cut data into training and test parts, by name.

use crate::split::{Keep, Split, k_fold, split};
use crate::subset::n_units;
use didact_core::{Data, Error, Result};
use serde::{Deserialize, Serialize};

/// How data are cut into parts that train and parts that test.
///
/// A unit is a row, or a whole sequence where the data are sequences. Every kind but
/// [`Splitter::ShuffleSplit`] tests a unit at most once per round.
///
/// ```
/// use didact_evaluate::Splitter;
/// let splits = Splitter::TimeSeries { n_splits: 2, gap: 0, test_size: None, max_train: None }
///     .cut(6, None, None, 0)?;
/// assert_eq!((splits[0].train.as_slice(), splits[0].test.as_slice()), (&[0, 1][..], &[2, 3][..]));
/// assert_eq!(splits[1].train, [0, 1, 2, 3]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Splitter {
    /// One random split.
    HoldOut {
        /// Share of the units that train.
        train_share: f64,
    },
    /// Disjoint parts, each of which tests once.
    KFold {
        /// Number of parts.
        n_folds: usize,
        /// Whether units are dealt out at random; else parts are consecutive.
        shuffle: bool,
    },
    /// Disjoint parts with the same share of each class in every one.
    Stratified {
        /// Number of parts.
        n_folds: usize,
        /// Whether the rows of a class are dealt out at random; else in their order.
        shuffle: bool,
    },
    /// Disjoint parts that keep groups whole and are as equal in size as the groups allow.
    Grouped {
        /// Number of parts.
        n_folds: usize,
    },
    /// Each group tests once.
    LeaveOneGroupOut,
    /// Each unit tests once, alone.
    LeaveOneOut,
    /// Shuffled folds, again and again with other shuffles.
    Repeated {
        /// Number of parts of each round.
        n_folds: usize,
        /// Number of rounds.
        n_repeats: usize,
    },
    /// Independent random draws: a unit may test several times or never. Not k-fold.
    ShuffleSplit {
        /// Number of draws.
        n_splits: usize,
        /// Share of the units that train in each.
        train_share: f64,
    },
    /// Trains on the past and tests on what comes next.
    TimeSeries {
        /// Number of test parts.
        n_splits: usize,
        /// Units left out between training and test.
        gap: usize,
        /// Units of each test part; as many as fit where not given.
        test_size: Option<usize>,
        /// At most this many of the latest units train.
        max_train: Option<usize>,
    },
}

impl Splitter {
    /// Ten random draws that train on 66 %: the repeated hold-out of the course.
    pub fn course() -> Self {
        Splitter::ShuffleSplit {
            n_splits: 10,
            train_share: 0.66,
        }
    }

    /// Cuts `n_units` units; some kinds need a class or a group for each.
    pub fn cut(
        &self,
        n_units: usize,
        classes: Option<&[usize]>,
        groups: Option<&[usize]>,
        seed: u64,
    ) -> Result<Vec<Split>> {
        let marks = |marks: Option<&[usize]>, what: &str| -> Result<Vec<usize>> {
            let marks = marks.ok_or_else(|| {
                Error::data(format!("this splitter needs the {what} of each row"))
            })?;
            match marks.len() == n_units {
                true => Ok(marks.to_vec()),
                false => Err(Error::data(format!(
                    "there are {} {what} marks for {n_units} rows",
                    marks.len()
                ))),
            }
        };
        match *self {
            Splitter::HoldOut { train_share } => {
                let keep = classes.map_or(Keep::Nothing, Keep::Shares);
                Ok(vec![split(n_units, train_share, seed, keep)?])
            }
            Splitter::KFold { n_folds, shuffle } => match shuffle {
                true => k_fold(n_units, n_folds, seed, Keep::Nothing),
                false => consecutive(n_units, n_folds),
            },
            Splitter::Stratified { n_folds, shuffle } => {
                let classes = marks(classes, "class")?;
                match shuffle {
                    true => k_fold(n_units, n_folds, seed, Keep::Shares(&classes)),
                    false => stratified_in_order(&classes, n_folds),
                }
            }
            Splitter::Grouped { n_folds } => grouped(&marks(groups, "group")?, n_folds),
            Splitter::LeaveOneGroupOut => {
                let groups = marks(groups, "group")?;
                let mut names = groups.clone();
                names.sort_unstable();
                names.dedup();
                check_folds(names.len().max(1), names.len())?;
                let places: Vec<usize> = groups
                    .iter()
                    .map(|group| names.partition_point(|name| name < group))
                    .collect();
                Ok(from_folds(&places, names.len()))
            }
            Splitter::LeaveOneOut => consecutive(n_units, n_units.max(1)),
            Splitter::Repeated { n_folds, n_repeats } => {
                let keep = classes.map_or(Keep::Nothing, Keep::Shares);
                let mut splits = Vec::new();
                for round in 0..check_count("n_repeats", n_repeats)? {
                    let seed = seed.wrapping_add(round as u64);
                    splits.extend(k_fold(n_units, n_folds, seed, keep)?);
                }
                Ok(splits)
            }
            Splitter::ShuffleSplit {
                n_splits,
                train_share,
            } => (0..check_count("n_splits", n_splits)?)
                .map(|draw| {
                    let seed = seed.wrapping_add(draw as u64);
                    split(n_units, train_share, seed, Keep::Nothing)
                })
                .collect(),
            Splitter::TimeSeries {
                n_splits,
                gap,
                test_size,
                max_train,
            } => time_series(n_units, n_splits, gap, test_size, max_train),
        }
    }

    /// Cuts data of any kind: rows, or whole sequences; classes are those of labelled rows.
    pub fn cut_data(
        &self,
        data: &Data<'_>,
        groups: Option<&[usize]>,
        seed: u64,
    ) -> Result<Vec<Split>> {
        let classes = match data {
            Data::Labelled(data) => Some(data.labels),
            _ => None,
        };
        self.cut(n_units(data), classes, groups, seed)
    }
}

fn check_count(name: &str, count: usize) -> Result<usize> {
    match (1..=100_000).contains(&count) {
        true => Ok(count),
        false => Err(Error::parameter(name, count, "it must be from 1 to 100000")),
    }
}

fn check_folds(n_folds: usize, n_units: usize) -> Result<()> {
    match n_folds >= 2 && n_folds <= n_units {
        true => Ok(()),
        false => Err(Error::parameter(
            "n_folds",
            n_folds,
            format!("it must be at least 2 and at most {n_units}, the number of rows or groups"),
        )),
    }
}

/// The splits in which each fold is the test part once.
fn from_folds(fold_of: &[usize], n_folds: usize) -> Vec<Split> {
    let mut splits: Vec<Split> = (0..n_folds)
        .map(|_| Split {
            train: Vec::new(),
            test: Vec::new(),
        })
        .collect();
    for (unit, &fold) in fold_of.iter().enumerate() {
        for (other, split) in splits.iter_mut().enumerate() {
            match other == fold {
                true => split.test.push(unit),
                false => split.train.push(unit),
            }
        }
    }
    splits
}

/// Consecutive parts; the first n mod k hold one unit more.
fn consecutive(n_units: usize, n_folds: usize) -> Result<Vec<Split>> {
    check_folds(n_folds, n_units)?;
    let (size, longer) = (n_units / n_folds, n_units % n_folds);
    let mut fold_of = Vec::with_capacity(n_units);
    for fold in 0..n_folds {
        fold_of.extend(std::iter::repeat_n(fold, size + usize::from(fold < longer)));
    }
    Ok(from_folds(&fold_of, n_folds))
}

/// Parts with equal class shares that take the rows of each class in order.
///
/// The rows sorted by class are dealt out one by one; how many of a class each part gets follows
/// from that, so parts differ by at most one in size.
fn stratified_in_order(classes: &[usize], n_folds: usize) -> Result<Vec<Split>> {
    check_folds(n_folds, classes.len())?;
    let mut seen: Vec<usize> = Vec::new();
    // Classes count in the order in which they first appear.
    let place = |seen: &[usize], class: usize| seen.iter().position(|&other| other == class);
    for &class in classes {
        if place(&seen, class).is_none() {
            seen.push(class);
        }
    }
    let mut rows_of = vec![Vec::new(); seen.len()];
    for (row, &class) in classes.iter().enumerate() {
        if let Some(place) = place(&seen, class) {
            rows_of[place].push(row);
        }
    }
    let largest = rows_of.iter().map(Vec::len).max().unwrap_or(0);
    if n_folds > largest {
        return Err(Error::parameter(
            "n_folds",
            n_folds,
            format!("it must be at most {largest}, the number of rows of the largest class"),
        ));
    }
    let mut fold_of = vec![0; classes.len()];
    let mut dealt = 0;
    for rows in &rows_of {
        let mut share = vec![0; n_folds];
        for place in dealt..dealt + rows.len() {
            share[place % n_folds] += 1;
        }
        dealt += rows.len();
        let folds = (0..n_folds).flat_map(|fold| std::iter::repeat_n(fold, share[fold]));
        for (&row, fold) in rows.iter().zip(folds) {
            fold_of[row] = fold;
        }
    }
    Ok(from_folds(&fold_of, n_folds))
}

/// The largest groups first, each into the part with the fewest rows so far.
fn grouped(groups: &[usize], n_folds: usize) -> Result<Vec<Split>> {
    let mut names = groups.to_vec();
    names.sort_unstable();
    names.dedup();
    check_folds(n_folds, names.len())?;
    let mut sizes = vec![0; names.len()];
    let places: Vec<usize> = groups
        .iter()
        .map(|group| names.partition_point(|name| name < group))
        .collect();
    places.iter().for_each(|&place| sizes[place] += 1);
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&place| sizes[place]);
    let mut filled = vec![0; n_folds];
    let mut fold_of_group = vec![0; names.len()];
    for &place in order.iter().rev() {
        let mut lightest = 0;
        for fold in 0..n_folds {
            if filled[fold] < filled[lightest] {
                lightest = fold;
            }
        }
        filled[lightest] += sizes[place];
        fold_of_group[place] = lightest;
    }
    let fold_of: Vec<usize> = places.iter().map(|&place| fold_of_group[place]).collect();
    Ok(from_folds(&fold_of, n_folds))
}

fn time_series(
    n_units: usize,
    n_splits: usize,
    gap: usize,
    test_size: Option<usize>,
    max_train: Option<usize>,
) -> Result<Vec<Split>> {
    check_count("n_splits", n_splits)?;
    let test_size = test_size.unwrap_or(n_units / (n_splits + 1)).max(1);
    let needed = n_splits.saturating_mul(test_size).saturating_add(gap);
    if needed >= n_units {
        return Err(Error::parameter(
            "n_splits",
            n_splits,
            format!(
                "{n_splits} test parts of {test_size} and a gap of {gap} leave nothing of {n_units} rows to train on; ask for less"
            ),
        ));
    }
    let first = n_units - n_splits * test_size;
    Ok((0..n_splits)
        .map(|part| {
            let start = first + part * test_size;
            let end = start - gap;
            let begin = max_train.map_or(0, |most| end.saturating_sub(most.max(1)));
            Split {
                train: (begin..end).collect(),
                test: (start..start + test_size).collect(),
            }
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tests_of(splits: &[Split]) -> Vec<Vec<usize>> {
        splits.iter().map(|split| split.test.clone()).collect()
    }

    // Oracle: scikit-learn's KFold(3), StratifiedKFold(3), GroupKFold(2), LeaveOneOut and
    // TimeSeriesSplit(3, gap=1, test_size=2, max_train_size=3) without shuffling.
    #[test]
    fn splitters_without_chance_agree_with_the_oracle() {
        let folds = Splitter::KFold {
            n_folds: 3,
            shuffle: false,
        };
        assert_eq!(
            tests_of(&folds.cut(8, None, None, 0).unwrap()),
            [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7]]
        );
        let classes = [1, 0, 0, 1, 0, 1, 0, 0, 2, 2];
        let stratified = Splitter::Stratified {
            n_folds: 3,
            shuffle: false,
        };
        assert_eq!(
            tests_of(&stratified.cut(10, Some(&classes), None, 0).unwrap()),
            STRATIFIED.map(<[usize]>::to_vec)
        );
        let groups = [0, 0, 1, 1, 1, 1, 2, 3, 3, 4];
        let grouped = Splitter::Grouped { n_folds: 2 };
        assert_eq!(
            tests_of(&grouped.cut(10, None, Some(&groups), 0).unwrap()),
            GROUPED.map(<[usize]>::to_vec)
        );
        let series = Splitter::TimeSeries {
            n_splits: 3,
            gap: 1,
            test_size: Some(2),
            max_train: Some(3),
        };
        let splits = series.cut(12, None, None, 0).unwrap();
        assert_eq!(tests_of(&splits), [vec![6, 7], vec![8, 9], vec![10, 11]]);
        assert_eq!(splits[0].train, [2, 3, 4]);
        assert_eq!(splits[2].train, [6, 7, 8]);
        assert_eq!(
            Splitter::LeaveOneOut.cut(4, None, None, 0).unwrap()[2].test,
            [2]
        );
    }

    const STRATIFIED: [&[usize]; 3] = [&[0, 1, 2, 8], &[3, 4, 6], &[5, 7, 9]];
    const GROUPED: [&[usize]; 2] = [&[2, 3, 4, 5, 9], &[0, 1, 6, 7, 8]];

    proptest! {
        // 002a:BP12a, 001:EM-08: each point is tested exactly once and trains k − 1 times;
        // 002a:BP12c: k = n is leave-one-out.
        #[test]
        fn every_unit_is_tested_once_and_trains_in_all_other_folds(
            n_units in 6usize..40, n_folds in 2usize..6, shuffle: bool, seed: u64
        ) {
            let classes: Vec<usize> = (0..n_units).map(|unit| unit % 2).collect();
            let groups: Vec<usize> = (0..n_units).map(|unit| unit % 6).collect();
            prop_assume!(n_folds * 2 <= n_units);
            for splitter in [
                Splitter::KFold { n_folds, shuffle },
                Splitter::Stratified { n_folds, shuffle },
                Splitter::Grouped { n_folds },
                Splitter::LeaveOneOut,
                Splitter::LeaveOneGroupOut,
            ] {
                let splits = splitter.cut(n_units, Some(&classes), Some(&groups), seed).unwrap();
                let (mut tested, mut trained) = (vec![0; n_units], vec![0; n_units]);
                for split in &splits {
                    split.test.iter().for_each(|&unit| tested[unit] += 1);
                    split.train.iter().for_each(|&unit| trained[unit] += 1);
                }
                prop_assert!(tested.iter().all(|&count| count == 1));
                prop_assert!(trained.iter().all(|&count| count == splits.len() - 1));
            }
        }

        // 002a:BP12b: random draws are not k-fold: a point may be tested several times or never.
        #[test]
        fn random_draws_have_their_size_and_repeat_with_the_seed(seed: u64) {
            let splits = Splitter::course().cut(100, None, None, seed).unwrap();
            prop_assert_eq!(splits.len(), 10);
            prop_assert!(splits.iter().all(|split| split.train.len() == 66 && split.test.len() == 34));
            let mut tested = vec![0; 100];
            splits.iter().flat_map(|split| &split.test).for_each(|&unit| tested[unit] += 1);
            prop_assert!(tested.iter().any(|&count| count != tested[0]));
            prop_assert_eq!(splits, Splitter::course().cut(100, None, None, seed).unwrap());
        }
    }

    #[test]
    fn repeated_folds_differ_between_rounds() {
        let repeated = Splitter::Repeated {
            n_folds: 3,
            n_repeats: 2,
        };
        let splits = repeated.cut(12, None, None, 5).unwrap();
        assert_eq!(splits.len(), 6);
        assert_ne!(splits[0].test, splits[3].test);
    }

    #[test]
    fn impossible_cuts_are_explained() {
        let say = |splitter: Splitter, n_units: usize| {
            splitter
                .cut(n_units, None, None, 0)
                .unwrap_err()
                .to_string()
        };
        assert!(say(Splitter::LeaveOneOut, 1).contains("at least 2"));
        assert!(say(Splitter::Grouped { n_folds: 2 }, 5).contains("needs the group"));
        let series = Splitter::TimeSeries {
            n_splits: 4,
            gap: 9,
            test_size: None,
            max_train: None,
        };
        assert!(say(series, 10).contains("leave nothing"));
        let stratified = Splitter::Stratified {
            n_folds: 3,
            shuffle: false,
        };
        let error = stratified
            .cut(4, Some(&[0, 0, 1, 1]), None, 0)
            .unwrap_err()
            .to_string();
        assert!(error.contains("largest class"), "{error}");
    }
}
