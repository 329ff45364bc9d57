//! The transductive margin as one objective: the hat loss, and its descent.

use super::hat_model::HatLossSvmModel;
use super::one_against_rest::{contests, positives_of};
use crate::known::{Known, all_known};
use crate::magnitude::check_magnitude;
use didact_core::{
    Classes, Fit, Labelled, PartlyLabelled, Result, Run, Samples, StopReason, Trace, TraceWriter,
    present_classes,
};
use didact_math::kernel::KernelName;
use didact_svm::Svc;
use ndarray::{Array1, ArrayView1, ArrayView2, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// After so many steps without a better objective the descent ends.
const PATIENCE: usize = 60;

/// ½‖w‖² + C·Σ [1 − y·f]₊ + C*·Σ [1 − |f|]₊ of f(x) = w·x + b: the first sum is over rows of known sign, the
/// second over the others, which cost nothing on either side of the margin and most on the boundary.
///
/// ```
/// use didact_semi_supervised::HatLoss;
/// let x = ndarray::array![[-2.0], [2.0], [0.5]];
/// let loss = HatLoss { x: x.view(), signs: &[Some(-1.0), Some(1.0), None], c: 10.0, c_unlabelled: 10.0 };
/// // f = x/2: the labelled rows are on the margin, the other is three quarters within it.
/// assert_eq!(loss.objective(ndarray::array![0.5].view(), 0.0), 0.125 + 10.0 * 0.75);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HatLoss<'a> {
    /// The rows.
    pub x: ArrayView2<'a, f64>,
    /// +1 or −1 where the class is known.
    pub signs: &'a [Option<f64>],
    /// The price C of rows of known sign within the margin.
    pub c: f64,
    /// The price C* of the other rows within the margin.
    pub c_unlabelled: f64,
}

impl HatLoss<'_> {
    /// The price of a row and its sign: the known one, or the one it has now; zero counts as
    /// positive.
    fn price(&self, row: usize, score: f64) -> (f64, f64) {
        match self.signs[row] {
            Some(sign) => (self.c, sign),
            None => (self.c_unlabelled, if score >= 0.0 { 1.0 } else { -1.0 }),
        }
    }

    fn score(&self, row: usize, weights: ArrayView1<'_, f64>, intercept: f64) -> f64 {
        self.x.row(row).dot(&weights) + intercept
    }

    /// The objective.
    ///
    /// # Panics
    /// When there is not one sign per row or not one weight per column.
    pub fn objective(&self, weights: ArrayView1<'_, f64>, intercept: f64) -> f64 {
        let cost = |row: usize| {
            let score = self.score(row, weights, intercept);
            let (price, sign) = self.price(row, score);
            price * (1.0 - sign * score).max(0.0)
        };
        0.5 * weights.dot(&weights) + (0..self.x.nrows()).map(cost).sum::<f64>()
    }

    /// A sub-gradient by the weights and by the intercept: w − Σ price·sign·x and −Σ price·sign over the
    /// rows within the margin.
    ///
    /// # Panics
    /// When there is not one sign per row or not one weight per column.
    pub fn subgradient(&self, weights: ArrayView1<'_, f64>, intercept: f64) -> (Array1<f64>, f64) {
        let (mut by_weights, mut by_intercept) = (weights.to_owned(), 0.0);
        for (row, x) in self.x.rows().into_iter().enumerate() {
            let score = self.score(row, weights, intercept);
            let (price, sign) = self.price(row, score);
            if sign * score < 1.0 {
                by_weights.scaled_add(-price * sign, &x);
                by_intercept -= price * sign;
            }
        }
        (by_weights, by_intercept)
    }
}

