//! Minimising the loss of all rows at once.

use super::{Learnable, Learned};
use didact_core::{Result, Run, Trace};
use didact_optimize::{Lbfgs, Minimise};

/// Minimises the loss of all items by L-BFGS from the given parameters.
pub(crate) fn minimise_whole(
    problem: &mut dyn Learnable<f64>,
    parameters: &mut Vec<f64>,
    n_items: usize,
    max_iter: usize,
    tol: f64,
    run: &Run,
) -> Result<Learned> {
    let items: Vec<usize> = (0..n_items).collect();
    let method = Lbfgs {
        max_iter,
        gradient_tolerance: tol,
        // Flat stretches end the search as well, later where more digits are asked for.
        objective_tolerance: 1e-5 * tol,
        ..Lbfgs::default()
    };
    let mut objective = |x: &[f64], gradient: &mut [f64]| -> Result<f64> {
        problem.gradient(x, &items, 0, gradient, run)
    };
    let outcome = method.minimise(&mut objective, parameters, run)?;
    *parameters = outcome.x;
    let mut learned = Learned::new(
        Trace {
            objective_name: "loss".to_owned(),
            ..outcome.trace
        },
        Vec::new(),
    );
    learned.loss = outcome.value;
    learned.best_loss = learned.best_loss.min(outcome.value);
    Ok(learned)
}
