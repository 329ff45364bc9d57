"""Writes the type stubs of the package: ``python -m didact._stubs FOLDER``."""

import inspect
import json
import sys
from pathlib import Path

import numpy as np

import didact
from didact import _didact, _results, datasets, distributions
from didact._functions import shown
from didact._parameters import annotation

HEAD = '''\
"""{about}; written by ``cargo xtask stubs`` out of what the library exports."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, sparray, spmatrix
from sklearn.base import BaseEstimator

'''

PACKAGE = '''\
from didact import {modules}
from didact._estimator import Estimator
from didact._model import Model as Model

__version__: str

def catalogue() -> list[dict[str, str]]: ...
def load(path: str | PathLike[str]) -> Estimator | Model: ...
'''

FLOATS = "NDArray[np.float64]"
ROWS = "ArrayLike | spmatrix | sparray"

# What the methods of estimators take; a class may have any type, so labels do too.
ARGUMENTS = {
    "X": ROWS,
    "y": "ArrayLike | None",
    "sample_weight": "ArrayLike | None",
    "classes": "ArrayLike | None",
    "lengths": "ArrayLike | None",
    "input_features": "ArrayLike | None",
    "n_samples": "int",
    "return_std": "bool",
    "random_state": "int | np.random.RandomState | np.random.Generator | None",
    "path": "str | PathLike[str]",
}

# And what they give.
RETURNS = {
    "fit": "{name}",
    "partial_fit": "{name}",
    "score": "float",
    "sample": f"tuple[{FLOATS}, NDArray[Any]]",
    "decode": "tuple[float, NDArray[Any]]",
    "save": "None",
    "fit_predict": "NDArray[np.int64]",
    "predict_proba": FLOATS,
    "predict_log_proba": FLOATS,
    "decision_function": FLOATS,
    "score_samples": FLOATS,
    "transform": FLOATS,
    "inverse_transform": FLOATS,
    "get_feature_names_out": "NDArray[np.object_]",
}
PREDICTS = {"regression": FLOATS, "clustering": "NDArray[np.int64]", "density": "NDArray[np.int64]"}
COMMON = {"n_jobs": "int | None", "warm_start": "bool", "verbose": "bool"}


def stubs():
    """The text of every stub by the name of its file."""
    files = {"__init__.pyi": package(), "datasets.pyi": data(), "distributions.pyi": laws()}
    for module in ("distance", "information", "kernels", "linalg", "linear_model", "metrics", "optimize", "reinforcement"):
        files[f"{module}.pyi"] = functions(module, "")
    files["plot.pyi"] = functions(
        "plot", "from didact._didact import Picture as Picture\nfrom didact._estimator import Estimator\n\n"
    )
    names = [name for name in didact.model_selection.__all__ if _is_written(name)]
    listed = "".join(f"from {_home(name)} import {name} as {name}\n" for name in sorted(names))
    files["model_selection.pyi"] = functions("model_selection", listed + "\n")
    return files


def _home(name):
    return getattr(didact.model_selection, name).__module__


def _is_written(name):
    return _home(name) in ("didact._judging", "didact._splitters")


# -- functions and results ---------------------------------------------------------------------


def functions(module, imports):
    """The stub of a module of listed functions."""
    text = HEAD.format(about=f"Types of didact.{module}") + imports
    for result in json.loads(_didact.results()):
        if result["module"] == module:
            text += f"class {result['name']}(NamedTuple):\n"
            text += "".join(f"    {f['name']}: {f['annotation']}\n" for f in result["fields"])
            text += "\n"
    for line in json.loads(_didact.listed(module)):
        listed = []
        for parameter in line["parameters"]:
            if parameter["named"] and "*" not in listed:
                listed.append("*")
            default = parameter["default"]
            ending = "" if default is None else f" = {default}"
            listed.append(f"{parameter['name']}: {kind(parameter)}{ending}")
        text += f"def {line['name']}({', '.join(listed)}) -> {line['gives']}: ...\n"
    return text


