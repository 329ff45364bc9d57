"""Least squares, ridge and logistic regression against scikit-learn."""

import numpy
import pytest
import statsmodels.api as statsmodels
from command import Model, probabilities, table
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge


def test_linear_regression_agrees_with_scikit_learn(measured, tmp_path):
    features, target = measured
    ours = Model(tmp_path, "linear-regression", table(features, y=target), "--target", "y", "--task", "regression")
    theirs = LinearRegression().fit(features, target)
    numpy.testing.assert_allclose(ours["coef"].ravel(), theirs.coef_, rtol=1e-6, atol=1e-9 * numpy.abs(theirs.coef_).max())
    predicted = ours.predict(table(features))["y"]
    numpy.testing.assert_allclose(predicted, theirs.predict(features), rtol=1e-8, atol=1e-9 * numpy.abs(target).max())


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
def test_ridge_agrees_with_scikit_learn(measured, tmp_path, alpha):
    features, target = measured
    ours = Model(tmp_path, "ridge", table(features, y=target), "--target", "y", "--task", "regression", alpha=alpha)
    theirs = Ridge(alpha=alpha, solver="svd").fit(features, target)
    numpy.testing.assert_allclose(ours["coef"].ravel(), theirs.coef_, rtol=1e-7, atol=1e-10 * numpy.abs(theirs.coef_).max())
    predicted = ours.predict(table(features))["y"]
    numpy.testing.assert_allclose(predicted, theirs.predict(features), rtol=1e-9, atol=1e-9 * numpy.abs(target).max())


@pytest.mark.parametrize("strength", [0.01, 1.0])
def test_logistic_regression_agrees_with_scikit_learn(scaled_labelled, tmp_path, strength):
    features, target = scaled_labelled
    frame = table(features, y=[f"class {label}" for label in target])
    ours = Model(tmp_path, "logistic-regression", frame, "--target", "y", C=strength, tol=1e-8, max_iter=1000)
    theirs = LogisticRegression(C=strength, tol=1e-10, max_iter=10_000).fit(features, target)
    predictions = ours.predict(table(features))
    numpy.testing.assert_allclose(probabilities(predictions), theirs.predict_proba(features), atol=2e-5)
    expected = [f"class {label}" for label in theirs.predict(features)]
    assert list(predictions["prediction"]) == expected

    def objective(coefficients, intercept):
        coefficients = coefficients.reshape(-1, features.shape[1])
        scores = features @ coefficients.T + intercept
        if len(coefficients) == 1:
            scores = numpy.hstack([numpy.zeros_like(scores), scores])
        loss = numpy.logaddexp.reduce(scores, axis=1) - scores[numpy.arange(len(target)), target]
        return loss.sum() + (coefficients**2).sum() / (2 * strength)

    least = objective(theirs.coef_, theirs.intercept_)
    assert objective(ours["coef"], ours["intercept"].ravel()) <= least * (1 + 1e-9)


def test_softmax_regression_has_the_errors_and_tests_of_statsmodels(tmp_path):
    data = statsmodels.datasets.anes96.load_pandas().data
    features = data[["age", "educ", "income"]].to_numpy(dtype=float)
    target = data["PID"].astype(int).to_numpy()
    frame = table(features, y=[f"class {label}" for label in target])
    ours = Model(tmp_path, "logistic-regression", frame, "--target", "y", penalty="none", tol=1e-10)
    theirs = statsmodels.MNLogit(target, statsmodels.add_constant(features)).fit(disp=0, tol=1e-12)
    errors = numpy.asarray(theirs.bse)
    numpy.testing.assert_allclose(ours["standard_errors"], errors[1:].T, rtol=1e-6)
    numpy.testing.assert_allclose(ours["intercept_standard_error"], errors[0], rtol=1e-6)
    numpy.testing.assert_allclose(ours["p_values"], numpy.asarray(theirs.pvalues)[1:].T, rtol=1e-5)
    numpy.testing.assert_allclose(ours["log_likelihood"], theirs.llf, rtol=1e-9)
    # The null model has the shares of the classes, which statsmodels finds by iteration to eight digits only.
    counts = numpy.bincount(target)
    null = numpy.sum(counts * numpy.log(counts / len(target)))
    numpy.testing.assert_allclose(ours["likelihood_ratio"], 2 * (theirs.llf - null), rtol=1e-9)
    numpy.testing.assert_allclose(ours["likelihood_ratio_p_value"], theirs.llr_pvalue, rtol=1e-6)
