"""The order in which products of several matrices are computed.

A pass, because it has to know all users: a product that something else needs stays as it is.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from weft_graph import FunctionGraph
from weft_graph.extend import remake
from weft_rewrites.ops.shape.broadcasting import keeps_lengths
from weft_tensor import Matmul, TensorVariable

__all__ = ["order_products"]

_UNKNOWN: Final = 1000.0
"""A length that is not known, in comparison with those that are."""
_LONGEST: Final = 24
"""Products of more factors are left as they are."""
Splits = dict[tuple[int, int], int]
"""Of the factors from one to another, the last one of the left part."""


def order_products(graph: FunctionGraph) -> FunctionGraph:
    """`graph` with products of matrices in the order that takes the fewest multiplications.

    Lengths that are not known are taken to be equal, and large.

    >>> import weft_tensor as wt
    >>> A, B, x = wt.matrix("A"), wt.matrix("B"), wt.vector("x")
    >>> order_products(FunctionGraph([A, B, x], [A @ B @ x])).outputs[0] is A @ (B @ x)
    True
    """
    nodes: Any = graph.nodes
    products = [v for v in nodes if type(v.op) is Matmul]
    if not any(type(w.op) is Matmul for v in products for w in v.inputs):
        return graph
    uses: Counter[Any] = Counter(graph.outputs)
    for v in nodes:
        uses.update(set(v.inputs))
    sizes: dict[Any, int] = {}
    inner: set[Any] = set()
    for v in products:
        parts = [w for w in v.inputs if _is_part(w, v, uses)] if _is_real(v) else []
        sizes[v] = 2 + sum(sizes[w] - 1 for w in parts)
        if sizes[v] <= _LONGEST:
            inner.update(parts)
    plans = {v: plan for v in products if v not in inner and (plan := _plan(v, inner))}
    if not plans:
        return graph
    new_of: dict[Any, Any] = {v: v for v in graph.inputs}
    replaced = {w for v in plans for w in _parts(v, inner)} - plans.keys()
    order: Any = graph.order
    for v in order:
        if v in plans:
            new_of[v] = _written(v, [new_of[w] for w in _factors(v, inner)], plans[v])
        elif v not in new_of and v not in replaced:
            inputs = tuple([new_of[i] for i in v.inputs])
            new_of[v] = v if inputs == v.inputs else remake(v, inputs)
    return FunctionGraph(graph.inputs, [new_of[v] for v in graph.outputs])


def _is_real(v: TensorVariable) -> bool:
    return v.type.numpy_dtype.kind == "f" and all(w.dtype == v.dtype for w in v.inputs)


def _is_part(w: Any, v: Any, uses: Counter[Any]) -> bool:
    """Whether the product `w` is there for the product `v` alone, and both are of matrices."""
    if type(w.op) is not Matmul:
        return False
    is_matrix = w.ndim == 2 and all(i.ndim == 2 for i in w.inputs)
    is_vector = w.ndim == 1 and sum(i.ndim for i in w.inputs) == 3
    plain = all(i.ndim <= 2 for i in v.inputs)
    product = (is_matrix or is_vector) and uses[w] == 1
    return product and plain and w.dtype == v.dtype and _is_real(w)


def _parts(v: Any, inner: set[Any]) -> list[Any]:
    """`v`, and the products within it."""
    found = [v]
    for part in found:
        found += [w for w in part.inputs if w in inner]
    return found


def _factors(v: Any, inner: set[Any]) -> list[Any]:
    """What is multiplied in `v`, in order."""
    found, todo = [], [v]
    while todo:
        part = todo.pop()
        if part is v or part in inner:
            todo += part.inputs[::-1]
        else:
            found.append(part)
    return found


def _plan(v: Any, inner: set[Any]) -> Splits | None:
    """Where to split the factors, if that takes fewer multiplications than what is written."""
    factors = _factors(v, inner)
    if len(factors) < 3:
        return None
    written = sum(_cost(w) for w in _parts(v, inner))
    count = len(factors)
    first, last = factors[0], factors[-1]
    lengths = [_length(first, 0) if first.ndim == 2 else 1.0]
    lengths += [_length(w, w.ndim - 1) for w in factors[:-1]]
    lengths.append(_length(last, 1) if last.ndim == 2 else 1.0)
    best = {(i, i): 0.0 for i in range(count)}
    splits: Splits = {}
    for span in range(1, count):
        for i in range(count - span):
            j = i + span
            ways = {
                k: best[i, k] + best[k + 1, j] + lengths[i] * lengths[k + 1] * lengths[j + 1]
                for k in range(i, j)
            }
            splits[i, j] = min(ways, key=ways.__getitem__)
            best[i, j] = ways[splits[i, j]]
    return splits if best[0, count - 1] < 0.999 * written else None


def _cost(v: Any) -> float:
    """The multiplications of one product."""
    left, right = v.inputs
    rows = _length(left, 0) if left.ndim == 2 else 1.0
    return rows * _length(left, left.ndim - 1) * (_length(right, 1) if right.ndim == 2 else 1.0)


def _written(v: TensorVariable, factors: list[TensorVariable], splits: Splits) -> TensorVariable:
    count = len(factors)
    made: dict[tuple[int, int], Any] = {(i, i): w for i, w in enumerate(factors)}
    stack = [(0, count - 1)]
    while stack:
        i, j = stack[-1]
        if (i, j) in made:
            stack.pop()
            continue
        k = splits[i, j]
        pending = [p for p in ((i, k), (k + 1, j)) if p not in made]
        stack += pending
        if not pending:
            made[i, j] = Matmul()(made[i, k], made[k + 1, j])
    new: TensorVariable = made[0, count - 1]
    return new if keeps_lengths(v.type, new.type) else v


def _length(v: TensorVariable, axis: int) -> float:
    length = v.type.shape[axis]
    return float(length) if isinstance(length, int) else _UNKNOWN
