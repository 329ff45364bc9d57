//! Standardisation: every column gets mean zero and variance one.

use crate::ColumnStatistics;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Csr, CsrView, Error, Features, Fit, Invert, LearnInPieces,
    Model, Next, OwnedRows, Result, Rows, Run, Samples, Transform, Value, parallel,
};
use ndarray::{Array1, Array2, ArrayView2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Gives every column mean zero and variance one.
///
/// z = (x − μ) / σ with the mean μ and the standard deviation σ (divisor n) of the training
/// rows; new rows are treated with the same μ and σ. A constant column is only centred.
/// Missing values (NaN) do not count and stay missing.
///
/// ```
/// use didact_core::{Fit, Invert, Transform};
/// use didact_preprocess::StandardScaler;
/// let x = ndarray::array![[1.0, 10.0], [3.0, 30.0]];
/// let scaler = StandardScaler::default().fit((&x).into())?;
/// let scaled = scaler.transform(&x)?.into_dense();
/// assert_eq!(scaled, ndarray::array![[-1.0, -1.0], [1.0, 1.0]]);
/// assert_eq!(scaler.inverse_transform(&scaled)?, x);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StandardScaler {
    /// Whether to subtract the mean; must be false for sparse rows, which would be filled.
    pub with_mean: bool,
    /// Whether to divide by the standard deviation.
    pub with_std: bool,
}

impl Default for StandardScaler {
    fn default() -> Self {
        StandardScaler {
            with_mean: true,
            with_std: true,
        }
    }
}

/// Means and standard deviations of the training rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StandardScalerModel {
    /// Whether the mean is subtracted.
    pub with_mean: bool,
    /// The mean of each column.
    pub mean: Array1<f64>,
    /// The variance of each column (divisor n).
    pub var: Array1<f64>,
    /// What each column is divided by; nothing where it is not scaled.
    pub scale: Option<Array1<f64>>,
    /// The weight of the known values of each column: their number without weights.
    pub n_samples_seen: Array1<f64>,
}

impl StandardScaler {
    fn finish(&self, found: ColumnStatistics) -> Result<StandardScalerModel> {
        if let Some(column) = found.unknown_column() {
            return Err(Error::data(format!(
                "column {column} has no known value; leave it out"
            )));
        }
        let var = found.variances();
        let scale = self.with_std.then(|| found.scales());
        Ok(StandardScalerModel {
            with_mean: self.with_mean,
            mean: found.means,
            var,
            scale,
            n_samples_seen: found.weights,
        })
    }
}

impl Fit<Samples<'_>> for StandardScaler {
    type Model = StandardScalerModel;

    const ACCEPTS: Accepts = Accepts::SPARSE
        .union(Accepts::MISSING)
        .union(Accepts::WEIGHTS);

    fn accepts(&self) -> Accepts {
        match self.with_mean {
            // Subtracting the mean would fill sparse rows.
            true => Self::ACCEPTS.difference(Accepts::SPARSE),
            false => Self::ACCEPTS,
        }
    }

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<StandardScalerModel> {
        self.finish(self.summarise(&(), data, 0, run)?)
    }
}

impl LearnInPieces<Samples<'_>> for StandardScaler {
    type State = ();
    type Summary = ColumnStatistics;

    fn start(&self) -> Result<()> {
        Ok(())
    }

    fn summarise(
        &self,
        _state: &(),
        chunk: Samples<'_>,
        _first_row: usize,
        run: &Run,
    ) -> Result<ColumnStatistics> {
        if self.with_mean && chunk.rows().is_sparse() {
            return Err(Error::parameter(
                "with_mean",
                true,
                "subtracting the mean would fill sparse rows; set it to false",
            ));
        }
        ColumnStatistics::summarise(&chunk, run)
    }

    fn check_summary(&self, _: &(), summary: &ColumnStatistics) -> Result<()> {
        summary.check()
    }

    fn merge(&self, left: ColumnStatistics, right: ColumnStatistics) -> Result<ColumnStatistics> {
        left.merge(&right)
    }

    fn step(
        &self,
        _state: (),
        summary: ColumnStatistics,
        _run: &Run,
    ) -> Result<Next<(), StandardScalerModel>> {
        self.finish(summary).map(Next::Done)
    }

    fn recall(&self, model: &StandardScalerModel) -> Option<ColumnStatistics> {
        Some(ColumnStatistics {
            weights: model.n_samples_seen.clone(),
            means: model.mean.clone(),
            sum_squares: &model.var * &model.n_samples_seen,
        })
    }
}

