//! What holds for every method that completes ratings.

use crate::shared::{list, puzzling, reversed, say};
use didact_core::{Cancel, Error, Fit, Model, Ratings, Regress, Result, Run, encoding};
use didact_recommend::{
    AlternatingLeastSquares, Centering, ItemNeighbors, MemoryFactorization,
    ProbabilisticFactorization, RatingBaseline, RatingMatrix, Recommender, UserNeighbors,
};
use ndarray::Array2;

/// A fitted model of any method.
struct Fitted {
    name: &'static str,
    model: Box<dyn Recommender>,
    bytes: Vec<u8>,
    by_rows: Array2<f64>,
}

/// Fits every method and predicts every pair of some more users and items than there are.
fn fit_all(ratings: &Ratings<'_>, run: &Run) -> Vec<Result<Fitted>> {
    fn one<A, M>(name: &'static str, method: A, ratings: &Ratings<'_>, run: &Run) -> Result<Fitted>
    where
        A: for<'a> Fit<Ratings<'a>, Model = M>,
        M: Recommender + Regress + Model,
    {
        let model = method.fit_with(ratings.clone(), run)?;
        let bytes = encoding::to_bytes(&model)?;
        let back: M = encoding::from_bytes(&bytes)?;
        back.validate()?;
        let (n, m) = (model.ratings().n_users() + 2, model.ratings().n_items() + 2);
        let rows = Array2::from_shape_fn((n * m, 2), |(row, column)| match column {
            0 => (row / m) as f64,
            _ => (row % m) as f64,
        });
        Ok(Fitted {
            name,
            by_rows: Regress::predict(&back, &rows)?
                .into_shape_with_order((n, m))
                .unwrap(),
            model: Box::new(model),
            bytes,
        })
    }
    let clipped = AlternatingLeastSquares {
        clip: true,
        centering: Centering::UsersAndItems,
        alpha: 0.01,
        ..Default::default()
    };
    let deep = MemoryFactorization {
        hidden_layers: vec![4, 3],
        max_iter: 30,
        ..Default::default()
    };
    let centred = ItemNeighbors {
        centering: Centering::Users,
        n_neighbors: 3,
        ..Default::default()
    };
    vec![
        one("baseline", RatingBaseline::default(), ratings, run),
        one("user neighbours", UserNeighbors::default(), ratings, run),
        one("item neighbours", ItemNeighbors::default(), ratings, run),
        one("centred item neighbours", centred, ratings, run),
        one(
            "least squares",
            AlternatingLeastSquares::default(),
            ratings,
            run,
        ),
        one("clipped least squares", clipped, ratings, run),
        one("memory", MemoryFactorization::default(), ratings, run),
        one("deep memory", deep, ratings, run),
        one(
            "probabilistic",
            ProbabilisticFactorization::default(),
            ratings,
            run,
        ),
    ]
}

fn fitted(ratings: &Ratings<'_>) -> Vec<Fitted> {
    fit_all(ratings, &Run::new())
        .into_iter()
        .map(Result::unwrap)
        .collect()
}

// 001:REC-01, 001:REC-02: methods that remember and methods that learn behind one interface.
#[test]
fn every_method_predicts_recommends_and_completes_alike() {
    let ratings = puzzling();
    for fitted in fitted(&ratings.view()) {
        let (name, model) = (fitted.name, &fitted.model);
        let complete = model.complete().unwrap();
        assert_eq!(complete.dim(), (12, 9));
        for user in 0..12 {
            let rated = model.ratings().of_user(user).0;
            let best = model.recommend(user, 100);
            assert_eq!(best.len(), 9 - rated.len(), "{name}");
            let mut pairs = best.windows(2);
            assert!(pairs.all(|pair| pair[0].rating >= pair[1].rating), "{name}");
            for one in &best {
                assert!(!rated.contains(&(one.item as u32)), "{name}");
                let alone = model.predict(user, one.item);
                assert_eq!(one.rating.to_bits(), alone.to_bits(), "{name}");
                assert_eq!(
                    complete[[user, one.item]].to_bits(),
                    alone.to_bits(),
                    "{name}"
                );
                assert_eq!(
                    fitted.by_rows[[user, one.item]].to_bits(),
                    alone.to_bits(),
                    "{name}"
                );
            }
            assert_eq!(
                model.recommend(user, 2),
                best[..2.min(best.len())],
                "{name}"
            );
        }
        for (row, &value) in ratings.values.iter().enumerate() {
            assert_eq!(complete[[ratings.users[row], ratings.items[row]]], value);
        }
    }
}

// 001:REC-05: an unknown user is predicted at the mean of all; an unknown item at the user's mean.
#[test]
fn whoever_is_unknown_is_predicted_at_a_mean() {
    // User 1 and item 1 have no ratings, users from 3 and items from 3 do not exist.
    let ratings = list([(0, 0, 5.0), (0, 2, 3.0), (2, 0, 1.0), (2, 2, 2.0)]);
    for fitted in fitted(&ratings.view()) {
        let model = &fitted.model;
        for user in [1, 3, usize::MAX] {
            for item in [0, 1, usize::MAX] {
                assert_eq!(model.predict(user, item), 2.75, "{}", fitted.name);
            }
        }
        for item in [1, 3, usize::MAX] {
            assert_eq!(model.predict(0, item), 4.0, "{}", fitted.name);
        }
        let stranger = model.recommend(7, 2);
        assert_eq!(
            (stranger[0].item, stranger[1].item),
            (0, 1),
            "{}",
            fitted.name
        );
        let saved = &fitted.by_rows;
        assert_eq!(
            (saved[[1, 0]], saved[[4, 0]], saved[[0, 4]]),
            (2.75, 2.75, 4.0)
        );
    }
}

