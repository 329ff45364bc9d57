//! F₁ of clusters when only some rows have a label.

use super::class_counts::ClassScores;
use didact_core::{Error, Result};
use ndarray::{Array2, ArrayView2};
use serde::Serialize;

/// Which variant of the figure is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FewLabelOptions {
    /// Precision divides by the labelled members of a cluster only, not by all.
    pub labelled_members_only: bool,
    /// The plain sum over the classes divided by classes plus clusters without a labelled member,
    /// instead of the mean weighted by the labelled rows of each class.
    pub penalise_empty_clusters: bool,
}

/// The cluster that represents a class best.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClassMatch {
    /// The class.
    pub class: usize,
    /// The cluster; several classes may have the same.
    pub cluster: usize,
    /// Share of the cluster's members that are of the class.
    pub precision: f64,
    /// Share of the labelled rows of the class that are in the cluster.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f1: f64,
}

/// Σ_c (n_c/|L|)·max_k F₁(c, k), with recall n_ck/n_c over the labelled rows L and precision
/// n_ck/s_k over all members of cluster k, labelled or not.
///
/// With any unlabelled member in a chosen cluster it is below one. Rows in no cluster belong to
/// none. It judges how well clusters follow classes of which a few examples are known; a choice of
/// the number of clusters by it must use labels that were held out.
///
/// ```
/// use didact_evaluate::FewLabelF1;
/// let clusters = [Some(0), Some(0), Some(1), Some(1)];
/// let labels = [Some(0), None, Some(1), Some(1)];
/// let figure = FewLabelF1::new(&clusters, &labels, Default::default())?;
/// assert!((figure.total - (2.0 / 3.0 / 3.0 + 2.0 / 3.0)).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FewLabelF1 {
    /// The figure.
    pub total: f64,
    /// The chosen cluster of each class that has labelled rows.
    pub classes: Vec<ClassMatch>,
}

impl FewLabelF1 {
    /// For clusters that a row is in or not.
    pub fn new(
        clusters: &[Option<usize>],
        labels: &[Option<usize>],
        options: FewLabelOptions,
    ) -> Result<Self> {
        let count = clusters
            .iter()
            .flatten()
            .max()
            .map_or(0, |largest| largest + 1);
        if count > clusters.len() + 1024 {
            return Err(Error::data(format!(
                "a row is in cluster {} but there are only {} rows; number the clusters from zero",
                count - 1,
                clusters.len()
            )));
        }
        let mut memberships = Array2::zeros((clusters.len(), count));
        for (row, cluster) in clusters.iter().enumerate() {
            if let Some(cluster) = cluster {
                memberships[[row, *cluster]] = 1.0;
            }
        }
        FewLabelF1::soft(memberships.view(), labels, options)
    }

    /// For clusters that a row belongs to in part: expected counts.
    pub fn soft(
        memberships: ArrayView2<'_, f64>,
        labels: &[Option<usize>],
        options: FewLabelOptions,
    ) -> Result<Self> {
        if memberships.nrows() != labels.len() {
            return Err(Error::data(format!(
                "there are {} rows but {} labels, known or not",
                memberships.nrows(),
                labels.len()
            )));
        }
        let mut known: Vec<usize> = labels.iter().flatten().copied().collect();
        let n_labelled = known.len() as f64;
        if known.is_empty() || memberships.ncols() == 0 {
            return Err(Error::data(
                "no row has a label or no row is in a cluster; at least one of each is needed",
            ));
        }
        known.sort_unstable();
        known.dedup();
        let mut counts = Array2::<f64>::zeros((known.len(), memberships.ncols()));
        let mut class_sizes = vec![0.0; known.len()];
        for (row, label) in labels.iter().enumerate() {
            if let Some(label) = label {
                let class = known.partition_point(|other| other < label);
                class_sizes[class] += 1.0;
                let mut count = counts.row_mut(class);
                count += &memberships.row(row);
            }
        }
        let labelled_sizes = counts.sum_axis(ndarray::Axis(0));
        let sizes = match options.labelled_members_only {
            true => labelled_sizes.clone(),
            false => memberships.sum_axis(ndarray::Axis(0)),
        };
        let classes: Vec<ClassMatch> = known
            .iter()
            .enumerate()
            .map(|(place, &class)| {
                best_cluster(
                    class,
                    counts.row(place).as_slice().unwrap_or(&[]),
                    class_sizes[place],
                    sizes.as_slice().unwrap_or(&[]),
                )
            })
            .collect();
        let total = match options.penalise_empty_clusters {
            true => {
                let empty = labelled_sizes.iter().filter(|&&size| size == 0.0).count();
                let sum: f64 = classes.iter().map(|class| class.f1).sum();
                sum / (classes.len() + empty) as f64
            }
            false => {
                let weighted = classes.iter().zip(&class_sizes);
                weighted
                    .map(|(class, size)| class.f1 * size / n_labelled)
                    .sum()
            }
        };
        Ok(FewLabelF1 { total, classes })
    }
}

