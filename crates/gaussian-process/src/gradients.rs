//! Every analytic gradient against differences, in one place.

use crate::classifier::{Laplace, Signs};
use crate::covariance::{Covariance, CovarianceShape, Smoothness};
use crate::exact::{Exact, ProcessCriterion};
use crate::observations::Observations;
use crate::process::Process;
use crate::sparse::Sparse;
use crate::weight_space::LinearSpace;
use didact_core::{Result, Run};
use didact_optimize::check_gradient;
use didact_testing::random_matrix;
use ndarray::{Array1, array, s};

fn shapes() -> Vec<CovarianceShape> {
    vec![
        CovarianceShape::Rbf,
        CovarianceShape::Matern(Smoothness::Half),
        CovarianceShape::Matern(Smoothness::ThreeHalves),
        CovarianceShape::Matern(Smoothness::FiveHalves),
        CovarianceShape::RationalQuadratic { scale_mixture: 0.8 },
        CovarianceShape::Linear { coef0: 0.5 },
    ]
}

fn processes() -> Vec<Process> {
    let lengths = [array![0.9], array![0.7, 1.6, 1.1]];
    let mut list = Vec::new();
    for shape in shapes() {
        for lengths in &lengths {
            let covariance = Covariance::new(shape, 1.4, lengths.clone()).unwrap();
            list.push(Process::new(covariance, 0.3).unwrap());
        }
    }
    list
}

fn observations(weighted: bool) -> Observations {
    let rows = random_matrix(23, 3, 1);
    let noise = random_matrix(23, 2, 2) * 0.3;
    let mut targets = noise;
    for (mut target, row) in targets.rows_mut().into_iter().zip(rows.rows()) {
        target[0] += (2.0 * row[0]).sin();
        target[1] += row[1] - row[2];
    }
    let weights = weighted.then(|| Array1::from_shape_fn(23, |row| 0.5 + (row % 4) as f64));
    Observations {
        rows,
        targets,
        weights,
    }
}

fn check(process: &Process, evaluate: impl Fn(&Process, Option<&mut [f64]>) -> Result<f64>) {
    let mut objective =
        |x: &[f64], gradient: &mut [f64]| evaluate(&process.with_log_parameters(x), Some(gradient));
    let report = check_gradient(&mut objective, &process.log_parameters()).unwrap();
    assert!(report.passes(), "{process:?}: {report:?}");
}

// 002b:GP-13
#[test]
fn the_gradients_of_evidence_and_leave_one_out_are_those_of_differences() {
    let run = Run::new();
    for weighted in [false, true] {
        let observations = observations(weighted);
        for process in processes() {
            let exact = Exact::new(process.covariance(), &observations, &run).unwrap();
            for criterion in [ProcessCriterion::Evidence, ProcessCriterion::LeaveOneOut] {
                check(&process, |process, gradient| {
                    exact.evaluate(process, criterion, gradient, &run)
                });
            }
        }
    }
}

// 002b:GP-12
#[test]
fn the_gradient_of_the_bound_is_that_of_differences() {
    let run = Run::new();
    for weighted in [false, true] {
        let observations = observations(weighted);
        let inducing = observations.rows.slice(s![..;3, ..]);
        let sparse = Sparse {
            observations: &observations,
            inducing,
        };
        for process in processes() {
            if process.covariance().shape().is_stationary() {
                check(&process, |process, gradient| {
                    sparse.evaluate(process, gradient, &run)
                });
            }
        }
    }
}

// 002b:GP-02
#[test]
fn both_views_of_a_linear_process_have_the_same_evidence_and_gradient() {
    let run = Run::new();
    for weighted in [false, true] {
        let observations = observations(weighted);
        let space = LinearSpace {
            observations: &observations,
        };
        for process in processes() {
            if process.covariance().shape().is_stationary() {
                continue;
            }
            let exact = Exact::new(process.covariance(), &observations, &run).unwrap();
            let count = process.log_parameters().len();
            let (mut ours, mut theirs) = (vec![0.0; count], vec![0.0; count]);
            let value = space.evaluate(&process, Some(&mut ours), &run).unwrap();
            let expected = exact
                .evaluate(
                    &process,
                    ProcessCriterion::Evidence,
                    Some(&mut theirs),
                    &run,
                )
                .unwrap();
            assert!((value / expected - 1.0).abs() < 1e-12);
            for (ours, theirs) in ours.iter().zip(&theirs) {
                assert!((ours - theirs).abs() < 1e-9 * (1.0 + theirs.abs()));
            }
        }
    }
}

// 002b:GP-20
#[test]
fn the_gradient_of_laplaces_evidence_is_that_of_differences() {
    let run = Run::new();
    let observations = observations(true);
    let data = Signs {
        signs: observations.targets.column(0).mapv(f64::signum),
        rows: observations.rows,
        weights: observations.weights.unwrap(),
    };
    for process in processes() {
        let latent = Process::new(process.covariance().clone(), 0.0).unwrap();
        let laplace = Laplace::new(latent.covariance(), &data, 100, &run).unwrap();
        check(&latent, |process, gradient| {
            laplace.evaluate(process, gradient, &run)
        });
    }
}
