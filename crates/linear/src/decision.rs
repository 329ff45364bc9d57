//! The linear decision function: scores, sides and distances of a hyperplane.

use didact_core::{Error, Result};
use didact_math::numeric::dot;

/// The hyperplane w·x + b = 0 that cuts space in two.
///
/// w stands at right angles to it and points to the positive side.
///
/// ```
/// use didact_linear::decision::Hyperplane;
/// let plane = Hyperplane::new(vec![3.0, 4.0], -5.0)?;
/// assert_eq!(plane.score(&[3.0, 4.0]), 20.0);
/// assert_eq!(plane.distance(&[3.0, 4.0]), 4.0);
/// assert_eq!(plane.side(&[1.0, 0.5]), 1); // on the plane
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hyperplane {
    normal: Vec<f64>,
    offset: f64,
    length: f64,
}

/// The side of the points on a plane. Models always predict [`Tie::Positive`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tie {
    /// +1: a score of zero is enough.
    #[default]
    Positive,
    /// −1: the score must be greater than zero.
    Negative,
}

impl Hyperplane {
    /// The hyperplane with the normal w and the offset b.
    pub fn new(normal: Vec<f64>, offset: f64) -> Result<Self> {
        // Scaled so that squares of large weights do not overflow.
        let largest = normal
            .iter()
            .fold(0.0_f64, |largest, w| largest.max(w.abs()));
        let squares: f64 = normal.iter().map(|w| (w / largest) * (w / largest)).sum();
        let length = largest * squares.sqrt();
        if !(length > 0.0 && length.is_finite() && offset.is_finite()) {
            return Err(Error::data(
                "all weights are zero or not finite, so they do not describe a hyperplane",
            ));
        }
        Ok(Hyperplane {
            normal,
            offset,
            length,
        })
    }

    /// The hyperplane through the origin of a space whose first coordinate is always one: its
    /// offset is the first weight.
    pub fn augmented(weights: &[f64]) -> Result<Self> {
        match weights.split_first() {
            Some((&offset, normal)) => Hyperplane::new(normal.to_vec(), offset),
            None => Err(Error::data("a hyperplane needs at least one weight")),
        }
    }

    /// The score w·x + b.
    ///
    /// # Panics
    /// When x has another number of coordinates.
    pub fn score(&self, x: &[f64]) -> f64 {
        dot(&self.normal, x) + self.offset
    }

    /// The side of a point: +1 where the score is zero or more, else −1.
    pub fn side(&self, x: &[f64]) -> i8 {
        self.side_with(x, Tie::Positive)
    }

    /// The side of a point, where a point on the plane itself belongs to the side that is given.
    pub fn side_with(&self, x: &[f64], tie: Tie) -> i8 {
        let positive = match tie {
            Tie::Positive => self.score(x) >= 0.0,
            Tie::Negative => self.score(x) > 0.0,
        };
        if positive { 1 } else { -1 }
    }

    /// The signed distance (w·x + b)/‖w‖, positive on the side that w points to.
    pub fn distance(&self, x: &[f64]) -> f64 {
        self.score(x) / self.length
    }
}

/// The joint feature map Φ(x, k): x in the block of class k (counted from zero), zeros in the
/// blocks of the other classes, so that one vector W of all weights gives W·Φ(x, k) = wₖ·x.
///
/// ```
/// use didact_linear::decision::joint_feature_map;
/// assert_eq!(joint_feature_map(&[3.0, 4.0], 1, 3)?, [0.0, 0.0, 3.0, 4.0, 0.0, 0.0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn joint_feature_map(x: &[f64], class: usize, n_classes: usize) -> Result<Vec<f64>> {
    if class >= n_classes {
        return Err(Error::data(format!(
            "the class is {class} but there are only {n_classes} classes"
        )));
    }
    let mut joint = vec![0.0; n_classes * x.len()];
    joint[class * x.len()..(class + 1) * x.len()].copy_from_slice(x);
    Ok(joint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // 001:CLS-02: sign(0) = +1, also for −0.0.
    #[test]
    fn a_point_on_the_plane_is_on_the_positive_side() {
        let plane = Hyperplane::new(vec![1.0], 0.0).unwrap();
        assert_eq!(plane.side(&[0.0]), 1);
        assert_eq!(plane.side(&[-0.0]), 1);
        assert_eq!(plane.side(&[-1e-300]), -1);
        // 000a:SUP-01: the other reading, f = +1 only where the score is positive, on request.
        for x in [0.0, -0.0, -1e-300] {
            assert_eq!(plane.side_with(&[x], Tie::Negative), -1);
        }
        assert_eq!(plane.side_with(&[1e-300], Tie::Negative), 1);
    }

    #[test]
    fn weights_of_zero_are_no_hyperplane() {
        assert!(Hyperplane::new(vec![0.0, 0.0], 1.0).is_err());
        assert!(Hyperplane::augmented(&[]).is_err());
    }

    // 001:CLS-04: a linear classifier cuts a grid into exactly two half-planes, so along every
    // line the label changes at most once.
    #[test]
    fn the_label_changes_at_most_once_along_every_line_of_a_grid() {
        let plane = Hyperplane::new(vec![0.7, -1.3], 0.2).unwrap();
        let mut changing = 0;
        for i in -10..=10 {
            let labels: Vec<i8> = (-10..=10)
                .map(|j| plane.side(&[f64::from(i), f64::from(j)]))
                .collect();
            let changes = labels.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert!(changes <= 1);
            changing += changes;
        }
        assert!(changing > 0);
    }

    proptest! {
        // 000a:SUP-01, 001:REG-01, 001:CLS-01: explicit and augmented forms agree.
        #[test]
        fn the_augmented_form_gives_the_same_side(w in prop::array::uniform3(-5.0..5.0), x in prop::array::uniform2(-5.0..5.0)) {
            let plane = Hyperplane::new(w[1..].to_vec(), w[0]).unwrap();
            let augmented = Hyperplane::augmented(&w).unwrap();
            prop_assert_eq!(plane.side(&x), augmented.side(&x));
            let by_hand = w[0] + w[1] * x[0] + w[2] * x[1];
            prop_assert!((plane.score(&x) - by_hand).abs() < 1e-12);
        }

        // 001:CLS-05: a step of length t along w/‖w‖ moves the distance by t.
        #[test]
        fn moving_along_the_normal_moves_the_distance(w in prop::array::uniform2(0.1..5.0), x in prop::array::uniform2(-5.0..5.0), t in -3.0f64..3.0) {
            let plane = Hyperplane::new(w.to_vec(), 0.5).unwrap();
            let length = (w[0] * w[0] + w[1] * w[1]).sqrt();
            let moved = [x[0] + t * w[0] / length, x[1] + t * w[1] / length];
            prop_assert!((plane.distance(&moved) - plane.distance(&x) - t).abs() < 1e-12);
        }
    }
}
