//! One pass over the rows: responsibilities and the moments that they weight, in one go.

use super::GaussianMixture;
use super::block::Block;
use super::components::{Components, Covariances, Whitening};
use super::gaps::{View, by_gaps};
use super::observed::has_gaps;
use super::reseed::{Proposal, WorstRow};
use didact_core::{Result, Run, parallel};
use didact_math::linalg::{a_times_bt, mirror_lower};
use didact_math::numeric::log_sum_exp;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::ops::Range;

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
    /// The row that the components explain worst.
    worst: Option<WorstRow>,
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
        let statistics = parallel::reduce(
            rows.nrows(),
            chunk_size(components),
            run,
            &|range| chunk_statistics(components, rows, weights, range),
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
        run: &Run,
    ) -> Result<Self> {
        let statistics = parallel::reduce(
            rows.nrows(),
            chunk_size(components),
            run,
            &|range| {
                let mut statistics = Statistics::nothing(components);
                for component in 0..components.n_components() {
                    let members: Vec<usize> = range
                        .clone()
                        .filter(|&row| labels[row] == component)
                        .collect();
                    statistics.add_members(components, component, rows, weights, &members);
                }
                Ok(statistics)
            },
            &Statistics::merge,
        )?;
        Ok(statistics.unwrap_or_else(|| Statistics::nothing(components)))
    }

    /// Adds rows that belong to one component altogether.
    fn add_members(
        &mut self,
        components: &Components,
        component: usize,
        rows: ArrayView2<'_, f64>,
        weights: Option<ArrayView1<'_, f64>>,
        members: &[usize],
    ) {
        let size = block_size(components).min(members.len());
        let mut block = Block::new(components, size);
        for members in members.chunks(size.max(1)) {
            block.load(rows.select(Axis(0), members).view());
            block.center(components, component);
            block.give(
                component,
                members
                    .iter()
                    .map(|&row| weights.map_or(1.0, |weights| weights[row])),
            );
            let count = block.count(component);
            self.weight += count;
            self.counts[component] += count;
            self.add_moments(&mut block, component);
        }
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
            worst: None,
        }
    }

    /// Adds rows without gaps, block by block.
    fn add_whole(
        &mut self,
        components: &Components,
        rows: ArrayView2<'_, f64>,
        weights: Option<ArrayView1<'_, f64>>,
    ) {
        if rows.is_empty() {
            return;
        }
        let size = block_size(components).min(rows.nrows());
        let mut block = Block::new(components, size);
        for first in (0..rows.nrows()).step_by(size) {
            let places = first..(first + size).min(rows.nrows());
            let weights = weights.map(|weights| weights.slice_move(s![places.clone()]));
            self.add_block(&mut block, components, rows.slice(s![places, ..]), weights);
        }
    }

    /// Adds the rows of a block.
    fn add_block(
        &mut self,
        block: &mut Block,
        components: &Components,
        rows: ArrayView2<'_, f64>,
        weights: Option<ArrayView1<'_, f64>>,
    ) {
        block.load(rows);
        for component in 0..components.n_components() {
            block.center(components, component);
            block.score(components, component);
        }
        let shared = block.share(weights);
        self.weight += shared.weight;
        self.log_likelihood += shared.log_likelihood;
        let least = self.worst.as_ref().map(|worst| worst.log_density);
        if let Some((log_density, row)) = shared.worst
            && least.is_none_or(|least| log_density < least)
        {
            let values = rows.row(row).to_vec();
            self.worst = Some(WorstRow {
                log_density,
                values,
            });
        }
        for component in 0..components.n_components() {
            self.counts[component] += block.count(component);
            self.add_moments(block, component);
        }
    }

    /// Adds the moments of one component.
    fn add_moments(&mut self, block: &mut Block, component: usize) {
        block.weigh(component, self.first.row_mut(component));
        match &mut self.second {
            Second::Full(scatters) => block.add_scatter(component, &mut scatters[component]),
            Second::Tied(scatter) => block.add_scatter(component, scatter),
            Second::Diagonal(squares) => block.add_squares(component, squares.row_mut(component)),
        }
    }

    /// Adds rows that have the same gaps, whose expected moments stand for their values.
    fn add_gaps(
        &mut self,
        components: &Components,
        rows: ArrayView2<'_, f64>,
        weights: Option<ArrayView1<'_, f64>>,
        members: &[usize],
    ) -> Result<()> {
        let Some(&first) = members.first() else {
            return Ok(());
        };
        let view = View::of(components, rows.row(first))?;
        let mut shares = vec![0.0; components.n_components()];
        for &row in members {
            let weight = weights.map_or(1.0, |weights| weights[row]);
            // A row without weight is absent, however far away it may be.
            if weight == 0.0 {
                continue;
            }
            let values = rows.row(row);
            view.joint_log_densities(values, &mut shares);
            let log_density = log_sum_exp(&shares);
            self.weight += weight;
            self.log_likelihood += weight * log_density;
            for (component, share) in shares.iter().enumerate() {
                let share = weight * (share - log_density).exp();
                if share > 0.0 {
                    self.counts[component] += share;
                    let completed = view.completed(component, values);
                    self.add_expected(&view, component, share, completed.view());
                }
            }
        }
        Ok(())
    }

    /// Adds what a component expects of a row with gaps.
    fn add_expected(
        &mut self,
        view: &View<'_>,
        component: usize,
        share: f64,
        completed: ArrayView1<'_, f64>,
    ) {
        self.first.row_mut(component).scaled_add(share, &completed);
        let scatter = match &mut self.second {
            Second::Full(scatters) => &mut scatters[component],
            Second::Tied(scatter) => scatter,
            Second::Diagonal(squares) => {
                let mut squares = squares.row_mut(component);
                squares.zip_mut_with(&completed, |sum, value| *sum += share * value * value);
                for &column in view.missing() {
                    squares[column] += share * view.variance(component, column);
                }
                return;
            }
        };
        for ((row, column), sum) in scatter.indexed_iter_mut() {
            *sum += share * (completed[row] * completed[column]);
        }
        view.add_uncertainty(component, share, scatter);
    }

    /// Whether these are sums about such components.
    pub(crate) fn suits(&self, components: &Components) -> bool {
        let d = components.n_features();
        let worst = self.worst.as_ref();
        worst.is_none_or(|worst| worst.values.len() == d)
            && self.has_shape_of(&Statistics::nothing(components))
    }

    /// Whether both are sums of the same shape, which those of another pass may not be.
    pub(crate) fn has_shape_of(&self, other: &Self) -> bool {
        let second = match (&self.second, &other.second) {
            (Second::Full(a), Second::Full(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.dim() == b.dim())
            }
            (Second::Tied(a), Second::Tied(b)) | (Second::Diagonal(a), Second::Diagonal(b)) => {
                a.dim() == b.dim()
            }
            _ => false,
        };
        second && self.counts.len() == other.counts.len() && self.first.dim() == other.first.dim()
    }

    /// What two chunks of a pass have together.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.weight += other.weight;
        self.log_likelihood += other.log_likelihood;
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        self.first += &other.first;
        self.worst = WorstRow::worse(self.worst, other.worst);
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

    /// −Σ w·rₖ·ln rₖ. With the score sₖ of a component, ln rₖ = sₖ − ln Σ exp s, and the sum of
    /// w·rₖ·sₖ follows from the moments about the means of the pass.
    pub(crate) fn entropy(&self, components: &Components) -> f64 {
        let (k, d) = components.means.dim();
        let squares = |component: usize| match (&self.second, &components.whitening) {
            (Second::Full(scatters), Whitening::Dense(factors)) => {
                whitened_trace(&factors[component], &scatters[component])
            }
            (Second::Tied(scatter), Whitening::Dense(factors)) => match component {
                // The scatter is that of all components together.
                0 => whitened_trace(&factors[0], scatter),
                _ => 0.0,
            },
            (Second::Diagonal(squares), Whitening::Diagonal(scales)) => (0..d)
                .map(|column| squares[[component, column]] * scales[[component, column]].powi(2))
                .sum(),
            _ => unreachable!("a pass keeps what its covariance type needs"),
        };
        let scores: f64 = (0..k)
            .map(|component| {
                let constant = components.constants[component];
                self.counts[component] * constant - 0.5 * squares(component)
            })
            .sum();
        self.log_likelihood - scores
    }

    /// The mean log-likelihood of a row under the components of the pass.
    pub(crate) fn mean_log_likelihood(&self) -> f64 {
        self.log_likelihood / self.weight
    }

    /// The components that explain the weighted rows best.
    ///
    /// With δ = μ_new − μ_old the scatter about the new mean is that about the old one less Nδδᵀ.
    /// A component without rows stays where it is.
    pub(crate) fn maximise(self, old: &Components, parameters: &GaussianMixture) -> Proposal {
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
        Proposal {
            weights,
            means: shifts + &old.means,
            covariances,
            alive,
            counts: self.counts,
            worst: self.worst,
        }
    }
}

