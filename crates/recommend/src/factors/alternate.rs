//! Users and items take turns: with one side fixed, every row of the other is a ridge regression.

use super::ridge::{ridge, row};
use crate::offsets::Offsets;
use crate::{Centering, FactorModel, RatingMatrix};
use didact_core::random::generator;
use didact_core::{Csr, CsrView, Error, Result, Run, StopReason, Trace, TraceWriter, parallel};
use didact_math::linalg::sparse_transpose;
use didact_math::numeric::dot;
use ndarray::Array2;
use rand_distr::{Distribution, StandardNormal};

/// How many users or items a thread takes at a time.
const ROWS_AT_A_TIME: usize = 32;
/// How many users' errors are summed at a time.
const USERS_AT_A_TIME: usize = 256;

/// What is asked of a factorisation.
pub(super) struct Task {
    pub(super) n_factors: usize,
    pub(super) user_alpha: f64,
    pub(super) item_alpha: f64,
    /// Whether the price of a row of factors is multiplied by its number of ratings.
    pub(super) weighted: bool,
    pub(super) centering: Centering,
    pub(super) max_iter: usize,
    pub(super) tol: f64,
    pub(super) n_init: usize,
    pub(super) random_state: u64,
    pub(super) clip: bool,
}

/// Factors of both sides, and how they were found.
struct Solution {
    users: Array2<f64>,
    items: Array2<f64>,
    trace: Trace,
}

impl Solution {
    fn objective(&self) -> f64 {
        self.trace
            .objectives
            .last()
            .copied()
            .unwrap_or(f64::INFINITY)
    }
}

impl Task {
    /// The best of `n_init` starts, or the solution that is reached from given factors of items.
    pub(super) fn solve(
        &self,
        ratings: RatingMatrix,
        start: Option<&Array2<f64>>,
        run: &Run,
    ) -> Result<FactorModel> {
        let offsets = Offsets::new(&ratings, self.centering);
        let problem = Problem::new(&ratings, &offsets, self)?;
        let n_starts = if start.is_some() { 1 } else { self.n_init };
        let mut best: Option<Solution> = None;
        for restart in 0..n_starts {
            let solution = problem.alternate(self.first_items(&problem, restart, start), run)?;
            if best
                .as_ref()
                .is_none_or(|best| solution.objective() < best.objective())
            {
                best = Some(solution);
            }
        }
        let best = best.expect("there is at least one start");
        Ok(FactorModel::new(
            best.users, best.items, offsets, ratings, self.clip, best.trace,
        ))
    }

    /// Factors to start from: those that are given, and random ones for items without them.
    ///
    /// Never zero, which is a stationary point; of a size whose products vary like the ratings.
    fn first_items(
        &self,
        problem: &Problem<'_>,
        restart: usize,
        start: Option<&Array2<f64>>,
    ) -> Array2<f64> {
        let values = (0..problem.by_user.view().n_rows())
            .flat_map(|user| problem.by_user.view().row(user).1.iter());
        let (n, squares) =
            values.fold((0.0, 0.0), |(n, sum), value| (n + 1.0, sum + value * value));
        let spread = (squares / n).sqrt();
        let scale = match spread > 0.0 {
            true => (spread / (self.n_factors as f64).sqrt()).sqrt(),
            false => 1.0,
        };
        let mut random = generator(self.random_state, restart as u64);
        let mut items = Array2::from_shape_fn(
            (problem.by_item.view().n_rows(), self.n_factors),
            |_| -> f64 { scale * Distribution::<f64>::sample(&StandardNormal, &mut random) },
        );
        for (mut to, from) in items
            .rows_mut()
            .into_iter()
            .zip(start.iter().flat_map(|s| s.rows()))
        {
            if from.iter().any(|&value| value != 0.0) {
                to.assign(&from);
            }
        }
        items
    }
}

/// Centred ratings from both sides, and the prices of their factors.
pub(super) struct Problem<'a> {
    by_user: Csr,
    by_item: Csr,
    task: &'a Task,
}

impl<'a> Problem<'a> {
    pub(super) fn new(ratings: &RatingMatrix, offsets: &Offsets, task: &'a Task) -> Result<Self> {
        let by_user = offsets.remove(ratings.by_user())?;
        Ok(Problem {
            by_item: sparse_transpose(by_user.view())?,
            by_user,
            task,
        })
    }

    fn alternate(&self, mut items: Array2<f64>, run: &Run) -> Result<Solution> {
        let mut users = Array2::zeros((self.by_user.view().n_rows(), self.task.n_factors));
        let limit = self.task.max_iter;
        let mut trace = TraceWriter::new(run, "penalised squared error", Some(limit));
        let mut before = f64::INFINITY;
        let stop = loop {
            self.update_users(&mut users, &items, run)?;
            self.update_items(&users, &mut items, run)?;
            let objective = self.objective(&users, &items, run)?;
            if !objective.is_finite() {
                return Err(Error::numerical(
                    "the factors overflow; divide the ratings so that they are of moderate size",
                ));
            }
            trace.record(objective)?;
            if before - objective <= self.task.tol * objective {
                break StopReason::Converged;
            }
            if trace.n_iter() == limit {
                break StopReason::IterationLimit;
            }
            before = objective;
        };
        Ok(Solution {
            users,
            items,
            trace: trace.finish(stop),
        })
    }

