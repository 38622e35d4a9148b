"""Changes of shape in Numba: views where there can be, copies where not."""

from __future__ import annotations

from typing import Any, Final

from weft_graph import Variable
from weft_numba.fusion.nest_function import nest_of
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled
from weft_numba.numba_layer.views import Kept, New, Picked, view
from weft_numba.ops.shape.reshape import reshaped
from weft_tensor import ExpandDims, Reshape, Squeeze, Transpose, broadcast_to

__all__ = [
    "numba_funcify_expand_dims",
    "numba_funcify_reshape",
    "numba_funcify_squeeze",
    "numba_funcify_transpose",
    "one_element",
]


_SAME: Final = "def lowered(x):\n    return x\n"


@numba_funcify.register(Reshape)
def numba_funcify_reshape(op: Reshape, *, node: Variable, **kwargs: Any) -> Any:
    """A view of the contiguous input; its first element for rank 0."""
    x: Any = node.inputs[0].type
    out: Any = node.type
    if x.ndim and out.ndim:
        return reshaped(out.ndim)
    names = [f"n{a}" for a in range(out.ndim)]
    lines = [
        f"def lowered({', '.join(['x', *names])}):",
        f"    if {'x.size' if x.ndim else '1'} != {' * '.join(names) or '1'}:",
        "        raise ValueError('cannot reshape: the number of elements differs')",
    ]
    if out.ndim:
        lines.append(f"    return np.full(({''.join(n + ', ' for n in names)}), x)")
    else:
        lines.append(f"    return x[{', '.join('0' * x.ndim)}]" if x.ndim else "    return x")
    return compiled("\n".join(lines) + "\n")


def one_element(number: Any, ndim: int) -> Any:
    """The function of a number of this type that gives an array of it alone.

    >>> import numba
    >>> import weft_tensor as wt
    >>> table = one_element(wt.scalar("x").type, 2)
    >>> numba.njit(lambda x: table(x))(3.0)
    array([[3.]])
    """
    x = number()
    return nest_of([x], broadcast_to(x, (1,) * ndim))


@numba_funcify.register(Transpose)
def numba_funcify_transpose(op: Transpose, **kwargs: Any) -> Any:
    """A view."""
    return view(tuple(map(Kept, op.axes))) if op.axes else compiled(_SAME)


@numba_funcify.register(ExpandDims)
def numba_funcify_expand_dims(op: ExpandDims, *, node: Variable, **kwargs: Any) -> Any:
    """A view; an array of one element for rank 0."""
    x: Any = node.inputs[0].type
    ndim = x.ndim + len(op.axis)
    if not x.ndim:
        return one_element(x, ndim)
    rest = iter(range(x.ndim))
    return view(tuple([New() if a in op.axis else Kept(next(rest)) for a in range(ndim)]))


@numba_funcify.register(Squeeze)
def numba_funcify_squeeze(op: Squeeze, *, node: Variable, **kwargs: Any) -> Any:
    """A view; the element itself for rank 0."""
    x: Any = node.inputs[0].type
    if not x.ndim:
        return compiled(_SAME)
    axes = range(x.ndim)
    return view(tuple([Picked(a, 0, only=True) if a in op.axis else Kept(a) for a in axes]))
