"""Types of didact.linalg; written by ``cargo xtask stubs`` out of what the library exports."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, sparray, spmatrix
from sklearn.base import BaseEstimator

class EigenDecomposition(NamedTuple):
    values: NDArray[np.float64]
    vectors: NDArray[np.float64]

class SingularValues(NamedTuple):
    u: NDArray[np.float64]
    s: NDArray[np.float64]
    vt: NDArray[np.float64]

class LeastSquaresSolution(NamedTuple):
    solution: NDArray[np.float64]
    rank: int
    singular_values: NDArray[np.float64]

class PivotedQr(NamedTuple):
    q: NDArray[np.float64]
    r: NDArray[np.float64]
    order: NDArray[np.int64]
    rank: int

def eigh(A: ArrayLike, B: ArrayLike | None = None) -> EigenDecomposition: ...
def eigvalsh(A: ArrayLike) -> NDArray[np.float64]: ...
def svd(A: ArrayLike) -> SingularValues: ...
def cholesky(A: ArrayLike) -> NDArray[np.float64]: ...
def qr(A: ArrayLike) -> PivotedQr: ...
def solve(A: ArrayLike, B: ArrayLike) -> NDArray[np.float64]: ...
def lstsq(A: ArrayLike, B: ArrayLike, *, tolerance: float | None = None) -> LeastSquaresSolution: ...
def pinv(A: ArrayLike, *, tolerance: float | None = None) -> NDArray[np.float64]: ...
def slogdet(A: ArrayLike) -> tuple[float, float]: ...
