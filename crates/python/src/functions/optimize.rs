//! Minimisation, equations and programs; objectives are Python functions.

use super::answers::{List, results};
use super::arguments::{Callable, Json, Matrix, Maybe, Vector, words};
use super::callables::{Fault, PythonObjective, PythonResiduals, PythonSum, Slope};
use super::{Argument, functions};
use didact::core::{Run, Trace};
use didact::{Error, Result};
use didact_optimize::{
    self as optimize, ActiveSet, AugmentedLagrangian, BoxSet, ConjugateGradient,
    ConstrainedOutcome, Curved, ElasticNet, EqualityRoute, GaussNewton, GradientDescent,
    InteriorPoint, L1, L2Ball, LagrangeNewton, Lbfgs, LbfgsB, LinearConjugateGradient, Minimise,
    Newton, NewtonEquations, NonNegative, Outcome, Penalty, Problem, ProximalGradient,
    QuadraticPenalty, QuadraticProgram, Simplex, Sqp, StochasticDescent, Stop, SubgradientMethod,
    TruncatedNewton, Verdict, Weights,
};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Methods of minimisation.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Method {
    GradientDescent,
    ConjugateGradient,
    Lbfgs,
    LbfgsB,
    Newton,
    TruncatedNewton,
    ProximalGradient,
    Subgradient,
}

/// Methods of minimisation under constraints.
#[derive(Clone, Copy)]
pub(crate) enum ConstrainedMethod {
    Sqp,
    AugmentedLagrangian,
    QuadraticPenalty,
    LagrangeNewton,
}

/// Methods for programs.
#[derive(Clone, Copy)]
pub(crate) enum ProgramMethod {
    ActiveSet,
    InteriorPoint,
}

words! {
    /// How to search; None takes L-BFGS, with bounds L-BFGS-B, with a penalty the proximal gradient.
    MethodWord: Method {
        "gradient-descent" => Method::GradientDescent,
        "conjugate-gradient" => Method::ConjugateGradient,
        "lbfgs" => Method::Lbfgs,
        "lbfgs-b" => Method::LbfgsB,
        "newton" => Method::Newton,
        "truncated-newton" => Method::TruncatedNewton,
        "proximal-gradient" => Method::ProximalGradient,
        "subgradient" => Method::Subgradient,
    }
    /// How to search under constraints.
    ConstrainedWord: ConstrainedMethod {
        "sqp" => ConstrainedMethod::Sqp,
        "augmented-lagrangian" => ConstrainedMethod::AugmentedLagrangian,
        "quadratic-penalty" => ConstrainedMethod::QuadraticPenalty,
        "lagrange-newton" => ConstrainedMethod::LagrangeNewton,
    }
    /// How the program is solved.
    ProgramWord: ProgramMethod {
        "active-set" => ProgramMethod::ActiveSet,
        "interior-point" => ProgramMethod::InteriorPoint,
    }
    /// How the linear system is solved.
    RouteWord: EqualityRoute {
        "kkt" => EqualityRoute::Kkt,
        "null-space" => EqualityRoute::NullSpace,
        "range-space" => EqualityRoute::RangeSpace,
    }
}

/// A convex term without slope everywhere that is added to the objective.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PenaltyTerm {
    /// λ·Σ|xᵢ|.
    L1 {
        /// The price λ.
        weight: f64,
    },
    /// λ₁·Σ|xᵢ| + (λ₂/2)·Σxᵢ².
    ElasticNet {
        /// The price λ₁.
        l1: f64,
        /// The price λ₂.
        l2: f64,
    },
    /// No negative coordinate.
    NonNegative,
    /// ‖x‖₂ ≤ r.
    L2Ball {
        /// The radius r.
        radius: f64,
    },
    /// No negative coordinate, and all sum to one.
    Simplex,
}

impl PenaltyTerm {
    fn penalty(&self) -> Result<Box<dyn Penalty>> {
        Ok(match *self {
            PenaltyTerm::L1 { weight } => Box::new(L1::new(weight)?),
            PenaltyTerm::ElasticNet { l1, l2 } => Box::new(ElasticNet::new(l1, l2)?),
            PenaltyTerm::NonNegative => Box::new(NonNegative),
            PenaltyTerm::L2Ball { radius } => Box::new(L2Ball::new(radius)?),
            PenaltyTerm::Simplex => Box::new(Simplex),
        })
    }
}

