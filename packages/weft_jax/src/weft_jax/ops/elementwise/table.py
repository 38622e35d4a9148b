"""Elementwise Ops in JAX: `jax.numpy`'s functions, and rows where it has none or differs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from weft_graph import MissingLoweringError, Variable
from weft_jax.lowering.dispatch import jax_funcify
from weft_jax.lowering.x64 import outside_dtype
from weft_jax.ops.elementwise.cast import converted
from weft_jax.ops.elementwise.erfcx import erfcx, log_ndtr, logerfc
from weft_jax.ops.elementwise.erfinv import erfinv
from weft_jax.ops.elementwise.primitives import aligned, primitive_of
from weft_jax.ops.indexing.sort_order import COMPLEX_ORDER
from weft_jax.ops.random.threefry import threefry2x32
from weft_jax.runtime.runtime_checks import require
from weft_tensor import Elemwise, loop_dtypes

__all__ = ["ROWS", "jax_funcify_elemwise"]

_LOG_HALF = float(np.log(0.5))


def _log1mexp(x: Any) -> Any:
    near = x > _LOG_HALF
    return jnp.where(near, jnp.log(-jnp.expm1(x)), jnp.log1p(-jnp.exp(x)))


def _softplus(x: Any) -> Any:
    return jnp.maximum(x, 0) + jnp.log1p(jnp.exp(-jnp.abs(x)))


def _exp2(x: Any) -> Any:
    """As a power, which is right to the last bit: JAX's own rounds x * log(2) before."""
    return jnp.exp2(x) if jnp.iscomplexobj(x) else jnp.power(jnp.full_like(x, 2), x)


def _integer_or(integers: Callable[..., Any], others: Callable[..., Any]) -> Callable[..., Any]:
    def choose(*values: Any) -> Any:
        return (integers if jnp.issubdtype(values[0].dtype, jnp.integer) else others)(*values)

    return choose


def _zero_where_zero(function: Callable[..., Any]) -> Callable[..., Any]:
    """Division of integers by zero gives 0, as in NumPy."""
    return lambda x, y: jnp.where(y == 0, 0, function(x, jnp.where(y == 0, 1, y)))


def _floor_divide(x: Any, y: Any) -> Any:
    """By zero: what `x / y` is, where older versions of JAX have NaN. Zero has its sign."""
    quotient, floor = x / y, jnp.floor_divide(x, y)
    signed = jnp.where(floor == 0, jnp.copysign(jnp.zeros_like(floor), quotient), floor)
    return jnp.where(y == 0, quotient, signed)


def _remainder(x: Any, y: Any) -> Any:
    """A remainder of zero has the sign of `y`, which JAX forgets."""
    rest = jnp.remainder(x, y)
    return jnp.where(rest == 0, jnp.copysign(jnp.zeros_like(rest), y), rest)


def _integer_power(x: Any, y: Any) -> Any:
    """By squaring; JAX's own is wrong for exponents of more than six bits."""
    shape = jnp.broadcast_shapes(x.shape, y.shape)
    known = isinstance(y, np.ndarray)
    fine = y >= 0
    if not known or not fine.all():
        fine = jnp.full((), False) if known else fine  # XLA takes long to look at many constants
        nothing = jnp.asarray(prod(shape)) == 0
        require(fine | nothing, ValueError("integers to negative integer powers are not allowed"))
    if known and y.ndim == 0:
        return jnp.broadcast_to(jax.lax.integer_pow(x, max(int(y), 0)), shape)

    def step(state: Any) -> Any:
        result, power, rest = state
        return jnp.where(rest & 1, result * power, result), power * power, rest >> 1

    start = (
        jnp.ones(shape, x.dtype),
        jnp.asarray(x),
        np.maximum(y, 0) if known else jnp.maximum(y, 0),
    )
    return jax.lax.while_loop(lambda state: state[2].any(), step, start)[0]


