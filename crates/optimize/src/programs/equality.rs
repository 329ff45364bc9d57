//! Quadratic programs with equalities only, by three routes.

use super::working_set::WorkingSet;
use crate::objective::{check_finite, check_symmetric};
use crate::{KktReport, Multipliers};
use didact_core::{Error, Result};
use didact_math::linalg::{Cholesky, Ldlt, thin_svd};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate, s};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the linear system behind an equality-constrained program is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EqualityRoute {
    /// The whole system [[H, Aᵀ], [A, 0]]·[x; λ] = [d; b] by LDLᵀ.
    #[default]
    Kkt,
    /// Coordinates within the constraints: good where there are many constraints, and the only
    /// route besides the first that H need not be definite for.
    NullSpace,
    /// The Schur complement (A·H⁻¹·Aᵀ)·λ = A·H⁻¹·d − b: good where H is positive definite and well
    /// conditioned and there are few constraints.
    RangeSpace,
}

/// The unique solution of an equality-constrained program.
#[derive(Clone, Debug, PartialEq)]
pub struct EqualitySolution {
    /// The point.
    pub x: Array1<f64>,
    /// The multipliers λ of Hx − d + Aᵀλ = 0.
    pub multipliers: Array1<f64>,
    /// ½xᵀHx − dᵀx.
    pub value: f64,
    /// How far the solution fails the conditions.
    pub kkt: KktReport,
    /// How many eigenvalues of the whole system are positive, negative and zero: (n, m, 0).
    pub inertia: (usize, usize, usize),
}

/// Solves min ½xᵀHx − dᵀx where A·x = b.
///
/// The solution is unique where the rows of A are independent and H is positive definite within
/// A·p = 0; rows that depend on each other, contradictions between them and an H that is not
/// definite there are errors of their own.
///
/// ```
/// use didact_optimize::{EqualityRoute, solve_equality};
/// use ndarray::array;
/// let h = array![[6.0, 2.0, 1.0], [2.0, 5.0, 2.0], [1.0, 2.0, 4.0]];
/// let a = array![[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];
/// let (d, b) = (array![8.0, 3.0, 3.0], array![3.0, 0.0]);
/// let solution = solve_equality(h.view(), d.view(), a.view(), b.view(), EqualityRoute::Kkt)?;
/// assert!((&solution.x - &array![2.0, -1.0, 1.0]).iter().all(|e| e.abs() < 1e-12));
/// assert!((&solution.multipliers - &array![-3.0, 2.0]).iter().all(|e| e.abs() < 1e-12));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn solve_equality(
    hessian: ArrayView2<'_, f64>,
    linear: ArrayView1<'_, f64>,
    matrix: ArrayView2<'_, f64>,
    target: ArrayView1<'_, f64>,
    route: EqualityRoute,
) -> Result<EqualitySolution> {
    check_symmetric("hessian", hessian)?;
    check_finite("linear", linear.iter().copied())?;
    check_finite("equality_matrix", matrix.iter().copied())?;
    check_finite("equality_target", target.iter().copied())?;
    let (n, m) = (hessian.nrows(), target.len());
    if linear.len() != n || matrix.dim() != (m, n) {
        return Err(Error::parameter(
            "equality_matrix",
            format!("{}×{}", matrix.nrows(), matrix.ncols()),
            format!("it must be {m}×{n}, and linear of length {n}"),
        ));
    }
    check_rank(matrix, target)?;
    let system = kkt_matrix(hessian, matrix);
    let factors = Ldlt::new(system.view())?;
    let inertia = factors.inertia();
    if inertia != (n, m, 0) {
        return Err(Error::parameter(
            "hessian",
            format!("not positive definite within the constraints (inertia {inertia:?})"),
            format!("the system of the constraints must have the inertia ({n}, {m}, 0)"),
        ));
    }
    let (x, multipliers) = match route {
        EqualityRoute::Kkt => {
            let right = concatenate![Axis(0), linear, target];
            let mut both = factors.solve_vector(right.view())?;
            // One round of refinement against the rounding of the factors.
            let rest = &right - &system.dot(&both);
            both += &factors.solve_vector(rest.view())?;
            (
                both.slice(s![..n]).to_owned(),
                both.slice(s![n..]).to_owned(),
            )
        }
        EqualityRoute::NullSpace => null_space(hessian, linear, matrix, target)?,
        EqualityRoute::RangeSpace => range_space(hessian, linear, matrix, target)?,
    };
    let gradient = hessian.dot(&x) - linear;
    let equalities = (matrix.dot(&x) - target).to_vec();
    let none = Array2::zeros((0, n));
    let found = Multipliers {
        equality: multipliers.to_vec(),
        inequality: vec![],
    };
    let kkt = KktReport::new(
        gradient.view(),
        (&equalities, matrix),
        (&[], none.view()),
        &found.equality,
        &found.inequality,
    );
    let value = 0.5 * x.dot(&hessian.dot(&x)) - linear.dot(&x);
    Ok(EqualitySolution {
        x,
        multipliers,
        value,
        kkt,
        inertia,
    })
}

