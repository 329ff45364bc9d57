//! Penalties whose proximal step has a formula.

use didact_core::{Error, Result};

/// A convex function h with a known proximal step, prox(x) = argmin_z t·h(z) + ½‖z − x‖².
///
/// The indicator of a convex set is one too: its proximal step is the projection on the set, and
/// its value is zero inside and infinite outside.
pub trait Penalty {
    /// The value h(x).
    fn value(&self, x: &[f64]) -> f64;

    /// Replaces x by the proximal step of length t.
    fn step(&self, x: &mut [f64], t: f64);
}

/// sign(x)·max(|x| − t, 0): the proximal step of t·|x|.
///
/// ```
/// use didact_optimize::soft_threshold;
/// assert_eq!(soft_threshold(3.0, 1.0), 2.0);
/// assert_eq!(soft_threshold(-0.5, 1.0), 0.0);
/// ```
pub fn soft_threshold(x: f64, t: f64) -> f64 {
    match x.abs() > t {
        true => x - t * x.signum(),
        false => 0.0,
    }
}

fn check_weight(name: &str, value: f64) -> Result<f64> {
    match value >= 0.0 && value.is_finite() {
        true => Ok(value),
        false => Err(Error::parameter(
            name,
            value,
            "it must be a number of at least 0",
        )),
    }
}

/// λ·Σ|xᵢ|, over the first coordinates only if asked: an intercept carries no price.
#[derive(Clone, Debug, PartialEq)]
pub struct L1 {
    weight: f64,
    free_from: usize,
}

impl L1 {
    /// The penalty λ·‖x‖₁ on every coordinate.
    pub fn new(weight: f64) -> Result<Self> {
        Ok(L1 {
            weight: check_weight("weight", weight)?,
            free_from: usize::MAX,
        })
    }

    /// Leaves the coordinates from this one on without price.
    pub fn free_from(self, coordinate: usize) -> Self {
        L1 {
            free_from: coordinate,
            ..self
        }
    }
}

impl Penalty for L1 {
    fn value(&self, x: &[f64]) -> f64 {
        self.weight * x.iter().take(self.free_from).map(|x| x.abs()).sum::<f64>()
    }

    fn step(&self, x: &mut [f64], t: f64) {
        let t = t * self.weight;
        x.iter_mut()
            .take(self.free_from)
            .for_each(|x| *x = soft_threshold(*x, t));
    }
}

/// λ₁·Σ|xᵢ| + (λ₂/2)·Σxᵢ².
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticNet {
    l1: f64,
    l2: f64,
}

impl ElasticNet {
    /// The penalty with prices λ₁ for magnitudes and λ₂ for squares.
    pub fn new(l1: f64, l2: f64) -> Result<Self> {
        Ok(ElasticNet {
            l1: check_weight("l1", l1)?,
            l2: check_weight("l2", l2)?,
        })
    }
}

impl Penalty for ElasticNet {
    fn value(&self, x: &[f64]) -> f64 {
        x.iter()
            .map(|x| self.l1 * x.abs() + 0.5 * self.l2 * x * x)
            .sum()
    }

    fn step(&self, x: &mut [f64], t: f64) {
        for x in x {
            *x = soft_threshold(*x, t * self.l1) / (1.0 + t * self.l2);
        }
    }
}

/// The set of points with no negative coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NonNegative;

impl Penalty for NonNegative {
    fn value(&self, x: &[f64]) -> f64 {
        indicator(x.iter().all(|&x| x >= 0.0))
    }

    fn step(&self, x: &mut [f64], _t: f64) {
        x.iter_mut().for_each(|x| *x = x.max(0.0));
    }
}

/// The box of points between a lower and an upper bound in each coordinate; infinite bounds
/// leave a side open.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxSet {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl BoxSet {
    /// The box between `lower` and `upper`.
    pub fn new(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self> {
        if lower.len() != upper.len() {
            let lengths = format!("of length {}", upper.len());
            let right = format!("it must be as long as lower, {}", lower.len());
            return Err(Error::parameter("upper", lengths, right));
        }
        for (i, (low, high)) in lower.iter().zip(&upper).enumerate() {
            if low.is_nan()
                || high.is_nan()
                || low > high
                || *low == f64::INFINITY
                || *high == f64::NEG_INFINITY
            {
                return Err(Error::parameter(
                    format!("upper[{i}]"),
                    high,
                    format!("it must be at least lower[{i}], {low}"),
                ));
            }
        }
        Ok(BoxSet { lower, upper })
    }

    /// The lower bounds.
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// The upper bounds.
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }
}

