//! Networks of several branches.

use didact_core::Run;
use didact_neural::{
    Activation, DeepFeatures, FanNetwork, Head, InputBranch, KFan, Network, OutputBranch,
};
use didact_optimize::check_gradient;
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Array2, ArrayView2};

fn input(n_columns: usize, hidden: &[usize]) -> InputBranch {
    InputBranch {
        n_columns,
        hidden_layer_sizes: hidden.to_vec(),
    }
}

fn output(n_columns: usize, hidden: &[usize], head: Head, weight: f64) -> OutputBranch {
    OutputBranch {
        n_columns,
        hidden_layer_sizes: hidden.to_vec(),
        head,
        weight,
    }
}

fn coins(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    random_matrix(rows, columns, seed).mapv(|v| f64::from(v > 0.0))
}

// 000b:D64: one branch in and one out are the plain network, to the last gradient; with the input
// as the target it is the deep autoencoder.
#[test]
fn one_branch_in_and_one_out_are_the_plain_network() {
    let fan = FanNetwork::random(
        &[input(3, &[5])],
        4,
        &[output(2, &[3], Head::COINS, 1.0)],
        1,
    )
    .unwrap();
    let plain = Network::random(&[3, 5, 4, 3, 2], Activation::Logistic, Head::COINS, 9)
        .unwrap()
        .with_parameters(fan.parameters().to_vec())
        .unwrap();
    let (x, y) = (random_matrix(8, 3, 2), coins(8, 2, 3));
    assert_close(
        &fan.outputs(&[x.view()]).unwrap()[0],
        &plain.outputs(x.view()).unwrap(),
        1e-13,
    );
    let (loss, gradient) = fan
        .loss_and_gradient(&[x.view()], &[y.view()], 0.1)
        .unwrap();
    let (expected, slopes) = plain.loss_and_gradient(x.view(), y.view(), 0.1).unwrap();
    assert!((loss - expected).abs() < 1e-13);
    assert_close(&Array1::from(gradient), &Array1::from(slopes), 1e-12);
}

// 000b:D64 000b:D70 000b:D71: any branches in and out, sigmoid or softmax labels.
#[test]
fn gradients_of_all_branches_agree_with_finite_differences() {
    let ins = [input(3, &[4]), input(2, &[])];
    let outs = [
        output(3, &[3], Head::COINS, 1.0),
        output(2, &[], Head::CLASSES, 0.7),
        output(1, &[], Head::REGRESSION, 0.3),
    ];
    let fan = FanNetwork::random(&ins, 4, &outs, 5).unwrap();
    let (x, view) = (random_matrix(7, 3, 1), random_matrix(7, 2, 2));
    let labels = Array2::from_shape_fn((7, 2), |(row, k)| f64::from(row % 2 == k));
    let (clean, number) = (coins(7, 3, 3), random_matrix(7, 1, 4));
    let mut objective = |parameters: &[f64], gradient: &mut [f64]| {
        let moved = fan.clone().with_parameters(parameters.to_vec())?;
        let targets = [clean.view(), labels.view(), number.view()];
        let (loss, found) = moved.loss_and_gradient(&[x.view(), view.view()], &targets, 0.1)?;
        gradient.copy_from_slice(&found);
        Ok(loss)
    };
    let check = check_gradient(&mut objective, fan.parameters()).unwrap();
    assert!(check.relative_error < 1e-8, "{check:?}");
}

