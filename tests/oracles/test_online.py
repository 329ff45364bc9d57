"""The perceptron, passive-aggressive learning and stochastic gradients against scikit-learn."""

import warnings

import numpy
import pytest
from command import Model, table
from sklearn.linear_model import (
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    Perceptron,
    SGDClassifier,
)


def two_classes(features, target):
    """The first two classes only: scikit-learn teaches several classes one against the rest."""
    kept = target < 2
    return features[kept], target[kept]


def test_the_perceptron_agrees_with_scikit_learn(scaled_labelled, tmp_path):
    features, target = two_classes(*scaled_labelled)
    frame = table(features, y=[f"class {label}" for label in target])
    ours = Model(tmp_path, "perceptron", frame, "--target", "y", shuffle=False, max_iter=4)
    theirs = Perceptron(shuffle=False, tol=None, max_iter=4).fit(features, target)
    numpy.testing.assert_allclose(ours["coef"], theirs.coef_, rtol=1e-9, atol=1e-9)
    numpy.testing.assert_allclose(ours["intercept"].ravel(), theirs.intercept_, rtol=1e-9)


@pytest.mark.parametrize("variant, loss", [("pa-1", "hinge"), ("pa-2", "squared_hinge")])
def test_passive_aggressive_agrees_with_scikit_learn(scaled_labelled, tmp_path, variant, loss):
    features, target = two_classes(*scaled_labelled)
    frame = table(features, y=[f"class {label}" for label in target])
    common = {"C": 0.05, "shuffle": False, "max_iter": 3, "fit_intercept": False}
    ours = Model(tmp_path, "passive-aggressive", frame, "--target", "y", variant=variant, tol=0.0, **common)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        theirs = PassiveAggressiveClassifier(loss=loss, tol=None, **common).fit(features, target)
    numpy.testing.assert_allclose(ours["coef"], theirs.coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "variant, loss", [("pa-1", "epsilon_insensitive"), ("pa-2", "squared_epsilon_insensitive")]
)
def test_passive_aggressive_regression_agrees_with_scikit_learn(measured, tmp_path, variant, loss):
    features, target = measured
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    common = {"C": 0.05, "epsilon": 0.2, "shuffle": False, "max_iter": 3, "fit_intercept": False}
    ours = Model(
        tmp_path, "passive-aggressive-regressor", table(features, y=target), "--target", "y",
        "--task", "regression", variant=variant, tol=0.0, **common,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        theirs = PassiveAggressiveRegressor(loss=loss, tol=None, **common).fit(features, target)
    numpy.testing.assert_allclose(ours["coef"].ravel(), theirs.coef_, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("loss", ["hinge", "log_loss", "modified_huber", "squared_hinge", "perceptron"])
def test_stochastic_gradients_agree_with_scikit_learn(scaled_labelled, tmp_path, loss):
    features, target = two_classes(*scaled_labelled)
    frame = table(features, y=[f"class {label}" for label in target])
    common = {"alpha": 0.01, "shuffle": False, "max_iter": 3}
    ours = Model(
        tmp_path, "sgd-classifier", frame, "--target", "y", loss=loss.replace("_", "-"), tol=0.0, **common
    )
    theirs = SGDClassifier(loss=loss, tol=None, **common).fit(features, target)
    scale = numpy.abs(theirs.coef_).max()
    numpy.testing.assert_allclose(ours["coef"], theirs.coef_, rtol=1e-7, atol=1e-9 * scale)


def test_passes_over_a_streamed_file_agree_with_scikit_learn(scaled_labelled, tmp_path):
    features, target = two_classes(*scaled_labelled)
    frame = table(features, y=[f"class {label}" for label in target])
    ours = Model(
        tmp_path, "sgd-classifier", frame, "--target", "y", "--stream",
        alpha=0.01, max_iter=3, tol=0.0,
    )
    theirs = SGDClassifier(alpha=0.01, shuffle=False)
    for _ in range(3):
        theirs.partial_fit(features, target, classes=numpy.unique(target))
    scale = numpy.abs(theirs.coef_).max()
    numpy.testing.assert_allclose(ours["coef"], theirs.coef_, rtol=1e-7, atol=1e-9 * scale)
