"""Parameters: from the schema of an algorithm to a signature, and from values to JSON."""

import json

import numpy as np

# What every class takes besides the parameters of its algorithm.
COMMON = {
    "n_jobs": (None, "int or None", "How many threads may be used; None and -1 mean all cores. The answer does not depend on it."),
    "warm_start": (False, "bool", "Whether fit starts from the solution of the last fit, which saves iterations where data or parameters have changed little."),
    "verbose": (False, "bool", "Whether to show a bar with the iteration and the objective."),
}


def resolved(schema, part):
    """The part of a schema, with a reference followed."""
    while "$ref" in part:
        name = part["$ref"].rsplit("/", 1)[-1]
        part = {**schema["$defs"][name], **{k: v for k, v in part.items() if k != "$ref"}}
    return part


def choices(part):
    """The words among which a parameter chooses, or nothing."""
    if "enum" in part:
        return part["enum"]
    options = part.get("oneOf", part.get("anyOf", []))
    words = [option["const"] for option in options if "const" in option]
    words += [word for option in options for word in option.get("enum", [])]
    return words


def properties(entry):
    """The parameters of an algorithm with references followed, in their order."""
    known = _PROPERTIES.get(entry["id"])
    if known is None:
        schema = entry["schema"]
        parts = schema.get("properties", {}).items()
        known = {name: resolved(schema, part) for name, part in parts}
        _PROPERTIES[entry["id"]] = known
    return known


#: Every fit asks for the parameters, and following references takes as long as a small fit.
_PROPERTIES = {}


def default(part):
    """The default as Python users write it."""
    value = part.get("default")
    if value == "none" and "none" in choices(part):
        return None
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return " | ".join(step["algorithm"] for step in value)
    # A default must not change from one estimator to the next, as a list could.
    return tuple(value) if isinstance(value, list) else value


def annotation(schema, part):
    """The type of a parameter, as in a stub."""
    part = resolved(schema, part)
    words = choices(part)
    if part.get("description", "").startswith("An algorithm or pipeline") or "estimator" in str(
        part.get("title", "")
    ):
        return "str | BaseEstimator"
    names = []
    if words:
        shown = [repr(word) for word in words if word != "none"]
        if shown:
            names.append(f"Literal[{', '.join(shown)}]")
        if "none" in words:
            names.append("None")
    plain = {"integer": "int", "number": "float", "boolean": "bool", "string": "str"}
    plain |= {"array": "ArrayLike", "object": "dict", "null": "None"}
    kinds = part.get("type", [])
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if kind == "string" and words:
            continue
        names.append(plain[kind])
    for option in [*part.get("oneOf", []), *part.get("anyOf", [])]:
        option = resolved(schema, option)
        if "const" in option or "enum" in option:
            continue
        names.extend(annotation(schema, option).split(" | "))
    return " | ".join(dict.fromkeys(names)) or "object"


def choice(value, words):
    """The word that is meant: scikit-learn writes some without hyphens, some as a switch."""
    if isinstance(value, bool) and "none" in words:
        return [word for word in words if word != "none"][0] if value else "none"

    def plain(word):
        return str(word).replace("-", "").replace("_", "").lower()

    meant = [word for word in words if plain(word) == plain(value)]
    return meant[0] if len(meant) == 1 else value


def is_iterative(entry):
    """Whether there is progress to show."""
    return "max_iter" in entry["schema"].get("properties", {})


def can_start_warm(entry):
    """Whether a fit may start from an earlier model."""
    return any(route["warm_start"] for route in entry["routes"])


def signature(entry):
    """Names and defaults of all parameters of a class."""
    names = {name: default(part) for name, part in properties(entry).items()}
    names["n_jobs"] = COMMON["n_jobs"][0]
    if can_start_warm(entry):
        names["warm_start"] = COMMON["warm_start"][0]
    if is_iterative(entry):
        names["verbose"] = COMMON["verbose"][0]
    return names


def specification(estimator, **changed):
    """The algorithm and what was set, as JSON; some parameters may be changed."""
    one = step(estimator)
    one["parameters"].update(changed)
    return json.dumps([one])


#: Values of these types are written in JSON as they are.
_PLAIN = (int, float, str, bool, type(None))


def step(estimator):
    """One step of a specification: the algorithm and the parameters that differ."""
    from didact._estimator import seed_of

    parameters = {}
    for name, part in properties(estimator._entry).items():
        value, usual = getattr(estimator, name), part.get("default")
        if type(value) is type(usual) and type(value) in _PLAIN and value == usual:
            continue
        if name == "random_state":
            value = seed_of(value)
        value = as_json(name, value, part)
        if value != usual:
            parameters[name] = value
    return {"algorithm": estimator._entry["id"], "parameters": parameters}


def as_json(name, value, part):
    """A value as JSON; arrays become lists, estimators their specification."""
    if value is None and "none" in choices(part):
        return "none"
    if hasattr(value, "_entry"):
        return [step(value)]
    if isinstance(value, (str, bool)) and choices(part):
        return choice(value, choices(part))
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, tuple):
        value = list(value)
    if isinstance(value, float) and not np.isfinite(value):
        raise ValueError(f"{name} is {value}; it must be a finite number")
    if isinstance(value, float) and value.is_integer() and part.get("type") == "integer":
        value = int(value)
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} is {value!r}; it must be a number, a word, a list or an estimator of didact"
        ) from None
    return value
