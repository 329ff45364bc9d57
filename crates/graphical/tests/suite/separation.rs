//! Independence by the graph and by number.

use crate::support::{assert_near, five_nodes, four_nodes, random_graph, random_tables};
use didact_graphical::{Dag, Gate, Network, Variable};

fn three(edges: &[(&str, &str)]) -> Dag {
    Dag::from_edges(&["a", "b", "c"], edges).unwrap()
}

// 001:BN-11: six cases, and the rule of the descendant that the text leaves out.
#[test]
fn gates_open_and_close_by_the_truth_table() {
    let cases = [
        (three(&[("a", "b"), ("b", "c")]), Gate::Chain, true),
        (three(&[("b", "a"), ("b", "c")]), Gate::CommonCause, true),
        (three(&[("a", "b"), ("c", "b")]), Gate::CommonEffect, false),
    ];
    for (graph, gate, open_when_unknown) in cases {
        assert_eq!(graph.gate("a", "b", "c").unwrap(), gate);
        for known in [false, true] {
            let open = open_when_unknown != known;
            assert_eq!(gate.is_open(known, false), open);
            let given: &[&str] = if known { &["b"] } else { &[] };
            assert_eq!(graph.d_separated(&["a"], &["c"], given).unwrap(), !open);
        }
    }
    assert!(Gate::CommonEffect.is_open(false, true));
    assert!(!Gate::Chain.is_open(true, true) && Gate::CommonCause.is_open(false, true));
    let chain = three(&[("a", "b"), ("b", "c")]);
    assert!(chain.gate("a", "c", "b").is_err() && chain.gate("a", "b", "a").is_err());
}

// 001:BN-11, 001:BN-12: knowing a descendant of a common effect opens it.
#[test]
fn a_known_descendant_opens_a_common_effect() {
    let names = ["a", "b", "effect", "child", "grandchild"];
    let edges = [
        ("a", "effect"),
        ("b", "effect"),
        ("effect", "child"),
        ("child", "grandchild"),
    ];
    let graph = Dag::from_edges(&names, &edges).unwrap();
    assert!(graph.d_separated(&["a"], &["b"], &[]).unwrap());
    for known in ["effect", "child", "grandchild"] {
        let path = graph.open_path(&["a"], &["b"], &[known]).unwrap().unwrap();
        assert_eq!(path.nodes, ["a", "effect", "b"]);
        assert_eq!(path.gates, [Gate::CommonEffect]);
    }
}

// 001:T-21: the verdicts on the three networks of the text.
#[test]
fn the_verdicts_on_the_printed_networks_hold() {
    let (four, five) = (four_nodes(), five_nodes());
    let collider = three(&[("a", "c"), ("b", "c")]);
    assert!(collider.d_separated(&["a"], &["b"], &[]).unwrap());
    assert!(!collider.d_separated(&["a"], &["b"], &["c"]).unwrap());
    let verdicts: [(&Network, &str, &str, &[&str], bool); 13] = [
        (&four, "x1", "x3", &[], true),
        (&four, "x1", "x3", &["x2"], false),
        (&four, "x1", "x4", &[], true),
        (&four, "x1", "x4", &["x2"], false),
        (&four, "x1", "x4", &["x2", "x3"], true),
        (&four, "x2", "x4", &["x3"], true),
        (&five, "x2", "x3", &["x1"], true),
        (&five, "x2", "x3", &["x1", "x4"], false),
        (&five, "x2", "x3", &["x1", "x5"], false),
        (&five, "x1", "x4", &["x2", "x3"], true),
        (&five, "x1", "x5", &["x3", "x4"], true),
        (&five, "x2", "x5", &["x3", "x4"], true),
        (&five, "x2", "x5", &["x4"], false),
    ];
    for (network, x, y, given, expected) in verdicts {
        let found = network.graph().d_separated(&[x], &[y], given).unwrap();
        assert_eq!(found, expected, "{x} and {y} given {given:?}");
        let numbers = network.independence(x, y, given, 1e-12).unwrap();
        assert_eq!(
            numbers.independent, expected,
            "{x} and {y} given {given:?} by number"
        );
    }
}

// 001:BN-12: sets are separated where every pair of their members is.
#[test]
fn sets_are_separated_where_all_their_members_are() {
    let graph = five_nodes().graph().clone();
    let verdict = |x: &[&str], y: &[&str], given: &[&str]| graph.d_separated(x, y, given).unwrap();
    assert!(verdict(&["x1"], &["x4", "x5"], &["x2", "x3"]));
    assert!(verdict(&["x1", "x2"], &["x5"], &["x3", "x4"]));
    assert!(!verdict(&["x1", "x2"], &["x5"], &["x4"]));
    assert!(!verdict(&["x1", "x3"], &["x4", "x5"], &["x2"]));
    assert!(verdict(&[], &["x5"], &[]));
}

