"""Model files as estimators."""

import json

import numpy as np

import didact
from didact._parameters import properties


def estimator_of(model):
    """The estimator that a model of a file belongs to."""
    header = json.loads(model.header())
    steps = header["specification"]
    only_numbers = all(feature["kind"] == "number" for feature in header["features"])
    named = [feature["name"] for feature in header["features"]]
    plain = len(named) == model.n_features and only_numbers
    if len(steps) != 1 or not plain:
        from didact._model import Model

        return Model._of(model, header)
    found = class_for(steps[0]["algorithm"], header["kind"])
    estimator = found(**parameters(found, header["parameters"]))
    estimator._adopt(model)
    estimator.n_features_in_ = model.n_features
    if named != [f"x{index}" for index in range(len(named))]:
        estimator.feature_names_in_ = np.asarray(named, dtype=object)
    return estimator


def class_for(algorithm, kind):
    """The class of an algorithm that learned from this kind of data."""
    for name, (known, task) in didact._CLASSES.items():
        if known == algorithm:
            found = getattr(didact, name)
            if any(route["kind"] == kind for route in found._routes):
                return found
    raise ValueError(f"there is no class for {algorithm} fitted on {kind}")


def parameters(found, values):
    """Parameters of a file as Python users write them."""
    known = properties(found._entry)
    return {
        name: None if value == "none" else value
        for name, value in values.items()
        if name in known
    }
