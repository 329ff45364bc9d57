//! The closed classes of a chain: sets of states that are never left once entered.

use ndarray::ArrayView2;

/// The class of each state that is visited again and again; `None` for states that are left for
/// good, sooner or later.
pub(super) struct Classes {
    pub(super) of_state: Vec<Option<usize>>,
    pub(super) n_classes: usize,
}

/// Finds the closed classes of a matrix of transition probabilities.
pub(super) fn closed_classes(transitions: ArrayView2<'_, f64>) -> Classes {
    let n = transitions.nrows();
    let successors: Vec<Vec<usize>> = transitions
        .rows()
        .into_iter()
        .map(|row| (0..n).filter(|&next| row[next] > 0.0).collect())
        .collect();
    let component = strong_components(&successors);
    let n_components = component.iter().max().map_or(0, |last| last + 1);
    let mut is_closed = vec![true; n_components];
    for (state, next_states) in successors.iter().enumerate() {
        if next_states
            .iter()
            .any(|&next| component[next] != component[state])
        {
            is_closed[component[state]] = false;
        }
    }
    let mut number = vec![None; n_components];
    let mut n_classes = 0;
    for (component, _) in is_closed.iter().enumerate().filter(|(_, closed)| **closed) {
        number[component] = Some(n_classes);
        n_classes += 1;
    }
    Classes {
        of_state: component.into_iter().map(|c| number[c]).collect(),
        n_classes,
    }
}

/// The number of the strongly connected component of each node, after Tarjan, without recursion.
fn strong_components(successors: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let n = successors.len();
    let (mut order, mut low) = (vec![NEW; n], vec![NEW; n]);
    let mut component = vec![NEW; n];
    let (mut n_seen, mut n_components) = (0, 0);
    let mut open = Vec::new();
    for root in 0..n {
        if order[root] != NEW {
            continue;
        }
        // A node and how many of its successors have been looked at.
        let mut calls = vec![(root, 0)];
        while let Some((node, next)) = calls.last_mut() {
            let node = *node;
            if *next == 0 {
                order[node] = n_seen;
                low[node] = n_seen;
                n_seen += 1;
                open.push(node);
            }
            if let Some(&successor) = successors[node].get(*next) {
                *next += 1;
                if order[successor] == NEW {
                    calls.push((successor, 0));
                } else if component[successor] == NEW {
                    low[node] = low[node].min(order[successor]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    component[member] = n_components;
                    if member == node {
                        break;
                    }
                }
                n_components += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn closed_classes_are_told_from_states_that_are_left_for_good() {
        // 0 → 1 ⇄ 2, 0 → 3, 3 stays, 4 → 0.
        let chain = array![
            [0.0, 0.5, 0.0, 0.5, 0.0],
            [0.0, 0.0, 1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 1.0, 0.0],
            [1.0, 0.0, 0.0, 0.0, 0.0],
        ];
        let classes = closed_classes(chain.view());
        assert_eq!(classes.n_classes, 2);
        assert_eq!(classes.of_state[0], None);
        assert_eq!(classes.of_state[4], None);
        assert_eq!(classes.of_state[1], classes.of_state[2]);
        assert!(classes.of_state[3].is_some());
        assert_ne!(classes.of_state[1], classes.of_state[3]);
    }
}
