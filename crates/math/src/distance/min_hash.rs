//! MinHash: the Jaccard similarity of large sets, estimated from short signatures.

use didact_core::random::generator;
use didact_core::{Error, Result};
use rand::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};

/// Estimates the Jaccard similarity from signatures of `n_hashes` numbers.
///
/// Each hash orders all possible elements at random and keeps the least that a set has; two sets
/// keep the same with probability J, so the share of equal places is an unbiased estimate of J
/// with the standard error √(J·(1−J)/m). The same seed gives the same signatures everywhere.
///
/// ```
/// use didact_math::distance::MinHash;
/// let hash = MinHash { n_hashes: 1024, seed: 0 };
/// let (a, b) = (hash.signature(0..300_u64)?, hash.signature(100..400_u64)?);
/// // J = 200/400; four standard errors are 0.0625.
/// assert!((a.similarity(&b)? - 0.5).abs() < 0.0625);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MinHash {
    /// How many hashes make a signature; the error falls with its root.
    #[schemars(range(min = 1))]
    pub n_hashes: usize,
    /// The seed of the hashes; signatures of different seeds cannot be compared.
    pub seed: u64,
}

impl Default for MinHash {
    fn default() -> Self {
        MinHash {
            n_hashes: 256,
            seed: 0,
        }
    }
}

/// What is kept of a set: the least hash of its elements, once per hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    seed: u64,
    least: Vec<u64>,
}

impl MinHash {
    /// The signature of a set, in time proportional to its elements times the hashes.
    pub fn signature<T: Hash>(&self, elements: impl IntoIterator<Item = T>) -> Result<Signature> {
        if self.n_hashes == 0 {
            return Err(Error::parameter("n_hashes", 0, "it must be at least 1"));
        }
        let mut generator = generator(self.seed, 0);
        let keys: Vec<u64> = (0..self.n_hashes).map(|_| generator.next_u64()).collect();
        let mut least = vec![u64::MAX; self.n_hashes];
        for element in elements {
            let mut hasher = Mixer::default();
            element.hash(&mut hasher);
            let hash = hasher.finish();
            for (least, key) in least.iter_mut().zip(&keys) {
                *least = (*least).min(mix(hash ^ key));
            }
        }
        Ok(Signature {
            seed: self.seed,
            least,
        })
    }
}

impl Signature {
    /// The estimated Jaccard similarity: the share of equal places; one for two empty sets.
    pub fn similarity(&self, other: &Signature) -> Result<f64> {
        if self.seed != other.seed || self.least.len() != other.least.len() {
            return Err(Error::data(format!(
                "one signature has {} hashes of seed {}, the other {} of seed {}; \
                 make both with the same settings",
                self.least.len(),
                self.seed,
                other.least.len(),
                other.seed
            )));
        }
        let equal = self
            .least
            .iter()
            .zip(&other.least)
            .filter(|(a, b)| a == b)
            .count();
        Ok(equal as f64 / self.least.len() as f64)
    }

    /// The signature of the union of the two sets.
    pub fn union(&self, other: &Signature) -> Result<Signature> {
        self.similarity(other)?;
        let least = self
            .least
            .iter()
            .zip(&other.least)
            .map(|(a, b)| *a.min(b))
            .collect();
        Ok(Signature {
            seed: self.seed,
            least,
        })
    }
}

/// A hasher that is the same on every machine and for ever, unlike the standard one.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = mix(self.0 ^ u64::from_le_bytes(word) ^ (chunk.len() as u64) << 56);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A bijection of 64 bits in which every bit of the input reaches every bit of the output:
/// xor-shifts and odd factors, the finaliser of splitmix.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_unbiased_with_the_stated_error() {
        // 000a:SIM-16: J = 250/750 for the first pair; fifty seeds of 200 hashes each.
        for (overlap, expected) in [(250_u64, 1.0 / 3.0), (400, 400.0 / 600.0), (0, 0.0)] {
            let estimates: Vec<f64> = (0..50)
                .map(|seed| {
                    let hash = MinHash {
                        n_hashes: 200,
                        seed,
                    };
                    let a = hash.signature(0..500_u64).unwrap();
                    let b = hash.signature(500 - overlap..1000 - overlap).unwrap();
                    a.similarity(&b).unwrap()
                })
                .collect();
            let mean = estimates.iter().sum::<f64>() / 50.0;
            let error = (expected * (1.0 - expected) / (200.0 * 50.0_f64)).sqrt();
            assert!(
                (mean - expected).abs() <= 4.0 * error,
                "{mean} for {expected}"
            );
            let spread = estimates
                .iter()
                .map(|e| (e - expected).powi(2))
                .sum::<f64>()
                / 50.0;
            let variance = expected * (1.0 - expected) / 200.0;
            // The variance of a variance from fifty draws is about 2/50 of its square.
            assert!(
                spread <= variance * 1.8 && spread >= variance * 0.4,
                "{spread} {variance}"
            );
        }
    }

    #[test]
    fn seeds_reproduce_and_settings_must_agree() {
        let hash = MinHash {
            n_hashes: 64,
            seed: 7,
        };
        let words = ["machine", "learning", "toolkit"];
        let signature = hash.signature(words).unwrap();
        assert_eq!(signature, hash.signature(words.into_iter().rev()).unwrap());
        assert_eq!(signature.similarity(&signature).unwrap(), 1.0);
        let empty = hash.signature(Vec::<&str>::new()).unwrap();
        assert_eq!(empty.similarity(&empty).unwrap(), 1.0);
        let other = MinHash {
            n_hashes: 64,
            seed: 8,
        }
        .signature(words)
        .unwrap();
        assert!(signature.similarity(&other).is_err());
        assert!(
            MinHash {
                n_hashes: 0,
                seed: 0
            }
            .signature(words)
            .is_err()
        );
    }

    #[test]
    fn the_signature_of_a_union_needs_only_the_signatures() {
        let hash = MinHash::default();
        let (a, b) = (
            hash.signature(0..50_u32).unwrap(),
            hash.signature(30..90_u32).unwrap(),
        );
        assert_eq!(a.union(&b).unwrap(), hash.signature(0..90_u32).unwrap());
    }
}
