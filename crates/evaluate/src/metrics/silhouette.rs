//! The silhouette: whether a row is nearer to its own group than to the next.

use super::check::check_finite;
use super::internal::check_groups;
use didact_core::random::generator;
use didact_core::{Error, Result, Run, parallel};
use didact_math::distance::squared_euclidean_matrix;
use ndarray::{Array2, ArrayView2, Axis, s};
use rand::RngExt;

/// Rows whose distances to all others are in memory at once.
const BLOCK: usize = 256;

/// (b − a)/max(a, b) of each row, with a its mean distance to its own group and b that to the
/// nearest other group; zero for a row alone in its group.
///
/// All pairs of distances are computed, block by block: time n²d, memory n per block. For many
/// rows use [`silhouette_sampled`].
pub fn silhouette_samples(
    rows: ArrayView2<'_, f64>,
    labels: &[usize],
    run: &Run,
) -> Result<Vec<f64>> {
    let groups = check_groups(rows, labels)?;
    check_finite("value", rows.iter())?;
    // Distances do not change, but keep their digits far from the origin.
    let mean = rows.mean_axis(Axis(0)).unwrap_or_default();
    let rows = &rows - &mean;
    let sizes = sizes_of(&groups);
    let mut values = vec![0.0; labels.len()];
    parallel::fill(&mut values, 1, BLOCK, run, |range, output| {
        let mut sums = Array2::<f64>::zeros((range.len(), sizes.len()));
        for start in (0..rows.nrows()).step_by(BLOCK) {
            run.check()?;
            let stop = (start + BLOCK).min(rows.nrows());
            let block = rows.slice(s![range.clone(), ..]);
            let distances = squared_euclidean_matrix(block, rows.slice(s![start..stop, ..]));
            for (distances, mut sums) in distances.rows().into_iter().zip(sums.rows_mut()) {
                for (distance, &group) in distances.iter().zip(&groups[start..stop]) {
                    sums[group] += distance.sqrt();
                }
            }
        }
        for ((row, value), sums) in range.zip(output).zip(sums.rows()) {
            *value = one(sums.as_slice().unwrap_or(&[]), groups[row], &sizes);
        }
        Ok(())
    })?;
    Ok(values)
}

/// The mean of [`silhouette_samples`]: near one for tight groups far apart, negative for rows in
/// the wrong group.
///
/// ```
/// use didact_core::Run;
/// let rows = ndarray::array![[0.0], [1.0], [10.0], [11.0]];
/// let value = didact_evaluate::silhouette(rows.view(), &[0, 0, 1, 1], &Run::new())?;
/// assert!((value - (9.5 / 10.5 + 8.5 / 9.5) / 2.0).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn silhouette(rows: ArrayView2<'_, f64>, labels: &[usize], run: &Run) -> Result<f64> {
    let values = silhouette_samples(rows, labels, run)?;
    Ok(values.iter().sum::<f64>() / values.len() as f64)
}

/// The silhouette of at most `limit` rows drawn without replacement, for data whose pairs are too
/// many; all rows where there are no more than that.
pub fn silhouette_sampled(
    rows: ArrayView2<'_, f64>,
    labels: &[usize],
    limit: usize,
    seed: u64,
    run: &Run,
) -> Result<f64> {
    check_groups(rows, labels)?;
    if labels.len() <= limit {
        return silhouette(rows, labels, run);
    }
    let mut generator = generator(seed, 0);
    let mut order: Vec<usize> = (0..labels.len()).collect();
    for place in 0..limit {
        let other = generator.random_range(place..order.len());
        order.swap(place, other);
    }
    order.truncate(limit);
    order.sort_unstable();
    let chosen: Vec<usize> = order.iter().map(|&row| labels[row]).collect();
    silhouette(rows.select(Axis(0), &order).view(), &chosen, run)
}