// 000b:D72 000b:D70: the slope of shared weights is the sum over the tasks; a weight of zero
// leaves the other task alone.
#[test]
fn shared_weights_receive_the_sum_of_the_slopes_of_all_tasks() {
    let (x, clean, label) = (random_matrix(9, 4, 1), coins(9, 4, 2), coins(9, 1, 3));
    let gradient = |restoring: f64, labelling: f64| {
        let outs = [
            output(4, &[], Head::COINS, restoring),
            output(1, &[], Head::COINS, labelling),
        ];
        let fan = FanNetwork::random(&[input(4, &[3])], 3, &outs, 7).unwrap();
        let (loss, gradient) = fan
            .loss_and_gradient(&[x.view()], &[clean.view(), label.view()], 0.0)
            .unwrap();
        (loss, Array1::from(gradient))
    };
    let (both, restoring, labelling) = (gradient(1.0, 0.5), gradient(1.0, 0.0), gradient(0.0, 0.5));
    assert!((both.0 - restoring.0 - labelling.0).abs() < 1e-13);
    assert_close(&both.1, &(&restoring.1 + &labelling.1), 1e-12);
    // λ = 0 is the denoising autoencoder: the branch of the label gets nothing.
    assert!(restoring.1.iter().rev().take(4).all(|&slope| slope == 0.0));
}

