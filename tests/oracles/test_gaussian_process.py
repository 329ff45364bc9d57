"""Gaussian processes against scikit-learn."""

import numpy
import pytest
from command import Model, probabilities, table
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, Matern, RationalQuadratic, WhiteKernel

SHAPES = {
    "rbf": (lambda: RBF(1.4), {}),
    "exponential": (lambda: Matern(1.4, nu=0.5), {}),
    "matern32": (lambda: Matern(1.4, nu=1.5), {}),
    "matern52": (lambda: Matern(1.4, nu=2.5), {}),
    "rational-quadratic": (lambda: RationalQuadratic(1.4, alpha=0.6), {"scale_mixture": 0.6}),
    "linear": (lambda: DotProduct(1.0), {}),
}


def scaled(features, most=250):
    """At most so many rows with standardised columns."""
    features = features[:: max(1, len(features) // most)]
    features = features[:, features.std(axis=0) > 0]
    return (features - features.mean(axis=0)) / features.std(axis=0)


@pytest.mark.parametrize("kernel", SHAPES)
@pytest.mark.parametrize("normalize", [False, True])
def test_gaussian_process_regression_agrees_with_scikit_learn(measured, tmp_path, kernel, normalize):
    features, target = measured
    target = target[:: max(1, len(features) // 250)]
    target = (target - target.mean()) / target.std() + 0.5
    features = scaled(features)
    shape, named = SHAPES[kernel]
    length = 1.0 if kernel == "linear" else 1.4
    ours = Model(
        tmp_path, "gaussian-process-regressor", table(features, y=target), "--target", "y", "--task", "regression",
        kernel=kernel, length_scale=length, amplitude=1.5, noise=0.2, optimize=False, normalize_y=normalize, **named,
    )
    theirs = GaussianProcessRegressor(ConstantKernel(1.5) * shape(), alpha=0.2, optimizer=None, normalize_y=normalize)
    theirs.fit(features, target)
    numpy.testing.assert_allclose(ours["log_marginal_likelihood_value"], theirs.log_marginal_likelihood_value_, rtol=1e-9)
    found = ours.predict(table(features)).iloc[:, 0].to_numpy()
    numpy.testing.assert_allclose(found, theirs.predict(features), atol=1e-8)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kernel", ["rbf", "matern32"])
def test_the_evidence_found_is_at_least_that_of_scikit_learn(measured, tmp_path, kernel):
    features, target = measured
    target = target[:: max(1, len(features) // 120)]
    target = (target - target.mean()) / target.std()
    features = scaled(features, most=120)
    ours = Model(
        tmp_path, "gaussian-process-regressor", table(features, y=target), "--target", "y", "--task", "regression",
        kernel=kernel, n_restarts_optimizer=2,
    )
    shape = RBF(1.0) if kernel == "rbf" else Matern(1.0, nu=1.5)
    composed = ConstantKernel(1.0) * shape + WhiteKernel(0.1, (1e-8, 1e5))
    theirs = GaussianProcessRegressor(composed, alpha=0, n_restarts_optimizer=3, random_state=0).fit(features, target)
    least = theirs.log_marginal_likelihood_value_
    assert ours["log_marginal_likelihood_value"] >= least - 1e-3 - 1e-6 * abs(least)


@pytest.mark.parametrize("kernel", ["rbf", "matern32"])
def test_gaussian_process_classification_agrees_with_scikit_learn(scaled_labelled, tmp_path, kernel):
    features, target = scaled_labelled
    step = max(1, len(features) // 150)
    features, target = features[::step], target[::step]
    frame = table(features, y=[f"class {label}" for label in target])
    shape = RBF(2.0) if kernel == "rbf" else Matern(2.0, nu=1.5)
    ours = Model(
        tmp_path, "gaussian-process-classifier", frame, "--target", "y",
        kernel=kernel, length_scale=2.0, amplitude=4.0, optimize=False,
    )
    theirs = GaussianProcessClassifier(ConstantKernel(4.0) * shape, optimizer=None).fit(features, target)
    value = theirs.log_marginal_likelihood_value_
    numpy.testing.assert_allclose(ours["log_marginal_likelihood_value"], value, rtol=1e-7)
    # Its integral of the sigmoid is a sum of five error functions, good to about three digits.
    numpy.testing.assert_allclose(probabilities(ours.predict(frame)), theirs.predict_proba(features), atol=3e-3)
