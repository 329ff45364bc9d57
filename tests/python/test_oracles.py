"""The same optimum, the same answers and the same attribute names as the best-known peers."""

import importlib

import numpy as np
import pycrfsuite
import pytest
import scipy.sparse
from hmmlearn.hmm import GaussianHMM
from sklearn import datasets
from sklearn.preprocessing import StandardScaler as Scaler

import didact

CLASSES = ["iris", "wine", "breast_cancer"]


def scaled(name):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return Scaler().fit_transform(X), y


def peer(name, module, **parameters):
    return getattr(importlib.import_module(f"sklearn.{module}"), name)(**parameters)


def same(ours, theirs, attributes, rtol=1e-9, atol=1e-9):
    for attribute in attributes:
        mine, other = getattr(ours, attribute), getattr(theirs, attribute)
        assert np.shape(mine) == np.shape(other), attribute
        np.testing.assert_allclose(mine, other, rtol=rtol, atol=atol, err_msg=attribute)


@pytest.mark.parametrize("name", [*CLASSES, "digits"])
def test_the_scaler_agrees(name):
    X, _ = getattr(datasets, f"load_{name}")(return_X_y=True)
    ours, theirs = didact.StandardScaler().fit(X), Scaler().fit(X)
    same(ours, theirs, ["mean_", "var_", "scale_"], 1e-12, 1e-12)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", CLASSES)
def test_principal_axes_agree(name):
    X, _ = scaled(name)
    ours = didact.PCA(3, ddof=1).fit(X)
    theirs = peer("PCA", "decomposition", n_components=3).fit(X)
    same(ours, theirs, ["mean_", "explained_variance_", "explained_variance_ratio_"])
    same(ours, theirs, ["singular_values_"])
    signs = np.sign(np.sum(ours.components_ * theirs.components_, axis=1))
    np.testing.assert_allclose(ours.components_ * signs[:, None], theirs.components_, atol=1e-8)
    np.testing.assert_allclose(ours.transform(X) * signs, theirs.transform(X), atol=1e-8)


@pytest.mark.parametrize("targets", [1, 2])
@pytest.mark.parametrize("name", ["LinearRegression", "Ridge"])
def test_least_squares_agree_in_values_and_shapes(name, targets):
    X, y = datasets.load_linnerud(return_X_y=True)
    y = y[:, 0] if targets == 1 else y[:, :targets]
    ours, theirs = getattr(didact, name)().fit(X, y), peer(name, "linear_model").fit(X, y)
    same(ours, theirs, ["coef_", "intercept_"])
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)


@pytest.mark.parametrize("noise", [1.0, 1e-2, 1e-5])
def test_least_squares_of_many_columns_agree(noise):
    # Pixels of digits mixed into 600 columns: the less noise, the closer they come to depending on
    # each other, and the rougher a factor in single precision is. NumPy is the judge without a
    # price, because scikit-learn leaves directions out where there is little noise.
    X, y = datasets.load_digits(return_X_y=True)
    random = np.random.default_rng(0)
    X = X @ random.normal(size=(64, 600)) / 8 + 4 * noise * random.normal(size=(len(X), 600))
    centred = X - X.mean(axis=0)
    weights = np.linalg.lstsq(centred, y - y.mean(), rcond=None)[0]
    # Near dependence the weights themselves are less certain, for either side.
    accuracy = {"rtol": 1e-9 / noise, "atol": 1e-9 / noise}
    np.testing.assert_allclose(didact.LinearRegression().fit(X, y).coef_, weights, **accuracy)
    ours, theirs = didact.Ridge().fit(X, y), peer("Ridge", "linear_model").fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, **accuracy)


@pytest.mark.parametrize("name", [*CLASSES, "digits"])
def test_logistic_regression_finds_the_same_optimum(name):
    X, y = scaled(name)
    ours = didact.LogisticRegression(tol=1e-10).fit(X, y)
    theirs = peer(
        "LogisticRegression", "linear_model", solver="newton-cholesky", tol=1e-12, max_iter=1000
    )
    theirs.fit(X, y)
    same(ours, theirs, ["coef_", "intercept_"], 1e-6, 1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("name", CLASSES)
def test_naive_bayes_agrees(name):
    X, y = scaled(name)
    ours, theirs = didact.GaussianNB().fit(X, y), peer("GaussianNB", "naive_bayes").fit(X, y)
    same(ours, theirs, ["classes_", "class_count_", "class_prior_", "theta_", "var_"])
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("name", CLASSES)
def test_neighbours_vote_alike(name, weights):
    X, y = scaled(name)
    train, test = np.arange(len(X)) % 3 > 0, np.arange(len(X)) % 3 == 0
    for kind in ["KNeighborsClassifier", "KNeighborsRegressor"]:
        ours = getattr(didact, kind)(7, weights=weights).fit(X[train], y[train])
        theirs = peer(kind, "neighbors", n_neighbors=7, weights=weights).fit(X[train], y[train])
        np.testing.assert_allclose(ours.predict(X[test]), theirs.predict(X[test]), rtol=1e-9)


@pytest.mark.parametrize("name", CLASSES)
def test_k_means_from_the_same_centres_ends_in_the_same_clusters(name):
    X, _ = scaled(name)
    start = X[[0, 60, 120]]
    ours = didact.KMeans(3, init_centers=start, tol=0).fit(X)
    theirs = peer("KMeans", "cluster", n_clusters=3, init=start, n_init=1, tol=0).fit(X)
    same(ours, theirs, ["cluster_centers_", "inertia_"])
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-9)


