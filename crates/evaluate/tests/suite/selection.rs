//! Curves, search, the number of groups and importance, on real methods.

use didact_core::random::generator;
use didact_core::{Data, Labelled, Labels, Learner, Measured, Result, Run, Samples};
use didact_evaluate::*;
use ndarray::Array2;
use rand::RngExt;
use serde_json::{Map, Value, json};

type Parameters = Map<String, Value>;

fn parameters(value: Value) -> Parameters {
    value.as_object().unwrap().clone()
}

fn ridge(parameters: &Parameters) -> Result<Box<dyn Learner>> {
    entry(didact_linear::catalogue(), "ridge", parameters)
}

fn k_means(parameters: &Parameters) -> Result<Box<dyn Learner>> {
    entry(didact_cluster::catalogue(), "k-means", parameters)
}

fn neighbors(parameters: &Parameters) -> Result<Box<dyn Learner>> {
    entry(didact_neighbors::catalogue(), "k-neighbors", parameters)
}

fn mixture(parameters: &Parameters) -> Result<Box<dyn Learner>> {
    entry(didact_mixture::catalogue(), "gaussian-mixture", parameters)
}

fn entry(
    catalogue: Vec<didact_core::Entry>,
    id: &str,
    parameters: &Parameters,
) -> Result<Box<dyn Learner>> {
    let found = catalogue.into_iter().find(|entry| entry.id == id);
    found
        .expect("the method is in the catalogue")
        .learner(parameters)
}

fn normal(generator: &mut impl rand::Rng) -> f64 {
    // Twelve uniforms: mean 6, variance 1.
    (0..12).map(|_| generator.random::<f64>()).sum::<f64>() - 6.0
}

/// y = 2x₀ − x₁ + noise; the third column says nothing.
fn line(n_rows: usize, seed: u64) -> (Array2<f64>, Vec<f64>) {
    let mut generator = generator(seed, 0);
    let rows = Array2::from_shape_fn((n_rows, 3), |_| normal(&mut generator));
    let targets = rows
        .rows()
        .into_iter()
        .map(|row| 2.0 * row[0] - row[1] + 0.3 * normal(&mut generator))
        .collect();
    (rows, targets)
}

/// Four round groups of 25 rows in the plane.
fn four_groups() -> (Array2<f64>, Vec<usize>) {
    let mut generator = generator(5, 0);
    let labels: Vec<usize> = (0..100).map(|row| row % 4).collect();
    let rows = Array2::from_shape_fn((100, 2), |(row, column)| {
        let center = [[0.0, 0.0], [9.0, 0.0], [0.0, 9.0], [9.0, 9.0]][labels[row]][column];
        center + normal(&mut generator)
    });
    (rows, labels)
}

