"""Built-in data sets (``load_iris``, …) and generators (``make_blobs``, …).

Each is a function; ``return_X_y=True`` gives the arrays alone, ``as_frame=True`` a table of
pandas with columns of every kind. ``read_table`` reads a file as the command does.
"""

import json

from didact import _didact
from didact._parameters import annotation, as_json, default, resolved


class Dataset(dict):
    """The parts of a data set, as items and as attributes."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"this data set has no {name}") from None

    def __dir__(self):
        return [*super().__dir__(), *self]

    def __repr__(self):
        return f"<{self['name']}: {self['data'].shape[0]} rows, {', '.join(self)}>"


def _finished(parts, return_X_y, as_frame):
    columns = parts.pop("columns")
    if as_frame:
        import pandas

        parts["frame"] = pandas.DataFrame(columns)
    if return_X_y:
        return parts["data"], parts.get("target")
    return Dataset(parts)


# What every function of this module takes.
_COMMON = [
    "return_X_y : bool, default=False",
    "    Whether to give the rows and the target alone.",
    "as_frame : bool, default=False",
    "    Whether to give a table of pandas, too.",
]


def _loader(info):
    def load(*, return_X_y=False, as_frame=False):
        return _finished(_didact.load_dataset(info["id"]), return_X_y, as_frame)

    load.__doc__ = "\n".join(
        [
            f"{info['name']}.",
            "",
            info["description"],
            "",
            f"Source: {info['source']}. Licence: {info['licence']}.",
            "",
            "Parameters",
            "----------",
            *_COMMON,
        ]
    )
    return _named(load, "load_", info)


def _generator(info, schema):
    parts = {n: resolved(schema, p) for n, p in schema.get("properties", {}).items()}
    defaults = {name: default(part) for name, part in parts.items()}
    listed = "".join(f"{name}={value!r}, " for name, value in defaults.items())
    source = (
        f"def make(*, {listed}random_state=0, return_X_y=False, as_frame=False):\n"
        f"    given = {{{', '.join(f'{n!r}: {n}' for n in defaults)}}}\n"
        "    return draw(given, random_state, return_X_y, as_frame)\n"
    )

    def draw(given, random_state, return_X_y, as_frame):
        from didact._estimator import seed_of

        values = {name: as_json(name, value, parts[name]) for name, value in given.items()}
        drawn = _didact.generate(info["id"], json.dumps(values), seed_of(random_state))
        return _finished(drawn, return_X_y, as_frame)

    space = {"draw": draw}
    exec(compile(source, f"<didact.datasets.{info['id']}>", "exec"), space)
    make = space["make"]
    lines = [f"{info['name']}.", "", info["description"], "", "Parameters", "----------"]
    for name, part in parts.items():
        lines.append(f"{name} : {annotation(schema, part)}, default={defaults[name]!r}")
        lines.append(f"    {' '.join(part.get('description', '').split())}")
    lines += ["random_state : int, RandomState, Generator or None, default=0"]
    lines += ["    The same seed gives the same data.", *_COMMON]
    make.__doc__ = "\n".join(lines)
    return _named(make, "make_", info)


def _named(function, prefix, info):
    function.__name__ = function.__qualname__ = prefix + info["id"].replace("-", "_")
    function.__module__ = __name__
    return function


def read_table(path, *, header=None, delimiter=None, missing=None):
    """Reads CSV, TSV, Parquet, Arrow, JSON lines or svmlight; what the file is, it tells itself.

    Parameters
    ----------
    path : str or path
        The file.
    header : bool or None, default=None
        Whether the first line of a text table names the columns; found out where not given.
    delimiter : str or None, default=None
        The character between the values of a text table; found out where not given.
    missing : list of str or None, default=None
        The words that stand for a missing value, in place of the usual ones.

    Returns
    -------
    columns : dict
        By name an array of numbers (NaN where missing), or a list of words, truths or times
        (None where missing); ``pandas.DataFrame(columns)`` makes a table of it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from didact.datasets import read_table
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "sales.csv"
    >>> _ = file.write_text("price;town\\n1.5;Bern\\nNA;Chur\\n")
    >>> columns = read_table(file)
    >>> columns["price"], columns["town"]
    (array([1.5, nan]), ['Bern', 'Chur'])
    """
    given = {"header": header, "delimiter": delimiter, "missing": missing}
    return _didact.read_table(path, json.dumps({name: value for name, value in given.items() if value is not None}))


_functions = [_loader(info) for info in json.loads(_didact.stored_datasets())]
_functions += [_generator(g["info"], g["schema"]) for g in json.loads(_didact.generators())]
globals().update({function.__name__: function for function in _functions})
__all__ = ["read_table", *(function.__name__ for function in _functions)]
