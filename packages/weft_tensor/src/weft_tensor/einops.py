"""Axes by name in patterns: `wt.einops`, with the functions of the library einops."""

from __future__ import annotations

from weft_tensor.ops.products.named_axes import (
    einsum,
    pack,
    parse_shape,
    rearrange,
    reduce,
    repeat,
    unpack,
)

__all__ = ["einsum", "pack", "parse_shape", "rearrange", "reduce", "repeat", "unpack"]
