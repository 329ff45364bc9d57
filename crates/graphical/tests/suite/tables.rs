//! Networks, their joint distribution and exact answers.

use crate::support::{
    assert_near, combinations, five_nodes, four_nodes, random_graph, random_tables,
};
use didact_core::random::generator;
use didact_core::{Decode, Run, SequenceLikelihood, Sequences};
use didact_graphical::{Dag, EliminationOrder, Network, Variable};
use didact_sequence::HmmModel;
use ndarray::{Array2, array};
use rand::RngExt;

// 001:BN-01
#[test]
fn cycles_and_faulty_tables_are_refused_by_name() {
    let message = |variables: Vec<Variable>| Network::new(variables).unwrap_err().to_string();
    let fair: &[f64] = &[0.5, 0.5];
    let cycle = message(vec![
        Variable::new("a", &["c"], &[fair, fair]),
        Variable::new("b", &["a"], &[fair, fair]),
        Variable::new("c", &["b"], &[fair, fair]),
    ]);
    assert_eq!(
        cycle,
        "the arrows form a cycle, a ← c ← b ← a; turn or remove one of them"
    );
    let own = message(vec![Variable::new("a", &["a"], &[fair, fair])]);
    assert!(own.contains("a ← a"), "{own}");
    let missing = message(vec![Variable::new("a", &["z"], &[fair])]);
    assert_eq!(missing, "variable is z; it must be one of a");
    let short = message(vec![
        Variable::root("a", fair),
        Variable::new("b", &["a"], &[fair]),
    ]);
    assert!(
        short.starts_with("the table of b has 2 numbers; 2 values and parents of [2]"),
        "{short}"
    );
    let negative = message(vec![Variable::root("a", &[1.5, -0.5])]);
    assert!(
        negative.starts_with("row 0 of the table of a holds 1.5"),
        "{negative}"
    );
    let ragged = message(vec![
        Variable::root("a", fair),
        Variable::new("b", &["a"], &[fair, &[1.0]]),
    ]);
    assert!(
        ragged.starts_with("row 1 of the table of b has 1 numbers"),
        "{ragged}"
    );
    assert!(message(vec![]).contains("no variables"));
    assert!(message(vec![Variable::root("a", &[])]).contains("has no values"));
    assert!(
        message(vec![Variable::root("a", fair), Variable::root("a", fair)]).contains("rename one")
    );
}

// 001:BN-02: the joint is the product of the tables, sums to one, and the graph can be read back.
#[test]
fn the_joint_is_the_product_of_the_tables() {
    let network = four_nodes();
    assert_near(
        network.probability(&[0, 0, 1, 0]).unwrap(),
        0.01 * 1.0 * 0.99 * 0.8,
        1e-15,
    );
    for seed in 0..20 {
        let network = random_tables(random_graph(6, 3, seed), seed);
        let total: f64 = combinations(&network.sizes())
            .iter()
            .map(|values| network.probability(values).unwrap())
            .sum();
        assert_near(total, 1.0, 1e-12);
        assert_eq!(Network::new(network.variables()).unwrap(), network);
    }
    assert!(network.probability(&[0, 0, 1]).is_err());
    let error = network.probability(&[0, 2, 1, 0]).unwrap_err().to_string();
    assert_eq!(
        error,
        "x2 is 2; it must be less than 2, the number of its values"
    );
}

// 001:BN-03: 2ᵐ rows of two numbers, the last parent running fastest.
#[test]
fn the_last_parent_runs_fastest() {
    let network = five_nodes();
    let table = network.table(3);
    assert_eq!((table.n_rows(), table.n_values()), (4, 2));
    // x2 = 1, x3 = 0 is the third row: (0.7, 0.3).
    let row = network.query(&["x4"], &[("x2", 1), ("x3", 0)]).unwrap();
    assert_near(row.probability(&[0]).unwrap(), 0.7, 1e-12);
    let row = network.query(&["x4"], &[("x2", 0), ("x3", 1)]).unwrap();
    assert_near(row.probability(&[0]).unwrap(), 1.0, 1e-12);
}

// 001:BN-08, 001:BN-09, 001:T-21
#[test]
fn cells_and_free_parameters_are_counted() {
    assert_eq!((four_nodes().n_cells(), four_nodes().n_free()), (16, 8));
    assert_eq!((five_nodes().n_cells(), five_nodes().n_free()), (26, 13));
    // r = (2, 3), 3 values: 3·6 cells, 2·6 free.
    let graph = Dag::from_edges(&["a", "b", "c"], &[("a", "c"), ("b", "c")]).unwrap();
    let third = 1.0 / 3.0;
    let tables = vec![vec![0.5; 2], vec![third; 3], vec![third; 18]];
    let network = Network::from_parts(graph, &[2, 3, 3], tables).unwrap();
    assert_eq!(
        (network.n_cells(), network.n_free()),
        (2 + 3 + 18, 1 + 2 + 12)
    );
}

