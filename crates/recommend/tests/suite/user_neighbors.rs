//! Predictions from similar users.

use crate::shared::{ASKED, list, puzzling};
use didact_core::Fit;
use didact_recommend::{RatingList, Recommender, UserNeighbors, UserNeighborsModel};
use proptest::prelude::*;

fn fit(ratings: &RatingList, n_neighbors: usize) -> UserNeighborsModel {
    let method = UserNeighbors {
        n_neighbors,
        ..Default::default()
    };
    method.fit(ratings.view()).unwrap()
}

/// Users a, b, c, d and items 1 to 4 (item 0 is nobody's).
fn four_users() -> RatingList {
    let rows: [&[(usize, f64)]; 4] = [
        &[(1, 5.0), (2, 3.0), (4, 1.0)],
        &[(1, 4.0), (2, 2.0), (3, 5.0), (4, 1.0)],
        &[(1, 1.0), (2, 4.0), (3, 2.0), (4, 5.0)],
        &[(1, 2.0), (2, 2.0), (3, 4.0), (4, 5.0)],
    ];
    let of_user = |(user, row): (usize, &&'static [(usize, f64)])| {
        row.iter().map(move |&(item, value)| (user, item, value))
    };
    list(rows.iter().enumerate().flat_map(of_user))
}

// 001:T-08, 001:REC-04, 001:REC-05. By hand: over items 1, 2, 4 the centred ratings are
// a = (2, 0, −2), b = (5, −1, −4)/3, c = (−7, 2, 5)/3, d = (−1, −1, 2); the deviations at item 3
// are 5 − 3, 2 − 3 and 4 − 3.25.
#[test]
fn four_users_agree_and_oppose_as_computed_by_hand() {
    let ratings = four_users();
    let model = fit(&ratings, 3);
    let by_hand = [
        18.0 / (8_f64 * 42.0).sqrt(),
        -24.0 / (8_f64 * 78.0).sqrt(),
        -6.0 / (8_f64 * 6.0).sqrt(),
    ];
    for other in 0..3 {
        assert!((model.similarity(0, other + 1) - by_hand[other]).abs() < 1e-12);
    }
    let printed = [0.9819805, -0.9607689, -0.8660254];
    for other in 0..3 {
        assert!((model.similarity(0, other + 1) - printed[other]).abs() < 5e-8);
    }
    let means: Vec<f64> = (0..4).map(|user| model.ratings().user_mean(user)).collect();
    assert_eq!(means, [3.0, 3.0, 3.0, 3.25]);
    for (k, expected) in [(1, 5.0), (2, 4.5054592), (3, 3.8100368)] {
        let found = fit(&ratings, k).predict(0, 3);
        assert!((found - expected).abs() < 5e-8, "{found} {expected}");
    }
    let [b, c, d] = by_hand;
    let exact = 3.0 + (2.0 * b - c + 0.75 * d) / (b.abs() + c.abs() + d.abs());
    assert!((fit(&ratings, 3).predict(0, 3) - exact).abs() < 1e-12);
}

// 001:T-08, the note of 001:REC-05 on libraries.
#[test]
fn without_opponents_the_only_like_user_decides() {
    for n_neighbors in [1, 2, 3] {
        let method = UserNeighbors {
            n_neighbors,
            positive_only: true,
            ..Default::default()
        };
        let model = method.fit(four_users().view()).unwrap();
        assert_eq!(model.predict(0, 3), 5.0);
    }
}

// 001:REC-05, compared with Surprise 1.1.5: KNNWithMeans with the Pearson similarity of users.
#[test]
fn positive_neighbours_predict_as_in_surprise() {
    let expected = [
        (1, [4.25, 2.25, 0.5, 4.5, 1.1]),
        (
            3,
            [
                3.4166666666666665,
                2.981508935100039,
                2.7602186561815203,
                2.4987127491871086,
                1.2726667611578082,
            ],
        ),
        (
            40,
            [
                3.704147841542867,
                2.981508935100039,
                2.7262708522391206,
                2.3297198687795406,
                1.2726667611578082,
            ],
        ),
    ];
    for (n_neighbors, expected) in expected {
        let method = UserNeighbors {
            n_neighbors,
            positive_only: true,
            ..Default::default()
        };
        let model = method.fit(puzzling().view()).unwrap();
        for ((user, item), expected) in ASKED.into_iter().zip(expected) {
            let found = model.predict(user, item);
            assert!(
                (found - expected).abs() < 1e-12,
                "k = {n_neighbors}: {found} {expected}"
            );
        }
    }
    let model = fit(&puzzling(), 3);
    assert!((model.similarity(0, 2) + 0.58281551).abs() < 5e-9);
    assert!((model.similarity(0, 3) - 0.57655666).abs() < 5e-9);
}