// 000a:GEN-05, 001:REG-20, 001:REG-21: the chosen λ minimises the validation column, λ = 0 is the
// plain fit, the training error never falls as λ grows, and the test set is used once.
#[test]
fn the_penalty_is_chosen_on_validation_rows_and_judged_once() {
    let (rows, targets) = line(90, 1);
    let data = Data::Measured(Measured::new(&rows, &targets).unwrap());
    let parts = three_way_split(90, 0.5, 0.25, 3, Keep::Nothing).unwrap();
    let validation = [Split {
        train: parts.train.clone(),
        test: parts.validation.clone(),
    }];
    let values: Vec<Value> = [0.0, 0.1, 1.0, 10.0, 100.0, 1000.0]
        .map(Value::from)
        .to_vec();
    let run = Run::new();
    let curve = validation_curve(
        &ridge,
        &Map::new(),
        "alpha",
        &values,
        &data,
        &validation,
        &run,
    )
    .unwrap();
    assert_eq!((curve.metric, curve.axis.as_str()), ("R²", "alpha"));
    // R² on the same training rows falls exactly when the squared error rises.
    let training: Vec<f64> = curve.points.iter().map(|point| point.train.mean).collect();
    assert!(training.windows(2).all(|pair| pair[0] >= pair[1] - 1e-12));
    let best = curve.best().unwrap();
    assert!(
        curve
            .points
            .iter()
            .all(|point| point.test.mean <= curve.points[best].test.mean)
    );
    let candidates: Vec<Parameters> = values
        .iter()
        .map(|value| parameters(json!({ "alpha": value })))
        .collect();
    let found = search(&ridge, &candidates, &data, &validation, &run, &|| ()).unwrap();
    assert_eq!(found.best, best);
    // The validation figure divides by the validation rows: recomputed by hand.
    let train = Subset::new(&data, &parts.train).unwrap();
    let held = Subset::new(&data, &parts.validation).unwrap();
    let plain = ridge(&candidates[0])
        .unwrap()
        .fit(train.data().unwrap(), &run)
        .unwrap();
    let expected = score(plain.as_ref(), &held.data().unwrap()).unwrap()[0].value;
    assert_eq!(found.trials[0].test.as_ref().unwrap().mean, expected);
    let refit = Subset::new(&data, &parts.refit()).unwrap();
    let test = Subset::new(&data, &parts.test).unwrap();
    let model = found.refit(&ridge, refit.data().unwrap(), &run).unwrap();
    assert!(score(model.as_ref(), &test.data().unwrap()).unwrap()[0].value > 0.9);
}

// 002a:BP11, 002a:KT09: every node of the grid is scored on the same folds; halving and random
// search find as good a node; a node that fails keeps its reason.
#[test]
fn grids_draws_and_halving_find_good_nodes() {
    let (rows, indices) = four_groups();
    let labels = Labels::from_indices(indices);
    let data = Data::Labelled(Labelled::new(&rows, &labels).unwrap());
    let folds = folds_for(&data, 4, 2).unwrap();
    let run = Run::new();
    let space = Space::new()
        .with("n_neighbors", Range::Whole { low: 1, high: 9 })
        .with(
            "weights",
            Range::Choices(vec![json!("uniform"), json!("distance")]),
        );
    let grid = space.grid(3).unwrap();
    let found = search(&neighbors, &grid, &data, &folds, &run, &|| ()).unwrap();
    assert_eq!(found.trials.len(), 6);
    for (trial, candidate) in found.trials.iter().zip(&grid) {
        let learner = neighbors(candidate).unwrap();
        let alone = cross_validate(learner.as_ref(), &data, &folds, &run, &|| ()).unwrap();
        assert_eq!(trial.test.as_ref().unwrap().mean, alone.summaries()[0].mean);
    }
    let best = found.best_trial().test.as_ref().unwrap().mean;
    let halving = successive_halving(&neighbors, &grid, &data, &folds, 3, &run).unwrap();
    assert_eq!(
        halving
            .rounds
            .iter()
            .map(|round| round.trials.len())
            .collect::<Vec<_>>(),
        [6, 2, 1]
    );
    assert_eq!(halving.rows, [8, 25, 75]);
    assert!(grid.contains(halving.best().unwrap()));
    let nested = nested_cross_validation(
        &neighbors,
        &space.draw(4, 1).unwrap(),
        &data,
        &folds,
        &Splitter::Stratified {
            n_folds: 3,
            shuffle: true,
        },
        0,
        &run,
    )
    .unwrap();
    assert_eq!(nested.chosen.len(), 4);
    assert!((nested.spread().unwrap().mean - best).abs() < 0.1);
    let bad = [parameters(json!({ "n_neighbors": 0 })), grid[0].clone()];
    let found = search(&neighbors, &bad, &data, &folds, &run, &|| ()).unwrap();
    assert_eq!(found.best, 1);
    assert!(
        found.trials[0]
            .test
            .as_ref()
            .unwrap_err()
            .contains("n_neighbors")
    );
    assert!(search(&neighbors, &bad[..1], &data, &folds, &run, &|| ()).is_err());
}

