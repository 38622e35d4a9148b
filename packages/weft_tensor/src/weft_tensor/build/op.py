"""The base of tensor Ops: inputs are converted to tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft_graph import Op, Variable
from weft_tensor.build.convert import as_tensor

if TYPE_CHECKING:
    from weft_tensor.front.variable import TensorVariable

__all__ = ["TensorOp"]


class TensorOp(Op):
    """An Op whose inputs are tensors; numbers and arrays become constants."""

    def convert(self, inputs: tuple[Any, ...]) -> tuple[Variable, ...]:
        """Each input by `as_tensor`."""
        return tuple([as_tensor(v) for v in inputs])

    @classmethod
    def examples(cls) -> list[tuple[Any, list[Any]]]:
        """(Op, input values) pairs from which `weft_testing.check_op` tests the class."""
        return []

    if TYPE_CHECKING:  # the same as `Op.__call__`, which says less of its result

        def __call__(self, *inputs: Any, **kwargs: Any) -> TensorVariable:
            """Apply this Op."""
