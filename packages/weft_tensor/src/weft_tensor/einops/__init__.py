"""Axes by name in patterns: `wt.einops`, with the functions of the library einops.

In: tensors, and patterns of names.
Out: tensors with other axes.
Next: graphs.
"""

from __future__ import annotations

from weft_tensor.einops.named_axes import (
    einsum,
    pack,
    parse_shape,
    rearrange,
    reduce,
    repeat,
    unpack,
)

__all__ = ["einsum", "pack", "parse_shape", "rearrange", "reduce", "repeat", "unpack"]
