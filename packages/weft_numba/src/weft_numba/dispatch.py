"""`numba_funcify`, by the path that errors and tutorials name."""

from weft_numba.lowering.dispatch import *
from weft_numba.lowering.dispatch import __all__ as __all__
