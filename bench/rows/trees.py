"""Trees, forests and boosting."""

import didact
import sklearn.datasets
import sklearn.ensemble as ensemble
import sklearn.tree as tree
from peers import Row, intelex


def tangled(rows, columns, seed=0):
    """Two classes of several clumps each, for which straight lines are not enough."""
    return sklearn.datasets.make_classification(
        rows, columns, n_informative=columns // 2, n_redundant=columns // 4, n_clusters_per_class=4, flip_y=0.05, random_state=seed
    )


def judged(name, make, ours, theirs, patched=None, tolerance=1e-2):
    """The quality is the share of the training rows that is right."""
    who = {
        "didact": lambda data, threads: ours(n_jobs=threads).fit(*data),
        "scikit-learn": lambda data, threads: theirs(threads).fit(*data),
    }
    if patched is not None:
        who["intelex"] = lambda data, threads: patched(100, n_jobs=threads).fit(*data)
    return Row(name, make, who, lambda data, model: float(model.score(*data)), tolerance=tolerance)


ROWS = [
    judged(
        "decision tree 20k×20",
        lambda: tangled(20_000, 20),
        lambda **more: didact.DecisionTreeClassifier(**more),
        lambda threads: tree.DecisionTreeClassifier(),
    ),
    judged(
        "random forest 20k×20, 100 trees",
        lambda: tangled(20_000, 20),
        lambda **more: didact.RandomForestClassifier(n_estimators=100, **more),
        lambda threads: ensemble.RandomForestClassifier(100, n_jobs=threads),
        intelex("RandomForestClassifier"),
    ),
    judged(
        "extra trees 20k×20, 100 trees",
        lambda: tangled(20_000, 20),
        lambda **more: didact.ExtraTreesClassifier(n_estimators=100, **more),
        lambda threads: ensemble.ExtraTreesClassifier(100, n_jobs=threads),
        intelex("ExtraTreesClassifier"),
    ),
    judged(
        "gradient boosting 100k×20, 100 rounds",
        lambda: tangled(100_000, 20),
        lambda **more: didact.HistGradientBoostingClassifier(early_stopping=False, **more),
        lambda threads: ensemble.HistGradientBoostingClassifier(early_stopping=False),
    ),
]
