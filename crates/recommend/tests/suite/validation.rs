//! Held-out ratings: divided, judged by, chosen by.

use crate::shared::{ASKED, list, puzzling, say};
use didact_core::{Fit, Run};
use didact_recommend::{
    AlternatingLeastSquares, Centering, RatingBaseline, RatingList, Recommender,
    choose_by_validation, cross_validate_ratings, rating_errors, rating_folds, split_ratings,
};

// 000b:E07
#[test]
fn predicting_the_mean_errs_by_the_standard_deviation() {
    let ratings = puzzling();
    let mean = ratings.values.iter().sum::<f64>() / 69.0;
    let squares = ratings.values.iter().map(|value| (value - mean).powi(2));
    let deviation = (squares.sum::<f64>() / 69.0).sqrt();
    // Prices that no bias can pay.
    let method = RatingBaseline {
        user_alpha: 1e18,
        item_alpha: 1e18,
        ..Default::default()
    };
    let model = method.fit(ratings.view()).unwrap();
    let errors = rating_errors(&model, &ratings.view()).unwrap();
    assert!((errors.rmse - deviation).abs() < 1e-12);
    let magnitudes = ratings.values.iter().map(|value| (value - mean).abs());
    assert!((errors.mae - magnitudes.sum::<f64>() / 69.0).abs() < 1e-12);
    assert_eq!(errors.n_ratings, 69);
    assert_eq!(
        say(rating_errors(&model, &list([]).view())),
        "there are no ratings"
    );
}

