"""Ways to cut rows into parts that train and parts that test, as scikit-learn's classes."""

import json

from didact import _didact
from didact._labels import column, distinct


class Splitter:
    """Cuts rows; works wherever scikit-learn takes ``cv``."""

    _needs_classes = False
    _needs_groups = False
    random_state = 0

    def split(self, X, y=None, groups=None):
        """Give the row numbers of training and test part of each split.

        Parameters
        ----------
        X : array-like
            The rows; only their number matters.
        y : array-like, default=None
            The class of each row, for splitters that keep the shares of classes.
        groups : array-like, default=None
            The group of each row, for splitters that keep groups whole.
        """
        yield from self._cut(n_rows(X), y, groups)

    def _cut(self, n, y, groups):
        from didact._estimator import seed_of

        classes = self._marks("y", y) if self._needs_classes else None
        marks = self._marks("groups", groups) if self._needs_groups else None
        seed = seed_of(self.random_state)
        return _didact.cut(json.dumps(self._as_json()), n, classes, marks, seed)

    def _marks(self, name, values):
        if values is None:
            raise ValueError(f"The '{name}' parameter should not be None.")
        return distinct([column(name, values)])[1][0]

    def get_n_splits(self, X=None, y=None, groups=None):
        """Give the number of splits."""
        return self.n_splits

    def __repr__(self):
        listed = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({listed})"


def n_rows(X):
    """The number of rows of anything."""
    return X.shape[0] if hasattr(X, "shape") else len(X)


class KFold(Splitter):
    """Disjoint parts, each of which tests once.

    Parameters
    ----------
    n_splits : int, default=5
        Number of parts.
    shuffle : bool, default=False
        Whether rows are dealt out at random; else parts are consecutive.
    random_state : int, RandomState, Generator or None, default=0
        The same seed gives the same parts.
    """

    def __init__(self, n_splits=5, *, shuffle=False, random_state=0):
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def _as_json(self):
        return {"kind": "k-fold", "n_folds": self.n_splits, "shuffle": self.shuffle}


class StratifiedKFold(KFold):
    """Disjoint parts with the same share of each class in every one.

    Parameters
    ----------
    n_splits : int, default=5
        Number of parts.
    shuffle : bool, default=False
        Whether the rows of a class are dealt out at random; else in their order.
    random_state : int, RandomState, Generator or None, default=0
        The same seed gives the same parts.
    """

    _needs_classes = True

    def _as_json(self):
        return {"kind": "stratified", "n_folds": self.n_splits, "shuffle": self.shuffle}


class GroupKFold(Splitter):
    """Disjoint parts that keep groups whole.

    Parameters
    ----------
    n_splits : int, default=5
        Number of parts.
    """

    _needs_groups = True

    def __init__(self, n_splits=5):
        self.n_splits = n_splits

    def _as_json(self):
        return {"kind": "grouped", "n_folds": self.n_splits}


class LeaveOneGroupOut(Splitter):
    """Each group tests once."""

    _needs_groups = True

    def _as_json(self):
        return {"kind": "leave-one-group-out"}

    def get_n_splits(self, X=None, y=None, groups=None):
        """Give the number of splits: that of the groups."""
        return int(self._marks("groups", groups).max()) + 1


class LeaveOneOut(Splitter):
    """Each row tests once, alone."""

    def _as_json(self):
        return {"kind": "leave-one-out"}

    def get_n_splits(self, X=None, y=None, groups=None):
        """Give the number of splits: that of the rows."""
        if X is None:
            raise ValueError("The 'X' parameter should not be None.")
        return n_rows(X)


class RepeatedKFold(Splitter):
    """Shuffled parts, again and again with other shuffles.

    Parameters
    ----------
    n_splits : int, default=5
        Number of parts of each round.
    n_repeats : int, default=10
        Number of rounds.
    random_state : int, RandomState, Generator or None, default=0
        The same seed gives the same parts.
    """

    def __init__(self, *, n_splits=5, n_repeats=10, random_state=0):
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state

    def _as_json(self):
        return {"kind": "repeated", "n_folds": self.n_splits, "n_repeats": self.n_repeats}

    def get_n_splits(self, X=None, y=None, groups=None):
        """Give the number of splits."""
        return self.n_splits * self.n_repeats


class RepeatedStratifiedKFold(RepeatedKFold):
    """Shuffled parts with the same share of each class, again and again.

    Parameters
    ----------
    n_splits : int, default=5
        Number of parts of each round.
    n_repeats : int, default=10
        Number of rounds.
    random_state : int, RandomState, Generator or None, default=0
        The same seed gives the same parts.
    """

    _needs_classes = True


class ShuffleSplit(Splitter):
    """Independent random draws: a row may test several times or never.

    Parameters
    ----------
    n_splits : int, default=10
        Number of draws.
    test_size : float, default=0.1
        Share of the rows that tests in each; the others train.
    random_state : int, RandomState, Generator or None, default=0
        The same seed gives the same draws.
    """

    def __init__(self, n_splits=10, *, test_size=0.1, random_state=0):
        self.n_splits = n_splits
        self.test_size = test_size
        self.random_state = random_state

    def _as_json(self):
        share = 1.0 - self.test_size
        return {"kind": "shuffle-split", "n_splits": self.n_splits, "train_share": share}


class TimeSeriesSplit(Splitter):
    """Trains on the past and tests on what comes next.

    Parameters
    ----------
    n_splits : int, default=5
        Number of test parts.
    max_train_size : int, default=None
        At most this many of the latest rows train.
    test_size : int, default=None
        Rows of each test part; None takes as many as fit.
    gap : int, default=0
        Rows left out between training and test.
    """

    def __init__(self, n_splits=5, *, max_train_size=None, test_size=None, gap=0):
        self.n_splits = n_splits
        self.max_train_size = max_train_size
        self.test_size = test_size
        self.gap = gap

    def _as_json(self):
        return {
            "kind": "time-series",
            "n_splits": self.n_splits,
            "gap": self.gap,
            "test_size": self.test_size,
            "max_train": self.max_train_size,
        }


def train_test_split(*arrays, test_size=0.25, random_state=0, stratify=None, groups=None):
    """Cut arrays into a training and a test part.

    Parameters
    ----------
    *arrays : array-like
        Arrays, tables or lists of the same length.
    test_size : float, default=0.25
        Share of the rows that tests.
    random_state : int, RandomState, Generator or None, default=0
        The same seed gives the same parts.
    stratify : array-like, default=None
        Classes whose shares both parts keep.
    groups : array-like, default=None
        Groups that stay whole.

    Returns
    -------
    list
        Training and test part of each array in turn.

    Examples
    --------
    >>> from didact.model_selection import train_test_split
    >>> train, test = train_test_split(list(range(8)))
    >>> len(train), len(test)
    (6, 2)
    """
    from sklearn.utils import _safe_indexing, indexable

    from didact._estimator import seed_of

    if not arrays:
        raise ValueError("At least one array required as input")
    arrays = indexable(*arrays)
    coded = [
        None if marks is None else distinct([column(name, marks)])[1][0]
        for name, marks in (("stratify", stratify), ("groups", groups))
    ]
    seed = seed_of(random_state)
    parts = _didact.split(n_rows(arrays[0]), 1.0 - test_size, seed, *coded)
    return [_safe_indexing(array, part) for array in arrays for part in parts]


SPLITTERS = [
    KFold,
    StratifiedKFold,
    GroupKFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
]