impl Penalty for BoxSet {
    fn value(&self, x: &[f64]) -> f64 {
        indicator((0..x.len()).all(|i| self.lower[i] <= x[i] && x[i] <= self.upper[i]))
    }

    fn step(&self, x: &mut [f64], _t: f64) {
        for i in 0..x.len() {
            x[i] = x[i].clamp(self.lower[i], self.upper[i]);
        }
    }
}

/// The ball ‖x‖₂ ≤ r.
#[derive(Clone, Debug, PartialEq)]
pub struct L2Ball {
    radius: f64,
}

impl L2Ball {
    /// The ball of radius r around the origin.
    pub fn new(radius: f64) -> Result<Self> {
        Ok(L2Ball {
            radius: check_weight("radius", radius)?,
        })
    }
}

impl Penalty for L2Ball {
    fn value(&self, x: &[f64]) -> f64 {
        indicator(crate::outcome::norm(x) <= self.radius * (1.0 + 1e-12))
    }

    fn step(&self, x: &mut [f64], _t: f64) {
        let length = crate::outcome::norm(x);
        if length > self.radius {
            x.iter_mut().for_each(|x| *x *= self.radius / length);
        }
    }
}

/// The simplex: no negative coordinate, and all sum to one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Simplex;

impl Penalty for Simplex {
    fn value(&self, x: &[f64]) -> f64 {
        indicator(x.iter().all(|&x| x >= 0.0) && (x.iter().sum::<f64>() - 1.0).abs() <= 1e-9)
    }

    fn step(&self, x: &mut [f64], _t: f64) {
        // Subtract the same amount from all so that what stays positive sums to one.
        let mut sorted = x.to_vec();
        sorted.sort_unstable_by(|a, b| b.total_cmp(a));
        let (mut sum, mut shift) = (0.0, 0.0);
        for (i, value) in sorted.iter().enumerate() {
            sum += value;
            let candidate = (sum - 1.0) / (i + 1) as f64;
            if value - candidate > 0.0 {
                shift = candidate;
            }
        }
        x.iter_mut().for_each(|x| *x = (*x - shift).max(0.0));
    }
}

fn indicator(is_inside: bool) -> f64 {
    if is_inside { 0.0 } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn penalties() -> Vec<Box<dyn Penalty>> {
        vec![
            Box::new(L1::new(0.7).unwrap()),
            Box::new(ElasticNet::new(0.4, 1.5).unwrap()),
            Box::new(NonNegative),
            Box::new(BoxSet::new(vec![-1.0, 0.0, f64::NEG_INFINITY], vec![0.5, 0.0, 2.0]).unwrap()),
            Box::new(L2Ball::new(1.3).unwrap()),
            Box::new(Simplex),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        // No point z has a lower t·h(z) + ½‖z − x‖² than the proximal step.
        #[test]
        fn the_step_is_the_minimum_that_defines_it(
            x in prop::array::uniform3(-3.0..3.0f64),
            away in prop::array::uniform3(-1.0..1.0f64),
            t in 0.01..2.0f64,
        ) {
            for penalty in penalties() {
                let cost = |z: &[f64]| {
                    let distance: f64 = (0..3).map(|i| (z[i] - x[i]).powi(2)).sum();
                    t * penalty.value(z) + 0.5 * distance
                };
                let mut step = x;
                penalty.step(&mut step, t);
                prop_assert!(cost(&step).is_finite());
                let other = [step[0] + away[0], step[1] + away[1], step[2] + away[2]];
                prop_assert!(cost(&step) <= cost(&other) + 1e-12);
                let mut inside = other;
                penalty.step(&mut inside, t);
                prop_assert!(cost(&step) <= cost(&inside) + 1e-12);
            }
        }
    }

    #[test]
    fn bad_bounds_and_weights_are_named() {
        assert!(
            L1::new(-1.0)
                .unwrap_err()
                .to_string()
                .contains("weight is -1")
        );
        let crossed = BoxSet::new(vec![0.0, 2.0], vec![1.0, 1.0])
            .unwrap_err()
            .to_string();
        assert!(
            crossed.contains("upper[1] is 1; it must be at least lower[1], 2"),
            "{crossed}"
        );
        assert!(BoxSet::new(vec![f64::NAN], vec![1.0]).is_err());
        assert!(BoxSet::new(vec![0.0], vec![]).is_err());
    }
}
