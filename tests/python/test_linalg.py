"""Decompositions against NumPy and SciPy, live."""

import numpy as np
import pytest
import scipy.linalg

from didact import linalg


def matrices(seed, cases=30):
    """Tall, wide and square ones, some with dependent columns, some tiny or huge."""
    random = np.random.default_rng(seed)
    for case in range(cases):
        n, d = random.integers(1, 60, 2)
        matrix = random.normal(size=(n, d))
        if case % 3 == 1:
            matrix[:, -1] = matrix[:, 0]
        yield matrix * 10.0 ** (100 * (case % 5 - 2))


def symmetric(seed):
    for matrix in matrices(seed):
        square = matrix[: min(matrix.shape), : min(matrix.shape)]
        yield square + square.T


def test_eigenvalues_agree_with_numpy_the_largest_first():
    for matrix in [*symmetric(0), np.random.default_rng(1).normal(size=(400, 400)) * 3]:
        matrix = (matrix + matrix.T) / 2
        expected, scale = np.linalg.eigvalsh(matrix)[::-1], np.abs(matrix).max()
        values, vectors = linalg.eigh(matrix)
        np.testing.assert_allclose(values / scale, expected / scale, atol=1e-12)
        np.testing.assert_allclose(linalg.eigvalsh(matrix) / scale, expected / scale, atol=1e-12)
        np.testing.assert_allclose((vectors * (values / scale)) @ vectors.T, matrix / scale, atol=1e-11)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(matrix)), atol=1e-11)


def test_pairs_of_matrices_agree_with_scipy():
    random = np.random.default_rng(2)
    for size in (1, 3, 20):
        left, root = random.normal(size=(size, size)), random.normal(size=(size, size + 2))
        left, right = left + left.T, root @ root.T
        values, vectors = linalg.eigh(left, right)
        np.testing.assert_allclose(values, scipy.linalg.eigh(left, right, eigvals_only=True)[::-1], rtol=1e-8)
        np.testing.assert_allclose(vectors.T @ right @ vectors, np.eye(size), atol=1e-9)


def test_singular_values_and_least_squares_agree_with_numpy():
    for matrix in matrices(3):
        expected, scale = np.linalg.svd(matrix, compute_uv=False), np.abs(matrix).max()
        u, s, vt = linalg.svd(matrix)
        np.testing.assert_allclose(s / scale, expected / scale, atol=1e-12)
        np.testing.assert_allclose((u * (s / scale)) @ vt, matrix / scale, atol=1e-12)
        right = np.random.default_rng(4).normal(size=(len(matrix), 2))
        solution, _, rank, _ = np.linalg.lstsq(matrix, right, rcond=None)
        found = linalg.lstsq(matrix, right)
        assert found.rank == rank == linalg.qr(matrix).rank
        # The scale is taken out, and with it the order of magnitude of the answer.
        condition = expected[0] / expected[rank - 1]
        atol = 1e-13 * condition**2
        np.testing.assert_allclose(found.solution * scale, solution * scale, atol=atol)
        np.testing.assert_allclose(linalg.pinv(matrix) * scale, np.linalg.pinv(matrix) * scale, atol=atol)


def test_triangles_and_determinants_agree_with_numpy():
    random = np.random.default_rng(5)
    for size in (1, 2, 17, 150):
        root = random.normal(size=(size, 2 * size))
        definite, square = root @ root.T, random.normal(size=(size, size))
        lower = linalg.cholesky(definite)
        np.testing.assert_allclose(lower, np.linalg.cholesky(definite), rtol=1e-9, atol=1e-11)
        assert (np.triu(lower, 1) == 0).all()
        sign, logarithm = np.linalg.slogdet(square)
        np.testing.assert_allclose(linalg.slogdet(square), (sign, logarithm), rtol=1e-9, atol=1e-11)
        right = random.normal(size=(size, 3))
        np.testing.assert_allclose(square @ linalg.solve(square, right), right, atol=1e-9)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: linalg.eigh([[1.0, 2.0]]), "A has 1 rows and 2 columns; it must be square"),
        (lambda: linalg.solve(np.eye(2), np.eye(3)), "A has 2 rows but B has 3"),
        (lambda: linalg.solve([[1.0, 1.0], [1.0, 1.0]], np.eye(2)), "singular"),
        (lambda: linalg.cholesky([[1.0, 2.0], [2.0, 1.0]]), "not positive definite"),
        (lambda: linalg.svd([[np.nan]]), "nan|NaN|finite"),
    ],
)
def test_mistakes_are_errors_that_say_what_is_wrong(make, message):
    with pytest.raises(ValueError, match=message):
        make()
