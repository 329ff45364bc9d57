//! Labels on graphs that are given.

use crate::data::{laplacian, path, random_graph};
use didact_core::{Cancel, Csr, Error, Rows, Run};
use didact_math::graph::{LaplacianKind, quadratic_form};
use didact_math::linalg::solve;
use didact_semi_supervised::{GraphPropagation, LabelConstraint, Propagation};
use didact_testing::assert_close;
use ndarray::{Array1, Array2, array, s};
use proptest::prelude::*;

fn propagate(graph: &Csr, labels: &[Option<usize>], classes: usize) -> Propagation {
    GraphPropagation::default()
        .solve(Rows::Sparse(graph.view()), labels, classes, &Run::new())
        .unwrap()
}

fn spread(graph: &Csr, labels: &[Option<usize>], classes: usize, label_weight: f64) -> Propagation {
    GraphPropagation {
        constraint: LabelConstraint::Soft { label_weight },
        ..GraphPropagation::default()
    }
    .solve(Rows::Sparse(graph.view()), labels, classes, &Run::new())
    .unwrap()
}

/// Every seventh node is labelled, in turn with each class.
fn some_labels(n: usize, classes: usize) -> Vec<Option<usize>> {
    (0..n)
        .map(|i| (i % 7 == 0).then_some((i / 7) % classes))
        .collect()
}

/// f_U = (D_UU − S_UU)⁻¹ S_UL y_L, written out.
fn closed_form(graph: &Csr, labels: &[Option<usize>], classes: usize) -> Array2<f64> {
    let laplacian = laplacian(graph);
    let of = |known: bool| -> Vec<usize> {
        (0..labels.len())
            .filter(|&i| labels[i].is_some() == known)
            .collect()
    };
    let (known, unknown) = (of(true), of(false));
    let block = |rows: &[usize], columns: &[usize]| {
        Array2::from_shape_fn((rows.len(), columns.len()), |(i, j)| {
            laplacian[[rows[i], columns[j]]]
        })
    };
    let codes = Array2::from_shape_fn((known.len(), classes), |(i, class)| {
        f64::from(labels[known[i]] == Some(class))
    });
    let right = -block(&unknown, &known).dot(&codes);
    let inner = solve(block(&unknown, &unknown).view(), right.view()).unwrap();
    let mut all = Array2::zeros((labels.len(), classes));
    for (place, &node) in unknown.iter().enumerate() {
        all.row_mut(node).assign(&inner.row(place));
    }
    for (place, &node) in known.iter().enumerate() {
        all.row_mut(node).assign(&codes.row(place));
    }
    all
}

// 000a:SSL-07, 000a:fx-D19: paths of three and four nodes with labels at their ends.
#[test]
fn labels_fall_evenly_along_a_path() {
    let found = propagate(&path(3), &[Some(1), None, Some(0)], 2);
    assert_close(
        &found.distributions.column(1).to_owned(),
        &array![1.0, 0.5, 0.0],
        1e-15,
    );
    let found = propagate(&path(4), &[Some(1), None, None, Some(0)], 2);
    let expected = array![1.0, 2.0 / 3.0, 1.0 / 3.0, 0.0];
    assert_close(&found.distributions.column(1).to_owned(), &expected, 1e-15);
    assert!(found.trace.is_none());
}

// 000a:SSL-07: the closed form, by elimination and by conjugate gradients.
#[test]
fn few_and_many_nodes_follow_the_closed_form() {
    for n in [60, 700] {
        let graph = random_graph(n, 8, 1);
        let labels = some_labels(n, 3);
        let found = propagate(&graph, &labels, 3);
        assert_eq!(found.trace.is_some(), n == 700);
        let expected = closed_form(&graph, &labels, 3);
        // A converged optimum: one more sweep changes at most 1e-10.
        assert_close(
            &found.distributions,
            &expected,
            if n == 60 { 1e-12 } else { 1e-8 },
        );
    }
}

// 000a:SSL-07, Alg. 11: averaging again and again ends where the system is solved.
#[test]
fn the_solution_is_where_averaging_ends() {
    let n = 80;
    let graph = random_graph(n, 6, 2);
    let labels = some_labels(n, 2);
    let found = propagate(&graph, &labels, 2).distributions;
    let mut f: Array1<f64> = labels
        .iter()
        .map(|label| f64::from(*label == Some(1)))
        .collect();
    for _ in 0..5_000 {
        for node in (0..n).filter(|&node| labels[node].is_none()) {
            let (columns, weights) = graph.view().row(node);
            let sum: f64 = columns
                .iter()
                .zip(weights)
                .map(|(&j, w)| w * f[j as usize])
                .sum();
            f[node] = sum / weights.iter().sum::<f64>();
        }
    }
    assert_close(&found.column(1).to_owned(), &f, 1e-12);
}

