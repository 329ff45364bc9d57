"""Types of didact.optimize; written by ``cargo xtask stubs`` out of what the library exports."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, sparray, spmatrix
from sklearn.base import BaseEstimator

class Evaluations(NamedTuple):
    values: int
    gradients: int
    curvatures: int

class OptimizeResult(NamedTuple):
    x: NDArray[np.float64]
    value: float
    gradient_norm: float
    iterations: int
    evaluations: Evaluations
    converged: bool
    stop: str
    trace: NDArray[np.float64]
    warnings: list[str]

class ConstrainedResult(NamedTuple):
    x: NDArray[np.float64]
    value: float
    equality_multipliers: NDArray[np.float64]
    inequality_multipliers: NDArray[np.float64]
    kkt: float
    iterations: int
    converged: bool
    stop: str
    trace: NDArray[np.float64]
    warnings: list[str]

class LeastSquaresResult(NamedTuple):
    x: NDArray[np.float64]
    value: float
    covariance: NDArray[np.float64]
    rank: int
    iterations: int
    evaluations: Evaluations
    converged: bool
    stop: str
    trace: NDArray[np.float64]
    warnings: list[str]

class ProgramResult(NamedTuple):
    status: str
    x: NDArray[np.float64] | None
    value: float | None
    equality_multipliers: NDArray[np.float64]
    inequality_multipliers: NDArray[np.float64]
    active: NDArray[np.int64]
    kkt: float | None
    ray: NDArray[np.float64] | None
    iterations: int
    converged: bool
    trace: NDArray[np.float64]

class LinearSolution(NamedTuple):
    x: NDArray[np.float64]
    residual: float
    iterations: int
    converged: bool

class DerivativeCheck(NamedTuple):
    relative_error: float
    worst: NDArray[np.int64]
    given: float
    expected: float
    passes: bool

class StationaryPoint(NamedTuple):
    x: NDArray[np.float64]
    value: float
    kind: str

def minimize(fun: Callable[..., object], x0: ArrayLike, *, jac: Callable[..., ArrayLike] | bool | None = None, hess: Callable[..., object] | None = None, method: Literal['gradient-descent', 'conjugate-gradient', 'lbfgs', 'lbfgs-b', 'newton', 'truncated-newton', 'proximal-gradient', 'subgradient'] | None = None, bounds: Sequence[tuple[float | None, float | None]] | tuple[float | None, float | None] | None = None, penalty: Literal['non-negative', 'simplex'] | dict[str, Any] | None = None, options: dict[str, Any] = {}) -> OptimizeResult: ...
def minimize_constrained(fun: Callable[..., object], x0: ArrayLike, *, equalities: Sequence[Callable[..., float] | tuple[Callable[..., float], Callable[..., ArrayLike]]] = (), inequalities: Sequence[Callable[..., float] | tuple[Callable[..., float], Callable[..., ArrayLike]]] = (), jac: Callable[..., ArrayLike] | bool | None = None, method: Literal['sqp', 'augmented-lagrangian', 'quadratic-penalty', 'lagrange-newton'] = 'sqp', options: dict[str, Any] = {}) -> ConstrainedResult: ...
def minimize_terms(fun: Callable[..., object], n_terms: int, x0: ArrayLike, *, options: dict[str, Any] = {}) -> OptimizeResult: ...
def least_squares(fun: Callable[..., object], x0: ArrayLike, *, jac: Callable[..., object] | None = None, deviations: ArrayLike | None = None, covariance: ArrayLike | None = None, options: dict[str, Any] = {}) -> LeastSquaresResult: ...
def root(fun: Callable[..., object], x0: ArrayLike, *, jac: Callable[..., object] | None = None, options: dict[str, Any] = {}) -> OptimizeResult: ...
def stationary_points(fun: Callable[..., object], starts: ArrayLike, *, jac: Callable[..., ArrayLike] | bool | None = None, hess: Callable[..., object] | None = None) -> list[StationaryPoint]: ...
def check_gradient(fun: Callable[..., object], x: ArrayLike, *, jac: Callable[..., ArrayLike] | bool | None = True) -> DerivativeCheck: ...
def quadratic_program(P: ArrayLike, q: ArrayLike, A_ub: ArrayLike | None = None, b_ub: ArrayLike | None = None, A_eq: ArrayLike | None = None, b_eq: ArrayLike | None = None, *, bounds: Sequence[tuple[float | None, float | None]] | tuple[float | None, float | None] | None = None, method: Literal['active-set', 'interior-point'] = 'active-set', options: dict[str, Any] = {}) -> ProgramResult: ...
def linprog(c: ArrayLike, A_ub: ArrayLike | None = None, b_ub: ArrayLike | None = None, A_eq: ArrayLike | None = None, b_eq: ArrayLike | None = None, *, bounds: Sequence[tuple[float | None, float | None]] | tuple[float | None, float | None] | None = (0, None), method: Literal['active-set', 'interior-point'] = 'interior-point', options: dict[str, Any] = {}) -> ProgramResult: ...
def equality_program(P: ArrayLike, q: ArrayLike, A: ArrayLike, b: ArrayLike, *, route: Literal['kkt', 'null-space', 'range-space'] = 'kkt') -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def conjugate_gradient(A: ArrayLike, b: ArrayLike, *, least_squares: bool = False, options: dict[str, Any] = {}) -> LinearSolution: ...
