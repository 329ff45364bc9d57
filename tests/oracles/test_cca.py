"""Canonical correlation against scikit-learn and statsmodels.

The command takes one target, whose only canonical correlation is the multiple correlation; numbers of
statsmodels for several targets stand in the tests of the crate.
"""

import numpy
from command import Model, table
from sklearn.cross_decomposition import CCA
from sklearn.linear_model import LinearRegression
from statsmodels.multivariate.cancorr import CanCorr


def test_canonical_correlation_agrees(measured, tmp_path):
    features, target = measured
    features = features[:, features.std(axis=0) > 0]
    frame = table(features, y=target)
    ours = Model(tmp_path, "cca", frame, "--target", "y", "--task", "regression")
    # It takes a single column for a list where it comes first.
    expected = CanCorr(features, target[:, None]).cancorr
    numpy.testing.assert_allclose(ours["correlations"], expected, atol=1e-8)
    variate = (features - features.mean(axis=0)) @ ours["x_weights"][0]
    numpy.testing.assert_allclose((variate**2).mean(), 1, rtol=1e-8)
    # The same variate as scikit-learn's, up to its scale and sign.
    theirs = CCA(n_components=1, max_iter=20_000, tol=1e-12).fit(features, target)
    agreement = numpy.corrcoef(variate, theirs.transform(features)[:, 0])[0, 1]
    assert abs(agreement) > 1 - 1e-6
    # With every pair the prediction is least squares.
    found = ours.predict(frame).iloc[:, 0].to_numpy()
    fitted = LinearRegression().fit(features, target).predict(features)
    numpy.testing.assert_allclose(found, fitted, rtol=1e-6, atol=1e-6 * numpy.abs(target).max())
