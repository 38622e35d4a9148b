"""Sums, extremes and deviations of windows, by joining windows half as long."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

from weft_graph import custom_pullback, pushforward
from weft_tensor.build.op import Cotangents, Tensors
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.padding import pad

__all__ = ["Deviations", "deviations_of_windows", "extremes_of_windows", "sums_of_windows"]

Combine = Callable[[TensorVariable, TensorVariable], TensorVariable]
State = Sequence[Any]
"""What is computed of windows; None is 0 for all of them."""
Join = Callable[[State, State, int, int], State]
"""That of windows, and of those beside them: so many neighbours, and so many."""


@dataclass(frozen=True)
class _Held:
    """A function with its first arguments, equal to others of the same ones."""

    function: Callable[..., Any]
    first: tuple[int, ...]

    def __call__(self, inputs: Tensors, outputs: Tensors, moves: Any) -> Any:
        return self.function(*self.first, inputs, outputs, moves)


def sums_of_windows(x: TensorVariable, axis: int, size: int) -> TensorVariable:
    """The sums of `size` neighbours along an axis, in about two times log2(size) steps.

    >>> from weft_tensor import as_tensor
    >>> sums_of_windows(as_tensor([1, 2, 4, 8]), 0, 3).eval()
    array([ 7, 14])
    """
    result: TensorVariable = _sums(axis, size)(x)
    return result


@cache
def _sums(axis: int, size: int) -> Callable[..., Any]:
    return custom_pullback(
        partial(_added_up, axis, size),
        pullback=_Held(_sums_back, (axis, size)),
        pushforward=_Held(_sums_forward, (axis, size)),
    )


def _added_up(axis: int, size: int, x: TensorVariable) -> TensorVariable:
    (result,) = _joined(lambda a, b, n, m: [a[0] + b[0]], [x], axis, size)
    return result


def _sums_back(
    axis: int, size: int, inputs: Tensors, outputs: Tensors, cotangents: Tensors
) -> Cotangents:
    return [sums_of_windows(_among(cotangents[0], inputs[0], axis, size), axis, size)]


def _sums_forward(
    axis: int, size: int, inputs: Tensors, outputs: Tensors, tangents: Tensors
) -> Cotangents:
    return [sums_of_windows(tangents[0], axis, size)]


def _among(g: TensorVariable, x: TensorVariable, axis: int, size: int) -> TensorVariable:
    """`g` of each window of x between zeros, so that its windows are those that have an element."""
    behind = lengths_of(x)[axis] - lengths_of(g)[axis]
    return pad(g, _widths(g, axis, size - 1, behind))


def _widths(x: TensorVariable, axis: int, before: Any, behind: Any) -> list[tuple[Any, Any]]:
    return [(before, behind) if a == axis else (0, 0) for a in range(x.ndim)]


class Deviations(NamedTuple):
    """Of windows: their first elements, what means are more, and sums of products of deviations."""

    first: list[TensorVariable]
    more: list[TensorVariable]
    products: TensorVariable


def deviations_of_windows(xs: Sequence[TensorVariable], sizes: Mapping[int, int]) -> Deviations:
    """Sums of squared deviations from the means of windows, so long along the axes of `sizes`.

    Of two tensors of one shape, sums of the products of both's. Two windows are joined by the
    formula of Chan, Golub and LeVeque, with their means relative to their first elements: nothing
    cancels, however far from zero the elements are.

    >>> from weft_tensor import as_tensor
    >>> deviations_of_windows([as_tensor([1.0, 2.0, 6.0, 7.0]) + 1e15], {0: 3}).products.eval()
    array([14., 14.])
    """
    firsts, number, rest = list(xs), 1, list[TensorVariable]()
    for axis, size in sizes.items():
        if size > 1:
            rest = list(_deviations(number, axis, size)(*firsts, *rest))
            firsts = [_part(x, axis, 0, size - 1) for x in firsts]
            number *= size
    *more, products = rest or [zeros_like(x) for x in (*xs, xs[0])]
    return Deviations(firsts, more, products)


@cache
def _deviations(number: int, axis: int, size: int) -> Callable[..., Any]:
    return custom_pullback(
        partial(_pooled, number, axis, size),
        pullback=_Held(_deviations_back, (number, axis, size)),
        pushforward=_Held(_deviations_forward, (number, axis, size)),
    )


def _pooled(number: int, axis: int, size: int, *state: TensorVariable) -> State:
    """What means are more, and the sums of products, of windows of what has `number` elements.

    Of single elements both are 0, and not given.
    """
    half = _of_elements(number, state)
    whole = [*state, *[None] * (2 * half + 1 - len(state))]
    return _joined(partial(_with_those_beside, number), whole, axis, size)[half:]


def _of_elements(number: int, state: State) -> int:
    """How many of these are elements."""
    return len(state) if number == 1 else len(state) // 2


def _with_those_beside(number: int, a: State, b: State, n: int, m: int) -> State:
    half, share = len(a) // 2, m / (n + m)
    apart = _apart(a, b)
    more = [_sum(c, g * share) for c, g in zip(a[half:-1], apart, strict=True)]
    between = apart[0] * apart[-1] * (number * n * share)
    return [*a[:half], *more, _sum(_sum(a[-1], b[-1]), between)]


def _apart(a: State, b: State) -> list[TensorVariable]:
    """By how much means of b are more than those of a."""
    half = len(a) // 2
    pairs = list(zip(a, b, strict=True))
    return [
        _sum(y - x, d if c is None else d - c)
        for (x, y), (c, d) in zip(pairs[:half], pairs[half:-1], strict=True)
    ]


def _sum(x: Any, y: Any) -> Any:
    return y if x is None else x if y is None else x + y


def _deviations_forward(
    number: int, axis: int, size: int, inputs: Tensors, outputs: Tensors, tangents: Cotangents
) -> Cotangents:
    moving = [(x, t) for x, t in zip(inputs, tangents, strict=True) if t is not None]
    results: Any = _pooled(number, axis, size, *inputs)
    forward: list[TensorVariable] = pushforward(results, *map(list, zip(*moving, strict=True)))
    return forward


def _deviations_back(
    number: int, axis: int, size: int, inputs: Tensors, outputs: Tensors, cotangents: Cotangents
) -> Cotangents:
    """By each mean, its share of its window's, and how far the other's is from its window's.

    Of the last, the sum over windows is by differences of elements again.
    """
    half = _of_elements(number, inputs)
    *by_more, by_products = cotangents
    to_x, to_more = list[Any](), list[Any]()
    for k, g in enumerate(by_more):
        total: Any = 0
        to_windows: Any = 0 if g is None else g / size
        if by_products is not None:
            x = inputs[half - 1 - k]
            weights = by_products * (number * (2 if half == 1 else 1))
            total = _far(x, weights, axis, size)
            if number > 1:
                total = total + inputs[2 * half - 1 - k] * _shared(weights, x, axis, size)
            to_windows = to_windows - weights * outputs[half - 1 - k]
        total = total + _shared(to_windows, inputs[0], axis, size)
        to_more.append(total)
        if g is not None:
            behind = lengths_of(inputs[0])[axis] - lengths_of(g)[axis]
            total = total - pad(g, _widths(g, axis, 0, behind))
        to_x.append(total)
    if number == 1:
        return to_x
    products = by_products if by_products is None else _shared(by_products, inputs[0], axis, size)
    return [*to_x, *to_more, products]


def _shared(g: TensorVariable, x: TensorVariable, axis: int, size: int) -> TensorVariable:
    """For each element the sum of `g` over the windows that have it."""
    return sums_of_windows(_among(g, x, axis, size), axis, size)


def _far(x: TensorVariable, g: TensorVariable, axis: int, size: int) -> TensorVariable:
    """For each element the sum, over the windows that have it, of g (x - the window's first)."""
    wide = pad(x, _widths(x, axis, size - 1, 0), "edge")
    weights = _among(g, x, axis, size)
    first, total, sums = _joined(_moved, [wide, weights, None], axis, size)
    return sums + total * (x - first)


def _moved(a: State, b: State, n: int, m: int) -> State:
    (x, g, s), (y, h, t) = a, b
    return [x, g + h, _sum(_sum(s, t), h * (x - y))]


def extremes_of_windows(
    combine: Combine, x: TensorVariable, axis: int, size: int
) -> TensorVariable:
    """What `maximum` or `minimum` makes of `size` neighbours along an axis, in log2(size) steps.

    >>> from weft_tensor import as_tensor, maximum
    >>> extremes_of_windows(maximum, as_tensor([4, 1, 2, 8]), 0, 3).eval()
    array([4, 8])
    """
    *_, (width, (widest,)) = _doubled(lambda a, b, n, m: [combine(a[0], b[0])], [x], axis, size)
    rest = size - width
    return combine(_part(widest, axis, 0, rest), _part(widest, axis, rest, 0)) if rest else widest


def _joined(join: Join, state: State, axis: int, size: int) -> State:
    """`state` of windows of `size` neighbours, of those of 1, 2, 4, ..."""
    whole: State = ()
    begin = 0
    for width, wide in _doubled(join, state, axis, size):
        if size & width:
            part = [_part(v, axis, begin, size - width - begin) for v in wide]
            whole = join(whole, part, begin, width) if whole else part
            begin += width
    return whole


def _doubled(join: Join, state: State, axis: int, size: int) -> Iterator[tuple[int, State]]:
    """`state` of windows of 1, 2, 4, ... neighbours, up to `size`."""
    width = 1
    yield width, state
    while 2 * width <= size:
        left = [_part(v, axis, 0, width) for v in state]
        right = [_part(v, axis, width, 0) for v in state]
        state = join(left, right, width, width)
        width *= 2
        yield width, state


def _part(x: Any, axis: int, before: int, behind: int) -> Any:
    """`x` without so many elements before and behind."""
    return x if x is None else index(x, (*[slice(None)] * axis, slice(before, -behind or None)))
