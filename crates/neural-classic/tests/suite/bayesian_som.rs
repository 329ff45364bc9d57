//! The self-organising mixture.

use didact_core::random::generator;
use didact_core::{Result, Run};
use didact_neural_classic::{
    BayesianSom, GaussianNode, Grid, NodeLaw, OrganisingMixture, Topology,
};
use didact_testing::random_matrix;
use ndarray::{Array2, array};
use rand::RngExt;
use rand_distr::{Distribution, Exp, StandardNormal};

/// 0.3 of N(−2, 0.25) and 0.7 of N(2, 1).
fn two_groups(n: usize) -> Vec<f64> {
    let mut generator = generator(1, 0);
    (0..n)
        .map(|_| {
            let noise: f64 = StandardNormal.sample(&mut generator);
            match generator.random::<f64>() < 0.3 {
                true => -2.0 + 0.5 * noise,
                false => 2.0 + noise,
            }
        })
        .collect()
}

fn start() -> OrganisingMixture<GaussianNode> {
    let node = |mean: f64| GaussianNode::new(vec![mean], array![[4.0]], 1e-6).unwrap();
    let grid = Grid::new(1, 2, Topology::Rectangular);
    OrganisingMixture::new(vec![node(-1.0), node(1.0)], grid, None).unwrap()
}

/// Expectation maximisation from the same start: priors, means and variances.
fn em(values: &[f64]) -> [[f64; 3]; 2] {
    let mut nodes = [[0.5, -1.0, 4.0], [0.5, 1.0, 4.0]];
    for _ in 0..300 {
        let mut sums = [[0.0; 3]; 2];
        for x in values {
            let density = nodes
                .map(|[p, m, v]: [f64; 3]| p * (-(x - m) * (x - m) / (2.0 * v)).exp() / v.sqrt());
            let total: f64 = density.iter().sum();
            for (sum, density) in sums.iter_mut().zip(density) {
                let share = density / total;
                sum[0] += share;
                sum[1] += share * x;
                sum[2] += share * x * x;
            }
        }
        nodes = sums.map(|[n, x, xx]| [n / values.len() as f64, x / n, xx / n - (x / n).powi(2)]);
    }
    nodes
}

// 002b:SM-10: with all nodes in the neighbourhood it is stochastic EM: it recovers priors, means and
// variances, and agrees with EM from the same start.
#[test]
fn the_full_neighbourhood_agrees_with_expectation_maximisation() {
    let values = two_groups(20_000);
    let mut mixture = start();
    for (n, x) in values.iter().enumerate() {
        mixture.learn(&[*x], (n as f64 + 30.0).powf(-0.7)).unwrap();
    }
    let exact = em(&values);
    for (index, expected) in exact.iter().enumerate() {
        let node = &mixture.nodes()[index];
        let found = [
            mixture.priors()[index],
            node.mean()[0],
            node.covariance()[[0, 0]],
        ];
        for (found, expected) in found.iter().zip(expected) {
            // The last rate α is 20000^(−0.7) = 0.001. The variance of the second group has the
            // largest deviation, √(α/2·2σ⁴) = 0.03; three of them.
            assert!((found - expected).abs() < 0.09, "{found} {expected}");
        }
    }
    assert!((exact[0][0] - 0.3).abs() < 0.02 && (exact[1][1] - 2.0).abs() < 0.05);
    let rows = Array2::from_shape_vec((20_000, 1), values.clone()).unwrap();
    let density = |x: f64| -> f64 {
        let of = |[p, m, v]: [f64; 3]| {
            p * (-(x - m) * (x - m) / (2.0 * v)).exp() / (std::f64::consts::TAU * v).sqrt()
        };
        exact.iter().map(|node| of(*node)).sum()
    };
    let best = values.iter().map(|x| density(*x).ln()).sum::<f64>() / 20_000.0;
    let reached = mixture.mean_log_likelihood(rows.view()).unwrap();
    assert!(reached <= best + 1e-9 && best - reached < 0.002);
}

