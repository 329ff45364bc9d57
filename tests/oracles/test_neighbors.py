"""Neighbours against scikit-learn, whose search is exact too."""

import numpy
import pytest
from command import Model, probabilities, table
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd-tree", "ball-tree"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_neighbours_classify_like_scikit_learn(scaled_labelled, tmp_path, algorithm, weights):
    features, target = scaled_labelled
    # A little noise makes all distances different, so that ties cannot decide.
    features = features + 1e-6 * numpy.random.default_rng(0).normal(size=features.shape)
    train, test = numpy.arange(len(target)) % 3 > 0, numpy.arange(len(target)) % 3 == 0
    frame = table(features[train], y=target[train])
    options = ["--target", "y", "--task", "classification"]
    ours = Model(tmp_path, "k-neighbors", frame, *options, n_neighbors=5, algorithm=algorithm, weights=weights)
    theirs = KNeighborsClassifier(5, weights=weights).fit(features[train], target[train])
    predictions = ours.predict(table(features[test]))
    numpy.testing.assert_allclose(probabilities(predictions), theirs.predict_proba(features[test]), atol=1e-9)
    assert list(predictions["prediction"].astype(int)) == list(theirs.predict(features[test]))


def test_neighbours_regress_like_scikit_learn(measured, tmp_path):
    features, target = measured
    features = features + 1e-6 * numpy.random.default_rng(0).normal(size=features.shape)
    frame = table(features, y=target)
    ours = Model(tmp_path, "k-neighbors", frame, "--target", "y", "--task", "regression", n_neighbors=4)
    theirs = KNeighborsRegressor(4).fit(features, target)
    shifted = features + 0.01
    numpy.testing.assert_allclose(ours.predict(table(shifted))["y"], theirs.predict(shifted), rtol=1e-9)
