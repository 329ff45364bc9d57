"""Linear support vector machines and sparse logistic regression against scikit-learn."""

import numpy
import pytest
from command import Model, table
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC, LinearSVR


def excess_of_classes(scores, target):
    signs = numpy.where(target == 1, 1.0, -1.0)
    return numpy.maximum(1 - signs * scores, 0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_linear_svc_agrees_with_scikit_learn(scaled_labelled, tmp_path, loss):
    features, target = scaled_labelled
    features, target = features[target < 2], target[target < 2]
    frame = table(features, y=[f"class {label}" for label in target])
    named = loss.replace("_", "-")
    ours = Model(tmp_path, "linear-svc", frame, "--target", "y", loss=named, C=0.1, tol=1e-11, max_iter=100_000)
    theirs = LinearSVC(loss=loss, C=0.1, dual=True, tol=1e-8, max_iter=100_000).fit(features, target)

    def objective(weights, intercept):
        cost = excess_of_classes(features @ weights + intercept, target)
        cost = cost if loss == "hinge" else cost**2
        return 0.5 * (weights @ weights + intercept**2) + 0.1 * cost.sum()

    least = objective(theirs.coef_[0], theirs.intercept_[0])
    reached = objective(ours["coef"].ravel(), float(ours["intercept"].ravel()[0]))
    assert reached <= least * (1 + 1e-9)
    numpy.testing.assert_allclose(ours["objective"], reached, rtol=1e-10)
    assert ours["dual_gap"].max() <= 1e-9 * reached


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_linear_svr_agrees_with_scikit_learn(measured, tmp_path, loss):
    features, target = measured
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    target = (target - target.mean()) / target.std() + 0.5
    named = {"C": 0.5, "epsilon": 0.2}
    ours = Model(
        tmp_path, "linear-svr", table(features, y=target), "--target", "y", "--task", "regression",
        loss=loss.replace("_", "-"), tol=1e-11, max_iter=100_000, **named,
    )
    theirs = LinearSVR(loss=loss, dual=True, tol=1e-8, max_iter=100_000, **named).fit(features, target)

    def objective(weights, intercept):
        cost = numpy.maximum(numpy.abs(target - features @ weights - intercept) - 0.2, 0)
        cost = cost if loss == "epsilon_insensitive" else cost**2
        return 0.5 * (weights @ weights + intercept**2) + 0.5 * cost.sum()

    least = objective(theirs.coef_, float(numpy.ravel(theirs.intercept_)[0]))
    reached = objective(ours["coef"].ravel(), float(numpy.ravel(ours["intercept"])[0]))
    assert reached <= least * (1 + 1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_sparse_logistic_regression_agrees_with_scikit_learn(scaled_labelled, tmp_path, ratio):
    features, target = scaled_labelled
    features, target = features[target < 2], target[target < 2]
    frame = table(features, y=[f"class {label}" for label in target])
    penalty = "l1" if ratio == 1.0 else "elasticnet"
    ours = Model(tmp_path, "logistic-regression", frame, "--target", "y", penalty=penalty, l1_ratio=ratio, C=0.1, tol=1e-10)
    theirs = LogisticRegression(C=0.1, l1_ratio=ratio, solver="saga", tol=1e-6, max_iter=5000)
    theirs.fit(features, target)

    def objective(weights, intercept):
        signs = numpy.where(target == 1, 1.0, -1.0)
        loss = numpy.logaddexp(0, -signs * (features @ weights + intercept)).sum()
        return loss + 10 * (ratio * numpy.abs(weights).sum() + 0.5 * (1 - ratio) * (weights @ weights))

    least = objective(theirs.coef_[0], theirs.intercept_[0])
    reached = objective(ours["coef"].ravel(), float(ours["intercept"].ravel()[0]))
    assert reached <= least * (1 + 1e-9)


@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet"])
def test_saga_reaches_the_optimum_of_scikit_learn(scaled_labelled, tmp_path, penalty):
    features, target = scaled_labelled
    frame = table(features, y=[f"class {label}" for label in target])
    ratio = {"l2": 0.0, "l1": 1.0, "elasticnet": 0.5}[penalty]
    ours = Model(
        tmp_path, "logistic-regression", frame, "--target", "y",
        solver="saga", penalty=penalty, l1_ratio=ratio, C=0.05, tol=1e-9, max_iter=20_000,
    )
    assert ours.trace["stop"] == "converged"
    # Its Newton steps reach the optimum; where absolute values have a price it has nothing but SAGA.
    if penalty == "l2":
        theirs = LogisticRegression(C=0.05, solver="newton-cholesky", tol=1e-14, max_iter=1000)
    else:
        theirs = LogisticRegression(C=0.05, l1_ratio=ratio, solver="saga", tol=1e-8, max_iter=20_000)
    theirs.fit(features, target)

    def objective(weights, intercept):
        weights = weights.reshape(-1, features.shape[1])
        scores = features @ weights.T + intercept
        if len(weights) == 1:
            scores = numpy.hstack([numpy.zeros_like(scores), scores])
        loss = numpy.logaddexp.reduce(scores, axis=1) - scores[numpy.arange(len(target)), target]
        return loss.sum() + 20 * (ratio * numpy.abs(weights).sum() + 0.5 * (1 - ratio) * (weights**2).sum())

    least = objective(theirs.coef_, theirs.intercept_)
    reached = objective(ours["coef"], ours["intercept"].ravel())
    assert reached <= least * (1 + 1e-9)
    # The certificate: nothing, and so not their weights either, is below what the gap leaves.
    assert reached - float(numpy.ravel(ours["dual_gap"])[0]) <= least * (1 + 1e-12)
    if penalty == "l2":
        numpy.testing.assert_allclose(ours["coef"].reshape(theirs.coef_.shape), theirs.coef_, atol=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_one_machine_for_all_classes_agrees_with_liblinear(scaled_labelled, tmp_path):
    features, target = scaled_labelled
    if len(numpy.unique(target)) < 3:
        pytest.skip("two classes have one score")
    frame = table(features, y=[f"class {label}" for label in target])
    settings = {"multi_class": "crammer-singer", "C": 0.01, "tol": 1e-9, "max_iter": 20_000}
    ours = Model(tmp_path, "linear-svc", frame, "--target", "y", **settings)
    theirs = LinearSVC(multi_class="crammer_singer", C=0.01, tol=1e-8, max_iter=200_000).fit(features, target)

    def objective(weights, intercept):
        scores = features @ weights.T + intercept
        rows = numpy.arange(len(target))
        right = scores[rows, target].copy()
        scores[rows, target] = -numpy.inf
        cost = numpy.maximum(0, 1 + scores.max(axis=1) - right)
        return 0.5 * ((weights**2).sum() + (intercept**2).sum()) + 0.01 * cost.sum()

    least = objective(theirs.coef_, theirs.intercept_)
    found = objective(ours["coef"], ours["intercept"].ravel())
    assert found <= least * (1 + 1e-9)
