"""Grouping rows."""

import didact
import fastcluster
import hdbscan
import numpy as np
import scipy.cluster.hierarchy as hierarchy
import sklearn.cluster as cluster
from peers import Row, blobs, intelex, likeness


def kmeans(name, rows, columns, k, made):
    """k-means from the same starting centres until it stands still."""

    def make():
        x = made(rows, columns, k)
        return x, x[np.random.default_rng(1).choice(len(x), k, replace=False)]

    def ours(data, threads):
        x, centres = data
        return didact.KMeans(k, init_centers=centres, max_iter=50, tol=1e-4, n_jobs=threads).fit(x).inertia_

    def theirs(kind):
        def run(data, _):
            x, centres = data
            return kind(k, init=centres, n_init=1, max_iter=50, tol=1e-4).fit(x).inertia_

        return run

    who = {"didact": ours, "scikit-learn": theirs(cluster.KMeans)}
    if intelex("KMeans"):
        who["intelex"] = theirs(intelex("KMeans"))
    # One comparison of all rows with all centres, of which there may be fifty.
    return Row(name, make, who, lambda _, inertia: -inertia, tolerance=1e-3, floor=lambda data: data[0] @ data[1].T)


def mini_batches():
    """Mini-batch k-means from the same starting centres."""

    def make():
        x, _ = blobs(1_000_000, 20, 10)
        return x, x[:10].copy()

    def ours(data, threads):
        x, centres = data
        return didact.MiniBatchKMeans(10, init_centers=centres, batch_size=1024, n_jobs=threads).fit(x).inertia_

    def theirs(data, _):
        x, centres = data
        return cluster.MiniBatchKMeans(10, init=centres, n_init=1, batch_size=1024, random_state=0).fit(x).inertia_

    who = {"didact": ours, "scikit-learn": theirs}
    # Rows are drawn, so that the last percent is luck.
    return Row("mini-batch k-means 1M×20 k=10", make, who, lambda _, inertia: -inertia, tolerance=0.02)


def linkage(name, how):
    """The tree of 10k rows, cut into ten groups."""

    def groups(tree):
        return hierarchy.fcluster(tree, 10, "maxclust")

    who = {
        "didact": lambda d, t: didact.AgglomerativeClustering(10, linkage=how, n_jobs=t).fit(d[0]).labels_,
        "SciPy": lambda d, t: groups(hierarchy.linkage(d[0], how)),
        "fastcluster": lambda d, t: groups(fastcluster.linkage(d[0], how)),
        "fastcluster vector": lambda d, t: groups(fastcluster.linkage_vector(d[0], how)),
    }
    if how not in ("single", "ward"):
        del who["fastcluster vector"]
    return Row(name, lambda: blobs(10_000, 10, 10), who, lambda d, labels: likeness(d[1], labels))


def grouping(name, make, who, tolerance=1e-3):
    """Any grouping, judged by how well it finds the known groups."""
    return Row(name, make, who, lambda d, labels: likeness(d[1], labels), tolerance)


def dense(name, rows, columns, eps):
    who = {
        "didact": lambda d, t: didact.DBSCAN(eps, min_samples=10, n_jobs=t).fit(d[0]).labels_,
        "scikit-learn": lambda d, t: cluster.DBSCAN(eps=eps, min_samples=10, n_jobs=t).fit(d[0]).labels_,
    }
    if intelex("DBSCAN"):
        who["intelex"] = lambda d, t: intelex("DBSCAN")(eps=eps, min_samples=10, n_jobs=t).fit(d[0]).labels_
    return grouping(name, lambda: blobs(rows, columns, 10), who)


HIERARCHICAL = {
    "didact": lambda d, t: didact.HDBSCAN(20, n_jobs=t).fit(d[0]).labels_,
    "scikit-learn": lambda d, t: cluster.HDBSCAN(min_cluster_size=20, n_jobs=t, copy=True).fit(d[0]).labels_,
    "hdbscan": lambda d, t: hdbscan.HDBSCAN(min_cluster_size=20, core_dist_n_jobs=t).fit(d[0]).labels_,
}

SPECTRAL = {
    "didact": lambda d, t: didact.SpectralClustering(5, n_jobs=t).fit(d[0]).labels_,
    "scikit-learn": lambda d, t: cluster.SpectralClustering(5, affinity="nearest_neighbors", random_state=0, n_jobs=t).fit(d[0]).labels_,
}

SHIFT = {
    "didact": lambda d, t: didact.MeanShift(2.0, bin_seeding=True, n_jobs=t).fit(d[0]).labels_,
    "scikit-learn": lambda d, t: cluster.MeanShift(bandwidth=2.0, bin_seeding=True, n_jobs=t).fit(d[0]).labels_,
}

ROWS = [
    kmeans("k-means 100k×20 k=10", 100_000, 20, 10, lambda n, d, k: blobs(n, d, k)[0]),
    kmeans("k-means 100k×20 k=10, one cloud", 100_000, 20, 10, lambda n, d, k: blobs(n, d, 1)[0]),
    kmeans("k-means 10k×784 k=10", 10_000, 784, 10, lambda n, d, k: blobs(n, d, k, spread=4)[0]),
    kmeans("k-means 1M×8 k=100", 1_000_000, 8, 100, lambda n, d, k: blobs(n, d, k)[0]),
    mini_batches(),
    linkage("average linkage 10k×10", "average"),
    linkage("Ward's linkage 10k×10", "ward"),
    linkage("single linkage 10k×10", "single"),
    dense("DBSCAN 20k×3", 20_000, 3, 0.5),
    dense("DBSCAN 100k×2", 100_000, 2, 0.1),
    grouping("HDBSCAN 20k×10", lambda: blobs(20_000, 10, 8), HIERARCHICAL),
    grouping("spectral clustering 5k×10", lambda: blobs(5_000, 10, 5, spread=2.0), SPECTRAL, 1e-2),
    grouping("mean shift 10k×2", lambda: blobs(10_000, 2, 6), SHIFT, 1e-2),
]
