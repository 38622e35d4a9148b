"""What XLA is told where its habits on CPUs don't suit a graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import signature
from typing import Any, Final

import jax

from weft_graph import Constant, FunctionGraph, Input, Shared, Variable
from weft_tensor import Cast, Elemwise, ExpandDims, Length, Reduction, Sum, TensorType

__all__ = ["FEW", "has_reductions", "jit_loops", "jit_small", "sums_choices"]

FEW = 8192
"""Up to this many elements of all inputs, XLA is told that arrays are small."""

_IN_ONE_STEP: Final = {"xla_disable_hlo_passes": "tree_reduction_rewriter"}
"""XLA for CPUs cuts reductions of some hundred elements into steps of 32, each a kernel."""
_AS_LOOPS: Final = _IN_ONE_STEP | {"xla_cpu_experimental_ynn_fusion_type": ""}
"""XLA for CPUs gives reductions to a library, which takes no comparisons: these come before, as
a kernel that writes all elements."""

_COMPARING: Final = frozenset(
    {"where", "eq", "neq", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite"}
    | {"logical_and", "logical_or", "logical_xor", "logical_not"}
)
_CHEAP: Final = _COMPARING | frozenset(
    ["add", "sub", "mul", "true_div", "neg", "abs", "sign", "square", "sqrt", "minimum", "maximum"]
)
_PLAIN: Final = (Constant, Input, Shared, Cast, ExpandDims, Length)


def has_reductions(graph: FunctionGraph) -> bool:
    """Whether `graph` has any: only then `jit_small` differs from `jax.jit`.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> has_reductions(FunctionGraph(outputs=[x.sum()])), has_reductions(FunctionGraph(outputs=[x]))
    (True, False)
    """
    return any(isinstance(v.op, Reduction) for v in graph.nodes)


def sums_choices(graph: FunctionGraph) -> bool:
    """Whether `graph` sums what comparisons choose, along rows, and does little else with arrays.

    Such sums take a third of the time with `jit_loops`. It makes others slower: maxima, sums of
    exponentials, sums along columns.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> def judged(y):
    ...     return sums_choices(FunctionGraph(outputs=[y]))
    >>> judged(wt.where(x < 0, x, 0.0).sum()), judged((x * x).sum()), judged(wt.exp(x).sum())
    (True, False, False)
    """
    arrays = [v for v in graph.nodes if getattr(v.type, "ndim", 0) or isinstance(v.op, Reduction)]
    is_sum = any(isinstance(v.op, Sum) for v in arrays)
    return is_sum and any(map(_compares, arrays)) and all(map(_is_cheap, arrays))


def _is_cheap(v: Variable) -> bool:
    if isinstance(v.op, Sum):
        kind = v.inputs[0].type
        return isinstance(kind, TensorType) and kind.ndim - 1 in v.op.axis
    return isinstance(v.op, _PLAIN) or (isinstance(v.op, Elemwise) and v.op.name in _CHEAP)


def _compares(v: Variable) -> bool:
    return isinstance(v.op, Elemwise) and v.op.name in _COMPARING


def jit_small(function: Callable[..., Any], **options: Any) -> Callable[[], Any]:
    """A function that gives `jax.jit` of `function`, for arrays of few elements.

    On a CPU, their reductions are one kernel each, together with what is reduced. That takes a
    quarter off the time to compile and to run, but is slower for large arrays. What JAX runs on
    is asked late, since asking makes JAX settle it.

    >>> jit_small(lambda x: (x * x).sum())()(jax.numpy.arange(3.0))
    Array(5., dtype=float32)
    """
    return _jitted(function, _IN_ONE_STEP, options)


def jit_loops(function: Callable[..., Any], **options: Any) -> Callable[[], Any]:
    """A function that gives `jax.jit` of `function`, for a graph that `sums_choices`.

    On a CPU, each of its sums is one loop, together with what is summed.

    >>> from jax.numpy import arange, where
    >>> jit_loops(lambda x: where(x > 1, x, 0).sum())()(arange(4.0))
    Array(5., dtype=float32)
    """
    return _jitted(function, _AS_LOOPS, options)


def _jitted(
    function: Callable[..., Any], told: dict[str, str], options: dict[str, Any]
) -> Callable[[], Any]:
    @cache
    def made() -> Any:
        if jax.default_backend() == "cpu" and _understands(tuple(told.items())):
            return jax.jit(function, compiler_options=told, **options)
        return jax.jit(function, **options)

    return made


@cache
def _understands(told: tuple[tuple[str, str], ...]) -> bool:
    """Whether this version of JAX and of XLA knows these options."""
    if "compiler_options" not in signature(jax.jit).parameters:
        return False
    if told == tuple(_IN_ONE_STEP.items()):
        return True
    try:
        jax.jit(lambda: 0).lower().compile(compiler_options=dict(told))
    except jax.errors.JaxRuntimeError:
        return False
    return True
