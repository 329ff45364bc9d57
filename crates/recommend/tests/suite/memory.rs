//! Memory-based factorisation as a whole.

use crate::shared::puzzling;
use didact_core::{Fit, Model};
use didact_recommend::{
    Centering, MemoryFactorization, ProbabilisticFactorization, RatingBaseline, RatingList,
    Recommender, rating_errors, split_ratings,
};

/// Alone and without learned similarities.
fn plain() -> MemoryFactorization {
    MemoryFactorization {
        n_factors: 2,
        n_neighbors: 0,
        learn_similarities: false,
        user_alpha: 2.0,
        item_alpha: 0.5,
        max_iter: 5000,
        tol: 0.0,
        ..Default::default()
    }
}

// 000b:D68: T = 0 is probabilistic matrix factorisation, with the item in its own group.
#[test]
fn without_neighbours_it_is_probabilistic_factorisation() {
    let ratings = puzzling();
    let memory = plain().fit(ratings.view()).unwrap();
    let method = ProbabilisticFactorization {
        n_factors: 2,
        noise_variance: 1.0,
        user_variance: 0.5,
        item_variance: 2.0,
        max_iter: 20_000,
        tol: 1e-15,
        n_init: 3,
        ..Default::default()
    };
    let probabilistic = method.fit(ratings.view()).unwrap();
    let (found, expected) = (memory.objective(), probabilistic.objective());
    assert!(
        (found - expected).abs() < 1e-9 * expected,
        "{found} {expected}"
    );
    for user in 0..12 {
        for item in 0..9 {
            let (found, expected) = (
                memory.predict(user, item),
                probabilistic.predict(user, item),
            );
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }
    let literal = MemoryFactorization {
        include_self: false,
        ..plain()
    };
    let model = literal.fit(ratings.view()).unwrap();
    assert_eq!(model.predict(0, 2), 0.0);
}

// 000b:D68: similarities start at the cosines and are then learned; the groups stay.
#[test]
fn learning_the_similarities_lowers_the_error() {
    let ratings = puzzling();
    let fixed = MemoryFactorization {
        n_neighbors: 2,
        ..plain()
    };
    let learned = MemoryFactorization {
        learn_similarities: true,
        similarity_alpha: 0.0,
        ..fixed.clone()
    };
    let (fixed, learned) = (
        fixed.fit(ratings.view()).unwrap(),
        learned.fit(ratings.view()).unwrap(),
    );
    assert!(learned.objective() < 0.99 * fixed.objective());
    for item in 0..9 {
        let (before, after) = (fixed.group(item), learned.group(item));
        assert_eq!(before[0], (item, 1.0));
        assert_ne!(before, after);
        let members = |group: &[(usize, f64)]| group.iter().map(|one| one.0).collect::<Vec<_>>();
        assert_eq!(members(&before), members(&after));
    }
    let objectives = &learned.trace().unwrap().objectives;
    assert!(objectives.windows(2).all(|pair| pair[1] <= pair[0]));
}

// 000b:D68, 000b:D69, 000b:E07
#[test]
fn new_ratings_are_predicted_better_than_by_biases() {
    let films = didact_datasets::ratings();
    let ratings = films.ratings().unwrap();
    let split = split_ratings(&ratings, 0.0, 0.2, 0).unwrap();
    let train = RatingList::select(&ratings, &split.train);
    let test = RatingList::select(&ratings, &split.test);
    let deep = MemoryFactorization {
        hidden_layers: vec![8],
        centering: Centering::Users,
        ..Default::default()
    };
    let biases = RatingBaseline::default().fit(train.view()).unwrap();
    let biases = rating_errors(&biases, &test.view()).unwrap();
    for (method, share) in [(MemoryFactorization::default(), 0.6), (deep, 0.9)] {
        let model = method.fit(train.view()).unwrap();
        let errors = rating_errors(&model, &test.view()).unwrap();
        assert!(errors.rmse < share * biases.rmse, "{errors:?} {biases:?}");
    }
}

#[test]
fn layers_without_width_are_refused() {
    let method = MemoryFactorization {
        hidden_layers: vec![3, 0],
        ..Default::default()
    };
    let message = method.fit(puzzling().view()).unwrap_err().to_string();
    assert!(message.contains("hidden_layers"), "{message}");
}
