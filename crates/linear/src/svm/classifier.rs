//! Linear support vector classification.

use super::crammer_singer::Machine;
use super::problem::{Found, Problem};
use super::{dual, newton};
use crate::ClassWeight;
use crate::online::Examples;
use crate::separators::{Separators, separator_model};
use crate::sparse_descent::{Columns, PointLoss, SparseProblem};
use didact_core::{
    Accepts, Error, Fit, Labelled, Progress, Result, Run, StopReason, Trace, Value, parallel,
};
use ndarray::{Array1, Array2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Up to this many weights squared losses are minimised by Newton's method.
pub(super) const FEW_WEIGHTS: usize = 400;

/// Separates classes by planes with a wide margin.
///
/// Minimises ½‖w‖² + C·Σ max(1 − y·f(x), 0), or the squares of these losses, or ‖w‖₁ in the place
/// of ½‖w‖². More than two classes are told apart one against the rest, by the highest score. The
/// intercept is the weight of a feature that is always `intercept_scaling` and carries a price
/// like the others, as in liblinear. Or all classes are told apart by one machine, after Crammer
/// and Singer, which minimises ½Σ‖wₖ‖² + C·Σ max(0, 1 + maxₖ fₖ(x) − fᵧ(x)) over the wrong classes k;
/// `loss` then has no part.
///
/// Dual coordinate descent with shrinking, or Newton's method for squared losses and few columns;
/// the duality gap says how far from the minimum the objective can be at most.
///
/// ```
/// use didact_core::{Classify, Fit};
/// use didact_linear::LinearSvc;
/// let iris = didact_datasets::iris();
/// let model = LinearSvc::default().fit(iris.labelled()?)?;
/// let predicted = model.predict(iris.samples())?;
/// let right = predicted.iter().zip(&iris.labels()?.indices).filter(|(a, b)| a == b).count();
/// assert!(right >= 140);
/// assert!(model.duality_gap().iter().all(|gap| *gap < 1e-3));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "LinearSVC")]
pub struct LinearSvc {
    /// What large weights cost.
    pub penalty: SvcPenalty,
    /// What a row costs that is not beyond the margin.
    pub loss: SvcLoss,
    /// How more than two classes are told apart.
    pub multi_class: MultiClass,
    /// How much the rows cost in comparison with the weights.
    #[serde(rename = "C")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c: f64,
    /// Whether to fit an intercept for each score.
    pub fit_intercept: bool,
    /// The constant feature whose weight is the intercept; the larger, the less the intercept
    /// costs.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub intercept_scaling: f64,
    /// How much the rows of each class count.
    pub class_weight: ClassWeight,
    /// At most this many passes over the rows, or Newton steps, are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The search ends when the duality gap is at most this share of the objective.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
    /// Seed of the order of the coordinates.
    pub random_state: u64,
}

/// What large weights of a support vector classifier cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SvcPenalty {
    /// Half their squared length.
    #[default]
    L2,
    /// Their absolute values, which makes many of them zero; with the squared hinge only.
    L1,
}

/// How a support vector classifier tells more than two classes apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MultiClass {
    /// One machine for each class against the rest.
    #[default]
    Ovr,
    /// One machine for all classes, after Crammer and Singer; with the penalty l2 only.
    CrammerSinger,
}

/// What a row of a support vector classifier costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SvcLoss {
    /// max(1 − z, 0).
    Hinge,
    /// max(1 − z, 0)².
    #[default]
    SquaredHinge,
}

impl Default for LinearSvc {
    fn default() -> Self {
        LinearSvc {
            penalty: SvcPenalty::L2,
            loss: SvcLoss::SquaredHinge,
            multi_class: MultiClass::Ovr,
            c: 1.0,
            fit_intercept: true,
            intercept_scaling: 1.0,
            class_weight: ClassWeight::None,
            max_iter: 1000,
            tol: 1e-4,
            random_state: 0,
        }
    }
}

/// A linear classifier with the certificates of its scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearSvcModel {
    separators: Separators,
    objective: Array1<f64>,
    gap: Array1<f64>,
    trace: Trace,
}

impl LinearSvcModel {
    /// The objective of each score, or of the machine for all classes.
    pub fn objective(&self) -> &Array1<f64> {
        &self.objective
    }

    /// By how much each objective is above the least one at most.
    pub fn duality_gap(&self) -> &Array1<f64> {
        &self.gap
    }

    fn is_sound(&self) -> bool {
        let outputs = self.separators.coef.nrows();
        let scores = self.objective.len();
        (scores == outputs || scores == 1) && self.gap.len() == scores
    }
}

separator_model!(LinearSvcModel {
    "objective", "The objective of each score.", |model| Value::from(&model.objective);
    "dual_gap", "By how much each objective is above the least one at most.",
        |model| Value::from(&model.gap);
});

impl Fit<Labelled<'_>> for LinearSvc {
    type Model = LinearSvcModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<LinearSvcModel> {
        if self.multi_class == MultiClass::CrammerSinger {
            return self.learn_together(data, run);
        }
        if self.penalty == SvcPenalty::L1 && self.loss == SvcLoss::Hinge {
            return Err(Error::parameter(
                "loss",
                "hinge",
                "with the penalty l1 it must be squared-hinge",
            ));
        }
        let examples = Examples::new(data, &self.class_weight)?;
        let columns = match self.penalty {
            SvcPenalty::L1 => Some(Columns::new(examples.rows(), run)?),
            SvcPenalty::L2 => None,
        };
        let outputs: Vec<usize> = (0..examples.n_outputs()).collect();
        let inner = match outputs.len() {
            1 => run.clone(),
            _ => run.quietly(),
        };
        let found = parallel::map(&outputs, run, |&output| {
            let positive = if outputs.len() == 1 { 1 } else { output };
            match &columns {
                Some(columns) => self.solve_sparse(columns, &examples, positive, &inner),
                None => self.solve(&examples, positive, &inner),
            }
        })?;
        self.finish(&examples, found, run)
    }
}

