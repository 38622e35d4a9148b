"""The base of tensor Ops: inputs are converted to tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from weft_graph import Op, Variable
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable

__all__ = ["TensorOp"]


class TensorOp(Op):
    """An Op whose inputs are tensors; numbers and arrays become constants."""

    def convert(self, inputs: tuple[TensorLike, ...]) -> tuple[Variable, ...]:
        """Each input by `as_tensor`."""
        return tuple([as_tensor(v) for v in inputs])

    @classmethod
    def examples(cls) -> list[tuple[Any, list[Any]]]:
        """(Op, input values) pairs from which `weft_testing.check_op` tests the class."""
        return []

    if TYPE_CHECKING:  # as `Op` has them, but for tensors

        def __call__(self, *inputs: TensorLike, **kwargs: object) -> TensorVariable:
            """Apply this Op."""

        def infer(self, *types: Any) -> Any:
            """The type, or types, of the results for inputs of `types`."""

        def pullback(
            self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
        ) -> Sequence[Any]:
            """Cotangents of the inputs, given those of the outputs."""

        def pushforward(
            self, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
        ) -> Any:
            """Tangents of the outputs, given those of the inputs."""

        def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
            """The shapes of the outputs as variables, from those of the inputs."""
