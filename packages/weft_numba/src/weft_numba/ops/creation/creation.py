"""Creation in Numba."""

from __future__ import annotations

from numba.core.dispatcher import Dispatcher

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled
from weft_tensor import Arange, Eye
from weft_tensor.extend import WholeNumber

__all__ = ["numba_funcify_arange", "numba_funcify_eye", "numba_funcify_whole_number"]


@numba_funcify.register(Eye)
def numba_funcify_eye(op: Eye, **kwargs: object) -> Dispatcher:
    """`numpy.eye`."""
    return compiled(
        "def lowered(n, m, k):\n"
        "    if n < 0 or m < 0:\n"
        "        raise ValueError('negative dimensions are not allowed')\n"
        f"    out = np.zeros((n, m), {op.dtype})\n"
        "    for i in range(max(0, -k), min(n, m - k)):\n"
        "        out[i, i + k] = 1\n"
        "    return out\n"
    )


@numba_funcify.register(Arange)
def numba_funcify_arange(op: Arange, **kwargs: object) -> Dispatcher:
    """`numpy.arange`."""
    return compiled(
        "def lowered(n):\n"
        "    if n < 0:\n"
        "        raise ValueError('negative dimensions are not allowed')\n"
        "    return np.arange(n)\n"
    )


@numba_funcify.register(WholeNumber)
def numba_funcify_whole_number(op: WholeNumber, **kwargs: object) -> Dispatcher:
    """A checked conversion."""
    return compiled(
        "def lowered(x):\n"
        "    if x != np.floor(x) or np.isinf(x):\n"
        "        raise ValueError('not a whole number')\n"
        "    return int64(x)\n"
    )
