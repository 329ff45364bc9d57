//! Bayesian networks as drawings: where dependence flows, and at which gates it is stopped.

use crate::Shared;
use crate::events::stream;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::core::Run;
use didact::graphical::{Dag, Gate};
use didact::{Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};

/// Most nodes of a drawing.
const MOST_NODES: usize = 16;

/// Most ways between the ends that are listed.
const MOST_PATHS: usize = 60;

/// Most beginnings of ways that are looked at: between many nodes there are more than anybody waits for.
const MOST_LOOKS: usize = 20_000;

/// A graph and a question: do `from` and `to` depend on each other once `given` is known?
#[derive(Deserialize)]
pub(crate) struct Wanted {
    nodes: Vec<String>,
    /// Pairs of parent and child.
    edges: Vec<[String; 2]>,
    from: Vec<String>,
    to: Vec<String>,
    given: Vec<String>,
}

/// Rolls the ball of Bayes.
pub(crate) async fn separate(State(shared): State<Shared>, Json(wanted): Json<Wanted>) -> Response {
    stream(shared, move |run| Ok(wanted.answer(run)?)).into_response()
}

fn words(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

fn called(gate: Gate) -> &'static str {
    match gate {
        Gate::Chain => "chain",
        Gate::CommonCause => "common cause",
        Gate::CommonEffect => "common effect",
    }
}

impl Wanted {
    fn answer(&self, run: &Run) -> Result<Value> {
        if self.nodes.len() > MOST_NODES {
            let requirement = format!("at most {MOST_NODES} nodes are drawn");
            return Err(Error::parameter("nodes", self.nodes.len(), requirement));
        }
        let edges: Vec<(&str, &str)> = self
            .edges
            .iter()
            .map(|[a, b]| (a.as_str(), b.as_str()))
            .collect();
        let graph = Dag::from_edges(&words(&self.nodes), &edges)?;
        let (from, to, given) = (words(&self.from), words(&self.to), words(&self.given));
        let open = graph.open_path(&from, &to, &given)?;
        let blankets = (0..graph.n_nodes()).map(|node| graph.markov_blanket(node));
        Ok(json!({
            "layers": layers(&graph),
            "independent": open.is_none(),
            "open": open.map(|path| json!({
                "words": path.to_string(),
                "nodes": path.nodes,
                "gates": path.gates.iter().map(|gate| called(*gate)).collect::<Vec<_>>(),
            })),
            "paths": self.paths(&graph, run)?,
            "blankets": blankets.collect::<Vec<_>>(),
        }))
    }

    /// Every way between the ends without a node twice, with its gates.
    fn paths(&self, graph: &Dag, run: &Run) -> Result<Vec<Value>> {
        let (from, to) = (
            graph.nodes(&words(&self.from))?,
            graph.nodes(&words(&self.to))?,
        );
        let given = graph.nodes(&words(&self.given))?;
        let heard = graph.with_ancestors(&given);
        let mut found = Vec::new();
        let mut waiting: Vec<Vec<usize>> = from.iter().rev().map(|&node| vec![node]).collect();
        for _ in 0..MOST_LOOKS {
            let Some(path) = waiting.pop() else {
                break;
            };
            run.check()?;
            let end = path[path.len() - 1];
            if to.contains(&end) {
                found.push(told(graph, &path, &given, &heard)?);
                if found.len() == MOST_PATHS {
                    break;
                }
                continue;
            }
            let around = graph.parents(end).iter().chain(graph.children(end));
            for &next in around.filter(|next| !path.contains(next) && !from.contains(next)) {
                waiting.push(path.iter().copied().chain([next]).collect());
            }
        }
        Ok(found)
    }
}

/// A way with the gate at every node between its ends; `heard` are known nodes and their ancestors.
fn told(graph: &Dag, path: &[usize], given: &[usize], heard: &[bool]) -> Result<Value> {
    let name = |node: usize| graph.names()[node].as_str();
    let mut gates = Vec::new();
    for three in path.windows(3) {
        let [left, middle, right] = [three[0], three[1], three[2]];
        let gate = graph.gate(name(left), name(middle), name(right))?;
        let open = gate.is_open(given.contains(&middle), heard[middle]);
        gates.push(json!({ "node": middle, "gate": called(gate), "open": open }));
    }
    // What is known depends on nothing any more.
    let ends_known = [path[0], path[path.len() - 1]]
        .iter()
        .any(|end| given.contains(end));
    let open = !ends_known && gates.iter().all(|gate| gate["open"] == true);
    let forward = path
        .windows(2)
        .map(|two| graph.children(two[0]).contains(&two[1]));
    Ok(
        json!({ "nodes": path, "forward": forward.collect::<Vec<_>>(), "gates": gates, "open": open }),
    )
}

/// For each node how many arrows lead to it at most from a node without parents.
fn layers(graph: &Dag) -> Vec<usize> {
    let mut layers = vec![0; graph.n_nodes()];
    for &node in graph.order() {
        let above = graph.parents(node).iter().map(|&parent| layers[parent] + 1);
        layers[node] = above.max().unwrap_or(0);
    }
    layers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_nothing_leads_to_is_not_looked_for_for_ever() {
        let nodes: Vec<String> = (0..MOST_NODES).map(|node| format!("x{node}")).collect();
        let joined = 0..MOST_NODES - 1;
        let edges = joined
            .clone()
            .flat_map(|a| (a + 1..MOST_NODES - 1).map(move |b| (a, b)));
        let edges = edges
            .map(|(a, b)| [format!("x{a}"), format!("x{b}")])
            .collect();
        let wanted = Wanted {
            from: vec!["x0".into()],
            to: vec![nodes[MOST_NODES - 1].clone()],
            nodes,
            edges,
            given: vec![],
        };
        let found = wanted.answer(&Run::new()).unwrap();
        assert_eq!(found["independent"], true);
        assert_eq!(found["paths"].as_array().unwrap().len(), 0);
    }
}
