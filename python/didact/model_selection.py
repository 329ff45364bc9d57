"""Choosing among models: splits, cross-validation, curves, search, comparison, criteria.

Everything runs in Rust, in parallel over the splits, with preprocessing fitted anew in each.
"""

from didact._functions import exported
from didact._judging import (
    Comparison,
    CrossValidation,
    Curve,
    SearchResult,
    compare,
    cross_validate,
    learning_curve,
    search,
    validation_curve,
)
from didact._splitters import SPLITTERS, train_test_split

_exported = exported("model_selection")
_exported |= {splitter.__name__: splitter for splitter in SPLITTERS}
globals().update(_exported)
__all__ = [
    "Comparison",
    "CrossValidation",
    "Curve",
    "SearchResult",
    "compare",
    "cross_validate",
    "learning_curve",
    "search",
    "train_test_split",
    "validation_curve",
    *_exported,
]
