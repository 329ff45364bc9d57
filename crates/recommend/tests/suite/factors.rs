//! Low-rank completions.

use crate::shared::{ASKED, all_of, list, puzzling, say};
use didact_core::{Csr, Fit, Model, StartFrom, StopReason, Trace, encoding};
use didact_math::linalg::thin_svd;
use didact_recommend::{
    AlternatingLeastSquares, Centering, FactorModel, ProbabilisticFactorization, RatingList,
    Recommender,
};
use didact_testing::random_matrix;
use ndarray::Array2;

/// Patient enough for an optimum.
fn patient(n_factors: usize, alpha: f64) -> AlternatingLeastSquares {
    AlternatingLeastSquares {
        n_factors,
        alpha,
        centering: Centering::None,
        max_iter: 20_000,
        tol: 1e-15,
        ..Default::default()
    }
}

fn products(model: &FactorModel) -> Array2<f64> {
    model.user_factors().dot(&model.item_factors().t())
}

fn assert_objective(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-9 * expected.abs(),
        "{found} {expected}"
    );
}

/// 14 × 10 of rank 3.
fn low_rank() -> Array2<f64> {
    random_matrix(14, 3, 1).dot(&random_matrix(3, 10, 2))
}

// 001:REC-12, 001:REC-07, 001:REC-09: from two thirds of its cells.
#[test]
fn a_matrix_of_low_rank_is_recovered_from_some_of_its_cells() {
    let matrix = low_rank();
    let seen = matrix
        .indexed_iter()
        .filter(|((user, item), _)| (3 * user + 4 * item) % 7 < 5);
    let ratings = list(seen.map(|((user, item), &value)| (user, item, value)));
    assert!(ratings.values.len() < 110);
    let method = AlternatingLeastSquares {
        n_init: 3,
        max_iter: 3000,
        ..patient(3, 1e-9)
    };
    let model = method.fit(ratings.view()).unwrap();
    let completed = products(&model);
    for (found, expected) in completed.iter().zip(&matrix) {
        assert!((found - expected).abs() < 1e-5, "{found} {expected}");
    }
    assert!((model.predict(2, 5) - completed[[2, 5]]).abs() < 1e-12);
    let values = thin_svd(completed.view()).unwrap().singular_values;
    assert!(
        values[2] > 0.1 && values[3] < 1e-12 * values[0],
        "of rank three: {values}"
    );
}

// 001:REC-08: the best approximation of rank k leaves the other singular values (Eckart, Young).
#[test]
fn a_complete_matrix_loses_its_smallest_singular_values() {
    let matrix = random_matrix(12, 8, 5);
    let values = thin_svd(matrix.view()).unwrap().singular_values;
    let model = patient(4, 1e-9).fit(all_of(&matrix).view()).unwrap();
    let errors = (&products(&model) - &matrix)
        .mapv(|error| error * error)
        .sum();
    let discarded: f64 = values.iter().skip(4).map(|value| value * value).sum();
    assert_objective(errors / 2.0, discarded / 2.0);
}

/// With all cells observed the minimum is known: singular values lose √(λ_U·λ_V), and the
/// penalties sum to √(λ_U·λ_V) times the sum of what is left.
fn shrunken_objective(matrix: &Array2<f64>, user_alpha: f64, item_alpha: f64) -> f64 {
    let price = (user_alpha * item_alpha).sqrt();
    let values = thin_svd(matrix.view()).unwrap().singular_values;
    let of_value = |&value: &f64| match value > price {
        true => 0.5 * price * price + price * (value - price),
        false => 0.5 * value * value,
    };
    values.iter().map(of_value).sum()
}

// 001:REC-10, 001:REC-12
#[test]
fn a_complete_matrix_is_shrunk_by_the_price() {
    let matrix = random_matrix(12, 8, 6);
    let model = patient(8, 0.7).fit(all_of(&matrix).view()).unwrap();
    assert_objective(model.objective(), shrunken_objective(&matrix, 0.7, 0.7));
    assert_eq!(model.trace().unwrap().stop, StopReason::Converged);
}

// 000b:D66: λ_U = σ²/σ_U², λ_V = σ²/σ_V².
#[test]
fn the_prices_are_ratios_of_noise_and_prior_variance() {
    let matrix = random_matrix(12, 8, 7);
    let method = ProbabilisticFactorization {
        n_factors: 8,
        noise_variance: 0.5,
        user_variance: 2.0,
        item_variance: 0.25,
        max_iter: 20_000,
        tol: 1e-15,
        ..Default::default()
    };
    let model = method.fit(all_of(&matrix).view()).unwrap();
    assert_objective(model.objective(), shrunken_objective(&matrix, 0.25, 2.0));
    // At the optimum both sides pay the same: λ_U‖U‖² = λ_V‖V‖².
    let squares = |factors: &Array2<f64>| factors.iter().map(|f| f * f).sum::<f64>();
    let (users, items) = (squares(model.user_factors()), squares(model.item_factors()));
    assert!((0.25 * users / (2.0 * items) - 1.0).abs() < 1e-6);
    let doubled = ProbabilisticFactorization {
        noise_variance: 1.0,
        user_variance: 4.0,
        item_variance: 0.5,
        ..method
    };
    assert_eq!(doubled.fit(all_of(&matrix).view()).unwrap(), model);
}

