//! Pictures that judge a model, as the plot crate draws them.

use crate::Shared;
use crate::events::stream;
use crate::failure::Failure;
use crate::request::{Points, Request};
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::Trained;
use didact::core::{DataKind, Learner, Rows, Run};
use didact::pictures::{PictureKind, PictureOptions, Subject, picture, suitable};
use didact::plot::Theme;
use serde::Deserialize;
use serde_json::{Value, json};

/// Number of folds where there are enough points or sequences.
const FOLDS: usize = 5;

/// A picture of a method on some points.
#[derive(Deserialize)]
pub(crate) struct Wish {
    #[serde(flatten)]
    points: Request,
    /// The kind, as the command line calls it.
    kind: String,
    /// Parameters that vary, with their values where they are given.
    #[serde(default)]
    parameters: Vec<(String, Vec<Value>)>,
    /// The class that counts as positive.
    #[serde(default)]
    positive: Option<String>,
    /// The probability from which on a point counts as positive.
    #[serde(default)]
    threshold: Option<f64>,
    /// Whether the page is dark.
    #[serde(default)]
    dark: bool,
}

/// Draws a picture; pictures that fit many models tell of their progress.
pub(crate) async fn draw(State(shared): State<Shared>, Json(wish): Json<Wish>) -> Response {
    stream(shared, move |run| wish.draw(run)).into_response()
}

impl Wish {
    fn draw(&self, run: &Run) -> Result<Value, Failure> {
        let kind: PictureKind = self.kind.parse()?;
        let learner = self.points.spec.learner()?;
        let mut points = self.points.training(learner.as_ref())?;
        points.name_classes(&self.points.classes);
        let trained = Trained::fit(
            &self.points.spec,
            learner.as_ref(),
            points.data()?,
            &run.quietly(),
        )?;
        let judged = self.judged(kind, learner.as_ref(), points)?;
        let data = judged.data()?;
        let options = PictureOptions {
            parameters: self.parameters.clone(),
            positive: self.positive.clone(),
            threshold: self.threshold,
            folds: judged.units().clamp(2, FOLDS),
            ..PictureOptions::default()
        };
        let subject = Subject::new(&trained, Some(&data), &options);
        let drawn = picture(kind, &subject, run)?.themed(match self.dark {
            true => Theme::dark(),
            false => Theme::light(),
        });
        let counts = self.counts(&trained, &judged)?;
        Ok(json!({ "svg": drawn.svg(), "counts": counts }))
    }

    /// What the threshold makes of the points: those of the second class that it finds and
    /// misses, and false alarms. Nothing where there are not two classes.
    fn counts(&self, trained: &Trained, judged: &Points) -> didact::Result<Value> {
        let (Some(least), Some(model)) = (self.threshold, trained.model.as_probabilities()) else {
            return Ok(Value::Null);
        };
        let probabilities = model.probabilities(Rows::Dense(judged.rows.view()))?;
        if probabilities.ncols() != 2 || judged.kind() != DataKind::Labelled {
            return Ok(Value::Null);
        }
        let mut counts = [[0; 2]; 2];
        for (row, &label) in probabilities.rows().into_iter().zip(judged.labels()) {
            counts[label][usize::from(row[1] >= least)] += 1;
        }
        let [
            [true_negatives, false_positives],
            [false_negatives, true_positives],
        ] = counts;
        Ok(json!({
            "true_positives": true_positives,
            "false_positives": false_positives,
            "false_negatives": false_negatives,
            "true_negatives": true_negatives,
        }))
    }

    /// The points to judge on: those held back where there are any. Pictures that fit anew hold
    /// points back themselves and take those to learn from.
    fn judged(
        &self,
        kind: PictureKind,
        learner: &dyn Learner,
        training: Points,
    ) -> Result<Points, Failure> {
        if kind.refits() || self.points.train.is_none() {
            return Ok(training);
        }
        let mut held_back = self.points.testing(learner)?;
        held_back.name_classes(&self.points.classes);
        Ok(match held_back.len() {
            0 => training,
            _ => held_back,
        })
    }
}

/// The kinds of pictures that a model on its points can give.
pub(crate) fn kinds(trained: &Trained, points: &Points) -> didact::Result<Value> {
    let (data, options) = (points.data()?, PictureOptions::default());
    let subject = Subject::new(trained, Some(&data), &options);
    Ok(suitable(&subject)
        .into_iter()
        .map(|kind| {
            json!({
                "id": kind.id(),
                "summary": kind.summary(),
                "refits": kind.refits(),
                "parameters": kind.n_parameters(),
            })
        })
        .collect())
}
