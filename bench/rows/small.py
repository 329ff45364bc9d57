"""Small problems, which must not pay for threads."""

import didact
import numpy as np
import sklearn.cluster as cluster
import sklearn.datasets
import sklearn.decomposition as decomposition
import sklearn.discriminant_analysis as discriminant_analysis
import sklearn.linear_model as linear_model
import sklearn.mixture as mixture
import sklearn.naive_bayes as naive_bayes
import sklearn.neighbors as neighbors
import sklearn.preprocessing as preprocessing
from peers import Row


def iris():
    return sklearn.datasets.load_iris(return_X_y=True)


def diabetes():
    return sklearn.datasets.load_diabetes(return_X_y=True)


def fitted(name, make, ours, theirs, judge, tolerance=1e-6):
    """One fit as a user writes it, threads left to the library."""
    who = {"didact": lambda d, t: ours(d), "scikit-learn": lambda d, t: theirs(d)}
    return Row(name, make, who, judge, tolerance, loops=20)


def scored(data, model):
    return float(model.score(*data))


def likelihood(data, model):
    return float(np.mean(np.log(model.predict_proba(data[0])[np.arange(len(data[1])), data[1]])))


ROWS = [
    fitted(
        "k-means iris",
        iris,
        lambda d: didact.KMeans(3, init_centers=d[0][[0, 50, 100]]).fit(d[0]),
        lambda d: cluster.KMeans(3, init=d[0][[0, 50, 100]], n_init=1).fit(d[0]),
        lambda _, model: -float(model.inertia_),
        1e-3,
    ),
    fitted(
        "mixture iris",
        iris,
        # The covariances start differently, so that both go on until they stand still.
        lambda d: didact.GaussianMixture(3, means_init=d[0][[0, 50, 100]], tol=1e-7, max_iter=1000, n_init=1).fit(d[0]),
        lambda d: mixture.GaussianMixture(3, means_init=d[0][[0, 50, 100]], tol=1e-7, max_iter=1000, n_init=1).fit(d[0]),
        lambda d, model: float(model.score(d[0])),
        1e-3,
    ),
    fitted("logistic iris", iris, lambda d: didact.LogisticRegression().fit(*d), lambda d: linear_model.LogisticRegression(max_iter=1000).fit(*d), likelihood, 1e-3),
    fitted("naive Bayes iris", iris, lambda d: didact.GaussianNB().fit(*d), lambda d: naive_bayes.GaussianNB().fit(*d), scored),
    fitted(
        "LDA iris",
        iris,
        lambda d: didact.LinearDiscriminantAnalysis().fit(*d),
        lambda d: discriminant_analysis.LinearDiscriminantAnalysis().fit(*d),
        scored,
    ),
    fitted("neighbours iris", iris, lambda d: didact.KNeighborsClassifier().fit(*d), lambda d: neighbors.KNeighborsClassifier().fit(*d), scored),
    fitted("PCA iris", iris, lambda d: didact.PCA(2).fit(d[0]), lambda d: decomposition.PCA(2).fit(d[0]), lambda _, m: float(np.sum(m.explained_variance_ratio_))),
    fitted(
        "scaler iris",
        iris,
        lambda d: didact.StandardScaler().fit(d[0]),
        lambda d: preprocessing.StandardScaler().fit(d[0]),
        lambda d, m: -float(np.abs(m.transform(d[0]).mean()) > 1e-12),
    ),
    fitted("least squares diabetes", diabetes, lambda d: didact.LinearRegression().fit(*d), lambda d: linear_model.LinearRegression().fit(*d), scored),
    fitted("ridge diabetes", diabetes, lambda d: didact.Ridge().fit(*d), lambda d: linear_model.Ridge().fit(*d), scored),
    fitted("lasso diabetes", diabetes, lambda d: didact.Lasso(0.1).fit(*d), lambda d: linear_model.Lasso(0.1).fit(*d), scored, 1e-3),
]
