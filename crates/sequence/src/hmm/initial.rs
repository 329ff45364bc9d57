//! The model that Baum–Welch starts from.
//!
//! A first pass keeps a sample of the rows that does not depend on how the data were cut; the
//! start is made from it.

use super::emission::{Emission, count_symbols, symbol_of};
use super::gaussian::Covariances;
use super::model::HmmModel;
use super::moments::floored_matrix;
use super::parameters::{ChainStart, Hmm, HmmEmission, HmmStart, Topology};
use super::seeds::{cluster, equal_rows, random_means, random_rows, spread_rows};
use didact_core::model::ensure_consistent;
use didact_core::random::generator;
use didact_core::{Error, Model, Result, Run, Sequences};
use didact_math::linalg::at_times_b;
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

/// Squares and sums of values up to here stay finite.
const LARGEST_VALUE: f64 = 1e140;
/// Rows kept for the start, and at least so many for each state.
const SAMPLE_ROWS: usize = 2048;
const ROWS_PER_STATE: usize = 20;

/// What the first pass keeps: the number of symbols, a random sample of the rows, or both while
/// it is not known which of them will be needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartSample {
    n_features: usize,
    n_rows: usize,
    /// None where some value is no symbol.
    n_symbols: Option<usize>,
    rows: Vec<SampledRow>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SampledRow {
    /// A random number that belongs to the row's place in the data; the smallest ones are kept.
    key: u64,
    place: u64,
    /// How far the row stands into its sequence, from zero to one.
    progress: f64,
    values: Vec<f64>,
}

impl StartSample {
    /// Looks through a chunk of sequences.
    pub(crate) fn take(
        hyper: &Hmm,
        sequences: &Sequences<'_>,
        first_row: usize,
        run: &Run,
    ) -> Result<Self> {
        let dense = sequences.samples.dense()?;
        let mut sample = StartSample {
            n_features: dense.ncols(),
            n_rows: dense.nrows(),
            n_symbols: None,
            rows: Vec::new(),
        };
        match hyper.emission_said() {
            HmmEmission::Categorical => {
                if dense.ncols() != 1 {
                    return Err(Error::data(format!(
                        "the rows have {} columns; categorical emissions take one column of \
                         symbols 0, 1, 2, …",
                        dense.ncols()
                    )));
                }
                for (row, &value) in dense.iter().enumerate() {
                    let symbol = symbol_of(value, first_row + row)?;
                    sample.n_symbols = sample.n_symbols.max(Some(symbol + 1));
                }
            }
            HmmEmission::Auto => {
                sample.n_symbols = count_symbols(dense);
                sample.take_rows(hyper, sequences, first_row, run)?;
            }
            HmmEmission::Gaussian => sample.take_rows(hyper, sequences, first_row, run)?,
        }
        Ok(sample)
    }

    fn take_rows(
        &mut self,
        hyper: &Hmm,
        sequences: &Sequences<'_>,
        first_row: usize,
        run: &Run,
    ) -> Result<()> {
        let dense = sequences.samples.dense()?;
        let limit = sample_size(hyper);
        for range in sequences.ranges() {
            run.check()?;
            for row in range.clone() {
                check_magnitude(dense.row(row).iter(), first_row + row)?;
                let place = (first_row + row) as u64;
                let key = mix(hyper.random_state ^ mix(place));
                self.rows.push(SampledRow {
                    key,
                    place,
                    progress: (row - range.start) as f64 / range.len() as f64,
                    values: dense.row(row).to_vec(),
                });
                if self.rows.len() >= 2 * limit {
                    self.keep(limit);
                }
            }
        }
        self.keep(limit);
        Ok(())
    }

    /// Keeps the rows of smallest key, in the order of the data.
    fn keep(&mut self, limit: usize) {
        if self.rows.len() > limit {
            self.rows
                .select_nth_unstable_by_key(limit, |row| (row.key, row.place));
            self.rows.truncate(limit);
        }
        self.rows.sort_unstable_by_key(|row| row.place);
    }

    /// Whether every row has the columns, which those of a damaged sample may not.
    pub(crate) fn is_consistent(&self) -> bool {
        let finite = |value: &f64| value.is_finite();
        let sound = |row: &SampledRow| {
            row.values.len() == self.n_features
                && row.values.iter().all(finite)
                && (0.0..=1.0).contains(&row.progress)
        };
        self.rows.iter().all(sound)
    }

    /// The sample of both chunks together.
    pub(crate) fn merge(mut self, other: Self, hyper: &Hmm) -> Result<Self> {
        if self.n_features != other.n_features {
            return Err(Error::Columns {
                expected: self.n_features,
                found: other.n_features,
            });
        }
        self.n_symbols = match (self.n_symbols, other.n_symbols) {
            (Some(left), Some(right)) => Some(left.max(right)),
            _ => None,
        };
        self.n_rows += other.n_rows;
        self.rows.extend(other.rows);
        self.keep(sample_size(hyper));
        Ok(self)
    }

