//! Vectors that are orthogonal to others.

use didact_math::numeric::dot;

/// Shorter than this part of what it was, a vector is nothing but rounding.
const NEGLIGIBLE: f64 = 1e-9;

/// An orthonormal basis of what some vectors span.
///
/// (Subtracting the projections on vectors that are not orthogonal themselves, one after the
/// other, would leave something that is orthogonal to the last alone.)
pub(super) struct Basis {
    directions: Vec<Vec<f64>>,
}

impl Basis {
    /// The basis of vectors, which may repeat or vanish.
    pub(super) fn of<'a>(vectors: impl IntoIterator<Item = &'a [f64]>) -> Self {
        let mut basis = Basis {
            directions: Vec::new(),
        };
        for vector in vectors {
            if basis.directions.len() == vector.len() {
                break;
            }
            if let Some(direction) = residual(vector, &basis.directions) {
                basis.directions.push(direction);
            }
        }
        basis
    }

    /// What is left of a vector outside of the basis, of unit length; zero where the basis spans
    /// everything.
    pub(super) fn orthogonal_direction(&self, vector: &[f64]) -> Vec<f64> {
        match self.directions.len() < vector.len() {
            true => residual(vector, &self.directions),
            false => None,
        }
        .unwrap_or_else(|| vec![0.0; vector.len()])
    }

    /// Takes in a direction that was found orthogonal to all others, or zero.
    pub(super) fn extend(&mut self, direction: &[f64]) {
        if direction.iter().any(|&value| value != 0.0) {
            self.directions.push(direction.to_vec());
        }
    }
}

/// The direction of a vector without its part in an orthonormal basis, if there is one.
fn residual(vector: &[f64], basis: &[Vec<f64>]) -> Option<Vec<f64>> {
    let before = dot(vector, vector).sqrt();
    let mut left = vector.to_vec();
    // The second round takes away what rounding left in the first.
    for _ in 0..2 {
        for direction in basis {
            let share = dot(&left, direction);
            for (value, direction) in left.iter_mut().zip(direction) {
                *value -= share * direction;
            }
        }
    }
    let length = dot(&left, &left).sqrt();
    (length > NEGLIGIBLE * before && length.is_finite()).then(|| {
        left.iter_mut().for_each(|value| *value /= length);
        left
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_is_orthogonal_to_vectors_that_are_not_orthogonal_themselves() {
        // 000a:UNS-34, 000a:fx-D17: the residual is (0, 0, 3); the printed rule, in turn and
        // without division by the squared lengths, gives (−2, 0, 3).
        let others: [&[f64]; 2] = [&[1.0, 0.0, 0.0], &[1.0, 1.0, 0.0]];
        let found = Basis::of(others).orthogonal_direction(&[1.0, 2.0, 3.0]);
        assert!((found[2] - 1.0).abs() < 1e-12);
        assert!(others.iter().all(|other| dot(other, &found).abs() < 1e-12));
        let mut printed = vec![1.0, 2.0, 3.0];
        for other in others {
            let share = dot(&printed, other);
            for (value, other) in printed.iter_mut().zip(other) {
                *value -= share * other;
            }
        }
        assert_eq!(printed, [-2.0, 0.0, 3.0]);
    }

    #[test]
    fn where_everything_is_spanned_the_direction_is_zero() {
        let others: [&[f64]; 3] = [&[1.0, 0.0], &[2.0, 0.0], &[1.0, 1e-3]];
        assert_eq!(
            Basis::of(others).orthogonal_direction(&[0.3, 0.4]),
            [0.0, 0.0]
        );
        // Vectors that repeat or vanish span nothing new.
        let others: [&[f64]; 3] = [&[1.0, 0.0], &[-2.0, 0.0], &[0.0, 0.0]];
        let mut basis = Basis::of(others);
        assert_eq!(basis.orthogonal_direction(&[0.3, 0.4]), [0.0, 1.0]);
        // A basis that takes in what it found, or nothing, stays orthonormal.
        basis.extend(&[0.0, 0.0]);
        basis.extend(&[0.0, 1.0]);
        assert_eq!(basis.orthogonal_direction(&[0.3, 0.4]), [0.0, 0.0]);
    }
}