/// Separates classes by planes that avoid the rows without a class, by descent on the hat loss.
///
/// Minimises ½‖w‖² + C·Σ [1 − y·f(x)]₊ over the rows whose class is known plus C*·Σ [1 − |f(x)|]₊ over the
/// others, which is the transductive machine with each of these rows on the side where it is. The
/// problem is not convex: sub-gradient steps start from the machine of the known classes, and the
/// best point on the way is kept. Steps are measured in the spread of the rows and shrink like
/// 1/√t. With `balance` the intercept is always such that the share of positive rows among those without a
/// class is that among the known ones, so that they cannot all end on one side.
///
/// ```
/// use didact_core::{Fit, PartialLabels, PartlyLabelled};
/// use didact_semi_supervised::HatLossSvm;
/// let x = ndarray::array![[-2.0], [-1.5], [-1.2], [1.1], [1.4], [2.0]];
/// let labels = PartialLabels::from_names([Some("a"), None, None, None, None, Some("b")]);
/// let model = HatLossSvm::default().fit(PartlyLabelled::new(&x, &labels)?)?;
/// assert_eq!(model.transduction(), [0, 0, 0, 1, 1, 1]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "HatLossSVM")]
pub struct HatLossSvm {
    /// How much the rows of a known class within the margin cost.
    #[serde(rename = "C")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c: f64,
    /// How much the other rows within the margin cost, C*.
    #[serde(rename = "C_unlabelled")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c_unlabelled: f64,
    /// Whether the share of each class among the rows without one is kept at that of the known rows.
    pub balance: bool,
    /// The first step, as a share of the length of the start.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub learning_rate: f64,
    /// Most steps.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
}

impl Default for HatLossSvm {
    fn default() -> Self {
        HatLossSvm {
            c: 1.0,
            c_unlabelled: 0.1,
            balance: true,
            learning_rate: 0.3,
            max_iter: 300,
        }
    }
}

/// How many of the rows without a class are positive.
struct Balance {
    unknown: Vec<usize>,
    positives: usize,
}

impl Balance {
    fn new(signs: &[Option<f64>], unknown: Vec<usize>) -> Self {
        let known = signs.iter().flatten();
        let share = known.clone().filter(|sign| **sign > 0.0).count() as f64 / known.count() as f64;
        Balance {
            positives: positives_of(share, unknown.len()),
            unknown,
        }
    }

    /// The intercept in the middle between the lowest positive and the highest negative row.
    fn intercept(&self, x: ArrayView2<'_, f64>, weights: ArrayView1<'_, f64>) -> f64 {
        let mut scores: Vec<f64> = self
            .unknown
            .iter()
            .map(|&row| x.row(row).dot(&weights))
            .collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        match self.positives {
            0 => -1.0 - scores[0],
            all if all == scores.len() => 1.0 - scores[all - 1],
            some => -0.5 * (scores[some - 1] + scores[some]),
        }
    }
}

/// A plane, and how it was found.
pub(super) struct Plane {
    pub(super) weights: Array1<f64>,
    pub(super) intercept: f64,
    pub(super) trace: Trace,
}

impl Fit<PartlyLabelled<'_>> for HatLossSvm {
    type Model = HatLossSvmModel;

    fn learn(&self, data: PartlyLabelled<'_>, run: &Run) -> Result<HatLossSvmModel> {
        let known = Known::of(&data)?;
        check_magnitude(data.samples.rows())?;
        let totals: Vec<f64> = known
            .counts()
            .into_iter()
            .map(|count| count as f64)
            .collect();
        present_classes(data.classes, &totals)?;
        let mut planes = Vec::new();
        for signs in contests(&known) {
            let plane = signs.map(|signs| self.plane(&data.samples, &signs, run));
            planes.push(plane.transpose()?);
        }
        HatLossSvmModel::new(&data, planes)
    }
}

impl Fit<Labelled<'_>> for HatLossSvm {
    type Model = HatLossSvmModel;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<HatLossSvmModel> {
        let partly = PartlyLabelled {
            samples: data.samples.view(),
            labels: &all_known(data.labels),
            classes: data.classes,
        };
        self.learn(partly, run)
    }
}

