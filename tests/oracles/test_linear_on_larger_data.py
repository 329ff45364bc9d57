"""Linear models, discriminants and naive Bayes on larger real data, to the precision of the optimum.

20,190 visits to doctors (the health insurance experiment of RAND), 6,366 answers of a survey on
affairs, all products of two measurements of the diabetes data, and digits.
"""

import itertools

import numpy
import pytest
import sklearn
import statsmodels.api as statsmodels
from command import Model, probabilities, table
from conftest import load, scaled
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import ElasticNet, LogisticRegression
from sklearn.naive_bayes import CategoricalNB, GaussianNB, MultinomialNB
from sklearn.preprocessing import OrdinalEncoder, StandardScaler
from sklearn.svm import LinearSVC, LinearSVR
from sklearn.utils.fixes import parse_version


def visits():
    data = statsmodels.datasets.randhie.load_pandas().data.astype(float)
    return StandardScaler().fit_transform(data.drop(columns="mdvis")), numpy.log1p(data["mdvis"].to_numpy())


def affairs():
    data = statsmodels.datasets.fair.load_pandas().data.astype(float)
    return data.drop(columns="affairs").to_numpy(), (data["affairs"] > 0).astype(int).to_numpy()


def products():
    features, target = load("diabetes")
    pairs = itertools.combinations_with_replacement(range(features.shape[1]), 2)
    more = [features[:, i] * features[:, j] for i, j in pairs if i != j or i != 1]
    return StandardScaler().fit_transform(numpy.column_stack([features, *more])), target


def digits():
    features, target = scaled("digits")
    return features, target.astype(float)


def classes(name):
    if name != "affairs":
        return scaled(name)
    features, target = affairs()
    return StandardScaler().fit_transform(features), target


@pytest.mark.parametrize("ratio", [1.0, 0.5])
@pytest.mark.parametrize("share", [0.3, 0.01])
@pytest.mark.parametrize("data", [visits, products, digits])
def test_lasso_and_elastic_net_have_the_weights_of_scikit_learn(tmp_path, data, share, ratio):
    features, target = data()
    # A share of the least price at which all weights are zero.
    alpha = share * numpy.abs(features.T @ (target - target.mean())).max() / len(target) / ratio
    spec, settings = ("lasso", {}) if ratio == 1.0 else ("elastic-net", {"l1_ratio": ratio})
    ours = Model(
        tmp_path, spec, table(features, y=target), "--target", "y", "--task", "regression",
        alpha=alpha, tol=1e-14, max_iter=100_000, **settings,
    )
    theirs = ElasticNet(alpha=alpha, l1_ratio=ratio, tol=1e-14, max_iter=1_000_000).fit(features, target)

    def objective(weights, intercept):
        loss = ((target - features @ weights - intercept) ** 2).sum() / (2 * len(target))
        return loss + alpha * (ratio * numpy.abs(weights).sum() + 0.5 * (1 - ratio) * weights @ weights)

    found = ours["coef"].ravel()
    least = objective(theirs.coef_, theirs.intercept_)
    assert objective(found, float(numpy.ravel(ours["intercept"])[0])) <= least * (1 + 1e-9)
    numpy.testing.assert_allclose(found, theirs.coef_, atol=1e-6 * numpy.abs(theirs.coef_).max())
    assert 0 < numpy.count_nonzero(found) <= features.shape[1]


@pytest.mark.parametrize("strength", [0.01, 1.0])
@pytest.mark.parametrize("name", ["affairs", "breast_cancer", "digits"])
def test_squared_hinge_machines_have_the_weights_of_liblinear(tmp_path, name, strength):
    features, target = classes(name)
    target = (target > target.max() / 2).astype(int)
    frame = table(features, y=[f"class {label}" for label in target])
    ours = Model(
        tmp_path, "linear-svc", frame, "--target", "y", loss="squared-hinge", C=strength, tol=1e-13, max_iter=10_000
    )
    theirs = LinearSVC(C=strength, dual=False, tol=1e-12, max_iter=100_000).fit(features, target)
    numpy.testing.assert_allclose(ours["coef"].ravel(), theirs.coef_.ravel(), atol=1e-6)
    numpy.testing.assert_allclose(ours["intercept"].ravel(), theirs.intercept_, atol=1e-6)