    pub(super) fn update_users(
        &self,
        users: &mut Array2<f64>,
        items: &Array2<f64>,
        run: &Run,
    ) -> Result<()> {
        self.update(self.by_user.view(), items, self.task.user_alpha, users, run)
    }

    pub(super) fn update_items(
        &self,
        users: &Array2<f64>,
        items: &mut Array2<f64>,
        run: &Run,
    ) -> Result<()> {
        self.update(self.by_item.view(), users, self.task.item_alpha, items, run)
    }

    /// The best factors of one side given those of the other.
    fn update(
        &self,
        ratings: CsrView<'_>,
        others: &Array2<f64>,
        alpha: f64,
        factors: &mut Array2<f64>,
        run: &Run,
    ) -> Result<()> {
        let k = self.task.n_factors;
        let factors = factors.as_slice_mut().expect("factors are contiguous");
        parallel::fill(factors, k, ROWS_AT_A_TIME, run, |rows, pieces| {
            for (row, piece) in rows.zip(pieces.chunks_mut(k)) {
                let price = self.price(alpha, ratings.row(row).1.len());
                ridge(ratings.row(row), others, price, piece)?;
            }
            Ok(())
        })
    }

    /// The price of a row of factors that has so many ratings.
    fn price(&self, alpha: f64, n_ratings: usize) -> f64 {
        match self.task.weighted {
            true => alpha * n_ratings as f64,
            false => alpha,
        }
    }

