"""Axes, scales, distances and neighbours."""

import didact
import didact.distance
import didact.kernels
import numpy as np
import scipy.sparse
import sklearn.decomposition as decomposition
import sklearn.metrics.pairwise
import sklearn.neighbors as neighbors
import sklearn.preprocessing as preprocessing
from peers import Row, estimators, intelex, linear


def pca(name, make, k, **settings):
    """The first axes; the quality is the variance along them."""

    def kept(_, model):
        return float(np.sum(model.explained_variance_ratio_))

    who = estimators(
        lambda **more: didact.PCA(k, **more),
        lambda: decomposition.PCA(k, random_state=0, **settings),
        (lambda: intelex("PCA")(k)) if intelex("PCA") and not settings else None,
        fit=lambda model, x: model.fit(x),
    )
    def product(x):
        return x.T @ x if x.shape[0] > x.shape[1] else x @ x.T

    return Row(name, make, who, kept, tolerance=1e-3, floor=None if settings else product)


def products(rows, queries):
    """All products of rows and queries, some at a time: what a search without a tree contains."""
    for some in np.array_split(queries, 50):
        some @ rows.T


def nearest(name, rows, columns, queries):
    def same_labels(data, labels):
        """The share of a few hundred labels that a search without any index gives, too."""
        few = data[2][:300]
        truth = neighbors.KNeighborsClassifier(5, algorithm="brute").fit(data[0], data[1]).predict(few)
        return float(np.mean(np.asarray(labels)[:300] == truth))

    def make():
        random = np.random.default_rng(0)
        return random.standard_normal((rows, columns)), random.integers(3, size=rows), random.standard_normal((queries, columns))

    def fitted(kind, **settings):
        return lambda data, threads: kind(5, **settings).fit(data[0], data[1])

    def classify(pair, threads):
        model, data = pair
        if hasattr(model, "n_jobs"):
            model.n_jobs = threads
        return model.predict(data[2])

    patched = intelex("KNeighborsClassifier")
    prepare = {"didact": fitted(didact.KNeighborsClassifier), "scikit-learn": fitted(neighbors.KNeighborsClassifier)}
    if patched:
        prepare["intelex"] = fitted(patched)
    who = dict.fromkeys(prepare, classify)
    floor = (lambda data: products(data[0], data[2])) if columns > 3 else None
    return Row(name, make, who, same_labels, tolerance=1e-3, prepare=prepare, floor=floor)


def matrix_of(name, ours, theirs, columns):
    """All pairs of 5000 rows; beside them stands the matrix product that both contain."""

    def make():
        return np.random.default_rng(0).standard_normal((5_000, columns))

    def agreement(x, made):
        few = theirs(x[:200])
        # Differences in the last digits do not count.
        return -max(float(np.abs(np.asarray(made)[:200, :200] - few).max()), 1e-6)

    who = {"didact": lambda x, _: ours(x), "scikit-learn": lambda x, _: theirs(x)}
    return Row(f"{name} 5k×5k, {columns} columns", make, who, agreement, floor=lambda x: x @ x.T)


def queries(columns):
    """The ten nearest of 20000 rows for 5000 others; scikit-learn in its best setting."""

    def make():
        random = np.random.default_rng(0)
        return random.standard_normal((20_000, columns)), random.standard_normal((5_000, columns))

    def theirs(algorithm):
        def run(data, threads):
            return neighbors.NearestNeighbors(n_neighbors=10, algorithm=algorithm, n_jobs=threads).fit(data[0]).kneighbors(data[1])

        return run

    who = {
        "didact": lambda data, _: didact.distance.nearest_neighbors(*data, n_neighbors=10),
        **{f"scikit-learn {algorithm}": theirs(algorithm) for algorithm in ("brute", "kd_tree", "ball_tree")},
    }
    floor = (lambda data: products(*data)) if columns > 3 else None
    return Row(f"ten nearest of 20k×{columns} for 5k", make, who, lambda _, found: -float(np.sum(found[0])), tolerance=1e-9, floor=floor)


SCALED = {
    "didact": lambda x, t: didact.StandardScaler(n_jobs=t).fit(x).transform(x),
    "scikit-learn": lambda x, t: preprocessing.StandardScaler().fit(x).transform(x),
}

ROWS = [
    pca("PCA 50k×100 → 10", lambda: linear(50_000, 100)[0], 10),
    pca("PCA 2k×5000 → 20", lambda: linear(2_000, 5_000)[0], 20),
    pca("PCA sparse 20k×2000 → 20", lambda: scipy.sparse.random(20_000, 2_000, density=0.01, format="csr", random_state=0), 20, svd_solver="arpack"),
    Row(
        "standard scaler 500k×20",
        lambda: linear(500_000, 20)[0],
        SCALED,
        lambda _, out: -float(np.abs(out.mean(axis=0)).max() + abs(out.std() - 1)),
        floor=np.copy,
    ),
    nearest("neighbours 5k in 20k×20", 20_000, 20, 5_000),
    nearest("neighbours 5k in 100k×3", 100_000, 3, 5_000),
    nearest("neighbours 5k in 10k×784", 10_000, 784, 5_000),
    *[matrix_of("Euclidean distances", didact.distance.euclidean_distances, sklearn.metrics.pairwise.euclidean_distances, d) for d in (10, 50, 500)],
    *[matrix_of("RBF kernel", didact.kernels.rbf_kernel, sklearn.metrics.pairwise.rbf_kernel, d) for d in (10, 50, 500)],
    *[queries(d) for d in (3, 10, 50)],
]
