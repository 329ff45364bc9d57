//! The largest eigenvalues of an operator that is only known through its products.

use super::{Accumulate, Eigen, a_times_bt, at_times_b, matmul, matmul_into, symmetric_eigen};
use crate::numeric::dot;
use didact_core::random::Generator;
use didact_core::{Error, Result, Run};
use ndarray::{Array1, Array2, ArrayView2, s};
use rand_distr::{Distribution, StandardNormal};

/// How often the space may be begun anew from the best directions.
const RESTARTS: usize = 1000;

/// How many vectors are multiplied at a time. A Krylov space of blocks is of lower degree than one
/// of single vectors with as many directions, so that half as many products again are needed; but
/// the operator passes over its data once for all four, with vector instructions.
const BLOCK: usize = 4;

/// A space of more numbers than this is kept smaller, at the price of more products.
const MOST_NUMBERS: usize = 1 << 24;

/// The `count` largest eigenvalues of a symmetric n×n operator, known through `apply(V)`, which is
/// the product of A with each row of V as a row, and their eigenvectors as columns.
///
/// Lanczos' method for blocks with thick restarts (Wu and Simon 2000): a Krylov space grows by
/// four products at a time; when it is full, its best directions are kept and it grows on. A pair
/// is found when ‖A·v − λ·v‖ is at most `tolerance` times the largest |λ|, so that λ errs by the
/// order of its square. Every product costs some 4·n·(3·count + 60) operations besides. Of more
/// than four eigenvalues that are equal to the last digit fewer may be found than there are; where
/// all must be, [`extreme_eigen`](super::extreme_eigen) is slower and finds them.
///
/// ```
/// use didact_core::{Run, random::generator};
/// use didact_math::linalg::leading_eigen;
/// // A diagonal operator with the values 0, 1, 2, …, 999.
/// let values = ndarray::Array1::from_iter((0..1000).map(f64::from));
/// let apply = |v: ndarray::ArrayView2<'_, f64>| Ok(&v * &values);
/// let eigen = leading_eigen(1000, apply, 2, 1e-10, &mut generator(0, 0), &Run::new())?;
/// assert!((eigen.values[0] - 999.0).abs() < 1e-9 && (eigen.values[1] - 998.0).abs() < 1e-9);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn leading_eigen(
    n: usize,
    apply: impl Fn(ArrayView2<'_, f64>) -> Result<Array2<f64>>,
    count: usize,
    tolerance: f64,
    generator: &mut Generator,
    run: &Run,
) -> Result<Eigen> {
    if count == 0 || count > n {
        let requirement = format!("it must be at least 1 and at most {n}, the size of the matrix");
        return Err(Error::parameter("count", count, requirement));
    }
    let mut space = Space::new(n, capacity(n, count), generator);
    for _ in 0..RESTARTS {
        space.fill(&apply, generator, run)?;
        let eigen = symmetric_eigen(space.small.slice(s![..space.size, ..space.size]))?;
        let found = space.errors(&eigen).slice_move(s![..count]);
        let largest = eigen
            .values
            .iter()
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        if found.iter().all(|&error| error <= tolerance * largest) {
            let weights = eigen.vectors.slice(s![.., ..count]);
            return Ok(Eigen {
                values: eigen.values.slice(s![..count]).to_owned(),
                vectors: at_times_b(space.directions(), weights),
            });
        }
        space.restart(&eigen, count);
    }
    Err(Error::numerical(format!(
        "the {count} largest eigenvalues did not converge; ask for fewer, or for an exact \
         decomposition"
    )))
}

/// How many directions are held: the more, the fewer products are needed.
fn capacity(n: usize, count: usize) -> usize {
    let ample = 3 * count + 60;
    match ample * n <= MOST_NUMBERS {
        true => ample.min(n),
        false => (2 * count + 6 * BLOCK).min(n),
    }
}

