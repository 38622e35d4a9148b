"""Integrals of what is sampled."""

from __future__ import annotations

from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, zeros_like
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.statistics.differences import diff
from weft_tensor.types.axes import as_axis

__all__ = ["cumulative_simpson", "cumulative_trapezoid", "newton_cotes", "romb", "simpson"]


def simpson(
    y: TensorLike, x: TensorLike | None = None, *, dx: TensorLike = 1.0, axis: int = -1
) -> TensorVariable:
    """The area under parabolas through each three neighbours of `y`, by Simpson's rule.

    For an even number of elements, the last parabola is taken for the last interval alone; two
    are joined by a line. See `scipy.integrate.simpson`.

    Parameters
    ----------
    y
        Values of a function.
    x
        Where they are: a vector, or of the shape of `y`. By default at distances `dx`.
    dx
        A scalar.
    axis
        Along which axis.

    Raises
    ------
    ValueError
        for `x` of another rank, or `dx` that is no scalar; at a call for other lengths.

    Examples
    --------
    >>> simpson([0.0, 1.0, 4.0, 9.0, 16.0]).eval().round(6).item()
    21.333333
    >>> simpson([0.0, 1.0, 9.0, 16.0], x=[0.0, 1.0, 3.0, 4.0]).eval().round(6).item()
    21.333333
    """
    values, widths = _values_and_widths(y, x, dx, axis, "simpson")
    count = lengths_of(values)[-1]
    odd = count - 1 + count % 2
    paired = index(values, (..., slice(None, odd)))
    first, middle, last = (
        index(paired, (..., slice(*part))) for part in ((0, -2, 2), (1, -1, 2), (2, None, 2))
    )
    before = after = widths
    if widths.ndim:
        gaps = index(widths, (..., slice(None, odd - 1)))
        before, after = (index(gaps, (..., slice(k, None, 2))) for k in (0, 1))
    both = before + after
    parabolas = both * (
        (2 - quotient(after, before)) * first
        + quotient(both * both, before * after) * middle
        + (2 - quotient(before, after)) * last
    )
    total = sum(parabolas, -1) / 6
    return total + where((count % 2).eq(0), _last_interval(values, widths, count), 0)


def cumulative_trapezoid(
    y: TensorLike,
    x: TensorLike | None = None,
    dx: TensorLike = 1.0,
    axis: int = -1,
    initial: float | None = None,
) -> TensorVariable:
    """The areas under `y`, joined by lines, from the first element to each other.

    See `scipy.integrate.cumulative_trapezoid`.

    Parameters
    ----------
    y
        Values of a function.
    x
        Where they are: a vector, or of the shape of `y`. By default at distances `dx`.
    dx
        A scalar.
    axis
        Along which axis.
    initial
        0 to begin with a zero, for the first element: the result is then of the shape of `y`.

    Raises
    ------
    ValueError
        for `x` of another rank, `dx` that is no scalar, or another `initial`.

    Examples
    --------
    >>> cumulative_trapezoid([1.0, 2.0, 3.0], initial=0).eval()
    array([0. , 1.5, 4. ])
    """
    if initial is not None and initial != 0:
        raise ValueError(f"cumulative_trapezoid: initial is None or 0, not {initial!r}{called()}")
    values, widths = _values_and_widths(y, x, dx, axis, "cumulative_trapezoid")
    later, sooner = (index(values, (..., part)) for part in (slice(1, None), slice(None, -1)))
    areas = cumsum(widths * (later + sooner) / 2.0, -1)
    if initial is not None:
        start = zeros_like(index(values, (..., slice(0, 1)))).astype(areas.dtype)
        areas = concatenate([start, areas], -1)
    return moveaxis(areas, -1, axis)


def cumulative_simpson(
    y: TensorLike,
    *,
    x: TensorLike | None = None,
    dx: TensorLike = 1.0,
    axis: int = -1,
    initial: TensorLike | None = None,
) -> TensorVariable:
    """The areas up to each element of `y` under parabolas through three neighbours.

    Two are joined by a line. `x`, `dx` and `axis` are as for `simpson`; `initial` comes first, and
    is added to all. See `scipy.integrate.cumulative_simpson`. Raises ValueError as `simpson` does.

    >>> cumulative_simpson([0.0, 1.0, 4.0, 9.0], initial=0).eval().round(6)
    array([0.      , 0.333333, 2.666667, 9.      ])
    """
    values, widths = _values_and_widths(y, x, dx, axis, "cumulative_simpson")
    later, sooner = (index(values, (..., part)) for part in (slice(1, None), slice(None, -1)))
    lines = widths * (later + sooner) / 2.0
    backward = (..., slice(None, None, -1))
    forth = _first_parts(values, widths)
    turned = index(widths, backward) if widths.ndim else widths
    back = index(_first_parts(index(values, backward), turned), backward)
    forth = concatenate([forth, index(lines, (..., slice(-1, None)))], -1)
    back = concatenate([index(lines, (..., slice(0, 1))), back], -1)
    n = lengths_of(values)[-1]
    k = arange(n - 1)
    parts = where(n < 3, lines, where(eq(k % 2, 0) & (k < n - 2), forth, back))
    areas = cumsum(parts.astype(values.dtype), -1)
    if initial is not None:
        begin = as_tensor(initial).astype(areas.dtype)
        begin = moveaxis(begin, axis, -1) if begin.ndim else begin
        areas = areas + begin
        zero = zeros_like(index(values, (..., slice(0, 1)))).astype(areas.dtype)
        areas = concatenate([zero + begin, areas], -1)
    return moveaxis(areas, -1, axis)


