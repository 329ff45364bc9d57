//! Where potentials stand still, and whether they stay there.

use super::LeakyNetwork;
use didact_core::random::generator;
use didact_core::{Error, Result, Run};
use didact_math::linalg::{general_eigen, solve};
use didact_math::numeric::sigmoid;
use ndarray::{Array1, Array2, ArrayView1, Axis};
use rand::RngExt;

/// How potentials move near an equilibrium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EquilibriumKind {
    /// Straight towards it.
    StableNode,
    /// Towards it in circles.
    StableFocus,
    /// Towards it along some directions and away along others.
    Saddle,
    /// Straight away from it.
    UnstableNode,
    /// Away from it in circles.
    UnstableFocus,
    /// Neither towards nor away along some direction, to first order: the border between regimes.
    Marginal,
}

impl EquilibriumKind {
    /// Whether potentials return from nearby.
    pub fn is_stable(self) -> bool {
        matches!(
            self,
            EquilibriumKind::StableNode | EquilibriumKind::StableFocus
        )
    }
}

/// A point at which nothing moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// The potentials.
    pub potentials: Array1<f64>,
    /// How potentials move nearby.
    pub kind: EquilibriumKind,
}

/// One unit with a connection to itself: m = S + w·x with x = 1/(1 + e^(−D(m + b))) at rest.
///
/// ```
/// use didact_neural_classic::SingleUnit;
/// let unit = SingleUnit { self_weight: 20.0, input: -10.0, bias: 0.0, slope: 1.0 };
/// let rest: Vec<(f64, bool)> = unit.equilibria()?;
/// // Stable below and above, unstable between.
/// assert_eq!(rest.iter().map(|found| found.1).collect::<Vec<_>>(), [true, false, true]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SingleUnit {
    /// The weight w from the unit to itself.
    pub self_weight: f64,
    /// The input S.
    pub input: f64,
    /// The bias b.
    pub bias: f64,
    /// The slope D.
    pub slope: f64,
}

impl SingleUnit {
    fn rate(&self, potential: f64) -> f64 {
        sigmoid(self.slope * (potential + self.bias))
    }

    /// −m + S + w·x, which is τ·dm/dt.
    pub fn drift(&self, potential: f64) -> f64 {
        self.input + self.self_weight * self.rate(potential) - potential
    }

    /// The derivative w·D·x·(1 − x) − 1 of the drift; an equilibrium is stable where it is below 0.
    pub fn drift_slope(&self, potential: f64) -> f64 {
        let rate = self.rate(potential);
        self.self_weight * self.slope * rate * (1.0 - rate) - 1.0
    }

    /// All equilibria in rising order, each with whether it is stable. There are three at most,
    /// and only where w·D is above 4.
    pub fn equilibria(&self) -> Result<Vec<(f64, bool)>> {
        let values = [self.self_weight, self.input, self.bias, self.slope];
        if values.iter().any(|value| !value.is_finite()) || self.slope <= 0.0 {
            return Err(Error::data(
                "a value of the unit is not finite or the slope is not above 0; give finite \
                 values and a positive slope",
            ));
        }
        // The drift is monotone between its turning points, so every interval holds one root at
        // most. All roots lie between S and S + w.
        let reach = self.self_weight.abs().max(1.0);
        let mut borders = vec![self.input - reach - 1.0];
        borders.extend(self.turning_points());
        borders.push(self.input + reach + 1.0);
        let mut found: Vec<(f64, bool)> = Vec::new();
        for pair in borders.windows(2) {
            let Some(root) = self.root_between(pair[0], pair[1]) else {
                continue;
            };
            let is_new = found
                .last()
                .is_none_or(|(last, _)| (root - last).abs() > 1e-9 * (1.0 + root.abs()));
            if is_new {
                found.push((root, self.drift_slope(root) < 0.0));
            }
        }
        Ok(found)
    }

    /// Where the slope of the drift changes its sign: x·(1 − x) = 1/(w·D).
    fn turning_points(&self) -> Vec<f64> {
        let product = self.self_weight * self.slope;
        if product <= 4.0 {
            return Vec::new();
        }
        let spread = (1.0 - 4.0 / product).sqrt();
        // x = (1 ∓ spread)/2 has the logit ∓ln((1 + spread)/(1 − spread)) = ∓2·artanh(spread).
        let logit = 2.0 * spread.atanh();
        let at = |sign: f64| sign * logit / self.slope - self.bias;
        vec![at(-1.0), at(1.0)]
    }

    /// The root in an interval in which the drift is monotone, by bisection.
    fn root_between(&self, low: f64, high: f64) -> Option<f64> {
        let (mut low, mut high) = (low, high);
        let (first, last) = (self.drift(low), self.drift(high));
        if first == 0.0 {
            return Some(low);
        }
        if last == 0.0 {
            return Some(high);
        }
        if low >= high || (first > 0.0) == (last > 0.0) {
            return None;
        }
        for _ in 0..200 {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break;
            }
            match (self.drift(middle) > 0.0) == (first > 0.0) {
                true => low = middle,
                false => high = middle,
            }
        }
        Some(low + (high - low) / 2.0)
    }
}

/// Starts of the search for equilibria of a network.
const STARTS: usize = 441;

