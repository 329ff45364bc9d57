"""What all estimators share: parameters, checks of the input, fitting, saving."""

import numpy as np
import sklearn
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_non_negative, column_or_1d, validate_data

from didact import _didact
from didact._callbacks import CallbackSupport, Stopped, observed, with_callbacks
from didact._labels import distinct
from didact._parameters import specification
from didact._rows import compressed, frame, n_rows

_FLOAT = np.dtype(np.float64)
_OLD = tuple(int(part) for part in sklearn.__version__.split(".")[:2]) < (1, 9)


class Estimator(CallbackSupport, BaseEstimator):
    """An algorithm of the catalogue as a scikit-learn estimator.

    Subclasses are generated: ``_entry`` is what the catalogue says about the algorithm,
    ``_route`` how it learns in this class.
    """

    _entry = None
    _route = None

    # -- fitting ---------------------------------------------------------------------------

    def _fit(self, X, y, sample_weight):
        rows = self._checked_rows(X, reset=True)
        return self._learn(rows, self._targets(rows, y), sample_weight)

    @with_callbacks
    def _learn(self, rows, targets, sample_weight, lengths=None):
        names = getattr(self, "feature_names_in_", None)
        names = None if names is None else [str(name) for name in names]
        given = (rows, targets, weights(sample_weight, rows), lengths, names, threads(self.n_jobs))
        start = self.__dict__.get("_model") if getattr(self, "warm_start", False) else None
        with observed(self) as observer:
            try:
                model = _didact.Learner(specification(self)).fit(*given, observer, start)
            except Stopped as stopped:
                # By now the fit has gone on; the same seed takes the same steps up to there.
                shorter = specification(self, max_iter=stopped.iteration)
                model = _didact.Learner(shorter).fit(*given, None, start)
        self._adopt(model)
        return self

    def _adopt(self, model):
        """Makes the model this estimator's own."""
        self._model = model
        self._known = {}
        self.__dict__.pop("_online", None)

    def _targets(self, rows, y):
        """What is to be predicted, as the library wants it; remembers its form."""
        return None

    # -- input -----------------------------------------------------------------------------

    def _rows(self, X):
        """Rows to predict for. What needs no conversion costs no check in Python."""
        known = self.__dict__
        if "_model" not in known:
            raise self._not_fitted()
        if is_ready(X) and X.shape[1] == known["n_features_in_"] and "feature_names_in_" not in known:
            return X
        return self._checked_rows(X, reset=False)

    def _answer(self, ability, X):
        """What the model says about the rows by one of its abilities."""
        rows = self._rows(X)
        return self._model.answer(ability, rows, threads(self.n_jobs))

    def _checked_rows(self, X, reset):
        if reset and is_ready(X) and self._route["values"] == "any":
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)
            return X
        accepts = self._accepts() if reset else self._route["accepts"]
        if hasattr(X, "__arrow_c_stream__"):
            matrix = frame(X)
            if matrix is not None:
                validate_data(self, Header.of(X), reset=reset, skip_check_array=True)
                return enough(matrix)
        # Whether the values are finite is looked at once, by the library.
        X = validate_data(
            self,
            X,
            reset=reset,
            dtype=np.float64,
            order="C",
            accept_sparse="csr" if "sparse" in accepts else False,
            ensure_all_finite=False,
        )
        if reset and self._route["values"] != "any":
            check_non_negative(X, type(self).__name__)
        return compressed(X) if hasattr(X, "indptr") else X

    def _accepts(self):
        """What the algorithm takes with these parameters."""
        try:
            return _didact.Learner(specification(self)).accepts(self._route["kind"])
        except ValueError:  # parameters that cannot be understood are reported by fit
            return self._route["accepts"]

    def _not_fitted(self):
        name = type(self).__name__
        return NotFittedError(
            f"This {name} instance is not fitted yet; call fit with data before using it."
        )

    @property
    def _fitted(self):
        try:
            return self.__dict__["_model"]
        except KeyError:
            raise self._not_fitted() from None

    def __sklearn_is_fitted__(self):
        return "_model" in self.__dict__

    # -- knowledge -------------------------------------------------------------------------

    def _attribute(self, name):
        """A fitted attribute, read from the model once."""
        model = self._fitted
        if name not in self._known:
            value = model.attribute(name)
            if value is None:
                raise AttributeError(f"this model has no {name}_")
            self._known[name] = self._as_scikit_learn(name, value)
        return self._known[name]

    def _as_scikit_learn(self, name, value):
        return value

    @property
    def trace_(self):
        """The history of an iterative fit: the objective after each iteration."""
        trace = self._fitted.trace
        if trace is None:
            raise AttributeError(f"{type(self).__name__} has no trace: it is not iterative")
        name, values, stop = trace
        return {"objective": name, "values": values, "stop": stop}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        accepts = self._accepts()
        tags.input_tags.sparse = "sparse" in accepts
        tags.input_tags.allow_nan = "missing-values" in accepts
        tags.input_tags.positive_only = self._route["values"] != "any"
        tags.input_tags.categorical = self._route["values"] == "categories"
        return tags

    # -- saving ----------------------------------------------------------------------------

    def save(self, path):
        """Write the model file, which the command, Rust and ``didact.load`` read.

        Parameters
        ----------
        path : str or path-like
            Where to write it; ``.didact`` is the usual ending.
        """
        self._fitted.save(path)

    def __getstate__(self):
        state = {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("_model", "_known", "_online")
        }
        if "_model" in self.__dict__:
            state["_model"] = self._model.to_bytes()
        return state

    def __setstate__(self, state):
        state = dict(state)
        model = state.pop("_model", None)
        self.__dict__.update(state)
        if model is not None:
            self._adopt(_didact.Model.from_bytes(model))