def _power(x: Any, y: Any) -> Any:
    """XLA takes a power of exp(a) for exp(a * y), which forgets that 1 is a power of NaN."""
    found = jnp.power(x, y)
    is_one = (x == 1) | (y == 0)
    return found if jnp.iscomplexobj(found) else jnp.where(is_one, jnp.ones_like(found), found)


def _integer_reciprocal(x: Any) -> Any:
    """Of zero: what NumPy makes of it on this machine."""
    with np.errstate(divide="ignore", invalid="ignore"):
        of_zero = np.reciprocal(np.zeros((), x.dtype))
    return jnp.where(x == 0, of_zero, jnp.where(jnp.abs(x) == 1, x, 0))


ROWS: Final[dict[str, Callable[..., Any]]] = {
    "broadcast_length": lambda x, y: jnp.where(x == 1, y, x),
    "erfcx": erfcx,
    "erfinv": erfinv,
    "exp2": _exp2,
    "floor_div": _integer_or(_zero_where_zero(jnp.floor_divide), _floor_divide),
    "fmod": _integer_or(_zero_where_zero(jnp.fmod), jnp.fmod),
    "log1mexp": _log1mexp,
    "log_ndtr": log_ndtr,
    "logerfc": logerfc,
    "mod": _integer_or(_zero_where_zero(jnp.remainder), _remainder),
    "pow": _integer_or(_integer_power, _power),
    "reciprocal": _integer_or(_integer_reciprocal, jnp.reciprocal),
    "sign": lambda x: jnp.where(x == 0, jnp.zeros_like(x), jnp.sign(x)),  # 0.0 of -0.0, too
    "softplus": _softplus,
    "threefry2x32": threefry2x32,
}
"""Functions of arrays that already have the dtypes of the computation."""


def _check_shapes(*shapes: Any) -> None:
    """JAX's own error is a TypeError, which is for lengths that are symbols."""
    if all(isinstance(n, int) for shape in shapes for n in shape):
        np.broadcast_shapes(*shapes)


@jax_funcify.register(Elemwise)
def jax_funcify_elemwise(op: Elemwise, *, node: Variable, **kwargs: Any) -> Any:
    """The row's function, in the dtypes that NumPy computes with."""
    given = tuple([v.type.dtype for v in node.inputs])  # type: ignore[attr-defined]  # tensors
    wanted, result = loop_dtypes(op.name, given)
    primitive = primitive_of(op.name, wanted)
    if primitive is not None:
        return _by_primitive(primitive, given, wanted, result)
    is_complex = np.dtype(wanted[-1]).kind == "c"
    function = COMPLEX_ORDER.get(op.name) if is_complex else None
    function = function or ROWS.get(op.name)
    if function is None:
        row = op.scalar.function
        if not isinstance(row, str) or not row.startswith("numpy."):
            raise MissingLoweringError(
                f"{op.name} has no JAX implementation: add one to "
                "`weft_jax.ops.elementwise.table.ROWS`"
            )
        function = getattr(jnp, row.removeprefix("numpy."))

    def elemwise(*values: Any) -> Any:
        _check_shapes(*map(np.shape, values))
        arrays = list(map(_as_wanted, values, given, wanted))
        return function(*arrays).astype(result)

    return elemwise


def _by_primitive(
    primitive: Callable[..., Any], given: Sequence[str], wanted: Sequence[str], result: str
) -> Callable[..., Any]:
    def elemwise(*values: Any) -> Any:
        arrays = list(map(_as_wanted, values, given, wanted))
        found = primitive(*aligned(arrays))
        return found if found.dtype == result else found.astype(result)

    return elemwise


def _as_wanted(value: Any, given: str, wanted: str) -> Any:
    """`value`, of dtype `given` in the graph, as an array of the dtype `wanted`."""
    if isinstance(value, jax.Array) and value.dtype == wanted:
        return value
    if isinstance(value, int | float | np.ndarray):  # JAX would make it an array on its device
        return (
            np.asarray(value) != 0 if wanted == "bool" else np.asarray(value, outside_dtype(wanted))
        )
    value = jnp.asarray(value)
    return value != 0 if wanted == "bool" != given else converted(value, wanted)
