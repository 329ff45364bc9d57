//! Gradients: the vectors of the texts, finite differences, and the rules between layers.

use didact_neural::{
    Activation, Head, Network, NetworkLoss, OutputActivation, binary_cross_entropy, squared_error,
};
use didact_optimize::{check_gradient, finite_difference_jacobian};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Array2, array};

fn heads() -> Vec<Head> {
    let head = |activation, loss| Head::new(activation, loss).unwrap();
    vec![
        Head::REGRESSION,
        Head::CLASSES,
        Head::COINS,
        head(OutputActivation::Logistic, NetworkLoss::SquaredError),
        head(OutputActivation::Softmax, NetworkLoss::SquaredError),
        head(OutputActivation::Identity, NetworkLoss::Hinge),
    ]
}

const ACTIVATIONS: [Activation; 4] = [
    Activation::Identity,
    Activation::Logistic,
    Activation::Tanh,
    Activation::Relu,
];

fn targets_for(head: Head, rows: usize, columns: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, columns), |(i, j)| {
        let one = f64::from(i % columns == j);
        if head.loss() == NetworkLoss::Hinge {
            2.0 * one - 1.0
        } else {
            one
        }
    })
}

// 000b:D35 001:NN-09 001:NN-10 002b:NN-18 004:M66 000a:SUP-31: gradients by finite differences.
#[test]
fn gradients_agree_with_finite_differences_for_every_activation_and_loss() {
    let x = random_matrix(7, 3, 1);
    for head in heads() {
        for activation in ACTIVATIONS {
            let network = Network::random(&[3, 5, 4, 2], activation, head, 3).unwrap();
            let y = targets_for(head, 7, 2);
            let mut objective = |parameters: &[f64], gradient: &mut [f64]| {
                let network = network.clone().with_parameters(parameters.to_vec())?;
                let (loss, found) = network.loss_and_gradient(x.view(), y.view(), 0.1)?;
                gradient.copy_from_slice(&found);
                Ok(loss)
            };
            let check = check_gradient(&mut objective, network.parameters()).unwrap();
            assert!(
                check.relative_error < 1e-8,
                "{head:?} {activation:?} {check:?}"
            );
        }
    }
}

// 000b:TV-7 000b:D25: one hidden layer, the gradients of biases included.
#[test]
fn one_hidden_layer_has_the_gradients_of_the_text() {
    // The text writes h = σ(W₁ᵀx + b₁); a row per unit is its transpose.
    let network = Network::from_layers(
        &[
            (array![[0.1, 0.4], [-0.2, 0.3]], array![0.05, -0.1]),
            (array![[0.7, -0.5]], array![0.2]),
        ],
        Activation::Logistic,
        Head::REGRESSION,
    )
    .unwrap();
    let (x, y) = (array![[1.0, 2.0]], array![[1.0]]);
    let activations = network.activations(x.view()).unwrap();
    assert_close(&activations[1], &array![[0.721115178, 0.5744425168]], 1e-9);
    assert!((activations[2][[0, 0]] - 0.41755936621017464).abs() < 1e-15);
    let (loss, gradient) = network.loss_and_gradient(x.view(), y.view(), 0.0).unwrap();
    assert!((loss - 0.16961854594474673).abs() < 1e-15);
    // W₁ᵀ row by row, b₁, w, b.
    let expected = [
        -0.0819934615,
        -0.163986923,
        0.071191227,
        0.142382454,
        -0.0819934615,
        0.071191227,
        -0.4200067813,
        -0.3345786636,
        -0.5824406338,
    ];
    for (found, expected) in gradient.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{gradient:?}");
    }
}

// 001:T-12 001:NN-08 001:NN-10: the printed (7.11) forgets the slope λw of the decay.
#[test]
fn weight_decay_is_part_of_the_gradient() {
    let head = Head::new(OutputActivation::Logistic, NetworkLoss::SquaredError).unwrap();
    let network = Network::from_layers(
        &[(array![[0.5]], array![0.0]), (array![[-0.3]], array![0.1])],
        Activation::Logistic,
        head,
    )
    .unwrap();
    let (x, y) = (array![[1.0]], array![[1.0]]);
    let activations = network.activations(x.view()).unwrap();
    assert!((activations[1][[0, 0]] - 0.6224593).abs() < 1e-7);
    assert!((activations[2][[0, 0]] - 0.4783291).abs() < 1e-7);
    let (loss, gradient) = network.loss_and_gradient(x.view(), y.view(), 0.1).unwrap();
    assert!((loss - 0.1530702).abs() < 1e-7);
    // ∂w₁, δ₁ = ∂b₁, ∂w₂, δ₂ = ∂b₂: biases carry no decay.
    for (found, expected) in gradient
        .iter()
        .zip([0.0591773, 0.0091773, -0.1110272, -0.1301727])
    {
        assert!((found - expected).abs() < 1e-7, "{gradient:?}");
    }
    let (_, printed) = network.loss_and_gradient(x.view(), y.view(), 0.0).unwrap();
    assert!((gradient[0] - printed[0] - 0.1 * 0.5).abs() < 1e-15);
    assert!((gradient[2] - printed[2] + 0.1 * 0.3).abs() < 1e-15);
}

