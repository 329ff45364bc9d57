"""Python functions out of the list of functions that the library exports."""

import inspect

import numpy as np

from didact import _didact


def exported(module, short):
    """The functions of one module by name."""
    return {
        name: _function(module, short, name, document, arguments)
        for where, name, document, arguments in _didact.functions()
        if where == short
    }


def _function(module, short, name, document, arguments):
    names = [argument for argument, _ in arguments]
    form = inspect.Signature(
        [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    )

    def function(*given, **named):
        bound = form.bind(*given, **named).arguments
        return _didact.call(short, name, *_prepared(bound, dict(arguments)))

    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__doc__ = document
    function.__signature__ = form
    return function


def _prepared(given, kinds):
    """Arguments as the library wants them; labels of one call share their classes."""
    labels = {name: np.asarray(given[name]).ravel() for name in given if kinds[name] == "labels"}
    if labels:
        joined, numbers = np.unique(np.concatenate(list(labels.values())), return_inverse=True)
        ends = np.cumsum([len(values) for values in labels.values()])[:-1]
        labels = dict(zip(labels, np.split(numbers.astype(np.uintp), ends)))
    return [labels[name] if name in labels else _MAKERS[kinds[name]](given[name]) for name in given]


def _matrix(values):
    values = np.ascontiguousarray(values, dtype=np.float64)
    return values.reshape(len(values), -1)


_MAKERS = {"matrix": _matrix}