// 000a:SSL-07: a component without a label has no solution of its own; ours is the class shares.
#[test]
fn nodes_that_no_label_reaches_have_the_shares_of_the_classes() {
    let graph = Csr::from_rows(
        &[
            vec![(1, 1.0)],
            vec![(0, 1.0), (2, 1.0)],
            vec![(1, 1.0)],
            vec![(4, 1.0)],
            vec![(3, 1.0)],
            vec![],
        ],
        6,
    )
    .unwrap();
    let labels = [Some(0), Some(1), Some(1), None, None, None];
    for found in [
        propagate(&graph, &labels, 3),
        spread(&graph, &labels, 3, 1.0),
    ] {
        assert_eq!(found.is_reached, [true, true, true, false, false, false]);
        for node in 3..6 {
            let expected = [1.0 / 3.0, 2.0 / 3.0, 0.0];
            assert_eq!(found.distributions.row(node).to_vec(), expected);
            assert_eq!(found.labels()[node], 1);
        }
    }
}

// 000a:SSL-06: fᵀLf; a constant function has none.
#[test]
fn smoothness_is_the_quadratic_form_and_constant_labels_have_none() {
    let graph = random_graph(50, 5, 3);
    let found = propagate(&graph, &some_labels(50, 3), 3);
    let form = |class: usize| {
        let function = found.distributions.column(class);
        quadratic_form(graph.view(), function, LaplacianKind::Unnormalised).unwrap()
    };
    let expected: f64 = (0..3).map(form).sum();
    assert!((found.smoothness - expected).abs() <= 1e-12 * expected);
    let same = propagate(&graph, &some_labels(50, 1), 1);
    assert_eq!(same.smoothness, 0.0);
}

// 000a:SSL-06: S_ii = 1 or 0 makes no difference, for few nodes and for many.
#[test]
fn loops_change_nothing() {
    for n in [40, 620] {
        let graph = random_graph(n, 5, 4);
        let labels = some_labels(n, 2);
        let mut looped = graph.view().to_dense();
        looped.diag_mut().fill(1.0);
        let plain = propagate(&graph, &labels, 2).distributions;
        let found = GraphPropagation::default()
            .solve(Rows::Dense(looped.view()), &labels, 2, &Run::new())
            .unwrap();
        assert_close(&found.distributions, &plain, 1e-8);
    }
}

#[test]
fn groups_that_hang_by_a_thread_follow_the_stronger_thread() {
    // The pair in the middle is tied to one label by 1e-40 and to the other by 3e-40, so a walk
    // from it ends in the second with probability 3/4. Subtractions would lose all of this.
    let graph = Csr::from_rows(
        &[
            vec![(1, 1e-40)],
            vec![(0, 1e-40), (2, 1.0)],
            vec![(1, 1.0), (3, 3e-40)],
            vec![(2, 3e-40)],
        ],
        4,
    )
    .unwrap();
    let found = propagate(&graph, &[Some(0), None, None, Some(1)], 2);
    for node in [1, 2] {
        assert!((found.distributions[[node, 1]] - 0.75).abs() < 1e-14);
    }
}

// 000a:SSL-08, 000a:fx-D19: λ is that of the printed update; the printed objective needs λ/2.
#[test]
fn the_price_of_labels_is_that_of_the_printed_update() {
    let labels = [Some(1), None, Some(0)];
    let update = spread(&path(3), &labels, 2, 1.0).distributions;
    assert_close(
        &update.column(1).to_owned(),
        &array![0.75, 0.5, 0.25],
        1e-14,
    );
    let objective = spread(&path(3), &labels, 2, 0.5).distributions;
    let expected = array![2.0 / 3.0, 0.5, 1.0 / 3.0];
    assert_close(&objective.column(1).to_owned(), &expected, 1e-14);
}

// 000a:SSL-08: (L + λJ)f = λJy, by elimination and by conjugate gradients.
#[test]
fn soft_labels_solve_their_linear_system() {
    for n in [50, 600] {
        let graph = random_graph(n, 8, 5);
        let labels = some_labels(n, 3);
        let found = spread(&graph, &labels, 3, 0.7);
        let mut residual = laplacian(&graph).dot(&found.distributions);
        for (node, label) in labels.iter().enumerate() {
            if let Some(label) = *label {
                let mut row = residual.row_mut(node);
                row.scaled_add(0.7, &found.distributions.row(node));
                row[label] -= 0.7;
            }
        }
        let worst = residual
            .iter()
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        assert!(worst < if n == 50 { 1e-13 } else { 1e-8 }, "{worst:e}");
    }
}

