//! Cholesky factors of A ± vvᵀ from those of A, in O(d²).

use didact_core::{Error, Result};
use didact_math::linalg::Cholesky;
use ndarray::{Array1, Array2};

/// Whether vvᵀ is added or taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Add,
    Remove,
}

/// The factor of A + vvᵀ or A − vvᵀ.
pub(super) fn rank_one(factor: &Cholesky, mut v: Array1<f64>, change: Change) -> Result<Cholesky> {
    let sign = match change {
        Change::Add => 1.0,
        Change::Remove => -1.0,
    };
    // Row k of the upper factor is column k of L, and contiguous.
    let mut upper: Array2<f64> = factor.clone().into();
    let d = v.len();
    for k in 0..d {
        let pivot = upper[[k, k]];
        let square = pivot * pivot + sign * v[k] * v[k];
        if square <= 0.0 || !square.is_finite() {
            return Err(Error::numerical(
                "taking the vector away leaves no positive definite matrix; it was not part of it",
            ));
        }
        let root = square.sqrt();
        let (c, s) = (root / pivot, v[k] / pivot);
        upper[[k, k]] = root;
        for i in k + 1..d {
            let changed = (upper[[k, i]] + sign * s * v[i]) / c;
            v[i] = c * v[i] - s * changed;
            upper[[k, i]] = changed;
        }
    }
    Cholesky::try_from(upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_close;
    use ndarray::array;

    #[test]
    fn the_changed_factor_is_the_factor_of_the_changed_matrix() {
        let matrix = array![[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]];
        let v = array![0.7, -1.1, 0.4];
        let factor = Cholesky::new(matrix.view()).unwrap();
        let outer = Array2::from_shape_fn((3, 3), |(i, j)| v[i] * v[j]);
        let added = rank_one(&factor, v.clone(), Change::Add).unwrap();
        let expected = Cholesky::new((&matrix + &outer).view()).unwrap();
        assert_close(added.lower().iter(), expected.lower().iter(), 1e-14);
        let restored = rank_one(&added, v.clone(), Change::Remove).unwrap();
        assert_close(restored.lower().iter(), factor.lower().iter(), 1e-14);
        assert!(rank_one(&factor, v * 10.0, Change::Remove).is_err());
    }
}
