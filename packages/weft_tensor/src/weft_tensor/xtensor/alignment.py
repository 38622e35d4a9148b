"""Axes of one name put together: what every function of several labelled tensors does first."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import transpose
from weft_tensor.types.symbolic_dims import provably_differ
from weft_tensor.xtensor.variable import Dims, XTensor, as_xtensor, labelled

__all__ = ["aligned", "elementwise", "of_one_length", "united"]


def united(xs: Sequence[XTensor]) -> Dims:
    """All dims, in the order in which they come.

    >>> united([as_xtensor([[1]], ("a", "b")), as_xtensor([[1]], ("c", "a"))])
    ('a', 'b', 'c')
    """
    return tuple(dict.fromkeys(d for x in xs for d in x.dims))


def of_one_length(xs: Sequence[XTensor], name: str, free: Sequence[str] = ()) -> list[XTensor]:
    """`xs`, of which those with a dim have one length along it, but for `free`: calls check that.

    Raises ValueError, which says the `name` of the function, where it can't be.
    """
    lengths: dict[str, tuple[Any, TensorVariable]] = {}
    same = []
    for x in xs:
        needed: list[Any] = [None] * x.ndim
        for axis, (d, known) in enumerate(zip(x.dims, x.values.type.shape, strict=True)):
            if d in free:
                continue
            if d not in lengths:
                lengths[d] = known, lengths_of(x.values)[axis]
                continue
            first, length = lengths[d]
            if type(first) is type(known) and provably_differ(first, known):
                raise ValueError(
                    f"{name}: dim {d!r} has the lengths {first} and {known} in {list(xs)}"
                )
            if known is None or first != known:
                needed[axis] = length
        some = any(n is not None for n in needed)
        same.append(labelled(specify_shape(x.values, needed), x.dims) if some else x)
    return same


def aligned(xs: Sequence[XTensor], dims: Dims) -> list[TensorVariable]:
    """The values of each with the axes `dims`: of length 1 where it has none of the name.

    >>> [v.type.shape for v in aligned([as_xtensor([1, 2], "a")], ("b", "a"))]
    [(1, 2)]
    """
    return [_with_axes(x, dims) for x in xs]


def _with_axes(x: XTensor, dims: Dims) -> TensorVariable:
    order = [x.axis(d) for d in dims if d in x.dims]
    values = x.values if order == list(range(x.ndim)) else transpose(x.values, order)
    absent = [k for k, d in enumerate(dims) if d not in x.dims]
    return expand_dims(values, tuple(absent)) if absent else values


def elementwise(function: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """`function`, of tensors that are broadcast, for labelled ones and numbers.

    Numbers and keywords are passed on as they are. Of several results, each is labelled.

    >>> from weft_tensor import hypot
    >>> elementwise(hypot)(as_xtensor([3.0], "a"), as_xtensor([4.0, 0.0], "b")).values.eval()
    array([[5., 3.]])
    """
    name = name or function.__name__

    @wraps(function)
    def of_labelled(*xs: Any, **options: Any) -> Any:
        places = [k for k, x in enumerate(xs) if not isinstance(x, numbers.Number)]
        whole = of_one_length([as_xtensor(xs[k]) for k in places], name)
        dims = united(whole)
        operands = list(xs)
        for k, values in zip(places, aligned(whole, dims), strict=True):
            operands[k] = values
        results = function(*operands, **options)
        if isinstance(results, tuple):
            return tuple([labelled(result, dims) for result in results])
        return labelled(results, dims)

    return of_labelled
