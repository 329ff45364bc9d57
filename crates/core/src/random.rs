//! Random numbers that are the same on every machine and with every number of threads.

use rand::SeedableRng;

/// The generator used everywhere; its stream is fixed for all releases.
pub type Generator = rand_chacha::ChaCha8Rng;

/// The generator for piece number `stream` of the work that `seed` governs.
///
/// Restarts, folds and trees each take a stream of their own, so that they can run in any order
/// on any thread.
///
/// ```
/// use didact_core::random::generator;
/// use rand::RngExt;
/// let draw = |seed, stream| generator(seed, stream).random::<f64>();
/// assert_eq!(draw(1, 0), draw(1, 0));
/// assert_ne!(draw(1, 0), draw(1, 1));
/// ```
pub fn generator(seed: u64, stream: u64) -> Generator {
    let mut generator = Generator::seed_from_u64(seed);
    generator.set_stream(stream);
    generator
}
