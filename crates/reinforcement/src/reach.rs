//! From where a walk can come to an end.

use crate::{DecisionProcess, Policy};

/// The number of steps that a state is at least away from a terminal one; `None` where no
/// terminal state can be reached.
///
/// With a policy only the actions that it takes count, else all.
pub(crate) fn steps_to_end(
    process: &DecisionProcess,
    policy: Option<&Policy>,
) -> Vec<Option<usize>> {
    let (starts, predecessors) = predecessors(process, policy);
    let layout = process.layout();
    let mut steps = vec![None; layout.n_states()];
    let mut queue: Vec<usize> = (0..layout.n_states())
        .filter(|&state| layout.is_terminal(state))
        .collect();
    for &end in &queue {
        steps[end] = Some(0);
    }
    let mut next = 0;
    while next < queue.len() {
        let state = queue[next];
        next += 1;
        for &before in &predecessors[starts[state]..starts[state + 1]] {
            let before = before as usize;
            if steps[before].is_none() {
                steps[before] = steps[state].map(|count| count + 1);
                queue.push(before);
            }
        }
    }
    steps
}

/// The states from which each state may follow, in compressed form.
fn predecessors(process: &DecisionProcess, policy: Option<&Policy>) -> (Vec<usize>, Vec<u32>) {
    let n_states = process.n_states();
    let each_edge = |visit: &mut dyn FnMut(usize, usize)| {
        for state in 0..n_states {
            for (action, pair) in process.layout().pairs(state).enumerate() {
                if policy.is_none_or(|policy| policy.probability(state, action) > 0.0) {
                    process
                        .outcomes_of(pair)
                        .for_each(|next| visit(state, next.state));
                }
            }
        }
    };
    let mut starts = vec![0; n_states + 1];
    each_edge(&mut |_, next| starts[next + 1] += 1);
    for state in 0..n_states {
        starts[state + 1] += starts[state];
    }
    let mut places = starts.clone();
    let mut all = vec![0; starts[n_states]];
    each_edge(&mut |state, next| {
        all[places[next]] = state as u32;
        places[next] += 1;
    });
    (starts, all)
}

/// A policy under which a walk comes to an end wherever it can: every action leads, by some
/// chance, one step nearer to a terminal state.
pub(crate) fn homeward(process: &DecisionProcess) -> Policy {
    let steps = steps_to_end(process, None);
    let layout = process.layout();
    let actions = (0..layout.n_states()).map(|state| {
        let nearer = layout.pairs(state).position(|pair| {
            process
                .outcomes_of(pair)
                .any(|next| steps[next.state].is_some() && steps[next.state] < steps[state])
        });
        nearer.unwrap_or(0) as u32
    });
    Policy::certain(layout, actions.collect())
}
