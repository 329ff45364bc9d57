"""Times one fit against the number of rows and of columns, three doublings each.

    python growth.py [--rows WORDS] [--out FOLDER]

The exponent is the slope of the logarithm of the time; beside it stands what theory says. Small
sizes are mostly fixed cost, so that the slope is taken over the last two doublings.
"""

import argparse
import json
import math
import os
import time
from pathlib import Path

import didact
import didact.plot
import numpy as np
from peers import blobs, classes, linear, sequences


def grouped(n, d):
    return (blobs(n, d, 5)[0],)


def chained(n, d):
    x, lengths = sequences(n // 100, 100, d, 3)
    return x, lengths


def two_classes(n, d):
    return classes(n, d, 2)


def three_classes(n, d):
    return classes(n, d, 3)


def scattered(n, d):
    """As many rows around every row, however many there are."""
    return (np.random.default_rng(0).uniform(0, n ** (1 / d), (n, d)),)


def counted(n, d):
    return np.random.default_rng(0).poisson(2.0, (n, d)), np.arange(n) % 3


def whole(n, d):
    return (counted(n, d)[0],)


#: Ten rounds, however soon the answer stands: what grows is the cost of a round.
TEN = {"max_iter": 10, "tol": 0.0}

#: Name of the class, its settings, its data, the sizes that are doubled from, and the exponents of
#: theory in rows and columns.
ALGORITHMS = [
    ("StandardScaler", {}, grouped, (50_000, 10), (1, 1)),
    ("SimpleImputer", {}, grouped, (50_000, 10), (1, 1)),
    ("PolynomialFeatures", {"degree": 3}, grouped, (500, 5), (1, 3)),
    ("PCA", {"n_components": 5}, grouped, (20_000, 25), (1, 2)),
    ("LinearRegression", {}, linear, (20_000, 25), (1, 2)),
    ("Ridge", {}, linear, (20_000, 25), (1, 2)),
    ("Lasso", {"alpha": 0.1}, linear, (10_000, 25), (1, 2)),
    ("ElasticNet", {"alpha": 0.1}, linear, (10_000, 25), (1, 2)),
    ("BayesianLinearRegression", {}, linear, (20_000, 25), (1, 2)),
    ("RecursiveLeastSquares", {}, linear, (5_000, 10), (1, 2)),
    ("PrincipalComponentRegression", {"n_components": 5}, linear, (20_000, 25), (1, 2)),
    ("PlsRegression", {"n_components": 3}, linear, (20_000, 25), (1, 2)),
    ("PlsDiscriminant", {"n_components": 3}, three_classes, (20_000, 25), (1, 2)),
    ("HuberRegressor", {}, linear, (10_000, 10), (1, 1)),
    ("QuantileRegressor", {"alpha": 0.01}, linear, (1_000, 5), (1, 2)),
    ("LogisticRegression", {}, three_classes, (10_000, 10), (1, 1)),
    ("BayesianLogisticRegression", {}, two_classes, (5_000, 10), (1, 2)),
    ("Perceptron", {"max_iter": 10}, two_classes, (20_000, 10), (1, 1)),
    ("PassiveAggressiveClassifier", {"max_iter": 10}, two_classes, (20_000, 10), (1, 1)),
    ("PassiveAggressiveRegressor", {"max_iter": 10}, linear, (20_000, 10), (1, 1)),
    ("LinearSVC", {}, two_classes, (5_000, 10), (1, 1)),
    ("LinearSVR", {}, linear, (5_000, 10), (1, 1)),
    ("SGDClassifier", {"max_iter": 10}, two_classes, (20_000, 10), (1, 1)),
    ("SGDRegressor", {"max_iter": 10}, linear, (20_000, 10), (1, 1)),
    ("SVC", {}, two_classes, (500, 10), (2, 1)),
    ("SVR", {}, linear, (500, 10), (2, 1)),
    ("GaussianProcessRegressor", {"optimize": False}, linear, (250, 5), (3, 1)),
    ("GaussianNB", {}, three_classes, (50_000, 10), (1, 1)),
    ("MultinomialNB", {}, counted, (50_000, 10), (1, 1)),
    ("ComplementNB", {}, counted, (50_000, 10), (1, 1)),
    ("BernoulliNB", {}, counted, (50_000, 10), (1, 1)),
    ("CategoricalNB", {}, counted, (50_000, 10), (1, 1)),
    ("MixedNB", {}, three_classes, (20_000, 10), (1, 1)),
    ("LinearDiscriminantAnalysis", {}, three_classes, (20_000, 25), (1, 2)),
    ("FisherDiscriminant", {}, two_classes, (20_000, 25), (1, 2)),
    ("QuadraticDiscriminantAnalysis", {}, three_classes, (20_000, 25), (1, 2)),
    ("KMeans", {"n_clusters": 5, **TEN}, grouped, (20_000, 10), (1, 1)),
    ("MiniBatchKMeans", {"n_clusters": 5}, grouped, (20_000, 10), (1, 1)),
    ("MetricKMeans", {"n_clusters": 5, "max_iter": 10}, grouped, (5_000, 5), (1, 1)),
    ("KMedoids", {"n_clusters": 5}, grouped, (500, 5), (2, 1)),
    ("SoftKMeans", {"n_clusters": 5, **TEN}, grouped, (5_000, 5), (1, 1)),
    ("FuzzyCMeans", {"n_clusters": 5, **TEN}, grouped, (5_000, 5), (1, 1)),
    ("KHarmonicMeans", {"n_clusters": 5, **TEN}, grouped, (5_000, 5), (1, 1)),
    ("KernelKMeans", {"n_clusters": 5, "n_init": 1}, grouped, (500, 5), (2, 1)),
    ("AgglomerativeClustering", {"n_clusters": 5}, grouped, (500, 5), (2, 1)),
    ("Divisive", {"n_clusters": 5}, grouped, (5_000, 5), (1, 1)),
    ("DBSCAN", {"eps": 1.0}, scattered, (5_000, 2), (1.1, 1)),
    ("HDBSCAN", {}, grouped, (1_000, 2), (1.1, 1)),
    ("OPTICS", {}, grouped, (500, 2), (2, 1)),
    ("SpectralClustering", {"n_clusters": 5}, grouped, (1_000, 5), (1.1, 1)),
    ("MeanShift", {"bandwidth": 2.0}, grouped, (500, 2), (2, 1)),
    ("AffinityPropagation", {}, grouped, (100, 2), (2, 1)),
    ("ThresholdGraph", {"threshold": 0.5}, scattered, (2_000, 2), (1.1, 1)),
    ("GaussianMixture", {"n_components": 5, **TEN}, grouped, (5_000, 10), (1, 2)),
    ("GaussianMixtureRegression", {"n_components": 3, **TEN}, linear, (5_000, 10), (1, 2)),
    ("DiscreteMixture", {"n_components": 3, **TEN}, whole, (5_000, 10), (1, 1)),
    ("BayesianGaussianMixture", {"n_components": 5, **TEN}, grouped, (5_000, 10), (1, 2)),
    ("DirichletProcessMixture", {"max_iter": 10, "burn_in": 2}, grouped, (500, 5), (1, 2)),
    ("MarginDirichletMixture", {"max_iter": 10}, grouped, (500, 5), (1, 2)),
    ("HMM", {"n_components": 3, **TEN}, chained, (2_000, 4), (1, 2)),
    ("KNeighborsClassifier", {}, three_classes, (20_000, 3), (1, 1)),
    ("KNeighborsRegressor", {}, linear, (20_000, 3), (1, 1)),
]

def parted(groups):
    """Groups along axes of their own, so that as many clusters live through every round."""
    random = np.random.default_rng(0)
    rows = random.standard_normal((2_000, 64))
    rows[np.arange(2_000), np.arange(2_000) % groups] += 10.0
    return (rows,)


#: The same with clusters that a method must find to pay for them: class, settings, the setting that
#: starts with as many clusters as there are groups, and the attribute with their number after each round.
#: A row for which a vector moved costs a basis of all K vectors, K²·d with K below d, which the d²·K of the
#: text bounds; one for which none moved costs K·d.
GROUPS = [
    ("MarginDirichletMixture", {"max_iter": 5}, ("n_start", 4), "n_components_trace_", 2),
]

#: Name of the class, its settings, its data of one size, the setting that is doubled and from where,
#: and the exponent of theory.
SETTINGS = [
    ("KMeans", {**TEN, "algorithm": "lloyd", "init": "random"}, grouped, (20_000, 10), ("n_clusters", 8), 1),
    ("GaussianMixture", {**TEN}, grouped, (5_000, 10), ("n_components", 4), 1),
    ("HMM", {**TEN}, chained, (2_000, 4), ("n_components", 4), 2),
    ("KernelKMeans", {"n_init": 1, "max_iter": 5}, grouped, (1_000, 5), ("n_clusters", 4), 1),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", help="only classes whose name contains one of these words, cut by commas")
    parser.add_argument("--out", default=Path(__file__).parent / "results", type=Path)
    options = parser.parse_args()
    words = [word.strip().lower() for word in options.rows.split(",") if word.strip()]
    found = []
    for name, settings, make, sizes, theory in ALGORITHMS:
        if hasattr(didact, name) and (not words or any(word in name.lower() for word in words)):
            found.append(measured(name, settings, make, sizes, theory))
            print(line(found[-1]), flush=True)
    doubled = [settled(*each) for each in SETTINGS if not words or any(word in each[0].lower() for word in words)]
    doubled += [with_groups(*each) for each in GROUPS if not words or any(word in each[0].lower() for word in words)]
    print("\n".join(map(setting_line, doubled)), flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "growth.json").write_text(json.dumps({"sizes": found, "settings": doubled}, indent=1) + "\n")
    (options.out / "growth.md").write_text(text(found, doubled))
    draw(found, options.out)


def measured(name, settings, make, sizes, theory):
    """Times with more rows and with more columns."""
    n, d = sizes
    by_rows = [(n << k, seconds(name, settings, make(n << k, d))) for k in range(4)]
    by_columns = [(d << k, seconds(name, settings, make(n, d << k))) for k in range(4)]
    return {
        "algorithm": name,
        "columns": d,
        "rows": n,
        "by_rows": by_rows,
        "by_columns": by_columns,
        "exponents": [slope(by_rows[1:]), slope(by_columns[1:])],
        "theory": theory,
    }


def settled(name, settings, make, sizes, doubling, theory):
    """Times with larger values of one setting."""
    setting, first = doubling
    data = make(*sizes)
    times = [(first << k, seconds(name, {**settings, setting: first << k}, data)) for k in range(4)]
    return {"algorithm": name, "setting": setting, "sizes": sizes, "times": times, "exponent": slope(times[1:]), "theory": theory}


def with_groups(name, settings, doubling, counted, theory):
    """Times with more groups, against the number of clusters that were found."""
    setting, first = doubling
    times = []
    for groups in (first << k for k in range(4)):
        data, chosen = parted(groups), {**settings, setting: groups}
        rounds = getattr(getattr(didact, name)(n_jobs=1, **chosen).fit(*data), counted)
        times.append((round(float(np.mean(rounds)), 1), seconds(name, chosen, data)))
    return {"algorithm": name, "setting": "clusters per round", "sizes": data[0].shape, "times": times, "exponent": slope(times[1:]), "theory": theory}


def seconds(name, settings, data):
    """The least time of several fits, on one thread."""
    times = []
    begin = time.perf_counter()
    while len(times) < 3 or (len(times) < 30 and time.perf_counter() - begin < 0.5):
        start = time.perf_counter()
        model = getattr(didact, name)(n_jobs=1, **settings).fit(*data)
        if name == "PolynomialFeatures":  # nothing is computed before it is asked for
            model.transform(*data)
        times.append(time.perf_counter() - start)
    return min(times)


def slope(points):
    x = [math.log(size) for size, _ in points]
    y = [math.log(taken) for _, taken in points]
    return float(np.polyfit(x, y, 1)[0])


def draw(found, folder):
    """A picture for each family and each way to grow: how many times as long, with how many times as much;
    behind each name stands the exponent."""
    families = {line["name"]: line["family"] for line in didact.catalogue()}
    for family in sorted({families[one["algorithm"]] for one in found}):
        members = [one for one in found if families[one["algorithm"]] == family]
        for place, what in enumerate(("rows", "columns")):
            costs = {
                f"{one['algorithm']}: {one['exponents'][place]:.1f}": [taken / one[f"by_{what}"][0][1] for _, taken in one[f"by_{what}"]]
                for one in members
            }
            picture = didact.plot.growth([1, 2, 4, 8], costs, size_name=f"times as many {what}", cost_name="times as long")
            picture.save(folder / f"growth-{family}-{what}.svg")


def line(found):
    """One row of the table: milliseconds by doubling, and the exponents."""
    rows = " · ".join(f"{1e3 * taken:.3g}" for _, taken in found["by_rows"])
    columns = " · ".join(f"{1e3 * taken:.3g}" for _, taken in found["by_columns"])
    (in_rows, in_columns), (rows_theory, columns_theory) = found["exponents"], found["theory"]
    return (
        f"| {found['algorithm']} | {found['rows']}×{found['columns']} | {rows} | {in_rows:.2f} ({rows_theory}) "
        f"| {columns} | {in_columns:.2f} ({columns_theory}) |"
    )


def setting_line(found):
    """One row of the table of settings."""
    times = " · ".join(f"{1e3 * taken:.3g}" for _, taken in found["times"])
    values = ", ".join(str(size) for size, _ in found["times"])
    rows, columns = found["sizes"]
    return f"| {found['algorithm']} | {rows}×{columns} | {found['setting']} {values} | {times} | {found['exponent']:.2f} ({found['theory']}) |"


def text(found, doubled):
    head = [
        "# Growth",
        "",
        "Milliseconds of one fit on one thread while the number of rows, then of columns, doubles three",
        "times; the fitted exponent, and in brackets that of theory for large sizes (an upper bound where",
        "fixed costs, matrix products in cache or fewer iterations make a fit cheaper).",
        "",
        f"Load at the end: {os.getloadavg()[0]:.1f}.",
        "",
        "| algorithm | from | by rows, ms | exponent | by columns, ms | exponent |",
        "|---|--:|---|--:|---|--:|",
    ]
    settings = ["", "The same while a setting doubles:", "", "| algorithm | rows | setting | ms | exponent |", "|---|--:|---|---|--:|"]
    return "\n".join(head + [line(one) for one in found] + settings + [setting_line(one) for one in doubled]) + "\n"


if __name__ == "__main__":
    main()
