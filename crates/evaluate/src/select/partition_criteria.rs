//! AIC and BIC of groupings that have no likelihood of their own.

use super::criteria::Criteria;
use crate::metrics::{Noise, place_noise, within_sse};
use didact_core::{Error, Result};
use ndarray::{Array2, ArrayView2, Axis};
use serde::Serialize;

/// What stands in for the likelihood of a hard grouping; always say which beside the figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartitionLikelihood {
    /// Σ ln(π_c·N(x; μ_c, diag σ²_c)), the classification likelihood with a variance per group and
    /// column; B = (K−1) + KN + KN.
    GaussianDiagonal,
    /// The same with one variance per group; B = (K−1) + KN + K.
    GaussianSpherical,
    /// −½·RSS, so that AIC = RSS + 2B and BIC = RSS + B ln M; B = KN.
    Rss,
    /// −Σ_c n_c Σ_d ½ ln(σ²_cd + σ²_d), with σ²_d the variance of all rows; B = KN.
    Tool,
}

/// The criteria of a grouping; rows in no group are left out of everything.
///
/// A group without spread has the variance 10⁻¹² of that of all rows, so a group of equal rows
/// does not make the likelihood infinite.
pub fn partition_criteria(
    rows: ArrayView2<'_, f64>,
    clusters: &[Option<usize>],
    likelihood: PartitionLikelihood,
) -> Result<Criteria> {
    let sse = within_sse(rows, clusters)?;
    let (kept, groups) = place_noise(clusters, Noise::Excluded);
    if kept.is_empty() {
        return Err(Error::data(
            "no row is in a cluster; there is nothing to judge",
        ));
    }
    let rows = rows.select(Axis(0), &kept);
    let (n, d) = rows.dim();
    let k = groups.iter().max().map_or(0, |largest| largest + 1);
    let (kd, freedom) = ((k * d) as f64, (k - 1) as f64);
    let overall = rows.var_axis(Axis(0), 0.0);
    let floor = overall.sum() / d as f64 * 1e-12 + f64::MIN_POSITIVE;
    let (sizes, variances) = variances(rows.view(), &groups, k);
    let (log_likelihood, parameters) = match likelihood {
        PartitionLikelihood::Rss => (-0.5 * sse, kd),
        PartitionLikelihood::Tool => {
            let term = |(place, variance): ((usize, usize), &f64)| {
                -0.5 * sizes[place.0] * (variance + overall[place.1]).max(floor).ln()
            };
            (variances.indexed_iter().map(term).sum(), kd)
        }
        PartitionLikelihood::GaussianDiagonal => {
            (gaussian(&variances, &sizes, floor), freedom + 2.0 * kd)
        }
        PartitionLikelihood::GaussianSpherical => {
            let mut equal = variances.clone();
            for mut row in equal.rows_mut() {
                let mean = row.sum() / d as f64;
                row.fill(mean);
            }
            (gaussian(&equal, &sizes, floor), freedom + kd + k as f64)
        }
    };
    Criteria::new(log_likelihood, parameters, n)
}

/// Sizes of the groups, and their variances (divisor n) per column.
fn variances(rows: ArrayView2<'_, f64>, groups: &[usize], k: usize) -> (Vec<f64>, Array2<f64>) {
    let mut sizes = vec![0.0; k];
    let mut means = Array2::<f64>::zeros((k, rows.ncols()));
    for (row, &group) in rows.rows().into_iter().zip(groups) {
        sizes[group] += 1.0;
        let mut mean = means.row_mut(group);
        mean += &row;
    }
    for (mut mean, size) in means.rows_mut().into_iter().zip(&sizes) {
        mean /= *size;
    }
    let mut variances = Array2::<f64>::zeros((k, rows.ncols()));
    for (row, &group) in rows.rows().into_iter().zip(groups) {
        let difference = &row - &means.row(group);
        let mut variance = variances.row_mut(group);
        variance += &(&difference * &difference / sizes[group]);
    }
    (sizes, variances)
}

/// Σ_c n_c (ln π_c − ½ Σ_d (ln 2πσ²_cd + s²_cd/σ²_cd)), at s² = σ² where that is above the floor.
fn gaussian(variances: &Array2<f64>, sizes: &[f64], floor: f64) -> f64 {
    let total: f64 = sizes.iter().sum();
    let mut sum: f64 = sizes.iter().map(|size| size * (size / total).ln()).sum();
    for ((group, _), &variance) in variances.indexed_iter() {
        let used = variance.max(floor);
        sum -= 0.5 * sizes[group] * ((std::f64::consts::TAU * used).ln() + variance / used);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    // 002a:CM02: what L and B are for a hard grouping. Two groups {0, 2} and {10, 12}: RSS = 4,
    // variances 1, weights ½.
    #[test]
    fn each_likelihood_follows_its_definition() {
        let rows = array![[0.0], [2.0], [10.0], [12.0], [99.0]];
        let clusters = [Some(0), Some(0), Some(1), Some(1), None];
        let found = |kind| partition_criteria(rows.view(), &clusters, kind).unwrap();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * b.abs().max(1.0), "{a} {b}");
        near(found(PartitionLikelihood::Rss).aic, 4.0 + 2.0 * 2.0);
        near(
            found(PartitionLikelihood::Rss).bic,
            4.0 + 2.0 * 4.0_f64.ln(),
        );
        let log_likelihood = 4.0 * (0.5_f64.ln() - 0.5 * std::f64::consts::TAU.ln() - 0.5);
        near(
            found(PartitionLikelihood::GaussianDiagonal).aic,
            -2.0 * log_likelihood + 2.0 * 5.0,
        );
        near(
            found(PartitionLikelihood::GaussianSpherical).bic,
            -2.0 * log_likelihood + 5.0 * 4.0_f64.ln(),
        );
        // Variance of all four rows: 26.
        near(
            found(PartitionLikelihood::Tool).aic,
            4.0 * 27.0_f64.ln() + 2.0 * 2.0,
        );
    }

    #[test]
    fn equal_rows_do_not_make_the_likelihood_infinite() {
        let rows = array![[1.0], [1.0], [5.0]];
        let clusters = [Some(0), Some(0), Some(1)];
        let found = partition_criteria(
            rows.view(),
            &clusters,
            PartitionLikelihood::GaussianDiagonal,
        );
        assert!(found.unwrap().bic.is_finite());
        assert!(partition_criteria(rows.view(), &[None; 3], PartitionLikelihood::Rss).is_err());
    }
}
