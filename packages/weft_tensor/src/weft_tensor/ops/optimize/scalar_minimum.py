"""Minima of functions of one number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isfinite as isfinite_number
from typing import Any, Final, NamedTuple

from weft_graph import grad
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import ones_like, zeros_like
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import copysign, maximum, minimum
from weft_tensor.ops.elementwise.comparison import isfinite, where
from weft_tensor.ops.implicit.roots import custom_root
from weft_tensor.ops.optimize.problem import by_options, evaluated, iterations, resolution, tuple_of
from weft_tensor.ops.optimize.scalar_root import scalar_function, scalars

__all__ = ["ScalarMinimum", "minimize_scalar"]

Function = Callable[[Any], TensorVariable]
_OPTIONS: Final = {"xtol": "tol", "xatol": "tol", "maxiter": "maxiter"}
_GOLDEN: Final = (3 - 5**0.5) / 2
"""The part of an interval at which to cut it, so that both parts can be cut alike."""


class ScalarMinimum(NamedTuple):
    """What a search for the minimum of a function of one number has found."""

    x: TensorVariable
    """Where it ended."""
    fun: TensorVariable
    """The function there."""
    nit: TensorVariable
    """How many steps were made."""
    nfev: TensorVariable
    """How many times the function was computed."""
    success: TensorVariable
    """Whether it ended at a minimum."""


class _Interval(NamedTuple):
    """An interval, the best three points in it, and the last two moves."""

    low: Any
    high: Any
    x: Any
    w: Any
    v: Any
    fx: Any
    fw: Any
    fv: Any
    move: Any
    before: Any
    nit: Any


class _Triple(NamedTuple):
    """The last three places; of a bracket, the second is lowest."""

    a: Any
    b: Any
    c: Any
    fa: Any
    fb: Any
    fc: Any
    calls: Any


def minimize_scalar(
    fun: Callable[..., Any],
    bracket: Sequence[TensorLike] | None = None,
    bounds: Sequence[TensorLike] | None = None,
    args: Any = (),
    method: str | None = None,
    tol: float | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    maxiter: SizeLike | None = None,
) -> ScalarMinimum:
    """The x at which the scalar `fun(x, *args)` has a minimum. See `scipy.optimize`.

    By Brent's method (Algorithms for minimization without derivatives, 1973, chapter 5).
    Derivatives of x, in both modes, by what `fun` uses besides follow from its second derivative
    there, and no step is kept for them. At one of the bounds, x is that bound, and so are its
    derivatives. They hold where `success` does.

    Parameters
    ----------
    fun
        Takes a scalar, and `args`, and returns a scalar that can be differentiated. For many at
        once, see `vmap`.
    bracket
        Three numbers, the function at the second of which is below that at both others; or two,
        from which steps lead downhill to such; by default 0 and 1.
    bounds
        Two numbers, between which to stay: instead of a bracket.
    args
        Further arguments: a tuple, or the only one.
    method
        "brent" or "golden" for a bracket, which are the same here, "bounded" for bounds.
    tol
        To which part of itself x is found. By default the square root of what the dtype resolves:
        less can't be told from values.
    options
        `xtol` or `xatol` for `tol`, and `maxiter`.
    maxiter
        How many steps are made at most: 500 by default.

    Raises
    ------
    ValueError
        for both bracket and bounds, or another method than theirs, other numbers of them, bounds
        that are known not to be finite, other options, or what is no scalar.
    TypeError
        for complex numbers.

    Examples
    --------
    >>> from weft_graph import grad
    >>> from weft_tensor import scalar
    >>> a = scalar("a")
    >>> end = minimize_scalar(lambda x: (x - a) ** 2, bounds=(0.0, 5.0))
    >>> [v.eval({a: 2.0}).round(6).item() for v in (end.x, grad(end.x, a))]
    [2.0, 1.0]
    >>> [abs(v.eval({a: 7.0})).item() for v in (end.x, grad(end.x, a))]
    [5.0, 0.0]
    """
    if bracket is not None and bounds is not None:
        raise ValueError(f"minimize_scalar takes a bracket or bounds, not both{called()}")
    methods = ("brent", "golden") if bounds is None else ("bounded",)
    if method is not None and str(method).lower() not in methods:
        expected = "'brent' or 'golden', and 'bounded' for bounds"
        raise ValueError(f"minimize_scalar: method is {expected}, not {method!r}{called()}")
    function = scalar_function(fun, tuple_of(args), "minimize_scalar: fun")
    given = by_options("minimize_scalar", options, _OPTIONS, {"tol": tol, "maxiter": maxiter})
    most, tol = iterations(given["maxiter"], 500), given["tol"]
    places: Sequence[Any]
    if bounds is not None:
        low, high = scalars(bounds, 2, "minimize_scalar: bounds")
        if any(isinstance(v, (int, float)) and not isfinite_number(v) for v in bounds):
            raise ValueError(f"minimize_scalar: bounds are finite, not {bounds}{called()}")
        places, ends = [low + _GOLDEN * (high - low)], (low, high)
    else:
        places, ends = _bracket((0.0, 1.0) if bracket is None else bracket), None
    near = _nearness(tol, places[0])
    triple, end = _searched(function, places, ends, near, most)
    valid = _is_bracket(places, triple) if bounds is None else low <= high
    is_narrow = ~_is_wide(end, near) & isfinite(end.x)

    def slope(x: Any) -> Any:
        return evaluated(lambda v: [grad(function(v), v)], x)[0]

    stationary, x = slope, end.x
    if bounds is not None:
        at_low = (x - low <= 4 * near(low)) & (slope(low) >= 0)
        at_high = (high - x <= 4 * near(high)) & (slope(high) <= 0)
        x = where(at_low, low, where(at_high, high, x))

        def stationary(x: Any) -> Any:  # at a bound, x is what the bound is
            return where(at_low, x - low, where(at_high, x - high, slope(x)))

    x = custom_root(stationary, x, lambda f, v: v, lambda g, y: y / g(ones_like(y)))
    value = function(x)
    success = valid & is_narrow & isfinite(value)
    return ScalarMinimum(x, value, end.nit, end.nit + triple.calls, success)


def _nearness(tol: float | None, like: TensorVariable) -> Function:
    part = resolution(like) ** 0.5 if tol is None else tol
    return lambda x: part * absolute(x) + resolution(like) * 1e-1 + part * 1e-3


def _bracket(bracket: Sequence[Any]) -> Sequence[Any]:
    """The numbers of a bracket."""
    count = len(bracket)
    if count not in (2, 3):
        raise ValueError(f"minimize_scalar: bracket has 2 or 3 numbers, not {count}{called()}")
    return scalars(bracket, count, "minimize_scalar: bracket")


def _is_bracket(places: Sequence[Any], t: _Triple) -> TensorVariable:
    """Whether there is a minimum between the places that were given, or found downhill."""
    if len(places) == 2:
        lower: TensorVariable = t.fc >= t.fb
        return lower & places[0].neq(places[1])
    between = ((t.a < t.b) & (t.b < t.c)) | ((t.c < t.b) & (t.b < t.a))
    return between & (t.fb < t.fa) & (t.fb < t.fc)


def _searched(
    f: Function, places: Sequence[Any], ends: Any, near: Function, most: TensorVariable
) -> tuple[_Triple, _Interval]:
    """Where steps lead from `places`, and between `ends` if they are given.

    Two places are steps downhill, which grow by the golden ratio; then steps narrow an interval.
    Both are one loop, so that `f` is compiled once.
    """
    downhill = len(places) == 2

    def seeks(t: _Triple) -> TensorVariable:
        begins: TensorVariable = t.calls < (3 if downhill else len(places))
        return begins | ((t.fc < t.fb) & (t.calls < 100)) if downhill else begins

    def around(t: _Triple) -> _Interval:
        x, fx = (t.b, t.fb) if ends is None else (t.c, t.fc)
        low, high = (minimum(t.a, t.c), maximum(t.a, t.c)) if ends is None else ends
        return _Interval(low, high, x, x, x, fx, fx, fx, 0 * x, 0 * x, as_tensor(0))

    def goes_on(state: tuple[_Triple, _Interval]) -> TensorVariable:
        t, s = state
        return seeks(t) | (_is_wide(s, near) & (s.nit < most))

    def body(state: tuple[_Triple, _Interval]) -> tuple[_Triple, _Interval]:
        t, s = state
        place = t.c + (t.c - t.b) / (1 - _GOLDEN) if downhill else places[-1]
        for k in range(len(places) if downhill else len(places) - 1):
            place = where(t.calls.eq(k), places[k], place)
        move, before = _move(s, near)
        seeking = seeks(t)
        at = where(seeking, place, s.x + move)
        value = f(at)
        back = t.calls.eq(1) & (t.fc < value) if downhill else as_tensor(False)
        b, fb = where(back, at, t.c), where(back, value, t.fc)
        c, fc = where(back, t.c, at), where(back, t.fc, value)
        later = _Triple(t.b, b, c, t.fb, fb, fc, t.calls + 1)
        narrower = _after(s, at, value, move, before)
        return (
            _Triple(*map(partial(where, seeking), later, t)),
            _Interval(*map(partial(where, seeking), around(later), narrower)),
        )

    none = zeros_like(f(places[0]))
    start = places[0]
    first = _Triple(start, start, start, none, none, none, as_tensor(0))
    end: tuple[_Triple, _Interval] = while_loop(goes_on, body, (first, around(first)))
    return end


def _is_wide(s: _Interval, near: Function) -> TensorVariable:
    """Whether the minimum is not yet known."""
    middle = (s.low + s.high) / 2
    return absolute(s.x - middle) > 2 * near(s.x) - (s.high - s.low) / 2


def _move(s: _Interval, near: Function) -> tuple[Any, Any]:
    """The next move, to the lowest point of a parabola or by a golden cut; and the one before."""
    least, middle = near(s.x), (s.low + s.high) / 2
    r = (s.x - s.w) * (s.fx - s.fv)
    q = (s.x - s.v) * (s.fx - s.fw)
    p = (s.x - s.v) * q - (s.x - s.w) * r
    q = 2 * (q - r)
    p, q = where(q > 0, -p, p), absolute(q)
    parabola = (
        (absolute(s.before) > least)
        & (absolute(p) < absolute(q * s.before) / 2)
        & (p > q * (s.low - s.x))
        & (p < q * (s.high - s.x))
    )
    wide = where(s.x < middle, s.high - s.x, s.low - s.x)
    to_vertex = p / where(parabola, q, 1)
    at = s.x + to_vertex
    at_edge = (at - s.low < 2 * least) | (s.high - at < 2 * least)
    to_vertex = where(at_edge, copysign(least, middle - s.x), to_vertex)
    move = where(parabola, to_vertex, _GOLDEN * wide)
    move = where(absolute(move) >= least, move, copysign(least, move))
    return move, where(parabola, s.move, wide)


def _after(s: _Interval, u: Any, fu: Any, move: Any, before: Any) -> _Interval:
    """The interval and its best three points with one point more."""
    better, right = fu <= s.fx, u >= s.x
    low = where(better, where(right, s.x, s.low), where(right, s.low, u))
    high = where(better, where(right, s.high, s.x), where(right, u, s.high))
    second = (fu <= s.fw) | s.w.eq(s.x)
    third = (fu <= s.fv) | s.v.eq(s.x) | s.v.eq(s.w)

    def ranked(new: Any, x: Any, w: Any, v: Any) -> tuple[Any, Any, Any]:
        return (
            where(better, new, x),
            where(better, x, where(second, new, w)),
            where(better | second, w, where(third, new, v)),
        )

    x, w, v = ranked(u, s.x, s.w, s.v)
    fx, fw, fv = ranked(fu, s.fx, s.fw, s.fv)
    return _Interval(low, high, x, w, v, fx, fw, fv, move, before, s.nit + 1)