def kind(parameter):
    """The type of a parameter; rows may be sparse."""
    found = shown(parameter)
    if parameter["kind"] == "rows":
        return found.replace("ArrayLike", ROWS)
    return found.replace("dict", "dict[str, Any]") if parameter["schema"] else found


def data():
    """The stub of the module of data sets."""
    text = HEAD.format(about="Types of didact.datasets")
    text += f"class Dataset(dict[str, Any]):\n    data: {FLOATS}\n    target: NDArray[Any]\n"
    text += "    feature_names: list[str]\n    DESCR: str\n    def __getattr__(self, name: str) -> Any: ...\n\n"
    schemas = {entry["info"]["id"]: entry["schema"] for entry in json.loads(_didact.generators())}
    text += "def read_table(\n    path: str | PathLike[str], *, header: bool | None = None, delimiter: str | None = None, missing: list[str] | None = None\n) -> dict[str, Any]: ...\n"
    for name in [function.__name__ for function in datasets._functions]:
        schema = schemas.get(name.removeprefix("make_").replace("_", "-"), {})
        listed = ["*"]
        for parameter in inspect.signature(getattr(datasets, name)).parameters.values():
            part = schema.get("properties", {}).get(parameter.name)
            given = annotation(schema, part) if part else ARGUMENTS.get(parameter.name, "bool")
            listed.append(f"{parameter.name}: {given} = {parameter.default!r}")
        text += f"def {name}({', '.join(listed)}) -> Any: ...\n"
    return text


# -- laws --------------------------------------------------------------------------------------


def laws():
    """The stub of the module of distributions."""
    text = HEAD.format(about="Types of didact.distributions")
    text += "class Distribution:\n    @property\n    def parameters(self) -> dict[str, Any]: ...\n\n"
    for entry in json.loads(_didact.laws()):
        found = getattr(distributions, entry["name"])
        listed = ["self"]
        for name, form, default in entry["parameters"]:
            ending = "" if default is None else f" = {default}"
            listed.append(f"{name}: {distributions.TYPES[form]}{ending}")
        text += f"class {entry['name']}(Distribution):\n"
        text += f"    def __init__({', '.join(listed)}) -> None: ...\n"
        for name, form, _ in entry["parameters"]:
            if isinstance(getattr(found, name), property):
                gives = {"number": "float", "whole": "int", "law": "dict[str, Any]"}.get(form, FLOATS)
                text += f"    @property\n    def {name}(self) -> {gives}: ...\n"
        text += "".join(law_method(entry, name) for name in law_methods(found))
        text += "\n"
    return text


def law_methods(found):
    """Methods of a law."""
    names = {n for base in found.__mro__ for n, v in vars(base).items() if callable(v) or isinstance(v, classmethod)}
    return sorted(name for name in names if not name.startswith("_"))


def law_method(entry, name):
    """One method of a law."""
    value = {0: "float | " + FLOATS}.get(entry["axes"], FLOATS)
    if name == "fit":
        return (
            "    @classmethod\n    def fit(cls, data: ArrayLike, "
            f"sample_weight: ArrayLike | None = None) -> {entry['name']}: ...\n"
        )
    if name == "update":
        return f"    def update(self, data: ArrayLike) -> {entry['name']}: ...\n"
    if name == "log_evidence":
        return "    def log_evidence(self, data: ArrayLike) -> float: ...\n"
    if name == "sample":
        state = ARGUMENTS["random_state"]
        return f"    def sample(self, size: int | None = None, random_state: {state} = 0) -> {value}: ...\n"
    if name == "entropy":
        return "    def entropy(self) -> float: ...\n"
    if name in ("mean", "variance", "mode", "median"):
        gives = "float" if entry["axes"] == 0 else FLOATS
        return f"    def {name}(self) -> {gives}{'' if name == 'median' else ' | None'}: ...\n"
    argument = {"quantile": "p", "upper_quantile": "q"}.get(name, "x")
    return f"    def {name}(self, {argument}: ArrayLike) -> float | {FLOATS}: ...\n"


