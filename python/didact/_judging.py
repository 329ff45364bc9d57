"""Cross-validation, curves, search and comparison of estimators, all in Rust.

An estimator is one of didact's, a scikit-learn pipeline of them, or a specification such as
``"standard-scaler | ridge"``; each is fitted anew in every split, preprocessing included.
"""

import json

import numpy as np

from didact import _didact
from didact._estimator import Estimator, class_names, seed_of, threads, weights
from didact._parameters import as_json, properties, step
from didact._rows import n_rows, rows
from didact._splitters import KFold, Splitter, StratifiedKFold

SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)


# -- what is judged ----------------------------------------------------------------------------


def steps_of(estimator):
    """The steps of an estimator, pipeline or specification, as JSON would hold them."""
    if isinstance(estimator, str):
        return json.loads(_didact.steps(estimator))
    if isinstance(estimator, Estimator):
        return [step(estimator)]
    if hasattr(estimator, "steps"):
        parts = [part for _, part in estimator.steps if part not in (None, "passthrough")]
        return [inner for part in parts for inner in steps_of(part)]
    if hasattr(estimator, "spec"):
        return steps_of(estimator.spec)
    raise TypeError(
        f"{type(estimator).__name__} is no estimator of didact; judge it with scikit-learn's own "
        "functions, which take the splitters of this module"
    )


def learns_numbers(steps, y):
    """Whether the targets are real numbers, as the last step wants them."""
    kinds = {route["kind"] for route in json.loads(_didact.entry(steps[-1]["algorithm"]))["routes"]}
    if "measured" in kinds and "labelled" in kinds:
        return np.asarray(y).dtype.kind == "f"
    return "measured" in kinds


def prepared(steps, X, y, lengths):
    """Rows, targets and lengths as the library wants them."""
    X = rows("X", X)
    if y is None:
        return X, None, lengths
    y = np.asarray(y)
    if len(y) != n_rows(X):
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows(X), len(y)]}"
        )
    if learns_numbers(steps, y):
        y = np.ascontiguousarray(y, dtype=np.float64)
        return X, y.reshape(len(y), -1), lengths
    classes, labels = np.unique(y, return_inverse=True)
    return X, (labels.astype(np.uintp), class_names(classes)), lengths


def splits_of(cv, X, targets, groups, lengths):
    """The splits as lists of row numbers; a number means so many folds that suit the data."""
    n = n_rows(X) if lengths is None else len(lengths)
    classes = targets[0] if isinstance(targets, tuple) and lengths is None else None
    if cv is None or isinstance(cv, int):
        kind = KFold if classes is None else StratifiedKFold
        cv = kind(5 if cv is None else cv, shuffle=True)
    if isinstance(cv, Splitter):
        found = cv._cut(n, classes, groups)
    elif hasattr(cv, "split"):
        found = cv.split(np.zeros((n, 1)), classes, groups)
    else:
        found = cv
    return [(np.asarray(a).tolist(), np.asarray(b).tolist()) for a, b in found]


def judge(steps, X, y, groups, cv, sample_weight, lengths, n_jobs):
    """Data and splits, ready to judge specifications on."""
    lengths = None if lengths is None else [int(length) for length in lengths]
    X, targets, lengths = prepared(steps, X, y, lengths)
    splits = splits_of(cv, X, targets, groups, lengths)
    given = weights(sample_weight, X)
    return _didact.Judge(X, targets, given, lengths, splits, threads(n_jobs)), splits


# -- answers -----------------------------------------------------------------------------------


class CrossValidation(dict):
    """Figures of each fold by name, as scikit-learn gives them, and a summary of each figure.

    ``test_score`` is the figure to compare by, under its own name too (``metric``).
    """

    def __init__(self, folds, summaries):
        self.metric = summaries[0]["metric"]
        self.higher_is_better = summaries[0]["higher_is_better"]
        self.summary = {summary.pop("metric"): summary for summary in summaries}
        columns = {
            "fit_time": [fold["fit_seconds"] for fold in folds],
            "score_time": [fold["score_seconds"] for fold in folds],
        }
        for part, figures in (("test", "figures"), ("train", "train_figures")):
            for place, name in enumerate(self.summary):
                found = [f["value"] for fold in folds for f in fold[figures] if f["metric"] == name]
                if found:
                    columns[f"{part}_{name}"] = found
                    if place == 0:
                        columns[f"{part}_score"] = found
        super().__init__({name: np.asarray(values) for name, values in columns.items()})

    def plot(self, name="model"):
        """A box plot of the scores over the folds."""
        from didact import plot

        return plot.cross_validation({name: self["test_score"]}, score_name=self.metric)

    def __repr__(self):
        lines = [f"{len(self['fit_time'])} folds"]
        for name, found in self.summary.items():
            lines.append(f"{name}: {found['mean']:.4g} ± {found['spread']:.2g}")
        return f"<CrossValidation: {', '.join(lines)}>"


