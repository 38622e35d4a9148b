"""Values of a function, whose slopes are nothing far away where it is nothing itself.

1 / x**a is 0 where x**a is infinite, and the rule of its slope multiplies both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft_graph import OpFromGraph
from weft_graph.extend import closed_over
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs
from weft_tensor.ops.elementwise.comparison import isfinite, where

__all__ = ["with_slopes_nearby"]

_T = TensorVariable


class _Nearby(OpFromGraph):
    """Of places and one place that is near: derivatives are computed there where they are none."""

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The graph's own, of none of what is left out."""
        away, near, graph = self._near(inputs, outputs[0])
        return graph.pullback(near, outputs, [where(away, 0, cotangents[0])])

    def pushforward(
        self, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Any:
        """The graph's own, and none of what is left out."""
        away, near, graph = self._near(inputs, outputs[0])
        (change,) = graph.pushforward(near, outputs, tangents)
        return [None if change is None else where(away, 0, change)]

    def _near(self, inputs: Sequence[Any], values: _T) -> tuple[_T, list[Any], OpFromGraph]:
        """What is left out, inputs without that, and the graph as an Op like any other."""
        x, other, *more = inputs
        limits = np.finfo(x.dtype)
        # Up to there, powers of less than 10 are finite; beyond, no function is 0 by chance.
        far, nothing = float(limits.max) ** 0.1, float(limits.tiny) ** 0.9
        away = ~isfinite(values) | ((abs(values) < nothing) & (abs(x) > far))
        graph = OpFromGraph(self.graph.inputs, self.graph.outputs)
        return away, [where(away, other, x), other, *more], graph


def with_slopes_nearby(f: Callable[[_T], _T], x: _T, near: _T) -> _T:
    """`f(x)`, of floating numbers of its shape; no slopes where it is nothing far away, or NaN.

    There, derivatives are evaluated at `near`, which broadcasts with x.

    >>> from weft_graph import grad
    >>> from weft_tensor import as_tensor, exp, scalar
    >>> a = scalar("a")
    >>> terms = with_slopes_nearby(lambda x: exp(-a * x), as_tensor([1e40, 1.0]), as_tensor([2.0]))
    >>> grad(terms.sum(), a).eval({a: 2.0}).round(4)
    np.float64(-0.1353)
    """
    inputs = x.type("x"), near.type("near")
    values = f(inputs[0])
    others = closed_over([values], inputs)
    make: Any = _Nearby
    result: _T = make([*inputs, *others], values)(x, near, *others)
    return result
