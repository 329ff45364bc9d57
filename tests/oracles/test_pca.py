"""PCA against scikit-learn: same axes up to sign, same variances, same reconstruction."""

import numpy
import pytest
from command import Model, table
from sklearn.decomposition import PCA


@pytest.mark.parametrize("count", [1, 2, 4])
def test_pca_agrees_with_scikit_learn(labelled, tmp_path, count):
    features, _ = labelled
    ours = Model(tmp_path, "pca", table(features), n_components=count, ddof=1)
    theirs = PCA(n_components=count, svd_solver="full").fit(features)
    numpy.testing.assert_allclose(ours["explained_variance"], theirs.explained_variance_, rtol=1e-9)
    numpy.testing.assert_allclose(ours["explained_variance_ratio"], theirs.explained_variance_ratio_, rtol=1e-9)
    numpy.testing.assert_allclose(ours["singular_values"], theirs.singular_values_, rtol=1e-9)
    numpy.testing.assert_allclose(ours["mean"], theirs.mean_, rtol=1e-12, atol=1e-12)
    signs = numpy.sign((ours["components"] * theirs.components_).sum(axis=1, keepdims=True))
    numpy.testing.assert_allclose(ours["components"], signs * theirs.components_, atol=1e-8)
    scores = ours.predict(table(features)).filter(regex="^(?!log_density)").to_numpy()
    scale = numpy.abs(features).max()
    numpy.testing.assert_allclose(scores * signs.T, theirs.transform(features), atol=1e-8 * scale)


def test_pca_density_agrees_with_scikit_learn(tmp_path):
    from conftest import load

    for name in ["iris", "wine", "breast_cancer"]:
        features, _ = load(name)
        ours = Model(tmp_path, "pca", table(features), n_components=2, ddof=1)
        theirs = PCA(n_components=2, svd_solver="full").fit(features)
        density = ours.predict(table(features))["log_density"]
        numpy.testing.assert_allclose(density, theirs.score_samples(features), rtol=1e-8)
