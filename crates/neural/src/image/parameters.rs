//! The parameters of a convolutional classifier.

use crate::network::{Architecture, Shape};
use crate::training::Training;
use crate::{Activation, Head};
use didact_core::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns classes of images by filters that slide over them.
///
/// Layers of filters alternate with the maximum over small windows; dense layers and a softmax
/// (logistic for two classes) follow. A filter has the same weights at every place, so that it
/// finds its pattern anywhere and needs few parameters. Minimises the mean cross-entropy plus
/// α/(2m)·Σw² for batches of m images by backpropagation.
///
/// An image is a row: its lines one after the other, and at each place the channels.
///
/// ```
/// use didact_core::{Classify, Fit, Labelled, Labels};
/// use didact_neural::Cnn;
/// use ndarray::array;
/// let images = array![
///     [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
///     [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0],
/// ];
/// let labels = Labels::from_names(["falling", "rising"]);
/// let cnn = Cnn { image_shape: Some(vec![3, 3]), kernel_size: 2, ..Cnn::default() };
/// let model = cnn.fit(Labelled::new(&images, &labels)?)?;
/// assert_eq!(model.predict(&images)?, [0, 1]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "CNN")]
pub struct Cnn {
    /// Height and width of the images, and channels where there are several; without it rows are
    /// taken as square images where that is possible, else as images of one line.
    pub image_shape: Option<Vec<usize>>,
    /// Number of filters of each layer of filters.
    pub filters: Vec<usize>,
    /// Height and width of the filters; less where an image is smaller.
    #[schemars(range(min = 1))]
    pub kernel_size: usize,
    /// Height and width of the windows after each layer of filters, side by side; one keeps all.
    #[schemars(range(min = 1))]
    pub pool_size: usize,
    /// Number of units of each dense layer after the filters.
    pub hidden_layer_sizes: Vec<usize>,
    /// What filters and hidden units make of their weighted inputs.
    pub activation: Activation,
    /// The share of hidden units that is left out at random for each image while learning.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1))]
    pub dropout: f64,
    /// The price α of the weights.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// How many images share a step.
    #[schemars(range(min = 1))]
    pub batch_size: usize,
    /// The length of the steps.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub learning_rate_init: f64,
    /// At most this many passes over the images are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// A pass improves where it lowers the loss by more than this.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// The learning ends after this many passes in a row without improvement.
    #[schemars(range(min = 1))]
    pub n_iter_no_change: usize,
    /// Seed of the random start, of the shuffling and of what is left out.
    pub random_state: u64,
}

impl Default for Cnn {
    fn default() -> Self {
        Cnn {
            image_shape: None,
            filters: vec![8],
            kernel_size: 3,
            pool_size: 2,
            hidden_layer_sizes: vec![32],
            activation: Activation::Relu,
            dropout: 0.0,
            alpha: 1e-4,
            batch_size: 64,
            learning_rate_init: 3e-3,
            max_iter: 100,
            tol: 1e-4,
            n_iter_no_change: 10,
            random_state: 0,
        }
    }
}

impl Cnn {
    /// The shape of images that are rows of so many columns.
    pub(super) fn shape(&self, n_columns: usize) -> Result<Shape> {
        let given = match &self.image_shape {
            Some(given) => given.clone(),
            None => {
                let side = n_columns.isqrt();
                match side * side == n_columns {
                    true => vec![side, side],
                    false => vec![1, n_columns],
                }
            }
        };
        let wrong = |requirement: String| {
            Error::parameter("image_shape", format!("{given:?}"), requirement)
        };
        let (height, width, channels) = match given[..] {
            [height, width] => (height, width, 1),
            [height, width, channels] => (height, width, channels),
            _ => {
                return Err(wrong(
                    "give height and width, and channels where there are several".to_owned(),
                ));
            }
        };
        let size = height
            .checked_mul(width)
            .and_then(|size| size.checked_mul(channels));
        match size == Some(n_columns) {
            true => Ok(Shape {
                height,
                width,
                channels,
            }),
            false => Err(wrong(format!(
                "the rows have {n_columns} columns, so the sizes must multiply to {n_columns}"
            ))),
        }
    }

    /// The layers for images of a shape and so many outputs.
    pub(super) fn plan(&self, shape: Shape, n_outputs: usize, head: Head) -> Result<Architecture> {
        for (name, sizes) in [
            ("filters", &self.filters),
            ("hidden_layer_sizes", &self.hidden_layer_sizes),
        ] {
            if sizes.contains(&0) {
                let requirement = "every layer must have at least 1 of them";
                return Err(Error::parameter(name, format!("{sizes:?}"), requirement));
            }
        }
        let mut plan = Architecture::new(head);
        let mut maps = shape;
        for &filters in &self.filters {
            let fitting = |size: usize| (size.min(maps.height), size.min(maps.width));
            maps = plan.add_convolution(maps, filters, fitting(self.kernel_size), self.activation);
            let window = (
                self.pool_size.min(maps.height),
                self.pool_size.min(maps.width),
            );
            if window != (1, 1) {
                maps = plan.add_pooling(maps, window, self.pool_size);
            }
        }
        let mut inputs = maps.size();
        for &units in &self.hidden_layer_sizes {
            plan.add_dense(inputs, units, self.activation);
            plan.add_dropout(units, self.dropout);
            inputs = units;
        }
        plan.add_dense(inputs, n_outputs, Activation::Identity);
        Ok(plan)
    }

    pub(super) fn training(&self) -> Training {
        let (rate, seed) = (self.learning_rate_init, self.random_state);
        Training {
            tol: self.tol,
            n_iter_no_change: self.n_iter_no_change,
            ..Training::adam(rate, self.batch_size, self.max_iter, seed)
        }
    }
}
