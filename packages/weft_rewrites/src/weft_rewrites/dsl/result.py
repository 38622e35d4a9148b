"""What a rule on a class of Ops is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from weft_graph import Op
from weft_tensor import TensorVariable
from weft_tensor.extend import inferred_shapes

__all__ = ["Result", "shape_of"]

OpT = TypeVar("OpT", bound=Op)


class Result(TensorVariable, Generic[OpT]):
    """For annotations: a tensor that an Op of the class in brackets makes.

    >>> from weft_graph import rule
    >>> from weft_tensor import Squeeze
    >>> @rule(Squeeze)
    ... def no_axes(node: Result[Squeeze]) -> TensorVariable | None:
    ...     return None if node.op.axis else node.inputs[0]
    """

    __slots__ = ()
    op: OpT


def shape_of(node: TensorVariable) -> Sequence[TensorVariable]:
    """The lengths of the axes of `node`, found without computing it.

    >>> from weft_tensor import exp, vector
    >>> shape_of(exp(vector("x", shape=(3,))))
    (<3 : int64>,)
    """
    shapes = inferred_shapes(node)
    assert shapes is not None, f"{node.op} has no infer_shape"
    return shapes[0]
