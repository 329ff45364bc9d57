//! What a picture is made of.

use crate::{PipelineModel, Trained, count_parameter};
use didact_core::abilities::check_rows;
use didact_core::{Data, Error, Result, Rows};
use didact_evaluate::{Metric, Split, folds_for};
use didact_plot::Cloud;
use ndarray::{Array2, ArrayView2, CowArray, Ix2};
use serde_json::Value;

/// Choices that some pictures leave open.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureOptions {
    /// The features that a plane shows, or the one along which a curve runs; the strongest or
    /// first ones unless given.
    pub features: Vec<String>,
    /// The class that counts as positive; every class in turn unless given.
    pub positive: Option<String>,
    /// The score from which on a row counts as positive: a point on the ROC curve.
    pub threshold: Option<f64>,
    /// Parameters that vary, and their values; an empty list is the usual range.
    pub parameters: Vec<(String, Vec<Value>)>,
    /// Which of the sequences is shown, counted from zero.
    pub sequence: usize,
    /// Number of folds.
    pub folds: usize,
    /// The figure to judge by; what suits unless given.
    pub metric: Option<Metric>,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for PictureOptions {
    fn default() -> Self {
        PictureOptions {
            features: Vec::new(),
            positive: None,
            threshold: None,
            parameters: Vec::new(),
            sequence: 0,
            folds: 5,
            metric: None,
            seed: 0,
        }
    }
}

/// How much each row is held to be of a class, and which rows are.
pub(super) struct Ranking {
    pub(super) name: String,
    pub(super) is_class: Vec<bool>,
    pub(super) scores: Vec<f64>,
}

/// A trained model, data where there are any, and the choices.
pub struct Subject<'a, 'd> {
    /// The model and its papers.
    pub trained: &'a Trained,
    /// Data as the model takes them, with what is known of the answers.
    pub data: Option<&'a Data<'d>>,
    /// The choices.
    pub options: &'a PictureOptions,
}

impl<'a, 'd> Subject<'a, 'd> {
    /// Puts the three together.
    pub fn new(
        trained: &'a Trained,
        data: Option<&'a Data<'d>>,
        options: &'a PictureOptions,
    ) -> Self {
        Subject {
            trained,
            data,
            options,
        }
    }

    pub(crate) fn data(&self) -> Result<&'a Data<'d>> {
        self.data
            .ok_or_else(|| Error::unsupported("this picture needs data"))
    }

