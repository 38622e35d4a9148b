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

_INSTEAD: Final = {
    "accumulate": "`associative_scan(function, x)` takes what is associative, `loop.scan` the rest",
    "at": "it changes an array in place, which a tensor can't be: write x = x[i].inc(y), or "
    "set, mul, maximum, minimum",
    "reduce": "`associative_scan(function, x)[-1]` takes what is associative, `loop.scan` the rest",
    "reduceat": "sums of parts are those of `segment_sum(x, numbers, count)`, and of its siblings",
}
"""What to write for a method of another function."""


def ufunc_method(
    ufunc: np.ufunc, method: str, binary: Method | None
) -> tuple[Method | None, str | None]:
    """What computes `ufunc.method` of variables, or what to write for it.

    `binary` computes the function itself, if anything does.

    >>> ufunc_method(np.add, "reduce", None)[0]([[1, 2], [3, 4]]).eval()
    array([4, 6])
    >>> ufunc_method(np.arctan2, "reduceat", None)[1]
    'sums of parts are those of `segment_sum(x, numbers, count)`, and of its siblings'
    """
    if method == "outer" and binary is not None:
        return _outer(binary), None
    names = {"reduce": _REDUCED, "accumulate": _SO_FAR}.get(method, {})
    name = names.get(ufunc.__name__)
    if name is None:
        return None, _INSTEAD.get(method)
    return _along_the_first(getattr(import_module("weft_tensor"), name)), None


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