/// tr(L⁻¹·S·L⁻ᵀ) of a symmetric S of which only the lower triangle is read.
fn whitened_trace(factor: &Array2<f64>, scatter: &Array2<f64>) -> f64 {
    let precision = a_times_bt(factor.t(), factor.t());
    let mut trace = 0.0;
    for ((row, column), value) in scatter.indexed_iter() {
        trace += match row.cmp(&column) {
            Ordering::Greater => 2.0 * value * precision[[row, column]],
            Ordering::Equal => value * precision[[row, column]],
            Ordering::Less => 0.0,
        };
    }
    trace
}

/// Takes Nδδᵀ from a scatter, which stays exactly symmetric.
fn take_shift(scatter: &mut Array2<f64>, shift: ArrayView1<'_, f64>, count: f64) {
    for ((row, column), value) in scatter.indexed_iter_mut() {
        *value -= count * (shift[row] * shift[column]);
    }
}

/// Rows that one thread takes at a time, few enough to hear of a cancellation soon.
fn chunk_size(components: &Components) -> usize {
    let (k, d) = components.means.dim();
    let work = match components.whitening {
        Whitening::Dense(_) => k * d * d,
        Whitening::Diagonal(_) => k * d,
    };
    ((1 << 21) / work.max(1)).clamp(64, 8192)
}

