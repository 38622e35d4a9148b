"""Between which numbers the indices of a call are, as follows from extremes of what they are of.

To look at each index, XLA would compute all of them once more: values between those of a table,
for 100,000 numbers, take 590 µs, and 380 more to look at what was converted to integers. The least
and the greatest number before take 50, and say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from weft_graph import Variable
from weft_graph.extend import Identity
from weft_jax.analysis.integer_ranges import Range
from weft_tensor import Pointwise, Reshape, View
from weft_tensor.extend import kind_of

__all__ = ["Granted", "RangeOfCall", "from_zero", "range_of_call", "sources_of"]


class Granted(Identity):
    """The first input, indices that are taken for positive and within bounds until they are not.

    The other inputs are its sources (see `sources_of`).
    """


class Ends(NamedTuple):
    """The least and the greatest of some numbers, as numbers of 64 bits."""

    least: Any
    greatest: Any


class RangeOfCall(NamedTuple):
    """Between which numbers all are, if the condition holds; else nothing is known of them."""

    ends: Ends
    condition: Any


def sources_of(index: Any) -> list[Variable]:
    """What says between which numbers integers are, by the functions that they are of it.

    >>> import weft_tensor as wt
    >>> x, k = wt.vector("x"), wt.vector("k", "int64")
    >>> sources_of(wt.minimum((2 * x).astype("int64"), k[0]) + 1) == [2 * x, k[0], wt.constant(1)]
    True
    """
    sources, seen, stack = [], set(), [index]
    while stack:
        v = stack.pop()
        if v not in seen:
            seen.add(v)
            parts = _parts(v)
            stack += reversed(parts)
            if not parts:
                sources.append(v)
    return sources


def _parts(v: Any) -> Sequence[Any]:
    """The inputs from whose ends those of integers follow; none where these are looked at."""
    if not v.ndim or np.dtype(v.dtype).kind not in "iu":
        return ()
    kind = kind_of(v)
    if isinstance(kind, View) or isinstance(v.op, Reshape):
        return [v.inputs[0]]
    name = kind.of if isinstance(kind, Pointwise) and isinstance(kind.of, str) else ""
    return list(v.inputs[name == "where" :]) if name in _RULES else ()


def range_of_call(
    index: Any, values: Mapping[Variable, Any], known: Mapping[Variable, Range]
) -> RangeOfCall:
    """That of integers, by the values of their sources, which JAX traces.

    Sources whose range is known before the call are not looked at: of positions, XLA would compute
    the extremes while it compiles, for 10^6 in 10 s.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> index = -(2 * x).astype("int64")
    >>> ends, condition = range_of_call(index, {2 * x: np.array([-3.5, 7.0])}, {})
    >>> tuple(map(float, ends)), bool(condition)
    ((-7.0, 3.0), True)
    """
    if not _parts(index) and index not in known and isinstance(values[index], jax.core.Tracer):
        return RangeOfCall(from_zero(values[index]), np.True_)
    conditions: list[Any] = []
    ends: dict[Variable, Ends] = {}
    stack = [index]
    while stack:
        v, parts = stack[-1], _parts(stack[-1])
        if v in ends:
            stack.pop()
            continue
        if unknown := [part for part in parts if part not in ends]:
            stack += unknown
            continue
        below, kind = [ends[part] for part in parts], kind_of(v)
        if v in known:
            result = Ends(*map(np.float64, known[v]))
        elif not parts:
            result = _extremes(values[v])
        elif isinstance(kind, Pointwise):
            if kind.of in ("mod", "floor_div"):
                conditions.append(below[1].least > 0)
            result = Ends(*_RULES[str(kind.of)](*below))
        else:
            result = below[0]
        low, high = (np.iinfo(v.dtype).min, np.iinfo(v.dtype).max) if parts else (-_EXACT, _EXACT)
        conditions.append(result.least >= float(max(low, -_EXACT)))
        conditions.append(result.greatest <= float(min(high, _EXACT)))
        ends[v] = result
    return RangeOfCall(ends[index], jnp.all(jnp.stack([np.True_, *conditions])))


_EXACT: Final = 2**53
"""Up to here, floating numbers are as exact as integers."""


def from_zero(x: Any) -> Ends:
    """The ends of integers by one look at each; of negative ones, that there are some.

    Of one array, XLA for CPUs makes a reduction in steps, each a kernel.
    """
    bits = lax.bitcast_convert_type(x, f"u{x.dtype.itemsize}")
    zero = np.zeros((), bits.dtype)
    top, either = lax.reduce(
        (bits, bits),
        (zero, zero),
        lambda x, y: (lax.max(x[0], y[0]), x[1] | y[1]),
        tuple(range(x.ndim)),
    )
    least = jnp.where((top | either) > np.iinfo(x.dtype).max, -1.0, 0.0)  # of both, in any case
    return Ends(least, top.astype("float64"))


def _extremes(x: Any) -> Ends:
    """The least and the greatest element, in one pass; NaN if one is."""
    if not isinstance(x, jax.core.Tracer):
        return Ends(np.float64(np.min(x)), np.float64(np.max(x)))
    x = x.astype("int32") if x.dtype == bool else x
    if not x.ndim:
        return Ends(x.astype("float64"), x.astype("float64"))
    is_float = jnp.issubdtype(x.dtype, jnp.floating)
    limits: Any = None if is_float else np.iinfo(x.dtype)
    low, high = (-np.inf, np.inf) if is_float else (limits.min, limits.max)
    least, greatest = lax.reduce(
        (x, x),
        (np.asarray(high, x.dtype), np.asarray(low, x.dtype)),
        lambda x, y: (lax.min(x[0], y[0]), lax.max(x[1], y[1])),
        tuple(range(x.ndim)),
    )
    return Ends(least.astype("float64"), greatest.astype("float64"))


def _at_ends(function: Callable[[Any, Any], Any]) -> Callable[[Ends, Ends], Ends]:
    """For a function whose extremes are at those of its arguments."""

    def rule(x: Ends, y: Ends) -> Ends:
        values = [function(a, b) for a in x for b in y]
        return Ends(reduce(jnp.minimum, values), reduce(jnp.maximum, values))

    return rule


def _both(function: Callable[[Any, Any], Any]) -> Callable[[Ends, Ends], Ends]:
    """For a function that grows with both arguments."""
    return lambda x, y: Ends(function(x.least, y.least), function(x.greatest, y.greatest))


_RULES: Final[dict[str, Callable[..., Ends]]] = {
    "add": _both(lambda x, y: x + y),
    "sub": lambda x, y: Ends(x.least - y.greatest, x.greatest - y.least),
    "mul": _at_ends(lambda x, y: x * y),
    "minimum": _both(jnp.minimum),
    "maximum": _both(jnp.maximum),
    "mod": lambda x, y: Ends(0.0, y.greatest - 1),
    "floor_div": _at_ends(lambda x, y: jnp.floor(x / y)),
    "neg": lambda x: Ends(-x.greatest, -x.least),
    "cast": lambda x: Ends(jnp.trunc(x.least), jnp.trunc(x.greatest)),
    "where": lambda x, y: Ends(jnp.minimum(x.least, y.least), jnp.maximum(x.greatest, y.greatest)),
}
