"""The table of scalar functions, by the path that docs name."""

from weft_numba.llvm.scalar.table import *
from weft_numba.llvm.scalar.table import __all__ as __all__
