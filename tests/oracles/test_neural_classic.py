"""Classic networks against MiniSom and scikit-learn."""

import numpy
import pytest
from command import Model, table
from conftest import scaled
from minisom import MiniSom
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
@pytest.mark.parametrize("shape", [(5, 7), (1, 9)])
def test_som_row_by_row_is_that_of_minisom(tmp_path, name, shape):
    """The same start, order, rates and widths: only rounding may differ."""
    features = scaled(name)[0][:120]
    epochs, sigma, rate = 4, 1.5, 0.5
    theirs = MiniSom(*shape, features.shape[1], sigma=sigma, learning_rate=rate, random_seed=0)
    theirs.random_weights_init(features)
    start = theirs.get_weights().reshape(-1, features.shape[1]).copy()
    theirs.train(features, epochs * len(features), random_order=False)
    ours = Model(
        tmp_path, "som", table(features), grid_rows=shape[0], grid_columns=shape[1], training="online",
        epochs=epochs, order="sequential", decay="hyperbolic", sigma=sigma, final_sigma=sigma / 3,
        learning_rate=rate, final_learning_rate=rate / 3, init_weights=start.tolist(),
    )
    weights = theirs.get_weights().reshape(-1, features.shape[1])
    numpy.testing.assert_allclose(ours["weights"], weights, atol=1e-9)
    numpy.testing.assert_allclose(ours["quantization_error"], theirs.quantization_error(features), rtol=1e-9)
    numpy.testing.assert_allclose(ours["topographic_error"], theirs.topographic_error(features), atol=1e-12)
    winners = [theirs.winner(row) for row in features]
    predictions = ours.predict(table(features))
    assert list(predictions["cluster"]) == [row * shape[1] + column for row, column in winners]


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_som_in_batches_is_as_good_as_minisoms(tmp_path, name):
    """Both from the plane of the data with as many passes; the last width is 1 there and 0.5 here, so ours is closer."""
    features, _ = scaled(name)
    theirs = MiniSom(6, 6, features.shape[1], sigma=3, learning_rate=0.5, random_seed=0)
    theirs.pca_weights_init(features)
    theirs.train(features, 20 * len(features), random_order=True)
    ours = Model(tmp_path, "som", table(features))
    assert ours["quantization_error"] <= theirs.quantization_error(features)


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_hebbian_learning_finds_the_axes_of_pca(tmp_path, name):
    features = scaled(name)[0][:, :6]
    ours = Model(tmp_path, "hebbian-pca", table(features), n_components=2, max_iter=100_000, tol=1e-11)
    theirs = PCA(2).fit(features)
    assert ours["converged"]
    axes = theirs.components_ * numpy.sign((theirs.components_ * ours["components"]).sum(axis=1, keepdims=True))
    numpy.testing.assert_allclose(ours["components"], axes, atol=1e-6)
    # The divisor is n here and n − 1 there.
    deviations = numpy.sqrt(theirs.explained_variance_ * (len(features) - 1) / len(features))
    numpy.testing.assert_allclose(ours["deviations"], deviations, rtol=1e-9)


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_adaline_comes_to_least_squares(tmp_path, name):
    features, _ = scaled(name)
    inputs, target = features[:, :-1], features[:, -1]
    ours = Model(
        tmp_path, "adaline", table(inputs, y=target), "--target", "y", max_iter=200_000, tol=1e-11,
    )
    theirs = LinearRegression().fit(inputs, target)
    assert ours["converged"]
    numpy.testing.assert_allclose(ours["coef"], theirs.coef_, atol=1e-6)
    numpy.testing.assert_allclose(ours["intercept"], theirs.intercept_, atol=1e-6)


def test_hopfield_recalls_the_patterns_it_stores(tmp_path):
    random = numpy.random.default_rng(0)
    patterns = random.choice([-1.0, 1.0], size=(5, 80))
    ours = Model(tmp_path, "hopfield", table(patterns))
    weights = patterns.T @ patterns / 80
    numpy.fill_diagonal(weights, 0)
    numpy.testing.assert_allclose(ours["weights"], weights, atol=1e-12)
    noisy = patterns * numpy.where(random.random(patterns.shape) < 0.1, -1, 1)
    numpy.testing.assert_array_equal(ours.predict(table(noisy)).to_numpy(), patterns)
