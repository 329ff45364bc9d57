//! How good groups are in themselves, without a truth to compare with.

use super::check::check_finite;
use super::noise::{Noise, place_noise};
use didact_core::{Error, Result};
use didact_math::distance::squared_euclidean;
use ndarray::{Array2, ArrayView2};

/// Σᵢ minⱼ‖xᵢ − zⱼ‖²: the loss of centres when every row goes to the nearest.
pub fn sse_to_centers(rows: ArrayView2<'_, f64>, centers: ArrayView2<'_, f64>) -> Result<f64> {
    let (rows, centers) = (rows.as_standard_layout(), centers.as_standard_layout());
    check_width(rows.view(), centers.view())?;
    let nearest = |row: &[f64]| {
        let distances = centers.rows().into_iter();
        distances
            .map(|center| squared_euclidean(row, center.to_slice().unwrap_or(&[])))
            .fold(f64::INFINITY, f64::min)
    };
    let slices = rows.rows().into_iter();
    Ok(slices
        .map(|row| nearest(row.to_slice().unwrap_or(&[])))
        .sum())
}

/// Σⱼ Σ_{i∈Cⱼ}‖xᵢ − zⱼ‖² for given groups and given centres.
///
/// Rows in no group contribute nothing.
pub fn joint_sse(
    rows: ArrayView2<'_, f64>,
    clusters: &[Option<usize>],
    centers: ArrayView2<'_, f64>,
) -> Result<f64> {
    let (rows, centers) = (rows.as_standard_layout(), centers.as_standard_layout());
    check_width(rows.view(), centers.view())?;
    check_labels(rows.nrows(), clusters.len())?;
    let mut sum = 0.0;
    for (row, cluster) in rows.rows().into_iter().zip(clusters) {
        let Some(cluster) = *cluster else { continue };
        if cluster >= centers.nrows() {
            return Err(Error::data(format!(
                "a row is in cluster {cluster} but there are only {} centres",
                centers.nrows()
            )));
        }
        let center = centers.row(cluster);
        sum += squared_euclidean(
            row.to_slice().unwrap_or(&[]),
            center.to_slice().unwrap_or(&[]),
        );
    }
    Ok(sum)
}

/// Σⱼ Σ_{i∈Cⱼ}‖xᵢ − mean(Cⱼ)‖²: the within-cluster sum of squares, also called RSS or inertia.
///
/// Rows in no group contribute nothing, so compare it only beside their number. There is neither
/// 1/n nor ½ in it; with one row per group it is zero.
///
/// ```
/// let rows = ndarray::array![[0.0], [2.0], [10.0]];
/// assert_eq!(didact_evaluate::within_sse(rows.view(), &[Some(0), Some(0), Some(1)])?, 2.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn within_sse(rows: ArrayView2<'_, f64>, clusters: &[Option<usize>]) -> Result<f64> {
    check_labels(rows.nrows(), clusters.len())?;
    let (kept, groups) = place_noise(clusters, Noise::Excluded);
    let parts = Groups::new(rows, &kept, &groups)?;
    Ok(parts.squares.iter().sum())
}

/// Spread between the groups against spread within them, per degree of freedom; higher is better.
///
/// One where the groups have no spread at all.
pub fn calinski_harabasz(rows: ArrayView2<'_, f64>, labels: &[usize]) -> Result<f64> {
    let parts = Groups::of_labels(rows, labels)?;
    let (n, k) = (rows.nrows() as f64, parts.sizes.len() as f64);
    let mean = rows.mean_axis(ndarray::Axis(0)).unwrap_or_default();
    let between: f64 = parts
        .centers
        .rows()
        .into_iter()
        .zip(&parts.sizes)
        .map(|(center, size)| size * (&center - &mean).mapv(|value| value * value).sum())
        .sum();
    let within: f64 = parts.squares.iter().sum();
    Ok(match within == 0.0 {
        true => 1.0,
        false => between * (n - k) / (within * (k - 1.0)),
    })
}

