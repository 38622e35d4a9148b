"""Choices in Numba, where both cases are needed; branches are lines of `program`."""

from __future__ import annotations

from typing import Any

from numba.core.dispatcher import Dispatcher

from weft_graph import Variable
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled
from weft_tensor import IfElse
from weft_tensor.extend import Undefined

__all__ = ["numba_funcify_ifelse", "numba_funcify_undefined"]


@numba_funcify.register(IfElse)
def numba_funcify_ifelse(op: IfElse, *, node: Variable, **kwargs: object) -> Dispatcher:
    """One of two tuples."""
    n = op.n_outs
    names = [f"x{k}" for k in range(2 * n)]
    types: list[Any] = [v.type for v in node.inputs[1:]]
    then, otherwise = _tuple(names[:n], types[:n]), _tuple(names[n:], types[n:])
    return compiled(
        f"def lowered(condition, {', '.join(names)}):\n"
        f"    if condition:\n        return {then}\n    return {otherwise}\n"
    )


@numba_funcify.register(Undefined)
def numba_funcify_undefined(op: Undefined, **kwargs: object) -> Dispatcher:
    """`numpy.empty`, or zero."""
    dtype = "bool_" if op.dtype == "bool" else op.dtype
    value = f"np.empty({op.least}, {dtype})" if op.shape else f"{dtype}(0)"
    return compiled(f"def lowered(anything):\n    return {value}\n")


def _tuple(names: list[str], types: Any) -> str:
    """A tuple of arrays of one layout, which is the same type in both cases; or one of them."""
    elements = [
        f"np.ascontiguousarray({name})" if t.ndim else name
        for name, t in zip(names, types, strict=True)
    ]
    return elements[0] if len(elements) == 1 else f"({', '.join(elements)})"
