"""Linear models and discriminants."""

import didact
import didact.linear_model
import numpy as np
import scipy.sparse
import sklearn.datasets
import sklearn.discriminant_analysis as discriminant_analysis
import sklearn.linear_model as linear_model
import sklearn.naive_bayes as naive_bayes
import sklearn.svm as svm
from peers import Row, classes, estimators, intelex, linear


def least_squares(name, rows, columns, ours, theirs, patched):
    def error(data, model):
        return -float(np.mean((data[1] - model.predict(data[0])) ** 2))

    return Row(name, lambda: linear(rows, columns), estimators(ours, theirs, patched), error, floor=lambda data: data[0].T @ data[0])


def logistic(name, make, peer_settings=None):
    """Logistic regression with C = 1; the quality is the penalised likelihood."""

    def objective(data, model):
        x, y = data
        if isinstance(model, tuple):
            model = model[0]
        probability = model.predict_proba(x)
        right = probability[np.arange(len(y)), np.searchsorted(model.classes_, y)]
        penalty = 0.5 * float(np.sum(np.asarray(model.coef_) ** 2))
        return float(np.sum(np.log(np.maximum(right, 1e-300)))) - penalty

    settings = dict(max_iter=2000, **(peer_settings or {}))
    patched = intelex("LogisticRegression")
    who = estimators(
        lambda **more: didact.LogisticRegression(**more),
        lambda: linear_model.LogisticRegression(**settings),
        (lambda: patched(**settings)) if patched else None,
    )
    # One reading of the rows, as every evaluation of the likelihood needs two of.
    return Row(name, make, who, objective, tolerance=1e-5, floor=lambda data: data[0] @ np.ones(data[0].shape[1]))


def digits():
    x, y = sklearn.datasets.load_digits(return_X_y=True)
    return x / 16, y


def sparse_classes():
    x = scipy.sparse.random(20_000, 50_000, density=0.001, format="csr", random_state=0)
    weights = np.random.default_rng(0).standard_normal(50_000)
    return x, (x @ weights > 0).astype(int)


def path(name, l1_ratio):
    """A hundred prices from the one at which all weights are zero; the quality is the objective at the last."""

    def make():
        random = np.random.default_rng(0)
        x = random.standard_normal((10_000, 500))
        weights = np.where(random.random(500) < 0.1, random.standard_normal(500), 0.0)
        y = x @ weights + random.standard_normal(10_000)
        return x - x.mean(axis=0), y - y.mean()

    def objective(data, found):
        x, y = data
        alphas, weights, _ = found
        alpha, w = alphas[-1], weights[:, -1]
        squares = np.sum((y - x @ w) ** 2) / (2 * len(y))
        return -float(squares + alpha * l1_ratio * np.abs(w).sum() + alpha * (1 - l1_ratio) / 2 * w @ w)

    who = {
        "didact": lambda d, t: didact.linear_model.enet_path(*d, l1_ratio=l1_ratio),
        "scikit-learn": lambda d, t: linear_model.enet_path(*d, l1_ratio=l1_ratio),
    }
    return Row(name, make, who, objective)


def machine(name, make):
    """Linear support vectors with the squared hinge; the quality is the objective, intercept priced."""

    def objective(data, model):
        x, y = data
        signs = np.where(y == model.classes_[1], 1.0, -1.0)
        margins = signs * (x @ np.ravel(model.coef_) + model.intercept_[0])
        price = np.sum(np.square(model.coef_)) + np.sum(np.square(model.intercept_))
        return -float(0.5 * price + np.sum(np.maximum(0, 1 - margins) ** 2))

    who = estimators(didact.LinearSVC, lambda: svm.LinearSVC(dual="auto", random_state=0))
    who["scikit-learn dual"] = lambda d, t: svm.LinearSVC(dual=True, random_state=0).fit(*d)
    return Row(name, make, who, objective, tolerance=1e-4)


