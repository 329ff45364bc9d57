//! One pass over the rows: responsibilities and the moments that they weight, in one go.

use super::GaussianMixture;
use super::components::{Components, Covariances, Whitening};
use didact_core::{Result, Run, parallel};
use didact_math::linalg::{Accumulate, matmul_into, mirror_lower};
use didact_math::numeric::dot;
use ndarray::{Array2, Array3, ArrayView1, ArrayView2, ArrayViewMut2, Axis, s};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Up to this many columns plain loops over a triangle beat matrix products.
const SMALL: usize = 24;

/// What a pass keeps. Moments are taken about the means of the pass, which are close to the new
/// means, so that moving them there loses no digits; they add up over chunks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Statistics {
    /// Σ w.
    weight: f64,
    /// Σ w·ln p(x).
    log_likelihood: f64,
    /// Nₖ = Σ w·rₖ.
    counts: Vec<f64>,
    /// Σ w·rₖ·(x−μₖ), one row per component.
    first: Array2<f64>,
    second: Second,
}

/// Σ w·rₖ·(x−μₖ)(x−μₖ)ᵀ as far as the covariances need it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Second {
    /// One matrix per component.
    Full(Vec<Array2<f64>>),
    /// Their sum.
    Tied(Array2<f64>),
    /// Their diagonals.
    Diagonal(Array2<f64>),
}

impl Statistics {
    /// Sums up the rows.
    pub(crate) fn of(
        components: &Components,
        rows: ArrayView2<'_, f64>,
        weights: Option<ArrayView1<'_, f64>>,
        run: &Run,
    ) -> Result<Self> {
        let (k, d) = components.means.dim();
        let work = match components.whitening {
            Whitening::Dense(_) => k * d * d,
            Whitening::Diagonal(_) => k * d,
        };
        let chunk = ((1 << 21) / work.max(1)).clamp(64, 8192);
        let statistics = parallel::reduce(
            rows.nrows(),
            chunk,
            run,
            &|range| Ok(chunk_statistics(components, rows, weights, range)),
            &Statistics::merge,
        )?;
        Ok(statistics.unwrap_or_else(|| Statistics::nothing(components)))
    }

    /// Sums up rows that each belong to one component altogether.
    pub(crate) fn of_labels(
        components: &Components,
        rows: ArrayView2<'_, f64>,
        weights: Option<ArrayView1<'_, f64>>,
        labels: &[usize],
    ) -> Self {
        let mut statistics = Statistics::nothing(components);
        let mut workspace = Workspace::new(components, 1);
        for (row, &label) in labels.iter().enumerate() {
            let weight = weights.map_or(1.0, |weights| weights[row]);
            statistics.weight += weight;
            statistics.counts[label] += weight;
            center(
                &mut workspace,
                components,
                label,
                rows.slice(s![row..row + 1, ..]),
            );
            workspace.scores[[label, 0]] = weight;
            add_moments(&mut statistics, &mut workspace, label, 1);
        }
        statistics
    }

    fn nothing(components: &Components) -> Self {
        let (k, d) = components.means.dim();
        let square = || Array2::zeros((d, d));
        Statistics {
            weight: 0.0,
            log_likelihood: 0.0,
            counts: vec![0.0; k],
            first: Array2::zeros((k, d)),
            second: match components.covariances {
                Covariances::Full(_) => Second::Full((0..k).map(|_| square()).collect()),
                Covariances::Tied(_) => Second::Tied(square()),
                _ => Second::Diagonal(Array2::zeros((k, d))),
            },
        }
    }

