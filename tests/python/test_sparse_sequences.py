"""Sequences of sparse items: every form of SciPy's matrices, and what they are learned and labelled by."""

import pickle

import numpy as np
import pytest
import scipy.sparse

import didact

LABELLERS = ["CRF", "ItemClassifier", "MEMM", "StructuredPerceptron"]
LENGTHS = [40, 1, 59]


def items():
    """A word and the one before it, of which the label is that of the word or, rarely, of the neighbour."""
    random = np.random.default_rng(0)
    words = random.integers(30, size=sum(LENGTHS))
    told = np.column_stack([words, 30 + np.roll(words, 1)])
    rows = np.repeat(np.arange(len(words)), 2)
    X = scipy.sparse.csr_matrix((np.ones(told.size), (rows, told.ravel())), shape=(len(words), 70))
    labels = np.where(random.random(len(words)) < 0.8, words, np.roll(words, 1)) % 3
    return X, np.array(["adjective", "noun", "verb"])[labels]


def fitted(name, X, y):
    return getattr(didact, name)().fit(X, LENGTHS, y=y)


@pytest.mark.parametrize("name", LABELLERS)
def test_sparse_items_teach_what_dense_ones_teach(name):
    X, y = items()
    sparse, dense = fitted(name, X, y), fitted(name, X.toarray(), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-4)
    assert sparse.n_features_in_ == 70
    np.testing.assert_array_equal(sparse.classes_, ["adjective", "noun", "verb"])
    # One model labels both kinds of items.
    np.testing.assert_array_equal(sparse.predict(X, LENGTHS), sparse.predict(X.toarray(), LENGTHS))
    np.testing.assert_allclose(
        sparse.predict_proba(X, LENGTHS), sparse.predict_proba(X.toarray(), LENGTHS), atol=1e-12
    )
    ours, theirs = sparse.decode(X, LENGTHS), sparse.decode(X.toarray(), LENGTHS)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)
    assert sparse.score(X, LENGTHS, y=y) == sparse.score(X.toarray(), LENGTHS, y=y) > 0.7


@pytest.mark.parametrize("form", ["csc", "coo", "lil"])
def test_every_form_of_sparse_items_is_understood(form):
    X, y = items()
    expected = fitted("CRF", X, y)
    found = fitted("CRF", X.asformat(form), y)
    np.testing.assert_array_equal(found.coef_, expected.coef_)
    np.testing.assert_array_equal(found.predict(X.asformat(form), LENGTHS), expected.predict(X, LENGTHS))


def test_sparse_items_of_one_sequence_need_no_lengths():
    X, y = items()
    model = didact.CRF().fit(X, y=y)
    assert model.predict(X).shape == y.shape


@pytest.mark.parametrize("name", LABELLERS)
def test_models_of_sparse_items_are_kept(name, tmp_path):
    X, y = items()
    model = fitted(name, X, y)
    model.save(tmp_path / "model.didact")
    for copy in [pickle.loads(pickle.dumps(model)), didact.load(tmp_path / "model.didact")]:
        np.testing.assert_array_equal(copy.predict(X, LENGTHS), model.predict(X, LENGTHS))


def test_methods_for_dense_items_say_so():
    X, y = items()
    with pytest.raises(TypeError, match="[Ss]parse"):
        didact.DeepCRF().fit(X, LENGTHS, y=y)


def test_other_columns_than_those_learned_from_are_refused():
    X, y = items()
    model = fitted("CRF", X, y)
    with pytest.raises(ValueError, match="column|feature"):
        model.predict(X[:, :50], LENGTHS)