/// [[H, Aᵀ], [A, 0]].
pub(crate) fn kkt_matrix(hessian: ArrayView2<'_, f64>, matrix: ArrayView2<'_, f64>) -> Array2<f64> {
    let (m, n) = matrix.dim();
    let mut system = Array2::zeros((n + m, n + m));
    system.slice_mut(s![..n, ..n]).assign(&hessian);
    system.slice_mut(s![n.., ..n]).assign(&matrix);
    system.slice_mut(s![..n, n..]).assign(&matrix.t());
    system
}

/// Fails where the rows depend on each other: with another message where they also contradict.
fn check_rank(matrix: ArrayView2<'_, f64>, target: ArrayView1<'_, f64>) -> Result<()> {
    let (m, n) = matrix.dim();
    if m == 0 {
        return Ok(());
    }
    let svd = thin_svd(matrix)?;
    let least = svd.singular_values[0] * f64::EPSILON * m.max(n) as f64;
    let rank = svd
        .singular_values
        .iter()
        .filter(|&&value| value > least)
        .count();
    if rank == m {
        return Ok(());
    }
    // What of b lies outside the range of A.
    let inside = svd.u.slice(s![.., ..rank]);
    let rest = &target - &inside.dot(&inside.t().dot(&target));
    let worst = rest
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    let size = target
        .iter()
        .fold(1.0_f64, |most, value| most.max(value.abs()));
    Err(match worst > 1e-10 * size {
        true => Error::data(format!(
            "the equalities contradict each other: every point fails one of them by at least \
             about {worst:.3e}"
        )),
        false => Error::parameter(
            "equality_matrix",
            format!("of rank {rank}"),
            format!("its {m} rows must be independent; remove those that repeat others"),
        ),
    })
}

/// x = Y·R⁻ᵀb + Z·q with ZᵀHZ·q = Zᵀ(d − H·Y·R⁻ᵀb), Aᵀ = Y·R, Z orthogonal to it.
fn null_space(
    hessian: ArrayView2<'_, f64>,
    linear: ArrayView1<'_, f64>,
    matrix: ArrayView2<'_, f64>,
    target: ArrayView1<'_, f64>,
) -> Result<(Array1<f64>, Array1<f64>)> {
    let mut working = WorkingSet::new(matrix.ncols());
    for row in matrix.rows() {
        working.add(row);
    }
    let particular = working.particular(target);
    let z = working.null_space();
    let mut x = particular;
    if z.ncols() > 0 {
        let reduced = z.t().dot(&hessian).dot(&z);
        let right = z.t().dot(&(&linear - &hessian.dot(&x)));
        let q = Cholesky::new(reduced.view())?.solve_vector(right.view());
        x += &z.dot(&q);
    }
    let multipliers = working.multipliers((&linear - &hessian.dot(&x)).view());
    Ok((x, multipliers))
}

fn range_space(
    hessian: ArrayView2<'_, f64>,
    linear: ArrayView1<'_, f64>,
    matrix: ArrayView2<'_, f64>,
    target: ArrayView1<'_, f64>,
) -> Result<(Array1<f64>, Array1<f64>)> {
    let factor = definite(hessian)?;
    let free = factor.solve_vector(linear);
    if matrix.nrows() == 0 {
        return Ok((free, Array1::zeros(0)));
    }
    let spread = factor.solve(matrix.t());
    let schur = matrix.dot(&spread);
    let multipliers =
        Cholesky::new(schur.view())?.solve_vector((matrix.dot(&free) - target).view());
    Ok((free - spread.dot(&multipliers), multipliers))
}