impl HatLossSvm {
    fn plane(&self, samples: &Samples<'_>, signs: &[Option<f64>], run: &Run) -> Result<Plane> {
        let x = samples.dense()?;
        let start = self.start(samples, signs, run)?;
        let unknown: Vec<usize> = (0..signs.len())
            .filter(|&row| signs[row].is_none())
            .collect();
        let trace = TraceWriter::new(run, "objective", Some(self.max_iter));
        if unknown.is_empty() {
            return Ok(Plane {
                trace: trace.finish(StopReason::Converged),
                ..start
            });
        }
        // Moving all rows moves the intercept and nothing else, and near zero less is rounded.
        let middle = x
            .select(Axis(0), &unknown)
            .mean_axis(Axis(0))
            .expect("there are rows");
        let centred = &x - &middle;
        let loss = HatLoss {
            x: centred.view(),
            signs,
            c: self.c,
            c_unlabelled: self.c_unlabelled,
        };
        let balance = self.balance.then(|| Balance::new(signs, unknown));
        let intercept = start.intercept + start.weights.dot(&middle);
        let found = self.descend(&loss, balance.as_ref(), start.weights, intercept, trace)?;
        Ok(Plane {
            intercept: found.intercept - found.weights.dot(&middle),
            ..found
        })
    }

    /// The machine of the rows whose class is known.
    fn start(&self, samples: &Samples<'_>, signs: &[Option<f64>], run: &Run) -> Result<Plane> {
        let known: Vec<usize> = (0..signs.len())
            .filter(|&row| signs[row].is_some())
            .collect();
        let is_positive = |sign: &f64| usize::from(*sign > 0.0);
        let labels: Vec<usize> = signs.iter().flatten().map(is_positive).collect();
        let classes = Classes::new([0, 1]);
        let machine = Svc {
            c: self.c,
            kernel: KernelName::Linear.into(),
            ..Svc::default()
        };
        let chosen = samples.select(&known);
        let data = Labelled::from_parts(chosen.view(), &labels, &classes)?;
        let model = machine.fit_with(data, &run.quietly())?;
        let weights = model
            .coef()
            .expect("a linear machine has weights")
            .row(0)
            .to_owned();
        Ok(Plane {
            weights,
            intercept: model.intercept()[0],
            trace: model.history().clone(),
        })
    }

    /// Steps against the sub-gradient, in units of the spread of the rows; the best point is kept.
    fn descend(
        &self,
        loss: &HatLoss<'_>,
        balance: Option<&Balance>,
        mut weights: Array1<f64>,
        mut intercept: f64,
        mut trace: TraceWriter<'_>,
    ) -> Result<Plane> {
        let spread =
            (loss.x.iter().map(|value| value * value).sum::<f64>() / loss.x.nrows() as f64).sqrt();
        // Rows that are all the same have no unit of their own.
        let spread = if spread > 0.0 { spread } else { 1.0 };
        let length = (weights.dot(&weights).sqrt() * spread).max(1.0);
        let balanced = |weights: &Array1<f64>, intercept: f64| {
            balance.map_or(intercept, |balance| {
                balance.intercept(loss.x, weights.view())
            })
        };
        intercept = balanced(&weights, intercept);
        let mut best = (
            loss.objective(weights.view(), intercept),
            weights.clone(),
            intercept,
        );
        let (mut since, mut stop) = (0, StopReason::IterationLimit);
        while trace.n_iter() < self.max_iter {
            let (by_weights, by_intercept) = loss.subgradient(weights.view(), intercept);
            let by_intercept = if balance.is_some() { 0.0 } else { by_intercept };
            let by_weights = by_weights / spread;
            let steepness = (by_weights.dot(&by_weights) + by_intercept * by_intercept).sqrt();
            if !(steepness > 0.0 && steepness.is_finite()) {
                stop = StopReason::Converged;
                break;
            }
            let step = self.learning_rate * length / ((trace.n_iter() + 1) as f64).sqrt();
            weights.scaled_add(-step / steepness / spread, &by_weights);
            intercept = balanced(&weights, intercept - step / steepness * by_intercept);
            let objective = loss.objective(weights.view(), intercept);
            trace.record(objective)?;
            since += 1;
            if objective < best.0 {
                // Only what is clearly better gives the descent more time.
                if objective < best.0 * (1.0 - 1e-4) {
                    since = 0;
                }
                best = (objective, weights.clone(), intercept);
            }
            if since >= PATIENCE {
                stop = StopReason::Converged;
                break;
            }
        }
        Ok(Plane {
            weights: best.1,
            intercept: best.2,
            trace: trace.finish(stop),
        })
    }
}
