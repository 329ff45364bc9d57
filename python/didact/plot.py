"""Pictures of data, models and judgements.

A notebook shows them as they are; ``print`` draws them in the terminal; ``save("x.svg")`` or
``save("x.png")`` writes a file.
"""

from didact._didact import Picture
from didact._functions import exported

_exported = exported("plot")
globals().update(_exported)
__all__ = ["Picture", *_exported]
