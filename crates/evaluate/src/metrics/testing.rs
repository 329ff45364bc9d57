//! Numbers for tests that any other language can make again, without a file.
//!
//! In Python, for the oracles:
//!
//! ```text
//! def u(i, s):
//!     x = (i * 2654435761 + s * 40503 + 12345) % 2**32
//!     x = ((x ^ (x >> 15)) * 2246822519) % 2**32
//!     return (x ^ (x >> 13)) / 2**32
//! ```

/// A number from 0 to 1 that depends on its place and a salt.
pub(crate) fn unit(place: usize, salt: usize) -> f64 {
    let mask = u64::from(u32::MAX);
    let x = (place as u64 * 2_654_435_761 + salt as u64 * 40_503 + 12_345) & mask;
    let x = ((x ^ (x >> 15)) * 2_246_822_519) & mask;
    (x ^ (x >> 13)) as f64 / 4_294_967_296.0
}

/// Many such numbers.
pub(crate) fn units(count: usize, salt: usize) -> Vec<f64> {
    (0..count).map(|place| unit(place, salt)).collect()
}

/// Labels from 0 to `classes` − 1.
pub(crate) fn labels(count: usize, classes: usize, salt: usize) -> Vec<usize> {
    let label = |place| (unit(place, salt) * classes as f64) as usize;
    (0..count).map(label).collect()
}

/// Labels that agree with `truth` in about the given share of the rows.
pub(crate) fn noisy(truth: &[usize], classes: usize, share: f64, salt: usize) -> Vec<usize> {
    let other = labels(truth.len(), classes, salt + 1);
    let pick = |(place, &label): (usize, &usize)| match unit(place, salt) < share {
        true => label,
        false => other[place],
    };
    truth.iter().enumerate().map(pick).collect()
}

/// Fails unless the numbers agree to 1e-12, relative where they are large.
pub(crate) fn assert_near(found: f64, expected: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= 1e-12 * expected.abs().max(1.0),
        "{found} is not {expected}"
    );
}
