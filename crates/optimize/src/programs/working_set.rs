//! The constraints that are held at equality, factored.

use ndarray::{Array1, Array2, ArrayView1, s};

/// A row that adds less than this share of its length to the others depends on them.
const DEPENDENT: f64 = 1e-11;

/// Rows a₁, …, a_m held at equality, kept as [a₁ … a_m] = Q·[R; 0] with a full orthogonal Q: its
/// first m columns span the rows, the others everything that moves along the constraints. Adding
/// and removing a row take O(n²).
#[derive(Clone, Debug)]
pub(super) struct WorkingSet {
    q: Array2<f64>,
    /// R as columns: column j has j + 1 entries.
    r: Vec<Vec<f64>>,
}

impl WorkingSet {
    /// No rows, n variables.
    pub(super) fn new(n: usize) -> Self {
        WorkingSet {
            q: Array2::eye(n),
            r: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.r.len()
    }

    /// Adds a row at the end; false, and nothing added, where it depends on those there.
    pub(super) fn add(&mut self, row: ArrayView1<'_, f64>) -> bool {
        let n = self.q.nrows();
        let m = self.len();
        let mut w = self.q.t().dot(&row);
        let rest = w
            .slice(s![m..])
            .iter()
            .map(|value| value * value)
            .sum::<f64>()
            .sqrt();
        let length = row.dot(&row).sqrt();
        if m == n || rest <= DEPENDENT * length {
            return false;
        }
        // Rotations turn all that lies outside the span into entry m.
        for i in (m + 1..n).rev() {
            if w[i] != 0.0 {
                let (cosine, sine, radius) = rotation(w[i - 1], w[i]);
                (w[i - 1], w[i]) = (radius, 0.0);
                self.rotate(i - 1, i, cosine, sine);
            }
        }
        self.r.push(w.slice(s![..=m]).to_vec());
        true
    }

    /// Removes the row at a place.
    pub(super) fn remove(&mut self, place: usize) {
        self.r.remove(place);
        // Each later column has one entry too many; rotations of neighbours remove it.
        for j in place..self.r.len() {
            let (cosine, sine, radius) = rotation(self.r[j][j], self.r[j][j + 1]);
            self.r[j][j] = radius;
            self.r[j].truncate(j + 1);
            for column in &mut self.r[j + 1..] {
                let (a, b) = (column[j], column[j + 1]);
                (column[j], column[j + 1]) = (cosine * a + sine * b, cosine * b - sine * a);
            }
            self.rotate(j, j + 1, cosine, sine);
        }
    }

    /// Rotates two columns of Q.
    fn rotate(&mut self, i: usize, j: usize, cosine: f64, sine: f64) {
        for mut row in self.q.rows_mut() {
            let (a, b) = (row[i], row[j]);
            (row[i], row[j]) = (cosine * a + sine * b, cosine * b - sine * a);
        }
    }

    /// An orthonormal basis, as columns, of the directions that move along all rows.
    pub(super) fn null_space(&self) -> Array2<f64> {
        self.q.slice(s![.., self.len()..]).to_owned()
    }

    /// The multipliers λ with Σλᵢ·aᵢ nearest to `target`.
    pub(super) fn multipliers(&self, target: ArrayView1<'_, f64>) -> Array1<f64> {
        let m = self.len();
        let mut shares = self.q.slice(s![.., ..m]).t().dot(&target);
        for j in (0..m).rev() {
            shares[j] /= self.r[j][j];
            for i in 0..j {
                shares[i] -= self.r[j][i] * shares[j];
            }
        }
        shares
    }

    /// The shortest x with aᵢ·x = bᵢ for every row.
    pub(super) fn particular(&self, right: ArrayView1<'_, f64>) -> Array1<f64> {
        let m = self.len();
        let mut y = right.to_owned();
        for j in 0..m {
            for i in 0..j {
                y[j] -= self.r[j][i] * y[i];
            }
            y[j] /= self.r[j][j];
        }
        self.q.slice(s![.., ..m]).dot(&y)
    }
}

/// The rotation that turns (a, b) into (radius, 0).
fn rotation(a: f64, b: f64) -> (f64, f64, f64) {
    let radius = a.hypot(b);
    match radius == 0.0 {
        true => (1.0, 0.0, 0.0),
        false => (a / radius, b / radius, radius),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::{assert_close, random_matrix};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn adding_and_removing_keep_the_factors_true(n in 2usize..9, seed: u64) {
            let rows = random_matrix(n, n, seed);
            let mut set = WorkingSet::new(n);
            let mut kept: Vec<usize> = Vec::new();
            for i in 0..n - 1 {
                prop_assert!(set.add(rows.row(i)));
                kept.push(i);
                if i % 2 == 1 {
                    let place = (seed as usize + i) % kept.len();
                    set.remove(place);
                    kept.remove(place);
                }
            }
            let a = Array2::from_shape_fn((kept.len(), n), |(i, j)| rows[[kept[i], j]]);
            let z = set.null_space();
            prop_assert_eq!(z.ncols(), n - kept.len());
            prop_assert!(a.dot(&z).iter().all(|e| e.abs() < 1e-12));
            assert_close(&z.t().dot(&z), &Array2::eye(z.ncols()), 1e-12);
            let shares = random_matrix(1, kept.len(), seed ^ 1).row(0).to_owned();
            let found = set.multipliers(a.t().dot(&shares).view());
            prop_assert!((&found - &shares).iter().all(|e| e.abs() < 1e-6));
            let x = set.particular(shares.view());
            prop_assert!((a.dot(&x) - &shares).iter().all(|e| e.abs() < 1e-8));
        }
    }

    #[test]
    fn a_row_that_depends_on_others_is_not_added() {
        let mut set = WorkingSet::new(3);
        assert!(set.add(ndarray::array![1.0, 2.0, 0.0].view()));
        assert!(set.add(ndarray::array![0.0, 1.0, 0.0].view()));
        assert!(!set.add(ndarray::array![3.0, -1.0, 0.0].view()));
        assert!(!set.add(ndarray::array![0.0, 0.0, 0.0].view()));
        assert_eq!(set.len(), 2);
    }
}
