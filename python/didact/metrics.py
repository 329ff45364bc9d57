"""Figures by which models are judged, under scikit-learn's names where it has them."""

from didact._functions import exported

_exported = exported("metrics")
globals().update(_exported)
__all__ = list(_exported)
