//! Symmetric matrices made tridiagonal (`reduction.rs`), and eigenvalues and eigenvectors of tridiagonal
//! ones by divide and conquer.
//!
//! Without one link of the middle the matrix falls into two, which are decomposed on their own;
//! the link is a matrix of rank one (Cuppen), and what it does to the two decompositions is
//! a secular equation and a product of half the size (`merge.rs`).

mod merge;
mod reduction;

pub(super) use reduction::{Reduced, lower_triangle};

use didact_core::{Error, Result};
use faer::diag::{DiagMut, DiagRef};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{
    ComputeEigenvectors, self_adjoint_evd_scratch, tridiagonal_self_adjoint_evd,
};
use faer::prelude::ReborrowMut;
use faer::{MatMut, Par};
use merge::Halves;

/// Smaller matrices are not divided any more.
const SMALL: usize = 32;

/// Halves of larger matrices are decomposed side by side.
const SHARED: usize = 128;

/// The eigenvalues alone, rising, in some n² operations.
pub(super) fn tridiagonal_eigenvalues(diagonal: &[f64], links: &[f64]) -> Result<Vec<f64>> {
    let mut values = vec![0.0; diagonal.len()];
    by_rotations(diagonal, links, &mut values, None)?;
    Ok(values)
}

/// How many values of room [`tridiagonal_eigen`] needs.
pub(super) fn tridiagonal_eigen_room(n: usize) -> usize {
    2 * n * n
}

/// Decomposes the symmetric matrix with this diagonal and these links beside it: `diagonal`
/// becomes the eigenvalues and the columns of `vectors`, which are zero before, their vectors.
/// Gives the columns in the order of rising values, in about 4⁄3·n³ operations.
pub(super) fn tridiagonal_eigen(
    diagonal: &mut [f64],
    links: &[f64],
    vectors: MatMut<'_, f64>,
    room: &mut [f64],
    parts: Par,
) -> Result<Vec<usize>> {
    let n = diagonal.len();
    let (old, rotation) = room.split_at_mut(n * n);
    let room = Room {
        vectors: MatMut::from_column_major_slice_mut(old, n, n),
        rotation: MatMut::from_column_major_slice_mut(rotation, n, n),
    };
    divided(diagonal, links, vectors, room, parts)
}

/// Room for the old vectors of a matrix and for the rotation that makes the new ones of them; its halves
/// serve the halves of the matrix before.
struct Room<'a> {
    vectors: MatMut<'a, f64>,
    rotation: MatMut<'a, f64>,
}

impl Room<'_> {
    fn split_at(&mut self, middle: usize) -> (Room<'_>, Room<'_>) {
        let (vectors, _, _, other_vectors) = self.vectors.rb_mut().split_at_mut(middle, middle);
        let (rotation, _, _, other_rotation) = self.rotation.rb_mut().split_at_mut(middle, middle);
        (
            Room { vectors, rotation },
            Room {
                vectors: other_vectors,
                rotation: other_rotation,
            },
        )
    }
}

fn divided(
    diagonal: &mut [f64],
    links: &[f64],
    mut vectors: MatMut<'_, f64>,
    mut room: Room<'_>,
    parts: Par,
) -> Result<Vec<usize>> {
    let n = diagonal.len();
    if n < SMALL {
        return undivided(diagonal, links, vectors);
    }
    let middle = n / 2;
    let link = links[middle - 1];
    diagonal[middle - 1] -= link.abs();
    diagonal[middle] -= link.abs();
    let (above, below) = diagonal.split_at_mut(middle);
    let (links_above, links_below) = (&links[..middle - 1], &links[middle..]);
    let (top, _, _, bottom) = vectors.rb_mut().split_at_mut(middle, middle);
    let (room_above, room_below) = room.split_at(middle);
    let above = move || divided(above, links_above, top, room_above, parts);
    let below = move || divided(below, links_below, bottom, room_below, parts);
    let (above, below) = match parts == Par::Seq || n < SHARED {
        true => (above(), below()),
        false => rayon::join(above, below),
    };
    let mut order = above?;
    order.extend(below?.into_iter().map(|column| column + middle));
    let halves = Halves {
        values: diagonal,
        vectors,
        middle,
        room,
    };
    Ok(halves.linked_by(link, order, parts))
}

fn undivided(diagonal: &mut [f64], links: &[f64], vectors: MatMut<'_, f64>) -> Result<Vec<usize>> {
    let before = diagonal.to_vec();
    by_rotations(&before, links, diagonal, Some(vectors))?;
    Ok((0..before.len()).collect())
}

