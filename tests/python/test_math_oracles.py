"""Distances, kernels, laws and optimisers against SciPy and scikit-learn, live."""

import warnings

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
import scipy.spatial.distance
import scipy.stats
from sklearn import neighbors
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import pairwise as theirs

from didact import distance, distributions, information, kernels, optimize

# -- distances and kernels ---------------------------------------------------------------------

METRICS = {
    "euclidean": ("euclidean", {}),
    "squared-euclidean": ("sqeuclidean", {}),
    "manhattan": ("cityblock", {}),
    "chebyshev": ("chebyshev", {}),
    "cosine": ("cosine", {}),
}


def clouds(seed, cases=40):
    """Rows of many shapes: single ones, duplicates, far from the origin, near-duplicates."""
    random = np.random.default_rng(seed)
    for case in range(cases):
        n, m, d = random.integers(1, 30, 3)
        x, y = random.normal(size=(n, d)), random.normal(size=(m, d))
        if case % 4 == 1:
            y[: min(n, m)] = x[: min(n, m)]
        if case % 4 == 2:
            x, y = x + 1e4, y + 1e4
        if case % 4 == 3:
            y[: min(n, m)] = x[: min(n, m)] * (1 + 1e-9)
        yield x, y


@pytest.mark.parametrize("name", METRICS)
def test_distances_agree_with_scipy(name):
    word, named = METRICS[name]
    for x, y in clouds(0):
        expected = scipy.spatial.distance.cdist(x, y, word, **named)
        # SciPy's own cosine distance loses 1 - cos near parallel rows.
        atol = 1e-12 if name != "cosine" else 4e-15 * max(1, np.abs(x).max())
        atol = max(atol, 1e-12)
        np.testing.assert_allclose(
            distance.pairwise_distances(x, y, metric=name), expected, rtol=1e-12, atol=atol
        )
        both = distance.pairwise_distances(x, metric=name)
        assert (np.diag(both) == 0).all() and (both == both.T).all()


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0, 7.0])
def test_minkowski_distances_agree_with_scipy(p):
    for x, y in clouds(1):
        expected = scipy.spatial.distance.cdist(x, y, "minkowski", p=p)
        found = distance.pairwise_distances(x, y, metric={"minkowski": {"p": p}})
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_hamming_counts_columns():
    random = np.random.default_rng(2)
    for _ in range(50):
        x, y = random.integers(0, 3, (7, 5)), random.integers(0, 3, (4, 5))
        expected = scipy.spatial.distance.cdist(x, y, "hamming") * 5
        np.testing.assert_allclose(
            distance.pairwise_distances(x, y, metric="hamming"), expected, rtol=1e-12
        )


def test_sparse_rows_are_as_far_apart_as_dense_ones():
    random = np.random.default_rng(3)
    for case in range(30):
        x = scipy.sparse.random(12, 9, 0.3, "csr", random_state=case)
        y = scipy.sparse.random(8, 9, 0.3, "csr", random_state=100 + case)
        for name in [*METRICS, "chi-square", "jaccard", "hamming"]:
            dense = distance.pairwise_distances(x.toarray(), y.toarray(), metric=name)
            for a, b in [(x, y), (x.tocsc(), y)]:
                found = distance.pairwise_distances(a, b, metric=name)
                np.testing.assert_allclose(found, dense, rtol=1e-12, atol=1e-12)


def test_mahalanobis_distances_agree_with_scipy():
    random = np.random.default_rng(4)
    for _ in range(30):
        d = int(random.integers(1, 6))
        root = random.normal(size=(d, d)) + 2 * np.eye(d)
        covariance = root @ root.T
        x, y = random.normal(size=(6, d)), random.normal(size=(5, d))
        expected = scipy.spatial.distance.cdist(
            x, y, "mahalanobis", VI=np.linalg.inv(covariance)
        )
        found = distance.mahalanobis_distances(x, y, covariance=covariance)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd-tree", "ball-tree"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_nearest_neighbours_agree_with_scikit_learn(metric, algorithm):
    random = np.random.default_rng(5)
    for _ in range(10):
        n, d = int(random.integers(5, 200)), int(random.integers(1, 6))
        x, queries = random.normal(size=(n, d)), random.normal(size=(15, d))
        k = int(random.integers(1, 5))
        peer = neighbors.NearestNeighbors(n_neighbors=k, metric=metric).fit(x)
        lengths, places = peer.kneighbors(queries)
        found = distance.nearest_neighbors(x, queries, k, metric=metric, algorithm=algorithm)
        np.testing.assert_allclose(found.distances, lengths, rtol=1e-12)
        np.testing.assert_array_equal(found.indices, places)
        radius = float(np.median(lengths)) + 1e-3
        near = distance.radius_neighbors(x, queries, radius, metric=metric, algorithm=algorithm)
        others = peer.radius_neighbors(queries, radius, return_distance=False)
        for mine, other in zip(near.indices, others):
            assert sorted(mine) == sorted(other)


