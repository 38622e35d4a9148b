"""Integrals of many functions at once, which may be infinite at their ends.

By the rule of H. Takahasi and M. Mori, Double exponential formulas for numerical integration, 1974,
with levels that each have twice as many places, and errors as D. Bailey, K. Jeyabalan and X. Li
estimate them: A comparison of three high-precision quadrature schemes, 2005.
"""

from __future__ import annotations

from collections.abc import Callable
from math import asinh, inf, log, nan, pi
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import arange, zeros_like
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq, isfinite, isinf, isnan, neq, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.exponential import log as log_of
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.integrate.at_once.far_places import with_slopes_nearby
from weft_tensor.ops.optimize.problem import tuple_of
from weft_tensor.ops.reduction.standard import any, max, sum
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays, broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.dtypes import promote

__all__ = ["TanhSinhResult", "tanhsinh"]

_T = TensorVariable
_STEPS: Final = 8
"""Places on each side at level 0, as SciPy has them."""
_AT_ONCE: Final = 32
"""Places on each side that a step of the loop looks at: those that level 3 adds."""
_HIGH: Final = 300
"""Sums of what is at most 1 at the first places are below the exponential of this."""
_NEAR: Final = 0.7
"""Where slopes are asked for that are none: neither at an end nor in the middle, of 2."""


class TanhSinhResult(NamedTuple):
    """Integrals, whether their errors are small, and how they were found; `status` is SciPy's."""

    integral: TensorVariable
    error: TensorVariable
    success: TensorVariable
    status: TensorVariable
    maxlevel: TensorVariable
    nfev: TensorVariable


class _Farthest(NamedTuple):
    """Of a side: the place nearest the end at which the function is finite, and its value."""

    left: Any
    value: Any
    weight: Any


class _State(NamedTuple):
    step: Any
    part: Any
    """The sum over the places of this level so far, and of their sizes the largest."""
    size: Any
    before: Any
    """The integral at the level before, and at that before it."""
    latest: Any
    error: Any
    status: Any
    level: Any
    sides: tuple[_Farthest, _Farthest]


def _pairs(level: int, kind: str) -> tuple[np.ndarray, np.ndarray, float]:
    """How far places that a level adds are from 1, their weights, and the level's step."""
    smallest = 4 * float(np.finfo(kind).tiny)
    step = asinh(log(2 / smallest - 1) / pi) / _STEPS / 2**level
    count = _STEPS * 2**level + 1
    at = step * (np.arange(count) if level == 0 else np.arange(1, count, 2))
    turn = pi / 2 * np.sinh(at)
    with np.errstate(over="ignore", under="ignore"):
        left, weight = 1 / (np.exp(turn) * np.cosh(turn)), pi / 2 * np.cosh(at) / np.cosh(turn) ** 2
    if level == 0:  # the middle is on both sides
        weight[0] /= 2
    return left, weight, step