/// The gradient: a function, True where the objective gives it beside the value, or None for
/// differences.
pub(crate) struct Gradient;

/// What is held of it.
pub(crate) enum HeldGradient {
    Together,
    Function(Py<PyAny>),
    Differences,
}

impl Argument for Gradient {
    const KIND: &'static str = "plain";
    const MEANING: &'static str = " The gradient: a function, True where the objective gives it beside the value, or None for differences.";
    type Held<'py> = HeldGradient;
    type Lent<'a> = &'a HeldGradient;
    fn annotation() -> String {
        "Callable[..., ArrayLike] | bool | None".to_owned()
    }
    fn take<'py>(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Self::Held<'py>> {
        match object.extract::<bool>() {
            Ok(true) => Ok(HeldGradient::Together),
            Ok(false) => Ok(HeldGradient::Differences),
            Err(_) if object.is_none() => Ok(HeldGradient::Differences),
            Err(_) if object.is_callable() => Ok(HeldGradient::Function(object.clone().unbind())),
            Err(_) => Err(PyTypeError::new_err(format!(
                "{name} must be a function, True or None"
            ))),
        }
    }
    fn lend<'a>(held: &'a Self::Held<'_>) -> PyResult<Self::Lent<'a>> {
        Ok(held)
    }
}

impl HeldGradient {
    fn slope(&self) -> Slope<'_> {
        match self {
            HeldGradient::Together => Slope::Together,
            HeldGradient::Function(function) => Slope::Function(function),
            HeldGradient::Differences => Slope::Differences,
        }
    }
}

/// Functions that constrain the point, each alone or with its gradient.
pub(crate) struct Constraints;

/// A constraint as it is held.
#[derive(FromPyObject)]
pub(crate) enum HeldConstraint {
    Pair(Py<PyAny>, Py<PyAny>),
    Alone(Py<PyAny>),
}

impl Argument for Constraints {
    const KIND: &'static str = "plain";
    const MEANING: &'static str =
        " Functions of the point, each alone or as a pair with its gradient.";
    type Held<'py> = Vec<HeldConstraint>;
    type Lent<'a> = &'a [HeldConstraint];
    fn annotation() -> String {
        "Sequence[Callable[..., float] | tuple[Callable[..., float], Callable[..., ArrayLike]]]"
            .to_owned()
    }
    fn take<'py>(_: &str, object: &Bound<'py, PyAny>) -> PyResult<Self::Held<'py>> {
        object.extract()
    }
    fn lend<'a>(held: &'a Self::Held<'_>) -> PyResult<Self::Lent<'a>> {
        Ok(held)
    }
}

impl HeldConstraint {
    fn objective<'a, 'py>(&'a self, py: Python<'py>, fault: &'a Fault) -> PythonObjective<'a, 'py> {
        let (function, slope) = match self {
            HeldConstraint::Alone(function) => (function, Slope::Differences),
            HeldConstraint::Pair(function, gradient) => (function, Slope::Function(gradient)),
        };
        PythonObjective {
            py,
            function,
            slope,
            hessian: None,
            fault,
        }
    }
}

/// A lower and an upper bound for each variable; None is none.
pub(crate) struct Bounds;

impl Argument for Bounds {
    const KIND: &'static str = "bounds";
    const MEANING: &'static str = " A pair of lower and upper bound for each variable, or one pair for all; None is no bound.";
    type Held<'py> = (Vec<f64>, Vec<f64>);
    type Lent<'a> = (&'a [f64], &'a [f64]);
    fn annotation() -> String {
        "Sequence[tuple[float | None, float | None]] | tuple[float | None, float | None]".to_owned()
    }
    fn take<'py>(_: &str, object: &Bound<'py, PyAny>) -> PyResult<Self::Held<'py>> {
        object.extract()
    }
    fn lend<'a>(held: &'a Self::Held<'_>) -> PyResult<Self::Lent<'a>> {
        Ok((&held.0, &held.1))
    }
}