def _first_parts(values: TensorVariable, widths: TensorVariable) -> TensorVariable:
    """The areas between the first two of each three neighbours, under the parabola through them.

    Of K. V. Cartwright, Simpson's rule cumulative integration with MS Excel, 2017.
    """
    first, middle, last = (
        index(values, (..., part)) for part in (slice(None, -2), slice(1, -1), slice(2, None))
    )
    if not widths.ndim:
        return widths / 3 * (1.25 * first + 2 * middle - 0.25 * last)
    before, after = (index(widths, (..., part)) for part in (slice(None, -1), slice(1, None)))
    share = quotient(before, before + after)
    bend = share * quotient(before, after)
    whole = (3 - share) * first + (3 + bend + share) * middle - bend * last
    return before / 6 * whole


def romb(y: TensorLike, dx: TensorLike = 1.0, axis: int = -1) -> TensorVariable:
    """The area under 2**k + 1 values at equal distances, by Romberg's extrapolation.

    See `scipy.integrate.romb`. Raises ValueError for another number of values, or one that is not
    known before.

    >>> romb([0.0, 1.0, 4.0, 9.0, 16.0]).eval().round(6).item()
    21.333333
    """
    values = as_tensor(y)
    values = moveaxis(values, as_axis(axis, values.ndim), -1)
    values = values if values.type.differentiable else values.astype("float64")
    n = values.type.shape[-1]
    if not isinstance(n, int) or n < 2 or (n - 1) & (n - 2):
        raise ValueError(f"romb takes 2**k + 1 values, a number known before, not {n}{called()}")
    step: Any = (n - 1) * as_tensor(dx).astype(values.real.dtype)
    row = [step * (values[..., 0] + values[..., -1]) / 2]
    gap = n - 1
    while gap > 1:
        gap, step = gap // 2, step / 2
        between = sum(values[..., gap : -1 : 2 * gap], -1)
        new = [row[0] / 2 + step * between]
        for k, old in enumerate(row):
            new.append(new[-1] + (new[-1] - old) / (4 ** (k + 1) - 1))
        row = new
    return row[-1]


def newton_cotes(rn: Any, equal: int = 0) -> tuple[TensorVariable, float]:
    """The weights of a rule through rn + 1 values, or at places `rn`, and its error's factor.

    Constants: `rn` has no variables. See `scipy.integrate.newton_cotes`.

    >>> newton_cotes(2)[0].eval().round(6)
    array([0.333333, 1.333333, 0.333333])
    """
    weights, factor = lazy_import("scipy.integrate.newton_cotes")(rn, equal)
    return constant(weights), float(factor)


def _values_and_widths(
    y: TensorLike, x: TensorLike | None, dx: TensorLike, axis: int, name: str
) -> tuple[TensorVariable, TensorVariable]:
    """The values along the last axis, and the distances between them, or a scalar for all."""
    values = as_tensor(y)
    along = as_axis(axis, values.ndim)
    if values.dtype[0] in "bui":
        values = values.astype("float64")
    if x is None:
        step = as_tensor(dx).astype(values.real.dtype) if _is_number(dx) else as_tensor(dx)
        if step.ndim:
            raise ValueError(f"{name}: dx must be a scalar, not {step!r}{called()}")
        return moveaxis(values, along, -1), step
    places = as_tensor(x)
    if places.ndim not in (1, values.ndim):
        raise ValueError(f"{name}: x must be a vector or of y's rank, not {places!r}{called()}")
    shape = lengths_of(values)
    places = specify_shape(places, shape if places.ndim == values.ndim else (shape[along],))
    widths = diff(places if places.ndim == 1 else moveaxis(places, along, -1))
    return moveaxis(values, along, -1), widths


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _last_interval(
    values: TensorVariable, widths: TensorVariable, count: TensorVariable
) -> TensorVariable:
    """The area from the last but one to the last, under the parabola through the last three."""
    last, middle, first = (_from_behind(values, k) for k in (1, 2, 3))
    h, before = widths, widths
    if widths.ndim:
        h, before = (_from_behind(widths, k) for k in (1, 2))
    both = 6 * (h + before)
    parabola = (
        quotient(h * (2 * h + 3 * before), both) * last
        + quotient(h * (h + 3 * before), 6 * before) * middle
        - quotient(h**3, before * both) * first
    )
    return where(count < 3, h * (last + middle) / 2, parabola)


def _from_behind(x: TensorVariable, k: int) -> TensorVariable:
    """The k-th element from behind; 0 if there are fewer."""
    return sum(index(x, (..., slice(-k, 1 - k or None))), -1)
