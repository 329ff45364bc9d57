//! Independent components by the dependence that kernels see.

use didact_core::random::{Generator, generator};
use didact_core::{Error, Result, Rows, Run, StopReason, Trace, TraceWriter, parameters};
use didact_math::linalg::{
    Moments, at_times_b, matmul, orthonormal_basis, symmetric_eigen, symmetric_eigenvalues,
    symmetric_power,
};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};
use rand_distr::{Distribution, StandardNormal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_2;

/// Finds independent sources whose mixtures the columns are, by kernel canonical correlation.
///
/// The rows are centred and whitened, so that sources are s = W·x with an orthogonal W of the white
/// rows. Their dependence is J(W) = −½·ln λ, where λ is the smallest eigenvalue of the blocks of
/// [`KernelCca`](crate::KernelCca) of the Gaussian kernels of all sources: zero where no function of
/// one source correlates with one of another. W turns pair after pair of sources by the angle of least
/// J, from several starts. Kernels of single sources have few large eigenvalues, so their matrices are
/// never written out: incomplete Cholesky factors of r columns make an evaluation O(M·r²).
///
/// Sources are found up to their order, sign and scale, and not at all where two of them are normal.
///
/// ```
/// use didact_core::Run;
/// use didact_kernel::KernelIca;
/// // A square wave and a saw tooth, mixed.
/// let x = ndarray::Array2::from_shape_fn((150, 2), |(i, column)| {
///     let (a, b) = (if i % 7 < 3 { 1.0 } else { -1.0 }, (i % 11) as f64 / 5.0 - 1.0);
///     if column == 0 { 2.0 * a + 3.0 * b } else { 2.0 * a + b }
/// });
/// let model = KernelIca { n_init: 1, ..KernelIca::default() }.fit(x.view(), &Run::new())?;
/// assert!(model.contrast() < 0.1);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KernelIca {
    /// The width σ of the kernels of sources of variance one; 1 for fewer than 1000 rows, else ½,
    /// where absent.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub sigma: Option<f64>,
    /// The price κ of functions that are not smooth; 0.02 for fewer than 1000 rows, else 0.002,
    /// where absent.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub regularization: Option<f64>,
    /// What may be missing of the trace of a kernel in its factors, as a share of κ·M.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub rank_tolerance: f64,
    /// How many starts to try, the first from the white columns; the one of least dependence wins.
    #[schemars(range(min = 1))]
    pub n_init: usize,
    /// Most sweeps over all pairs of sources.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The sweeps end when the dependence falls by no more than this.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Seed of the starts.
    pub random_state: u64,
}

impl Default for KernelIca {
    fn default() -> Self {
        KernelIca {
            sigma: None,
            regularization: None,
            rank_tolerance: 1e-2,
            n_init: 3,
            max_iter: 20,
            tol: 1e-5,
            random_state: 0,
        }
    }
}

/// What unmixes the columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelIcaModel {
    mean: Array1<f64>,
    unmixing: Array2<f64>,
    contrast: f64,
    ranks: Vec<usize>,
    trace: Trace,
}

/// The numbers of the contrast for so many rows.
#[derive(Clone, Copy)]
struct Contrast {
    gamma: f64,
    /// M·κ/2.
    delta: f64,
    /// What may be missing of the trace of a kernel.
    missing: f64,
}

impl KernelIca {
    fn contrast(&self, n_rows: usize) -> Contrast {
        let few = n_rows < 1000;
        let sigma = self.sigma.unwrap_or(if few { 1.0 } else { 0.5 });
        let kappa = self.regularization.unwrap_or(if few { 2e-2 } else { 2e-3 });
        Contrast {
            gamma: 0.5 / (sigma * sigma),
            delta: n_rows as f64 * kappa / 2.0,
            missing: self.rank_tolerance * kappa * n_rows as f64,
        }
    }

    /// The dependence J of sources, one per column, each of about variance one.
    pub fn dependence(&self, sources: ArrayView2<'_, f64>, run: &Run) -> Result<f64> {
        parameters::check(self)?;
        let contrast = self.contrast(sources.nrows());
        let parts = sources
            .columns()
            .into_iter()
            .map(|source| contrast.part(source, run));
        contrast.dependence(&parts.collect::<Result<Vec<_>>>()?)
    }