// 001:BN-06, 001:BN-07, 001:T-21. The printed denominators (13.4: x1 = 0 stays in the sum; 13.11:
// the sum runs over the evidence) would both give 1 for P(x1 = 0 | x2 = 0).
#[test]
fn conditional_answers_are_those_of_the_text_with_the_right_denominator() {
    let network = four_nodes();
    let ask = |name: &str, value: usize, given: &[(&str, usize)]| {
        network
            .query(&[name], given)
            .unwrap()
            .probability(&[value])
            .unwrap()
    };
    let joint = network.query(&["x1", "x2"], &[]).unwrap();
    assert_near(joint.probability(&[0, 0]).unwrap(), 0.01, 1e-15);
    assert_near(joint.probability(&[1, 0]).unwrap(), 0.0099, 1e-15);
    assert_near(ask("x2", 0, &[]), 0.0199, 1e-15);
    assert_near(ask("x1", 0, &[("x2", 0)]), 100.0 / 199.0, 1e-12);
    assert_near(ask("x1", 0, &[("x2", 0), ("x3", 0)]), 0.01, 1e-12);
    assert_near(ask("x1", 0, &[("x2", 0), ("x3", 1)]), 1.0, 1e-12);
    assert_near(ask("x4", 0, &[]), 0.795, 1e-12);
    assert_near(ask("x4", 1, &[("x2", 0)]), 449.0 / 995.0, 1e-12);
    assert_near(ask("x1", 0, &[("x4", 1)]), 0.01, 1e-12);
    assert_near(ask("x1", 0, &[("x2", 0), ("x4", 1)]), 205.0 / 898.0, 1e-12);
}

// 001:BN-06: evidence that cannot happen is an error, also where the graph separates it from what
// is asked for.
#[test]
fn impossible_evidence_is_an_error() {
    let network = four_nodes();
    let error = network
        .query(&["x4"], &[("x1", 0), ("x2", 1)])
        .unwrap_err()
        .to_string();
    assert!(error.contains("probability 0"), "{error}");
    let given = [("x1", 0), ("x2", 1), ("x3", 1)];
    assert!(
        network
            .graph()
            .d_separated(&["x4"], &["x1", "x2"], &["x3"])
            .unwrap()
    );
    assert!(network.query(&["x4"], &given).is_err());
    assert!(network.most_probable(&given, &Run::new()).is_err());
    assert_eq!(
        network.log_evidence(&given, &Run::new()).unwrap(),
        f64::NEG_INFINITY
    );
    let fails = |variables: &[&str], given: &[(&str, usize)]| {
        network.query(variables, given).unwrap_err().to_string()
    };
    assert!(fails(&["x1"], &[("x1", 0)]).contains("known already"));
    assert!(fails(&["x1"], &[("x2", 5)]).contains("less than 2"));
    assert!(fails(&["x1"], &[("x2", 0), ("x2", 1)]).contains("given twice"));
    assert!(fails(&[], &[]).contains("name at least one"));
    assert!(fails(&["x1", "x1"], &[]).contains("named once"));
}

// 001:BN-05: every order gives the answer of full enumeration, and tells its width.
#[test]
fn elimination_agrees_with_enumeration_in_any_order() {
    for seed in 0..25 {
        let network = random_tables(random_graph(8, 3, seed), seed);
        let names = network.graph().names();
        let row = network.sample(1, seed).row(0).to_vec();
        let given = [(names[2].as_str(), row[2]), (names[5].as_str(), row[5])];
        let asked = [names[7].as_str(), names[0].as_str()];
        let joint = network.joint_table().unwrap();
        let expected = joint.condition(&given).unwrap().marginal(&asked).unwrap();
        let together = joint.marginal(&[given[0].0, given[1].0]).unwrap();
        let evidence = together.probability(&[row[2], row[5]]).unwrap().ln();
        let backwards = names.iter().rev().cloned().collect();
        let orders = [
            EliminationOrder::MinFill,
            EliminationOrder::MinWeight,
            EliminationOrder::MinDegree,
            EliminationOrder::Given(names.to_vec()),
            EliminationOrder::Given(backwards),
        ];
        for order in orders {
            let found = network.infer(&asked, &given, &order, &Run::new()).unwrap();
            for (left, right) in found
                .table
                .probabilities()
                .iter()
                .zip(expected.probabilities())
            {
                assert_near(*left, right, 1e-12);
            }
            assert_eq!(found.table.names(), asked);
            assert_near(found.log_evidence, evidence, 1e-12);
            assert!(found.width < 8 && found.order.len() <= 4);
        }
        let alone = network.log_evidence(&given, &Run::new()).unwrap();
        assert_near(alone, evidence, 1e-12);
    }
}

