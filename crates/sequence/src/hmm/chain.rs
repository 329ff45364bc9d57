//! The hidden chain: start, transition and stop probabilities, ready for the recursions.

/// Below this a transition counts as zero after learning. Products of a scaled forward variable
/// with a transition that is larger stay far from the smallest number that `f64` can hold.
pub(crate) const NEGLIGIBLE: f64 = 1e-100;

/// How the zeros of the chain are spread, which decides whether scaling can lose paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Support {
    /// Every start and step is possible: a path lost to underflow is always outweighed by one that joins
    /// it a step later.
    Full,
    /// Some starts or steps are impossible; underflow has to be watched.
    Sparse,
    /// Some steps are possible but less probable than [`NEGLIGIBLE`]; only logarithms are safe.
    Extreme,
}

/// Start, transition and stop probabilities with their transposes and logarithms.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) n_states: usize,
    pub(crate) start: Vec<f64>,
    /// Row i holds the probabilities of the steps from state i.
    pub(crate) transitions: Vec<f64>,
    /// Row j holds the probabilities of the steps to state j.
    pub(crate) transposed: Vec<f64>,
    pub(crate) stop: Option<Vec<f64>>,
    pub(crate) log_start: Vec<f64>,
    pub(crate) log_transitions: Vec<f64>,
    pub(crate) log_transposed: Vec<f64>,
    /// Zeros (certainty) where the chain has no stop state.
    pub(crate) log_stop: Vec<f64>,
    pub(crate) support: Support,
}

impl Chain {
    pub(crate) fn new(start: Vec<f64>, transitions: Vec<f64>, stop: Option<Vec<f64>>) -> Self {
        let n_states = start.len();
        let logarithms = |values: &[f64]| values.iter().map(|value| value.ln()).collect();
        let transposed = transpose(&transitions, n_states);
        let steps = || transitions.iter().chain(stop.iter().flatten());
        let support = match () {
            _ if steps().chain(&start).any(|&p| p > 0.0 && p < NEGLIGIBLE) => Support::Extreme,
            _ if steps().chain(&start).any(|&p| p == 0.0) => Support::Sparse,
            _ => Support::Full,
        };
        Chain {
            n_states,
            log_start: logarithms(&start),
            log_transitions: logarithms(&transitions),
            log_transposed: logarithms(&transposed),
            log_stop: stop.as_deref().map_or(vec![0.0; n_states], logarithms),
            transposed,
            start,
            transitions,
            stop,
            support,
        }
    }

    /// A chain of potentials with the given logarithms instead of probabilities.
    ///
    /// Potentials that `f64` cannot hold have finite logarithms, with which everything is then
    /// computed.
    pub(crate) fn of_log_potentials(start: Vec<f64>, steps: Vec<f64>, stop: Vec<f64>) -> Self {
        let n_states = start.len();
        let exponentials = |values: &[f64]| values.iter().map(|value| value.exp()).collect();
        let transitions: Vec<f64> = exponentials(&steps);
        let extreme = |value: &f64| value.abs() > -NEGLIGIBLE.ln();
        let support = match start.iter().chain(&steps).chain(&stop).any(extreme) {
            true => Support::Extreme,
            false => Support::Full,
        };
        Chain {
            n_states,
            transposed: transpose(&transitions, n_states),
            transitions,
            start: exponentials(&start),
            stop: Some(exponentials(&stop)),
            log_transposed: transpose(&steps, n_states),
            log_start: start,
            log_transitions: steps,
            log_stop: stop,
            support,
        }
    }
}

fn transpose(matrix: &[f64], n: usize) -> Vec<f64> {
    (0..n * n)
        .map(|place| matrix[(place % n) * n + place / n])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_and_tiny_probabilities_are_noticed() {
        let support =
            |low: f64| Chain::new(vec![0.5, 0.5], vec![1.0 - low, low, 0.5, 0.5], None).support;
        assert_eq!(support(0.1), Support::Full);
        assert_eq!(support(0.0), Support::Sparse);
        assert_eq!(support(1e-150), Support::Extreme);
        let stops = Chain::new(vec![0.5; 2], vec![0.5, 0.3, 0.5, 0.5], Some(vec![0.2, 0.0]));
        assert_eq!(stops.support, Support::Sparse);
        assert_eq!(stops.transposed, [0.5, 0.5, 0.3, 0.5]);
        assert_eq!(stops.log_stop, [0.2_f64.ln(), f64::NEG_INFINITY]);
    }
}