/// Mean over the groups of the worst ratio of the widths of two groups to the distance of their
/// centres; lower is better.
pub fn davies_bouldin(rows: ArrayView2<'_, f64>, labels: &[usize]) -> Result<f64> {
    let parts = Groups::of_labels(rows, labels)?;
    let count = parts.sizes.len();
    let centers = parts.centers.as_standard_layout();
    let center =
        |group: usize| &centers.as_slice().unwrap_or(&[])[group * rows.ncols()..][..rows.ncols()];
    // What is nothing but rounding counts as no width and no distance.
    let tiny = 1e-8;
    if parts.widths.iter().all(|width| *width <= tiny) {
        return Ok(0.0);
    }
    let mut apart = false;
    let mut sum = 0.0;
    for i in 0..count {
        let mut worst = 0.0_f64;
        for j in (0..count).filter(|&j| j != i) {
            let distance = squared_euclidean(center(i), center(j)).sqrt();
            apart |= distance > tiny;
            // Centres at the same place are skipped: no ratio is defined.
            if distance > 0.0 {
                worst = worst.max((parts.widths[i] + parts.widths[j]) / distance);
            }
        }
        sum += worst;
    }
    Ok(if apart { sum / count as f64 } else { 0.0 })
}

/// Centres and spreads of groups.
struct Groups {
    sizes: Vec<f64>,
    centers: Array2<f64>,
    /// Σ‖x − centre‖² of each group.
    squares: Vec<f64>,
    /// Mean ‖x − centre‖ of each group.
    widths: Vec<f64>,
}

impl Groups {
    fn of_labels(rows: ArrayView2<'_, f64>, labels: &[usize]) -> Result<Self> {
        let places = check_groups(rows, labels)?;
        let every: Vec<usize> = (0..labels.len()).collect();
        Groups::new(rows, &every, &places)
    }

    fn new(rows: ArrayView2<'_, f64>, kept: &[usize], groups: &[usize]) -> Result<Self> {
        // Plain slices: a million small array views would take longer than the sums.
        let rows = rows.as_standard_layout();
        let (values, width) = (rows.as_slice().unwrap_or(&[]), rows.ncols());
        check_finite("value", values)?;
        let of = |row: usize| &values[row * width..][..width];
        let count = groups.iter().max().map_or(0, |largest| largest + 1);
        let mut sizes = vec![0.0; count];
        let mut centers = Array2::<f64>::zeros((count, width));
        let sums = centers.as_slice_mut().unwrap_or(&mut []);
        for (&row, &group) in kept.iter().zip(groups) {
            sizes[group] += 1.0;
            for (sum, value) in sums[group * width..][..width].iter_mut().zip(of(row)) {
                *sum += value;
            }
        }
        for (mut center, size) in centers.rows_mut().into_iter().zip(&sizes) {
            center /= *size;
        }
        let places = centers.as_slice().unwrap_or(&[]);
        let (mut squares, mut widths) = (vec![0.0; count], vec![0.0; count]);
        for (&row, &group) in kept.iter().zip(groups) {
            let square = squared_euclidean(of(row), &places[group * width..][..width]);
            squares[group] += square;
            widths[group] += square.sqrt() / sizes[group];
        }
        Ok(Groups {
            sizes,
            centers,
            squares,
            widths,
        })
    }
}

/// Positions of the labels among those that occur; fails unless there are from 2 to n − 1 groups.
pub(crate) fn check_groups(rows: ArrayView2<'_, f64>, labels: &[usize]) -> Result<Vec<usize>> {
    check_labels(rows.nrows(), labels.len())?;
    let clusters: Vec<Option<usize>> = labels.iter().copied().map(Some).collect();
    let (_, places) = place_noise(&clusters, Noise::Excluded);
    let count = places.iter().max().map_or(0, |largest| largest + 1);
    match count >= 2 && count < labels.len() {
        true => Ok(places),
        false => Err(Error::data(format!(
            "there are {count} groups of {} rows; between 2 and {} are needed",
            labels.len(),
            labels.len().saturating_sub(1)
        ))),
    }
}

fn check_labels(rows: usize, labels: usize) -> Result<()> {
    match rows == labels && rows > 0 {
        true => Ok(()),
        false => Err(Error::data(format!(
            "there are {labels} cluster labels for {rows} rows; give one for each, and at least one row"
        ))),
    }
}

