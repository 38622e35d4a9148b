"""Values that were found, as functions of what they were found for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft_graph import custom_pullback, replace, stop_gradient
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.shape.broadcast_to import broadcast_to

__all__ = ["following"]


def following(
    value: TensorVariable,
    slopes: Callable[..., Sequence[TensorVariable]],
    *parameters: TensorVariable,
) -> TensorVariable:
    """`value`, whose derivatives in the parameters are `slopes` of it and of these.

    `slopes` takes variables that do not depend on each other. They become those at the result,
    which has slopes itself: so all orders are right.
    """

    @custom_pullback
    def follow(x: TensorVariable, *p: TensorVariable) -> TensorVariable:
        return x

    @follow.define
    def pullback(
        inputs: Sequence[TensorVariable],
        outputs: Sequence[TensorVariable],
        cotangents: Sequence[TensorVariable],
    ) -> list[TensorVariable | None]:
        at = [outputs[0], *inputs[1:]]
        free = [v.type() for v in at]
        moved: Any = replace(list(slopes(*free)), dict(zip(free, at, strict=True)))
        return [None, *[v * cotangents[0] for v in moved]]

    sizes = [value.shape[n] for n in range(value.ndim)]
    result: TensorVariable = follow(
        stop_gradient(value), *[broadcast_to(v, sizes) for v in parameters]
    )
    return result