/// One pair of bounds stands for all variables.
fn bounded(bounds: (&[f64], &[f64]), n: usize) -> (Vec<f64>, Vec<f64>) {
    match bounds.0.len() {
        1 => (vec![bounds.0[0]; n], vec![bounds.1[0]; n]),
        _ => (bounds.0.to_vec(), bounds.1.to_vec()),
    }
}

type Options = Json<Map<String, Value>>;

fn method<M: DeserializeOwned>(options: &Map<String, Value>) -> Result<M> {
    serde_json::from_value(Value::Object(options.clone()))
        .map_err(|error| Error::unsupported(format!("options: {error}")))
}

results! {
    /// How often the parts of an objective were asked for.
    Evaluations {
        /// Values, alone or with the gradient.
        values: usize,
        /// Gradients.
        gradients: usize,
        /// Hessians, products with them, or Jacobians.
        curvatures: usize,
    }
    /// Where a minimisation ended and why.
    OptimizeResult {
        /// The best point found.
        x: Vec<f64>,
        /// The value there.
        value: f64,
        /// The largest magnitude in the gradient there.
        gradient_norm: f64,
        /// Number of iterations made.
        iterations: usize,
        /// How often the objective was evaluated.
        evaluations: Evaluations,
        /// Whether a convergence test was met.
        converged: bool,
        /// Which test ended the search.
        stop: String,
        /// The objective after each iteration.
        trace: Vec<f64>,
        /// What the user should know.
        warnings: Vec<String>,
    }
    /// Where a minimisation under constraints ended and why.
    ConstrainedResult {
        /// The point.
        x: Vec<f64>,
        /// The value there.
        value: f64,
        /// The multiplier of each equality.
        equality_multipliers: Vec<f64>,
        /// The multiplier of each inequality.
        inequality_multipliers: Vec<f64>,
        /// By how much the conditions of Karush, Kuhn and Tucker fail at worst.
        kkt: f64,
        /// Number of iterations made.
        iterations: usize,
        /// Whether a convergence test was met.
        converged: bool,
        /// Which test ended the search.
        stop: String,
        /// The objective after each iteration.
        trace: Vec<f64>,
        /// What the user should know.
        warnings: Vec<String>,
    }
    /// A least-squares fit.
    LeastSquaresResult {
        /// The parameters.
        x: Vec<f64>,
        /// Half the weighted sum of squares.
        value: f64,
        /// The covariance of the parameters.
        covariance: Array2<f64>,
        /// The rank of the Jacobian.
        rank: usize,
        /// Number of iterations made.
        iterations: usize,
        /// How often the residuals were evaluated.
        evaluations: Evaluations,
        /// Whether a convergence test was met.
        converged: bool,
        /// Which test ended the search.
        stop: String,
        /// The objective after each iteration.
        trace: Vec<f64>,
        /// What the user should know.
        warnings: Vec<String>,
    }
    /// The solution of a program, or why there is none.
    ProgramResult {
        /// `optimal`, `infeasible` or `unbounded`.
        status: String,
        /// The solution; a feasible point where the program is unbounded.
        x: Option<Vec<f64>>,
        /// The value there.
        value: Option<f64>,
        /// The multiplier of each equality; a proof where the program is infeasible.
        equality_multipliers: Vec<f64>,
        /// The multiplier of each inequality, those of bounds last.
        inequality_multipliers: Vec<f64>,
        /// The inequalities that hold with equality.
        active: Vec<usize>,
        /// By how much the conditions of Karush, Kuhn and Tucker fail at worst.
        kkt: Option<f64>,
        /// The direction in which an unbounded objective falls.
        ray: Option<Vec<f64>>,
        /// Number of iterations made.
        iterations: usize,
        /// Whether a convergence test was met.
        converged: bool,
        /// The objective after each iteration.
        trace: Vec<f64>,
    }
    /// The solution of a linear system by conjugate gradients.
    LinearSolution {
        /// The solution.
        x: Vec<f64>,
        /// The length of what is left over.
        residual: f64,
        /// Number of iterations made.
        iterations: usize,
        /// Whether a convergence test was met.
        converged: bool,
    }
    /// How well derivatives agree with differences.
    DerivativeCheck {
        /// The largest difference, relative.
        relative_error: f64,
        /// The coordinate where it is.
        worst: Vec<usize>,
        /// What was given there.
        given: f64,
        /// What differences say.
        expected: f64,
        /// Whether the derivatives are right to six digits.
        passes: bool,
    }
    /// A point where the gradient vanishes.
    StationaryPoint {
        /// The point.
        x: Vec<f64>,
        /// The value there.
        value: f64,
        /// `minimum`, `maximum`, `saddle` or `undecided`.
        kind: String,
    }
}

