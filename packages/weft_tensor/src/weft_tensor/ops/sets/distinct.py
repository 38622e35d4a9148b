"""The distinct elements of a tensor, and operations on sets of them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import eq, isnan, neq, where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.nonzero import nonzero, positions
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.indexing.sort import argsort, sort
from weft_tensor.ops.indexing.take import filled, first_of_mask
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import any as any_of
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, ravel, reshape
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.dtypes import promote

__all__ = [
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]

_FEW: Final = 64
"""So many elements are compared with all that are looked for."""


class UniqueAll(NamedTuple):
    """What `unique_all` gives."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCounts(NamedTuple):
    """What `unique_counts` gives."""

    values: Any
    counts: Any


class UniqueInverse(NamedTuple):
    """What `unique_inverse` gives."""

    values: Any
    inverse_indices: Any


def unique(
    x: TensorLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
    size: int | None = None,
    fill_value: TensorLike | None = None,
) -> Any:
    """The distinct elements of the flattened `x`, sorted; with `axis`, the distinct slices.

    They are in order also if not `sorted`. NaN counts as one element, unless not `equal_nan`; in
    slices, never. If asked for, in a tuple after them: where each stands first, which one each
    element of `x` is, and how often each occurs. Slices must have a known number of elements. See
    `numpy.unique`. With `size`, the first so many, as in `jax.numpy.unique`: no length depends on
    values, and where there are not so many stands `fill_value`, or the first of them, with the
    place of that, and 0 as the count.

    >>> [v.eval() for v in unique([3, 1, 3, 3], return_index=True, return_counts=True)]
    [array([1, 3]), array([1, 0]), array([1, 3])]
    >>> unique([3, 1, 3, 3], size=3, fill_value=0).eval()
    array([1, 3, 0])
    """
    x = as_tensor(x)
    flat = ravel(x) if axis is None else moveaxis(x, axis, 0)
    order: Any = None
    if flat.ndim > 1:
        order = _order_of_rows(flat)
    elif return_index or return_inverse:
        order = argsort(flat)
    ordered = sort(flat) if order is None else index(flat, order)
    places = arange(lengths_of(ordered)[0])
    before = index(ordered, places - 1)
    new = neq(ordered, before)
    if equal_nan and x.type.differentiable and flat.ndim == 1:
        new = new & ~(isnan(ordered) & isnan(before))
    if new.ndim > 1:
        new = any_of(new, range(1, new.ndim))
    new = new | eq(places, 0)
    if size is None:
        (first,) = positions(new, lengths_of(ordered)[:1])
        values, ends = index(ordered, first), expand_dims(lengths_of(flat)[0], 0)
        nexts = concatenate([index(first, slice(1, None)), ends])
    else:
        values = _or_first(ordered, new, size, fill_value)
        first, there = first_of_mask(new, size)
        (ends,) = nonzero(new, size=size + 1, fill_value=as_size(lengths_of(flat)[0]))
        nexts = where(there, index(ends, slice(1, None)), 0)
    results: list[Any] = [values if axis is None else moveaxis(values, 0, axis)]
    if return_index:
        results.append(index(order, first))
    if return_inverse:
        ranks = cumsum(new) - 1
        (n,) = lengths_of(ranks)
        inverse = updated(index(zeros(n, "int64"), order), "set", ranks)
        results.append(reshape(inverse, lengths_of(x)) if axis is None else inverse)
    if return_counts:
        results.append(nexts - first)
    return results[0] if len(results) == 1 else tuple(results)


def _or_first(
    ordered: TensorVariable, mask: TensorVariable, size: int, fill_value: TensorLike | None
) -> TensorVariable:
    """The first `size` of what a mask says, then `fill_value`, or the first of them, or 0."""
    if fill_value is None:
        fill_value = index(filled(ordered, mask, 0, 1), 0)
    return filled(ordered, mask, 0, size, fill_value)


def _order_of_rows(x: Any) -> TensorVariable:
    """Positions that sort what stands along the first axis by its first element, then by others."""
    if not all(isinstance(n, int) for n in x.type.shape[1:]):
        raise TypeError(
            f"unique: the number of elements in a slice of {x!r} must be known: give the input a "
            "shape, or use specify_shape"
        )
    rows = reshape(x, (lengths_of(x)[0], -1))
    order = arange(lengths_of(x)[0])
    count: Any = rows.type.shape[1]
    for column in reversed(range(count)):
        order = index(order, argsort(index(rows, (order, column))))
    return order


