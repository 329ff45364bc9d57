"""Naive Bayes against scikit-learn."""

import numpy
import pytest
from command import Model, probabilities, table
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB


def test_gaussian_nb_agrees_with_scikit_learn(labelled, tmp_path):
    features, target = labelled
    ours = Model(tmp_path, "gaussian-nb", table(features, y=target), "--target", "y", "--task", "classification")
    theirs = GaussianNB().fit(features, target)
    numpy.testing.assert_allclose(ours["theta"], theirs.theta_, rtol=1e-10, atol=1e-12)
    numpy.testing.assert_allclose(ours["var"], theirs.var_, rtol=1e-9)
    numpy.testing.assert_allclose(ours["class_prior"], theirs.class_prior_, rtol=1e-12)
    predictions = ours.predict(table(features))
    numpy.testing.assert_allclose(probabilities(predictions), theirs.predict_proba(features), atol=1e-8)
    assert list(predictions["prediction"].astype(int)) == list(theirs.predict(features))


def counted(features):
    """Small whole numbers from any features: in which fifth of its column a value lies."""
    ranks = features.argsort(axis=0).argsort(axis=0)
    return numpy.floor(5 * ranks / len(features))


@pytest.mark.parametrize("alpha", [0.01, 1.0])
@pytest.mark.parametrize(
    "spec, kind, settings",
    [
        ("multinomial-nb", MultinomialNB, {}),
        ("multinomial-nb", MultinomialNB, {"fit_prior": False}),
        ("complement-nb", ComplementNB, {}),
        ("complement-nb", ComplementNB, {"norm": True}),
        ("bernoulli-nb", BernoulliNB, {"binarize": 1.5}),
        ("categorical-nb", CategoricalNB, {}),
    ],
)
def test_naive_bayes_of_counts_agrees_with_scikit_learn(labelled, tmp_path, spec, kind, settings, alpha):
    features, target = counted(labelled[0]), labelled[1]
    frame = table(features, y=target)
    ours = Model(tmp_path, spec, frame, "--target", "y", "--task", "classification", alpha=alpha, **settings)
    theirs = kind(alpha=alpha, **settings).fit(features, target)
    if kind is not CategoricalNB:
        numpy.testing.assert_allclose(ours["feature_log_prob"], theirs.feature_log_prob_, rtol=1e-9, atol=1e-12)
        numpy.testing.assert_allclose(ours["feature_count"], theirs.feature_count_, rtol=1e-12)
    numpy.testing.assert_allclose(ours["class_log_prior"], theirs.class_log_prior_, rtol=1e-12)
    predictions = ours.predict(table(features))
    chances = theirs.predict_proba(features)
    numpy.testing.assert_allclose(probabilities(predictions), chances, atol=1e-9)
    # Of two classes that are equally probable up to rounding either may be named.
    named = numpy.take_along_axis(chances, predictions["prediction"].astype(int).to_numpy()[:, None], axis=1)
    assert numpy.all(named[:, 0] >= chances.max(axis=1) - 1e-9)