def sparse_weights(name, make):
    """Logistic regression with absolute prices; the quality is the penalised likelihood."""

    def objective(data, model):
        x, y = data
        scores = x @ np.ravel(model.coef_) + model.intercept_[0]
        losses = np.logaddexp(0, np.where(y == model.classes_[1], -scores, scores))
        return -float(np.sum(losses) + np.abs(model.coef_).sum() / 0.1)

    who = {
        "didact": lambda d, t: didact.LogisticRegression("l1", C=0.1, n_jobs=t).fit(*d),
        "liblinear": lambda d, t: linear_model.LogisticRegression(l1_ratio=1, C=0.1, solver="liblinear", max_iter=1000).fit(*d),
        "SAGA": lambda d, t: linear_model.LogisticRegression(l1_ratio=1, C=0.1, solver="saga", max_iter=1000).fit(*d),
    }
    # Liblinear prices the intercept, which is worth next to nothing here.
    return Row(name, make, who, objective, tolerance=1e-4)


def steps():
    """Five epochs of stochastic gradients."""

    def accuracy(data, model):
        return float(model.score(data[0][:20_000], data[1][:20_000]))

    who = {
        "didact": lambda d, t: didact.SGDClassifier(max_iter=5, n_jobs=t).fit(*d),
        "scikit-learn": lambda d, t: linear_model.SGDClassifier(max_iter=5, tol=None, random_state=0).fit(*d),
    }
    return Row("SGD 100k×50, five epochs", lambda: classes(100_000, 50, 2), who, accuracy, tolerance=2e-2)


def counts():
    random = np.random.default_rng(0)
    x = scipy.sparse.random(20_000, 50_000, density=0.002, format="csr", random_state=0)
    x.data = np.ceil(10 * x.data)
    return x, random.integers(20, size=20_000)


def judged(data, model):
    return float(model.score(data[0][:5000], data[1][:5000]))


def discriminated(name, make, ours, theirs, tolerance=1e-6, floor=None):
    return Row(name, make, estimators(ours, theirs), judged, tolerance, floor=floor)


ROWS = [
    least_squares("least squares 100k×50", 100_000, 50, didact.LinearRegression, linear_model.LinearRegression, intelex("LinearRegression")),
    least_squares("least squares 2k×2000", 2_000, 2_000, didact.LinearRegression, linear_model.LinearRegression, intelex("LinearRegression")),
    least_squares("least squares 4k×2000", 4_000, 2_000, didact.LinearRegression, linear_model.LinearRegression, intelex("LinearRegression")),
    least_squares("ridge 100k×50", 100_000, 50, didact.Ridge, linear_model.Ridge, intelex("Ridge")),
    least_squares("ridge 2k×2000", 2_000, 2_000, didact.Ridge, linear_model.Ridge, intelex("Ridge")),
    path("lasso path 10k×500", 1.0),
    path("elastic-net path 10k×500", 0.5),
    logistic("logistic 50k×50 binary", lambda: classes(50_000, 50, 2)),
    logistic("logistic digits", digits),
    logistic("logistic 20k×200 ten classes", lambda: classes(20_000, 200, 10)),
    logistic("logistic sparse 20k×50k", sparse_classes),
    sparse_weights("logistic L1 20k×100", lambda: classes(20_000, 100, 2)),
    machine("linear SVC 50k×50", lambda: classes(50_000, 50, 2)),
    machine("linear SVC sparse 20k×50k", sparse_classes),
    steps(),
    discriminated(
        "Gaussian naive Bayes 100k×50", lambda: classes(100_000, 50, 5), didact.GaussianNB, naive_bayes.GaussianNB, floor=lambda data: data[0].sum(axis=0)
    ),
    discriminated("multinomial naive Bayes sparse 20k×50k", counts, didact.MultinomialNB, naive_bayes.MultinomialNB),
    discriminated(
        "LDA 50k×50", lambda: classes(50_000, 50, 5), didact.LinearDiscriminantAnalysis, discriminant_analysis.LinearDiscriminantAnalysis, 1e-3
    ),
]
