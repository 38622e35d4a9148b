"""Values that were found, as functions of what they were found for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from weft_graph import OpFromGraph, Type, Variable, stop_gradient
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.shape.broadcast_to import broadcast_to

__all__ = ["deriving", "following"]


def following(
    value: TensorVariable,
    slopes: Callable[..., Sequence[TensorVariable]],
    *parameters: TensorVariable,
) -> TensorVariable:
    """`value`, whose derivatives in the parameters are `slopes` of it and of these.

    `slopes` takes variables that do not depend on each other. They become those at the result,
    which has slopes itself: so all orders are right.
    """
    sizes = [value.shape[n] for n in range(value.ndim)]
    at = [stop_gradient(value), *[broadcast_to(v, sizes) for v in parameters]]
    result: TensorVariable = _follow(slopes, tuple([v.type for v in at]))(*at)
    return result


def deriving(value: TensorVariable, formula: TensorVariable) -> TensorVariable:
    """`value`, whose derivatives are those of a formula that is known to give it.

    The formula is computed where derivatives are taken, and nowhere else.

    >>> from weft_graph import grad
    >>> from weft_tensor import scalar
    >>> x = scalar("x")
    >>> [v.eval({x: 3.0}).item() for v in (deriving(x + 1, x**2), grad(deriving(x + 1, x**2), x))]
    [4.0, 6.0]
    """
    result: TensorVariable = _derive(value.type, formula.type)(value, formula)
    return result


@lru_cache(maxsize=256)
def _derive(*types: Type) -> OpFromGraph:
    value, formula = (kind() for kind in types)
    return OpFromGraph([value, formula], value, "derive", lambda i, o, slopes: [None, slopes[0]])


@lru_cache(maxsize=256)
def _follow(slopes: Callable[..., Sequence[TensorVariable]], types: Sequence[Type]) -> OpFromGraph:
    free: list[Any] = [kind() for kind in types]
    pullback = _Pullback(OpFromGraph(free, slopes(*free)))
    return OpFromGraph(free, free[0], "follow", pullback)


@dataclass(frozen=True)
class _Pullback:
    slopes: OpFromGraph

    def __call__(
        self,
        inputs: Sequence[Any],
        outputs: Sequence[Variable],
        cotangents: Sequence[TensorVariable],
    ) -> list[Variable | None]:
        slopes = self.slopes.body([outputs[0], *inputs[1:]])
        pairs = zip(slopes, inputs[1:], strict=True)
        return [None, *[(v * cotangents[0]).astype(x.dtype) for v, x in pairs]]
