//! k-means on rows that come in pieces: one pass for the starts, one per iteration, one to end.

use super::KMeans;
use super::empty::compare_values;
use super::lloyd::Fitted;
use super::model::KMeansModel;
use super::prepare::{ColumnRanges, Shifted, shifted_rows, tolerance};
use super::sums::{ClusterSums, squared_movement, written_out};
use crate::RowSketch;
use didact_core::{
    Error, LearnInPieces, Next, Progress, Result, Rows, Run, Samples, StopReason, Trace,
    ensure_belongs,
};
use didact_math::distance::nearest_center;
use didact_math::linalg::Variances;
use ndarray::{Array1, Array2, ArrayView1};
use serde::{Deserialize, Serialize};

/// What is known between two passes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KMeansState(Option<Improving>);

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Improving {
    /// Squared movement of the centres below which a start has converged.
    tolerance: f64,
    /// What is taken from each row, so that sums keep their digits.
    offset: Array1<f64>,
    starts: Vec<Start>,
}

/// One start on its way; the centres are relative to the offset.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Start {
    centers: Array2<f64>,
    objectives: Vec<f64>,
    n_reseeded: usize,
    stop: Option<StopReason>,
    /// The inertia of the final centres, once it is known.
    inertia: Option<f64>,
}

/// What a pass keeps of a chunk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KMeansSummary(Kept);

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Kept {
    Sketch(RowSketch, ColumnRanges, Variances),
    Starts(Vec<Option<Step>>),
}

/// What the rows add to one start.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Step {
    sums: ClusterSums,
    inertia: f64,
    /// Distinct rows far from their centres, farthest first, for clusters that turn out empty.
    farthest: Vec<FarRow>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct FarRow {
    distance: f64,
    label: usize,
    weight: f64,
    values: Vec<f64>,
}

