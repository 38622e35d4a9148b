"""The position along an axis, at each point of a shape."""

from __future__ import annotations

from functools import cache

import numpy as np

from weft_tensor.build.kinds import Pointwise
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.shape.length import static_length
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Iota"]


class Iota(TensorOp):
    """The index along `axis` at each point of the shape that the inputs are, as int64."""

    view_of = ()
    axis: int
    primitive = True

    def infer_from(self, *inputs: TensorVariable) -> TensorType:
        """As the lengths say."""
        if not 0 <= self.axis < len(inputs):
            raise ValueError(f"axis {self.axis} is out of range for {len(inputs)} lengths")
        return TensorType("int64", map(static_length, inputs))

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.indices`, of one axis."""
        places = np.arange(int(values[self.axis]))
        behind = (1,) * (len(values) - 1 - self.axis)
        return np.broadcast_to(places.reshape(-1, *behind), tuple(map(int, values)))

    def kind(self, *inputs: TensorVariable) -> Pointwise:
        """The position along the axis."""
        return _iota(len(inputs) + self.axis)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """No dependence."""
        return [None] * len(inputs)

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The lengths."""
        return [tuple(node.inputs)]

    @classmethod
    def examples(cls) -> Examples:
        """Of one, two and three axes; of no points."""
        cases = ((0, (3,)), (0, (2, 3)), (1, (2, 3)), (1, (2, 3, 2)), (1, (0, 2)))
        return [(cls(axis), list(map(np.int64, shape))) for axis, shape in cases]

    def __str__(self) -> str:
        return f"iota[{self.axis}]"


@cache
def _iota(which: int) -> Pointwise:
    return Pointwise(lambda *values: values[which], positions=True)