    /// Learns to unmix the columns of rows.
    pub fn fit(&self, rows: ArrayView2<'_, f64>, run: &Run) -> Result<KernelIcaModel> {
        parameters::check(self)?;
        let (n, d) = rows.dim();
        if n < 2 || d < 2 {
            return Err(Error::data(format!(
                "there are {n} rows of {d} columns; unmixing needs at least two of both"
            )));
        }
        let rows = rows.as_standard_layout();
        let moments = Moments::summarise(Rows::Dense(rows.view()), None, run)?;
        let covariance = moments.scatter / moments.weight;
        let values = symmetric_eigenvalues(covariance.view())?;
        if values[d - 1] <= 1e-12 * values[0] {
            return Err(Error::data(
                "some columns are sums of others, so that they cannot be whitened; leave out \
                 columns, or project the rows on fewer components first",
            ));
        }
        let whitening = symmetric_power(covariance.view(), -0.5)?;
        let white = matmul((&rows - &moments.mean).view(), whitening.view());
        let contrast = self.contrast(n);
        let mut best: Option<(f64, Array2<f64>, Trace)> = None;
        for start in 0..self.n_init {
            let mut generator = generator(self.random_state, start as u64);
            let turn = first_turn(d, start, &mut generator)?;
            let found = self.descend(&white, turn, contrast, run)?;
            if best.as_ref().is_none_or(|(least, ..)| found.0 < *least) {
                best = Some(found);
            }
        }
        let (least, turn, trace) = best.expect("there is at least one start");
        let unmixing = matmul(turn.t(), whitening.view());
        let sources = matmul(white.view(), turn.view());
        let ranks = sources
            .columns()
            .into_iter()
            .map(|source| Ok(contrast.factor(source, run)?.ncols()))
            .collect::<Result<_>>()?;
        Ok(KernelIcaModel {
            mean: moments.mean,
            unmixing,
            contrast: least,
            ranks,
            trace,
        })
    }

    /// Turns pairs of sources until the dependence falls no more. Sources are white·turn.
    fn descend(
        &self,
        white: &Array2<f64>,
        turn: Array2<f64>,
        contrast: Contrast,
        run: &Run,
    ) -> Result<(f64, Array2<f64>, Trace)> {
        let d = turn.ncols();
        let mut turn = turn;
        let mut sources = matmul(white.view(), turn.view());
        let columns = sources.columns().into_iter();
        let mut parts = columns
            .map(|s| contrast.part(s, run))
            .collect::<Result<Vec<_>>>()?;
        let mut least = contrast.dependence(&parts)?;
        let mut trace = TraceWriter::new(run, "dependence", Some(self.max_iter));
        let stop = loop {
            let before = least;
            for p in 0..d {
                for q in p + 1..d {
                    let mut at = |angle: f64| -> Result<f64> {
                        let (a, b) = rotated(&sources, p, q, angle);
                        let mut turned = parts.clone();
                        turned[p] = contrast.part(a.view(), run)?;
                        turned[q] = contrast.part(b.view(), run)?;
                        contrast.dependence(&turned)
                    };
                    let (angle, value) = best_angle(&mut at)?;
                    if value < least {
                        least = value;
                        for matrix in [&mut sources, &mut turn] {
                            let (a, b) = rotated(matrix, p, q, angle);
                            matrix.column_mut(p).assign(&a);
                            matrix.column_mut(q).assign(&b);
                        }
                        parts[p] = contrast.part(sources.column(p), run)?;
                        parts[q] = contrast.part(sources.column(q), run)?;
                    }
                }
            }
            trace.record(least)?;
            if before - least <= self.tol {
                break StopReason::Converged;
            }
            if trace.n_iter() == self.max_iter {
                break StopReason::IterationLimit;
            }
        };
        Ok((least, turn, trace.finish(stop)))
    }
}

/// No turn for the first start, a random one for the others.
fn first_turn(d: usize, start: usize, generator: &mut Generator) -> Result<Array2<f64>> {
    match start {
        0 => Ok(Array2::eye(d)),
        _ => {
            let random = Array2::from_shape_simple_fn((d, d), || StandardNormal.sample(generator));
            orthonormal_basis(random.view())
        }
    }
}

/// Columns p and q turned by an angle.
fn rotated(matrix: &Array2<f64>, p: usize, q: usize, angle: f64) -> (Array1<f64>, Array1<f64>) {
    let (sine, cosine) = angle.sin_cos();
    let (a, b) = (matrix.column(p), matrix.column(q));
    (&a * cosine + &b * sine, &b * cosine - &a * sine)
}