fn iterations(trace: &Trace) -> usize {
    trace.objectives.len()
}

impl From<optimize::Evaluations> for Evaluations {
    fn from(found: optimize::Evaluations) -> Self {
        Evaluations {
            values: found.values,
            gradients: found.gradients,
            curvatures: found.curvatures,
        }
    }
}

impl From<Outcome> for OptimizeResult {
    fn from(found: Outcome) -> Self {
        OptimizeResult {
            iterations: found.iterations(),
            converged: found.is_converged(),
            x: found.x,
            value: found.value,
            gradient_norm: found.gradient_norm,
            evaluations: found.evaluations.into(),
            stop: found.stop.to_string(),
            trace: found.trace.objectives,
            warnings: found.warnings,
        }
    }
}

impl From<ConstrainedOutcome> for ConstrainedResult {
    fn from(found: ConstrainedOutcome) -> Self {
        ConstrainedResult {
            x: found.x,
            value: found.value,
            equality_multipliers: found.multipliers.equality,
            inequality_multipliers: found.multipliers.inequality,
            kkt: found.kkt.largest(),
            iterations: iterations(&found.trace),
            converged: found.stop.is_converged(),
            stop: found.stop.to_string(),
            trace: found.trace.objectives,
            warnings: found.warnings,
        }
    }
}

impl From<Verdict> for ProgramResult {
    fn from(verdict: Verdict) -> Self {
        let empty = ProgramResult {
            status: String::new(),
            x: None,
            value: None,
            equality_multipliers: Vec::new(),
            inequality_multipliers: Vec::new(),
            active: Vec::new(),
            kkt: None,
            ray: None,
            iterations: 0,
            converged: true,
            trace: Vec::new(),
        };
        match verdict {
            Verdict::Optimal(found) => ProgramResult {
                status: "optimal".into(),
                kkt: Some(found.kkt.largest()),
                x: Some(found.x),
                value: Some(found.value),
                equality_multipliers: found.multipliers.equality,
                inequality_multipliers: found.multipliers.inequality,
                active: found.active,
                iterations: iterations(&found.trace),
                converged: found.stop != Stop::IterationLimit,
                trace: found.trace.objectives,
                ..empty
            },
            Verdict::Infeasible(proof) => ProgramResult {
                status: "infeasible".into(),
                equality_multipliers: proof.multipliers.equality,
                inequality_multipliers: proof.multipliers.inequality,
                ..empty
            },
            Verdict::Unbounded(proof) => ProgramResult {
                status: "unbounded".into(),
                x: Some(proof.from),
                ray: Some(proof.ray),
                ..empty
            },
        }
    }
}

