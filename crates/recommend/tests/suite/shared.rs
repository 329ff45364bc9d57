//! Ratings that several subjects are tested on.

use didact_core::{Ratings, Result};
use didact_recommend::RatingList;
use ndarray::Array2;

/// Sixty-nine ratings of nine items by twelve users that look random and are not.
pub(crate) fn puzzling() -> RatingList {
    let rated = |u: usize, i: usize| (5 * u + 3 * i + 2 * u * i + u * u) % 7 < 4;
    let value = |u: usize, i: usize| 1.0 + ((3 * u + 5 * i + u * i) % 9) as f64 / 2.0;
    let triples = (0..12).flat_map(|u| (0..9).map(move |i| (u, i)));
    list(
        triples
            .filter(|&(u, i)| rated(u, i))
            .map(|(u, i)| (u, i, value(u, i))),
    )
}

/// The pairs without a rating in [`puzzling`] for which Surprise was asked.
pub(crate) const ASKED: [(usize, usize); 5] = [(0, 2), (5, 2), (8, 0), (8, 7), (11, 3)];

/// Ratings from users, items and values.
pub(crate) fn list(triples: impl IntoIterator<Item = (usize, usize, f64)>) -> RatingList {
    let mut list = RatingList {
        users: Vec::new(),
        items: Vec::new(),
        values: Vec::new(),
    };
    for (user, item, value) in triples {
        list.users.push(user);
        list.items.push(item);
        list.values.push(value);
    }
    list
}

/// Every cell of a matrix as a rating.
pub(crate) fn all_of(matrix: &Array2<f64>) -> RatingList {
    list(
        matrix
            .indexed_iter()
            .map(|((user, item), &value)| (user, item, value)),
    )
}

/// The message of a failure.
pub(crate) fn say<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("this should have failed"),
        Err(error) => error.to_string(),
    }
}

/// The same ratings in another order.
pub(crate) fn reversed(ratings: &Ratings<'_>) -> RatingList {
    let rows: Vec<usize> = (0..ratings.values.len()).rev().collect();
    RatingList::select(ratings, &rows)
}