// 001:BN-12: the explanation is a path whose gates are all open.
#[test]
fn the_open_path_is_printed_with_what_is_known() {
    let graph = four_nodes().graph().clone();
    let path = graph.open_path(&["x1"], &["x4"], &["x2"]).unwrap().unwrap();
    assert_eq!(path.to_string(), "x1 → [x2] ← x3 → x4");
    assert_eq!(path.gates, [Gate::CommonEffect, Gate::CommonCause]);
    assert_eq!(
        graph.open_path(&["x1"], &["x4"], &["x2", "x3"]).unwrap(),
        None
    );
    // What is known depends on nothing any more; what is on both sides depends on itself.
    assert_eq!(graph.open_path(&["x1"], &["x2"], &["x1"]).unwrap(), None);
    assert_eq!(graph.open_path(&["x1"], &["x2"], &["x2"]).unwrap(), None);
    let same = graph
        .open_path(&["x1", "x4"], &["x4"], &[])
        .unwrap()
        .unwrap();
    assert_eq!(same.nodes, ["x4"]);
    let error = graph.d_separated(&["x9"], &["x1"], &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "variable is x9; it must be one of x1, x2, x3, x4"
    );
}

/// The test of the moral graph: marry the parents in the graph of the ancestors, drop directions
/// and what is known, and see whether a way is left.
fn separated_by_moral_graph(graph: &Dag, x: usize, y: usize, given: &[usize]) -> bool {
    let all: Vec<usize> = [x, y].iter().chain(given).copied().collect();
    let kept = graph.with_ancestors(&all);
    let mut linked = vec![vec![false; graph.n_nodes()]; graph.n_nodes()];
    for child in (0..graph.n_nodes()).filter(|&node| kept[node]) {
        let mut family = graph.parents(child).to_vec();
        family.push(child);
        for &left in &family {
            family.iter().for_each(|&right| linked[left][right] = true);
        }
    }
    let mut reached = vec![false; graph.n_nodes()];
    let mut waiting = vec![x];
    while let Some(node) = waiting.pop() {
        if !reached[node] && !given.contains(&node) {
            reached[node] = true;
            waiting.extend((0..graph.n_nodes()).filter(|&other| linked[node][other]));
        }
    }
    !reached[y]
}

// 001:BN-12: two ways to the same verdict, and numbers that agree with both.
#[test]
fn bayes_ball_agrees_with_the_moral_graph_and_with_random_tables() {
    let (mut separated, mut connected) = (0, 0);
    for seed in 0..60 {
        let graph = random_graph(7, 2, seed);
        let network = random_tables(graph.clone(), seed);
        let names: Vec<&str> = graph.names().iter().map(String::as_str).collect();
        for (x, y) in [(0, 1), (2, 5), (6, 3)] {
            let sets: [&[usize]; 3] = [&[], &[4], &[4, (x + 3) % 7]];
            for given in sets.map(|set| {
                let others = set.iter().copied().filter(|&node| node != x && node != y);
                others.collect::<Vec<_>>()
            }) {
                let known: Vec<&str> = given.iter().map(|&node| names[node]).collect();
                let path = graph.open_path(&[names[x]], &[names[y]], &known).unwrap();
                let verdict = path.is_none();
                assert_eq!(
                    verdict,
                    separated_by_moral_graph(&graph, x, y, &given),
                    "{seed}"
                );
                let numbers = network
                    .independence(names[x], names[y], &known, 1e-12)
                    .unwrap();
                if verdict {
                    separated += 1;
                    assert!(numbers.independent, "{seed}: {numbers:?}");
                } else {
                    connected += 1;
                    // Random tables are dependent wherever the graph allows it.
                    assert!(numbers.largest_deviation > 1e-10, "{seed}: {numbers:?}");
                    let path = path.unwrap();
                    let mut nodes = path.nodes.clone();
                    nodes.sort();
                    nodes.dedup();
                    assert_eq!(nodes.len(), path.nodes.len(), "no node comes twice");
                }
            }
        }
    }
    assert!(separated > 50 && connected > 50, "{separated} {connected}");
}

// 001:BN-04: parentless nodes are independent of non-descendants while nothing is known, but not
// of "all other nodes" as the text words it.
#[test]
fn roots_are_independent_of_all_but_their_descendants() {
    let network = four_nodes();
    let graph = network.graph();
    let below = graph.with_descendants(&[graph.node("x1").unwrap()]);
    for other in ["x2", "x3", "x4"] {
        let descends = below[graph.node(other).unwrap()];
        let numbers = network.independence("x1", other, &[], 1e-12).unwrap();
        assert_eq!(numbers.independent, !descends, "{other}");
    }
    let joint = network.query(&["x1", "x3"], &[]).unwrap();
    assert_near(joint.probability(&[0, 0]).unwrap(), 0.01 * 0.01, 1e-15);
}

