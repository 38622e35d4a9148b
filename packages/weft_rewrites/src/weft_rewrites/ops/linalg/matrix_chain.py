"""The order in which products of several matrices are computed.

A pass, because it has to know all users: what something else needs is there for nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from weft_graph import FunctionGraph
from weft_graph.extend import renewed
from weft_rewrites.dsl.conditions import keeps_lengths
from weft_tensor import Matmul, TensorVariable

__all__ = ["order_products"]

_UNKNOWN: Final = 1000.0
"""A length that is not known, in comparison with those that are."""
_LONGEST: Final = 24
"""Products of more factors are left as they are."""
Chain = tuple[Any, ...]
"""What is multiplied, in order."""


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
        uses.update(v.inputs)
    chains: dict[Any, Chain] = {}
    written: dict[Chain, int] = {}
    inner: set[Any] = set()
    for v in products:
        parts = [w if _is_part(w, v, side) else None for side, w in enumerate(v.inputs)]
        left, right = (chains.get(p, (w,)) for p, w in zip(parts, v.inputs, strict=True))
        if len(left + right) > _LONGEST:
            left, right = ((w,) for w in v.inputs)
        else:
            inner.update(p for p in parts if uses[p] == 1)
        chains[v] = left + right
        written.setdefault(chains[v], len(left))
    cuts = written | _cuts(products, chains, inner)
    new_of: dict[Any, Any] = {v: v for v in graph.inputs}
    products_of: dict[Chain, Any] = {}
    order: Any = graph.order
    for v in order:
        if v in new_of:
            continue
        new_of[v] = renewed(v, new_of)
        if len(chains.get(v, ())) > 2 and v not in inner:
            products_of |= {(w,): new_of[w] for w in chains[v]}
            new = _product(chains[v], cuts, products_of)
            new_of[v] = new if keeps_lengths(v.type, new.type) else new_of[v]
    outputs = [new_of[v] for v in graph.outputs]
    return graph if tuple(outputs) == graph.outputs else FunctionGraph(graph.inputs, outputs)


def _is_real(v: TensorVariable) -> bool:
    return v.type.numpy_dtype.kind == "f" and all(w.dtype == v.dtype for w in v.inputs)


def _is_part(w: Any, v: Any, side: int) -> bool:
    """Whether `w` is a product within the product `v`, and both are of matrices.

    A vector is one if it is a row on the left, or a column on the right.
    """
    if type(w.op) is not Matmul or not _is_real(v) or not _is_real(w):
        return False
    is_matrix = w.ndim == 2 and all(i.ndim == 2 for i in w.inputs)
    is_vector = w.ndim == 1 and w.inputs[side].ndim == 1 and w.inputs[1 - side].ndim == 2
    return (is_matrix or is_vector) and all(i.ndim <= 2 for i in v.inputs)


def _cuts(products: list[Any], chains: dict[Any, Chain], inner: set[Any]) -> dict[Chain, int]:
    """How many factors stand in the left part of products that should be written otherwise."""
    wanted = {chains[v] for v in products if v not in inner}
    costs: dict[Any, float] = {}
    cuts: dict[Chain, int] = {}
    for v in products:
        costs[v] = _cost(v) + sum(costs[w] for w in v.inputs if w in inner)
        cuts |= _plan(chains[v], costs[v], wanted) if v not in inner else {}
    return cuts


def _plan(chain: Chain, written: float, wanted: set[Chain]) -> dict[Chain, int]:
    """Where to cut, if that takes fewer multiplications than what is written."""
    count = len(chain)
    first, last = chain[0], chain[-1]
    lengths = [_length(first, 0) if first.ndim == 2 else 1.0]
    lengths += [_length(w, w.ndim - 1) for w in chain[:-1]]
    lengths.append(_length(last, 1) if last.ndim == 2 else 1.0)
    best = {(i, i): 0.0 for i in range(count)}
    cuts: dict[Chain, int] = {}
    for span in range(1, count):
        for i in range(count - span):
            j = i + span
            part = chain[i : j + 1]
            if part in wanted and part != chain:
                best[i, j] = 0.0
                continue
            ways = {
                k: best[i, k] + best[k + 1, j] + lengths[i] * lengths[k + 1] * lengths[j + 1]
                for k in range(i, j)
            }
            k = min(ways, key=ways.__getitem__)
            best[i, j], cuts[part] = ways[k], k + 1 - i
    return cuts if best[0, count - 1] < 0.999 * written else {}


def _cost(v: Any) -> float:
    """The multiplications of one product."""
    left, right = v.inputs
    rows = _length(left, 0) if left.ndim == 2 else 1.0
    return rows * _length(left, left.ndim - 1) * (_length(right, 1) if right.ndim == 2 else 1.0)


def _product(
    chain: Chain, cuts: Mapping[Chain, int], products_of: dict[Chain, Any]
) -> TensorVariable:
    """The product of a chain, cut into parts, whose products join `products_of`."""
    stack = [chain]
    while stack:
        part = stack[-1]
        left, right = part[: cuts.get(part, 0)], part[cuts.get(part, 0) :]
        if part in products_of:
            stack.pop()
        elif left in products_of and right in products_of:
            products_of[part] = Matmul()(products_of[left], products_of[right])
        else:
            stack += left, right
    new: TensorVariable = products_of[chain]
    return new


def _length(v: TensorVariable, axis: int) -> float:
    length = v.type.shape[axis]
    return float(length) if isinstance(length, int) else _UNKNOWN
