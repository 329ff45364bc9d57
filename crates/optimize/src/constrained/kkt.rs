//! How far a point is from the conditions of Karush, Kuhn and Tucker.

use crate::outcome::largest_magnitude;
use ndarray::{ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};

/// By how much a point x with multipliers λ (equalities, any sign) and α (inequalities) fails
/// each of the four conditions; the largest magnitude of each.
///
/// ```
/// use didact_optimize::{Multipliers, Problem};
/// // min x² where x ≥ 1, written 1 − x ≤ 0: at x = 1 with α = 2.
/// let mut problem = Problem::new(1, |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = 2.0 * x[0];
///     x[0] * x[0]
/// })
/// .inequality(|x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = -1.0;
///     1.0 - x[0]
/// });
/// let multipliers = Multipliers { equality: vec![], inequality: vec![2.0] };
/// assert_eq!(problem.kkt(&[1.0], &multipliers)?.largest(), 0.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KktReport {
    /// ∇f + Σλᵢ∇hᵢ + Σαⱼ∇gⱼ = 0.
    pub stationarity: f64,
    /// h = 0 and g ≤ 0.
    pub feasibility: f64,
    /// α ≥ 0.
    pub dual_feasibility: f64,
    /// αⱼ·gⱼ = 0.
    pub complementarity: f64,
}

impl KktReport {
    /// The worst of the four.
    pub fn largest(&self) -> f64 {
        largest_magnitude(&[
            self.stationarity,
            self.feasibility,
            self.dual_feasibility,
            self.complementarity,
        ])
    }

    /// The report for values and Jacobians that are known already.
    pub(crate) fn new(
        gradient: ArrayView1<'_, f64>,
        (equalities, equality_jacobian): (&[f64], ArrayView2<'_, f64>),
        (inequalities, inequality_jacobian): (&[f64], ArrayView2<'_, f64>),
        equality_multipliers: &[f64],
        inequality_multipliers: &[f64],
    ) -> Self {
        let slope = &gradient
            + &equality_jacobian
                .t()
                .dot(&ArrayView1::from(equality_multipliers))
            + inequality_jacobian
                .t()
                .dot(&ArrayView1::from(inequality_multipliers));
        let excess: Vec<f64> = inequalities.iter().map(|g| g.max(0.0)).collect();
        let negative: Vec<f64> = inequality_multipliers
            .iter()
            .map(|a| (-a).max(0.0))
            .collect();
        let products: Vec<f64> = inequality_multipliers
            .iter()
            .zip(inequalities)
            .map(|(a, g)| a * g)
            .collect();
        // `max` of two numbers forgets a NaN; the magnitude of a list does not.
        let feasibility = [largest_magnitude(equalities), largest_magnitude(&excess)];
        KktReport {
            stationarity: largest_magnitude(&slope.to_vec()),
            feasibility: largest_magnitude(&feasibility),
            dual_feasibility: largest_magnitude(&negative),
            complementarity: largest_magnitude(&products),
        }
    }
}
