"""Classes out of the catalogue: signature, documentation and abilities of each algorithm."""

import json
import textwrap

import numpy as np
from sklearn.base import (
    ClassifierMixin,
    ClusterMixin,
    DensityMixin,
    RegressorMixin,
)

from didact import _abilities as abilities
from didact import _didact
from didact import _estimator as estimator
from didact._parameters import COMMON, annotation, is_iterative, properties, signature
from didact._sequences import ExplainsSequences, LabelsSequences


def make_class(name, algorithm, task):
    """The class of an algorithm that learns for this task."""
    entry = json.loads(_didact.entry(algorithm))
    routes = [route for route in entry["routes"] if route["task"] == task]
    # Where a class learns from some labels too, it is the route from all of them that describes it.
    routes.sort(key=lambda route: route["kind"] == "partly-labelled")
    bases = (*mixins(task, routes[0]), estimator.Estimator)
    if any(route["kind"] == "partly-labelled" for route in routes):
        bases = (estimator.LearnsSomeClasses, *bases)
    members = {
        "__module__": "didact",
        "__qualname__": name,
        "__init__": make_init(name, signature(entry)),
        "__doc__": document(name, entry, routes[0]),
        "_entry": entry,
        "_route": routes[0],
        "_routes": routes,
        **fitted_attributes(routes),
    }
    if is_iterative(entry):
        members["n_iter_"] = property(iterations, doc="Number of iterations made, at least one.")
    return type(name, bases, members)


def iterations(fitted):
    """At least one: a fit that ends where it starts has looked."""
    if any(attribute["name"] == "n_iter" for attribute in fitted._route["attributes"]):
        return np.maximum(1, fitted._attribute("n_iter"))
    trace = fitted._fitted.trace
    return 1 if trace is None else max(1, len(trace[1]))


def mixins(task, route):
    """The parts that a class is put together from, most special first."""
    able = set(route["abilities"])
    weighted = "weights" in route["accepts"]
    if task == "sequence":
        labels = route["kind"] == "labelled-sequences"
        part = LabelsSequences if labels else ExplainsSequences
        return (part, *([abilities.Draws] if "sample" in able else []))
    parts = []
    keeps_labels = any(attribute["name"] == "labels" for attribute in route["attributes"])
    if task == "classification":
        parts += online(route, abilities.LearnsClassesOnline)
        parts += [estimator.LearnsClasses]
        parts += [estimator.WeightedSupervised if weighted else estimator.Supervised]
        parts.append(ClassifierMixin)
    elif task == "regression":
        parts += online(route, abilities.LearnsNumbersOnline)
        parts += [abilities.GivesDeviations] if "deviations" in able else []
        parts += [estimator.LearnsNumbers]
        parts += [estimator.WeightedSupervised if weighted else estimator.Supervised]
        parts.append(RegressorMixin)
    else:
        parts += online(route, abilities.LearnsOnline)
        parts += [estimator.WeightedUnsupervised if weighted else estimator.Unsupervised]
    if "transform" in able:
        parts.append(abilities.Transforms)
    if task == "clustering" and keeps_labels:
        parts.append(ClusterMixin)
    elif task in ("clustering", "density"):
        parts.append(DensityMixin)
    if "assign" in able:
        parts.append(abilities.Assigns)
        if not keeps_labels:
            parts.append(abilities.AssignsTrainingRows)
    if "probabilities" in able:
        parts.append(abilities.GivesProbabilities)
        if task == "classification":
            parts.append(abilities.GivesLogProbabilities)
    if "scores" in able:
        parts.append(abilities.GivesScores)
    if "invert" in able:
        parts.append(abilities.Inverts)
    if "log-density" in able:
        parts.append(abilities.GivesDensities)
        if task in ("clustering", "density", "transformation"):
            # Before the mixins of scikit-learn, whose score for densities says nothing.
            parts.insert(0, abilities.ScoresByDensity)
    if "sample" in able:
        parts.append(abilities.Draws)
    return tuple(parts)


def online(route, part):
    """The part that learns chunk by chunk, where the route allows it."""
    return [part] if route["online"] else []


