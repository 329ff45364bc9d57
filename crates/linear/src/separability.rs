//! Whether two classes can be separated by a hyperplane, with a proof either way.

use didact_core::{Error, FitData, Labelled, Result, Run};
use didact_math::linalg::Variances;
use didact_optimize::{InteriorPoint, QuadraticProgram};
use ndarray::{Array1, Array2, s};

/// The answer to whether two classes can be separated, with what proves it.
#[derive(Clone, Debug, PartialEq)]
pub enum Separability {
    /// The second class is where w·x + b > 0, the first where it is < 0.
    Separable {
        /// The weights w.
        weights: Vec<f64>,
        /// The intercept b.
        intercept: f64,
    },
    /// A mean of rows of the first class equals one of the second, so no plane lies between.
    Inseparable {
        /// The share of each row in the mean of its class; the shares of a class sum to one.
        shares: Vec<f64>,
        /// How far the two means are apart, in deviations of the columns: zero up to rounding.
        distance: f64,
    },
}

/// Decides whether a hyperplane has all rows of the first class strictly on one side and all of
/// the second strictly on the other.
///
/// The linear program max t where y·(w·x + b) ≥ t for every row and |w|, |b|, t ≤ 1 has the
/// solution t = 0 exactly when there is none; then its multipliers are shares of the rows whose
/// means coincide. Columns are standardised and rows divided by their largest value first, which
/// changes nothing but the rounding. A perceptron could only ever prove the positive answer.
///
/// ```
/// use didact_core::{Labelled, Labels, Run};
/// use didact_linear::{Separability, linear_separability};
/// let x = ndarray::array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
/// let (and, xor) = (Labels::from_indices(vec![0, 0, 0, 1]), Labels::from_indices(vec![0, 1, 1, 0]));
/// let decide = |labels| linear_separability(Labelled::new(&x, labels)?, &Run::new());
/// assert!(matches!(decide(&and)?, Separability::Separable { .. }));
/// assert!(matches!(decide(&xor)?, Separability::Inseparable { .. }));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn linear_separability(data: Labelled<'_>, run: &Run) -> Result<Separability> {
    data.check(didact_core::Accepts::empty())?;
    if data.classes.len() != 2 {
        return Err(Error::data(format!(
            "there are {} classes; give rows of exactly two",
            data.classes.len()
        )));
    }
    let x = data.samples.dense()?;
    let (n, d) = x.dim();
    let columns = Variances::summarise(data.samples.rows(), None, run)?;
    let deviation = columns.sum_squares.mapv(|sum| {
        let deviation = (sum / n as f64).sqrt();
        if deviation > 0.0 { deviation } else { 1.0 }
    });
    if deviation
        .iter()
        .chain(&columns.mean)
        .any(|v| !v.is_finite())
    {
        return Err(Error::numerical(
            "the squares of the columns overflow; \
             divide the columns by a power of ten so that their values stay below 1e150",
        ));
    }
    let side = |row: usize| if data.labels[row] == 1 { 1.0 } else { -1.0 };
    let standard = (&x - &columns.mean) / &deviation;
    let lengths: Array1<f64> = standard
        .rows()
        .into_iter()
        .map(|row| {
            row.iter()
                .fold(1.0_f64, |most, value| most.max(value.abs()))
        })
        .collect();
    let solution = solve(&standard, &lengths, side, run)?;
    let weights = &Array1::from(solution.x[..d].to_vec()) / &deviation;
    let intercept = solution.x[d] - weights.dot(&columns.mean);
    let separates = (0..n).all(|row| {
        // The standardised row and the original one must both be on their side.
        let inner = standard
            .row(row)
            .dot(&Array1::from(solution.x[..d].to_vec()))
            + solution.x[d];
        side(row) * inner > 0.0 && side(row) * (x.row(row).dot(&weights) + intercept) > 0.0
    });
    if separates {
        return Ok(Separability::Separable {
            weights: weights.to_vec(),
            intercept,
        });
    }
    Ok(proof(
        &standard,
        &lengths,
        &solution.multipliers.inequality,
        side,
    ))
}

/// max t where y·(w·x + b)/ℓ ≥ t: the variables are w, b and t.
fn solve(
    standard: &Array2<f64>,
    lengths: &Array1<f64>,
    side: impl Fn(usize) -> f64,
    run: &Run,
) -> Result<didact_optimize::ProgramSolution> {
    let (n, d) = standard.dim();
    let mut matrix = Array2::ones((n, d + 2));
    for row in 0..n {
        let factor = -side(row) / lengths[row];
        let mut target = matrix.slice_mut(s![row, ..=d]);
        target *= factor;
        let mut target = matrix.slice_mut(s![row, ..d]);
        target *= &standard.row(row);
    }
    let mut cost = Array1::zeros(d + 2);
    cost[d + 1] = -1.0;
    let mut lowest = vec![-1.0; d + 2];
    lowest[d + 1] = -2.0;
    let program = QuadraticProgram::linear_program(cost)?
        .inequalities(matrix, Array1::zeros(n))?
        .bounds(&lowest, &vec![1.0; d + 2])?;
    InteriorPoint::default()
        .solve(&program, &run.quietly())?
        .optimal()
}

/// The multipliers of the rows as shares of their classes.
fn proof(
    standard: &Array2<f64>,
    lengths: &Array1<f64>,
    multipliers: &[f64],
    side: impl Fn(usize) -> f64,
) -> Separability {
    let (n, d) = standard.dim();
    let mut shares: Vec<f64> = (0..n)
        .map(|row| multipliers[row].max(0.0) / lengths[row])
        .collect();
    for class in [-1.0, 1.0] {
        let total: f64 = (0..n)
            .filter(|&row| side(row) == class)
            .map(|row| shares[row])
            .sum();
        for (row, share) in shares.iter_mut().enumerate() {
            if side(row) == class && total > 0.0 {
                *share /= total;
            }
        }
    }
    let mut difference = Array1::<f64>::zeros(d);
    for (row, &share) in shares.iter().enumerate() {
        difference.scaled_add(side(row) * share, &standard.row(row));
    }
    Separability::Inseparable {
        distance: difference.dot(&difference).sqrt(),
        shares,
    }
}