KERNELS = {
    "linear_kernel": {},
    "polynomial_kernel": {"degree": 2, "gamma": 0.7, "coef0": 0.5},
    "rbf_kernel": {"gamma": 0.4},
    "laplacian_kernel": {"gamma": 0.4},
    "sigmoid_kernel": {"gamma": 0.1, "coef0": 0.2},
    "cosine_similarity": {},
    "chi2_kernel": {"gamma": 0.7},
    "additive_chi2_kernel": {},
}


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_agree_with_scikit_learn(name):
    random = np.random.default_rng(6)
    for case in range(60):
        n, m, d = random.integers(1, 20, 3)
        x, y = random.normal(size=(n, d)), random.normal(size=(m, d))
        if "chi2" in name:
            x, y = np.abs(x), np.abs(y)
            x[random.random(x.shape) < 0.2] = 0
        for named in [KERNELS[name], {}]:
            mine, other = getattr(kernels, name), getattr(theirs, name)
            np.testing.assert_allclose(
                mine(x, y, **named), other(x, y, **named), rtol=1e-12, atol=1e-12
            )
            np.testing.assert_allclose(mine(x, **named), other(x, **named), rtol=1e-12, atol=1e-12)
        if "chi2" not in name:
            found = getattr(kernels, name)(scipy.sparse.csr_matrix(x), scipy.sparse.csr_matrix(y))
            np.testing.assert_allclose(found, getattr(theirs, name)(x, y), rtol=1e-9, atol=1e-9)


def test_information_agrees_with_scipy():
    random = np.random.default_rng(7)
    for _ in range(100):
        p, q = random.dirichlet(np.full(5, 0.5), size=2)
        np.testing.assert_allclose(information.entropy(p), scipy.stats.entropy(p), rtol=1e-12)
        np.testing.assert_allclose(
            information.kl_divergence(p, q, base="bits"), scipy.stats.entropy(p, q, base=2), rtol=1e-11
        )
        np.testing.assert_allclose(
            information.jensen_shannon(p, q),
            scipy.spatial.distance.jensenshannon(p, q) ** 2,
            rtol=1e-9,
            atol=1e-15,
        )


# -- laws --------------------------------------------------------------------------------------

LAWS = {
    "Normal": ((0.3, 1.7), scipy.stats.norm(0.3, 1.7)),
    "Uniform": ((-1.0, 3.0), scipy.stats.uniform(-1, 4)),
    "Exponential": ((2.5,), scipy.stats.expon(scale=1 / 2.5)),
    "Gamma": ((3.2, 0.7), scipy.stats.gamma(3.2, scale=1 / 0.7)),
    "InverseGamma": ((3.5, 2.0), scipy.stats.invgamma(3.5, scale=2.0)),
    "Beta": ((2.5, 0.8), scipy.stats.beta(2.5, 0.8)),
    "Cauchy": ((0.5, 2.0), scipy.stats.cauchy(0.5, 2.0)),
    "ChiSquared": ((4.3,), scipy.stats.chi2(4.3)),
    "FisherF": ((5.0, 9.0), scipy.stats.f(5, 9)),
    "Laplace": ((0.2, 1.5), scipy.stats.laplace(0.2, 1.5)),
    "LogNormal": ((0.4, 0.8), scipy.stats.lognorm(0.8, scale=np.exp(0.4))),
    "Pareto": ((2.5, 1.5), scipy.stats.pareto(2.5, scale=1.5)),
    "StudentT": ((3.7, 0.2, 1.4), scipy.stats.t(3.7, 0.2, 1.4)),
    "Weibull": ((1.8, 2.2), scipy.stats.weibull_min(1.8, scale=2.2)),
    "Binomial": ((12, 0.3), scipy.stats.binom(12, 0.3)),
    "Poisson": ((3.4,), scipy.stats.poisson(3.4)),
    "Geometric": ((0.35,), scipy.stats.geom(0.35, loc=-1)),
    "NegativeBinomial": ((3.5, 0.4), scipy.stats.nbinom(3.5, 0.4)),
}
SHARES = np.concatenate([10.0 ** -np.arange(1, 40, 3.0), np.linspace(0.02, 0.98, 60)])


