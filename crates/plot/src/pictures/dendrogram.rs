//! The tree of a hierarchical clustering.

use crate::layer::{Content, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::Axis;
use crate::theme::Ink;
use didact_core::{Error, Result};

/// More leaves than this have no names.
const MOST_NAMED: usize = 80;

/// One group of the tree, while it is drawn.
#[derive(Clone, Copy)]
struct Group {
    /// Where its stem stands.
    at: f64,
    height: f64,
    /// The cluster below the cut that it belongs to.
    cluster: Option<usize>,
}

/// The tree of merges, from single rows at the bottom to one cluster at the top.
///
/// Merge i joins two groups at a height and makes group n + i; groups 0 … n−1 are the rows. With
/// a `cut`, clusters below that height have their own colours and the cut is drawn. Names of the
/// rows may be left out (an empty slice).
///
/// ```
/// use didact_plot::dendrogram;
/// let merges = [(0, 1, 1.0), (2, 3, 1.5), (4, 5, 4.0)];
/// let picture = dendrogram(&merges, &["a", "b", "c", "d"], Some(2.0))?;
/// assert!(picture.svg().contains("2 clusters"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn dendrogram<S: AsRef<str>>(
    merges: &[(usize, usize, f64)],
    row_names: &[S],
    cut: Option<f64>,
) -> Result<Picture> {
    let n_rows = merges.len() + 1;
    if !row_names.is_empty() {
        super::same_length("row names", row_names.len(), "rows", n_rows)?;
    }
    check(merges, n_rows)?;
    let order = leaf_order(merges, n_rows);
    let names = order
        .iter()
        .map(|row| {
            row_names
                .get(*row)
                .map_or_else(|| row.to_string(), |name| name.as_ref().to_owned())
        })
        .collect();
    let mut x = Axis::names("", names);
    if n_rows > MOST_NAMED {
        x = x.hidden();
    }
    let mut panel = Panel::new(x, Axis::new("Height of the merge").reaching_zero());
    let (branches, n_clusters) = branches(merges, &order, cut);
    // Colours are counted from left to right; those above the cut are grey.
    for cluster in std::iter::once(None).chain((0..n_clusters).map(Some)) {
        let lines: Vec<Vec<[f64; 2]>> = branches
            .iter()
            .filter(|(owner, _)| *owner == cluster)
            .map(|(_, line)| line.clone())
            .collect();
        let ink = cluster.map_or(Ink::Muted, Ink::Series);
        let width = if n_rows > 200 { 0.8 } else { 1.6 };
        let stroke = Stroke {
            width,
            ..Stroke::new(ink)
        };
        panel.push("branch", None, Content::Lines(lines, stroke));
    }
    if let Some(height) = cut {
        let name = format!("cut: {n_clusters} clusters");
        panel.rule(Some(&name), height, false, Stroke::reference());
    }
    Ok(Picture::new("Dendrogram", vec![panel]).with_size(720.0, 420.0))
}

fn check(merges: &[(usize, usize, f64)], n_rows: usize) -> Result<()> {
    let mut used = vec![false; n_rows + merges.len()];
    for (index, &(one, two, height)) in merges.iter().enumerate() {
        if !(0.0..1e300).contains(&height) {
            return Err(Error::data(format!(
                "the height of merge {index} is {height}; heights must be finite and not negative"
            )));
        }
        for group in [one, two] {
            if group >= n_rows + index || std::mem::replace(&mut used[group], true) {
                return Err(Error::data(format!(
                    "merge {index} joins group {group}, which is not there any more or not yet; \
                     groups 0 to {} are the rows and merge i makes group {n_rows} + i",
                    n_rows - 1
                )));
            }
        }
    }
    Ok(())
}

