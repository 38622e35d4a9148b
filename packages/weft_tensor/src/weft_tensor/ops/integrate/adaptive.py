"""Integrals of functions by intervals that are halved where the error is largest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import inf
from typing import Any, Final

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, as_tensors, constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isfinite, where
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.curve import beside
from weft_tensor.ops.optimize.problem import tuple_of
from weft_tensor.ops.reduction.standard import max, sum
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.types.dtypes import promote

__all__ = ["gauss_kronrod", "infinity", "quad", "quad_vec"]

Norm = Callable[[TensorVariable], TensorVariable]
"""How large tensors along a first axis are."""


def _flat(v: TensorVariable) -> TensorVariable:
    return reshape(abs(v), (lengths_of(v)[0], -1))


_NORMS: Final[dict[str, Norm]] = {
    "2": lambda v: sqrt(sum(_flat(v) ** 2, -1)),
    "max": lambda v: max(_flat(v), -1, initial=0.0),
}
_HALVES: Final = {
    21: (
        (0.995657163025808080735527280689003, 0.011694638867371874278064396062192),
        (0.973906528517171720077964012084452, 0.032558162307964727478818972459390),
        (0.930157491355708226001207180059508, 0.054755896574351996031381300244580),
        (0.865063366688984510732096688423493, 0.075039674810919952767043140916190),
        (0.780817726586416897063717578345042, 0.093125454583697605535065465083366),
        (0.679409568299024406234327365114874, 0.109387158802297641899210590325805),
        (0.562757134668604683339000099272694, 0.123491976262065851077958109585166),
        (0.433395394129247190799265943165784, 0.134709217311473325928054001771707),
        (0.294392862701460198131126603103866, 0.142775938577060080797094273138717),
        (0.148874338981631210884826001129720, 0.147739104901338491374841515972068),
    ),
    15: (
        (0.991455371120812639206854697526329, 0.022935322010529224963732008058970),
        (0.949107912342758524526189684047851, 0.063092092629978553290700663189204),
        (0.864864423359769072789712788640926, 0.104790010322250183839876322541518),
        (0.741531185599394439863864773280788, 0.140653259715525918745189590510238),
        (0.586087235467691130294144838258730, 0.169004726639267902826583426598550),
        (0.405845151377397166906606412076961, 0.190350578064785409913256402421014),
        (0.207784955007898467600689403773245, 0.204432940075298892414161999234649),
    ),
}
_MIDDLES: Final = {
    21: 0.149445554002916905664936468389821,
    15: 0.209482141084727828012999174891714,
}
"""Places and weights of the rules of 21 and 15 points by A. S. Kronrod, with Gauss's 10 and 7."""


