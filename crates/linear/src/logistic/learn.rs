//! Learning in memory and in pieces with the same passes.

use super::evaluation::{Evaluation, Examples};
use super::frame::{Frame, Survey};
use super::line::Line;
use super::search::{Answer, Goal, Method, Search};
use super::{LogisticModel, LogisticRegression, Solver};
use crate::rows::CountingLabelled;
use crate::start::learns_from_start;
use didact_core::{
    Accepts, Error, Labelled, LearnInPieces, Next, Progress, Result, Run, StopReason,
    ensure_belongs,
};
use didact_math::linalg::{Moments, Variances};
use serde::{Deserialize, Serialize};

pub(super) const OBJECTIVE: &str = "penalised cross-entropy";

/// Newton's method keeps a square matrix of this many rows at most.
const MOST_NEWTON_WEIGHTS: usize = 500;

/// With more columns than this, each as often as there are scores and one, passes of L-BFGS are
/// cheaper than second derivatives. Without a penalty Newton's method is preferred all the same:
/// it tells best when there is no minimum.
const MOST_NEWTON_COLUMNS: usize = 250;

/// From this many rows and weights in memory, passes of L-BFGS come before second derivatives,
/// which cost as much as several of them.
const MANY_ROWS: usize = 4096;
const MANY_WEIGHTS: usize = 16;

/// Most L-BFGS iterations before Newton's method: it takes over where columns depend on each
/// other so much that they do not get there soon.
const PATIENCE: usize = 20;

/// Every so-manieth row takes part in a rehearsal.
const REHEARSED: usize = 16;

/// With so many rows for each weight of a score, and of every class, the minimum of a rehearsal is
/// near that of all rows.
const ENOUGH_ROWS: usize = 20;

/// What is known between two passes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LogisticState(Option<Box<(Frame, Search)>>);

/// What a pass keeps of a chunk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LogisticSummary(Pass);

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Pass {
    Survey(Survey),
    Evaluation(Evaluation, Vec<Moments>),
}

impl LogisticRegression {
    pub(super) fn survey(
        &self,
        data: &CountingLabelled<'_>,
        classes: &didact_core::Classes,
        run: &Run,
    ) -> Result<Survey> {
        let mut class_weights = vec![0.0; classes.len()];
        for (row, &label) in data.labels.iter().enumerate() {
            class_weights[label] += data.samples.weight(row);
        }
        let (rows, weights) = (data.samples.rows(), data.samples.weights());
        Ok(Survey {
            classes: classes.clone(),
            class_weights,
            columns: Variances::summarise(rows, weights, run)?,
            sparse: rows.is_sparse(),
        })
    }

    fn search(&self, frame: &Frame) -> Search {
        let newton = match self.solver {
            Solver::Newton => true,
            Solver::Lbfgs | Solver::Saga => false,
            Solver::Auto => {
                let width = frame.size() / frame.n_outputs();
                let cheap = (frame.n_outputs() + 1) * width <= MOST_NEWTON_COLUMNS;
                frame.size() <= MOST_NEWTON_WEIGHTS && (cheap || frame.is_unpenalised())
            }
        };
        let method = if newton {
            Method::Newton
        } else {
            Method::Lbfgs
        };
        let goal = Goal {
            max_iter: self.max_iter,
            tol: self.tol,
            unit: frame.weight.sqrt(),
            unbounded: frame.is_unpenalised(),
        };
        Search::new(method, frame.size(), goal)
    }

    /// The search over rows in memory, where a pass is cheap.
    fn quick_search(&self, frame: &Frame, n_rows: usize) -> Search {
        let search = self.search(frame);
        let worthwhile = n_rows >= MANY_ROWS && frame.size() >= MANY_WEIGHTS;
        match self.solver == Solver::Auto && worthwhile && !frame.is_unpenalised() {
            true => search.try_quasi_newton(PATIENCE),
            false => search,
        }
    }

