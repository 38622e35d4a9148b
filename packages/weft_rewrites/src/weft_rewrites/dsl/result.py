"""What a rule on a class of Ops is given."""

from __future__ import annotations

from typing import Generic, TypeVar

from weft_graph import Op
from weft_tensor import TensorVariable

__all__ = ["Result"]

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
