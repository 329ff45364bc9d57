//! Mean shift: clusters around the peaks of a density.

use crate::metric_centers::{MetricCenters, nearest_by};
use crate::too_far::rows_too_far;
use didact_core::{Accepts, Error, Fit, Result, Rows, Run, Samples, StopReason, TraceWriter};
use didact_math::distance::Metric;
use didact_math::neighbors::{Index, SearchAlgorithm};
use ndarray::{Array2, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Rows from which the bandwidth is estimated.
const SAMPLE: usize = 500;

/// Seeds that climb at one time.
const BATCH: usize = 1024;

/// Climbs from every row to the mean of the rows around, up to the peaks of the density.
///
/// A seed moves to the mean of the rows within `bandwidth` until it stands still. Peaks within a
/// bandwidth of one with more rows around are dropped, and every row joins its nearest peak. The
/// number of clusters follows from the bandwidth; null takes the mean distance of rows to their
/// nearest 30 %, as scikit-learn does, from a sample of at most 500.
///
/// ```
/// use didact_cluster::MeanShift;
/// use didact_core::{Fit, Samples};
/// use ndarray::array;
/// let x = array![[1.0, 1.0], [2.0, 1.0], [1.0, 0.0], [4.0, 7.0], [3.0, 5.0], [3.0, 6.0]];
/// let model = MeanShift { bandwidth: Some(2.0), ..MeanShift::default() }.fit(Samples::from(&x))?;
/// assert_eq!(model.cluster_centers().nrows(), 2);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MeanShift {
    /// How far around a seed rows count; null estimates it.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub bandwidth: Option<f64>,
    /// Whether seeds are the cells of a grid as wide as the bandwidth instead of all rows.
    pub bin_seeding: bool,
    /// Cells with fewer rows are no seeds.
    #[schemars(range(min = 1))]
    pub min_bin_freq: usize,
    /// Most steps of a seed.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
}

impl Default for MeanShift {
    fn default() -> Self {
        MeanShift {
            bandwidth: None,
            bin_seeding: false,
            min_bin_freq: 1,
            max_iter: 300,
        }
    }
}

/// A seed that stands still: where, and how many rows are around.
struct Peak {
    place: Vec<f64>,
    count: usize,
}

impl Fit<Samples<'_>> for MeanShift {
    type Model = MetricCenters;
    const ACCEPTS: Accepts = Accepts::empty();

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<MetricCenters> {
        let index = Index::build(
            data.rows(),
            Metric::Euclidean,
            SearchAlgorithm::Auto,
            30,
            run,
        )?;
        let bandwidth = match self.bandwidth {
            Some(bandwidth) => bandwidth,
            None => estimated(&data, run)?,
        };
        let seeds = match self.bin_seeding && bandwidth > 0.0 {
            true => self.cells(&data, bandwidth),
            false => data.dense()?.to_owned(),
        };
        let mut trace = TraceWriter::new(run, "moving seeds", Some(self.max_iter));
        let (peaks, stop) = self.climb(&index, &data, seeds, bandwidth, &mut trace, run)?;
        let centers = highest(peaks, bandwidth, run)?;
        if centers.is_empty() {
            return Err(Error::parameter(
                "bandwidth",
                bandwidth,
                "no row is within it of any seed; give a greater one",
            ));
        }
        let found = nearest_by(Metric::Euclidean, data.dense()?, &centers, run)?;
        Ok(MetricCenters {
            metric: Metric::Euclidean,
            cluster_centers: centers,
            medoid_indices: None,
            inertia: found.iter().map(|(_, distance)| distance).sum(),
            labels: found.into_iter().map(|(label, _)| label).collect(),
            trace: trace.finish(stop),
        })
    }
}

impl MeanShift {
    /// The middles of the cells of a grid that hold rows.
    fn cells(&self, data: &Samples<'_>, bandwidth: f64) -> Array2<f64> {
        let rows = data.rows().to_dense();
        let mut counts: BTreeMap<Vec<i64>, usize> = BTreeMap::new();
        for row in rows.rows() {
            let cell = row.iter().map(|value| (value / bandwidth).round() as i64);
            *counts.entry(cell.collect()).or_default() += 1;
        }
        let kept: Vec<f64> = counts
            .into_iter()
            .filter(|&(_, count)| count >= self.min_bin_freq)
            .flat_map(|(cell, _)| cell)
            .map(|index| index as f64 * bandwidth)
            .collect();
        match kept.is_empty() {
            true => rows.into_owned(),
            false => Array2::from_shape_vec((kept.len() / rows.ncols(), rows.ncols()), kept)
                .expect("whole cells"),
        }
    }

