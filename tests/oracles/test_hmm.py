"""Hidden Markov models against hmmlearn from the same start."""

import numpy
import pytest
import statsmodels.api as statsmodels
from command import Model, probabilities, table
from hmmlearn.hmm import CategoricalHMM, GaussianHMM


def series(name):
    """Real time series that come with statsmodels, standardised."""
    data = getattr(statsmodels.datasets, name).load_pandas().data
    columns = {"nile": ["volume"], "sunspots": ["SUNACTIVITY"], "macrodata": ["infl", "unemp", "tbilrate"]}
    values = data[columns[name]].to_numpy()
    return (values - values.mean(axis=0)) / values.std(axis=0)


def uniform(states):
    return numpy.full(states, 1 / states), numpy.full((states, states), 1 / states)


@pytest.mark.parametrize("shape", ["full", "diag", "spherical", "tied"])
@pytest.mark.parametrize("name", ["nile", "sunspots", "macrodata"])
def test_gaussian_hmm_reaches_the_same_fixed_point(tmp_path, name, shape):
    items = series(name)
    states = 2
    order = numpy.sort(items, axis=0)
    means = order[[len(items) // 4, 3 * len(items) // 4]]
    theirs = GaussianHMM(
        states, covariance_type=shape, n_iter=2000, tol=1e-9, init_params="", params="stmc",
        min_covar=1e-6, covars_prior=0, covars_weight=0, means_prior=0, means_weight=0,
    )
    theirs.startprob_, theirs.transmat_ = uniform(states)
    theirs.means_ = means
    width = items.shape[1]
    theirs.covars_ = {
        "full": numpy.array([numpy.eye(width)] * states),
        "tied": numpy.eye(width),
        "diag": numpy.ones((states, width)),
        "spherical": numpy.ones(states),
    }[shape]
    theirs.fit(items)
    frame = table(items, series=numpy.zeros(len(items)))
    ours = Model(
        tmp_path, "hmm", frame, "--sequence", "series",
        n_components=states, emission="gaussian", covariance_type=shape, max_iter=2000, tol=1e-9,
        startprob_init=theirs.startprob_.tolist(), transmat_init=theirs.transmat_.tolist(),
        means_init=theirs.means_.tolist(),
    )
    # Both end in a fixed point of the same equations; ours must not be worse.
    likelihood = ours.score(frame)["log-likelihood per item"] * len(items)
    assert likelihood >= theirs.score(items) - 1e-4 * abs(theirs.score(items))
    if abs(likelihood - theirs.score(items)) < 1e-4 * abs(likelihood):
        numpy.testing.assert_allclose(ours["means"], theirs.means_, atol=5e-2)
        predictions = ours.predict(frame)
        agreement = (predictions["state"].astype(int) == theirs.predict(items)).mean()
        assert agreement > 0.98


@pytest.mark.parametrize("states", [2, 3])
def test_categorical_hmm_follows_the_same_path(tmp_path, states):
    """Baum–Welch is deterministic from a given start: ten passes must agree in every figure."""
    from conftest import load

    for name, column in [("digits", 20), ("digits", 44), ("wine", 4)]:
        values = load(name)[0][:, column]
        symbols = numpy.digitize(values, numpy.quantile(values, [0.25, 0.5, 0.75]))
        lengths = [len(symbols) // 3, len(symbols) // 3, len(symbols) - 2 * (len(symbols) // 3)]
        count = symbols.max() + 1
        generator = numpy.random.default_rng(1)
        emissions = generator.dirichlet(numpy.ones(count), size=states)
        transitions = generator.dirichlet(numpy.ones(states), size=states)
        begin = generator.dirichlet(numpy.ones(states))
        theirs = CategoricalHMM(states, n_iter=10, tol=-numpy.inf, init_params="", params="ste")
        theirs.startprob_, theirs.transmat_, theirs.emissionprob_ = begin, transitions, emissions
        theirs.fit(symbols.reshape(-1, 1), lengths)
        frame = table(symbols.reshape(-1, 1), series=numpy.repeat([0, 1, 2], lengths))
        ours = Model(
            tmp_path, "hmm", frame, "--sequence", "series",
            n_components=states, emission="categorical", max_iter=10, tol=0,
            startprob_init=begin.tolist(), transmat_init=transitions.tolist(), emissionprob_init=emissions.tolist(),
        )
        numpy.testing.assert_allclose(ours["transmat"], theirs.transmat_, atol=1e-8)
        numpy.testing.assert_allclose(ours["emissionprob"], theirs.emissionprob_, atol=1e-8)
        numpy.testing.assert_allclose(ours["startprob"], theirs.startprob_, atol=1e-8)
        predictions = ours.predict(frame)
        posterior = theirs.predict_proba(symbols.reshape(-1, 1), lengths)
        numpy.testing.assert_allclose(probabilities(predictions), posterior, atol=1e-8)
        assert list(predictions["state"].astype(int)) == list(theirs.predict(symbols.reshape(-1, 1), lengths))
