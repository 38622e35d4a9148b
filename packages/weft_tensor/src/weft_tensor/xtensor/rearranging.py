"""The dims of a labelled tensor named, ordered, added, dropped, joined and parted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike
from weft_tensor.front.pytensor_names import concat_with_broadcast
from weft_tensor.ops.shape import broadcast_to as broadcasting
from weft_tensor.ops.shape import reshape as shapes
from weft_tensor.ops.shape import transpose as orders
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.xtensor.alignment import aligned, of_one_length, united
from weft_tensor.xtensor.variable import XTensor, as_xtensor, checked_dims, labelled

__all__ = [
    "broadcast",
    "broadcast_like",
    "concat",
    "expand_dims",
    "rename",
    "squeeze",
    "stack",
    "transpose",
    "unstack",
]


def rename(x: Any, names: Mapping[str, str] | None = None, /, **more: str) -> XTensor:
    """`x` with new names for some of its dims. See `xarray.DataArray.rename`.

    Raises ValueError for a dim that it has not, or where two would be called the same.

    >>> rename(as_xtensor([1, 2], "a"), a="b").dims
    ('b',)
    """
    x, new = as_xtensor(x), {**(names or {}), **more}
    for old in new:
        x.axis(old)
    return labelled(x.values, checked_dims([new.get(d, d) for d in x.dims]))


def transpose(x: Any, *dims: Any) -> XTensor:
    """`x` with its dims in this order, by default the reverse; `...` stands for all others.

    Raises ValueError where they are not those of `x`. See `xarray.DataArray.transpose`.

    >>> transpose(as_xtensor([[[1]]], ("a", "b", "c")), "c", ...).dims
    ('c', 'a', 'b')
    """
    x = as_xtensor(x)
    rest = [d for d in x.dims if d not in dims]
    order = [d for dim in dims for d in (rest if dim is ... else [dim])] if dims else x.dims[::-1]
    if sorted(order) != sorted(x.dims):
        raise ValueError(f"transpose: {dims} are not the dims {x.dims}{called()}")
    return labelled(orders.transpose(x.values, [x.axis(d) for d in order]), tuple(order))


def expand_dims(
    x: Any, dim: str | Iterable[str] | Mapping[str, SizeLike] = (), /, **sizes: SizeLike
) -> XTensor:
    """`x` repeated along new dims, before the others: as often as is said, or once.

    Raises ValueError for a dim that it has already. See `xarray.DataArray.expand_dims`.

    >>> expand_dims(as_xtensor([1, 2], "a"), b=3)
    <XTensor int64[b: 3, a: 2]>
    """
    x = as_xtensor(x)
    named = dim if isinstance(dim, Mapping) else dict.fromkeys(checked_dims(dim), 1)
    new = {**named, **sizes}
    lengths = (*new.values(), *lengths_of(x.values))
    return labelled(broadcasting.broadcast_to(x.values, lengths), checked_dims([*new, *x.dims]))


def squeeze(x: Any, dim: str | Iterable[str] | None = None) -> XTensor:
    """`x` without the dims that are named, which have length 1; by default all that are known to.

    ValueError where one is longer, at the call if it is not known before. See
    `xarray.DataArray.squeeze`.

    >>> squeeze(as_xtensor([[1, 2]], ("a", "b"))).dims
    ('b',)
    """
    x = as_xtensor(x)
    known = [d for d, n in zip(x.dims, x.values.type.shape, strict=True) if n == 1]
    axes = x.axes(known if dim is None else dim)
    left = tuple([d for k, d in enumerate(x.dims) if k not in axes])
    return labelled(shapes.squeeze(x.values, axes), left)


def broadcast(*xs: Any) -> tuple[XTensor, ...]:
    """Each repeated along the dims that the others have, all in one order. See `xarray.broadcast`.

    >>> [x.dims for x in broadcast(as_xtensor([1], "a"), as_xtensor([1, 2], "b"))]
    [('a', 'b'), ('a', 'b')]
    """
    whole = of_one_length(list(map(as_xtensor, xs)), "broadcast")
    dims = united(whole)
    return tuple([labelled(v, dims) for v in broadcasting.broadcast_arrays(*aligned(whole, dims))])


def broadcast_like(x: Any, other: Any) -> XTensor:
    """`x` repeated along the dims that only `other` has, in its order.

    See `xarray.DataArray.broadcast_like`.

    >>> broadcast_like(as_xtensor([1], "a"), as_xtensor([[1, 2]], ("a", "b")))
    <XTensor int64[a: 1, b: 2]>
    """
    return broadcast(other, x)[1]


def concat(xs: Sequence[Any], dim: str) -> XTensor:
    """One after another along `dim`, where those that have it not are one step long.

    Along other dims they are repeated where they lack them. See `xarray.concat`.

    Raises ValueError where there are none, or where lengths along another dim differ.

    >>> concat([as_xtensor([1, 2], "a"), as_xtensor(3)], "a").values.eval()
    array([1, 2, 3])
    """
    parts = of_one_length(list(map(as_xtensor, xs)), "concat", [dim])
    if not parts:
        raise ValueError(f"concat: there is nothing to join{called()}")
    dims = united(parts)
    dims = dims if dim in dims else (dim, *dims)
    return labelled(concat_with_broadcast(aligned(parts, dims), dims.index(dim)), dims)


def stack(
    x: Any, dims: Mapping[str, Sequence[str]] | None = None, /, **more: Sequence[str]
) -> XTensor:
    """`x` with several dims joined to one, which comes last: the last of them changes fastest.

    Raises ValueError for a dim that it has not. See `xarray.DataArray.stack`.

    >>> stack(as_xtensor([[1, 2], [3, 4]], ("a", "b")), c=("b", "a")).values.eval()
    array([1, 3, 2, 4])
    """
    result = as_xtensor(x)
    for new, old in {**(dims or {}), **more}.items():
        result.axes(old)
        result = transpose(result, ..., *old)
        kept = result.ndim - len(old)
        lengths = lengths_of(result.values)
        joined = prod(lengths[kept:], start=as_tensor(1))
        values = shapes.reshape(result.values, (*lengths[:kept], joined))
        result = labelled(values, checked_dims([*result.dims[:kept], new]))
    return result


def unstack(
    x: Any,
    dims: Mapping[str, Mapping[str, SizeLike]] | None = None,
    /,
    **more: Mapping[str, SizeLike],
) -> XTensor:
    """`x` with one dim parted into several of these lengths, which come last: `stack` undone.

    Raises ValueError for a dim that it has not; of lengths that do not fit, at the call.

    >>> unstack(as_xtensor([1, 3, 2, 4], "c"), c={"b": 2, "a": 2}).values.eval()
    array([[1, 3],
           [2, 4]])
    """
    result = as_xtensor(x)
    for old, new in {**(dims or {}), **more}.items():
        result.axis(old)
        result = transpose(result, ..., old)
        values = shapes.reshape(result.values, (*lengths_of(result.values)[:-1], *new.values()))
        result = labelled(values, checked_dims([*result.dims[:-1], *new]))
    return result
