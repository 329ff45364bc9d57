//! Recurrent networks: the vectors of the texts, finite differences, and what they can learn.

use didact_core::{Decode, Fit, LabelledSequences, Labels, Run, Sequences};
use didact_neural::{
    Cell, Head, Lstm, LstmVariant, NetworkLoss, OutputActivation, Readout, RecurrentNetwork, Rnn,
    SequenceClassifier, softmax,
};
use didact_optimize::check_gradient;
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Array2, Axis, array, concatenate, s};

const ELMAN: Cell = Cell::Elman { bias: true };

const CELLS: [Cell; 6] = [
    ELMAN,
    Cell::Elman { bias: false },
    Cell::Lstm(LstmVariant::Standard),
    Cell::Lstm(LstmVariant::Swapped),
    Cell::Lstm(LstmVariant::Original),
    Cell::Lstm(LstmVariant::Carousel),
];

fn network(
    inputs: usize,
    hidden: &[usize],
    cell: Cell,
    readout: Readout,
    outputs: usize,
) -> RecurrentNetwork {
    RecurrentNetwork::random(inputs, hidden, cell, readout, outputs, Head::CLASSES, 3).unwrap()
}

/// The scalar cell of the texts with two outputs: W_hz = (0.6, −0.4), b_z = (0, 0.1).
fn scalar(cell: Cell, weights: &[f64]) -> RecurrentNetwork {
    let parameters = [weights, &[0.6, -0.4, 0.0, 0.1]].concat();
    network(1, &[1], cell, Readout::EveryItem, 2)
        .with_parameters(parameters)
        .unwrap()
}

fn assert_all(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < tolerance, "{found} {expected}");
    }
}

// 000b:TV-11 000b:D53 000b:D54 000b:D56
#[test]
fn the_simple_network_has_the_states_and_gradients_of_the_text() {
    let network = scalar(ELMAN, &[0.8, 0.5, 0.1]);
    let x = array![[1.0], [-0.5], [0.25]];
    let states = network.states(x.view()).unwrap();
    assert_all(
        states.as_slice().unwrap(),
        &[0.7162978702, 0.058083484, 0.3176594768],
        1e-9,
    );
    let y = array![[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]];
    let sequences = Sequences::new(&x, &[3]).unwrap();
    let (loss, gradient) = network
        .loss_and_gradient(&sequences, y.view(), 0.0)
        .unwrap();
    // The text sums over the items, we take the mean.
    assert!((3.0 * loss - 1.6943795153626073).abs() < 1e-14);
    let found: Vec<f64> = gradient.iter().map(|g| 3.0 * g).collect();
    let expected = [
        -0.3448482473, // W_xh
        0.1831132134,  // W_hh
        -0.2132494224, // b_h
        -0.3643302536,
        0.3643302536, // W_hz
        -0.3069004518,
        0.3069004518, // b_z
    ];
    assert_all(&found, &expected, 1e-9);
}

// 000b:TV-12 000b:D60 000b:D62: both the standard cell and the one that the text prints.
#[test]
fn memories_have_the_states_and_gradients_of_the_text() {
    let x = array![[1.0], [-0.5], [0.25]];
    let y = array![[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]];
    // x weights of f, i, o, g; h weights; biases.
    let weights = [
        0.5, 0.4, 0.7, -0.6, -0.3, 0.6, 0.2, 0.9, 0.2, -0.1, 0.05, 0.15,
    ];
    let cases = [
        (
            LstmVariant::Swapped,
            [0.2236653784, 0.3922864671, 0.4623265746],
            [0.139738372, -0.0991315383, 0.0874075495],
            1.9714685153923261,
            [
                0.0019156, -0.0257606, -0.1846709, -0.0445674, -0.000305, -0.0020969, 0.0398711,
                -0.0010056, -0.0156378, -0.0661951, -0.1348332, -0.0735456,
            ],
        ),
        (
            LstmVariant::Standard,
            [-0.2423567264, -0.0022337778, -0.0017166917],
            [-0.1614547252, -0.0009330102, -0.0009544244],
            2.2212465331612767,
            [
                -0.0007505, 0.0403032, 0.0299449, -0.2119116, -0.0002553, 0.0002992, 0.0000299,
                0.0016815, 0.0017393, 0.0375686, 0.0298319, -0.3357387,
            ],
        ),
    ];
    for (variant, memories, states, loss, slopes) in cases {
        let network = scalar(Cell::Lstm(variant), &weights);
        assert_all(
            network.memories(x.view()).unwrap().as_slice().unwrap(),
            &memories,
            1e-9,
        );
        assert_all(
            network.states(x.view()).unwrap().as_slice().unwrap(),
            &states,
            1e-9,
        );
        let sequences = Sequences::new(&x, &[3]).unwrap();
        let (found, gradient) = network
            .loss_and_gradient(&sequences, y.view(), 0.0)
            .unwrap();
        assert!((3.0 * found - loss).abs() < 1e-13, "{variant:?}");
        let gradient: Vec<f64> = gradient[..12].iter().map(|g| 3.0 * g).collect();
        assert_all(&gradient, &slopes, 1e-7);
    }
}

