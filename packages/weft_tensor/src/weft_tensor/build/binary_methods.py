"""Methods of functions of two numbers, as NumPy's have them: `wt.maximum.accumulate(x)`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, Unpack

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.scalar_calls import Options
from weft_tensor.build.variable import TensorLike, TensorVariable

__all__ = ["Binary", "with_methods"]


class Binary(Protocol):
    """A function of two tensors, and methods of it if it is NumPy's."""

    accumulate: Callable[..., TensorVariable]
    at: Callable[..., TensorVariable]
    outer: Callable[..., TensorVariable]
    reduce: Callable[..., TensorVariable]
    reduceat: Callable[..., TensorVariable]

    def __call__(
        self, x: TensorLike, y: TensorLike, /, **options: Unpack[Options]
    ) -> TensorVariable:
        """Apply it."""


def with_methods(call: Any, source: object) -> Any:
    """`call`, with the methods that NumPy's function `source` has, as they are of variables.

    >>> import weft_tensor as wt
    >>> wt.maximum.accumulate([1, 3, 2]).eval()
    array([1, 3, 3])
    >>> wt.sub.outer([1, 2], [1, 0]).eval()
    array([[0, 1],
           [1, 2]])
    """
    library, _, name = str(source).rpartition(".")
    if library == "numpy" and isinstance(getattr(np, name, None), np.ufunc):
        for method in ("accumulate", "at", "outer", "reduce", "reduceat"):
            setattr(call, method, partial(_called, name, method))
    return call


def _called(name: str, method: str, x: TensorLike, *args: Any, **kwargs: Any) -> Any:
    return getattr(getattr(np, name), method)(as_tensor(x), *args, **kwargs)