    /// What two chunks of a pass have together.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.weight += other.weight;
        self.log_likelihood += other.log_likelihood;
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        self.first += &other.first;
        match (&mut self.second, other.second) {
            (Second::Full(sums), Second::Full(more)) => {
                sums.iter_mut()
                    .zip(more)
                    .for_each(|(sum, more)| *sum += &more);
            }
            (Second::Tied(sum), Second::Tied(more))
            | (Second::Diagonal(sum), Second::Diagonal(more)) => *sum += &more,
            _ => unreachable!("summaries of one pass have one covariance type"),
        }
        self
    }

    /// The mean log-likelihood of a row under the components of the pass.
    pub(crate) fn mean_log_likelihood(&self) -> f64 {
        self.log_likelihood / self.weight
    }

    /// The components that explain the weighted rows best.
    ///
    /// With δ = μ_new − μ_old the scatter about the new mean is that about the old one less Nδδᵀ.
    /// A component without rows stays where it is.
    pub(crate) fn maximise(
        self,
        old: &Components,
        parameters: &GaussianMixture,
    ) -> Result<Components> {
        let (k, d) = old.means.dim();
        let negligible = 10.0 * f64::EPSILON * self.weight;
        let alive: Vec<bool> = self
            .counts
            .iter()
            .map(|&count| count > negligible)
            .collect();
        let mut shifts = self.first;
        for (component, mut shift) in shifts.rows_mut().into_iter().enumerate() {
            match alive[component] {
                true => shift /= self.counts[component],
                false => shift.fill(0.0),
            }
        }
        let covariances = match (self.second, &old.covariances) {
            (Second::Full(mut scatters), Covariances::Full(before)) => {
                for (component, scatter) in scatters.iter_mut().enumerate() {
                    match alive[component] {
                        true => {
                            let count = self.counts[component];
                            take_shift(scatter, shifts.row(component), count);
                            *scatter /= count;
                        }
                        false => {
                            scatter.assign(&before[component]);
                            // The floor is in it already and will be added again.
                            scatter
                                .diag_mut()
                                .iter_mut()
                                .for_each(|v| *v -= parameters.reg_covar);
                        }
                    }
                    mirror_lower(scatter);
                }
                Covariances::Full(scatters)
            }
            (Second::Tied(mut scatter), _) => {
                for component in 0..k {
                    take_shift(&mut scatter, shifts.row(component), self.counts[component]);
                }
                mirror_lower(&mut scatter);
                Covariances::Tied(scatter / self.counts.iter().sum::<f64>())
            }
            (Second::Diagonal(mut squares), before) => {
                for (component, mut square) in squares.rows_mut().into_iter().enumerate() {
                    if alive[component] {
                        square /= self.counts[component];
                        square.zip_mut_with(&shifts.row(component), |square, shift| {
                            *square = (*square - shift * shift).max(0.0);
                        });
                    } else {
                        square.assign(&before.matrix(component, d).diag());
                        square -= parameters.reg_covar;
                    }
                }
                match before {
                    // The mean over the columns: the printed rule's extra divisor is d.
                    Covariances::Spherical(_) => Covariances::Spherical(
                        squares.sum_axis(Axis(1)).map(|sum| sum / d as f64).to_vec(),
                    ),
                    _ => Covariances::Diag(squares),
                }
            }
            _ => unreachable!("a pass keeps what its covariance type needs"),
        };
        let weights = match parameters.fixed_weights {
            true => old.weights.clone(),
            false => {
                let total: f64 = self.counts.iter().sum();
                self.counts.iter().map(|count| count / total).collect()
            }
        };
        Components::new(
            weights,
            shifts + &old.means,
            covariances,
            parameters.reg_covar,
        )
    }
}

/// Takes Nδδᵀ from a scatter, which stays exactly symmetric.
fn take_shift(scatter: &mut Array2<f64>, shift: ArrayView1<'_, f64>, count: f64) {
    for ((row, column), value) in scatter.indexed_iter_mut() {
        *value -= count * (shift[row] * shift[column]);
    }
}

/// Room for a block of rows, used again for every block of a chunk.
struct Workspace {
    /// Rows less the mean of each component.
    centred: Array3<f64>,
    whitened: Array2<f64>,
    /// ln πₖ N(x), then w·rₖ, one row per component.
    scores: Array2<f64>,
}

