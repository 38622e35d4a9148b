"""The base of tensor Ops: inputs are converted to tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from weft_graph import Op, Variable
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import Size, TensorLike, TensorVariable

__all__ = ["Cotangents", "Examples", "Shapes", "TensorApply", "TensorOp", "Tensors", "Value"]

Tensors = Sequence[TensorVariable]
"""What the derivatives of an Op are given."""

Cotangents = Sequence[TensorVariable | None]
"""What they give, or tangents: None stands for zero."""

Shapes = Sequence[Sequence[Size]]
"""The shapes of several tensors of a graph."""

Value = np.ndarray | np.generic
"""What an Op computes: an array, or NumPy's scalar for one of rank 0."""

Examples = Sequence[tuple[Op, Sequence[Any]]]
"""Ops with values of their inputs."""


class TensorApply(Protocol):
    """An `Apply` of an Op to tensors."""

    @property
    def inputs(self) -> Tensors:
        """What the Op is applied to."""

    @property
    def outputs(self) -> Tensors:
        """Its results."""


class TensorOp(Op):
    """An Op whose inputs are tensors; numbers and arrays become constants."""

    def convert(self, inputs: tuple[TensorLike, ...]) -> tuple[Variable, ...]:
        """Each input by `as_tensor`."""
        return tuple([as_tensor(v) for v in inputs])

    @classmethod
    def examples(cls) -> Examples:
        """(Op, input values) pairs from which `weft_testing.check_op` tests the class."""
        return []

    if TYPE_CHECKING:  # the same as `Op.__call__`, which says less of its result

        def __call__(self, *inputs: TensorLike, **kwargs: object) -> TensorVariable:
            """Apply this Op."""
