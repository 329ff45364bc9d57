//! How far predictions are from held-out ratings.

use crate::Recommender;
use didact_core::{Accepts, FitData, Ratings, Result};

/// How far predicted ratings are from given ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingErrors {
    /// √(mean squared error).
    pub rmse: f64,
    /// Mean magnitude of the error.
    pub mae: f64,
    /// How many ratings were compared.
    pub n_ratings: usize,
}

/// Compares the predictions of a model with ratings that it should not have seen.
///
/// ```
/// use didact_core::{Fit, Ratings};
/// use didact_recommend::{RatingBaseline, rating_errors};
/// let train = Ratings::new(&[0, 1], &[0, 0], &[3.0, 5.0])?;
/// let model = RatingBaseline { user_alpha: 1e9, item_alpha: 1e9, ..Default::default() }.fit(train)?;
/// // All is predicted at the mean, 4, whatever the user.
/// let test = Ratings::new(&[0, 9], &[0, 0], &[4.0, 7.0])?;
/// let errors = rating_errors(&model, &test)?;
/// assert!((errors.rmse - 4.5_f64.sqrt()).abs() < 1e-6 && (errors.mae - 1.5).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn rating_errors(
    model: &(impl Recommender + ?Sized),
    ratings: &Ratings<'_>,
) -> Result<RatingErrors> {
    FitData::check(ratings, Accepts::empty())?;
    let pairs = ratings.users.iter().zip(ratings.items);
    let errors = pairs
        .zip(ratings.values)
        .map(|((&user, &item), value)| value - model.predict(user, item));
    let (mut squares, mut magnitudes) = (0.0, 0.0);
    for error in errors {
        squares += error * error;
        magnitudes += error.abs();
    }
    let n_ratings = ratings.values.len();
    Ok(RatingErrors {
        rmse: (squares / n_ratings as f64).sqrt(),
        mae: magnitudes / n_ratings as f64,
        n_ratings,
    })
}
