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
    let mut names: Vec<usize> = clusters.iter().flatten().copied().collect();
    names.sort_unstable();
    names.dedup();
    let mut next = names.len();
    let mut rows = Vec::with_capacity(clusters.len());
    let mut groups = Vec::with_capacity(clusters.len());
    for (row, cluster) in clusters.iter().enumerate() {
        let group = match (cluster, noise) {
            (Some(cluster), _) => names.partition_point(|name| name < cluster),
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
