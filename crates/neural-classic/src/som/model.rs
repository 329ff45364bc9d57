//! The fitted map.

use super::quality::Quality;
use super::{Grid, Map, Winner, bring_to_length_one};
use crate::scale::in_unit;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Assign, Attribute, Error, Features, Figure, Invert, Model, OwnedRows, Result, Rows,
    Run, Shape, Trace, Transform, Value, parallel,
};
use didact_math::distance::{nearest_center, squared_euclidean};
use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// A grid of nodes spread over the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SomModel {
    /// In the unit below.
    map: Map,
    /// What the weights are multiplied by to be in the unit of the data.
    unit: f64,
    labels: Vec<usize>,
    quantization_error: f64,
    topographic_error: f64,
    trace: Trace,
}

impl SomModel {
    pub(super) fn new(map: Map, quality: Quality, unit: f64, trace: Trace) -> Result<Self> {
        let model = SomModel {
            map,
            unit,
            labels: quality.labels,
            quantization_error: quality.quantization_error,
            topographic_error: quality.topographic_error,
            trace,
        };
        match model.weights().iter().all(|value| value.is_finite()) {
            true => Ok(model),
            false => Err(Error::numerical(
                "the values of the rows are too large for the weights of the map; scale the \
                 columns down",
            )),
        }
    }

    /// What weights and distances are multiplied by: one where only directions count.
    fn factor(&self) -> f64 {
        match self.map.normalise {
            true => 1.0,
            false => self.unit,
        }
    }

    /// The grid that the nodes stand on.
    pub fn grid(&self) -> &Grid {
        &self.map.grid
    }

    /// The weights of the nodes, one per row.
    pub fn weights(&self) -> Array2<f64> {
        &self.map.weights * self.factor()
    }

    /// The winner of each row that the map learned from.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// How many of these rows each node won, as the grid has them.
    pub fn hits(&self) -> Array2<f64> {
        let mut hits = Array2::zeros(self.grid().shape());
        let flat = hits.as_slice_mut().expect("a new array is contiguous");
        for &label in &self.labels {
            flat[label] += 1.0;
        }
        hits
    }

    /// The mean distance of these rows to their winners.
    pub fn quantization_error(&self) -> f64 {
        self.quantization_error * self.factor()
    }

    /// The share of these rows whose two nearest nodes do not touch on the grid.
    pub fn topographic_error(&self) -> f64 {
        self.topographic_error
    }

    /// The mean distance of the weights of each node to those of its neighbours, as the grid has
    /// them: valleys are groups, ridges the borders between them.
    pub fn distance_map(&self) -> Array2<f64> {
        let mut sums = vec![(0.0, 0.0_f64); self.grid().len()];
        for (a, b) in self.grid().edges() {
            let distance = squared_euclidean(self.map.node(a), self.map.node(b)).sqrt();
            for node in [a, b] {
                sums[node].0 += distance * self.factor();
                sums[node].1 += 1.0;
            }
        }
        let means = sums.iter().map(|(sum, count)| sum / count.max(1.0));
        Array2::from_shape_vec(self.grid().shape(), means.collect()).expect("one value per node")
    }

