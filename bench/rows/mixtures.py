"""Mixtures and hidden chains."""

import didact
import hmmlearn.hmm
import numpy as np
import sklearn.mixture as mixture
from peers import Row, blobs, sequences


def gaussians(name, rows, columns, k, shape):
    """Thirty passes of EM from the same means."""

    def make():
        x, _ = blobs(rows, columns, k, spread=2.0)
        return x, x[:k]

    def bound(data, model):
        return float(model.score(data[0]))

    settings = dict(covariance_type=shape, max_iter=30, tol=1e-9, n_init=1)
    who = {
        "didact": lambda d, t: didact.GaussianMixture(k, means_init=d[1], n_jobs=t, **settings).fit(d[0]),
        "scikit-learn": lambda d, t: mixture.GaussianMixture(k, means_init=d[1], **settings).fit(d[0]),
    }
    return Row(name, make, who, bound, tolerance=1e-4)


class FromMeans(mixture.BayesianGaussianMixture):
    """scikit-learn's variational mixture, started from the rows nearest to given means as ours is."""

    def _initialize_parameters(self, x, *_args, **_options):
        squares = (self.start**2).sum(1) - 2 * x @ self.start.T
        self._initialize(x, np.eye(len(self.start))[squares.argmin(1)])


def process(name, rows, columns, k, shape):
    """Thirty passes of variational inference for a mixture with a Dirichlet process, of which too many components
    are offered; the bounds of both are the same function of the rows."""

    def make():
        x, _ = blobs(rows, columns, k // 2, spread=2.0)
        return x, x[:k].copy()

    settings = dict(n_components=k, covariance_type=shape, max_iter=30, tol=0.0, weight_concentration_prior=0.1)

    def theirs(data, _):
        model = FromMeans(weight_concentration_prior_type="dirichlet_process", **settings)
        model.start = data[1]
        return model.fit(data[0])

    who = {
        "didact": lambda d, t: didact.BayesianGaussianMixture(means_init=d[1], n_jobs=t, **settings).fit(d[0]),
        "scikit-learn": theirs,
    }
    return Row(name, make, who, lambda _, model: float(np.ravel(model.lower_bound_)[0]), tolerance=1e-9)


def hidden(name, shape):
    """Ten passes of Baum–Welch from the same start."""

    def make():
        x, lengths = sequences(200, 100, 8, 5)
        return x, lengths, x[:5]

    def ours(data, threads):
        x, lengths, means = data
        model = didact.HMM(5, emission="gaussian", covariance_type=shape, max_iter=10, tol=0.0, means_init=means, chain_init="uniform", n_jobs=threads)
        return model.fit(x, lengths)

    def theirs(data, _):
        x, lengths, means = data
        model = hmmlearn.hmm.GaussianHMM(5, covariance_type=shape, n_iter=10, tol=-np.inf, init_params="stc", random_state=0)
        model.means_ = means
        return model.fit(x, lengths)

    return Row(name, make, {"didact": ours, "hmmlearn": theirs}, lambda d, m: float(m.score(d[0], d[1])), tolerance=1e-3)


def symbols():
    random = np.random.default_rng(0)
    return random.integers(8, size=(20_000, 1)), [100] * 200


def categorical():
    def ours(data, threads):
        return didact.HMM(5, emission="categorical", max_iter=10, tol=0.0, n_jobs=threads).fit(*data)

    def theirs(data, _):
        return hmmlearn.hmm.CategoricalHMM(5, n_iter=10, tol=-np.inf, random_state=0).fit(*data)

    return Row("HMM categorical 200×100", symbols, {"didact": ours, "hmmlearn": theirs}, lambda d, m: float(m.score(*d)), tolerance=1e-2)


def viterbi():
    """The best paths through one chain, which we learn and hmmlearn is given."""

    def learned(data, _):
        return didact.HMM(5, emission="categorical", max_iter=2, tol=0.0).fit(*data)

    def given(data, threads):
        ours = learned(data, threads)
        model = hmmlearn.hmm.CategoricalHMM(5)
        model.startprob_, model.transmat_, model.emissionprob_ = ours.startprob_, ours.transmat_, ours.emissionprob_
        return model

    prepare = {"didact": learned, "hmmlearn": given}

    def decode(pair, threads):
        model, data = pair
        return model.decode(*data)[0]

    return Row("Viterbi 200×100", symbols, dict.fromkeys(prepare, decode), lambda _, likelihood: float(likelihood), 1e-9, prepare=prepare)


ROWS = [
    gaussians("mixture full 20k×10 k=5", 20_000, 10, 5, "full"),
    gaussians("mixture diagonal 100k×20 k=5", 100_000, 20, 5, "diag"),
    process("Dirichlet-process mixture full 20k×10 k=10", 20_000, 10, 10, "full"),
    hidden("HMM full 200×100×8", "full"),
    hidden("HMM diagonal 200×100×8", "diag"),
    categorical(),
    viterbi(),
]