// 001:BN-05: what is neither asked for nor known nor an ancestor of such is left out, and a good
// order needs small tables only.
#[test]
fn barren_nodes_are_left_out_and_the_width_is_reported() {
    let network = four_nodes();
    let order = EliminationOrder::MinFill;
    let found = network.infer(&["x4"], &[], &order, &Run::new()).unwrap();
    assert_eq!(found.order, ["x3"]);
    assert_eq!(found.width, 1);
    // A star: leaves first keep tables of two variables, the hub first joins all leaves.
    let columns = vec![array![[0.9, 0.1], [0.2, 0.8]]; 8];
    let views: Vec<_> = columns.iter().map(|column| column.view()).collect();
    let star = Network::naive_bayes(&[0.5, 0.5], &views).unwrap();
    let asked = ["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"];
    let (one, all) = (&asked[..1], &asked[..]);
    let width = |asked: &[&str]| star.infer(asked, &[], &order, &Run::new()).unwrap().width;
    assert_eq!((width(one), width(all)), (1, 8));
}

// 001:BN-13: the marginals of the states are those of the forward–backward recursion.
#[test]
fn a_hidden_markov_model_is_a_network() {
    let start = array![0.6, 0.4];
    let transition = array![[0.7, 0.3], [0.4, 0.6]];
    let emission = array![[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]];
    let model = HmmModel::categorical(start.clone(), transition.clone(), emission.clone()).unwrap();
    let mut random = generator(5, 0);
    // A thousand items: the joint probability is far below the smallest number.
    for length in [1, 4, 1000] {
        let items = Array2::from_shape_fn((length, 1), |_| f64::from(random.random_range(0..3_u8)));
        let sequences = Sequences::new(&items, std::slice::from_ref(&length)).unwrap();
        let expected = model.state_probabilities(&sequences).unwrap();
        let network = Network::hidden_markov(
            start.as_slice().unwrap(),
            transition.view(),
            emission.view(),
            length,
        )
        .unwrap();
        let items: Vec<String> = (0..length).map(|item| format!("x{item}")).collect();
        let given: Vec<(&str, usize)> = items
            .iter()
            .zip(sequences.samples.dense().unwrap().column(0))
            .map(|(name, &value)| (name.as_str(), value as usize))
            .collect();
        for item in [0, length / 2, length - 1] {
            let asked = format!("y{item}");
            let found = network
                .infer(&[&asked], &given, &EliminationOrder::MinFill, &Run::new())
                .unwrap();
            for (state, share) in found.table.probabilities().into_iter().enumerate() {
                assert_near(share, expected[[item, state]], 1e-10);
            }
            let likelihood = model.log_likelihoods(&sequences).unwrap()[0];
            assert_near(found.log_evidence, likelihood, 1e-10);
            assert!(found.width <= 1);
        }
        let (path, score) = model.decode(&sequences).unwrap();
        let best = network.most_probable(&given, &Run::new()).unwrap();
        assert_near(best.log_probability, score[0], 1e-10);
        let states: Vec<usize> = best.values.iter().step_by(2).copied().collect();
        assert_eq!(states, path);
    }
    assert!(Network::hidden_markov(&[1.0], transition.view(), emission.view(), 2).is_err());
}

// 001:BN-13: a mixture or naive Bayes is a star. The class that is far behind after half of the
// columns, by more than any number can express, is level at the end.
#[test]
fn thousands_of_columns_do_not_underflow() {
    let (for_first, for_second) = (
        array![[0.9, 0.1], [0.3, 0.7]],
        array![[0.3, 0.7], [0.9, 0.1]],
    );
    let columns: Vec<_> = (0..4000)
        .map(|column| {
            if column < 2000 {
                for_first.view()
            } else {
                for_second.view()
            }
        })
        .collect();
    let network = Network::naive_bayes(&[0.25, 0.75], &columns).unwrap();
    let names: Vec<String> = (0..4000).map(|column| format!("x{column}")).collect();
    let given: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 0)).collect();
    let class = network.query(&["class"], &given).unwrap();
    assert_near(class.probability(&[0]).unwrap(), 0.25, 1e-9);
    let half = network.query(&["class"], &given[..2000]).unwrap();
    assert_eq!(half.probability(&[1]).unwrap(), 0.0);
    let best = network.most_probable(&given[..3999], &Run::new()).unwrap();
    assert_eq!((best.values[0], best.values[4000]), (1, 0));
}

