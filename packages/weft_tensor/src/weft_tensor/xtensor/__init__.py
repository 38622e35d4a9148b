"""Tensors whose axes have names: `wt.xtensor`, with the names of xarray and of PyTensor's module.

In: tensors, and the names of their axes.
Out: tensors whose axes have names, made by Ops of plain ones.
Next: graphs.

Elementwise functions of `wt` and `wt.special` are here by their names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft_tensor.xtensor.by_name import function
from weft_tensor.xtensor.combining import (
    apply_ufunc,
    clip,
    dot,
    full_like,
    ones_like,
    where,
    zeros_like,
)
from weft_tensor.xtensor.indexing import inc, isel, set
from weft_tensor.xtensor.methods import XTensor
from weft_tensor.xtensor.rearranging import (
    broadcast,
    broadcast_like,
    concat,
    expand_dims,
    rename,
    squeeze,
    stack,
    transpose,
    unstack,
)
from weft_tensor.xtensor.variable import as_xtensor, xtensor

__all__ = [
    "XTensor",
    "apply_ufunc",
    "as_xtensor",
    "broadcast",
    "broadcast_like",
    "clip",
    "concat",
    "dot",
    "expand_dims",
    "full_like",
    "inc",
    "isel",
    "ones_like",
    "rename",
    "set",
    "squeeze",
    "stack",
    "transpose",
    "unstack",
    "where",
    "xtensor",
    "zeros_like",
]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...

else:

    def __getattr__(name: str) -> Any:
        return function(__name__, name, __all__)