// 000a:SSL-08: λ→∞ is the hard form, λ→0 the mean of the labels.
#[test]
fn the_price_goes_from_the_mean_of_the_labels_to_fixed_labels() {
    let graph = random_graph(70, 6, 6);
    let labels = some_labels(70, 3);
    let hard = propagate(&graph, &labels, 3).distributions;
    assert_close(&spread(&graph, &labels, 3, 1e12).distributions, &hard, 1e-9);
    let mean = spread(&graph, &labels, 3, 1e-12).distributions;
    // Of the ten labels four are of the first class.
    let expected = Array2::from_shape_fn((70, 3), |(_, class)| [0.4, 0.3, 0.3][class]);
    assert_close(&mean, &expected, 1e-8);
}

#[test]
fn two_labels_share_a_thousand_nodes_between_them() {
    // Conjugate gradients on a long path, the hardest graph for averaging: 1 − i/(n − 1).
    let n = 1_201;
    let mut labels = vec![None; n];
    (labels[0], labels[n - 1]) = (Some(1), Some(0));
    let found = propagate(&path(n), &labels, 2);
    let expected: Array1<f64> = (0..n).map(|i| 1.0 - i as f64 / (n - 1) as f64).collect();
    assert_close(&found.distributions.column(1).to_owned(), &expected, 1e-6);
    assert!(found.trace.unwrap().n_iter() <= n);
}

#[test]
fn graphs_that_are_none_are_refused_with_the_reason() {
    let complain = |weights: &Array2<f64>, labels: &[Option<usize>], price: f64| {
        GraphPropagation {
            constraint: LabelConstraint::Soft {
                label_weight: price,
            },
            ..GraphPropagation::default()
        }
        .solve(Rows::Dense(weights.view()), labels, 2, &Run::new())
        .unwrap_err()
        .to_string()
    };
    let labels = [Some(0), None];
    let good = array![[0.0, 1.0], [1.0, 0.0]];
    assert!(complain(&array![[0.0, 1.0], [2.0, 0.0]], &labels, 1.0).contains("symmetric"));
    assert!(complain(&array![[0.0, -1.0], [-1.0, 0.0]], &labels, 1.0).contains("not below 0"));
    assert!(complain(&array![[0.0, 1.0]], &labels, 1.0).contains("square"));
    assert!(complain(&good, &labels[..1], 1.0).contains("1 labels for a graph of 2 nodes"));
    assert!(complain(&good, &[None, None], 1.0).contains("no row has a class"));
    assert!(complain(&good, &[Some(2), None], 1.0).contains("only 2 classes"));
    assert!(complain(&good, &labels, 0.0).starts_with("label_weight is 0"));
}

#[test]
fn a_cancelled_run_stops() {
    let cancel = Cancel::new();
    cancel.cancel();
    let run = Run::new().cancelled_by(&cancel);
    for n in [20, 600] {
        let graph = random_graph(n, 5, 1);
        let stopped = GraphPropagation::default().solve(
            Rows::Sparse(graph.view()),
            &some_labels(n, 2),
            2,
            &run,
        );
        assert!(matches!(stopped, Err(Error::Cancelled)));
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let graph = random_graph(3_000, 8, 7);
    let labels = some_labels(3_000, 3);
    let found = |threads: usize| {
        let run = Run::new().threads(threads);
        let found = run.install(|| {
            GraphPropagation::default().solve(Rows::Sparse(graph.view()), &labels, 3, &run)
        });
        found.unwrap().distributions
    };
    assert_eq!(found(1), found(2));
    assert_eq!(found(1), found(4));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    // 000a:SSL-07: the maximum principle, and rows that sum to one.
    #[test]
    fn distributions_lie_between_the_labels(
        n in 10usize..60,
        k in 2usize..5,
        every in 2usize..9,
        seed: u64,
    ) {
        let graph = random_graph(n, k, seed);
        let labels: Vec<_> = (0..n).map(|i| (i % every == 0).then_some(i / every % 2)).collect();
        for found in [propagate(&graph, &labels, 2), spread(&graph, &labels, 2, 0.3)] {
            for row in found.distributions.rows() {
                prop_assert!(row.iter().all(|share| (0.0..=1.0).contains(share)));
                prop_assert!((row.sum() - 1.0).abs() < 1e-12);
            }
        }
        // Within the part of node 0, only what its labels are.
        let found = propagate(&graph, &labels, 2);
        let inner = found.distributions.slice(s![.., 0]);
        prop_assert!(inner.iter().all(|share| (0.0..=1.0).contains(share)));
    }
}