fn with_constraints(
    mut program: QuadraticProgram,
    inequalities: (Option<ArrayView2<'_, f64>>, Option<&[f64]>),
    equalities: (Option<ArrayView2<'_, f64>>, Option<&[f64]>),
    bounds: Option<(&[f64], &[f64])>,
) -> Result<QuadraticProgram> {
    let both =
        |name: &str| Error::unsupported(format!("give both A_{name} and b_{name}, or neither"));
    program = match inequalities {
        (Some(matrix), Some(bound)) => {
            program.inequalities(matrix.to_owned(), Array1::from(bound.to_vec()))?
        }
        (None, None) => program,
        _ => return Err(both("ub")),
    };
    program = match equalities {
        (Some(matrix), Some(target)) => {
            program.equalities(matrix.to_owned(), Array1::from(target.to_vec()))?
        }
        (None, None) => program,
        _ => return Err(both("eq")),
    };
    match bounds {
        Some(bounds) => {
            let (lower, upper) = bounded(bounds, program.dimension());
            program.bounds(&lower, &upper)
        }
        None => Ok(program),
    }
}

fn solved(
    program: &QuadraticProgram,
    word: ProgramMethod,
    options: &Map<String, Value>,
    run: &Run,
) -> Result<ProgramResult> {
    let verdict = match word {
        ProgramMethod::ActiveSet => method::<ActiveSet>(options)?.solve(program, run)?,
        ProgramMethod::InteriorPoint => method::<InteriorPoint>(options)?.solve(program, run)?,
    };
    Ok(verdict.into())
}

functions! {
    /// Minimises a function from a start.
    ///
    /// Examples
    /// --------
    /// >>> from didact.optimize import minimize
    /// >>> found = minimize(lambda x: (x[0] - 3) ** 2 + (x[1] - 1) ** 2, [0.0, 0.0])
    /// >>> found.x.round(6).tolist(), found.converged
    /// ([3.0, 1.0], True)
    calling minimize[py](fun: Callable, x0: Vector; jac: Gradient = "None", hess: Maybe<Callable> = "None", method: Maybe<MethodWord> = "None", bounds: Maybe<Bounds> = "None", penalty: Maybe<Json<PenaltyTerm>> = "None", options: Options = "{}") -> OptimizeResult {
        let fault = Fault::default();
        let run = Run::new();
        let word = method.unwrap_or(match (&bounds, &penalty) {
            (Some(_), _) => Method::LbfgsB,
            (None, Some(_)) => Method::ProximalGradient,
            (None, None) => Method::Lbfgs,
        });
        let mut objective = PythonObjective { py, function: fun, slope: jac.slope(), hessian: hess, fault: &fault };
        let mut search = || -> Result<Outcome> {
            if bounds.is_some() && word != Method::LbfgsB {
                return Err(Error::unsupported("bounds are for the method lbfgs-b, or for minimize_constrained"));
            }
            if penalty.is_some() && word != Method::ProximalGradient {
                return Err(Error::unsupported("a penalty is for the method proximal-gradient"));
            }
            let curved: &mut dyn Curved = &mut objective;
            match word {
                Method::Newton => self::method::<Newton>(options)?.minimise(curved, x0, &run),
                Method::TruncatedNewton => self::method::<TruncatedNewton>(options)?.minimise(curved, x0, &run),
                Method::GradientDescent => self::method::<GradientDescent>(options)?.minimise(&mut objective, x0, &run),
                Method::ConjugateGradient => self::method::<ConjugateGradient>(options)?.minimise(&mut objective, x0, &run),
                Method::Lbfgs => self::method::<Lbfgs>(options)?.minimise(&mut objective, x0, &run),
                Method::Subgradient => self::method::<SubgradientMethod>(options)?.minimise(&mut objective, x0, &run),
                Method::LbfgsB => {
                    let open = (&[f64::NEG_INFINITY][..], &[f64::INFINITY][..]);
                    let (lower, upper) = bounded(bounds.unwrap_or(open), x0.len());
                    let set = BoxSet::new(lower, upper)?;
                    self::method::<LbfgsB>(options)?.minimise(&mut objective, &set, x0, &run)
                }
                Method::ProximalGradient => {
                    let term = match penalty {
                        Some(term) => term.penalty()?,
                        None => Box::new(L1::new(0.0)?),
                    };
                    self::method::<ProximalGradient>(options)?.minimise(&mut objective, term.as_ref(), x0, &run)
                }
            }
        };
        let found = search();
        fault.or(found).map(OptimizeResult::from)
    }

    /// Minimises a function where the equalities are zero and the inequalities are not positive.
    ///
    /// Examples
    /// --------
    /// >>> from didact.optimize import minimize_constrained
    /// >>> found = minimize_constrained(
    /// ...     lambda x: x[0] ** 2 + x[1] ** 2, [2.0, 0.0], equalities=[lambda x: x[0] + x[1] - 1]
    /// ... )
    /// >>> found.x.round(6).tolist()
    /// [0.5, 0.5]
    calling minimize_constrained[py](fun: Callable, x0: Vector; equalities: Constraints = "()", inequalities: Constraints = "()", jac: Gradient = "None", method: ConstrainedWord = "'sqp'", options: Options = "{}") -> ConstrainedResult {
        let fault = Fault::default();
        let run = Run::new();
        let objective = PythonObjective { py, function: fun, slope: jac.slope(), hessian: None, fault: &fault };
        let found = {
            let mut problem = Problem::new(x0.len(), objective);
            for constraint in equalities {
                problem = problem.equality(constraint.objective(py, &fault));
            }
            for constraint in inequalities {
                problem = problem.inequality(constraint.objective(py, &fault));
            }
            let mut search = || -> Result<ConstrainedOutcome> {
                match method {
                    ConstrainedMethod::Sqp => self::method::<Sqp>(options)?.minimise(&mut problem, x0, &run),
                    ConstrainedMethod::LagrangeNewton => self::method::<LagrangeNewton>(options)?.minimise(&mut problem, x0, &run),
                    ConstrainedMethod::AugmentedLagrangian => {
                        Ok(self::method::<AugmentedLagrangian>(options)?.minimise(&mut problem, x0, &run)?.0)
                    }
                    ConstrainedMethod::QuadraticPenalty => {
                        Ok(self::method::<QuadraticPenalty>(options)?.minimise(&mut problem, x0, &run)?.0)
                    }
                }
            };
            search()
        };
        fault.or(found).map(ConstrainedResult::from)
    }

    /// Minimises a mean of terms by stochastic gradients; `fun(x, terms)` gives the sum of the
    /// values of the named terms and the sum of their gradients.
    calling minimize_terms[py](fun: Callable, n_terms: usize, x0: Vector; options: Options = "{}") -> OptimizeResult {
        let fault = Fault::default();
        let mut sum = PythonSum { py, function: fun, length: n_terms, fault: &fault };
        let found = method::<StochasticDescent>(options)
            .and_then(|descent| descent.minimise(&mut sum, x0, &Run::new()));
        fault.or(found).map(OptimizeResult::from)
    }

    /// Minimises half the weighted sum of squares of the residuals `fun(x)`.
    ///
    /// Residuals count by their standard deviations, or by their covariance.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np
    /// >>> from didact.optimize import least_squares
    /// >>> t = np.arange(5.0)
    /// >>> found = least_squares(lambda x: x[0] * np.exp(x[1] * t) - 2 * np.exp(-0.5 * t), [1.0, 0.0])
    /// >>> found.x.round(6).tolist()
    /// [2.0, -0.5]
    calling least_squares[py](fun: Callable, x0: Vector; jac: Maybe<Callable> = "None", deviations: Maybe<Vector> = "None", covariance: Maybe<Matrix> = "None", options: Options = "{}") -> LeastSquaresResult {
        let fault = Fault::default();
        let mut residuals = PythonResiduals::new(py, fun, jac, x0, &fault)?;
        let weights = match (deviations, covariance) {
            (Some(deviations), None) => Ok(Weights::Deviations(deviations.to_vec())),
            (None, Some(covariance)) => Ok(Weights::Covariance(covariance.to_owned())),
            (None, None) => Ok(Weights::Equal),
            _ => Err(Error::unsupported("give deviations or a covariance, not both")),
        };
        let found = weights.and_then(|weights| {
            method::<GaussNewton>(options)?.minimise_weighted(&mut residuals, &weights, x0, &Run::new())
        });
        fault.or(found).map(|found| LeastSquaresResult {
            iterations: found.outcome.iterations(),
            converged: found.outcome.is_converged(),
            x: found.outcome.x,
            value: found.outcome.value,
            covariance: found.covariance,
            rank: found.rank,
            evaluations: found.outcome.evaluations.into(),
            stop: found.outcome.stop.to_string(),
            trace: found.outcome.trace.objectives,
            warnings: found.outcome.warnings,
        })
    }

    /// Looks for a root of the equations `fun(x) = 0` by Newton's method.
    calling root[py](fun: Callable, x0: Vector; jac: Maybe<Callable> = "None", options: Options = "{}") -> OptimizeResult {
        let fault = Fault::default();
        let mut equations = PythonResiduals::new(py, fun, jac, x0, &fault)?;
        let found = method::<NewtonEquations>(options)
            .and_then(|newton| newton.solve(&mut equations, x0, &Run::new()));
        fault.or(found).map(OptimizeResult::from)
    }

    /// The distinct points of zero slope that Newton's method finds from each start (a row each).
    calling stationary_points[py](fun: Callable, starts: Matrix; jac: Gradient = "None", hess: Maybe<Callable> = "None") -> List<StationaryPoint> {
        let fault = Fault::default();
        let starts: Vec<Vec<f64>> = starts.rows().into_iter().map(|row| row.to_vec()).collect();
        let mut objective = PythonObjective { py, function: fun, slope: jac.slope(), hessian: hess, fault: &fault };
        let found = optimize::stationary_points(&mut objective, &starts, &Run::new());
        let points = fault.or(found)?;
        Ok(List(points.into_iter().map(|point| StationaryPoint {
            x: point.x,
            value: point.value,
            kind: format!("{:?}", point.kind).to_lowercase(),
        }).collect()))
    }

    /// Compares a gradient with central differences of the function.
    calling check_gradient[py](fun: Callable, x: Vector; jac: Gradient = "True") -> DerivativeCheck {
        let fault = Fault::default();
        let mut objective = PythonObjective { py, function: fun, slope: jac.slope(), hessian: None, fault: &fault };
        let found = optimize::check_gradient(&mut objective, x);
        let found = fault.or(found)?;
        Ok(DerivativeCheck {
            passes: found.passes(),
            relative_error: found.relative_error,
            worst: found.worst,
            given: found.given,
            expected: found.expected,
        })
    }

    /// The convex quadratic program min ½·xᵀPx + qᵀx where A_ub·x ≤ b_ub and A_eq·x = b_eq.
    ///
    /// Examples
    /// --------
    /// >>> from didact.optimize import quadratic_program
    /// >>> found = quadratic_program([[2, 0], [0, 2]], [-2, -5], [[1, 1]], [2])
    /// >>> found.status, found.x.round(6).tolist()
    /// ('optimal', [0.25, 1.75])
    long quadratic_program[run](P: Matrix, q: Vector, A_ub: Maybe<Matrix> = "None", b_ub: Maybe<Vector> = "None", A_eq: Maybe<Matrix> = "None", b_eq: Maybe<Vector> = "None"; bounds: Maybe<Bounds> = "None", method: ProgramWord = "'active-set'", options: Options = "{}") -> ProgramResult {
        let linear: Array1<f64> = q.iter().map(|value| -value).collect();
        let program = QuadraticProgram::new(P.to_owned(), linear)?;
        let program = with_constraints(program, (A_ub, b_ub), (A_eq, b_eq), bounds)?;
        solved(&program, method, options, run)
    }

    /// The linear program min cᵀx where A_ub·x ≤ b_ub and A_eq·x = b_eq; unless told otherwise no
    /// variable is negative, as in SciPy.
    long linprog[run](c: Vector, A_ub: Maybe<Matrix> = "None", b_ub: Maybe<Vector> = "None", A_eq: Maybe<Matrix> = "None", b_eq: Maybe<Vector> = "None"; bounds: Maybe<Bounds> = "(0, None)", method: ProgramWord = "'interior-point'", options: Options = "{}") -> ProgramResult {
        let program = QuadraticProgram::linear_program(Array1::from(c.to_vec()))?;
        let program = with_constraints(program, (A_ub, b_ub), (A_eq, b_eq), bounds)?;
        solved(&program, method, options, run)
    }

    /// The quadratic program min ½·xᵀPx + qᵀx where A·x = b, by one of three routes; gives x and
    /// the multipliers.
    quick equality_program(P: Matrix, q: Vector, A: Matrix, b: Vector; route: RouteWord = "'kkt'") -> (Array1<f64>, Array1<f64>) {
        let linear: Array1<f64> = q.iter().map(|value| -value).collect();
        let found = optimize::solve_equality(P, linear.view(), A, ArrayView1::from(b), route)?;
        Ok((found.x, found.multipliers))
    }

    /// Solves A·x = b for a symmetric positive definite A, or min ‖A·x − b‖, by conjugate
    /// gradients.
    long conjugate_gradient[run](A: Matrix, b: Vector; least_squares: bool = "False", options: Options = "{}") -> LinearSolution {
        let solver = method::<LinearConjugateGradient>(options)?;
        let found = match least_squares {
            true => solver.least_squares(&A, b, run)?,
            false => solver.solve(&A, b, run)?,
        };
        Ok(LinearSolution {
            x: found.x,
            residual: found.residual,
            iterations: iterations(&found.trace),
            converged: found.stop.is_converged(),
        })
    }
}
