"""Tensors, and what one does with expressions of them: the one import for most users.

>>> import weft.tensor as wt
>>> x = wt.vector("x")
>>> f = wt.function([x], wt.grad(wt.sum(x**2), x))
>>> f([1.0, 2.0])
array([2., 4.])
"""

from weft_graph import (
    Breakpoint,
    FunctionGraph,
    In,
    Mode,
    OpFromGraph,
    Print,
    ask,
    assume,
    checkpoint,
    custom_pullback,
    dprint,
    explain,
    function,
    grad,
    pullback,
    pushforward,
    rewrite_graph,
    set_breakpoint,
    stop_gradient,
    to_html,
    to_text,
    value_and_grad,
    wrap_py,
)
from weft_tensor import *
from weft_tensor import __all__, linalg

__all__ = [
    *__all__,
    "Breakpoint",
    "FunctionGraph",
    "In",
    "Mode",
    "OpFromGraph",
    "Print",
    "ask",
    "assume",
    "checkpoint",
    "custom_pullback",
    "dprint",
    "explain",
    "function",
    "grad",
    "linalg",
    "pullback",
    "pushforward",
    "rewrite_graph",
    "set_breakpoint",
    "stop_gradient",
    "to_html",
    "to_text",
    "value_and_grad",
    "wrap_py",
]
