//! Single units: transfer functions, gates, radial units.

use didact_neural_classic::{Gate, Transfer, Unit, layers_output};
use proptest::prelude::*;

const INPUTS: [[f64; 2]; 4] = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];

fn threshold(bias: f64, weights: [f64; 2]) -> Unit {
    Unit {
        bias,
        weights: weights.to_vec(),
        transfer: Transfer::Step,
    }
}

// 002b:NN-04: the bias is the weight of a constant input; the published weights of the gates.
#[test]
fn one_threshold_unit_computes_each_gate() {
    let gates = [
        (Gate::And, (-1.5, 1.0), [0.0, 0.0, 0.0, 1.0]),
        (Gate::Or, (-0.5, 1.0), [0.0, 1.0, 1.0, 1.0]),
        (Gate::Nand, (1.5, -1.0), [1.0, 1.0, 1.0, 0.0]),
        (Gate::Nor, (0.5, -1.0), [1.0, 0.0, 0.0, 0.0]),
    ];
    for (gate, (bias, weight), table) in gates {
        let unit = gate.unit(2);
        assert_eq!(unit, threshold(bias, [weight, weight]));
        for (input, expected) in INPUTS.iter().zip(table) {
            assert_eq!(unit.output(input).unwrap(), expected);
        }
    }
    let three = Gate::And.unit(3);
    assert_eq!(three.output(&[1.0, 1.0, 1.0]).unwrap(), 1.0);
    assert_eq!(three.output(&[1.0, 0.0, 1.0]).unwrap(), 0.0);
    assert!(three.output(&[1.0, 1.0]).is_err());
}

proptest! {
    // 002b:NN-04: no threshold unit computes exclusive or; one hidden layer does.
    #[test]
    fn no_single_threshold_unit_computes_exclusive_or(
        bias in -5.0..5.0_f64, first in -5.0..5.0_f64, second in -5.0..5.0_f64,
    ) {
        let unit = threshold(bias, [first, second]);
        let table: Vec<f64> = INPUTS.iter().map(|input| unit.output(input).unwrap()).collect();
        prop_assert!(table != [0.0, 1.0, 1.0, 0.0]);
    }
}

#[test]
fn one_hidden_layer_computes_exclusive_or() {
    let hidden = vec![threshold(-0.5, [1.0, 1.0]), threshold(-1.5, [1.0, 1.0])];
    let network = [hidden, vec![threshold(-0.5, [1.0, -1.0])]];
    for (input, expected) in INPUTS.iter().zip([0.0, 1.0, 1.0, 0.0]) {
        assert_eq!(layers_output(&network, input).unwrap(), [expected]);
    }
}

// 002b:NN-05: values and derivatives, tanh(x) = 2·logistic(2x) − 1, step(0) = 1.
#[test]
fn transfer_functions_have_their_values_and_derivatives() {
    let functions = [
        Transfer::Linear,
        Transfer::Tanh,
        Transfer::Logistic { slope: 1.7 },
        Transfer::Radial { alpha: 0.6 },
    ];
    for function in functions {
        for sum in [-2.0, -0.3, 0.0, 0.4, 1.9] {
            let h = 1e-5;
            let slope = (function.of(sum + h) - function.of(sum - h)) / (2.0 * h);
            assert!(
                (function.derivative(sum) - slope).abs() < 1e-9,
                "{function:?}"
            );
        }
    }
    assert_eq!(Transfer::Step.of(0.0), 1.0);
    assert_eq!(Transfer::Step.of(-1e-300), 0.0);
    for x in [-800.0, -3.0, 0.1, 5.0, 800.0] {
        let logistic = Transfer::Logistic { slope: 1.0 }.of(2.0 * x);
        assert!((Transfer::Tanh.of(x) - (2.0 * logistic - 1.0)).abs() < 1e-15);
    }
}

// 002b:NN-08: e^(−α(x₁ + x₂ − 1)²) is 1 on (0, 1) and (1, 0) and e^(−5) = 0.0067 on the others.
#[test]
fn one_radial_unit_computes_exclusive_or() {
    let unit = Unit {
        bias: -1.0,
        weights: vec![1.0, 1.0],
        transfer: Transfer::Radial { alpha: 5.0 },
    };
    for (input, expected) in INPUTS.iter().zip([false, true, true, false]) {
        let output = unit.output(input).unwrap();
        let exact = if expected { 1.0 } else { (-5.0_f64).exp() };
        assert!((output - exact).abs() < 1e-15);
        assert_eq!(output > 0.5, expected);
    }
    assert!(((-5.0_f64).exp() - 0.0067).abs() < 5e-5);
}
