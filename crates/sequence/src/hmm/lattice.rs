//! The forward and backward variables of one sequence, for those who want to look inside.

use super::chain::Chain;
use super::log_space;
use super::model::HmmModel;
use didact_core::{Error, Result, Run, Samples};
use didact_math::numeric::x_log_x;
use ndarray::{Array2, Array3, Axis};

/// The forward and backward variables of one sequence, as logarithms.
///
/// ```
/// use didact_sequence::HmmModel;
/// use ndarray::array;
/// let model = HmmModel::categorical(
///     array![0.6, 0.4],
///     array![[0.7, 0.3], [0.4, 0.6]],
///     array![[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]],
/// )?;
/// let lattice = model.lattice(&array![[0.0], [1.0], [2.0]])?;
/// assert!((lattice.log_likelihood().exp() - 0.03628).abs() < 1e-12);
/// assert!((lattice.posteriors()[[0, 0]] - 0.8765159868).abs() < 1e-9);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lattice {
    chain: Chain,
    emissions: Array2<f64>,
    forward: Array2<f64>,
    backward: Array2<f64>,
    log_likelihood: f64,
}

impl HmmModel {
    /// The forward and backward variables of one sequence.
    pub fn lattice<'a>(&self, items: impl Into<Samples<'a>>) -> Result<Lattice> {
        let items = items.into();
        if items.n_rows() == 0 {
            return Err(Error::data("the sequence has no items; give at least one"));
        }
        Lattice::new(self.engine()?.chain, self.log_emissions(&items)?)
    }

    /// The lower bound Σ_h q(h)·ln(p(x, h)/q(h)) ≤ ln p(x), where q is the posterior that
    /// another model gives to the paths of the same sequence.
    ///
    /// The gap is the divergence KL(q ‖ p(h | x)): zero when `other` is the lattice of this
    /// model. It is minus infinity where q allows what this model does not.
    pub fn lower_bound<'a>(&self, items: impl Into<Samples<'a>>, other: &Lattice) -> Result<f64> {
        let own = self.lattice(items)?;
        if own.forward.dim() != other.forward.dim() {
            return Err(Error::data(
                "the lattice is that of another sequence or of a model with other states",
            ));
        }
        let (posteriors, pairs) = (other.posteriors(), other.pair_posteriors());
        let expect = |weights: &mut dyn Iterator<Item = (f64, f64)>| -> f64 {
            weights
                .filter(|(weight, _)| *weight > 0.0)
                .map(|(weight, value)| weight * value)
                .sum()
        };
        let k = own.chain.n_states;
        let first = posteriors.row(0);
        let last = posteriors.row(posteriors.nrows() - 1);
        let start = expect(
            &mut first
                .iter()
                .copied()
                .zip(own.chain.log_start.iter().copied()),
        );
        let stop = expect(&mut last.iter().copied().zip(own.chain.log_stop.iter().copied()));
        let emitted = expect(
            &mut posteriors
                .iter()
                .copied()
                .zip(own.emissions.iter().copied()),
        );
        let steps = own.chain.log_transitions.iter().copied().cycle();
        let stepped = expect(&mut pairs.iter().copied().zip(steps));
        // A posterior over paths is a Markov chain itself: H = Σ_t H(pair) − Σ_inner H(state).
        let pair_entropy: f64 = pairs.iter().map(|&pair| -x_log_x(pair)).sum();
        let inner = posteriors.len().saturating_sub(k);
        let inner = posteriors
            .iter()
            .take(inner)
            .skip(k)
            .map(|&p| -x_log_x(p))
            .sum::<f64>();
        let entropy = match posteriors.nrows() {
            1 => first.iter().map(|&p| -x_log_x(p)).sum(),
            _ => pair_entropy - inner,
        };
        Ok(start + stepped + emitted + stop + entropy)
    }
}

impl Lattice {
    /// Both recursions over the logarithms of emissions, K for each of at least one item.
    pub(crate) fn new(chain: Chain, emissions: Vec<f64>) -> Result<Self> {
        let run = Run::new();
        let mut forward = vec![0.0; emissions.len()];
        let mut backward = forward.clone();
        log_space::forward(&chain, &emissions, &mut forward, &run)?;
        log_space::backward(&chain, &emissions, &mut backward, &run)?;
        let log_likelihood = log_space::log_likelihood(&chain, &forward);
        let shape = (emissions.len() / chain.n_states, chain.n_states);
        let matrix = |values| Array2::from_shape_vec(shape, values).expect("K values per item");
        Ok(Lattice {
            emissions: matrix(emissions),
            forward: matrix(forward),
            backward: matrix(backward),
            log_likelihood,
            chain,
        })
    }

    /// ln p(x); minus infinity where the sequence is impossible.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// ln α_t(i) = ln p(x₁…x_t, h_t = i).
    pub fn log_forward(&self) -> &Array2<f64> {
        &self.forward
    }

    /// ln p(x₁…x_{t−1}, h_t = i): the forward variable without the emission of its own item.
    pub fn log_forward_excluding(&self) -> Array2<f64> {
        let k = self.chain.n_states;
        let mut excluding = Array2::from_elem(self.forward.dim(), 0.0);
        for ((t, j), value) in excluding.indexed_iter_mut() {
            // Not the forward variable minus the emission: that would be undefined at zeros.
            *value = match t {
                0 => self.chain.log_start[j],
                _ => {
                    let column = &self.chain.log_transposed[j * k..(j + 1) * k];
                    let terms: Vec<f64> = self
                        .forward
                        .row(t - 1)
                        .iter()
                        .zip(column)
                        .map(|(a, b)| a + b)
                        .collect();
                    didact_math::numeric::log_sum_exp(&terms)
                }
            };
        }
        excluding
    }

    /// ln β_t(i) = ln p(x_{t+1}…x_n, stop | h_t = i).
    pub fn log_backward(&self) -> &Array2<f64> {
        &self.backward
    }

    /// ln p(x_t…x_n, stop | h_t = i): the backward variable with the emission of its own item.
    pub fn log_backward_including(&self) -> Array2<f64> {
        &self.backward + &self.emissions
    }

    /// γ_t(i) = p(h_t = i | x); equal for all states where the sequence is impossible.
    pub fn posteriors(&self) -> Array2<f64> {
        if self.log_likelihood == f64::NEG_INFINITY {
            return Array2::from_elem(self.forward.dim(), (self.chain.n_states as f64).recip());
        }
        (&self.forward + &self.backward).mapv(|value| (value - self.log_likelihood).exp())
    }

    /// ξ_t(i, j) = p(h_t = i, h_{t+1} = j | x), one matrix for each step; all zero where the
    /// sequence is impossible.
    ///
    /// The step into the first item has the posterior γ₁, the one out of the last γ_n.
    pub fn pair_posteriors(&self) -> Array3<f64> {
        let k = self.chain.n_states;
        let mut pairs = Array3::zeros((self.forward.nrows() - 1, k, k));
        if self.log_likelihood == f64::NEG_INFINITY {
            return pairs;
        }
        let slice = |array: &'_ Array2<f64>| array.iter().copied().collect::<Vec<_>>();
        let (emissions, forward, backward) = (
            slice(&self.emissions),
            slice(&self.forward),
            slice(&self.backward),
        );
        for (t, mut matrix) in pairs.axis_iter_mut(Axis(0)).enumerate() {
            let values = matrix
                .as_slice_mut()
                .expect("matrices of a stack are contiguous");
            log_space::add_pairs(
                &self.chain,
                &emissions,
                &forward,
                &backward,
                t,
                self.log_likelihood,
                values,
            );
        }
        pairs
    }
}
