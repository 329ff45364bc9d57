"""Gaussian naive Bayes against scikit-learn."""

import numpy
from command import Model, probabilities, table
from sklearn.naive_bayes import GaussianNB


def test_gaussian_nb_agrees_with_scikit_learn(labelled, tmp_path):
    features, target = labelled
    ours = Model(tmp_path, "gaussian-nb", table(features, y=target), "--target", "y", "--task", "classification")
    theirs = GaussianNB().fit(features, target)
    numpy.testing.assert_allclose(ours["theta"], theirs.theta_, rtol=1e-10, atol=1e-12)
    numpy.testing.assert_allclose(ours["var"], theirs.var_, rtol=1e-9)
    numpy.testing.assert_allclose(ours["class_prior"], theirs.class_prior_, rtol=1e-12)
    predictions = ours.predict(table(features))
    numpy.testing.assert_allclose(probabilities(predictions), theirs.predict_proba(features), atol=1e-8)
    assert list(predictions["prediction"].astype(int)) == list(theirs.predict(features))