/// Rows of a block: the centred rows of all components stay in the cache between their two uses.
fn block_size(components: &Components) -> usize {
    let (k, d) = components.means.dim();
    ((1 << 13) / (k * d)).clamp(32, 512)
}

fn chunk_statistics(
    components: &Components,
    rows: ArrayView2<'_, f64>,
    weights: Option<ArrayView1<'_, f64>>,
    range: Range<usize>,
) -> Result<Statistics> {
    let rows = rows.slice_move(s![range.clone(), ..]);
    let weights = weights.map(|weights| weights.slice_move(s![range]));
    let mut statistics = Statistics::nothing(components);
    if !has_gaps(rows) {
        statistics.add_whole(components, rows, weights);
        return Ok(statistics);
    }
    let (gapped, whole): (Vec<usize>, Vec<usize>) =
        (0..rows.nrows()).partition(|&row| rows.row(row).iter().any(|value| value.is_nan()));
    let whole_rows = rows.select(Axis(0), &whole);
    let whole_weights = weights.map(|weights| weights.select(Axis(0), &whole));
    let whole_weights = whole_weights.as_ref().map(|weights| weights.view());
    statistics.add_whole(components, whole_rows.view(), whole_weights);
    for members in by_gaps(rows, &gapped) {
        statistics.add_gaps(components, rows, weights, &members)?;
    }
    Ok(statistics)
}
