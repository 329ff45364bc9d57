//! A machine for every pair of classes.

use super::machine::{Demand, Machine, Task};
use super::model::{SvcModel, Taught};
use crate::gram::{Gram, all_pairs, are_rows_cheap, bytes_of_pairs, gathered};
use crate::reduction::CostReduction;
use crate::rows::{Counting, Points};
use crate::setup::Setup;
use didact_core::{
    ClassWeight, Classes, Error, Labelled, Progress, Result, Run, StopReason, Trace, parallel,
};
use didact_math::kernel::Kernel;
use ndarray::Array2;

/// So many machines are taught at the same time at most, as far as memory is concerned; the number
/// of threads must not decide how the kernel is computed.
const SIDE_BY_SIDE: usize = 4;

/// What a classifier is asked for.
pub(super) struct Request<'a> {
    pub(super) setup: Setup<'a>,
    pub(super) demand: Demand,
    pub(super) c: f64,
    pub(super) reduction: CostReduction,
    pub(super) class_weight: &'a ClassWeight,
    pub(super) break_ties: bool,
}

/// What is known of the rows that count.
pub(super) struct Examples {
    /// For each row the place of its class among those that have rows.
    pub(super) places: Vec<usize>,
    /// The classes that have rows.
    pub(super) present: Vec<usize>,
    names: Vec<String>,
    weights: Vec<f64>,
    /// How much the rows of each class count that has rows.
    factors: Vec<f64>,
}

impl Examples {
    /// What is known of rows with these labels and weights; rows of weight zero are left out.
    pub(super) fn new(
        labels: &[usize],
        classes: &Classes,
        weights: &[f64],
        class_weight: &ClassWeight,
    ) -> Result<Self> {
        let mut totals = vec![0.0; classes.len()];
        for (&label, weight) in labels.iter().zip(weights) {
            totals[label] += weight;
        }
        let present: Vec<usize> = (0..totals.len()).filter(|&k| totals[k] > 0.0).collect();
        let names = present
            .iter()
            .map(|&class| classes.names()[class].to_string());
        let names: Vec<String> = names.collect();
        if present.len() < 2 {
            return Err(Error::data(format!(
                "only one class has rows, {}; give rows of at least two classes",
                names.concat()
            )));
        }
        let factors = class_weight.factors(classes, &totals)?;
        let counting = || {
            labels
                .iter()
                .zip(weights)
                .filter(|(_, weight)| **weight > 0.0)
        };
        let place_of = |label: &usize| present.partition_point(|class| class < label);
        Ok(Examples {
            places: counting().map(|(label, _)| place_of(label)).collect(),
            weights: counting().map(|(_, weight)| *weight).collect(),
            factors: present.iter().map(|&class| factors[class]).collect(),
            present,
            names,
        })
    }
}

/// The rows of a pair of classes and its machine.
pub(super) type PairMachine = (Vec<usize>, Machine);

/// The pairs of classes in the order of their machines.
pub(super) fn pairs(count: usize) -> Vec<(usize, usize)> {
    (0..count)
        .flat_map(|a| (a + 1..count).map(move |b| (a, b)))
        .collect()
}

/// Which class of a pair has positive scores: the second of two classes, the first of a pair among
/// several, as in scikit-learn.
pub(super) fn positive(pair: (usize, usize), n_classes: usize) -> usize {
    if n_classes == 2 { pair.1 } else { pair.0 }
}

/// Teaches a machine for every pair of classes.
pub(super) fn learn(request: &Request<'_>, data: Labelled<'_>, run: &Run) -> Result<SvcModel> {
    let classes = data.classes.clone();
    let weights: Vec<f64> = (0..data.labels.len())
        .map(|row| data.samples.weight(row))
        .collect();
    let examples = Examples::new(data.labels, &classes, &weights, request.class_weight)?;
    let counting = Counting::new(data.samples);
    let kernel = request.setup.kernel(&counting.samples())?;
    let points = Points::new(counting.rows(), &kernel, run)?;
    let lesson = Lesson {
        request,
        examples: &examples,
        points: Some((&points, &kernel)),
    };
    let shared = lesson.shared_pairs(run)?;
    let (machines, trace) = lesson.teach_all(shared.as_ref(), run)?;
    let taught = Taught {
        classes,
        examples: &examples,
        counting: &counting,
        points: &points,
        kernel,
        machines,
        trace,
    };
    taught.model(request.break_ties)
}

/// Teaches a machine for every pair of classes with the kernel of all pairs of rows.
pub(super) fn teach_matrix(
    request: &Request<'_>,
    examples: &Examples,
    matrix: &Array2<f64>,
    run: &Run,
) -> Result<(Vec<PairMachine>, Trace)> {
    let lesson = Lesson {
        request,
        examples,
        points: None,
    };
    lesson.teach_all(Some(matrix), run)
}

