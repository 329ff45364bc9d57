//! Ratings by user and by item.

use didact_core::model::ensure_consistent;
use didact_core::{Csr, CsrView, Error, Ratings, Result};
use didact_math::linalg::sparse_transpose;
use serde::{Deserialize, Serialize};

/// Fourth powers and sums of larger ratings could overflow.
const LARGEST_RATING: f64 = 1e50;

/// Ratings arranged by user and by item, with their means.
///
/// Only what was rated is stored: a missing rating is not zero, and a rating of zero is not
/// missing. Users and items are numbered from zero; one that occurs in no rating has an empty
/// list and the mean of all ratings for its own.
///
/// ```
/// use didact_core::Ratings;
/// use didact_recommend::RatingMatrix;
/// let ratings = Ratings::new(&[0, 0, 2], &[1, 0, 1], &[4.0, 0.0, 5.0])?;
/// let matrix = RatingMatrix::new(&ratings)?;
/// assert_eq!(matrix.of_user(0), (&[0, 1][..], &[0.0, 4.0][..]));
/// assert_eq!(matrix.of_item(1), (&[0, 2][..], &[4.0, 5.0][..]));
/// assert_eq!((matrix.user_mean(0), matrix.user_mean(1), matrix.mean()), (2.0, 3.0, 3.0));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Csr", into = "Csr")]
pub struct RatingMatrix {
    by_user: Csr,
    by_item: Csr,
    mean: f64,
    range: (f64, f64),
    user_means: Vec<f64>,
    item_means: Vec<f64>,
}

impl RatingMatrix {
    /// Arranges ratings; fails where an index or a rating is out of all proportion, or a user rated an item twice.
    pub fn new(ratings: &Ratings<'_>) -> Result<Self> {
        check_values(ratings.values)?;
        let n_users = count("user", ratings.users)?;
        let n_items = count("item", ratings.items)?;
        // Sorted by item first and then, without mixing, by user: the items of a user rise.
        let rows: Vec<usize> = (0..ratings.values.len()).collect();
        let (_, rows) = sorted_by(ratings.items, n_items, &rows);
        let (starts, rows) = sorted_by(ratings.users, n_users, &rows);
        for pair in rows.windows(2) {
            check_distinct(ratings, pair[0], pair[1])?;
        }
        let columns = rows.iter().map(|&row| ratings.items[row] as u32).collect();
        let values = rows.iter().map(|&row| ratings.values[row]).collect();
        RatingMatrix::try_from(Csr::new(starts, columns, values, n_items)?)
    }

    /// Number of users, counting those below the highest who rated nothing.
    pub fn n_users(&self) -> usize {
        self.user_means.len()
    }

    /// Number of items, counting those below the highest that nobody rated.
    pub fn n_items(&self) -> usize {
        self.item_means.len()
    }

    /// Number of ratings.
    pub fn n_ratings(&self) -> usize {
        self.by_user.view().n_stored()
    }

    /// The items that a user rated, rising, and the ratings; nothing for an unknown user.
    pub fn of_user(&self, user: usize) -> (&[u32], &[f64]) {
        match user < self.n_users() {
            true => self.by_user.view().row(user),
            false => (&[], &[]),
        }
    }

    /// The users who rated an item, rising, and the ratings; nothing for an unknown item.
    pub fn of_item(&self, item: usize) -> (&[u32], &[f64]) {
        match item < self.n_items() {
            true => self.by_item.view().row(item),
            false => (&[], &[]),
        }
    }

    /// The mean of all ratings.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The mean of a user's ratings, that of all ratings for a user without any.
    pub fn user_mean(&self, user: usize) -> f64 {
        self.user_means.get(user).copied().unwrap_or(self.mean)
    }

    /// The mean of an item's ratings, that of all ratings for an item without any.
    pub fn item_mean(&self, item: usize) -> f64 {
        self.item_means.get(item).copied().unwrap_or(self.mean)
    }

