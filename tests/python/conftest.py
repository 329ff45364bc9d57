"""Data that several tests use."""

import os

import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

import didact


def estimators(*tasks):
    """Names of the classes that serve one of the tasks."""
    return [line["name"] for line in didact.catalogue() if line["task"] in tasks]


@pytest.fixture(scope="session")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="session")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="session")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="session")
def diabetes():
    return load_diabetes(return_X_y=True)


@pytest.fixture(scope="session")
def command():
    """The command `didact`, for tests that pass models between the faces."""
    path = os.environ.get("DIDACT")
    if not path:
        pytest.skip("the command is not built; cargo xtask test builds it")
    return path