// 004:M66: the output error carries the slope of the output; the printed f − B gives −0.01751174.
#[test]
fn the_output_error_carries_its_slope() {
    let head = Head::new(OutputActivation::Logistic, NetworkLoss::SquaredError).unwrap();
    let network = Network::from_layers(
        &[
            (array![[0.1, -0.2], [0.3, 0.4]], array![0.05, -0.1]),
            (array![[0.5, -0.6]], array![0.2]),
        ],
        Activation::Logistic,
        head,
    )
    .unwrap();
    let (x, y) = (array![[1.0, -1.0]], array![[0.7]]);
    let activations = network.activations(x.view()).unwrap();
    assert_close(&activations[1], &array![[0.5866176, 0.4501660]], 1e-7);
    let out = activations[2][[0, 0]];
    assert!((out - 0.5555718).abs() < 1e-7);
    let (loss, gradient) = network.loss_and_gradient(x.view(), y.view(), 0.0).unwrap();
    assert!((loss - 0.01042976).abs() < 1e-8);
    let (hidden, output) = (&gradient[4..6], gradient[8]);
    assert!((output + 0.03566103).abs() < 1e-8);
    assert!((hidden[0] + 0.004323854).abs() < 1e-9 && (hidden[1] - 0.005296018).abs() < 1e-9);
    // Without the slope the first weight would get δ·x with δ larger by 1 / (out·(1 − out)).
    let printed = gradient[0] / (out * (1.0 - out));
    assert!((printed + 0.01751174).abs() < 1e-8 && (printed - gradient[0]).abs() > 0.01);
}

// 001:NN-07: δ is how much the loss changes when a little is added to a weighted input.
#[test]
fn error_signals_are_the_price_of_a_small_perturbation() {
    let network = Network::random(&[2, 3, 1], Activation::Tanh, Head::REGRESSION, 5).unwrap();
    let (x, y) = (array![[0.4, -0.7]], array![[0.3]]);
    let (loss, gradient) = network.loss_and_gradient(x.view(), y.view(), 0.0).unwrap();
    for unit in 0..3 {
        let mut moved = network.parameters().to_vec();
        moved[6 + unit] += 1e-5;
        let moved = network.clone().with_parameters(moved).unwrap();
        let (after, _) = moved.loss_and_gradient(x.view(), y.view(), 0.0).unwrap();
        assert!(((after - loss) / 1e-5 - gradient[6 + unit]).abs() < 1e-5);
    }
}

// 000b:D32: over the classes the slopes of cross-entropy sum to zero; the outer product has the
// shape of the weights.
#[test]
fn slopes_of_the_softmax_sum_to_zero_over_the_classes() {
    let network = Network::random(&[3, 4, 3], Activation::Relu, Head::CLASSES, 2).unwrap();
    let (x, y) = (random_matrix(6, 3, 4), targets_for(Head::CLASSES, 6, 3));
    let (_, gradient) = network.loss_and_gradient(x.view(), y.view(), 0.0).unwrap();
    let biases = &gradient[gradient.len() - 3..];
    assert!(biases.iter().sum::<f64>().abs() < 1e-15);
    let weights = &gradient[16..16 + 12];
    for unit in 0..4 {
        let sum: f64 = (0..3).map(|class| weights[class * 4 + unit]).sum();
        assert!(sum.abs() < 1e-15);
    }
}

// 000b:D36: the linearised network forward and back.
#[test]
fn small_changes_go_forward_and_back_by_the_jacobian_and_its_transpose() {
    for activation in ACTIVATIONS {
        let network = Network::random(&[3, 5, 4, 2], activation, Head::REGRESSION, 11).unwrap();
        let x = [0.3, -1.2, 0.8];
        let outputs = |x: &[f64]| {
            let row = Array2::from_shape_vec((1, 3), x.to_vec()).unwrap();
            Ok(network.outputs(row.view())?.into_raw_vec_and_offset().0)
        };
        let jacobian = finite_difference_jacobian(outputs, &x).unwrap();
        let (v, u) = (array![0.5, -1.0, 2.0], array![1.5, -0.4]);
        let forward = network.jacobian_times(&x, v.as_slice().unwrap()).unwrap();
        let back = network
            .transposed_jacobian_times(&x, u.as_slice().unwrap())
            .unwrap();
        assert_close(&Array1::from(forward), &jacobian.dot(&v), 1e-8);
        assert_close(&Array1::from(back), &jacobian.t().dot(&u), 1e-8);
    }
}