impl LearnInPieces<Samples<'_>> for KMeans {
    type State = KMeansState;
    type Summary = KMeansSummary;

    fn start(&self) -> Result<KMeansState> {
        Ok(KMeansState(None))
    }

    fn summarise(
        &self,
        state: &KMeansState,
        chunk: Samples<'_>,
        _: usize,
        run: &Run,
    ) -> Result<KMeansSummary> {
        let Some(improving) = &state.0 else {
            let capacity = self.sketch_capacity();
            let sketch = RowSketch::of(&chunk, capacity, self.random_state, run)?;
            let variances = Variances::summarise(chunk.rows(), chunk.weights(), run)?;
            let ranges = match chunk.rows() {
                Rows::Dense(dense) => ColumnRanges::of(dense, chunk.weights(), run)?,
                Rows::Sparse(sparse) => ColumnRanges::unknown(sparse.n_columns()),
            };
            return Ok(KMeansSummary(Kept::Sketch(sketch, ranges, variances)));
        };
        let offset = &improving.offset;
        if chunk.n_columns() != offset.len() {
            return Err(Error::Columns {
                expected: offset.len(),
                found: chunk.n_columns(),
            });
        }
        let shifted = shifted_rows(chunk.rows(), offset);
        let steps = improving.starts.iter().map(|start| {
            let needed = start.inertia.is_none();
            needed
                .then(|| step(start, &shifted, chunk.weights(), run))
                .transpose()
        });
        Ok(KMeansSummary(Kept::Starts(steps.collect::<Result<_>>()?)))
    }

    fn check_summary(&self, state: &KMeansState, summary: &KMeansSummary) -> Result<()> {
        ensure_belongs(match (&state.0, &summary.0) {
            (None, Kept::Sketch(sketch, ranges, variances)) => {
                let columns = sketch.n_columns();
                sketch.is_consistent()
                    && ranges.n_columns() == columns
                    && variances.is_consistent()
                    && variances.mean.len() == columns
            }
            (Some(improving), Kept::Starts(steps)) => {
                let starts = &improving.starts;
                let fits = |(start, step): (&Start, &Option<Step>)| match step {
                    Some(step) => step.has_shape(start.centers.dim()),
                    None => start.inertia.is_some(),
                };
                starts.len() == steps.len() && starts.iter().zip(steps).all(fits)
            }
            _ => false,
        })
    }

    fn merge(&self, left: KMeansSummary, right: KMeansSummary) -> Result<KMeansSummary> {
        let merged = match (left.0, right.0) {
            (Kept::Sketch(a, x, u), Kept::Sketch(b, y, v)) => {
                Kept::Sketch(a.merge(b)?, x.merge(y), u.merge(v))
            }
            (Kept::Starts(a), Kept::Starts(b)) if a.len() == b.len() => {
                let merge = |(a, b): (Option<Step>, Option<Step>)| match (a, b) {
                    (Some(a), Some(b)) => {
                        ensure_belongs(b.has_shape(a.sums.sums.dim()))?;
                        Ok(Some(a.merge(b)))
                    }
                    _ => Ok(None),
                };
                Kept::Starts(a.into_iter().zip(b).map(merge).collect::<Result<_>>()?)
            }
            _ => return Err(Error::data("the summaries are of different passes")),
        };
        Ok(KMeansSummary(merged))
    }

    fn step(
        &self,
        state: KMeansState,
        summary: KMeansSummary,
        run: &Run,
    ) -> Result<Next<KMeansState, KMeansModel>> {
        let improving = match (state.0, summary.0) {
            (None, Kept::Sketch(sketch, ranges, variances)) => {
                let tolerance = tolerance(&variances, self.tol);
                self.begin(&sketch, ranges.exact_offset(), tolerance, run)?
            }
            (Some(mut improving), Kept::Starts(steps)) => {
                for (start, step) in improving.starts.iter_mut().zip(steps) {
                    if let Some(step) = step {
                        self.advance(start, step, improving.tolerance, run)?;
                    }
                }
                improving
            }
            _ => return Err(Error::data("the summary is of another pass than the state")),
        };
        match improving.starts.iter().all(|start| start.inertia.is_some()) {
            true => Ok(Next::Done(improving.finish())),
            false => Ok(Next::Pass(KMeansState(Some(improving)))),
        }
    }
}

impl KMeans {
    fn begin(
        &self,
        sketch: &RowSketch,
        offset: Array1<f64>,
        tolerance: f64,
        run: &Run,
    ) -> Result<Improving> {
        let sample = sketch.rows()?;
        let starts = self.starts(sample.view(), &sketch.weights(), run)?;
        let starts = starts.into_iter().map(|centers| Start {
            centers: centers - &offset,
            objectives: Vec::new(),
            n_reseeded: 0,
            stop: None,
            inertia: None,
        });
        Ok(Improving {
            starts: starts.collect(),
            tolerance,
            offset,
        })
    }

    /// Ends an iteration of one start.
    fn advance(&self, start: &mut Start, mut step: Step, tolerance: f64, run: &Run) -> Result<()> {
        if start.stop.is_some() {
            start.inertia = Some(step.inertia);
            return Ok(());
        }
        start.objectives.push(step.inertia);
        run.report(&Progress {
            iteration: start.objectives.len(),
            limit: Some(self.max_iter),
            objective_name: "inertia",
            objective: step.inertia,
        })?;
        let reseeded = step.reseed();
        start.n_reseeded += reseeded;
        let means = step.sums.means(&start.centers);
        let movement = squared_movement(&start.centers, &means);
        start.centers = means;
        if reseeded == 0 && movement <= tolerance {
            start.stop = Some(StopReason::Converged);
        } else if start.objectives.len() >= self.max_iter {
            start.stop = Some(StopReason::IterationLimit);
        }
        // Centres that did not move need no further pass for their inertia.
        if start.stop == Some(StopReason::Converged) && movement == 0.0 {
            start.inertia = Some(step.inertia);
        }
        Ok(())
    }
}

