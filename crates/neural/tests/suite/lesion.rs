//! Networks that lose weights lose quality little by little.

use crate::mlp::standardised;
use didact_core::{Fit, Labelled};
use didact_neural::{Activation, Head, Mlp, Network};
use ndarray::Array2;

// 002b:NN-03: accuracy against the share of weights that were removed.
#[test]
fn accuracy_degrades_gracefully_with_the_share_of_lost_weights() {
    let iris = didact_datasets::iris();
    let (x, labels) = (standardised(iris.features()), iris.labels().unwrap());
    let model = Mlp::default()
        .fit(Labelled::new(&x, labels).unwrap())
        .unwrap();
    let accuracy = |network: &Network| {
        let outputs: Array2<f64> = network.outputs(x.view())?;
        let right = outputs
            .rows()
            .into_iter()
            .zip(&labels.indices)
            .filter(|(row, label)| (0..3).all(|k| row[k] <= row[**label]));
        Ok(right.count() as f64 / 150.0)
    };
    let shares = [0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0];
    let curve = model
        .network()
        .lesion_curve(&shares, 20, 1, accuracy)
        .unwrap();
    let scores: Vec<f64> = curve.iter().map(|lesion| lesion.score).collect();
    assert!(scores[0] > 0.95);
    // A tenth of the weights costs a few rows, not the whole ability.
    assert!(scores[2] > 0.85 && scores[1] >= scores[4] && scores[2] >= scores[5]);
    // Without weights only the biases are left, which know no rows.
    assert!(scores[6] < 0.4);
}

#[test]
fn larger_lesions_include_smaller_ones_and_biases_stay() {
    let network = Network::random(&[3, 10, 2], Activation::Relu, Head::CLASSES, 4).unwrap();
    let (small, large) = (
        network.lesioned(0.2, 7).unwrap(),
        network.lesioned(0.6, 7).unwrap(),
    );
    let removed = |lesioned: &Network| lesioned.parameters().iter().filter(|&&w| w == 0.0).count();
    assert_eq!((removed(&small), removed(&large)), (10, 30));
    for (small, large) in small.parameters().iter().zip(large.parameters()) {
        assert!(*small != 0.0 || *large == 0.0);
    }
    assert_eq!(network.biases(0), large.biases(0));
    assert_eq!(network.lesioned(0.0, 7).unwrap(), network);
    assert!(
        network
            .lesioned(1.5, 7)
            .unwrap_err()
            .to_string()
            .starts_with("share is 1.5")
    );
}
