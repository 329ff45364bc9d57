//! What the tests of several files share.

use crate::quadrature::integrate;
use crate::special::gamma_upper;
use crate::{Cumulative, Density, Draw};
use didact_core::random::generator;

/// Fails where `found` is further from `expected` than the tolerance times its size.
#[track_caller]
pub(crate) fn assert_relative(found: f64, expected: f64, tolerance: f64) {
    assert!(
        found == expected || (found - expected).abs() <= tolerance * expected.abs(),
        "{found:e} should be {expected:e} within {tolerance:e}; off by {:e}",
        (found - expected).abs() / expected.abs()
    );
}

/// Fails where any pair of entries is further apart than the tolerance times the largest entry.
#[track_caller]
pub(crate) fn assert_close<'a>(
    found: impl IntoIterator<Item = &'a f64>,
    expected: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
) {
    let (found, expected): (Vec<f64>, Vec<f64>) = (
        found.into_iter().copied().collect(),
        expected.into_iter().copied().collect(),
    );
    assert_eq!(found.len(), expected.len());
    let scale = expected
        .iter()
        .fold(1e-300, |largest: f64, x| largest.max(x.abs()));
    for (a, b) in found.iter().zip(&expected) {
        assert!(
            (a - b).abs() <= tolerance * scale,
            "{found:?} should be {expected:?}"
        );
    }
}

/// What every continuous law on the line must satisfy: the density integrates to one and to the
/// distribution function, quantiles invert the latter on both sides, draws follow the law.
#[track_caller]
pub(crate) fn check_continuous<L>(law: &L, support: (f64, f64))
where
    L: Density<f64> + Cumulative<f64> + Draw<f64>,
{
    let (low, high) = support;
    let median = law.median();
    let pieces = [(low, median), (median, high)];
    for (from, to) in pieces {
        let mass = integrate(from, to, |x| law.density(x)).unwrap();
        assert!((mass - 0.5).abs() < 1e-8, "half of the mass is {mass}");
    }
    for p in [1e-12, 1e-3, 0.1, 0.5, 0.9, 0.999] {
        // The rounding of x itself moves the probability by this much of itself.
        let slack = |x: f64, p: f64| 1e-11 + 2.0 * f64::EPSILON * x.abs() * law.density(x) / p;
        let x = law.quantile(p).unwrap();
        let (below, above) = law.log_tails(x);
        assert!(
            (below - p.ln()).abs() < slack(x, p),
            "ln P(X ≤ {x}) is {below}, not ln {p}"
        );
        assert!((above - (1.0 - p).ln()).abs() < slack(x, 1.0 - p));
        let x = law.upper_quantile(p).unwrap();
        let above = law.log_survival(x);
        assert!(
            (above - p.ln()).abs() < slack(x, p),
            "ln P(X > {x}) is {above}, not ln {p}"
        );
    }
    // The derivative of the distribution function is the density (002b:ST-02).
    for p in [0.2, 0.7] {
        let x = law.quantile(p).unwrap();
        let h = 1e-5 * (law.quantile(p + 0.05).unwrap() - x);
        let slope = law.between(x - h, x + h) / (2.0 * h);
        assert!((slope / law.density(x) - 1.0).abs() < 1e-5);
    }
    assert!(law.quantile(1.5).is_err() && law.quantile(f64::NAN).is_err());
    kolmogorov_smirnov(law);
}

/// Kolmogorov and Smirnov at three seeds: the largest gap between the empirical and the true
/// distribution function stays below the value that chance exceeds once in ten thousand times.
#[track_caller]
pub(crate) fn kolmogorov_smirnov(law: &(impl Cumulative<f64> + Draw<f64>)) {
    for seed in [1, 2, 3] {
        let n = 2000;
        let mut values = law.draw_many(n, &mut generator(seed, 0));
        values.sort_by(f64::total_cmp);
        let gap = values
            .iter()
            .enumerate()
            .map(|(i, &x)| {
                let cumulative = law.cumulative(x);
                let (before, after) = (i as f64 / n as f64, (i + 1) as f64 / n as f64);
                (cumulative - before).abs().max((after - cumulative).abs())
            })
            .fold(0.0, f64::max);
        // √(−½·ln(10⁻⁴/2)) = 2.2253
        let scaled = gap * (n as f64).sqrt();
        assert!(scaled < 2.2253, "seed {seed}: √n·D is {scaled}");
    }
}

/// What every law of counts must satisfy: the probabilities sum to one and to the distribution
/// function, quantiles are the smallest counts that reach their share, draws follow the law.
#[track_caller]
pub(crate) fn check_counts<L>(law: &L)
where
    L: Density<u64> + Cumulative<u64> + Draw<u64>,
{
    let last = law.upper_quantile(1e-15).unwrap() + 2;
    let mut below = 0.0;
    for k in 0..=last {
        below += law.density(k);
        assert!((law.cumulative(k) - below).abs() < 1e-11, "at {k}");
        assert!((law.cumulative(k) + law.survival(k) - 1.0).abs() < 1e-12);
    }
    assert!(
        (below - 1.0).abs() < 1e-11,
        "the probabilities sum to {below}"
    );
    for p in [1e-9, 0.01, 0.3, 0.5, 0.8, 0.999, 1.0 - 1e-9] {
        let k = law.quantile(p).unwrap();
        assert!(law.cumulative(k) >= p * (1.0 - 1e-12), "{p}: {k}");
        assert!(k == 0 || law.cumulative(k - 1) < p, "{p}: {k}");
    }
    for seed in [1, 2, 3] {
        chi_square(law, last, seed);
    }
}

/// Pearson's test of the counts of 4000 draws, cells merged until five are expected in each.
#[track_caller]
fn chi_square<L: Density<u64> + Draw<u64>>(law: &L, last: u64, seed: u64) {
    let n = 4000;
    let draws = law.draw_many(n, &mut generator(seed, 0));
    let mut cells: Vec<(f64, f64)> = vec![(0.0, 0.0)];
    for k in 0..=last {
        if cells[cells.len() - 1].0 >= 5.0 {
            cells.push((0.0, 0.0));
        }
        let cell = cells.len() - 1;
        cells[cell].0 += n as f64 * law.density(k);
        cells[cell].1 += draws.iter().filter(|&&draw| draw == k).count() as f64;
    }
    if let [.., before, end] = cells.as_mut_slice()
        && end.0 < 5.0
    {
        before.0 += end.0;
        before.1 += end.1;
        cells.pop();
    }
    let statistic: f64 = cells.iter().map(|(e, o)| (o - e) * (o - e) / e).sum();
    let freedom = cells.len() as f64 - 1.0;
    if freedom > 0.0 {
        let chance = gamma_upper(freedom / 2.0, statistic / 2.0);
        assert!(
            chance > 1e-4,
            "seed {seed}: χ² {statistic} with {freedom} degrees, p {chance}"
        );
    }
}
