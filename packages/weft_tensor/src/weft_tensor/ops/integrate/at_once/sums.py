"""Sums of very many terms, or of infinitely many: the first ones, and an integral of the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import nan
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange, zeros_like
from weft_tensor.ops.elementwise.arithmetic import abs, floor, minimum
from weft_tensor.ops.elementwise.comparison import eq, isfinite, isinf, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.integrate.at_once.tanh_sinh import tanhsinh
from weft_tensor.ops.optimize.problem import tuple_of
from weft_tensor.ops.reduction.standard import max, sum
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays, broadcast_to
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.dtypes import promote

__all__ = ["NsumResult", "nsum"]

_T = TensorVariable
_AT_ONCE: Final = 256
"""How many terms of each sum a step of the loop adds."""


class NsumResult(NamedTuple):
    """Sums, whether their errors are small, and how they were found; `status` is SciPy's."""

    sum: TensorVariable
    error: TensorVariable
    success: TensorVariable
    status: TensorVariable
    nfev: TensorVariable


def nsum(
    f: Callable[..., Any],
    a: TensorLike,
    b: TensorLike,
    *,
    step: TensorLike = 1,
    args: Any = (),
    maxterms: int = 2**20,
    tolerances: Mapping[str, float] | None = None,
) -> NsumResult:
    """The sum of `f(x, *args)` for x from `a` to `b` by steps, for each element of these.

    Up to `maxterms` terms are added as they are. Of more, or infinitely many, the first ones are,
    until they are small, and the others are an integral (`tanhsinh`): `f` must be smooth, positive,
    and fall. Derivatives, in both modes, by the limits and by all that `f` uses, are those of the
    same terms and integral. See `scipy.integrate.nsum`, which has logarithms of terms besides.

    Parameters
    ----------
    f
        Takes tensors: places along a further, last axis, and `args` with one of length 1, and
        returns values of the shape of the places.
    a, b
        Real numbers, of which `a` may be minus infinity and `b` infinity, and broadcast with each
        other, `step` and `args`. From minus infinity to infinity, terms are at multiples of `step`.
    step
        Above 0.
    args
        Further arguments: a tuple, or the only one.
    maxterms
        How many terms are added at most.
    tolerances
        "atol" and "rtol", which terms are small: in themselves, or in parts of the integral, by
        default 0 and the root of the precision.

    Returns
    -------
    `sum`, an estimate of its `error`, `success`, and `status`: 0 where the error is small, -1 where
    limits or steps are none (the sum is NaN), -2 where the integral's is not small, -3 where values
    are not finite, -4 where no term was small; and the number `nfev` of places at which it was
    evaluated.

    Raises
    ------
    ValueError
        for `maxterms` below 0, other tolerances, and values of another rank than that of the
        places.
    TypeError
        for complex limits or steps.

    Examples
    --------
    >>> from weft_tensor import exp
    >>> nsum(lambda k, r: exp(-r * k), 0, float("inf"), args=([1.0, 2.0],)).sum.eval().round(8)
    array([1.58197671, 1.15651764])
    """
    limits = {"atol": 0.0, "rtol": None, **(tolerances or {})}
    atol, rtol = limits.pop("atol") or 0.0, limits.pop("rtol")
    if limits or atol < 0 or (rtol or 0.0) < 0:
        raise ValueError(
            f"nsum: tolerances are atol and rtol, 0 or more, not {tolerances}{called()}"
        )
    if maxterms < 0:
        raise ValueError(f"nsum: maxterms is 0 or more, not {maxterms}{called()}")
    low, high, by, *more = broadcast_arrays(a, b, step, *tuple_of(args))
    kinds = [v.dtype for v in (low, high, by)]
    kind = promote([k for k in kinds if k.startswith(("float", "complex"))] or ["float64"])
    if kind.startswith("complex"):
        raise TypeError(f"nsum: a, b and step are real, not {a!r}, {b!r} and {step!r}{called()}")
    low, high, by = (v.astype(kind) for v in (low, high, by))
    eps = float(np.finfo(kind).eps)
    rtol = eps**0.5 if rtol is None else rtol

    valid = (high >= low) & isfinite(by) & (by > 0)
    by = where(valid, by, 1.0)
    terms = _Terms(f, where(valid, low, 0.0), where(valid, high, 0.0), more)
    count = stop_gradient(floor((terms.high - terms.low) / by))
    last = where(isfinite(count), terms.low + where(isfinite(count), count, 0.0) * by, terms.high)
    few = count + 1 <= maxterms

    first = terms.low
    whole = tanhsinh(terms, first, where(few, first, last), args=(), atol=atol, rtol=rtol)
    skipped = eq(whole.status, -3)
    at = constant(_tried(maxterms).astype(kind))
    places = first.expand_dims(-1) + where(few.expand_dims(-1), 0.0, at * by.expand_dims(-1))
    values = stop_gradient(terms(places))
    after = stop_gradient(terms(places + where(few, 0.0, by).expand_dims(-1)))
    tolerance = (atol + rtol * stop_gradient(whole.integral)).expand_dims(-1)
    large = sum((values > tolerance) | (after > values), -1)
    number = index(at, minimum(large, lengths_of(at)[0] - 1))
    number = where(few, where(few, count, 0.0) + 1, number)
    part = terms.summed(by, number)

    begin = first + where(few, 0.0, number * by)
    skipped = ~few & (skipped | (isinf(part) & (part > 0)))
    end = where(few | skipped, begin, last)
    rest = tanhsinh(terms, begin, end, args=(), atol=atol, rtol=rtol)
    ends = [where(few, 0.0, terms.one(v)) for v in (begin, where(isfinite(end), end, begin))]
    ends[1] = where(isfinite(end), ends[1], 0.0)
    total = part + where(few, 0.0, rest.integral / by) + (ends[0] + ends[1]) / 2
    error = eps * abs(part) + where(few, 0.0, rest.error / by) + (ends[0] - ends[1]) / 2

    status = where(eq(rest.status, 0) & eq(large, lengths_of(at)[0]), -4, rest.status)
    status = where(few, where(isfinite(part), 0, -3), where(skipped, -3, status))
    none = where(high < low, 0.0, nan).astype(kind)
    own = where(few, 0, 2 * lengths_of(at)[0] + isfinite(last) + whole.nfev + rest.nfev)
    places_read = (own + number.astype("int64")) * where(terms.both, 2, 1)
    status = where(valid, status, where(high < low, 0, -1))
    return NsumResult(
        where(valid, where(skipped, nan, total), none),
        stop_gradient(where(valid, where(skipped, nan, error), none)),
        eq(status, 0),
        status,
        1 + where(valid, places_read, 0),
    )


