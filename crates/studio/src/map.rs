//! A model all over the plane: class and cluster maps, densities, curves.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use didact::core::abilities::check_rows;
use didact::core::{AnyModel, Error, Result, Rows};
use didact::pictures::predicted_deviations;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Most cells on a side.
const LARGEST_SIDE: usize = 512;

/// Where a model is asked: the middles of the cells of a grid.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Grid {
    /// From the left edge to the right one.
    x: [f64; 2],
    /// From the top edge to the bottom one.
    y: [f64; 2],
    width: usize,
    height: usize,
    /// Which coordinates lie along the axes.
    columns: [usize; 2],
    /// The coordinates that are not shown.
    #[serde(default)]
    base: Vec<f64>,
}

/// What a model says about the cells, row by row from the top left.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Map {
    /// How probable each class is: a byte per cell and class, 255 for certain.
    Classes {
        width: usize,
        height: usize,
        count: usize,
        bytes: String,
    },
    /// The same for clusters; cells that belong to none have zeros.
    Clusters {
        width: usize,
        height: usize,
        count: usize,
        bytes: String,
    },
    /// A number per cell, as 32-bit floats.
    Values {
        width: usize,
        height: usize,
        bytes: String,
    },
    /// The decision score of each cell, as 32-bit floats.
    Scores {
        width: usize,
        height: usize,
        bytes: String,
    },
    /// A value for each place along the horizontal axis, and how far a new point strays from it.
    Curve {
        x: Vec<f64>,
        y: Vec<f64>,
        deviation: Vec<f64>,
        /// Whether the model itself says how sure it is; else it is the error on its points.
        own: bool,
    },
}

impl Grid {
    fn check(&self, n_features: usize) -> Result<()> {
        let sides = 1..=LARGEST_SIDE;
        if !sides.contains(&self.width) || !sides.contains(&self.height) {
            return Err(Error::data(format!(
                "the map has {}×{} cells; a side has between 1 and {LARGEST_SIDE}",
                self.width, self.height
            )));
        }
        let edges = [self.x, self.y].concat();
        if edges.iter().any(|edge| !edge.is_finite()) {
            return Err(Error::data("the edges of the map must be finite"));
        }
        if n_features > 1 && self.columns.iter().any(|&column| column >= n_features) {
            return Err(Error::data(format!(
                "the map shows coordinates {:?} but the model knows {n_features}",
                self.columns
            )));
        }
        Ok(())
    }

    /// How many cells there are across and down.
    pub(crate) fn cells(&self) -> [usize; 2] {
        [self.width, self.height]
    }

    /// The middles of the cells as rows of a model of two or more columns.
    pub(crate) fn places(&self, n_features: usize) -> Result<Array2<f64>> {
        self.check(n_features)?;
        match n_features < 2 {
            true => Err(Error::data("the model knows one column; a plane needs two")),
            false => Ok(self.rows(n_features)),
        }
    }

    fn along(edges: [f64; 2], cells: usize, cell: usize) -> f64 {
        edges[0] + (edges[1] - edges[0]) * (cell as f64 + 0.5) / cells as f64
    }

    fn rows(&self, n_features: usize) -> Array2<f64> {
        let mut rows = Array2::zeros((self.width * self.height, n_features));
        for (cell, mut row) in rows.rows_mut().into_iter().enumerate() {
            for (place, value) in row.iter_mut().zip(&self.base) {
                *place = *value;
            }
            row[self.columns[1]] = Grid::along(self.y, self.height, cell / self.width);
            row[self.columns[0]] = Grid::along(self.x, self.width, cell % self.width);
        }
        rows
    }

    /// Every map that the model can draw; `error` is its typical error on its own points, where
    /// it predicts numbers.
    pub(crate) fn maps(
        &self,
        model: &dyn AnyModel,
        error: Option<f64>,
        margins: bool,
    ) -> Result<Vec<Map>> {
        let n_features = model.n_features();
        self.check(n_features)?;
        if n_features == 1 {
            return self.curves(model, error);
        }
        let rows = self.rows(n_features);
        let mut maps = self.planes(model, &rows)?;
        if margins {
            maps.extend(self.scores(model, &rows)?);
        }
        Ok(maps)
    }

    /// The score of two classes; margins are where it is one and minus one.
    fn scores(&self, model: &dyn AnyModel, rows: &Array2<f64>) -> Result<Option<Map>> {
        let Some(scores) = single_scores(model, rows)? else {
            return Ok(None);
        };
        Ok(Some(Map::Scores {
            width: self.width,
            height: self.height,
            bytes: floats(scores.into_iter()),
        }))
    }

