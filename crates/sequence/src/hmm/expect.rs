//! One sequence through forward and backward: scaled where that is safe, in logarithms where
//! it is not.

use super::chain::Chain;
use super::emission::Evaluated;
use super::scaled::{Scratch, Trust};
use super::{log_space, scaled};
use didact_core::{Result, Run};
use std::ops::Range;

/// Forward–backward over many sequences, reusing its memory.
#[derive(Debug)]
pub(crate) struct Expectation<'a> {
    chain: &'a Chain,
    run: &'a Run,
    likelihoods: Vec<f64>,
    forward: Vec<f64>,
    scratch: Scratch,
    pairs: Vec<f64>,
}

impl<'a> Expectation<'a> {
    pub(crate) fn new(chain: &'a Chain, run: &'a Run) -> Self {
        Expectation {
            chain,
            run,
            likelihoods: Vec::new(),
            forward: Vec::new(),
            scratch: Scratch::new(chain.n_states),
            pairs: vec![0.0; chain.n_states * chain.n_states],
        }
    }

    /// ln p(x) of the given items; minus infinity where they are impossible.
    pub(crate) fn log_likelihood(
        &mut self,
        emissions: &Evaluated<'_>,
        items: Range<usize>,
    ) -> Result<f64> {
        let size = items.len() * self.chain.n_states;
        let mut forward = std::mem::take(&mut self.forward);
        forward.resize(size, 0.0);
        let (log_scale, outcome) = self.scaled_forward(emissions, &items, &mut forward)?;
        // Where paths became faint, only the way back tells whether they matter.
        let sure = match outcome.trust {
            Trust::Sure => true,
            Trust::Doubtful if outcome.log_scale > f64::NEG_INFINITY => {
                self.scaled_backward(&mut forward)?
            }
            Trust::Doubtful | Trust::None => false,
        };
        let log_likelihood = match sure {
            true => log_scale + outcome.log_scale,
            false => {
                let logarithms = self.logarithms(emissions, &items);
                log_space::forward(self.chain, &logarithms, &mut forward, self.run)?;
                log_space::log_likelihood(self.chain, &forward)
            }
        };
        self.forward = forward;
        Ok(log_likelihood)
    }

    /// Writes the posteriors γ of the given items, adds Σ_t ξ_t to `transitions`, and returns
    /// ln p(x). An impossible sequence adds nothing, and its states are equally probable.
    pub(crate) fn posteriors(
        &mut self,
        emissions: &Evaluated<'_>,
        items: Range<usize>,
        posteriors: &mut [f64],
        transitions: &mut [f64],
    ) -> Result<f64> {
        let (log_scale, outcome) = self.scaled_forward(emissions, &items, posteriors)?;
        let mut log_likelihood = log_scale + outcome.log_scale;
        let possible = log_likelihood > f64::NEG_INFINITY;
        let trusted =
            outcome.trust < Trust::None && possible && self.scaled_backward(posteriors)?;
        match trusted {
            true => {
                let factors = self.pairs.iter().zip(&self.chain.transitions);
                for (count, (pair, &probability)) in transitions.iter_mut().zip(factors) {
                    if probability > 0.0 {
                        *count += pair * probability;
                    }
                }
            }
            // Sure and impossible: logarithms would say the same.
            false if outcome.trust == Trust::Sure && !possible => {}
            false => {
                log_likelihood = self.in_logarithms(emissions, &items, posteriors, transitions)?;
            }
        }
        if log_likelihood == f64::NEG_INFINITY {
            posteriors.fill((self.chain.n_states as f64).recip());
        }
        Ok(log_likelihood)
    }

    fn scaled_forward(
        &mut self,
        emissions: &Evaluated<'_>,
        items: &Range<usize>,
        forward: &mut [f64],
    ) -> Result<(f64, scaled::Forward)> {
        self.likelihoods
            .resize(items.len() * self.chain.n_states, 0.0);
        let (log_scale, underflow) =
            emissions.write_likelihoods(items.start, &mut self.likelihoods);
        let outcome = scaled::forward(self.chain, &self.likelihoods, underflow, forward, self.run)?;
        Ok((log_scale, outcome))
    }

    fn scaled_backward(&mut self, forward: &mut [f64]) -> Result<bool> {
        self.pairs.fill(0.0);
        scaled::backward(
            self.chain,
            &self.likelihoods,
            forward,
            &mut self.pairs,
            &mut self.scratch,
            self.run,
        )
    }

    fn logarithms(&self, emissions: &Evaluated<'_>, items: &Range<usize>) -> Vec<f64> {
        let mut logarithms = vec![0.0; items.len() * self.chain.n_states];
        emissions.copy_logarithms(items.start, &mut logarithms);
        logarithms
    }