impl Workspace {
    fn new(components: &Components, block: usize) -> Self {
        let (k, d) = components.means.dim();
        Workspace {
            centred: Array3::zeros((k, block, d)),
            whitened: Array2::zeros((block, d)),
            scores: Array2::zeros((k, block)),
        }
    }
}

fn chunk_statistics(
    components: &Components,
    rows: ArrayView2<'_, f64>,
    weights: Option<ArrayView1<'_, f64>>,
    range: Range<usize>,
) -> Statistics {
    let (k, d) = components.means.dim();
    // The centred rows of all components stay in the cache between their two uses.
    let block = ((1 << 14) / (k * d)).clamp(16, 512).min(range.len());
    let mut workspace = Workspace::new(components, block);
    let mut statistics = Statistics::nothing(components);
    for first in range.clone().step_by(block) {
        let places = first..(first + block).min(range.end);
        let weights = weights.map(|weights| weights.slice_move(s![places.clone()]));
        add_block(
            &mut statistics,
            &mut workspace,
            components,
            rows.slice(s![places, ..]),
            weights,
        );
    }
    statistics
}

fn add_block(
    statistics: &mut Statistics,
    workspace: &mut Workspace,
    components: &Components,
    rows: ArrayView2<'_, f64>,
    weights: Option<ArrayView1<'_, f64>>,
) {
    for component in 0..components.n_components() {
        score(workspace, components, component, rows);
    }
    responsibilities(statistics, workspace, rows.nrows(), weights);
    for component in 0..components.n_components() {
        add_moments(statistics, workspace, component, rows.nrows());
    }
}

/// Takes the mean of one component from the rows.
fn center(
    workspace: &mut Workspace,
    components: &Components,
    component: usize,
    rows: ArrayView2<'_, f64>,
) {
    let mut centred = workspace
        .centred
        .slice_mut(s![component, ..rows.nrows(), ..]);
    let mean = components.means.row(component);
    let mean = mean.to_slice().expect("means are contiguous");
    for (mut centred, row) in centred.rows_mut().into_iter().zip(rows.rows()) {
        let centred = centred.as_slice_mut().expect("the workspace is contiguous");
        let row = row.to_slice().expect("rows are contiguous");
        for ((centred, value), mean) in centred.iter_mut().zip(row).zip(mean) {
            *centred = value - mean;
        }
    }
}

/// Centres the rows about one component and finds ln πₖ N(x) of each.
fn score(
    workspace: &mut Workspace,
    components: &Components,
    component: usize,
    rows: ArrayView2<'_, f64>,
) {
    let n = rows.nrows();
    center(workspace, components, component, rows);
    let centred = workspace.centred.slice(s![component, ..n, ..]);
    let mut whitened = workspace.whitened.slice_mut(s![..n, ..]);
    match &components.whitening {
        Whitening::Dense(_) => {
            let matrix = components
                .whitening
                .matrix(component)
                .expect("the whitening is dense");
            match components.n_features() <= SMALL {
                true => whiten_small(whitened.view_mut(), centred, matrix),
                false => matmul_into(
                    whitened.view_mut(),
                    centred,
                    matrix.t(),
                    1.0,
                    Accumulate::Replace,
                ),
            }
        }
        Whitening::Diagonal(scales) => {
            let scales = scales.row(component);
            whitened.assign(&centred);
            whitened
                .rows_mut()
                .into_iter()
                .for_each(|mut row| row *= &scales);
        }
    }
    let constant = components.constants[component];
    let mut scores = workspace.scores.slice_mut(s![component, ..n]);
    for (score, row) in scores.iter_mut().zip(whitened.rows()) {
        let row = row.to_slice().expect("the workspace is contiguous");
        let square = dot(row, row);
        *score = constant - 0.5 * square;
    }
}

