"""What a row of the benchmark is, and the ways of asking each library."""

import dataclasses
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

warnings.filterwarnings("ignore")


@dataclasses.dataclass
class Row:
    """One task: its data, who does it, and how good an answer is."""

    name: str
    #: Makes the data, once.
    data: Callable[[], Any]
    #: Who does the task, by name; each is called with the data and the number of threads.
    who: dict[str, Callable[[Any, int], Any]]
    #: How good an answer is, the higher the better, from the data and the answer.
    quality: Callable[[Any, Any], float]
    #: How much worse than the best peer ours may be, relative to the magnitude of the quality.
    tolerance: float = 1e-6
    #: How often a call is repeated within one measurement, for calls of microseconds.
    loops: int = 1
    #: What is timed, called before the clock starts, such as fitting before predicting.
    prepare: dict[str, Callable[[Any, int], Any]] = dataclasses.field(default_factory=dict)
    #: Work that every answer contains, such as one matrix product; timed beside the others, but no peer.
    floor: Callable[[Any], Any] | None = None


def blobs(rows, columns, groups, seed=0, spread=1.0):
    """Groups of normal points around normal centres."""
    random = np.random.default_rng(seed)
    centres = 4 * random.standard_normal((groups, columns))
    labels = random.integers(groups, size=rows)
    return centres[labels] + spread * random.standard_normal((rows, columns)), labels


def classes(rows, columns, groups, seed=0):
    """Classes that overlap, so that logistic regression has something to do."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((rows, columns))
    weights = random.standard_normal((columns, groups)) / np.sqrt(columns) * 2
    noise = random.gumbel(size=(rows, groups))
    return x, (x @ weights + noise).argmax(axis=1)


def linear(rows, columns, seed=0):
    """A linear function with noise."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((rows, columns))
    return x, x @ random.standard_normal(columns) + random.standard_normal(rows)


def sequences(count, length, columns, states, seed=0):
    """Sequences of a hidden chain with normal items, and their lengths."""
    random = np.random.default_rng(seed)
    means = 2 * random.standard_normal((states, columns))
    steps = random.dirichlet(np.ones(states) + 4 * np.eye(states)[0], size=states)
    items = []
    for _ in range(count):
        state = random.integers(states)
        for _ in range(length):
            items.append(means[state] + random.standard_normal(columns))
            state = random.choice(states, p=steps[state])
    return np.array(items), [length] * count


def intelex(name):
    """An estimator of scikit-learn-intelex, or nothing where it is not installed."""
    try:
        import sklearnex
    except ImportError:
        return None
    for module in ("cluster", "decomposition", "ensemble", "linear_model", "neighbors", "svm"):
        found = getattr(__import__(f"sklearnex.{module}", fromlist=[name]), name, None)
        if found is not None:
            return found
    assert sklearnex
    return None


def estimators(ours, theirs, patched=None, fit=lambda model, data: model.fit(*data)):
    """Fits our estimator, scikit-learn's and, where there is one, that of intelex."""
    who = {
        "didact": lambda data, threads: fit(ours(n_jobs=threads), data),
        "scikit-learn": lambda data, threads: fit(theirs(), data),
    }
    if patched is not None:
        who["intelex"] = lambda data, threads: fit(patched(), data)
    return who


def likeness(truth, labels):
    """How much two groupings agree, by the adjusted Rand index."""
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(truth, labels))
