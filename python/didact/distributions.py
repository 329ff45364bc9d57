"""Laws of probability: densities, quantiles, moments, samples, fits, and learning from data.

>>> from didact.distributions import Beta, Normal
>>> Normal(0, 2).cdf([0.0, 2.0]).round(4).tolist()
[0.5, 0.8413]
>>> posterior = Beta(2, 3).update([1, 1, 0, 1])
>>> posterior
Beta(a=5.0, b=4.0)

Classes are made out of the list of laws that the library exports.
"""

import json

import numpy as np

from didact import _didact
from didact._rows import real


class Distribution:
    """A law with its parameters; two are equal when their parameters are."""

    _entry = None

    def _start(self, given):
        values = {
            name: _written(self._entry["name"], name, form, given[name])
            for name, form, _ in self._entry["parameters"]
        }
        self._law = _didact.Law(self._entry["name"], json.dumps(values))

    @classmethod
    def _of(cls, law):
        made = cls.__new__(cls)
        made._law = law
        return made

    @property
    def parameters(self):
        """The parameters by name."""
        stored = json.loads(self._law.parameters())
        forms = self._entry["parameters"]
        return {name: _read(form, stored[name]) for name, form, _ in forms}

    def _evaluate(self, question, x):
        points, shape = _points(x, self._entry["axes"])
        answers = self._law.evaluate(question, points)
        return answers.reshape(shape) if shape else float(answers[0])

    def __repr__(self):
        listed = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{type(self).__name__}({listed})"

    def __eq__(self, other):
        same = type(self) is type(other)
        return same and self._law.parameters() == other._law.parameters()

    def __hash__(self):
        return hash((type(self).__name__, self._law.parameters()))

    def __reduce__(self):
        return _restored, (type(self).__name__, self._law.parameters())


def _restored(name, parameters):
    return globals()[name]._of(_didact.Law(name, parameters))


class _HasDensity:
    def density(self, x):
        """The density at each point; for discrete laws the probability."""
        return self._evaluate("density", x)

    def log_density(self, x):
        """The natural logarithm of the density at each point."""
        return self._evaluate("log_density", x)


class _HasCumulative:
    def cdf(self, x):
        """The probability of values up to each point."""
        return self._evaluate("cumulative", x)

    def sf(self, x):
        """The probability of values beyond each point, exact far out."""
        return self._evaluate("survival", x)

    def log_cdf(self, x):
        """The logarithm of the probability of values up to each point."""
        return self._evaluate("log_cumulative", x)

    def log_sf(self, x):
        """The logarithm of the probability of values beyond each point."""
        return self._evaluate("log_survival", x)

    def quantile(self, p):
        """The value below which each share lies."""
        return self._evaluate("quantile", p)

    def upper_quantile(self, q):
        """The value above which each share lies, also where 1 - q is rounded to one."""
        return self._evaluate("upper_quantile", q)

    def median(self):
        """The value with half of the probability on either side."""
        return self._law.figure("median")


class _HasMoments:
    def mean(self):
        """The mean, or None where there is none."""
        return self._law.figure("mean")

    def variance(self):
        """The variance or covariance, or None where there is none."""
        return self._law.figure("variance")


class _HasMode:
    def mode(self):
        """The most likely value, or None where there are several."""
        return self._law.figure("mode")


class _HasEntropy:
    def entropy(self):
        """The entropy in nats."""
        return self._law.figure("entropy")


class _Draws:
    def sample(self, size=None, random_state=0):
        """Draw values.

        Parameters
        ----------
        size : int, default=None
            How many; None draws a single value.
        random_state : int, RandomState, Generator or None, default=0
            The same seed gives the same values.
        """
        from didact._estimator import seed_of

        values = self._law.draw(1 if size is None else size, seed_of(random_state))
        if size is not None:
            return values
        return float(values[0]) if values.ndim == 1 else values[0]


