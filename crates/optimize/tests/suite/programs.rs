//! Active-set and interior-point method on the same programs.

use didact_core::random::generator;
use didact_core::{Cancel, Error, Run};
use didact_optimize::{
    ActiveSet, EqualityRoute, InteriorPoint, ProgramSolution, QuadraticProgram, Verdict,
    solve_equality,
};
use ndarray::{Array1, Array2, array, s};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

fn random(rows: usize, columns: usize, seed: u64, stream: u64) -> Array2<f64> {
    let mut generator = generator(seed, stream);
    Array2::from_shape_fn((rows, columns), |_| StandardNormal.sample(&mut generator))
}

fn both(program: &QuadraticProgram) -> [(&'static str, Verdict); 2] {
    [
        (
            "active set",
            ActiveSet::default().solve(program, &Run::new()).unwrap(),
        ),
        (
            "interior point",
            InteriorPoint::default()
                .solve(program, &Run::new())
                .unwrap(),
        ),
    ]
}

#[track_caller]
fn assert_solved(name: &str, seed: u64, verdict: Verdict) -> ProgramSolution {
    match verdict {
        Verdict::Optimal(solution) => {
            assert!(
                solution.kkt.largest() <= 1e-8,
                "{name} {seed}: {:?} {:?} after {}",
                solution.kkt,
                solution.stop,
                solution.trace.n_iter()
            );
            solution
        }
        other => panic!("{name} {seed}: {other:?}"),
    }
}

/// A convex program with a feasible point inside. Odd seeds are degenerate: H of half rank, every
/// third inequality repeated, more inequalities active at one point than there are variables.
fn convex(seed: u64) -> QuadraticProgram {
    let mut draw = generator(seed, 9);
    let n: usize = 2 + draw.random_range(0..9);
    let m = draw.random_range(1..3 * n);
    let is_degenerate = seed % 2 == 1;
    let rank = if is_degenerate { n.div_ceil(2) } else { n };
    let root = random(n, rank, seed, 0);
    let inside = random(1, n, seed, 1).row(0).to_owned();
    let mut matrix = random(m, n, seed, 2);
    let mut bound = matrix.dot(&inside);
    if is_degenerate {
        for i in (2..m).step_by(3) {
            let copy = matrix.row(i - 1).to_owned();
            matrix.row_mut(i).assign(&copy);
            bound[i] = bound[i - 1];
        }
        // Half of the rows pass through the point itself.
        for i in m / 2..m {
            bound[i] += draw.random::<f64>();
        }
    } else {
        bound.mapv_inplace(|b| b + draw.random::<f64>());
    }
    let k = draw.random_range(0..n);
    let fixed = random(k, n, seed, 3);
    let target = fixed.dot(&inside);
    // A box keeps the objective from falling for ever where H is singular.
    let linear = random(1, n, seed, 4).row(0).to_owned() * 3.0;
    QuadraticProgram::new(root.dot(&root.t()), linear)
        .unwrap()
        .inequalities(matrix, bound)
        .unwrap()
        .equalities(fixed, target)
        .unwrap()
        .bounds(&vec![-10.0; n], &vec![10.0; n])
        .unwrap()
}

// 000b:Q03 000b:Q09 000b:Q10 000b:Q18 002b:KM-12
#[test]
fn a_hundred_random_convex_programs_are_solved_by_both_methods_to_the_same_value() {
    for seed in 0..100 {
        let program = convex(seed);
        let values = both(&program).map(|(name, verdict)| assert_solved(name, seed, verdict).value);
        let scale = values[0].abs().max(1.0);
        assert!(
            (values[0] - values[1]).abs() <= 1e-7 * scale,
            "{seed}: {values:?}"
        );
    }
}

// 000b:Q18 000b:Q10
#[test]
fn linear_programs_are_solved_by_both_methods() {
    for seed in 0..40 {
        let n = 2 + (seed % 7) as usize;
        let m = 2 * n;
        let inside = random(1, n, seed, 1).row(0).to_owned();
        let matrix = random(m, n, seed, 2);
        let bound = matrix.dot(&inside) + random(1, m, seed, 3).row(0).mapv(f64::abs);
        let program = QuadraticProgram::linear_program(random(1, n, seed, 4).row(0).to_owned())
            .unwrap()
            .inequalities(matrix, bound)
            .unwrap()
            .bounds(&vec![-5.0; n], &vec![5.0; n])
            .unwrap();
        let values = both(&program).map(|(name, verdict)| assert_solved(name, seed, verdict).value);
        assert!(
            (values[0] - values[1]).abs() <= 1e-7 * values[0].abs().max(1.0),
            "{seed}"
        );
    }
}

// scipy 1.17.1: linprog(c=[-3, -5, 1], A_ub, b_ub, A_eq=[[1, 1, 1]], b_eq=[5]) with x ≥ 0, HiGHS:
// x = (2, 3, 0), fun = −21.
#[test]
fn a_linear_program_agrees_with_scipy() {
    let program = QuadraticProgram::linear_program(array![-3.0, -5.0, 1.0])
        .unwrap()
        .inequalities(
            array![[1.0, 0.0, 2.0], [0.0, 2.0, 1.0], [3.0, 2.0, 0.0]],
            array![4.0, 6.0, 18.0],
        )
        .unwrap()
        .equalities(array![[1.0, 1.0, 1.0]], array![5.0])
        .unwrap()
        .bounds(&[0.0; 3], &[f64::INFINITY; 3])
        .unwrap();
    for (name, verdict) in both(&program) {
        let solution = assert_solved(name, 0, verdict);
        for (found, expected) in solution.x.iter().zip([2.0, 3.0, 0.0]) {
            assert!((found - expected).abs() < 1e-6, "{name} {:?}", solution.x);
        }
    }
}

// 000b:Q04 000b:Q10
#[test]
fn contradictions_come_with_a_proof() {
    for seed in 0..60 {
        let n = 1 + (seed % 6) as usize;
        let m = 3 + (seed % 4) as usize;
        // Rows whose positive combination is zero while the bounds combine to −1.
        let mut matrix = random(m, n, seed, 0);
        let weights = random(1, m, seed, 1).row(0).mapv(|w| w.abs() + 0.1);
        let last = -matrix
            .slice(s![..m - 1, ..])
            .t()
            .dot(&weights.slice(s![..m - 1]))
            / weights[m - 1];
        matrix.row_mut(m - 1).assign(&last);
        let mut bound = random(1, m, seed, 2).row(0).to_owned();
        let rest = bound.slice(s![..m - 1]).dot(&weights.slice(s![..m - 1]));
        bound[m - 1] = (-1.0 - rest) / weights[m - 1];
        let root = random(n, n, seed, 3);
        let program = QuadraticProgram::new(root.dot(&root.t()), Array1::zeros(n))
            .unwrap()
            .inequalities(matrix.clone(), bound.clone())
            .unwrap();
        for (name, verdict) in both(&program) {
            let Verdict::Infeasible(proof) = verdict else {
                panic!("{name} {seed}: {verdict:?}")
            };
            let alpha = Array1::from(proof.multipliers.inequality);
            assert!(alpha.iter().all(|a| *a >= 0.0));
            let promise = bound.dot(&alpha);
            let slope = matrix.t().dot(&alpha);
            assert!(promise < 0.0, "{name} {seed}");
            assert!(
                slope.iter().all(|s| s.abs() <= 1e-6 * -promise),
                "{name} {seed} {slope} {promise}"
            );
        }
    }
    // Equalities alone, and equalities against inequalities.
    let plain = || QuadraticProgram::new(Array2::eye(2), array![0.0, 0.0]).unwrap();
    let twice = plain()
        .equalities(array![[1.0, 1.0], [1.0, 1.0]], array![0.0, 1.0])
        .unwrap();
    let mixed = plain()
        .equalities(array![[1.0, 1.0]], array![4.0])
        .unwrap()
        .bounds(&[0.0, 0.0], &[1.0, 1.0])
        .unwrap();
    for program in [twice, mixed] {
        for (name, verdict) in both(&program) {
            assert!(
                matches!(verdict, Verdict::Infeasible(_)),
                "{name} {verdict:?}"
            );
            let message = verdict.optimal().unwrap_err().to_string();
            assert!(message.contains("contradict"), "{message}");
        }
    }
}

// 000b:Q04 000b:Q09
#[test]
fn objectives_without_end_come_with_a_ray() {
    for seed in 0..60 {
        let n = 2 + (seed % 5) as usize;
        // H vanishes along r, no constraint stops r, and the objective falls along it.
        let ray = random(1, n, seed, 0).row(0).to_owned();
        let length = ray.dot(&ray);
        let mut root = random(n, n, seed, 1);
        for mut column in root.columns_mut() {
            let share = column.dot(&ray) / length;
            column.scaled_add(-share, &ray);
        }
        let mut matrix = random(n + 2, n, seed, 2);
        for mut row in matrix.rows_mut() {
            if row.dot(&ray) > 0.0 {
                row.mapv_inplace(|value| -value);
            }
        }
        let bound = random(1, n + 2, seed, 3).row(0).mapv(f64::abs);
        let hessian = root.dot(&root.t());
        let program = QuadraticProgram::new(0.5 * (&hessian + &hessian.t()), ray.clone())
            .unwrap()
            .inequalities(matrix.clone(), bound)
            .unwrap();
        for (name, verdict) in both(&program) {
            let Verdict::Unbounded(proof) = verdict else {
                panic!("{name} {seed}: {verdict:?}")
            };
            let found = Array1::from(proof.ray);
            let gain = ray.dot(&found);
            assert!(gain > 0.0, "{name} {seed}");
            assert!(
                matrix.dot(&found).iter().all(|v| *v <= 1e-6 * gain),
                "{name} {seed}"
            );
            assert!(
                hessian.dot(&found).iter().all(|v| v.abs() <= 1e-6 * gain),
                "{name} {seed}"
            );
        }
    }
}

fn published() -> QuadraticProgram {
    QuadraticProgram::new(Array2::eye(2) * 2.0, array![2.0, 5.0])
        .unwrap()
        .inequalities(
            array![
                [-1.0, 2.0],
                [1.0, 2.0],
                [1.0, -2.0],
                [-1.0, 0.0],
                [0.0, -1.0]
            ],
            array![2.0, 6.0, 2.0, 0.0, 0.0],
        )
        .unwrap()
}

// 000b:TV-15 000b:Q09
#[test]
fn the_active_set_takes_the_published_path() {
    let (verdict, steps) = ActiveSet::default()
        .solve_from(&published(), &[2.0, 0.0], &[2, 4], &Run::new())
        .unwrap();
    let near = |a: &[f64], b: [f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
    // p = 0, λ = (−2, −1): drop the third.
    assert_eq!(
        steps[0]
            .working
            .iter()
            .map(|(row, _)| *row)
            .collect::<Vec<_>>(),
        [2, 4]
    );
    let lambda: Vec<f64> = steps[0]
        .working
        .iter()
        .map(|(_, value)| value.unwrap())
        .collect();
    assert!(near(&lambda, [-2.0, -1.0]) && steps[0].dropped == Some(2));
    // p = (−1, 0), α = 1.
    assert!(near(&steps[1].direction, [-1.0, 0.0]) && (steps[1].length - 1.0).abs() < 1e-12);
    // At (1, 0): λ = −5, drop the fifth.
    assert!(near(&steps[2].x, [1.0, 0.0]) && steps[2].dropped == Some(4));
    assert!((steps[2].working[0].1.unwrap() + 5.0).abs() < 1e-12);
    // p = (0, 2.5), α = 0.6, blocked by the first.
    assert!(near(&steps[3].direction, [0.0, 2.5]) && (steps[3].length - 0.6).abs() < 1e-12);
    assert_eq!(steps[3].added, Some(0));
    // p = (0.4, 0.2), α = 1.
    assert!(near(&steps[4].x, [1.0, 1.5]) && near(&steps[4].direction, [0.4, 0.2]));
    assert_eq!(steps.len(), 5);
    let solution = verdict.optimal().unwrap();
    assert!(
        near(&solution.x, [1.4, 1.7]) && (solution.multipliers.inequality[0] - 0.8).abs() < 1e-12
    );
    assert_eq!(solution.active, [0]);
}

// 000b:TV-15 000b:Q10
#[test]
fn without_a_start_a_first_phase_finds_one() {
    for (name, verdict) in both(&published()) {
        let solution = assert_solved(name, 0, verdict);
        assert!((solution.x[0] - 1.4).abs() < 1e-8 && (solution.x[1] - 1.7).abs() < 1e-8);
    }
}

// 000b:Q09 001:LAG-06
#[test]
fn the_solution_is_the_best_of_all_active_subsets() {
    for seed in 0..20 {
        let (n, m) = (3, 5);
        let root = random(n, n + 1, seed, 0);
        let hessian = root.dot(&root.t()) + Array2::<f64>::eye(n);
        let linear = random(1, n, seed, 1).row(0).to_owned() * 4.0;
        let matrix = random(m, n, seed, 2);
        let bound = random(1, m, seed, 3).row(0).mapv(f64::abs);
        let program = QuadraticProgram::new(hessian.clone(), linear.clone())
            .unwrap()
            .inequalities(matrix.clone(), bound.clone())
            .unwrap();
        // Every subset of at most three rows held at equality; feasible ones compete.
        let mut best = f64::INFINITY;
        for subset in 0..1_usize << m {
            let rows: Vec<usize> = (0..m).filter(|i| subset >> i & 1 == 1).collect();
            if rows.len() > n {
                continue;
            }
            let held = Array2::from_shape_fn((rows.len(), n), |(i, j)| matrix[[rows[i], j]]);
            let target: Array1<f64> = rows.iter().map(|&i| bound[i]).collect();
            let solved = solve_equality(
                hessian.view(),
                linear.view(),
                held.view(),
                target.view(),
                EqualityRoute::NullSpace,
            );
            let Ok(solution) = solved else { continue };
            if (matrix.dot(&solution.x) - &bound)
                .iter()
                .all(|g| *g <= 1e-9)
            {
                best = best.min(solution.value);
            }
        }
        for (name, verdict) in both(&program) {
            let value = assert_solved(name, seed, verdict).value;
            assert!(
                (value - best).abs() <= 1e-8 * best.abs().max(1.0),
                "{name} {seed} {value} {best}"
            );
        }
    }
}

/// The dual of a soft-margin support vector machine: max Σα − ½αᵀQα, yᵀα = 0, 0 ≤ α ≤ C.
fn margin_dual(rows: usize, repeats: bool, seed: u64) -> QuadraticProgram {
    let mut x = random(rows, 2, seed, 0);
    let y = Array1::from_shape_fn(rows, |i| if i % 2 == 0 { 1.0 } else { -1.0 });
    for i in 0..rows {
        x[[i, 0]] += 0.8 * y[i];
        if repeats && i >= 4 && i % 2 == 0 {
            let copy = x.row(i - 4).to_owned();
            x.row_mut(i).assign(&copy);
        }
    }
    let kernel = x.dot(&x.t());
    let q = Array2::from_shape_fn((rows, rows), |(i, j)| y[i] * y[j] * kernel[[i, j]]);
    QuadraticProgram::new(q, Array1::ones(rows))
        .unwrap()
        .equalities(y.insert_axis(ndarray::Axis(0)), array![0.0])
        .unwrap()
        .bounds(&vec![0.0; rows], &vec![1.0; rows])
        .unwrap()
}

// 002b:KM-12 000b:Q09
#[test]
fn duals_of_support_vector_machines_agree_between_both_methods() {
    for (seed, repeats) in [(1, false), (2, false), (3, true), (4, true)] {
        let program = margin_dual(40, repeats, seed);
        let solutions = both(&program).map(|(name, verdict)| assert_solved(name, seed, verdict));
        assert!((solutions[0].value - solutions[1].value).abs() < 1e-6 * solutions[0].value.abs());
        // The objective is convex in w = Σαyx, which is unique even where α is not.
        let gradients = [&solutions[0], &solutions[1]].map(|s| program.gradient(&s.x));
        assert!(
            (&gradients[0] - &gradients[1])
                .iter()
                .all(|e| e.abs() < 1e-5),
            "{seed}"
        );
    }
}

#[test]
fn a_cancelled_run_stops_and_starts_outside_are_refused() {
    let cancel = Cancel::new();
    cancel.cancel();
    let run = Run::new().cancelled_by(&cancel);
    for result in [
        ActiveSet::default().solve(&convex(2), &run),
        InteriorPoint::default().solve(&convex(2), &run),
    ] {
        assert!(matches!(result, Err(Error::Cancelled)), "{result:?}");
    }
    let outside = ActiveSet::default().solve_from(&published(), &[9.0, 9.0], &[], &Run::new());
    assert!(
        outside
            .unwrap_err()
            .to_string()
            .contains("start is outside the constraints")
    );
    let row = ActiveSet::default().solve_from(&published(), &[2.0, 0.0], &[7], &Run::new());
    assert!(row.unwrap_err().to_string().contains("working is 7"));
}