def unique_all(
    x: TensorLike, *, size: int | None = None, fill_value: TensorLike | None = None
) -> UniqueAll:
    """The distinct elements, where each stands first, which one each is, and how often.

    Of NaN, each is an element. See `numpy.unique_all`; `size` and
    `fill_value` are those of `unique`.

    >>> [v.eval() for v in unique_all([3, 1, 3])]
    [array([1, 3]), array([1, 0]), array([1, 0, 1]), array([1, 2])]
    """
    return UniqueAll(
        *unique(x, True, True, True, equal_nan=False, size=size, fill_value=fill_value)
    )


def unique_counts(
    x: TensorLike, *, size: int | None = None, fill_value: TensorLike | None = None
) -> UniqueCounts:
    """The distinct elements, and how often each occurs. See `numpy.unique_counts`; `size` and
    `fill_value` are those of `unique`.

    >>> [v.eval() for v in unique_counts([3, 1, 3])]
    [array([1, 3]), array([1, 2])]
    """
    return UniqueCounts(
        *unique(x, return_counts=True, equal_nan=False, size=size, fill_value=fill_value)
    )


def unique_inverse(
    x: TensorLike, *, size: int | None = None, fill_value: TensorLike | None = None
) -> UniqueInverse:
    """The distinct elements, and which one each is. See `numpy.unique_inverse`; `size` and
    `fill_value` are those of `unique`.

    >>> [v.eval() for v in unique_inverse([3, 1, 3])]
    [array([1, 3]), array([1, 0, 1])]
    """
    return UniqueInverse(
        *unique(x, return_inverse=True, equal_nan=False, size=size, fill_value=fill_value)
    )


def unique_values(
    x: TensorLike, *, size: int | None = None, fill_value: TensorLike | None = None
) -> TensorVariable:
    """The distinct elements, sorted. See `numpy.unique_values`; `size` and
    `fill_value` are those of `unique`.

    >>> unique_values([3, 1, 3]).eval()
    array([1, 3])
    """
    return unique(x, equal_nan=False, size=size, fill_value=fill_value)


def union1d(
    a: TensorLike,
    b: TensorLike,
    *,
    size: int | None = None,
    fill_value: TensorLike | None = None,
) -> TensorVariable:
    """What is in one or the other, sorted. See `numpy.union1d`.

    `size` and `fill_value` are those of `unique`.

    >>> union1d([3, 1], [1, 2]).eval()
    array([1, 2, 3])
    """
    both = concatenate([*as_tensors((a, b))], axis=None)
    return unique(both, size=size, fill_value=fill_value)


def intersect1d(
    a: TensorLike,
    b: TensorLike,
    assume_unique: bool = False,
    return_indices: bool = False,
    *,
    size: int | None = None,
    fill_value: TensorLike | None = None,
) -> Any:
    """What is in both, sorted; if asked for, also where it stands first in each.

    With `assume_unique`, no element may occur twice in one of them. See `numpy.intersect1d`.
    `size` and `fill_value` are those of `unique`; of what there is not, the places are the lengths.

    >>> intersect1d([3, 1, 2], [1, 3]).eval()
    array([1, 3])
    """
    a, b = (ravel(v) for v in as_tensors((a, b)))
    if size is not None:
        return _first_in_both(a, b, size, fill_value, return_indices)
    places: list[Any] = []
    if not assume_unique:
        (a, first), (b, second) = unique(a, return_index=True), unique(b, return_index=True)
        places = [first, second]
    together = concatenate([a, b])
    order = argsort(together)
    ordered = index(together, order)
    twice = eq(index(ordered, slice(1, None)), index(ordered, slice(None, -1)))
    (at,) = positions(twice)
    common = index(ordered, at)
    if not return_indices:
        return common
    in_a, in_b = index(order, at), index(order, at + 1) - lengths_of(a)[0]
    if places:
        in_a, in_b = index(places[0], in_a), index(places[1], in_b)
    return common, in_a, in_b


