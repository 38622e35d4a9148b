"""Batching with all its rules, which register themselves when they are imported."""

from weft_tensor.batching import control, indexing, loops, opaque
from weft_tensor.batching.kinds import vectorize_kind
from weft_tensor.batching.node import (
    aligned,
    batch_length,
    batched,
    is_batched,
    repeated,
    rows_at,
    vectorize_node,
)

__all__ = [
    "aligned",
    "batch_length",
    "batched",
    "is_batched",
    "repeated",
    "rows_at",
    "vectorize_kind",
    "vectorize_node",
]

_RULES = (control, indexing, loops, opaque)
"""The modules that say how Ops get one leading axis more."""
