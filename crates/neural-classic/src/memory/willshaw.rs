//! The net of Willshaw: pairs of sparse binary patterns in binary weights.

use didact_core::{Error, Result};

/// Associates binary patterns with binary patterns through weights that are either set or not.
///
/// Storing sets w_ij where xᵢ and yⱼ are both active and never clears a weight, so it does not
/// matter in which order or how often pairs come. Recall sums sⱼ = Σᵢ w_ij·xᵢ and fires the outputs
/// with sⱼ ≥ θ. With y = x the memory completes patterns.
///
/// ```
/// use didact_neural_classic::{RecallThreshold, Willshaw};
/// let mut net = Willshaw::new(4, 3)?;
/// net.store(&[true, true, false, false], &[true, false, false])?;
/// net.store(&[false, true, true, false], &[false, false, true])?;
/// let found = net.recall(&[true, true, false, false], RecallThreshold::ActiveBits)?;
/// assert_eq!(found, [true, false, false]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Willshaw {
    n_inputs: usize,
    n_outputs: usize,
    /// For every output the bits of the inputs that are joined to it, 64 in a word.
    weights: Vec<u64>,
}

/// How many active inputs must be joined to an output for it to fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecallThreshold {
    /// One: every output that shares an active input with the cue fires, so stored inputs must
    /// not overlap.
    One,
    /// As many as are active in the cue: for complete cues, whose patterns may overlap.
    ActiveBits,
    /// As many as the best output has: for incomplete cues.
    Largest,
    /// As many as are given, at least one.
    At(usize),
}

impl Willshaw {
    /// A net without a weight.
    pub fn new(n_inputs: usize, n_outputs: usize) -> Result<Self> {
        if n_inputs == 0 || n_outputs == 0 {
            return Err(Error::parameter(
                "n_inputs or n_outputs",
                0,
                "each must be at least 1",
            ));
        }
        Ok(Willshaw {
            n_inputs,
            n_outputs,
            weights: vec![0; n_outputs * n_inputs.div_ceil(64)],
        })
    }

    /// Stores a pair: w_ij ← w_ij or (xᵢ and yⱼ).
    pub fn store(&mut self, input: &[bool], output: &[bool]) -> Result<()> {
        let words = self.words(input)?;
        check_length("output", output.len(), self.n_outputs)?;
        let places = self.weights.chunks_exact_mut(words.len());
        for (weights, _) in places.zip(output).filter(|(_, active)| **active) {
            for (weight, word) in weights.iter_mut().zip(&words) {
                *weight |= word;
            }
        }
        Ok(())
    }

    /// For every output the number of active inputs that are joined to it.
    pub fn sums(&self, cue: &[bool]) -> Result<Vec<usize>> {
        let words = self.words(cue)?;
        let sum = |weights: &[u64]| {
            let common = weights
                .iter()
                .zip(&words)
                .map(|(a, b)| (a & b).count_ones());
            common.sum::<u32>() as usize
        };
        Ok(self.weights.chunks_exact(words.len()).map(sum).collect())
    }

    /// The outputs that fire for a cue. Nothing fires for a cue without an active bit.
    pub fn recall(&self, cue: &[bool], threshold: RecallThreshold) -> Result<Vec<bool>> {
        let sums = self.sums(cue)?;
        let needed = match threshold {
            RecallThreshold::One => 1,
            RecallThreshold::ActiveBits => cue.iter().filter(|active| **active).count(),
            RecallThreshold::Largest => sums.iter().copied().max().unwrap_or(0),
            RecallThreshold::At(0) => {
                return Err(Error::parameter(
                    "threshold",
                    0,
                    "it must be at least 1, or every output would fire",
                ));
            }
            RecallThreshold::At(needed) => needed,
        };
        Ok(sums.iter().map(|&sum| sum >= needed.max(1)).collect())
    }

