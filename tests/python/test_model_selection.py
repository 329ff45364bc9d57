"""Splitters against scikit-learn's, and judging estimators without leaving Rust."""

import json
import subprocess
import sys

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler as TheirScaler

import didact
from didact import GaussianNB, KMeans, LogisticRegression, Ridge, StandardScaler
from didact import model_selection as ours

SAME = [
    ("KFold", {"n_splits": 2}),
    ("KFold", {"n_splits": 5}),
    ("StratifiedKFold", {"n_splits": 2}),
    ("StratifiedKFold", {"n_splits": 4}),
    ("GroupKFold", {"n_splits": 3}),
    ("LeaveOneOut", {}),
    ("LeaveOneGroupOut", {}),
    ("TimeSeriesSplit", {"n_splits": 3}),
    ("TimeSeriesSplit", {"n_splits": 4, "gap": 1, "test_size": 2}),
    ("TimeSeriesSplit", {"n_splits": 2, "max_train_size": 3}),
]


def parts(splitter, X, y, groups):
    """All splits, or nothing where they are refused."""
    try:
        return [(a.tolist(), b.tolist()) for a, b in splitter.split(X, y, groups)]
    except ValueError:
        return None


@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("name, named", SAME)
def test_splitters_without_chance_cut_as_scikit_learn(name, named):
    random = np.random.default_rng(0)
    refused = 0
    for case in range(200):
        n = int(random.integers(1, 40))
        X = np.zeros((n, 1))
        y = random.integers(0, random.integers(1, 5), n)
        groups = random.integers(0, random.integers(1, 8), n)
        if case % 3 == 1:
            y = np.array(list("dcba"))[y]
        mine, other = getattr(ours, name)(**named), getattr(theirs, name)(**named)
        found = parts(mine, X, y, groups)
        assert found == parts(other, X, y, groups), (n, y, groups)
        refused += found is None
        if found is not None:
            assert mine.get_n_splits(X, y, groups) == other.get_n_splits(X, y, groups)
    assert refused < 200


@pytest.mark.parametrize(
    "splitter, rounds",
    [
        (ours.KFold(4, shuffle=True), 1),
        (ours.StratifiedKFold(4, shuffle=True), 1),
        (ours.RepeatedKFold(n_splits=4, n_repeats=3), 3),
        (ours.RepeatedStratifiedKFold(n_splits=4, n_repeats=3), 3),
    ],
)
def test_shuffled_folds_test_every_row_once_per_round(splitter, rounds):
    y = np.repeat([0, 1, 2], [20, 12, 8])
    found = list(splitter.split(np.zeros((40, 1)), y))
    assert len(found) == splitter.get_n_splits() == 4 * rounds
    tested = np.concatenate([test for _, test in found])
    np.testing.assert_array_equal(np.bincount(tested), np.full(40, rounds))
    for train, test in found:
        assert sorted([*train, *test]) == list(range(40))
        if "Stratified" in type(splitter).__name__:
            np.testing.assert_array_equal(np.bincount(y[test]), [5, 3, 2])
    again = list(splitter.split(np.zeros((40, 1)), y))
    assert all((a[1] == b[1]).all() for a, b in zip(found, again))


def test_draws_have_the_asked_share_and_other_seeds_other_rows():
    found = list(ours.ShuffleSplit(5, test_size=0.25).split(np.zeros((40, 1))))
    assert {len(test) for _, test in found} == {10}
    other = list(ours.ShuffleSplit(5, test_size=0.25, random_state=1).split(np.zeros((40, 1))))
    assert any((a[1] != b[1]).any() for a, b in zip(found, other))


def test_train_and_test_rows_of_all_arrays_belong_together():
    pandas = pytest.importorskip("pandas")
    X = np.arange(40).reshape(20, 2)
    y = np.repeat([0, 1], [15, 5])
    frame = pandas.DataFrame({"a": X[:, 0]})
    found = ours.train_test_split(X, y, frame, list(range(20)), test_size=0.2, stratify=y)
    X_train, X_test, y_train, y_test, frame_train, frame_test, train, test = found
    assert len(X_test) == 4 and y_test.sum() == 1
    np.testing.assert_array_equal(X_train[:, 0], frame_train["a"])
    np.testing.assert_array_equal(X_test, X[test])
    groups = np.arange(20) // 4
    train, test = ours.train_test_split(np.arange(20), test_size=0.4, groups=groups)
    assert not set(groups[train]) & set(groups[test])


def test_scikit_learn_takes_our_splitters_and_agrees_on_the_scores(wine):
    X, y = wine
    cv = ours.StratifiedKFold(4)
    pipeline = make_pipeline(StandardScaler(), GaussianNB())
    expected = theirs.cross_val_score(pipeline, X, y, cv=cv)
    found = ours.cross_validate(pipeline, X, y, cv=cv, return_train_score=True)
    np.testing.assert_allclose(found["test_score"], expected, rtol=1e-12)
    assert found.metric == "accuracy" and "train_log-loss" in found
    np.testing.assert_allclose(found.summary["accuracy"]["mean"], expected.mean(), rtol=1e-12)
    same = ours.cross_validate("standard-scaler | gaussian-nb", X, y, cv=theirs.StratifiedKFold(4))
    np.testing.assert_array_equal(found["test_accuracy"], same["test_accuracy"])


