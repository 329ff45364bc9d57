"""Clustering and Gaussian mixtures against scikit-learn and SciPy."""

import warnings

import numpy
import pytest
from command import Model, probabilities, table
from scipy.cluster import hierarchy
from sklearn.cluster import (
    DBSCAN, HDBSCAN, OPTICS, AffinityPropagation, AgglomerativeClustering, KMeans, MeanShift, SpectralClustering,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import kneighbors_graph


def start(features, count):
    """Rows spread over the data, the same for everybody."""
    return features[:: len(features) // count][:count]


@pytest.mark.parametrize("algorithm", ["lloyd", "bounds"])
def test_k_means_reaches_the_same_optimum(scaled_labelled, tmp_path, algorithm):
    features, _ = scaled_labelled
    centers = start(features, 5)
    ours = Model(
        tmp_path, "k-means", table(features),
        n_clusters=5, init_centers=centers.tolist(), tol=0, algorithm=algorithm, max_iter=1000,
    )
    theirs = KMeans(5, init=centers, n_init=1, tol=0, max_iter=1000).fit(features)
    numpy.testing.assert_allclose(ours["inertia"], theirs.inertia_, rtol=1e-9)
    numpy.testing.assert_allclose(ours["cluster_centers"], theirs.cluster_centers_, atol=1e-8)
    predicted = ours.predict(table(features))["cluster"]
    assert list(predicted) == list(theirs.predict(features))


def test_k_means_seeding_is_as_good_as_scikit_learns(scaled_labelled, tmp_path):
    """The best of ten starts each: the objective may differ by chance, not by more than 1 %."""
    features, _ = scaled_labelled
    ours = Model(tmp_path, "k-means", table(features), n_clusters=8, n_init=10)
    theirs = KMeans(8, n_init=10, random_state=0).fit(features)
    assert ours["inertia"] <= theirs.inertia_ * 1.01


@pytest.mark.parametrize("shape", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_gaussian_mixture_reaches_the_same_fixed_point(tmp_path, name, shape):
    from conftest import scaled

    features = scaled(name)[0][:, :6]
    means = KMeans(3, init=start(features, 3), n_init=1).fit(features).cluster_centers_
    settings = dict(n_components=3, covariance_type=shape, reg_covar=1e-6)
    # Two steps settle weights and precisions, so that both start from the same components.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        first = GaussianMixture(means_init=means, random_state=0, tol=0, max_iter=2, **settings).fit(features)
        same = dict(
            means_init=first.means_.tolist(), weights_init=first.weights_.tolist(),
            precisions_init=first.precisions_.tolist(), tol=0, max_iter=40, **settings,
        )
        arrays = {name: numpy.array(value) if name.endswith("_init") else value for name, value in same.items()}
        theirs = GaussianMixture(random_state=0, **arrays).fit(features)
    # The same number of steps from the same start: only rounding may differ.
    ours = Model(tmp_path, "gaussian-mixture", table(features), **same)
    numpy.testing.assert_allclose(ours["lower_bound"], theirs.score(features), rtol=1e-9)
    numpy.testing.assert_allclose(ours["means"], theirs.means_, atol=1e-6)
    numpy.testing.assert_allclose(ours["weights"], theirs.weights_, atol=1e-6)
    predictions = ours.predict(table(features))
    numpy.testing.assert_allclose(probabilities(predictions), theirs.predict_proba(features), atol=1e-6)


def without_ties(features):
    """Rows moved a little: which of equally near pairs merges first is each program's choice."""
    return features + 1e-3 * numpy.random.default_rng(0).normal(size=features.shape)


@pytest.mark.parametrize("linkage", ["single", "complete", "average", "weighted", "centroid", "median", "ward"])
def test_agglomerative_grows_the_tree_of_scipy(scaled_labelled, tmp_path, linkage):
    features = without_ties(scaled_labelled[0])
    ours = Model(tmp_path, "agglomerative", table(features), n_clusters=4, linkage=linkage)
    theirs = hierarchy.linkage(features, linkage)
    numpy.testing.assert_allclose(ours["linkage_matrix"], theirs, rtol=1e-9)
    assert adjusted_rand_score(ours["labels"], after_merges(theirs, 4)) == 1.0


def after_merges(merges, count):
    """The clusters before the last merges; SciPy's cuts suppose that merges never go down."""
    groups = {row: [row] for row in range(len(merges) + 1)}
    for place, (left, right, *_) in enumerate(merges[: len(merges) + 1 - count]):
        groups[len(merges) + 1 + place] = groups.pop(int(left)) + groups.pop(int(right))
    labels = numpy.empty(len(merges) + 1, dtype=int)
    for label, rows in enumerate(groups.values()):
        labels[rows] = label
    return labels


@pytest.mark.parametrize("linkage", ["single", "average", "ward"])
def test_agglomerative_merges_along_a_graph_as_scikit_learn_does(tmp_path, linkage):
    from conftest import scaled

    features = without_ties(scaled("breast_cancer")[0])
    graph = kneighbors_graph(features, 15, include_self=False)
    ours = Model(tmp_path, "agglomerative", table(features), n_clusters=4, linkage=linkage, connectivity=15)
    theirs = AgglomerativeClustering(4, linkage=linkage, connectivity=graph, compute_distances=True).fit(features)
    numpy.testing.assert_allclose(numpy.sort(ours["distances"]), numpy.sort(theirs.distances_), rtol=1e-9)
    assert adjusted_rand_score(ours["labels"], theirs.labels_) == 1.0


def test_dbscan_finds_the_same_clusters(scaled_labelled, tmp_path):
    features, _ = scaled_labelled
    eps = 0.5 * features.shape[1] ** 0.5
    ours = Model(tmp_path, "dbscan", table(features), eps=eps, min_samples=5)
    theirs = DBSCAN(eps=eps, min_samples=5).fit(features)
    assert list(ours["labels"]) == list(theirs.labels_)
    assert list(ours["core_sample_indices"]) == list(theirs.core_sample_indices_)


@pytest.mark.parametrize("method", ["eom", "leaf"])
def test_hdbscan_finds_the_same_clusters(scaled_labelled, tmp_path, method):
    """Without core distances no two edges are equally long, and nothing is left to choose."""
    features = without_ties(scaled_labelled[0])
    settings = dict(min_samples=1, cluster_selection_method=method)
    ours = Model(tmp_path, "hdbscan", table(features), **settings)
    theirs = HDBSCAN(copy=True, **settings).fit(features)
    assert adjusted_rand_score(ours["labels"], theirs.labels_) == 1.0
    numpy.testing.assert_array_equal(ours["labels"] < 0, theirs.labels_ < 0)
    numpy.testing.assert_allclose(ours["probabilities"], theirs.probabilities_, atol=1e-9)


@pytest.mark.parametrize("settings", [
    dict(cluster_selection_epsilon=0.4), dict(cluster_selection_epsilon=1.5),
    dict(cluster_selection_method="leaf", cluster_selection_epsilon=0.5),
    dict(cluster_selection_method="leaf", cluster_selection_epsilon=50.0, allow_single_cluster=True),
    dict(allow_single_cluster=True), dict(allow_single_cluster=True, cluster_selection_epsilon=0.6),
    dict(max_cluster_size=40), dict(max_cluster_size=15, cluster_selection_epsilon=0.5),
])
@pytest.mark.parametrize("name", ["iris", "wine"])
def test_hdbscan_chooses_from_its_tree_as_the_package_does(tmp_path, name, settings):
    """The package does not count a row among its own neighbours; equally long edges are each one's choice."""
    import hdbscan
    from conftest import scaled

    features = without_ties(scaled(name)[0])
    ours = Model(tmp_path, "hdbscan", table(features), min_cluster_size=6, min_samples=3, **settings)
    theirs = hdbscan.HDBSCAN(
        min_cluster_size=6, min_samples=2, algorithm="generic", approx_min_span_tree=False, **settings,
    ).fit(features)
    assert adjusted_rand_score(ours["labels"], theirs.labels_) == 1.0


def test_k_means_parallel_seeding_is_as_good_as_scikit_learns(scaled_labelled, tmp_path):
    """The best of ten starts each, by oversampling and by k-means++."""
    features, _ = scaled_labelled
    ours = Model(tmp_path, "k-means", table(features), n_clusters=8, n_init=10, init="k-means-parallel")
    theirs = KMeans(8, n_init=10, random_state=0).fit(features)
    assert ours["inertia"] <= theirs.inertia_ * 1.01


@pytest.mark.parametrize("settings", [
    dict(min_cluster_size=8), dict(min_cluster_size=5), dict(min_cluster_size=5, cluster_selection_method="leaf"),
    dict(min_cluster_size=10, min_samples=3), dict(min_cluster_size=8, cluster_selection_epsilon=0.5),
    dict(min_cluster_size=6, max_cluster_size=40), dict(min_cluster_size=6, min_samples=3, allow_single_cluster=True),
])
@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_hdbscan_differs_in_the_order_of_equal_merges_and_in_nothing_else(tmp_path, name, settings):
    """Core distances make edges equally long, and a split of equal height takes them in some order. The height
    at which any two rows meet does not depend on it, and scikit-learn chooses from our tree what we choose."""
    from conftest import scaled
    from sklearn.cluster._hdbscan._tree import HIERARCHY_dtype, tree_to_labels

    features = without_ties(scaled(name)[0])
    ours = Model(tmp_path, "hdbscan", table(features), **settings)
    theirs = HDBSCAN(copy=True, **settings).fit(features)._single_linkage_tree_
    theirs = numpy.column_stack([theirs[field].astype(float) for field in HIERARCHY_dtype.names])
    merges = ours["single_linkage_tree"]
    numpy.testing.assert_allclose(hierarchy.cophenet(merges), hierarchy.cophenet(theirs), rtol=1e-12)
    tree = numpy.empty(len(merges), dtype=HIERARCHY_dtype)
    for column, field in enumerate(HIERARCHY_dtype.names):
        tree[field] = merges[:, column]
    given = {"cluster_selection_method": "eom", "allow_single_cluster": False, "cluster_selection_epsilon": 0.0, "max_cluster_size": None}
    given |= settings
    given.pop("min_samples", None)
    labels, probabilities = tree_to_labels(tree, **given)
    assert adjusted_rand_score(ours["labels"], labels) == 1.0
    numpy.testing.assert_array_equal(ours["labels"] < 0, labels < 0)
    numpy.testing.assert_allclose(ours["probabilities"], probabilities, rtol=1e-12)


@pytest.mark.parametrize("settings", [{}, {"min_samples": 10, "xi": 0.1}, {"min_samples": 0.04, "min_cluster_size": 0.1}])
# Not breast cancer: there rows are equally reachable, and scikit-learn, which computes the same distance
# in two ways, lets the last digit choose.
@pytest.mark.parametrize("name", ["iris", "wine"])
def test_optics_reaches_the_rows_in_the_same_order(tmp_path, name, settings):
    from conftest import scaled

    features = without_ties(scaled(name)[0])
    ours = Model(tmp_path, "optics", table(features), **settings)
    theirs = OPTICS(**settings).fit(features)
    assert list(ours["ordering"]) == list(theirs.ordering_)
    assert list(ours["labels"]) == list(theirs.labels_)


def test_optics_measures_the_same_densities_where_rows_are_equally_reachable(tmp_path):
    from conftest import scaled

    features = without_ties(scaled("breast_cancer")[0])
    ours = Model(tmp_path, "optics", table(features))
    theirs = OPTICS().fit(features)
    numpy.testing.assert_allclose(ours["core_distances"], theirs.core_distances_, rtol=1e-12)
    assert sorted(ours["ordering"]) == list(range(len(features)))


def test_mean_shift_climbs_to_the_same_peaks(tmp_path):
    from conftest import scaled

    features = without_ties(scaled("iris")[0])
    ours = Model(tmp_path, "mean-shift", table(features), bandwidth=1.2)
    theirs = MeanShift(bandwidth=1.2).fit(features)
    # Both stop when a step is shorter than a thousandth of the bandwidth.
    numpy.testing.assert_allclose(ours["cluster_centers"], theirs.cluster_centers_, atol=2e-3)


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_affinity_propagation_chooses_the_same_exemplars(tmp_path, name):
    from conftest import scaled

    features = without_ties(scaled(name)[0])
    ours = Model(tmp_path, "affinity-propagation", table(features), damping=0.7)
    theirs = AffinityPropagation(damping=0.7, random_state=0).fit(features)
    assert list(ours["medoid_indices"]) == list(theirs.cluster_centers_indices_)


@pytest.mark.parametrize("name", ["iris", "wine", "digits"])
def test_spectral_clustering_cuts_the_same_graph_alike(tmp_path, name):
    """Eigenvectors agree up to rotation, but k-means on them may end elsewhere."""
    from conftest import scaled

    features = without_ties(scaled(name)[0])
    graph = kneighbors_graph(features, 10, include_self=False)
    graph = graph.maximum(graph.T)
    ours = Model(tmp_path, "spectral-clustering", table(features), n_clusters=3)
    theirs = SpectralClustering(3, affinity="precomputed", random_state=0).fit(graph)
    assert adjusted_rand_score(ours["labels"], theirs.labels_) == 1.0
