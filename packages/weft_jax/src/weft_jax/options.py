"""What XLA is told where it compiles for small arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import signature
from typing import Any, Final

import jax

from weft_graph import FunctionGraph
from weft_tensor import Reduction

__all__ = ["FEW", "has_reductions", "jit_small"]

FEW = 8192
"""Up to this many elements of all inputs, XLA is told that arrays are small."""

_IN_ONE_STEP: Final = {"xla_disable_hlo_passes": "tree_reduction_rewriter"}
"""XLA for CPUs cuts reductions of some hundred elements into steps of 32, each a kernel."""


def has_reductions(graph: FunctionGraph) -> bool:
    """Whether `graph` has any: only then `jit_small` differs from `jax.jit`.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> has_reductions(FunctionGraph(outputs=[x.sum()])), has_reductions(FunctionGraph(outputs=[x]))
    (True, False)
    """
    return any(isinstance(v.op, Reduction) for v in graph.nodes)


def jit_small(function: Callable[..., Any], **options: Any) -> Callable[[], Any]:
    """A function that gives `jax.jit` of `function`, for arrays of few elements.

    On a CPU, their reductions are one kernel each, together with what is reduced. That takes a
    quarter off the time to compile and to run, but is slower for large arrays. What JAX runs on
    is asked late, since asking makes JAX settle it.

    >>> jit_small(lambda x: (x * x).sum())()(jax.numpy.arange(3.0))
    Array(5., dtype=float32)
    """

    @cache
    def made() -> Any:
        known = "compiler_options" in signature(jax.jit).parameters  # not in older versions of JAX
        if known and jax.default_backend() == "cpu":
            return jax.jit(function, compiler_options=_IN_ONE_STEP, **options)
        return jax.jit(function, **options)

    return made
