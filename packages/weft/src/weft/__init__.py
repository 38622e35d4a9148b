"""Weft: expressions over arrays, differentiated, rewritten and compiled.

`import weft.tensor as wt` serves most users; what is here works for any type of value.
"""

from weft_graph import *
from weft_graph import __all__, __version__

__all__ = [*__all__, "__version__"]