    /// Goes on learning while in use: the row draws the nodes with the given rate and width of
    /// the neighbourhood. Gives the winner. Labels and errors remain those of the fit.
    ///
    /// ```
    /// use didact_core::Fit;
    /// use didact_neural_classic::Som;
    /// let iris = didact_datasets::iris();
    /// let mut model = Som::default().fit(iris.samples())?;
    /// let winner = model.keep_learning(&[9.0, 9.0, 9.0, 9.0], 0.1, 1.0)?;
    /// assert!(winner < 36);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn keep_learning(&mut self, row: &[f64], rate: f64, sigma: f64) -> Result<usize> {
        let view = ArrayView2::from_shape((1, row.len()), row).expect("one row");
        didact_core::abilities::check_rows(self, Rows::Dense(view))?;
        if !(rate > 0.0 && rate <= 1.0) {
            return Err(Error::parameter(
                "rate",
                rate,
                "it must be above 0 and at most 1",
            ));
        }
        if !(sigma > 0.0 && sigma.is_finite()) {
            return Err(Error::parameter(
                "sigma",
                sigma,
                "it must be above 0 and finite",
            ));
        }
        let row = self.seen_by_map(view);
        let row = row.as_slice().expect("one row is contiguous");
        let winner = self.map.winner_of(row);
        self.map.draw(row, winner, rate, sigma);
        Ok(winner)
    }

    /// The rows as the map sees them: in its unit, and as directions where only those count.
    fn seen_by_map<'a>(
        &self,
        rows: ArrayView2<'a, f64>,
    ) -> ndarray::CowArray<'a, f64, ndarray::Ix2> {
        let mut rows = in_unit(rows, self.unit);
        if self.map.normalise {
            rows = rows.into_owned().into();
            bring_to_length_one(&mut rows);
        }
        rows
    }

    /// The winner of each row.
    fn winners(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let rows = self.seen_by_map(rows.dense()?);
        let run = Run::new();
        if self.map.winner == Winner::Distance {
            let found = nearest_center(Rows::Dense(rows.view()), self.map.weights.view(), &run)?;
            return Ok(found.labels);
        }
        let mut winners = vec![0; rows.nrows()];
        let chunk = ((1 << 18) / self.map.weights.len()).clamp(16, 4096);
        parallel::fill(&mut winners, 1, chunk, &run, |range, piece| {
            for (row, winner) in range.zip(piece) {
                *winner = self
                    .map
                    .winner_of(rows.row(row).as_slice().expect("rows are contiguous"));
            }
            Ok(())
        })?;
        Ok(winners)
    }
}

impl Features for SomModel {
    fn n_features(&self) -> usize {
        self.map.weights.ncols()
    }
}

impl Assign for SomModel {
    /// The winner of each row.
    fn assign(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        Ok(self.winners(rows)?.into_iter().map(Some).collect())
    }
}

impl Transform for SomModel {
    fn n_outputs(&self) -> usize {
        2
    }

    /// Where the winner of each row stands on the grid.
    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let winners = self.winners(rows)?;
        Ok(OwnedRows::Dense(
            self.grid().positions().select(Axis(0), &winners),
        ))
    }

    fn output_names(&self, _: &[String]) -> Vec<String> {
        vec!["som_row".to_owned(), "som_column".to_owned()]
    }
}

impl Invert for SomModel {
    /// The weights of the node nearest to each place on the grid.
    fn invert_rows(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let found = nearest_center(rows, self.grid().positions().view(), &Run::new())?;
        Ok(self.weights().select(Axis(0), &found.labels))
    }
}

impl Model for SomModel {
    const ABILITIES: Abilities<Self> = Abilities::none().assign().transform().invert();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "weights",
            meaning: "The weights of each node, one node per row, row by row of the grid.",
            get: |model| Value::from(model.weights()),
        },
        Attribute {
            name: "positions",
            meaning: "Where each node stands on the grid.",
            get: |model| Value::from(model.grid().positions()),
        },
        Attribute {
            name: "labels",
            meaning: "The winning node of each row of the training data.",
            get: |model| Value::from(model.labels()),
        },
        Attribute {
            name: "hits",
            meaning: "How many rows of the training data each node won, as the grid has them.",
            get: |model| Value::from(model.hits()),
        },
        Attribute {
            name: "distance_map",
            meaning: "The mean distance of each node to its neighbours, as the grid has them.",
            get: |model| Value::from(model.distance_map()),
        },
        Attribute {
            name: "quantization_error",
            meaning: "The mean distance of the rows to their winners.",
            get: |model| Value::from(model.quantization_error()),
        },
        Attribute {
            name: "topographic_error",
            meaning: "The share of rows whose two nearest nodes do not touch on the grid.",
            get: |model| Value::from(model.topographic_error()),
        },
        Attribute {
            name: "n_iter",
            meaning: "Passes over the rows.",
            get: |model| Value::from(model.trace.n_iter()),
        },
    ];

    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "mesh",
        meaning: "The nodes where their weights are, joined as on the grid.",
        get: |model| {
            Some(Shape::Edges {
                points: model.weights(),
                edges: model.grid().edges(),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        ensure_consistent(
            self.map.grid.is_sound()
                && self.map.weights.nrows() == self.map.grid.len()
                && self.map.weights.ncols() > 0
                && self.map.weights.is_standard_layout()
                && self.map.weights.iter().all(|value| value.is_finite())
                && self.unit > 0.0
                && self.unit.is_finite()
                && self.labels.iter().all(|&label| label < self.map.grid.len()),
        )
    }
}
