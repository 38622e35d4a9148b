"""Which functions of JAX the scalar functions are, where the row does not say it.

What is one primitive of JAX is computed by that: `jax.numpy`'s functions promote, check and
broadcast again what Weft's types already say, which takes longer than all else in tracing.
Primitives want arrays of one shape and dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from weft_graph import ask
from weft_jax.ops.elementwise.arithmetic import (
    floor_divide,
    gcd,
    hypot_of_one,
    integer_reciprocal,
    log1p,
    remainder,
    sigmoid_of_opposite,
    sign,
    softplus_of_opposite,
    zero_where_zero,
)
from weft_jax.ops.elementwise.complex import ROWS as BY_PARTS
from weft_jax.ops.elementwise.power import exp2, float_power, integer_power
from weft_jax.ops.numbers.masses import ROWS as MASSES
from weft_jax.ops.special.gamma import FORMS as OF_GAMMA
from weft_jax.ops.special.gamma import ROWS as INCOMPLETE_GAMMA
from weft_jax.ops.special.gamma import Forms
from weft_jax.ops.special.incomplete import FORMS as OF_BETA
from weft_jax.ops.special.incomplete import ROWS as INCOMPLETE_BETA
from weft_jax.ops.special.of_complex import ROWS as OF_COMPLEX
from weft_tensor import Elemwise, TensorVariable

__all__ = ["BESIDE_ONE", "FORMS", "ROWS", "WHERE", "aligned", "primitive_of"]

_NEG: Final = Elemwise("neg")

_ORDERED: Final[dict[str, Callable[..., Any]]] = {
    "add": lax.add,
    "eq": lax.eq,
    "ge": lax.ge,
    "gt": lax.gt,
    "le": lax.le,
    "lt": lax.lt,
    "maximum": lax.max,
    "minimum": lax.min,
    "mul": lax.mul,
    "neg": lax.neg,
    "neq": lax.ne,
    "square": lax.square,
    "sub": lax.sub,
}
"""Of integers and real numbers."""

_REAL: Final[dict[str, Callable[..., Any]]] = {
    "abs": lax.abs,
    "cos": lax.cos,
    "erf": lax.erf,
    "erfc": lax.erfc,
    "exp": lax.exp,
    "expm1": lax.expm1,
    "isfinite": lax.is_finite,
    "log": lax.log,
    "log1p": log1p,
    "sigmoid": lax.logistic,
    "sin": lax.sin,
    "sqrt": lax.sqrt,
    "tanh": lax.tanh,
    "true_div": lax.div,
}
"""Of real numbers."""

WHERE: Final[dict[str, tuple[Callable[[TensorVariable], Any], Callable[..., Any]]]] = {
    "log1p": (lambda x: ask(x, "nonnegative"), lax.log1p),
    "sigmoid": (lambda x: x.op is _NEG, sigmoid_of_opposite),
    "softplus": (lambda x: x.op is _NEG, softplus_of_opposite),
}
"""Of real numbers, and conditions of the argument: what takes XLA less time then."""

_LOGICAL: Final[dict[str, Callable[..., Any]]] = {
    "logical_and": lax.bitwise_and,
    "logical_not": lax.bitwise_not,
    "logical_or": lax.bitwise_or,
}
"""Of booleans."""


def primitive_of(name: str, dtypes: tuple[str, ...]) -> Callable[..., Any] | None:
    """The primitive that computes `name` of arrays that have one shape and these `dtypes`, if any.

    >>> primitive_of("exp", ("float64",)).__name__, primitive_of("exp", ("complex128",))
    ('exp', None)
    """
    kinds = {np.dtype(dtype).kind for dtype in dtypes}
    if name == "where" and len(set(dtypes[1:])) == 1 and dtypes[0] == "bool":
        return lax.select
    if kinds == {"f"} and name in _REAL:
        return _REAL[name]
    if kinds == {"b"}:
        return _LOGICAL.get(name)
    if set(dtypes) == {"int64", "uint64"}:
        return _by_value(_ORDERED[name]) if name in _COMPARING else None
    return _ORDERED.get(name) if kinds <= {"f", "i", "u"} else None


_COMPARING: Final = frozenset(["eq", "ge", "gt", "le", "lt", "neq"])


def _by_value(compare: Callable[..., Any]) -> Callable[..., Any]:
    """`compare` of int64 and uint64, of which no dtype has all values."""

    def compared(x: jax.Array, y: jax.Array) -> jax.Array:
        is_first = x.dtype == "int64"
        signed = x if is_first else y
        of_negative = compare(-1, 0) if is_first else compare(0, -1)
        result = compare(x.astype("uint64"), y.astype("uint64"))
        return jnp.where(signed < 0, of_negative, result)

    return compared


def aligned(arrays: list[Any]) -> list[Any]:
    """`arrays`, broadcast to one shape.

    >>> [a.shape for a in aligned([np.ones(3), np.ones((2, 1))])]
    [(2, 3), (2, 3)]
    """
    shapes = [a.shape for a in arrays]
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return arrays
    if not all(type(n) is int for shape in shapes for n in shape):  # symbols, in exported graphs
        return list(jnp.broadcast_arrays(*arrays))
    shape = np.broadcast_shapes(*shapes)
    return [a if a.shape == shape else _broadcast(a, shape) for a in arrays]


def _broadcast(array: Any, shape: tuple[int, ...]) -> jax.Array:
    offset = len(shape) - array.ndim
    return lax.broadcast_in_dim(array, shape, tuple(range(offset, len(shape))))


def _integer_or(integers: Callable[..., Any], others: Callable[..., Any]) -> Callable[..., Any]:
    def choose(*values: Any) -> Any:
        return (integers if jnp.issubdtype(values[0].dtype, jnp.integer) else others)(*values)

    return choose


BESIDE_ONE: Final[dict[str, Callable[[jax.Array], jax.Array]]] = {"hypot": hypot_of_one}
"""Functions of two arguments where one is 1, of the other."""
FORMS: Final[Forms] = {**OF_BETA, **OF_GAMMA}
"""Functions that are others, of further arguments: by their names those, and what these are."""
ROWS: Final[dict[str, Callable[..., Any]]] = {
    "broadcast_length": lambda x, y: jnp.where(x == 1, y, x),
    "exp2": exp2,
    "floor_div": _integer_or(zero_where_zero(jnp.floor_divide), floor_divide),
    "fmod": _integer_or(zero_where_zero(jnp.fmod), jnp.fmod),
    "gcd": gcd,
    "mod": _integer_or(zero_where_zero(jnp.remainder), remainder),
    "of_parts": lambda x, y: lax.complex(*jnp.broadcast_arrays(x, y)),
    "pow": _integer_or(integer_power, float_power),
    "reciprocal": _integer_or(integer_reciprocal, jnp.reciprocal),
    "sign": sign,
    **BY_PARTS,
    **INCOMPLETE_BETA,
    **INCOMPLETE_GAMMA,
    **MASSES,
    **OF_COMPLEX,
}
"""Functions of arrays that already have the dtypes of the computation, unlike `jax.numpy`'s."""
