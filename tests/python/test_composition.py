"""Estimators inside scikit-learn's machinery."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from didact import (
    PCA,
    GaussianMixture,
    GaussianNB,
    KMeans,
    KNeighborsClassifier,
    LogisticRegression,
    OneVsRestClassifier,
    Ridge,
    SimpleImputer,
    StandardScaler,
)


def test_pipelines_mix_steps_of_both_libraries(wine):
    X, y = wine
    ours = make_pipeline(StandardScaler(), PCA(5), LogisticRegression())
    mixed = make_pipeline(sklearn.preprocessing.StandardScaler(), PCA(5), LogisticRegression())
    assert ours.fit(X, y).score(X, y) > 0.97
    np.testing.assert_allclose(
        ours.predict_proba(X), mixed.fit(X, y).predict_proba(X), rtol=0, atol=1e-9
    )


def test_grid_search_finds_what_an_exhaustive_loop_finds(wine):
    X, y = wine
    grid = {"kneighborsclassifier__n_neighbors": [1, 5, 15]}
    pipeline = make_pipeline(StandardScaler(), KNeighborsClassifier())
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=2).fit(X, y)
    means = [
        cross_val_score(make_pipeline(StandardScaler(), KNeighborsClassifier(k)), X, y, cv=3).mean()
        for k in [1, 5, 15]
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], means, rtol=1e-12)


def test_columns_of_mixed_tables_are_treated_apart():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": [1.0, np.nan, 3.0], "b": [10.0, 20.0, 30.0]})
    columns = ColumnTransformer(
        [("fill", SimpleImputer(), ["a"]), ("scale", StandardScaler(), ["b"])]
    )
    np.testing.assert_allclose(
        columns.fit_transform(table), [[1, -(1.5**0.5)], [2, 0], [3, 1.5**0.5]]
    )


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_transformers_give_tables_when_asked(library, iris):
    module = pytest.importorskip(library)
    X = module.DataFrame(dict(zip(["a", "b", "c", "d"], iris[0].T)))
    scaler = StandardScaler().set_output(transform=library).fit(X)
    table = scaler.transform(X)
    assert isinstance(table, module.DataFrame)
    assert list(table.columns) == ["a", "b", "c", "d"]
    np.testing.assert_allclose(np.asarray(table), scaler.set_output(transform="default").transform(X))


def test_a_clone_has_the_parameters_and_is_not_fitted(iris):
    model = KMeans(3, random_state=5).fit(iris[0])
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "cluster_centers_")


def test_sample_weights_are_routed(wine):
    X, y = wine
    weights = np.where(y == 0, 5.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = GaussianNB().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model)
        pipeline.fit(X, y, sample_weight=weights)
    counts = [weights[y == label].sum() for label in range(3)]
    np.testing.assert_allclose(pipeline[-1].class_count_, counts)


def test_wrappers_take_estimators_and_specifications(iris):
    X, y = iris
    by_object = OneVsRestClassifier(GaussianNB(var_smoothing=1e-3)).fit(X, y)
    by_words = OneVsRestClassifier("gaussian-nb(var_smoothing=0.001)").fit(X, y)
    np.testing.assert_array_equal(by_object.predict_proba(X), by_words.predict_proba(X))


def test_notebooks_get_a_picture_of_the_estimator():
    page = make_pipeline(StandardScaler(), Ridge(alpha=2.5))._repr_html_()
    assert "Ridge" in page and "2.5" in page


def test_a_callback_that_asks_to_stop_ends_the_fit(wine):
    callback = pytest.importorskip("sklearn.callback")

    class AfterThree:
        def __init__(self):
            self.heard = 0

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context):
            self.heard += context.task_name == "iteration"
            return self.heard == 3

    assert isinstance(AfterThree(), callback.FitCallback)
    long = GaussianMixture(3, max_iter=200, tol=0.0)
    stopped = clone(long).set_callbacks(AfterThree()).fit(wine[0])
    assert stopped.n_iter_ == 3
    short = GaussianMixture(3, max_iter=3, tol=0.0).fit(wine[0])
    np.testing.assert_array_equal(stopped.means_, short.means_)
    assert stopped.max_iter == 200


def test_callbacks_of_scikit_learn_hear_every_iteration(wine):
    callback = pytest.importorskip("sklearn.callback")

    class Counter:
        def __init__(self):
            self.ended = []

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context):
            self.ended.append(context.task_name)

    counter = Counter()
    assert isinstance(counter, callback.FitCallback)
    model = KMeans(5).set_callbacks(counter).fit(wine[0])
    assert counter.ended.count("iteration") == model.n_iter_
    assert counter.ended[-1] == "fit"
