//! A few eigenvalues at one end of the spectrum of a large symmetric operator.

use super::{Accumulate, Eigen, a_times_bt, matmul_into, symmetric_eigen};
use crate::numeric::dot;
use didact_core::random::Generator;
use didact_core::{Error, Result, Run};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use rand_distr::{Distribution, StandardNormal};

/// Which end of the spectrum is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpectrumEnd {
    /// The largest eigenvalues, largest first.
    Largest,
    /// The smallest eigenvalues, smallest first.
    Smallest,
}

/// What [`extreme_eigen`] looks for and how hard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExtremeEigenOptions {
    /// How many eigenvalues are wanted.
    pub count: usize,
    /// At which end of the spectrum.
    pub end: SpectrumEnd,
    /// A pair is found when ‖A·v − λ·v‖ is at most this times the largest |λ|; the error of λ
    /// is then of the order of its square.
    pub tolerance: f64,
    /// How many times the subspace may be extended.
    pub max_iterations: usize,
}

impl ExtremeEigenOptions {
    /// The usual settings: a tolerance of 10⁻¹⁰ and at most a thousand iterations.
    pub fn new(count: usize, end: SpectrumEnd) -> Self {
        ExtremeEigenOptions {
            count,
            end,
            tolerance: 1e-10,
            max_iterations: 1000,
        }
    }
}

/// Operators of at most this size are written out and decomposed at once.
const DENSE: usize = 200;

/// Applications of the operator per extension of the subspace.
const DEGREE: usize = 12;

/// The `count` eigenpairs at one end of the spectrum of a symmetric n×n operator, which is only
/// known through `apply(v, output)`, writing A·v: a sparse graph, a centred kernel, a product.
///
/// A block Davidson method: the unfinished vectors are sharpened by a Chebyshev polynomial of A
/// that is small on the unwanted part of the spectrum (Zhou and Saad 2007), orthonormalised, and
/// the small matrix in the subspace is decomposed. Multiple eigenvalues are found with all their
/// vectors, as the components of a graph need it. Each iteration costs about 12 products per
/// unfinished vector and O(n·count²); operators of at most 200 rows are decomposed directly. A
/// singular operator is nothing special.
///
/// The values come from the wanted end inwards, the vectors are columns of length one.
///
/// ```
/// use didact_core::{Run, random::generator};
/// use didact_math::linalg::{ExtremeEigenOptions, SpectrumEnd, extreme_eigen};
/// // A diagonal operator with the values 0, 1, 2, …, 999.
/// let apply = |v: &[f64], output: &mut [f64]| {
///     for (i, output) in output.iter_mut().enumerate() {
///         *output = i as f64 * v[i];
///     }
///     Ok(())
/// };
/// let options = ExtremeEigenOptions::new(2, SpectrumEnd::Largest);
/// let eigen = extreme_eigen(1000, apply, options, &mut generator(0, 0), &Run::new())?;
/// assert!((eigen.values[0] - 999.0).abs() < 1e-9 && (eigen.values[1] - 998.0).abs() < 1e-9);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn extreme_eigen(
    n: usize,
    apply: impl Fn(&[f64], &mut [f64]) -> Result<()>,
    options: ExtremeEigenOptions,
    generator: &mut Generator,
    run: &Run,
) -> Result<Eigen> {
    let ExtremeEigenOptions { count, end, .. } = options;
    if count == 0 || count > n {
        let requirement = format!("it must be at least 1 and at most {n}, the size of the matrix");
        return Err(Error::parameter("count", count, requirement));
    }
    if !(options.tolerance > 0.0 && options.tolerance < 1.0) {
        let requirement = "it must be between 0 and 1";
        return Err(Error::parameter(
            "tolerance",
            options.tolerance,
            requirement,
        ));
    }
    // The solver looks for the smallest eigenvalues; the largest are the smallest of −A.
    let sign = match end {
        SpectrumEnd::Largest => -1.0,
        SpectrumEnd::Smallest => 1.0,
    };
    let operator = Operator {
        n,
        apply,
        sign,
        run,
    };
    let mut eigen = match n <= DENSE || n < 8 * count {
        true => operator.dense(count)?,
        false => Search::new(&operator, options, generator)?.finish(generator)?,
    };
    eigen.values *= sign;
    Ok(eigen)
}

struct Operator<'a, F> {
    n: usize,
    apply: F,
    sign: f64,
    run: &'a Run,
}

