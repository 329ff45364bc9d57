"""The tasks: everything that didact and a peer can both do."""

import tempfile
from pathlib import Path

import didact
import didact.datasets
import didact.distance
import didact.kernels
import didact.metrics
import hmmlearn.hmm
import numpy as np
import pandas
import polars
import scipy.sparse
import sklearn.cluster as cluster
import sklearn.datasets
import sklearn.decomposition as decomposition
import sklearn.linear_model as linear_model
import sklearn.metrics
import sklearn.metrics.pairwise
import sklearn.mixture as mixture
import sklearn.naive_bayes as naive_bayes
import sklearn.neighbors as neighbors
import sklearn.preprocessing as preprocessing
from peers import Row, blobs, classes, intelex, linear, sequences
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline


def estimators(ours, theirs, patched=None, fit=lambda model, data: model.fit(*data)):
    """Fits our estimator, scikit-learn's and, where there is one, that of intelex."""
    who = {
        "didact": lambda data, threads: fit(ours(n_jobs=threads), data),
        "scikit-learn": lambda data, threads: fit(theirs(), data),
    }
    if patched is not None:
        who["intelex"] = lambda data, threads: fit(patched(), data)
    return who


def kmeans(name, rows, columns, k, made):
    """k-means from the same starting centres until it stands still."""

    def make():
        x = made(rows, columns, k)
        return x, x[np.random.default_rng(1).choice(len(x), k, replace=False)]

    def ours(data, threads):
        x, centres = data
        return didact.KMeans(k, init_centers=centres, max_iter=50, tol=1e-4, n_jobs=threads).fit(x).inertia_

    def theirs(kind):
        def run(data, _):
            x, centres = data
            return kind(k, init=centres, n_init=1, max_iter=50, tol=1e-4).fit(x).inertia_

        return run

    who = {"didact": ours, "scikit-learn": theirs(cluster.KMeans)}
    if intelex("KMeans"):
        who["intelex"] = theirs(intelex("KMeans"))
    return Row(name, make, who, lambda _, inertia: -inertia, tolerance=1e-3)


def gaussians(name, rows, columns, k, shape):
    """Thirty passes of EM from the same means."""

    def make():
        x, _ = blobs(rows, columns, k, spread=2.0)
        return x, x[:k]

    def bound(data, model):
        return float(model.score(data[0]))

    settings = dict(covariance_type=shape, max_iter=30, tol=1e-9, n_init=1)
    who = {
        "didact": lambda d, t: didact.GaussianMixture(k, means_init=d[1], n_jobs=t, **settings).fit(d[0]),
        "scikit-learn": lambda d, t: mixture.GaussianMixture(k, means_init=d[1], **settings).fit(d[0]),
    }
    return Row(name, make, who, bound, tolerance=1e-4)


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
    return Row(name, make, who, kept, tolerance=1e-3)


def least_squares(name, rows, columns, ours, theirs, patched):
    def error(data, model):
        return -float(np.mean((data[1] - model.predict(data[0])) ** 2))

    return Row(name, lambda: linear(rows, columns), estimators(ours, theirs, patched), error)


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
    return Row(name, make, who, objective, tolerance=1e-5)


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
    return Row(name, make, who, same_labels, tolerance=1e-3, prepare=prepare)


def hidden(name, shape):
    """Ten passes of Baum–Welch from the same start."""

    def make():
        x, lengths = sequences(200, 100, 8, 5)
        return x, lengths, x[:5]

    def ours(data, threads):
        x, lengths, means = data
        model = didact.HMM(5, emission="gaussian", covariance_type=shape, max_iter=10, tol=0.0, means_init=means, chain_init="uniform", n_jobs=threads)
        return model.fit(x, lengths)

    def theirs(data, _):
        x, lengths, means = data
        model = hmmlearn.hmm.GaussianHMM(5, covariance_type=shape, n_iter=10, tol=-np.inf, init_params="stc", random_state=0)
        model.means_ = means
        return model.fit(x, lengths)

    return Row(name, make, {"didact": ours, "hmmlearn": theirs}, lambda d, m: float(m.score(d[0], d[1])), tolerance=1e-3)


def symbols():
    random = np.random.default_rng(0)
    return random.integers(8, size=(20_000, 1)), [100] * 200


def categorical():
    def ours(data, threads):
        return didact.HMM(5, emission="categorical", max_iter=10, tol=0.0, n_jobs=threads).fit(*data)

    def theirs(data, _):
        return hmmlearn.hmm.CategoricalHMM(5, n_iter=10, tol=-np.inf, random_state=0).fit(*data)

    return Row("HMM categorical 200×100", symbols, {"didact": ours, "hmmlearn": theirs}, lambda d, m: float(m.score(*d)), tolerance=1e-2)