class Curve:
    """Training and test figures along an axis.

    Attributes
    ----------
    at : list
        Numbers of training rows, or values of the parameter.
    train_mean, train_deviation, test_mean, test_deviation : ndarray
        The figure on the rows that trained and on those held out, over the splits.
    metric : str
        The figure.
    higher_is_better : bool
        Whether larger is better.
    best : int
        The place with the best mean test figure.
    diagnosis : dict or None
        Whether the model is too small or too large, in plain words, where ``acceptable`` was
        given.
    """

    def __init__(self, found):
        self.metric = found["metric"]
        self.higher_is_better = found["higher_is_better"]
        self.axis = found["axis"]
        self.best = found["best"]
        self.diagnosis = found["diagnosis"]
        self.at = [point["at"] for point in found["points"]]
        for part in ("train", "test"):
            for figure in ("mean", "deviation"):
                values = [point[part][figure] for point in found["points"]]
                setattr(self, f"{part}_{figure}", np.asarray(values))

    def plot(self):
        """The curve as a picture: means with a band of one standard deviation."""
        from didact import plot

        parts = [
            # Two values with this mean and deviation stand for all splits.
            np.column_stack([mean - deviation, mean + deviation])
            for mean, deviation in (
                (self.train_mean, self.train_deviation),
                (self.test_mean, self.test_deviation),
            )
        ]
        if self.axis == "rows":
            return plot.learning_curve(self.at, *parts, score_name=self.metric)
        return plot.validation_curve(
            self.at, *parts, param_name=self.axis, score_name=self.metric, chosen=self.best
        )

    def __repr__(self):
        return f"<Curve of {self.metric} over {self.axis}: {self.at}>"


class SearchResult:
    """What a search found.

    Attributes
    ----------
    best_params : dict
        The parameters that won.
    best_score : float
        Their mean test figure.
    trials : list of dict
        Every candidate with its parameters, test and training figures, or why it failed.
    rounds : list
        The rounds of a successive halving, each a list of trials; else one.
    best_estimator : estimator
        The winner fitted on all the data, unless ``refit`` is False.
    metric : str
        The figure.
    """

    def __init__(self, found, names):
        rounds = found["rounds"]
        for trial in (trial for one in rounds for trial in one["trials"]):
            trial["parameters"] = {names.get(k, k): v for k, v in trial["parameters"].items()}
            outcome = trial.pop("test")
            trial["error"] = outcome.get("Err")
            trial["test"] = outcome.get("Ok")
        last = rounds[-1]
        self.metric = last["metric"]
        self.higher_is_better = last["higher_is_better"]
        self.rounds = [one["trials"] for one in rounds]
        self.trials = self.rounds[0]
        self.rows = found["rows"]
        best = last["trials"][last["best"]]
        self.best_params = best["parameters"]
        self.best_score = best["test"]["mean"]
        self.best_estimator = None

    def __repr__(self):
        return f"<SearchResult: {self.metric} {self.best_score:.4g} with {self.best_params}>"


class Comparison:
    """Methods judged on the same splits, the best first.

    Attributes
    ----------
    results : dict of CrossValidation
        Every method by name, the best first.
    tests : dict of PairedTest
        The best against each of the others, corrected for overlapping training parts.
    metric : str
        The figure.
    """

    def __init__(self, results, test_to_train):
        from didact.model_selection import compare_paired

        first = next(iter(results.values()))
        sign = 1.0 if first.higher_is_better else -1.0
        order = sorted(results, key=lambda name: -sign * results[name]["test_score"].mean())
        self.metric = first.metric
        self.results = {name: results[name] for name in order}
        best = order[0]
        self.tests = {
            other: compare_paired(
                results[best]["test_score"], results[other]["test_score"], test_to_train
            )
            for other in order[1:]
        }

    def plot(self):
        """Box plots of the scores over the folds, one box per method."""
        from didact import plot

        scores = {name: result["test_score"] for name, result in self.results.items()}
        return plot.cross_validation(scores, score_name=self.metric)

    def __repr__(self):
        lines = [f"{self.metric}, best first"]
        for name, result in self.results.items():
            found = result.summary[self.metric]
            line = f"  {name}: {found['mean']:.4g} ± {found['spread']:.2g}"
            if name in self.tests:
                line += f" (p = {self.tests[name].p_value:.2g} against the best)"
            lines.append(line)
        return "\n".join(lines)


# -- functions ---------------------------------------------------------------------------------