// 002a:BP10, 002a:BP06: test error against the number of training rows; one neighbour memorises.
#[test]
fn learning_curves_show_memorising() {
    let mut generator = generator(9, 0);
    let rows = Array2::from_shape_fn((120, 2), |_| normal(&mut generator));
    let labels = Labels::from_indices(
        rows.rows()
            .into_iter()
            .map(|row| usize::from(row[0] + 1.2 * normal(&mut generator) > 0.0))
            .collect(),
    );
    let data = Data::Labelled(Labelled::new(&rows, &labels).unwrap());
    let splits = Splitter::course().cut_data(&data, None, 4).unwrap();
    let run = Run::new();
    let one = neighbors(&parameters(json!({ "n_neighbors": 1 }))).unwrap();
    let curve = learning_curve(one.as_ref(), &data, &splits, &[0.3, 0.6, 1.0], &run).unwrap();
    assert!(curve.points.iter().all(|point| point.train.mean == 1.0));
    assert!(curve.points[2].test.mean < 0.9);
    let verdict = diagnose(&curve, 0.65).unwrap();
    assert_eq!(verdict.fitting, Fitting::Over, "{}", verdict.words);
    assert!(learning_curve(one.as_ref(), &data, &splits, &[0.0], &run).is_err());
}

// 002a:CM01, 002a:EX04, 002a:FIG51, 002a:CM05, 001:CLU-24, 003:P77: the curve plateaus at four,
// never rises, and is zero with one group per row.
#[test]
fn four_groups_are_counted_by_every_rule() {
    let (rows, labels) = four_groups();
    let counts: Vec<usize> = (1..=9).collect();
    let fixed = parameters(json!({ "n_init": 5, "random_state": 1 }));
    let groups = GroupCounts {
        make: &k_means,
        fixed: &fixed,
        parameter: "n_clusters",
        counts: &counts,
    };
    let spherical = PartitionLikelihood::GaussianSpherical;
    let choice = groups.judge(rows.view(), spherical, &Run::new()).unwrap();
    assert_eq!(choice.by_elbow, Some(4));
    assert_eq!(choice.by_silhouette, Some(4));
    assert_eq!(choice.by_bic, Some(4));
    assert!(choice.by_all.is_some_and(|count| count >= 4));
    let sse: Vec<f64> = choice.trials.iter().map(|trial| trial.sse).collect();
    assert!(
        sse.windows(2)
            .all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12))
    );
    let all: Vec<Option<usize>> = (0..100).map(Some).collect();
    assert_eq!(within_sse(rows.view(), &all).unwrap(), 0.0);
    // 001:CLU-25: twenty labels, half of which name the groups.
    let labelled: Vec<(usize, usize)> = (0..20).map(|row| (row, labels[row])).collect();
    let splits = Splitter::KFold {
        n_folds: 4,
        shuffle: true,
    }
    .cut(20, None, None, 0)
    .unwrap();
    let groups = GroupCounts {
        counts: &[2, 4, 60],
        ..groups
    };
    let shares = groups
        .judge_by_few_labels(rows.view(), &labelled, &splits, &Run::new())
        .unwrap();
    assert!(shares[1].1.mean > shares[0].1.mean && shares[1].1.mean > shares[2].1.mean);
}

// 001:EM-10, 001:EM-08, 001:EM-06: held-out likelihood by cross-validation grows up to the true number.
#[test]
fn held_out_likelihood_rises_to_the_number_of_components() {
    let (rows, _) = four_groups();
    let data = Data::Samples(Samples::from(&rows));
    let folds = folds_for(&data, 4, 1).unwrap();
    let fixed = parameters(json!({ "random_state": 3, "n_init": 3 }));
    let components = GroupCounts {
        make: &mixture,
        fixed: &fixed,
        parameter: "n_components",
        counts: &[1, 2, 4],
    };
    let found = components
        .held_out_likelihoods(&data, &folds, &Run::new())
        .unwrap();
    assert!(found[2].1.mean > found[1].1.mean && found[1].1.mean > found[0].1.mean);
    // 001:EM-06: the objective never falls from one iteration to the next.
    let four = mixture(&parameters(json!({ "n_components": 4, "random_state": 3 }))).unwrap();
    let model = four.fit(data.clone(), &Run::new()).unwrap();
    let objectives = &model.trace().unwrap().objectives;
    assert!(
        objectives
            .windows(2)
            .all(|pair| pair[1] >= pair[0] - 1e-9 * pair[0].abs())
    );
}