def test_regressors_clusterers_and_sequences_are_judged_by_what_suits_them(diabetes, iris):
    X, y = diabetes
    expected = theirs.cross_val_score(Ridge(0.1), X, y, cv=ours.KFold(5))
    found = ours.cross_validate(Ridge(0.1), X, y, cv=ours.KFold(5))
    np.testing.assert_allclose(found["test_R²"], expected, rtol=1e-9)
    assert ours.cross_validate(KMeans(3), iris[0], iris[1]).metric == "adjusted Rand"
    data = didact.datasets.make_categorical_hmm(n_sequences=12)
    found = ours.cross_validate(didact.HMM(2), data.data, lengths=data.lengths, cv=3)
    assert found.metric == "log-likelihood per item"


def test_curves_show_where_a_model_learns(wine):
    X, y = wine
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    grown = ours.learning_curve(pipeline, X, y, train_sizes=[0.1, 1.0], acceptable=0.9)
    assert grown.at[0] < grown.at[1] and grown.test_mean[1] > grown.test_mean[0]
    assert grown.diagnosis["fitting"] in ("under", "balanced", "over") and grown.diagnosis["words"]
    curve = ours.validation_curve(
        pipeline, X, y, param_name="logisticregression__C", param_range=[1e-6, 1.0]
    )
    assert curve.best == 1 and curve.at == [1e-6, 1.0]


def test_a_grid_finds_what_scikit_learn_finds(wine):
    X, y = wine
    cv = ours.StratifiedKFold(3)
    pipeline = make_pipeline(StandardScaler(), didact.KNeighborsClassifier())
    values = [1, 5, 15]
    peer = theirs.GridSearchCV(pipeline, {"kneighborsclassifier__n_neighbors": values}, cv=cv)
    peer.fit(X, y)
    found = ours.search(pipeline, {"kneighborsclassifier__n_neighbors": values}, X, y, cv=cv)
    means = [trial["test"]["mean"] for trial in found.trials]
    np.testing.assert_allclose(means, peer.cv_results_["mean_test_score"], rtol=1e-12)
    assert found.best_params == peer.best_params_
    np.testing.assert_array_equal(found.best_estimator.predict(X), peer.predict(X))


@pytest.mark.parametrize("how", ["random", "halving"])
def test_searches_by_chance_repeat_and_stay_in_their_ranges(how, diabetes):
    X, y = diabetes
    space = {"alpha": (1e-3, 1e3, "log"), "fit_intercept": [True, False]}
    first = ours.search(Ridge(), space, X, y, how=how, n_candidates=9, cv=3)
    again = ours.search(Ridge(), space, X, y, how=how, n_candidates=9, cv=3)
    assert first.best_params == again.best_params
    assert len(first.trials) == 9
    assert all(1e-3 <= trial["parameters"]["alpha"] <= 1e3 for trial in first.trials)
    assert (len(first.rounds) > 1) == (how == "halving")
    suggested = ours.search(Ridge(), {"alpha": None}, X, y, cv=3, steps_per_range=3)
    assert len(suggested.trials) == 3


def test_a_comparison_ranks_and_tests(iris):
    found = ours.compare({"nb": GaussianNB(), "nothing": didact.BaselineClassifier()}, *iris, cv=5)
    assert list(found.results) == ["nb", "nothing"]
    assert found.tests["nothing"].p_value < 0.01 and found.tests["nothing"].mean > 0
    assert "nothing" in repr(found)


def test_what_cannot_be_judged_is_said(iris):
    X, y = iris
    with pytest.raises(TypeError, match="no estimator of didact"):
        ours.cross_validate(TheirScaler(), X, y)
    with pytest.raises(ValueError, match="has no parameter depth"):
        ours.search(GaussianNB(), {"depth": [1]}, X, y)
    with pytest.raises(ValueError, match="n_folds is 1"):
        list(ours.KFold(1).split(X))
    with pytest.raises(ValueError, match="groups"):
        list(ours.GroupKFold(2).split(X, y))


@pytest.mark.alone
def test_ctrl_c_stops_a_search():
    script = """
        import os, signal, threading, time
        import numpy as np
        from didact import GaussianMixture
        from didact.model_selection import search
        X = np.random.default_rng(0).normal(size=(60_000, 20))
        sent = []
        def interrupt():
            time.sleep(1.0)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt).start()
        try:
            search(GaussianMixture(max_iter=1000, tol=0.0), {"n_components": [10, 20, 30]}, X)
            print("finished")
        except KeyboardInterrupt:
            print(time.perf_counter() - sent[0])
        """
    import textwrap

    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert float(json.loads(done.stdout)) < 0.1


def test_criteria_follow_their_formulas():
    found = ours.information_criteria(-120.0, 4, 60)
    assert found.aic == 248.0 and found.bic == pytest.approx(240 + 4 * np.log(60))
    assert found.aicc == pytest.approx(248 + 2 * 4 * 5 / 55)
    assert ours.elbow([1, 2, 3, 4, 5], [100, 20, 15, 12, 10]) == 1
    np.testing.assert_allclose(ours.model_posterior([0.0, np.log(3)]), [0.25, 0.75])
