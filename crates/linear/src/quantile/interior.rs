//! A primal-dual interior-point method for linear programs with boxes.
//!
//! The dual of min Σ uᵢ·(r)₊ − lᵢ·(r)₋ + Σ pⱼ|βⱼ| over β, with r = y − Xβ, is max yᵀa where
//! Xᵀa + c = 0 with a in the box [l, u] and c in [−p, p]. The boxes of c are those of rows eⱼ
//! with target zero, so one kind of constraint is enough. Every iteration solves a system of as
//! many unknowns as there are weights.

use didact_core::{Error, Result, Run, StopReason, Trace, TraceWriter};
use didact_math::linalg::{Cholesky, at_times_b, gram};
use ndarray::{Array1, Array2, ArrayView1, Axis, Zip, s};

/// How much of the way to the boundary a step goes at most.
const BOLDNESS: f64 = 0.9995;

pub(super) struct BoxedDual {
    pub(super) design: Array2<f64>,
    pub(super) target: Array1<f64>,
    pub(super) lower: Array1<f64>,
    pub(super) upper: Array1<f64>,
    /// The price of each of the first weights; the others carry none.
    pub(super) prices: Array1<f64>,
}

pub(super) struct Found {
    pub(super) weights: Array1<f64>,
    pub(super) objective: f64,
    pub(super) gap: f64,
    pub(super) trace: Trace,
}

/// Where the method stands: x = a − l and s = u − a with their multipliers, for the rows of the
/// data and then for those of the prices.
struct Point {
    weights: Array1<f64>,
    x: Array1<f64>,
    s: Array1<f64>,
    z: Array1<f64>,
    v: Array1<f64>,
}

struct Step {
    weights: Array1<f64>,
    x: Array1<f64>,
    z: Array1<f64>,
    v: Array1<f64>,
}

impl BoxedDual {
    pub(super) fn solve(&self, max_iter: usize, tol: f64, unit: f64, run: &Run) -> Result<Found> {
        let mut trace = TraceWriter::new(run, "mean quantile loss", Some(max_iter));
        let mut point = self.start(run)?;
        let mut best = (f64::INFINITY, f64::INFINITY, point.weights.clone());
        let mut idle = 0;
        let stop = loop {
            let objective = self.objective(&point.weights);
            let gap = self.gap(&point, objective);
            match gap < 0.5 * best.1 {
                true => idle = 0,
                false => idle += 1,
            }
            if gap < best.1 {
                best = (objective, gap, point.weights.clone());
            }
            if best.1 <= tol * best.0.abs().max(1e-3) {
                break StopReason::Converged;
            }
            if idle > 8 {
                break StopReason::Stalled;
            }
            if trace.n_iter() == max_iter {
                break StopReason::IterationLimit;
            }
            if !self.advance(&mut point, run)? {
                break StopReason::Stalled;
            }
            trace.record(self.objective(&point.weights) * unit)?;
        };
        let (objective, gap, weights) = best;
        Ok(Found {
            weights,
            objective,
            gap,
            trace: trace.finish(stop),
        })
    }

    fn n_rows(&self) -> usize {
        self.target.len()
    }

    /// Xβ for the rows of the data, then the weights themselves for those of the prices.
    fn times(&self, weights: &Array1<f64>) -> Array1<f64> {
        let mut all = Array1::zeros(self.n_rows() + self.prices.len());
        all.slice_mut(s![..self.n_rows()])
            .assign(&self.design.dot(weights));
        all.slice_mut(s![self.n_rows()..])
            .assign(&weights.slice(s![..self.prices.len()]));
        all
    }

    /// Xᵀa, with what the rows of the prices add.
    fn transposed_times(&self, a: &Array1<f64>) -> Array1<f64> {
        let (of_rows, of_prices) = a.view().split_at(Axis(0), self.n_rows());
        let mut product = self.design.t().dot(&of_rows);
        let mut head = product.slice_mut(s![..self.prices.len()]);
        head += &of_prices;
        product
    }

    fn residuals(&self, weights: &Array1<f64>) -> Array1<f64> {
        let mut residuals = -self.times(weights);
        let mut head = residuals.slice_mut(s![..self.n_rows()]);
        head += &self.target;
        residuals
    }

    fn bounds(&self) -> (Array1<f64>, Array1<f64>) {
        let join = |head: &Array1<f64>, tail: Array1<f64>| {
            head.iter().chain(&tail).copied().collect::<Array1<f64>>()
        };
        (
            join(&self.lower, -&self.prices),
            join(&self.upper, self.prices.clone()),
        )
    }

    fn objective(&self, weights: &Array1<f64>) -> f64 {
        let residuals = self.residuals(weights);
        let (lower, upper) = self.bounds();
        Zip::from(&residuals)
            .and(&lower)
            .and(&upper)
            .fold(0.0, |sum, &r, &l, &u| {
                sum + if r >= 0.0 { u * r } else { l * r }
            })
    }

    /// The objective minus the dual value, plus what the constraints still miss.
    fn gap(&self, point: &Point, objective: f64) -> f64 {
        let (lower, _) = self.bounds();
        let a = &point.x + &lower;
        let dual = self.target.dot(&a.slice(s![..self.n_rows()]));
        let missed = self.transposed_times(&a);
        let miss: f64 = Zip::from(&missed)
            .and(&point.weights)
            .fold(0.0, |sum, m, w| sum + (m * w).abs() + m.abs());
        (objective - dual).abs() + miss
    }

