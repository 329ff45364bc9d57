//! Ranking labels of which several may be right.

use didact_core::{Run, Samples};
use didact_neural::{Activation, DeepRankingSvm, Head, Network, NetworkLoss, OutputActivation};
use didact_optimize::check_gradient;
use didact_testing::random_matrix;
use ndarray::Array2;

/// Label k is right where feature k is positive, the last where the first two have one sign.
fn task(n: usize, seed: u64) -> (Array2<f64>, Array2<f64>) {
    let x = random_matrix(n, 3, seed);
    let right = Array2::from_shape_fn((n, 4), |(row, k)| match k {
        3 => f64::from(x[[row, 0]] * x[[row, 1]] > 0.0),
        k => f64::from(x[[row, k]] > 0.0),
    });
    (x, right)
}

/// The share of pairs of a right and a wrong label that are in the wrong order.
fn ranking_loss(scores: &Array2<f64>, right: &Array2<f64>) -> f64 {
    let (mut wrong, mut all) = (0.0, 0.0);
    for (scores, right) in scores.rows().into_iter().zip(right.rows()) {
        for r in (0..4).filter(|&r| right[r] == 1.0) {
            for s in (0..4).filter(|&s| right[s] == 0.0) {
                all += 1.0;
                wrong += f64::from(scores[r] <= scores[s]);
            }
        }
    }
    wrong / all
}

// 000a:SUP-31 000a:SUP-32
#[test]
fn right_labels_are_ranked_above_wrong_ones() {
    let ((x, right), (fresh, truth)) = (task(300, 1), task(200, 2));
    let ranker = DeepRankingSvm {
        max_iter: 300,
        ..DeepRankingSvm::default()
    };
    let model = ranker.fit(Samples::from(&x), &right, &Run::new()).unwrap();
    let losses = &model.trace().objectives;
    assert!(losses.last().unwrap() < &(0.4 * losses[0]));
    let loss = ranking_loss(&model.scores(&fresh).unwrap(), &truth);
    assert!(loss < 0.08, "{loss}");
    // No hidden layer is the linear scorer, which cannot know the product of two signs.
    let linear = DeepRankingSvm {
        hidden_layer_sizes: vec![],
        ..ranker.clone()
    };
    let linear = linear.fit(Samples::from(&x), &right, &Run::new()).unwrap();
    assert_eq!(linear.network().sizes(), [3, 4]);
    assert!(ranking_loss(&linear.scores(&fresh).unwrap(), &truth) > loss);
    let pretrained = DeepRankingSvm {
        pretrain_iter: 3,
        ..ranker
    };
    let pretrained = pretrained
        .fit(Samples::from(&x), &right, &Run::new())
        .unwrap();
    assert!(ranking_loss(&pretrained.scores(&fresh).unwrap(), &truth) < 0.12);
}

// 000a:SUP-32: the gradient of the whole network.
#[test]
fn gradients_of_the_ranking_loss_agree_with_finite_differences() {
    let (x, right) = task(9, 3);
    let head = Head::new(OutputActivation::Identity, NetworkLoss::Ranking).unwrap();
    for activation in [Activation::Logistic, Activation::Relu] {
        let network = Network::random(&[3, 5, 4], activation, head, 2).unwrap();
        let mut objective = |parameters: &[f64], gradient: &mut [f64]| {
            let moved = network.clone().with_parameters(parameters.to_vec())?;
            let (loss, found) = moved.loss_and_gradient(x.view(), right.view(), 0.1)?;
            gradient.copy_from_slice(&found);
            Ok(loss)
        };
        let check = check_gradient(&mut objective, network.parameters()).unwrap();
        assert!(check.relative_error < 1e-8, "{check:?}");
    }
}

#[test]
fn labels_other_than_zero_and_one_are_refused() {
    let (x, right) = task(9, 3);
    let fit =
        |right: &Array2<f64>| DeepRankingSvm::default().fit(Samples::from(&x), right, &Run::new());
    assert!(
        fit(&(&right * 2.0))
            .unwrap_err()
            .to_string()
            .contains("a label is 2")
    );
    assert!(
        fit(&Array2::zeros((3, 4)))
            .unwrap_err()
            .to_string()
            .contains("3×4 for 9 rows")
    );
    let relu = DeepRankingSvm {
        pretrain_iter: 1,
        activation: Activation::Relu,
        ..DeepRankingSvm::default()
    };
    assert!(relu.fit(Samples::from(&x), &right, &Run::new()).is_err());
}
