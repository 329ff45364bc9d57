"""Figures by which models are judged."""

from didact._functions import exported

_functions = exported(__name__, "metrics")
globals().update(_functions)
__all__ = list(_functions)