fn common_cause(row: [f64; 2]) -> didact_core::Result<Network> {
    Network::new(vec![
        Variable::root("z", &[0.7, 0.3]),
        Variable::new("x", &["z"], &[&[0.56, 0.44], &[0.38, 0.62]]),
        Variable::new("y", &["z"], &[&row, &[0.15, 0.85]]),
    ])
}

// 001:BN-10, 001:T-22: joint and product of marginals with both repairs of the printed row.
#[test]
fn a_common_cause_makes_its_effects_dependent_until_it_is_known() {
    let repairs = [
        (
            [0.77, 0.23],
            [0.31894, 0.18706, 0.26506, 0.22894],
            [0.295504, 0.210496, 0.288496, 0.205504],
        ),
        (
            [0.67, 0.33],
            [0.27974, 0.22626, 0.23426, 0.25974],
            [0.260084, 0.245916, 0.253916, 0.240084],
        ),
    ];
    for (row, joint, products) in repairs {
        let network = common_cause(row).unwrap();
        let found = network.query(&["x", "y"], &[]).unwrap();
        let (x, y) = (
            found.marginal(&["x"]).unwrap(),
            found.marginal(&["y"]).unwrap(),
        );
        let mut largest = 0.0_f64;
        for (place, (&cell, &product)) in joint.iter().zip(&products).enumerate() {
            let (i, j) = (place / 2, place % 2);
            assert_near(found.probability(&[i, j]).unwrap(), cell, 1e-12);
            let independent = x.probability(&[i]).unwrap() * y.probability(&[j]).unwrap();
            assert_near(independent, product, 1e-12);
            largest = largest.max((cell - product).abs());
        }
        let numbers = network.independence("x", "y", &[], 1e-9).unwrap();
        assert!(!numbers.independent);
        assert_near(numbers.largest_deviation, largest, 1e-12);
        assert!(
            network
                .independence("x", "y", &["z"], 1e-15)
                .unwrap()
                .independent
        );
    }
}

// 001:BN-01, 001:T-22: the printed row sums to 0.90.
#[test]
fn the_printed_row_that_does_not_sum_to_one_is_refused() {
    let error = common_cause([0.67, 0.23]).unwrap_err().to_string();
    assert_eq!(
        error,
        "row 0 of the table of y sums to 0.9; every row must sum to 1"
    );
}

// 001:BN-10: numbers may make independent what the graph connects.
#[test]
fn numbers_can_be_independent_by_accident() {
    let network = Network::new(vec![
        Variable::root("a", &[0.3, 0.7]),
        Variable::new("b", &["a"], &[&[0.4, 0.6], &[0.4, 0.6]]),
    ])
    .unwrap();
    assert!(!network.graph().d_separated(&["a"], &["b"], &[]).unwrap());
    assert!(
        network
            .independence("a", "b", &[], 1e-15)
            .unwrap()
            .independent
    );
}

// 001:BN-14, 001:T-21: the blankets of the text, without the node itself.
#[test]
fn markov_blankets_are_parents_children_and_their_parents() {
    let blankets = |network: &Network| -> Vec<Vec<usize>> {
        let nodes = 0..network.graph().n_nodes();
        let numbered = |node| {
            network
                .graph()
                .markov_blanket(node)
                .iter()
                .map(|n| n + 1)
                .collect()
        };
        nodes.map(numbered).collect()
    };
    let four: [&[usize]; 4] = [&[2, 3], &[1, 3], &[1, 2, 4], &[3]];
    assert_eq!(blankets(&four_nodes()), four);
    let five: [&[usize]; 5] = [&[2, 3], &[1, 3, 4], &[1, 2, 4, 5], &[2, 3, 5], &[3, 4]];
    assert_eq!(blankets(&five_nodes()), five);
}

// 001:BN-14: P(x_k | all others) = P(x_k | blanket).
#[test]
fn nothing_outside_the_blanket_tells_more() {
    for seed in 0..10 {
        let network = random_tables(random_graph(7, 2, seed), seed);
        let row = network.sample(1, seed).row(0).to_vec();
        let names = network.graph().names();
        for node in 0..7 {
            let blanket = network.graph().markov_blanket(node);
            let known = |others: Vec<usize>| -> Vec<f64> {
                let given: Vec<(&str, usize)> = others
                    .iter()
                    .map(|&other| (names[other].as_str(), row[other]))
                    .collect();
                network
                    .query(&[&names[node]], &given)
                    .unwrap()
                    .probabilities()
            };
            let all = known((0..7).filter(|&other| other != node).collect());
            for (left, right) in all.iter().zip(known(blanket)) {
                assert_near(*left, right, 1e-12);
            }
        }
    }
}
