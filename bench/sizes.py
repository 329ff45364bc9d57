"""What is timed while it grows: every algorithm with its data, the sizes it starts from, and what theory says."""

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


def labelled_chains(n, d):
    """Sequences whose items have labels that follow one another."""
    x, lengths = sequences(n // 100, 100, d, 3)
    return {"X": x, "lengths": lengths, "y": x.argmax(axis=1) % 3}


def few_labels(n, d):
    """Groups of which one row in twenty says which it is of."""
    x, y = blobs(n, d, 3)
    return x, np.where(np.arange(n) % 20, -1, y)


def two_few_labels(n, d):
    x, y = blobs(n, d, 2)
    return x, np.where(np.arange(n) % 20, -1, y)


def few_counted_labels(n, d):
    x, y = counted(n, d)
    return x, np.where(np.arange(n) % 20, -1, y)


def two_views(n, d):
    """Two blocks of as many columns that share some of their variation."""
    random = np.random.default_rng(0)
    x = random.standard_normal((n, d))
    return x, x @ random.standard_normal((d, d)) + random.standard_normal((n, d))


def words(n, d):
    """Columns of three categories, each like the one before it."""
    random = np.random.default_rng(0)
    columns = [random.integers(3, size=n)]
    for _ in range(1, d):
        columns.append(np.where(random.random(n) < 0.7, columns[-1], random.integers(3, size=n)))
    return (np.column_stack(columns),)


def labelled_words(n, d):
    (x,) = words(n, d)
    return x, x[:, 0]


def patterns(n, d):
    return (np.random.default_rng(0).choice([-1.0, 1.0], (n, d)),)


#: Ten rounds, however soon the answer stands: what grows is the cost of a round.
TEN = {"max_iter": 10, "tol": 0.0}

#: Three passes over the rows, for the same reason.
PASSES = {"max_iter": 3, "tol": 0.0}

#: What learns next to nothing: the time of a fit and of applying it to the rows.
APPLIED = {"ConstantFeature", "PolynomialFeatures", "SigmoidFeatures", "PolarCoordinates", "RandomFourierFeatures", "Nystroem"}

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
    ("MetricKMeans", {"n_clusters": 5, "max_iter": 2}, grouped, (5_000, 5), (1, 1)),
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
    ("AffinityPropagation", {"max_iter": 20, "convergence_iter": 20}, grouped, (100, 2), (2, 1)),
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
    ("ConstantFeature", {}, grouped, (50_000, 10), (1, 1)),
    ("SigmoidFeatures", {}, grouped, (20_000, 10), (1, 2)),
    ("PolarCoordinates", {}, grouped, (20_000, 5), (1, 2)),
    ("CanonicalCorrelation", {}, two_views, (10_000, 10), (1, 2)),
    ("NuSVC", {}, two_classes, (500, 10), (2, 1)),
    ("NuSVR", {}, linear, (500, 10), (2, 1)),
    ("KernelRidge", {"kernel": "rbf"}, linear, (250, 5), (3, 1)),
    ("KernelPerceptron", {"max_iter": 10}, two_classes, (500, 5), (2, 1)),
    ("KernelClassMean", {}, two_classes, (500, 5), (2, 1)),
    ("KernelPca", {"kernel": "rbf", "n_components": 3}, grouped, (250, 5), (2, 1)),
    ("RbfFeatures", {}, grouped, (5_000, 5), (1, 1)),
    ("RandomFourierFeatures", {}, grouped, (5_000, 5), (1, 1)),
    ("Nystroem", {}, grouped, (2_000, 5), (1, 1)),
    ("GaussianProcessClassifier", {}, two_classes, (125, 5), (3, 1)),
    ("RadiusNeighborsClassifier", {}, three_classes, (20_000, 3), (1, 1)),
    ("RadiusNeighborsRegressor", {}, linear, (20_000, 3), (1, 1)),
    ("KernelDensity", {}, grouped, (20_000, 3), (1.1, 1)),
    ("KNeighborsDensity", {}, grouped, (20_000, 3), (1.1, 1)),
    ("ParzenClassifier", {}, three_classes, (20_000, 3), (1.1, 1)),
    ("DecisionTreeClassifier", {}, three_classes, (5_000, 5), (1.1, 1)),
    ("DecisionTreeRegressor", {}, linear, (5_000, 5), (1.1, 1)),
    ("RandomForestClassifier", {"n_estimators": 10}, three_classes, (5_000, 5), (1.1, 0.5)),
    ("RandomForestRegressor", {"n_estimators": 10}, linear, (5_000, 5), (1.1, 1)),
    ("ExtraTreesClassifier", {"n_estimators": 10}, three_classes, (5_000, 5), (1.1, 0.5)),
    ("ExtraTreesRegressor", {"n_estimators": 10}, linear, (5_000, 5), (1.1, 1)),
    ("HistGradientBoostingClassifier", {"max_iter": 10, "early_stopping": False}, three_classes, (20_000, 5), (1, 1)),
    ("HistGradientBoostingRegressor", {"max_iter": 10, "early_stopping": False}, linear, (20_000, 5), (1, 1)),
    ("WeakBoostingClassifier", {}, two_classes, (2_000, 5), (1.1, 1)),
    ("CRF", {"max_iter": 10}, labelled_chains, (2_000, 4), (1, 1)),
    ("DeepCRF", {"max_iter": 3}, labelled_chains, (2_000, 4), (1, 1)),
    ("StructuredPerceptron", {"max_iter": 10}, labelled_chains, (2_000, 4), (1, 1)),
    ("MEMM", {"max_iter": 10}, labelled_chains, (2_000, 4), (1, 1)),
    ("ItemClassifier", {"max_iter": 10}, labelled_chains, (2_000, 4), (1, 1)),
    ("BayesianNetworkClassifier", {}, labelled_words, (2_000, 4), (1, 2)),
    ("BayesianNetworkDensity", {}, words, (2_000, 4), (1, 2)),
    ("LabelPropagation", {}, few_labels, (1_000, 3), (1.1, 1)),
    ("LabelSpreading", {}, few_labels, (1_000, 3), (1.1, 1)),
    ("LaplacianRLS", {}, few_labels, (250, 3), (3, 1)),
    ("SemiSupervisedMixture", {**TEN}, few_labels, (5_000, 5), (1, 2)),
    ("SemiSupervisedNaiveBayes", {**TEN}, few_counted_labels, (2_000, 10), (1, 1)),
    ("TransductiveSVM", {}, two_few_labels, (100, 5), (2, 1)),
    ("HatLossSVM", {"max_iter": 50}, two_few_labels, (2_000, 10), (1, 1)),
    ("MLPClassifier", {"hidden_layer_sizes": (32,), **PASSES}, three_classes, (2_000, 20), (1, 1)),
    ("MLPRegressor", {"hidden_layer_sizes": (32,), **PASSES}, linear, (2_000, 20), (1, 1)),
    ("Autoencoder", {"hidden_layer_sizes": (8,), **PASSES}, grouped, (2_000, 20), (1, 1)),
    ("DeepFeatures", {"max_iter": 3}, grouped, (2_000, 20), (1, 1)),
    ("CNN", {"image_shape": (8, -1), **PASSES}, three_classes, (500, 64), (1, 1)),
    ("RNN", {**PASSES}, labelled_chains, (2_000, 10), (1, 1)),
    ("LSTM", {**PASSES}, labelled_chains, (2_000, 10), (1, 1)),
    ("AdalineClassifier", {}, two_classes, (5_000, 10), (1, 2)),
    ("AdalineRegressor", {}, linear, (5_000, 10), (1, 2)),
    ("SOM", {}, grouped, (2_000, 5), (1, 1)),
    ("Hopfield", {}, patterns, (100, 50), (1, 2)),
    ("HebbianPCA", {"n_components": 3, "max_iter": 100}, grouped, (20_000, 20), (1, 2)),
    ("OneVsRestClassifier", {}, three_classes, (5_000, 10), (1, 1)),
    ("OneVsOneClassifier", {}, three_classes, (5_000, 10), (1, 1)),
    ("OutputCodeClassifier", {}, three_classes, (5_000, 10), (1, 1)),
    ("CalibratedClassifierCV", {}, three_classes, (20_000, 10), (1, 1)),
    ("BayesClassifier", {}, three_classes, (5_000, 5), (1, 2)),
    ("BaggingClassifier", {}, three_classes, (2_000, 5), (1.1, 1)),
    ("BaggingRegressor", {}, linear, (2_000, 5), (1.1, 1)),
    ("AdaBoostClassifier", {"n_estimators": 10}, three_classes, (2_000, 5), (1.1, 1)),
    ("AdaBoostRegressor", {"n_estimators": 10}, linear, (2_000, 5), (1.1, 1)),
    ("BaselineClassifier", {}, three_classes, (50_000, 10), (1, 1)),
    ("BaselineRegressor", {}, linear, (50_000, 10), (1, 1)),
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
