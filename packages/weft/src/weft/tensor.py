"""Tensors, and what one does with expressions of them: the one import for most users.

>>> import weft.tensor as wt
>>> x = wt.vector("x")
>>> f = wt.function([x], wt.grad(wt.sum(x**2), x))
>>> f([1.0, 2.0])
array([2., 4.])

`wt.wrap_jax` belongs to weft_jax, which is imported, with JAX, when one asks for it.
"""

from typing import TYPE_CHECKING

import weft_graph
from weft_graph import (
    Breakpoint,
    FunctionGraph,
    OpFromGraph,
    Print,
    ask,
    assume,
    checkpoint,
    custom_pullback,
    grad,
    pullback,
    pushforward,
    set_breakpoint,
    stop_gradient,
    value_and_grad,
    wrap_py,
)
from weft_graph.extend import imported_late
from weft_tensor import *
from weft_tensor import __all__, linalg, polynomial, random, special
from weft_tensor.elementwise import *
from weft_tensor.extend import names_by_numpy, unknown_name

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
    "polynomial",
    "pullback",
    "pushforward",
    "rewrite_graph",
    "set_breakpoint",
    "special",
    "stop_gradient",
    "to_html",
    "to_text",
    "value_and_grad",
    "wrap_py",
]

if TYPE_CHECKING:
    from weft_graph import (
        In,
        Mode,
        dprint,
        explain,
        function,
        rewrite_graph,
        to_html,
        to_text,
    )
    from weft_jax import wrap_jax as wrap_jax
else:
    _of_graphs = {n: "weft_graph" for n in __all__ if n not in globals()}
    _late, __dir__ = imported_late(__name__, _of_graphs)

    def __getattr__(name: str) -> object:
        if name in _of_graphs:
            return _late(name)
        if name != "wrap_jax":
            offered = {n: f"weft.{n}" for n in weft_graph.__all__} | names_by_numpy()
            offered |= {n: f"random.{n}" for n in random.__all__}
            offered |= {n: n for n in (*__all__, "wrap_jax")}
            raise unknown_name(__name__, name, offered, "numpy", "numpy.linalg")
        try:
            from weft_jax import wrap_jax
        except ModuleNotFoundError as error:
            if error.name != "weft_jax":
                raise
            problem = "wrap_jax needs the package weft-jax, which is not installed"
            raise ImportError(f"{problem}: pip install weft-jax") from None
        return wrap_jax