    fn in_logarithms(
        &self,
        emissions: &Evaluated<'_>,
        items: &Range<usize>,
        posteriors: &mut [f64],
        transitions: &mut [f64],
    ) -> Result<f64> {
        let logarithms = self.logarithms(emissions, items);
        let mut beta = vec![0.0; logarithms.len()];
        log_space::forward(self.chain, &logarithms, posteriors, self.run)?;
        log_space::backward(self.chain, &logarithms, &mut beta, self.run)?;
        let total = log_space::log_likelihood(self.chain, posteriors);
        if total > f64::NEG_INFINITY {
            log_space::posteriors(
                self.chain,
                &logarithms,
                posteriors,
                &beta,
                transitions,
                self.run,
            )?;
        }
        Ok(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::random::generator;
    use proptest::prelude::*;
    use rand::RngExt;

    /// A chain with zeros here and there, and emissions that differ by up to e^`range`.
    fn random_problem(k: usize, n: usize, range: f64, zeros: f64, seed: u64) -> (Chain, Vec<f64>) {
        let random = &mut generator(seed, 0);
        let mut row = |width: usize| -> Vec<f64> {
            let mut values: Vec<f64> = (0..width)
                .map(|_| {
                    if random.random::<f64>() < zeros {
                        0.0
                    } else {
                        random.random()
                    }
                })
                .collect();
            values[random.random_range(0..width)] += 0.1;
            let sum: f64 = values.iter().sum();
            values.into_iter().map(|value| value / sum).collect()
        };
        let stops = seed.is_multiple_of(2);
        let start = row(k);
        let rows: Vec<Vec<f64>> = (0..k).map(|_| row(k + usize::from(stops))).collect();
        let transitions = rows.iter().flat_map(|row| row[..k].to_vec()).collect();
        let stop = stops.then(|| rows.iter().map(|row| row[k]).collect());
        let emissions = (0..n * k)
            .map(|_| -range * random.random::<f64>())
            .collect();
        (Chain::new(start, transitions, stop), emissions)
    }

    /// The same through logarithms alone.
    fn twin(chain: &Chain, emissions: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
        let run = Run::new();
        let mut forward = vec![0.0; emissions.len()];
        let mut backward = forward.clone();
        let mut pairs = vec![0.0; chain.n_states * chain.n_states];
        log_space::forward(chain, emissions, &mut forward, &run).unwrap();
        log_space::backward(chain, emissions, &mut backward, &run).unwrap();
        let total = log_space::log_likelihood(chain, &forward);
        match total == f64::NEG_INFINITY {
            true => forward.fill((chain.n_states as f64).recip()),
            false => {
                log_space::posteriors(chain, emissions, &mut forward, &backward, &mut pairs, &run)
                    .unwrap();
            }
        }
        (total, forward, pairs)
    }

    fn close(left: &[f64], right: &[f64]) -> bool {
        left.iter()
            .zip(right)
            .all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + b.abs()))
    }

    fn agrees_with_twin(chain: &Chain, emissions: &[f64]) -> bool {
        let run = Run::new();
        let k = chain.n_states;
        let n = emissions.len() / k;
        let evaluated = Evaluated::from_logarithms(k, emissions.to_vec());
        let mut posteriors = vec![0.0; emissions.len()];
        let mut pairs = vec![0.0; k * k];
        let mut expectation = Expectation::new(chain, &run);
        let total = expectation
            .posteriors(&evaluated, 0..n, &mut posteriors, &mut pairs)
            .unwrap();
        let score = expectation.log_likelihood(&evaluated, 0..n).unwrap();
        let (expected, expected_posteriors, expected_pairs) = twin(chain, emissions);
        let same =
            |value: f64| value == expected || (value - expected).abs() <= 1e-9 * expected.abs();
        same(total)
            && same(score)
            && close(&posteriors, &expected_posteriors)
            && close(&pairs, &expected_pairs)
    }

    #[test]
    fn a_path_that_fades_and_comes_back_is_not_lost() {
        // Left to right: the first state looks hopeless twice (e⁻⁸⁰⁰), then only it explains the
        // rest, although the second survives each single step. Scaling alone gets this wrong.
        let chain = Chain::new(vec![0.5, 0.5], vec![0.5, 0.5, 0.0, 1.0], None);
        let mut emissions = vec![-400.0, 0.0, -400.0, 0.0];
        for _ in 0..6 {
            emissions.extend([0.0, -300.0]);
        }
        assert!(agrees_with_twin(&chain, &emissions));
        let (_, posteriors, _) = twin(&chain, &emissions);
        assert!(posteriors[0] > 0.999, "the first state wins in the end");
    }

    #[test]
    fn steps_less_probable_than_any_number_square_are_exact() {
        // The middle state is faint (e⁻⁴⁰⁰) beside the first when it steps on, and only the step
        // leads to the last state, which alone explains the end: the product of both is no
        // number, and scaling would call the sequence impossible.
        let chain = Chain::new(
            vec![0.5, 0.5, 0.0],
            vec![
                1.0,
                0.0,
                0.0, //
                0.0,
                1.0 - 1e-200,
                1e-200, //
                0.0,
                0.0,
                1.0,
            ],
            None,
        );
        let never = f64::NEG_INFINITY;
        let emissions = [0.0, -400.0, never, 0.0, 0.0, 0.0, never, never, 0.0];
        assert!(agrees_with_twin(&chain, &emissions));
        // The step happens at the second or at the third item: two paths of equal probability.
        let expected = 0.5_f64.ln() - 400.0 + 1e-200_f64.ln() + 2_f64.ln();
        assert!((twin(&chain, &emissions).0 - expected).abs() < 1e-9);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn scaling_and_logarithms_agree(
            k in 1usize..6,
            n in 1usize..30,
            range in prop::sample::select(vec![1.0, 30.0, 800.0, 3000.0]),
            zeros in prop::sample::select(vec![0.0, 0.5, 0.8]),
            seed: u64,
        ) {
            let (chain, emissions) = random_problem(k, n, range, zeros, seed);
            prop_assert!(agrees_with_twin(&chain, &emissions));
        }
    }
}