/// Everything that the machines need besides the kernel of all pairs of rows.
struct Lesson<'a, 'p> {
    request: &'a Request<'a>,
    examples: &'a Examples,
    /// The rows and how they are compared, where the kernel of all pairs may not be known.
    points: Option<(&'a Points<'p>, &'a Kernel)>,
}

impl Lesson<'_, '_> {
    fn n_pairs(&self) -> usize {
        pairs(self.examples.present.len()).len()
    }

    /// The kernel of all pairs of rows where several machines share it and it fits into memory;
    /// machines that can make what they need need not share.
    fn shared_pairs(&self, run: &Run) -> Result<Option<Array2<f64>>> {
        match self.points {
            Some((points, kernel))
                if self.n_pairs() > 1 && !are_rows_cheap(points.rows(), kernel) =>
            {
                let rows = points.rows();
                let fits = bytes_of_pairs(rows.n_rows()) <= self.request.setup.bytes();
                fits.then(|| all_pairs(rows, kernel, run)).transpose()
            }
            _ => Ok(None),
        }
    }

    fn teach_all(
        &self,
        shared: Option<&Array2<f64>>,
        run: &Run,
    ) -> Result<(Vec<PairMachine>, Trace)> {
        let pairs = pairs(self.examples.present.len());
        let inner = match pairs.len() {
            1 => run.clone(),
            _ => run.quietly(),
        };
        let machines = parallel::map(&pairs, run, |&pair| self.teach(pair, shared, &inner))?;
        let trace = merged_trace(&machines, run)?;
        Ok((machines, trace))
    }

    fn teach(
        &self,
        pair: (usize, usize),
        shared: Option<&Array2<f64>>,
        run: &Run,
    ) -> Result<PairMachine> {
        let places = &self.examples.places;
        let rows: Vec<usize> = (0..places.len())
            .filter(|&row| places[row] == pair.0 || places[row] == pair.1)
            .collect();
        let task = self.task(pair, &rows);
        let machine = match (shared, self.points) {
            (Some(shared), _) => {
                let own = gathered(shared.view(), &rows, run)?;
                task.solve(&mut Gram::of_matrix(own), run)?
            }
            (None, Some((points, kernel))) => {
                let chosen = points.chosen(&rows);
                let bytes = self.request.setup.bytes() / self.n_pairs().min(SIDE_BY_SIDE);
                let mut gram = Gram::new(chosen.view(), kernel, bytes, run)?;
                task.solve(&mut gram, run)?
            }
            (None, None) => unreachable!("either the rows or their kernel is known"),
        };
        Ok((rows, machine))
    }

    fn task(&self, pair: (usize, usize), rows: &[usize]) -> Task<'_> {
        let Examples {
            places,
            names,
            weights,
            factors,
            present,
        } = self.examples;
        let positive = positive(pair, present.len());
        let sign = |&row: &usize| if places[row] == positive { 1.0 } else { -1.0 };
        let total: f64 = rows.iter().map(|&row| weights[row]).sum();
        let price = match self.request.demand {
            Demand::Soft => self.request.reduction.price(self.request.c, total),
            Demand::Hard | Demand::Share(_) => 1.0,
        };
        Task {
            demand: self.request.demand,
            signs: rows.iter().map(sign).collect(),
            prices: rows
                .iter()
                .map(|&row| price * weights[row] * factors[places[row]])
                .collect(),
            tol: self.request.setup.tol,
            effort: self.request.setup.effort(),
            names: [&names[pair.0], &names[pair.1]],
        }
    }
}

/// The sum of the dual objectives of all machines, record by record, and the worst reason to stop.
fn merged_trace(machines: &[PairMachine], run: &Run) -> Result<Trace> {
    let traces = || machines.iter().map(|(_, machine)| &machine.trace);
    let records = traces().map(Trace::n_iter).max().unwrap_or(0);
    let reached = |trace: &Trace, record: usize| {
        let last = trace.objectives.last();
        *trace.objectives.get(record).or(last).unwrap_or(&0.0)
    };
    let objectives: Vec<f64> = (0..records)
        .map(|record| traces().map(|trace| reached(trace, record)).sum())
        .collect();
    if machines.len() > 1 {
        // The machines were taught side by side; what was reached is told now.
        for (record, &objective) in objectives.iter().enumerate() {
            run.report(&Progress {
                iteration: record + 1,
                limit: None,
                objective_name: "dual objective",
                objective,
            })?;
        }
    }
    let worst = [StopReason::IterationLimit, StopReason::Stalled];
    let stop = worst
        .into_iter()
        .find(|stop| traces().any(|trace| trace.stop == *stop));
    Ok(Trace {
        objective_name: "dual objective".to_owned(),
        objectives,
        stop: stop.unwrap_or(StopReason::Converged),
    })
}
