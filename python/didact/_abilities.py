"""What fitted models can do: one mixin per ability, with scikit-learn's names."""

import warnings

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import column_or_1d

from didact import _didact
from didact._estimator import class_names, present, same_length, seed_of, threads, weights
from didact._parameters import specification
from didact._rows import compressed, expanded


class GivesProbabilities:
    """Says how probable each class or component is."""

    def predict_proba(self, X):
        """Predict the probability of each class or component for each row."""
        return self._answer("probabilities", X)


class GivesLogProbabilities:
    """The same on a logarithmic scale, for classifiers."""

    def predict_log_proba(self, X):
        """Predict the logarithm of the probability of each class for each row."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class GivesScores:
    """Gives decision scores."""

    def decision_function(self, X):
        """Score each row: one score for two classes, else one per class."""
        scores = self._answer("scores", X)
        return scores[:, 0] if scores.shape[1] == 1 else scores


class Assigns:
    """Says which cluster or component a row belongs to."""

    def predict(self, X):
        """Find the cluster of each row; -1 is noise."""
        return self._answer("assign", X)


class AssignsTrainingRows:
    """A clusterer that does not keep the labels of the rows it learned from."""

    def fit_predict(self, X, y=None):
        """Learn from the rows and find the cluster of each."""
        return self.fit(X).predict(X)


class Transforms(TransformerMixin):
    """Turns rows into other rows."""

    def transform(self, X):
        """Transform the rows."""
        values = self._answer("transform", X)
        return expanded(values) if isinstance(values, tuple) else values

    def get_feature_names_out(self, input_features=None):
        """Name the columns of the transformed rows.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns before; None takes those of the fit.
        """
        model = self._fitted
        known = getattr(self, "feature_names_in_", None)
        if input_features is None:
            names = [f"x{i}" for i in range(self.n_features_in_)] if known is None else known
        else:
            names = np.asarray(input_features, dtype=object)
            if known is not None and not np.array_equal(known, names):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(names) != self.n_features_in_:
                raise ValueError(
                    "input_features should have length equal to number of features "
                    f"({self.n_features_in_}), got {len(names)}"
                )
        return np.asarray(model.output_names([str(name) for name in names]), dtype=object)


class Inverts:
    """Takes a transformation back."""

    def inverse_transform(self, X):
        """Transform rows back, as far as that is possible."""
        model = self._fitted
        sparse = "csr" if "sparse" in self._route["accepts"] else False
        X = check_array(X, dtype=np.float64, order="C", accept_sparse=sparse)
        rows = compressed(X) if hasattr(X, "indptr") else X
        return model.invert(rows, threads(self.n_jobs))


class GivesDeviations:
    """Says how sure its predictions are."""

    def predict(self, X, return_std=False):
        """Predict the target of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        return_std : bool, default=False
            Whether to give the standard deviation of a new target as well.
        """
        predicted = super().predict(X)
        if not return_std:
            return predicted
        return predicted, self._answer("deviations", X).reshape(predicted.shape)


class GivesDensities:
    """Says how probable rows are."""

    def score_samples(self, X):
        """Give the logarithm of the density of each row."""
        return self._answer("log-density", X)


class ScoresByDensity:
    """Is judged by how probable it finds the rows."""

    def score(self, X, y=None):
        """Give the mean log-density of the rows."""
        return float(np.mean(self.score_samples(X)))


class Draws:
    """Draws new data."""

    def sample(self, n_samples=1, random_state=0):
        """Draw rows.

        Parameters
        ----------
        n_samples : int, default=1
            How many rows to draw.
        random_state : int, RandomState, Generator or None, default=0
            The same seed gives the same rows.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The rows.
        y : ndarray of shape (n_samples,)
            The class, component or state that each row came from.
        """
        rows, labels = self._fitted.draw(n_samples, seed_of(random_state))
        classes = getattr(self, "classes_", None)
        return rows, labels.astype(np.int64) if classes is None else classes[labels]


class LearnsOnline:
    """Learns chunk by chunk from rows alone."""

    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn from some more rows; the model is that of all rows so far."""
        return self._observe(X, None, sample_weight)

    def _observe(self, X, y, sample_weight):
        online = self.__dict__.get("_online")
        rows = self._checked_rows(X, reset="_model" not in self.__dict__)
        given = self._chunk_targets(rows, y)
        if online is None:
            online = _didact.Learner(specification(self)).online()
            if "_model" in self.__dict__:
                self._go_on(online)
        model = online.observe(rows, given, weights(sample_weight, rows), threads(self.n_jobs))
        self._adopt(model)
        self._online = online
        return self

    def _go_on(self, online):
        """Learns on where fit ended, if the model remembers enough of its rows."""
        try:
            online.resume(self._model)
        except ValueError:
            warnings.warn(
                f"a fitted {type(self).__name__} does not remember enough of its rows to go on "
                "learning, so partial_fit starts anew; call it from the first chunk on instead",
                stacklevel=4,
            )

    def _chunk_targets(self, rows, y):
        return self._targets(rows, y)


class LearnsNumbersOnline(LearnsOnline):
    """Learns chunk by chunk from rows with real targets."""

    def partial_fit(self, X, y, sample_weight=None):
        """Learn from some more rows; the model is that of all rows so far."""
        return self._observe(X, y, sample_weight)


class LearnsClassesOnline(LearnsOnline):
    """Learns chunk by chunk from rows with classes."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from some more rows; the model is that of all rows so far.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The class of each row.
        classes : array-like, default=None
            All classes that will ever come; needed at the first call only, and not even there
            after a fit, which is continued.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.
        """
        if "_model" not in self.__dict__:
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            self.classes_ = np.unique(classes)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, "
                f"was: {self.classes_!r}"
            )
        return self._observe(X, y, sample_weight)

    def _chunk_targets(self, rows, y):
        y = column_or_1d(present(self, y), warn=True)
        same_length(rows, y)
        labels = np.searchsorted(self.classes_, y)
        labels = np.minimum(labels, len(self.classes_) - 1)
        if not np.array_equal(self.classes_[labels], y):
            raise ValueError(
                f"y contains classes that are not among those of the first call: {self.classes_}"
            )
        return labels.astype(np.uintp), class_names(self.classes_)