/// The silhouette of each row from a table of distances of any kind.
pub fn silhouette_of_distances(
    distances: ArrayView2<'_, f64>,
    labels: &[usize],
) -> Result<Vec<f64>> {
    if !distances.is_square() {
        return Err(Error::data(format!(
            "the table of distances has {} rows and {} columns; it must be square",
            distances.nrows(),
            distances.ncols()
        )));
    }
    let groups = check_groups(distances, labels)?;
    check_finite("distance", distances.iter())?;
    let sizes = sizes_of(&groups);
    let mut sums = vec![0.0; sizes.len()];
    Ok((0..labels.len())
        .map(|row| {
            sums.fill(0.0);
            for (distance, &group) in distances.row(row).iter().zip(&groups) {
                sums[group] += distance;
            }
            one(&sums, groups[row], &sizes)
        })
        .collect())
}

fn sizes_of(groups: &[usize]) -> Vec<f64> {
    let count = groups.iter().max().map_or(0, |largest| largest + 1);
    let mut sizes = vec![0.0; count];
    groups.iter().for_each(|&group| sizes[group] += 1.0);
    sizes
}

/// The silhouette of a row from the sums of its distances to each group.
fn one(sums: &[f64], own: usize, sizes: &[f64]) -> f64 {
    if sizes[own] <= 1.0 {
        return 0.0;
    }
    // The row's distance to itself is zero and does not count as one of its group.
    let inside = sums[own] / (sizes[own] - 1.0);
    let outside = (0..sizes.len())
        .filter(|&group| group != own)
        .map(|group| sums[group] / sizes[group])
        .fold(f64::INFINITY, f64::min);
    match inside.max(outside) > 0.0 {
        true => (outside - inside) / inside.max(outside),
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_near, unit};
    use super::*;

    fn fixture(count: usize) -> (Array2<f64>, Vec<usize>) {
        let labels: Vec<usize> = (0..count).map(|row| row % 3).collect();
        let rows = Array2::from_shape_fn((count, 2), |(i, j)| {
            unit(2 * i + j, 101) + 0.8 * (labels[i] * (j + 1)) as f64
        });
        (rows, labels)
    }

    // Oracle: sklearn.metrics.silhouette_score; a group of one row in the second. 001:CLU-17
    #[test]
    fn silhouettes_agree_with_the_oracle() {
        let (rows, mut labels) = fixture(60);
        let run = Run::new();
        assert_near(
            silhouette(rows.view(), &labels, &run).unwrap(),
            SILHOUETTES[0],
        );
        labels[5] = 9;
        assert_near(
            silhouette(rows.view(), &labels, &run).unwrap(),
            SILHOUETTES[1],
        );
        let distances = Array2::from_shape_fn((60, 60), |(i, j)| {
            let difference = &rows.row(i) - &rows.row(j);
            difference.dot(&difference).sqrt()
        });
        let values = silhouette_of_distances(distances.view(), &labels).unwrap();
        assert_near(values.iter().sum::<f64>() / 60.0, SILHOUETTES[1]);
        assert_eq!(values[5], 0.0);
    }

    const SILHOUETTES: [f64; 2] = [0.7283365667914491, 0.3926379301613619];

    #[test]
    fn blocks_and_threads_change_nothing() {
        let (rows, labels) = fixture(700);
        let value = |threads| silhouette(rows.view(), &labels, &Run::new().threads(threads));
        let (one, two) = (value(1).unwrap(), value(2).unwrap());
        assert_eq!(one.to_bits(), two.to_bits());
        let shifted = &rows + 1e6;
        assert!((silhouette(shifted.view(), &labels, &Run::new()).unwrap() - one).abs() < 1e-9);
        let sampled = silhouette_sampled(rows.view(), &labels, 300, 1, &Run::new()).unwrap();
        // The values spread by about 0.2, so 300 of them err by about 0.2/√300 = 0.012.
        assert!((sampled - one).abs() < 0.05, "{sampled} {one}");
        assert!(silhouette(rows.view(), &vec![0; 700], &Run::new()).is_err());
    }
}
