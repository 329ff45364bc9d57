//! Expectation–maximisation with clamped rows, for any law of the classes.

use super::Explained;
use crate::known::Known;
use didact_core::{Error, Result, Run, StopReason, Trace, TraceWriter};
use didact_math::numeric::{log_softmax_in_place, log_sum_exp};
use ndarray::Array2;

/// A way up: the law of the classes, and what it says of the rows.
pub(super) trait Climber {
    /// The parameters of all classes.
    type Law;

    /// The law that explains rows with these responsibilities best: a column per class.
    fn maximise(&self, responsibilities: &Array2<f64>, run: &Run) -> Result<Self::Law>;

    /// ln πₖ p(x | k), a row per row and a column per class.
    fn joint(&self, law: &Self::Law, run: &Run) -> Result<Array2<f64>>;

    /// What is added to the log-likelihood by the prior over laws, up to a constant.
    fn log_prior(&self, law: &Self::Law) -> f64;
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    pub(super) tol: f64,
    pub(super) max_iter: usize,
}

/// Climbs from a law to one of highest likelihood nearby. The objective, per row, is that of
/// the rows that are explained.
pub(super) fn climb<C: Climber>(
    climber: &C,
    start: C::Law,
    known: &Known<'_>,
    explained: Explained,
    patience: Patience,
    run: &Run,
) -> Result<(C::Law, Trace)> {
    let mut trace = TraceWriter::new(run, "mean log-likelihood", Some(patience.max_iter));
    if explained == Explained::Labelled {
        return Ok((start, trace.finish(StopReason::Converged)));
    }
    let mut law = start;
    let mut joint = climber.joint(&law, run)?;
    let mut before = expect(&mut joint, known, explained, climber.log_prior(&law))?;
    let mut stop = StopReason::IterationLimit;
    while trace.n_iter() < patience.max_iter {
        law = climber.maximise(&joint, run)?;
        joint = climber.joint(&law, run)?;
        let objective = expect(&mut joint, known, explained, climber.log_prior(&law))?;
        trace.record(objective)?;
        if (objective - before).abs() <= patience.tol {
            stop = StopReason::Converged;
            break;
        }
        before = objective;
    }
    Ok((law, trace.finish(stop)))
}

/// Turns joint log-densities into responsibilities, clamped where the class is known, and gives the
/// mean objective of the rows that are explained; the others get responsibilities of zero.
fn expect(
    joint: &mut Array2<f64>,
    known: &Known<'_>,
    explained: Explained,
    log_prior: f64,
) -> Result<f64> {
    let (mut sum, mut count) = (log_prior, 0.0);
    for (mut row, label) in joint.rows_mut().into_iter().zip(known.labels) {
        let scores = row.as_slice_mut().expect("rows are contiguous");
        match *label {
            Some(_) if explained == Explained::Unlabelled => {
                scores.fill(0.0);
                continue;
            }
            Some(label) => {
                sum += scores[label];
                scores.fill(0.0);
                scores[label] = 1.0;
            }
            None => {
                sum += log_sum_exp(scores);
                log_softmax_in_place(scores);
                scores.iter_mut().for_each(|score| *score = score.exp());
            }
        }
        count += 1.0;
    }
    match sum.is_finite() {
        true => Ok(sum / count),
        false => Err(Error::numerical(
            "a row is so far from every class that its density is zero; bring the columns to one \
             scale, label more rows or raise the smoothing",
        )),
    }
}
