"""Decompositions of dense matrices."""

import didact.linalg
import numpy as np
from peers import Row


def taken_apart(name, make, ours, theirs, restored):
    """The quality is how exactly the factors restore the matrix; differences in the last digits do not count.
    Beside it stands the product AᵀA, against which decompositions are held."""

    def exactness(matrix, factors):
        return -max(float(np.abs(restored(*factors) - matrix).max() / np.abs(matrix).max()), 1e-12)

    who = {"didact": lambda matrix, _: ours(matrix), "NumPy": lambda matrix, _: theirs(matrix)}
    return Row(name, make, who, exactness, floor=lambda matrix: matrix.T @ matrix)


def matrix(rows, columns):
    return np.random.default_rng(0).standard_normal((rows, columns))


def symmetric(size):
    square = matrix(size, size)
    return square + square.T


def definite(size):
    square = matrix(size, 2 * size)
    return square @ square.T


def spectrum(size):
    return taken_apart(
        f"symmetric eigen {size}",
        lambda: symmetric(size),
        didact.linalg.eigh,
        np.linalg.eigh,
        lambda values, vectors: (vectors * values) @ vectors.T,
    )


def singular(rows, columns):
    return taken_apart(
        f"thin SVD {rows}×{columns}",
        lambda: matrix(rows, columns),
        didact.linalg.svd,
        lambda a: np.linalg.svd(a, full_matrices=False),
        lambda u, s, vt: (u * s) @ vt,
    )


def triangle(size):
    return taken_apart(
        f"Cholesky {size}",
        lambda: definite(size),
        lambda a: (didact.linalg.cholesky(a),),
        lambda a: (np.linalg.cholesky(a),),
        lambda lower: lower @ lower.T,
    )


ROWS = [spectrum(500), spectrum(1000), singular(5_000, 100), singular(1_000, 1_000), triangle(1_000), triangle(2_000)]
