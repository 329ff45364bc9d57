//! Coordinate descent with screening, a working set and exact steps.
//!
//! A round looks at every column once: it computes the duality gap, drops columns whose weight
//! is certainly zero at the minimum (the gap says how far that can be), and picks the columns to
//! work on. Then weights are moved one at a time until that gains little, and as long as no
//! weight changes its sign the minimum is one linear system away.

use super::design::{Design, Residual};
use didact_core::{Result, Run, StopReason, TraceWriter};
use didact_math::linalg::Cholesky;
use ndarray::{Array1, ArrayView1};

/// Sweeps between two looks at all columns.
const SWEEPS_PER_ROUND: usize = 100;

/// Systems of more weights than this cost more than the sweeps that they save.
const MOST_EXACT_WEIGHTS: usize = 400;

/// Columns to work on at first.
const FIRST_WORKING_SET: usize = 100;

/// The prices and the tests of one problem ½‖r‖² + λ₁‖w‖₁ + (λ₂/2)‖w‖².
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) l1: f64,
    pub(super) l2: f64,
    pub(super) positive: bool,
    pub(super) max_iter: usize,
    pub(super) tol: f64,
    /// What the objective is multiplied with when it is shown.
    pub(super) shown: f64,
}

/// Where a search ended.
pub(super) struct Ending {
    pub(super) gap: f64,
    pub(super) residual_squares: f64,
    pub(super) sweeps: usize,
    pub(super) stop: StopReason,
}

/// A search for the weights of one target.
pub(super) struct Search<'a> {
    settings: Settings,
    curvature: &'a [f64],
    residual: Residual<'a>,
    pub(super) weights: Vec<f64>,
    /// ½‖y‖², the objective of all weights zero.
    scale: f64,
}

/// What a look at all columns tells.
struct Look {
    slopes: Vec<f64>,
    primal: f64,
    gap: f64,
    /// By which factor the residual shrinks to become feasible in the dual problem.
    shrink: f64,
    residual_squares: f64,
}

impl<'a> Search<'a> {
    /// Starts from all weights zero.
    pub(super) fn new(design: &'a Design, target: usize, settings: Settings) -> Self {
        let residual = design.start(target);
        let weights = vec![0.0; design.curvature.len()];
        let scale = 0.5 * residual.squares(&weights).0;
        Search {
            settings,
            curvature: &design.curvature,
            residual,
            weights,
            scale,
        }
    }

    /// Starts from these weights instead of from zero, as far as they may be what they are.
    pub(super) fn start_at(&mut self, weights: ArrayView1<'_, f64>) {
        for (j, &weight) in weights.iter().enumerate() {
            let may_be = self.curvature[j] > 0.0 && !(self.settings.positive && weight < 0.0);
            if may_be && weight != 0.0 {
                self.residual.shift(j, weight);
                self.weights[j] = weight;
            }
        }
    }

