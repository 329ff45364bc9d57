"""Python functions out of the list of functions that the library exports."""

import ast
import inspect
import json
import textwrap

import numpy as np

from didact import _didact, _labels, _results, _rows
from didact._parameters import annotation, as_json, resolved

LISTED = ("labels", "targets")
CLASS_KINDS = ("class-list", "class-names", "positive", "positive-class")


def exported(short):
    """The functions of a module and the results that they give, by name."""
    lines = json.loads(_didact.listed(short))
    functions = {line["name"]: _function(short, place, line) for place, line in enumerate(lines)}
    return {**functions, **_results.of_module(short)}


def _function(short, place, line):
    parameters = line["parameters"]
    prepare = _preparation(parameters)

    def answer(*given):
        return _didact.call(short, place, *prepare(given))

    source = f"def {line['name']}({', '.join(_signature(parameters))}):\n"
    source += f"    return answer({', '.join(p['name'] for p in parameters)})\n"
    space = {"answer": answer}
    exec(compile(source, f"<didact.{short}.{line['name']}>", "exec"), space)
    function = space[line["name"]]
    function.__module__ = f"didact.{short}"
    function.__doc__ = _document(line)
    function.__annotations__ = {p["name"]: shown(p) for p in parameters}
    function.__annotations__["return"] = line["gives"]
    return function


def shown(parameter):
    """The type of a parameter, as in a stub."""
    if parameter["schema"]:
        kind = annotation(parameter["schema"], parameter["schema"])
        return f"{kind} | None" if parameter["optional"] else kind
    return parameter["annotation"]


def _signature(parameters):
    listed = []
    for parameter in parameters:
        if parameter["named"] and "*" not in listed:
            listed.append("*")
        default = parameter["default"]
        listed.append(parameter["name"] + ("" if default is None else f"={default}"))
    return listed


def _document(line):
    about, _, examples = line["document"].partition("Examples\n--------")
    lines = [about.strip(), "", "Parameters", "----------"]
    for parameter in line["parameters"]:
        default = parameter["default"]
        ending = "" if default is None else f", default={default}"
        lines.append(f"{parameter['name']} : {shown(parameter)}{ending}")
        meaning = parameter["meaning"].strip()
        if meaning:
            lines.append(textwrap.indent(textwrap.fill(meaning, 84), "    "))
    lines += ["", "Returns", "-------", line["gives"]]
    if examples:
        lines += ["", "Examples", "--------", examples.strip("\n")]
    return inspect.cleandoc("\n".join(lines))


# -- preparing what was given ------------------------------------------------------------------


def _preparation(parameters):
    """What turns the given arguments into those that the library wants."""
    names = [parameter["name"] for parameter in parameters]
    kinds = {parameter["name"]: parameter["kind"] for parameter in parameters}
    counted = [name for name in names if kinds[name] in LISTED]
    listed = [name for name in names if kinds[name] == "class-list"]
    flagged = [name for name in names if kinds[name] == "positive"]
    chosen = [name for name in names if kinds[name] == "positive-class"]
    naming = [name for name in names if kinds[name] == "class-names"]
    makers = {
        p["name"]: _maker(p)
        for p in parameters
        if p["kind"] not in (*LISTED, *CLASS_KINDS)
    }

    def prepare(given):
        given = dict(zip(names, given))
        made = {name: maker(given[name]) for name, maker in makers.items()}
        present = [name for name in counted if given[name] is not None]
        made.update(dict.fromkeys((*counted, *listed, *naming)))
        if present:
            made.update(_counted(given, kinds, present, listed, chosen, naming))
        for name in flagged:
            pos_label = given[chosen[0]] if chosen else None
            made[name] = _labels.positive(name, given[name], pos_label)
            made.update(dict.fromkeys(chosen))
        return [made[name] for name in names]

    return prepare


def _counted(given, kinds, counted, listed, chosen, naming):
    """Classes as numbers; those of one call share the count."""
    classes = given[listed[0]] if listed else None
    targets = [name for name in counted if kinds[name] == "targets"]
    if any(_labels.is_sets(given[name]) for name in targets):
        made = {name: _labels.sets(name, given[name]) for name in counted}
        made.update({name: None if classes is None else list(classes) for name in listed})
        return {**made, **dict.fromkeys(chosen)}
    coding = _labels.Coding({name: given[name] for name in counted}, classes)
    made = {}
    for name in counted:
        numbers = coding.numbers(name)
        made[name] = (numbers, len(coding.classes)) if name in targets else numbers
    made.update({name: coding.places(given[name]) for name in listed})
    made.update({name: coding.positive(given[name]) for name in chosen})
    for name in naming:
        names = coding.classes if given[name] is None else given[name]
        made[name] = [str(one) for one in names]
    return made


def _maker(parameter):
    name = parameter["name"]
    maker = _MAKERS[parameter["kind"]]
    if parameter["kind"] == "json":
        part = resolved(parameter["schema"], parameter["schema"])

        def maker(name, value):
            return json.dumps(as_json(name, value, part))

    optional = parameter["optional"] or parameter["default"] == "None"
    return lambda value: None if value is None and optional else maker(name, value)


def _seed(name, value):
    from didact._estimator import seed_of

    return seed_of(value)


def _integers(name, values):
    values = np.asarray(values)
    if values.size and (values.dtype.kind not in "iu" or values.min() < 0):
        raise ValueError(f"{name} must hold whole numbers that are not negative")
    return np.ascontiguousarray(values, dtype=np.uintp)


def _groups(name, values):
    values = _labels.column(name, values)
    if values.dtype.kind not in "iufb":
        raise ValueError(f"{name} must hold whole numbers; -1 is none")
    return values.astype(np.int64).tolist()


def _series(name, value):
    """Numbers by name; without a name they are those of the model."""
    named = value if hasattr(value, "items") else {"model": value}
    return [(str(key), _rows.vector(name, values).tolist()) for key, values in named.items()]


def _model(name, value):
    """The fitted model of an estimator."""
    if not hasattr(value, "_fitted"):
        raise TypeError(f"{name} must be a fitted estimator of didact, not {type(value).__name__}")
    return value._fitted


def _bounds(name, value):
    """Lower and upper bounds; a single pair is for all variables."""
    pairs = [value] if len(value) == 2 and all(v is None or np.ndim(v) == 0 for v in value) else value
    lower = [-np.inf if low is None else float(low) for low, _ in pairs]
    upper = [np.inf if high is None else float(high) for _, high in pairs]
    return lower, upper


_MAKERS = {
    "bounds": _bounds,
    "plain": lambda name, value: value.tolist() if isinstance(value, np.ndarray) else value,
    "word": lambda name, value: value,
    "json": None,
    "vector": _rows.vector,
    "matrix": _rows.matrix,
    "rows": _rows.rows,
    "sets": _labels.sets,
    "integers": _integers,
    "groups": _groups,
    "pairs": lambda name, value: [(int(one), int(other)) for one, other in value],
    "seed": _seed,
    "series": _series,
    "model": _model,
}
