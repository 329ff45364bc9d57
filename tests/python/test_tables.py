"""Tables of pandas, polars and pyarrow, sparse matrices, and what cannot be used."""

import pickle

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse

import didact
from didact import GaussianNB, KMeans, LogisticRegression, Ridge, SimpleImputer, StandardScaler

NAMES = ["length", "width", "petal_length", "petal_width"]


def tables(X):
    columns = dict(zip(NAMES, X.T))
    return [pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)]


@pytest.mark.parametrize("index", [0, 1, 2], ids=["pandas", "polars", "pyarrow"])
def test_tables_of_every_library_give_the_same_model(index, iris):
    X, y = iris
    table = tables(X)[index]
    model = GaussianNB().fit(table, y)
    np.testing.assert_array_equal(model.feature_names_in_, NAMES)
    np.testing.assert_array_equal(model.theta_, GaussianNB().fit(X, y).theta_)
    np.testing.assert_array_equal(model.predict(table), GaussianNB().fit(X, y).predict(X))
    with pytest.warns(UserWarning, match="valid feature names"):
        model.predict(X)


def test_columns_in_another_order_are_refused(iris):
    table = tables(iris[0])[0]
    model = GaussianNB().fit(table, iris[1])
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table[NAMES[::-1]])


def test_gaps_and_flags_of_tables_are_numbers():
    table = polars.DataFrame({"a": [1.0, None, 3.0], "b": [True, False, None]})
    filled = SimpleImputer().fit_transform(table)
    np.testing.assert_allclose(filled, [[1, 1], [2, 0], [3, 0.5]])


def test_columns_of_words_are_named_in_the_error():
    table = pandas.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]})
    with pytest.raises(ValueError, match="column colour holds words"):
        StandardScaler().fit(table)


def test_sparse_rows_give_the_model_of_dense_ones():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 30)) * (random.random((200, 30)) < 0.1)
    y = (X[:, :5].sum(axis=1) > 0).astype(int)
    for container in [scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_array]:
        sparse = container(X)
        dense = LogisticRegression(tol=1e-10).fit(X, y)
        np.testing.assert_allclose(
            LogisticRegression(tol=1e-10).fit(sparse, y).predict_proba(sparse),
            dense.predict_proba(X),
            atol=1e-7,
        )
    with pytest.raises(TypeError, match="[Ss]parse"):
        GaussianNB().fit(scipy.sparse.csr_matrix(X), y)


def test_a_scaler_keeps_sparse_rows_sparse():
    X = scipy.sparse.random(50, 10, density=0.2, format="csr", random_state=0)
    scaled = StandardScaler(with_mean=False).fit_transform(X)
    assert scipy.sparse.issparse(scaled)
    np.testing.assert_allclose(
        scaled.toarray(), X.toarray() / X.toarray().std(axis=0), rtol=1e-12
    )


@pytest.mark.parametrize(
    "problem, message",
    [
        (lambda X, y: KMeans(0).fit(X), "n_clusters is 0; it must be at least 1"),
        (lambda X, y: KMeans("many").fit(X), "n_clusters is many; it must be a whole number"),
        (lambda X, y: KMeans(1000).fit(X), "there are only"),
        (lambda X, y: Ridge(alpha=float("nan")).fit(X, y), "alpha is nan"),
        (lambda X, y: KMeans(init="kmeans").fit(X), "init is kmeans; it must be one of"),
        (lambda X, y: GaussianNB().fit(X, y[:-1]), "inconsistent numbers of samples"),
        (lambda X, y: GaussianNB().fit(X, None), "requires y"),
        (lambda X, y: GaussianNB().fit(X * np.inf, y), "row 0, column 0 is"),
        (lambda X, y: GaussianNB().fit(X, y).predict(X[:, :2]), "2 features"),
        (lambda X, y: KMeans(n_jobs=0).fit(X), "n_jobs is 0"),
        (lambda X, y: GaussianNB().fit(X, y, sample_weight=-np.ones(150)), "weight of row 0"),
        (lambda X, y: KMeans(init_centers=object()).fit(X), "init_centers is"),
        (lambda X, y: didact.Model("ridge(").fit(pandas.DataFrame(X)), "bracket"),
    ],
)
def test_mistakes_are_value_errors_that_say_what_is_wrong(problem, message, iris):
    with pytest.raises(ValueError, match=message):
        problem(*iris)


def test_unknown_classes_are_suggested():
    with pytest.raises(AttributeError, match="did you mean 'KMeans'"):
        didact.Kmeans


def test_generated_tables_have_names_and_truths():
    data = didact.datasets.make_blobs(n_samples=30, as_frame=True, random_state=1)
    assert data.frame.shape[0] == 30 and data.data.shape[0] == 30
    again = didact.datasets.make_blobs(n_samples=30, random_state=1)
    np.testing.assert_array_equal(data.data, again.data)
    with pytest.raises(ValueError, match="n_samples is 0"):
        didact.datasets.make_blobs(n_samples=0)


def test_progress_is_shown_and_the_history_kept(capsys, wine):
    model = KMeans(5, verbose=True).fit(wine[0])
    assert "KMeans" in capsys.readouterr().err
    trace = model.trace_
    assert trace["objective"] == "inertia" and len(trace["values"]) == model.n_iter_
    assert (np.diff(trace["values"]) <= 1e-9 * trace["values"][0]).all()


def test_learning_chunk_by_chunk_is_learning_at_once(wine):
    X, y = wine
    for name in ["StandardScaler", "PCA", "GaussianNB", "Ridge", "LinearRegression"]:
        whole = getattr(didact, name)().fit(X, y)
        online = getattr(didact, name)()
        for chunk in np.array_split(np.arange(len(X)), 4):
            given = {"classes": np.unique(y)} if name == "GaussianNB" else {}
            online.partial_fit(X[chunk], y[chunk], **given)
        method = "predict" if hasattr(whole, "predict") else "transform"
        np.testing.assert_allclose(
            getattr(online, method)(X), getattr(whole, method)(X), rtol=1e-6, atol=1e-8
        )


def test_partial_fit_goes_on_where_fit_ended(wine):
    from sklearn.naive_bayes import GaussianNB as TheirNB
    from sklearn.preprocessing import StandardScaler as TheirScaler

    X, y = wine
    first, second = np.arange(len(X)) % 2 == 0, np.arange(len(X)) % 2 == 1
    ours = GaussianNB().fit(X[first], y[first]).partial_fit(X[second], y[second])
    theirs = TheirNB().fit(X[first], y[first]).partial_fit(X[second], y[second])
    np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=1e-12)
    np.testing.assert_allclose(ours.class_count_, theirs.class_count_)
    whole = GaussianNB().fit(X, y)
    np.testing.assert_allclose(ours.var_, whole.var_, rtol=1e-9)
    scaler = pickle.loads(pickle.dumps(StandardScaler().fit(X[first]))).partial_fit(X[second])
    peer = TheirScaler().fit(X[first]).partial_fit(X[second])
    np.testing.assert_allclose(scaler.mean_, peer.mean_, rtol=1e-12)
    np.testing.assert_allclose(scaler.var_, peer.var_, rtol=1e-12)
    assert (np.asarray(scaler.n_samples_seen_) == len(X)).all()
    with pytest.warns(UserWarning, match="does not remember enough"):
        Ridge().fit(X, y).partial_fit(X, y)
    with pytest.raises(ValueError, match="not the same as on last call"):
        GaussianNB().fit(X, y).partial_fit(X, y, classes=[0, 1])
