"""Densities by windows and votes within a radius against scikit-learn and scipy."""

import numpy
import pytest
from command import Model, probabilities, table
from scipy.special import logsumexp
from scipy.stats import gaussian_kde
from sklearn.neighbors import KernelDensity, RadiusNeighborsClassifier, RadiusNeighborsRegressor


def densities(predictions):
    """The one column of log-densities."""
    return predictions.filter(like="density").to_numpy()[:, 0]


@pytest.mark.parametrize("kernel", ["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"])
@pytest.mark.parametrize("algorithm", ["brute", "kd-tree"])
def test_windows_agree_with_scikit_learn(scaled_labelled, tmp_path, kernel, algorithm):
    # scikit-learn normalises the cosine window rightly for odd numbers of columns only: in two, it
    # takes ∫ r·cos(πr/2) dr for 2/π, which lacks −4/π².
    features = scaled_labelled[0][:, : 3 if kernel == "cosine" else 6]
    bandwidth = 2.5
    ours = Model(tmp_path, "kernel-density", table(features), kernel=kernel, bandwidth=bandwidth, algorithm=algorithm)
    theirs = KernelDensity(kernel=kernel, bandwidth=bandwidth).fit(features)
    queries = features[:80] + 0.05
    numpy.testing.assert_allclose(densities(ours.predict(table(queries))), theirs.score_samples(queries), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_rules_and_oblique_windows_agree_with_scipy(scaled_labelled, tmp_path, rule):
    features = scaled_labelled[0][:, :3]
    # A little noise, because columns of whole numbers may have a singular covariance.
    features = features + 1e-3 * numpy.random.default_rng(0).normal(size=features.shape)
    ours = Model(tmp_path, "kernel-density", table(features), bandwidth=rule, bandwidth_unit="covariance")
    theirs = gaussian_kde(features.T, bw_method=rule)
    assert ours["bandwidth"] == pytest.approx(theirs.factor, rel=1e-12)
    queries = features[:60] * 0.9
    numpy.testing.assert_allclose(densities(ours.predict(table(queries))), theirs.logpdf(queries.T), rtol=1e-9, atol=1e-9)


def test_the_left_out_likelihood_chooses_the_bandwidth_of_a_loop(scaled_labelled, tmp_path):
    features = scaled_labelled[0][:120, :2]
    features = features + 0.01 * numpy.random.default_rng(1).normal(size=features.shape)
    grid = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6]
    ours = Model(tmp_path, "kernel-density", table(features), bandwidth="leave-one-out", bandwidths=grid)
    scores = []
    for bandwidth in grid:
        score = 0.0
        for row in range(len(features)):
            others = numpy.delete(features, row, axis=0)
            # Written out, because far from all rows the tree of scikit-learn rounds in the second digit.
            squares = ((others - features[row]) ** 2).sum(axis=1)
            windows = logsumexp(-squares / (2 * bandwidth**2))
            score += windows - numpy.log(len(others)) - numpy.log(2 * numpy.pi * bandwidth**2)
        scores.append(score)
    numpy.testing.assert_allclose(ours["bandwidth_scores"], scores, rtol=1e-9)
    assert ours["bandwidth"] == grid[int(numpy.argmax(scores))]


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_votes_within_a_radius_agree_with_scikit_learn(scaled_labelled, tmp_path, weights):
    features, target = scaled_labelled
    features = features[:, :4] + 1e-6 * numpy.random.default_rng(0).normal(size=(len(target), 4))
    frame = table(features, y=target)
    options = ["--target", "y", "--task", "classification"]
    ours = Model(tmp_path, "radius-neighbors", frame, *options, radius=1.5, weights=weights)
    theirs = RadiusNeighborsClassifier(1.5, weights=weights).fit(features, target)
    # Every row is in its own ball, so that none is empty.
    expected = theirs.predict_proba(features)
    numpy.testing.assert_allclose(probabilities(ours.predict(table(features))), expected, atol=1e-9)


def test_an_empty_ball_has_no_prediction(tmp_path):
    frame = table([[0.0], [1.0], [5.0]], y=["left", "left", "right"])
    ours = Model(tmp_path, "radius-neighbors", frame, "--target", "y")
    predictions = ours.predict(table([[0.5], [5.5], [99.0]]))["prediction"]
    assert list(predictions[:2]) == ["left", "right"]
    assert predictions.isna().tolist() == [False, False, True]


def test_means_within_a_radius_agree_with_scikit_learn(measured, tmp_path):
    features, target = measured
    features = features + 1e-6 * numpy.random.default_rng(0).normal(size=features.shape)
    radius = 0.5 * numpy.linalg.norm(features.std(axis=0))
    frame = table(features, y=target)
    ours = Model(tmp_path, "radius-neighbors", frame, "--target", "y", "--task", "regression", radius=radius)
    theirs = RadiusNeighborsRegressor(radius).fit(features, target)
    numpy.testing.assert_allclose(ours.predict(table(features))["y"], theirs.predict(features), rtol=1e-9)
