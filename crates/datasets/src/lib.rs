//! Data sets that are always at hand: classics that come with didact, and generators.
//!
//! ```
//! use didact_datasets as datasets;
//! let iris = datasets::iris();
//! assert_eq!(iris.features().dim(), (150, 4));
//! let moons = datasets::generate("moons", &[("n_samples", "200"), ("noise", "0.1")], 7)?;
//! assert_eq!(moons.labels()?.classes.len(), 2);
//! # Ok::<(), didact_core::Error>(())
//! ```

mod builtin;
mod corrupt;
mod dataset;
mod generate;
mod hide;
mod text;

pub use builtin::{
    alice, breast_cancer, diabetes, digits, iris, list, load, nile, penguins, ratings, wine,
};
pub use corrupt::Corruption;
pub use dataset::{Dataset, Info, Task};
pub use generate::{
    Blobs, CategoricalHmm, Checkerboard, Circles, Classification, ClusterType, ClusterTypes,
    Cosine, ElongatedPair, GaussianHmm, GaussianMixture, Generate, GeneratorEntry,
    LinearRegression, LowRankRatings, MixedUniform, Moons, ParameterInfo, Shape, Sinc,
    SparseRegression, Spirals, SwissRoll, UnbalancedPair, find as find_generator, generate,
    generators,
};
pub use hide::hide_labels;
