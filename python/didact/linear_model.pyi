"""Types of didact.linear_model; written by ``cargo xtask stubs`` out of what the library exports."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, sparray, spmatrix
from sklearn.base import BaseEstimator

def lasso_path(X: ArrayLike | spmatrix | sparray, y: ArrayLike, *, eps: float = 0.001, n_alphas: int = 100, alphas: ArrayLike | None = None, fit_intercept: bool = False, positive: bool = False, tol: float = 1e-4, max_iter: int = 1000) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def enet_path(X: ArrayLike | spmatrix | sparray, y: ArrayLike, *, l1_ratio: float = 0.5, eps: float = 0.001, n_alphas: int = 100, alphas: ArrayLike | None = None, fit_intercept: bool = False, positive: bool = False, tol: float = 1e-4, max_iter: int = 1000) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