/// The angle of least value within a quarter turn, after which the sources repeat: the best of a grid,
/// refined by golden sections.
fn best_angle(at: &mut impl FnMut(f64) -> Result<f64>) -> Result<(f64, f64)> {
    const GRID: usize = 10;
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let step = FRAC_PI_2 / GRID as f64;
    let mut best = (0.0, f64::INFINITY);
    for k in 0..GRID {
        let angle = k as f64 * step;
        let value = at(angle)?;
        if value < best.1 {
            best = (angle, value);
        }
    }
    let (mut low, mut high) = (best.0 - step, best.0 + step);
    while high - low > 1e-4 {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        let (at_left, at_right) = (at(left)?, at(right)?);
        for (angle, value) in [(left, at_left), (right, at_right)] {
            if value < best.1 {
                best = (angle, value);
            }
        }
        match at_left < at_right {
            true => high = right,
            false => low = left,
        }
    }
    Ok(best)
}

impl Contrast {
    /// A factor G with G·Gᵀ close to the Gaussian kernel of a source: Cholesky's, by the row with most
    /// left, until what is left of the trace may be missing.
    fn factor(&self, source: ArrayView1<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        let n = source.len();
        let mut left = vec![1.0_f64; n];
        let mut columns: Vec<Vec<f64>> = Vec::new();
        while columns.len() < n {
            run.check()?;
            let total: f64 = left.iter().sum();
            let pivot = didact_math::numeric::argmax(left.iter().copied()).unwrap_or(0);
            if total <= self.missing || left[pivot] <= 1e-14 {
                break;
            }
            let root = left[pivot].sqrt();
            let mut column: Vec<f64> = source
                .iter()
                .map(|value| (-self.gamma * (value - source[pivot]).powi(2)).exp())
                .collect();
            for earlier in &columns {
                let share = earlier[pivot];
                column
                    .iter_mut()
                    .zip(earlier)
                    .for_each(|(value, e)| *value -= share * e);
            }
            for (value, left) in column.iter_mut().zip(&mut left) {
                *value /= root;
                *left = (*left - *value * *value).max(0.0);
            }
            left[pivot] = 0.0;
            columns.push(column);
        }
        Ok(Array2::from_shape_fn((n, columns.len()), |(i, j)| {
            columns[j][i]
        }))
    }

    /// Q·D of a source: the directions of its centred kernel, each shrunk by λ/(λ+δ).
    fn part(&self, source: ArrayView1<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        let factor = self.factor(source, run)?;
        let means = factor.mean_axis(Axis(0)).unwrap_or_default();
        let centred = factor - &means;
        let eigen = symmetric_eigen(at_times_b(centred.view(), centred.view()).view())?;
        let largest = eigen.values.first().copied().unwrap_or(0.0);
        let rank = eigen
            .values
            .iter()
            .take_while(|&&value| value > 1e-12 * largest)
            .count();
        let scales = eigen
            .values
            .slice(s![..rank])
            .mapv(|value| value.sqrt() / (value + self.delta));
        let along = matmul(centred.view(), eigen.vectors.slice(s![.., ..rank]));
        Ok(along * &scales)
    }

    /// −½·ln of the smallest eigenvalue of the blocks.
    fn dependence(&self, parts: &[Array2<f64>]) -> Result<f64> {
        let mut starts = vec![0];
        for part in parts {
            starts.push(starts[starts.len() - 1] + part.ncols());
        }
        let mut blocks = Array2::eye(starts[parts.len()]);
        for i in 0..parts.len() {
            for j in 0..i {
                let block = at_times_b(parts[i].view(), parts[j].view());
                let (own, other) = (starts[i]..starts[i + 1], starts[j]..starts[j + 1]);
                blocks
                    .slice_mut(s![own.clone(), other.clone()])
                    .assign(&block);
                blocks.slice_mut(s![other, own]).assign(&block.t());
            }
        }
        let values = symmetric_eigenvalues(blocks.view())?;
        let smallest = values.last().copied().unwrap_or(1.0);
        Ok(-0.5 * smallest.clamp(f64::MIN_POSITIVE, 1.0).ln())
    }
}

impl KernelIcaModel {
    /// The weights of the centred columns in each source, a row per source.
    pub fn unmixing(&self) -> &Array2<f64> {
        &self.unmixing
    }

    /// The dependence that is left.
    pub fn contrast(&self) -> f64 {
        self.contrast
    }

    /// How many columns the factors of the kernel of each source have.
    pub fn ranks(&self) -> &[usize] {
        &self.ranks
    }