def cross_validate(
    estimator,
    X,
    y=None,
    *,
    groups=None,
    cv=5,
    sample_weight=None,
    lengths=None,
    return_train_score=False,
    n_jobs=None,
):
    """Fit and score an estimator on each split.

    Parameters
    ----------
    estimator : estimator, pipeline or str
        An estimator of didact, a pipeline of them, or a specification.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like, default=None
        The targets.
    groups : array-like, default=None
        Groups that stay whole, for splitters that need them.
    cv : int, splitter or iterable of splits, default=5
        How the rows are cut; a number means so many shuffled folds, with equal shares of classes.
    sample_weight : array-like, default=None
        How much each row counts while learning.
    lengths : array-like of int, default=None
        Number of items of each sequence; sequences stay whole.
    return_train_score : bool, default=False
        Whether to judge on the rows that trained, too.
    n_jobs : int or None, default=None
        How many threads may be used; None and -1 mean all cores.

    Returns
    -------
    CrossValidation
        A dictionary of arrays with a ``summary``.

    Examples
    --------
    >>> from didact.datasets import load_iris
    >>> from didact.model_selection import cross_validate
    >>> X, y = load_iris(return_X_y=True)
    >>> found = cross_validate("standard-scaler | logistic-regression", X, y)
    >>> found.metric, len(found["test_score"])
    ('accuracy', 5)
    """
    steps = steps_of(estimator)
    court, _ = judge(steps, X, y, groups, cv, sample_weight, lengths, n_jobs)
    found = json.loads(court.cross_validate(json.dumps(steps), return_train_score))
    return CrossValidation(found["folds"], found["summaries"])


def learning_curve(
    estimator, X, y=None, *, train_sizes=SHARES, cv=5, groups=None, acceptable=None, n_jobs=None
):
    """Judge an estimator on growing shares of the training rows.

    Parameters
    ----------
    estimator : estimator, pipeline or str
        An estimator of didact, a pipeline of them, or a specification.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like, default=None
        The targets.
    train_sizes : sequence of float, default=(0.1, 0.25, 0.5, 0.75, 1.0)
        Shares of each training part.
    cv : int, splitter or iterable of splits, default=5
        How the rows are cut.
    groups : array-like, default=None
        Groups that stay whole, for splitters that need them.
    acceptable : float, default=None
        A figure that would be good enough; with it the curve says what is wrong.
    n_jobs : int or None, default=None
        How many threads may be used; None and -1 mean all cores.

    Returns
    -------
    Curve
        Figures over numbers of rows.
    """
    steps = steps_of(estimator)
    court, _ = judge(steps, X, y, groups, cv, None, None, n_jobs)
    shares = [float(share) for share in train_sizes]
    return Curve(json.loads(court.learning_curve(json.dumps(steps), shares, acceptable)))


def validation_curve(
    estimator, X, y=None, *, param_name, param_range, cv=5, groups=None, acceptable=None, n_jobs=None
):
    """Judge an estimator with each value of a parameter.

    Parameters
    ----------
    estimator : estimator, pipeline or str
        An estimator of didact, a pipeline of them, or a specification.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like, default=None
        The targets.
    param_name : str
        The parameter; of a pipeline ``step__parameter``.
    param_range : sequence
        The values.
    cv : int, splitter or iterable of splits, default=5
        How the rows are cut.
    groups : array-like, default=None
        Groups that stay whole, for splitters that need them.
    acceptable : float, default=None
        A figure that would be good enough; with it the curve says what is wrong.
    n_jobs : int or None, default=None
        How many threads may be used; None and -1 mean all cores.

    Returns
    -------
    Curve
        Figures over values.
    """
    steps = steps_of(estimator)
    court, _ = judge(steps, X, y, groups, cv, None, None, n_jobs)
    key, part = parameter(estimator, steps, param_name)
    values = [as_json(param_name, value, part) for value in param_range]
    found = court.validation_curve(json.dumps(steps), key, json.dumps(values), acceptable)
    return Curve(json.loads(found))