    /// The search as it continues after a rehearsal, where there are many rows for each weight: some
    /// of them tell the minimum up to chance, and the curvature around it, for a share of the cost.
    fn rehearsed(
        &self,
        search: Search,
        examples: &Examples<'_>,
        frame: &Frame,
        run: &Run,
    ) -> Result<Search> {
        let width = frame.size() / frame.n_outputs();
        let many = examples.n_rows() >= REHEARSED * ENOUGH_ROWS * width;
        let quick = self.solver == Solver::Auto && search.method() == Method::Lbfgs;
        if !many || !quick || frame.is_unpenalised() || examples.rows().is_sparse() {
            return Ok(search);
        }
        let few = examples.every(REHEARSED);
        let of_classes = few.totals(frame.present.len());
        if of_classes.iter().any(|&count| count < ENOUGH_ROWS as f64) {
            return Ok(search);
        }
        let mut rehearsal = search.rehearsal(PATIENCE);
        let mut over = None;
        while over.is_none() {
            let point = rehearsal.point();
            let evaluation = few.evaluate(frame, &frame.weights(&point), run)?;
            let answer = answer(frame, &point, &evaluation.times(REHEARSED as f64));
            over = rehearsal.tell(answer, || unreachable!("L-BFGS asks for no Hessian"))?;
        }
        Ok(search.after(rehearsal))
    }

    /// Tells the observers of an iteration that has just ended.
    fn report(&self, search: &Search, before: usize, run: &Run) -> Result<()> {
        if search.n_iter() == before {
            return run.check();
        }
        run.report(&Progress {
            iteration: search.n_iter(),
            limit: Some(self.max_iter),
            objective_name: OBJECTIVE,
            objective: search.value(),
        })
    }
}

/// The objective at the point of the search.
fn answer(frame: &Frame, point: &[f64], evaluation: &Evaluation) -> Answer {
    let (value, gradient) = frame.objective(point, evaluation);
    Answer {
        value,
        gradient,
        smallest_margin: evaluation.smallest_margin,
    }
}

fn finish(frame: Frame, search: Search, stop: StopReason) -> Result<LogisticModel> {
    let (coef, intercept) = frame.original(search.best());
    if coef
        .iter()
        .chain(&intercept)
        .any(|number| !number.is_finite())
    {
        return Err(Error::numerical(
            "the weights overflow because some columns are tiny; \
             multiply those columns by a power of ten",
        ));
    }
    Ok(LogisticModel {
        classes: frame.classes,
        present: frame.present,
        coef,
        intercept,
        dual_gap: None,
        inference: None,
        contrasts: None,
        trace: search.into_trace(OBJECTIVE, stop),
    })
}

learns_from_start!(
    LogisticRegression,
    Labelled => LogisticModel,
    Accepts::SPARSE.union(Accepts::WEIGHTS),
    LogisticRegression::descend
);

impl LogisticRegression {
    /// Searches from the weights of `start`, or from zero.
    fn descend(
        &self,
        start: Option<&LogisticModel>,
        data: Labelled<'_>,
        run: &Run,
    ) -> Result<LogisticModel> {
        let sparse = self.is_sparse()?;
        if self.solver == Solver::Saga {
            return self.learn_saga(start, data, run);
        }
        if sparse {
            return self.learn_sparse(start, data, run);
        }
        let classes = data.classes;
        let data = CountingLabelled::new(data);
        let frame = Frame::new(self, self.survey(&data, classes, run)?)?;
        let examples = Examples::new(data, &frame)?;
        let search = self.quick_search(&frame, examples.n_rows());
        let mut search = match start {
            Some(start) => {
                start.check_start(&frame.classes, &frame.present, frame.center.len())?;
                search.from(frame.point(&start.coef, &start.intercept))
            }
            None => self.rehearsed(search, &examples, &frame, run)?,
        };
        let mut line = Line::new(&examples, &frame, &search, run)?;
        loop {
            let before = search.n_iter();
            let point = search.point();
            let evaluation = match &mut line {
                Some(line) => line.evaluate(&frame, &search, run)?,
                None => examples.evaluate(&frame, &frame.weights(&point), run)?,
            };
            let hessian = || {
                let moments = examples.curvature(&frame, &frame.weights(&point), run)?;
                Ok(frame.hessian(&moments))
            };
            let over = search.tell(answer(&frame, &point, &evaluation), hessian)?;
            if let (Some(line), None, true) = (&mut line, over, search.sets_out()) {
                line.follow(&frame, &mut search, run)?;
            }
            self.report(&search, before, run)?;
            if let Some(stop) = over {
                let (mut inference, mut contrasts) = (None, None);
                if stop == StopReason::Converged {
                    inference = self.inference(&frame, &examples, search.best(), run)?;
                    contrasts = self.contrasts(&frame, &examples, search.best(), run)?;
                }
                return Ok(LogisticModel {
                    inference,
                    contrasts,
                    ..finish(frame, search, stop)?
                });
            }
        }
    }
}

