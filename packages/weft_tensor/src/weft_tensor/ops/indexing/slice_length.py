"""How long `x[1:]` is: the length of a slice that variables say, or of an axis of such."""

from __future__ import annotations

from functools import cache

import numpy as np

from weft_tensor.build.kinds import Cut
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.indexing.slices import SCALAR, Slice
from weft_tensor.ops.indexing.subscript import build_key
from weft_tensor.types.tensor_type import TensorType

__all__ = ["SliceLength"]


class SliceLength(TensorOp):
    """How many elements a slice takes of an axis: from its length and the slice's variables."""

    view_of = ()
    facts = "any nonnegative finite integer no_negative_zero"
    part: Slice
    primitive = True

    def infer_from(self, *inputs: TensorVariable) -> TensorType:
        """An int64 scalar."""
        return TensorType("int64")

    def impl(self, *values: np.ndarray) -> Value:
        """As Python's `slice.indices` says."""
        n, *rest = values
        (key,) = build_key([self.part], rest, int)
        return np.int64(len(range(*key.indices(int(n)))))

    def kind(self, *inputs: TensorVariable) -> Cut:
        """By arithmetic, where the step is known."""
        return _cut(self.part)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """No dependence."""
        return [None] * len(inputs)

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """A scalar."""
        return [()]

    @classmethod
    def examples(cls) -> Examples:
        """From both ends, with negative steps, beyond the ends."""
        cases = [((SCALAR, None, None), [2]), ((None, SCALAR, -1), [-3]), ((9, None, SCALAR), [2])]
        return [(cls(Slice(*p)), [np.int64(5), *map(np.int64, v)]) for p, v in cases]

    def __str__(self) -> str:
        return "slice_length"


@cache
def _cut(part: Slice) -> Cut:
    return Cut(part, lambda n, *numbers: part.length(n, numbers))
