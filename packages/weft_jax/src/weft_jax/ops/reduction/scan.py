"""Scans along an axis in JAX, by what they combine by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, Final

import jax.numpy as jnp
from jax import Array, lax

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import CumProdSlope, TensorVariable
from weft_tensor.extend import AxisScan

__all__ = ["jax_funcify_cumprod_slope", "jax_funcify_scan"]

_BY_COMBINE: Final[dict[str, tuple[Any, Callable[..., Any], float | None]]] = {
    "add": (lax.cumsum, lax.add, -0.0),
    "mul": (lax.cumprod, lax.mul, 1.0),
    "maximum": (lax.cummax, lax.max, None),
    "minimum": (lax.cummin, lax.min, None),
}
"""`jax.lax`'s function, its step, and what changes nothing: None for the first element."""

_as_it_is: Any = lax.optimization_barrier  # which has no types

_UNROLL, _LANES = 8, 8
"""Where fewer numbers than `_LANES` lie beside each other, a step has `_UNROLL` of them."""

_SHORT: Final = 8
"""So few steps are written out: 200,000 lanes of 5 take 3 ms, not 8."""

_MANY: Final = 2**14
"""So many results are turned in memory, which takes half as long as to have all that comes after
read them across: `exp(cumsum(x, 1)).sum(1)` of 20,000 x 50 in 12 ms, not in 28."""


@jax_funcify.register(AxisScan)
def jax_funcify_scan(op: AxisScan, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """`jax.lax`'s function, which takes no bools; on CPUs, a loop is 2 to 5 times as fast."""
    function, combine, start = _BY_COMBINE[op.combine]
    dtype = node.type.dtype

    def in_a_loop(x: Array) -> Array:
        if len(x) <= _SHORT:
            return jnp.stack(list(accumulate(x, combine)))
        first = x[0] if start is None else jnp.full_like(x[0], start)
        return _in_turn(lambda so_far, v: 2 * (combine(so_far, v),), first, x)

    def compute(x: Array) -> Array:
        x = x.astype("int8" if dtype == "bool" else dtype)
        whole = partial(function, axis=op.axis)
        if x.size and not jnp.iscomplexobj(x):
            x = lax.platform_dependent(x, cpu=_along(op.axis, in_a_loop), default=whole)
        else:
            x = whole(x)
        return x.astype(dtype)

    return compute


@jax_funcify.register(CumProdSlope)
def jax_funcify_cumprod_slope(op: CumProdSlope, **kwargs: object) -> Lowering:
    """The products before each element, times what all after it make of the cotangents."""
    axis = op.axis

    def in_loops(x: Array, g: Array) -> Array:
        before = _in_turn(lambda so_far, v: (so_far * v, so_far), jnp.ones_like(x[0]), x)

        def step(after: Array, v: Array, of_this: Array) -> tuple[Array, Array]:
            to_the_end = of_this + after
            return v * to_the_end, to_the_end

        return before * _in_turn(step, jnp.zeros_like(x[0]), x, g, reverse=True)

    def as_trees(x: Array, g: Array) -> Any:
        one = jnp.ones_like(x[:1])
        before = lax.cumprod(jnp.concatenate([one, x[:-1]]))
        factors = jnp.concatenate([x[1:], one])

        def both(later: Sequence[Array], sooner: Sequence[Array]) -> tuple[Array, Array]:
            return sooner[0] * later[0], sooner[1] + sooner[0] * later[1]

        return before * lax.associative_scan(both, (factors, g), reverse=True)[1]

    def compute(x: Array, g: Array) -> Any:
        if not x.size:
            return x
        x, g = (jnp.conj(x) if jnp.iscomplexobj(x) else x), g.astype(x.dtype)
        loops, trees = (_along(axis, way) for way in (in_loops, as_trees))
        return lax.platform_dependent(x, g, cpu=loops, default=trees)

    return compute


def _in_turn(step: Callable[..., Any], start: Array, *rows: Array, reverse: bool = False) -> Array:
    """What each step gives of what the one before left and of a row of each."""
    few = start.size < _LANES

    def of_rows(left: Array, values: tuple[Array, ...]) -> Any:
        return step(left, *values)

    _, results = lax.scan(of_rows, start, rows, reverse=reverse, unroll=_UNROLL if few else 1)
    return jnp.asarray(results)


def _along(axis: int, of_rows: Callable[..., Array]) -> Callable[..., Array]:
    """`of_rows` of arrays whose `axis` comes first, and goes back to its place."""

    def moved(*arrays: Array) -> Array:
        results = jnp.moveaxis(of_rows(*[jnp.moveaxis(x, axis, 0) for x in arrays]), 0, axis)
        return _as_it_is(results) if axis and results.size >= _MANY else results

    return moved