@pytest.mark.parametrize("data", [visits, products, digits])
def test_squared_tube_machines_have_the_weights_of_liblinear(tmp_path, data):
    features, target = data()
    target = (target - target.mean()) / target.std()
    named = {"C": 0.1, "epsilon": 0.2}
    ours = Model(
        tmp_path, "linear-svr", table(features, y=target), "--target", "y", "--task", "regression",
        loss="squared-epsilon-insensitive", tol=1e-13, max_iter=10_000, **named,
    )
    theirs = LinearSVR(loss="squared_epsilon_insensitive", dual=False, tol=1e-13, max_iter=100_000, **named)
    theirs.fit(features, target)
    numpy.testing.assert_allclose(ours["coef"].ravel(), theirs.coef_, atol=1e-6)


@pytest.mark.parametrize("solver", ["auto", "lbfgs", "newton", "saga"])
@pytest.mark.parametrize("penalty", ["l2", "none"])
def test_every_solver_finds_the_weights_of_scikit_learn_and_statsmodels(tmp_path, solver, penalty):
    features, target = classes("affairs")
    frame = table(features, y=[f"class {label}" for label in target])
    ours = Model(tmp_path, "logistic-regression", frame, "--target", "y", solver=solver, penalty=penalty, tol=1e-10)
    assert ours.trace["stop"] == "converged"
    if penalty == "l2":
        theirs = LogisticRegression(solver="newton-cholesky", tol=1e-14).fit(features, target)
        expected, intercept = theirs.coef_[0], theirs.intercept_[0]
    else:
        theirs = statsmodels.Logit(target, statsmodels.add_constant(features)).fit(disp=0, tol=1e-14, method="newton")
        expected, intercept = theirs.params[1:], theirs.params[0]
        numpy.testing.assert_allclose(ours["standard_errors"].ravel(), theirs.bse[1:], rtol=1e-6)
        numpy.testing.assert_allclose(ours["log_likelihood"], theirs.llf, rtol=1e-9)
    numpy.testing.assert_allclose(ours["coef"].ravel(), expected, atol=1e-6)
    numpy.testing.assert_allclose(ours["intercept"].ravel(), [intercept], atol=1e-6)


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"), reason="the oracle divides by another number"
)
@pytest.mark.parametrize(
    "spec, oracle",
    [
        ("lda(solver=eigen)", LinearDiscriminantAnalysis(solver="eigen")),
        ("lda(solver=lsqr, shrinkage=0.1)", LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1)),
        ("qda", QuadraticDiscriminantAnalysis()),
        ("gaussian-nb", GaussianNB()),
    ],
)
def test_discriminants_have_the_probabilities_of_scikit_learn(tmp_path, spec, oracle):
    features, target = affairs()
    ours = Model(tmp_path, spec, table(features, y=target), "--target", "y", "--task", "classification")
    found = probabilities(ours.predict(table(features)))
    numpy.testing.assert_allclose(found, oracle.fit(features, target).predict_proba(features), atol=1e-9)


@pytest.mark.parametrize("spec, kind", [("multinomial-nb", MultinomialNB), ("categorical-nb", CategoricalNB)])
def test_naive_bayes_of_answers_has_the_probabilities_of_scikit_learn(tmp_path, spec, kind):
    features, target = affairs()
    features = OrdinalEncoder().fit_transform(features)
    ours = Model(tmp_path, spec, table(features, y=target), "--target", "y", "--task", "classification", alpha=0.5)
    found = probabilities(ours.predict(table(features)))
    theirs = kind(alpha=0.5).fit(features, target)
    numpy.testing.assert_allclose(found, theirs.predict_proba(features), atol=1e-9)
