"""Differences that are needed with both signs: computed once, the sign goes to what they are for.

A pass, because it has to know all differences there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any, Final

from weft_graph import FunctionGraph
from weft_graph.extend import changing, remake
from weft_rewrites.dsl.equation import FLOATS
from weft_rewrites.dsl.signs import negated
from weft_tensor import Elemwise, Matmul, TensorType
from weft_tensor.extend import applied

__all__ = ["share_opposites"]

_ADD, _SUB, _NEG = map(Elemwise, ("add", "sub", "neg"))
_ODD: Final = frozenset(map(Elemwise, ("mul", "true_div")))
"""With the sign of all inputs together."""
_EVEN: Final = frozenset(map(Elemwise, ("square", "abs", "cos", "cosh")))

Signed = tuple[Any, bool]
"""A variable, and whether its opposite is meant."""


@changing("zero sign")
def share_opposites(graph: FunctionGraph) -> FunctionGraph:
    """`graph` where of `x - y` and `y - x`, and of what is made of them, one is left.

    It stays as it is where this takes no fewer Ops.

    >>> import weft_tensor as wt
    >>> x, y, s = map(wt.scalar, "xys")
    >>> outputs = share_opposites(FunctionGraph([x, y, s], [(x - y) * s, 1 + (y - x) * s])).outputs
    >>> outputs[1] is 1 - outputs[0]
    True
    """
    nodes: Sequence[Any] = graph.nodes
    differences = {v.inputs for v in nodes if v.op is _SUB}
    if not any((b, a) in differences for a, b in differences):
        return graph
    changed: dict[Any, Signed] = {}
    made: set[tuple[Any, Any]] = set()
    for v in nodes:
        if v.op is _SUB or any(i in changed for i in v.inputs):
            new = _signed(v, [changed.get(i, (i, False)) for i in v.inputs], made)
            if new[0] is not v:
                changed[v] = new
    outputs: Sequence[Any] = graph.outputs
    new_outputs = [_whole(*changed.get(v, (v, False))) for v in outputs]
    shorter = FunctionGraph(graph.inputs, new_outputs)
    return shorter if len(shorter.nodes) < len(nodes) else graph


def _whole(v: Any, is_opposite: bool) -> Any:
    return negated(v) if is_opposite else v


def _signed(v: Any, inputs: Sequence[Signed], differences: set[tuple[Any, Any]]) -> Signed:
    """`v` of new inputs; `differences` are those that have been made."""
    op = v.op
    signs = [sign for _, sign in inputs]
    if not any(signs) and op is not _SUB:
        return _remade(v, [value for value, _ in inputs]), False
    if not _is_float(v):
        return _remade(v, [_whole(*i) for i in inputs]), False
    values = [value for value, _ in inputs]
    if op is _NEG:
        return values[0], not signs[0]
    if op in (_ADD, _SUB):
        signs[1] ^= op is _SUB
        return _sum(v, values, signs, differences)
    if op in _EVEN:
        return _remade(v, values), False
    if op in _ODD or type(op) is Matmul or op.linear == slice(1):
        return _remade(v, values), sum(signs) % 2 == 1
    return _remade(v, [_whole(*i) for i in inputs]), False


def _is_float(v: Any) -> bool:
    return all(type(w.type) is TensorType and w.dtype in FLOATS for w in (v, v.inputs[0]))


def _remade(v: Any, inputs: Sequence[Any]) -> Any:
    return v if all(map(is_, inputs, v.inputs)) else remake(v, tuple(inputs))


def _sum(v: Any, values: list[Any], signs: list[bool], differences: set[tuple[Any, Any]]) -> Signed:
    """The sum of two terms with their signs."""
    if signs[0] == signs[1]:
        return applied(_ADD, tuple(values), v.place), signs[0]
    a, b = values[:: -1 if signs[0] else 1]
    if (b, a) in differences:
        return applied(_SUB, (b, a), v.place), True
    differences.add((a, b))
    return applied(_SUB, (a, b), v.place), False
