"""Kernels: similarities that are inner products in some space of features."""

from didact._functions import exported

_exported = exported("kernels")
globals().update(_exported)
__all__ = list(_exported)
