"""Writes the type stub of the package: ``python -m didact._stubs FILE``."""

import inspect
import sys
from pathlib import Path

import didact
from didact._parameters import annotation

HEAD = '''\
"""Types of the package; written by ``cargo xtask stubs`` out of the catalogue."""

from os import PathLike
from typing import Any, Literal

from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from didact import datasets as datasets
from didact import metrics as metrics
from didact._estimator import Estimator
from didact._model import Model as Model

__version__: str

def catalogue() -> list[dict[str, str]]: ...
def load(path: str | PathLike[str]) -> Estimator | Model: ...
'''

# What the methods of estimators take and give.
RETURNS = {
    "fit": "{name}",
    "partial_fit": "{name}",
    "score": "float",
    "sample": "tuple[NDArray[Any], NDArray[Any]]",
    "decode": "tuple[float, NDArray[Any]]",
    "save": "None",
}


def stub():
    """The text of the stub."""
    return HEAD + "".join(class_stub(name) for name in didact._CLASSES)


def class_stub(name):
    """One class with its parameters, attributes and methods."""
    found = getattr(didact, name)
    lines = [f"\nclass {name}(Estimator):"]
    for attribute in found._route["attributes"]:
        lines.append(f"    {attribute['name']}_: Any")
    lines.append(f"    def __init__(self{parameters(found)}) -> None: ...")
    for method in sorted(set(public_methods(found))):
        lines.append(method_stub(found, name, method))
    return "\n".join(lines) + "\n"


def parameters(found):
    """The parameters of the constructor with their types."""
    schema = found._entry["schema"]
    text = ""
    for parameter in inspect.signature(found).parameters.values():
        part = schema.get("properties", {}).get(parameter.name)
        kind = annotation(schema, part) if part else COMMON_TYPES[parameter.name]
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in text:
            text += ", *"
        text += f", {parameter.name}: {kind} = {parameter.default!r}"
    return text


COMMON_TYPES = {"n_jobs": "int | None", "verbose": "bool"}


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
            text += ": Any"
            if argument.default is not argument.empty:
                text += f" = {argument.default!r}"
        if argument.kind is argument.KEYWORD_ONLY and "*" not in arguments:
            arguments.append("*")
        arguments.append(text)
    gives = RETURNS.get(method, "Any").format(name=name)
    return f"    def {method}({', '.join(arguments)}) -> {gives}: ..."


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(stub())
