//! Which items are alike, and predictions from them.

use crate::shared::{list, puzzling};
use didact_core::{Fit, Run};
use didact_recommend::{Centering, ItemNeighbors, RatingList, Recommender, item_similarities};
use ndarray::Array2;

fn similarities(ratings: &RatingList, centering: Centering) -> Array2<f64> {
    item_similarities(&ratings.view(), centering, &Run::new()).unwrap()
}

/// Ratings as they are.
fn raw() -> ItemNeighbors {
    ItemNeighbors {
        centering: Centering::None,
        ..Default::default()
    }
}

/// R = [[5, 3, ·], [4, ·, 1], [·, 2, 5]].
fn three_by_three() -> RatingList {
    list([
        (0, 0, 5.0),
        (0, 1, 3.0),
        (1, 0, 4.0),
        (1, 2, 1.0),
        (2, 1, 2.0),
        (2, 2, 5.0),
    ])
}

// 000b:D67, 000b:TV-13. The printed denominator takes the same column twice; both columns count:
// 15/√(41·13), 4/√(41·26), 10/√(13·26).
#[test]
fn cosines_are_divided_by_the_lengths_of_both_items() {
    let found = similarities(&three_by_three(), Centering::None);
    let expected = [
        (0, 1, 0.6497221227, 15.0 / 533_f64.sqrt()),
        (0, 2, 0.1225127784, 4.0 / 1066_f64.sqrt()),
        (1, 2, 0.5439282932, 10.0 / 338_f64.sqrt()),
    ];
    for (j, t, printed, exact) in expected {
        assert!((found[[j, t]] - exact).abs() < 1e-15);
        assert!((found[[j, t]] - printed).abs() < 1e-10);
        assert_eq!(found[[j, t]], found[[t, j]]);
    }
    // With the printed denominator S₀₁ would be 15/41 or 15/13.
    assert!((found[[0, 1]] - 15.0 / 41.0).abs() > 0.1);
    let lists = ItemNeighbors {
        n_neighbors: 1,
        ..raw()
    };
    let model = lists.fit(three_by_three().view()).unwrap();
    let first: Vec<u32> = (0..3).map(|item| model.lists().of(item).0[0]).collect();
    assert_eq!(first, [1, 0, 1]);
}

// 000b:D67, compared with cosine_similarity of scikit-learn 1.9.1.
#[test]
fn cosines_are_those_of_scikit_learn() {
    let found = similarities(&puzzling(), Centering::None);
    let expected = [
        (found[[0, 1]], 0.6690560926170154),
        (found[[2, 7]], 0.3585503762208956),
        (found[[3, 8]], 0.5065390588906428),
        (found.sum(), 49.03113280069432),
    ];
    for (found, expected) in expected {
        assert!((found - expected).abs() < 1e-12 * expected);
    }
    assert_eq!(found, found.t());
    assert!(found.iter().all(|value| (0.0..=1.0).contains(value)));
}

// 000b:D67: the rule for ties, and columns of zeros.
#[test]
fn equal_similarities_go_to_the_lowest_item_and_zeros_are_similar_to_nothing() {
    // Items 0, 1, 3 are rated alike, item 2 with zeros only, item 4 by nobody.
    let ratings = list((0..3).flat_map(|user| {
        let value = 1.0 + user as f64;
        [
            (user, 0, value),
            (user, 1, value),
            (user, 2, 0.0),
            (user, 3, 2.0 * value),
            (user, 5, 1.0),
        ]
    }));
    let model = raw().fit(ratings.view()).unwrap();
    assert_eq!(model.lists().of(3).0, [0, 1, 5, 2, 4]);
    assert_eq!(model.lists().of(0).0, [1, 3, 5, 2, 4]);
    assert_eq!(model.lists().of(2), (&[0, 1, 3, 4, 5][..], &[0.0; 5][..]));
    let all = similarities(&ratings, Centering::None);
    assert_eq!((all[[2, 2]], all[[4, 4]], all[[0, 0]]), (0.0, 0.0, 1.0));
    let none = ItemNeighbors {
        n_neighbors: 0,
        ..raw()
    };
    let model = none.fit(ratings.view()).unwrap();
    assert!(model.lists().of(0).0.is_empty());
}

#[test]
fn a_rating_is_the_mean_over_the_similar_items_that_the_user_rated() {
    let ratings = three_by_three();
    let model = raw().fit(ratings.view()).unwrap();
    // User 0 rated items 0 and 1; they speak for item 2 with 4/√1066 and 10/√338.
    let (s0, s1) = (4.0 / 1066_f64.sqrt(), 10.0 / 338_f64.sqrt());
    let expected = (5.0 * s0 + 3.0 * s1) / (s0 + s1);
    assert!((model.predict(0, 2) - expected).abs() < 1e-14);
    // Without the users' means item 0 is (1, 1.5, ·), item 1 (−1, ·, −1.5), item 2 (·, −1.5, 1.5):
    // item 2 is unlike both, and the deviations of user 0 from its mean 4 count with that sign.
    let centred = ItemNeighbors {
        centering: Centering::Users,
        ..Default::default()
    };
    let model = centred.fit(ratings.view()).unwrap();
    let length = 3.25_f64.sqrt();
    let (s0, s1) = (
        -2.25 / (length * 4.5_f64.sqrt()),
        -2.25 / (length * 4.5_f64.sqrt()),
    );
    let all = similarities(&ratings, Centering::Users);
    assert!((all[[0, 2]] - s0).abs() < 1e-14 && (all[[1, 2]] - s1).abs() < 1e-14);
    let expected = 4.0 + (s0 * 1.0 - s1 * 1.0) / (s0.abs() + s1.abs());
    assert!((model.predict(0, 2) - expected).abs() < 1e-14);
}
