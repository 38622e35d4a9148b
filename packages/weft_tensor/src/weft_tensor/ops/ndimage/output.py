"""In which dtype an image comes out: SciPy's `output=`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.types.dtypes import as_dtype, promote

__all__ = ["with_dtype", "with_output"]


def with_output(function: Callable[..., TensorVariable]) -> Callable[..., TensorVariable]:
    """A filter that takes SciPy's `output`, a dtype; by default it is that of the image.

    In a floating dtype, nothing is truncated; in one of integers, the image is of integers that it
    holds, too. Raises TypeError for others, and for an array to write to.

    >>> doubled = with_output(lambda x: as_tensor(x) * 2)
    >>> doubled([100], output="float32").eval()
    array([200.], dtype=float32)
    """

    @wraps(function)
    def call(input: TensorLike, *args: Any, output: Any = None, **kwargs: Any) -> TensorVariable:
        if output is None:
            return function(input, *args, **kwargs)
        name, x = function.__name__, as_tensor(input)
        kind = _kind(name, output)
        if kind[0] in "fc":
            wide = x.astype(promote([x.dtype, "float64"]))
            if wide.is_complex and kind[0] == "f":
                raise TypeError(f"{name}: an image of {x.dtype} is none of {kind}{called()}")
            return function(wide, *args, **kwargs).astype(kind)
        if not np.can_cast(x.dtype, kind):
            raise TypeError(
                f"{name}: output={kind!r} may not hold an image of {x.dtype}: write "
                f"{name}(...).astype({kind!r}){called()}"
            )
        return function(x.astype(kind), *args, **kwargs)

    return call


def with_dtype(function: Callable[..., TensorVariable]) -> Callable[..., TensorVariable]:
    """A function of sets that takes SciPy's `output`, a dtype of the numbers 0 and 1.

    Raises TypeError for an array to write to.

    >>> positive = with_dtype(lambda x: as_tensor(x) > 0)
    >>> positive([-1.0, 1.0], output="int8").eval()
    array([0, 1], dtype=int8)
    """

    @wraps(function)
    def call(*args: Any, output: Any = None, **kwargs: Any) -> TensorVariable:
        kind = "bool" if output is None else _kind(function.__name__, output)
        return function(*args, **kwargs).astype(kind)

    return call


def _kind(name: str, output: Any) -> str:
    if isinstance(output, (np.ndarray, TensorVariable)):
        raise TypeError(
            f"{name}: tensors are never changed, so there is nothing to write to: output is a "
            f"dtype, not {output!r}{called()}"
        )
    return as_dtype(output)