impl StandardScalerModel {
    fn dense(&self, rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let width = rows.ncols();
        let rows = rows.as_standard_layout();
        let input = rows.as_slice().unwrap_or_default();
        // Without a mean or a scale, nothing is taken away and nothing divided.
        let mean = match self.with_mean {
            true => self.mean.to_vec(),
            false => vec![0.0; width],
        };
        let scale = self.scale.as_ref();
        let scale = scale.map_or_else(|| vec![1.0; width], |scale| scale.to_vec());
        let mut output = Array2::zeros(rows.dim());
        let values = output.as_slice_mut().unwrap_or_default();
        let chunk = ((1 << 16) / width.max(1)).max(1);
        parallel::fill(values, width, chunk, &Run::new(), |range, piece| {
            for (row, values) in range.zip(piece.chunks_exact_mut(width)) {
                let own = &input[row * width..(row + 1) * width];
                let mut infinite = false;
                let columns = own.iter().zip(&mean).zip(&scale);
                for (value, ((x, mean), scale)) in values.iter_mut().zip(columns) {
                    *value = (x - mean) / scale;
                    infinite |= value.is_infinite();
                }
                if infinite {
                    return Err(overflow(row));
                }
            }
            Ok(())
        })?;
        Ok(output)
    }

    fn sparse(&self, rows: CsrView<'_>) -> Result<Csr> {
        let Some(scale) = &self.scale else {
            return Ok(rows.to_owned());
        };
        let mut starts = Vec::with_capacity(rows.n_rows() + 1);
        let mut columns = Vec::with_capacity(rows.n_stored());
        let mut values = Vec::with_capacity(rows.n_stored());
        starts.push(0);
        for row in 0..rows.n_rows() {
            let (row_columns, row_values) = rows.row(row);
            columns.extend_from_slice(row_columns);
            for (&column, value) in row_columns.iter().zip(row_values) {
                let scaled = value / scale[column as usize];
                if scaled.is_infinite() {
                    return Err(overflow(row));
                }
                values.push(scaled);
            }
            starts.push(columns.len());
        }
        Csr::new(starts, columns, values, rows.n_columns())
    }
}

fn overflow(row: usize) -> Error {
    Error::numerical(format!(
        "row {row} is so far from the training rows that its scaled values overflow; check its values"
    ))
}

impl Features for StandardScalerModel {
    fn n_features(&self) -> usize {
        self.mean.len()
    }

    fn accepts(&self) -> Accepts {
        match self.with_mean {
            true => Accepts::MISSING,
            false => Accepts::MISSING | Accepts::SPARSE,
        }
    }
}

impl Transform for StandardScalerModel {
    fn n_outputs(&self) -> usize {
        self.mean.len()
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        match rows {
            Rows::Dense(dense) => self.dense(dense).map(OwnedRows::Dense),
            Rows::Sparse(sparse) => self.sparse(sparse).map(OwnedRows::Sparse),
        }
    }

    fn output_names(&self, input_names: &[String]) -> Vec<String> {
        input_names.to_vec()
    }
}

impl Invert for StandardScalerModel {
    fn invert_rows(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut output = rows.to_dense().into_owned();
        if let Some(scale) = &self.scale {
            output *= scale;
        }
        if self.with_mean {
            output += &self.mean;
        }
        match output.iter().any(|value| value.is_infinite()) {
            true => Err(Error::numerical(
                "the scaled values are so large that the original ones overflow; check the rows",
            )),
            false => Ok(output),
        }
    }
}