class Unsupervised:
    """Learns from rows alone; ``y`` is there for pipelines and ignored."""

    def fit(self, X, y=None):
        """Learn from the rows of X; y is ignored."""
        return self._fit(X, None, None)


class WeightedUnsupervised(Unsupervised):
    """The same with a weight for each row."""

    def fit(self, X, y=None, sample_weight=None):
        """Learn from the rows of X, each counting as much as its weight; y is ignored."""
        return self._fit(X, None, sample_weight)


class Supervised:
    """Learns from rows and their targets."""

    def fit(self, X, y):
        """Learn to predict y from the rows of X."""
        return self._fit(X, y, None)


class WeightedSupervised(Supervised):
    """The same with a weight for each row."""

    def fit(self, X, y, sample_weight=None):
        """Learn to predict y from the rows of X, each counting as much as its weight."""
        return self._fit(X, y, sample_weight)


class LearnsClasses:
    """Targets are classes under any names."""

    def _targets(self, rows, y):
        if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iub":
            # Whole numbers in a row can only be classes, and are counted faster than sorted.
            same_length(rows, y)
            self.classes_, (labels,) = distinct([y])
        else:
            y = column_or_1d(present(self, y), warn=True)
            check_classification_targets(y)
            same_length(rows, y)
            self.classes_, labels = np.unique(y, return_inverse=True)
        return labels.astype(np.uintp, copy=False), class_names(self.classes_)

    def _adopt(self, model):
        super()._adopt(model)
        if "classes_" not in self.__dict__ and model.classes is not None:
            self.classes_ = np.asarray(model.classes)

    def predict(self, X):
        """Predict the class of each row; None where the model leaves a row undecided."""
        labels = self._answer("classify", X)
        # Labels without a sign are all decided; NumPy would copy them to index with them.
        if labels.dtype.kind == "u":
            return self.classes_.take(labels.view(labels.dtype.str.replace("u", "i")))
        if labels.min() >= 0:
            return self.classes_[labels]
        classes = self.classes_[labels].astype(object)
        classes[labels < 0] = None
        return classes

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = is_baseline(self._entry)
        return tags


class LearnsSomeClasses:
    """Some classes are unknown: −1 among whole numbers, else None or NaN."""

    def _targets(self, rows, y):
        y = column_or_1d(present(self, y), warn=True)
        known = y != -1 if y.dtype.kind in "iu" else ~isnull(y)
        if known.all():
            return super()._targets(rows, y)
        if not known.any():
            raise ValueError("no class is known; at least one row must have its class")
        same_length(rows, y)
        told = y[known]
        # Text beside None, or whole numbers beside NaN, are what they are without it.
        told = np.array(told.tolist()) if told.dtype.kind == "O" else told
        check_classification_targets(told)
        self.classes_, told = np.unique(told, return_inverse=True)
        labels = np.full(len(y), -1, dtype=np.int64)
        labels[known] = told
        return labels, class_names(self.classes_)


