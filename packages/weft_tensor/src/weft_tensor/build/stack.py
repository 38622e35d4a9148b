"""Tensors of one shape, one behind another along a new first axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft_graph import Op
from weft_tensor.types.dtypes import promote
from weft_tensor.types.shape_rules import merged_length
from weft_tensor.types.symbolic_dims import Length
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Stack"]


class Stack(Op):
    """`numpy.stack` along axis 0; `weft_tensor.build.stack` is the function for users."""

    view_of = ()
    linear = slice(None)

    def infer(self, *types: Any) -> TensorType:
        """The inputs' common dtype; their shape with a new first axis."""
        if not types:
            raise ValueError("stack needs at least one tensor")
        if len({t.ndim for t in types}) != 1:
            raise TypeError("tensors to stack must have one rank")
        shapes = zip(*[t.shape for t in types], strict=True)
        shape: list[Length] = [merged_length(lengths) for lengths in shapes]
        return TensorType(promote([t.dtype for t in types]), [len(types), *shape])

    def impl(self, *values: Any) -> Any:
        """The same in NumPy."""
        return np.stack(values)

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """Each input's slice of the cotangent."""
        (g,) = cotangents
        return [g[i].astype(x.dtype) for i, x in enumerate(inputs)]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The first input's shape behind the number of inputs."""
        return [(len(input_shapes), *input_shapes[0])]
