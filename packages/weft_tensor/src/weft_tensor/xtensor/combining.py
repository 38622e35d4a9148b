"""Labelled tensors multiplied and chosen between, and any function of tensors for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from weft_graph.extend import called
from weft_tensor.batching.functions import vectorize
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike
from weft_tensor.ops.creation import creation
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.indexing import choices
from weft_tensor.ops.products.einsum import einsum
from weft_tensor.xtensor.alignment import aligned, elementwise, of_one_length, united
from weft_tensor.xtensor.variable import XTensor, as_xtensor, checked_dims, labelled

__all__ = ["apply_ufunc", "clip", "dot", "full_like", "ones_like", "where", "zeros_like"]


def dot(*xs: Any, dim: Any = None) -> XTensor:
    """The product of all, summed over `dim`: one or several, `...` for all.

    By default over those that more than one of them has. See `xarray.dot`.

    Raises ValueError for a dim that none has, or along which they have different lengths.

    >>> a = as_xtensor([[1, 2], [3, 4]], ("a", "b"))
    >>> dot(a, as_xtensor([1, 10], "b")).values.eval(), dot(a, a, dim="a").dims
    (array([21, 43]), ('b',))
    """
    whole = of_one_length(list(map(as_xtensor, xs)), "dot")
    dims = united(whole)
    if dim is None:
        summed = {d for d in dims if sum(d in x.dims for x in whole) > 1}
    else:
        summed = set(dims if dim is ... else checked_dims(dim))
    if not summed <= set(dims):
        raise ValueError(f"dot: {sorted(summed - set(dims))} are none of the dims {dims}{called()}")
    left = tuple([d for d in dims if d not in summed])
    operands = [part for x in whole for part in (x.values, [dims.index(d) for d in x.dims])]
    return labelled(einsum(*operands, [dims.index(d) for d in left]), left)


def where(cond: Any, x: Any, y: Any) -> XTensor:
    """`x` where the condition holds, else `y`. See `xarray.where`.

    >>> a = as_xtensor([1, -1], "a")
    >>> where(a > 0, a, 0).values.eval()
    array([1, 0])
    """
    chosen: XTensor = elementwise(choices.where)(cond, x, y)
    return chosen


def clip(x: Any, min: Any = None, max: Any = None) -> XTensor:
    """`x`, at least `min` and at most `max`. See `xarray.DataArray.clip`.

    >>> clip(as_xtensor([1, 5], "a"), max=3).values.eval()
    array([1, 3])
    """
    low = as_xtensor(x) if min is None else elementwise(maximum)(x, min)
    high: XTensor = low if max is None else elementwise(minimum)(low, max)
    return high


def full_like(x: Any, fill_value: TensorLike, dtype: Any = None) -> XTensor:
    """As `x`, filled with a number. See `xarray.full_like`.

    >>> full_like(as_xtensor([1, 2], "a"), 3).values.eval()
    array([3, 3])
    """
    x = as_xtensor(x)
    return labelled(creation.full_like(x.values, as_tensor(fill_value), dtype), x.dims)


def ones_like(x: Any, dtype: Any = None) -> XTensor:
    """As `x`, filled with ones. See `xarray.ones_like`.

    >>> ones_like(as_xtensor([1, 2], "a")).values.eval()
    array([1, 1])
    """
    return full_like(x, 1, dtype)


def zeros_like(x: Any, dtype: Any = None) -> XTensor:
    """As `x`, filled with zeros. See `xarray.zeros_like`.

    >>> zeros_like(as_xtensor([1, 2], "a")).values.eval()
    array([0, 0])
    """
    return full_like(x, 0, dtype)


def apply_ufunc(
    func: Callable[..., Any],
    *args: Any,
    input_core_dims: Sequence[Iterable[str]] | None = None,
    output_core_dims: Sequence[Iterable[str]] = ((),),
    kwargs: Mapping[str, Any] | None = None,
) -> Any:
    """A function of tensors for labelled ones. See `xarray.apply_ufunc`.

    Parameters
    ----------
    func
        A function of as many tensors as there are `args`, which returns one or a tuple of several.
    args
        Labelled tensors, and numbers.
    input_core_dims
        For each of `args` the dims that `func` sees, in this order; none by default. For all
        combinations of the others it is called, as by `vectorize`.
    output_core_dims
        For each result the dims that `func` gives it, behind all others.
    kwargs
        Passed on.

    Returns
    -------
    A labelled tensor, or a tuple of several.

    Raises
    ------
    ValueError
        where one of `args` has not its core dims, another the same as no core dim, or where
        lengths along a dim differ.

    Examples
    --------
    >>> from weft_tensor import linalg
    >>> K, core = as_xtensor([[[4.0]], [[9.0]]], ("city", "i", "j")), ("i", "j")
    >>> L = apply_ufunc(linalg.cholesky, K, input_core_dims=[core], output_core_dims=[core])
    >>> L.dims, L.sum(("i", "j")).values.eval()
    (('city', 'i', 'j'), array([2., 3.]))
    """
    inside = [checked_dims(core) for core in input_core_dims or [()] * len(args)]
    outside = [checked_dims(core) for core in output_core_dims]
    if len(inside) != len(args):
        raise ValueError(f"apply_ufunc: {len(args)} arguments have as many core dims{called()}")
    xs = of_one_length(list(map(as_xtensor, args)), "apply_ufunc")
    for x, core in zip(xs, inside, strict=True):
        x.axes(core)
    seen = {d for core in inside for d in core}
    around = tuple([d for d in united(xs) if d not in seen])
    for x, core in zip(xs, inside, strict=True):
        if strange := [d for d in x.dims if d in seen and d not in core]:
            raise ValueError(
                f"apply_ufunc: {strange} of {x!r} are core dims of others alone{called()}"
            )
    values = [aligned([x], (*around, *core))[0] for x, core in zip(xs, inside, strict=True)]
    letters = {d: f"d{k}" for k, d in enumerate({*seen, *(d for core in outside for d in core)})}
    parts = [
        ",".join(f"({','.join(letters[d] for d in core)})" for core in side)
        for side in (inside, outside)
    ]
    whole = vectorize(lambda *vs: func(*vs, **(kwargs or {})), "->".join(parts))
    results = whole(*values)
    if not isinstance(results, tuple):
        return labelled(results, (*around, *outside[0]))
    pairs = zip(results, outside, strict=True)
    return tuple([labelled(result, (*around, *core)) for result, core in pairs])
