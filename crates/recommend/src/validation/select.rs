//! Parameters chosen by held-out ratings.

use super::{RatingErrors, RatingList, rating_errors, rating_folds, split_ratings};
use crate::Recommender;
use didact_core::{Accepts, Error, Fit, FitData, Ratings, Result, Run, parallel};

/// The best of several algorithms, and how good each is.
#[derive(Clone, Debug)]
pub struct RatingChoice<M> {
    /// Which candidate won: the first with the least error on the validation ratings.
    pub best: usize,
    /// The errors of each candidate on the validation ratings.
    pub validation: Vec<RatingErrors>,
    /// The errors of the winner on the test ratings, which had no part in the choice.
    pub test: RatingErrors,
    /// The winner, learned from the training and validation ratings together.
    pub model: M,
}

/// Chooses between algorithms, such as one factorisation with several ranks and penalties.
///
/// A random tenth of the ratings is for choosing and another for the last judgement; every user
/// and item stays in training.
///
/// ```
/// use didact_core::Run;
/// use didact_recommend::{AlternatingLeastSquares, choose_by_validation};
/// let films = didact_datasets::ratings();
/// let candidates: Vec<AlternatingLeastSquares> = [0.01, 2.0, 500.0]
///     .iter()
///     .map(|&alpha| AlternatingLeastSquares { alpha, ..Default::default() })
///     .collect();
/// let choice = choose_by_validation(&candidates, &films.ratings()?, 0, &Run::new())?;
/// assert_eq!(choice.best, 1);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn choose_by_validation<A, M>(
    candidates: &[A],
    ratings: &Ratings<'_>,
    seed: u64,
    run: &Run,
) -> Result<RatingChoice<M>>
where
    A: for<'a> Fit<Ratings<'a>, Model = M>,
    M: Recommender + Send,
{
    FitData::check(ratings, Accepts::empty())?;
    let split = split_ratings(ratings, 0.1, 0.1, seed)?;
    let part = |rows: &[usize]| RatingList::select(ratings, rows);
    let (train, held_out) = (part(&split.train), part(&split.validation));
    let validation = parallel::map(candidates, run, |candidate| {
        let model = candidate.fit_with(train.view(), &run.quietly())?;
        rating_errors(&model, &held_out.view())
    })?;
    let best = didact_math::numeric::argmin(validation.iter().map(|errors| errors.rmse))
        .ok_or_else(|| Error::data("there is no candidate to choose; give at least one"))?;
    let both = part(&[split.train, split.validation].concat());
    let model = candidates[best].fit_with(both.view(), run)?;
    Ok(RatingChoice {
        best,
        validation,
        test: rating_errors(&model, &part(&split.test).view())?,
        model,
    })
}

/// Learns without each of `n_folds` parts of the ratings in turn and is judged by that part.
///
/// ```
/// use didact_core::Run;
/// use didact_recommend::{UserNeighbors, cross_validate_ratings};
/// let films = didact_datasets::ratings();
/// let errors = cross_validate_ratings(&UserNeighbors::default(), &films.ratings()?, 5, 0, &Run::new())?;
/// assert!(errors.iter().all(|errors| errors.rmse < 1.0));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn cross_validate_ratings<A, M>(
    algorithm: &A,
    ratings: &Ratings<'_>,
    n_folds: usize,
    seed: u64,
    run: &Run,
) -> Result<Vec<RatingErrors>>
where
    A: for<'a> Fit<Ratings<'a>, Model = M>,
    M: Recommender + Send,
{
    FitData::check(ratings, Accepts::empty())?;
    let folds = rating_folds(ratings.values.len(), n_folds, seed)?;
    parallel::map(&folds, run, |fold| {
        let kept: Vec<usize> = (0..ratings.values.len())
            .filter(|row| fold.binary_search(row).is_err())
            .collect();
        let train = RatingList::select(ratings, &kept);
        let model = algorithm.fit_with(train.view(), &run.quietly())?;
        rating_errors(&model, &RatingList::select(ratings, fold).view())
    })
}