class _Fits:
    @classmethod
    def fit(cls, data, sample_weight=None):
        """The law that makes the data most likely, each value as often as its weight says."""
        points, _ = _points(data, cls._entry["axes"])
        weights = None if sample_weight is None else real("sample_weight", sample_weight)
        return cls._of(_didact.Law.fit(cls._entry["name"], points, weights))


class _Learns:
    def update(self, data):
        """What is believed after the data: a law of the same kind."""
        return self._of(self._law.update(_points(data, self._entry["observes"])[0]))

    def log_evidence(self, data):
        """The log-probability of the data in their order, with the parameter averaged out."""
        return self._law.log_evidence(_points(data, self._entry["observes"])[0])

    def log_predictive(self, x):
        """The log-density of the next value at each point."""
        points, shape = _points(x, self._entry["observes"])
        answers = self._law.log_predictive(points)
        return answers.reshape(shape) if shape else float(answers[0])


def _points(x, axes):
    """Points one after the other along the first axis, and the shape of the answers."""
    x = real("x", x)
    if x.ndim < axes:
        raise ValueError(f"x has {x.ndim} dimension(s); each value of this law has {axes}")
    shape = x.shape[: x.ndim - axes]
    return x.reshape(-1, *x.shape[x.ndim - axes :]), shape


def _written(law, name, form, value):
    """A parameter as JSON."""
    if form == "law":
        if not isinstance(value, Distribution):
            raise ValueError(f"{name} is {value!r}; it must be a distribution")
        return json.loads(value._law.parameters())
    if form == "whole":
        if value != int(value) or value < 0:
            raise ValueError(f"{name} is {value}; it must be a whole number not below 0")
        return int(value)
    values = real(name, value)
    if not np.isfinite(values).all():
        raise ValueError(f"{name} is {value}; it must be finite")
    if form == "array":
        return {"v": 1, "dim": list(values.shape), "data": values.ravel().tolist()}
    return values.tolist()


def _read(form, value):
    """A parameter as Python users write it."""
    if form == "array":
        return np.reshape(value["data"], value["dim"])
    return np.asarray(value) if form == "list" else value


_PARTS = {
    "density": _HasDensity,
    "cumulative": _HasCumulative,
    "moments": _HasMoments,
    "mode": _HasMode,
    "entropy": _HasEntropy,
    "draw": _Draws,
}


def _class(entry):
    parts = [part for ability, part in _PARTS.items() if ability in entry["abilities"]]
    parts += [_Fits] if entry["fits"] else []
    parts += [_Learns] if entry["observes"] is not None else []
    names = [name for name, _, _ in entry["parameters"]]
    listed = [n if default is None else f"{n}={default}" for n, _, default in entry["parameters"]]
    source = f"def __init__(self, {', '.join(listed)}):\n"
    source += f"    self._start({{{', '.join(f'{name!r}: {name}' for name in names)}}})\n"
    space = {}
    exec(compile(source, f"<didact.distributions.{entry['name']}>", "exec"), space)
    members = {
        "__module__": __name__,
        "__doc__": _document(entry),
        "__init__": space["__init__"],
        "_entry": entry,
    }
    for name in names:
        if not any(hasattr(part, name) for part in parts):
            members[name] = property(lambda self, name=name: self.parameters[name], doc=f"The {name}.")
    return type(entry["name"], (*parts, Distribution), members)


TYPES = {
    "number": "float",
    "whole": "int",
    "list": "ArrayLike",
    "array": "ArrayLike",
    "law": "Distribution",
}


def _document(entry):
    lines = [entry["document"], "", "Parameters", "----------"]
    for name, form, default in entry["parameters"]:
        ending = "" if default is None else f", default={default}"
        lines.append(f"{name} : {TYPES[form]}{ending}")
    return "\n".join(lines)


_entries = json.loads(_didact.laws())
globals().update({entry["name"]: _class(entry) for entry in _entries})
__all__ = ["Distribution", *(entry["name"] for entry in _entries)]
