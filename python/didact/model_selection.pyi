"""Types of didact.model_selection; written by ``cargo xtask stubs`` out of what the library exports."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, sparray, spmatrix
from sklearn.base import BaseEstimator

from didact._judging import Comparison as Comparison
from didact._judging import CrossValidation as CrossValidation
from didact._judging import Curve as Curve
from didact._splitters import GroupKFold as GroupKFold
from didact._splitters import KFold as KFold
from didact._splitters import LeaveOneGroupOut as LeaveOneGroupOut
from didact._splitters import LeaveOneOut as LeaveOneOut
from didact._splitters import RepeatedKFold as RepeatedKFold
from didact._splitters import RepeatedStratifiedKFold as RepeatedStratifiedKFold
from didact._judging import SearchResult as SearchResult
from didact._splitters import ShuffleSplit as ShuffleSplit
from didact._splitters import StratifiedKFold as StratifiedKFold
from didact._splitters import TimeSeriesSplit as TimeSeriesSplit
from didact._judging import compare as compare
from didact._judging import cross_validate as cross_validate
from didact._judging import learning_curve as learning_curve
from didact._judging import search as search
from didact._splitters import train_test_split as train_test_split
from didact._judging import validation_curve as validation_curve

class Criteria(NamedTuple):
    aic: float
    aicc: float | None
    bic: float

class Deviance(NamedTuple):
    dic: float
    mean_deviance: float
    effective_parameters: float

class PairedTest(NamedTuple):
    mean: float
    median: float
    standard_error: float
    statistic: float
    p_value: float
    interval: tuple[float, float]
    wins: tuple[int, int, int]

class ErrorParts(NamedTuple):
    noise: float
    squared_bias: float
    variance: float

def information_criteria(log_likelihood: float, n_parameters: float, n_rows: int) -> Criteria: ...
def aic(log_likelihood: float, n_parameters: float) -> float: ...
def aicc(log_likelihood: float, n_parameters: float, n_rows: int) -> float | None: ...
def bic(log_likelihood: float, n_parameters: float, n_rows: int) -> float: ...
def dic(log_likelihoods: ArrayLike, at_mean: float) -> Deviance: ...
def partition_criteria(X: ArrayLike, labels: ArrayLike, *, likelihood: Literal['gaussian-diagonal', 'gaussian-spherical', 'rss', 'tool'] = 'gaussian-diagonal') -> Criteria: ...
def mixture_parameters(components: int, columns: int, covariance_each: int) -> float: ...
def hmm_parameters(states: int, emission_parameters: int) -> float: ...
def log_bayes_factor(log_evidence_1: float, log_evidence_0: float) -> float: ...
def model_posterior(log_evidences: ArrayLike, *, prior: ArrayLike | None = None) -> NDArray[np.float64]: ...
def regression_log_evidence(X: ArrayLike, y: ArrayLike, prior_covariance: ArrayLike, noise_variance: float) -> float: ...
def elbow(x: ArrayLike, y: ArrayLike) -> int | None: ...
def compare_paired(first: ArrayLike, second: ArrayLike, test_to_train: float, *, confidence: float = 0.95) -> PairedTest: ...
def bias_variance(predictions: ArrayLike, expected: ArrayLike, *, noise: float = 0.0) -> ErrorParts: ...