// 001:T-15 001:RNN-02 001:RNN-05
#[test]
fn the_simple_cell_takes_the_path_of_the_text() {
    let cell = Cell::Elman { bias: false };
    let network = scalar(cell, &[1.0, 0.5]);
    let x = array![[1.0], [0.0], [-1.0]];
    let states = network.states(x.view()).unwrap();
    assert_all(
        states.as_slice().unwrap(),
        &[0.7615942, 0.3633995, -0.6741437],
        1e-7,
    );
    assert!((states.sum() - 0.4508500).abs() < 1e-7);
}

// 001:T-15 001:RNN-09 001:RNN-10
#[test]
fn carousel_and_original_memory_take_the_paths_of_the_text() {
    let x = array![[1.0], [0.0], [-1.0]];
    let carousel = scalar(Cell::Lstm(LstmVariant::Carousel), &[1.0, 0.5]);
    assert_all(
        carousel.memories(x.view()).unwrap().as_slice().unwrap(),
        &[0.7615942, 1.0720118, 0.5314910],
        1e-7,
    );
    assert_all(
        carousel.states(x.view()).unwrap().as_slice().unwrap(),
        &[0.6420150, 0.7902180, 0.4865200],
        1e-7,
    );
    // Gates input, output, candidate: x weights, h weights, biases of the first two.
    let original = scalar(
        Cell::Lstm(LstmVariant::Original),
        &[1.0, 0.0, 1.0, 0.0, 1.0, 0.5, 0.0, 0.0],
    );
    assert_all(
        original.memories(x.view()).unwrap().as_slice().unwrap(),
        &[0.5567699, 0.6196327, 0.4344850],
        1e-7,
    );
    assert_all(
        original.states(x.view()).unwrap().as_slice().unwrap(),
        &[0.2527885, 0.3100654, 0.2359888],
        1e-7,
    );
}

// 001:RNN-10: gates that are wide open leave the carousel; a saturated forget gate and no
// candidate bias make the modern cell the original one.
#[test]
fn the_original_memory_lies_between_carousel_and_modern_cell() {
    let x = random_matrix(6, 1, 5);
    let carousel = scalar(Cell::Lstm(LstmVariant::Carousel), &[0.7, -0.4]);
    let open = scalar(
        Cell::Lstm(LstmVariant::Original),
        &[0.0, 0.0, 0.7, 0.0, 0.0, -0.4, 50.0, 50.0],
    );
    assert_close(
        &open.states(x.view()).unwrap(),
        &carousel.states(x.view()).unwrap(),
        1e-12,
    );
    let original = scalar(
        Cell::Lstm(LstmVariant::Original),
        &[0.3, -0.2, 0.7, 0.5, 0.1, -0.4, 0.2, -0.3],
    );
    let modern = scalar(
        Cell::Lstm(LstmVariant::Standard),
        &[
            0.0, 0.3, -0.2, 0.7, 0.0, 0.5, 0.1, -0.4, 50.0, 0.2, -0.3, 0.0,
        ],
    );
    assert_close(
        &modern.states(x.view()).unwrap(),
        &original.states(x.view()).unwrap(),
        1e-12,
    );
}

