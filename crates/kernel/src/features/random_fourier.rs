//! Random waves whose inner products come close to a Gaussian kernel.

use didact_core::model::ensure_consistent;
use didact_core::random::generator;
use didact_core::{
    Abilities, Accepts, Attribute, CsrView, Error, Features, Fit, Model, OwnedRows, Result, Rows,
    Run, Samples, Transform, Value, are_finite, parallel,
};
use didact_math::kernel::Gamma;
use didact_math::linalg::PackedColumns;
use didact_math::vectorised::cosines;
use ndarray::{Array1, Array2, ArrayView2, s};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rows that are multiplied and bent at a time, while their products are in cache.
const ROWS: usize = 64;

/// Replaces the columns by random waves whose inner products come close to a Gaussian kernel.
///
/// z(x) = √(2/D)·cos(Wx + b) with D waves, their frequencies W drawn from the normal law of variance
/// 2γ and their phases b evenly; the mean of z(x)·z(y) is exp(−γ‖x−y‖²), and its deviation falls like
/// 1/√D. A linear method on these is a kernel method in time linear in the rows.
///
/// ```
/// use didact_core::{Fit, Samples, Transform};
/// use didact_kernel::RandomFourierFeatures;
/// use didact_math::kernel::Gamma;
/// let x = ndarray::array![[0.0, 0.0], [1.0, 0.5]];
/// let parameters = RandomFourierFeatures {
///     n_components: 4000,
///     gamma: Gamma::Value(1.0),
///     ..RandomFourierFeatures::default()
/// };
/// let z = parameters.fit(Samples::from(&x))?.transform(&x)?.into_dense();
/// assert!((z.row(0).dot(&z.row(1)) - (-1.25_f64).exp()).abs() < 0.05);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomFourierFeatures {
    /// The number D of waves.
    #[schemars(range(min = 1, max = 100_000))]
    pub n_components: usize,
    /// The rate γ of the kernel.
    pub gamma: Gamma,
    /// Seed of the waves.
    pub random_state: u64,
}

impl Default for RandomFourierFeatures {
    fn default() -> Self {
        RandomFourierFeatures {
            n_components: 100,
            gamma: Gamma::Value(1.0),
            random_state: 0,
        }
    }
}

/// Frequencies and phases of waves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RandomFourierFeaturesModel {
    /// A frequency for each column, one row per wave.
    frequencies: Array2<f64>,
    phases: Array1<f64>,
    gamma: f64,
}

impl Fit<Samples<'_>> for RandomFourierFeatures {
    type Model = RandomFourierFeaturesModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Samples<'_>, _run: &Run) -> Result<RandomFourierFeaturesModel> {
        let gamma = self.gamma.of(&data)?;
        if !(gamma > 0.0 && gamma.is_finite()) {
            return Err(Error::parameter(
                "gamma",
                gamma,
                "it must be greater than 0 and finite",
            ));
        }
        let deviation = (2.0 * gamma).sqrt();
        let mut generator = generator(self.random_state, 0);
        let shape = (self.n_components, data.n_columns());
        let frequencies = Array2::from_shape_simple_fn(shape, || {
            let value: f64 = StandardNormal.sample(&mut generator);
            deviation * value
        });
        let phase = || std::f64::consts::TAU * generator.random::<f64>();
        Ok(RandomFourierFeaturesModel {
            frequencies,
            phases: Array1::from_shape_simple_fn(self.n_components, phase),
            gamma,
        })
    }
}

