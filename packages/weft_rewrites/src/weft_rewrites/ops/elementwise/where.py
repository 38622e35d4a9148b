"""Choices that are decided, or that make no difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from weft_graph import Constant, Item, Rule, rule
from weft_rewrites.dsl.equation import letter
from weft_rewrites.dsl.result import Result
from weft_tensor import (
    BroadcastTo,
    Cast,
    Elemwise,
    ExpandDims,
    IfElse,
    Matmul,
    Squeeze,
    Sum,
    SumTo,
    TensorVariable,
    Transpose,
    broadcast_to,
    constant,
    ifelse,
    logical_not,
    where,
)
from weft_tensor.extend import inferred_shapes

__all__ = ["rules"]

c, x, y = letter("c"), letter("x"), letter("y")


@rule(Elemwise("where"), over=Constant, name="where with a constant condition")
def _decided_where(node: TensorVariable) -> TensorVariable | None:
    condition, then, otherwise = node.inputs
    if type(condition.op) is not Constant or condition.ndim:
        return None
    chosen = then if condition.op.value else otherwise
    return _in_full(chosen.astype(node.dtype), node)


@rule(Elemwise("where"), name="where between equals")
def _idle_where(node: TensorVariable) -> TensorVariable | None:
    _, then, otherwise = node.inputs
    return _in_full(then, node) if then is otherwise else None


def _in_full(chosen: TensorVariable, node: TensorVariable) -> TensorVariable | None:
    """`chosen`, broadcast to the shape of `node`, of which it is one operand."""
    if not any(v.ndim for v in node.inputs if v is not chosen):
        return chosen
    shapes = inferred_shapes(node)
    return None if shapes is None else broadcast_to(chosen, shapes[0])


def _chosen(node: TensorVariable, index: int) -> TensorVariable | None:
    condition, *values = node.inputs
    half = len(values) // 2
    then, otherwise = values[index], values[half + index]
    if then is otherwise:
        return then
    if type(condition.op) is not Constant:
        return None
    return then if condition.op.value else otherwise


@rule(IfElse, name="ifelse that is decided")
def _decided_ifelse(node: Result[IfElse]) -> TensorVariable | None:
    return _chosen(node, 0) if node.op.n_outs == 1 else None


@rule(Item, over=IfElse, name="result of an ifelse that is decided")
def _decided_item(node: Any) -> TensorVariable | None:
    (several,) = node.inputs
    return _chosen(several, node.op.index) if type(several.op) is IfElse else None


def _zero_case(v: TensorVariable) -> bool | None:
    """In which case of a choice it is zero, if it is one that is zero in one case."""
    if type(v.op) is not IfElse or v.op.n_outs > 1:
        return None
    return next((case for case in (True, False) if _is_zero(v.inputs[1 if case else 2])), None)


def _is_zero(v: TensorVariable) -> bool:
    while type(v.op) in (BroadcastTo, Cast):
        v = v.inputs[0]
    return type(v.op) is Constant and not v.ndim and v.op.value == 0


def _one_case(node: TensorVariable, places: Sequence[int], case: bool) -> TensorVariable | None:
    """`node` computed in one case of the choices at `places`, and zero in the other."""
    inputs = list(node.inputs)
    for k in places:
        inputs[k] = node.inputs[k].inputs[1 if case else 2]
    shapes = inferred_shapes(node)
    if shapes is None:
        return None
    value = node.op(*inputs)
    zero = broadcast_to(constant(0, node.dtype), shapes[0])
    condition = node.inputs[places[0]].inputs[0]
    return ifelse(condition, value, zero) if case else ifelse(condition, zero, value)


def _factor(node: TensorVariable) -> TensorVariable | None:
    factors = node.inputs[:1] if node.op is _DIVIDE else node.inputs
    for k, v in enumerate(factors):
        case = _zero_case(v)
        if case is not None:
            return _one_case(node, [k], not case)
    return None


def _summands(node: TensorVariable) -> TensorVariable | None:
    cases = {(v.inputs[0] if v.inputs else None, _zero_case(v)) for v in node.inputs}
    ((_, case), *others) = cases
    return None if others or case is None else _one_case(node, range(len(node.inputs)), not case)


def _linear(node: TensorVariable) -> TensorVariable | None:
    case = _zero_case(node.inputs[0])
    return None if case is None else _one_case(node, [0], not case)


_DIVIDE = Elemwise("true_div")
_ADD, _SUBTRACT, _NEG = Elemwise("add"), Elemwise("sub"), Elemwise("neg")
_ZERO: Final[tuple[tuple[Any, str, Callable[[Any], Any], tuple[str, ...]], ...]] = (
    (Elemwise("mul"), "product with", _factor, ("inf", "nan", "zero sign")),
    (_DIVIDE, "quotient of", _factor, ("domain", "inf", "nan", "zero sign")),
    (Matmul, "matrix product with", _factor, ("domain", "inf", "nan")),
    (_ADD, "sum of tensors, each", _summands, ()),
    (_SUBTRACT, "difference of tensors, each", _summands, ()),
    (_NEG, "negative of", _linear, ("zero sign",)),
    (Cast, "cast of", _linear, ()),
    (ExpandDims, "expand_dims of", _linear, ()),
    (Squeeze, "squeeze of", _linear, ()),
    (Sum, "sum of", _linear, ()),
    (SumTo, "sum_to of", _linear, ()),
    (Transpose, "transpose of", _linear, ()),
)
"""For Ops: how a result is found to be zero in one case, and what may change then."""

_sunk: Final = [
    rule(op, over=IfElse, name=f"{what} what is zero in one case", may_change=change)(find)
    for op, what, find, change in _ZERO
]
"""Derivatives of a choice are computed in the case that is chosen alone."""

rules: tuple[Rule, ...] = (
    _decided_where,
    _idle_where,
    Rule(where(logical_not(c), x, y), where(c, y, x), name="where with a negated condition"),
    _decided_ifelse,
    _decided_item,
    *_sunk,
)
"""All of them."""