impl Improving {
    fn finish(self) -> KMeansModel {
        let inertia = |start: &Start| start.inertia.unwrap_or(f64::INFINITY);
        let best =
            self.starts
                .into_iter()
                .reduce(|best, other| match inertia(&other) < inertia(&best) {
                    true => other,
                    false => best,
                });
        let best = best.expect("there is at least one start");
        KMeansModel::new(Fitted {
            centers: best.centers + &self.offset,
            labels: None,
            inertia: best.inertia.unwrap_or(f64::INFINITY),
            n_reseeded: best.n_reseeded,
            trace: Trace {
                objective_name: "inertia".to_owned(),
                objectives: best.objectives,
                stop: best.stop.unwrap_or(StopReason::IterationLimit),
            },
        })
    }
}

fn step(
    start: &Start,
    rows: &Shifted<'_>,
    weights: Option<ArrayView1<'_, f64>>,
    run: &Run,
) -> Result<Step> {
    let rows = rows.view();
    let found = nearest_center(rows, start.centers.view(), run)?;
    let n_clusters = start.centers.nrows();
    let mut sums = ClusterSums::zeros(n_clusters, rows.n_columns());
    let mut inertia = 0.0;
    let mut farthest: Vec<FarRow> = Vec::new();
    for (row, &label) in found.labels.iter().enumerate() {
        if row % 1024 == 0 {
            run.check()?;
        }
        let weight = weights.map_or(1.0, |weights| weights[row]);
        if weight == 0.0 {
            continue;
        }
        let distance = found.squared_distances[row];
        sums.add_row(rows, row, label, weight);
        inertia += weight * distance;
        let worst = farthest.last().map_or(0.0, |far| far.distance);
        if distance > 0.0 && (farthest.len() < n_clusters || distance >= worst) {
            let values = written_out(rows, row);
            keep_far(
                &mut farthest,
                FarRow {
                    distance,
                    label,
                    weight,
                    values,
                },
                n_clusters,
            );
        }
    }
    Ok(Step {
        sums,
        inertia,
        farthest,
    })
}

/// Keeps the farthest distinct rows in order; among equally far ones the order of their values
/// decides, so that no cut of the rows matters.
fn keep_far(farthest: &mut Vec<FarRow>, row: FarRow, most: usize) {
    let place = farthest.binary_search_by(|other| {
        let by_distance = row.distance.total_cmp(&other.distance);
        by_distance.then_with(|| compare_values(&other.values, &row.values))
    });
    if let Err(place) = place {
        farthest.insert(place, row);
        farthest.truncate(most);
    }
}

impl Step {
    /// Whether this is about so many clusters and columns.
    fn has_shape(&self, (n_clusters, n_columns): (usize, usize)) -> bool {
        let fits = |row: &FarRow| row.label < n_clusters && row.values.len() == n_columns;
        self.sums.has_shape((n_clusters, n_columns)) && self.farthest.iter().all(fits)
    }

    fn merge(mut self, other: Step) -> Step {
        let most = self.sums.weights.len();
        for row in other.farthest {
            keep_far(&mut self.farthest, row, most);
        }
        Step {
            sums: self.sums.merge(other.sums),
            inertia: self.inertia + other.inertia,
            farthest: self.farthest,
        }
    }

    /// Gives every cluster without rows the farthest row that is left; returns how many.
    fn reseed(&mut self) -> usize {
        let n_clusters = self.sums.weights.len();
        let empty: Vec<usize> = (0..n_clusters)
            .filter(|&cluster| self.sums.is_empty(cluster))
            .collect();
        let mut reseeded = 0;
        for (cluster, row) in empty.into_iter().zip(std::mem::take(&mut self.farthest)) {
            let values = ndarray::aview1(&row.values).insert_axis(ndarray::Axis(0));
            let rows = Rows::Dense(values);
            self.sums.add_row(rows, 0, row.label, -row.weight);
            self.sums.add_row(rows, 0, cluster, row.weight);
            self.sums.clear_empty();
            reseeded += 1;
        }
        reseeded
    }
}
