"""Refusing, when a function is made, lengths that depend on more than is allowed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from weft_graph import Constant, FunctionGraph, Variable
from weft_graph.extend import Static
from weft_jax.analysis.static_values import Plan, static_positions
from weft_tensor import Length, TensorType

__all__ = [
    "Dynamic",
    "DynamicShapeError",
    "DynamicShapeInLoopError",
    "chain_to",
    "check_lengths",
]

Dynamic = Literal["auto", "static", "error"]


class DynamicShapeError(ValueError):
    """A length depends on values of inputs that it may not depend on."""


class DynamicShapeInLoopError(DynamicShapeError):
    """In the body of a loop, a length depends on values that differ from element to element."""


def check_lengths(graph: FunctionGraph, plan: Plan, dynamic: Dynamic) -> None:
    """Raise DynamicShapeError if a length depends on more than `dynamic` allows.

    "static": on shapes, and on the values of integer scalars and vectors. "error": on shapes.
    """
    if not plan.sizes or dynamic == "auto":
        return
    sizes = set(plan.sizes)
    inputs = set(graph.inputs)
    refused = {v for v in inputs if not _is_allowed(v, dynamic)}
    for v in graph.nodes:
        for k in () if isinstance(v.op, Static) else static_positions(v.op, v):
            if v.inputs[k] not in sizes:
                continue
            chain = chain_to(v.inputs[k], inputs, refused)
            if chain:
                _refuse(v, chain, dynamic)


def chain_to(
    size: Variable, inputs: Collection[Variable], refused: Collection[Variable]
) -> list[Variable]:
    """From `size` to the first of the `refused` inputs whose value it needs, if there is any.

    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> [str(v) for v in chain_to((x > 0).sum(), {x}, {x})], chain_to(x.shape[0], {x}, {x})
    (['sum[0]', 'gt', 'x'], [])
    """
    above: dict[Variable, Variable | None] = {size: None}
    todo = [size]
    for v in todo:
        if v in refused:
            chain: list[Variable] = []
            at: Variable | None = v
            while at is not None:
                chain.insert(0, at)
                at = above[at]
            return chain
        if v in inputs or isinstance(v.op, Constant | Length | Static):
            continue
        for i in v.inputs:
            if i not in above:
                above[i] = v
                todo.append(i)
    return []


def _is_allowed(v: Variable, dynamic: Dynamic) -> bool:
    if dynamic == "error" or not isinstance(v.type, TensorType):
        return False
    return v.type.ndim < 2 and v.type.dtype[0] in "iu"


def _refuse(node: Variable, chain: list[Variable], dynamic: Dynamic) -> None:
    place = f", made at {node.made_at}," if node.made_at else ""
    way = " ← ".join([str(v.op) for v in chain[:-1]] + [repr(chain[-1])])
    allowed = "shapes alone" if dynamic == "error" else "shapes and on integer scalars and vectors"
    raise DynamicShapeError(
        f"a length of the result of {node.op}{place} depends on the values of {chain[-1]!r} "
        f"({way}), but dynamic={dynamic!r} allows lengths that depend on {allowed}. Ways out: "
        "where(mask, x, 0) in place of x[mask], a length that is an input by itself, or "
        "dynamic='auto', with which JAX compiles for every new length"
    )
