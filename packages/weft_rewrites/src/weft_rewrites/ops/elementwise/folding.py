"""Constants computed while compiling."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any, Final
from weakref import WeakValueDictionary

import numpy as np

from weft_graph import (
    Constant,
    FunctionGraph,
    Item,
    Op,
    Rule,
    TupleType,
    Type,
    Variable,
    constant,
    rule,
)
from weft_graph.extend import PythonLinker
from weft_rewrites.dsl.equation import equation, letter, literal
from weft_tensor import (
    Arange,
    BroadcastTo,
    Cholesky,
    CumSum,
    Det,
    Eigvalsh,
    ExpandDims,
    Eye,
    Inverse,
    Nonzero,
    Solve,
    SolveTriangular,
    Sum,
    TensorType,
    TensorVariable,
)
from weft_tensor.extend import as_dtype

__all__ = ["literal_of", "rules"]

_LARGEST = 2**20
"""Results of more bytes than this are left to the call."""
_CHEAP_TO_MAKE = (Arange, BroadcastTo, ExpandDims, Eye)
"""Their results are larger than what they are made of, or the same memory."""
_OF_ARRAYS = (Cholesky, CumSum, Det, Eigvalsh, Inverse, Nonzero, Solve, SolveTriangular, Sum)
"""They take longer than their result takes memory, or say how long it is, whatever their array is
made of; places that are sums so far of others are literals then."""
_EQUAL: Final = 1024
"""Of up to so many bytes, constants are equal for equal content anyhow."""
_in_use: Final[WeakValueDictionary[bytes, Variable]] = WeakValueDictionary()
"""Large constants that are in use, so that what was folded before derivatives were taken, and what
is folded afterwards, are one: else all that is made of it would be computed twice."""
_FEW = 100
"""An array of more nodes than these is not looked through."""


class _OfConstants(Rule):
    """A rule for nodes of which all inputs are constants."""

    def may_match(self, inputs: Sequence[Op | type[Op]]) -> bool:
        """Whether they are."""
        return bool(inputs) and all(k is Constant or isinstance(k, Constant) for k in inputs)


def _fold(node: Any) -> Variable | None:
    if not all(type(v.op) is Constant for v in node.inputs):  # of many, rules are tried on any
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


def _fold_arrays(node: Any) -> Variable | None:
    """The result where arrays are no literals, but made of such: identities, triangles."""
    if _reads_first(node) or all(type(v.op) is Constant for v in node.inputs):
        return None
    return literal_of(node)


def literal_of(node: Any) -> Any:
    """The constant that `node` is, where all that it is made of is known and small."""
    if _reads_first(node):
        return None
    sources = {node}
    todo = [node]
    while todo:
        for v in {*todo.pop().inputs} - sources:
            if type(v.op) is Constant:
                continue
            if not v.inputs or len(sources) > _FEW:
                return None
            sources.add(v)
            todo.append(v)
    if any(_is_large(v.type) for v in sources):
        return None
    if not all(v.op.do_constant_folding(None, v.owner) for v in sources):
        return None
    return _as_constant(node, _value(node))


def _reads_first(node: Any) -> bool:
    """Whether the first of its sources is no constant: so it is for most that are not folded."""
    for _ in range(_FEW):
        for v in node.inputs:
            if type(v.op) is not Constant:
                node = v
                break
        else:
            return not node.inputs
    return True


def _is_large(kind: Type) -> bool:
    if not isinstance(kind, TensorType):
        return False
    least = prod(n for n in kind.shape if isinstance(n, int))
    return least * kind.numpy_dtype.itemsize > _LARGEST


def _value(node: Any) -> Any:
    """The value of `node`, all of whose sources are constants; None if there is none."""
    try:
        with np.errstate(all="ignore"):
            if all(type(v.op) is Constant for v in node.inputs):
                return PythonLinker().funcify(node)(*[v.op.value for v in node.inputs])
            run, _ = PythonLinker().link(FunctionGraph([], [node]))
            return run()[0]
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
    kind = TensorType(as_dtype(array.dtype), array.shape)
    made: Variable = constant(kind, array)
    if array.nbytes <= _EQUAL:
        return made
    return _in_use.setdefault(kind.digest_of(array), made)


def _are_factors(node: TensorVariable, c: Any, d: Any) -> bool:
    """Whether both are of rank 0, and their product is neither too large nor too small."""
    if c.ndim or d.ndim:
        return False
    least, most = _limits(node.dtype)
    return bool(least <= abs(c.op.value.item() * d.op.value.item()) <= most)


@cache
def _limits(dtype: str) -> tuple[float, float]:
    """The smallest and the largest number that are neither too small nor too large."""
    limits = np.finfo(dtype)
    return float(limits.tiny), float(limits.max)


def _are_summands(c: Any, d: Any) -> bool:
    """Whether both are of rank 0, and positive, so that nothing cancels."""
    return not c.ndim and not d.ndim and bool(min(c.op.value, d.op.value) > 0)


x, c, d = letter("x"), literal("c"), literal("d")
rules: tuple[Rule, ...] = (
    _OfConstants(Op, _fold, over=Constant, name="fold constants"),
    _fold_item,
    *[Rule(op, _fold_arrays, name=f"fold {op.__name__} of constants") for op in _OF_ARRAYS],
    equation(
        c * (d * x),
        lambda c, d, x: constant(c.type, np.asarray(c.op.value * d.op.value)) * x,
        when=_are_factors,
        name="c * (d * x) = (c * d) * x",
        may_change="rounding, overflow",
    ),
    equation(
        c + (d + x),
        lambda c, d, x: constant(c.type, np.asarray(c.op.value + d.op.value)) + x,
        when=_are_summands,
        name="c + (d + x) = (c + d) + x",
        may_change="rounding",
    ),
)
"""All of them."""
