//! What to do with rows that a clustering left out.

use serde::Serialize;

/// What rows that belong to no cluster count as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    /// One more group.
    OneGroup,
    /// A group of their own each.
    Singletons,
    /// Nothing: they are left out.
    Excluded,
}

/// The rows that count and the group of each.
///
/// ```
/// use didact_evaluate::{Noise, place_noise};
/// let clusters = [Some(0), None, Some(1), None];
/// assert_eq!(place_noise(&clusters, Noise::Singletons).1, [0, 2, 1, 3]);
/// assert_eq!(place_noise(&clusters, Noise::Excluded).0, [0, 2]);
/// ```
pub fn place_noise(clusters: &[Option<usize>], noise: Noise) -> (Vec<usize>, Vec<usize>) {
    // Positions among the sorted clusters, so that the new groups do not collide with large names.
    let (position, mut next) = positions(clusters);
    let mut rows = Vec::with_capacity(clusters.len());
    let mut groups = Vec::with_capacity(clusters.len());
    for (row, cluster) in clusters.iter().enumerate() {
        let group = match (cluster, noise) {
            (Some(cluster), _) => position(*cluster),
            (None, Noise::Excluded) => continue,
            (None, Noise::OneGroup) => next,
            (None, Noise::Singletons) => {
                next += 1;
                next - 1
            }
        };
        rows.push(row);
        groups.push(group);
    }
    (rows, groups)
}

/// The position of each cluster among those that occur, and how many there are.
fn positions(clusters: &[Option<usize>]) -> (Box<dyn Fn(usize) -> usize>, usize) {
    let largest = clusters.iter().flatten().max().copied().unwrap_or(0);
    if largest <= 2 * clusters.len() {
        let mut table = vec![0; largest + 1];
        for cluster in clusters.iter().flatten() {
            table[*cluster] = 1;
        }
        let mut count = 0;
        for place in &mut table {
            count += std::mem::replace(place, count);
        }
        return (Box::new(move |cluster| table[cluster]), count);
    }
    // Names far larger than the number of rows would need too large a table.
    let mut names: Vec<usize> = clusters.iter().flatten().copied().collect();
    names.sort_unstable();
    names.dedup();
    let count = names.len();
    let position = move |cluster| names.partition_point(|&name| name < cluster);
    (Box::new(position), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_size_become_positions_in_their_order() {
        let small = [Some(7), None, Some(2), Some(7), Some(0)];
        let large = small.map(|name| name.map(|name| name * 1_000_000_007));
        for clusters in [small, large] {
            let (rows, groups) = place_noise(&clusters, Noise::OneGroup);
            assert_eq!(rows, [0, 1, 2, 3, 4]);
            assert_eq!(groups, [2, 3, 1, 2, 0]);
        }
    }
}
