"""Variational Gaussian mixtures against scikit-learn."""

import numpy
import pytest
from command import Model, probabilities, table
from conftest import scaled
from sklearn.mixture import BayesianGaussianMixture

SHAPES = ["full", "tied", "diag", "spherical"]


class FromMeans(BayesianGaussianMixture):
    """scikit-learn's mixture, started from the rows nearest to given means."""

    def _initialize_parameters(self, features, *_args, **_options):
        distances = ((features[:, None] - self.start[None]) ** 2).sum(-1)
        self._initialize(features, numpy.eye(len(self.start))[distances.argmin(1)])


@pytest.mark.parametrize("prior", ["dirichlet_process", "dirichlet_distribution"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_variational_mixture_takes_the_same_path(tmp_path, name, shape, prior):
    features = scaled(name)[0][:, :5]
    start = features[:: len(features) // 6][:6]
    # So many passes of both: where the bound is flat, its rounding decides when each would stop.
    same = dict(
        n_components=6, covariance_type=shape, weight_concentration_prior_type=prior,
        weight_concentration_prior=0.1, mean_precision_prior=0.5, tol=0.0, max_iter=400,
    )
    theirs = FromMeans(**same)
    theirs.start = start
    theirs.fit(features)
    ours = Model(tmp_path, "bayesian-gaussian-mixture", table(features), means_init=start.tolist(), **same)
    numpy.testing.assert_allclose(ours["lower_bound"], numpy.ravel(theirs.lower_bound_)[0], rtol=1e-9)
    numpy.testing.assert_allclose(ours["weights"], theirs.weights_, atol=1e-6)
    numpy.testing.assert_allclose(ours["means"], theirs.means_, atol=1e-6)
    numpy.testing.assert_allclose(ours["covariances"], theirs.covariances_, atol=1e-6)
    predictions = ours.predict(table(features))
    numpy.testing.assert_allclose(probabilities(predictions), theirs.predict_proba(features), atol=1e-5)
