"""Whether something is the largest of what it stands beside, also where rules have moved that."""

from __future__ import annotations

from typing import Final

from weft_graph import Constant
from weft_graph.extend import StopGradient
from weft_tensor import Elemwise, ExpandDims, Max, Min, TensorVariable

__all__ = ["is_extreme", "uncovered"]

_NEG: Final = Elemwise("neg")
_MUL, _DIV, _ADD, _SUB = map(Elemwise, ("mul", "true_div", "add", "sub"))
_LINEAR: Final = frozenset({_MUL, _DIV, _ADD, _SUB})
_PLACES: Final = ((0, 0), (1, 1), (0, 1), (1, 0))
"""Where a number is in one and in the other: in each order, of a sum or a product."""
_OTHER: Final[dict[type[Max | Min], type[Max | Min]]] = {Max: Min, Min: Max}


def uncovered(v: TensorVariable) -> TensorVariable:
    """`v` without new axes, and without a stop of gradients."""
    while type(v.op) in (ExpandDims, StopGradient):
        (v,) = v.inputs
    return v


def is_extreme(
    v: TensorVariable, x: TensorVariable, how: type[Max | Min], axes: tuple[int, ...]
) -> bool:
    """Whether `v` is the largest, or smallest, of `x` over `axes`.

    That of `c * x` may be `c` times that of `x`, and so on.

    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> is_extreme(x.max() / 0.5, x / 0.5, Max, (0,)), is_extreme(1.0 - x.max(), 1.0 - x, Min, (0,))
    (True, True)
    """
    v = uncovered(v)
    if type(v.op) is how:
        (source,) = v.inputs
        source = source.inputs[0] if type(source.op) is StopGradient else source
        return source is x and v.op.axis == axes
    if v.op is not x.op:
        return False
    if v.op is _NEG:
        return is_extreme(v.inputs[0], x.inputs[0], _OTHER[how], axes)
    if v.op not in _LINEAR:
        return False
    for place, own in _PLACES if v.op in (_MUL, _ADD) else _PLACES[:2]:
        c = v.inputs[place]
        if c is x.inputs[own] and type(c.op) is Constant and not c.ndim:
            kind = _OTHER[how] if _falls(v.op, place, c.op.value.real) else how
            return is_extreme(v.inputs[1 - place], x.inputs[1 - own], kind, axes)
    return False


def _falls(op: Elemwise, place: int, c: float) -> bool:
    """Whether `op` falls where its other input grows, beside `c`."""
    return place == 0 if op is _SUB else c < 0 and op is not _ADD