/// Turns scores into weighted responsibilities and adds up the log-likelihood.
fn responsibilities(
    statistics: &mut Statistics,
    workspace: &mut Workspace,
    n: usize,
    weights: Option<ArrayView1<'_, f64>>,
) {
    let k = workspace.scores.nrows();
    for place in 0..n {
        let weight = weights.map_or(1.0, |weights| weights[place]);
        let mut scores = workspace.scores.column_mut(place);
        if weight == 0.0 {
            // Absent, however far away it may be.
            scores.fill(0.0);
            continue;
        }
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut total = 0.0;
        for score in &mut scores {
            *score = (*score - largest).exp();
            total += *score;
        }
        statistics.weight += weight;
        statistics.log_likelihood += weight * (largest + total.ln());
        for component in 0..k {
            scores[component] *= weight / total;
            statistics.counts[component] += scores[component];
        }
    }
}

/// Adds the moments of one component.
fn add_moments(statistics: &mut Statistics, workspace: &mut Workspace, component: usize, n: usize) {
    let centred = workspace.centred.slice(s![component, ..n, ..]);
    let shares = workspace.scores.slice(s![component, ..n]);
    let mut weighted = workspace.whitened.slice_mut(s![..n, ..]);
    let mut first = statistics.first.row_mut(component);
    let first = first.as_slice_mut().expect("sums are contiguous");
    for ((mut weighted, centred), share) in weighted
        .rows_mut()
        .into_iter()
        .zip(centred.rows())
        .zip(shares)
    {
        let weighted = weighted
            .as_slice_mut()
            .expect("the workspace is contiguous");
        let centred = centred.to_slice().expect("the workspace is contiguous");
        for ((weighted, centred), first) in weighted.iter_mut().zip(centred).zip(&mut *first) {
            // A row that does not count may be infinitely far away.
            *weighted = if *share == 0.0 { 0.0 } else { share * centred };
            *first += *weighted;
        }
    }
    match &mut statistics.second {
        Second::Full(scatters) => {
            add_scatter(scatters[component].view_mut(), weighted.view(), centred);
        }
        Second::Tied(scatter) => add_scatter(scatter.view_mut(), weighted.view(), centred),
        Second::Diagonal(squares) => {
            let mut squares = squares.row_mut(component);
            for (weighted, centred) in weighted.rows().into_iter().zip(centred.rows()) {
                for ((square, weighted), centred) in squares.iter_mut().zip(weighted).zip(centred) {
                    *square += weighted * centred;
                }
            }
        }
    }
}

/// Writes L⁻¹·z for every centred row z, column by column of the triangle.
fn whiten_small(
    mut whitened: ArrayViewMut2<'_, f64>,
    centred: ArrayView2<'_, f64>,
    matrix: &Array2<f64>,
) {
    let columns = matrix.t().as_standard_layout().into_owned();
    let d = columns.ncols();
    let columns = columns.as_slice().expect("a fresh copy is contiguous");
    for (mut whitened, centred) in whitened.rows_mut().into_iter().zip(centred.rows()) {
        let whitened = whitened
            .as_slice_mut()
            .expect("the workspace is contiguous");
        whitened.fill(0.0);
        for (j, (value, column)) in centred.iter().zip(columns.chunks_exact(d)).enumerate() {
            for (whitened, factor) in whitened[j..].iter_mut().zip(&column[j..]) {
                *whitened += value * factor;
            }
        }
    }
}

/// Adds Σ weighted·centredᵀ, of which the lower triangle is enough.
fn add_scatter(
    mut scatter: ArrayViewMut2<'_, f64>,
    weighted: ArrayView2<'_, f64>,
    centred: ArrayView2<'_, f64>,
) {
    let d = scatter.ncols();
    if d > SMALL {
        return matmul_into(scatter, weighted.t(), centred, 1.0, Accumulate::Add);
    }
    let scatter = scatter.as_slice_mut().expect("sums are contiguous");
    for (weighted, centred) in weighted.rows().into_iter().zip(centred.rows()) {
        let centred = centred.to_slice().expect("the workspace is contiguous");
        for (i, (weight, sums)) in weighted.iter().zip(scatter.chunks_exact_mut(d)).enumerate() {
            for (sum, value) in sums[..=i].iter_mut().zip(centred) {
                *sum += weight * value;
            }
        }
    }
}
