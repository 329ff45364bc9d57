"""Learning row after row and starting from earlier models, beside scikit-learn."""

import pickle
import warnings

import didact
import numpy as np
import pytest
from sklearn import linear_model
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.preprocessing import scale

CHUNKS = 5


def mixed(X, y):
    """Scaled rows in an order in which the classes are mixed."""
    order = np.random.default_rng(0).permutation(len(X))
    return scale(X)[order], y[order]


def taught(model, X, y, **first):
    """The model after some chunks, each seen once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        for chunk in np.array_split(np.arange(len(X)), CHUNKS):
            model.partial_fit(X[chunk], y[chunk], **first)
            first = {}
    return model


CLASSIFIERS = [
    ("SGDClassifier", {"alpha": 0.01}),
    ("SGDClassifier", {"alpha": 0.01, "loss": "log_loss"}),
    ("Perceptron", {}),
    ("PassiveAggressiveClassifier", {"C": 0.1, "fit_intercept": False}),
]


@pytest.mark.parametrize("name, parameters", CLASSIFIERS)
def test_two_classes_are_learned_chunk_by_chunk_as_in_scikit_learn(name, parameters):
    X, y = mixed(*load_breast_cancer(return_X_y=True))
    parameters = {"shuffle": False, **parameters}
    ours = taught(getattr(didact, name)(**parameters), X, y, classes=[0, 1])
    theirs = taught(getattr(linear_model, name)(**parameters), X, y, classes=[0, 1])
    size = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-9 * size)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-9 * size)
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("parameters", [{"loss": "log_loss", "average": True}, {"penalty": "l1"}])
def test_averages_and_absolute_prices_do_not_depend_on_the_cut(parameters):
    X, y = mixed(*load_breast_cancer(return_X_y=True))
    parameters = {"shuffle": False, "alpha": 0.01, **parameters}
    ours = taught(didact.SGDClassifier(**parameters), X, y, classes=[0, 1])
    # Those of scikit-learn depend on how the rows are cut, so it is given one chunk.
    theirs = linear_model.SGDClassifier(**parameters).partial_fit(X, y, [0, 1])
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-9)


def test_several_classes_are_learned_chunk_by_chunk_as_in_scikit_learn():
    X, y = mixed(*load_iris(return_X_y=True))
    names = np.array(["a", "b", "c"])[y]
    ours = taught(didact.SGDClassifier(shuffle=False, alpha=0.01), X, names, classes=["a", "b", "c"])
    theirs = linear_model.SGDClassifier(shuffle=False, alpha=0.01)
    taught(theirs, X, names, classes=["a", "b", "c"])
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-8)
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize(
    "name, parameters",
    [
        ("SGDRegressor", {"alpha": 0.01}),
        ("PassiveAggressiveRegressor", {"C": 0.1, "fit_intercept": False}),
    ],
)
def test_targets_are_learned_chunk_by_chunk_as_in_scikit_learn(name, parameters):
    X, y = mixed(*load_diabetes(return_X_y=True))
    parameters = {"shuffle": False, **parameters}
    ours = taught(getattr(didact, name)(**parameters), X, y / 100)
    theirs = taught(getattr(linear_model, name)(**parameters), X, y / 100)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)


def test_classes_are_named_once_and_may_come_later():
    X, y = load_iris(return_X_y=True)
    model = didact.Perceptron()
    with pytest.raises(ValueError, match="classes must be passed"):
        model.partial_fit(X, y)
    model.partial_fit(X[:50], y[:50], classes=[0, 1, 2])
    assert model.coef_.shape == (3, 4)
    model.partial_fit(X[50:], y[50:])
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(X, y, classes=[0, 1])


def test_learning_goes_on_after_a_fit_and_after_pickling():
    X, y = mixed(*load_breast_cancer(return_X_y=True))
    fitted = didact.SGDClassifier(shuffle=False).fit(X[:300], y[:300])
    straight = pickle.loads(pickle.dumps(fitted))
    fitted.partial_fit(X[300:], y[300:])
    straight.partial_fit(X[300:400], y[300:400])
    straight = pickle.loads(pickle.dumps(straight)).partial_fit(X[400:], y[400:])
    np.testing.assert_allclose(fitted.coef_, straight.coef_, rtol=1e-12)
    theirs = linear_model.SGDClassifier(shuffle=False).fit(X[:300], y[:300])
    theirs.partial_fit(X[300:], y[300:])
    np.testing.assert_allclose(fitted.coef_, theirs.coef_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("parameters", [{"early_stopping": True}, {"class_weight": "balanced"}])
def test_what_needs_all_rows_is_refused(parameters):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=next(iter(parameters))):
        didact.SGDClassifier(**parameters).partial_fit(X, y, classes=[0, 1, 2])


def test_sample_weights_count_in_chunks():
    X, y = mixed(*load_breast_cancer(return_X_y=True))
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(X))
    ours = didact.SGDClassifier(shuffle=False).partial_fit(X, y, [0, 1], weights)
    theirs = linear_model.SGDClassifier(shuffle=False).partial_fit(X, y, [0, 1], weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-9)


def test_a_warm_start_finds_the_same_minimum_sooner():
    X, y = mixed(*load_breast_cancer(return_X_y=True))
    warm = didact.LogisticRegression(C=1.0, tol=1e-10, warm_start=True, penalty="l1").fit(X, y)
    warm.set_params(C=1.1).fit(X, y)
    cold = didact.LogisticRegression(C=1.1, tol=1e-10, penalty="l1").fit(X, y)
    np.testing.assert_allclose(warm.coef_, cold.coef_, rtol=1e-5, atol=1e-6)
    assert warm.n_iter_ < cold.n_iter_
    X, y = load_diabetes(return_X_y=True)
    warm = didact.Lasso(alpha=0.5, warm_start=True).fit(X, y).set_params(alpha=0.4).fit(X, y)
    np.testing.assert_allclose(warm.coef_, didact.Lasso(alpha=0.4).fit(X, y).coef_, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["Perceptron", "SGDClassifier", "PassiveAggressiveClassifier"])
def test_warm_starts_of_stochastic_learners_agree_with_scikit_learn(name):
    X, y = mixed(*load_breast_cancer(return_X_y=True))
    parameters = {"shuffle": False, "max_iter": 1, "warm_start": True, "fit_intercept": False}
    ours = getattr(didact, name)(**parameters)
    theirs = getattr(linear_model, name)(tol=None, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            ours.fit(X, y)
            theirs.fit(X, y)
    size = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-9 * size)
