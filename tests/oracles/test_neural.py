"""Networks against scikit-learn: the same convex minimum, and equal quality where there are many minima."""

import numpy
import pytest
from command import Model, probabilities, table
from conftest import load, scaled
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import BernoulliRBM, MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

CLASSIFY = ["--target", "y", "--task", "classification"]
REGRESS = ["--target", "y", "--task", "regression"]
SEEDS = range(3)


def split(features, target):
    """Every third row is for judging."""
    judged = numpy.arange(len(target)) % 3 == 0
    return (features[~judged], target[~judged]), (features[judged], target[judged])


def measured():
    """The diabetes data with standardised columns and target."""
    features, target = load("diabetes")
    return StandardScaler().fit_transform(features), (target - target.mean()) / target.std()


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_without_hidden_layers_the_minimum_is_the_same(name, tmp_path):
    features, target = scaled(name)
    frame = table(features, y=target)
    settings = {"alpha": 1.0, "solver": "lbfgs", "max_iter": 5000}
    ours = Model(tmp_path, "mlp", frame, *CLASSIFY, hidden_layer_sizes=[], tol=1e-9, **settings)
    theirs = MLPClassifier(hidden_layer_sizes=(), tol=1e-9, **settings).fit(features, target)
    assert ours.trace["stop"] == "converged"
    # The search of scikit-learn ends where a step lowers the loss by less than 2e-9 of it.
    numpy.testing.assert_allclose(ours["loss"], theirs.loss_, rtol=1e-6)
    assert ours["loss"] <= theirs.loss_ + 1e-9
    found = probabilities(ours.predict(table(features)))
    numpy.testing.assert_allclose(found, theirs.predict_proba(features), atol=2e-3)


def test_without_hidden_layers_the_regression_is_the_same(tmp_path):
    features, target = measured()
    settings = {"alpha": 1.0, "solver": "lbfgs", "max_iter": 5000}
    ours = Model(tmp_path, "mlp", table(features, y=target), *REGRESS, hidden_layer_sizes=[], tol=1e-9, **settings)
    theirs = MLPRegressor(hidden_layer_sizes=(), tol=1e-9, **settings).fit(features, target)
    numpy.testing.assert_allclose(ours["loss"], theirs.loss_, rtol=1e-6)
    numpy.testing.assert_allclose(ours.predict(table(features))["y"], theirs.predict(features), atol=2e-3)


def margin(scores, n_judged):
    """Two standard errors of the difference of two means over seeds, and of one judged row."""
    return 2 * numpy.sqrt(2 * numpy.var(scores) / len(scores)) + 2 / n_judged


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
@pytest.mark.parametrize("solver", ["adam", "sgd", "lbfgs"])
def test_classifiers_are_as_good(name, solver, tmp_path):
    (features, target), (fresh, truth) = split(*scaled(name))
    settings = {"solver": solver, "max_iter": 300, "learning_rate_init": 0.01, "hidden_layer_sizes": [30]}
    ours, theirs = [], []
    for seed in SEEDS:
        model = Model(tmp_path, "mlp", table(features, y=target), *CLASSIFY, random_state=seed, **settings)
        predicted = model.predict(table(fresh))["prediction"].astype(int)
        ours.append(numpy.mean(predicted == truth))
        theirs.append(MLPClassifier(random_state=seed, **settings).fit(features, target).score(fresh, truth))
    # One share of wrong rows is known to its own standard error only.
    doubt = 2 * numpy.sqrt(numpy.mean(theirs) * (1 - numpy.mean(theirs)) / len(truth))
    assert numpy.mean(ours) >= numpy.mean(theirs) - margin(theirs, len(truth)) - doubt


@pytest.mark.parametrize("solver", ["adam", "sgd"])
def test_regressors_are_as_good(solver, tmp_path):
    (features, target), (fresh, truth) = split(*measured())
    settings = {"solver": solver, "max_iter": 200, "alpha": 1.0, "hidden_layer_sizes": [20], "early_stopping": True}
    ours, theirs = [], []
    for seed in SEEDS:
        model = Model(tmp_path, "mlp", table(features, y=target), *REGRESS, random_state=seed, **settings)
        left = numpy.mean((model.predict(table(fresh))["y"] - truth) ** 2)
        ours.append(1 - left / numpy.var(truth))
        theirs.append(MLPRegressor(random_state=seed, **settings).fit(features, target).score(fresh, truth))
    # Which rows are held out differs, and with them when learning stops: the spread of both counts.
    spread = numpy.std(ours) + numpy.std(theirs)
    assert numpy.mean(ours) >= numpy.mean(theirs) - 2 * spread - 0.05


@pytest.mark.parametrize("count", [1, 2])
def test_a_linear_autoencoder_reaches_the_error_of_pca(count, tmp_path):
    features, _ = scaled("wine")
    settings = {"activation": "identity", "solver": "lbfgs", "alpha": 0.0, "tol": 1e-9, "max_iter": 5000}
    ours = Model(tmp_path, "autoencoder", table(features), hidden_layer_sizes=[count], **settings)
    theirs = PCA(n_components=count).fit(features)
    again = theirs.inverse_transform(theirs.transform(features))
    expected = numpy.mean(numpy.sum((features - again) ** 2, axis=1))
    numpy.testing.assert_allclose(ours["reconstruction_error"], expected, rtol=1e-6)


def test_a_convolutional_network_reads_the_digits(tmp_path):
    features, target = load("digits")
    (features, target), (fresh, truth) = split(features / 16, target)
    settings = {"image_shape": [8, 8], "max_iter": 30}
    model = Model(tmp_path, "cnn", table(features, y=target), *CLASSIFY, **settings)
    predicted = model.predict(table(fresh))["prediction"].astype(int)
    dense = MLPClassifier(max_iter=100, random_state=0).fit(features, target).score(fresh, truth)
    doubt = 2 * numpy.sqrt(dense * (1 - dense) / len(truth))
    assert numpy.mean(predicted == truth) >= dense - doubt


def test_features_of_boltzmann_machines_serve_a_classifier_as_well(tmp_path):
    features, target = load("digits")
    (features, target), (fresh, truth) = split(features / 16, target)
    machine = BernoulliRBM(n_components=64, learning_rate=0.1, n_iter=10, random_state=0)
    theirs = make_pipeline(machine, LogisticRegression(max_iter=2000)).fit(features, target).score(fresh, truth)
    spec = "deep-features(hidden_layer_sizes=[64], learning_rate=0.1, max_iter=10) | logistic-regression"
    model = Model(tmp_path, spec, table(features, y=target), *CLASSIFY)
    predicted = model.predict(table(fresh))["prediction"].astype(int)
    # Both shares of right rows are known to their standard errors only.
    doubt = 2 * numpy.sqrt(2 * theirs * (1 - theirs) / len(truth))
    assert numpy.mean(predicted == truth) >= theirs - doubt
