//! Labels on a graph that is given.

use crate::absorption::{Absorption, Effort, neighbours};
use crate::known::Known;
use didact_core::{Error, Result, Rows, Run, Trace, parallel};
use didact_math::graph::{LaplacianKind, laplacian};
use didact_math::linalg::rows_times;
use didact_math::numeric::argmax;
use ndarray::Array2;

/// Whether labels that are known may be doubted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LabelConstraint {
    /// They may not: f = y where the label is known.
    #[default]
    Hard,
    /// They may, at a price.
    Soft {
        /// The price λ of ½fᵀLf + (λ/2)·Σ(f − y)² over the nodes with labels: a label pulls like
        /// an edge of this weight. The text's objective without the ½ has the solution of λ/2.
        label_weight: f64,
    },
}

/// Carries labels along the edges of a graph.
///
/// With weights S and the Laplacian L = D − S the function f of each class (one where the label is
/// this class, zero where it is another) makes fᵀLf = ½·ΣSᵢⱼ(fᵢ − fⱼ)² least while it is kept to the
/// labels: an unlabelled node is the weighted mean of its neighbours. The system is solved, not
/// iterated by averaging: up to 500 unknown nodes by elimination without subtractions, more by
/// conjugate gradients. Nodes from which no label can be reached get the shares of the classes
/// among the labels.
///
/// ```
/// use didact_core::{Csr, Rows, Run};
/// use didact_semi_supervised::GraphPropagation;
/// // A path of three nodes with labels at its ends.
/// let path = Csr::from_rows(&[vec![(1, 1.0)], vec![(0, 1.0), (2, 1.0)], vec![(1, 1.0)]], 3)?;
/// let labels = [Some(0), None, Some(1)];
/// let found = GraphPropagation::default().solve(Rows::Sparse(path.view()), &labels, 2, &Run::new())?;
/// assert_eq!(found.distributions.row(1).to_vec(), [0.5, 0.5]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphPropagation {
    /// Whether labels may be doubted.
    pub constraint: LabelConstraint,
    /// Iterations end when no node is farther than this from the mean of its neighbours.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
}

impl Default for GraphPropagation {
    fn default() -> Self {
        GraphPropagation {
            constraint: LabelConstraint::Hard,
            tol: 1e-10,
            max_iter: 10_000,
        }
    }
}

/// What labels a graph carries where.
#[derive(Clone, Debug, PartialEq)]
pub struct Propagation {
    /// How much each node belongs to each class: a row per node, which sums to one.
    pub distributions: Array2<f64>,
    /// Whether each node can reach a label; those that cannot have the shares of the classes.
    pub is_reached: Vec<bool>,
    /// How much the distributions vary along the edges: fᵀLf, summed over the classes.
    pub smoothness: f64,
    /// The iterations, where there were any.
    pub trace: Option<Trace>,
}

impl Propagation {
    /// The class of each node, the lowest where several are equally probable.
    pub fn labels(&self) -> Vec<usize> {
        let rows = self.distributions.rows().into_iter();
        rows.map(|row| argmax(row.iter().copied()).unwrap_or(0))
            .collect()
    }
}

impl GraphPropagation {
    /// Finds the distribution of every node.
    ///
    /// Weights must be symmetric and not below zero; loops change nothing.
    pub fn solve(
        &self,
        weights: Rows<'_>,
        labels: &[Option<usize>],
        n_classes: usize,
        run: &Run,
    ) -> Result<Propagation> {
        check_weights(weights, run)?;
        if labels.len() != weights.n_rows() {
            return Err(Error::data(format!(
                "there are {} labels for a graph of {} nodes; give one or none per row",
                labels.len(),
                weights.n_rows()
            )));
        }
        let known = Known::new(labels, n_classes)?;
        let codes = known.one_hot();
        let (pulls, is_asked) = match self.constraint {
            LabelConstraint::Hard => {
                let is_asked = labels.iter().map(Option::is_none).collect();
                (rows_times(weights, codes.view(), run)?, is_asked)
            }
            LabelConstraint::Soft { label_weight } => {
                check_price(label_weight)?;
                (&codes * label_weight, vec![true; labels.len()])
            }
        };
        let system = Absorption::new(weights, pulls, &is_asked, known.shares(), run)?;
        let effort = Effort {
            tol: self.tol,
            max_iter: self.max_iter,
        };
        let answer = system.solve(effort, run)?;
        let mut distributions = answer.probabilities;
        for node in (0..labels.len()).filter(|&node| !is_asked[node]) {
            distributions.row_mut(node).assign(&codes.row(node));
        }
        let is_reached = answer.is_reached.iter().zip(&is_asked);
        Ok(Propagation {
            smoothness: smoothness(weights, &distributions, run)?,
            is_reached: is_reached.map(|(&found, &asked)| found || !asked).collect(),
            distributions,
            trace: answer.trace,
        })
    }
}

fn check_price(label_weight: f64) -> Result<()> {
    match label_weight > 0.0 && label_weight.is_finite() {
        true => Ok(()),
        false => Err(Error::parameter(
            "label_weight",
            label_weight,
            "it must be greater than 0 and finite",
        )),
    }
}

/// fᵀLf = ½·ΣSᵢⱼ‖fᵢ − fⱼ‖², which unlike the product cannot come out negative.
fn smoothness(weights: Rows<'_>, functions: &Array2<f64>, run: &Run) -> Result<f64> {
    let of_rows = |nodes: std::ops::Range<usize>| {
        let mut sum = 0.0;
        for node in nodes {
            let own = functions.row(node);
            neighbours(weights, node, |other, weight| {
                let pairs = own.iter().zip(functions.row(other));
                let square: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
                sum += weight * square;
            });
        }
        Ok(0.5 * sum)
    };
    let total = parallel::reduce(functions.nrows(), 64, run, &of_rows, &|a, b| a + b)?;
    Ok(total.unwrap_or(0.0))
}

/// Fails unless the weights are square, finite, not below zero and symmetric.
fn check_weights(weights: Rows<'_>, run: &Run) -> Result<()> {
    let dense = match weights {
        Rows::Sparse(sparse) => return laplacian(sparse, LaplacianKind::Unnormalised).map(|_| ()),
        Rows::Dense(dense) => dense,
    };
    if !dense.is_square() {
        return Err(Error::data(format!(
            "the matrix of a graph must be square, but it has {} rows and {} columns; \
             give a row and a column per node",
            dense.nrows(),
            dense.ncols()
        )));
    }
    for ((i, j), &weight) in dense.indexed_iter() {
        if j == 0 {
            run.check()?;
        }
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(Error::data(format!(
                "the edge from row {i} to row {j} has the weight {weight}; \
                 weights must be finite and not below 0"
            )));
        }
        let other = dense[[j, i]];
        if j < i && (weight - other).abs() > 1e-9 * weight.max(other) {
            return Err(Error::data(format!(
                "the edge from row {i} to row {j} weighs {weight} one way and {other} the other; \
                 make the weights symmetric"
            )));
        }
    }
    Ok(())
}