# -- estimators --------------------------------------------------------------------------------


def package():
    """The stub of the package itself."""
    modules = ", ".join(f"{name} as {name}" for name in didact._MODULES)
    text = HEAD.format(about="Types of the package") + PACKAGE.format(modules=modules)
    return text + "".join(class_stub(name) for name in didact._CLASSES)


def class_stub(name):
    """One class with its parameters, attributes and methods."""
    found = getattr(didact, name)
    lines = [f"\nclass {name}(Estimator):"]
    fitted = example(found)
    for attribute in found._route["attributes"]:
        lines.append(f"    {attribute['name']}_: {type_of(fitted, attribute['name'] + '_')}")
    lines.append(f"    def __init__(self{parameters(found)}) -> None: ...")
    for method in sorted(set(public_methods(found))):
        lines.append(method_stub(found, name, method))
    return "\n".join(lines) + "\n"


def example(found):
    """The class fitted on small data, to see what its attributes are."""
    if found._route["kind"] in ("sequences", "labelled-sequences"):
        data = datasets.make_categorical_hmm()
        if found._route["kind"] == "labelled-sequences":
            return found().fit(data.data, data.lengths, y=data.target)
        return found(n_components=2).fit(data.data, data.lengths)
    loader = "load_diabetes" if found._route["task"] == "regression" else "load_iris"
    X, y = getattr(datasets, loader)(return_X_y=True)
    return found().fit(X if found._route["values"] == "any" else X.round(), y)


def type_of(fitted, attribute):
    """The type of a fitted attribute; one that is not always there may be anything."""
    try:
        value = getattr(fitted, attribute)
    except AttributeError:
        return "Any"
    if attribute == "classes_":
        return "NDArray[Any]"
    if isinstance(value, np.ndarray):
        return FLOATS if value.dtype.kind == "f" else "NDArray[np.int64]"
    if isinstance(value, list):
        return "list[str]"
    return "float" if isinstance(value, float) else type(value).__name__


def parameters(found):
    """The parameters of the constructor with their types."""
    schema = found._entry["schema"]
    text = ""
    for parameter in inspect.signature(found).parameters.values():
        part = schema.get("properties", {}).get(parameter.name)
        kind = annotation(schema, part) if part else COMMON[parameter.name]
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in text:
            text += ", *"
        text += f", {parameter.name}: {kind} = {parameter.default!r}"
    return text


def public_methods(found):
    """Methods that didact's own classes define."""
    for base in found.__mro__:
        if base.__module__.startswith("didact"):
            for method, value in vars(base).items():
                if not method.startswith("_") and inspect.isfunction(value):
                    yield method


def method_stub(found, name, method):
    """One method with its arguments."""
    arguments = []
    for argument in inspect.signature(getattr(found, method)).parameters.values():
        text = argument.name
        if argument.name != "self":
            given = ARGUMENTS[argument.name]
            if argument.default is argument.empty:
                given = given.removesuffix(" | None")
            text += f": {given}"
            if argument.default is not argument.empty:
                text += f" = {argument.default!r}"
        if argument.kind is argument.KEYWORD_ONLY and "*" not in arguments:
            arguments.append("*")
        arguments.append(text)
    return f"    def {method}({', '.join(arguments)}) -> {gives(found, name, method)}: ..."


def gives(found, name, method):
    """What a method gives."""
    route = found._route
    if method == "predict" and "deviations" in route["abilities"]:
        return f"{FLOATS} | tuple[{FLOATS}, {FLOATS}]"
    if method == "predict":
        return PREDICTS.get(route["task"], "NDArray[Any]")
    if method == "score_samples" and route["task"] == "sequence":
        return f"tuple[float, {FLOATS}]"
    if method == "transform" and "sparse" in route["accepts"]:
        return f"{FLOATS} | csr_matrix"
    return RETURNS[method].format(name=name)


if __name__ == "__main__":
    for file, text in stubs().items():
        Path(sys.argv[1], file).write_text(text)
