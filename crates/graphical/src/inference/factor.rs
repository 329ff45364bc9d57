//! Factors: tables over a few variables, as flat arrays of logarithms.
//!
//! Logarithms, because the product of a thousand probabilities is smaller than any number, and
//! scaling alone would lose the losers of a long race that turn out to win it.

use crate::Network;
use didact_core::{Error, Result, Run};

/// A function of the variables of its scope, the last one running fastest.
pub(super) struct Factor {
    pub(super) scope: Vec<usize>,
    pub(super) logs: Vec<f64>,
}

impl Factor {
    /// The table of a node where what is known has its value: a function of what is not.
    pub(super) fn of_node(network: &Network, node: usize, known: &[Option<usize>]) -> Factor {
        let table = network.table(node);
        let parents = network.graph().parents(node).iter().copied();
        let strides = table.parent_strides().iter().map(|s| s * table.n_values());
        let axes: Vec<(usize, usize)> = parents.zip(strides).chain([(node, 1)]).collect();
        let fixed = axes
            .iter()
            .map(|&(axis, stride)| known[axis].unwrap_or(0) * stride);
        let mut offset: usize = fixed.sum();
        let free: Vec<(usize, usize)> = axes
            .into_iter()
            .filter(|axis| known[axis.0].is_none())
            .collect();
        let sizes: Vec<usize> = free
            .iter()
            .map(|&(axis, _)| network.table(axis).n_values())
            .collect();
        let cells: usize = sizes.iter().product();
        let mut logs = Vec::with_capacity(cells);
        let mut digits = vec![0; sizes.len()];
        for _ in 0..cells {
            logs.push(table.logs()[offset]);
            for place in (0..sizes.len()).rev() {
                digits[place] += 1;
                offset += free[place].1;
                if digits[place] < sizes[place] {
                    break;
                }
                offset -= sizes[place] * free[place].1;
                digits[place] = 0;
            }
        }
        Factor {
            scope: free.into_iter().map(|(axis, _)| axis).collect(),
            logs,
        }
    }
}

/// Multiplies factors over the given scope, which holds all their variables. `visit` is given the
/// number of each combination of all but the last variable, and the logarithms of the product
/// along the last.
pub(super) fn product(
    factors: &[Factor],
    scope: &[usize],
    sizes: &[usize],
    run: &Run,
    mut visit: impl FnMut(usize, &[f64]),
) -> Result<()> {
    let last = scope.len() - 1;
    let extents: Vec<usize> = scope.iter().map(|&variable| sizes[variable]).collect();
    let strides: Vec<Vec<usize>> = factors
        .iter()
        .map(|factor| strides(factor, scope, sizes))
        .collect();
    let mut offsets = vec![0; factors.len()];
    let mut digits = vec![0; last];
    let mut logs = vec![0.0; extents[last]];
    for combination in 0..extents[..last].iter().product() {
        if combination % 4096 == 0 {
            run.check()?;
        }
        logs.fill(0.0);
        for ((factor, strides), &offset) in factors.iter().zip(&strides).zip(&offsets) {
            match strides[last] {
                0 => logs.iter_mut().for_each(|log| *log += factor.logs[offset]),
                stride => {
                    let terms = factor.logs[offset..].iter().step_by(stride);
                    logs.iter_mut()
                        .zip(terms)
                        .for_each(|(log, term)| *log += term);
                }
            }
        }
        visit(combination, &logs);
        for place in (0..last).rev() {
            digits[place] += 1;
            let carries = digits[place] == extents[place];
            for (offset, strides) in offsets.iter_mut().zip(&strides) {
                *offset += strides[place];
                if carries {
                    *offset -= extents[place] * strides[place];
                }
            }
            if !carries {
                break;
            }
            digits[place] = 0;
        }
    }
    Ok(())
}

/// How far the next value of each variable of the scope is in the factor, zero where the factor
/// does not have the variable.
fn strides(factor: &Factor, scope: &[usize], sizes: &[usize]) -> Vec<usize> {
    let mut strides = vec![0; scope.len()];
    let mut stride = 1;
    for variable in factor.scope.iter().rev() {
        if let Some(place) = scope.iter().position(|other| other == variable) {
            strides[place] = stride;
        }
        stride *= sizes[*variable];
    }
    strides
}

/// Most cells of a table that an answer may need.
const MOST_CELLS: usize = 1 << 25;

/// The number of cells of a table over the scope; an error where it is too large to be made.
pub(super) fn cells(scope: &[usize], sizes: &[usize]) -> Result<usize> {
    let cells = (scope.iter()).try_fold(1_usize, |cells, &variable| {
        cells.checked_mul(sizes[variable])
    });
    cells.filter(|&cells| cells <= MOST_CELLS).ok_or_else(|| {
        Error::data(format!(
            "the exact answer needs a table of {} variables together with more than {MOST_CELLS} cells; \
             give more evidence, ask for fewer variables or draw samples instead",
            scope.len()
        ))
    })
}
