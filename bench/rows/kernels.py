"""Kernel machines, densities and Gaussian processes."""

import didact
import numpy as np
import sklearn.datasets
import sklearn.gaussian_process as gaussian_process
import sklearn.kernel_approximation as kernel_approximation
import sklearn.neighbors as neighbors
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


def prediction():
    """The labels of five thousand rows by a machine of about as many support vectors as half of its rows."""
    kinds = {"didact": didact.SVC, "scikit-learn": svm.SVC}
    if intelex("SVC"):
        kinds["intelex"] = intelex("SVC")
    prepare = {name: lambda data, _, kind=kind: kind().fit(data[0][:5_000], data[1][:5_000]) for name, kind in kinds.items()}

    def predict(pair, threads):
        model, data = pair
        if hasattr(model, "n_jobs"):
            model.n_jobs = threads
        return model.predict(data[0][5_000:])

    def share_right(data, labels):
        return float(np.mean(labels == data[1][5_000:]))

    return Row("SVC predicts 5k×20", lambda: classes(10_000, 20, 2), dict.fromkeys(kinds, predict), share_right, 2e-3, prepare=prepare)


def learned(rows):
    """A Gaussian process that learns length, amplitude and noise by the evidence."""

    def make():
        x = np.random.default_rng(0).uniform(-5, 5, (rows, 2))
        return x, np.sin(x[:, 0]) * np.cos(x[:, 1]) + 0.1 * np.random.default_rng(1).standard_normal(rows)

    def theirs(data, _):
        known = gaussian_process.kernels
        kernel = known.ConstantKernel(1.0) * known.RBF(1.0) + known.WhiteKernel(0.1)
        return gaussian_process.GaussianProcessRegressor(kernel, alpha=0.0).fit(*data)

    def ours(data, threads):
        return didact.GaussianProcessRegressor(n_jobs=threads).fit(*data)

    def evidence(_, model):
        return float(model.log_marginal_likelihood_value_)

    return Row(f"Gaussian process {rows}×2, settings learned", make, {"didact": ours, "scikit-learn": theirs}, evidence)


def density():
    """Densities of five thousand rows by all twenty thousand others, exactly."""

    def make():
        random = np.random.default_rng(0)
        return random.standard_normal((20_000, 3)), random.standard_normal((5_000, 3))

    who = {
        "didact": lambda data, t: didact.KernelDensity(0.2, n_jobs=t).fit(data[0]).score_samples(data[1]),
        "scikit-learn": lambda data, _: neighbors.KernelDensity(bandwidth=0.2).fit(data[0]).score_samples(data[1]),
    }

    def exactness(data, found):
        """Against the definition, for a few; differences in the last digits do not count."""
        squares = ((data[1][:100, None] - data[0]) ** 2).sum(axis=2)
        volume = len(data[0]) * (2 * np.pi * 0.2**2) ** 1.5
        truth = np.log(np.exp(-squares / (2 * 0.2**2)).sum(axis=1) / volume)
        return -max(float(np.abs(found[:100] - truth).max()), 1e-6)

    return Row("kernel density of 20k×3 for 5k", make, who, exactness)


def features(name, rows, ours, theirs):
    """A hundred columns whose inner products come close to a Gaussian kernel, learned and applied."""

    def closeness(x, made):
        """How near the products come for the first two hundred rows; waves and landmarks are drawn, so that part of it is luck."""
        few, made = x[:200], np.asarray(made)[:200]
        squares = ((few[:, None] - few) ** 2).sum(axis=2)
        return -float(np.sqrt(np.mean((made @ made.T - np.exp(-0.02 * squares)) ** 2)))

    who = {
        "didact": lambda x, t: ours(gamma=0.02, n_components=100, n_jobs=t).fit(x).transform(x),
        "scikit-learn": lambda x, _: theirs(gamma=0.02, n_components=100, random_state=0).fit(x).transform(x),
    }
    return Row(name, lambda: np.random.default_rng(0).standard_normal((rows, 20)), who, closeness, tolerance=0.05)


def digits():
    return sklearn.datasets.load_digits(return_X_y=True)


ROWS = [
    machine("SVC 10k×20, Gaussian kernel", lambda: classes(10_000, 20, 2)),
    machine("SVC digits, Gaussian kernel", digits),
    tube("SVR 5k×20, Gaussian kernel", lambda: linear(5_000, 20)),
    process("Gaussian process 1000×2", 1_000),
    process("Gaussian process 3000×2", 3_000),
    learned(500),
    prediction(),
    density(),
    features("random Fourier features 100k×20 → 100", 100_000, didact.RandomFourierFeatures, kernel_approximation.RBFSampler),
    features("Nyström features 20k×20 → 100", 20_000, didact.Nystroem, kernel_approximation.Nystroem),
]
