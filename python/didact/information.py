"""Entropy, mutual information, divergences and codes."""

from didact._functions import exported

_exported = exported("information")
globals().update(_exported)
__all__ = list(_exported)
