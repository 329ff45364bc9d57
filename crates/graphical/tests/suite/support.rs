//! Networks that several tests ask.

use didact_core::random::generator;
use didact_graphical::{Dag, Network, Variable};
use rand::RngExt;

/// 001:T-21: x1 → x2 ← x3 → x4, where x2 = 1 only where x1 = x3 = 1.
pub(crate) fn four_nodes() -> Network {
    Network::new(vec![
        Variable::root("x1", &[0.01, 0.99]),
        Variable::new(
            "x2",
            &["x1", "x3"],
            &[&[1.0, 0.0], &[1.0, 0.0], &[1.0, 0.0], &[0.0, 1.0]],
        ),
        Variable::root("x3", &[0.01, 0.99]),
        Variable::new("x4", &["x3"], &[&[0.3, 0.7], &[0.8, 0.2]]),
    ])
    .unwrap()
}

/// 001:T-21: edges 1→2, 1→3, 2→4, 3→4, 3→5, 4→5 with the table of x4 from the text.
pub(crate) fn five_nodes() -> Network {
    Network::new(vec![
        Variable::root("x1", &[0.35, 0.65]),
        Variable::new("x2", &["x1"], &[&[0.2, 0.8], &[0.6, 0.4]]),
        Variable::new("x3", &["x1"], &[&[0.7, 0.3], &[0.45, 0.55]]),
        Variable::new(
            "x4",
            &["x2", "x3"],
            &[&[0.0, 1.0], &[1.0, 0.0], &[0.7, 0.3], &[0.1, 0.9]],
        ),
        Variable::new(
            "x5",
            &["x3", "x4"],
            &[&[0.25, 0.75], &[0.5, 0.5], &[0.9, 0.1], &[0.4, 0.6]],
        ),
    ])
    .unwrap()
}

/// A graph whose nodes have up to `most` parents among those before them in a random order.
pub(crate) fn random_graph(nodes: usize, most: usize, seed: u64) -> Dag {
    let mut random = generator(seed, 0);
    let mut order: Vec<usize> = (0..nodes).collect();
    for place in (1..nodes).rev() {
        order.swap(place, random.random_range(0..=place));
    }
    let mut parents = vec![Vec::new(); nodes];
    for place in 1..nodes {
        for _ in 0..random.random_range(0..=most) {
            let parent = order[random.random_range(0..place)];
            if !parents[order[place]].contains(&parent) {
                parents[order[place]].push(parent);
            }
        }
    }
    let names = (0..nodes).map(|node| format!("n{node}")).collect();
    Dag::new(names, parents).unwrap()
}

/// The graph with two or three values per node and random tables without zeros.
pub(crate) fn random_tables(graph: Dag, seed: u64) -> Network {
    let mut random = generator(seed, 1);
    let sizes: Vec<usize> = (0..graph.n_nodes())
        .map(|_| random.random_range(2..4))
        .collect();
    let tables = (0..graph.n_nodes())
        .map(|node| {
            let rows: usize = graph.parents(node).iter().map(|&p| sizes[p]).product();
            (0..rows)
                .flat_map(|_| {
                    let weights: Vec<f64> = (0..sizes[node])
                        .map(|_| random.random::<f64>() + 0.1)
                        .collect();
                    let total: f64 = weights.iter().sum();
                    weights.into_iter().map(move |weight| weight / total)
                })
                .collect()
        })
        .collect();
    Network::from_parts(graph, &sizes, tables).unwrap()
}

/// All combinations of values, the last variable running fastest.
pub(crate) fn combinations(sizes: &[usize]) -> Vec<Vec<usize>> {
    sizes.iter().fold(vec![Vec::new()], |rows, &size| {
        let extended = |row: Vec<usize>| {
            (0..size).map(move |value| {
                let mut longer = row.clone();
                longer.push(value);
                longer
            })
        };
        rows.into_iter().flat_map(extended).collect()
    })
}

#[track_caller]
pub(crate) fn assert_near(found: f64, expected: f64, tolerance: f64) {
    let close =
        found == expected || (found - expected).abs() <= tolerance * expected.abs().max(1.0);
    assert!(close, "{found} instead of {expected}");
}