def viterbi():
    prepare = {
        "didact": lambda d, t: didact.HMM(5, emission="categorical", max_iter=2, tol=0.0).fit(*d),
        "hmmlearn": lambda d, t: hmmlearn.hmm.CategoricalHMM(5, n_iter=2, random_state=0).fit(*d),
    }

    def decode(pair, threads):
        model, data = pair
        return model.decode(*data)[1]

    return Row("Viterbi 200×100", symbols, dict.fromkeys(prepare, decode), lambda d, states: float(len(states)), prepare=prepare)


def metric(name, ours, theirs, make):
    who = {"didact": lambda data, _: ours(*data), "scikit-learn": lambda data, _: theirs(*data)}
    return Row(name, make, who, lambda _, value: float(value), tolerance=1e-9)


def labels_of_a_million():
    random = np.random.default_rng(0)
    truth = random.integers(10, size=1_000_000)
    return truth, np.where(random.random(1_000_000) < 0.8, truth, random.integers(10, size=1_000_000))


def scores_of_a_million():
    random = np.random.default_rng(0)
    truth = random.integers(2, size=1_000_000)
    return truth, np.clip(truth * 0.3 + 0.7 * random.random(1_000_000), 0, 1)


def prediction(name, n_rows, loops):
    """Predicting with a logistic regression that both have fitted."""

    def make():
        x, y = classes(20_000, 20, 3)
        return x, y, np.resize(x, (n_rows, 20))

    prepare = {
        "didact": lambda d, t: didact.LogisticRegression(n_jobs=t).fit(d[0], d[1]),
        "scikit-learn": lambda d, t: linear_model.LogisticRegression().fit(d[0], d[1]),
    }

    def predict(pair, threads):
        model, data = pair
        return model.predict(data[2])

    return Row(name, make, dict.fromkeys(prepare, predict), lambda _, labels: float(np.mean(labels == 1)), 1e-2, loops, prepare)


def saving():
    prepare = {
        "didact": lambda d, t: didact.GaussianMixture(20, max_iter=3).fit(d),
        "scikit-learn": lambda d, t: mixture.GaussianMixture(20, max_iter=3).fit(d),
    }

    def ours(pair, _):
        path = Path(tempfile.gettempdir()) / "bench.didact"
        pair[0].save(path)
        return didact.load(path)

    def theirs(pair, _):
        import joblib

        path = Path(tempfile.gettempdir()) / "bench.joblib"
        joblib.dump(pair[0], path)
        return joblib.load(path)

    who = {"didact": ours, "scikit-learn": theirs}
    return Row("save and load a mixture 20×50", lambda: blobs(2000, 50, 5)[0], who, lambda d, m: float(m.score(d[:50])), 0.5, 5, prepare)


def csv_file():
    """A million rows of ten numbers, as text."""
    path = Path(tempfile.gettempdir()) / "bench.csv"
    if not path.exists():
        polars.DataFrame(np.random.default_rng(0).standard_normal((1_000_000, 10))).write_csv(path)
    return path


def reading():
    """Every library reads the numbers into its own columns; polars is told how many threads by its environment."""
    who = {
        "didact": lambda path, _: didact.datasets.read_table(path),
        "polars": lambda path, _: polars.read_csv(path),
        "pandas": lambda path, _: pandas.read_csv(path),
    }

    def total(_, table):
        return float(np.sum([np.sum(np.asarray(table[name])) for name in (table.columns if hasattr(table, "columns") else table)]))

    return Row("read CSV 1M×10", csv_file, who, total, tolerance=1e-9)


def matrix_of(name, ours, theirs, columns):
    """All pairs of 5000 rows; beside them stands the matrix product that both contain."""

    def make():
        return np.random.default_rng(0).standard_normal((5_000, columns))

    def agreement(x, made):
        few = theirs(x[:200])
        # Differences in the last digits do not count.
        return -max(float(np.abs(np.asarray(made)[:200, :200] - few).max()), 1e-6)

    who = {"didact": lambda x, _: ours(x), "scikit-learn": lambda x, _: theirs(x)}
    return Row(f"{name} 5k×5k, {columns} columns", make, who, agreement)


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
    return Row(f"ten nearest of 20k×{columns} for 5k", make, who, lambda _, found: -float(np.sum(found[0])), tolerance=1e-9)


