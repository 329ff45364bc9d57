"""Types of didact.reinforcement; written by ``cargo xtask stubs`` out of what the library exports."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, sparray, spmatrix
from sklearn.base import BaseEstimator

class PlanResult(NamedTuple):
    values: NDArray[np.float64]
    policy: NDArray[np.int64]
    error_bound: float
    n_iter: int

class LearnedResult(NamedTuple):
    values: NDArray[np.float64]
    policy: NDArray[np.int64]
    episode_returns: NDArray[np.float64]

class GridResult(NamedTuple):
    transitions: NDArray[np.float64]
    places: NDArray[np.int64]

def value_iteration(transitions: ArrayLike, *, discount: float = 0.9, tol: float = 1e-8, max_iter: int = 100_000) -> PlanResult: ...
def policy_iteration(transitions: ArrayLike, *, discount: float = 0.9, max_iter: int = 1000) -> PlanResult: ...
def policy_values(transitions: ArrayLike, policy: ArrayLike, *, discount: float = 0.9) -> NDArray[np.float64]: ...
def q_learning(transitions: ArrayLike, *, start: int | None = None, discount: float = 0.9, n_episodes: int = 1000, max_steps: int = 1000, epsilon: float = 0.1, learning_rate: float | None = None, random_state: int | np.random.RandomState | np.random.Generator | None = 0) -> LearnedResult: ...
def sarsa(transitions: ArrayLike, *, start: int | None = None, discount: float = 0.9, n_episodes: int = 1000, max_steps: int = 1000, epsilon: float = 0.1, learning_rate: float | None = None, random_state: int | np.random.RandomState | np.random.Generator | None = 0) -> LearnedResult: ...
def grid_world(map: str, *, slip: float = 0.0, step: float = 0.0, exit: float = 1.0) -> GridResult: ...