    /// The model to start from.
    pub(crate) fn model(&self, hyper: &Hmm, run: &Run) -> Result<HmmModel> {
        let emission = match hyper.emits_symbols(self.n_symbols, self.n_rows) {
            true => initial_symbols(hyper, self.n_symbols.unwrap_or(0))?,
            false => self.initial_gaussians(hyper, run)?,
        };
        let model = with_initial_chain(hyper, emission)?;
        model.validate()?;
        Ok(model)
    }

    fn initial_gaussians(&self, hyper: &Hmm, run: &Run) -> Result<Emission> {
        ensure_consistent(
            self.rows
                .iter()
                .all(|row| row.values.len() == self.n_features),
        )?;
        let values = self
            .rows
            .iter()
            .flat_map(|row| row.values.iter().copied())
            .collect();
        let shape = (self.rows.len(), self.n_features);
        let rows = Array2::from_shape_vec(shape, values).expect("every row has all columns");
        let k = hyper.n_components;
        let center = rows
            .mean_axis(Axis(0))
            .unwrap_or_else(|| Array1::zeros(self.n_features));
        let means = match (&hyper.means_init, hyper.init, hyper.topology) {
            (Some(given), ..) => matrix_of("means_init", given, k, self.n_features)?,
            (None, HmmStart::Kmeans, Topology::LeftRight) => self.segment_means(k, &center),
            (None, HmmStart::Kmeans, Topology::Ergodic) => {
                cluster(&rows, spread_rows(&rows, k, hyper.random_state), run)?
            }
            (None, HmmStart::Random, _) => random_means(&rows, k, hyper.random_state),
        };
        let covariance = match hyper.variance_init {
            Some(variance) => Array2::eye(self.n_features) * variance.max(hyper.min_covar),
            None => {
                let centred = &rows - &center;
                let scatter = at_times_b(centred.view(), centred.view()) / rows.nrows() as f64;
                floored_matrix(scatter, hyper.min_covar)?
            }
        };
        let covariances = Covariances::common(hyper.covariance_type, &covariance, k);
        Ok(Emission::Gaussian { means, covariances })
    }

    /// The mean of each of `k` equal shares of the sequences, in their order.
    fn segment_means(&self, k: usize, center: &Array1<f64>) -> Array2<f64> {
        let mut means = Array2::zeros((k, self.n_features));
        let mut counts = vec![0.0; k];
        for row in &self.rows {
            let segment = ((row.progress * k as f64) as usize).min(k - 1);
            counts[segment] += 1.0;
            // A running mean does not overflow and keeps far-away data exact.
            let share: f64 = 1.0 / counts[segment];
            for (mean, value) in means.row_mut(segment).iter_mut().zip(&row.values) {
                *mean += (value - *mean) * share;
            }
        }
        for (mut mean, _) in means
            .rows_mut()
            .into_iter()
            .zip(counts)
            .filter(|(_, n)| *n == 0.0)
        {
            mean.assign(center);
        }
        means
    }
}

/// Symbol probabilities: those given, else random ones.
fn initial_symbols(hyper: &Hmm, seen: usize) -> Result<Emission> {
    let given = hyper
        .emissionprob_init
        .as_ref()
        .map(|rows| rows.first().map_or(0, Vec::len));
    let n_symbols = hyper.n_symbols.or(given).unwrap_or(seen);
    if n_symbols < seen {
        return Err(Error::parameter(
            "n_symbols",
            n_symbols,
            format!("the data have symbols up to {}", seen - 1),
        ));
    }
    let k = hyper.n_components;
    let probabilities = match &hyper.emissionprob_init {
        Some(rows) => {
            let matrix = matrix_of("emissionprob_init", rows, k, n_symbols)?;
            for row in matrix.rows() {
                check_sum("emissionprob_init", row.iter())?;
            }
            matrix
        }
        None => {
            let generator = &mut generator(hyper.random_state, 1);
            random_rows(k, n_symbols, generator, &|_, _| true)
        }
    };
    Ok(Emission::Categorical {
        probabilities,
        unknown: hyper.unknown,
    })
}

/// Fails where a value is so large that its square would not be a number.
pub(crate) fn check_magnitude<'a>(values: impl Iterator<Item = &'a f64>, row: usize) -> Result<()> {
    for (column, value) in values.enumerate() {
        if value.abs() > LARGEST_VALUE {
            return Err(Error::data(format!(
                "row {row}, column {column} is {value}; Gaussian emissions need values \
                 below {LARGEST_VALUE:e}, so scale the column first"
            )));
        }
    }
    Ok(())
}