// 000b:D56 000b:D57 000b:D62 001:RNN-06 001:RNN-10: every cell, every readout, stacked or not,
// over sequences of different lengths at once.
#[test]
fn gradients_through_time_agree_with_finite_differences() {
    let x = random_matrix(9, 2, 1);
    let lengths = [2, 4, 1, 2];
    let sequences = Sequences::new(&x, &lengths).unwrap();
    for cell in CELLS {
        for (readout, answers) in [
            (Readout::EveryItem, 9),
            (Readout::Last, 4),
            (Readout::Sum, 4),
        ] {
            for hidden in [vec![3], vec![3, 2]] {
                let network = network(2, &hidden, cell, readout, 3)
                    .with_start(0, vec![0.3, -0.2, 0.5])
                    .unwrap();
                let y = Array2::from_shape_fn((answers, 3), |(row, k)| f64::from(row % 3 == k));
                let mut objective = |parameters: &[f64], gradient: &mut [f64]| {
                    let moved = network.clone().with_parameters(parameters.to_vec())?;
                    let (loss, found) = moved.loss_and_gradient(&sequences, y.view(), 0.1)?;
                    gradient.copy_from_slice(&found);
                    Ok(loss)
                };
                let check = check_gradient(&mut objective, network.parameters()).unwrap();
                assert!(
                    check.relative_error < 1e-8,
                    "{cell:?} {readout:?} {hidden:?} {check:?}"
                );
            }
        }
    }
}

// 000b:D61: per step squared error as well, through the softmax with its Jacobian.
#[test]
fn squared_error_is_a_loss_of_sequences_too() {
    let x = random_matrix(5, 1, 2);
    let sequences = Sequences::new(&x, &[3, 2]).unwrap();
    for activation in [OutputActivation::Identity, OutputActivation::Softmax] {
        let head = Head::new(activation, NetworkLoss::SquaredError).unwrap();
        let cell = Cell::Lstm(LstmVariant::Standard);
        let network =
            RecurrentNetwork::random(1, &[2], cell, Readout::EveryItem, 2, head, 1).unwrap();
        let y = Array2::from_shape_fn((5, 2), |(row, k)| f64::from(row % 2 == k));
        let mut objective = |parameters: &[f64], gradient: &mut [f64]| {
            let moved = network.clone().with_parameters(parameters.to_vec())?;
            let (loss, found) = moved.loss_and_gradient(&sequences, y.view(), 0.0)?;
            gradient.copy_from_slice(&found);
            Ok(loss)
        };
        assert!(
            check_gradient(&mut objective, network.parameters())
                .unwrap()
                .passes()
        );
    }
}

