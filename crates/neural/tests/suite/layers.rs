//! What flows forward.

use didact_neural::{Activation, Head, Network, Transfer, softmax};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Array2, Axis, array};

// 001:NN-03: identity activations collapse to one affine map; W is out × in.
#[test]
fn layers_without_activation_amount_to_one_affine_map() {
    let network = Network::random(&[3, 5, 2], Activation::Identity, Head::REGRESSION, 1).unwrap();
    let x = random_matrix(9, 3, 2);
    let (w1, w2) = (network.weights(0).unwrap(), network.weights(1).unwrap());
    assert_eq!((w1.dim(), w2.dim()), ((5, 3), (2, 5)));
    let shift = w2.dot(&network.biases(0).unwrap()) + network.biases(1).unwrap();
    let expected = x.dot(&w2.dot(&w1).t()) + &shift;
    assert_close(&network.outputs(x.view()).unwrap(), &expected, 1e-12);
}

// 001:NN-03 000b:D31: a⁽ˡ⁾ = f(W·a + b) by hand, softmax on top with the class as index.
#[test]
fn the_way_forward_is_layer_by_layer() {
    let network = Network::random(&[3, 4, 3], Activation::Relu, Head::CLASSES, 9).unwrap();
    let x = random_matrix(5, 3, 3);
    let activations = network.activations(x.view()).unwrap();
    assert_eq!(activations.len(), 3);
    let hidden =
        (x.dot(&network.weights(0).unwrap().t()) + network.biases(0).unwrap()).mapv(|z| z.max(0.0));
    assert_close(&activations[1], &hidden, 1e-13);
    let scores = hidden.dot(&network.weights(1).unwrap().t()) + network.biases(1).unwrap();
    for (row, scores) in activations[2].rows().into_iter().zip(scores.rows()) {
        assert_close(&row.to_owned(), &softmax(scores.to_slice().unwrap()), 1e-13);
        assert!((row.sum() - 1.0).abs() < 1e-15);
    }
    assert_eq!(network.outputs(x.view()).unwrap(), activations[2]);
}

// 001:NN-04: Σ Sₗ(Sₗ₋₁ + 1) parameters.
#[test]
fn parameters_are_counted_by_the_sizes_of_the_layers() {
    let network = Network::random(&[64, 128, 64, 10], Activation::Relu, Head::CLASSES, 1).unwrap();
    assert_eq!(network.n_parameters(), 128 * 65 + 64 * 129 + 10 * 65);
    assert_eq!(network.sizes(), [64, 128, 64, 10]);
    assert_eq!((network.n_inputs(), network.n_outputs()), (64, 10));
    assert!(network.weights(3).is_none() && network.biases(2).unwrap().len() == 10);
}

// 001:NN-01 003:P96 000a:SUP-31: one neuron is the perceptron or the logistic model, and without
// hidden layers the scores are linear.
#[test]
fn a_network_without_hidden_layers_is_a_neuron() {
    let layer = (array![[1.0, -2.0]], array![0.5]);
    let x = array![[1.0, 1.0], [2.0, 0.0], [-1.0, -0.25]];
    let scores = x.dot(&layer.0.row(0)) + 0.5;
    let linear = Network::from_layers(
        std::slice::from_ref(&layer),
        Activation::Relu,
        Head::REGRESSION,
    )
    .unwrap();
    assert_close(
        &linear.outputs(x.view()).unwrap().column(0).to_owned(),
        &scores,
        1e-15,
    );
    let logistic = Network::from_layers(&[layer], Activation::Relu, Head::COINS).unwrap();
    let sigmoid = Transfer::Logistic { slope: 1.0 };
    let expected = scores.mapv(|z| sigmoid.value(z));
    assert_close(
        &logistic.outputs(x.view()).unwrap().column(0).to_owned(),
        &expected,
        1e-15,
    );
    let signs: Vec<f64> = scores.iter().map(|&z| Transfer::Sign.value(z)).collect();
    assert_eq!(signs, [-1.0, 1.0, 1.0]);
}

// 002b:NN-17: the exclusive or by hand, h₁ = step(x₁+x₂−½), h₂ = step(x₁+x₂−1½), h₁ − h₂ − ½.
#[test]
fn one_hidden_layer_of_steps_solves_the_exclusive_or() {
    for (x, y, expected) in [
        (0.0, 0.0, 0.0),
        (0.0, 1.0, 1.0),
        (1.0, 0.0, 1.0),
        (1.0, 1.0, 0.0),
    ] {
        let step = |z| Transfer::Step.value(z);
        let (first, second) = (step(x + y - 0.5), step(x + y - 1.5));
        assert_eq!(step(first - second - 0.5), expected);
    }
}

// 000b:D31: for two classes the softmax is the logistic function of the difference.
#[test]
fn two_classes_of_a_softmax_are_a_logistic_unit() {
    let (weights, biases) = (random_matrix(2, 3, 4), array![0.2, -0.4]);
    let both = Network::from_layers(
        &[(weights.clone(), biases.clone())],
        Activation::Relu,
        Head::CLASSES,
    )
    .unwrap();
    let difference = (&weights.row(1) - &weights.row(0)).insert_axis(Axis(0));
    let one = Network::from_layers(
        &[(difference, Array1::from(vec![biases[1] - biases[0]]))],
        Activation::Relu,
        Head::COINS,
    )
    .unwrap();
    let x = random_matrix(6, 3, 5);
    let (both, one) = (
        both.outputs(x.view()).unwrap(),
        one.outputs(x.view()).unwrap(),
    );
    assert_close(&both.column(1).to_owned(), &one.column(0).to_owned(), 1e-14);
}

#[test]
fn shapes_that_do_not_fit_are_refused_in_words() {
    let message = |result: didact_core::Result<Network>| result.unwrap_err().to_string();
    let random = |sizes: &[usize]| Network::random(sizes, Activation::Relu, Head::CLASSES, 0);
    assert!(message(random(&[3])).contains("at least the numbers of inputs and outputs"));
    assert!(message(random(&[3, 0, 2])).starts_with("sizes is [3, 0, 2]"));
    let layers = [
        (Array2::zeros((2, 3)), Array1::zeros(2)),
        (Array2::zeros((1, 5)), Array1::zeros(1)),
    ];
    assert!(
        message(Network::from_layers(&layers, Activation::Relu, Head::COINS))
            .contains("fit together")
    );
    let network = random(&[3, 2]).unwrap();
    assert!(network.outputs(array![[1.0]].view()).is_err());
    assert!(network.clone().with_parameters(vec![0.0; 3]).is_err());
    assert!(network.with_parameters(vec![f64::NAN; 8]).is_err());
}
