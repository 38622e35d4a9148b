"""Numba functions from generated Python source, and the words that such source uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numba.core.dispatcher import Dispatcher

from weft_graph.extend import load_source
from weft_numba.lowering.parts import PartDispatcher

__all__ = ["CASTS", "OPTIONS", "broadcast", "compiled", "indices", "nest", "njit"]

OPTIONS: Final[dict[str, Any]] = {"error_model": "numpy", "no_cfunc_wrapper": True}
"""How everything is compiled: division by zero as NumPy has it."""

CASTS: Final[dict[str, Any]] = {
    "bool": np.bool_,
    **{name: getattr(np, name) for name in ("int8", "int16", "int32", "int64")},
    **{name: getattr(np, name) for name in ("uint8", "uint16", "uint32", "uint64")},
    **{name: getattr(np, name) for name in ("float32", "float64", "complex64", "complex128")},
}
"""Converters of scalars, which are dtypes to `np.empty` too."""


def njit(function: Callable[..., Any], *, nogil: bool = False) -> Dispatcher:
    """`function`, compiled with our options; with `nogil`, other Python threads go on meanwhile."""
    options = {"nopython": True, "nogil": nogil, **OPTIONS}
    dispatcher: Dispatcher = PartDispatcher(function, targetoptions=options)
    return dispatcher


@lru_cache(maxsize=4096)
def compiled(source: str, **names: object) -> Dispatcher:
    """The Numba function that `source` defines under the name `lowered`.

    It may mention np, the casts ("float64", ...) and what `names` says. The same source and
    names give the same function, whose machine code all graphs share.

    >>> compiled("def lowered(x):\\n    return float64(x) / 2\\n")(3)
    1.5
    """
    namespace = {"np": np, **CASTS, "bool_": np.bool_, **names}
    return njit(load_source("lowered", source, namespace))


def indices(ndim: int, prefix: str = "i") -> list[str]:
    """Names of loop variables.

    >>> indices(2)
    ['i0', 'i1']
    """
    return [f"{prefix}{axis}" for axis in range(ndim)]


def nest(
    lengths: Sequence[str], body: Sequence[str], prefix: str = "i", depth: int = 1
) -> list[str]:
    """The lines of nested loops over `lengths`, around `body`.

    >>> print("\\n".join(nest(["n", "3"], ["x[i0, i1] = 0"], depth=0)))
    for i0 in range(n):
        for i1 in range(3):
            x[i0, i1] = 0
    """
    lines = []
    for name, length in zip(indices(len(lengths), prefix), lengths, strict=True):
        lines.append("    " * depth + f"for {name} in range({length}):")
        depth += 1
    return lines + ["    " * depth + line for line in body]


def broadcast(target: str, lengths: Sequence[str], error: str = "ValueError") -> list[str]:
    """Statements that set `target` to what `lengths` broadcast to, or raise.

    >>> print("\\n".join(broadcast("n", ["a", "b"])))
    n = a
    if n == 1:
        n = b
    elif b != 1 and b != n:
        raise ValueError('operands could not be broadcast together')
    """
    lines = [f"{target} = {lengths[0] if lengths else 1}"]
    for length in lengths[1:]:
        lines += [
            f"if {target} == 1:",
            f"    {target} = {length}",
            f"elif {length} != 1 and {length} != {target}:",
            f"    raise {error}('operands could not be broadcast together')",
        ]
    return lines
