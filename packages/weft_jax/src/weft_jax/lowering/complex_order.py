"""The order of complex numbers as NumPy has it: by the real parts, then by the imaginary ones.

JAX has that order as well, but not for numbers with a part that is NaN, which NumPy puts last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import jax.numpy as jnp
from jax import Array, lax

from weft_jax.lowering.dispatch import Lowering

__all__ = [
    "COMPLEX_ORDER",
    "axis_function",
    "complex_argextremum",
    "complex_argsort",
    "complex_extremum",
]


def _ordered(strictly: Lowering, tie: Lowering) -> Lowering:
    def compare(x: Array, y: Array) -> object:
        sure = strictly(x.real, y.real) & ~(jnp.isnan(x.imag) | jnp.isnan(y.imag))
        return sure | ((x.real == y.real) & tie(x.imag, y.imag))

    return compare


def _extreme(better: Lowering) -> Lowering:
    return lambda x, y: jnp.where(jnp.isnan(x) | better(x, y), x, y)


COMPLEX_ORDER: Final[dict[str, Callable[..., Any]]] = {
    "lt": _ordered(jnp.less, jnp.less),
    "le": _ordered(jnp.less, jnp.less_equal),
    "gt": _ordered(jnp.greater, jnp.greater),
    "ge": _ordered(jnp.greater, jnp.greater_equal),
    "maximum": _extreme(_ordered(jnp.greater, jnp.greater_equal)),
    "minimum": _extreme(_ordered(jnp.less, jnp.less_equal)),
}
"""Functions of two complex numbers, by name."""


def _of_largest(x: Array, axis: int | tuple[int, ...]) -> tuple[Array, Array, Array]:
    """The parts of the largest number, and where it is."""
    real = x.real.max(axis, keepdims=True)
    fits = x.real == real
    imag = jnp.where(fits, x.imag, -jnp.inf).max(axis, keepdims=True)
    return real, imag, fits & (x.imag == imag)


def complex_extremum(x: Array, axis: Sequence[int], *, largest: bool) -> Array:
    """The largest or smallest number over `axis`; NaN if there is one.

    >>> complex_extremum(jnp.array([1 + 2j, 1 - 1j]), (0,), largest=False)
    Array(1.-1.j, dtype=complex64)
    """
    axis = tuple(axis)
    real, imag, _ = _of_largest(x if largest else -x, axis)
    extremum = jnp.squeeze(lax.complex(real, imag), axis)
    extremum = extremum if largest else -extremum
    return jnp.where(jnp.isnan(x).any(axis), jnp.nan, extremum).astype(x.dtype)


def complex_argextremum(x: Array, axis: int, *, largest: bool) -> Array:
    """The first place of the largest or smallest number along `axis`, or of NaN if there is one.

    >>> int(complex_argextremum(jnp.array([1 + 2j, 1 - 1j]), 0, largest=True))
    0
    """
    nan = jnp.isnan(x)
    _, _, there = _of_largest(x if largest else -x, axis)
    return jnp.argmax(jnp.where(nan.any(axis, keepdims=True), nan, there), axis=axis)


def complex_argsort(x: Array, axis: int) -> Array:
    """Places that sort x along `axis`: last what has an imaginary part that is NaN, then a real.

    >>> complex_argsort(jnp.array([2j, 1 + 0j, jnp.nan, 1j]), 0)
    Array([3, 0, 1, 2], dtype=int32)
    """
    real, imag = jnp.isnan(x.real), jnp.isnan(x.imag)
    parts = jnp.where(imag, 0, x.imag), jnp.where(real, 0, x.real)
    return jnp.lexsort((*parts, 2 * real + imag), axis=axis)


def axis_function(real: Lowering, of_complex: Lowering) -> Callable[..., Lowering]:
    """The lowering of an Op that applies one of two functions along its axis.

    >>> from weft_tensor import CumSum, constant
    >>> node = CumSum(0)(constant([2, 1], dtype="float32"))
    >>> axis_function(jnp.cumsum, jnp.cumsum)(node.op, node=node)([2, 1]).tolist()
    [2.0, 3.0]
    """

    def funcify(op: Any, *, node: Any, **kwargs: object) -> Lowering:
        axis, dtype = op.axis, node.type.dtype

        def ordering(x: Array) -> object:
            x = jnp.asarray(x)
            return (of_complex if jnp.iscomplexobj(x) else real)(x, axis=axis).astype(dtype)

        return ordering

    return funcify
