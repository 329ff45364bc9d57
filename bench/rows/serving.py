"""Judging, predicting, files."""

import tempfile
from pathlib import Path

import didact
import didact.datasets
import didact.metrics
import numpy as np
import pandas
import polars
import sklearn.linear_model as linear_model
import sklearn.metrics
import sklearn.mixture as mixture
import sklearn.preprocessing as preprocessing
from peers import Row, blobs, classes
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline


def metric(name, ours, theirs, make, floor):
    who = {"didact": lambda data, _: ours(*data), "scikit-learn": lambda data, _: theirs(*data)}
    return Row(name, make, who, lambda _, value: float(value), tolerance=1e-9, floor=floor)


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

    return Row("read CSV 1M×10", csv_file, who, total, tolerance=1e-9, floor=lambda path: path.read_bytes())


def pipeline_rows():
    def ours(data, threads):
        return cross_val_score(make_pipeline(didact.StandardScaler(), didact.LogisticRegression(n_jobs=threads)), *data, cv=5)

    def theirs(data, _):
        return cross_val_score(make_pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression()), *data, cv=5)

    who = {"didact": ours, "scikit-learn": theirs}
    return Row("cross-validate scaler | logistic 20k×20", lambda: classes(20_000, 20, 2), who, lambda _, s: float(np.mean(s)), 1e-3)


ROWS = [
    metric("accuracy of 1M", didact.metrics.accuracy_score, sklearn.metrics.accuracy_score, labels_of_a_million, lambda data: data[0] == data[1]),
    metric("ROC area of 1M", didact.metrics.roc_auc_score, sklearn.metrics.roc_auc_score, scores_of_a_million, lambda data: np.sort(data[1])),
    metric("log-loss of 1M", didact.metrics.log_loss, sklearn.metrics.log_loss, scores_of_a_million, lambda data: np.log(data[1])),
    pipeline_rows(),
    prediction("predict 1 row", 1, 200),
    prediction("predict 1M rows", 1_000_000, 1),
    saving(),
    reading(),
]
