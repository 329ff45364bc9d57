//! The connected parts of a graph.

use didact_core::{CsrView, Error, Result};

/// Which part of a graph each node belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// How many parts there are.
    pub count: usize,
    /// The part of each node; parts are numbered by their lowest node.
    pub labels: Vec<usize>,
}

/// The connected components of a graph, in time linear in its edges; an edge joins its two nodes
/// whichever way it points, and whatever its weight, unless that is zero.
///
/// ```
/// use didact_core::Csr;
/// use didact_math::graph::connected_components;
/// let graph = Csr::from_rows(&[vec![(2, 1.0)], vec![], vec![]], 3)?;
/// let found = connected_components(graph.view())?;
/// assert_eq!((found.count, found.labels), (2, vec![0, 1, 0]));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn connected_components(graph: CsrView<'_>) -> Result<Components> {
    let n = graph.n_rows();
    check_square(graph)?;
    // Each node points to one of its part that is not higher; the lowest points to itself.
    let mut parents: Vec<usize> = (0..n).collect();
    for i in 0..n {
        let (columns, values) = graph.row(i);
        for (&j, &weight) in columns.iter().zip(values) {
            if weight != 0.0 {
                let (a, b) = (root(&mut parents, i), root(&mut parents, j as usize));
                parents[a.max(b)] = a.min(b);
            }
        }
    }
    let mut labels = vec![0; n];
    let mut count = 0;
    for node in 0..n {
        let lowest = root(&mut parents, node);
        labels[node] = match lowest == node {
            true => {
                count += 1;
                count - 1
            }
            false => labels[lowest],
        };
    }
    Ok(Components { count, labels })
}

/// The lowest node that is reached, with every second step of the way cut short.
fn root(parents: &mut [usize], mut node: usize) -> usize {
    while parents[node] != node {
        parents[node] = parents[parents[node]];
        node = parents[node];
    }
    node
}

pub(super) fn check_square(graph: CsrView<'_>) -> Result<()> {
    match graph.n_rows() == graph.n_columns() {
        true => Ok(()),
        false => Err(Error::data(format!(
            "the matrix of a graph must be square, but it has {} rows and {} columns",
            graph.n_rows(),
            graph.n_columns()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::Csr;

    #[test]
    fn parts_are_found_however_the_edges_point_and_numbered_by_their_lowest_node() {
        let rows = [
            vec![(5, 1.0)],
            vec![],
            vec![(4, 2.0), (1, 0.5)],
            vec![(3, 9.0)],
            vec![],
            vec![(0, 1.0)],
        ];
        let graph = Csr::from_rows(&rows, 6).unwrap();
        let found = connected_components(graph.view()).unwrap();
        assert_eq!((found.count, found.labels), (3, vec![0, 1, 1, 2, 1, 0]));
        assert!(connected_components(Csr::from_rows(&[vec![]], 2).unwrap().view()).is_err());
    }

    #[test]
    fn a_long_path_is_one_part() {
        let n = 20_000;
        let rows: Vec<_> = (0..n)
            .map(|i| {
                if i + 1 < n {
                    vec![(i + 1, 1.0)]
                } else {
                    vec![]
                }
            })
            .collect();
        let graph = Csr::from_rows(&rows, n).unwrap();
        assert_eq!(connected_components(graph.view()).unwrap().count, 1);
    }
}