// 001:REC-04: centred on the common items, not on all items of a user.
#[test]
fn items_that_only_one_has_rated_do_not_change_the_similarity() {
    let mut ratings = four_users();
    let before = fit(&ratings, 3).similarity(0, 1);
    for (item, value) in [(5, 1.0), (6, 1.0), (7, 5.0)] {
        ratings.users.push(0);
        ratings.items.push(item);
        ratings.values.push(value);
    }
    assert_eq!(fit(&ratings, 3).similarity(0, 1), before);
}

// 001:REC-04, 001:REC-03: with one common item or equal ratings there is no similarity, with two
// it is ±1.
#[test]
fn few_common_items_say_nothing_or_everything() {
    let ratings = list([
        (0, 0, 1.0),
        (0, 1, 4.0),
        (1, 0, 3.0),
        (2, 0, 2.0),
        (2, 1, 2.5),
        (3, 0, 5.0),
        (3, 1, 1.0),
        (4, 0, 0.1),
        (4, 1, 0.1),
        (0, 2, 3.0),
        (4, 2, 0.3),
    ]);
    let model = fit(&ratings, 3);
    assert_eq!(model.similarity(0, 1), 0.0);
    assert!((model.similarity(0, 2) - 1.0).abs() < 1e-15);
    assert!((model.similarity(0, 3) + 1.0).abs() < 1e-15);
    assert_eq!(model.similarity(2, 4), 0.0);
    let strict = UserNeighbors {
        min_common: 3,
        ..Default::default()
    };
    let model = strict.fit(ratings.view()).unwrap();
    assert_eq!(model.similarity(0, 2), 0.0);
    assert!(model.similarity(0, 4) != 0.0);
}

// 001:REC-05: nobody similar rated the item.
#[test]
fn without_neighbours_the_users_own_mean_is_predicted() {
    let ratings = list([(0, 0, 1.0), (0, 1, 4.0), (1, 2, 5.0), (1, 0, 2.0)]);
    assert_eq!(fit(&ratings, 5).predict(0, 2), 2.5);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    // 001:REC-06
    #[test]
    fn only_the_own_mean_of_a_user_shifts_predictions(
        values in proptest::collection::vec(1_u8..=10, 69),
        shift in -3_i8..=3,
        other in 0_usize..12,
    ) {
        let mut ratings = puzzling();
        ratings.values = values.iter().map(|&value| f64::from(value) / 2.0).collect();
        let before = fit(&ratings, 4);
        let mut moved = ratings.clone();
        for row in 0..moved.values.len() {
            if moved.users[row] == other {
                moved.values[row] += f64::from(shift);
            }
        }
        let after = fit(&moved, 4);
        for user in 0..12 {
            for item in 0..9 {
                let expected = match user == other {
                    true => before.predict(user, item) + f64::from(shift),
                    false => before.predict(user, item),
                };
                prop_assert!((after.predict(user, item) - expected).abs() < 1e-12);
            }
        }
    }
}

// 001:REC-06: with one neighbour the deviation is taken over with its spread.
#[test]
fn twice_the_spread_of_a_neighbour_is_twice_the_deviation() {
    let mut ratings = four_users();
    let before = fit(&ratings, 1).predict(0, 3) - 3.0;
    for row in 0..ratings.values.len() {
        if ratings.users[row] == 1 {
            ratings.values[row] = 3.0 + 2.0 * (ratings.values[row] - 3.0);
        }
    }
    let after = fit(&ratings, 1).predict(0, 3) - 3.0;
    assert!((after - 2.0 * before).abs() < 1e-12 && before == 2.0);
    let clipped = UserNeighbors {
        n_neighbors: 1,
        clip: true,
        ..Default::default()
    };
    let model = clipped.fit(four_users().view()).unwrap();
    assert_eq!(model.predict(0, 3), 5.0);
}
