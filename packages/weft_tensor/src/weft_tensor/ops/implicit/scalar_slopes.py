"""The derivative of a scalar, whose own derivatives take one sweep backward at most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft_graph import OpFromGraph, grad, pushforward
from weft_graph.extend import closed_over
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.implicit.graph_slopes import GraphSlopes

__all__ = ["scalar_slopes"]


def scalar_slopes(
    cost: Callable[[TensorVariable], TensorVariable], x: TensorVariable
) -> TensorVariable:
    """The derivative of `cost(x)`, a scalar, by `x` alone.

    The sum of its elements, each times a weight, is how the cost moves along the weights. So its
    derivative backward is that of one forward: loops that were gone through backward for it are
    not gone through backward once more.

    >>> from weft_graph import grad
    >>> from weft_tensor import vector
    >>> x, a = vector("x"), vector("a")
    >>> slopes = scalar_slopes(lambda v: (a * v**3).sum(), x)
    >>> [v.eval({x: [1.0, 2.0], a: [1.0, 1.0]}) for v in (slopes, grad(slopes.sum(), a))]
    [array([ 3., 12.]), array([ 3., 12.])]
    """
    at, way = x.type(), x.type()
    value = cost(at)
    slopes = grad(value, at)
    (along,) = pushforward([value], [at], [way], disconnected_outputs="ignore")
    others = closed_over([slopes, along], [at, way])
    forward = GraphSlopes(OpFromGraph([at, *others], [slopes], inline=False), 1)
    backward = GraphSlopes(OpFromGraph([at, *others, way], [along], inline=False), 1)

    def pushed(
        inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        return forward.moved(inputs, (), tangents)

    def pulled(
        inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        one = as_tensor(1).astype(value.dtype)
        return backward.pulled(inputs, cotangents, [one])[:-1]

    op = OpFromGraph([at, *others], [slopes], "scalar_slopes", pulled, pushed)
    return as_tensor(op(x, *others))
