"""The table of scalar functions, by the path that errors name."""

from weft_numba.llvm.scalar.table import TABLE, row

__all__ = ["TABLE", "row"]