    /// The dependence after each sweep of the best start.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The sources of rows, a column each.
    pub fn transform(&self, rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        if rows.ncols() != self.mean.len() {
            return Err(Error::Columns {
                expected: self.mean.len(),
                found: rows.ncols(),
            });
        }
        Ok(matmul((&rows - &self.mean).view(), self.unmixing.t()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use rand::RngExt;

    /// Columns of even values, or of Laplace's law, of variance one.
    fn sources(n: usize, heavy: [bool; 2], seed: u64) -> Array2<f64> {
        let mut generator = generator(seed, 0);
        Array2::from_shape_fn((n, 2), |(_, column)| {
            let u: f64 = generator.random::<f64>() - 0.5;
            match heavy[column] {
                false => u * 12_f64.sqrt(),
                true => -u.signum() * (1.0 - 2.0 * u.abs()).max(1e-12).ln() / 2_f64.sqrt(),
            }
        })
    }

    fn mixing() -> Array2<f64> {
        array![[2.0, 3.0], [2.0, 1.0]]
    }

    /// How much of another source is left in each: zero for a perfect separation.
    fn crosstalk(model: &KernelIcaModel) -> f64 {
        let product = model.unmixing().dot(&mixing()).mapv(f64::abs);
        let of = |row: ArrayView1<'_, f64>| row[0].min(row[1]) / row[0].max(row[1]);
        product.rows().into_iter().map(of).fold(0.0, f64::max)
    }

    // 002a:KI01: uniform, Laplace and mixed pairs are recovered within sampling noise.
    #[test]
    fn mixed_sources_are_recovered_up_to_order_sign_and_scale() {
        for heavy in [[false, false], [true, true], [false, true]] {
            let x = sources(250, heavy, 3).dot(&mixing().t());
            let parameters = KernelIca {
                n_init: 1,
                ..KernelIca::default()
            };
            let model = parameters.fit(x.view(), &Run::new()).unwrap();
            assert!(crosstalk(&model) < 0.25, "{heavy:?} {}", crosstalk(&model));
            let found = model.transform(x.view()).unwrap();
            let products = found.t().dot(&found) / 250.0;
            assert!(
                (products - Array2::<f64>::eye(2))
                    .iter()
                    .all(|gap| gap.abs() < 1e-9)
            );
            let history = &model.trace().objectives;
            assert!(history.windows(2).all(|pair| pair[1] <= pair[0]));
        }
    }

    // 002a:KI01: over the angle the dependence is least where the sources are, and repeats after a
    // quarter turn.
    #[test]
    fn the_dependence_is_least_at_the_true_angle() {
        let s = sources(250, [false, false], 5);
        let parameters = KernelIca::default();
        let at = |angle: f64| {
            let (a, b) = rotated(&s, 0, 1, angle);
            let turned = ndarray::stack(Axis(1), &[a.view(), b.view()]).unwrap();
            parameters.dependence(turned.view(), &Run::new()).unwrap()
        };
        let (true_angle, half_way) = (at(0.0), at(FRAC_PI_2 / 2.0));
        assert!(half_way > 2.0 * true_angle, "{true_angle} {half_way}");
        assert!((at(0.3) - at(0.3 + FRAC_PI_2)).abs() < 1e-3 * at(0.3));
    }

    // 002a:KI02: factors of few columns give the contrast of the whole kernels up to the tolerance.
    #[test]
    fn few_columns_give_the_contrast_of_the_whole_kernels() {
        let s = sources(200, [false, true], 7);
        let low = KernelIca::default();
        let whole = KernelIca {
            rank_tolerance: 1e-12,
            ..KernelIca::default()
        };
        let (a, b) = (
            low.dependence(s.view(), &Run::new()).unwrap(),
            whole.dependence(s.view(), &Run::new()).unwrap(),
        );
        assert!((a - b).abs() < 1e-2 * b, "{a} {b}");
        let contrast = low.contrast(200);
        let factor = contrast.factor(s.column(0), &Run::new()).unwrap();
        assert!(factor.ncols() < 20, "{}", factor.ncols());
        // What is missing of the trace is within the tolerance, κ·M/100 of 200.
        let kept: f64 = factor.iter().map(|value| value * value).sum();
        assert!((200.0 - kept) <= contrast.missing && kept <= 200.0 + 1e-9);
    }

    #[test]
    fn columns_that_are_sums_of_others_are_refused() {
        let x = Array2::from_shape_fn((20, 2), |(i, j)| i as f64 * (j + 1) as f64);
        let error = KernelIca::default()
            .fit(x.view(), &Run::new())
            .unwrap_err()
            .to_string();
        assert!(error.contains("whitened"), "{error}");
        assert!(
            KernelIca::default()
                .fit(array![[1.0, 2.0]].view(), &Run::new())
                .is_err()
        );
    }
}
