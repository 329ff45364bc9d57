"""Distances of rows, nearest neighbours and graphs."""

from didact._functions import exported

_exported = exported("distance")
globals().update(_exported)
__all__ = list(_exported)