// 000b:D71 000b:E06: zeroing the weights of a branch is removing it.
#[test]
fn a_branch_without_weights_is_no_branch() {
    let outs = [output(2, &[], Head::COINS, 1.0)];
    let fan = FanNetwork::random(&[input(3, &[4]), input(2, &[3])], 5, &outs, 3).unwrap();
    let (x, view) = (random_matrix(6, 3, 1), random_matrix(6, 2, 2));
    let deaf = fan.clone().without_input(1).unwrap();
    let first = FanNetwork::random(&[input(3, &[4])], 5, &outs, 3).unwrap();
    // Parameters of branch one: 3·4 + 4 and 4·5 + 5; of branch two 2·3 + 3 and 3·5 + 5.
    let parameters = [&fan.parameters()[..41], &fan.parameters()[41 + 29..]].concat();
    let first = first.with_parameters(parameters).unwrap();
    let both: [ArrayView2<'_, f64>; 2] = [x.view(), view.view()];
    assert_close(
        &deaf.outputs(&both).unwrap()[0],
        &first.outputs(&[x.view()]).unwrap()[0],
        1e-13,
    );
    assert_ne!(fan.outputs(&both).unwrap(), deaf.outputs(&both).unwrap());
    assert!(fan.without_input(2).is_err());
}

// 000b:D71 000b:E06: whether a second view helps can be asked and answered.
#[test]
fn a_second_view_helps_where_it_knows_something() {
    let n = 200;
    let (x, view) = (coins(n, 1, 1), coins(n, 1, 2));
    let label = Array2::from_shape_fn((n, 1), |(row, _)| f64::from(x[[row, 0]] != view[[row, 0]]));
    let accuracy = |ins: Vec<InputBranch>, rows: &[ArrayView2<'_, f64>]| {
        let fan = KFan {
            inputs: ins,
            outputs: vec![output(1, &[], Head::COINS, 1.0)],
            learning_rate_init: 0.05,
            ..KFan::default()
        };
        let model = fan.fit(rows, &[label.view()], &Run::new()).unwrap();
        let found = model.predict(rows).unwrap();
        let right = found[0]
            .iter()
            .zip(&label)
            .filter(|(p, y)| (**p > 0.5) == (**y > 0.5))
            .count();
        right as f64 / n as f64
    };
    let both = accuracy(
        vec![input(1, &[6]), input(1, &[6])],
        &[x.view(), view.view()],
    );
    let one = accuracy(vec![input(1, &[6])], &[x.view()]);
    assert!(both > 0.98 && one < 0.65, "{both} {one}");
}

// 000b:D70 000b:E05: restoring and labelling at once, each judged by its own measure.
#[test]
fn restoring_and_labelling_are_learned_together() {
    let prototypes = coins(3, 12, 9);
    let clean = Array2::from_shape_fn((240, 12), |(row, column)| prototypes[[row % 3, column]]);
    let flips = random_matrix(240, 12, 4);
    let noisy = Array2::from_shape_fn((240, 12), |place| {
        if flips[place] < -1.2 {
            1.0 - clean[place]
        } else {
            clean[place]
        }
    });
    let labels = Array2::from_shape_fn((240, 3), |(row, k)| f64::from(row % 3 == k));
    for head in [Head::COINS, Head::CLASSES] {
        let fan = KFan {
            inputs: vec![input(12, &[10])],
            outputs: vec![
                output(12, &[10], Head::COINS, 1.0),
                output(3, &[], head, 0.5),
            ],
            max_iter: 150,
            ..KFan::default()
        };
        let model = fan
            .fit(&[noisy.view()], &[clean.view(), labels.view()], &Run::new())
            .unwrap();
        let answers = model.predict(&[noisy.view()]).unwrap();
        let distance = |found: &Array2<f64>| (found - &clean).mapv(|d| d * d).mean().unwrap();
        assert!(distance(&answers[0]) < 0.2 * distance(&noisy));
        let right = (0..240)
            .filter(|&row| (0..3).all(|k| answers[1][[row, k]] <= answers[1][[row, row % 3]]));
        // As often as the nearest prototype is the right one, but for a few rows.
        let distance_to = |row: usize, k: usize| {
            let difference = &noisy.row(row) - &prototypes.row(k);
            difference.mapv(f64::abs).sum()
        };
        let nearest = (0..240)
            .filter(|&row| (0..3).all(|k| distance_to(row, row % 3) <= distance_to(row, k)));
        let (right, nearest) = (right.count(), nearest.count());
        assert!(right + 5 >= nearest, "{right} {nearest}");
        let losses = &model.trace().objectives;
        assert!(losses.last().unwrap() < &(0.3 * losses[0]) && model.validate().is_ok());
    }
}

// 000b:D65: the first stage knows only the rows, so that it is the same for every task.
#[test]
fn the_first_stage_does_not_depend_on_the_task() {
    use didact_core::{Fit, Samples, Transform};
    let (x, view) = (coins(60, 6, 1), random_matrix(60, 4, 2));
    let fan = |outputs: Vec<OutputBranch>| KFan {
        inputs: vec![input(6, &[5]), input(4, &[3])],
        outputs,
        pretrain_iter: 4,
        ..KFan::default()
    };
    let start = |outputs| {
        fan(outputs)
            .start(&[x.view(), view.view()], &Run::new())
            .unwrap()
    };
    let label = start(vec![output(1, &[], Head::COINS, 1.0)]);
    let restore = start(vec![
        output(6, &[4], Head::COINS, 1.0),
        output(2, &[], Head::CLASSES, 0.1),
    ]);
    assert_eq!(label.parameters()[..35], restore.parameters()[..35]);
    // The layer is the one that learns features from the same rows.
    let features = DeepFeatures {
        hidden_layer_sizes: vec![5],
        max_iter: 4,
        ..DeepFeatures::default()
    };
    let features = features.fit(Samples::from(&x)).unwrap();
    assert_eq!(features.network().parameters(), &label.parameters()[..35]);
    assert_eq!(features.transform(&x).unwrap().into_dense().dim(), (60, 5));
}

#[test]
fn branches_that_do_not_fit_are_refused() {
    let out = output(1, &[], Head::COINS, 1.0);
    assert!(FanNetwork::random(&[], 3, std::slice::from_ref(&out), 0).is_err());
    assert!(FanNetwork::random(&[input(2, &[0])], 3, std::slice::from_ref(&out), 0).is_err());
    let fan = FanNetwork::random(&[input(2, &[])], 3, std::slice::from_ref(&out), 0).unwrap();
    let wrong = random_matrix(4, 3, 1);
    assert!(
        fan.outputs(&[wrong.view()])
            .unwrap_err()
            .to_string()
            .contains("[3] columns")
    );
    let (x, y) = (random_matrix(4, 2, 1), coins(3, 1, 1));
    assert!(
        fan.loss_and_gradient(&[x.view()], &[y.view()], 0.0)
            .is_err()
    );
    let learner = KFan {
        inputs: vec![input(2, &[])],
        outputs: vec![out],
        ..KFan::default()
    };
    assert!(learner.fit(&[x.view()], &[y.view()], &Run::new()).is_err());
    assert!(
        KFan {
            batch_size: 0,
            ..learner
        }
        .fit(&[x.view()], &[y.view()], &Run::new())
        .is_err()
    );
}
