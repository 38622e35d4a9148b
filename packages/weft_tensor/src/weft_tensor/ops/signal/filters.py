"""Linear filters: each result from earlier ones; without feedback, by a convolution."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from weft_graph import Constant
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, eye, zeros, zeros_like
from weft_tensor.ops.creation.diagonals import block_diag
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq, ge, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.matrices.least_squares import lstsq
from weft_tensor.ops.nn.conv import Conv
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.polynomials.polynomials import polydiv, polymul
from weft_tensor.ops.reduction.standard import sum as total
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.rearrange import flip
from weft_tensor.ops.shape.reshape import atleast_1d, expand_dims, reshape
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.signal.linear_filter import LinearFilter
from weft_tensor.types.axes import as_axis
from weft_tensor.types.dtypes import promote

__all__ = ["coefficients", "deconvolve", "extended", "filtfilt", "lfilter", "lfilter_zi", "lfiltic"]

_PADTYPES: Final = ("odd", "even", "constant")


def coefficients(
    b: TensorLike, a: TensorLike, *others: TensorLike
) -> tuple[list[Any], list[Any], list[TensorVariable]]:
    """The coefficients divided by `a[0]`, as many of both, and the others in the same dtype.

    Numbers are vectors of one. Raises ValueError for other ranks, and lengths that are not known
    or zero.

    >>> ahead, behind, _ = coefficients([2.0], [2.0, 1.0])
    >>> [c.eval().item() for c in (*ahead, *behind)]
    [1.0, 0.0, 1.0, 0.5]
    """
    tensors = as_tensors((b, a, *others))
    dtype = promote([v.dtype for v in tensors])
    dtype = dtype if dtype[0] in "fc" else "float64"
    forward, back, *rest = (v.astype(dtype) for v in tensors)
    forward, back = atleast_1d(forward, back)
    for name, v in (("b", forward), ("a", back)):
        if v.ndim != 1 or not isinstance(v.type.shape[0], int) or not v.type.shape[0]:
            raise ValueError(
                f"lfilter takes vectors of known lengths above zero, and {name} is {v!r}: give it "
                f"one with specify_shape{called()}"
            )
    if isinstance(tensors[1].op, Constant) and not np.ravel(tensors[1].op.value)[0]:
        raise ValueError(f"lfilter divides by a[0], and that is 0{called()}")
    ahead = [forward[k] / back[0] for k in range(_length(forward))]
    behind = [back[k] / back[0] for k in range(_length(back))]
    nothing = as_tensor(0.0).astype(dtype)
    order = max(len(ahead), len(behind))
    filled = [row + [nothing] * (order - len(row)) for row in (ahead, behind)]
    return filled[0], filled[1], rest


def lfilter(
    b: TensorLike, a: TensorLike, x: TensorLike, axis: int = -1, zi: TensorLike | None = None
) -> Any:
    """Filter `x` along an axis by the rational transfer function b / a. See `scipy.signal.lfilter`.

    With an `a` of one element it is a convolution, else `LinearFilter`.

    Parameters
    ----------
    b, a
        Vectors of known lengths: the factors of earlier elements of `x`, and of earlier results.
        All are divided by `a[0]`.
    x
        Numbers.
    axis
        Along which axis.
    zi
        The state before the first element, one less than the longer of `a` and `b` has elements
        along the axis; without it, zeros.

    Returns
    -------
    The results, of the shape of `x`; and the last state, if `zi` is there.

    Raises
    ------
    ValueError
        for `b` and `a` that are no vectors of known lengths, and for states of another shape.

    Examples
    --------
    >>> lfilter([1.0], [1.0, -0.5], [1.0, 0.0, 0.0]).eval()
    array([1.  , 0.5 , 0.25])
    """
    ahead, behind, start_values = coefficients(b, a, x, *([] if zi is None else [zi]))
    values, *state = start_values
    along = as_axis(axis, values.ndim)
    if state and state[0].ndim != values.ndim:
        raise ValueError(f"lfilter: zi has the axes of x, {values!r}, not {state[0]!r}{called()}")
    order = len(ahead) - 1
    lengths = [order if k == along else None for k in range(values.ndim)]
    state = [specify_shape(v, lengths) for v in state]
    if _length(atleast_1d(as_tensor(a))) == 1:
        rows = moveaxis(values, along, -1)
        whole = _moving(stack(ahead), rows, bool(state))
        if not state:
            return moveaxis(whole, -1, along)
        state_last, n = moveaxis(state[0], along, -1), lengths_of(rows)[-1]
        whole = concatenate(
            [
                index(whole, (..., slice(None, order))) + state_last,
                index(whole, (..., slice(order, None))),
            ],
            -1,
        )
        parts = index(whole, (..., slice(None, n))), index(whole, (..., slice(n, None)))
        return tuple(moveaxis(part, -1, along) for part in parts)
    rows = moveaxis(values, along, -1)
    b_row, a_row = stack(ahead), stack(behind)
    if not state:
        start = zeros((*lengths_of(rows)[:-1], order), values.dtype)
        return moveaxis(LinearFilter()(b_row, a_row, rows, start), -1, along)
    start = moveaxis(state[0], along, -1)
    result = LinearFilter()(b_row, a_row, rows, start)
    return moveaxis(result, -1, along), moveaxis(
        _left(b_row, a_row, rows, start, result), -1, along
    )


def _left(b: Any, a: Any, x: Any, state: Any, y: Any) -> TensorVariable:
    """The state after all elements: what the last ones add to results that would follow."""
    order = _length(b) - 1
    i, k = np.ogrid[:order, :order]
    is_later, factors = i >= k, order + k - np.maximum(i, k)
    products = [
        expand_dims(_last(v, order), -1) * index(row, (factors,)) for row, v in ((b, x), (a, y))
    ]
    left = total(where(is_later, products[0] - products[1], 0), -2)
    used = minimum(lengths_of(x)[-1], order)
    unread = concatenate([state, zeros_like(state)], -1)
    return left + index(unread, (..., slice(used, used + order)))


def _last(v: TensorVariable, count: int) -> TensorVariable:
    """So many elements along the last axis, zeros first if there are fewer."""
    *lanes, n = lengths_of(v)
    there = minimum(n, count)
    before = zeros((*lanes, count - there), v.dtype)
    return concatenate([before, index(v, (..., slice(n - there, None)))], -1)


def _moving(b: TensorVariable, rows: TensorVariable, has_end: bool) -> TensorVariable:
    """Sums of so many earlier elements along the last axis, and with an end, those that follow."""
    (*lanes, n), m = lengths_of(rows), _length(b)
    flat = reshape(rows, (prod(lanes, start=as_tensor(1)), 1, n))
    kernel = reshape(flip(b), (1, 1, m))
    count: Any = n + (m - 1) if has_end else n
    sums = Conv((1,), (1,), (1,))(flat, kernel, as_tensor(1 - m), count)
    return reshape(sums, (*lanes, count))


def _length(v: TensorVariable) -> int:
    n: Any = v.type.shape[0]
    return n if isinstance(n, int) else 0


def lfilter_zi(b: TensorLike, a: TensorLike) -> TensorVariable:
    """The state of a filter that has seen ones for ever. See `scipy.signal.lfilter_zi`.

    Raises ValueError as `lfilter` does.

    >>> lfilter_zi([1.0], [1.0, -0.5]).eval()
    array([1.])
    """
    ahead, behind, _ = coefficients(b, a)
    if len(ahead) == 1:
        return zeros((0,), ahead[0].dtype)
    level = sum(ahead[1:], ahead[0]) / sum(behind[1:], behind[0])
    state, after = [], as_tensor(0.0).astype(ahead[0].dtype)
    for p, q in zip(ahead[:0:-1], behind[:0:-1], strict=True):
        after = after + p - q * level
        state.append(after)
    return stack(state[::-1])


def lfiltic(
    b: TensorLike, a: TensorLike, y: TensorLike, x: TensorLike | None = None
) -> TensorVariable:
    """The state of a filter after results `y` and values `x`, the last first.

    See `scipy.signal.lfiltic`. ValueError as for `lfilter`, and for `x` and `y` that are no
    vectors of known lengths.

    >>> lfiltic([1.0], [1.0, -0.5], [4.0]).eval()
    array([2.])
    """
    ahead, behind, past = coefficients(b, a, *([y] if x is None else [y, x]))
    for v in past:
        if v.ndim != 1 or not isinstance(v.type.shape[0], int):
            raise ValueError(f"lfiltic takes vectors of known lengths, not {v!r}{called()}")
    order = len(ahead) - 1
    state: list[Any] = [as_tensor(0.0).astype(ahead[0].dtype)] * order
    for sign, row, v in zip((-1, 1), (behind, ahead), past, strict=False):
        for k in range(order):
            for j in range(min(order - k, _length(v))):
                state[k] = state[k] + sign * row[k + 1 + j] * v[j]
    return stack(state) if state else zeros((0,), ahead[0].dtype)


def extended(
    x: TensorLike, axis: int, padtype: str | None, padlen: int | None, usual: int
) -> tuple[TensorVariable, int]:
    """`x` with its extension along the last axis, where `axis` is then, and how long that is.

    Raises ValueError for another `padtype`, and for an `x` that is not longer than `padlen`.

    >>> extended([1.0, 2.0, 4.0], -1, "odd", 1, 3)[0].eval()
    array([0., 1., 2., 4., 6.])
    """
    v = as_floating(x)
    rows = moveaxis(v, as_axis(axis, v.ndim), -1)
    if padtype is not None and padtype not in _PADTYPES:
        raise ValueError(
            f"Unknown value '{padtype}' given to padtype. padtype must be 'even', 'odd', "
            f"'constant', or None{called()}"
        )
    edge = 0 if padtype is None else usual if padlen is None else padlen
    n = lengths_of(rows)[-1]
    length = static_length(n)
    message = "The length of the input vector x must be greater than padlen, which is"
    if isinstance(length, int) and length <= edge:
        raise ValueError(f"{message} {edge}: {v!r}{called()}")
    if not isinstance(length, int):
        rows = check_and_raise(rows, ge(n, edge + 1), ValueError, f"{message} {edge}")
    if padtype is None or not edge:
        return rows, 0
    last: Any = n - 1
    places = arange(n + 2 * edge) - edge
    ends = clip(places, 0, last)
    if padtype == "constant":
        return index(rows, (..., ends)), edge
    mirrored = index(rows, (..., last - absolute(last - absolute(places))))
    if padtype == "even":
        return mirrored, edge
    return where(eq(places, ends), mirrored, 2 * index(rows, (..., ends)) - mirrored), edge


def filtfilt(
    b: TensorLike,
    a: TensorLike,
    x: TensorLike,
    axis: int = -1,
    padtype: str | None = "odd",
    padlen: int | None = None,
    method: str = "pad",
    irlen: int | None = None,
) -> TensorVariable:
    """Filter forward and then backward, so that nothing is delayed. See `scipy.signal.filtfilt`.

    Parameters
    ----------
    b, a, x, axis
        As for `lfilter`.
    padtype
        How `x` goes on beyond its ends: "odd", "even", "constant"; None for not at all.
    padlen
        For how many elements; three times as many as the filter has by default.
    method
        "pad", or "gust": `x` does not go on, and the states before both passes are those with which
        their order makes the least difference: F. Gustafsson, Determining the initial states in
        forward-backward filtering, 1996.
    irlen
        With "gust", after how many elements an impulse has died down: only so many at both ends
        count, if these are less than half. The length of `x` is known then.

    Raises
    ------
    ValueError
        as for `lfilter`, for another method or padtype, for an `x` that is not longer than
        padlen, and for an `irlen` where the length of `x` is not known.

    Examples
    --------
    >>> filtfilt([0.5, 0.5], [1.0], [1.0, 1.0, 1.0, 1.0], padlen=2).eval()
    array([1., 1., 1., 1.])
    """
    if method == "gust":
        v = as_floating(x)
        rows = moveaxis(v, as_axis(axis, v.ndim), -1)
        return moveaxis(_least_different(b, a, rows, irlen), -1, axis)
    if method != "pad":
        raise ValueError(f"filtfilt: method is 'pad' or 'gust', not {method!r}{called()}")
    taps = len(coefficients(b, a)[0])
    rows, edge = extended(x, axis, padtype, padlen, 3 * taps)
    state = lfilter_zi(b, a)
    for _ in range(2):
        first = index(rows, (..., slice(None, 1)))
        rows, _ = lfilter(b, a, rows, -1, state * first)
        rows = index(rows, (..., slice(None, None, -1)))
    n = lengths_of(rows)[-1]
    return moveaxis(index(rows, (..., slice(edge, n - edge))), -1, axis)


def _least_different(
    b: TensorLike, a: TensorLike, x: TensorVariable, irlen: int | None
) -> TensorVariable:
    """Filtered both ways, from the states for which the order of the ways counts least.

    What a state adds to results is a row for each of its elements: of the first pass alone, and of
    both. The differences of both orders, and these rows, are linear in the two states.
    """
    ahead, _, (rows, *_) = coefficients(b, a, x)
    order, n = len(ahead) - 1, lengths_of(rows)[-1]
    if not order:
        return rows * ahead[0] ** 2
    length = static_length(n)
    if irlen is not None and not isinstance(length, int):
        raise ValueError(f"filtfilt: with irlen the length of x must be known: {x!r}{called()}")
    ends_alone = irlen is not None and isinstance(length, int) and 2 * irlen < length
    m: Any = irlen if ends_alone else n

    def there(v: TensorVariable) -> TensorVariable:
        passed: TensorVariable = lfilter(b, a, v)
        return passed

    def back(v: TensorVariable) -> TensorVariable:
        return index(v, (..., slice(None, None, -1)))

    once, _ = lfilter(b, a, zeros((order, m), rows.dtype), -1, eye(order, dtype=rows.dtype))
    twice = there(back(once))
    result = back(there(back(there(rows))))
    gap = there(back(there(back(rows)))) - result
    join = block_diag if ends_alone else _on_top
    if ends_alone:
        gap = concatenate([gap[..., :m], gap[..., n - m :]], -1)
    differences = join(back(twice) - once, back(once) - twice)
    flat = reshape(gap, (-1, lengths_of(gap)[-1]))
    states = lstsq(differences.mT, flat.mT)[0].mT
    added = reshape(matmul(states, join(back(twice), back(once))), lengths_of(gap))
    if not ends_alone:
        return result + added
    middle = zeros((*lengths_of(rows)[:-1], n - 2 * m), rows.dtype)
    return result + concatenate([added[..., :m], middle, added[..., m:]], -1)


def _on_top(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    return concatenate([x, y], 0)


def deconvolve(signal: TensorLike, divisor: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """The quotient, and what is left of a signal that `divisor` was convolved with.

    Division of polynomials: where the signal is shorter, nothing and the signal. See
    `scipy.signal.deconvolve`. Raises ValueError for what are no vectors.

    >>> [v.eval() for v in deconvolve([2.0, 5.0, 3.0], [1.0, 1.0])]
    [array([2., 3.]), array([0., 0., 0.])]
    """
    x, y = as_floating(signal), as_floating(divisor)
    if (x.ndim, y.ndim) != (1, 1):
        raise ValueError(f"deconvolve takes vectors, not {x!r} and {y!r}{called()}")
    spare = maximum(lengths_of(x)[0] - lengths_of(y)[0] + 1, 0)
    quotient = index(polydiv(x, y)[0], slice(0, spare))
    again = polymul(concatenate([quotient, zeros(1, x.dtype)]), y)
    return quotient, x - index(again, slice(0, lengths_of(x)[0]))