    /// Moves all seeds until they stand still.
    fn climb(
        &self,
        index: &Index,
        data: &Samples<'_>,
        mut seeds: Array2<f64>,
        bandwidth: f64,
        trace: &mut TraceWriter<'_>,
        run: &Run,
    ) -> Result<(Vec<Peak>, StopReason)> {
        let rows = data.dense()?;
        let mut peaks = Vec::new();
        for _ in 0..self.max_iter {
            let mut moving = Vec::new();
            for first in (0..seeds.nrows()).step_by(BATCH) {
                let batch = first..(first + BATCH).min(seeds.nrows());
                let places = Rows::Dense(seeds.view()).slice(batch.clone());
                let near = index.rows_within(places, bandwidth, run)?;
                for (seed, near) in batch.zip(near) {
                    run.check()?;
                    if near.is_empty() {
                        continue;
                    }
                    let mut mean = vec![0.0; rows.ncols()];
                    for &row in &near {
                        // Divided first: a sum of huge values would overflow.
                        for (mean, value) in mean.iter_mut().zip(rows.row(row)) {
                            *mean += value / near.len() as f64;
                        }
                    }
                    let before = seeds.row(seed).to_vec();
                    let moved = Metric::Euclidean.between(&before, &mean);
                    if moved <= 1e-3 * bandwidth {
                        peaks.push(Peak {
                            place: mean,
                            count: near.len(),
                        });
                    } else {
                        moving.extend(mean);
                    }
                }
            }
            seeds = Array2::from_shape_vec((moving.len() / rows.ncols(), rows.ncols()), moving)
                .expect("whole rows");
            trace.record(seeds.nrows() as f64)?;
            if seeds.is_empty() {
                return Ok((peaks, StopReason::Converged));
            }
        }
        // Seeds that are still on their way are where they are.
        let still = seeds.rows().into_iter().map(|row| Peak {
            place: row.to_vec(),
            count: 0,
        });
        peaks.extend(still);
        Ok((peaks, StopReason::IterationLimit))
    }
}

/// Drops peaks within a bandwidth of one with more rows around; the lowest values first where
/// those are equally many.
fn highest(mut peaks: Vec<Peak>, bandwidth: f64, run: &Run) -> Result<Array2<f64>> {
    let by_values = |a: &Peak, b: &Peak| {
        let different = a.place.iter().zip(&b.place).find(|(a, b)| a != b);
        different.map_or(std::cmp::Ordering::Equal, |(a, b)| a.total_cmp(b))
    };
    peaks.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| by_values(a, b)));
    peaks.dedup_by(|a, b| a.place == b.place);
    let mut kept: Vec<Vec<f64>> = Vec::new();
    for peak in peaks {
        run.check()?;
        let is_near = |other: &Vec<f64>| Metric::Euclidean.between(other, &peak.place) <= bandwidth;
        if !kept.iter().any(is_near) {
            kept.push(peak.place);
        }
    }
    let width = kept.first().map_or(0, Vec::len);
    Ok(Array2::from_shape_vec((kept.len(), width), kept.concat()).expect("whole peaks"))
}

/// The mean distance of rows to the farthest of their nearest 30 %.
fn estimated(data: &Samples<'_>, run: &Run) -> Result<f64> {
    let n = data.n_rows();
    let step = n.div_ceil(SAMPLE);
    let chosen: Vec<usize> = (0..n).step_by(step).collect();
    let sample = data.rows().select(&chosen);
    let count = ((0.3 * chosen.len() as f64) as usize).max(1);
    let index = Index::build(
        sample.view(),
        Metric::Euclidean,
        SearchAlgorithm::Auto,
        30,
        run,
    )?;
    let near = index.nearest(sample.view(), count, run)?;
    let farthest = near.distances.index_axis(Axis(1), count - 1);
    let bandwidth = farthest
        .iter()
        .map(|distance| distance / chosen.len() as f64)
        .sum();
    if f64::is_finite(bandwidth) {
        return Ok(bandwidth);
    }
    Err(rows_too_far())
}
