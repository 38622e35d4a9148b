"""What rows of scalar functions are written with, by the path that docs name."""

from weft_numba.ir.llvm_writer import *
from weft_numba.ir.llvm_writer import __all__ as __all__
