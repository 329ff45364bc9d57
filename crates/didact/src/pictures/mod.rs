//! Pictures of models: which ones a model can give, and how they are made.
//!
//! A [`Subject`] is a trained model, data where there are any, and a few choices. [`suitable`]
//! lists the kinds that it can give; [`picture`] makes one.

mod classes;
mod curves;
mod groups;
mod kind;
mod knowledge;
mod numbers;
mod planes;
mod sequences;
mod spread;
mod subject;

pub(crate) use curves::{growth, growth_picture};
pub use curves::{search_curve, search_map};
pub use groups::count_picture;
pub use kind::PictureKind;
pub(crate) use knowledge::{importance_picture, importances};
pub(crate) use numbers::dependence_on;
pub use spread::predicted_deviations;
pub use subject::{PictureOptions, Subject};

use didact_core::{Error, Result};
use didact_plot::Picture;

/// Makes a picture, or says what is missing and which kinds there could be instead.
///
/// ```
/// use didact::pictures::{PictureKind, PictureOptions, Subject, picture};
/// use didact::prelude::*;
/// let iris = datasets::iris();
/// let spec = Spec::of("gaussian-nb");
/// let data = Data::Labelled(iris.labelled()?);
/// let trained = Trained::fit(&spec, spec.learner()?.as_ref(), data.clone(), &Run::new())?;
/// let options = PictureOptions::default();
/// let subject = Subject::new(&trained, Some(&data), &options);
/// assert!(picture(PictureKind::Roc, &subject, &Run::new())?.svg().contains("AUC"));
/// let message = picture(PictureKind::Residuals, &subject, &Run::new()).unwrap_err().to_string();
/// assert!(message.contains("residuals needs a model that predicts numbers"));
/// # Ok::<(), Error>(())
/// ```
pub fn picture(
    kind: PictureKind,
    subject: &Subject<'_, '_>,
    run: &didact_core::Run,
) -> Result<Picture> {
    if let Some(lack) = kind.lack(subject) {
        let others: Vec<&str> = suitable(subject).into_iter().map(PictureKind::id).collect();
        let others = match others.is_empty() {
            true => "no picture suits".to_owned(),
            false => format!("these suit: {}", others.join(", ")),
        };
        return Err(Error::unsupported(format!("{kind} needs {lack}; {others}")));
    }
    match kind {
        PictureKind::Scatter => planes::scatter(subject),
        PictureKind::DecisionMap => planes::decision_map(subject),
        PictureKind::Density => planes::density(subject),
        PictureKind::Biplot => planes::biplot(subject),
        PictureKind::Roc => classes::roc(subject),
        PictureKind::PrecisionRecall => classes::precision_recall(subject),
        PictureKind::Confusion => classes::confusion(subject),
        PictureKind::Calibration => classes::calibration(subject),
        PictureKind::Residuals => numbers::residuals(subject),
        PictureKind::RegressionCurve => numbers::regression_curve(subject),
        PictureKind::PartialDependence => numbers::partial_dependence(subject, run),
        PictureKind::Importance => knowledge::importance(subject, run),
        PictureKind::Coefficients => knowledge::coefficients(subject),
        PictureKind::Scree => knowledge::scree(subject),
        PictureKind::Trace => knowledge::trace(subject),
        PictureKind::LearningCurve => curves::learning_curve(subject, run),
        PictureKind::ValidationCurve => curves::validation_curve(subject, run),
        PictureKind::CrossValidation => curves::cross_validation(subject, run),
        PictureKind::HeatMap => curves::heat_map(subject, run),
        PictureKind::Silhouette => groups::silhouette(subject, run),
        PictureKind::Elbow => groups::elbow(subject, run),
        PictureKind::Criteria => groups::criteria(subject, run),
        PictureKind::Dendrogram => groups::dendrogram(subject),
        PictureKind::StatePath => sequences::state_path(subject),
        PictureKind::Trellis => sequences::trellis(subject),
    }
}

/// The kinds of pictures that the subject can give, in the order of [`PictureKind::ALL`].
pub fn suitable(subject: &Subject<'_, '_>) -> Vec<PictureKind> {
    let all = PictureKind::ALL.iter().copied();
    all.filter(|kind| kind.lack(subject).is_none()).collect()
}
