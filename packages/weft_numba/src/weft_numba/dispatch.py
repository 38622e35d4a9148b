"""`numba_funcify`, by the path that errors and tutorials name."""

from weft_numba.lowering.dispatch import numba_funcify

__all__ = ["numba_funcify"]
