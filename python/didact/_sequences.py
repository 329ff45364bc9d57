"""Models of sequences, with hmmlearn's conventions: one matrix and the lengths."""

import numpy as np
from sklearn.utils import check_array

from didact._estimator import class_names
from didact._rows import compressed, n_columns, n_rows


class Sequences:
    """What models of sequences have in common."""

    def _taught(self, X, lengths, y):
        rows = self._items(X)
        targets = None
        if y is not None:
            self.classes_, labels = np.unique(np.asarray(y), return_inverse=True)
            targets = labels.astype(np.uintp), class_names(self.classes_)
        else:
            self.__dict__.pop("classes_", None)
        self.n_features_in_ = n_columns(rows)
        return self._learn(rows, targets, None, self._lengths(rows, lengths))

    def predict(self, X, lengths=None):
        """Find the most probable state of each item."""
        return self.decode(X, lengths)[1]

    def decode(self, X, lengths=None):
        """Find the most probable path of states through the sequences.

        Returns
        -------
        log_prob : float
            Log-probability of the sequences together with their paths.
        states : ndarray of shape (n_items,)
            The state of each item.
        """
        rows = self._items(X)
        states, scores = self._fitted.decode(rows, self._lengths(rows, lengths))
        return float(scores.sum()), self._named(states)

    def predict_proba(self, X, lengths=None):
        """Give the probability of each state at each item."""
        rows = self._items(X)
        return self._fitted.state_probabilities(rows, self._lengths(rows, lengths))

    def _items(self, X):
        form = "csr" if "sparse" in self._route["accepts"] else False
        X = check_array(X, dtype=np.float64, order="C", accept_sparse=form, ensure_all_finite=False)
        return compressed(X) if hasattr(X, "indptr") else X

    def _lengths(self, rows, lengths):
        return [n_rows(rows)] if lengths is None else [int(length) for length in lengths]

    def _named(self, states):
        names = self._fitted.state_names
        return states.astype(np.int64) if names is None else np.asarray(names)[states]


class ExplainsSequences(Sequences):
    """Explains sequences by hidden states."""

    def fit(self, X, lengths=None, *, y=None):
        """Learn from sequences, or from sequences whose states are known.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
            The items of all sequences, one after the other.
        lengths : array-like of int, default=None
            Number of items of each sequence; None means one sequence.
        y : array-like of shape (n_items,), default=None
            The state of each item, where the states are taught.
        """
        return self._taught(X, lengths, y)

    def score(self, X, lengths=None):
        """Give the log-likelihood of the sequences."""
        rows = self._items(X)
        return float(self._fitted.log_likelihoods(rows, self._lengths(rows, lengths)).sum())

    def score_samples(self, X, lengths=None):
        """Give the log-likelihood of the sequences and the probability of each state."""
        return self.score(X, lengths), self.predict_proba(X, lengths)


class LabelsSequences(Sequences):
    """Labels the items of sequences as it was taught."""

    def fit(self, X, lengths=None, *, y):
        """Learn from sequences whose items are labelled.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
            The items of all sequences, one after the other.
        lengths : array-like of int, default=None
            Number of items of each sequence; None means one sequence.
        y : array-like of shape (n_items,)
            The label of each item.
        """
        if y is None:
            raise ValueError(f"{type(self).__name__} learns from labelled items: give the label of each as y")
        return self._taught(X, lengths, y)

    def score(self, X, lengths=None, *, y):
        """Give the share of the items whose label is found."""
        return float(np.mean(self.predict(X, lengths) == np.asarray(y)))