fn definite(hessian: ArrayView2<'_, f64>) -> Result<Cholesky> {
    Cholesky::new(hessian).map_err(|_| {
        Error::parameter(
            "hessian",
            "not positive definite",
            "the range-space route needs that; choose another route",
        )
    })
}

/// T = H⁻¹Aᵀ(A·H⁻¹·Aᵀ)⁻¹: a right inverse of A (A·T = I), and T·A is the oblique projector on the
/// range of H⁻¹Aᵀ. The solution is x = (I − T·A)·H⁻¹d + T·b.
pub fn right_inverse(
    hessian: ArrayView2<'_, f64>,
    matrix: ArrayView2<'_, f64>,
) -> Result<Array2<f64>> {
    let spread = definite(hessian)?.solve(matrix.t());
    let schur = matrix.dot(&spread);
    Ok(Cholesky::new(schur.view())?
        .solve(spread.t())
        .reversed_axes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;
    use proptest::prelude::*;

    const ROUTES: [EqualityRoute; 3] = [
        EqualityRoute::Kkt,
        EqualityRoute::NullSpace,
        EqualityRoute::RangeSpace,
    ];

    fn published() -> (Array2<f64>, Array1<f64>, Array2<f64>, Array1<f64>) {
        (
            array![[6.0, 2.0, 1.0], [2.0, 5.0, 2.0], [1.0, 2.0, 4.0]],
            array![8.0, 3.0, 3.0],
            array![[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]],
            array![3.0, 0.0],
        )
    }

    // 000b:TV-14 000b:Q05 000b:Q08
    #[test]
    fn three_routes_find_the_published_solution() {
        let (h, d, a, b) = published();
        for route in ROUTES {
            let solution = solve_equality(h.view(), d.view(), a.view(), b.view(), route).unwrap();
            assert_close(&solution.x, &array![2.0, -1.0, 1.0], 1e-12);
            assert_close(&solution.multipliers, &array![-3.0, 2.0], 1e-12);
            assert_eq!(solution.inertia, (3, 2, 0));
            assert!(solution.kkt.largest() < 1e-12);
        }
    }

    // 000b:TV-14 000b:Q08
    #[test]
    fn the_right_inverse_is_the_published_one_and_its_product_is_an_oblique_projector() {
        let (h, d, a, b) = published();
        let t = right_inverse(h.view(), a.view()).unwrap();
        let expected = array![[6.0, -5.0], [-7.0, 8.0], [7.0, 5.0]] / 13.0;
        assert_close(&t, &expected, 1e-12);
        assert_close(&a.dot(&t), &Array2::eye(2), 1e-12);
        let projector = t.dot(&a);
        assert_close(&projector.dot(&projector), &projector, 1e-12);
        let free = Cholesky::new(h.view()).unwrap().solve_vector(d.view());
        let x = &free - &projector.dot(&free) + t.dot(&b);
        assert_close(&x, &array![2.0, -1.0, 1.0], 1e-12);
    }

    // 001:T-09 001:LAG-05
    #[test]
    fn the_nearest_point_of_a_line_has_the_published_multiplier() {
        // min x² + y² where x + y = 1: H = 2I.
        let (h, a) = (Array2::eye(2) * 2.0, array![[1.0, 1.0]]);
        for route in ROUTES {
            let solution = solve_equality(
                h.view(),
                array![0.0, 0.0].view(),
                a.view(),
                array![1.0].view(),
                route,
            )
            .unwrap();
            assert_close(&solution.x, &array![0.5, 0.5], 1e-12);
            assert!(
                (solution.multipliers[0] + 1.0).abs() < 1e-12
                    && (solution.value - 0.5).abs() < 1e-12
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        // 000b:Q06
        #[test]
        fn every_feasible_point_is_higher_by_half_the_curvature_of_its_distance(n in 2usize..8, seed: u64) {
            let m = 1 + (seed % (n as u64 - 1)) as usize;
            let root = random_matrix(n, n + 1, seed);
            let h = root.dot(&root.t()) + Array2::<f64>::eye(n);
            let (a, rest) = (random_matrix(m, n, seed ^ 1), random_matrix(2, n, seed ^ 2));
            let (d, b) = (rest.row(0).to_owned(), random_matrix(1, m, seed ^ 3).row(0).to_owned());
            let mut found = Vec::new();
            for route in ROUTES {
                let solution = solve_equality(h.view(), d.view(), a.view(), b.view(), route).unwrap();
                prop_assert_eq!(solution.inertia, (n, m, 0));
                found.push(solution);
            }
            let scale = found[0].x.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
            for other in &found[1..] {
                prop_assert!((&other.x - &found[0].x).iter().all(|e| e.abs() < 1e-8 * scale));
            }
            // p in the null space of A: f(x* − p) = f(x*) + ½pᵀHp.
            let mut working = WorkingSet::new(n);
            a.rows().into_iter().for_each(|row| { working.add(row); });
            let z = working.null_space();
            let p = z.dot(&z.t().dot(&rest.row(1)));
            let value = |x: &Array1<f64>| 0.5 * x.dot(&h.dot(x)) - d.dot(x);
            let higher = value(&(&found[0].x - &p)) - value(&found[0].x);
            let expected = 0.5 * p.dot(&h.dot(&p));
            prop_assert!((higher - expected).abs() < 1e-7 * (1.0 + expected + scale * scale));
        }
    }

    // 000b:Q07
    #[test]
    fn a_zero_block_on_the_diagonal_is_factored_with_exchanges() {
        // Without exchanges the first pivot, zero, could not be used.
        let system = array![[0.0, 1.0, 2.0], [1.0, 1e-3, 0.0], [2.0, 0.0, 5.0]];
        let right = array![1.0, 2.0, 3.0];
        let factors = Ldlt::new(system.view()).unwrap();
        let x = factors.solve_vector(right.view()).unwrap();
        let by_lu =
            didact_math::linalg::solve(system.view(), right.view().insert_axis(Axis(1))).unwrap();
        assert_close(&x, &by_lu.column(0).to_owned(), 1e-12);
        let values = didact_math::linalg::symmetric_eigenvalues(system.view()).unwrap();
        let positive = values.iter().filter(|value| **value > 0.0).count();
        assert_eq!(factors.inertia(), (positive, 3 - positive, 0));
    }

    // 000b:Q06
    #[test]
    fn only_the_reduced_hessian_need_be_definite() {
        // H = diag(1, −1) is indefinite, but along y = 0 it is 1.
        let (h, a) = (array![[1.0, 0.0], [0.0, -1.0]], array![[0.0, 1.0]]);
        let solve = |route| {
            solve_equality(
                h.view(),
                array![2.0, 0.0].view(),
                a.view(),
                array![3.0].view(),
                route,
            )
        };
        for route in [EqualityRoute::Kkt, EqualityRoute::NullSpace] {
            assert_close(&solve(route).unwrap().x, &array![2.0, 3.0], 1e-12);
        }
        assert!(
            solve(EqualityRoute::RangeSpace)
                .unwrap_err()
                .to_string()
                .contains("another route")
        );
    }

    // 000b:Q04
    #[test]
    fn dependent_contradictory_and_indefinite_problems_have_errors_of_their_own() {
        let solve = |h: Array2<f64>, a: Array2<f64>, b: Array1<f64>| {
            let d = Array1::zeros(h.nrows());
            solve_equality(h.view(), d.view(), a.view(), b.view(), EqualityRoute::Kkt)
                .unwrap_err()
                .to_string()
        };
        let twice = array![[1.0, 1.0], [2.0, 2.0]];
        let dependent = solve(Array2::eye(2), twice.clone(), array![1.0, 2.0]);
        assert!(
            dependent.contains("equality_matrix is of rank 1"),
            "{dependent}"
        );
        let contradictory = solve(Array2::eye(2), twice, array![1.0, 3.0]);
        assert!(contradictory.contains("contradict"), "{contradictory}");
        let indefinite = solve(
            array![[-1.0, 0.0], [0.0, 1.0]],
            array![[0.0, 1.0]],
            array![0.0],
        );
        assert!(
            indefinite.contains("hessian is not positive definite"),
            "{indefinite}"
        );
    }
}
