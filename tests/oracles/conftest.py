"""Real data sets, and a folder for the files of each test."""

import pytest
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

CLASSES = ["iris", "wine", "breast_cancer", "digits"]


def load(name):
    """Features and target of a data set that comes with scikit-learn."""
    data = getattr(datasets, f"load_{name}")()
    return data.data, data.target


def scaled(name):
    """The same with standardised columns; constant columns are left out."""
    features, target = load(name)
    features = features[:, features.std(axis=0) > 0]
    return StandardScaler().fit_transform(features), target


@pytest.fixture(params=CLASSES)
def labelled(request):
    return load(request.param)


@pytest.fixture(params=CLASSES)
def scaled_labelled(request):
    return scaled(request.param)


@pytest.fixture(params=["diabetes", "linnerud", "wine", "breast_cancer"])
def measured(request):
    """Features and one real target: for sets of classes, the last column from the others."""
    if request.param == "diabetes":
        data = datasets.load_diabetes(scaled=False)
        return data.data, data.target
    if request.param == "linnerud":
        data = datasets.load_linnerud()
        return data.data, data.target[:, 0]
    features, _ = load(request.param)
    return features[:, :-1], features[:, -1]
