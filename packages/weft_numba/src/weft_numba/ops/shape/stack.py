"""Stacks in Numba: joined along a new first axis."""

from __future__ import annotations

from typing import Any

from weft_graph import Variable
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.bundles import FROM_BUNDLES
from weft_numba.ops.shape.concatenate import joined
from weft_tensor.extend import Stack

__all__ = ["numba_funcify_stack"]


@numba_funcify.register(Stack)
def numba_funcify_stack(op: Stack, *, node: Variable, **kwargs: object) -> Any:
    """One loop nest per type of inputs."""
    return joined(node, tuple([(k, None) for k in range(len(node.inputs))]))


FROM_BUNDLES[Stack] = joined