impl<F: Fn(&[f64], &mut [f64]) -> Result<()>> Operator<'_, F> {
    /// Writes ±A·v.
    fn times(&self, v: &[f64], output: &mut [f64]) -> Result<()> {
        self.run.check()?;
        (self.apply)(v, output)?;
        // The sum of x·0 is NaN exactly when some x is not finite, and it vectorises.
        if output.iter().map(|value| value * 0.0).sum::<f64>() != 0.0 {
            return Err(Error::numerical(
                "the operator gave a value that is not finite for a finite vector",
            ));
        }
        if self.sign < 0.0 {
            output.iter_mut().for_each(|value| *value = -*value);
        }
        Ok(())
    }

    /// The product of each row.
    fn times_rows(&self, rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let mut products = Array2::zeros(rows.dim());
        for (row, mut product) in rows.rows().into_iter().zip(products.rows_mut()) {
            self.times(
                row.as_slice().expect("rows are contiguous"),
                product.as_slice_mut().expect("rows are contiguous"),
            )?;
        }
        Ok(products)
    }

    fn dense(&self, count: usize) -> Result<Eigen> {
        let matrix = self.times_rows(Array2::eye(self.n).view())?;
        let symmetric = (&matrix + &matrix.t()) / 2.0;
        let eigen = symmetric_eigen(symmetric.view())?;
        let wanted: Vec<usize> = (0..count).map(|i| self.n - 1 - i).collect();
        Ok(Eigen {
            values: eigen.values.select(Axis(0), &wanted),
            vectors: eigen.vectors.select(Axis(1), &wanted),
        })
    }

    /// An upper bound of the spectrum and a typical value, from a few steps of Lanczos.
    fn bounds(&self, generator: &mut Generator) -> Result<(f64, f64)> {
        const STEPS: usize = 16;
        let mut basis = Array2::zeros((STEPS, self.n));
        let mut vector = random_rows(1, self.n, generator)
            .remove_axis(Axis(0))
            .to_vec();
        let mut tridiagonal = Array2::<f64>::zeros((STEPS, STEPS));
        let mut rest = 0.0;
        let mut steps = 0;
        let mut product = vec![0.0; self.n];
        while steps < STEPS {
            let length = dot(&vector, &vector).sqrt();
            if length <= f64::EPSILON * tridiagonal.diag().fold(0.0, |m: f64, x| m.max(x.abs())) {
                rest = 0.0;
                break;
            }
            vector.iter_mut().for_each(|value| *value /= length);
            if steps > 0 {
                tridiagonal[[steps, steps - 1]] = length;
            }
            basis.row_mut(steps).assign(&ndarray::aview1(&vector));
            self.times(&vector, &mut product)?;
            tridiagonal[[steps, steps]] = dot(&vector, &product);
            steps += 1;
            // Against all of them: a few steps are cheap, and lost orthogonality misleads.
            for _ in 0..2 {
                for earlier in basis.slice(s![..steps, ..]).rows() {
                    let earlier = earlier.to_slice().expect("rows are contiguous");
                    let share = dot(earlier, &product);
                    product
                        .iter_mut()
                        .zip(earlier)
                        .for_each(|(p, e)| *p -= share * e);
                }
            }
            std::mem::swap(&mut vector, &mut product);
            rest = dot(&vector, &vector).sqrt();
        }
        let eigen = symmetric_eigen(tridiagonal.slice(s![..steps, ..steps]))?;
        Ok((eigen.values[0] + rest, eigen.values[steps / 2]))
    }
}

fn random_rows(rows: usize, n: usize, generator: &mut Generator) -> Array2<f64> {
    Array2::from_shape_fn((rows, n), |_| StandardNormal.sample(generator))
}

/// The state of the block Davidson method; vectors are rows, so that each is contiguous.
struct Search<'a, F> {
    operator: &'a Operator<'a, F>,
    options: ExtremeEigenOptions,
    /// Orthonormal vectors and their products with the operator; the first `size` are in use.
    basis: Array2<f64>,
    products: Array2<f64>,
    size: usize,
    /// No eigenvalue is above.
    upper: f64,
    /// Where the unwanted part of the spectrum begins.
    cut: f64,
}