// 000b:D56: the recursion equals the explicit double sum over (t, k ≤ t); the printed upper limit
// of the inner sum leaves out the step's own term.
#[test]
fn the_recursion_is_the_explicit_double_sum() {
    let (w_x, w_h, b) = (0.8, 0.5, 0.1);
    let network = scalar(ELMAN, &[w_x, w_h, b]);
    let x = [1.0, -0.5, 0.25, 0.9];
    let items = Array2::from_shape_vec((4, 1), x.to_vec()).unwrap();
    let y = array![[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
    let states = network.states(items.view()).unwrap();
    let h = |t: usize| if t == 0 { 0.0 } else { states[[t - 1, 0]] };
    let outputs = network.outputs(items.view()).unwrap();
    let (mut full, mut printed) = (0.0, 0.0);
    for t in 1..=4 {
        let dz = [
            outputs[[t - 1, 0]] - y[[t - 1, 0]],
            outputs[[t - 1, 1]] - y[[t - 1, 1]],
        ];
        let to_state = 0.6 * dz[0] - 0.4 * dz[1];
        for k in 1..=t {
            // ∂h_t/∂h_k times the direct part ∂h_k/∂W_h = (1 − h_k²)·h_(k−1).
            let chain: f64 = (k + 1..=t).map(|s| (1.0 - h(s) * h(s)) * w_h).product();
            let term = to_state * chain * (1.0 - h(k) * h(k)) * h(k - 1);
            full += term;
            if k < t {
                printed += term;
            }
        }
    }
    let sequences = Sequences::new(&items, &[4]).unwrap();
    let (_, gradient) = network
        .loss_and_gradient(&sequences, y.view(), 0.0)
        .unwrap();
    assert!((4.0 * gradient[1] - full).abs() < 1e-14);
    assert!((full - printed).abs() > 1e-2);
}

// 000b:D53: without recurrence the network is a perceptron for each item.
#[test]
fn without_recurrence_every_item_is_for_itself() {
    let network = network(2, &[3], ELMAN, Readout::EveryItem, 2);
    let mut parameters = network.parameters().to_vec();
    parameters[6..15].fill(0.0);
    let network = network.with_parameters(parameters).unwrap();
    let x = random_matrix(5, 2, 1);
    let together = network.outputs(x.view()).unwrap();
    for row in 0..5 {
        let alone = network.outputs(x.slice(s![row..row + 1, ..])).unwrap();
        assert_close(
            &alone.row(0).to_owned(),
            &together.row(row).to_owned(),
            1e-15,
        );
    }
}

// 001:RNN-02: tanh(W_h·h + W_x·x) = tanh(W·[x; h]) with W = [W_x W_h].
#[test]
fn split_and_joined_weights_are_the_same_cell() {
    let network = network(2, &[3], Cell::Elman { bias: false }, Readout::EveryItem, 2);
    let joined = concatenate(
        Axis(1),
        &[
            network.input_weights(0).unwrap(),
            network.state_weights(0).unwrap(),
        ],
    )
    .unwrap();
    let x = random_matrix(4, 2, 3);
    let states = network.states(x.view()).unwrap();
    let mut h: Array1<f64> = Array1::zeros(3);
    for row in 0..4 {
        let stacked = concatenate(Axis(0), &[x.row(row), h.view()]).unwrap();
        h = joined.dot(&stacked).mapv(f64::tanh);
        assert_close(&states.row(row).to_owned(), &h, 1e-14);
    }
    assert_eq!(network.biases(0).unwrap().len(), 0);
}

// 001:RNN-01 001:RNN-03: the total loss is the sum over items, and the order of sequences in a
// batch does not matter; the start state counts.
#[test]
fn sequences_in_a_batch_do_not_see_each_other() {
    let x = random_matrix(7, 2, 4);
    let network = network(
        2,
        &[3],
        Cell::Lstm(LstmVariant::Standard),
        Readout::EveryItem,
        2,
    );
    let y = Array2::from_shape_fn((7, 2), |(row, k)| f64::from(row % 2 == k));
    let both = Sequences::new(&x, &[3, 4]).unwrap();
    let (loss, _) = network.loss_and_gradient(&both, y.view(), 0.0).unwrap();
    let (first, second) = (
        x.slice(s![..3, ..]).to_owned(),
        x.slice(s![3.., ..]).to_owned(),
    );
    let alone = |x: &Array2<f64>, y: ndarray::ArrayView2<'_, f64>| {
        let lengths = [x.nrows()];
        network
            .loss_and_gradient(&Sequences::new(x, &lengths).unwrap(), y, 0.0)
            .unwrap()
            .0
    };
    let (a, b) = (
        alone(&first, y.slice(s![..3, ..])),
        alone(&second, y.slice(s![3.., ..])),
    );
    assert!((7.0 * loss - 3.0 * a - 4.0 * b).abs() < 1e-13);
    let moved = network.clone().with_start(0, vec![0.5, 0.5, 0.5]).unwrap();
    assert_ne!(
        moved.states(x.view()).unwrap(),
        network.states(x.view()).unwrap()
    );
    assert!(network.with_start(0, vec![0.5]).is_err());
}

// 000b:D57: the states of a layer are the items of the next.
#[test]
fn stacked_layers_feed_each_other() {
    let stacked = network(2, &[3, 2], ELMAN, Readout::EveryItem, 2);
    let x = random_matrix(5, 2, 6);
    let parameters = stacked.parameters();
    let first = network(2, &[3], ELMAN, Readout::EveryItem, 1)
        .with_parameters([&parameters[..18], &[0.0; 4]].concat())
        .unwrap();
    let second = network(3, &[2], ELMAN, Readout::EveryItem, 2)
        .with_parameters(parameters[18..].to_vec())
        .unwrap();
    let middle = first.states(x.view()).unwrap();
    assert_close(
        &second.outputs(middle.view()).unwrap(),
        &stacked.outputs(x.view()).unwrap(),
        1e-14,
    );
}

// 000b:D58 001:RNN-07: the linear cell gives w^lag exactly.
#[test]
fn errors_vanish_or_explode_with_the_lag() {
    let cell = Cell::Elman { bias: false };
    let norms = |w: f64| {
        let network = scalar(cell, &[1.0, w]);
        network
            .gradient_norms(Array2::zeros((21, 1)).view())
            .unwrap()
            .states
    };
    let (vanishing, exploding) = (norms(0.5), norms(1.5));
    assert!((vanishing[20] - 9.5367e-7).abs() < 1e-11 && (exploding[20] - 3325.2567).abs() < 1e-3);
    for lag in 0..=20 {
        assert_eq!(vanishing[lag], 0.5_f64.powi(lag as i32));
        assert!((exploding[lag] / 1.5_f64.powi(lag as i32) - 1.0).abs() < 1e-14);
    }
    // Several units: the product of the Jacobians diag(1 − h²)·W_h, by hand.
    let network = network(2, &[3], ELMAN, Readout::EveryItem, 2);
    let x = random_matrix(6, 2, 8);
    let states = network.states(x.view()).unwrap();
    let found = network.gradient_norms(x.view()).unwrap().states;
    let mut product: Array2<f64> = Array2::eye(3);
    for lag in 0..6 {
        let expected = product.mapv(|v| v * v).sum().sqrt();
        assert!((found[lag] - expected).abs() < 1e-12);
        let slopes = states
            .row(5 - lag)
            .mapv(|h| 1.0 - h * h)
            .insert_axis(Axis(1));
        product = product.dot(&(&network.state_weights(0).unwrap() * &slopes));
    }
}

// 000b:D63 001:RNN-08 001:RNN-09: a forget gate at one, or none, carries errors unchanged; the
// printed cell gradient without the carry term would be zero beyond the last step.
#[test]
fn an_open_memory_carries_errors_over_any_lag() {
    let x = random_matrix(30, 1, 9);
    let recurrence_off = [
        0.0, 0.3, -0.2, 0.7, 0.0, 0.0, 0.0, 0.0, 50.0, 0.2, -0.3, 0.0,
    ];
    let standard = scalar(Cell::Lstm(LstmVariant::Standard), &recurrence_off);
    let carousel = scalar(Cell::Lstm(LstmVariant::Carousel), &[0.7, 0.0]);
    for network in [standard, carousel] {
        let norms = network.gradient_norms(x.view()).unwrap().memories;
        assert!(norms[0] > 0.0);
        assert!(
            norms
                .iter()
                .all(|norm| (norm / norms[0] - 1.0).abs() < 1e-12)
        );
    }
    let forgetful = [0.0, 0.3, -0.2, 0.7, 0.0, 0.0, 0.0, 0.0, 0.0, 0.2, -0.3, 0.0];
    let norms = scalar(Cell::Lstm(LstmVariant::Standard), &forgetful)
        .gradient_norms(x.view())
        .unwrap()
        .memories;
    // f = ½ at every step.
    assert!((norms[10] / norms[0] / 0.5_f64.powi(10) - 1.0).abs() < 1e-12);
}

// 001:RNN-08: h ← h + F(x) adds up, so that the order of the items is lost.
#[test]
fn a_memory_that_ignores_the_state_loses_the_order() {
    let carousel = scalar(Cell::Lstm(LstmVariant::Carousel), &[0.7, 0.0]);
    let (x, turned) = (array![[1.0], [-0.4], [0.2]], array![[0.2], [1.0], [-0.4]]);
    let last =
        |network: &RecurrentNetwork, x: &Array2<f64>| network.memories(x.view()).unwrap()[[2, 0]];
    assert!((last(&carousel, &x) - last(&carousel, &turned)).abs() < 1e-15);
    let with_state = scalar(Cell::Lstm(LstmVariant::Carousel), &[0.7, 0.5]);
    assert!((last(&with_state, &x) - last(&with_state, &turned)).abs() > 1e-3);
}

// 001:RNN-04 001:RNN-05: for one item both heads are the same; the sum adds the states.
#[test]
fn both_heads_agree_on_sequences_of_one_item() {
    let last = network(2, &[3], ELMAN, Readout::Last, 2);
    let sum = network(2, &[3], ELMAN, Readout::Sum, 2)
        .with_parameters(last.parameters().to_vec())
        .unwrap();
    let x = random_matrix(4, 2, 2);
    let one = x.slice(s![..1, ..]);
    assert_eq!(last.outputs(one).unwrap(), sum.outputs(one).unwrap());
    let states = sum.states(x.view()).unwrap();
    let weights = &sum.parameters()[18..24];
    let biases = &sum.parameters()[24..];
    let score = |features: &Array1<f64>, k: usize| {
        biases[k]
            + (0..3)
                .map(|u| weights[k * 3 + u] * features[u])
                .sum::<f64>()
    };
    for (network, features) in [
        (&last, states.row(3).to_owned()),
        (&sum, states.sum_axis(Axis(0))),
    ] {
        let expected = softmax(&[score(&features, 0), score(&features, 1)]);
        assert_close(
            &network.outputs(x.view()).unwrap().row(0).to_owned(),
            &expected,
            1e-13,
        );
    }
}

/// Sequences of signs; the label of an item is the sign of the item `lag` places before.
fn echo(lag: usize, n_sequences: usize) -> (Array2<f64>, Vec<usize>, Labels) {
    let x = random_matrix(n_sequences * 12, 1, 11).mapv(f64::signum);
    let label = |row: usize| usize::from(row % 12 >= lag && x[[row - lag, 0]] > 0.0);
    let labels = Labels::from_indices((0..n_sequences * 12).map(label).collect());
    (x, vec![12; n_sequences], labels)
}

fn share_right(found: &[usize], expected: &[usize]) -> f64 {
    let right = found.iter().zip(expected).filter(|(a, b)| a == b).count();
    right as f64 / expected.len() as f64
}

// 000b:D53 000b:D60: what came before decides, which no model of single items can know.
#[test]
fn recurrent_networks_remember_earlier_items() {
    let (x, lengths, labels) = echo(2, 60);
    let data = || LabelledSequences::new(Sequences::new(&x, &lengths).unwrap(), &labels).unwrap();
    let rnn = Rnn::default().fit(data()).unwrap();
    assert!(share_right(&rnn.decode(&data().sequences).unwrap().0, &labels.indices) > 0.97);
    for variant in [
        LstmVariant::Standard,
        LstmVariant::Swapped,
        LstmVariant::Original,
        LstmVariant::Carousel,
    ] {
        let model = Lstm {
            variant,
            ..Lstm::default()
        }
        .fit(data())
        .unwrap();
        let share = share_right(&model.decode(&data().sequences).unwrap().0, &labels.indices);
        assert!(share > 0.97, "{variant:?} {share}");
    }
}

// 000b:D57
#[test]
fn stacked_networks_learn_too() {
    let (x, lengths, labels) = echo(1, 40);
    let data = || LabelledSequences::new(Sequences::new(&x, &lengths).unwrap(), &labels).unwrap();
    let rnn = Rnn {
        hidden_layer_sizes: vec![12, 8],
        ..Rnn::default()
    };
    let model = rnn.fit(data()).unwrap();
    assert!(share_right(&model.decode(&data().sequences).unwrap().0, &labels.indices) > 0.97);
    assert_eq!(
        model.network().n_parameters(),
        12 * (1 + 12 + 1) + 8 * (12 + 8 + 1) + 2 * 9
    );
}

// 001:RNN-04 001:RNN-05: a sentence is good when good words outnumber bad ones.
#[test]
fn both_heads_learn_the_sentiment_of_sequences_of_different_lengths() {
    let lengths: Vec<usize> = (0..80).map(|sequence| 3 + sequence % 5).collect();
    let total: usize = lengths.iter().sum();
    let x = random_matrix(total, 1, 12).mapv(f64::signum);
    let sequences = Sequences::new(&x, &lengths).unwrap();
    let sums: Vec<f64> = sequences
        .ranges()
        .map(|range| x.slice(s![range, 0]).sum())
        .collect();
    let labels = Labels::from_indices(sums.iter().map(|&sum| usize::from(sum > 0.0)).collect());
    for readout in [Readout::Last, Readout::Sum] {
        let learner = SequenceClassifier::from_rnn(&Rnn::default(), readout).unwrap();
        let model = learner.fit(&sequences, &labels, &Run::new()).unwrap();
        assert!(
            share_right(&model.predict(&sequences).unwrap(), &labels.indices) > 0.95,
            "{readout:?}"
        );
        let probabilities = model.predict_proba(&sequences).unwrap();
        assert!(
            probabilities
                .rows()
                .into_iter()
                .all(|row| (row.sum() - 1.0).abs() < 1e-12)
        );
    }
    let learner = SequenceClassifier::from_lstm(&Lstm::default(), Readout::Last).unwrap();
    let model = learner.fit(&sequences, &labels, &Run::new()).unwrap();
    assert!(share_right(&model.predict(&sequences).unwrap(), &labels.indices) > 0.95);
    assert!(SequenceClassifier::from_rnn(&Rnn::default(), Readout::EveryItem).is_err());
}