def search(
    estimator,
    parameters,
    X,
    y=None,
    *,
    how="grid",
    n_candidates=20,
    steps_per_range=5,
    factor=3,
    cv=5,
    groups=None,
    refit=True,
    random_state=0,
    n_jobs=None,
):
    """Find the best parameters.

    Parameters
    ----------
    estimator : estimator, pipeline or str
        An estimator of didact, a pipeline of them, or a specification.
    parameters : dict
        By name (of a pipeline ``step__parameter``) a list of values, a pair ``(low, high)``, a
        triple ``(low, high, "log")``, or None for the range that the parameter's description
        suggests.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like, default=None
        The targets.
    how : {"grid", "random", "halving"}, default="grid"
        Every combination, random ones, or random ones of which the better go on with more rows.
    n_candidates : int, default=20
        How many combinations are drawn at random.
    steps_per_range : int, default=5
        How many values of a range a grid takes.
    factor : int, default=3
        One in so many candidates goes on to the next round of a halving.
    cv : int, splitter or iterable of splits, default=5
        How the rows are cut.
    groups : array-like, default=None
        Groups that stay whole, for splitters that need them.
    refit : bool, default=True
        Whether to fit the winner on all rows.
    random_state : int, RandomState, Generator or None, default=0
        The same seed gives the same candidates.
    n_jobs : int or None, default=None
        How many threads may be used; None and -1 mean all cores.

    Returns
    -------
    SearchResult
        The winner and every trial.

    Examples
    --------
    >>> from didact import Ridge
    >>> from didact.datasets import load_diabetes
    >>> from didact.model_selection import search
    >>> X, y = load_diabetes(return_X_y=True)
    >>> found = search(Ridge(), {"alpha": [0.01, 1.0, 100.0]}, X, y)
    >>> len(found.trials), found.metric
    (3, 'R²')
    """
    if how not in ("grid", "random", "halving"):
        raise ValueError(f"how is {how}; it must be grid, random or halving")
    steps = steps_of(estimator)
    court, _ = judge(steps, X, y, groups, cv, None, None, n_jobs)
    names, ranges = {}, []
    for name, values in parameters.items():
        key, part = parameter(estimator, steps, name)
        names[key] = name
        ranges.append([key, written_range(name, values, part)])
    draws = None if how == "grid" else n_candidates
    specification = json.dumps(steps)
    candidates = _didact.candidates(
        specification, json.dumps(ranges), draws, steps_per_range, seed_of(random_state)
    )
    halving = factor if how == "halving" else None
    found = SearchResult(json.loads(court.search(specification, candidates, halving)), names)
    if refit and hasattr(estimator, "set_params"):
        from sklearn.base import clone

        winner = clone(estimator).set_params(**found.best_params)
        found.best_estimator = winner.fit(X) if y is None else winner.fit(X, y)
    return found


def compare(estimators, X, y=None, *, cv=10, groups=None, n_jobs=None):
    """Judge several estimators on the same splits and test the best against the others.

    Parameters
    ----------
    estimators : dict or list
        Estimators, pipelines or specifications, by name or under their own.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like, default=None
        The targets.
    cv : int, splitter or iterable of splits, default=10
        How the rows are cut.
    groups : array-like, default=None
        Groups that stay whole, for splitters that need them.
    n_jobs : int or None, default=None
        How many threads may be used; None and -1 mean all cores.

    Returns
    -------
    Comparison
        The methods, the best first, with paired tests.

    Examples
    --------
    >>> from didact.datasets import load_iris
    >>> from didact.model_selection import compare
    >>> X, y = load_iris(return_X_y=True)
    >>> list(compare(["baseline", "gaussian-nb"], X, y).results)
    ['gaussian-nb', 'baseline']
    """
    if not isinstance(estimators, dict):
        estimators = {str(estimator): estimator for estimator in estimators}
    if not estimators:
        raise ValueError("there is nothing to compare; give at least one estimator")
    results = {}
    for name, estimator in estimators.items():
        steps = steps_of(estimator)
        court, splits = judge(steps, X, y, groups, cv, None, None, n_jobs)
        cv = splits  # the same for all
        found = json.loads(court.cross_validate(json.dumps(steps), False))
        results[name] = CrossValidation(found["folds"], found["summaries"])
    ratio = np.mean([len(test) / len(train) for train, test in splits])
    return Comparison(results, float(ratio))


def parameter(estimator, steps, name):
    """What a specification calls a parameter, and its schema."""
    head, _, tail = name.rpartition("__")
    if not head:
        algorithm, key = steps[-1]["algorithm"], name
    elif hasattr(estimator, "named_steps"):
        algorithm = steps_of(estimator.named_steps[head])[0]["algorithm"]
        key = f"{algorithm}.{tail}"
    else:
        algorithm, key = head, f"{head}.{tail}"
    known = properties(json.loads(_didact.entry(algorithm)))
    if (tail or name) not in known:
        raise ValueError(f"{algorithm} has no parameter {tail or name}; it has {', '.join(known)}")
    return key, known[tail or name]


def written_range(name, values, part):
    """A range of values as JSON."""
    if values is None:
        return None
    if isinstance(values, tuple) and len(values) in (2, 3):
        kind = "whole" if part.get("type") == "integer" else "linear"
        scale = values[2] if len(values) == 3 else kind
        return {"low": values[0], "high": values[1], "scale": scale}
    return [as_json(name, value, part) for value in values]
