"""Tensors, and what one does with expressions of them: the one import for most users.

>>> import weft.tensor as wt
>>> x = wt.vector("x")
>>> f = wt.function([x], wt.grad(wt.sum(x**2), x))
>>> f([1.0, 2.0])
array([2., 4.])
"""

import weft_tensor
from weft_graph import (
    FunctionGraph,
    Mode,
    dprint,
    function,
    grad,
    pullback,
    rewrite_graph,
    stop_gradient,
)
from weft_tensor import *
from weft_tensor import linalg

__all__ = [
    "FunctionGraph",
    "Mode",
    "dprint",
    "function",
    "grad",
    "linalg",
    "pullback",
    "rewrite_graph",
    "stop_gradient",
]
__all__ += weft_tensor.__all__