def tanhsinh(
    f: Callable[..., Any],
    a: TensorLike,
    b: TensorLike,
    *,
    args: Any = (),
    log: bool = False,
    maxlevel: int = 10,
    minlevel: int = 2,
    atol: float | None = None,
    rtol: float | None = None,
) -> TanhSinhResult:
    """The integral of `f(x, *args)` from `a` to `b`, for each element of these, by tanh and sinh.

    The function may be infinite at the ends. Places double in number until errors are small.
    Derivatives, in both modes, by the limits and by all that `f` uses, are those of the rule at its
    last level. See `scipy.integrate.tanhsinh`.

    Parameters
    ----------
    f
        Takes tensors: places along a further, last axis, and `args` with one of length 1, and
        returns values of the shape of the places.
    a, b
        Real numbers, which may be infinite, and broadcast with each other and `args`.
    args
        Further arguments: a tuple, or the only one.
    log
        Whether `f` returns logarithms: `integral`, `error`, `atol` and `rtol` are logarithms then,
        too. Those of a negative integral are NaN unless `f` returns complex ones. Status -3 is of
        peaks between the places of `minlevel`, too, beside which what was seen there is exp(-300).
    maxlevel, minlevel
        At which level it ends, with about `16 * 2**maxlevel` places, and at which it begins, at 2
        or higher.
    atol, rtol
        Which error is small: in itself, by default none, or in parts of the integral, by default
        the precision to the power 3/4.

    Returns
    -------
    `integral`, an estimate of its `error`, `success`, and `status`: 0 where the error is small, -2
    where it is not at the last level, -3 where values are not finite; the `maxlevel` of each, and
    the number `nfev` of places at which it was evaluated.

    Raises
    ------
    ValueError
        for levels that do not go from 2 up, and values of another rank than that of the places.
    TypeError
        for complex limits.

    Examples
    --------
    >>> from weft_tensor import log, sqrt
    >>> tanhsinh(lambda x: log(x) / sqrt(x), 0.0, [1.0, 4.0]).integral.eval().round(8)
    array([-4.        , -2.45482256])
    >>> tanhsinh(lambda x: -1000 * x, 900.0, inf, log=True).integral.eval().round(6)
    np.float64(-900006.907755)
    """
    begin = min(minlevel, maxlevel)
    if begin < 2:
        raise ValueError(
            f"tanhsinh: levels go from 2 up, not from {minlevel} to {maxlevel}{called()}"
        )
    more = tuple_of(args)
    low, high, *rest = broadcast_arrays(a, b, *more)
    if low.is_complex or high.is_complex:
        raise TypeError(f"tanhsinh: a and b are real, not {low!r} and {high!r}{called()}")
    kind = promote([low.dtype, high.dtype])
    kind = kind if kind.startswith("float") else "float64"
    rule = _Rule(f, low.astype(kind), high.astype(kind), [v.expand_dims(-1) for v in rest], (a, b))
    eps = float(np.finfo(kind).eps)
    near: Any = eps**0.75 if rtol is None else rtol
    small: Any = 0.0 if atol is None else atol

    levels = [_pairs(level, kind) for level in range(begin + 1)]
    left, weights = (np.concatenate([v[k] for v in levels]) for k in (0, 1))
    shift: Any = 0.0
    if log:
        shift = rule.largest(left, weights)
        near = near if rtol is None else exp(rtol)
        small = small if atol is None else exp(atol - shift)
        rule.f = _exponential(f, shift.expand_dims(-1))
    products, size, sides = rule.sums(left, weights, None)
    ends = np.cumsum([len(v[0]) for v in levels])
    latest, before, earlier = (
        levels[k][2] * sum(products[..., : int(ends[k])], -1) for k in (begin, begin - 1, begin - 2)
    )
    limits = eps, near, small
    error: Any = where(rule.same, 0.0, _error(latest, before, earlier, size, sides, eps))
    status = where(rule.same, 0, _status(latest, error, limits))
    level = where(rule.same, -1, begin)
    zero = zeros_like(latest)
    state = _State(constant(0), zero, 0 * size, before, latest, error, status, level, sides)
    if begin < maxlevel:
        state = _refined(rule, state, range(begin + 1, maxlevel + 1), limits)
    status = where(eq(state.status, 1), -2, state.status)
    value = where(rule.back, -state.latest, state.latest)
    value = where(isnan(rule.low) | isnan(rule.high), nan, value)
    places = where(state.level < 0, 1, 2 + _STEPS * 2 ** (1 + maximum(state.level, 0)))
    error = state.error
    if log:
        missed = abs(stop_gradient(value)) > exp(_HIGH)
        status = where(missed, -3, status)
        value, error = (where(missed, nan, log_of(v) + shift) for v in (value, error))
    return TanhSinhResult(value, error, eq(status, 0), status, state.level, places)


def _exponential(f: Callable[..., Any], shift: _T) -> Callable[..., Any]:
    """That of logarithms less `shift`, so far as it is finite."""

    def values(x: _T, *more: _T) -> _T:
        logs = as_tensor(f(x, *more)) - shift
        return exp(logs - maximum(logs.real - 2 * _HIGH, 0))

    return values


