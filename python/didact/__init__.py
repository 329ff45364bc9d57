"""didact: the whole machine-learning curriculum as one fast, dependable toolkit.

Every algorithm is a class with scikit-learn's API:

>>> from didact import LogisticRegression
>>> from didact.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> LogisticRegression().fit(X, y).score(X, y) > 0.95
True

Classes are made when they are first asked for, out of what the catalogue says about the
algorithm: ``didact.catalogue()`` lists them, ``help(didact.KMeans)`` explains one.
"""

from didact import _didact

__version__ = _didact.__version__

# Every class: its name, the algorithm behind it and what it is for.
_CLASSES = {name: (algorithm, task) for name, algorithm, task in _didact.names()}
_MODULES = (
    "datasets",
    "distance",
    "distributions",
    "information",
    "kernels",
    "linalg",
    "linear_model",
    "metrics",
    "model_selection",
    "optimize",
    "plot",
    "reinforcement",
)

__all__ = ["Model", "catalogue", "load", *_MODULES, *_CLASSES]


def __getattr__(name):
    import importlib

    if name in _CLASSES:
        from didact._classes import make_class

        value = make_class(name, *_CLASSES[name])
    elif name == "Model":
        from didact._model import Model as value
    elif name in _MODULES:
        value = importlib.import_module(f"didact.{name}")
    else:
        from difflib import get_close_matches

        close = get_close_matches(name, __all__, 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise AttributeError(f"module 'didact' has no attribute {name!r}{hint}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})


def catalogue():
    """List the algorithms: class name, id, task and one line about each.

    >>> import didact
    >>> [line["name"] for line in didact.catalogue() if line["task"] == "clustering"][:1]
    ['KMeans']
    """
    import json

    lines = []
    for name, (algorithm, task) in _CLASSES.items():
        entry = json.loads(_didact.entry(algorithm))
        line = {"name": name, "id": algorithm, "task": task, "family": entry["family"]}
        lines.append({**line, "summary": entry["summary"]})
    return lines


def load(path):
    """Read a model file, whichever face of didact wrote it.

    A single algorithm that was fitted on numbers comes back as its class; a pipeline, or a
    model that reads tables with words in them, as :class:`didact.Model`.

    Parameters
    ----------
    path : str or path-like
        A file written by ``save``, by the command ``didact fit`` or from Rust.

    Returns
    -------
    estimator
        A fitted estimator.
    """
    from didact._files import estimator_of

    return estimator_of(_didact.Model.load(path))
