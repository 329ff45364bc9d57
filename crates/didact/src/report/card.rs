//! The card of a model: what it is, what it expects, how it was made, how good it is.

use super::warnings;
use crate::pictures::{PictureOptions, Subject, importances};
use crate::{Feature, Framing, Spec, Trained, TrainingFacts, find};
use didact_core::{Data, DataKind, Result, Run, Value};
use didact_evaluate::{Figure, JudgedFigure, score, score_with_intervals};
use serde::Serialize;
use serde_json::Value as Json;

/// Features that a card names.
const STRONGEST: usize = 8;
/// How sure the intervals of a card are.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// Everything that one should know of a model before using it.
///
/// ```
/// use didact::prelude::*;
/// use didact::report::Card;
/// let iris = datasets::iris();
/// let spec: Spec = "standard-scaler | logistic-regression(C=10)".parse()?;
/// let data = Data::Labelled(iris.labelled()?);
/// let trained = Trained::fit(&spec, spec.learner()?.as_ref(), data.clone(), &Run::new())?;
/// let mut card = Card::of(&trained)?;
/// assert_eq!(card.classes[0].count, Some(50));
/// card.judge(&trained, &data, "iris", 0, &Run::new())?;
/// let accuracy = &card.judged.as_ref().unwrap().figures[0];
/// assert!(accuracy.interval.is_some_and(|(low, high)| low <= high));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct Card {
    /// The algorithm or pipeline with what was set by the user.
    pub specification: String,
    /// The steps, with all their parameters.
    pub steps: Vec<CardStep>,
    /// The kind of data that it learned from.
    pub kind: DataKind,
    /// What those data were called.
    pub data: Option<String>,
    /// The columns that it expects.
    pub features: Vec<Feature>,
    /// The column that it predicts.
    pub target: Option<String>,
    /// The classes that it tells apart.
    pub classes: Vec<CardClass>,
    /// What it can do.
    pub abilities: Vec<&'static str>,
    /// How the fit went.
    pub training: TrainingFacts,
    /// Version of the library that made it.
    pub library: String,
    /// Bytes of the model file.
    pub bytes: usize,
    /// The features that matter most, strongest first.
    pub strongest: Vec<Strength>,
    /// What the strengths are.
    pub strength_means: &'static str,
    /// How good it is on some data; nothing where none were given.
    pub judged: Option<CardJudgement>,
    /// What to be careful of.
    pub warnings: Vec<String>,
    /// What it is for and how good it has to be.
    pub framing: Option<Framing>,
}

/// One algorithm of the pipeline.
#[derive(Clone, Debug, Serialize)]
pub struct CardStep {
    /// The id in the catalogue.
    pub algorithm: String,
    /// What it does, in one line.
    pub summary: String,
    /// Every parameter, its value, and whether the user set it.
    pub parameters: Vec<(String, Json, bool)>,
}

/// A class and how many training rows it had.
#[derive(Clone, Debug, Serialize)]
pub struct CardClass {
    /// The name.
    pub name: String,
    /// Number of training rows, where the file knows it.
    pub count: Option<usize>,
}

/// How much a feature matters.
#[derive(Clone, Debug, Serialize)]
pub struct Strength {
    /// The feature.
    pub feature: String,
    /// How much it matters.
    pub strength: f64,
    /// Standard deviation over the repeats; zero where there are none.
    pub deviation: f64,
}

/// How good a model is on some data.
#[derive(Clone, Debug, Serialize)]
pub struct CardJudgement {
    /// What the data are called.
    pub data: String,
    /// Number of rows.
    pub rows: usize,
    /// The figures with their intervals of 95 %.
    pub figures: Vec<JudgedFigure>,
    /// The figures of the baseline fitted on the same rows; none where there are no targets.
    pub baseline: Vec<Figure>,
}