    fn curves(&self, model: &dyn AnyModel, error: Option<f64>) -> Result<Vec<Map>> {
        let Some(regress) = model.as_regress() else {
            return Ok(Vec::new());
        };
        let x: Vec<f64> = (0..self.width)
            .map(|cell| Grid::along(self.x, self.width, cell))
            .collect();
        let rows = Array2::from_shape_fn((self.width, 1), |(cell, _)| x[cell]);
        check_rows(model, Rows::Dense(rows.view()))?;
        let y = regress
            .regress(Rows::Dense(rows.view()))?
            .column(0)
            .to_vec();
        let known = predicted_deviations(model, Rows::Dense(rows.view()))?;
        let own = known.is_some();
        let deviation = match (known, error) {
            (Some(known), _) => known.to_vec(),
            (None, Some(error)) => vec![error; x.len()],
            (None, None) => Vec::new(),
        };
        Ok(vec![Map::Curve {
            x,
            y,
            deviation,
            own,
        }])
    }

    fn planes(&self, model: &dyn AnyModel, matrix: &Array2<f64>) -> Result<Vec<Map>> {
        let rows = Rows::Dense(matrix.view());
        check_rows(model, rows.reborrow())?;
        let (width, height) = (self.width, self.height);
        let mut maps = Vec::new();
        if let Some(classify) = model.as_classify() {
            let count = classify.classes().len();
            let bytes = match model.as_probabilities() {
                Some(probabilities) => shades(&probabilities.probabilities(rows.reborrow())?),
                None => {
                    let labels = classify.classify(rows.reborrow())?;
                    one_hot(labels.into_iter().map(Some), count)
                }
            };
            maps.push(Map::Classes {
                width,
                height,
                count,
                bytes: STANDARD.encode(bytes),
            });
        } else if let Some(assign) = model.as_assign() {
            let clusters = assign.assign(rows.reborrow())?;
            let (count, bytes) = match model.as_probabilities() {
                Some(probabilities) => {
                    let values = probabilities.probabilities(rows.reborrow())?;
                    (values.ncols(), shades(&values))
                }
                None => {
                    let count = clusters.iter().flatten().max().map_or(0, |last| last + 1);
                    (count, one_hot(clusters.into_iter(), count))
                }
            };
            maps.push(Map::Clusters {
                width,
                height,
                count,
                bytes: STANDARD.encode(bytes),
            });
        } else if let Some(regress) = model.as_regress() {
            let values = regress.regress(rows.reborrow())?;
            maps.push(self.values(values.column(0).iter().copied()));
        }
        // Some models (a PCA of all axes) have no density; the other maps are shown all the same.
        if let Some(Ok(densities)) = model
            .as_log_density()
            .map(|density| density.log_density(rows))
        {
            maps.push(self.values(densities.iter().copied()));
        }
        Ok(maps)
    }

    fn values(&self, values: impl Iterator<Item = f64>) -> Map {
        Map::Values {
            width: self.width,
            height: self.height,
            bytes: floats(values),
        }
    }
}

/// The score of each row, where the model gives one that tells two classes apart.
pub(crate) fn single_scores(model: &dyn AnyModel, rows: &Array2<f64>) -> Result<Option<Vec<f64>>> {
    let (Some(able), Some(_)) = (model.as_scores(), model.as_classify()) else {
        return Ok(None);
    };
    let scores = able.scores(Rows::Dense(rows.view()))?;
    Ok((scores.ncols() == 1).then(|| scores.column(0).to_vec()))
}

/// Numbers as the bytes of 32-bit floats.
pub(crate) fn floats(values: impl Iterator<Item = f64>) -> String {
    let bytes: Vec<u8> = values
        .flat_map(|value| (value as f32).to_le_bytes())
        .collect();
    STANDARD.encode(bytes)
}

/// Probabilities as bytes, 255 for certain.
pub(crate) fn shades(probabilities: &Array2<f64>) -> Vec<u8> {
    probabilities
        .iter()
        .map(|probability| (probability * 255.0).round() as u8)
        .collect()
}

fn one_hot(labels: impl Iterator<Item = Option<usize>>, count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for label in labels {
        bytes.extend((0..count).map(|class| if label == Some(class) { 255 } else { 0 }));
    }
    bytes
}