impl Hmm {
    /// What a state emits, where the user said so directly or by what else was given.
    fn emission_said(&self) -> HmmEmission {
        match self.emission {
            HmmEmission::Auto if self.n_symbols.is_some() => HmmEmission::Categorical,
            HmmEmission::Auto if self.emissionprob_init.is_some() => HmmEmission::Categorical,
            HmmEmission::Auto if self.means_init.is_some() => HmmEmission::Gaussian,
            said => said,
        }
    }

    /// Whether the items are symbols: what was said, or else what the data look like.
    pub(crate) fn emits_symbols(&self, n_symbols: Option<usize>, n_rows: usize) -> bool {
        match self.emission_said() {
            // More kinds of symbols than rows are rather measurements.
            HmmEmission::Auto => n_symbols.is_some_and(|n_symbols| n_symbols <= n_rows),
            said => said == HmmEmission::Categorical,
        }
    }
}

fn sample_size(hyper: &Hmm) -> usize {
    SAMPLE_ROWS.max(hyper.n_components.saturating_mul(ROWS_PER_STATE))
}

/// Scrambles the bits of a number (the finaliser of SplitMix64).
fn mix(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The emissions with start, transition and stop probabilities: those given, else random ones.
fn with_initial_chain(hyper: &Hmm, emission: Emission) -> Result<HmmModel> {
    let k = hyper.n_components;
    let generator = &mut generator(hyper.random_state, 0);
    let rows_at_start = match hyper.chain_init {
        ChainStart::Random => random_rows,
        ChainStart::Uniform => equal_rows,
    };
    let allowed = |from: usize, to: usize| match hyper.topology {
        Topology::Ergodic => true,
        // A short sequence may end anywhere, so the stop state (the last column) is open to all.
        Topology::LeftRight => to == from || to == from + 1 || to == k,
    };
    let start = match &hyper.startprob_init {
        Some(given) => {
            let row = matrix_of("startprob_init", std::slice::from_ref(given), 1, k)?;
            check_sum("startprob_init", row.iter())?;
            row.remove_axis(Axis(0))
        }
        None => {
            let first = |_: usize, to: usize| to == 0 || hyper.topology == Topology::Ergodic;
            rows_at_start(1, k, generator, &first).remove_axis(Axis(0))
        }
    };
    let steps = match &hyper.transmat_init {
        Some(rows) => given_steps(rows, k, hyper.stop_state)?,
        None => rows_at_start(k, k + usize::from(hyper.stop_state), generator, &allowed),
    };
    let stop = hyper.stop_state.then(|| steps.column(k).to_owned());
    let transitions = steps
        .slice(ndarray::s![.., ..k])
        .as_standard_layout()
        .into_owned();
    Ok(HmmModel::assemble(start, transitions, stop, emission))
}

/// The given transitions, followed by a column for the stop state where there is one.
fn given_steps(rows: &[Vec<f64>], k: usize, stops: bool) -> Result<Array2<f64>> {
    let given = matrix_of("transmat_init", rows, k, k)?;
    if !stops {
        for row in given.rows() {
            check_sum("transmat_init", row.iter())?;
        }
        return Ok(given);
    }
    let mut steps = Array2::zeros((k, k + 1));
    for (from, row) in given.rows().into_iter().enumerate() {
        let rest = 1.0 - row.sum();
        // Rows that add up to one up to rounding leave nothing for the stop state.
        steps[[from, k]] = if rest.abs() < 1e-12 { 0.0 } else { rest };
        steps.slice_mut(ndarray::s![from, ..k]).assign(&row);
        check_sum("transmat_init", steps.row(from).iter())?;
    }
    Ok(steps)
}

fn matrix_of(name: &str, rows: &[Vec<f64>], height: usize, width: usize) -> Result<Array2<f64>> {
    let right = rows.len() == height && rows.iter().all(|row| row.len() == width);
    if !right {
        let found = rows
            .iter()
            .find(|row| row.len() != width)
            .map_or(width, Vec::len);
        return Err(Error::parameter(
            name,
            format!("{} rows of {found}", rows.len()),
            format!("it must be {height} rows of {width}"),
        ));
    }
    let values = rows.iter().flatten().copied().collect();
    Ok(Array2::from_shape_vec((height, width), values).expect("the shape was checked"))
}

fn check_sum<'a>(name: &str, probabilities: impl Iterator<Item = &'a f64> + Clone) -> Result<()> {
    let sum: f64 = probabilities.clone().sum();
    if let Some(fault) = probabilities
        .clone()
        .find(|&&probability| probability < 0.0)
    {
        return Err(Error::parameter(
            name,
            fault,
            "probabilities must not be negative",
        ));
    }
    match (sum - 1.0).abs() <= 1e-8 {
        true => Ok(()),
        false => Err(Error::parameter(
            name,
            format!("a row with sum {sum}"),
            "every row of probabilities must add up to 1",
        )),
    }
}