def digits():
    x, y = sklearn.datasets.load_digits(return_X_y=True)
    return x / 16, y


def sparse_classes():
    x = scipy.sparse.random(20_000, 50_000, density=0.001, format="csr", random_state=0)
    weights = np.random.default_rng(0).standard_normal(50_000)
    return x, (x @ weights > 0).astype(int)


def pipeline_rows():
    def ours(data, threads):
        return cross_val_score(make_pipeline(didact.StandardScaler(), didact.LogisticRegression(n_jobs=threads)), *data, cv=5)

    def theirs(data, _):
        return cross_val_score(make_pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression()), *data, cv=5)

    who = {"didact": ours, "scikit-learn": theirs}
    return Row("cross-validate scaler | logistic 20k×20", lambda: classes(20_000, 20, 2), who, lambda _, s: float(np.mean(s)), 1e-3)


ROWS = [
    kmeans("k-means 100k×20 k=10", 100_000, 20, 10, lambda n, d, k: blobs(n, d, k)[0]),
    kmeans("k-means 10k×784 k=10", 10_000, 784, 10, lambda n, d, k: blobs(n, d, k, spread=4)[0]),
    kmeans("k-means 1M×8 k=100", 1_000_000, 8, 100, lambda n, d, k: blobs(n, d, k)[0]),
    gaussians("mixture full 20k×10 k=5", 20_000, 10, 5, "full"),
    gaussians("mixture diagonal 100k×20 k=5", 100_000, 20, 5, "diag"),
    pca("PCA 50k×100 → 10", lambda: linear(50_000, 100)[0], 10),
    pca("PCA 2k×5000 → 20", lambda: linear(2_000, 5_000)[0], 20),
    pca("PCA sparse 20k×2000 → 20", lambda: scipy.sparse.random(20_000, 2_000, density=0.01, format="csr", random_state=0), 20, svd_solver="arpack"),
    least_squares("least squares 100k×50", 100_000, 50, didact.LinearRegression, linear_model.LinearRegression, intelex("LinearRegression")),
    least_squares("ridge 100k×50", 100_000, 50, didact.Ridge, linear_model.Ridge, intelex("Ridge")),
    least_squares("least squares 4k×2000", 4_000, 2_000, didact.LinearRegression, linear_model.LinearRegression, intelex("LinearRegression")),
    logistic("logistic 50k×50 binary", lambda: classes(50_000, 50, 2)),
    logistic("logistic digits", digits),
    logistic("logistic 20k×200 ten classes", lambda: classes(20_000, 200, 10)),
    logistic("logistic sparse 20k×50k", sparse_classes),
    Row(
        "Gaussian naive Bayes 100k×50",
        lambda: classes(100_000, 50, 5),
        estimators(didact.GaussianNB, naive_bayes.GaussianNB),
        lambda data, model: float(model.score(data[0][:5000], data[1][:5000])),
    ),
    Row(
        "standard scaler 500k×20",
        lambda: linear(500_000, 20)[0],
        {
            "didact": lambda x, t: didact.StandardScaler(n_jobs=t).fit(x).transform(x),
            "scikit-learn": lambda x, t: preprocessing.StandardScaler().fit(x).transform(x),
        },
        lambda _, out: -float(np.abs(out.mean(axis=0)).max() + abs(out.std() - 1)),
        tolerance=1e-6,
    ),
    nearest("neighbours 5k in 20k×20", 20_000, 20, 5_000),
    nearest("neighbours 5k in 100k×3", 100_000, 3, 5_000),
    nearest("neighbours 1k in 10k×784", 10_000, 784, 1_000),
    hidden("HMM full 200×100×8", "full"),
    hidden("HMM diagonal 200×100×8", "diag"),
    categorical(),
    viterbi(),
    *[matrix_of("Euclidean distances", didact.distance.euclidean_distances, sklearn.metrics.pairwise.euclidean_distances, d) for d in (10, 50, 500)],
    *[matrix_of("RBF kernel", didact.kernels.rbf_kernel, sklearn.metrics.pairwise.rbf_kernel, d) for d in (10, 50, 500)],
    *[queries(d) for d in (3, 10, 50)],
    metric("accuracy of 1M", didact.metrics.accuracy_score, sklearn.metrics.accuracy_score, labels_of_a_million),
    metric("ROC area of 1M", didact.metrics.roc_auc_score, sklearn.metrics.roc_auc_score, scores_of_a_million),
    pipeline_rows(),
    prediction("predict 1 row", 1, 200),
    prediction("predict 1M rows", 1_000_000, 1),
    saving(),
    reading(),
]
