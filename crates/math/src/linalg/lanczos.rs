//! The largest eigenvalues of an operator that is only known through its products.

use super::{Eigen, at_times_b, matmul, symmetric_eigen};
use crate::numeric::dot;
use didact_core::random::Generator;
use didact_core::{Error, Result, Run};
use ndarray::{Array1, Array2, ArrayView1, s};
use rand_distr::{Distribution, StandardNormal};

/// How often the space may be begun anew from the best directions.
const RESTARTS: usize = 1000;

/// The `count` largest eigenvalues of a symmetric n×n operator, known through `apply(v)` = A·v,
/// and their eigenvectors as columns.
///
/// Lanczos' method with thick restarts (Wu and Simon 2000): a Krylov space grows by one product
/// at a time; when it is full, its best directions are kept and it grows on. A pair is found when
/// ‖A·v − λ·v‖ is at most `tolerance` times the largest |λ|, so that λ errs by the order of its
/// square. Every product costs 4·n·(3·count + 20) operations besides. Of eigenvalues that are
/// equal to the last digit fewer may be found than there are; where all must be,
/// [`extreme_eigen`](super::extreme_eigen) is slower and finds them.
///
/// ```
/// use didact_core::{Run, random::generator};
/// use didact_math::linalg::leading_eigen;
/// // A diagonal operator with the values 0, 1, 2, …, 999.
/// let apply = |v: ndarray::ArrayView1<'_, f64>| {
///     Ok(v.iter().enumerate().map(|(i, value)| i as f64 * value).collect())
/// };
/// let eigen = leading_eigen(1000, apply, 2, 1e-10, &mut generator(0, 0), &Run::new())?;
/// assert!((eigen.values[0] - 999.0).abs() < 1e-9 && (eigen.values[1] - 998.0).abs() < 1e-9);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn leading_eigen(
    n: usize,
    apply: impl Fn(ArrayView1<'_, f64>) -> Result<Array1<f64>>,
    count: usize,
    tolerance: f64,
    generator: &mut Generator,
    run: &Run,
) -> Result<Eigen> {
    if count == 0 || count > n {
        let requirement = format!("it must be at least 1 and at most {n}, the size of the matrix");
        return Err(Error::parameter("count", count, requirement));
    }
    let mut space = Space::new(n, (3 * count + 20).min(n), generator);
    for _ in 0..RESTARTS {
        space.fill(&apply, generator, run)?;
        let eigen = symmetric_eigen(space.small.view())?;
        let found = space.errors(&eigen).slice_move(s![..count]);
        let largest = eigen
            .values
            .iter()
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        if found.iter().all(|&error| error <= tolerance * largest) {
            let weights = eigen.vectors.slice(s![.., ..count]);
            return Ok(Eigen {
                values: eigen.values.slice(s![..count]).to_owned(),
                vectors: at_times_b(space.basis.view(), weights),
            });
        }
        space.restart(&eigen, count);
    }
    Err(Error::numerical(format!(
        "the {count} largest eigenvalues did not converge; ask for fewer, or for an exact \
         decomposition"
    )))
}

/// An orthonormal basis, the operator within it, and where it leads next.
struct Space {
    /// The directions as rows, of which the first `size` are there.
    basis: Array2<f64>,
    size: usize,
    /// VᵀAV.
    small: Array2<f64>,
    /// The direction that comes next, orthogonal to all others.
    next: Array1<f64>,
    /// The length of what A·v leaves outside the basis, after the last direction.
    remainder: f64,
}

impl Space {
    fn new(n: usize, capacity: usize, generator: &mut Generator) -> Self {
        let mut space = Space {
            basis: Array2::zeros((capacity, n)),
            size: 0,
            small: Array2::zeros((capacity, capacity)),
            next: Array1::zeros(n),
            remainder: 0.0,
        };
        space.next = space.drawn(generator);
        space
    }

    /// A direction outside the basis.
    fn drawn(&self, generator: &mut Generator) -> Array1<f64> {
        let mut direction = self.next.mapv(|_| StandardNormal.sample(generator));
        self.orthogonalise(&mut direction);
        let length = direction.dot(&direction).sqrt();
        direction / length
    }

    /// Takes away what lies within the basis; twice, because once leaves a trace. Returns the
    /// shares of the first time.
    fn orthogonalise(&self, direction: &mut Array1<f64>) -> Array1<f64> {
        let shares = self.taken_from(direction);
        shares + self.taken_from(direction)
    }

    /// The shares of each direction of the basis, which are taken away.
    fn taken_from(&self, direction: &mut Array1<f64>) -> Array1<f64> {
        let direction = direction.as_slice_mut().expect("a vector is contiguous");
        let basis = self.basis.as_slice().expect("a fresh matrix is contiguous");
        let rows = || basis.chunks_exact(direction.len().max(1)).take(self.size);
        let shares: Array1<f64> = rows().map(|row| dot(row, direction)).collect();
        for (row, share) in rows().zip(&shares) {
            for (value, other) in direction.iter_mut().zip(row) {
                *value -= share * other;
            }
        }
        shares
    }