fn best_cluster(class: usize, counts: &[f64], class_size: f64, sizes: &[f64]) -> ClassMatch {
    let score = |cluster: usize| {
        ClassScores::from_counts((counts[cluster], class_size, sizes[cluster]), 1.0)
    };
    let f1 = (0..counts.len()).map(|cluster| score(cluster).f_measure);
    let cluster = didact_math::numeric::argmax(f1).unwrap_or(0);
    let scores = score(cluster);
    ClassMatch {
        class,
        cluster,
        precision: scores.precision,
        recall: scores.recall,
        f1: scores.f_measure,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_near;
    use super::*;

    /// Two clusters of six; two labelled rows in the first, four in the second.
    fn example() -> (Vec<Option<usize>>, Vec<Option<usize>>) {
        let clusters = (0..12).map(|row| Some(row / 6)).collect();
        let labels = (0..12)
            .map(|row| match row {
                0 | 1 => Some(0),
                6..=9 => Some(1),
                _ => None,
            })
            .collect();
        (clusters, labels)
    }

    // 002a:CM06, 002a:EX05, 002a:FIG53: F₁ = 0.5 and 0.8, together 0.7.
    #[test]
    fn the_worked_example_gives_seven_tenths() {
        let (clusters, labels) = example();
        let figure = FewLabelF1::new(&clusters, &labels, FewLabelOptions::default()).unwrap();
        assert_near(figure.classes[0].f1, 0.5);
        assert_near(figure.classes[1].f1, 0.8);
        assert_near(figure.total, 0.7);
        assert_eq!(
            (figure.classes[0].cluster, figure.classes[1].cluster),
            (0, 1)
        );
    }

    // 002a:CL01: none, few and all labels; fully labelled and perfect is one.
    #[test]
    fn all_labels_make_perfect_clusters_perfect_and_none_are_refused() {
        let (clusters, _) = example();
        let perfect = FewLabelF1::new(&clusters, &clusters, FewLabelOptions::default()).unwrap();
        assert_near(perfect.total, 1.0);
        assert!(FewLabelF1::new(&clusters, &[None; 12], FewLabelOptions::default()).is_err());
    }

    #[test]
    fn the_variants_in_use_are_told_apart() {
        let (mut clusters, labels) = example();
        let labelled = FewLabelOptions {
            labelled_members_only: true,
            ..FewLabelOptions::default()
        };
        assert_near(
            FewLabelF1::new(&clusters, &labels, labelled).unwrap().total,
            1.0,
        );
        // A third cluster without labelled rows lowers the plain mean from 1 to 2/3.
        clusters[5] = Some(2);
        let penalised = FewLabelOptions {
            labelled_members_only: true,
            penalise_empty_clusters: true,
        };
        assert_near(
            FewLabelF1::new(&clusters, &labels, penalised)
                .unwrap()
                .total,
            2.0 / 3.0,
        );
    }

    #[test]
    fn soft_memberships_count_in_part_and_noise_counts_nowhere() {
        // One class of one labelled row, half in the only cluster: R = ½, P = ½/½.
        let figure = FewLabelF1::soft(
            ndarray::array![[0.5]].view(),
            &[Some(0)],
            FewLabelOptions::default(),
        )
        .unwrap();
        assert_near(figure.total, 2.0 / 3.0);
        let noise = FewLabelF1::new(
            &[Some(0), None],
            &[Some(0), Some(0)],
            FewLabelOptions::default(),
        );
        assert_near(noise.unwrap().total, 2.0 / 3.0);
    }
}
