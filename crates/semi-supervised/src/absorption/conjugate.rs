//! Many nodes: conjugate gradients, all classes side by side.

use super::{Absorption, Effort, neighbours};
use didact_core::{Result, Rows, Run, StopReason, Trace, TraceWriter};
use didact_math::linalg::rows_times;
use ndarray::{Array2, ArrayView2};

/// Conjugate gradients scaled by the diagonal t.
///
/// The start is the prior in every node, so a group whose ways to a label weigh less than rounding
/// keeps it. The iterations end when no node is farther than `tol` from the mean of its neighbours,
/// which is by how much one more sweep of averaging would change it.
pub(super) fn solve(
    system: &Absorption<'_>,
    effort: Effort,
    run: &Run,
) -> Result<(Array2<f64>, Trace)> {
    let mut search = Search::new(system, run)?;
    let mut trace = TraceWriter::new(run, "largest change of a sweep", Some(effort.max_iter));
    let stop = loop {
        if search.largest <= effort.tol {
            break StopReason::Converged;
        }
        if trace.n_iter() >= effort.max_iter {
            break StopReason::IterationLimit;
        }
        search.advance(run)?;
        trace.record(search.largest)?;
    };
    let shape = (system.totals.len(), search.classes);
    let found = Array2::from_shape_vec(shape, search.found).expect("a value per node and class");
    Ok((found, trace.finish(stop)))
}

/// One search per class, in lockstep, so that the edges are read once for all of them. Vectors hold
/// the classes of a node side by side and are zero at nodes that are not part of the system.
struct Search<'s, 'w> {
    system: &'s Absorption<'w>,
    classes: usize,
    /// 1/t, or zero.
    inverse: Vec<f64>,
    /// t and the loop of each node, which is among the weights but does not count.
    factors: Vec<f64>,
    found: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    /// The residual times its scaled self, for each class.
    rates: Vec<f64>,
    /// The largest change that one sweep of averaging would make.
    largest: f64,
}

impl<'s, 'w> Search<'s, 'w> {
    fn new(system: &'s Absorption<'w>, run: &Run) -> Result<Self> {
        let found = system.start();
        let (n, classes) = found.dim();
        let totals = system.totals.iter();
        let inverse: Vec<f64> = totals
            .map(|&total| if total > 0.0 { total.recip() } else { 0.0 })
            .collect();
        let own = |node: usize| system.totals[node] + own_weight(system.weights, node);
        let mut search = Search {
            system,
            classes,
            factors: (0..n).map(own).collect(),
            residual: residual(system, &found, run)?,
            found: found.into_raw_vec_and_offset().0,
            direction: vec![0.0; n * classes],
            rates: vec![0.0; classes],
            largest: 0.0,
            inverse,
        };
        search.turn();
        Ok(search)
    }

    /// One step along the direction of each class, and the next direction.
    fn advance(&mut self, run: &Run) -> Result<()> {
        let k = self.classes;
        let shape = (self.inverse.len(), k);
        let direction = ArrayView2::from_shape(shape, &self.direction).expect("a row per node");
        let mut image = rows_times(self.system.weights, direction, run)?;
        let image = image.as_slice_mut().expect("a product is contiguous");
        let mut bends = vec![0.0; k];
        let nodes = image
            .chunks_exact_mut(k)
            .zip(self.direction.chunks_exact(k));
        for (node, (image, direction)) in nodes.enumerate() {
            // t·p − S·p without loops, on the nodes of the system.
            let is_part = self.inverse[node] > 0.0;
            for class in 0..k {
                image[class] = match is_part {
                    true => self.factors[node] * direction[class] - image[class],
                    false => 0.0,
                };
                bends[class] += direction[class] * image[class];
            }
        }
        let lengths: Vec<f64> = self.rates.iter().zip(&bends).map(ratio).collect();
        let values = self
            .found
            .chunks_exact_mut(k)
            .zip(self.residual.chunks_exact_mut(k));
        let moves = self.direction.chunks_exact(k).zip(image.chunks_exact(k));
        for ((found, residual), (direction, image)) in values.zip(moves) {
            for class in 0..k {
                found[class] += lengths[class] * direction[class];
                residual[class] -= lengths[class] * image[class];
            }
        }
        self.turn();
        Ok(())
    }

    /// The next direction: the scaled residual and what is kept of the last one.
    fn turn(&mut self) {
        let k = self.classes;
        let mut rates = vec![0.0; k];
        self.largest = 0.0;
        for (residual, &inverse) in self.residual.chunks_exact(k).zip(&self.inverse) {
            for (rate, &residual) in rates.iter_mut().zip(residual) {
                let step = residual * inverse;
                *rate += residual * step;
                self.largest = self.largest.max(step.abs());
            }
        }
        let keep: Vec<f64> = rates.iter().zip(&self.rates).map(ratio).collect();
        let nodes = self
            .direction
            .chunks_exact_mut(k)
            .zip(self.residual.chunks_exact(k));
        for ((direction, residual), &inverse) in nodes.zip(&self.inverse) {
            for class in 0..k {
                direction[class] = residual[class] * inverse + keep[class] * direction[class];
            }
        }
        self.rates = rates;
    }
}

/// A quotient, or zero where a class is solved to the last bit or has no direction yet.
fn ratio((above, below): (&f64, &f64)) -> f64 {
    match *above > 0.0 && *below > 0.0 {
        true => above / below,
        false => 0.0,
    }
}

/// The weight of the loop of a node.
fn own_weight(weights: Rows<'_>, node: usize) -> f64 {
    match weights {
        Rows::Dense(dense) => dense[[node, node]],
        Rows::Sparse(sparse) => {
            let (columns, values) = sparse.row(node);
            let place = columns.binary_search(&(node as u32));
            place.map_or(0.0, |place| values[place])
        }
    }
}

/// G − (t·f − S·f), summed as differences Sᵢⱼ(fⱼ − fᵢ) so that constant functions have no rounding.
fn residual(system: &Absorption<'_>, found: &Array2<f64>, run: &Run) -> Result<Vec<f64>> {
    let k = found.ncols();
    let values = found.as_slice().expect("a new array is contiguous");
    let mut residual = vec![0.0; values.len()];
    for &node in &system.nodes {
        run.check()?;
        let own = &values[node * k..(node + 1) * k];
        let row = &mut residual[node * k..(node + 1) * k];
        let pulls = system.pulls.row(node);
        let held: f64 = pulls.sum();
        for class in 0..k {
            row[class] = pulls[class] - held * own[class];
        }
        neighbours(system.weights, node, |other, weight| {
            if system.totals[other] > 0.0 {
                let other = &values[other * k..(other + 1) * k];
                for class in 0..k {
                    row[class] += weight * (other[class] - own[class]);
                }
            }
        });
    }
    Ok(residual)
}