    /// a = 0 fulfils the constraints; the weights of least squares are a fair start.
    fn start(&self, run: &Run) -> Result<Point> {
        let count = self.upper.mapv(|_| 1.0);
        let mut normal = gram(didact_core::Rows::Dense(self.design.view()), None, run)?;
        for value in normal.diag_mut() {
            *value += 1e-8 * self.n_rows() as f64;
        }
        let right = self.design.t().dot(&(&self.target * &count));
        let weights = factorise(&normal)?.solve_vector(right.view());
        let residuals = self.residuals(&weights);
        let (lower, upper) = self.bounds();
        let size = residuals.iter().map(|r| r.abs()).sum::<f64>() / residuals.len() as f64;
        let floor = (0.1 * size).max(1e-3);
        // A price of zero has a box without inside; a sliver keeps the method going.
        let least = 1e-14 * upper.iter().copied().fold(0.0, f64::max);
        Ok(Point {
            weights,
            x: (-lower).mapv(|x| x.max(least)),
            s: upper.mapv(|s| s.max(least)),
            z: residuals.mapv(|r| (-r).max(0.0) + floor),
            v: residuals.mapv(|r| r.max(0.0) + floor),
        })
    }

    /// One step of Mehrotra's predictor and corrector; says whether there was one to make.
    fn advance(&self, point: &mut Point, run: &Run) -> Result<bool> {
        run.check()?;
        let count = 2.0 * point.x.len() as f64;
        let missed_dual = {
            let (lower, _) = self.bounds();
            -self.transposed_times(&(&point.x + &lower))
        };
        // r = v − z at the solution.
        let missed_rows = &self.residuals(&point.weights) + &point.z - &point.v;
        let theta = Zip::from(&point.x)
            .and(&point.s)
            .and(&point.z)
            .and(&point.v)
            .map_collect(|x, s, z, v| (z / x + v / s).recip());
        let (of_rows, of_prices) = theta.view().split_at(Axis(0), self.n_rows());
        let mut normal = self.weighted_gram(of_rows, run)?;
        for (j, value) in of_prices.iter().enumerate() {
            normal[[j, j]] += value;
        }
        let Ok(factor) = factorise(&normal) else {
            return Ok(false);
        };
        let solve = |rz: &Array1<f64>, rv: &Array1<f64>| {
            let push = rz / &point.x - rv / &point.s - &missed_rows;
            let right = &missed_dual - &self.transposed_times(&(&theta * &push));
            // λ = −β.
            let minus = factor.solve_vector(right.view());
            let x = &theta * &(self.times(&minus) + &push);
            let z = (rz - &(&point.z * &x)) / &point.x;
            let v = (rv + &(&point.v * &x)) / &point.s;
            Step {
                weights: -minus,
                x,
                z,
                v,
            }
        };
        let mu = (point.x.dot(&point.z) + point.s.dot(&point.v)) / count;
        let predictor = solve(&-(&point.x * &point.z), &-(&point.s * &point.v));
        let (primal, dual) = point.lengths(&predictor);
        let after = {
            let x = &point.x + &(&predictor.x * primal);
            let s = &point.s - &(&predictor.x * primal);
            let z = &point.z + &(&predictor.z * dual);
            let v = &point.v + &(&predictor.v * dual);
            (x.dot(&z) + s.dot(&v)) / count
        };
        let aim = mu * (after / mu).powi(3);
        let rz = Zip::from(&point.x)
            .and(&point.z)
            .and(&predictor.x)
            .and(&predictor.z)
            .map_collect(|x, z, dx, dz| aim - x * z - dx * dz);
        let rv = Zip::from(&point.s)
            .and(&point.v)
            .and(&predictor.x)
            .and(&predictor.v)
            .map_collect(|s, v, dx, dv| aim - s * v + dx * dv);
        let step = solve(&rz, &rv);
        let (primal, dual) = point.lengths(&step);
        let finite = step
            .weights
            .iter()
            .chain(&step.x)
            .all(|value| value.is_finite());
        if !(finite && primal > 0.0 && dual > 0.0) {
            return Ok(false);
        }
        point.x.scaled_add(primal, &step.x);
        point.s.scaled_add(-primal, &step.x);
        point.weights.scaled_add(dual, &step.weights);
        point.z.scaled_add(dual, &step.z);
        point.v.scaled_add(dual, &step.v);
        let inside = |values: &Array1<f64>| values.iter().all(|value| *value > 0.0);
        Ok([&point.x, &point.s, &point.z, &point.v]
            .into_iter()
            .all(inside))
    }

    fn weighted_gram(&self, weights: ArrayView1<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        if self.n_rows() >= self.design.ncols() {
            let rows = didact_core::Rows::Dense(self.design.view());
            return gram(rows, Some(weights), run);
        }
        let scaled = &self.design * &weights.insert_axis(Axis(1));
        Ok(at_times_b(self.design.view(), scaled.view()))
    }
}

fn factorise(matrix: &Array2<f64>) -> Result<Cholesky> {
    let (factor, _) = Cholesky::with_jitter(matrix.view()).map_err(|_| {
        Error::numerical(
            "the products of the columns overflow; \
             divide the columns by a power of ten so that their values are near one",
        )
    })?;
    Ok(factor)
}

impl Point {
    /// How far a step may go in the primal and in the dual variables.
    fn lengths(&self, step: &Step) -> (f64, f64) {
        let reach = |values: &Array1<f64>, changes: &Array1<f64>, sign: f64| {
            Zip::from(values)
                .and(changes)
                .fold(1.0_f64, |most, &value, &change| match sign * change < 0.0 {
                    true => most.min(-BOLDNESS * value / (sign * change)),
                    false => most,
                })
        };
        (
            reach(&self.x, &step.x, 1.0).min(reach(&self.s, &step.x, -1.0)),
            reach(&self.z, &step.z, 1.0).min(reach(&self.v, &step.v, 1.0)),
        )
    }
}