def _refined(rule: _Rule, first: _State, levels: range, limits: tuple[float, Any, Any]) -> _State:
    """With further levels, in steps of as many places, from the ends to the middle."""
    kind = rule.low.dtype
    rows: list[tuple[Any, ...]] = []
    for level in levels:
        left, weights, step = _pairs(level, kind)
        parts = len(left) // _AT_ONCE
        for k, (c, w) in enumerate(
            zip(np.split(left, parts)[::-1], np.split(weights, parts)[::-1], strict=True)
        ):
            rows.append((c, w, level, step, k + 1 == parts))
    table = [constant(np.array(column)) for column in zip(*rows, strict=True)]

    def is_open(s: _State) -> _T:
        return (s.step < len(rows)) & any(eq(s.status, 1))

    def body(s: _State) -> _State:
        r = s.step
        left, weights, number, step, ends = (index(column, r) for column in table)
        products, size, sides = rule.sums(left, weights, s.sides)
        part, size = s.part + sum(products, -1), maximum(s.size, size)
        new = s.latest / 2 + step.astype(kind) * part
        error = _error(new, s.latest, s.before, size, sides, limits[0])
        status = _status(new, error, limits)
        now = ends & eq(s.status, 1)
        return _State(
            r + 1,
            where(ends, zeros_like(part), part),
            where(ends, 0.0, size),
            where(now, s.latest, s.before),
            where(now, new, s.latest),
            where(now, error, s.error),
            where(now, status, s.status),
            where(now, number, s.level),
            sides,
        )

    end: _State = while_loop(is_open, body, first)
    return end


def _status(value: _T, error: _T, limits: tuple[float, Any, Any]) -> _T:
    """0 where the error is small, 1 where it is not, -3 where values are not finite."""
    _, rtol, atol = limits
    size = stop_gradient(abs(value))
    small = (error < rtol * size) | (error < atol)
    return where(isfinite(size), where(small, 0, 1), -3)


def _error(
    new: _T, latest: _T, before: _T, size: _T, sides: tuple[_Farthest, _Farthest], eps: float
) -> _T:
    """By Bailey and others, section 5: as the number of digits doubles, or as far as it moved."""
    new, latest, before = (stop_gradient(v) for v in (new, latest, before))
    moved, over_two = abs(new - latest), abs(new - before)
    some = (moved > 0) & (over_two > 0) & neq(over_two, 1)
    doubled = exp(log_of(where(some, moved, 0.5)) ** 2 / log_of(where(some, over_two, 0.5)))
    ends = [abs(stop_gradient(side.value * side.weight)) for side in sides]
    far = where(moved > 0, inf, 0.0).astype(moved.dtype)
    least = maximum(where(some, doubled, far), moved**2)
    least = maximum(maximum(least, eps * size), maximum(*ends))
    return minimum(maximum(least, eps * abs(new)), moved)


