//! One block of variables at a time.

use crate::Stop;
use crate::outcome::has_settled;
use didact_core::{Error, Result, Run, Trace, TraceWriter, parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An objective whose variables fall into blocks, each of which can be minimised over while the
/// others stay: centres and assignments of k-means, users and items of a factorisation.
pub trait Blocks {
    /// Number of blocks.
    fn n_blocks(&self) -> usize;

    /// The objective as things stand.
    fn value(&mut self) -> Result<f64>;

    /// Minimises over one block with the others held, and returns the objective then.
    fn minimise_block(&mut self, block: usize, run: &Run) -> Result<f64>;
}

/// How block coordinate descent ended.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockOutcome {
    /// The objective at the end.
    pub value: f64,
    /// Which test ended the descent.
    pub stop: Stop,
    /// The objective after each round over all blocks; it never rises.
    pub trace: Trace,
}

/// Block coordinate descent: minimise over each block in turn, round after round.
///
/// The objective never rises; a block that raises it is an error, because its minimiser is wrong.
/// The end is a point that no single block can improve, which need not be the global minimum.
///
/// ```
/// use didact_optimize::{Blocks, CoordinateDescent};
/// use didact_core::{Result, Run};
/// /// x² + y² + xy − 3x: least at (2, −1).
/// struct Bowl([f64; 2]);
/// impl Blocks for Bowl {
///     fn n_blocks(&self) -> usize {
///         2
///     }
///     fn value(&mut self) -> Result<f64> {
///         let [x, y] = self.0;
///         Ok(x * x + y * y + x * y - 3.0 * x)
///     }
///     fn minimise_block(&mut self, block: usize, _run: &Run) -> Result<f64> {
///         match block {
///             0 => self.0[0] = (3.0 - self.0[1]) / 2.0,
///             _ => self.0[1] = -self.0[0] / 2.0,
///         }
///         self.value()
///     }
/// }
/// let mut bowl = Bowl([0.0, 0.0]);
/// CoordinateDescent::default().minimise(&mut bowl, &Run::new())?;
/// assert!((bowl.0[0] - 2.0).abs() < 1e-6 && (bowl.0[1] + 1.0).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CoordinateDescent {
    /// At most this many rounds.
    pub max_iter: usize,
    /// Converged when a round lowers the value f by at most this much times max(|f|, 1).
    #[schemars(range(min = 0))]
    pub objective_tolerance: f64,
}

impl Default for CoordinateDescent {
    fn default() -> Self {
        CoordinateDescent {
            max_iter: 1000,
            objective_tolerance: 1e-14,
        }
    }
}

