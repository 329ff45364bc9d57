//! How well each row fits its cluster.

use super::{mean_and_deviation, not_empty, same_length};
use crate::layer::{Content, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::Axis;
use crate::theme::Ink;
use crate::thin;
use didact_core::{Error, Result};

/// The silhouette of each row, sorted within clusters.
///
/// s = (b − a)/max(a, b) with a the mean distance to the own cluster and b to the nearest other:
/// 1 is far inside, 0 on the border, below 0 nearer to another cluster.
///
/// ```
/// use didact_plot::silhouette;
/// let picture = silhouette(&[0.8, 0.6, -0.1, 0.7], &[0, 0, 1, 1], &["cluster 0", "cluster 1"])?;
/// assert!(picture.svg().contains("all rows: mean 0.50"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn silhouette<S: AsRef<str>>(
    values: &[f64],
    labels: &[usize],
    cluster_names: &[S],
) -> Result<Picture> {
    same_length("silhouettes", values.len(), "labels", labels.len())?;
    not_empty("rows", values.len())?;
    if let Some(label) = labels.iter().find(|label| **label >= cluster_names.len()) {
        return Err(Error::data(format!(
            "a label is {label} but there are only {} cluster names",
            cluster_names.len()
        )));
    }
    let [mean, _] = mean_and_deviation(values.iter().copied());
    let mut panel = Panel::new(
        Axis::new("Silhouette").reaching_zero(),
        Axis::new("Rows, sorted within clusters")
            .reversed()
            .hidden(),
    );
    let gap = (values.len() as f64 * 0.02).max(0.5);
    let mut start = 0.0;
    for (cluster, name) in cluster_names.iter().enumerate() {
        let members = || {
            values
                .iter()
                .zip(labels)
                .filter(|(_, label)| **label == cluster)
        };
        let mut sorted: Vec<f64> = members().map(|(value, _)| *value).collect();
        let given = sorted.len();
        sorted.retain(|value| value.is_finite());
        panel.left_out += given - sorted.len();
        if sorted.is_empty() {
            continue;
        }
        sorted.sort_by(|one, two| two.total_cmp(one));
        let steps = sorted.iter().enumerate().flat_map(|(row, value)| {
            let top = start + row as f64;
            [[*value, top], [*value, top + 1.0]]
        });
        let end = start + sorted.len() as f64;
        let mut ring = thin::line(steps.collect());
        ring.extend([[0.0, end], [0.0, start]]);
        let [own, _] = mean_and_deviation(sorted.iter().copied());
        let label = format!("{}: mean {own:.2}", name.as_ref());
        let content = Content::Region(vec![ring], Ink::Series(cluster), 0.85);
        panel.push("cluster", Some(&label), content);
        start = end + gap;
    }
    let name = format!("all rows: mean {mean:.2}");
    panel.rule(
        Some(&name),
        mean,
        true,
        Stroke::new(Ink::Text).thin().dashed(),
    );
    Ok(Picture::new("Silhouette", vec![panel]))
}