// 001:BN-05: a thousand variables, each with up to two parents close to it.
#[test]
fn a_thousand_sparse_variables_are_answered_exactly() {
    let mut random = generator(11, 0);
    let parents: Vec<Vec<usize>> = (0..1000_usize)
        .map(|node| {
            let near = (node.saturating_sub(3)..node).filter(|_| random.random::<f64>() < 0.5);
            near.take(2).collect()
        })
        .collect();
    let names = (0..1000).map(|node| format!("n{node}")).collect();
    let network = random_tables(Dag::new(names, parents).unwrap(), 12);
    let row = network.sample(1, 13).row(0).to_vec();
    let names = network.graph().names();
    let given: Vec<(&str, usize)> = (0..1000)
        .step_by(10)
        .map(|node| (names[node].as_str(), row[node]))
        .collect();
    let run = Run::new();
    let found = network
        .infer(&["n505"], &given, &EliminationOrder::MinFill, &run)
        .unwrap();
    let weight = network
        .infer(&["n505"], &given, &EliminationOrder::MinWeight, &run)
        .unwrap();
    assert!(found.width <= 5, "{}", found.width);
    assert!(found.log_evidence < -50.0);
    assert_near(
        found.log_evidence,
        network.log_evidence(&given, &run).unwrap(),
        1e-10,
    );
    // P(x | e) = P(x, e)/P(e), by another path through the same network.
    for value in 0..network.table(505).n_values() {
        let mut more = given.clone();
        more.push(("n505", value));
        let share = (network.log_evidence(&more, &run).unwrap() - found.log_evidence).exp();
        assert_near(found.table.probability(&[value]).unwrap(), share, 1e-10);
        assert_near(weight.table.probability(&[value]).unwrap(), share, 1e-10);
    }
    let best = network.most_probable(&given, &run).unwrap();
    assert!(best.log_probability >= network.log_probability(&row).unwrap());
}

#[test]
fn the_most_probable_explanation_is_the_best_of_all() {
    for seed in 0..20 {
        let network = random_tables(random_graph(7, 3, seed + 100), seed);
        let names = network.graph().names();
        let row = network.sample(1, seed).row(0).to_vec();
        let given = [(names[3].as_str(), row[3])];
        let best = network.most_probable(&given, &Run::new()).unwrap();
        let agrees = combinations(&network.sizes())
            .into_iter()
            .filter(|values| values[3] == row[3]);
        let highest = agrees
            .map(|values| network.log_probability(&values).unwrap())
            .fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(best.values[3], row[3]);
        assert_near(best.log_probability, highest, 1e-12);
        assert_near(
            network.log_probability(&best.values).unwrap(),
            highest,
            1e-12,
        );
    }
}

#[test]
fn what_needs_a_table_beyond_memory_is_an_error() {
    let columns = vec![array![[0.5, 0.5], [0.5, 0.5]]; 40];
    let views: Vec<_> = columns.iter().map(|column| column.view()).collect();
    let star = Network::naive_bayes(&[0.5, 0.5], &views).unwrap();
    let names: Vec<String> = (0..40).map(|column| format!("x{column}")).collect();
    let asked: Vec<&str> = names.iter().map(String::as_str).collect();
    let error = star.query(&asked, &[]).unwrap_err().to_string();
    assert!(error.contains("cells; give more evidence"), "{error}");
    assert!(
        star.joint_table()
            .unwrap_err()
            .to_string()
            .contains("ask for some variables")
    );
}

#[test]
fn a_network_survives_being_written_and_damage_is_noticed() {
    let network = five_nodes();
    let bytes = didact_core::encoding::to_bytes(&network).unwrap();
    let read: Network = didact_core::encoding::from_bytes(&bytes).unwrap();
    assert_eq!(read, network);
    let mut random = generator(3, 0);
    for _ in 0..2000 {
        let mut damaged = bytes.clone();
        let place = random.random_range(0..damaged.len());
        damaged[place] = random.random_range(0..=255);
        if let Ok(read) = didact_core::encoding::from_bytes::<Network>(&damaged) {
            let asked: Vec<&str> = read.graph().names().iter().map(String::as_str).collect();
            let _ = read.query(&asked[..1], &[]);
        }
    }
}
