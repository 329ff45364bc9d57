use super::*;
use didact_core::{Classify, Csr, Labels, Probabilities, Regress, Rows, Samples};
use ndarray::{Array2, array};

/// The figure: two red and one blue row within the inner circle; three more blue ones and a green
/// one between it and the outer circle.
fn circles() -> (Array2<f64>, Labels) {
    let x = array![
        [0.5, 0.0],
        [0.0, 0.6],
        [-0.7, 0.0],
        [1.5, 0.0],
        [0.0, 1.6],
        [0.0, -1.7],
        [-1.8, 0.0],
    ];
    let names = ["red", "red", "blue", "blue", "blue", "blue", "green"];
    (x, Labels::from_names(names))
}

fn vote(radius: f64) -> RadiusNeighborsClassifier {
    let (x, labels) = circles();
    let parameters = RadiusNeighbors {
        radius,
        ..RadiusNeighbors::default()
    };
    parameters.fit(Labelled::new(&x, &labels).unwrap()).unwrap()
}

// 000a:GEN-03 000a:fx-T1: 2 red + 1 blue say red; 2 red + 4 blue + 1 green, seven rows, say blue.
#[test]
fn a_wider_circle_changes_the_vote() {
    let center = array![[0.0, 0.0]];
    for (radius, counts, answer) in [(1.0, [1, 0, 2], "red"), (2.0, [4, 1, 2], "blue")] {
        let model = vote(radius);
        // Classes in order: blue, green, red.
        assert_eq!(model.vote_counts(&center).unwrap().row(0).to_vec(), counts);
        let label = Classify::predict(&model, &center).unwrap()[0];
        assert_eq!(model.classes().names()[label].to_string(), answer);
    }
    let seven = vote(2.0).radius_neighbors(&center).unwrap();
    assert_eq!(seven[0].len(), 7);
    assert_eq!(seven[0][0], (0, 0.5));
}

#[test]
fn an_empty_ball_is_no_neighbour_and_not_a_class() {
    let model = vote(1.0);
    let far = array![[50.0, 50.0], [0.0, 0.0]];
    let decided = model.decide(Rows::Dense(far.view())).unwrap();
    assert_eq!(decided, [None, Some(2)]);
    assert_eq!(model.vote_counts(&far).unwrap().row(0).sum(), 0);
    // Nothing but the shares of the classes is known there.
    let shares = model.predict_proba(&far).unwrap();
    assert_eq!(shares.row(0), array![4.0 / 7.0, 1.0 / 7.0, 2.0 / 7.0]);
}

#[test]
fn a_huge_radius_gives_the_most_frequent_class_and_the_mean() {
    let model = vote(1e6);
    let (x, _) = circles();
    assert_eq!(Classify::predict(&model, &x).unwrap(), [0; 7]);
    let targets = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 14.0];
    let parameters = RadiusNeighbors {
        radius: 1e6,
        ..RadiusNeighbors::default()
    };
    let model = parameters
        .fit(Measured::new(&x, &targets).unwrap())
        .unwrap();
    for found in Regress::predict(&model, &x).unwrap() {
        assert!((found - 5.0).abs() < 1e-14);
    }
}

#[test]
fn numbers_are_means_within_the_ball_and_missing_or_the_mean_outside() {
    let x = array![[0.0], [1.0], [4.0]];
    let targets = [10.0, 20.0, 60.0];
    let queries = array![[0.25], [1000.0]];
    let predict = |weights, empty_ball| {
        let parameters = RadiusNeighbors {
            weights,
            empty_ball,
            ..RadiusNeighbors::default()
        };
        let model = parameters
            .fit(Measured::new(&x, &targets).unwrap())
            .unwrap();
        Regress::predict(&model, &queries).unwrap()
    };
    let even = predict(Voting::Uniform, EmptyBall::Missing);
    assert_eq!(even[[0, 0]], 15.0);
    assert!(even[[1, 0]].is_nan());
    // One over the distances ¼ and ¾: (4·10 + 4/3·20)/(4 + 4/3) = 12.5.
    let near = predict(Voting::Distance, EmptyBall::Mean);
    assert!((near[[0, 0]] - 12.5).abs() < 1e-14);
    assert!((near[[1, 0]] - 30.0).abs() < 1e-13);
}

#[test]
fn the_border_belongs_to_the_ball_and_every_search_agrees() {
    let x = Array2::from_shape_fn((300, 2), |(i, j)| ((i * 7 + j * 13) % 29) as f64);
    let labels = Labels::from_indices((0..300).map(|i| i % 3).collect());
    let counts = |algorithm| {
        let parameters = RadiusNeighbors {
            radius: 5.0,
            algorithm,
            ..RadiusNeighbors::default()
        };
        let model = parameters.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        model.vote_counts(&x).unwrap()
    };
    let brute = counts(SearchAlgorithm::Brute);
    assert_eq!(counts(SearchAlgorithm::KdTree), brute);
    assert_eq!(counts(SearchAlgorithm::BallTree), brute);
    // A row three and four columns away is exactly five away.
    let pair = array![[0.0, 0.0], [3.0, 4.0]];
    let labels = Labels::from_indices(vec![0, 1]);
    let parameters = RadiusNeighbors {
        radius: 5.0,
        ..RadiusNeighbors::default()
    };
    let model = parameters
        .fit(Labelled::new(&pair, &labels).unwrap())
        .unwrap();
    assert_eq!(model.vote_counts(&pair).unwrap(), array![[1, 1], [1, 1]]);
}

#[test]
fn sparse_rows_vote_like_dense_ones() {
    let (x, labels) = circles();
    let sparse = Csr::from_dense(x.view());
    let parameters = RadiusNeighbors::default();
    let data = Labelled::new(Samples::from(&sparse), &labels).unwrap();
    let model = parameters.fit(data).unwrap();
    let dense = vote(1.0).predict_proba(&x).unwrap();
    let found = model.predict_proba(&sparse).unwrap();
    assert!((found - dense).iter().all(|gap| gap.abs() < 1e-15));
}