    /// The rows, checked to be what the model takes.
    pub(crate) fn rows(&self) -> Result<Rows<'a>> {
        let samples = self.data()?.samples();
        let samples = samples.ok_or_else(|| Error::unsupported("ratings have no rows to draw"))?;
        check_rows(self.trained.model.as_ref(), samples.rows())?;
        Ok(samples.rows())
    }

    /// The rows written out.
    pub(crate) fn dense(&self) -> Result<CowArray<'a, f64, Ix2>> {
        Ok(match self.rows()? {
            Rows::Dense(rows) => CowArray::from(rows),
            Rows::Sparse(rows) => CowArray::from(rows.to_dense()),
        })
    }

    /// Names of the columns of the rows.
    pub(crate) fn names(&self) -> Vec<String> {
        self.trained.input_names()
    }

    /// Names of the columns that enter the last step.
    pub(crate) fn last_names(&self) -> Vec<String> {
        let mut names = self.names();
        let model = self.trained.model.as_any();
        if let Some(pipeline) = model.downcast_ref::<PipelineModel>() {
            let steps: Vec<_> = pipeline.steps().collect();
            for step in &steps[..steps.len().saturating_sub(1)] {
                if let Some(transform) = step.as_transform() {
                    names = transform.output_names(&names);
                }
            }
        }
        names
    }

    /// The place of a feature by its name.
    pub(crate) fn place(&self, name: &str) -> Result<usize> {
        let names = self.names();
        names.iter().position(|known| known == name).ok_or_else(|| {
            let hint = didact_core::parameters::nearest(name, names.iter().map(String::as_str));
            let hint = hint.map_or(String::new(), |close| format!("did you mean {close}? "));
            Error::parameter(
                "feature",
                name,
                format!("{hint}the model takes {}", names.join(", ")),
            )
        })
    }

    /// The two features that a plane shows: those named, or the two first.
    pub(crate) fn plane(&self) -> Result<[usize; 2]> {
        match self.options.features.as_slice() {
            [] => Ok([0, 1]),
            [across, up] => Ok([self.place(across)?, self.place(up)?]),
            other => Err(Error::parameter(
                "feature",
                other.join(", "),
                "a plane shows two features; name two or none",
            )),
        }
    }

    /// What is predicted, as people call it.
    pub(crate) fn target(&self) -> String {
        let target = self.trained.header.target.clone();
        target.unwrap_or_else(|| "target".to_owned())
    }

    /// What the model is called: its last step.
    pub(crate) fn name(&self) -> &str {
        let last = self.trained.header.specification.steps.last();
        last.map_or("model", |step| step.algorithm.as_str())
    }

    /// True classes as the model numbers them, and the names; rows of classes that it does not
    /// know are refused.
    pub(crate) fn classes(&self) -> Result<(Vec<usize>, Vec<String>)> {
        let Data::Labelled(data) = self.data()? else {
            return Err(Error::unsupported(
                "this picture needs data with known classes",
            ));
        };
        let known = match self.trained.model.as_classify() {
            Some(classify) => classify.classes(),
            None => data.classes,
        };
        let label = |&label: &usize| {
            let name = &data.classes.names()[label];
            known.label(name).ok_or_else(|| {
                Error::data(format!(
                    "class {name} is unknown to the model; leave its rows out"
                ))
            })
        };
        let labels = data.labels.iter().map(label).collect::<Result<_>>()?;
        Ok((
            labels,
            known.names().iter().map(ToString::to_string).collect(),
        ))
    }

    /// The rows as points, in the colours of their classes or clusters.
    pub(crate) fn cloud<'r>(&self, rows: ArrayView2<'r, f64>) -> Result<Cloud<'r>> {
        let [across, up] = self.plane()?;
        let cloud = Cloud::new(rows)
            .feature_names(&self.names())
            .columns(across, up);
        if matches!(self.data()?, Data::Labelled(_)) {
            let (labels, names) = self.classes()?;
            return Ok(cloud.labels(&labels, &names));
        }
        let Some(assign) = self.trained.model.as_assign() else {
            return Ok(cloud);
        };
        let clusters = assign.assign(self.rows()?)?;
        let count = clusters
            .iter()
            .flatten()
            .max()
            .map_or(0, |largest| largest + 1);
        let names: Vec<String> = (0..count)
            .map(|cluster| format!("cluster {cluster}"))
            .collect();
        Ok(cloud.some_labels(&clusters, &names))
    }

    /// Probabilities or scores of the positive class, or of every class.
    pub(super) fn rankings(&self) -> Result<Vec<Ranking>> {
        let (labels, names) = self.classes()?;
        let rows = self.rows()?;
        let model = self.trained.model.as_ref();
        let scores: Array2<f64> = match (model.as_probabilities(), model.as_scores()) {
            (Some(probabilities), _) => probabilities.probabilities(rows)?,
            (None, Some(scores)) => scores.scores(rows)?,
            (None, None) => return Err(Error::unsupported("the model gives no scores")),
        };
        let wanted: Vec<usize> = match &self.options.positive {
            Some(positive) => {
                let place = names.iter().position(|name| name == positive);
                vec![place.ok_or_else(|| {
                    let requirement = format!("the classes are {}", names.join(", "));
                    Error::parameter("positive", positive, requirement)
                })?]
            }
            // With two classes the second says it all.
            None if names.len() == 2 => vec![1],
            None => (0..names.len()).collect(),
        };
        let one = |class: usize| {
            let column = match scores.ncols() {
                1 => scores.column(0).to_vec(),
                _ => scores.column(class).to_vec(),
            };
            // A single score speaks for the second class.
            let flipped = scores.ncols() == 1 && class == 0;
            let column = match flipped {
                true => column.iter().map(|score| -score).collect(),
                false => column,
            };
            let is_class = labels.iter().map(|&label| label == class).collect();
            Ranking {
                name: names[class].clone(),
                is_class,
                scores: column,
            }
        };
        Ok(wanted.into_iter().map(one).collect())
    }

    /// Folds of the data.
    pub(crate) fn folds(&self) -> Result<Vec<Split>> {
        folds_for(self.data()?, self.options.folds, self.options.seed)
    }

    /// The figures to judge by.
    pub(crate) fn metrics(&self) -> Vec<Metric> {
        self.options.metric.into_iter().collect()
    }

    pub(crate) fn count_parameter(&self) -> Option<&'static str> {
        count_parameter(&self.trained.header.specification).ok()
    }
}
