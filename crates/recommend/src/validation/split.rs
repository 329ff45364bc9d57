//! Ratings divided into those to learn from and those to be judged by.

use didact_core::random::generator;
use didact_core::{Error, Ratings, Result};
use rand::seq::SliceRandom;

/// Ratings that own their columns.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingList {
    /// User index of each rating.
    pub users: Vec<usize>,
    /// Item index of each rating.
    pub items: Vec<usize>,
    /// The ratings.
    pub values: Vec<f64>,
}

impl RatingList {
    /// The chosen ratings, in the given order.
    ///
    /// # Panics
    /// When there is no rating of a chosen number.
    pub fn select(ratings: &Ratings<'_>, chosen: &[usize]) -> Self {
        RatingList {
            users: chosen.iter().map(|&row| ratings.users[row]).collect(),
            items: chosen.iter().map(|&row| ratings.items[row]).collect(),
            values: chosen.iter().map(|&row| ratings.values[row]).collect(),
        }
    }

    /// The ratings as methods read them.
    pub fn view(&self) -> Ratings<'_> {
        Ratings {
            users: &self.users,
            items: &self.items,
            values: &self.values,
        }
    }
}

/// Which ratings are for learning, for choosing and for the last judgement; each part rising.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatingSplit {
    /// To learn from.
    pub train: Vec<usize>,
    /// To choose parameters by.
    pub validation: Vec<usize>,
    /// To judge the choice by.
    pub test: Vec<usize>,
}

/// Divides ratings at random into three parts, of which two hold the given shares.
///
/// Single ratings are drawn, not users or items. Every user and every item keeps at least one
/// rating for training; where that leaves too few to draw from, the held-out parts are smaller
/// than asked for, in proportion.
///
/// ```
/// use didact_recommend::split_ratings;
/// let films = didact_datasets::ratings();
/// let split = split_ratings(&films.ratings()?, 0.1, 0.2, 0)?;
/// let n = films.ratings()?.values.len();
/// assert_eq!(split.test.len(), (0.2 * n as f64).round() as usize);
/// assert_eq!(split.train.len() + split.validation.len() + split.test.len(), n);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn split_ratings(
    ratings: &Ratings<'_>,
    validation_share: f64,
    test_share: f64,
    seed: u64,
) -> Result<RatingSplit> {
    check_share("validation_share", validation_share)?;
    check_share("test_share", test_share)?;
    if validation_share + test_share >= 1.0 {
        return Err(Error::parameter(
            "test_share",
            test_share,
            format!(
                "with a validation_share of {validation_share} nothing is left for training; \
                 the two must sum to less than 1"
            ),
        ));
    }
    let n = ratings.values.len();
    let wanted = |share: f64| (share * n as f64).round() as usize;
    let (mut n_validation, mut n_test) = (wanted(validation_share), wanted(test_share));
    let spare = spare_ratings(ratings, n_validation + n_test, seed);
    let held_out = n_validation + n_test;
    if spare.len() < held_out {
        n_test = spare.len() * n_test / held_out;
        n_validation = spare.len() - n_test;
    }
    let mut part = vec![0_u8; n];
    for (place, &row) in spare.iter().enumerate() {
        part[row] = if place < n_test { 2 } else { 1 };
    }
    let rows_of =
        |wanted: u8| -> Vec<usize> { (0..n).filter(|&row| part[row] == wanted).collect() };
    let split = RatingSplit {
        train: rows_of(0),
        validation: rows_of(1),
        test: rows_of(2),
    };
    let is_empty = |share: f64, found: usize| share > 0.0 && found == 0;
    if is_empty(validation_share, n_validation) || is_empty(test_share, n_test) {
        return Err(Error::data(format!(
            "{n} ratings are too few to hold some out while every user and item keeps one; give \
             more ratings or raise the shares"
        )));
    }
    Ok(split)
}

/// At most `most` ratings, in random order, without which every user and item still has one.
fn spare_ratings(ratings: &Ratings<'_>, most: usize, seed: u64) -> Vec<usize> {
    let count = |indices: &[usize]| {
        let mut counts = std::collections::HashMap::new();
        for &index in indices {
            *counts.entry(index).or_insert(0_usize) += 1;
        }
        counts
    };
    let (mut of_user, mut of_item) = (count(ratings.users), count(ratings.items));
    let mut spare = Vec::with_capacity(most);
    for row in shuffled(ratings.values.len(), seed) {
        if spare.len() == most {
            break;
        }
        let user = of_user.get_mut(&ratings.users[row]);
        let item = of_item.get_mut(&ratings.items[row]);
        if let (Some(user @ 2..), Some(item @ 2..)) = (user, item) {
            *user -= 1;
            *item -= 1;
            spare.push(row);
        }
    }
    spare
}

/// Divides the numbers of `n_ratings` ratings at random into folds whose sizes differ by one at
/// most; each fold rises.
///
/// ```
/// let folds = didact_recommend::rating_folds(7, 3, 0)?;
/// let mut sizes: Vec<usize> = folds.iter().map(Vec::len).collect();
/// sizes.sort();
/// assert_eq!(sizes, [2, 2, 3]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn rating_folds(n_ratings: usize, n_folds: usize, seed: u64) -> Result<Vec<Vec<usize>>> {
    if !(2..=n_ratings).contains(&n_folds) {
        return Err(Error::parameter(
            "n_folds",
            n_folds,
            format!("it must be from 2 to the number of ratings, {n_ratings}"),
        ));
    }
    let mut folds = vec![Vec::new(); n_folds];
    for (place, row) in shuffled(n_ratings, seed).into_iter().enumerate() {
        folds[place % n_folds].push(row);
    }
    folds.iter_mut().for_each(|fold| fold.sort_unstable());
    Ok(folds)
}

fn shuffled(n: usize, seed: u64) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..n).collect();
    rows.shuffle(&mut generator(seed, 0));
    rows
}

fn check_share(name: &str, share: f64) -> Result<()> {
    match (0.0..1.0).contains(&share) {
        true => Ok(()),
        false => Err(Error::parameter(
            name,
            share,
            "it must be from 0 to below 1",
        )),
    }
}