def _tried(most: int) -> np.ndarray:
    """After how many terms it is seen whether they are small."""
    return np.array([*(2**k for k in range(most.bit_length() - 1)), most])


class _Terms:
    """The function from finite places up: backwards, where the first place is infinite.

    Where both are, from 0, as the sum of both values.
    """

    def __init__(self, f: Callable[..., Any], low: _T, high: _T, more: list[_T]) -> None:
        self.f, self.more = f, more
        self.both = isinf(low) & isinf(high)
        self.back = isinf(low) & ~self.both
        self.low = where(self.both, 0.0, where(self.back, -high, low))
        self.high = where(self.back, -low, high)

    def __call__(self, x: _T) -> _T:
        both, back = (v.expand_dims(-1) for v in (self.both, self.back))
        value = self._at(where(back, -x, x))
        other = self._at(where(both, -x, x))
        return where(both, where(eq(x, 0), value, value + other), value)

    def one(self, x: _T) -> _T:
        """The term at a place each."""
        return self(x.expand_dims(-1))[..., 0]

    def summed(self, by: _T, number: _T) -> _T:
        """The sum of so many terms."""
        first, step, most = (v.expand_dims(-1) for v in (self.low, by, number))
        own = arange(_AT_ONCE)

        def add(k: _T, total: _T) -> _T:
            j = (k * _AT_ONCE + own).astype(step.dtype)
            inside = j < most
            values = self(first + where(inside, j, 0.0) * step)
            return total + sum(where(inside, values, 0.0), -1)

        loops = (max(number, initial=0.0).astype("int64") + _AT_ONCE - 1) // _AT_ONCE
        return fori_loop(0, loops, add, zeros_like(self.one(self.low)))

    def _at(self, x: _T) -> _T:
        values = as_tensor(self.f(x, *[v.expand_dims(-1) for v in self.more]))
        if values.ndim not in (0, x.ndim):
            raise ValueError(
                f"nsum: f returns a value for each place of {x!r}, not {values!r}{called()}"
            )
        kind = x.dtype if not values.is_complex else promote([values.dtype, x.dtype])
        return broadcast_to(values, lengths_of(x)).astype(kind)