def _first_in_both(
    a: TensorVariable,
    b: TensorVariable,
    size: int,
    fill_value: TensorLike | None,
    return_indices: bool,
) -> Any:
    """What `intersect1d` gives of a known `size`."""
    order = argsort(a)
    ordered = index(a, order)
    mask = _is_first(ordered) & isin(ordered, b)
    values = _or_first(ordered, mask, size, fill_value).astype(promote([a.dtype, b.dtype]))
    if not return_indices:
        return values
    places, there = first_of_mask(mask, size)
    found, (n, m) = index(ordered, places), (lengths_of(v)[0] for v in (a, b))
    order_of_b = argsort(b)
    in_b = index(order_of_b, minimum(searchsorted(index(b, order_of_b), found), m - 1))
    return values, where(there, index(order, places), n), where(there, in_b, m)


def _is_first(ordered: TensorVariable) -> TensorVariable:
    """Whether an element differs from that before."""
    places = arange(lengths_of(ordered)[0])
    return neq(ordered, index(ordered, places - 1)) | eq(places, 0)


def setxor1d(
    a: TensorLike,
    b: TensorLike,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: TensorLike | None = None,
) -> TensorVariable:
    """What is in one, but not in the other, sorted. See `numpy.setxor1d`.

    `size` and `fill_value` are those of `unique`.

    >>> setxor1d([3, 1], [1, 2]).eval()
    array([2, 3])
    """
    a, b = (ravel(v) for v in as_tensors((a, b)))
    if size is not None:
        both = sort(concatenate([a, b]))
        mask = _is_first(both) & ~(isin(both, a) & isin(both, b))
        return _or_first(both, mask, size, fill_value)
    if not assume_unique:
        a, b = unique(a), unique(b)
    ordered = sort(concatenate([a, b]))
    apart = neq(index(ordered, slice(1, None)), index(ordered, slice(None, -1)))
    some = lengths_of(ordered)[0] > 0
    end = expand_dims(some, 0)
    after = concatenate([apart, index(end, slice(None, some.astype("int64")))])
    before = concatenate([index(end, slice(None, some.astype("int64"))), apart])
    (places,) = positions(before & after)
    return index(ordered, places)


def setdiff1d(
    a: TensorLike,
    b: TensorLike,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: TensorLike = 0,
) -> TensorVariable:
    """What is in `a`, but not in `b`, sorted; with `assume_unique`, in the order of `a`.

    With `size`, the first so many, and `fill_value` where there are not so many. See
    `numpy.setdiff1d`.

    >>> setdiff1d([3, 1, 2, 2], [1]).eval()
    array([2, 3])
    """
    if size is not None:
        x = ravel(as_tensor(a))
        ordered = x if assume_unique else sort(x)
        mask = isin(ordered, b, invert=True)
        mask = mask if assume_unique else mask & _is_first(ordered)
        return filled(ordered, mask, 0, size, fill_value)
    x = ravel(as_tensor(a)) if assume_unique else unique(a)
    (places,) = positions(isin(x, b, invert=True))
    return index(x, places)


def isin(
    element: TensorLike,
    test_elements: TensorLike,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> TensorVariable:
    """Whether each element is among `test_elements`; with `invert`, whether it is not.

    By binary search; if `test_elements` are known to be few, and of complex numbers, by comparing
    with all: 10^6 integers with 8 in a tenth of the time on Numba. See `numpy.isin`, whose
    `assume_unique` and `kind` make no difference here. Raises ValueError for another `kind` than
    "sort" and "table".

    >>> isin([[1, 2], [3, 4]], [4, 1]).eval()
    array([[ True, False],
           [False,  True]])
    """
    if kind not in (None, "sort", "table"):
        raise ValueError(f"isin: kind is 'sort' or 'table', not {kind!r}")
    x, others = as_tensor(element), ravel(as_tensor(test_elements))
    dtype = promote([x.dtype, others.dtype])
    (count,) = others.type.shape
    if dtype.startswith("complex") or (isinstance(count, int) and count <= _FEW):
        result = any_of(eq(expand_dims(x, x.ndim), others), -1)
    else:
        x = x.astype(dtype)
        ordered = sort(others.astype(dtype))
        place = searchsorted(ordered, x)
        padded = concatenate([ordered, zeros((1,), dtype)])
        result = (place < lengths_of(ordered)[0]) & eq(padded[place], x)
    return ~result if invert else result