impl LinearSvc {
    /// One machine for all classes.
    fn learn_together(&self, data: Labelled<'_>, run: &Run) -> Result<LinearSvcModel> {
        if self.penalty == SvcPenalty::L1 {
            let requirement = "with the multi_class crammer-singer it must be l2";
            return Err(Error::parameter("penalty", "l1", requirement));
        }
        let examples = Examples::new(data, &self.class_weight)?;
        let machine = Machine {
            constant: self.constant(),
            prices: self.prices(&examples),
            tol: self.tol,
            max_iter: self.max_iter,
            random_state: self.random_state,
            examples: &examples,
        };
        let found = machine.solve(run)?;
        let (d, mut weights) = (examples.n_columns(), found.weights);
        if let [first, second] = &mut weights[..] {
            // Two classes have one score, which is the difference of theirs.
            for (w, other) in first.iter_mut().zip(&*second) {
                *w = other - *w;
            }
            weights.truncate(1);
        }
        let coef = Array2::from_shape_fn((weights.len(), d), |(class, j)| weights[class][j]);
        let intercept = weights.iter().map(|w| w[d] * self.constant()).collect();
        Ok(LinearSvcModel {
            separators: Separators::new(examples.classes, examples.present, coef, intercept)?,
            objective: Array1::from_elem(1, found.objective),
            gap: Array1::from_elem(1, found.gap),
            trace: found.trace,
        })
    }

    fn signs(examples: &Examples<'_>, positive: usize) -> Vec<f64> {
        let sign = |&place: &usize| if place == positive { 1.0 } else { -1.0 };
        examples.places.iter().map(sign).collect()
    }

    fn constant(&self) -> f64 {
        if self.fit_intercept {
            self.intercept_scaling
        } else {
            0.0
        }
    }

    fn prices(&self, examples: &Examples<'_>) -> Vec<f64> {
        examples.counts.iter().map(|count| self.c * count).collect()
    }

    fn solve(&self, examples: &Examples<'_>, positive: usize, run: &Run) -> Result<Found> {
        let problem = Problem {
            rows: examples.rows(),
            reader: examples.reader(),
            constant: self.constant(),
            targets: Self::signs(examples, positive),
            prices: self.prices(examples),
            epsilon: 0.0,
            is_squared: self.loss == SvcLoss::SquaredHinge,
            is_one_sided: true,
        };
        match problem.is_squared && problem.n_weights() <= FEW_WEIGHTS {
            true => newton::solve(&problem, self.tol, self.max_iter, run),
            false => dual::solve(&problem, self.tol, self.max_iter, self.random_state, run),
        }
    }

    fn solve_sparse(
        &self,
        columns: &Columns<'_>,
        examples: &Examples<'_>,
        positive: usize,
        run: &Run,
    ) -> Result<Found> {
        let prices = self.prices(examples);
        let problem = SparseProblem {
            columns,
            constant: self.constant(),
            loss: PointLoss::SquaredHinge,
            places: &examples.places,
            positive,
            counts: &prices,
            offsets: None,
            absolute: 1.0,
            absolute_of_intercept: 1.0,
            squared: 0.0,
        };
        let start = vec![0.0; columns.n_columns() + 1];
        let solution = problem.solve(start, self.tol, self.max_iter, run)?;
        Ok(Found {
            gap: solution.gap,
            objective: solution.objective,
            weights: solution.weights,
            objectives: solution.objectives,
            stop: solution.stop,
        })
    }

    fn finish(
        &self,
        examples: &Examples<'_>,
        found: Vec<Found>,
        run: &Run,
    ) -> Result<LinearSvcModel> {
        let d = examples.n_columns();
        let mut coef = Array2::zeros((found.len(), d));
        let mut intercept = Array1::zeros(found.len());
        for (output, each) in found.iter().enumerate() {
            for j in 0..d {
                coef[[output, j]] = each.weights[j];
            }
            intercept[output] = each.weights[d] * self.constant();
        }
        let trace = merged_trace(&found, self.max_iter, run)?;
        let (classes, present) = (examples.classes.clone(), examples.present.clone());
        Ok(LinearSvcModel {
            separators: Separators::new(classes, present, coef, intercept)?,
            objective: found.iter().map(|each| each.objective).collect(),
            gap: found.iter().map(|each| each.gap).collect(),
            trace,
        })
    }
}

/// The sum of the objectives of all scores after each round, and the worst reason to stop.
fn merged_trace(found: &[Found], max_iter: usize, run: &Run) -> Result<Trace> {
    let rounds = found.iter().map(|each| each.objectives.len()).max();
    let after = |round: usize| {
        let each = found.iter().map(|each| {
            let reached = each.objectives.get(round).or(each.objectives.last());
            reached.copied().unwrap_or(each.objective)
        });
        each.sum::<f64>()
    };
    let objectives: Vec<f64> = (0..rounds.unwrap_or(0)).map(after).collect();
    if found.len() > 1 {
        // The scores were found side by side; what was reached is told now.
        for (round, &objective) in objectives.iter().enumerate() {
            run.report(&Progress {
                iteration: round + 1,
                limit: Some(max_iter),
                objective_name: "regularised risk",
                objective,
            })?;
        }
    }
    let worst = [StopReason::IterationLimit, StopReason::Stalled];
    let stop = worst
        .into_iter()
        .find(|stop| found.iter().any(|each| each.stop == *stop));
    Ok(Trace {
        objective_name: "regularised risk".to_owned(),
        objectives,
        stop: stop.unwrap_or(StopReason::Converged),
    })
}
