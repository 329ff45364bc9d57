"""Linear and quadratic discriminants against scikit-learn."""

import numpy
import pytest
import sklearn
from command import Model, probabilities, table
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.utils.fixes import parse_version

# Before, the covariances of the solver svd and of quadratic discriminants were divided by n − k.
pytestmark = pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"), reason="the oracle divides by another number"
)


@pytest.mark.parametrize(
    "spec, kind, settings",
    [
        ("lda", LinearDiscriminantAnalysis, {}),
        ("lda", LinearDiscriminantAnalysis, {"solver": "eigen"}),
        ("lda", LinearDiscriminantAnalysis, {"solver": "lsqr", "shrinkage": 0.2}),
        ("lda", LinearDiscriminantAnalysis, {"solver": "lsqr", "shrinkage": "auto"}),
        ("qda", QuadraticDiscriminantAnalysis, {}),
        ("qda", QuadraticDiscriminantAnalysis, {"reg_param": 0.1}),
    ],
)
def test_discriminants_agree_with_scikit_learn(scaled_labelled, tmp_path, spec, kind, settings):
    features, target = scaled_labelled
    if spec == "qda" and not settings and features.shape[1] > 20:
        pytest.skip("the covariances of some classes have no inverse, which the oracle refuses")
    frame = table(features, y=target)
    ours = Model(tmp_path, spec, frame, "--target", "y", "--task", "classification", **settings)
    theirs = kind(**settings).fit(features, target)
    numpy.testing.assert_allclose(ours["means"], theirs.means_, rtol=1e-9, atol=1e-12)
    predictions = ours.predict(table(features))
    numpy.testing.assert_allclose(probabilities(predictions), theirs.predict_proba(features), atol=1e-6)
    if spec == "lda" and "solver" not in settings:
        scale = numpy.abs(theirs.coef_).max()
        numpy.testing.assert_allclose(ours["coef"], theirs.coef_, rtol=1e-6, atol=1e-8 * scale)
        shares = theirs.explained_variance_ratio_
        numpy.testing.assert_allclose(ours["explained_variance_ratio"], shares, rtol=1e-6, atol=1e-9)