/// An orthonormal basis, the operator within it, and where it leads next.
struct Space {
    /// The directions as rows, of which the first `size` are there.
    basis: Array2<f64>,
    size: usize,
    /// VᵀAV.
    small: Array2<f64>,
    /// The directions that come next, as rows, orthonormal and orthogonal to all others.
    next: Array2<f64>,
    /// What the last products leave outside the basis is `remainder`ᵀ·`next`, a row for each.
    remainder: Array2<f64>,
    /// The products of the next directions have shares only from this direction on, but for
    /// rounding: two blocks before, or the first after a restart.
    coupled: usize,
    /// The size of the largest products so far, against which rounding is told.
    scale: f64,
}

impl Space {
    fn new(n: usize, capacity: usize, generator: &mut Generator) -> Self {
        let mut space = Space {
            basis: Array2::zeros((capacity, n)),
            size: 0,
            small: Array2::zeros((capacity, capacity)),
            next: Array2::zeros((0, n)),
            remainder: Array2::zeros((0, 0)),
            coupled: 0,
            scale: 0.0,
        };
        space.draw(generator);
        space
    }

    /// The directions that are there.
    fn directions(&self) -> ArrayView2<'_, f64> {
        self.basis.slice(s![..self.size, ..])
    }

    /// Makes random directions outside the basis the next ones.
    fn draw(&mut self, generator: &mut Generator) {
        let (room, n) = self.basis.dim();
        let rows = BLOCK.min(n - self.size).min(room - self.size);
        let mut drawn = Array2::from_shape_fn((rows, n), |_| StandardNormal.sample(generator));
        self.take_away(&mut drawn, 0);
        self.take_away(&mut drawn, 0);
        self.split(drawn, 0.0);
        // They are no part of any product.
        self.remainder = Array2::zeros((self.next.nrows(), rows));
    }

    /// Takes away what lies within the basis from direction `first` on, and returns the shares, a
    /// row for each direction.
    fn take_away(&self, images: &mut Array2<f64>, first: usize) -> Array2<f64> {
        let basis = self.basis.slice(s![first..self.size, ..]);
        let shares = a_times_bt(basis, images.view());
        matmul_into(images.view_mut(), shares.t(), basis, -1.0, Accumulate::Add);
        shares
    }

    /// Splits what lies outside the basis into orthonormal directions, the next ones, and the
    /// shares of each. What is not larger than the rounding of numbers of size `scale` is left out.
    fn split(&mut self, images: Array2<f64>, scale: f64) {
        let (rows, n) = images.dim();
        let mut next: Vec<f64> = Vec::with_capacity(rows * n);
        let mut remainder = Array2::zeros((rows, rows));
        let mut found = 0;
        for (index, image) in images.rows().into_iter().enumerate() {
            let mut image = image.to_owned();
            // What is small beside the products may be nothing but their rounding, which lies
            // within the basis as much as outside.
            let mut before = image.dot(&image).sqrt().max(1e-3 * scale);
            let mut after = 0.0;
            for round in 0..4 {
                // Once most of it is gone, its rounding has become large beside it.
                if round > 0 {
                    let mut row = image.insert_axis(ndarray::Axis(0));
                    self.take_away(&mut row, 0);
                    image = row.remove_axis(ndarray::Axis(0));
                }
                let values = image.as_slice_mut().expect("a vector is contiguous");
                for (place, direction) in next.chunks_exact(n).enumerate() {
                    let share = dot(direction, values);
                    remainder[[place, index]] += share;
                    for (value, part) in values.iter_mut().zip(direction) {
                        *value -= share * part;
                    }
                }
                after = dot(values, values).sqrt();
                if after >= 0.5 * before {
                    break;
                }
                before = after;
            }
            if after > 8.0 * f64::EPSILON * scale && self.size + found < n {
                next.extend(image.iter().map(|value| value / after));
                remainder[[found, index]] = after;
                found += 1;
            }
        }
        self.next = Array2::from_shape_vec((found, n), next).expect("rows of n values");
        self.remainder = remainder.slice_move(s![..found, ..]);
    }

    /// Lets the space grow until it is full.
    fn fill(
        &mut self,
        apply: &impl Fn(ArrayView2<'_, f64>) -> Result<Array2<f64>>,
        generator: &mut Generator,
        run: &Run,
    ) -> Result<()> {
        let room = self.basis.nrows();
        loop {
            if self.next.nrows() == 0 && self.size < room {
                // A leads nowhere new: any direction outside the basis will do.
                self.draw(generator);
            }
            if self.next.nrows() == 0 || self.size + self.next.nrows() > room {
                return Ok(());
            }
            run.check()?;
            let block = self.size..self.size + self.next.nrows();
            self.basis
                .slice_mut(s![block.clone(), ..])
                .assign(&self.next);
            self.size = block.end;
            let mut images = apply(self.next.view())?;
            // First the large shares, then the traces that rounding leaves of all.
            let large = self.take_away(&mut images, self.coupled);
            let mut shares = self.take_away(&mut images, 0);
            let mut coupled = shares.slice_mut(s![self.coupled.., ..]);
            coupled += &large;
            if !shares.iter().all(|share| share.is_finite()) {
                return Err(Error::numerical(
                    "the operator gave a value that is not finite for a finite vector",
                ));
            }
            let columns = s![..self.size, block.clone()];
            self.small.slice_mut(columns).assign(&shares);
            let rows = s![block.clone(), ..self.size];
            self.small.slice_mut(rows).assign(&shares.t());
            let scale = shares.iter().map(|share| share * share).sum::<f64>().sqrt();
            self.scale = self.scale.max(scale);
            self.split(images, self.scale);
            self.coupled = block.start;
        }
    }

    /// ‖A·v − λ·v‖ of each pair: what leads out of the basis does so from its last block.
    fn errors(&self, eigen: &Eigen) -> Array1<f64> {
        let last = self.size - self.remainder.ncols();
        let outside = matmul(self.remainder.view(), eigen.vectors.slice(s![last.., ..]));
        outside
            .columns()
            .into_iter()
            .map(|column| column.dot(&column).sqrt())
            .collect()
    }

    /// Keeps the best directions, two fifths of the room beyond the wanted ones included.
    fn restart(&mut self, eigen: &Eigen, count: usize) {
        let kept = count + (self.size - count) * 2 / 5;
        let weights = eigen.vectors.slice(s![.., ..kept]);
        let best = matmul(weights.t(), self.directions());
        self.basis.slice_mut(s![..kept, ..]).assign(&best);
        self.small.fill(0.0);
        // What couples them to the next directions is found when those are multiplied.
        self.small
            .diag_mut()
            .slice_mut(s![..kept])
            .assign(&eigen.values.slice(s![..kept]));
        self.size = kept;
        self.coupled = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::matmul;
    use didact_core::random::generator;
    use didact_testing::{assert_close, random_matrix};

    fn of_matrix(matrix: &Array2<f64>, count: usize) -> Eigen {
        let apply = |v: ArrayView2<'_, f64>| Ok(matmul(v, matrix.view()));
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
    fn an_operator_of_low_rank_has_no_eigenvalues_from_rounding() {
        // Six directions, found in blocks of four.
        let root = random_matrix(6, 40, 5);
        let matrix = at_times_b(root.view(), root.view());
        let expected = symmetric_eigen(matrix.view()).unwrap().values;
        let found = of_matrix(&matrix, 6).values;
        assert_close(&found, &expected.slice(s![..6]).to_owned(), 1e-12);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let zero = |v: ArrayView2<'_, f64>| Ok(v.to_owned());
        let broken = |v: ArrayView2<'_, f64>| Ok(v.mapv(|_| f64::NAN));
        let run = Run::new();
        assert!(leading_eigen(3, zero, 4, 1e-9, &mut generator(0, 0), &run).is_err());
        let error = leading_eigen(3, broken, 1, 1e-9, &mut generator(0, 0), &run).unwrap_err();
        assert!(error.to_string().contains("not finite"), "{error}");
    }
}