impl LeakyNetwork {
    /// The equilibria under constant inputs that Newton's method finds from starts all over the
    /// region in which equilibria can lie, in rising order of their potentials.
    ///
    /// For one and two units the starts are a fine grid; for many more units some equilibria may
    /// be missed.
    pub fn equilibria(&self, inputs: &[f64], run: &Run) -> Result<Vec<Equilibrium>> {
        self.check("inputs", inputs)?;
        let inputs = ArrayView1::from(inputs);
        let mut found: Vec<Array1<f64>> = Vec::new();
        for start in self.starts(inputs) {
            run.check()?;
            let Some(point) = self.newton(start, inputs) else {
                continue;
            };
            let is_new = found.iter().all(|known| distance(known, &point) > 1e-6);
            if is_new {
                found.push(point);
            }
        }
        found.sort_by(|a, b| {
            let pairs = a.iter().zip(b);
            let first = pairs
                .map(|(a, b)| a.total_cmp(b))
                .find(|order| order.is_ne());
            first.unwrap_or(std::cmp::Ordering::Equal)
        });
        found
            .into_iter()
            .map(|potentials| {
                let kind = self.kind(potentials.view())?;
                Ok(Equilibrium { potentials, kind })
            })
            .collect()
    }

    /// How potentials move near a point, by the eigenvalues of the Jacobian there.
    pub fn kind(&self, potentials: ArrayView1<'_, f64>) -> Result<EquilibriumKind> {
        let jacobian = self.jacobian(potentials);
        let values = general_eigen(jacobian.view())?.values;
        let size = values.iter().map(|v| v.re.hypot(v.im)).fold(0.0, f64::max);
        let small = 1e-9 * size;
        let turns = values.iter().any(|value| value.im.abs() > small);
        if values.iter().any(|value| value.re.abs() <= small) {
            return Ok(EquilibriumKind::Marginal);
        }
        let leaving = values.iter().filter(|value| value.re > 0.0).count();
        Ok(match (leaving, turns) {
            (0, false) => EquilibriumKind::StableNode,
            (0, true) => EquilibriumKind::StableFocus,
            (count, false) if count == values.len() => EquilibriumKind::UnstableNode,
            (count, true) if count == values.len() => EquilibriumKind::UnstableFocus,
            _ => EquilibriumKind::Saddle,
        })
    }

    /// Points all over the box Sᵢ + Σⱼ min(0, w_ij) … Sᵢ + Σⱼ max(0, w_ij), outside of which nothing
    /// rests since rates lie between 0 and 1.
    fn starts(&self, inputs: ArrayView1<'_, f64>) -> Vec<Array1<f64>> {
        let low = self.weights().mapv(|w| w.min(0.0)).sum_axis(Axis(1)) + inputs;
        let high = self.weights().mapv(|w| w.max(0.0)).sum_axis(Axis(1)) + inputs;
        let n = self.n_units();
        let side = (STARTS as f64).powf(1.0 / n as f64).round() as usize;
        let point = |shares: &dyn Fn(usize) -> f64| -> Array1<f64> {
            (0..n)
                .map(|unit| low[unit] + (high[unit] - low[unit]) * shares(unit))
                .collect()
        };
        if side < 3 {
            let mut generator = generator(0, 0);
            let shares = Array2::from_shape_fn((STARTS, n), |_| generator.random::<f64>());
            return shares
                .rows()
                .into_iter()
                .map(|row| point(&|unit| row[unit]))
                .collect();
        }
        (0..side.pow(n as u32))
            .map(|index| {
                point(&|unit| {
                    let place = index / side.pow(unit as u32) % side;
                    place as f64 / (side - 1) as f64
                })
            })
            .collect()
    }

    /// The equilibrium that Newton's method, with steps halved where they lead astray, comes to.
    fn newton(&self, start: Array1<f64>, inputs: ArrayView1<'_, f64>) -> Option<Array1<f64>> {
        let miss = |point: &Array1<f64>| self.received(point.view(), inputs) - point;
        let norm = |values: &Array1<f64>| values.dot(values).sqrt();
        let mut point = start;
        let mut missing = miss(&point);
        for _ in 0..100 {
            if norm(&missing) <= 1e-13 * (1.0 + norm(&point)) {
                return Some(point);
            }
            let gains = self.gains(point.view());
            let slope = self.weights() * &gains - Array2::<f64>::eye(self.n_units());
            let goal = (-&missing).insert_axis(Axis(1));
            let step = solve(slope.view(), goal.view()).ok()?.remove_axis(Axis(1));
            if step.iter().any(|value| !value.is_finite()) {
                return None;
            }
            let mut share = 1.0;
            loop {
                let next = &point + &(&step * share);
                let next_missing = miss(&next);
                if norm(&next_missing) < norm(&missing) {
                    (point, missing) = (next, next_missing);
                    break;
                }
                share /= 2.0;
                if share < 1e-6 {
                    // Rounding, or a valley that is no root.
                    let settled = norm(&missing) <= 1e-10 * (1.0 + norm(&point));
                    return settled.then_some(point);
                }
            }
        }
        None
    }
}

fn distance(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    (a - b).mapv(|value| value * value).sum().sqrt()
}
