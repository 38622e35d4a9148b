"""Constants computed while compiling."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from weft_graph import Constant, Item, Op, Rule, TupleType, Type, Variable, constant, rule
from weft_graph.extend import PythonLinker
from weft_tensor import Arange, BroadcastTo, Elemwise, ExpandDims, Eye, TensorType, TensorVariable
from weft_tensor.extend import as_dtype

__all__ = ["rules"]

_ADD, _MULTIPLY = Elemwise("add"), Elemwise("mul")
_LARGEST = 2**20
"""Results of more bytes than this are left to the call."""
_CHEAP_TO_MAKE = (Arange, BroadcastTo, ExpandDims, Eye)
"""Their results are larger than what they are made of, or the same memory."""


@rule(Op, over=Constant, name="fold constants")
def _fold(node: Any) -> Variable | None:
    for v in node.inputs:
        if type(v.op) is not Constant:
            return None
    if isinstance(node.op, _CHEAP_TO_MAKE) or _is_large(node.type):
        return None
    if not node.op.do_constant_folding(None, node.owner):
        return None
    return None if type(node.type) is TupleType else _as_constant(node, _value(node))


@rule(Item, name="fold one of several results")
def _fold_item(node: Any) -> Variable | None:
    (several,) = node.inputs
    if not several.inputs or not all(type(v.op) is Constant for v in several.inputs):
        return None
    if any(map(_is_large, several.type.items)):
        return None
    if not several.op.do_constant_folding(None, several.owner):
        return None
    values = _value(several)
    return None if values is None else _as_constant(node, values[node.op.index])


def _is_large(kind: Type) -> bool:
    if not isinstance(kind, TensorType):
        return False
    known = prod(n for n in kind.shape if isinstance(n, int))
    return known * kind.numpy_dtype.itemsize > _LARGEST


def _value(node: Any) -> Any:
    """The value of `node`, all of whose inputs are constants; None if there is none."""
    try:
        with np.errstate(all="ignore"):
            return PythonLinker().funcify(node)(*[v.op.value for v in node.inputs])
    except Exception:
        # The same error will be raised, with the user's line, when the function is called.
        return None


def _as_constant(node: Variable, value: Any) -> Variable | None:
    if value is None:
        return None
    if not isinstance(node.type, TensorType):
        return constant(node.type, value)
    array = np.asarray(value)
    if array.nbytes > _LARGEST or array.dtype != node.type.dtype:
        return None
    return constant(TensorType(as_dtype(array.dtype), array.shape), array)


@rule(
    _MULTIPLY, over=_MULTIPLY, name="c * (d * x) = (c * d) * x", may_change=("rounding", "overflow")
)
def _one_factor(node: TensorVariable) -> TensorVariable | None:
    """If c and d are of rank 0, and their product is neither too large nor too small."""
    for outer, inner in _with_number(node):
        for second, x in _with_number(inner) if inner.op is node.op else []:
            if not outer.dtype == second.dtype == x.dtype == node.dtype:
                continue
            with np.errstate(all="ignore"):
                product = outer.op.value * second.op.value
            if np.finfo(node.dtype).tiny <= abs(product) < np.inf:
                return constant(outer.type, np.asarray(product)) * x
    return None


@rule(_ADD, over=_ADD, name="c + (d + x) = (c + d) + x", may_change="rounding")
def _one_summand(node: TensorVariable) -> TensorVariable | None:
    """If c and d are of rank 0, of one sign, so that nothing cancels."""
    for outer, inner in _with_number(node):
        for second, x in _with_number(inner) if inner.op is node.op else []:
            values = outer.op.value, second.op.value
            if outer.dtype == second.dtype == x.dtype == node.dtype and min(values) > 0:
                return constant(outer.type, np.asarray(sum(values))) + x
    return None


def _with_number(v: TensorVariable) -> list[tuple[Any, TensorVariable]]:
    """The ways to see `v` as a known floating-point number and something else."""
    if v.op not in (_MULTIPLY, _ADD) or v.type.numpy_dtype.kind != "f":
        return []
    ways: Any = (v.inputs, v.inputs[::-1])
    return [(c, x) for c, x in ways if type(c.op) is Constant and not c.ndim]


rules: tuple[Rule, ...] = (_fold, _fold_item, _one_factor, _one_summand)
"""All of them."""
