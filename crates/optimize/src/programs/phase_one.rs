//! A feasible start, or the proof that there is none.

use super::{ActiveSet, Infeasible, QuadraticProgram, Verdict};
use crate::Multipliers;
use crate::outcome::largest_magnitude;
use didact_core::{Error, Result, Run};
use didact_math::linalg::pseudo_solve;
use ndarray::{Array1, Array2, ArrayView1, Axis, s};

/// A point that fulfils all constraints, or the weights that prove a contradiction.
///
/// The equalities are solved by least squares; then the linear program min s where A·x − s ≤ b,
/// C·x = e and s ≥ 0 starts from the largest violation, which is feasible by construction.
pub(super) fn feasible_point(
    method: &ActiveSet,
    program: &QuadraticProgram,
    run: &Run,
) -> Result<std::result::Result<Vec<f64>, Infeasible>> {
    let (equalities, inequalities) = program.n_constraints();
    let n = program.dimension();
    let tolerance = 1e-9 * program.scale();
    let mut start = vec![0.0; n];
    if equalities > 0 {
        let right = program.equality_target.view().insert_axis(Axis(1));
        let solved = pseudo_solve(program.equality_matrix.view(), right, Some(1e-12))?;
        start = solved.solution.column(0).to_vec();
        let point = ArrayView1::from(&start);
        let rest = &program.equality_target - &program.equality_matrix.dot(&point);
        let worst = largest_magnitude(&rest.to_vec());
        if worst > tolerance {
            // The residual r is orthogonal to the rows: Cᵀr = 0 while eᵀr = ‖r‖² > 0.
            let equality = rest.iter().map(|r| -r).collect();
            let multipliers = Multipliers {
                equality,
                inequality: vec![0.0; inequalities],
            };
            return Ok(Err(ActiveSet::proof(multipliers, worst)));
        }
    }
    let violation = program.violation(&start);
    if violation <= 0.0 || inequalities == 0 {
        return Ok(Ok(start));
    }
    let relaxed = relax(program)?;
    let mut point = start;
    point.push(violation);
    let (verdict, _) = method.iterate(&relaxed, point, &[], &run.quietly())?;
    let Verdict::Optimal(solution) = verdict else {
        return Err(Error::numerical(
            "the search for a feasible point ran away; scale the constraints",
        ));
    };
    let mut x = solution.x;
    let excess = x.pop().unwrap_or(0.0);
    if excess > tolerance {
        let mut multipliers = solution.multipliers;
        multipliers.inequality.truncate(inequalities);
        return Ok(Err(ActiveSet::proof(multipliers, excess)));
    }
    Ok(Ok(x))
}

/// min s where A·x − s ≤ b, −s ≤ 0, C·x = e.
fn relax(program: &QuadraticProgram) -> Result<QuadraticProgram> {
    let (equalities, inequalities) = program.n_constraints();
    let n = program.dimension();
    let mut cost = Array1::zeros(n + 1);
    cost[n] = 1.0;
    let mut matrix = Array2::zeros((inequalities + 1, n + 1));
    matrix
        .slice_mut(s![..inequalities, ..n])
        .assign(&program.inequality_matrix);
    matrix.slice_mut(s![.., n]).fill(-1.0);
    let mut bound = Array1::zeros(inequalities + 1);
    bound
        .slice_mut(s![..inequalities])
        .assign(&program.inequality_bound);
    let mut fixed = Array2::zeros((equalities, n + 1));
    fixed
        .slice_mut(s![.., ..n])
        .assign(&program.equality_matrix);
    QuadraticProgram::linear_program(cost)?
        .inequalities(matrix, bound)?
        .equalities(fixed, program.equality_target.clone())
}