// 000a:GEN-10: noise + bias² + variance is the squared error on fresh targets; a constant model
// has bias, a flexible one variance.
#[test]
fn bias_falls_and_variance_rises_with_flexibility() {
    let test = Array2::from_shape_fn((20, 1), |(row, _)| row as f64 / 20.0);
    let expected: Vec<f64> = test.column(0).iter().map(|x| (6.0 * x).sin()).collect();
    let noise = 0.2;
    let draw = |set: u64| -> Result<(Array2<f64>, Vec<f64>)> {
        let mut generator = generator(7, set);
        let rows = Array2::from_shape_fn((30, 1), |_| generator.random::<f64>());
        let noisy = |x: &f64| (6.0 * x).sin() + noise * normal(&mut generator);
        let targets = rows.column(0).iter().map(noisy).collect();
        Ok((rows, targets))
    };
    let parts = |count: usize| {
        let learner = neighbors(&parameters(json!({ "n_neighbors": count }))).unwrap();
        let view = test.view();
        bias_variance(
            learner.as_ref(),
            &draw,
            60,
            view,
            &expected,
            noise * noise,
            &Run::new(),
        )
        .unwrap()
    };
    let (flexible, stiff) = (parts(1), parts(25));
    assert!(flexible.squared_bias < stiff.squared_bias);
    assert!(flexible.variance > stiff.variance);
    // One neighbour repeats the noise of its target.
    assert!(flexible.variance > 0.8 * noise * noise);
    // The error on fresh targets of the same training sets, measured directly.
    let learner = neighbors(&parameters(json!({ "n_neighbors": 1 }))).unwrap();
    let mut errors = Vec::new();
    let mut fresh = generator(8, 0);
    for set in 0..60 {
        let (rows, targets) = draw(set).unwrap();
        let data = Data::Measured(Measured::new(&rows, &targets).unwrap());
        let model = learner.fit(data, &Run::new()).unwrap();
        let rows = didact_core::Rows::Dense(test.view());
        let predicted = model.as_regress().unwrap().regress(rows).unwrap();
        for (value, mean) in predicted.column(0).iter().zip(&expected) {
            errors.push((mean + noise * normal(&mut fresh) - value).powi(2));
        }
    }
    let spread = Spread::of(&errors).unwrap();
    let standard_error = spread.deviation / (errors.len() as f64).sqrt();
    assert!((flexible.total() - spread.mean).abs() < 4.0 * standard_error);
}

// 001:REG-06: a degree too low is poor everywhere, one too high only on other rows: the training
// error never rises with the degree, the validation error falls and rises again.
#[test]
fn the_training_error_falls_with_the_degree_and_the_validation_error_turns() {
    let mut generator = generator(11, 0);
    let x: Vec<f64> = (0..40)
        .map(|_| 2.0 * generator.random::<f64>() - 1.0)
        .collect();
    let targets: Vec<f64> = x
        .iter()
        .map(|x| (4.0 * x).sin() + 0.3 * normal(&mut generator))
        .collect();
    let parts = split(40, 0.5, 1, Keep::Nothing).unwrap();
    let learner = ridge(&parameters(json!({ "alpha": 0.0 }))).unwrap();
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for degree in 1..=12 {
        let rows = Array2::from_shape_fn((40, degree), |(i, j)| x[i].powi(j as i32 + 1));
        let data = Data::Measured(Measured::new(&rows, &targets).unwrap());
        let splits = [parts.clone()];
        let judged =
            cross_validate_both(learner.as_ref(), &data, &splits, &Run::new(), &|| ()).unwrap();
        train.push(1.0 - judged.folds[0].train_figures[0].value);
        test.push(1.0 - judged.folds[0].figures[0].value);
    }
    assert!(
        train.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9),
        "{train:?}"
    );
    let best = (0..12)
        .min_by(|&a, &b| test[a].total_cmp(&test[b]))
        .unwrap();
    assert!(
        best > 0 && best < 11 && test[0] > test[best] && test[11] > test[best],
        "{test:?}"
    );
}