// 002b:SM-10: P += α[P̂ − P] keeps the sum at one; with the printed minus sign priors run away.
#[test]
fn priors_follow_the_posterior_and_keep_their_sum() {
    let mut mixture = start();
    let mut printed = [0.5, 0.5];
    for x in two_groups(500) {
        let posterior = mixture.posterior(&[x]).unwrap();
        let before = mixture.priors().to_vec();
        mixture.learn(&[x], 0.05).unwrap();
        for index in 0..2 {
            let expected = before[index] + 0.05 * (posterior[index] - before[index]);
            assert!((mixture.priors()[index] - expected).abs() < 1e-12);
            printed[index] -= 0.05 * (posterior[index] - printed[index]);
        }
        assert!((mixture.priors().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    assert!(printed.iter().any(|prior| !(0.0..=1.0).contains(prior)));
}

// 002b:SM-10: nodes outside the neighbourhood of the winner keep their means and lose prior.
#[test]
fn only_nodes_near_the_winner_learn() {
    let node = |mean: f64| GaussianNode::new(vec![mean], array![[1.0]], 1e-6).unwrap();
    let grid = Grid::new(1, 4, Topology::Rectangular);
    let nodes = [0.0, 1.0, 2.0, 3.0].map(node).to_vec();
    let mut mixture = OrganisingMixture::new(nodes, grid, Some(1.0)).unwrap();
    let winner = mixture.learn(&[-0.5], 0.2).unwrap();
    assert_eq!(winner, 0);
    let means: Vec<f64> = mixture.nodes().iter().map(|node| node.mean()[0]).collect();
    assert!(means[0] < 0.0 && means[1] < 1.0);
    assert_eq!(means[2..], [2.0, 3.0]);
    assert_eq!(mixture.priors()[2], 0.25 * 0.8);
    assert!((mixture.priors().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert_eq!(mixture.winner(&[2.9]).unwrap(), 3);
    assert!(mixture.learn(&[0.0], 1.5).is_err());
}

/// The law of waiting times, rate·e^(−rate·x), in the coordinate ln rate.
struct Waiting {
    rate: f64,
}

impl NodeLaw for Waiting {
    fn log_density(&self, row: &[f64]) -> f64 {
        self.rate.ln() - self.rate * row[0]
    }

    fn climb(&mut self, row: &[f64], step: f64) -> Result<()> {
        // ∂ ln p/∂ ln rate = 1 − rate·x.
        self.rate *= (step * (1.0 - self.rate * row[0])).exp();
        Ok(())
    }
}

// 002b:SM-10: any family of laws, through the gradient of its log-density.
#[test]
fn other_laws_learn_by_their_gradient() {
    let mut generator = generator(2, 0);
    let grid = Grid::new(1, 2, Topology::Rectangular);
    let nodes = vec![Waiting { rate: 0.5 }, Waiting { rate: 3.0 }];
    let mut mixture = OrganisingMixture::new(nodes, grid, None).unwrap();
    for n in 0..40_000 {
        let rate = if generator.random::<f64>() < 0.5 {
            0.1
        } else {
            10.0
        };
        let x: f64 = Exp::new(rate).unwrap().sample(&mut generator);
        mixture
            .learn(&[x], (f64::from(n) + 30.0).powf(-0.8))
            .unwrap();
    }
    let [slow, fast] = [mixture.nodes()[0].rate, mixture.nodes()[1].rate];
    assert!(
        (slow / 0.1 - 1.0).abs() < 0.15 && (fast / 10.0 - 1.0).abs() < 0.15,
        "{slow} {fast}"
    );
    assert!((mixture.priors()[0] - 0.5).abs() < 0.03);
}

#[test]
fn a_map_of_gaussians_fits_groups_and_awkward_rows() {
    let mut rows = random_matrix(300, 2, 3) * 0.3;
    for (index, mut row) in rows.rows_mut().into_iter().enumerate() {
        row += 3.0 * (index % 3) as f64;
    }
    let map = BayesianSom {
        grid_columns: 3,
        ..BayesianSom::default()
    };
    let run = Run::new();
    let (mixture, trace) = map.fit(rows.view(), &run).unwrap();
    let winners: Vec<usize> = (0..3)
        .map(|row| mixture.winner(rows.row(row).as_slice().unwrap()).unwrap())
        .collect();
    // Three groups in a line lie on the line of the grid in order.
    assert!(winners == [0, 1, 2] || winners == [2, 1, 0], "{winners:?}");
    assert!(trace.objectives.last().unwrap() > &trace.objectives[0]);
    for rows in [
        Array2::from_elem((20, 2), 4.0),
        random_matrix(3, 5, 4),
        array![[1.0, 2.0]],
    ] {
        let (mixture, _) = map.fit(rows.view(), &run).unwrap();
        assert!(
            mixture
                .mean_log_likelihood(rows.view())
                .unwrap()
                .is_finite()
        );
    }
    let steep = BayesianSom { power: 0.4, ..map };
    assert!(steep.fit(rows.view(), &run).is_err());
}
