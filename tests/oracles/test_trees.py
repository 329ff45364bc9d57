"""Trees, forests and boosting against scikit-learn.

Thresholds are told apart by training rows only: scikit-learn keeps columns in single precision, so the
columns are rounded to it first, and among splits that are equally good it draws one at random.
"""

import numpy
import pytest
from command import Model, probabilities, table
from sklearn.datasets import load_diabetes, make_classification, make_regression
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

CLASSES = ["--target", "y", "--task", "classification"]
NUMBERS = ["--target", "y", "--task", "regression"]


def single(features, seed=0):
    """Columns in single precision, with a little noise so that no two cuts are the same."""
    noise = numpy.random.default_rng(seed).normal(size=features.shape)
    return (features + 1e-3 * features.std(axis=0) * noise).astype(numpy.float32).astype(float)


def drawn(tree, agrees):
    """Whether the tree is one of those that scikit-learn draws where several columns part a node equally well."""
    return any(agrees(tree(seed)) for seed in range(60))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
def test_a_shallow_tree_is_that_of_scikit_learn(labelled, tmp_path, criterion):
    features, target = labelled
    features = single(features)
    ours = Model(tmp_path, "decision-tree-classifier", table(features, y=target), *CLASSES, criterion=criterion, max_depth=3)
    found = probabilities(ours.predict(table(features)))
    numpy.testing.assert_allclose(ours["feature_importances"].sum(), 1.0)

    def agrees(theirs):
        same = numpy.allclose(found, theirs.predict_proba(features), rtol=0, atol=1e-9)
        ends = [numpy.sort(ours["node_impurities"]), numpy.sort(theirs.tree_.impurity)]
        return same and len(ends[0]) == len(ends[1]) and numpy.allclose(*ends, rtol=0, atol=1e-9)

    assert drawn(lambda seed: DecisionTreeClassifier(criterion=criterion, max_depth=3, random_state=seed).fit(features, target), agrees)


@pytest.mark.parametrize("settings", [{"max_leaf_nodes": 7}, {"min_samples_leaf": 20}, {"min_impurity_decrease": 0.02}, {"ccp_alpha": 0.02}])
def test_limits_stop_where_scikit_learn_stops(labelled, tmp_path, settings):
    features, target = labelled
    features = single(features)
    ours = Model(tmp_path, "decision-tree-classifier", table(features, y=target), *CLASSES, **settings)
    theirs = DecisionTreeClassifier(random_state=0, **settings).fit(features, target)
    assert ours["n_leaves"] == theirs.get_n_leaves()


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_numbers_are_split_like_scikit_learn(measured, tmp_path, criterion):
    features, target = measured
    features = single(features)
    ours = Model(tmp_path, "decision-tree-regressor", table(features, y=target), *NUMBERS, criterion=criterion, max_depth=3)
    found = ours.predict(table(features))["y"]

    def agrees(theirs):
        answers = theirs.predict(features)
        if criterion == "squared_error":
            return numpy.allclose(found, answers, rtol=1e-9, atol=0)
        # Two cuts of one column may leave the same sum of absolute errors.
        return numpy.isclose(abs(target - found).sum(), abs(target - answers).sum(), rtol=1e-9)

    assert drawn(lambda seed: DecisionTreeRegressor(criterion=criterion, max_depth=3, random_state=seed).fit(features, target), agrees)


def test_missing_values_go_where_scikit_learn_sends_them(tmp_path):
    features, target = make_classification(600, 6, n_informative=4, random_state=3)
    features = single(features)
    features[numpy.random.default_rng(1).random(features.shape) < 0.1] = numpy.nan
    ours = Model(tmp_path, "decision-tree-classifier", table(features, y=target), *CLASSES, max_depth=4)
    theirs = DecisionTreeClassifier(max_depth=4, random_state=0).fit(features, target)
    found = probabilities(ours.predict(table(features)))
    numpy.testing.assert_allclose(found, theirs.predict_proba(features), atol=1e-9)


def halves(features, target):
    test = numpy.arange(len(target)) % 2 == 0
    return features[~test], target[~test], features[test], target[test]


@pytest.mark.parametrize(
    ("algorithm", "peer"),
    [("random-forest-classifier", RandomForestClassifier), ("extra-trees-classifier", ExtraTreesClassifier), ("bagging-classifier", BaggingClassifier)],
)
def test_ensembles_of_trees_are_as_good_as_those_of_scikit_learn(labelled, tmp_path, algorithm, peer):
    x, y, test_x, test_y = halves(*labelled)
    ours = Model(tmp_path, algorithm, table(x, y=y), *CLASSES, n_estimators=60)
    found = (ours.predict(table(test_x))["prediction"].astype(int) == test_y).mean()
    theirs = [peer(n_estimators=60, random_state=seed).fit(x, y).score(test_x, test_y) for seed in range(5)]
    # Four standard errors of the difference of two shares of the same rows.
    assert abs(found - numpy.mean(theirs)) < 4 * numpy.sqrt(2 * 0.05 * 0.95 / len(test_y))


def test_forests_of_numbers_are_as_good_as_those_of_scikit_learn(tmp_path):
    x, y, test_x, test_y = halves(*load_diabetes(return_X_y=True))
    ours = Model(tmp_path, "random-forest-regressor", table(x, y=y), *NUMBERS, n_estimators=200, oob_score=True)
    theirs = RandomForestRegressor(200, oob_score=True, random_state=0).fit(x, y)
    assert abs(ours.score(table(test_x, y=test_y))["R²"] - theirs.score(test_x, test_y)) < 0.03
    assert abs(ours["oob_score"] - theirs.oob_score_) < 0.03
    numpy.testing.assert_allclose(ours["feature_importances"], theirs.feature_importances_, atol=0.03)


def test_adaboost_makes_the_rounds_of_scikit_learn(tmp_path):
    features, target = make_classification(500, 5, n_informative=4, n_redundant=0, random_state=1)
    features = single(features)
    ours = Model(tmp_path, "adaboost-classifier", table(features, y=target), *CLASSES, n_estimators=30)
    theirs = AdaBoostClassifier(n_estimators=30, random_state=0).fit(features, target)
    numpy.testing.assert_allclose(ours["estimator_errors"], theirs.estimator_errors_, atol=1e-9)
    # Ours are halves: ½·ln((1 − ε)/ε).
    numpy.testing.assert_allclose(2 * ours["estimator_weights"], theirs.estimator_weights_, rtol=1e-7)


def test_boosted_trees_are_as_good_as_those_of_scikit_learn(tmp_path):
    x, y, test_x, test_y = halves(*make_classification(4000, 15, n_informative=8, n_classes=3, random_state=2))
    ours = Model(tmp_path, "gradient-boosting-classifier", table(x, y=y), *CLASSES)
    theirs = HistGradientBoostingClassifier(random_state=0).fit(x, y)
    found = log_loss(test_y, probabilities(ours.predict(table(test_x))))
    assert found < 1.03 * log_loss(test_y, theirs.predict_proba(test_x))
    x, y, test_x, test_y = halves(*make_regression(4000, 12, n_informative=6, noise=5.0, random_state=2))
    ours = Model(tmp_path, "gradient-boosting-regressor", table(x, y=y), *NUMBERS)
    theirs = HistGradientBoostingRegressor(random_state=0).fit(x, y)
    assert ours.score(table(test_x, y=test_y))["R²"] > theirs.score(test_x, test_y) - 0.01
