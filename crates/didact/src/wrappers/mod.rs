//! Algorithms that take another algorithm.

mod bayes_classifier;
mod calibrated;
mod ensembles;
mod members;
mod one_vs_one;
mod one_vs_rest;
mod output_code;

pub use bayes_classifier::{BayesClassifier, BayesClassifierModel};
pub use calibrated::{Calibrated, CalibratedModel, CalibrationMethod};
pub use ensembles::{
    AdaBoost, AdaBoostModel, AdaBoostRegressor, AdaBoostRegressorModel, Bagging, BaggingModel,
    BaggingRegressor, BaggingRegressorModel, BaggingVote, ErrorShape,
};
pub use one_vs_one::{OneVsOne, OneVsOneModel, PairwiseVote};
pub use one_vs_rest::{OneVsRest, OneVsRestModel};
pub use output_code::{OutputCode, OutputCodeModel};

use crate::Spec;
use didact_core::model::ensure_consistent;
use didact_core::{Accepts, DataKind, Entry, Error, Labelled, Learner, Modelling, Result};

/// The entries of this module.
pub fn catalogue() -> Vec<Entry> {
    let mut entries = vec![
        Entry::of::<OneVsRest>("one-vs-rest")
            .family("linear")
            .serves(&["multiclass-wrappers"])
            .card(
                Modelling::Discriminative,
                "that of the wrapped classifier, once per class",
                "k fits",
            )
            .classifier()
            .into(),
        Entry::of::<OneVsOne>("one-vs-one")
            .family("linear")
            .serves(&["multiclass-wrappers"])
            .card(
                Modelling::Discriminative,
                "that of the wrapped classifier, once per pair of classes",
                "k(k − 1)/2 fits of the rows of two classes",
            )
            .classifier()
            .into(),
        Entry::of::<OutputCode>("output-code")
            .family("linear")
            .serves(&["multiclass-wrappers"])
            .card(
                Modelling::Discriminative,
                "that of the wrapped classifier, once per bit of the code",
                "code_size·k fits",
            )
            .classifier()
            .into(),
        Entry::of::<Calibrated>("calibrated")
            .family("evaluate")
            .serves(&["platt-calibration"])
            .card(
                Modelling::Discriminative,
                "that of the wrapped classifier, and log-loss or squares of its scores",
                "cv fits",
            )
            .classifier()
            .into(),
        Entry::of::<BayesClassifier>("bayes-classifier")
            .family("discriminant")
            .serves(&["density-bayes-classifier"])
            .card(
                Modelling::Generative,
                "that of the wrapped density, once per class; then least expected cost",
                "k fits",
            )
            .classifier()
            .into(),
    ];
    entries.extend(ensembles::catalogue());
    entries
}

/// What wrappers can pass on.
const PASSED_ON: Accepts = Accepts::SPARSE
    .union(Accepts::WEIGHTS)
    .union(Accepts::MISSING);

/// What a wrapper takes that teaches this algorithm with data of this kind.
fn accepted(estimator: &Spec, kind: DataKind) -> Accepts {
    let wrapped = || {
        let learner = estimator.learner().ok()?;
        Some(learner.route_for(kind).ok()?.accepts)
    };
    // A specification that cannot be understood is reported when it is fitted.
    wrapped().unwrap_or(PASSED_ON).intersection(PASSED_ON)
}

/// The wrapped algorithm, which must be a classifier.
fn classifier(estimator: &Spec) -> Result<Box<dyn Learner>> {
    let learner = estimator.learner()?;
    let route = learner.route_for(DataKind::Labelled)?;
    match route.abilities.contains(&"classify") {
        true => Ok(learner),
        false => Err(Error::parameter(
            "estimator",
            estimator,
            "it must be a classifier, such as logistic-regression",
        )),
    }
}

/// Fails unless there are as many fitted classifiers as expected, all of the same columns.
fn members_belong_together(members: &[crate::Stored], expected: usize) -> Result<()> {
    let width = members.first().map(|member| member.model.n_features());
    let alike = |member: &crate::Stored| Some(member.model.n_features()) == width;
    ensure_consistent(expected > 0 && members.len() == expected && members.iter().all(alike))
}

/// Fails where a class has no weight at all.
fn every_class_has_rows(data: &Labelled<'_>) -> Result<()> {
    let weights = data.class_weights();
    match weights.iter().position(|&weight| weight == 0.0) {
        None => Ok(()),
        Some(empty) => Err(Error::data(format!(
            "class {} has no rows; every class needs at least one",
            data.classes.names()[empty]
        ))),
    }
}
