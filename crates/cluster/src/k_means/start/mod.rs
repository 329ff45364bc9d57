//! Where the centres of k-means start.
//!
//! The rows here are those of a sketch: distinct, in random but fixed order, each with the weight
//! of all its copies. Choosing a row twice would start two clusters in the same place, so a row
//! that is chosen is never drawn again.

mod oversample;
mod ward;

use super::sums::{squared_distance, weight_of, written_out};
use super::{KMeans, KMeansInit};
use didact_core::random::{Generator, generator};
use didact_core::{Error, Result, Rows, Run, parallel};
use didact_math::numeric::argmax;
use ndarray::{Array2, Axis};
use rand::RngExt;

/// Most clusters that the hierarchical start can find: it holds all pairs of its sample.
const MOST_HIERARCHICAL: usize = 2000;

/// Centres that the user gives, if they are as many and as wide as they must be.
pub(crate) fn given(
    centers: &[Vec<f64>],
    n_clusters: usize,
    n_columns: usize,
) -> Result<Array2<f64>> {
    if centers.len() != n_clusters {
        return Err(Error::parameter(
            "init_centers",
            format!("a list of {}", centers.len()),
            format!("n_clusters is {n_clusters}; give as many centres"),
        ));
    }
    if let Some(index) = centers.iter().position(|center| center.len() != n_columns) {
        return Err(Error::parameter(
            format!("init_centers[{index}]"),
            format!("a list of {}", centers[index].len()),
            format!("the rows have {n_columns} columns; give one value for each"),
        ));
    }
    let values: Vec<f64> = centers.iter().flatten().copied().collect();
    Ok(Array2::from_shape_vec((n_clusters, n_columns), values).expect("one value per column"))
}

/// Draws the first centres of restart number `restart`.
pub(crate) fn draw(
    parameters: &KMeans,
    rows: Rows<'_>,
    weights: &[f64],
    restart: u64,
    run: &Run,
) -> Result<Array2<f64>> {
    let mut generator = generator(parameters.random_state, restart);
    let n_clusters = parameters.n_clusters;
    let chosen = match parameters.init {
        KMeansInit::Random => distinct(rows.n_rows(), n_clusters, &mut generator),
        KMeansInit::PlusPlus => plus_plus(rows, weights, n_clusters, &mut generator, run)?,
        KMeansInit::Parallel => {
            oversample::oversampled(rows, weights, n_clusters, &mut generator, run)?
        }
        KMeansInit::FarthestFirst => farthest_first(rows, n_clusters, &mut generator, run)?,
        KMeansInit::Hierarchical => {
            return hierarchical(rows, weights, n_clusters, &mut generator, run);
        }
    };
    Ok(rows.select(&chosen).into_dense())
}

/// Different rows, all equally probable.
fn distinct(n_rows: usize, count: usize, generator: &mut Generator) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n_rows).collect();
    for place in 0..count.min(n_rows) {
        let other = generator.random_range(place..n_rows);
        order.swap(place, other);
    }
    order.truncate(count);
    order
}

/// k-means++: each next centre is the best of 2 + ln k rows drawn with probability proportional
/// to weight times squared distance to the nearest centre so far. The best is the one that leaves
/// the smallest sum of these.
fn plus_plus(
    rows: Rows<'_>,
    weights: &[f64],
    n_clusters: usize,
    generator: &mut Generator,
    run: &Run,
) -> Result<Vec<usize>> {
    let trials = 2 + (n_clusters as f64).ln() as usize;
    let first = pick(weights, weights.iter().sum(), generator);
    let mut chosen = vec![first];
    let mut nearest = distances_to(rows, first, None, run)?;
    let mut masses = vec![0.0; rows.n_rows()];
    while chosen.len() < n_clusters {
        for (row, mass) in masses.iter_mut().enumerate() {
            *mass = weight_of(Some(weights), row) * nearest[row];
        }
        let total: f64 = masses.iter().sum();
        let mut best: Option<(f64, usize, Vec<f64>)> = None;
        for _ in 0..trials {
            let candidate = match total > 0.0 {
                true => pick(&masses, total, generator),
                // Distances too small to square: any row that is left will do.
                false => first_left(&chosen, rows.n_rows()),
            };
            let distances = distances_to(rows, candidate, Some(&nearest), run)?;
            let potential: f64 = distances.iter().zip(weights).map(|(d, w)| d * w).sum();
            if best.as_ref().is_none_or(|best| potential < best.0) {
                best = Some((potential, candidate, distances));
            }
        }
        let (_, candidate, distances) = best.expect("there are at least two trials");
        chosen.push(candidate);
        nearest = distances;
    }
    Ok(chosen)
}

/// The farthest row from those chosen so far, again and again.
fn farthest_first(
    rows: Rows<'_>,
    n_clusters: usize,
    generator: &mut Generator,
    run: &Run,
) -> Result<Vec<usize>> {
    let mut chosen = vec![generator.random_range(0..rows.n_rows())];
    let mut nearest = distances_to(rows, chosen[0], None, run)?;
    while chosen.len() < n_clusters {
        let farthest = argmax(nearest.iter().copied()).filter(|&row| nearest[row] > 0.0);
        let farthest = farthest.unwrap_or_else(|| first_left(&chosen, rows.n_rows()));
        nearest = distances_to(rows, farthest, Some(&nearest), run)?;
        chosen.push(farthest);
    }
    Ok(chosen)
}

