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
def test_gaussian_hmm_follows_the_same_path(tmp_path, name, shape):
    """Baum–Welch is deterministic from a given start: thirty passes must agree in every figure."""
    items = series(name)
    states, width = 2, items.shape[1]
    order = numpy.sort(items, axis=0)
    theirs = GaussianHMM(
        states, covariance_type=shape, n_iter=30, tol=-numpy.inf, init_params="", params="stmc",
        min_covar=1e-6, covars_prior=0, covars_weight=0, means_prior=0, means_weight=0,
    )
    theirs.startprob_, theirs.transmat_ = uniform(states)
    theirs.means_ = means = order[[len(items) // 4, 3 * len(items) // 4]]
    theirs.covars_ = {
        "full": numpy.array([numpy.eye(width)] * states),
        "tied": numpy.eye(width),
        "diag": numpy.ones((states, width)),
        "spherical": numpy.ones(states),
    }[shape]
    start = dict(startprob_init=theirs.startprob_.tolist(), transmat_init=theirs.transmat_.tolist())
    theirs.fit(items)
    frame = table(items, series=numpy.zeros(len(items)))
    ours = Model(
        tmp_path, "hmm", frame, "--sequence", "series",
        n_components=states, emission="gaussian", covariance_type=shape, max_iter=30, tol=0,
        means_init=means.tolist(), variance_init=1.0, **start,
    )
    numpy.testing.assert_allclose(ours["means"], theirs.means_, atol=1e-6)
    numpy.testing.assert_allclose(ours["transmat"], theirs.transmat_, atol=1e-6)
    numpy.testing.assert_allclose(ours["startprob"], theirs.startprob_, atol=1e-6)
    likelihood = ours.score(frame)["log-likelihood per item"] * len(items)
    numpy.testing.assert_allclose(likelihood, theirs.score(items), rtol=1e-8)
    predictions = ours.predict(frame)
    numpy.testing.assert_allclose(probabilities(predictions), theirs.predict_proba(items), atol=1e-6)
    assert list(predictions["state"].astype(int)) == list(theirs.predict(items))


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
        # Several paths can be equally probable, so the probabilities of the paths are compared.
        path = predictions["state"].astype(int).to_numpy()
        best, _ = theirs.decode(symbols.reshape(-1, 1), lengths)
        numpy.testing.assert_allclose(joint(theirs, symbols, path, lengths), best, rtol=1e-9)


# 001:HMM-09: a stop state is an absorbing state that alone emits a symbol of its own.
def test_a_stop_state_is_an_absorbing_state_with_its_own_symbol(tmp_path):
    from conftest import load

    values = load("digits")[0][:300, 20]
    symbols = numpy.digitize(values, numpy.quantile(values, [0.25, 0.5, 0.75]))
    lengths = [7, 31, 62, 100, 100]
    states, count = 2, symbols.max() + 1
    generator = numpy.random.default_rng(2)
    emissions = generator.dirichlet(numpy.ones(count), size=states)
    steps = generator.dirichlet(numpy.ones(states + 1), size=states)
    begin = generator.dirichlet(numpy.ones(states))
    theirs = CategoricalHMM(states + 1, n_iter=10, tol=-numpy.inf, init_params="", params="ste")
    theirs.startprob_ = numpy.append(begin, 0)
    theirs.transmat_ = numpy.vstack([steps, [0] * states + [1]])
    theirs.emissionprob_ = numpy.block([[emissions, numpy.zeros((states, 1))], [numpy.zeros((1, count)), 1]])
    ended = numpy.insert(symbols, numpy.cumsum(lengths), count)
    theirs.fit(ended.reshape(-1, 1), [length + 1 for length in lengths])
    frame = table(symbols.reshape(-1, 1), series=numpy.repeat(range(len(lengths)), lengths))
    ours = Model(
        tmp_path, "hmm", frame, "--sequence", "series",
        n_components=states, stop_state=True, max_iter=10, tol=0, startprob_init=begin.tolist(),
        transmat_init=steps[:, :states].tolist(), emissionprob_init=emissions.tolist(),
    )
    numpy.testing.assert_allclose(ours["startprob"], theirs.startprob_[:states], atol=1e-8)
    numpy.testing.assert_allclose(ours["transmat"], theirs.transmat_[:states, :states], atol=1e-8)
    numpy.testing.assert_allclose(ours["stopprob"], theirs.transmat_[:states, states], atol=1e-8)
    numpy.testing.assert_allclose(ours["emissionprob"], theirs.emissionprob_[:states, :count], atol=1e-8)


def joint(model, symbols, path, lengths):
    """ln p(symbols, path) by its definition."""
    total = 0.0
    for end, length in zip(numpy.cumsum(lengths), lengths):
        item, state = symbols[end - length : end], path[end - length : end]
        total += numpy.log(model.startprob_[state[0]])
        total += numpy.log(model.transmat_[state[:-1], state[1:]]).sum()
        total += numpy.log(model.emissionprob_[state, item]).sum()
    return total