impl CoordinateDescent {
    /// Descends round by round, telling `run` of each; the blocks hold the point.
    pub fn minimise(&self, blocks: &mut dyn Blocks, run: &Run) -> Result<BlockOutcome> {
        parameters::check(self)?;
        let mut trace = TraceWriter::new(run, "objective", Some(self.max_iter));
        let mut value = blocks.value()?;
        if !value.is_finite() {
            return Err(Error::numerical(format!(
                "the objective is {value} at the start"
            )));
        }
        let stop = loop {
            if trace.n_iter() == self.max_iter {
                break Stop::IterationLimit;
            }
            let before = value;
            for block in 0..blocks.n_blocks() {
                run.check()?;
                let next = blocks.minimise_block(block, run)?;
                // Rounding may lift the value by a few digits of its size, nothing more.
                if next.is_nan() || next > value + 1e-10 * value.abs().max(1.0) {
                    return Err(Error::numerical(format!(
                        "minimising over block {block} raised the objective from {value} to {next}; \
                         its minimiser is wrong"
                    )));
                }
                value = next.min(value);
            }
            trace.record(value)?;
            if before == value || has_settled(before, value, self.objective_tolerance) {
                break Stop::Objective;
            }
        };
        Ok(BlockOutcome {
            value,
            stop,
            trace: trace.finish(stop.into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::random_matrix;
    use ndarray::Array2;

    /// k-means in one dimension: the blocks are the assignments and the centres.
    struct Centres {
        points: Vec<f64>,
        assigned: Vec<usize>,
        centres: Vec<f64>,
    }

    impl Blocks for Centres {
        fn n_blocks(&self) -> usize {
            2
        }

        fn value(&mut self) -> Result<f64> {
            let pairs = self.points.iter().zip(&self.assigned);
            Ok(pairs
                .map(|(point, &place)| (point - self.centres[place]).powi(2))
                .sum())
        }

        fn minimise_block(&mut self, block: usize, _run: &Run) -> Result<f64> {
            if block == 0 {
                for (point, place) in self.points.iter().zip(&mut self.assigned) {
                    let distance = |k: &usize| (point - self.centres[*k]).abs();
                    *place = (0..self.centres.len())
                        .min_by(|a, b| distance(a).total_cmp(&distance(b)))
                        .unwrap();
                }
            } else {
                for (k, centre) in self.centres.iter_mut().enumerate() {
                    let own = |i: &usize| self.assigned[*i] == k;
                    let members: Vec<usize> = (0..self.points.len()).filter(own).collect();
                    if !members.is_empty() {
                        *centre = members.iter().map(|&i| self.points[i]).sum::<f64>()
                            / members.len() as f64;
                    }
                }
            }
            self.value()
        }
    }

    // 001:CLU-20
    #[test]
    fn it_drives_k_means() {
        let mut problem = Centres {
            points: vec![0.0, 1.0, 2.0, 10.0, 11.0, 12.0],
            assigned: vec![0; 6],
            centres: vec![0.0, 3.0],
        };
        let outcome = CoordinateDescent::default()
            .minimise(&mut problem, &Run::new())
            .unwrap();
        assert_eq!(problem.centres, [1.0, 11.0]);
        assert_eq!((outcome.value, outcome.stop), (4.0, Stop::Objective));
        assert!(
            outcome
                .trace
                .objectives
                .windows(2)
                .all(|pair| pair[1] <= pair[0])
        );
    }

    /// ‖M − u·vᵀ‖² by turns in u and v: alternating least squares of rank one.
    struct RankOne {
        matrix: Array2<f64>,
        sides: [Vec<f64>; 2],
    }

    impl Blocks for RankOne {
        fn n_blocks(&self) -> usize {
            2
        }

        fn value(&mut self) -> Result<f64> {
            let [u, v] = &self.sides;
            Ok(self
                .matrix
                .indexed_iter()
                .map(|((i, j), m)| (m - u[i] * v[j]).powi(2))
                .sum())
        }

        fn minimise_block(&mut self, block: usize, _run: &Run) -> Result<f64> {
            let other = ndarray::Array1::from(self.sides[1 - block].clone());
            let matrix = if block == 0 {
                self.matrix.view()
            } else {
                self.matrix.t()
            };
            self.sides[block] = (matrix.dot(&other) / other.dot(&other)).to_vec();
            self.value()
        }
    }

    // 001:CLU-20
    #[test]
    fn it_drives_alternating_least_squares_to_the_largest_singular_value() {
        let matrix = random_matrix(6, 4, 3);
        let svd = didact_math::linalg::thin_svd(matrix.view()).unwrap();
        let rest: f64 = svd.singular_values.iter().skip(1).map(|s| s * s).sum();
        let mut problem = RankOne {
            matrix,
            sides: [vec![1.0; 6], vec![1.0; 4]],
        };
        let outcome = CoordinateDescent::default()
            .minimise(&mut problem, &Run::new())
            .unwrap();
        assert!((outcome.value - rest).abs() < 1e-9 * rest);
        assert!(
            outcome
                .trace
                .objectives
                .windows(2)
                .all(|pair| pair[1] <= pair[0])
        );
    }

    #[test]
    fn a_block_that_raises_the_objective_is_named() {
        struct Wrong(f64);
        impl Blocks for Wrong {
            fn n_blocks(&self) -> usize {
                1
            }
            fn value(&mut self) -> Result<f64> {
                Ok(self.0)
            }
            fn minimise_block(&mut self, _: usize, _: &Run) -> Result<f64> {
                self.0 += 1.0;
                self.value()
            }
        }
        let error = CoordinateDescent::default()
            .minimise(&mut Wrong(0.0), &Run::new())
            .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("block 0 raised the objective from 0 to 1"),
            "{error}"
        );
    }
}