impl Card {
    /// What the model file itself tells.
    pub fn of(trained: &Trained) -> Result<Self> {
        let header = &trained.header;
        let counts = header.training.class_counts.as_ref();
        let names = header.classes.iter().flatten().enumerate();
        let (strongest, strength_means) = by_coefficients(trained);
        let mut card = Card {
            specification: header.specification.to_string(),
            steps: steps(&header.specification, &header.parameters),
            kind: header.kind,
            data: header.data.clone(),
            features: header.features.clone(),
            target: header.target.clone(),
            classes: names
                .map(|(place, name)| CardClass {
                    name: name.to_string(),
                    count: counts.and_then(|counts| counts.get(place).copied()),
                })
                .collect(),
            abilities: trained.model.ability_names(),
            training: header.training.clone(),
            library: header.library.clone(),
            bytes: trained.to_bytes()?.len(),
            strongest,
            strength_means,
            judged: None,
            warnings: Vec::new(),
            framing: header.framing.clone(),
        };
        card.warnings = warnings::of_model(&card, trained);
        Ok(card)
    }

    /// Adds how good the model is on data, and which features it needs there.
    pub fn judge(
        &mut self,
        trained: &Trained,
        data: &Data<'_>,
        name: &str,
        seed: u64,
        run: &Run,
    ) -> Result<()> {
        let model = trained.model.as_ref();
        let figures = score_with_intervals(model, data, &[], CONFIDENCE, seed, run)?;
        self.judged = Some(CardJudgement {
            data: name.to_owned(),
            rows: data.samples().map_or(0, |samples| samples.n_rows()),
            figures,
            baseline: baseline(data, run).unwrap_or_default(),
        });
        let options = PictureOptions {
            seed,
            ..PictureOptions::default()
        };
        let subject = Subject::new(trained, Some(data), &options);
        if let Ok(found) = importances(&subject, run) {
            let names = trained.input_names();
            self.strength_means = "fall of the first figure when the feature is shuffled";
            self.strongest = sorted(found.iter().map(|one| Strength {
                feature: names[one.column].clone(),
                strength: one.drop.mean,
                deviation: one.drop.deviation,
            }));
        }
        run.check()?;
        self.warnings = warnings::of_model(self, trained);
        self.warnings.extend(warnings::of_judgement(self));
        Ok(())
    }
}

/// The figures of the baseline on the same rows.
fn baseline(data: &Data<'_>, run: &Run) -> Option<Vec<Figure>> {
    let learner = Spec::of("baseline").learner().ok()?;
    let model = learner.fit(data.clone(), &run.quietly()).ok()?;
    score(model.as_ref(), data).ok()
}

fn steps(spec: &Spec, parameters: &Json) -> Vec<CardStep> {
    let one = |(place, step): (usize, &crate::Step)| {
        let values = match parameters {
            Json::Array(steps) => &steps[place]["parameters"],
            single => single,
        };
        let entry = find(&step.algorithm).ok();
        let values = values.as_object();
        CardStep {
            algorithm: step.algorithm.clone(),
            summary: entry.map_or(String::new(), |entry| entry.summary.clone()),
            parameters: values
                .into_iter()
                .flatten()
                .map(|(name, value)| {
                    (
                        name.clone(),
                        value.clone(),
                        step.parameters.contains_key(name),
                    )
                })
                .collect(),
        }
    };
    spec.steps.iter().enumerate().map(one).collect()
}

/// The largest weights of a linear model.
fn by_coefficients(trained: &Trained) -> (Vec<Strength>, &'static str) {
    let options = PictureOptions::default();
    let names = Subject::new(trained, None, &options).last_names();
    let attributes = trained.model.attributes();
    let coef = attributes
        .iter()
        .find(|(known, _)| known.name == "coef")
        .and_then(|(_, value)| Value::as_array(value));
    let Some(coef) = coef else {
        return (Vec::new(), "");
    };
    if names.is_empty() || coef.len() % names.len() != 0 {
        return (Vec::new(), "");
    }
    let mut largest = vec![0.0_f64; names.len()];
    for (place, value) in coef.iter().enumerate() {
        let column = place % names.len();
        largest[column] = largest[column].max(value.abs());
    }
    let strengths = names
        .into_iter()
        .zip(largest)
        .map(|(feature, strength)| Strength {
            feature,
            strength,
            deviation: 0.0,
        });
    (
        sorted(strengths),
        "largest weight by size, as far as the units of the features agree",
    )
}

fn sorted(strengths: impl Iterator<Item = Strength>) -> Vec<Strength> {
    let mut list: Vec<Strength> = strengths.filter(|one| one.strength.is_finite()).collect();
    list.sort_by(|left, right| right.strength.total_cmp(&left.strength));
    list.truncate(STRONGEST);
    list
}