    /// Changes the prices and keeps the weights.
    pub(super) fn reprice(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// Searches until the gap is small enough.
    pub(super) fn run(&mut self, trace: &mut TraceWriter<'_>, run: &Run) -> Result<Ending> {
        let mut alive = vec![true; self.weights.len()];
        let mut sweeps = 0;
        let mut moved = true;
        loop {
            let look = self.look(run)?;
            trace.record(look.primal * self.settings.shown)?;
            let stop = if look.gap <= self.settings.tol * self.scale {
                Some(StopReason::Converged)
            } else if !moved {
                Some(StopReason::Stalled)
            } else if sweeps >= self.settings.max_iter {
                Some(StopReason::IterationLimit)
            } else {
                None
            };
            if let Some(stop) = stop {
                return Ok(Ending {
                    gap: look.gap,
                    residual_squares: look.residual_squares,
                    sweeps,
                    stop,
                });
            }
            moved = self.screen(&look, &mut alive);
            let working = self.working_set(&look, &alive);
            let allowed = SWEEPS_PER_ROUND.min(self.settings.max_iter - sweeps);
            moved |= self.work(&working, look.gap, allowed, &mut sweeps, run)?;
        }
    }

    /// The derivative of the smooth part by weight j, with the sign turned: xⱼᵀr − λ₂wⱼ.
    fn pull(&self, slopes: &[f64], j: usize) -> f64 {
        slopes[j] - self.settings.l2 * self.weights[j]
    }

    /// How strongly a column wants a weight, to be compared with λ₁.
    fn strength(&self, pull: f64) -> f64 {
        match self.settings.positive {
            true => pull,
            false => pull.abs(),
        }
    }

    fn look(&mut self, run: &Run) -> Result<Look> {
        let Settings { l1, l2, .. } = self.settings;
        let slopes = self.residual.slopes(&self.weights, run)?;
        let (residual_squares, times_target) = self.residual.squares(&self.weights);
        let absolute: f64 = self.weights.iter().map(|w| w.abs()).sum();
        let squared: f64 = self.weights.iter().map(|w| w * w).sum();
        let primal = 0.5 * residual_squares + l1 * absolute + 0.5 * l2 * squared;
        let strongest = (0..slopes.len())
            .map(|j| self.strength(self.pull(&slopes, j)))
            .fold(0.0, f64::max);
        let shrink = if strongest > l1 { l1 / strongest } else { 1.0 };
        let gap = if l1 > 0.0 {
            let dual =
                shrink * times_target - 0.5 * shrink * shrink * (residual_squares + l2 * squared);
            primal - dual
        } else {
            // Without a price on absolute weights the dual has no scale; what a step along each
            // weight alone would gain takes the place of the gap.
            (0..slopes.len())
                .map(|j| self.gain(j, slopes[j]))
                .sum::<f64>()
        };
        Ok(Look {
            slopes,
            primal,
            gap: gap.max(0.0),
            shrink,
            residual_squares,
        })
    }

    /// Drops the columns that the gap rules out; says whether a weight had to change.
    fn screen(&mut self, look: &Look, alive: &mut [bool]) -> bool {
        let Settings { l1, l2, .. } = self.settings;
        if l1 == 0.0 {
            return false;
        }
        // The best dual point lies within this distance, in units of λ₁.
        let radius = (2.0 * look.gap).sqrt();
        let mut moved = false;
        for (j, alive) in alive.iter_mut().enumerate().filter(|(_, alive)| **alive) {
            let strength = self.strength(look.shrink * self.pull(&look.slopes, j));
            let length = (self.curvature[j] + l2).sqrt();
            if strength + radius * length < l1 * (1.0 - 1e-12) {
                *alive = false;
                if self.weights[j] != 0.0 {
                    self.residual.shift(j, -self.weights[j]);
                    self.weights[j] = 0.0;
                    moved = true;
                }
            }
        }
        moved
    }

    /// The columns with a weight and those that want one most.
    fn working_set(&self, look: &Look, alive: &[bool]) -> Vec<usize> {
        let support = self.weights.iter().filter(|w| **w != 0.0).count();
        let wants: Vec<(f64, usize)> = (0..self.weights.len())
            .filter(|&j| alive[j] && self.weights[j] == 0.0 && self.curvature[j] > 0.0)
            .map(|j| (self.strength(self.pull(&look.slopes, j)), j))
            .filter(|&(strength, _)| strength > self.settings.l1)
            .collect();
        let room = FIRST_WORKING_SET.max(support);
        let mut chosen = wants;
        if chosen.len() > room {
            chosen.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            chosen.truncate(room);
        }
        let mut working: Vec<usize> = chosen.into_iter().map(|(_, j)| j).collect();
        working.extend((0..self.weights.len()).filter(|&j| self.weights[j] != 0.0));
        working.sort_unstable();
        working
    }

    /// Sweeps over the working set until that gains little beside the gap.
    fn work(
        &mut self,
        working: &[usize],
        gap: f64,
        allowed: usize,
        sweeps: &mut usize,
        run: &Run,
    ) -> Result<bool> {
        let mut moved = false;
        for sweep in 0..allowed {
            let (gained, signs_changed) = self.sweep(working, run)?;
            *sweeps += 1;
            moved |= gained > 0.0;
            let settled = gained <= 1e-3 * gap;
            // Where signs rest but progress is slow, columns depend on each other.
            if !signs_changed && (settled || sweep % 8 == 7) {
                let exact = self.exact_steps(working)?;
                moved |= exact;
                if exact || settled {
                    break;
                }
            } else if settled {
                break;
            }
        }
        Ok(moved)
    }

    /// Minimises over one weight after the other; returns what that gained.
    fn sweep(&mut self, working: &[usize], run: &Run) -> Result<(f64, bool)> {
        let (mut gained, mut signs_changed) = (0.0, false);
        for &j in working {
            run.check()?;
            let before = self.weights[j];
            let after = self.best(j, self.residual.slope(j));
            if after == before {
                continue;
            }
            let change = after - before;
            self.residual.shift(j, change);
            self.weights[j] = after;
            signs_changed |= before.signum() != after.signum() || (before == 0.0) != (after == 0.0);
            gained += 0.5 * (self.curvature[j] + self.settings.l2) * change * change;
        }
        Ok((gained, signs_changed))
    }

    /// The best weight of column j while the others rest.
    fn best(&self, j: usize, slope: f64) -> f64 {
        let Settings { l1, l2, .. } = self.settings;
        let curvature = self.curvature[j];
        if curvature == 0.0 {
            return 0.0;
        }
        let z = slope + curvature * self.weights[j];
        let size = self.strength(z) - l1;
        match size > 0.0 {
            true => z.signum() * size / (curvature + l2),
            false => 0.0,
        }
    }

    /// What the best step of column j alone would gain.
    fn gain(&self, j: usize, slope: f64) -> f64 {
        let change = self.best(j, slope) - self.weights[j];
        0.5 * (self.curvature[j] + self.settings.l2) * change * change
    }

    /// Solves for all weights that are not zero at once, as far as none changes its sign; says
    /// whether a weight changed.
    fn exact_steps(&mut self, working: &[usize]) -> Result<bool> {
        let Settings { l1, l2, .. } = self.settings;
        let mut support: Vec<usize> = working.to_vec();
        support.retain(|&j| self.weights[j] != 0.0);
        if support.is_empty() || support.len() > MOST_EXACT_WEIGHTS {
            return Ok(false);
        }
        let mut products = self.residual.gram_of(&support, self.curvature);
        for value in products.diag_mut() {
            *value += l2;
        }
        let Ok(factor) = Cholesky::new(products.view()) else {
            return Ok(false);
        };
        let right: Array1<f64> = support
            .iter()
            .map(|&j| {
                let w = self.weights[j];
                self.residual.slope(j) - l2 * w - l1 * w.signum()
            })
            .collect();
        let step = factor.solve_vector(right.view());
        // Positive where the system is sound; rounding may have eaten it.
        if !(step.dot(&right) > 0.0 && step.iter().all(|value| value.is_finite())) {
            return Ok(false);
        }
        // How long the step may be until each weight is zero.
        let crossings: Vec<f64> = support
            .iter()
            .zip(&step)
            .map(|(&j, step)| -self.weights[j] / step)
            .collect();
        let ahead = crossings.iter().copied().filter(|&length| length > 0.0);
        let length = ahead.fold(1.0, f64::min);
        for (place, &j) in support.iter().enumerate() {
            let change = match length < 1.0 && crossings[place] == length {
                true => -self.weights[j],
                false => length * step[place],
            };
            self.residual.shift(j, change);
            self.weights[j] += change;
        }
        Ok(true)
    }
}
