"""Which products XLA must round before it adds them: those that decisions depend on.

XLA for CPUs and GPUs makes `a * b + c` one operation that rounds once, or two that round twice,
as it likes in each of its loops. What is computed in two of them then differs from itself. As a
rule nobody sees that; but what cancels to nothing is less than nothing in one, and more in the
other: `maximum(x**2 + y**2 - 2 * x * y, 0)` is cut in the value and not in its slope, no element
equals the largest one, and the root of `a * a - b * b` is NaN where `a` is `b`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from weft_graph import FunctionGraph, Op, Variable
from weft_jax.lowering.dispatch import COPYING
from weft_tensor import (
    Gather,
    Kind,
    Length,
    Pointwise,
    Reduction,
    Scan,
    Scatter,
    TensorType,
    View,
)
from weft_tensor.extend import kind_of, kinds_of

__all__ = ["MOVING", "ORDERING", "rounded_products"]

MOVING: Final[set[type[Op]]] = set()
"""Ops without a kind whose results are elements of their inputs, in other places."""
ORDERING: Final[set[type[Op]]] = set()
"""Ops that are no reductions, and compare elements."""

_JUMPS: Final = frozenset(["ceil", "floor", "floor_div", "fmod", "mod", "rint", "sign", "trunc"])
_CUTS: Final = frozenset(["maximum", "minimum"])
_EDGES: Final = frozenset(
    [
        *("arccos", "arccosh", "arcsin", "arctanh", "entr", "erfinv", "log", "log10", "log1mexp"),
        *("log1p", "log2", "logit", "ndtri", "pow", "sqrt", "xlogy"),
    ]
)
"""Functions that are NaN, or no more smooth, on one side of a number."""
_ASKING: Final = frozenset(["isfinite", "isinf", "isnan"])
"""Truth values that no rounding changes."""
_NAMED: Final = _JUMPS | _CUTS | _EDGES | _ASKING
_SUMS: Final = frozenset(["add", "sub"])


def rounded_products(graph: FunctionGraph) -> frozenset[Variable]:
    """The terms of sums that must be rounded first, as decisions of `graph` depend on the sums.

    A term that no other node takes, in a sum with what is no product, is left out: XLA makes the
    same of it wherever the sum is computed.

    >>> import weft_tensor as wt
    >>> x, y = wt.vector("x"), wt.vector("y")
    >>> z = x * x - y * y
    >>> graphs = [FunctionGraph(outputs=[v]) for v in (z, wt.sqrt(z), wt.sqrt(x * y + 1))]
    >>> list(map(len, map(rounded_products, graphs)))
    [0, 2, 0]
    """
    sums: set[Variable] = set()
    for v in graph.nodes:
        if len(v.inputs) == 2 and _is_sum(kind_of(v)):
            sums.add(v)
    if not sums:
        return frozenset()
    kinds = kinds_of(graph)
    products_of_sums: set[Variable] = set()
    for v in _decided_by(kinds):
        if v not in sums:
            continue
        terms = [(t, _computed(t, kinds)) for t in v.inputs]
        products = [(t, p) for t, p in terms if _may_be_product(p, kinds)]
        for t, p in products:
            uses = len(graph.users[p]) + graph.outputs.count(p)
            alone = uses == 1 and t.type == v.type and len(products) == 1
            if not alone:
                products_of_sums.add(p)
    return frozenset(products_of_sums)


Kinds = dict[Variable, Kind | None]


def _decided_by(kinds: Kinds) -> Iterator[Variable]:
    """The nodes that decisions depend on and that XLA may compute in the same loops."""
    seen: set[Variable] = set()
    todo = [i for v, kind in kinds.items() if _decides(v, kind) for i in v.inputs]
    while todo:
        v = todo.pop()
        if v in seen or v not in kinds or not _is_real(v):
            continue
        seen.add(v)
        yield v
        keeps_places = isinstance(kinds[v], Pointwise | View | Gather | Scatter)
        if keeps_places or type(v.op) in MOVING | COPYING:
            todo.extend(v.inputs)


def _decides(v: Variable, kind: Kind | None) -> bool:
    """Whether little changes in the inputs of `v` can change much."""
    if isinstance(kind, Reduction | Scan):
        return kind.combine in _CUTS
    if isinstance(kind, Pointwise) and kind.of in _NAMED:
        return kind.of not in _ASKING
    if type(v.op) in ORDERING:
        return True
    is_discrete = isinstance(v.type, TensorType) and np.dtype(v.type.dtype).kind in "bui"
    return is_discrete and not isinstance(v.op, Length) and any(map(_is_real, v.inputs))


def _is_sum(kind: Kind | None) -> bool:
    return isinstance(kind, Pointwise) and kind.of in _SUMS


def _computed(v: Variable, kinds: Kinds) -> Variable:
    """What `v` shows elements of, maybe with the other sign."""
    while True:
        kind = kinds.get(v)
        if not isinstance(kind, View) and not (isinstance(kind, Pointwise) and kind.of == "neg"):
            return v
        v = v.inputs[0]


def _may_be_product(v: Variable, kinds: Kinds) -> bool:
    """Whether the last step to `v` may be a product: also inside functions, and of quotients."""
    kind = kinds.get(v)
    if not isinstance(kind, Pointwise) or not any(map(_is_real, v.inputs)):
        return False
    return kind.of not in _SUMS | _CUTS | _JUMPS


def _is_real(v: Variable) -> bool:
    return isinstance(v.type, TensorType) and np.dtype(v.type.dtype).kind == "f"
