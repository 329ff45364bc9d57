//! What every model of ratings can do, whether it remembers or has learned factors.

use crate::RatingMatrix;
use didact_core::{Error, Result, Rows};
use ndarray::Array2;

/// An item for a user, and the rating that the user is expected to give.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recommendation {
    /// The item.
    pub item: usize,
    /// The expected rating.
    pub rating: f64,
}

/// A model that completes ratings.
///
/// Whoever is unknown gets a defined answer: the mean of all ratings where the user rated
/// nothing, the user's own mean where nobody rated the item.
///
/// ```
/// use didact_core::Fit;
/// use didact_recommend::{AlternatingLeastSquares, Recommender};
/// let films = didact_datasets::ratings();
/// let model = AlternatingLeastSquares::default().fit(films.ratings()?)?;
/// let best = model.recommend(7, 3);
/// assert_eq!(best[0].rating, model.predict(7, best[0].item));
/// assert!(best[0].rating >= best[2].rating);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub trait Recommender {
    /// The ratings that the model was learned from.
    fn ratings(&self) -> &RatingMatrix;

    /// Whether predictions are kept within the range of the training ratings.
    fn clips(&self) -> bool;

    /// The rating of a known item by a known user, before any clipping.
    fn estimate(&self, user: usize, item: usize) -> f64;

    /// The ratings of all items by a known user, bit for bit those of [`Recommender::estimate`].
    fn estimate_all(&self, user: usize) -> Vec<f64> {
        (0..self.ratings().n_items())
            .map(|item| self.estimate(user, item))
            .collect()
    }

    /// The rating that a user is expected to give an item.
    fn predict(&self, user: usize, item: usize) -> f64 {
        match is_known(self.ratings(), user, item) {
            true => self.settle(self.estimate(user, item)),
            false => self.ratings().user_mean(user),
        }
    }

    /// The `n` items with the highest expected ratings among those that the user has not rated;
    /// of equal ones the lowest index comes first.
    fn recommend(&self, user: usize, n: usize) -> Vec<Recommendation> {
        let ratings = self.ratings();
        let rated = ratings.of_user(user).0;
        let mut best: Vec<Recommendation> = predict_all(self, user)
            .into_iter()
            .enumerate()
            .filter(|(item, _)| rated.binary_search(&(*item as u32)).is_err())
            .map(|(item, rating)| Recommendation { item, rating })
            .collect();
        let order = |a: &Recommendation, b: &Recommendation| {
            b.rating.total_cmp(&a.rating).then(a.item.cmp(&b.item))
        };
        if n < best.len() {
            best.select_nth_unstable_by(n, order);
            best.truncate(n);
        }
        best.sort_unstable_by(order);
        best
    }

    /// The whole matrix: what was rated as it was rated, the rest as predicted.
    fn complete(&self) -> Result<Array2<f64>> {
        let ratings = self.ratings();
        let mut matrix = dense(ratings.n_users(), ratings.n_items())?;
        for (user, mut row) in matrix.rows_mut().into_iter().enumerate() {
            let values = predict_all(self, user);
            row.iter_mut().zip(values).for_each(|(to, from)| *to = from);
            let (items, values) = ratings.of_user(user);
            for (&item, &value) in items.iter().zip(values) {
                row[item as usize] = value;
            }
        }
        Ok(matrix)
    }

    /// Keeps an estimate within the range of the training ratings, where the model clips.
    fn settle(&self, estimate: f64) -> f64 {
        match self.clips() {
            true => {
                let (low, high) = self.ratings().range();
                estimate.clamp(low, high)
            }
            false => estimate,
        }
    }
}

fn is_known(ratings: &RatingMatrix, user: usize, item: usize) -> bool {
    !ratings.of_user(user).0.is_empty() && !ratings.of_item(item).0.is_empty()
}

/// The ratings that a user is expected to give all items.
fn predict_all(model: &(impl Recommender + ?Sized), user: usize) -> Vec<f64> {
    let ratings = model.ratings();
    if ratings.of_user(user).0.is_empty() {
        return vec![ratings.mean(); ratings.n_items()];
    }
    let mut values = model.estimate_all(user);
    for (item, value) in values.iter_mut().enumerate() {
        *value = match is_known(ratings, user, item) {
            true => model.settle(*value),
            false => ratings.user_mean(user),
        };
    }
    values
}

/// Zeros for a table of users or items, unless it would not fit into memory.
pub(crate) fn dense(rows: usize, columns: usize) -> Result<Array2<f64>> {
    const MOST_CELLS: usize = 1 << 28;
    match rows.checked_mul(columns) {
        Some(cells) if cells <= MOST_CELLS => Ok(Array2::zeros((rows, columns))),
        _ => Err(Error::unsupported(format!(
            "the whole matrix would have {rows} × {columns} cells; ask for single predictions \
             instead"
        ))),
    }
}

/// Predictions for rows of a user index and an item index.
pub(crate) fn predict_rows(model: &impl Recommender, rows: Rows<'_>) -> Result<Array2<f64>> {
    let rows = rows.dense()?;
    let mut answers = Array2::zeros((rows.nrows(), 1));
    for (row, pair) in rows.rows().into_iter().enumerate() {
        let user = index(row, "user", pair[0])?;
        let item = index(row, "item", pair[1])?;
        answers[[row, 0]] = model.predict(user, item);
    }
    Ok(answers)
}

fn index(row: usize, what: &str, value: f64) -> Result<usize> {
    match value >= 0.0 && value.fract() == 0.0 {
        // Beyond the largest integer the conversion saturates: an unknown user or item.
        true => Ok(value as usize),
        false => Err(Error::data(format!(
            "row {row}: the {what} index is {value}; it must be a whole number from 0 on"
        ))),
    }
}