impl<'a, F: Fn(&[f64], &mut [f64]) -> Result<()>> Search<'a, F> {
    fn new(
        operator: &'a Operator<'a, F>,
        options: ExtremeEigenOptions,
        generator: &mut Generator,
    ) -> Result<Self> {
        let (upper, cut) = operator.bounds(generator)?;
        // Room for the wanted, some more that converge along, and three extensions.
        let room = (4 * options.count + 24).min(operator.n);
        let mut search = Search {
            operator,
            options,
            basis: Array2::zeros((room, operator.n)),
            products: Array2::zeros((room, operator.n)),
            size: 0,
            upper,
            cut,
        };
        let start = random_rows(options.count + 4, operator.n, generator);
        search.extend(start, generator)?;
        Ok(search)
    }

    /// Adds the rows to the basis, orthonormalised against it and each other.
    fn extend(&mut self, rows: Array2<f64>, generator: &mut Generator) -> Result<()> {
        let first = self.size;
        for row in rows.rows() {
            let mut vector = row.to_vec();
            let mut attempts = 0;
            // A direction that the basis has already is replaced by a random one.
            while !self.orthonormalise(&mut vector) {
                attempts += 1;
                if attempts > 3 {
                    return Err(Error::numerical("the basis of the subspace broke down"));
                }
                vector = random_rows(1, self.operator.n, generator)
                    .into_raw_vec_and_offset()
                    .0;
            }
            self.basis
                .row_mut(self.size)
                .assign(&ndarray::aview1(&vector));
            self.size += 1;
        }
        let products = self
            .operator
            .times_rows(self.basis.slice(s![first..self.size, ..]))?;
        self.products
            .slice_mut(s![first..self.size, ..])
            .assign(&products);
        Ok(())
    }

    fn orthonormalise(&self, vector: &mut [f64]) -> bool {
        let before = dot(vector, vector).sqrt();
        if !(before > 0.0 && before.is_finite()) {
            return false;
        }
        vector.iter_mut().for_each(|value| *value /= before);
        for _ in 0..3 {
            for earlier in self.basis.slice(s![..self.size, ..]).rows() {
                let earlier = earlier.to_slice().expect("rows are contiguous");
                let share = dot(earlier, vector);
                vector
                    .iter_mut()
                    .zip(earlier)
                    .for_each(|(v, e)| *v -= share * e);
            }
            let length = dot(vector, vector).sqrt();
            if length < 1e-12 {
                return false;
            }
            vector.iter_mut().for_each(|value| *value /= length);
            // Once little was removed, the rest is orthogonal to the last digit.
            if length > 0.5 {
                break;
            }
        }
        true
    }

    fn finish(mut self, generator: &mut Generator) -> Result<Eigen> {
        let count = self.options.count;
        let mut found = 0;
        for _ in 0..self.options.max_iterations {
            let ritz = self.rayleigh_ritz(count)?;
            found = ritz
                .finished
                .iter()
                .filter(|&&is_finished| is_finished)
                .count();
            if found == count {
                return Ok(Eigen {
                    values: ritz.values.slice(s![..count]).to_owned(),
                    vectors: ritz.vectors.t().as_standard_layout().into_owned(),
                });
            }
            let unfinished: Vec<usize> = (0..count).filter(|&i| !ritz.finished[i]).collect();
            let block = ritz.vectors.select(Axis(0), &unfinished);
            // Values beyond the wanted ones show where the unwanted part begins.
            let beyond = &ritz.values.as_slice().expect("values are contiguous")[count..];
            if let Some(&middle) = beyond.get(beyond.len() / 2) {
                self.cut = middle;
            }
            let block = self.filter(block, ritz.values[0])?;
            if self.size + block.nrows() > self.basis.nrows() {
                self.restart(&ritz);
            }
            self.extend(block, generator)?;
        }
        Err(Error::numerical(format!(
            "only {found} of the {count} eigenvalues converged within {} iterations; allow more, \
             or ask for fewer, or for a larger tolerance than {:e}",
            self.options.max_iterations, self.options.tolerance
        )))
    }