    /// The lowest and the highest rating.
    pub fn range(&self) -> (f64, f64) {
        self.range
    }

    /// Every user, item and rating, by user and then by item.
    pub fn ratings(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.n_users()).flat_map(move |user| {
            let (items, values) = self.of_user(user);
            let pairs = items.iter().zip(values);
            pairs.map(move |(&item, &value)| (user, item as usize, value))
        })
    }

    /// The ratings, users in the rows.
    pub(crate) fn by_user(&self) -> CsrView<'_> {
        self.by_user.view()
    }
}

impl TryFrom<Csr> for RatingMatrix {
    type Error = Error;

    fn try_from(by_user: Csr) -> Result<Self> {
        let by_item = sparse_transpose(by_user.view())?;
        let view = by_user.view();
        let (mut sum, mut n) = (0.0, 0.0);
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for user in 0..view.n_rows() {
            let values = view.row(user).1;
            ensure_consistent(values.iter().all(|value| value.abs() <= LARGEST_RATING))?;
            sum += values.iter().sum::<f64>();
            n += values.len() as f64;
            range = values.iter().fold(range, |(low, high), &value| {
                (low.min(value), high.max(value))
            });
        }
        ensure_consistent(n > 0.0)?;
        let mean = sum / n;
        Ok(RatingMatrix {
            user_means: means(view, mean),
            item_means: means(by_item.view(), mean),
            mean,
            range,
            by_user,
            by_item,
        })
    }
}

impl From<RatingMatrix> for Csr {
    fn from(matrix: RatingMatrix) -> Csr {
        matrix.by_user
    }
}

/// The mean of each row, `otherwise` for one without entries.
fn means(rows: CsrView<'_>, otherwise: f64) -> Vec<f64> {
    (0..rows.n_rows())
        .map(|row| match rows.row(row).1 {
            [] => otherwise,
            values => values.iter().sum::<f64>() / values.len() as f64,
        })
        .collect()
}

/// The rows in the order of their keys, equal keys as they came, and where each key starts.
fn sorted_by(keys: &[usize], n_keys: usize, rows: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut starts = vec![0; n_keys + 1];
    for &key in keys {
        starts[key + 1] += 1;
    }
    for key in 0..n_keys {
        starts[key + 1] += starts[key];
    }
    let mut next = starts.clone();
    let mut sorted = vec![0; rows.len()];
    for &row in rows {
        sorted[next[keys[row]]] = row;
        next[keys[row]] += 1;
    }
    (starts, sorted)
}

fn check_values(values: &[f64]) -> Result<()> {
    match values
        .iter()
        .position(|value| !(-LARGEST_RATING..=LARGEST_RATING).contains(value))
    {
        None => Ok(()),
        Some(row) => Err(Error::data(format!(
            "rating {row} is {}; divide the ratings so that none is beyond {LARGEST_RATING:e}, \
             whose powers could overflow",
            values[row]
        ))),
    }
}

/// One more than the highest index, which must not promise memory that the ratings cannot fill.
fn count(what: &str, indices: &[usize]) -> Result<usize> {
    let highest = indices
        .iter()
        .max()
        .ok_or_else(|| Error::data("there are no ratings"))?;
    let limit = (16 * indices.len()).clamp(100_000, u32::MAX as usize);
    match *highest < limit {
        true => Ok(highest + 1),
        false => Err(Error::data(format!(
            "{what} index {highest} is too high for {} ratings; number the {what}s from 0 \
             without large gaps",
            indices.len()
        ))),
    }
}

fn check_distinct(ratings: &Ratings<'_>, first: usize, second: usize) -> Result<()> {
    let pair = |row: usize| (ratings.users[row], ratings.items[row]);
    match pair(first) == pair(second) {
        false => Ok(()),
        true => Err(Error::data(format!(
            "ratings {first} and {second} are both of item {} by user {}; keep one of them",
            ratings.items[first], ratings.users[first]
        ))),
    }
}
