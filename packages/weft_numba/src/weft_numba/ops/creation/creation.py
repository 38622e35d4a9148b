"""Creation in Numba."""

from __future__ import annotations

from numba.core.dispatcher import Dispatcher

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled
from weft_tensor.extend import WholeNumber

__all__ = ["numba_funcify_whole_number"]


@numba_funcify.register(WholeNumber)
def numba_funcify_whole_number(op: WholeNumber, **kwargs: object) -> Dispatcher:
    """A checked conversion."""
    return compiled(
        "def lowered(x):\n"
        "    if x != np.floor(x) or np.isinf(x):\n"
        "        raise ValueError('not a whole number')\n"
        "    return int64(x)\n"
    )
