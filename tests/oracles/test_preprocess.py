"""Scaling against scikit-learn: exact algebra, 1e-12 relative."""

import numpy
from command import Model, table
from sklearn.preprocessing import StandardScaler


def test_standard_scaler_agrees_with_scikit_learn(labelled, tmp_path):
    features, _ = labelled
    ours = Model(tmp_path, "standard-scaler", table(features))
    theirs = StandardScaler().fit(features)
    numpy.testing.assert_allclose(ours["mean"], theirs.mean_, rtol=1e-12, atol=1e-12)
    numpy.testing.assert_allclose(ours["var"], theirs.var_, rtol=1e-12, atol=1e-14)
    numpy.testing.assert_allclose(ours["scale"], theirs.scale_, rtol=1e-12)
    transformed = ours.predict(table(features)).to_numpy()
    numpy.testing.assert_allclose(transformed, theirs.transform(features), rtol=1e-11, atol=1e-12)
