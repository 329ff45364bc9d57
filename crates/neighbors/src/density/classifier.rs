//! Classes by comparing the densities of their windows.

use super::KernelDensity;
use super::bandwidth::Bandwidth;
use super::estimate::DensitySearch;
use super::frame::BandwidthUnit;
use super::model::Windows;
use super::window::DensityKernel;
use crate::norm::Norm;
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Drawn, Error, Features, Fit, Labelled,
    LogDensity, Model, Probabilities, Result, Rows, Run, Sample, Value,
};
use didact_math::numeric::{argmax, log_softmax_in_place, log_sum_exp};
use ndarray::{Array1, Array2, ArrayView1, Axis};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Classifies by Bayes' rule over densities of windows around the rows of each class.
///
/// P(c | x) ∝ π_c·p(x | c), each density p(x | c) = 1/(n_c·c·hᵈ)·Σ K(‖x−xᵢ‖/h) by the rows of class
/// c, its window K divided by its integral; see kernel-density for windows and bandwidths. With
/// equal priors this compares the mean similarity of x to the rows of each class, without any
/// offset. Where no window of any class reaches, nothing is known: such rows are left undecided and
/// have the prior probabilities.
///
/// ```
/// use didact_core::{Classify, Fit};
/// use didact_neighbors::ParzenClassifier;
/// let iris = didact_datasets::iris();
/// let model = ParzenClassifier { bandwidth: 0.4.into(), ..ParzenClassifier::default() }
///     .fit(iris.labelled()?)?;
/// let labels = model.predict(iris.samples())?;
/// let right = labels.iter().zip(&iris.labels()?.indices).filter(|(a, b)| a == b).count();
/// assert!(right >= 144);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ParzenClassifier {
    /// The width h of the windows, or how it is chosen for each class.
    pub bandwidth: Bandwidth,
    /// The shape of the windows.
    pub kernel: DensityKernel,
    /// How distance is measured.
    pub metric: Norm,
    /// In which units the bandwidth is meant.
    pub bandwidth_unit: BandwidthUnit,
    /// The bandwidths that are tried; thirty about Scott's rule where absent.
    pub bandwidths: Option<Vec<f64>>,
    /// The probability of each class in label order; the shares of the rows where absent.
    pub priors: Option<Vec<f64>>,
    /// Seed of the rows that are put aside to choose the bandwidth `held-out`.
    pub random_state: u64,
    /// How the windows around a point are found.
    pub algorithm: DensitySearch,
}

impl Default for ParzenClassifier {
    fn default() -> Self {
        ParzenClassifier {
            bandwidth: Bandwidth::default(),
            kernel: DensityKernel::default(),
            metric: Norm::Euclidean,
            bandwidth_unit: BandwidthUnit::default(),
            bandwidths: None,
            priors: None,
            random_state: 0,
            algorithm: DensitySearch::default(),
        }
    }
}

/// The windows of each class and their prior probabilities.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ParzenClassifierModel {
    classes: Classes,
    priors: Array1<f64>,
    /// None for a class without rows.
    members: Vec<Option<Windows>>,
    n_columns: usize,
}

impl Fit<Labelled<'_>> for ParzenClassifier {
    type Model = ParzenClassifierModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<ParzenClassifierModel> {
        let totals = data.class_weights();
        let density = KernelDensity {
            bandwidth: self.bandwidth,
            kernel: self.kernel,
            metric: self.metric,
            bandwidth_unit: self.bandwidth_unit,
            bandwidths: self.bandwidths.clone(),
            random_state: self.random_state,
            algorithm: self.algorithm,
            ..KernelDensity::default()
        };
        let mut members = Vec::with_capacity(totals.len());
        for (class, &total) in totals.iter().enumerate() {
            if total <= 0.0 {
                members.push(None);
                continue;
            }
            let rows: Vec<usize> = (0..data.labels.len())
                .filter(|&row| data.labels[row] == class && data.samples.weight(row) > 0.0)
                .collect();
            let windows = density.windows(&data.samples.select(&rows), run);
            members.push(Some(windows.map_err(|error| match error {
                Error::Data(message) => {
                    Error::data(format!("class {}: {message}", data.classes.names()[class]))
                }
                other => other,
            })?));
        }
        Ok(ParzenClassifierModel {
            priors: self.class_priors(&totals)?,
            classes: data.classes.clone(),
            n_columns: data.samples.n_columns(),
            members,
        })
    }
}

impl ParzenClassifier {
    fn class_priors(&self, totals: &[f64]) -> Result<Array1<f64>> {
        let total: f64 = totals.iter().sum();
        let Some(priors) = &self.priors else {
            return match total > 0.0 {
                true => Ok(Array1::from(totals.to_vec()) / total),
                false => Err(Error::data(
                    "all rows have the weight 0; give some of them a positive weight",
                )),
            };
        };
        let sum: f64 = priors.iter().sum();
        let legal = priors.len() == totals.len()
            && priors.iter().all(|&prior| prior >= 0.0)
            && (sum - 1.0).abs() < 1e-8
            && priors
                .iter()
                .zip(totals)
                .all(|(&prior, &total)| prior == 0.0 || total > 0.0);
        match legal {
            true => Ok(Array1::from(priors.clone()) / sum),
            false => Err(Error::parameter(
                "priors",
                format!("{priors:?}"),
                format!(
                    "it must hold {} probabilities that add up to 1, 0 for classes without rows",
                    totals.len()
                ),
            )),
        }
    }
}

