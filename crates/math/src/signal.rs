//! Correlation and convolution of signals.

use didact_core::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of a convolution or correlation is wanted, of signals of n and m samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// All n + m − 1 places at which the signals overlap at all.
    #[default]
    Full,
    /// The middle max(n, m) of them.
    Same,
    /// The |n − m| + 1 places at which they overlap wholly.
    Valid,
}

/// The convolution c(t) = Σₛ f(s)·g(t−s), the same whichever comes first, in n·m operations.
///
/// ```
/// use didact_math::signal::{Mode, convolve};
/// assert_eq!(convolve(&[1.0, 2.0, 3.0], &[0.0, 1.0, 0.5], Mode::Full)?, [0.0, 1.0, 2.5, 4.0, 1.5]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn convolve(f: &[f64], g: &[f64], mode: Mode) -> Result<Vec<f64>> {
    check(f, g)?;
    let (long, short) = if f.len() >= g.len() { (f, g) } else { (g, f) };
    let mut full = vec![0.0; long.len() + short.len() - 1];
    for (shift, factor) in short.iter().enumerate() {
        // The inner loop runs over the longer signal, so that it vectorises.
        for (sum, value) in full[shift..].iter_mut().zip(long) {
            *sum += factor * value;
        }
    }
    let wanted = match mode {
        Mode::Full => 0..full.len(),
        Mode::Same => {
            let first = (short.len() - 1) / 2;
            first..first + long.len()
        }
        Mode::Valid => short.len() - 1..long.len(),
    };
    Ok(full[wanted].to_vec())
}

/// The cross-correlation c(t) = Σₛ f(s)·g(s+t) for every lag t, from −(n−1) to m−1 in the full
/// mode: c(0) = f·g, no mean is removed, and exchanging the signals reverses the lags.
///
/// [`lags`] says which lag each value has.
///
/// ```
/// use didact_math::signal::{Mode, correlate, lags};
/// let (f, g) = ([1.0, 2.0], [3.0, 4.0]);
/// assert_eq!(correlate(&f, &g, Mode::Full)?, [6.0, 11.0, 4.0]);
/// assert_eq!(lags(2, 2, Mode::Full)?, [-1, 0, 1]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn correlate(f: &[f64], g: &[f64], mode: Mode) -> Result<Vec<f64>> {
    check(f, g)?;
    let reversed: Vec<f64> = f.iter().rev().copied().collect();
    convolve(&reversed, g, mode)
}

/// The lags that the values of [`correlate`] belong to, for signals of n and m samples.
pub fn lags(n: usize, m: usize, mode: Mode) -> Result<Vec<isize>> {
    if n == 0 || m == 0 {
        return Err(Error::data("a signal has no samples; give at least one"));
    }
    let all: Vec<isize> = (1 - n as isize..m as isize).collect();
    let (long, short) = (n.max(m), n.min(m));
    Ok(match mode {
        Mode::Full => all,
        Mode::Same => all[(short - 1) / 2..(short - 1) / 2 + long].to_vec(),
        Mode::Valid => all[short - 1..long].to_vec(),
    })
}

fn check(f: &[f64], g: &[f64]) -> Result<()> {
    for (which, signal) in [("first", f), ("second", g)] {
        if signal.is_empty() {
            return Err(Error::data(format!(
                "the {which} signal has no samples; give at least one"
            )));
        }
        if let Some(place) = signal.iter().position(|value| !value.is_finite()) {
            return Err(Error::data(format!(
                "sample {place} of the {which} signal is {}; samples must be finite numbers",
                signal[place]
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MODES: [Mode; 3] = [Mode::Full, Mode::Same, Mode::Valid];

    #[test]
    fn convolutions_are_those_of_numpy_in_every_mode() {
        // 004:M04: numpy.convolve([1,2,3,4], [1,0,-1], mode); the longer one may come second.
        let (f, g) = ([1.0, 2.0, 3.0, 4.0], [1.0, 0.0, -1.0]);
        let expected = [
            vec![1.0, 2.0, 2.0, 2.0, -3.0, -4.0],
            vec![2.0, 2.0, 2.0, -3.0],
            vec![2.0, 2.0],
        ];
        for (mode, expected) in MODES.into_iter().zip(expected) {
            assert_eq!(convolve(&f, &g, mode).unwrap(), expected);
            assert_eq!(convolve(&g, &f, mode).unwrap(), expected);
        }
    }

    #[test]
    fn the_sign_of_the_lag_is_fixed_by_the_later_signal() {
        // 004:M03: g is f two samples later, so the peak is at lag +2; numpy.correlate(g, f,
        // "full") gives the same list.
        let f = [1.0, 3.0, -2.0, 0.0, 0.0];
        let g = [0.0, 0.0, 1.0, 3.0, -2.0];
        let found = correlate(&f, &g, Mode::Full).unwrap();
        assert_eq!(found, [0.0, 0.0, 0.0, 0.0, -2.0, -3.0, 14.0, -3.0, -2.0]);
    }

    #[test]
    fn empty_and_broken_signals_are_refused() {
        let error = convolve(&[], &[1.0], Mode::Full).unwrap_err().to_string();
        assert_eq!(error, "the first signal has no samples; give at least one");
        let error = correlate(&[1.0], &[1.0, f64::NAN], Mode::Full)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("sample 1 of the second signal is NaN"),
            "{error}"
        );
        assert!(lags(0, 1, Mode::Full).is_err());
    }

    proptest! {
        #[test]
        fn correlations_follow_their_definition(
            f in prop::collection::vec(-3.0..3.0_f64, 1..12),
            g in prop::collection::vec(-3.0..3.0_f64, 1..12),
        ) {
            // 004:M03 004:M04: c(t) = Σ f(s)·g(s+t), c(0) = f·g, c_fg(t) = c_gf(−t).
            let product = |t: isize| -> f64 {
                (0..f.len()).filter_map(|s| {
                    let place = usize::try_from(s as isize + t).ok()?;
                    Some(f[s] * g.get(place)?)
                }).sum()
            };
            for mode in MODES {
                let found = correlate(&f, &g, mode).unwrap();
                let lags = lags(f.len(), g.len(), mode).unwrap();
                prop_assert_eq!(found.len(), lags.len());
                for (value, lag) in found.iter().zip(&lags) {
                    prop_assert!((value - product(*lag)).abs() < 1e-12);
                }
            }
            let mut exchanged = correlate(&g, &f, Mode::Full).unwrap();
            exchanged.reverse();
            for (a, b) in exchanged.iter().zip(correlate(&f, &g, Mode::Full).unwrap()) {
                prop_assert!((a - b).abs() < 1e-12);
            }
        }
    }
}