/// The rows from left to right, so that no branches cross.
fn leaf_order(merges: &[(usize, usize, f64)], n_rows: usize) -> Vec<usize> {
    let mut order = Vec::with_capacity(n_rows);
    // A stack of our own: a chain of merges may be as deep as there are rows.
    let mut open = vec![n_rows + merges.len() - 1];
    while let Some(group) = open.pop() {
        match group.checked_sub(n_rows) {
            None => order.push(group),
            Some(merge) => open.extend([merges[merge].1, merges[merge].0]),
        }
    }
    order
}

type Branch = (Option<usize>, Vec<[f64; 2]>);

/// The lines of every merge with the cluster they belong to, and the number of clusters.
fn branches(
    merges: &[(usize, usize, f64)],
    order: &[usize],
    cut: Option<f64>,
) -> (Vec<Branch>, usize) {
    let n_rows = order.len();
    let mut groups = vec![
        Group {
            at: 0.0,
            height: 0.0,
            cluster: None
        };
        n_rows
    ];
    for (place, row) in order.iter().enumerate() {
        groups[*row].at = place as f64;
    }
    for &(one, two, height) in merges {
        let at = (groups[one].at + groups[two].at) / 2.0;
        groups.push(Group {
            at,
            height,
            cluster: None,
        });
    }
    // From the top down: a group whose merge is at or below the cut starts a cluster.
    let mut n_clusters = 0;
    let mut open = vec![n_rows + merges.len() - 1];
    while let Some(group) = open.pop() {
        if cut.is_some_and(|cut| groups[group].cluster.is_none() && groups[group].height <= cut) {
            groups[group].cluster = Some(n_clusters);
            n_clusters += 1;
        }
        if let Some(merge) = group.checked_sub(n_rows) {
            let (one, two, _) = merges[merge];
            for child in [two, one] {
                groups[child].cluster = groups[group].cluster;
                open.push(child);
            }
        }
    }
    let lines = merges
        .iter()
        .enumerate()
        .map(|(index, &(one, two, height))| {
            let (left, right) = (groups[one], groups[two]);
            let line = vec![
                [left.at, left.height],
                [left.at, height],
                [right.at, height],
                [right.at, right.height],
            ];
            (groups[n_rows + index].cluster, line)
        });
    (lines.collect(), n_clusters)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Rows 0 and 2 merge at 1, row 1 joins them at 3.
    const MERGES: [(usize, usize, f64); 2] = [(0, 2, 1.0), (1, 3, 3.0)];

    #[test]
    fn branches_do_not_cross() {
        // 000a:UNS-18 001:CLU-16: row 1 first, then 0 and 2; stems at 0 and between 1 and 2.
        let order = leaf_order(&MERGES, 3);
        assert_eq!(order, [1, 0, 2]);
        let (lines, _) = branches(&MERGES, &order, None);
        assert_eq!(lines[0].1, [[1.0, 0.0], [1.0, 1.0], [2.0, 1.0], [2.0, 0.0]]);
        assert_eq!(lines[1].1, [[0.0, 0.0], [0.0, 3.0], [1.5, 3.0], [1.5, 1.0]]);
    }

    #[test]
    fn a_cut_gives_the_clusters_below_it() {
        let order = leaf_order(&MERGES, 3);
        for (cut, clusters) in [(0.5, 3), (1.0, 2), (2.0, 2), (3.0, 1)] {
            assert_eq!(branches(&MERGES, &order, Some(cut)).1, clusters, "{cut}");
        }
    }

    #[test]
    fn merges_that_are_no_tree_are_refused() {
        let no_names: [&str; 0] = [];
        for merges in [[(0, 0, 1.0), (1, 3, 2.0)], [(0, 4, 1.0), (1, 2, 2.0)]] {
            let message = dendrogram(&merges, &no_names, None)
                .unwrap_err()
                .to_string();
            assert!(message.contains("merge 0 joins group"), "{message}");
        }
        assert!(dendrogram(&[(0, 1, f64::NAN)], &no_names, None).is_err());
    }
}