impl LearnInPieces<Labelled<'_>> for LogisticRegression {
    type State = LogisticState;
    type Summary = LogisticSummary;

    fn start(&self) -> Result<LogisticState> {
        if self.is_sparse()? {
            return Err(Error::unsupported(
                "logistic-regression with the penalty l1 or elasticnet needs all rows at once; \
                 choose the penalty l2 to learn in pieces",
            ));
        }
        if self.solver == Solver::Saga {
            return Err(Error::unsupported(
                "logistic-regression with the solver saga needs all rows at once; \
                 choose the solver auto to learn in pieces",
            ));
        }
        Ok(LogisticState(None))
    }

    fn summarise(
        &self,
        state: &LogisticState,
        chunk: Labelled<'_>,
        _first_row: usize,
        run: &Run,
    ) -> Result<LogisticSummary> {
        let classes = chunk.classes;
        let data = CountingLabelled::new(chunk);
        let Some((frame, search)) = state.0.as_deref() else {
            return Ok(LogisticSummary(Pass::Survey(
                self.survey(&data, classes, run)?,
            )));
        };
        if *classes != frame.classes || data.samples.rows().n_columns() != frame.center.len() {
            return Err(Error::data(
                "the chunks have different classes or different columns",
            ));
        }
        let examples = Examples::new(data, frame)?;
        let weights = frame.weights(&search.point());
        let evaluation = examples.evaluate(frame, &weights, run)?;
        let moments = match search.method() {
            Method::Newton => examples.curvature(frame, &weights, run)?,
            Method::Lbfgs => Vec::new(),
        };
        Ok(LogisticSummary(Pass::Evaluation(evaluation, moments)))
    }

    fn check_summary(&self, state: &LogisticState, summary: &LogisticSummary) -> Result<()> {
        ensure_belongs(match (state.0.as_deref(), &summary.0) {
            (None, Pass::Survey(survey)) => {
                survey.columns.is_consistent() && survey.class_weights.len() == survey.classes.len()
            }
            (Some((frame, _)), Pass::Evaluation(evaluation, moments)) => {
                let columns = frame.center.len();
                let sound =
                    |moments: &Moments| moments.is_consistent() && moments.mean.len() == columns;
                evaluation.gradient.dim() == (frame.n_outputs(), columns + 1)
                    && moments.iter().all(sound)
            }
            _ => false,
        })
    }

    fn merge(&self, left: LogisticSummary, right: LogisticSummary) -> Result<LogisticSummary> {
        match (left.0, right.0) {
            (Pass::Survey(left), Pass::Survey(right)) => {
                Ok(LogisticSummary(Pass::Survey(left.merge(right)?)))
            }
            (Pass::Evaluation(left, left_moments), Pass::Evaluation(right, right_moments)) => {
                let same = left.gradient.dim() == right.gradient.dim()
                    && left_moments.len() == right_moments.len();
                if !same {
                    return Err(Error::data("the chunks were summed up in different states"));
                }
                let pairs = left_moments.into_iter().zip(right_moments);
                let moments = pairs.map(|(left, right)| left.merge(right)).collect();
                Ok(LogisticSummary(Pass::Evaluation(
                    left.merge(right),
                    moments,
                )))
            }
            _ => Err(Error::data("the chunks were summed up in different passes")),
        }
    }

    fn step(
        &self,
        state: LogisticState,
        summary: LogisticSummary,
        run: &Run,
    ) -> Result<Next<LogisticState, LogisticModel>> {
        match (state.0, summary.0) {
            (None, Pass::Survey(survey)) => {
                let frame = Frame::new(self, survey)?;
                let search = self.search(&frame);
                Ok(Next::Pass(LogisticState(Some(Box::new((frame, search))))))
            }
            (Some(known), Pass::Evaluation(evaluation, moments)) => {
                let (frame, mut search) = *known;
                let before = search.n_iter();
                let answer = answer(&frame, &search.point(), &evaluation);
                let over = search.tell(answer, || Ok(frame.hessian(&moments)))?;
                self.report(&search, before, run)?;
                Ok(match over {
                    Some(stop) => Next::Done(finish(frame, search, stop)?),
                    None => Next::Pass(LogisticState(Some(Box::new((frame, search))))),
                })
            }
            _ => Err(Error::data("the summary belongs to another pass")),
        }
    }
}
