//! Generators: data whose truth is known.
//!
//! A generator is a plain struct of parameters, described by its schema like any algorithm.
//! The same parameters and the same seed give the same data.

mod classification;
mod cluster_types;
mod curves;
mod gaussians;
mod linear;
mod manifold;
mod points;
mod ratings;
mod sequences;
mod shapes;

pub use classification::Classification;
pub use cluster_types::{ClusterType, ClusterTypes};
pub use curves::{Cosine, Sinc};
pub use gaussians::{Blobs, ElongatedPair, GaussianMixture, UnbalancedPair};
pub use linear::{LinearRegression, SparseRegression};
pub use manifold::{MixedUniform, SwissRoll};
pub use ratings::LowRankRatings;
pub use sequences::{CategoricalHmm, GaussianHmm};
pub use shapes::{Checkerboard, Circles, Moons, Spirals};

use crate::dataset::{Dataset, Info};
use didact_core::parameters::{self, Parameters, nearest};
use didact_core::random::{Generator, generator};
use didact_core::{Error, Result};
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The shape of the groups that a generator draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Globular: a group is a centre and a radius.
    Ball,
    /// The straight line between two members stays inside the group.
    Convex,
    /// Anything else.
    Concave,
}

/// Parameters from which data can be drawn.
pub trait Generate: Parameters {
    /// What is drawn.
    const INFO: Info;
    /// The shape of the groups, if there are groups.
    const SHAPE: Option<Shape> = None;

    /// Draws the data, from parameters that have been checked.
    fn draw(&self, random: &mut Generator) -> Result<Dataset>;

    /// Checks the parameters and draws the data; the same seed gives the same data.
    fn generate(&self, seed: u64) -> Result<Dataset> {
        parameters::check(self)?;
        self.draw(&mut generator(seed, 0))
    }
}

/// A generator as it stands in the list of all generators.
#[derive(Clone, Copy, Debug)]
pub struct GeneratorEntry {
    /// What is drawn.
    pub info: Info,
    /// The shape of the groups, if there are groups.
    pub shape: Option<Shape>,
    /// The JSON schema of the parameters: descriptions, defaults and limits.
    pub schema: fn() -> Arc<Value>,
    generate: fn(&Map<String, Value>, u64) -> Result<Dataset>,
}

/// One parameter of a generator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterInfo {
    /// Its name.
    pub name: String,
    /// What it means.
    pub summary: String,
    /// Its value where nothing is said.
    pub default: Value,
}

impl GeneratorEntry {
    const fn of<G: Generate>() -> Self {
        GeneratorEntry {
            info: G::INFO,
            shape: G::SHAPE,
            schema: parameters::schema::<G>,
            generate: |values, seed| parameters::from_json::<G>(G::INFO.id, values)?.generate(seed),
        }
    }

    /// The parameters with their meaning and defaults.
    pub fn parameters(&self) -> Vec<ParameterInfo> {
        let schema = (self.schema)();
        let Some(properties) = schema["properties"].as_object() else {
            return Vec::new();
        };
        properties
            .iter()
            .map(|(name, property)| ParameterInfo {
                name: name.clone(),
                summary: property["description"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                default: property["default"].clone(),
            })
            .collect()
    }

    /// Draws data with these parameters; what is not mentioned keeps its default.
    pub fn generate(&self, values: &Map<String, Value>, seed: u64) -> Result<Dataset> {
        (self.generate)(values, seed)
    }
}

static GENERATORS: &[GeneratorEntry] = &[
    GeneratorEntry::of::<Blobs>(),
    GeneratorEntry::of::<GaussianMixture>(),
    GeneratorEntry::of::<ElongatedPair>(),
    GeneratorEntry::of::<UnbalancedPair>(),
    GeneratorEntry::of::<ClusterTypes>(),
    GeneratorEntry::of::<Moons>(),
    GeneratorEntry::of::<Circles>(),
    GeneratorEntry::of::<Spirals>(),
    GeneratorEntry::of::<Checkerboard>(),
    GeneratorEntry::of::<Classification>(),
    GeneratorEntry::of::<Sinc>(),
    GeneratorEntry::of::<Cosine>(),
    GeneratorEntry::of::<LinearRegression>(),
    GeneratorEntry::of::<SparseRegression>(),
    GeneratorEntry::of::<SwissRoll>(),
    GeneratorEntry::of::<MixedUniform>(),
    GeneratorEntry::of::<CategoricalHmm>(),
    GeneratorEntry::of::<GaussianHmm>(),
    GeneratorEntry::of::<LowRankRatings>(),
];

/// Every generator.
pub fn generators() -> &'static [GeneratorEntry] {
    GENERATORS
}

/// Draws data from the generator of that name, with parameters as they are typed.
///
/// ```
/// use didact_datasets::generate;
/// let rings = generate("circles", &[("n_samples", "90"), ("n_rings", "3")], 1)?;
/// assert_eq!(rings.labels()?.classes.len(), 3);
/// assert!(generate("circels", &[], 1).unwrap_err().to_string().contains("did you mean circles?"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn generate(id: &str, values: &[(&str, &str)], seed: u64) -> Result<Dataset> {
    let values = values
        .iter()
        .map(|&(name, text)| {
            // What does not read as JSON is a word.
            let value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
            (name.to_owned(), value)
        })
        .collect();
    find(id)?.generate(&values, seed)
}

/// The generator of that name, or an error that suggests one.
pub fn find(id: &str) -> Result<&'static GeneratorEntry> {
    let found = GENERATORS.iter().find(|entry| entry.info.id == id);
    found.ok_or_else(|| {
        let known: Vec<&str> = GENERATORS.iter().map(|entry| entry.info.id).collect();
        let hint = match nearest(id, known.iter().copied()) {
            Some(close) => format!("did you mean {close}? "),
            None => String::new(),
        };
        Error::data(format!(
            "there is no generator {id}; {hint}There are {}",
            known.join(", ")
        ))
    })
}

#[cfg(test)]
mod tests;