#[test]
fn answers_depend_neither_on_threads_nor_on_the_order_of_the_ratings() {
    let films = didact_datasets::ratings();
    let ratings = films.ratings().unwrap();
    let expected = fit_all(&ratings, &Run::new().threads(1));
    let turned = reversed(&ratings);
    for (threads, ratings) in [(2, ratings.clone()), (4, ratings), (1, turned.view())] {
        let found = fit_all(&ratings, &Run::new().threads(threads));
        for (found, expected) in found.into_iter().zip(&expected) {
            let expected = expected.as_ref().unwrap();
            assert!(found.unwrap().bytes == expected.bytes, "{}", expected.name);
        }
    }
}

#[test]
fn awkward_ratings_give_finite_predictions() {
    let cases = [
        list([(0, 0, 3.0)]),
        list([(5, 7, 3.0)]),
        list((0..6).map(|u| (u, 0, u as f64))),
        list((0..6).map(|i| (0, i, i as f64))),
        list((0..20).map(|n| (n % 4, n / 4, 3.0))),
        list((0..20).map(|n| (n % 4, n / 4, 0.0))),
        list((0..20).map(|n| (n % 4, n / 4, -1e-300 * n as f64))),
        list((0..20).map(|n| (n % 4, n / 4, 1e50 - 1e49 * n as f64))),
        list((0..20).map(|n| (n % 4, n / 4, if n == 7 { 1e50 } else { 1.0 }))),
    ];
    for ratings in cases {
        for fitted in fitted(&ratings.view()) {
            let all_finite = fitted.by_rows.iter().all(|value| value.is_finite());
            assert!(
                all_finite,
                "{} on {ratings:?}: {}",
                fitted.name, fitted.by_rows
            );
        }
    }
}

#[test]
fn unusable_ratings_are_refused_with_a_sentence() {
    let cases = [
        (list([]), "there are no ratings"),
        (
            list([(0, 0, f64::NAN)]),
            "rating 0 is NaN; ratings must be finite numbers",
        ),
        (
            list([(0, 0, 1.0), (0, 1, 1e300)]),
            "rating 1 is 1000000000000000000000000000000000000000000000000000000000000000000000000",
        ),
        (
            list([(0, 0, 1.0), (1, 0, 1.0), (0, 0, 2.0)]),
            "ratings 0 and 2 are both of item 0 by user 0; keep one of them",
        ),
        (
            list([(1_000_000_000_000, 0, 1.0)]),
            "user index 1000000000000 is too high for 1 ratings; number the users from 0 without \
             large gaps",
        ),
        (
            list([(0, usize::MAX, 1.0)]),
            "item index 18446744073709551615 is too high",
        ),
    ];
    for (ratings, message) in cases {
        for result in fit_all(&ratings.view(), &Run::new()) {
            let found = say(result);
            assert!(found.starts_with(message), "{found}");
        }
    }
}

#[test]
fn pairs_to_predict_must_be_indices() {
    let ratings = puzzling();
    let model = RatingBaseline::default().fit(ratings.view()).unwrap();
    let ask = |user: f64, item: f64| {
        let rows = ndarray::array![[0.0, 0.0], [user, item]];
        say(Regress::predict(&model, &rows))
    };
    assert_eq!(
        ask(0.5, 0.0),
        "row 1: the user index is 0.5; it must be a whole number from 0 on"
    );
    assert!(ask(0.0, -1.0).contains("the item index is -1"));
}

#[test]
fn a_cancelled_fit_stops() {
    let cancel = Cancel::new();
    let ratings = puzzling();
    // Switched off in the middle: after the first iteration.
    let switch = cancel.clone();
    let run = Run::new()
        .cancelled_by(&cancel)
        .observed_by(move |_| switch.cancel());
    let long = AlternatingLeastSquares {
        tol: 0.0,
        max_iter: usize::MAX,
        ..Default::default()
    };
    assert!(matches!(
        long.fit_with(ratings.view(), &run),
        Err(Error::Cancelled)
    ));
    for result in fit_all(&ratings.view(), &run) {
        assert!(matches!(result, Err(Error::Cancelled)));
    }
}

// 001:REC-01: a rating of zero is a rating, a missing one is none.
#[test]
fn a_missing_rating_is_not_a_zero() {
    let sparse = list([
        (0, 0, 4.0),
        (0, 1, 4.0),
        (1, 0, 4.0),
        (1, 2, 4.0),
        (2, 1, 4.0),
        (2, 2, 4.0),
    ]);
    let method = AlternatingLeastSquares {
        n_factors: 1,
        alpha: 1e-6,
        centering: Centering::None,
        ..Default::default()
    };
    let model = method.fit(sparse.view()).unwrap();
    assert!((Recommender::predict(&model, 0, 2) - 4.0).abs() < 1e-4);
    let mut filled = sparse.clone();
    for (user, item) in [(0, 2), (1, 1), (2, 0)] {
        filled.users.push(user);
        filled.items.push(item);
        filled.values.push(0.0);
    }
    assert_eq!(RatingMatrix::new(&filled.view()).unwrap().n_ratings(), 9);
    let model = method.fit(filled.view()).unwrap();
    assert!(Recommender::predict(&model, 0, 2) < 3.0);
}