/// Finds rising values, and their vectors where they are asked for, by rotations that make the links
/// vanish.
fn by_rotations(
    diagonal: &[f64],
    links: &[f64],
    values: &mut [f64],
    vectors: Option<MatMut<'_, f64>>,
) -> Result<()> {
    let wanted = match vectors {
        Some(_) => ComputeEigenvectors::Yes,
        None => ComputeEigenvectors::No,
    };
    let size = diagonal.len();
    if size == 0 {
        return Ok(());
    }
    let scratch = self_adjoint_evd_scratch::<f64>(size, wanted, Par::Seq, Default::default());
    tridiagonal_self_adjoint_evd(
        DiagRef::from_slice(diagonal),
        DiagRef::from_slice(links),
        DiagMut::from_slice_mut(values),
        vectors,
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|_| Error::numerical("the eigenvalues of the matrix did not converge"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::random_matrix;
    use faer::Mat;
    use proptest::prelude::*;

    /// Decomposes with room in which something was before.
    fn decompose(
        diagonal: &mut [f64],
        links: &[f64],
        vectors: MatMut<'_, f64>,
        parts: Par,
    ) -> Vec<usize> {
        let mut room = vec![f64::NAN; tridiagonal_eigen_room(diagonal.len())];
        tridiagonal_eigen(diagonal, links, vectors, &mut room, parts).unwrap()
    }

    /// Decomposes, and fails unless vectors are orthonormal, values rise and both restore the
    /// matrix, each to some units in the last place of the largest entry.
    #[track_caller]
    fn assert_decomposed(diagonal: &[f64], links: &[f64]) -> Vec<f64> {
        let n = diagonal.len();
        let mut matrix = Mat::<f64>::zeros(n, n);
        for i in 0..n {
            matrix[(i, i)] = diagonal[i];
            if i + 1 < n {
                matrix[(i, i + 1)] = links[i];
                matrix[(i + 1, i)] = links[i];
            }
        }
        let mut values = diagonal.to_vec();
        let mut vectors = Mat::<f64>::zeros(n, n);
        let order = decompose(&mut values, links, vectors.as_mut(), Par::Seq);
        let rising: Vec<f64> = order.iter().map(|&column| values[column]).collect();
        assert!(rising.is_sorted(), "{rising:?}");
        let gram = vectors.transpose() * &vectors;
        let restored = Mat::from_fn(n, n, |i, j| vectors[(i, j)] * values[j]) * vectors.transpose();
        let scale = diagonal
            .iter()
            .chain(links)
            .fold(0.0, |most: f64, x| most.max(x.abs()));
        for i in 0..n {
            for j in 0..n {
                let one = f64::from(u8::from(i == j));
                assert!((gram[(i, j)] - one).abs() < 1e-13, "{}", gram[(i, j)] - one);
                let error = (restored[(i, j)] - matrix[(i, j)]).abs();
                assert!(error <= 1e-13 * scale, "{error:e} of {scale:e}");
            }
        }
        rising
    }

    // The matrix of second differences has the values 2 − 2·cos(πk ⁄ (n + 1)).
    #[test]
    fn second_differences_have_the_values_of_waves() {
        for n in [1, 2, 31, 32, 33, 64, 300] {
            let found = assert_decomposed(&vec![2.0; n], &vec![-1.0; n - 1]);
            for (k, value) in found.into_iter().enumerate() {
                let angle = std::f64::consts::PI * (k + 1) as f64 / (n + 1) as f64;
                assert!((value - (2.0 - 2.0 * angle.cos())).abs() < 1e-14);
            }
        }
    }

    // Wilkinson's matrix has pairs of values that agree to the last digit.
    #[test]
    fn pairs_that_cannot_be_told_apart_have_orthogonal_vectors() {
        let diagonal: Vec<f64> = (-60..=60).map(|i: i32| f64::from(i.abs())).collect();
        let found = assert_decomposed(&diagonal, &[1.0; 120]);
        assert!(found[120] - found[119] < 1e-13);
    }

    #[test]
    fn matrices_without_links_or_with_equal_values_are_nothing_special() {
        assert_decomposed(&[3.0; 80], &[0.0; 79]);
        assert_decomposed(&[0.0; 80], &[0.0; 79]);
        let rising: Vec<f64> = (0..80).map(f64::from).collect();
        assert_decomposed(&rising, &[0.0; 79]);
        assert_decomposed(&rising, &[1e-17; 79]);
        assert_decomposed(&[1.0; 80], &[1e-12; 79]);
        let graded: Vec<f64> = (0..80).map(|i| 10.0_f64.powi(-i)).collect();
        assert_decomposed(&graded, &graded[1..]);
        let glued: Vec<f64> = (0..79)
            .map(|i| if i % 10 == 9 { 1e-9 } else { 1.0 })
            .collect();
        assert_decomposed(&[2.0; 80], &glued);
    }

    #[test]
    fn halves_side_by_side_are_the_halves_one_by_one() {
        let numbers = random_matrix(2, 300, 3);
        let links = &numbers.row(1).to_vec()[1..];
        let decomposed = |parts| {
            let mut values = numbers.row(0).to_vec();
            let mut vectors = Mat::<f64>::zeros(300, 300);
            let order = decompose(&mut values, links, vectors.as_mut(), parts);
            order
                .into_iter()
                .map(|column| values[column])
                .collect::<Vec<_>>()
        };
        let alone = decomposed(Par::Seq);
        for (one, other) in alone.iter().zip(decomposed(Par::rayon(2))) {
            assert!((one - other).abs() < 1e-13);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn any_tridiagonal_matrix_is_decomposed(n in 1usize..150, seed: u64, spread in 0i32..12) {
            let numbers = random_matrix(2, n, seed);
            let power = |x: &f64| x.signum() * x.abs().powi(spread);
            let diagonal: Vec<f64> = numbers.row(0).iter().map(power).collect();
            let links: Vec<f64> = numbers.row(1).iter().skip(1).map(power).collect();
            assert_decomposed(&diagonal, &links);
        }
    }
}