// 000b:D36: a linear network is its own linearisation, J = W for rows of outputs.
#[test]
fn a_linear_network_is_its_own_linearisation() {
    let network = Network::random(&[3, 4, 2], Activation::Identity, Head::REGRESSION, 8).unwrap();
    let product = network
        .weights(1)
        .unwrap()
        .dot(&network.weights(0).unwrap());
    let v = array![0.3, -2.0, 1.0];
    let forward = network
        .jacobian_times(&[9.0, 1.0, -4.0], v.as_slice().unwrap())
        .unwrap();
    assert_close(&Array1::from(forward), &product.dot(&v), 1e-12);
}

// 004:M67 000b:D29: at fixed weights the gradient of a batch is the mean of those of its rows,
// however the batch is cut into pieces.
#[test]
fn the_gradient_of_a_batch_is_the_mean_of_the_gradients_of_its_rows() {
    let network = Network::random(&[4, 6, 2], Activation::Tanh, Head::REGRESSION, 1).unwrap();
    let (x, y) = (random_matrix(3000, 4, 5), random_matrix(3000, 2, 6));
    let (loss, gradient) = network.loss_and_gradient(x.view(), y.view(), 0.0).unwrap();
    let (mut total, mut sum) = (0.0, Array1::zeros(network.n_parameters()));
    for (x, y) in x.rows().into_iter().zip(y.rows()) {
        let (x, y) = (
            x.insert_axis(ndarray::Axis(0)),
            y.insert_axis(ndarray::Axis(0)),
        );
        let (loss, gradient) = network.loss_and_gradient(x, y, 0.0).unwrap();
        total += loss;
        sum += &Array1::from(gradient);
    }
    assert!((loss - total / 3000.0).abs() < 1e-12);
    assert_close(&Array1::from(gradient), &(sum / 3000.0), 1e-12);
}

// 002b:NN-18 001:NN-11: equal weights stay equal, so learning must start from random ones.
#[test]
fn units_with_equal_weights_learn_the_same() {
    let network = Network::random(&[2, 3, 1], Activation::Tanh, Head::REGRESSION, 5).unwrap();
    let equal = network
        .clone()
        .with_parameters(vec![0.3; network.n_parameters()])
        .unwrap();
    let (x, y) = (random_matrix(8, 2, 1), random_matrix(8, 1, 2));
    let (_, gradient) = equal.loss_and_gradient(x.view(), y.view(), 0.0).unwrap();
    for unit in 1..3 {
        assert_eq!(gradient[2 * unit..2 * unit + 2], gradient[..2]);
    }
    let (_, random) = network.loss_and_gradient(x.view(), y.view(), 0.0).unwrap();
    assert_ne!(random[2..4], random[..2]);
}

// 000b:D45 001:NN-06 002b:NN-14: the losses of a network are those of its outputs.
#[test]
fn losses_are_those_of_the_outputs() {
    let (x, y) = (
        random_matrix(5, 2, 1),
        array![[1.0], [0.0], [1.0], [0.3], [0.0]],
    );
    for head in [Head::COINS, Head::REGRESSION] {
        let network = Network::random(&[2, 3, 1], Activation::Relu, head, 4).unwrap();
        let outputs = network.outputs(x.view()).unwrap();
        let (outputs, targets) = (outputs.as_slice().unwrap(), y.as_slice().unwrap());
        let expected = match head.loss() {
            NetworkLoss::CrossEntropy => binary_cross_entropy(outputs, targets),
            _ => squared_error(outputs, targets),
        };
        let (loss, _) = network.loss_and_gradient(x.view(), y.view(), 0.0).unwrap();
        assert!((loss - expected / 5.0).abs() < 1e-13);
        let squares: f64 = (0..2)
            .map(|l| network.weights(l).unwrap().mapv(|w| w * w).sum())
            .sum();
        let (priced, _) = network.loss_and_gradient(x.view(), y.view(), 0.4).unwrap();
        assert!((priced - loss - 0.2 * squares).abs() < 1e-13);
    }
}