// 001:REC-13, compared with Surprise 1.1.5: BaselineOnly by ALS with reg_u 15, reg_i 10 and 500
// epochs.
#[test]
fn biases_are_those_of_surprise() {
    let method = RatingBaseline {
        user_alpha: 15.0,
        item_alpha: 10.0,
        tol: 0.0,
        ..Default::default()
    };
    let model = method.fit(puzzling().view()).unwrap();
    let expected = [
        3.1269546660609113,
        3.059503783539737,
        2.6664469841616922,
        2.9414469841616926,
        2.8554478844410496,
    ];
    for ((user, item), expected) in ASKED.into_iter().zip(expected) {
        let found = model.predict(user, item);
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}

// 001:REC-13
#[test]
fn users_who_always_give_the_same_are_predicted_at_it() {
    let mut ratings = puzzling();
    for row in 0..ratings.values.len() {
        if ratings.users[row] == 3 {
            ratings.values[row] = 3.7;
        }
    }
    let method = AlternatingLeastSquares {
        centering: Centering::Users,
        ..Default::default()
    };
    let model = method.fit(ratings.view()).unwrap();
    let mut items = 0..9;
    assert!(items.all(|item| (model.predict(3, item) - 3.7).abs() < 1e-14));
    let without = AlternatingLeastSquares {
        centering: Centering::None,
        ..Default::default()
    };
    let model = without.fit(ratings.view()).unwrap();
    assert!((0..9).any(|item| (model.predict(3, item) - 3.7).abs() > 0.1));
}

// 001:REC-14: entries are divided, not users; every user and item stays in training.
#[test]
fn the_three_parts_are_disjoint_and_nobody_leaves_training() {
    let films = didact_datasets::ratings();
    let ratings = films.ratings().unwrap();
    let n = ratings.values.len();
    let split = split_ratings(&ratings, 0.15, 0.25, 7).unwrap();
    let mut all = [&split.train[..], &split.validation, &split.test].concat();
    all.sort_unstable();
    assert_eq!(all, (0..n).collect::<Vec<_>>());
    assert_eq!(split.validation.len(), (0.15 * n as f64).round() as usize);
    assert_eq!(split.test.len(), (0.25 * n as f64).round() as usize);
    let train = RatingList::select(&ratings, &split.train);
    assert!((0..200).all(|user| train.users.contains(&user)));
    assert!((0..100).all(|item| train.items.contains(&item)));
    assert_eq!(split_ratings(&ratings, 0.15, 0.25, 7).unwrap(), split);
    assert_ne!(split_ratings(&ratings, 0.15, 0.25, 8).unwrap(), split);
}

#[test]
fn where_few_can_be_spared_few_are_held_out() {
    // Users 0 and 1 rated items 0 and 1: two ratings can go at most.
    let ratings = list([
        (0, 0, 1.0),
        (0, 1, 2.0),
        (1, 0, 3.0),
        (1, 1, 4.0),
        (2, 2, 5.0),
    ]);
    for seed in 0..10 {
        let split = split_ratings(&ratings.view(), 0.4, 0.4, seed).unwrap();
        assert_eq!((split.validation.len(), split.test.len()), (1, 1));
        assert!(split.train.contains(&4));
    }
    let single = list([(0, 0, 1.0), (1, 1, 2.0)]);
    assert!(say(split_ratings(&single.view(), 0.0, 0.5, 0)).starts_with("2 ratings are too few"));
    let message = say(split_ratings(&ratings.view(), 0.5, 0.5, 0));
    assert!(message.contains("must sum to less than 1"), "{message}");
    let message = say(split_ratings(&ratings.view(), -0.1, 0.5, 0));
    assert_eq!(
        message,
        "validation_share is -0.1; it must be from 0 to below 1"
    );
    assert!(say(rating_folds(5, 6, 0)).starts_with("n_folds is 6; it must be from 2"));
}

// 001:REC-14: the test part has no voice in the choice.
#[test]
fn the_choice_of_rank_and_price_ignores_the_test_ratings() {
    let films = didact_datasets::ratings();
    let ratings = films.ratings().unwrap();
    let mut candidates = Vec::new();
    for n_factors in [1, 2, 6] {
        for alpha in [0.3, 3.0, 100.0] {
            candidates.push(AlternatingLeastSquares {
                n_factors,
                alpha,
                n_init: 2,
                max_iter: 30,
                ..Default::default()
            });
        }
    }
    let choice = choose_by_validation(&candidates, &ratings, 1, &Run::new()).unwrap();
    let errors: Vec<f64> = choice.validation.iter().map(|errors| errors.rmse).collect();
    assert!(errors.iter().all(|&rmse| rmse >= errors[choice.best]));
    assert_ne!(candidates[choice.best].alpha, 100.0);
    assert!(choice.test.rmse < 0.65, "{:?}", choice.test);
    let split = split_ratings(&ratings, 0.1, 0.1, 1).unwrap();
    let rows: Vec<usize> = (0..ratings.values.len()).collect();
    let mut spoiled = RatingList::select(&ratings, &rows);
    for &row in &split.test {
        spoiled.values[row] = 1000.0;
    }
    let again = choose_by_validation(&candidates, &spoiled.view(), 1, &Run::new()).unwrap();
    assert_eq!(
        (again.best, &again.validation),
        (choice.best, &choice.validation)
    );
    assert!(again.test.rmse > 900.0);
    let nobody = choose_by_validation(&candidates[..0], &ratings, 1, &Run::new());
    assert!(say(nobody).starts_with("there is no candidate"));
}

// 001:REC-14
#[test]
fn folds_cover_all_ratings_and_learning_beats_the_mean() {
    let films = didact_datasets::ratings();
    let ratings = films.ratings().unwrap();
    let mut all = rating_folds(ratings.values.len(), 4, 3).unwrap().concat();
    all.sort_unstable();
    assert_eq!(all, (0..ratings.values.len()).collect::<Vec<_>>());
    let run = Run::new();
    let mean_rmse = |errors: Vec<didact_recommend::RatingErrors>| {
        errors.iter().map(|errors| errors.rmse).sum::<f64>() / errors.len() as f64
    };
    let biases = RatingBaseline::default();
    let biases = mean_rmse(cross_validate_ratings(&biases, &ratings, 4, 3, &run).unwrap());
    let factors = AlternatingLeastSquares::default();
    let factors = mean_rmse(cross_validate_ratings(&factors, &ratings, 4, 3, &run).unwrap());
    assert!(factors < 0.8 * biases, "{factors} {biases}");
}
