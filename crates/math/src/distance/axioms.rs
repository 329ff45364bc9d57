//! Which axioms of a metric a measure obeys on some points.

use super::mutual_neighbours::check_square;
use didact_core::{Error, Result};
use ndarray::{Array2, ArrayView2};

/// The points that break an axiom, and by what.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// Indices of the points, in the order of the axiom.
    pub points: Vec<usize>,
    /// The side that should not exceed the other.
    pub smaller: f64,
    /// The side that should not be exceeded.
    pub larger: f64,
}

/// For each axiom the worst points that break it, none where it holds on the sample.
///
/// A sample can refute an axiom but never prove it.
#[derive(Clone, Debug, PartialEq)]
pub struct AxiomReport {
    /// 0 ≤ d(x, y); points x, y.
    pub non_negativity: Option<Witness>,
    /// d(x, x) = 0; point x.
    pub identity: Option<Witness>,
    /// d(x, y) = d(y, x); points x, y.
    pub symmetry: Option<Witness>,
    /// d(x, z) ≤ d(x, y) + d(y, z); points x, y, z.
    pub triangle: Option<Witness>,
}

impl AxiomReport {
    /// Whether every axiom holds on the sample.
    pub fn is_metric(&self) -> bool {
        let all = [
            &self.non_negativity,
            &self.identity,
            &self.symmetry,
            &self.triangle,
        ];
        all.iter().all(|witness| witness.is_none())
    }
}

/// Measures all pairs of the points and looks for a witness against each axiom, in O(n³).
///
/// What rounding can explain, a billionth of the larger side, breaks nothing.
///
/// ```
/// use didact_math::distance::{Metric, check_axioms};
/// let points = [[0.0], [1.0], [2.0]];
/// let report = check_axioms(&points, |a, b| Metric::SquaredEuclidean.between(a, b))?;
/// // 4 > 1 + 1.
/// assert_eq!(report.triangle.unwrap().points, [0, 1, 2]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn check_axioms<T>(points: &[T], measure: impl Fn(&T, &T) -> f64) -> Result<AxiomReport> {
    let n = points.len();
    let matrix = Array2::from_shape_fn((n, n), |(i, j)| measure(&points[i], &points[j]));
    check_axioms_of_matrix(matrix.view())
}

/// [`check_axioms`] of distances that were measured before.
pub fn check_axioms_of_matrix(distances: ArrayView2<'_, f64>) -> Result<AxiomReport> {
    check_square(distances)?;
    if distances.is_empty() {
        return Err(Error::data(
            "there are no points to check the axioms on; give some",
        ));
    }
    let n = distances.nrows();
    let d = |i: usize, j: usize| distances[[i, j]];
    let pairs = || (0..n).flat_map(move |i| (0..n).map(move |j| (i, j)));
    let claims = |points: Vec<usize>, smaller: f64, larger: f64| Witness {
        points,
        smaller,
        larger,
    };
    Ok(AxiomReport {
        non_negativity: worst(pairs().map(|(i, j)| claims(vec![i, j], 0.0, d(i, j)))),
        identity: worst((0..n).map(|i| claims(vec![i], d(i, i).abs(), 0.0))),
        symmetry: worst(pairs().map(|(i, j)| claims(vec![i, j], d(i, j), d(j, i)))),
        triangle: worst(pairs().filter_map(|(i, k)| {
            // The best detour is the strictest test of a pair.
            let by_detour =
                |a: &usize, b: &usize| (d(i, *a) + d(*a, k)).total_cmp(&(d(i, *b) + d(*b, k)));
            let j = (0..n).filter(|&j| j != i && j != k).min_by(by_detour)?;
            Some(claims(vec![i, j, k], d(i, k), d(i, j) + d(j, k)))
        })),
    })
}