class _Rule:
    """The function between finite limits, low to high, and sums of its values."""

    def __init__(
        self,
        f: Callable[..., Any],
        a: _T,
        b: _T,
        more: list[_T],
        given: tuple[TensorLike, TensorLike],
    ) -> None:
        self.f, self.more = f, more
        self.back, self.same = b < a, eq(a, b)
        self.low, self.high = where(self.back, b, a), where(self.back, a, b)
        self.may_be_infinite = _may_be_infinite(given)
        ends = isinf(self.low), isinf(self.high)
        self.both = ends[0] & ends[1] & ~self.same
        self.half = (ends[0] | ends[1]) & ~self.both & ~self.same
        self.turn = where(ends[0], -1.0, 1.0).astype(a.dtype)
        self.start = where(self.half, where(ends[0], self.high, self.low), 0.0)
        self.limits = self.low, self.high
        if self.may_be_infinite:
            none = self.same & ends[0]
            low, high = (where(self.half | none, 0.0, v) for v in self.limits)
            low, high = where(self.both, -1.0, low), where(self.both, 1.0, high)
            least = float(np.finfo(a.dtype).tiny) ** 0.9  # over which twice nothing overflows
            self.limits = where(self.half, least, low), where(self.half, 1.0, high)

    def sums(
        self, left: TensorLike, weights: TensorLike, before: tuple[_Farthest, _Farthest] | None
    ) -> tuple[_T, _T, tuple[_Farthest, _Farthest]]:
        """Values times weights on both sides, the largest size, and the farthest finite ones."""
        kind = self.low.dtype
        c, w = as_tensor(left).astype(kind), as_tensor(weights).astype(kind)
        low, half, n = self.limits[0].expand_dims(-1), self._half(), lengths_of(c)[0]
        places, inside = self._places(c)
        x, shares = self._moved(places, concatenate([w, w], -1) * half)
        shares = where(inside & isfinite(stop_gradient(shares)), shares, 0.0)
        near, _ = self._moved(low + _NEAR * half, constant(1.0, kind))
        values = with_slopes_nearby(self._values, x, near)
        inside = inside & isfinite(stop_gradient(values))
        found, products = [], []
        for k, part in enumerate((slice(None, n), slice(n, None))):
            there, own, weights = inside[..., part], values[..., part], shares[..., part]
            side = _farthest(there, own, weights, c, before[k] if before else None)
            found.append(side)
            spare = where(self.same, 0.0, stop_gradient(side.value))
            own = where(there, own, spare.expand_dims(-1))
            products.append(own * weights)
        sizes = maximum(*[abs(stop_gradient(v)) for v in products])
        return products[0] + products[1], max(sizes, -1), (found[0], found[1])

    def largest(self, left: TensorLike, weights: TensorLike) -> _T:
        """The largest logarithm of a value times its weight, for those of values; 0 if none is."""
        kind = self.low.dtype
        c, w = as_tensor(left).astype(kind), as_tensor(weights).astype(kind)
        places, inside = self._places(c)
        x, shares = self._moved(places, concatenate([w, w], -1) * self._half())
        shares = stop_gradient(shares)
        logs = stop_gradient(self._values(x)).real + log_of(where(shares > 0, shares, 1.0))
        top = max(where(inside & isfinite(logs) & (shares > 0), logs, -inf), -1)
        return where(isfinite(top), top, 0.0)

    def _half(self) -> _T:
        low, high = self.limits
        return ((high - low) / 2).expand_dims(-1)

    def _places(self, left: _T) -> tuple[_T, _T]:
        """Places so far from both ends, and whether they are between them: in the middle if not."""
        low, high = (v.expand_dims(-1) for v in self.limits)
        half = self._half()
        places = concatenate([high - half * left, low + half * left], -1)
        inside = ((places > low) & (places < high)) | self.same.expand_dims(-1)
        return where(inside, places, low + half), inside

    def _moved(self, t: _T, weights: _T) -> tuple[_T, _T]:
        """Places between the limits as they are, and weights there, where some are infinite."""
        if not self.may_be_infinite:
            return t, weights
        both, one = self.both.expand_dims(-1), self.half.expand_dims(-1)
        moved = stop_gradient(t)  # by no limit: those of such integrals are numbers
        wide, narrow = where(both, moved, 0.0), where(one, moved, 1.0)
        over = 1 - wide * wide
        beyond = self.turn.expand_dims(-1) * (1 / narrow - 1) + self.start.expand_dims(-1)
        x = where(both, wide / over, where(one, beyond, t))
        return x, weights / narrow / narrow * ((1 + wide * wide) / (over * over))

    def _values(self, x: _T) -> _T:
        values = as_tensor(self.f(x, *self.more))
        if values.ndim not in (0, x.ndim):
            raise ValueError(
                f"tanhsinh: f returns a value for each place of {x!r}, not {values!r}{called()}"
            )
        kind = x.dtype if not values.is_complex else promote([values.dtype, x.dtype])
        return broadcast_to(values, lengths_of(x)).astype(kind)


def _may_be_infinite(given: tuple[TensorLike, TensorLike]) -> bool:
    return not all(
        not isinstance(v, TensorVariable) and bool(np.isfinite(np.asarray(v, "float64")).all())
        for v in given
    )


def _farthest(inside: _T, values: _T, weights: _T, left: _T, before: _Farthest | None) -> _Farthest:
    """The later of what was known and the last place inside, of those that go to the end."""
    places = where(inside, arange(lengths_of(inside)[-1]), -1)
    at = max(places, -1, keepdims=True)
    chosen = maximum(at, 0)
    value, weight = (take_along_axis(v, chosen, -1)[..., 0] for v in (values, weights))
    own = where(at >= 0, index(left, chosen), inf)[..., 0]
    if before is None:
        some = own < inf
        return _Farthest(own, where(some, value, nan), where(some, weight, 0.0))
    pairs = zip((own, value, weight), before, strict=True)
    return _Farthest(*[where(own < before.left, new, old) for new, old in pairs])