impl ParzenClassifierModel {
    /// ln π_c·p(x | c), a column for each class.
    fn joint(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut joint = Array2::from_elem((rows.n_rows(), self.members.len()), f64::NEG_INFINITY);
        for (class, windows) in self.members.iter().enumerate() {
            if let (Some(windows), true) = (windows, self.priors[class] > 0.0) {
                let densities = windows.log_density(rows, &Run::new())?;
                joint
                    .column_mut(class)
                    .assign(&(densities + self.priors[class].ln()));
            }
        }
        Ok(joint)
    }

    /// The log-density of rows under each class, a column for each; −∞ for one without rows.
    pub fn class_log_densities<'a>(
        &self,
        rows: impl Into<didact_core::Samples<'a>>,
    ) -> Result<Array2<f64>> {
        let samples = rows.into();
        didact_core::abilities::check_rows(self, samples.rows())?;
        let shape = (samples.n_rows(), self.members.len());
        let mut densities = Array2::from_elem(shape, f64::NEG_INFINITY);
        for (windows, mut column) in self.members.iter().zip(densities.columns_mut()) {
            if let Some(windows) = windows {
                column.assign(&windows.log_density(samples.rows(), &Run::new())?);
            }
        }
        Ok(densities)
    }

    /// Probabilities of one row from its joint densities; the priors where all of them vanish.
    fn posterior(&self, joint: ArrayView1<'_, f64>) -> Array1<f64> {
        if joint.iter().all(|&value| value == f64::NEG_INFINITY) {
            return self.priors.clone();
        }
        let mut scores = joint.to_vec();
        log_softmax_in_place(&mut scores);
        Array1::from(scores).mapv(f64::exp)
    }
}

impl Features for ParzenClassifierModel {
    fn n_features(&self) -> usize {
        self.n_columns
    }
}

impl Classify for ParzenClassifierModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let joint = self.joint(rows)?;
        let best = |row: ArrayView1<'_, f64>| argmax(self.posterior(row)).unwrap_or(0);
        Ok(joint.rows().into_iter().map(best).collect())
    }

    /// The class of each row, or nothing where no window of any class reaches.
    fn decide(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        let joint = self.joint(rows)?;
        let one = |row: ArrayView1<'_, f64>| {
            let reached = row.iter().any(|&value| value > f64::NEG_INFINITY);
            reached.then(|| argmax(self.posterior(row)).unwrap_or(0))
        };
        Ok(joint.rows().into_iter().map(one).collect())
    }
}

impl Probabilities for ParzenClassifierModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut joint = self.joint(rows)?;
        for mut row in joint.rows_mut() {
            let posterior = self.posterior(row.view());
            row.assign(&posterior);
        }
        Ok(joint)
    }
}

impl LogDensity for ParzenClassifierModel {
    fn log_density(&self, rows: Rows<'_>) -> Result<Array1<f64>> {
        let joint = self.joint(rows)?;
        Ok(joint.map_axis(Axis(1), |row| log_sum_exp(&row.to_vec())))
    }
}

impl Sample for ParzenClassifierModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let last = self.priors.iter().rposition(|&prior| prior > 0.0);
        let draw_class = |generator: &mut Generator| {
            let mut left = generator.random::<f64>();
            let found = self.priors.iter().position(|prior| {
                left -= prior;
                left < 0.0 && *prior > 0.0
            });
            found.or(last).unwrap_or(0)
        };
        let labels: Vec<usize> = (0..n_rows).map(|_| draw_class(generator)).collect();
        let mut rows = Array2::zeros((n_rows, self.n_columns));
        for (class, windows) in self.members.iter().enumerate() {
            let own: Vec<usize> = (0..n_rows).filter(|&row| labels[row] == class).collect();
            let (Some(windows), false) = (windows, own.is_empty()) else {
                continue;
            };
            let drawn = windows.draw(own.len(), generator)?;
            for (&row, values) in own.iter().zip(drawn.rows()) {
                rows.row_mut(row).assign(&values);
            }
        }
        Ok(Drawn { rows, labels })
    }
}

impl Model for ParzenClassifierModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .classify()
        .probabilities()
        .log_density()
        .sample();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "class_prior",
            meaning: "The prior probability of each class.",
            get: |model| Value::from(&model.priors),
        },
        Attribute {
            name: "bandwidths",
            meaning: "The width of the windows of each class, 0 for a class without rows.",
            get: |model| {
                let widths = model.members.iter().map(|windows| {
                    let windows = windows.as_ref();
                    windows.map_or(0.0, |windows| windows.estimate.bandwidth())
                });
                Value::from(widths.collect::<Array1<f64>>())
            },
        },
    ];

    fn validate(&self) -> Result<()> {
        ensure_consistent(
            self.members.len() == self.classes.len()
                && self.priors.len() == self.classes.len()
                && self
                    .priors
                    .iter()
                    .all(|&prior| (0.0..=1.0).contains(&prior))
                && (self.priors.sum() - 1.0).abs() < 1e-6,
        )?;
        for (windows, &prior) in self.members.iter().zip(&self.priors) {
            match windows {
                Some(windows) => {
                    windows.validate()?;
                    ensure_consistent(windows.n_columns() == self.n_columns)?;
                }
                None => ensure_consistent(prior == 0.0)?,
            }
        }
        Ok(())
    }
}