impl Features for RandomFourierFeaturesModel {
    fn n_features(&self) -> usize {
        self.frequencies.ncols()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Transform for RandomFourierFeaturesModel {
    fn n_outputs(&self) -> usize {
        self.phases.len()
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let width = self.phases.len();
        let mut output = Array2::zeros((rows.n_rows(), width));
        let values = output.as_slice_mut().expect("a fresh matrix is contiguous");
        match rows {
            Rows::Dense(x) => {
                let waves = PackedColumns::new(self.frequencies.t());
                parallel::fill(values, width, ROWS, &Run::new(), |range, piece| {
                    let some = x.slice(s![range, ..]);
                    let some = some.to_slice().expect("checked rows are contiguous");
                    waves.multiply(some, piece);
                    self.bend(piece);
                    Ok(())
                })?;
            }
            Rows::Sparse(x) => {
                let waves = self.frequencies.t();
                let by_column = waves.as_standard_layout();
                parallel::fill(values, width, ROWS, &Run::new(), |range, piece| {
                    for (row, output) in range.zip(piece.chunks_mut(width)) {
                        add_entries(x, row, by_column.view(), output);
                    }
                    self.bend(piece);
                    Ok(())
                })?;
            }
        }
        // The cosine of an infinity is no number.
        let values = output.as_slice().expect("a fresh matrix is contiguous");
        match are_finite(values) {
            true => Ok(OwnedRows::Dense(output)),
            false => Err(Error::numerical(
                "the values of some rows are too large for waves of these frequencies; scale the \
                 columns",
            )),
        }
    }

    fn output_names(&self, _input_names: &[String]) -> Vec<String> {
        (0..self.phases.len())
            .map(|wave| format!("wave{wave}"))
            .collect()
    }
}

impl RandomFourierFeaturesModel {
    /// Replaces the products Wx of some rows by √(2/D)·cos(Wx + b).
    fn bend(&self, products: &mut [f64]) {
        let phases = self.phases.as_slice().expect("phases are contiguous");
        let scale = (2.0 / phases.len() as f64).sqrt();
        for row in products.chunks_exact_mut(phases.len()) {
            row.iter_mut()
                .zip(phases)
                .for_each(|(value, phase)| *value += phase);
            cosines(row);
            row.iter_mut().for_each(|value| *value *= scale);
        }
    }
}

/// Adds the products of a sparse row with the frequencies, which lie column by column.
fn add_entries(x: CsrView<'_>, row: usize, by_column: ArrayView2<'_, f64>, output: &mut [f64]) {
    let (columns, values) = x.row(row);
    for (&column, value) in columns.iter().zip(values) {
        let frequencies = by_column.row(column as usize);
        for (output, frequency) in output.iter_mut().zip(frequencies) {
            *output += value * frequency;
        }
    }
}

impl Model for RandomFourierFeaturesModel {
    const ABILITIES: Abilities<Self> = Abilities::none().transform();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "random_weights",
            meaning: "The frequencies of each wave (a row) along each column.",
            get: |model| Value::from(&model.frequencies),
        },
        Attribute {
            name: "random_offset",
            meaning: "The phase of each wave.",
            get: |model| Value::from(&model.phases),
        },
        Attribute {
            name: "gamma",
            meaning: "The rate of the kernel.",
            get: |model| Value::from(model.gamma),
        },
    ];

    fn validate(&self) -> Result<()> {
        ensure_consistent(
            !self.frequencies.is_empty()
                && self.frequencies.is_standard_layout()
                && self.frequencies.nrows() == self.phases.len()
                && self
                    .frequencies
                    .iter()
                    .chain(&self.phases)
                    .all(|value| value.is_finite()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::Csr;
    use didact_testing::random_matrix;

    #[test]
    fn inner_products_come_close_to_the_gaussian_kernel() {
        let x = random_matrix(15, 3, 1);
        let waves = 4000;
        let parameters = RandomFourierFeatures {
            n_components: waves,
            gamma: Gamma::Value(0.4),
            ..RandomFourierFeatures::default()
        };
        let z = parameters
            .fit(Samples::from(&x))
            .unwrap()
            .transform(&x)
            .unwrap()
            .into_dense();
        let products = z.dot(&z.t());
        for i in 0..15 {
            for j in 0..15 {
                let gap = &x.row(i) - &x.row(j);
                let kernel = (-0.4 * gap.dot(&gap)).exp();
                // 2·cos·cos of one wave has a variance of at most 3/2.
                let error = (1.5 / waves as f64).sqrt();
                assert!((products[[i, j]] - kernel).abs() < 5.0 * error);
            }
        }
    }

    #[test]
    fn sparse_rows_have_the_waves_of_dense_ones() {
        let x = random_matrix(6, 4, 2).mapv(|value| if value > 0.0 { value } else { 0.0 });
        let sparse = Csr::from_dense(x.view());
        let model = RandomFourierFeatures::default()
            .fit(Samples::from(&x))
            .unwrap();
        let (a, b) = (
            model.transform(&x).unwrap(),
            model.transform(&sparse).unwrap(),
        );
        let gaps = a.into_dense() - b.into_dense();
        assert!(gaps.iter().all(|gap| gap.abs() < 1e-13));
    }

    // More rows than are multiplied at a time, and more waves than fit into the registers.
    #[test]
    fn a_wave_is_the_cosine_of_its_angle() {
        let x = random_matrix(130, 7, 3) * 20.0;
        let parameters = RandomFourierFeatures {
            n_components: 61,
            ..RandomFourierFeatures::default()
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        let z = model.transform(&x).unwrap().into_dense();
        for ((row, wave), value) in z.indexed_iter() {
            let angle = model.frequencies.row(wave).dot(&x.row(row)) + model.phases[wave];
            let expected = (2.0 / 61.0_f64).sqrt() * angle.cos();
            assert!((value - expected).abs() < 1e-13, "{value} {expected}");
        }
    }

    #[test]
    fn rows_that_are_too_large_for_the_waves_are_told() {
        let x = ndarray::array![[1e300, 0.0], [1.0, 1.0]];
        let model = RandomFourierFeatures {
            gamma: Gamma::Value(1e20),
            ..RandomFourierFeatures::default()
        }
        .fit(Samples::from(&x))
        .unwrap();
        let message = model.transform(&x).unwrap_err().to_string();
        assert!(message.contains("scale the columns"), "{message}");
    }
}
