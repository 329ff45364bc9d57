"""Minimisation, equations, least squares, linear and quadratic programs."""

from didact._functions import exported

_exported = exported("optimize")
globals().update(_exported)
__all__ = list(_exported)
