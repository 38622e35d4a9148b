"""Scalars that all terms of a sum have as a factor come in once, after the sum.

A pass, because it has to know all users: a product that something else needs as well stays
whole, else there would be one more array, not one less. But not where squares are scaled, as
in normal densities: backends that fuse compute them again rather than read what was scaled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial, reduce
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import Constant, FunctionGraph
from weft_graph.extend import Changes, changing, remake, renewed
from weft_rewrites.dsl.result import Result
from weft_rewrites.ops.reduction.logsumexp import unshifted
from weft_tensor import Elemwise, Sum, TensorVariable, constant, gt, logical_and, mul, where
from weft_tensor.extend import applied, length_of

__all__ = ["factor_sums"]

_DIVIDE: Final = Elemwise("true_div")
_MULTIPLY: Final = Elemwise("mul")
_NEG: Final = Elemwise("neg")
_LINEAR_IN: Final[dict[Any, tuple[int, ...]]] = {_MULTIPLY: (0, 1), _DIVIDE: (0,), _NEG: (0,)}
"""The places of the inputs whose factors are factors of the result."""
_SCALING: Final = frozenset([_MULTIPLY, _DIVIDE])
_SQUARE: Final = Elemwise("square")
_DEEPEST: Final = 4
"""So deep are products of products taken apart: they share parts, and ways to these double."""


class Factored(NamedTuple):
    """`rest` times `above`, over `below`; these are scalars, or None."""

    rest: TensorVariable
    above: TensorVariable | None = None
    below: TensorVariable | None = None


@changing("rounding", "zero sign", "overflow")
def factor_sums(graph: FunctionGraph) -> FunctionGraph:
    """`graph` with sums multiplied, or divided, by scalars once, where each term was.

    A sum of nothing stays zero. What may change is rounding, the sign of zeros, and where
    numbers become too large.

    >>> import weft_tensor as wt
    >>> x, s = wt.vector("x", shape=(3,)), wt.scalar("s")
    >>> (total,) = factor_sums(FunctionGraph([x, s], [(wt.exp(x) * s).sum()])).outputs
    >>> total is wt.exp(x).sum() * s
    True
    """
    if _SCALING.isdisjoint([v.op for v in graph.nodes]):
        return graph
    parts, cheap = _parts(graph)
    if not cheap and not any(_scalar_of(v) is not None for v in parts):
        return graph
    new_of = Changes()
    factored: dict[Any, Factored] = {}
    for v in graph.above(parts | cheap):
        if v in parts or v in cheap:
            factored[v] = _factored(v, factored, new_of)
        if v in parts:
            continue
        if _is_sum(v) and v.inputs[0] in factored:
            new_of[v] = _whole(v, _factored(v, factored, new_of))
        else:
            new_of[v] = renewed(v, new_of)
    return FunctionGraph(graph.inputs, [new_of[v] for v in graph.outputs])


def _parts(graph: FunctionGraph) -> tuple[set[TensorVariable], set[TensorVariable]]:
    """The products and sums that are needed for sums of them, and for nothing else.

    With them scaled squares that something else needs as well.
    """
    needed: set[Any] = {*graph.inputs, *graph.outputs}
    parts: set[Any] = set()
    shared: set[Any] = set()
    nodes: Sequence[Any] = graph.nodes
    for v in reversed(nodes):
        places: tuple[int, ...] = (0,) if _is_sum(v) else ()
        if v not in needed:
            parts.add(v)
            places = places or _LINEAR_IN[v.op]
        for place, i in enumerate(v.inputs):
            if place not in places or not _may_be_part(i, v):
                needed.add(i)
            else:
                shared.add(i)
    return parts, {v for v in shared & needed if _is_cheap(v)}


def _is_cheap(v: TensorVariable) -> bool:
    """Whether `v` scales squares: to compute them again takes less than to read them."""
    place = _scalar_of(v)
    return place is not None and v.inputs[1 - place].op is _SQUARE


def _may_be_part(v: TensorVariable, result: TensorVariable) -> bool:
    return v.ndim > 0 and v.dtype == result.dtype and (v.op in _LINEAR_IN or _is_sum(v))


def _is_sum(v: TensorVariable) -> bool:
    """Whether `v` is a sum that a factor may come after."""
    if type(v.op) is not Sum or not v.dtype.startswith(("float", "complex")):
        return False
    (x,) = v.inputs
    return x.dtype == v.dtype and all(x.type.shape[a] != 0 for a in v.op.axis)


def _scalar_of(v: TensorVariable) -> int | None:
    """The place of the scalar by which `v` multiplies, or divides, an array; None without.

    exp(x) / sum(exp(x)) stays, for the rule that keeps it from overflowing.
    """
    if v.op is not _MULTIPLY and (v.op is not _DIVIDE or unshifted(v.inputs[1]) is not None):
        return None
    for place in (1, 0) if v.op is _MULTIPLY else (1,):
        array = v.inputs[1 - place]
        if not v.inputs[place].ndim and array.ndim and array.dtype == v.dtype:
            return place
    return None


def _factored(
    v: TensorVariable,
    factored: Mapping[TensorVariable, Factored],
    new_of: Mapping[TensorVariable, TensorVariable],
) -> Factored:
    """A product, or a sum, made of what its inputs are without their scalars."""
    inputs = [factored[i] if i in factored else Factored(new_of[i]) for i in v.inputs]
    place = _scalar_of(v)
    if place is not None:
        array, above, below = inputs[1 - place]
        number = inputs[place].rest.astype(v.dtype)
        if v.op is _MULTIPLY:
            return Factored(array, _times(v, above, number), below)
        return Factored(array, above, _times(v, below, number))
    rest: Any = remake(v, tuple([f.rest for f in inputs]))
    above = reduce(partial(_times, v), [f.above for f in inputs])
    below = reduce(partial(_times, v), [f.below for f in inputs])
    if type(v.op) is Sum:
        above, below = _unless_empty(rest, above), _unless_empty(rest, below)
    return Factored(rest, above, below)


def _whole(v: TensorVariable, parts: Factored) -> TensorVariable:
    """What `parts` are made of `v`, as an expression."""
    result, above, below = parts
    if above is not None:
        result = applied(_MULTIPLY, (result, above), v.place)
    if below is not None:
        result = applied(_DIVIDE, (result, below), v.place)
    return result


def _times(
    v: TensorVariable, a: TensorVariable | None, b: TensorVariable | None
) -> TensorVariable | None:
    """The product, made where `v` was; None is no factor."""
    if a is None or b is None:
        return b if a is None else a
    return applied(_MULTIPLY, (a, b), v.place)


def _unless_empty(total: Result[Sum], number: TensorVariable | None) -> TensorVariable | None:
    """`number`; 1 where `total` is a sum of nothing, which infinity and NaN must not change."""
    (x,) = total.inputs
    unknown = [a for a in total.op.axis if not isinstance(x.type.shape[a], int)]
    if number is None or not unknown or _is_regular(number):
        return number
    factors = _factors(number)
    kept = [f for f in factors if _is_regular(f)]
    others = [f for f in factors if not _is_regular(f)]
    if not others:
        return reduce(mul, kept)
    some = reduce(logical_and, [gt(length_of(x, a), 0) for a in unknown])
    return reduce(mul, [*kept, where(some, reduce(mul, others), constant(1, number.dtype))])


def _factors(number: TensorVariable, depth: int = _DEEPEST) -> list[TensorVariable]:
    if number.op is _NEG and depth:
        return [constant(-1, number.dtype), *_factors(number.inputs[0], depth - 1)]
    if number.op is _MULTIPLY and depth and all(i.dtype == number.dtype for i in number.inputs):
        return [f for i in number.inputs for f in _factors(i, depth - 1)]
    return [number]


def _is_regular(number: TensorVariable) -> bool:
    """Whether `number` is known, finite and not zero: with it, nothing stays nothing."""
    return isinstance(number.op, Constant) and bool(
        np.isfinite(number.op.value) and number.op.value
    )