    fn rayleigh_ritz(&self, count: usize) -> Result<Ritz> {
        let basis = self.basis.slice(s![..self.size, ..]);
        let products = self.products.slice(s![..self.size, ..]);
        let inner = a_times_bt(basis, products);
        let eigen = symmetric_eigen(((&inner + &inner.t()) / 2.0).view())?;
        let rising: Vec<usize> = (0..self.size).rev().collect();
        let values = eigen.values.select(Axis(0), &rising);
        let coefficients = eigen.vectors.select(Axis(1), &rising);
        let chosen = coefficients.slice(s![.., ..count]);
        let mut vectors = Array2::zeros((count, self.operator.n));
        matmul_into(
            vectors.view_mut(),
            chosen.t(),
            basis,
            1.0,
            Accumulate::Replace,
        );
        let mut residuals = Array2::zeros((count, self.operator.n));
        matmul_into(
            residuals.view_mut(),
            chosen.t(),
            products,
            1.0,
            Accumulate::Replace,
        );
        let scale = self.upper.abs().max(values[0].abs()).max(f64::MIN_POSITIVE);
        let mut finished = Vec::with_capacity(count);
        for (i, mut residual) in residuals.rows_mut().into_iter().enumerate() {
            residual.scaled_add(-values[i], &vectors.row(i));
            let length = residual.dot(&residual).sqrt();
            finished.push(length <= self.options.tolerance * scale);
        }
        Ok(Ritz {
            values,
            coefficients,
            vectors,
            finished,
        })
    }

    /// Keeps the best part of the subspace, half of its room.
    fn restart(&mut self, ritz: &Ritz) {
        let keep = (self.basis.nrows() / 2)
            .min(self.size)
            .max(self.options.count);
        let coefficients = ritz.coefficients.slice(s![.., ..keep]);
        for matrix in [&mut self.basis, &mut self.products] {
            let mut kept = Array2::zeros((keep, matrix.ncols()));
            let old = matrix.slice(s![..self.size, ..]);
            matmul_into(
                kept.view_mut(),
                coefficients.t(),
                old,
                1.0,
                Accumulate::Replace,
            );
            matrix.slice_mut(s![..keep, ..]).assign(&kept);
        }
        self.size = keep;
    }

    /// Applies the Chebyshev polynomial that is at most one on [cut, upper] and grows fastest
    /// towards `least`, where it is scaled to one so that nothing overflows.
    fn filter(&self, block: Array2<f64>, least: f64) -> Result<Array2<f64>> {
        let (center, half) = (self.upper.midpoint(self.cut), (self.upper - self.cut) / 2.0);
        let is_useful = half > 1e-12 * center.abs().max(self.upper.abs()) && least < self.cut;
        if !is_useful {
            // The spectrum is a point, as far as can be seen: a plain power step will do.
            return self.operator.times_rows(block.view());
        }
        let first_scale = half / (least - center);
        let mut scale = first_scale;
        let mut previous = block;
        let mut current = self.operator.times_rows(previous.view())?;
        current.scaled_add(-center, &previous);
        current *= scale / half;
        for _ in 1..DEGREE {
            let next_scale = (2.0 / first_scale - scale).recip();
            let mut next = self.operator.times_rows(current.view())?;
            next.scaled_add(-center, &current);
            next *= 2.0 * next_scale / half;
            next.scaled_add(-scale * next_scale, &previous);
            (previous, current, scale) = (current, next, next_scale);
        }
        Ok(current)
    }
}

/// The best approximations in the subspace.
struct Ritz {
    /// All values in rising order.
    values: Array1<f64>,
    /// Columns of coefficients in the basis, in the same order.
    coefficients: Array2<f64>,
    /// The wanted vectors as rows.
    vectors: Array2<f64>,
    finished: Vec<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{at_times_b, rows_times_vector};
    use didact_core::random::generator;
    use didact_core::{Cancel, Rows};
    use didact_testing::{assert_close, random_sparse};
    use ndarray::{array, aview1};

