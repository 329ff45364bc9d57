"""Paths of linear models over many prices."""

from didact._functions import exported

_exported = exported("linear_model")
globals().update(_exported)
__all__ = list(_exported)
