"""Planning and learning in worlds of finitely many states."""

from didact._functions import exported

_exported = exported("reinforcement")
globals().update(_exported)
__all__ = list(_exported)