@pytest.mark.parametrize("name", LAWS)
def test_laws_agree_with_scipy_also_in_the_tails(name):
    parameters, peer = LAWS[name]
    law = getattr(distributions, name)(*parameters)
    discrete = hasattr(peer, "pmf")
    low, high = peer.ppf(SHARES), peer.isf(SHARES)
    if discrete:
        np.testing.assert_array_equal(law.quantile(SHARES[13:]), low[13:])
    else:
        finite = np.isfinite(low)
        np.testing.assert_allclose(law.quantile(SHARES)[finite], low[finite], rtol=1e-8, atol=1e-300)
        # SciPy's own inverse is wrong far out for some laws; its survival function is not.
        finite = np.isfinite(high) & np.isclose(peer.sf(high), SHARES, rtol=1e-9, atol=0)
        np.testing.assert_allclose(
            law.upper_quantile(SHARES)[finite], high[finite], rtol=1e-8, atol=1e-300
        )
    points = np.concatenate([low, high])
    points = points[np.isfinite(points)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        log_density = peer.logpmf(points) if discrete else peer.logpdf(points)
        pairs = [
            (law.log_density(points), log_density),
            (law.cdf(points), peer.cdf(points)),
            (law.sf(points), peer.sf(points)),
        ]
    for mine, other in pairs:
        sure = np.isfinite(other)
        np.testing.assert_allclose(mine[sure], other[sure], rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("name", LAWS)
def test_moments_and_entropies_agree_with_scipy(name):
    parameters, peer = LAWS[name]
    law = getattr(distributions, name)(*parameters)
    for mine, other in [(law.mean(), peer.mean()), (law.variance(), peer.var())]:
        if mine is None:
            assert not np.isfinite(other)
        else:
            np.testing.assert_allclose(mine, other, rtol=1e-9)
    np.testing.assert_allclose(law.median(), peer.median(), rtol=1e-9)
    if hasattr(law, "entropy"):
        np.testing.assert_allclose(law.entropy(), peer.entropy(), rtol=1e-6)


@pytest.mark.parametrize("name", LAWS)
def test_samples_follow_their_law(name):
    parameters, peer = LAWS[name]
    law = getattr(distributions, name)(*parameters)
    drawn = law.sample(4000, random_state=1)
    np.testing.assert_array_equal(drawn, law.sample(4000, random_state=1))
    if not hasattr(peer, "pmf"):
        assert scipy.stats.kstest(drawn, peer.cdf).pvalue > 1e-4
    else:
        values, counts = np.unique(drawn, return_counts=True)
        often = counts >= 10
        expected = 4000 * peer.pmf(values[often])
        spread = np.sqrt(expected * (1 - expected / 4000))
        assert (np.abs(counts[often] - expected) < 5 * spread).all()


@pytest.mark.parametrize("name", [n for n in LAWS if hasattr(getattr(distributions, n), "fit")])
def test_a_fit_is_at_least_as_likely_as_the_truth(name):
    parameters, _ = LAWS[name]
    truth = getattr(distributions, name)(*parameters)
    data = truth.sample(500, random_state=2)
    fitted = type(truth).fit(data)
    assert fitted.log_density(data).sum() >= truth.log_density(data).sum() - 1e-9
    twice = type(truth).fit(data, sample_weight=np.full(500, 2.0))
    for mine, other in zip(twice.parameters.values(), fitted.parameters.values()):
        np.testing.assert_allclose(mine, other, rtol=1e-6)


def test_laws_of_vectors_and_matrices_agree_with_scipy():
    random = np.random.default_rng(8)
    for d in (1, 2, 4):
        root = random.normal(size=(d, d)) + 2 * np.eye(d)
        scale, mean = root @ root.T, random.normal(size=d)
        x = random.normal(size=(20, d))
        pairs = [
            (distributions.MultivariateNormal(mean, scale), scipy.stats.multivariate_normal(mean, scale)),
            (
                distributions.MultivariateStudentT(5.5, mean, scale),
                scipy.stats.multivariate_t(mean, scale, df=5.5),
            ),
        ]
        for mine, other in pairs:
            expected = np.atleast_1d(other.logpdf(x))
            np.testing.assert_allclose(mine.log_density(x), expected, rtol=1e-9)
        matrices = np.stack([scipy.stats.wishart(d + 3, scale).rvs(random_state=k).reshape(d, d) for k in range(5)])
        for mine, other in [
            (distributions.Wishart(scale, d + 3), scipy.stats.wishart(d + 3, scale)),
            (distributions.InverseWishart(scale, d + 3), scipy.stats.invwishart(d + 3, scale)),
        ]:
            expected = [other.logpdf(matrix if d > 1 else matrix.item()) for matrix in matrices]
            np.testing.assert_allclose(mine.log_density(matrices), np.ravel(expected), rtol=1e-9)
    alpha = np.array([0.7, 2.0, 3.5])
    law, peer = distributions.Dirichlet(alpha), scipy.stats.dirichlet(alpha)
    points = random.dirichlet(alpha, size=10)
    np.testing.assert_allclose(law.log_density(points), [peer.logpdf(p) for p in points], rtol=1e-9)
    np.testing.assert_allclose(law.entropy(), peer.entropy(), rtol=1e-9)
    law, peer = distributions.Multinomial(5, [0.2, 0.5, 0.3]), scipy.stats.multinomial(5, [0.2, 0.5, 0.3])
    counts = law.sample(6)
    np.testing.assert_allclose(law.log_density(counts), peer.logpmf(counts), rtol=1e-9)


def test_learning_at_once_and_one_by_one_end_in_the_same_belief():
    random = np.random.default_rng(9)
    numbers = random.normal(2.0, 1.5, size=12)
    vectors = random.normal(size=(9, 2))
    eye = np.eye(2)
    normal = distributions.MultivariateNormal([0, 0], eye)
    cases = [
        (distributions.Beta(2, 3), (random.random(15) < 0.4).astype(float)),
        (distributions.Gamma(2, 1), random.poisson(3.0, 15)),
        (distributions.Dirichlet([1, 2, 1]), random.integers(0, 3, 15)),
        (distributions.NormalMean(distributions.Normal(0, 2), 1.5), numbers),
        (distributions.NormalInverseGamma(1, 1, 1, 0), numbers),
        (distributions.MultivariateNormalMean(normal, 2 * eye), vectors),
        (distributions.NormalInverseWishart([0, 0], 1.0, eye, 4.0), vectors),
    ]
    for prior, data in cases:
        at_once = prior.update(data)
        belief, evidence = prior, 0.0
        for datum in data:
            # The chain rule: ln p(D) is the sum of the predictive log-densities.
            evidence += belief.log_predictive(datum)
            belief = belief.update(np.asarray([datum]))
        np.testing.assert_allclose(prior.log_evidence(data), evidence, rtol=1e-9)
        grid = data[:3]
        np.testing.assert_allclose(
            belief.log_predictive(grid), at_once.log_predictive(grid), rtol=1e-9
        )


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: distributions.Normal(0, -1), "deviation is -1"),
        (lambda: distributions.Normal(0, float("nan")), "deviation is nan"),
        (lambda: distributions.Categorical([0.5, 0.6]), "the sum of probabilities"),
        (lambda: distributions.MultivariateNormal([0, 0], [[1, 2], [2, 1]]), "covariance"),
        (lambda: distributions.Binomial(2.5, 0.5), "trials is 2.5"),
        (lambda: distributions.Normal().quantile(1.5), "probability is 1.5"),
        (lambda: distributions.Beta(1, 1).update([0.5]), "it must be 0 or 1"),
        (lambda: distance.pairwise_distances([[1.0]], metric={"minkowski": {"p": 0.5}}), "p is 0.5"),
        (lambda: distance.pairwise_distances([[1.0, np.nan]]), "nan|NaN"),
        (lambda: kernels.rbf_kernel([[1.0]], gamma=-1.0), "gamma is -1"),
        (lambda: distance.pairwise_distances([[1.0]], metric="taxi"), "metric is"),
        (lambda: optimize.minimize(lambda x: 0.0, [0.0], method="magic"), "method is magic"),
        (lambda: optimize.minimize(lambda x: x, [0.0, 1.0]), "."),
        (lambda: information.entropy([0.5, 0.6]), "1"),
    ],
)
def test_mistakes_are_errors_that_say_what_is_wrong(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()


# -- optimisation ------------------------------------------------------------------------------


def rosenbrock(x):
    return scipy.optimize.rosen(x), scipy.optimize.rosen_der(x)


def stretched(condition):
    def function(x):
        scale = np.logspace(0, np.log10(condition), len(x))
        return 0.5 * np.sum(scale * (x - 1) ** 2), scale * (x - 1)

    return function


def quartic(x):
    return np.sum((x - 1) ** 4 + 0.1 * (x - 1) ** 2), 4 * (x - 1) ** 3 + 0.2 * (x - 1)


def logistic(parameters):
    X, y = load_breast_cancer(return_X_y=True)
    X, sign = (X - X.mean(0)) / X.std(0), 2 * y - 1
    w, b = parameters[:-1], parameters[-1]
    margin = sign * (X @ w + b)
    pull = -sign / (1 + np.exp(margin))
    value = np.logaddexp(0, -margin).sum() + 0.5 * w @ w
    return value, np.append(X.T @ pull + w, pull.sum())


def powell(x):
    a, b, c, d = x.reshape(-1, 4).T
    one, two, three, four = a + 10 * b, c - d, b - 2 * c, a - d
    gradient = [
        2 * one + 40 * four**3,
        20 * one + 4 * three**3,
        10 * two - 8 * three**3,
        -10 * two - 40 * four**3,
    ]
    return np.sum(one**2 + 5 * two**2 + three**4 + 10 * four**4), np.ravel(np.transpose(gradient))


def powers(x):
    weight = np.arange(1, len(x) + 1)
    total = weight @ (x - 1)
    value = np.sum((x - 1) ** 2) + total**2 + total**4
    return value, 2 * (x - 1) + (2 * total + 4 * total**3) * weight


def hilbert(x):
    matrix = 1.0 / (np.arange(10)[:, None] + np.arange(10) + 1)
    return 0.5 * (x - 1) @ matrix @ (x - 1), matrix @ (x - 1)


# Rosenbrock's valley, a real likelihood, and ill-conditioned functions of the literature.
PROBLEMS = {
    "rosenbrock 10": (rosenbrock, np.tile([-1.2, 1.0], 5)),
    "rosenbrock 100": (rosenbrock, np.tile([-1.2, 1.0], 50)),
    "logistic": (logistic, np.zeros(31)),
    "stretched 1e2": (stretched(1e2), np.zeros(20)),
    "stretched 1e4": (stretched(1e4), np.zeros(50)),
    "powell": (powell, np.tile([3.0, -1.0, 0.0, 1.0], 5)),
    "powers": (powers, 1 - np.arange(1, 21) / 20),
    "hilbert": (hilbert, np.zeros(10)),
    "quartic": (quartic, np.full(30, 3.0)),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_lbfgs_needs_no_more_evaluations_than_scipy(name):
    """Rounding moves single counts by a few, so the mean over nearby starts is compared."""
    function, start = PROBLEMS[name]
    random = np.random.default_rng(0)
    excess = []
    for case in range(6):
        near = start + 1e-3 * random.normal(size=len(start))
        calls = []

        def counted(x):
            calls.append(1)
            return function(x)

        options = {"gtol": 1e-6, "ftol": 0, "maxiter": 10_000}
        peer = scipy.optimize.minimize(function, near, jac=True, method="L-BFGS-B", options=options)
        options = {"gradient_tolerance": 1e-6, "objective_tolerance": 0.0, "max_iter": 10_000}
        found = optimize.minimize(counted, near, jac=True, options=options)
        assert found.converged and len(found.trace) == found.iterations
        assert found.value <= peer.fun + 1e-9 * max(1.0, abs(peer.fun))
        excess.append(len(calls) - peer.nfev)
    standard_error = np.std(excess, ddof=1) / np.sqrt(len(excess))
    assert np.mean(excess) <= max(1.0, 2 * standard_error)


@pytest.mark.parametrize(
    "method", ["gradient-descent", "conjugate-gradient", "lbfgs", "lbfgs-b", "newton", "truncated-newton"]
)
@pytest.mark.parametrize("given", ["differences", "gradient", "together"])
def test_every_method_finds_the_minimum(method, given):
    centre = np.array([1.0, -2.0, 0.5])
    matrix = np.array([[3.0, 1, 0], [1, 2, 0.5], [0, 0.5, 1]])

    def value(x):
        return 0.5 * (x - centre) @ matrix @ (x - centre) + np.sum((x - centre) ** 4)

    def gradient(x):
        return matrix @ (x - centre) + 4 * (x - centre) ** 3

    named = {
        "differences": {},
        "gradient": {"jac": gradient},
        "together": {"jac": True},
    }[given]
    function = (lambda x: (value(x), gradient(x))) if given == "together" else value
    found = optimize.minimize(function, np.zeros(3), method=method, **named)
    np.testing.assert_allclose(found.x, centre, atol=1e-4)


def test_bounds_are_kept_as_in_scipy():
    random = np.random.default_rng(10)
    for case in range(20):
        n = 6
        root = random.normal(size=(n, n))
        matrix, linear = root @ root.T + np.eye(n), random.normal(size=n) * 3

        def function(x):
            return 0.5 * x @ matrix @ x - linear @ x, matrix @ x - linear

        bounds = [(-0.5, 0.5), (0, None), (None, 0), (None, None), (0.1, 0.1), (-1, 2)]
        peer = scipy.optimize.minimize(
            function, np.zeros(n), jac=True, bounds=bounds, method="L-BFGS-B", options={"gtol": 1e-10, "ftol": 0}
        )
        found = optimize.minimize(function, np.zeros(n), jac=True, bounds=bounds)
        assert found.value <= peer.fun + 1e-9
        np.testing.assert_allclose(found.x, peer.x, atol=1e-5)


def programs(seed, cases):
    random = np.random.default_rng(seed)
    for case in range(cases):
        n, m = int(random.integers(2, 7)), int(random.integers(1, 8))
        A = random.normal(size=(m, n))
        b = A @ random.random(n) + random.random(m)
        if case % 5 == 1:
            A, b = np.vstack([A, A[:1]]), np.append(b, b[:1])  # a repeated constraint
        yield random, n, A, b


@pytest.mark.parametrize("method", ["active-set", "interior-point"])
def test_linear_programs_agree_with_scipy(method):
    words = {0: "optimal", 2: "infeasible", 3: "unbounded"}
    for random, n, A, b in programs(11, 60):
        c = random.normal(size=n)
        if random.random() < 0.2:
            A, b = np.vstack([A, A[:1], -A[:1]]), np.concatenate([b, [-9.0], [-9.0]])
        equality = {}
        if random.random() < 0.3:
            row = random.random((1, n))
            equality = {"A_eq": row, "b_eq": [1.0]}
        peer = scipy.optimize.linprog(c, A, b, **equality)
        found = optimize.linprog(c, A, b, **equality, method=method)
        assert found.status == words[peer.status]
        if found.status == "optimal":
            np.testing.assert_allclose(found.value, peer.fun, rtol=1e-7, atol=1e-7)
            assert found.kkt < 1e-6


@pytest.mark.parametrize("method", ["active-set", "interior-point"])
def test_quadratic_programs_agree_with_scipy(method):
    for random, n, A, b in programs(12, 25):
        root = random.normal(size=(n, n))
        P, q = root @ root.T + 0.1 * np.eye(n), random.normal(size=n)
        found = optimize.quadratic_program(P, q, A, b, method=method)
        peer = scipy.optimize.minimize(
            lambda x: 0.5 * x @ P @ x + q @ x,
            np.zeros(n),
            jac=lambda x: P @ x + q,
            constraints={"type": "ineq", "fun": lambda x: b - A @ x, "jac": lambda x: -A},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert found.status == "optimal" and found.kkt < 1e-8
        assert found.value <= peer.fun + 1e-6
        assert (A @ found.x <= b + 1e-8).all()


def test_constrained_minima_agree_with_scipy():
    def function(x):
        return (x[0] - 2) ** 2 + (x[1] - 1) ** 2

    circle = lambda x: x[0] ** 2 + x[1] ** 2 - 1  # noqa: E731
    line = lambda x: x[0] - 2 * x[1] + 1  # noqa: E731
    peer = scipy.optimize.minimize(
        function,
        [0.5, 0.5],
        constraints=[
            {"type": "eq", "fun": line},
            {"type": "ineq", "fun": lambda x: -circle(x)},
        ],
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    for method in ("sqp", "augmented-lagrangian"):
        found = optimize.minimize_constrained(
            function, [0.5, 0.5], equalities=[line], inequalities=[circle], method=method
        )
        np.testing.assert_allclose(found.x, peer.x, atol=1e-5)
        assert found.inequality_multipliers[0] >= 0


def test_least_squares_and_roots_agree_with_scipy():
    random = np.random.default_rng(13)
    t = np.linspace(0, 3, 40)
    y = 2.5 * np.exp(-1.3 * t) + 0.5 + 0.01 * random.normal(size=40)

    def residuals(x):
        return x[0] * np.exp(-x[1] * t) + x[2] - y

    peer = scipy.optimize.least_squares(residuals, [1, 1, 0], xtol=1e-14, ftol=1e-14, gtol=1e-14)
    found = optimize.least_squares(residuals, [1, 1, 0])
    np.testing.assert_allclose(found.x, peer.x, rtol=1e-6)
    np.testing.assert_allclose(found.value, peer.cost, rtol=1e-9)
    heavy = optimize.least_squares(residuals, [1, 1, 0], deviations=np.full(40, 0.5))
    np.testing.assert_allclose(heavy.value, 4 * peer.cost, rtol=1e-9)

    def equations(x):
        return [x[0] + 0.5 * (x[0] - x[1]) ** 3 - 1.0, 0.5 * (x[1] - x[0]) ** 3 + x[1]]

    found = optimize.root(equations, [0.0, 0.0])
    np.testing.assert_allclose(found.x, scipy.optimize.root(equations, [0, 0]).x, rtol=1e-8)
    np.testing.assert_allclose(optimize.root(lambda x: np.cos(x) - x, 1.0).x, [0.7390851332151607])


def test_a_sparse_solution_is_found_by_proximal_steps():
    from sklearn.linear_model import Lasso

    random = np.random.default_rng(14)
    X = random.normal(size=(60, 8))
    y = X[:, 0] - 2 * X[:, 3] + 0.1 * random.normal(size=60)

    def function(w):
        error = X @ w - y
        return error @ error / 120, X.T @ error / 60

    found = optimize.minimize(
        function,
        np.zeros(8),
        jac=True,
        penalty={"l1": {"weight": 0.1}},
        options={"max_iter": 5000, "objective_tolerance": 1e-15},
    )
    peer = Lasso(alpha=0.1, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(found.x, peer.coef_, atol=1e-5)
    assert (found.x == 0).sum() == (peer.coef_ == 0).sum()


def test_stochastic_descent_meets_least_squares():
    random = np.random.default_rng(15)
    X = random.normal(size=(200, 3))
    truth = np.array([1.0, -2.0, 0.5])
    y = X @ truth

    def terms(w, chosen):
        error = X[chosen] @ w - y[chosen]
        return 0.5 * error @ error, X[chosen].T @ error

    options = {"rule": {"adam": {"mean_decay": 0.9, "square_decay": 0.999, "epsilon": 1e-8}}, "rate": 0.05, "epochs": 200}
    found = optimize.minimize_terms(terms, 200, np.zeros(3), options=options)
    np.testing.assert_allclose(found.x, truth, atol=1e-3)


def test_exceptions_of_objectives_come_through():
    def broken(x):
        raise RuntimeError("no value today")

    with pytest.raises(RuntimeError, match="no value today"):
        optimize.minimize(broken, [1.0])

    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        optimize.minimize(interrupted, [1.0])
    with pytest.raises(ValueError, match="it must give 2"):
        optimize.minimize(lambda x: x @ x, [1.0, 1.0], jac=lambda x: x[:1])


def test_a_wrong_gradient_is_found_out():
    good = optimize.check_gradient(lambda x: (np.sum(x**3), 3 * x**2), [1.0, 2.0])
    assert good.passes
    bad = optimize.check_gradient(lambda x: (np.sum(x**3), 2 * x**2), [1.0, 2.0])
    assert not bad.passes