/// The first of the claims that are broken by the most.
fn worst(claims: impl Iterator<Item = Witness>) -> Option<Witness> {
    let excess = |claim: &Witness| claim.smaller - claim.larger;
    let mut found: Option<Witness> = None;
    for claim in claims {
        let rounding = 1e-9 * claim.smaller.abs().max(claim.larger.abs());
        let is_broken = excess(&claim) > rounding;
        if is_broken
            && found
                .as_ref()
                .is_none_or(|found| excess(&claim) > excess(found))
        {
            found = Some(claim);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::{Metric, hamming};
    use super::*;
    use didact_testing::random_matrix;

    fn report(metric: impl Fn(&[f64], &[f64]) -> f64, points: &[Vec<f64>]) -> AxiomReport {
        check_axioms(points, |a, b| metric(a, b)).unwrap()
    }

    #[test]
    fn true_metrics_pass_on_random_points() {
        // 000a:SIM-01 001:CLU-06.
        let rows = random_matrix(15, 3, 1);
        let points: Vec<Vec<f64>> = rows.rows().into_iter().map(|row| row.to_vec()).collect();
        for metric in [
            Metric::Euclidean,
            Metric::Manhattan,
            Metric::Chebyshev,
            Metric::Minkowski { p: 1.0 },
            Metric::Minkowski { p: 2.5 },
            Metric::Hamming,
        ] {
            assert!(
                report(|a, b| metric.between(a, b), &points).is_metric(),
                "{metric}"
            );
        }
        let words = ["abcd", "abce", "xbcd", "wxyz"];
        let letters = |word: &&str| word.chars().collect::<Vec<_>>();
        let distance = |a: &&str, b: &&str| hamming(&letters(a), &letters(b)).unwrap() as f64;
        assert!(check_axioms(&words, distance).unwrap().is_metric());
    }

    #[test]
    fn squares_and_powers_below_one_break_the_triangle_inequality() {
        // 000a:SIM-01: the points 0, 1, 2 give 4 > 1 + 1.
        let line = [vec![0.0], vec![1.0], vec![2.0]];
        let found = report(|a, b| Metric::SquaredEuclidean.between(a, b), &line);
        let witness = found.triangle.clone().unwrap();
        assert_eq!(witness.points, [0, 1, 2]);
        assert_eq!((witness.smaller, witness.larger), (4.0, 2.0));
        assert!(found.symmetry.is_none() && found.identity.is_none() && !found.is_metric());
        // 000a:SIM-04 001:CLU-06 with p = ½: (0,0)→(1,1) is 4 directly, 1 + 1 by the corner.
        let half = |a: &[f64], b: &[f64]| {
            let sum: f64 = a.iter().zip(b).map(|(a, b)| (a - b).abs().sqrt()).sum();
            sum * sum
        };
        let corner = [vec![0.0, 0.0], vec![1.0, 0.0], vec![1.0, 1.0]];
        let witness = report(half, &corner).triangle.unwrap();
        assert_eq!(
            (witness.points, witness.smaller, witness.larger),
            (vec![0, 1, 2], 4.0, 2.0)
        );
    }

    #[test]
    fn divergences_are_not_symmetric_and_similarities_have_no_zero() {
        // 000a:SIM-01: KL([½,½] ‖ [0.9,0.1]) = ½·ln(0.25/0.09) ≠ KL the other way.
        let divergence =
            |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(p, q)| p * (p / q).ln()).sum::<f64>();
        let found = report(divergence, &[vec![0.5, 0.5], vec![0.9, 0.1]]);
        let witness = found.symmetry.unwrap();
        assert_eq!(witness.points, [0, 1]);
        assert!((witness.smaller - 0.5 * (0.25_f64 / 0.09).ln()).abs() < 1e-12);
        assert!(found.identity.is_none());
        let product = |a: &[f64], b: &[f64]| a[0] * b[0];
        let found = report(product, &[vec![1.0], vec![-1.0]]);
        assert!(found.identity.is_some() && found.non_negativity.is_some());
        assert!(check_axioms(&[] as &[f64], |_, _| 0.0).is_err());
    }
}