// 000b:D66: with λ → 0 and all observed it is the truncated singular value decomposition.
#[test]
fn vague_priors_give_the_truncated_decomposition() {
    let matrix = random_matrix(10, 9, 8);
    let method = ProbabilisticFactorization {
        n_factors: 3,
        noise_variance: 1e-9,
        user_variance: 1.0,
        item_variance: 1.0,
        max_iter: 20_000,
        tol: 1e-15,
        ..Default::default()
    };
    let model = method.fit(all_of(&matrix).view()).unwrap();
    let svd = thin_svd(matrix.view()).unwrap();
    let discarded: f64 = svd
        .singular_values
        .iter()
        .skip(3)
        .map(|value| value * value)
        .sum();
    let errors = (&products(&model) - &matrix)
        .mapv(|error| error * error)
        .sum();
    assert_objective(errors, discarded);
}

// 000b:D66: the printed sum runs over all pairs; only observed ones may count.
#[test]
fn pairs_without_a_rating_do_not_count() {
    let ratings = puzzling();
    let method = ProbabilisticFactorization {
        n_factors: 2,
        max_iter: 20_000,
        tol: 1e-15,
        ..Default::default()
    };
    let model = method.fit(ratings.view()).unwrap();
    // The objective over observed pairs is the one that was minimised …
    let (users, items) = (model.user_factors(), model.item_factors());
    let errors = model
        .ratings()
        .ratings()
        .map(|(user, item, value)| (value - users.row(user).dot(&items.row(item))).powi(2));
    let squares = |factors: &Array2<f64>| factors.iter().map(|f| f * f).sum::<f64>();
    let penalties = 2.0 * (squares(users) + squares(items));
    assert_objective(model.objective(), 0.5 * (errors.sum::<f64>() + penalties));
    // … and zeros in the other cells would give another one.
    let filled = model
        .ratings()
        .ratings()
        .fold(Array2::zeros((12, 9)), |mut filled, rating| {
            filled[[rating.0, rating.1]] = rating.2;
            filled
        });
    let printed = method.fit(all_of(&filled).view()).unwrap();
    assert!((printed.predict(0, 2) - model.predict(0, 2)).abs() > 0.5);
}

// 001:REC-10: other libraries multiply the price by the number of ratings. Compared with Surprise
// 1.1.5, SVD(n_factors=2, biased=False, reg_all=0.3): stochastic descent with steps of 10⁻³, 10⁻⁴ and
// 10⁻⁵ reaches 91.52781077656, 91.52759373674 and 91.52759157793, so that what the last one lacks
// is a hundredth of 2.2·10⁻⁶; its predictions, which lack as much as a step, are those below.
#[test]
fn prices_weighted_by_counts_give_the_factors_of_surprise() {
    let method = AlternatingLeastSquares {
        weighted: true,
        n_init: 5,
        ..patient(2, 0.3)
    };
    let model = method.fit(puzzling().view()).unwrap();
    let lacking = 91.52759157793 - model.objective();
    assert!((1e-9..1e-7).contains(&lacking), "{lacking}");
    let expected = [
        3.185518510627087,
        2.877884037674715,
        3.3213743984250788,
        2.2577717455761297,
        1.158445005974613,
    ];
    for ((user, item), expected) in ASKED.into_iter().zip(expected) {
        let found = model.predict(user, item);
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
    }
    let plain = patient(2, 0.3).fit(puzzling().view()).unwrap();
    assert!((plain.predict(0, 2) - model.predict(0, 2)).abs() > 0.1);
}

#[test]
fn more_starts_are_never_worse() {
    let ratings = puzzling();
    let objective = |n_init: usize| {
        let method = AlternatingLeastSquares {
            n_init,
            alpha: 0.1,
            ..Default::default()
        };
        method.fit(ratings.view()).unwrap().objective()
    };
    let objectives: Vec<f64> = [1, 2, 4, 8].into_iter().map(objective).collect();
    assert!(
        objectives.windows(2).all(|pair| pair[1] <= pair[0]),
        "{objectives:?}"
    );
}

