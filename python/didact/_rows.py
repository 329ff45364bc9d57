"""Rows between Python and the library: matrices, tables, sparse matrices."""

import numpy as np

from didact import _didact


def n_rows(rows):
    """Number of rows of a matrix or of the parts of a compressed one."""
    return len(rows[0]) - 1 if isinstance(rows, tuple) else len(rows)


def n_columns(rows):
    """Number of columns of a matrix or of the parts of a compressed one."""
    return rows[3] if isinstance(rows, tuple) else rows.shape[1]


def frame(table):
    """A table as a matrix, or nothing where it cannot speak Arrow after all."""
    try:
        return _didact.frame(table)
    except ImportError:  # pandas needs pyarrow for it
        return None


def compressed(X):
    """The parts of a sparse matrix, columns sorted and without repetitions."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    columns = X.indices
    if columns.dtype == np.int32:
        columns = columns.view(np.uint32)  # never negative, so the bits are the same
    else:
        columns = columns.astype(np.uint32)
    data = np.ascontiguousarray(X.data, dtype=np.float64)
    return (X.indptr.astype(np.uintp), np.ascontiguousarray(columns), data, X.shape[1])


def expanded(parts):
    """A sparse matrix of SciPy out of its parts."""
    from scipy.sparse import csr_matrix

    starts, columns, data, width = parts
    index = np.int32 if max(len(data), width) < 2**31 else np.int64
    parts = (data, columns.astype(index), starts.astype(index))
    return csr_matrix(parts, shape=(len(starts) - 1, width))


def real(name, values):
    """An array of real numbers."""
    if hasattr(values, "__arrow_c_stream__"):
        matrix = frame(values)
        if matrix is not None:
            return matrix
    values = np.asarray(values)
    if values.dtype.kind == "c":
        raise ValueError(f"{name} holds complex numbers; they must be real")
    return np.asarray(values, dtype=np.float64, order="C")


def matrix(name, values):
    """A matrix; one row of numbers becomes a column."""
    values = real(name, values.toarray() if hasattr(values, "toarray") else values)
    if values.ndim > 2:
        raise ValueError(f"{name} has {values.ndim} dimensions; it must have one or two")
    return values.reshape(len(values), -1) if values.ndim < 2 and values.ndim else values


def vector(name, values):
    """Numbers in a row; a single number is a row of one."""
    values = np.atleast_1d(real(name, values))
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0].copy()
    if values.ndim != 1:
        raise ValueError(f"{name} has {values.ndim} dimensions; it must have one")
    return values


def rows(name, values):
    """A matrix, or the parts of a sparse one."""
    if hasattr(values, "tocsr"):
        return compressed(values.tocsr())
    values = real(name, values)
    if values.ndim != 2:
        raise ValueError(
            f"{name} has {values.ndim} dimension(s); rows need two. "
            "Reshape with array.reshape(-1, 1) for one column or (1, -1) for one row"
        )
    return values
