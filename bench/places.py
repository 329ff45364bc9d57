"""Where results go."""

from pathlib import Path


def kept(is_partial):
    """A look at a few rows does not replace a whole run."""
    results = Path(__file__).parent / "results"
    return results / "partial" if is_partial else results