#[test]
fn a_fit_that_goes_on_from_another_is_done_at_once() {
    let films = didact_datasets::ratings();
    let ratings = films.ratings().unwrap();
    let method = AlternatingLeastSquares {
        n_factors: 2,
        alpha: 5.0,
        centering: Centering::Users,
        tol: 1e-9,
        max_iter: 1000,
        ..Default::default()
    };
    let cold = method.fit(ratings.clone()).unwrap();
    let warm = method.fit_from(&cold, ratings.clone()).unwrap();
    let rounds = |model: &FactorModel| model.trace().unwrap().n_iter();
    assert!(
        rounds(&warm) <= 3 && rounds(&cold) > 10,
        "{} {}",
        rounds(&warm),
        rounds(&cold)
    );
    assert!(warm.objective() <= cold.objective() * (1.0 + 1e-12));
    // New users and new items may have come.
    let rows: Vec<usize> = (0..ratings.values.len()).collect();
    let mut more = RatingList::select(&ratings, &rows);
    more.users.extend([200, 200, 0]);
    more.items.extend([0, 100, 100]);
    more.values.extend([5.0, 1.0, 2.0]);
    let grown = method.fit_from(&cold, more.view()).unwrap();
    assert_eq!(grown.user_factors().nrows(), 201);
    assert_eq!(grown.item_factors().nrows(), 101);
    assert!(rounds(&grown) < rounds(&cold));
    let other = AlternatingLeastSquares {
        n_factors: 3,
        ..method
    };
    assert_eq!(
        say(other.fit_from(&cold, ratings)),
        "n_factors is 3; the model to start from has 2; ask for as many"
    );
}

#[test]
fn the_default_predicts_new_ratings_well() {
    let films = didact_datasets::ratings();
    let ratings = films.ratings().unwrap();
    let split = didact_recommend::split_ratings(&ratings, 0.0, 0.2, 0).unwrap();
    let train = RatingList::select(&ratings, &split.train);
    let test = RatingList::select(&ratings, &split.test);
    let model = AlternatingLeastSquares::default()
        .fit(train.view())
        .unwrap();
    let errors = didact_recommend::rating_errors(&model, &test.view()).unwrap();
    // Noise of 0.3 and rounding to whole stars, √(0.09 + 1/12) = 0.416, cannot be predicted.
    assert!(errors.rmse < 0.6, "{errors:?}");
    let model = ProbabilisticFactorization::default()
        .fit(train.view())
        .unwrap();
    let errors = didact_recommend::rating_errors(&model, &test.view()).unwrap();
    assert!(errors.rmse < 0.6, "{errors:?}");
}

#[test]
fn parameters_outside_their_limits_are_named() {
    let ratings = puzzling();
    let method = AlternatingLeastSquares {
        alpha: 0.0,
        ..Default::default()
    };
    assert!(say(method.fit(ratings.view())).starts_with("alpha is 0"));
    let method = AlternatingLeastSquares {
        n_factors: 0,
        ..Default::default()
    };
    assert!(say(method.fit(ratings.view())).starts_with("n_factors is 0"));
    let method = ProbabilisticFactorization {
        user_variance: -1.0,
        ..Default::default()
    };
    assert!(say(method.fit(ratings.view())).starts_with("user_variance is -1"));
}

/// The parts of a model as a file holds them.
#[derive(serde::Serialize)]
struct Parts {
    users: Array2<f64>,
    items: Array2<f64>,
    offsets: Offsets,
    ratings: Csr,
    clip: bool,
    trace: Trace,
}

#[derive(serde::Serialize)]
struct Offsets {
    users: Vec<f64>,
    items: Vec<f64>,
}

#[test]
fn a_damaged_model_is_refused_before_it_can_panic() {
    let judge = |users: usize, factors: usize, offsets: usize, rating: f64| {
        let parts = Parts {
            users: Array2::ones((users, factors)),
            items: Array2::ones((3, 2)),
            offsets: Offsets {
                users: vec![0.0; offsets],
                items: vec![0.0; 3],
            },
            // Two users and three items.
            ratings: Csr::new(vec![0, 1, 2], vec![2, 0], vec![4.0, rating], 3).unwrap(),
            clip: false,
            trace: Trace {
                objective_name: String::new(),
                objectives: Vec::new(),
                stop: StopReason::Converged,
            },
        };
        let bytes = encoding::to_bytes(&parts).unwrap();
        encoding::from_bytes::<FactorModel>(&bytes).is_ok_and(|model| model.validate().is_ok())
    };
    assert!(judge(2, 2, 2, 1.0));
    assert!(!judge(1, 2, 2, 1.0), "a user without factors");
    assert!(
        !judge(2, 3, 2, 1.0),
        "users and items with different factors"
    );
    assert!(!judge(2, 2, 1, 1.0), "a user without an offset");
    assert!(!judge(2, 2, 2, f64::NAN), "a rating that is no number");
}
