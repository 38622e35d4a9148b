"""Ops applied to tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft_graph.extend import apply

if TYPE_CHECKING:
    from weft_graph import Op, Variable
    from weft_graph.extend import Place
    from weft_tensor.build.variable import TensorVariable

    def applied(op: Op, inputs: tuple[Variable, ...], place: Place | None = None) -> TensorVariable:
        """`weft_graph.extend.apply` for Ops whose result is a tensor."""
else:
    applied = apply

__all__ = ["applied"]
