//! Filters over feature maps, outside any network: the layer of the texts to look at.

use crate::Activation;
use crate::network::{Convolution, MaxPooling, Shape};
use didact_core::{Error, Result};
use ndarray::{Array2, Array3, Array4, ArrayView2, ArrayView3};

/// A bank of filters that turns feature maps into others, without bias or activation.
///
/// Maps are given as channel × row × column, filters as output × channel × row × column. The
/// filters are slid over the maps as they are (cross-correlation), or turned about both axes
/// first (true convolution); they never stand over the edge, so that a side of N places becomes
/// ⌊(N − F)/stride⌋ + 1.
///
/// ```
/// use didact_neural::Filters;
/// use ndarray::array;
/// let image = array![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let diagonal = array![[1.0, -1.0], [-1.0, 1.0]];
/// let filters = Filters::single(diagonal.view(), 1, false)?;
/// assert_eq!(filters.apply_to_image(image.view())?, array![[2.0, -1.0], [-1.0, 2.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Filters {
    weights: Array4<f64>,
    stride: usize,
    flipped: bool,
}

impl Filters {
    /// A bank of filters, output × channel × row × column.
    pub fn new(weights: Array4<f64>, stride: usize, flipped: bool) -> Result<Self> {
        if weights.is_empty() || stride == 0 {
            return Err(Error::parameter(
                "stride",
                stride,
                "it must be at least 1, and filters must have at least one value",
            ));
        }
        Ok(Filters {
            weights,
            stride,
            flipped,
        })
    }

    /// One filter for images of one channel.
    pub fn single(filter: ArrayView2<'_, f64>, stride: usize, flipped: bool) -> Result<Self> {
        let (high, wide) = filter.dim();
        let weights = Array4::from_shape_fn((1, 1, high, wide), |(_, _, u, v)| filter[[u, v]]);
        Filters::new(weights, stride, flipped)
    }

    /// The layer over maps of this shape, with its filters as parameters in the layer's order.
    fn layer(&self, maps: (usize, usize, usize)) -> Result<(Convolution, Vec<f64>)> {
        let (filters, channels, high, wide) = self.weights.dim();
        let (found, height, width) = maps;
        if found != channels || height < high || width < wide {
            return Err(Error::data(format!(
                "the maps are {found}×{height}×{width}; these filters need {channels} channels of \
                 at least {high}×{wide} values"
            )));
        }
        let layer = Convolution {
            input: Shape {
                height,
                width,
                channels,
            },
            filters,
            kernel: (high, wide),
            stride: self.stride,
            flipped: self.flipped,
            activation: Activation::Identity,
            weights: 0,
            biases: self.weights.len(),
        };
        let ordered = self.weights.view().permuted_axes([0, 2, 3, 1]);
        let mut parameters: Vec<f64> = ordered.iter().copied().collect();
        parameters.resize(layer.bias_range().end, 0.0);
        Ok((layer, parameters))
    }

    /// What the filters make of maps, output × row × column.
    pub fn apply(&self, maps: ArrayView3<'_, f64>) -> Result<Array3<f64>> {
        let (layer, parameters) = self.layer(maps.dim())?;
        let mut output = vec![0.0; layer.output().size()];
        layer.answer(&parameters, &channels_last(maps), &mut output);
        Ok(channels_first(output, layer.output()))
    }

    /// What a single filter makes of an image.
    pub fn apply_to_image(&self, image: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let maps = self.apply(image.insert_axis(ndarray::Axis(0)))?;
        Ok(maps.index_axis_move(ndarray::Axis(0), 0))
    }

    /// From the slopes ∂L/∂output: those of the filters, which sum over all places, and those of
    /// the maps.
    pub fn gradients(
        &self,
        maps: ArrayView3<'_, f64>,
        slopes: ArrayView3<'_, f64>,
    ) -> Result<(Array4<f64>, Array3<f64>)> {
        let (layer, parameters) = self.layer(maps.dim())?;
        let shape = layer.output();
        if slopes.dim() != (shape.channels, shape.height, shape.width) {
            return Err(Error::data(format!(
                "the slopes are {:?}; give {}×{}×{} values, one per output",
                slopes.dim(),
                shape.channels,
                shape.height,
                shape.width
            )));
        }
        let mut output = vec![0.0; shape.size()];
        let mut patches = vec![0.0; layer.places() * layer.patch()];
        layer.forward(&parameters, &channels_last(maps), &mut output, &mut patches);
        let mut gradient = vec![0.0; parameters.len()];
        let mut input_slopes = vec![0.0; layer.input.size()];
        layer.backward(
            &parameters,
            &output,
            &mut channels_last(slopes),
            &mut patches,
            Some(&mut input_slopes),
            &mut gradient,
        );
        let (filters, channels, high, wide) = self.weights.dim();
        let weights = Array4::from_shape_fn((filters, channels, high, wide), |(j, i, u, v)| {
            gradient[((j * high + u) * wide + v) * channels + i]
        });
        Ok((weights, channels_first(input_slopes, layer.input)))
    }

    /// Number of weights: shared over all places, so far fewer than a dense layer would have.
    pub fn n_weights(&self) -> usize {
        self.weights.len()
    }
}

fn channels_last(maps: ArrayView3<'_, f64>) -> Vec<f64> {
    maps.permuted_axes([1, 2, 0]).iter().copied().collect()
}

fn channels_first(values: Vec<f64>, shape: Shape) -> Array3<f64> {
    Array3::from_shape_fn((shape.channels, shape.height, shape.width), |(c, p, q)| {
        values[(p * shape.width + q) * shape.channels + c]
    })
}

/// The maximum over windows of a map; windows that lie side by side have the stride of their
/// size.
pub fn max_pooling(
    map: ArrayView2<'_, f64>,
    window: (usize, usize),
    stride: usize,
) -> Result<Array2<f64>> {
    let (height, width) = map.dim();
    if window.0 == 0 || window.1 == 0 || window.0 > height || window.1 > width || stride == 0 {
        return Err(Error::parameter(
            "window",
            format!("{}×{}", window.0, window.1),
            format!("it must fit into the map of {height}×{width}, with a stride of at least 1"),
        ));
    }
    let layer = MaxPooling {
        input: Shape {
            height,
            width,
            channels: 1,
        },
        window,
        stride,
    };
    let shape = layer.output();
    let values: Vec<f64> = map.iter().copied().collect();
    let (mut output, mut places) = (vec![0.0; shape.size()], vec![0; shape.size()]);
    layer.forward(&values, &mut output, &mut places);
    let shape = (shape.height, shape.width);
    Ok(Array2::from_shape_vec(shape, output).expect("one value per place"))
}

/// All places, row and column, where a map of responses is largest: where a pattern was found.
pub fn strongest_places(map: ArrayView2<'_, f64>) -> Vec<(usize, usize)> {
    let largest = map.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let places = map.indexed_iter().filter(|(_, value)| **value == largest);
    places.map(|(place, _)| place).collect()
}
