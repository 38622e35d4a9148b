"""Methods of NumPy's functions of numbers, called with variables: `np.add.reduce(x)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

import numpy as np

from weft_tensor.build.convert import as_tensor

__all__ = ["Method", "ufunc_method"]

Method = Callable[..., Any]

_REDUCED: Final = {
    "add": "sum",
    "logaddexp": "logsumexp",
    "logical_and": "all",
    "logical_or": "any",
    "maximum": "max",
    "minimum": "min",
    "multiply": "prod",
}
"""What reduces an axis as a function of two numbers does, by the name of that."""

_SO_FAR: Final = {
    "add": "cumsum",
    "maximum": "cummax",
    "minimum": "cummin",
    "multiply": "cumprod",
}
"""What gives the reductions of all elements up to each."""

_PARTS: Final = {
    "add": "segment_sum",
    "maximum": "segment_max",
    "minimum": "segment_min",
    "multiply": "segment_prod",
}
"""What reduces the slices of each of several segments."""

_INSTEAD: Final = {
    "accumulate": "`associative_scan(function, x)` takes what is associative, `loop.scan` the rest",
    "at": "it changes an array in place, which a tensor can't be: write x = x[i].inc(y), or "
    "set, mul, maximum, minimum",
    "reduce": "`associative_scan(function, x)[-1]` takes what is associative, `loop.scan` the rest",
    "reduceat": "parts are reduced by `segment_sum(x, numbers, count)` and its siblings, and by "
    "the methods of add, multiply, maximum and minimum",
}
"""What to write for a method of another function."""


def ufunc_method(
    ufunc: np.ufunc, method: str, binary: Method | None
) -> tuple[Method | None, str | None]:
    """What computes `ufunc.method` of variables, or what to write for it.

    `binary` computes the function itself, if anything does.

    >>> ufunc_method(np.add, "reduce", None)[0]([[1, 2], [3, 4]]).eval()
    array([4, 6])
    >>> ufunc_method(np.add, "reduceat", None)[0]([1, 2, 3, 4], [0, 3]).eval()
    array([6, 4])
    """
    if method == "outer" and binary is not None:
        return _outer(binary), None
    names = {"reduce": _REDUCED, "accumulate": _SO_FAR, "reduceat": _PARTS}.get(method, {})
    name = names.get(ufunc.__name__)
    if name is None:
        return None, _INSTEAD.get(method)
    found = getattr(import_module("weft_tensor"), name)
    if method != "reduceat":
        return _along_the_first(found), None
    return _by_parts(found, getattr(import_module("weft_tensor"), _REDUCED[ufunc.__name__])), None


def _along_the_first(function: Method) -> Method:
    """`function` with the arguments of the methods of NumPy's: axis 0 if none is given."""

    def method(array: Any, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
        return function(array, axis, *args, **kwargs)

    return method


def _outer(function: Method) -> Method:
    """`function` of each element of the first with each of the second."""

    def outer(first: Any, second: Any, **kwargs: Mapping[str, Any]) -> Any:
        x, y = as_tensor(first), as_tensor(second)
        return function(x[(..., *[None] * y.ndim)], y, **kwargs)

    return outer


def _by_parts(function: Method, whole: Method) -> Method:
    """`function` of segments, of what stands from each of `indices` up to the next.

    Of small integers in the dtype that `whole`, of all elements, has.
    """

    def reduceat(array: Any, indices: Any, axis: Any = 0, dtype: Any = None) -> Any:
        wt = import_module("weft_tensor")
        x, starts = as_tensor(array), as_tensor(indices)
        if starts.ndim != 1 or starts.dtype[0] not in "iu":
            raise TypeError(f"reduceat takes a vector of integers as indices, not {starts!r}")
        x = wt.moveaxis(x.astype(whole(x, axis).dtype if dtype is None else dtype), axis, 0)
        starts = starts.astype("int64")
        starts = wt.assert_op(
            starts,
            wt.all(wt.diff(starts) > 0) & wt.all(starts >= 0),
            wt.all(starts < x.shape[0]),
            message="reduceat of tensors takes indices that increase, and that there are: "
            "reduce slices one by one where parts overlap",
        )
        numbers = wt.searchsorted(starts, wt.arange(x.shape[0]), side="right") - 1
        before = wt.eq(numbers, -1)  # belongs to no part
        parts = function(x, wt.where(before, starts.shape[0], numbers), starts.shape[0] + 1)
        return wt.moveaxis(parts[:-1], 0, axis)

    return reduceat