    fn diagonal(values: &[f64]) -> impl Fn(&[f64], &mut [f64]) -> Result<()> + '_ {
        move |v, output| {
            for ((output, v), value) in output.iter_mut().zip(v).zip(values) {
                *output = v * value;
            }
            Ok(())
        }
    }

    fn solve(
        n: usize,
        apply: impl Fn(&[f64], &mut [f64]) -> Result<()>,
        options: ExtremeEigenOptions,
    ) -> Result<Eigen> {
        extreme_eigen(n, apply, options, &mut generator(0, 0), &Run::new())
    }

    #[test]
    fn the_ends_of_a_sparse_matrix_are_those_of_the_full_decomposition() {
        let sparse = random_sparse(400, 400, 0.02, 1);
        let dense = sparse.view().to_dense();
        let symmetric = &dense + &dense.t();
        let rows = didact_core::Csr::from_dense(symmetric.view());
        let full = symmetric_eigen(symmetric.view()).unwrap();
        let apply = |v: &[f64], output: &mut [f64]| {
            let product = rows_times_vector(Rows::Sparse(rows.view()), aview1(v), &Run::new())?;
            output.copy_from_slice(product.as_slice().unwrap());
            Ok(())
        };
        let ends = [
            (SpectrumEnd::Largest, full.values.slice(s![..6]).to_owned()),
            (
                SpectrumEnd::Smallest,
                full.values.slice(s![394..;-1]).to_owned(),
            ),
        ];
        for (end, expected) in ends {
            let eigen = solve(400, apply, ExtremeEigenOptions::new(6, end)).unwrap();
            assert_close(&eigen.values, &expected, 1e-12);
            let residual = symmetric.dot(&eigen.vectors) - &eigen.vectors * &eigen.values;
            assert!(residual.iter().all(|x| x.abs() < 1e-9 * full.values[0]));
            let overlap = at_times_b(eigen.vectors.view(), eigen.vectors.view());
            assert_close(&overlap, &Array2::eye(6), 1e-12);
        }
    }

    #[test]
    fn a_path_of_a_thousand_nodes_has_the_smallest_values_of_its_formula() {
        // The Laplacian of a path has the eigenvalues 2 − 2·cos(πk/n): close together at zero.
        let n = 1000;
        let apply = |v: &[f64], output: &mut [f64]| {
            for i in 0..n {
                let left = if i > 0 { v[i] - v[i - 1] } else { 0.0 };
                let right = if i + 1 < n { v[i] - v[i + 1] } else { 0.0 };
                output[i] = left + right;
            }
            Ok(())
        };
        let options = ExtremeEigenOptions::new(4, SpectrumEnd::Smallest);
        let eigen = solve(n, apply, options).unwrap();
        for k in 0..4 {
            let half = (std::f64::consts::PI * k as f64 / (2 * n) as f64).sin();
            let expected = 4.0 * half * half;
            assert!(
                (eigen.values[k] - expected).abs() < 1e-12,
                "{k}: {}",
                eigen.values[k]
            );
        }
    }

    #[test]
    fn every_copy_of_a_multiple_eigenvalue_is_found() {
        let mut values: Vec<f64> = (0..500).map(|i| 1.0 + i as f64).collect();
        values[100..105].fill(0.0);
        let options = ExtremeEigenOptions::new(7, SpectrumEnd::Smallest);
        let eigen = solve(500, diagonal(&values), options).unwrap();
        assert_close(
            &eigen.values,
            &array![0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0],
            1e-9,
        );
        let overlap = at_times_b(eigen.vectors.view(), eigen.vectors.view());
        assert_close(&overlap, &Array2::eye(7), 1e-12);
    }

    #[test]
    fn constant_zero_and_small_operators_have_an_answer() {
        for value in [0.0, 3.0] {
            let values = vec![value; 300];
            let options = ExtremeEigenOptions::new(3, SpectrumEnd::Largest);
            let eigen = solve(300, diagonal(&values), options).unwrap();
            assert_close(&eigen.values, &array![value, value, value], 1e-12);
        }
        let options = ExtremeEigenOptions::new(2, SpectrumEnd::Largest);
        let eigen = solve(3, diagonal(&[1.0, 5.0, -7.0]), options).unwrap();
        assert_close(&eigen.values, &array![5.0, 1.0], 1e-12);
    }

    #[test]
    fn requests_that_make_no_sense_and_broken_operators_are_refused() {
        let values = vec![f64::NAN; 300];
        let options = ExtremeEigenOptions::new(2, SpectrumEnd::Largest);
        assert!(solve(300, diagonal(&values), options).is_err());
        let none = ExtremeEigenOptions::new(0, SpectrumEnd::Largest);
        let error = solve(3, diagonal(&[1.0; 3]), none).unwrap_err().to_string();
        assert!(
            error.starts_with("count is 0; it must be at least 1"),
            "{error}"
        );
        let hard = ExtremeEigenOptions {
            max_iterations: 1,
            ..ExtremeEigenOptions::new(5, SpectrumEnd::Smallest)
        };
        let values: Vec<f64> = (0..2000).map(|i| i as f64).collect();
        let error = solve(2000, diagonal(&values), hard)
            .unwrap_err()
            .to_string();
        assert!(error.contains("of the 5 eigenvalues converged"), "{error}");
        let cancel = Cancel::new();
        cancel.cancel();
        let run = Run::new().cancelled_by(&cancel);
        let result = extreme_eigen(2000, diagonal(&values), options, &mut generator(0, 0), &run);
        assert!(matches!(result, Err(Error::Cancelled)));
    }
}