// 002a:BP13: ten draws of 66 %; the memorising model has no training error.
#[test]
fn the_memorising_model_has_no_training_error_and_a_spread() {
    let (rows, targets) = line(60, 4);
    let data = Data::Measured(Measured::new(&rows, &targets).unwrap());
    let splits = Splitter::course().cut_data(&data, None, 1).unwrap();
    let one = neighbors(&parameters(json!({ "n_neighbors": 1 }))).unwrap();
    let judged = cross_validate_both(one.as_ref(), &data, &splits, &Run::new(), &|| ()).unwrap();
    assert!(
        judged
            .folds
            .iter()
            .all(|fold| fold.train_figures[0].value == 1.0)
    );
    let summary = judged.summaries()[0];
    assert!(summary.spread > 0.0);
    assert!(summary.least <= summary.lower_quartile && summary.lower_quartile <= summary.median);
    assert!(summary.median <= summary.upper_quartile && summary.upper_quartile <= summary.largest);
}

#[test]
fn a_column_that_says_nothing_has_no_importance_and_a_flat_dependence() {
    let (rows, targets) = line(200, 2);
    let data = Data::Measured(Measured::new(&rows, &targets).unwrap());
    let run = Run::new();
    let model = ridge(&Map::new()).unwrap().fit(data.clone(), &run).unwrap();
    let found = permutation_importance(model.as_ref(), &data, 5, 1, &run).unwrap();
    let drops: Vec<f64> = found.iter().map(|one| one.drop.mean).collect();
    // Shuffling x₀ adds 2·4·Var to an explained variance of 5: a drop of about 8/5.
    assert!((drops[0] - 1.6).abs() < 0.3 && drops[0] > drops[1] && drops[2].abs() < 0.01);
    let again = Run::new().threads(1);
    assert_eq!(
        permutation_importance(model.as_ref(), &data, 5, 1, &again).unwrap(),
        found
    );
    // A linear model's dependence is a line with the weight of the column as slope.
    let dependence = partial_dependence(model.as_ref(), rows.view(), 0, 11, &run).unwrap();
    let slope = (dependence.means[[10, 0]] - dependence.means[[0, 0]])
        / (dependence.grid[10] - dependence.grid[0]);
    assert!((slope - 2.0).abs() < 0.1);
    assert!(partial_dependence(model.as_ref(), rows.view(), 3, 11, &run).is_err());
    assert!(permutation_importance(model.as_ref(), &data, 0, 1, &run).is_err());
}

// 000b:E09, 002a:BP15: the same splits for every competitor, the baseline beside them, and a test
// of the difference.
#[test]
fn competitors_are_compared_on_the_same_splits_beside_the_baseline() {
    let (rows, targets) = line(60, 3);
    let data = Data::Measured(Measured::new(&rows, &targets).unwrap());
    let folds = folds_for(&data, 5, 0).unwrap();
    let run = Run::new();
    let figures = |learner: Box<dyn Learner>| {
        let judged = cross_validate(learner.as_ref(), &data, &folds, &run, &|| ()).unwrap();
        judged.values("R²")
    };
    let method = figures(ridge(&Map::new()).unwrap());
    let baseline = figures(catalogue()[0].learner(&Map::new()).unwrap());
    let found = compare_paired(&method, &baseline, 0.25, 0.95).unwrap();
    assert!(found.interval.0 > 0.5 && found.p_value < 1e-3, "{found:?}");
    assert_eq!(found.wins, (5, 0, 0));
}