    /// ½Σ(y − u·v)² + ½Σα_u‖u‖² + ½Σα_v‖v‖² over the observed ratings.
    pub(super) fn objective(
        &self,
        users: &Array2<f64>,
        items: &Array2<f64>,
        run: &Run,
    ) -> Result<f64> {
        let by_user = self.by_user.view();
        let of_users = |range: std::ops::Range<usize>| {
            let mut sum = 0.0;
            for user in range {
                let (rated, values) = by_user.row(user);
                let factors = row(users, user);
                for (&item, value) in rated.iter().zip(values) {
                    let error = value - dot(factors, row(items, item as usize));
                    sum += error * error;
                }
                sum += self.price(self.task.user_alpha, values.len()) * dot(factors, factors);
            }
            Ok(sum)
        };
        let n_users = by_user.n_rows();
        let errors = parallel::reduce(n_users, USERS_AT_A_TIME, run, &of_users, &|a, b| a + b)?;
        let prices = (0..items.nrows()).map(|item| {
            let n_ratings = self.by_item.view().row(item).1.len();
            self.price(self.task.item_alpha, n_ratings) * dot(row(items, item), row(items, item))
        });
        Ok(0.5 * (errors.unwrap_or(0.0) + prices.sum::<f64>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::Ratings;
    use proptest::prelude::*;

    fn task(n_factors: usize, alpha: f64, weighted: bool) -> Task {
        Task {
            n_factors,
            user_alpha: alpha,
            item_alpha: 2.0 * alpha,
            weighted,
            centering: Centering::None,
            max_iter: 10,
            tol: 0.0,
            n_init: 1,
            random_state: 3,
            clip: false,
        }
    }

    /// Fifteen users, ten items, and a user and an item without ratings.
    fn ratings(values: &[f64]) -> RatingMatrix {
        let pairs = (0..16).flat_map(|user| (0..11).map(move |item| (user, item)));
        let rated = |&(user, item): &(usize, usize)| {
            user != 4 && item != 6 && (user * 7 + item * 3 + user * item) % 5 < 3
        };
        let (users, items): (Vec<usize>, Vec<usize>) = pairs.filter(rated).unzip();
        RatingMatrix::new(&Ratings::new(&users, &items, &values[..users.len()]).unwrap()).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        // 001:REC-12, 001:REC-10
        #[test]
        fn the_objective_falls_with_every_half_step(
            values in proptest::collection::vec(-5.0..5.0_f64, 176),
            n_factors in 1_usize..9,
            alpha in 1e-6..3.0_f64,
            weighted: bool,
        ) {
            let ratings = ratings(&values);
            let offsets = Offsets::new(&ratings, Centering::None);
            let task = task(n_factors, alpha, weighted);
            let problem = Problem::new(&ratings, &offsets, &task).unwrap();
            let run = Run::new();
            let mut items = task.first_items(&problem, 0, None);
            let mut users = Array2::zeros((ratings.n_users(), n_factors));
            let mut before = problem.objective(&users, &items, &run).unwrap();
            for half_step in 0..12 {
                match half_step % 2 {
                    0 => problem.update_users(&mut users, &items, &run).unwrap(),
                    _ => problem.update_items(&users, &mut items, &run).unwrap(),
                }
                let after = problem.objective(&users, &items, &run).unwrap();
                prop_assert!(after <= before * (1.0 + 1e-12), "{} {}", before, after);
                before = after;
            }
            // Those without ratings have no factors.
            prop_assert!(row(&users, 4).iter().all(|&factor| factor == 0.0));
            prop_assert!(row(&items, 6).iter().all(|&factor| factor == 0.0));
        }
    }

    /// The objective of 001:REC-10 written out over users and items.
    fn written_out(
        ratings: &RatingMatrix,
        users: &Array2<f64>,
        items: &Array2<f64>,
        a: f64,
    ) -> f64 {
        let errors = ratings.ratings().map(|(user, item, value)| {
            0.5 * (value - users.row(user).dot(&items.row(item))).powi(2)
        });
        let squares = |factors: &Array2<f64>| factors.iter().map(|f| f * f).sum::<f64>();
        errors.sum::<f64>() + a / 2.0 * squares(users) + 2.0 * a / 2.0 * squares(items)
    }

    // 001:REC-10: Y itself is compared, ½ and no 1/n, plain α. 001:REC-12: each half-step ends
    // where finite differences see no slope.
    #[test]
    fn a_half_step_ends_at_the_bottom_of_the_objective() {
        let values: Vec<f64> = (0..176).map(|n| f64::from(n * n % 11) / 2.0).collect();
        let ratings = ratings(&values);
        let offsets = Offsets::new(&ratings, Centering::None);
        // Two factors: more ratings than factors; nine: fewer.
        for n_factors in [2, 9, 20] {
            let task = task(n_factors, 0.3, false);
            let problem = Problem::new(&ratings, &offsets, &task).unwrap();
            let run = Run::new();
            let items = task.first_items(&problem, 0, None);
            let mut users = Array2::zeros((ratings.n_users(), n_factors));
            problem.update_users(&mut users, &items, &run).unwrap();
            let objective = problem.objective(&users, &items, &run).unwrap();
            let expected = written_out(&ratings, &users, &items, 0.3);
            assert!((objective - expected).abs() < 1e-12 * expected);
            for cell in 0..users.len() {
                let at = |step: f64| {
                    let mut moved = users.clone();
                    moved.as_slice_mut().unwrap()[cell] += step;
                    written_out(&ratings, &moved, &items, 0.3)
                };
                // The objective is quadratic in one factor: central differences are exact.
                let slope = (at(0.5) - at(-0.5)) / 1.0;
                assert!(slope.abs() < 1e-10, "{slope}");
            }
        }
    }

    // 001:REC-12
    #[test]
    fn zero_is_a_stationary_point_where_no_start_begins() {
        let values: Vec<f64> = (0..176).map(f64::from).collect();
        let ratings = ratings(&values);
        let offsets = Offsets::new(&ratings, Centering::None);
        let task = task(3, 0.3, false);
        let problem = Problem::new(&ratings, &offsets, &task).unwrap();
        let mut users = Array2::zeros((ratings.n_users(), 3));
        let zeros = Array2::zeros((ratings.n_items(), 3));
        problem
            .update_users(&mut users, &zeros, &Run::new())
            .unwrap();
        assert!(users.iter().all(|&factor| factor == 0.0));
        let start = task.first_items(&problem, 0, Some(&zeros));
        assert!(start.iter().all(|&factor| factor != 0.0));
    }

    // Sums written out and products of blocks, more ratings than factors and fewer.
    #[test]
    fn every_way_to_a_row_of_factors_solves_its_normal_equations() {
        for (n_ratings, k) in [(5, 9), (9, 5), (20, 40), (40, 20), (1300, 17)] {
            let factors = didact_testing::random_matrix(n_ratings + 3, k, 1);
            let others: Vec<u32> = (3..n_ratings as u32 + 3).collect();
            let values: Vec<f64> = (0..n_ratings).map(|n| (n % 7) as f64).collect();
            let mut solution = vec![0.0; k];
            ridge((&others, &values), &factors, 0.3, &mut solution).unwrap();
            // Bᵀ(y − B·w) = α·w
            let b = factors.slice(ndarray::s![3.., ..]);
            let w = ndarray::Array1::from(solution);
            let slopes = b.t().dot(&(&ndarray::Array1::from(values) - &b.dot(&w)));
            let scale = w.iter().fold(1.0_f64, |scale, w| scale.max(w.abs())) * n_ratings as f64;
            let worst = (&slopes - &(&w * 0.3))
                .iter()
                .fold(0.0_f64, |worst, e| worst.max(e.abs()));
            assert!(worst < 1e-12 * scale, "{n_ratings} × {k}: {worst}");
        }
    }
}
