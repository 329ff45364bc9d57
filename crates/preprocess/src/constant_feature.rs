//! The constant feature: a column of ones makes the intercept a weight like any other.

use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Csr, CsrView, Error, Features, Fit, Invert, Model, OwnedRows,
    Result, Rows, Run, Samples, Transform, Value,
};
use ndarray::{Array2, Axis, concatenate, s};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the constant column stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    /// Before all other columns.
    #[default]
    First,
    /// After all other columns.
    Last,
}

/// Adds a column of ones.
///
/// x̃ = (1, x) and θ̃ = (θ₀, θ) give θ̃·x̃ = θ·x + θ₀. The fitted model keeps where the one
/// stands, so that weights and rows always match. A penalty on all weights then also shrinks
/// the intercept θ₀, which a method with an intercept of its own does not.
///
/// ```
/// use didact_core::{Fit, Transform};
/// use didact_preprocess::{ConstantFeature, Position};
/// let x = ndarray::array![[2.0, 3.0]];
/// let last = ConstantFeature { position: Position::Last }.fit((&x).into())?;
/// assert_eq!(last.transform(&x)?.into_dense(), ndarray::array![[2.0, 3.0, 1.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConstantFeature {
    /// Where the constant column stands.
    pub position: Position,
}

/// Where the constant column stands, and among how many others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstantFeatureModel {
    /// Where the constant column stands.
    pub position: Position,
    /// Number of columns without it.
    pub n_columns: usize,
}

impl Fit<Samples<'_>> for ConstantFeature {
    type Model = ConstantFeatureModel;

    const ACCEPTS: Accepts = Accepts::SPARSE
        .union(Accepts::MISSING)
        .union(Accepts::WEIGHTS);

    fn learn(&self, data: Samples<'_>, _run: &Run) -> Result<ConstantFeatureModel> {
        Ok(ConstantFeatureModel {
            position: self.position,
            n_columns: data.n_columns(),
        })
    }
}

impl ConstantFeatureModel {
    /// Splits the weights of augmented rows into the intercept and the weights of the columns.
    pub fn split(&self, weights: &[f64]) -> Result<(f64, Vec<f64>)> {
        if weights.len() != self.n_columns + 1 {
            return Err(Error::data(format!(
                "there are {} weights for {} columns and the constant one",
                weights.len(),
                self.n_columns
            )));
        }
        let place = self.place();
        let mut others = weights.to_vec();
        let intercept = others.remove(place);
        Ok((intercept, others))
    }

    /// Joins an intercept and the weights of the columns into the weights of augmented rows.
    pub fn join(&self, intercept: f64, weights: &[f64]) -> Result<Vec<f64>> {
        if weights.len() != self.n_columns {
            return Err(Error::data(format!(
                "there are {} weights for {} columns",
                weights.len(),
                self.n_columns
            )));
        }
        let mut joined = weights.to_vec();
        joined.insert(self.place(), intercept);
        Ok(joined)
    }

    /// The index of the constant column.
    fn place(&self) -> usize {
        match self.position {
            Position::First => 0,
            Position::Last => self.n_columns,
        }
    }

    fn sparse(&self, rows: CsrView<'_>) -> Result<Csr> {
        let shift = u32::from(self.position == Position::First);
        let stored = rows.n_stored() + rows.n_rows();
        let mut starts = vec![0];
        let (mut columns, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
        for row in 0..rows.n_rows() {
            let (row_columns, row_values) = rows.row(row);
            if shift == 1 {
                columns.push(0);
                values.push(1.0);
            }
            columns.extend(row_columns.iter().map(|column| column + shift));
            values.extend_from_slice(row_values);
            if shift == 0 {
                columns.push(self.n_columns as u32);
                values.push(1.0);
            }
            starts.push(columns.len());
        }
        Csr::new(starts, columns, values, self.n_columns + 1)
    }
}

impl Features for ConstantFeatureModel {
    fn n_features(&self) -> usize {
        self.n_columns
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE | Accepts::MISSING
    }
}

impl Transform for ConstantFeatureModel {
    fn n_outputs(&self) -> usize {
        self.n_columns + 1
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        match rows {
            Rows::Sparse(sparse) => self.sparse(sparse).map(OwnedRows::Sparse),
            Rows::Dense(dense) => {
                let mut augmented = Array2::ones((dense.nrows(), self.n_columns + 1));
                let start = usize::from(self.position == Position::First);
                augmented
                    .slice_mut(s![.., start..start + self.n_columns])
                    .assign(&dense);
                Ok(OwnedRows::Dense(augmented))
            }
        }
    }