    /// The share of weights that are set.
    pub fn fill(&self) -> f64 {
        let set: u64 = self.weights.iter().map(|w| u64::from(w.count_ones())).sum();
        set as f64 / (self.n_inputs as f64 * self.n_outputs as f64)
    }

    /// Whether half of the weights are set: beyond that, recall adds more and more wrong bits.
    pub fn is_full(&self) -> bool {
        self.fill() >= 0.5
    }

    /// Whether the weight from an input to an output is set.
    pub fn is_joined(&self, input: usize, output: usize) -> bool {
        let words = self.n_inputs.div_ceil(64);
        input < self.n_inputs
            && output < self.n_outputs
            && self.weights[output * words + input / 64] >> (input % 64) & 1 == 1
    }

    /// An input as words of 64 bits.
    fn words(&self, input: &[bool]) -> Result<Vec<u64>> {
        check_length("input", input.len(), self.n_inputs)?;
        let word = |bits: &[bool]| {
            let active = bits.iter().enumerate().filter(|(_, active)| **active);
            active.fold(0, |word, (place, _)| word | 1 << place)
        };
        Ok(input.chunks(64).map(word).collect())
    }
}

fn check_length(what: &str, found: usize, expected: usize) -> Result<()> {
    match found == expected {
        true => Ok(()),
        false => Err(Error::data(format!(
            "the {what} has {found} values; the net needs {expected}"
        ))),
    }
}

/// The sizes of a net and of its patterns, from which its load can be computed.
///
/// ```
/// use didact_neural_classic::WillshawSizes;
/// let sizes = WillshawSizes::new(256, 256, 8, 8)?;
/// assert_eq!(sizes.capacity().floor(), 709.0);
/// assert!((sizes.fill_after(709.0) - 0.5).abs() < 1e-3);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WillshawSizes {
    n_inputs: usize,
    n_outputs: usize,
    active_inputs: usize,
    active_outputs: usize,
}

impl WillshawSizes {
    /// A net of N_in×N_out weights for random patterns with M_in and M_out active bits.
    pub fn new(
        n_inputs: usize,
        n_outputs: usize,
        active_inputs: usize,
        active_outputs: usize,
    ) -> Result<Self> {
        let fits = |active: usize, all: usize| (1..=all).contains(&active);
        if !fits(active_inputs, n_inputs) || !fits(active_outputs, n_outputs) {
            return Err(Error::parameter(
                "active_inputs and active_outputs",
                format!("{active_inputs} and {active_outputs}"),
                format!("they must be at least 1 and at most {n_inputs} and {n_outputs}"),
            ));
        }
        Ok(WillshawSizes {
            n_inputs,
            n_outputs,
            active_inputs,
            active_outputs,
        })
    }

    /// The chance that one pair sets a given weight.
    fn chance(&self) -> f64 {
        (self.active_inputs as f64 / self.n_inputs as f64)
            * (self.active_outputs as f64 / self.n_outputs as f64)
    }

    /// The expected share of weights that are set after R pairs,
    /// ρ(R) = 1 − (1 − (M_in/N_in)·(M_out/N_out))ᴿ.
    pub fn fill_after(&self, n_pairs: f64) -> f64 {
        -((-self.chance()).ln_1p() * n_pairs).exp_m1()
    }

    /// How many pairs set half of the weights, about ln 2·N_in·N_out/(M_in·M_out).
    pub fn capacity(&self) -> f64 {
        0.5_f64.ln() / (-self.chance()).ln_1p()
    }

    /// The expected number of outputs that fire wrongly after R pairs when a cue with
    /// `correct_bits` right bits must reach all of them, (N_out − M_out)·ρ^θ.
    pub fn spurious_bits(&self, n_pairs: f64, correct_bits: usize) -> f64 {
        let silent = (self.n_outputs - self.active_outputs) as f64;
        silent * self.fill_after(n_pairs).powf(correct_bits as f64)
    }
}
