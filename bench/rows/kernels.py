"""Kernel machines and Gaussian processes."""

import didact
import numpy as np
import sklearn.datasets
import sklearn.gaussian_process as gaussian_process
import sklearn.svm as svm
from peers import Row, classes, estimators, intelex, linear


def machine(name, make, **settings):
    """A support vector machine; the quality is how many rows it has right."""
    patched = intelex("SVC")
    who = estimators(
        lambda **more: didact.SVC(**settings, **more),
        lambda: svm.SVC(**settings),
        (lambda: patched(**settings)) if patched else None,
    )
    return Row(name, make, who, lambda data, model: float(model.score(*data)), tolerance=2e-3)


def tube(name, make, **settings):
    patched = intelex("SVR")
    who = estimators(
        lambda **more: didact.SVR(**settings, **more),
        lambda: svm.SVR(**settings),
        (lambda: patched(**settings)) if patched else None,
    )
    return Row(name, make, who, lambda data, model: -float(np.mean((model.predict(data[0]) - data[1]) ** 2)), tolerance=1e-2)


def process(name, rows):
    """A Gaussian process with a known covariance: one factorisation, and the means of as many rows."""

    def make():
        x = np.random.default_rng(0).uniform(-5, 5, (rows, 2))
        return x, np.sin(x[:, 0]) * np.cos(x[:, 1]) + 0.1 * np.random.default_rng(1).standard_normal(rows)

    def theirs(data, threads):
        kernel = gaussian_process.kernels.RBF(1.0)
        return gaussian_process.GaussianProcessRegressor(kernel, alpha=0.01, optimizer=None).fit(*data).predict(data[0])

    def ours(data, threads):
        return didact.GaussianProcessRegressor(length_scale=1.0, noise=0.01, optimize=False, n_jobs=threads).fit(*data).predict(data[0])

    return Row(name, make, {"didact": ours, "scikit-learn": theirs}, lambda data, found: -float(np.mean((np.ravel(found) - data[1]) ** 2)))


def digits():
    return sklearn.datasets.load_digits(return_X_y=True)


ROWS = [
    machine("SVC 10k×20, Gaussian kernel", lambda: classes(10_000, 20, 2)),
    machine("SVC digits, Gaussian kernel", digits),
    tube("SVR 5k×20, Gaussian kernel", lambda: linear(5_000, 20)),
    process("Gaussian process 1000×2", 1_000),
    process("Gaussian process 3000×2", 3_000),
]