def make_init(name, parameters):
    """A real ``__init__``, as if it had been written by hand."""
    names = list(parameters)
    first, rest = names[:1], names[1:]
    listed = [f"{n}={parameters[n]!r}" for n in first]
    if rest:
        listed += ["*", *(f"{n}={parameters[n]!r}" for n in rest)]
    body = "\n".join(f"    self.{n} = {n}" for n in names) or "    pass"
    source = f"def __init__(self, {', '.join(listed)}):\n{body}\n"
    space = {}
    exec(compile(source, f"<didact.{name}>", "exec"), space)
    init = space["__init__"]
    init.__qualname__ = f"{name}.__init__"
    init.__module__ = "didact"
    return init


def fitted_attributes(routes):
    """A property for everything that the fitted model knows."""
    members = {}
    for route in routes:
        for attribute in route["attributes"]:
            # Classes keep the type that the user gave them, which the model does not know.
            if attribute["name"] != "classes":
                members[attribute["name"] + "_"] = fitted_attribute(attribute)
    return members


def fitted_attribute(attribute):
    """A property that reads one attribute of the model."""
    name = attribute["name"]
    return property(lambda self: self._attribute(name), doc=attribute["meaning"])


# -- documentation ---------------------------------------------------------------------------


def document(name, entry, route):
    """The docstring: what the Rust documentation says, parameters, attributes, an example."""
    lines = [prose(entry["description"]), "", "Parameters", "----------"]
    for parameter, part in properties(entry).items():
        kind = annotation(entry["schema"], part)
        lines += described(parameter, kind, signature(entry)[parameter], part.get("description"))
    for parameter, (default, kind, meaning) in COMMON.items():
        if parameter in signature(entry):
            lines += described(parameter, kind, default, meaning)
    lines += ["", "Attributes", "----------"]
    for attribute in route["attributes"]:
        lines += [f"{attribute['name']}_", indented(attribute["meaning"])]
    lines += ["", "Examples", "--------", example(name, entry, route)]
    return "\n".join(lines)


def prose(description):
    """The description without its Rust examples and links."""
    kept, inside = [], False
    for line in description.splitlines():
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            kept.append(line.replace("[`", "`").replace("`]", "`"))
    return "\n".join(kept).strip()


def described(name, kind, default, meaning):
    """The entry of a parameter."""
    return [f"{name} : {kind}, default={default!r}", indented(meaning or "")]


def indented(text):
    """Text under the name that it explains."""
    return textwrap.indent(textwrap.fill(" ".join(text.split()), 84), "    ")


def example(name, entry, route):
    """A few lines that run."""
    if route["kind"] == "sequences":
        return textwrap.dedent(f"""\
            >>> from didact import {name}
            >>> from didact.datasets import make_categorical_hmm
            >>> data = make_categorical_hmm()
            >>> model = {name}(n_components=2).fit(data.data, data.lengths)
            >>> model.predict(data.data, data.lengths).shape == data.target.shape
            True""")
    if route["kind"] == "labelled-sequences":
        return textwrap.dedent(f"""\
            >>> from didact import {name}
            >>> from didact.datasets import make_categorical_hmm
            >>> data = make_categorical_hmm()
            >>> model = {name}().fit(data.data, data.lengths, y=data.target)
            >>> model.predict(data.data, data.lengths).shape == data.target.shape
            True""")
    regression = route["task"] == "regression"
    loader = "load_diabetes" if regression else "load_iris"
    given = "X, y" if route["kind"] in ("labelled", "measured") else "X"
    able = route["abilities"]
    says = [word for word in ("classify", "regress", "assign") if word in able]
    method = "predict" if says else "transform" if "transform" in able else "score_samples"
    whole = "" if route["values"] == "any" else "\n        >>> X = X.round()"
    return textwrap.dedent(f"""\
        >>> from didact import {name}
        >>> from didact.datasets import {loader}
        >>> X, y = {loader}(return_X_y=True){whole}
        >>> model = {name}().fit({given})
        >>> len(model.{method}(X)) == len(X)
        True""")
