"""A model of any specification, which reads tables as the command does."""

import json

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from didact import _didact
from didact._callbacks import Bar
from didact._estimator import threads


class Model(BaseEstimator):
    """An algorithm or pipeline that reads tables with numbers, words, times and gaps.

    Columns of words become one column per word, missing numbers are filled, as in the command
    ``didact fit``; what was learned about the columns is part of the model.

    Parameters
    ----------
    spec : str
        The algorithm or pipeline, as in ``"standard-scaler | ridge(alpha=2)"``.
    task : {"classification", "regression"}, default=None
        Settles what a target of whole numbers is; None looks at the values.
    n_jobs : int or None, default=None
        How many threads may be used; None and -1 mean all cores.
    verbose : bool, default=False
        Whether to show a bar with the iteration and the objective.

    Examples
    --------
    >>> import didact
    >>> from didact.datasets import load_penguins
    >>> penguins = load_penguins(as_frame=True).frame
    >>> model = didact.Model("standard-scaler | logistic-regression")
    >>> model = model.fit(penguins, target="species")
    >>> model.predict(penguins)[:2].tolist()
    ['Adelie', 'Adelie']
    """

    def __init__(self, spec="gaussian-nb", *, task=None, n_jobs=None, verbose=False):
        self.spec = spec
        self.task = task
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def _of(cls, model, header):
        steps = " | ".join(step["algorithm"] for step in header["specification"])
        estimator = cls(steps)
        estimator._model = model
        return estimator

    def fit(self, table, *, target=None):
        """Learn from a table.

        Parameters
        ----------
        table : pandas, polars or pyarrow table
            Anything that speaks the Arrow C stream interface.
        target : str, default=None
            The column to predict; None for methods that need none.
        """
        learner = _didact.Learner(self.spec)
        bar = Bar("fit") if self.verbose else None
        try:
            observer = bar and bar.saw
            self._model = learner.fit_table(
                arrow(table), target, self.task, threads(self.n_jobs), observer
            )
        finally:
            if bar:
                bar.close()
        return self

    def __sklearn_is_fitted__(self):
        return "_model" in self.__dict__

    @property
    def header_(self):
        """What the model file says about the model: columns, classes, how the fit went."""
        return json.loads(self._fitted.header())

    @property
    def _fitted(self):
        if "_model" not in self.__dict__:
            raise NotFittedError("this Model is not fitted yet; call fit with a table first")
        return self._model

    def answers(self, table):
        """Everything that the model says about the rows, as a dictionary of columns."""
        return self._fitted.predict_table(arrow(table))

    def predict(self, table):
        """The prediction for each row: class, number, cluster or state."""
        return np.asarray(next(iter(self.answers(table).values())))

    def predict_proba(self, table):
        """The probability of each class or component for each row."""
        answers = self.answers(table)
        columns = [v for name, v in answers.items() if name.startswith("probability_")]
        if not columns:
            raise AttributeError("this model gives no probabilities")
        return np.column_stack(columns)

    def save(self, path):
        """Write the model file, which the command, Rust and ``didact.load`` read."""
        self._fitted.save(path)

    def __getstate__(self):
        state = dict(self.__dict__)
        if "_model" in state:
            state["_model"] = self._model.to_bytes()
        return state

    def __setstate__(self, state):
        state = dict(state)
        if "_model" in state:
            state["_model"] = _didact.Model.from_bytes(state["_model"])
        self.__dict__.update(state)


def arrow(table):
    """The table, if it speaks Arrow; a dictionary of columns is helped along."""
    if hasattr(table, "__arrow_c_stream__"):
        return table
    try:
        import pyarrow
    except ImportError:
        pyarrow = None
    if pyarrow and isinstance(table, dict):
        return pyarrow.table(table)
    raise TypeError(
        f"a table of pandas, polars or pyarrow is needed, not {type(table).__name__}"
    )
