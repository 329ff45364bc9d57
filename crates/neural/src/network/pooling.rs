//! A layer that keeps the largest value of each window.

use super::convolution::Shape;
use crate::Real;
use serde::{Deserialize, Serialize};

/// The maximum over windows, each channel for itself; of equal values the first one counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MaxPooling {
    pub(crate) input: Shape,
    /// Height and width of the windows.
    pub(crate) window: (usize, usize),
    pub(crate) stride: usize,
}

impl MaxPooling {
    /// The shape of the outputs.
    pub(crate) fn output(&self) -> Shape {
        self.input
            .windows(self.window, self.stride, self.input.channels)
    }

    /// Writes the largest values and where each of them stands in its image.
    pub(crate) fn forward<T: Real>(&self, input: &[T], output: &mut [T], places: &mut [u32]) {
        let (shape, pooled) = (self.input, self.output());
        let images = input.chunks_exact(shape.size());
        let outputs = output.chunks_exact_mut(pooled.size());
        let places = places.chunks_exact_mut(pooled.size());
        for ((image, output), places) in images.zip(outputs).zip(places) {
            let mut index = 0;
            for p in 0..pooled.height {
                for q in 0..pooled.width {
                    for channel in 0..shape.channels {
                        let best = self.largest(image, (p, q), channel);
                        output[index] = image[best];
                        places[index] = best as u32;
                        index += 1;
                    }
                }
            }
        }
    }

    fn largest<T: Real>(&self, image: &[T], (p, q): (usize, usize), channel: usize) -> usize {
        let at = |u: usize, v: usize| {
            let (line, column) = (p * self.stride + u, q * self.stride + v);
            (line * self.input.width + column) * self.input.channels + channel
        };
        let mut best = at(0, 0);
        for u in 0..self.window.0 {
            for v in 0..self.window.1 {
                if image[at(u, v)] > image[best] {
                    best = at(u, v);
                }
            }
        }
        best
    }

    /// Sends every slope to the value that was kept.
    pub(crate) fn backward<T: Real>(&self, places: &[u32], slopes: &[T], input_slopes: &mut [T]) {
        input_slopes.fill(T::zero());
        let (size, pooled) = (self.input.size(), self.output().size());
        let pieces = slopes.chunks_exact(pooled).zip(places.chunks_exact(pooled));
        for ((slopes, places), image) in pieces.zip(input_slopes.chunks_exact_mut(size)) {
            for (&slope, &place) in slopes.iter().zip(places) {
                image[place as usize] += slope;
            }
        }
    }
}
