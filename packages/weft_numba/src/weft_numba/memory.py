"""The blocks of freed arrays that are kept for the next ones of their size."""

from weft_numba.numba_layer.allocation import LIMIT, kept, release

__all__ = ["LIMIT", "kept", "release"]