/// The means of the clusters of a sample that Ward's agglomeration finds.
fn hierarchical(
    rows: Rows<'_>,
    weights: &[f64],
    n_clusters: usize,
    generator: &mut Generator,
    run: &Run,
) -> Result<Array2<f64>> {
    if n_clusters > MOST_HIERARCHICAL {
        return Err(Error::parameter(
            "init",
            "hierarchical",
            format!("it finds at most {MOST_HIERARCHICAL} clusters; use k-means++ for more"),
        ));
    }
    let size = rows.n_rows().min((2 * n_clusters).max(512));
    let sample = distinct(rows.n_rows(), size, generator);
    let dense = rows.select(&sample).into_dense();
    let weights: Vec<f64> = sample.iter().map(|&row| weights[row]).collect();
    let labels = ward::clusters(dense.view(), &weights, n_clusters, run)?;
    let mut centers = Array2::zeros((n_clusters, rows.n_columns()));
    let mut totals = vec![0.0; n_clusters];
    for (row, &label) in labels.iter().enumerate() {
        // A running mean cannot overflow where a sum would.
        totals[label] += weights[row];
        let share = weights[row] / totals[label];
        let mut center = centers.index_axis_mut(Axis(0), label);
        center.zip_mut_with(&dense.row(row), |center, value| {
            *center += (value - *center) * share
        });
    }
    Ok(centers)
}

/// Squared distances of all rows to one of them, at most `limits`; zero for that row itself.
fn distances_to(
    rows: Rows<'_>,
    center: usize,
    limits: Option<&[f64]>,
    run: &Run,
) -> Result<Vec<f64>> {
    let values = written_out(rows, center);
    let square = values.iter().map(|value| value * value).sum();
    let mut distances = vec![0.0; rows.n_rows()];
    let chunk = ((1 << 19) / rows.n_columns().max(1)).clamp(64, 4096);
    parallel::fill(&mut distances, 1, chunk, run, |range, piece| {
        for (row, distance) in range.zip(piece) {
            let limit = limits.map_or(f64::MAX, |limits| limits[row]);
            // A distance too large to square counts as the largest number there is.
            *distance = squared_distance(rows, row, &values, square).min(limit);
        }
        Ok(())
    })?;
    distances[center] = 0.0;
    Ok(distances)
}

/// An index drawn with probability proportional to its mass.
fn pick(masses: &[f64], total: f64, generator: &mut Generator) -> usize {
    let mut left = generator.random::<f64>() * total;
    let mut last = 0;
    for (index, &mass) in masses.iter().enumerate() {
        if mass > 0.0 {
            last = index;
            left -= mass;
            if left < 0.0 {
                break;
            }
        }
    }
    last
}

/// The first row that is not chosen yet.
fn first_left(chosen: &[usize], n_rows: usize) -> usize {
    (0..n_rows).find(|row| !chosen.contains(row)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn parameters(init: KMeansInit, n_clusters: usize) -> KMeans {
        KMeans {
            init,
            n_clusters,
            ..KMeans::default()
        }
    }

    const ALL: [KMeansInit; 5] = [
        KMeansInit::PlusPlus,
        KMeansInit::Parallel,
        KMeansInit::Random,
        KMeansInit::FarthestFirst,
        KMeansInit::Hierarchical,
    ];

    // 001:CLU-22
    #[test]
    fn asking_for_all_rows_gives_each_of_them_once() {
        let x = array![[0.0], [1e-200], [5.0], [6.0], [9.0]];
        for init in ALL {
            for restart in 0..20 {
                let centers = draw(
                    &parameters(init, 5),
                    Rows::Dense(x.view()),
                    &[1.0; 5],
                    restart,
                    &Run::new(),
                )
                .unwrap();
                let mut values = centers.into_raw_vec_and_offset().0;
                values.sort_by(f64::total_cmp);
                assert_eq!(values, [0.0, 1e-200, 5.0, 6.0, 9.0], "{init:?}");
            }
        }
    }

    // 003:P75 (b), (c)
    #[test]
    fn far_apart_groups_each_get_a_start() {
        let x = array![
            [0.0],
            [0.5],
            [1.0],
            [100.0],
            [100.5],
            [200.0],
            [200.5],
            [201.0]
        ];
        for init in [
            KMeansInit::PlusPlus,
            KMeansInit::Parallel,
            KMeansInit::FarthestFirst,
            KMeansInit::Hierarchical,
        ] {
            for restart in 0..10 {
                let centers = draw(
                    &parameters(init, 3),
                    Rows::Dense(x.view()),
                    &[1.0; 8],
                    restart,
                    &Run::new(),
                )
                .unwrap();
                let mut groups: Vec<i64> =
                    centers.iter().map(|value| (value / 100.0) as i64).collect();
                groups.sort_unstable();
                assert_eq!(groups, [0, 1, 2], "{init:?}");
            }
        }
    }

    #[test]
    fn draws_follow_the_masses() {
        // 4000 draws with probability ¾: standard deviation √(4000·¾·¼) ≈ 27.4.
        let mut generator = generator(3, 0);
        let heavy = (0..4000)
            .filter(|_| pick(&[1.0, 0.0, 3.0], 4.0, &mut generator) == 2)
            .count();
        assert!((heavy as f64 - 3000.0).abs() < 4.0 * 27.4, "{heavy}");
    }

    #[test]
    fn centres_of_the_wrong_shape_are_refused_by_name() {
        let error = given(&[vec![1.0]], 2, 1).unwrap_err().to_string();
        assert_eq!(
            error,
            "init_centers is a list of 1; n_clusters is 2; give as many centres"
        );
        let error = given(&[vec![1.0], vec![1.0, 2.0]], 2, 1)
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "init_centers[1] is a list of 2; the rows have 1 columns; give one value for each"
        );
    }
}
