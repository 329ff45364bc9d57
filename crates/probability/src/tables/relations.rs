//! Which variables of a joint table depend on each other.

use super::JointTable;
use crate::information::{Base, mutual_information};
use didact_core::Result;
use ndarray::Array2;

/// How far two variables are from being independent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Independence {
    /// Whether no cell deviates by more than the tolerance.
    pub independent: bool,
    /// The largest |p(x, y) − p(x)·p(y)|; under conditions, the largest over all conditions of
    /// positive probability.
    pub largest_deviation: f64,
    /// The mutual information in nats, averaged over the conditions: zero for independent
    /// variables only.
    pub mutual_information: f64,
}

impl JointTable {
    /// Whether two variables are independent: p(x, y) = p(x)·p(y).
    ///
    /// ```
    /// use didact_probability::tables::JointTable;
    /// let table = JointTable::new(&["x", "y"], &[2, 2], vec![0.12, 0.28, 0.18, 0.42])?;
    /// assert!(table.independence("x", "y", 1e-12)?.independent);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn independence(&self, x: &str, y: &str, tolerance: f64) -> Result<Independence> {
        self.conditional_independence(x, y, &[], tolerance)
    }

    /// Whether two variables are independent once others are known:
    /// p(x, y|z) = p(x|z)·p(y|z) for every z of positive probability.
    pub fn conditional_independence(
        &self,
        x: &str,
        y: &str,
        given: &[&str],
        tolerance: f64,
    ) -> Result<Independence> {
        let order: Vec<&str> = [x, y].iter().chain(given).copied().collect();
        let table = self.marginal(&order)?;
        let (rows, columns) = (table.shape()[0], table.shape()[1]);
        let conditions: usize = table.shape()[2..].iter().product();
        let cells = table.probabilities();
        let (mut largest, mut information) = (0.0_f64, 0.0);
        for z in 0..conditions {
            let at = |i: usize, j: usize| cells[(i * columns + j) * conditions + z];
            let joint = Array2::from_shape_fn((rows, columns), |(i, j)| at(i, j));
            let weight = joint.sum();
            if weight <= 0.0 {
                continue;
            }
            let joint = joint / weight;
            let (row, column) = (
                joint.sum_axis(ndarray::Axis(1)),
                joint.sum_axis(ndarray::Axis(0)),
            );
            for ((i, j), p) in joint.indexed_iter() {
                largest = largest.max((p - row[i] * column[j]).abs());
            }
            information += weight * mutual_information(joint.view(), Base::Nats)?;
        }
        Ok(Independence {
            independent: largest <= tolerance,
            largest_deviation: largest,
            mutual_information: information,
        })
    }

    /// Whether all variables are independent together, not only in pairs.
    pub fn joint_independence(&self, tolerance: f64) -> Result<Independence> {
        let names: Vec<&str> = self.names().iter().map(String::as_str).collect();
        let marginals = names
            .iter()
            .map(|name| Ok(self.marginal(&[name])?.probabilities()))
            .collect::<Result<Vec<_>>>()?;
        let parts: Vec<(&str, &[f64])> = names
            .iter()
            .zip(&marginals)
            .map(|(name, p)| (*name, p.as_slice()))
            .collect();
        let product = JointTable::product(&parts)?.probabilities();
        let cells = self.probabilities();
        let gaps = cells.iter().zip(&product).map(|(p, q)| (p - q).abs());
        let largest = gaps.fold(0.0, f64::max);
        Ok(Independence {
            independent: largest <= tolerance,
            largest_deviation: largest,
            mutual_information: crate::information::kl_divergence(&cells, &product, Base::Nats)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_relative;

    // 000b:P05: x and y fair coins, z their exclusive or.
    #[test]
    fn the_exclusive_or_is_pairwise_but_not_jointly_independent() {
        let mut cells = vec![0.0; 8];
        for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            cells[4 * x + 2 * y + (x ^ y)] = 0.25;
        }
        let table = JointTable::new(&["x", "y", "z"], &[2, 2, 2], cells).unwrap();
        for (a, b) in [("x", "y"), ("x", "z"), ("y", "z")] {
            let found = table.independence(a, b, 1e-12).unwrap();
            assert!(found.independent && found.mutual_information.abs() < 1e-14);
        }
        let all = table.joint_independence(1e-12).unwrap();
        assert!(!all.independent);
        assert_relative(all.mutual_information, 2.0_f64.ln(), 1e-14);
    }

    // 003:P13: a collider is independent until its effect is known, a common cause the other
    // way round: neither kind of independence implies the other.
    #[test]
    fn independence_and_conditional_independence_do_not_imply_each_other() {
        // x, y independent causes of z = x or y.
        let mut collider = vec![0.0; 8];
        for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            collider[4 * x + 2 * y + (x | y)] = 0.25;
        }
        let table = JointTable::new(&["x", "y", "z"], &[2, 2, 2], collider).unwrap();
        assert!(table.independence("x", "y", 1e-12).unwrap().independent);
        let given = table
            .conditional_independence("x", "y", &["z"], 1e-12)
            .unwrap();
        assert!(!given.independent && given.mutual_information > 0.1);
        // z a fair coin that makes x and y each agree with it nine times of ten.
        let mut common = vec![0.0; 8];
        for x in 0..2 {
            for y in 0..2 {
                for z in 0..2 {
                    let agree = |v: usize| if v == z { 0.9 } else { 0.1 };
                    common[4 * x + 2 * y + z] = 0.5 * agree(x) * agree(y);
                }
            }
        }
        let table = JointTable::new(&["x", "y", "z"], &[2, 2, 2], common).unwrap();
        assert!(!table.independence("x", "y", 1e-3).unwrap().independent);
        let given = table
            .conditional_independence("x", "y", &["z"], 1e-12)
            .unwrap();
        assert!(given.independent && given.mutual_information.abs() < 1e-14);
        assert!(table.independence("x", "x", 1e-12).is_err());
    }

    // 002b:ST-05: y = x² on x ∈ {−1, 0, 1}: uncorrelated, yet not independent; and independence
    // makes E f₁(x)f₂(y) = E f₁·E f₂ for any functions, the last one of y.
    #[test]
    fn uncorrelated_is_not_independent() {
        let third = 1.0 / 3.0;
        let cells = vec![0.0, third, third, 0.0, 0.0, third];
        let table = JointTable::new(&["x", "y"], &[3, 2], cells).unwrap();
        let x = |v: &[usize]| v[0] as f64 - 1.0;
        let y = |v: &[usize]| v[1] as f64;
        let covariance =
            table.expectation(|v| x(v) * y(v)) - table.expectation(x) * table.expectation(y);
        assert!(covariance.abs() < 1e-15);
        assert!(!table.independence("x", "y", 1e-6).unwrap().independent);
        let apart = JointTable::product(&[("x", &[0.2, 0.5, 0.3]), ("y", &[0.4, 0.6])]).unwrap();
        let (f1, f2) = (|v: &[usize]| x(v).exp(), |v: &[usize]| (1.0 + y(v)).ln());
        let together = apart.expectation(|v| f1(v) * f2(v));
        assert_relative(
            together,
            apart.expectation(f1) * apart.expectation(f2),
            1e-14,
        );
    }
}