def gauss_kronrod(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places from 0 to 1, their weights, and those of Gauss's rule, for 21 or 15 places.

    >>> [round(float(v @ gauss_kronrod(15)[0] ** 5), 9) for v in gauss_kronrod(15)[1:]]
    [0.166666667, 0.166666667]
    """
    places, weights = np.array(_HALVES[count]).T
    half = len(places)
    known = np.polynomial.legendre.leggauss(half)[1]
    outer = np.zeros(half)
    outer[1::2] = known[: half // 2]
    middle = known[half // 2] if half % 2 else 0.0
    return (
        (1 + np.concatenate([-places, [0.0], places[::-1]])) / 2,
        np.concatenate([weights, [_MIDDLES[count]], weights[::-1]]) / 2,
        np.concatenate([outer, [middle], outer[::-1]]) / 2,
    )


def quad(
    func: Callable[..., Any],
    a: TensorLike,
    b: TensorLike,
    args: Any = (),
    *,
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
    limit: int = 50,
    points: Sequence[TensorLike] | None = None,
) -> tuple[TensorVariable, TensorVariable]:
    """The integral of `func(x, *args)` from `a` to `b`, and an estimate of its error.

    The interval with the largest error is halved until the sum of all errors is small, or there
    are `limit` intervals. Derivatives in both modes, by the limits and by all that `func` uses, are
    those of the rule on these intervals, which the values choose: slopes that are less smooth, as
    log(x) / x**a is next to 1 / x**a far out, may be right to 3 digits; `tanhsinh` has more. See
    `scipy.integrate.quad`, which extrapolates besides: where the function is infinite at an end,
    give it more intervals.

    Parameters
    ----------
    func
        Takes a scalar, and `args`, and returns a scalar. It is never called at an end.
    a, b
        Real scalars; a limit that is infinite is a number, not a variable.
    args
        Further arguments: a tuple, or the only one.
    epsabs, epsrel
        Which error is small: in itself, or in parts of the integral.
    limit
        How many intervals there are at most; with `points`, between two of these.
    points
        Places between finite `a` and `b`, which rise, where the function is not smooth.

    Raises
    ------
    ValueError
        for limits and values that are no scalars, and for a `limit` below 1.
    TypeError
        for complex limits.

    Examples
    --------
    >>> from weft_graph import grad
    >>> from weft_tensor import exp, scalar
    >>> rate = scalar("rate")
    >>> area, _ = quad(lambda x: exp(-rate * x * x), 0.0, float("inf"))
    >>> [v.eval({rate: 2.0}).round(6).item() for v in (area, grad(area, rate))]
    [0.626657, -0.156664]
    """

    def of_number(x: TensorVariable, *more: Any) -> TensorVariable:
        value = as_tensor(func(x, *more))
        if value.ndim:
            raise ValueError(f"quad: func returns a scalar, not {value!r}: see quad_vec{called()}")
        return value

    ends, more, small = [a, *(points or ()), b], tuple_of(args), (epsabs, epsrel, limit)
    parts = [_integral("quad", of_number, pair, more, abs, small) for pair in pairwise(ends)]
    value, error = parts[0]
    for next_value, next_error in parts[1:]:
        value, error = value + next_value, error + next_error
    return value, error


def quad_vec(
    f: Callable[..., Any],
    a: TensorLike,
    b: TensorLike,
    epsabs: float = 1e-200,
    epsrel: float = 1e-8,
    norm: str = "2",
    *,
    limit: int = 50,
    args: Any = (),
) -> tuple[TensorVariable, TensorVariable]:
    """The integral of `f(x, *args)`, a tensor, from `a` to `b`, and an estimate of its error.

    All elements have one set of intervals. As `quad` otherwise; see `scipy.integrate.quad_vec`.

    Parameters
    ----------
    f
        Takes a scalar, and `args`, and returns a tensor of real or complex numbers.
    a, b, args, epsabs, epsrel, limit
        As for `quad`.
    norm
        How large a tensor of errors is: "2", the root of the sum of squares, or "max".

    Raises
    ------
    ValueError, TypeError
        as `quad`, and for another norm.

    Examples
    --------
    >>> from weft_tensor import exp, stack
    >>> area, error = quad_vec(lambda x: stack([exp(-x), x * exp(-x)]), 0.0, float("inf"))
    >>> area.eval().round(6)
    array([1., 1.])
    """
    one_of("quad_vec", "norm", norm, tuple(_NORMS))
    return _integral("quad_vec", f, (a, b), tuple_of(args), _NORMS[norm], (epsabs, epsrel, limit))


def _integral(
    name: str,
    func: Callable[..., Any],
    limits: Sequence[TensorLike],
    more: tuple[Any, ...],
    norm: Norm,
    until: tuple[float, float, int],
) -> tuple[TensorVariable, TensorVariable]:
    if until[-1] < 1:
        raise ValueError(f"{name}: limit must be 1 or more, not {until[-1]}{called()}")
    ends = as_tensors(limits)
    kind = promote([v.dtype for v in ends])
    kind = kind if kind.startswith(("float", "complex")) else "float64"
    if kind.startswith("complex"):
        raise TypeError(f"{name}: a and b must be real, not {ends[0]!r} and {ends[1]!r}{called()}")
    if any(v.ndim for v in ends):
        raise ValueError(f"{name}: a and b must be scalars: see `vmap`, not {ends}{called()}")
    of_many = lazy_import("weft_tensor.batching.functions.vmap")(lambda x: func(x, *more))
    inner = _on_unit(of_many, [v.astype(kind) for v in ends], [infinity(v) for v in limits])
    begins, widths, error = _intervals(inner, kind, norm, *until)
    places, weights, _ = (constant(v.astype(kind)) for v in gauss_kronrod(21))
    at = begins.expand_dims(-1) + widths.expand_dims(-1) * places
    shares = widths.expand_dims(-1) * weights
    used = shares > 0
    values = _values(inner, where(used, at, 0.5).astype(kind))
    rank = values.ndim - 2
    return sum(where(beside(used, rank), values * beside(shares, rank), 0.0), (0, 1)), error


def infinity(end: TensorLike) -> float:
    """That which the limit is, or 0.

    >>> infinity(-inf), infinity(2.0)
    (-inf, 0.0)
    """
    limit = float(end) if isinstance(end, (int, float, np.integer, np.floating)) else 0.0
    return limit if abs(limit) == inf else 0.0


def _on_unit(
    f: Callable[[Any], Any], ends: Sequence[TensorVariable], infinities: Sequence[float]
) -> Callable[[TensorVariable], TensorVariable]:
    """The function of numbers from 0 to 1 that has the same integral."""
    (a, b), (low, high) = ends, infinities
    if not low and not high:
        return lambda t: f(a + (b - a) * t) * (b - a)
    if low == high:
        return lambda t: _times(f(t), 0 * t)
    sign = -1.0 if low > 0 or high < 0 else 1.0
    if low and high:
        return lambda t: _times(f((1 - t) / t) + f((t - 1) / t), sign / (t * t))
    end, way = (b, low) if low else (a, high)
    turn = 1.0 if way > 0 else -1.0
    return lambda t: _times(f(end + turn * (1 - t) / t), sign / (t * t))


def _times(values: TensorVariable, factors: TensorVariable) -> TensorVariable:
    """The values along the first axis, times a factor each."""
    return values * beside(factors, values.ndim - factors.ndim)


def _values(f: Callable[[Any], Any], at: TensorVariable) -> TensorVariable:
    """Those of a function of vectors, at places in rows."""
    values = f(reshape(at, (-1,)))
    return reshape(values, (*lengths_of(at), *lengths_of(values)[1:]))


def _estimates(
    f: Callable[[Any], Any], begins: TensorVariable, width: TensorVariable, norm: Norm
) -> tuple[TensorVariable, TensorVariable]:
    """The integrals over intervals of one width, and their errors, as QUADPACK estimates them."""
    kind = begins.dtype
    places, weights, fewer = (constant(v.astype(kind)) for v in gauss_kronrod(21))
    values = _values(f, begins.expand_dims(-1) + width * places)
    values = values.astype(promote([values.dtype, kind]) if values.is_complex else kind)
    weights, fewer = (beside(v, values.ndim - 2) for v in (weights, fewer))
    means = sum(values * weights, 1)
    apart = norm(width * sum(values * (weights - fewer), 1))
    spread = norm(width * sum(abs(values - means.expand_dims(1)) * weights, 1))
    none = eq(spread, 0)
    share = minimum((200 * apart / where(none, 1.0, spread)) ** 1.5, 1.0)
    return width * means, where(none, apart, spread * share).astype(kind)


def _intervals(
    f: Callable[[Any], Any], kind: str, norm: Norm, epsabs: float, epsrel: float, limit: int
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """Where intervals begin, how wide they are, and the sum of their errors."""
    one = constant(1.0, kind)
    area, error = _estimates(f, zeros((1,), dtype=kind), one, norm)
    start = zeros((limit,), dtype=kind)
    areas = zeros((limit, *lengths_of(area)[1:]), dtype=area.dtype)
    first = [_put(v, 0, w) for v, w in ((start, one), (areas, area[0]), (start, error[0]))]
    smallest = 50 * float(np.finfo(kind).eps)

    def size(v: TensorVariable) -> TensorVariable:
        return norm(v.expand_dims(0))[0]

    def is_open(state: Sequence[TensorVariable]) -> TensorVariable:
        count, _, _, areas, errors = state
        allowed = maximum(epsrel * size(sum(areas, 0)), smallest * size(sum(abs(areas), 0)))
        total = sum(errors)
        return (count < limit) & (total > maximum(allowed, epsabs)) & isfinite(total)

    def halve(state: Sequence[TensorVariable]) -> tuple[TensorVariable, ...]:
        count, begins, widths, areas, errors = state
        worst = argmax(errors)
        half = index(widths, worst) / 2
        begin = index(begins, worst)
        both = stack([begin, begin + half])
        area, error = _estimates(f, both, half, norm)
        rows = ((begins, both), (widths, stack([half, half])), (areas, area), (errors, error))
        return count + 1, *(_put(_put(v, worst, w[0]), count, w[1]) for v, w in rows)

    state = while_loop(is_open, halve, (constant(1), start, *first))
    _, begins, widths, _, errors = (stop_gradient(v) for v in state)
    return begins, widths, sum(errors)


def _put(x: TensorVariable, place: Any, value: TensorVariable) -> TensorVariable:
    """`x` with a value at a place."""
    return x[place].set(value)
