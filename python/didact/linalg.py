"""Decompositions of dense matrices and what is solved with them."""

from didact._functions import exported

_exported = exported("linalg")
globals().update(_exported)
__all__ = list(_exported)