    fn output_names(&self, input_names: &[String]) -> Vec<String> {
        let mut names = input_names.to_vec();
        names.insert(self.place().min(names.len()), "constant".to_owned());
        names
    }
}

impl Invert for ConstantFeatureModel {
    fn invert_rows(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let dense = rows.to_dense();
        let place = self.place();
        let (before, after) = (
            dense.slice(s![.., ..place]),
            dense.slice(s![.., place + 1..]),
        );
        concatenate(Axis(1), &[before, after])
            .map_err(|error| Error::data(format!("the constant column cannot be removed: {error}")))
    }
}

impl Model for ConstantFeatureModel {
    const ABILITIES: Abilities<Self> = Abilities::none().transform().invert();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[Attribute {
        name: "constant_column",
        meaning: "index of the column of ones.",
        get: |model| Value::from(model.place()),
    }];

    fn validate(&self) -> Result<()> {
        ensure_consistent((1..u32::MAX as usize).contains(&self.n_columns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::AnyModel;
    use didact_core::model::decode_model;
    use didact_datasets::wine;
    use ndarray::{ArrayView1, array};

    fn fitted(position: Position, x: &Array2<f64>) -> ConstantFeatureModel {
        ConstantFeature { position }.fit(x.into()).unwrap()
    }

    // 001:REG-02, 000a:SUP-01: θ̃·x̃ equals θ·x + θ₀ wherever the one stands.
    #[test]
    fn augmented_and_explicit_intercepts_give_the_same_scores_and_labels() {
        let wine = wine();
        let x = wine.features().to_owned();
        let weights: Vec<f64> = (0..13).map(|j| (f64::from(j) * 1.7).sin()).collect();
        let explicit = x.dot(&ArrayView1::from(&weights)) - 4.5;
        for position in [Position::First, Position::Last] {
            let model = fitted(position, &x);
            let joined = model.join(-4.5, &weights).unwrap();
            let augmented = model.transform(&x).unwrap().into_dense();
            let scores = augmented.dot(&ArrayView1::from(&joined));
            for (score, expected) in scores.iter().zip(&explicit) {
                assert!((score - expected).abs() <= 1e-12 * expected.abs().max(1e3));
                assert_eq!(*score >= 0.0, *expected >= 0.0);
            }
            assert_eq!(model.split(&joined).unwrap(), (-4.5, weights.clone()));
        }
    }

    // 001:REG-02: the position of the one is stored with the model.
    #[test]
    fn the_position_survives_saving() {
        let x = array![[2.0, 3.0]];
        for (position, expected) in [
            (Position::First, array![[1.0, 2.0, 3.0]]),
            (Position::Last, array![[2.0, 3.0, 1.0]]),
        ] {
            let bytes = fitted(position, &x).encode().unwrap();
            let again = decode_model::<ConstantFeatureModel>(&bytes).unwrap();
            let rows = again.as_transform().unwrap();
            let augmented = rows.transform_rows(Rows::Dense(x.view())).unwrap();
            assert_eq!(augmented.into_dense(), expected);
        }
    }

    // 000a:SUP-01: the trap. One row x = 0, y = 1: least squares gives the intercept 1, with
    // the penalty ½‖θ̃‖² on the augmented weights it is 1/(1 + 1) = ½.
    #[test]
    fn a_penalty_on_all_augmented_weights_shrinks_the_intercept() {
        let model = fitted(Position::First, &array![[0.0]]);
        let row = model.transform(&array![[0.0]]).unwrap().into_dense();
        let gram = row.t().dot(&row);
        let penalised = row[[0, 0]] / (gram[[0, 0]] + 1.0);
        let free = row[[0, 0]] / gram[[0, 0]];
        assert_eq!((penalised, free), (0.5, 1.0));
    }

    #[test]
    fn sparse_and_dense_rows_are_augmented_alike_and_come_back() {
        let x = array![[0.0, 2.0], [4.0, 0.0]];
        let sparse = Csr::from_dense(x.view());
        for position in [Position::First, Position::Last] {
            let model = fitted(position, &x);
            let dense = model.transform(&x).unwrap().into_dense();
            assert_eq!(model.transform(&sparse).unwrap().into_dense(), dense);
            assert_eq!(model.inverse_transform(&dense).unwrap(), x);
            let names = model.output_names(&["a".to_owned(), "b".to_owned()]);
            let place = names.iter().position(|name| name == "constant").unwrap();
            assert_eq!(dense.column(place).to_vec(), [1.0, 1.0]);
        }
    }

    #[test]
    fn weights_of_the_wrong_number_are_refused() {
        let model = fitted(Position::First, &array![[1.0, 2.0]]);
        let message = model.split(&[1.0]).unwrap_err().to_string();
        assert_eq!(
            message,
            "there are 1 weights for 2 columns and the constant one"
        );
        assert!(model.join(1.0, &[1.0]).is_err());
    }
}
