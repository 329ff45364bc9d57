"""Kernel methods against scikit-learn."""

import numpy
import pytest
from command import Model, table
from sklearn.decomposition import KernelPCA
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.neighbors import NearestCentroid

KERNELS = [
    ("linear", {}),
    ("rbf", {"gamma": 0.2}),
    ("poly", {"gamma": 0.3, "degree": 3, "coef0": 1.0}),
    ("sigmoid", {"gamma": 0.05, "coef0": 0.5}),
    ("laplacian", {"gamma": 0.1}),
    ("cosine", {}),
]


@pytest.mark.parametrize("kernel, settings", KERNELS)
def test_kernel_pca_agrees_with_scikit_learn(scaled_labelled, tmp_path, kernel, settings):
    features = scaled_labelled[0][:300, :6]
    features = features + 1e-3 * numpy.random.default_rng(0).normal(size=features.shape)
    if kernel == "laplacian":
        pytest.skip("scikit-learn's KernelPCA has no Laplacian kernel")
    ours = Model(tmp_path, "kernel-pca", table(features), kernel=kernel, n_components=4, **settings)
    theirs = KernelPCA(4, kernel=kernel, eigen_solver="dense", **settings).fit(features)
    numpy.testing.assert_allclose(ours["eigenvalues"], theirs.eigenvalues_, rtol=1e-8)
    queries = features[:50] + 0.1
    found, expected = ours.predict(table(queries)).to_numpy(), theirs.transform(queries)
    signs = numpy.sign((found * expected).sum(axis=0))
    numpy.testing.assert_allclose(found, expected * signs, atol=1e-6 * abs(expected).max())


@pytest.mark.parametrize("kernel, settings", KERNELS)
def test_kernel_ridge_agrees_with_scikit_learn(measured, tmp_path, kernel, settings):
    features, target = measured
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    frame = table(features, y=target)
    # A price that outweighs the negative eigenvalues of the hyperbolic tangent.
    alpha = 100.0 if kernel == "sigmoid" else 0.5
    ours = Model(tmp_path, "kernel-ridge", frame, "--target", "y", "--task", "regression", kernel=kernel, alpha=alpha, **settings)
    theirs = KernelRidge(kernel=kernel, alpha=alpha, **settings).fit(features, target)
    queries = features * 0.9
    expected = theirs.predict(queries)
    numpy.testing.assert_allclose(ours.predict(table(queries))["y"], expected, rtol=1e-7, atol=1e-7 * abs(expected).max())


def test_weights_of_kernel_ridge_agree_with_scikit_learn(measured, tmp_path):
    features, target = measured
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    weights = numpy.random.default_rng(0).integers(0, 4, len(target)).astype(float)
    frame = table(features, y=target, w=weights)
    options = ["--target", "y", "--weight", "w", "--task", "regression"]
    ours = Model(tmp_path, "kernel-ridge", frame, *options, kernel="rbf", gamma=0.1, alpha=0.3)
    theirs = KernelRidge(kernel="rbf", gamma=0.1, alpha=0.3).fit(features, target, sample_weight=weights)
    expected = theirs.predict(features)
    numpy.testing.assert_allclose(ours.predict(table(features))["y"], expected, rtol=1e-7, atol=1e-7 * abs(expected).max())


def test_linear_class_means_agree_with_the_nearest_centroid(scaled_labelled, tmp_path):
    features, target = scaled_labelled
    frame = table(features, y=target)
    ours = Model(tmp_path, "kernel-class-mean", frame, "--target", "y", "--task", "classification", kernel="linear")
    theirs = NearestCentroid().fit(features, target)
    found = ours.predict(table(features))["prediction"].astype(int)
    assert (found == theirs.predict(features)).all()
    numpy.testing.assert_allclose(ours["centroids"], theirs.centroids_, rtol=1e-10, atol=1e-12)


def test_nystroem_with_all_rows_has_the_products_of_scikit_learn(scaled_labelled, tmp_path):
    features = scaled_labelled[0][:120, :5]
    features = features + 0.05 * numpy.random.default_rng(0).normal(size=features.shape)
    ours = Model(tmp_path, "nystroem", table(features), n_components=120, gamma=0.5)
    theirs = Nystroem(n_components=120, gamma=0.5, random_state=0).fit(features)
    queries = features[:30] * 0.95
    found, expected = ours.predict(table(queries)).to_numpy(), theirs.transform(queries)
    numpy.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-6)
