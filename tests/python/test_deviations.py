"""Regressions that say how sure they are."""

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

import didact


def test_a_gaussian_process_is_as_sure_as_that_of_scikit_learn():
    x, y = load_diabetes(return_X_y=True)
    train, test = slice(0, 300), slice(300, None)
    y = (y - y.mean()) / y.std()
    kernel = ConstantKernel(0.7) * RBF(0.2) + WhiteKernel(0.5)
    theirs = GaussianProcessRegressor(kernel, alpha=0, optimizer=None).fit(x[train], y[train])
    ours = didact.GaussianProcessRegressor(amplitude=0.7, length_scale=0.2, noise=0.5, optimize=False).fit(x[train], y[train])
    for found, expected in zip(ours.predict(x[test], return_std=True), theirs.predict(x[test], return_std=True)):
        np.testing.assert_allclose(found, expected, rtol=1e-8)
    np.testing.assert_array_equal(ours.predict(x[test]), ours.predict(x[test], return_std=True)[0])


def test_bayesian_regression_is_surer_of_rows_near_the_data():
    x, y = load_diabetes(return_X_y=True)
    model = didact.BayesianLinearRegression().fit(x, y)
    predicted, deviation = model.predict(np.vstack([x.mean(axis=0), x.mean(axis=0) + 1]), return_std=True)
    assert predicted.shape == deviation.shape == (2,)
    assert deviation[1] > deviation[0] >= np.sqrt(model.noise_variance_)
