//! Units that are left out at random while the network learns.

use crate::Real;
use didact_core::random::Generator;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Sets a share of the units to zero, anew for every row, and enlarges the others so that the
/// expected sum stays the same. Outside learning it changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Dropout {
    pub(crate) width: usize,
    pub(crate) rate: f64,
}

impl Dropout {
    /// Draws which units stay; without a generator all do.
    pub(crate) fn forward<T: Real>(
        &self,
        input: &[T],
        output: &mut [T],
        mask: &mut [T],
        generator: Option<&mut Generator>,
    ) {
        match generator {
            Some(generator) => {
                let kept = T::of(1.0 / (1.0 - self.rate));
                for factor in mask.iter_mut() {
                    let stays = generator.random::<f64>() >= self.rate;
                    *factor = if stays { kept } else { T::zero() };
                }
            }
            None => mask.fill(T::one()),
        }
        for ((a, &x), &factor) in output.iter_mut().zip(input).zip(mask.iter()) {
            *a = x * factor;
        }
    }

    pub(crate) fn backward<T: Real>(&self, mask: &[T], slopes: &[T], input_slopes: &mut [T]) {
        for ((below, &above), &factor) in input_slopes.iter_mut().zip(slopes).zip(mask) {
            *below = above * factor;
        }
    }
}
