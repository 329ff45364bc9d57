//! A layer whose units look at patches of an image and share their weights.

use crate::product::{Matrix, add_product, multiply};
use crate::{Activation, Real};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The shape of an image: its values stand row by row, and at each place channel by channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shape {
    pub(crate) height: usize,
    pub(crate) width: usize,
    pub(crate) channels: usize,
}

impl Shape {
    pub(crate) fn size(self) -> usize {
        self.height * self.width * self.channels
    }

    /// The shape of what windows see: ⌊(N − F)/s⌋ + 1 places along each side, none over the edge.
    pub(crate) fn windows(self, window: (usize, usize), stride: usize, channels: usize) -> Shape {
        Shape {
            height: (self.height - window.0) / stride + 1,
            width: (self.width - window.1) / stride + 1,
            channels,
        }
    }
}

/// Filters slid over an image; an output is f(filter · patch + bias).
///
/// Without `flipped` this is the cross-correlation that libraries compute, with it the true
/// convolution Σ W(u, v)·x(p − u, q − v). The product is one of all patches with all filters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Convolution {
    pub(crate) input: Shape,
    pub(crate) filters: usize,
    /// Height and width of the filters.
    pub(crate) kernel: (usize, usize),
    pub(crate) stride: usize,
    pub(crate) flipped: bool,
    pub(crate) activation: Activation,
    /// A row per filter, its values in the order of an image.
    pub(crate) weights: usize,
    pub(crate) biases: usize,
}

impl Convolution {
    /// The shape of the outputs.
    pub(crate) fn output(&self) -> Shape {
        self.input.windows(self.kernel, self.stride, self.filters)
    }

    /// Values of a patch.
    pub(crate) fn patch(&self) -> usize {
        self.kernel.0 * self.kernel.1 * self.input.channels
    }

    /// Number of places that a filter visits.
    pub(crate) fn places(&self) -> usize {
        self.output().height * self.output().width
    }

    pub(crate) fn weight_range(&self) -> Range<usize> {
        self.weights..self.weights + self.filters * self.patch()
    }

    pub(crate) fn bias_range(&self) -> Range<usize> {
        self.biases..self.biases + self.filters
    }

    /// Visits every run of neighbouring values that patches and images have in common: first
    /// place in the patches, first place in the images, length.
    fn for_each_run(&self, rows: usize, mut visit: impl FnMut(usize, usize, usize)) {
        let (output, channels) = (self.output(), self.input.channels);
        let (high, wide) = self.kernel;
        let mut patch = 0;
        for row in 0..rows {
            let image = row * self.input.size();
            for p in 0..output.height {
                for q in 0..output.width {
                    for u in 0..high {
                        let line = p * self.stride + if self.flipped { high - 1 - u } else { u };
                        let start = image + (line * self.input.width + q * self.stride) * channels;
                        if self.flipped {
                            for v in 0..wide {
                                visit(
                                    patch + v * channels,
                                    start + (wide - 1 - v) * channels,
                                    channels,
                                );
                            }
                        } else {
                            visit(patch, start, wide * channels);
                        }
                        patch += wide * channels;
                    }
                }
            }
        }
    }

    /// Writes the patches of images, a row per place.
    fn cut<T: Real>(&self, images: &[T], patches: &mut [T]) {
        self.for_each_run(images.len() / self.input.size(), |patch, image, length| {
            patches[patch..patch + length].copy_from_slice(&images[image..image + length]);
        });
    }

    pub(crate) fn forward<T: Real>(
        &self,
        parameters: &[T],
        input: &[T],
        output: &mut [T],
        patches: &mut [T],
    ) {
        self.cut(input, patches);
        let biases = &parameters[self.bias_range()];
        for place in output.chunks_exact_mut(self.filters) {
            place.copy_from_slice(biases);
        }
        let weights = Matrix::new(&parameters[self.weight_range()], self.patch());
        add_product(output, Matrix::new(patches, self.patch()), weights.t());
        self.activation.apply(output);
    }

    /// The gradient of a filter sums over all places that it visited; the slopes of an input sum
    /// over all patches that it is part of. The patches are used up.
    pub(crate) fn backward<T: Real>(
        &self,
        parameters: &[T],
        output: &[T],
        slopes: &mut [T],
        patches: &mut [T],
        input_slopes: Option<&mut [T]>,
        gradient: &mut [T],
    ) {
        self.activation.scale_slopes(output, slopes);
        let delta = Matrix::new(slopes, self.filters);
        let cut = Matrix::new(patches, self.patch());
        add_product(&mut gradient[self.weight_range()], delta.t(), cut);
        let biases = &mut gradient[self.bias_range()];
        for place in slopes.chunks_exact(self.filters) {
            biases
                .iter_mut()
                .zip(place)
                .for_each(|(bias, &slope)| *bias += slope);
        }
        let Some(input_slopes) = input_slopes else {
            return;
        };
        let weights = Matrix::new(&parameters[self.weight_range()], self.patch());
        multiply(patches, Matrix::new(slopes, self.filters), weights);
        input_slopes.fill(T::zero());
        self.for_each_run(
            input_slopes.len() / self.input.size(),
            |patch, image, length| {
                let from = &patches[patch..patch + length];
                let to = &mut input_slopes[image..image + length];
                to.iter_mut().zip(from).for_each(|(to, &from)| *to += from);
            },
        );
    }

    /// The outputs of images one by one, so that an image alone gives the same bits.
    pub(crate) fn answer(&self, parameters: &[f64], input: &[f64], output: &mut [f64]) {
        let mut patches = vec![0.0; self.places() * self.patch()];
        let images = input.chunks_exact(self.input.size());
        for (image, output) in images.zip(output.chunks_exact_mut(self.output().size())) {
            self.forward(parameters, image, output, &mut patches);
        }
    }
}