    /// Lets the space grow until it is full.
    fn fill(
        &mut self,
        apply: &impl Fn(ArrayView1<'_, f64>) -> Result<Array1<f64>>,
        generator: &mut Generator,
        run: &Run,
    ) -> Result<()> {
        while self.size < self.basis.nrows() {
            run.check()?;
            let place = self.size;
            self.basis.row_mut(place).assign(&self.next);
            self.size += 1;
            let mut image = apply(self.basis.row(place))?;
            let shares = self.orthogonalise(&mut image);
            if !shares.iter().all(|share| share.is_finite()) {
                return Err(Error::numerical(
                    "the operator gave a value that is not finite for a finite vector",
                ));
            }
            self.small.slice_mut(s![place, ..self.size]).assign(&shares);
            self.small.slice_mut(s![..self.size, place]).assign(&shares);
            self.remainder = image.dot(&image).sqrt();
            let scale = shares.dot(&shares).sqrt();
            if self.size == self.next.len() {
                self.remainder = 0.0;
            } else if self.remainder <= f64::EPSILON * scale {
                // A leads nowhere new: any direction outside the basis will do.
                self.remainder = 0.0;
                self.next = self.drawn(generator);
            } else {
                self.next = image / self.remainder;
            }
        }
        Ok(())
    }

    /// ‖A·v − λ·v‖ of each pair: what leads out of the basis does so from its last direction.
    fn errors(&self, eigen: &Eigen) -> Array1<f64> {
        let last = eigen.vectors.row(self.size - 1);
        last.mapv(|weight| self.remainder * weight.abs())
    }

    /// Keeps the best directions, half of the room beyond the wanted ones included.
    fn restart(&mut self, eigen: &Eigen, count: usize) {
        let kept = count + (self.basis.nrows() - count) / 2;
        let weights = eigen.vectors.slice(s![.., ..kept]);
        let best = matmul(weights.t(), self.basis.view());
        self.basis.slice_mut(s![..kept, ..]).assign(&best);
        self.small.fill(0.0);
        // What couples them to the next direction is found when it is multiplied.
        self.small
            .diag_mut()
            .slice_mut(s![..kept])
            .assign(&eigen.values.slice(s![..kept]));
        self.size = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::matmul;
    use didact_core::random::generator;
    use didact_testing::{assert_close, random_matrix};

    fn of_matrix(matrix: &Array2<f64>, count: usize) -> Eigen {
        let apply = |v: ArrayView1<'_, f64>| Ok(matrix.dot(&v));
        leading_eigen(
            matrix.nrows(),
            apply,
            count,
            1e-11,
            &mut generator(1, 0),
            &Run::new(),
        )
        .unwrap()
    }

    #[test]
    fn the_largest_pairs_are_those_of_the_whole_decomposition() {
        // A flat spectrum, which takes many restarts, and small matrices, which take none.
        for (n, count) in [(300, 5), (300, 20), (40, 3), (5, 5), (1, 1)] {
            let root = random_matrix(2 * n, n, 3);
            let matrix = at_times_b(root.view(), root.view());
            let (found, expected) = (
                of_matrix(&matrix, count),
                symmetric_eigen(matrix.view()).unwrap(),
            );
            let all = expected.values.slice(s![..count]).to_owned();
            assert_close(&found.values, &all, 1e-12);
            let error =
                matmul(matrix.view(), found.vectors.view()) - &found.vectors * &found.values;
            assert!(
                error.iter().all(|error| error.abs() < 1e-9 * all[0]),
                "{n} {count}"
            );
            let products = at_times_b(found.vectors.view(), found.vectors.view());
            assert_close(&products, &Array2::eye(count), 1e-11);
        }
    }

    #[test]
    fn operators_of_few_directions_and_none_are_finished() {
        let few = Array2::from_diag(&Array1::from_iter(
            (0..200).map(|i| if i < 3 { 3.0 - i as f64 } else { 0.0 }),
        ));
        assert_close(
            &of_matrix(&few, 5).values,
            &ndarray::array![3.0, 2.0, 1.0, 0.0, 0.0],
            1e-12,
        );
        assert_eq!(
            of_matrix(&Array2::zeros((50, 50)), 2).values,
            ndarray::array![0.0, 0.0]
        );
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let zero = |v: ArrayView1<'_, f64>| Ok(v.to_owned());
        let broken = |v: ArrayView1<'_, f64>| Ok(v.mapv(|_| f64::NAN));
        let run = Run::new();
        assert!(leading_eigen(3, zero, 4, 1e-9, &mut generator(0, 0), &run).is_err());
        let error = leading_eigen(3, broken, 1, 1e-9, &mut generator(0, 0), &run).unwrap_err();
        assert!(error.to_string().contains("not finite"), "{error}");
    }
}