class LearnsNumbers:
    """Targets are real numbers, one or several per row."""

    def _targets(self, rows, y):
        y = present(self, y)
        several = "multi-output" in self._route["accepts"]
        if not several:
            y = column_or_1d(y, warn=True)
        y = np.asarray(y)
        if y.dtype.kind == "O":
            y = y.astype(np.float64)
        if np.iscomplexobj(y):
            raise ValueError("Complex data not supported: y must be real")
        y = np.ascontiguousarray(y, dtype=np.float64)
        if y.ndim > 2:
            raise ValueError(f"y has {y.ndim} dimensions; it must have one or two")
        if not np.isfinite(y).all():
            raise ValueError("Input y contains NaN or infinity; every target must be finite")
        same_length(rows, y)
        self._one_target = y.ndim == 1
        return y.reshape(len(y), -1)

    def predict(self, X):
        """Predict the target of each row."""
        values = self._answer("regress", X)
        return values[:, 0] if self.__dict__.get("_one_target", values.shape[1] == 1) else values

    def _as_scikit_learn(self, name, value):
        # With one target scikit-learn drops the axis of the targets.
        if self.__dict__.get("_one_target") and isinstance(value, np.ndarray) and value.ndim:
            return value[0] if value.shape[0] == 1 else value
        return value

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = "multi-output" in self._route["accepts"]
        tags.regressor_tags.poor_score = is_baseline(self._entry)
        return tags


# -- helpers -------------------------------------------------------------------------------


def isnull(values):
    """Which values are None or NaN."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    return np.array([value is None or value != value for value in values], dtype=bool)


def is_ready(X):
    """Whether these are rows that the library takes as they are: checking them in Python would
    take longer than many a fit. Whether the values are finite is looked at by the library."""
    return type(X) is np.ndarray and X.dtype is _FLOAT and X.ndim == 2 and X.size > 0 and X.flags.c_contiguous


def is_baseline(entry):
    """Whether the algorithm is there to be beaten, and its score may be poor."""
    return "baseline-comparison" in entry["serves"]


def threads(n_jobs):
    """The budget of threads; nothing and −1 mean all cores."""
    if n_jobs is None or n_jobs == -1:
        return None
    if n_jobs < 1:
        raise ValueError(f"n_jobs is {n_jobs}; it must be at least 1, or -1 for all cores")
    return int(n_jobs)


def seed_of(random_state):
    """A seed from what scikit-learn calls a random state."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(2**31 - 1))
    return int(random_state)


def present(estimator, y):
    """The targets, or the words that scikit-learn's users know when there are none."""
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, "
            "but the target y is None."
        )
    return y


def same_length(rows, y):
    """Fails unless there is a target for every row."""
    if n_rows(rows) != len(y):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[n_rows(rows), len(y)]}"
        )


def weights(sample_weight, rows):
    """A weight for each row, or nothing."""
    if sample_weight is None:
        return None
    values = np.asarray(sample_weight, dtype=np.float64)
    if values.ndim == 0:
        values = np.full(n_rows(rows), float(values))
    if values.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    return np.ascontiguousarray(values)


def class_names(classes):
    """Classes as whole numbers or words, in the order in which NumPy sorts them."""
    if classes.dtype.kind == "b":
        return ["true" if flag else "false" for flag in classes]
    if classes.dtype.kind in "iu":
        return [int(number) for number in classes]
    if classes.dtype.kind == "f" and (classes == np.floor(classes)).all():
        return [int(number) for number in classes]
    return [str(name) for name in classes]


class Header:
    """Shape and column names of a table, in the way that scikit-learn before 1.9 reads them."""

    def __init__(self, table):
        self.shape = table.shape
        self.names = list(table.columns)

    @staticmethod
    def of(table):
        """The table itself, unless scikit-learn would not see its names."""
        return Header(table) if _OLD and not hasattr(table, "__dataframe__") else table

    def __dataframe__(self):
        return self

    def column_names(self):
        """The names."""
        return self.names


def enough(matrix):
    """The matrix, if there is anything in it."""
    if matrix.shape[0] == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={matrix.shape}) while a minimum of 1 is required."
        )
    if matrix.shape[1] == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={matrix.shape}) while a minimum of 1 is required."
        )
    return matrix
