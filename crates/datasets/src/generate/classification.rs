//! Classes in many columns, of which only some tell anything.

use super::Generate;
use super::points::{Points, check_size, made, normal, normals, shares};
use crate::dataset::{Dataset, Info, Task};
use didact_core::random::Generator;
use didact_core::{Error, Result};
use ndarray::Array2;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Classes around random corners of a cube, hidden among useless columns.
///
/// The first columns are informative: a class is normal around a corner of the cube of half
/// side `class_sep`. Redundant columns follow, random combinations of the informative ones;
/// the rest is noise. The columns keep this order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Classification {
    /// How many rows to draw.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub n_samples: usize,
    /// How many columns in all.
    #[schemars(range(min = 1, max = 100_000))]
    pub n_features: usize,
    /// How many columns tell the classes apart.
    #[schemars(range(min = 1, max = 10_000))]
    pub n_informative: usize,
    /// How many columns are combinations of the informative ones.
    #[schemars(range(min = 0, max = 100_000))]
    pub n_redundant: usize,
    /// How many classes.
    #[schemars(range(min = 1, max = 10_000))]
    pub n_classes: usize,
    /// Half the side of the cube on whose corners the classes lie.
    #[schemars(range(min = 0))]
    pub class_sep: f64,
    /// Share of the rows whose class is replaced by a random one.
    #[schemars(range(min = 0, max = 1))]
    pub flip_y: f64,
}

impl Default for Classification {
    fn default() -> Self {
        Classification {
            n_samples: 200,
            n_features: 10,
            n_informative: 3,
            n_redundant: 2,
            n_classes: 2,
            class_sep: 1.5,
            flip_y: 0.01,
        }
    }
}

impl Generate for Classification {
    const INFO: Info = made(
        "classification",
        "Classification with useless columns",
        "Classes at the corners of a cube, followed by redundant columns and by noise.",
        Task::Classification,
    );

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_samples, self.n_features)?;
        check_size(self.n_redundant, self.n_informative)?;
        self.check()?;
        let corners = self.corners(random);
        let mixing = normals(self.n_redundant, self.n_informative, random);
        let mut points = Points::new(self.n_features);
        let mut row = vec![0.0; self.n_features];
        for (class, count) in shares(self.n_samples, self.n_classes).enumerate() {
            for _ in 0..count {
                let (informative, rest) = row.split_at_mut(self.n_informative);
                for (value, corner) in informative.iter_mut().zip(corners.row(class)) {
                    *value = corner + normal(random);
                }
                let (redundant, noise) = rest.split_at_mut(self.n_redundant);
                for (value, weights) in redundant.iter_mut().zip(mixing.rows()) {
                    *value = informative.iter().zip(weights).map(|(x, w)| x * w).sum();
                }
                noise.fill_with(|| normal(random));
                let shown = match random.random::<f64>() < self.flip_y {
                    true => random.random_range(0..self.n_classes),
                    false => class,
                };
                points.push(row.iter().copied(), shown, 0.0, random);
            }
        }
        Ok(points
            .finish(Self::INFO, random)?
            .with_truth("corners", corners)
            .with_truth("mixing", mixing))
    }
}

impl Classification {
    fn check(&self) -> Result<()> {
        if self.n_informative + self.n_redundant > self.n_features {
            return Err(Error::parameter(
                "n_features",
                self.n_features,
                format!(
                    "it must be at least n_informative + n_redundant, which is {}",
                    self.n_informative + self.n_redundant
                ),
            ));
        }
        // More than 63 columns have more corners than there can be classes.
        match 1usize.checked_shl(self.n_informative as u32) {
            Some(corners) if self.n_classes > corners => Err(Error::parameter(
                "n_classes",
                self.n_classes,
                format!(
                    "{} informative columns give only {corners} corners; ask for more n_informative",
                    self.n_informative
                ),
            )),
            _ => Ok(()),
        }
    }

    /// A different corner for each class: class k takes the binary digits of k in turn, each
    /// column turned over at random.
    fn corners(&self, random: &mut Generator) -> Array2<f64> {
        let digits = self.n_classes.next_power_of_two().trailing_zeros().max(1) as usize;
        let flips: Vec<bool> = (0..self.n_informative).map(|_| random.random()).collect();
        Array2::from_shape_fn((self.n_classes, self.n_informative), |(class, column)| {
            let digit = (class >> (column % digits)) & 1 == 1;
            match digit != flips[column] {
                true => self.class_sep,
                false => -self.class_sep,
            }
        })
    }
}