fn check_width(rows: ArrayView2<'_, f64>, centers: ArrayView2<'_, f64>) -> Result<()> {
    if rows.ncols() != centers.ncols() || centers.nrows() == 0 {
        return Err(Error::data(format!(
            "the rows have {} columns but the {} centres have {}; give at least one centre of the same width",
            rows.ncols(),
            centers.nrows(),
            centers.ncols()
        )));
    }
    check_finite("value", rows.iter().chain(&centers))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_near, unit};
    use super::*;
    use ndarray::array;

    fn fixture() -> (Array2<f64>, Vec<usize>) {
        let labels: Vec<usize> = (0..60).map(|row| row % 3).collect();
        let rows = Array2::from_shape_fn((60, 2), |(i, j)| {
            unit(2 * i + j, 101) + 0.8 * (labels[i] * (j + 1)) as f64
        });
        (rows, labels)
    }

    // Oracle: scikit-learn's calinski_harabasz_score and davies_bouldin_score; the within sum of
    // squares in NumPy, which is inertia_ at a fixed point.
    #[test]
    fn figures_without_truth_agree_with_the_oracle() {
        let (rows, labels) = fixture();
        let clusters: Vec<Option<usize>> = labels.iter().copied().map(Some).collect();
        let found = [
            calinski_harabasz(rows.view(), &labels).unwrap(),
            davies_bouldin(rows.view(), &labels).unwrap(),
            within_sse(rows.view(), &clusters).unwrap(),
        ];
        for (found, expected) in found.into_iter().zip(INTERNAL) {
            assert_near(found, expected);
        }
    }

    const INTERNAL: [f64; 3] = [477.02417490427416, 0.3717224209962542, 8.10836592765228];

    // 001:CLU-14, 003:P76, 002a:CM01: the three forms agree at a fixed point of k-means; free
    // centres are never better than the means, free groups never better than the nearest centre.
    #[test]
    fn the_three_forms_of_the_loss_meet_at_a_fixed_point() {
        let rows = array![[0.0], [2.0], [10.0], [12.0]];
        let clusters = [Some(0), Some(0), Some(1), Some(1)];
        let means = array![[1.0], [11.0]];
        let (x, z) = (rows.view(), means.view());
        assert_eq!(within_sse(x, &clusters).unwrap(), 4.0);
        assert_eq!(joint_sse(x, &clusters, z).unwrap(), 4.0);
        assert_eq!(sse_to_centers(x, z).unwrap(), 4.0);
        let moved = array![[0.0], [11.0]];
        assert!(joint_sse(x, &clusters, moved.view()).unwrap() > 4.0);
        let swapped = [Some(0), Some(1), Some(1), Some(1)];
        assert!(joint_sse(x, &swapped, z).unwrap() > sse_to_centers(x, z).unwrap());
    }

    // 002a:CM01: noise contributes nothing; zero with one row per group.
    #[test]
    fn noise_contributes_nothing_and_singletons_are_perfect() {
        let rows = array![[0.0], [2.0], [50.0]];
        assert_eq!(
            within_sse(rows.view(), &[Some(3), Some(3), None]).unwrap(),
            2.0
        );
        assert_eq!(
            within_sse(rows.view(), &[Some(0), Some(1), Some(2)]).unwrap(),
            0.0
        );
        assert_eq!(within_sse(rows.view(), &[None, None, None]).unwrap(), 0.0);
    }

    #[test]
    fn too_few_or_too_many_groups_have_no_figure() {
        let rows = array![[0.0], [2.0], [50.0]];
        for labels in [[0, 0, 0], [0, 1, 2]] {
            let message = davies_bouldin(rows.view(), &labels)
                .unwrap_err()
                .to_string();
            assert!(message.contains("between 2 and 2"), "{message}");
            assert!(calinski_harabasz(rows.view(), &labels).is_err());
        }
        let same = array![[1.0], [1.0], [1.0]];
        assert_eq!(davies_bouldin(same.view(), &[0, 0, 1]).unwrap(), 0.0);
        assert_eq!(calinski_harabasz(same.view(), &[0, 0, 1]).unwrap(), 1.0);
    }
}