impl Model for StandardScalerModel {
    const ABILITIES: Abilities<Self> = Abilities::none().transform().invert();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "mean",
            meaning: "mean of each column.",
            get: |model| Value::from(&model.mean),
        },
        Attribute {
            name: "var",
            meaning: "variance of each column, divisor n.",
            get: |model| Value::from(&model.var),
        },
        Attribute {
            name: "scale",
            meaning: "what each column is divided by.",
            get: |model| Value::from(model.scale.as_ref()),
        },
        Attribute {
            name: "n_samples_seen",
            meaning: "number (or weight) of the known values, one per column where they differ.",
            get: |model| {
                let seen = &model.n_samples_seen;
                match seen.iter().all(|count| *count == seen[0]) {
                    true => Value::from(seen[0]),
                    false => Value::from(seen),
                }
            },
        },
    ];

    fn validate(&self) -> Result<()> {
        let width = self.mean.len();
        let scale_fits = self.scale.as_ref().is_none_or(|scale| scale.len() == width);
        let others_fit = self.var.len() == width && self.n_samples_seen.len() == width;
        ensure_consistent(width > 0 && scale_fits && others_fit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::AnyModel;
    use didact_core::model::decode_model;
    use didact_datasets::{breast_cancer, wine};
    use ndarray::{Axis, array, s};

    fn fitted(x: &Array2<f64>) -> StandardScalerModel {
        StandardScaler::default().fit(x.into()).unwrap()
    }

    #[test]
    fn a_model_recalls_enough_to_go_on_learning() {
        let wine = wine();
        let rows = wine.features();
        let (first, second) = (rows.slice(s![..100, ..]), rows.slice(s![100.., ..]));
        let scaler = StandardScaler::default();
        let before = scaler.fit(first.into()).unwrap();
        let recalled = LearnInPieces::<Samples<'static>>::recall(&scaler, &before).unwrap();
        let more = scaler
            .summarise(&(), second.into(), 100, &Run::new())
            .unwrap();
        let whole = scaler.finish(recalled.merge(&more).unwrap()).unwrap();
        let at_once = scaler.fit(rows.into()).unwrap();
        for (recalled, direct) in whole.var.iter().zip(&at_once.var) {
            assert!((recalled / direct - 1.0).abs() < 1e-12);
        }
    }

    // 001:CLU-18
    #[test]
    fn scaled_training_rows_have_mean_zero_and_variance_one() {
        let wine = wine();
        let model = StandardScaler::default().fit(wine.samples()).unwrap();
        let scaled = model.transform(wine.samples()).unwrap().into_dense();
        for column in scaled.columns() {
            assert!(column.mean().unwrap().abs() < 1e-12);
            assert!((column.var(0.0) - 1.0).abs() < 1e-12);
        }
    }

    // 001:CLU-18: a scaler that looked at the test rows would give them mean zero.
    #[test]
    fn new_rows_are_scaled_with_training_statistics_only() {
        let model = fitted(&array![[0.0], [2.0]]);
        let scaled = model
            .transform(&array![[10.0], [20.0]])
            .unwrap()
            .into_dense();
        assert_eq!(scaled, array![[9.0], [19.0]]);
    }

    // Oracle: scikit-learn 1.9.1, StandardScaler on load_breast_cancer.
    #[test]
    fn means_and_scales_agree_with_scikit_learn() {
        let data = breast_cancer();
        let model = StandardScaler::default().fit(data.samples()).unwrap();
        let expected = [
            (0, 14.127291739894563, 3.5209507607110626),
            (3, 654.8891036906857, 351.6047540632298),
            (29, 0.08394581722319855, 0.018045389308594995),
        ];
        for (column, mean, scale) in expected {
            assert!((model.mean[column] / mean - 1.0).abs() < 1e-12);
            assert!((model.scale.as_ref().unwrap()[column] / scale - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn inverting_gives_the_rows_back() {
        let wine = wine();
        let model = StandardScaler::default().fit(wine.samples()).unwrap();
        let scaled = model.transform(wine.samples()).unwrap().into_dense();
        let back = model.inverse_transform(&scaled).unwrap();
        for (value, original) in back.iter().zip(wine.features()) {
            assert!((value - original).abs() <= 1e-12 * original.abs().max(1.0));
        }
    }

    #[test]
    fn constant_columns_become_zero_even_when_their_mean_is_rounded() {
        let x = Array2::from_elem((1000, 2), 0.1) * array![1.0, 1e8 / 3.0];
        let model = fitted(&x);
        assert_eq!(model.scale, Some(array![1.0, 1.0]));
        let scaled = model.transform(&x).unwrap().into_dense();
        assert!(scaled.iter().all(|value| value.abs() < 1e-7));
    }

    #[test]
    fn missing_values_are_ignored_and_kept() {
        let x = array![[1.0, f64::NAN], [3.0, 5.0], [f64::NAN, 7.0]];
        let model = fitted(&x);
        assert_eq!(model.mean, array![2.0, 6.0]);
        let scaled = model.transform(&x).unwrap().into_dense();
        assert!(scaled[[0, 1]].is_nan() && scaled[[2, 0]].is_nan());
        assert_eq!(scaled[[1, 0]], 1.0);
        let hopeless = array![[1.0, f64::NAN], [2.0, f64::NAN]];
        let error = StandardScaler::default()
            .fit((&hopeless).into())
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "column 1 has no known value; leave it out"
        );
    }

    #[test]
    fn weights_count_like_repetitions() {
        let x = array![[1.0], [4.0]];
        let weighted = Samples::from(&x).weighted(&[1.0, 2.0]).unwrap();
        let model = StandardScaler::default().fit(weighted).unwrap();
        // Mean of 1, 4, 4 is 3, the variance (4 + 1 + 1) / 3 = 2.
        assert!((model.mean[0] - 3.0).abs() < 1e-14);
        assert!((model.var[0] - 2.0).abs() < 1e-14);
    }

    #[test]
    fn sparse_rows_are_scaled_but_never_filled() {
        let x = array![[0.0, 2.0], [4.0, 0.0], [0.0, 0.0]];
        let sparse = Csr::from_dense(x.view());
        let error = StandardScaler::default().fit((&sparse).into()).unwrap_err();
        assert!(error.to_string().starts_with("with_mean is true; "));
        let scaler = StandardScaler {
            with_mean: false,
            ..StandardScaler::default()
        };
        let model = scaler.fit((&sparse).into()).unwrap();
        let OwnedRows::Sparse(scaled) = model.transform(&sparse).unwrap() else {
            panic!("sparse rows were filled");
        };
        assert_eq!(scaled.view().n_stored(), 2);
        let dense = scaler.fit((&x).into()).unwrap().transform(&x).unwrap();
        for (a, b) in scaled.view().to_dense().iter().zip(&dense.into_dense()) {
            assert!((a - b).abs() < 1e-14);
        }
    }

    #[test]
    fn huge_values_are_refused_and_never_become_infinite() {
        let x = array![[1e300], [-1e300]];
        let error = StandardScaler::default().fit((&x).into()).unwrap_err();
        assert!(error.to_string().contains("overflow"));
        let model = fitted(&array![[0.0], [1e-200], [1e-100]]);
        assert!(model.transform(&array![[1e300]]).is_err());
    }

    #[test]
    fn pieces_merge_to_the_whole_in_any_order() {
        let wine = wine();
        let scaler = StandardScaler::default();
        let x = wine.features();
        let piece = |rows: std::ops::Range<usize>| {
            let samples = Samples::from(x.slice(s![rows, ..]));
            scaler.summarise(&(), samples, 0, &Run::new()).unwrap()
        };
        let (a, b, c) = (piece(0..30), piece(30..99), piece(99..178));
        let left = scaler.merge(scaler.merge(c.clone(), a.clone()).unwrap(), b.clone());
        let right = scaler.merge(a, scaler.merge(b, c).unwrap());
        let whole = scaler.fit(wine.samples()).unwrap();
        for summary in [left.unwrap(), right.unwrap()] {
            let Next::Done(model) = scaler.step((), summary, &Run::new()).unwrap() else {
                panic!("one pass is enough");
            };
            for (found, exact) in model.var.iter().zip(&whole.var) {
                assert!((found / exact - 1.0).abs() < 1e-12);
            }
            for (found, exact) in model.mean.iter().zip(&whole.mean) {
                assert!((found / exact - 1.0).abs() < 1e-12);
            }
        }
        let narrow = piece(0..9);
        let wide = scaler.summarise(&(), Samples::from(x.slice(s![.., ..2])), 0, &Run::new());
        assert!(scaler.merge(narrow, wide.unwrap()).is_err());
    }

    #[test]
    fn switches_leave_mean_or_scale_alone() {
        let x = array![[1.0], [3.0]];
        let only = |with_mean, with_std| {
            let scaler = StandardScaler {
                with_mean,
                with_std,
            };
            let model = scaler.fit((&x).into()).unwrap();
            let scaled = model.transform(&x).unwrap().into_dense();
            assert_eq!(model.inverse_transform(&scaled).unwrap(), x);
            scaled.index_axis(Axis(1), 0).to_vec()
        };
        assert_eq!(only(false, true), [1.0, 3.0]);
        assert_eq!(only(true, false), [-1.0, 1.0]);
        assert_eq!(only(false, false), [1.0, 3.0]);
    }

    #[test]
    fn a_saved_model_comes_back_and_a_damaged_one_is_refused() {
        let model = fitted(&array![[1.0, 5.0], [3.0, 9.0]]);
        let again = decode_model::<StandardScalerModel>(&model.encode().unwrap()).unwrap();
        assert_eq!(again.as_any().downcast_ref(), Some(&model));
        let damaged = StandardScalerModel {
            var: array![1.0],
            ..model
        };
        assert!(decode_model::<StandardScalerModel>(&damaged.encode().unwrap()).is_err());
    }
}