@pytest.mark.parametrize("shape", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("name", ["iris", "wine"])
def test_mixtures_take_the_same_steps(name, shape):
    X, _ = scaled(name)
    count = X.shape[1]
    precisions = {
        "full": np.stack([np.eye(count)] * 2),
        "tied": np.eye(count),
        "diag": np.ones((2, count)),
        "spherical": np.ones(2),
    }[shape]
    start = dict(
        n_components=2,
        covariance_type=shape,
        means_init=X[[0, 100]],
        weights_init=[0.4, 0.6],
        precisions_init=precisions,
        max_iter=10,
        tol=0.0,
    )
    ours = didact.GaussianMixture(**start).fit(X)
    with pytest.warns(Warning):  # ten steps are not meant to converge
        theirs = peer("GaussianMixture", "mixture", **start).fit(X)
    same(ours, theirs, ["weights_", "means_", "covariances_"], 1e-8, 1e-8)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    np.testing.assert_allclose(ours.score(X), theirs.score(X), rtol=1e-9)


def test_hidden_markov_models_find_the_states_of_hmmlearn():
    """Both start where the data were drawn, so both climb to the same optimum."""
    truth = GaussianHMM(2, covariance_type="diag", init_params="", params="")
    truth.startprob_, truth.transmat_ = np.array([0.6, 0.4]), np.array([[0.9, 0.1], [0.2, 0.8]])
    truth.means_, truth.covars_ = np.array([[0.0], [4.0]]), np.array([[1.0], [0.5]])
    X, states = truth.sample(600, random_state=3)
    lengths = [200, 400]
    # Without the priors of hmmlearn both climb to the maximum of the same likelihood.
    theirs = GaussianHMM(
        2, covariance_type="diag", n_iter=2000, tol=1e-13, random_state=0, covars_prior=0.0, covars_weight=1.0
    )
    theirs.fit(X, lengths)
    ours = didact.HMM(2, emission="gaussian", max_iter=2000, tol=1e-13).fit(X, lengths)
    order = np.argsort(ours.means_[:, 0])
    other = np.argsort(theirs.means_[:, 0])
    np.testing.assert_allclose(ours.means_[order], theirs.means_[other], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(
        ours.transmat_[np.ix_(order, order)],
        theirs.transmat_[np.ix_(other, other)],
        rtol=1e-6,
        atol=1e-6,
    )
    np.testing.assert_array_equal(
        np.argsort(order)[ours.predict(X, lengths)], np.argsort(other)[theirs.predict(X, lengths)]
    )
    np.testing.assert_allclose(ours.score(X, lengths), theirs.score(X, lengths), rtol=1e-9)


def tagged_text():
    """Words of a small vocabulary told by themselves and their neighbours, tagged mostly by themselves."""
    random = np.random.default_rng(4)
    lengths = [12, 1, 20, 7, 30, 15, 25, 10, 18, 22]
    words = np.minimum(random.zipf(1.5, size=sum(lengths)), 60) - 1
    told = np.column_stack([words, 60 + np.roll(words, 1), 120 + np.roll(words, -1)])
    rows = np.repeat(np.arange(len(told)), 3)
    X = scipy.sparse.csr_matrix((np.ones(told.size), (rows, told.ravel())), shape=(len(told), 200))
    noisy = random.random(len(words)) < 0.3
    y = np.where(noisy, random.integers(3, size=len(words)), words % 3)
    return X, y, lengths


@pytest.mark.parametrize("c2", [0.05, 1.0])
def test_random_fields_of_sparse_items_have_the_optimum_of_crfsuite(tmp_path, c2):
    X, y, lengths = tagged_text()
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({
        "c1": 0, "c2": c2, "feature.possible_transitions": True, "feature.possible_states": True,
        "max_iterations": 5000, "epsilon": 1e-12, "delta": 1e-16, "period": 50, "num_memories": 20,
    })
    texts = [[str(column) for column in row.indices] for row in X]
    ends = np.cumsum(lengths)
    sentences = [texts[end - length : end] for end, length in zip(ends, lengths)]
    for sentence, end, length in zip(sentences, ends, lengths):
        trainer.append(sentence, [str(label) for label in y[end - length : end]])
    trainer.train(str(tmp_path / "crfsuite"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "crfsuite"))
    known = tagger.info()
    coef = np.zeros((3, X.shape[1]))
    for (column, label), weight in known.state_features.items():
        coef[int(label), int(column)] = weight
    transitions = [[known.transitions[str(a), str(b)] for b in range(3)] for a in range(3)]
    ours = didact.CRF(
        2 * c2, transition_alpha=2 * c2, fit_intercept=False, fit_ends=False, tol=1e-10, max_iter=5000
    )
    ours.fit(X, lengths, y=y)
    # Their weights are printed with six decimals.
    np.testing.assert_allclose(ours.coef_, coef, atol=1e-5)
    np.testing.assert_allclose(ours.transitions_, transitions, atol=1e-5)
    path = [int(label) for sentence in sentences for label in tagger.tag(sentence)]
    np.testing.assert_array_equal(ours.predict(X, lengths), path)
    tagger.set(sentences[2])
    marginals = [[tagger.marginal(str(label), item) for label in range(3)] for item in range(20)]
    np.testing.assert_allclose(ours.predict_proba(X[13:33]), marginals, atol=1e-5)


def test_taught_states_keep_their_names():
    hidden = np.array(["rain", "sun"])[[0, 0, 1, 1, 0, 1, 1, 1, 0, 0]]
    X = np.array([[0], [0], [1], [1], [0], [1], [1], [1], [0], [0]], dtype=float)
    model = didact.HMM(2).fit(X, [4, 6], y=hidden)
    assert set(model.predict(X, [4, 6])) <= {"rain", "sun"}
