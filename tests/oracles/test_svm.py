"""Kernel support vector machines against scikit-learn, which is LIBSVM inside."""

import numpy
import pytest
from command import Model, table
from sklearn.metrics import pairwise
from sklearn.svm import SVC, SVR, NuSVC, NuSVR

KERNELS = [
    {"kernel": "rbf"},
    {"kernel": "linear", "C": 0.1},
    {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 0.05},
    {"kernel": "sigmoid", "gamma": 0.001},
]


def named(settings):
    return settings["kernel"]


def gram(rows, vectors, settings, features):
    """The kernel of rows and support vectors; the rate by scale is that of the training rows."""
    gamma = settings.get("gamma", 1 / (features.shape[1] * features.var()))
    kernel = settings["kernel"]
    if kernel == "linear":
        return rows @ vectors.T
    if kernel == "rbf":
        return pairwise.rbf_kernel(rows, vectors, gamma)
    if kernel == "poly":
        return pairwise.polynomial_kernel(rows, vectors, settings["degree"], gamma, settings["coef0"])
    return pairwise.sigmoid_kernel(rows, vectors, gamma, settings.get("coef0", 0.0))


def scores_of_pairs(ours, rows, settings, features):
    """The score of every machine from what the model knows."""
    kernel = gram(rows, ours["support_vectors"], settings, features)
    counts = ours["n_support"].astype(int)
    ends = numpy.cumsum(counts)
    parts = [slice(end - count, end) for end, count in zip(ends, counts)]
    dual, columns = ours["dual_coef"], []
    for a in range(len(counts)):
        for b in range(a + 1, len(counts)):
            own = kernel[:, parts[a]] @ dual[b - 1, parts[a]] + kernel[:, parts[b]] @ dual[a, parts[b]]
            columns.append(own + ours["intercept"][len(columns)])
    return numpy.array(columns).T


@pytest.mark.parametrize("settings", KERNELS, ids=named)
def test_svc_agrees_with_scikit_learn(scaled_labelled, tmp_path, settings):
    features, target = scaled_labelled
    frame = table(features, y=[f"class {label}" for label in target])
    ours = Model(tmp_path, "svc", frame, "--target", "y", tol=1e-8, **settings)
    theirs = SVC(tol=1e-8, decision_function_shape="ovo", cache_size=1000, **settings).fit(features, target)
    assert ours.trace["stop"] == "converged"
    expected = theirs.decision_function(features).reshape(len(features), -1)
    found = scores_of_pairs(ours, features, settings, features)
    numpy.testing.assert_allclose(found, expected, atol=2e-5 * (1 + numpy.abs(expected).max()))
    if settings["kernel"] != "sigmoid":
        # Only kernels that are positive semidefinite have a gap that closes.
        assert ours["dual_gap"].max() <= 1e-5 * ours["objective"].max()
    predicted = ours.predict(table(features))["prediction"]
    agreeing = numpy.mean([name == f"class {label}" for name, label in zip(predicted, theirs.predict(features))])
    assert agreeing > 0.995


def test_svc_with_weights_agrees_with_scikit_learn(scaled_labelled, tmp_path):
    features, target = scaled_labelled
    weights = 0.5 + numpy.arange(len(target)) % 4
    frame = table(features, y=[f"class {label}" for label in target], w=weights)
    # Their rate by scale does not know the weights; ours counts a row of weight two as two rows.
    settings = {"kernel": "rbf", "gamma": 0.03}
    ours = Model(tmp_path, "svc", frame, "--target", "y", "--weight", "w", tol=1e-8, class_weight="balanced", **settings)
    totals = numpy.bincount(target, weights)
    balanced = {label: weights.sum() / (len(totals) * total) for label, total in enumerate(totals)}
    theirs = SVC(tol=1e-8, decision_function_shape="ovo", class_weight=balanced, **settings)
    theirs.fit(features, target, sample_weight=weights)
    expected = theirs.decision_function(features).reshape(len(features), -1)
    found = scores_of_pairs(ours, features, settings, features)
    numpy.testing.assert_allclose(found, expected, atol=1e-5 * (1 + numpy.abs(expected).max()))


def test_hard_margin_is_the_limit_of_large_prices(scaled_labelled, tmp_path):
    features, target = scaled_labelled
    chosen = target < 2
    features, target = features[chosen], target[chosen]
    frame = table(features, y=[f"class {label}" for label in target])
    settings = {"kernel": "rbf", "gamma": 0.5}
    ours = Model(tmp_path, "svc", frame, "--target", "y", margin="hard", tol=1e-8, **settings)
    theirs = SVC(C=1e10, tol=1e-8, **settings).fit(features, target)
    expected = theirs.decision_function(features)
    found = scores_of_pairs(ours, features, settings, features)[:, 0]
    numpy.testing.assert_allclose(found, expected, atol=1e-4 * (1 + numpy.abs(expected).max()))


@pytest.mark.parametrize("nu", [0.1, 0.3])
def test_nu_svc_agrees_with_scikit_learn(scaled_labelled, tmp_path, nu):
    features, target = scaled_labelled
    frame = table(features, y=[f"class {label}" for label in target])
    settings = {"kernel": "rbf", "gamma": 0.1}
    ours = Model(tmp_path, "nu-svc", frame, "--target", "y", tol=1e-9, nu=nu, **settings)
    theirs = NuSVC(nu=nu, tol=1e-9, decision_function_shape="ovo", **settings).fit(features, target)
    expected = theirs.decision_function(features).reshape(len(features), -1)
    found = scores_of_pairs(ours, features, settings, features)
    numpy.testing.assert_allclose(found, expected, atol=1e-4 * (1 + numpy.abs(expected).max()))


def standardised(features, target):
    scaled = (features - features.mean(axis=0)) / features.std(axis=0)
    return scaled, (target - target.mean()) / target.std() + 0.5


@pytest.mark.parametrize("settings", KERNELS[:3], ids=named)
def test_svr_agrees_with_scikit_learn(measured, tmp_path, settings):
    features, target = standardised(*measured)
    frame = table(features, y=target)
    ours = Model(tmp_path, "svr", frame, "--target", "y", "--task", "regression", tol=1e-8, epsilon=0.2, **settings)
    theirs = SVR(tol=1e-8, epsilon=0.2, cache_size=1000, **settings).fit(features, target)
    expected = theirs.predict(features)
    found = ours.predict(table(features))["y"].to_numpy(dtype=float)
    numpy.testing.assert_allclose(found, expected, atol=2e-5 * (1 + numpy.abs(expected).max()))
    assert float(ours["dual_gap"]) <= 1e-5 * float(ours["objective"])


@pytest.mark.parametrize("nu", [0.2, 0.7])
def test_nu_svr_agrees_with_scikit_learn(measured, tmp_path, nu):
    features, target = standardised(*measured)
    frame = table(features, y=target)
    settings = {"kernel": "rbf", "C": 0.7}
    ours = Model(tmp_path, "nu-svr", frame, "--target", "y", "--task", "regression", tol=1e-8, nu=nu, **settings)
    theirs = NuSVR(tol=1e-8, nu=nu, **settings).fit(features, target)
    expected = theirs.predict(features)
    found = ours.predict(table(features))["y"].to_numpy(dtype=float)
    numpy.testing.assert_allclose(found, expected, atol=2e-5 * (1 + numpy.abs(expected).max()))
