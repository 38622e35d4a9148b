"""What XLA is told where its habits on CPUs don't suit a graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import signature
from typing import Any, Final

import jax

from weft_graph import Constant, FunctionGraph, Input, Shared, Variable
from weft_tensor import (
    Cast,
    Elemwise,
    ExpandDims,
    Inverse,
    Length,
    Reduction,
    Solve,
    Sum,
    TensorType,
)

__all__ = ["FEW", "Told", "jit_told", "sums_choices", "told_for"]

FEW = 2**20
"""Up to this many elements of all inputs, one step is precise enough for sums of 32 bits."""

Told = dict[str, str]
"""Options of XLA."""

_IN_ONE_STEP: Final[Told] = {"xla_disable_hlo_passes": "tree_reduction_rewriter"}
"""XLA for CPUs cuts reductions of some hundred elements into steps of 32, each a kernel."""
_AS_LOOPS: Final[Told] = _IN_ONE_STEP | {"xla_cpu_experimental_ynn_fusion_type": ""}
"""XLA for CPUs gives reductions to a library, which takes no comparisons: these come before, as
a kernel that writes all elements."""

_COMPARING: Final = frozenset(
    {"where", "eq", "neq", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite"}
    | {"logical_and", "logical_or", "logical_xor", "logical_not"}
)
_CHEAP: Final = _COMPARING | frozenset(
    ["add", "sub", "mul", "true_div", "neg", "abs", "sign", "square", "sqrt", "minimum", "maximum"]
)
_REDUCING: Final = (Reduction, Inverse, Solve)
"""Ops whose implementations reduce arrays, be it to check a result."""
_ROUGH: Final = ("float32", "complex64")
_PLAIN: Final = (Constant, Input, Shared, Cast, ExpandDims, Length)


def told_for(graph: FunctionGraph) -> tuple[Told, bool] | None:
    """What to tell XLA on a CPU where `graph` reduces arrays, and whether only for small ones.

    A reduction in one step is one kernel, together with what is reduced: it takes a quarter less
    time to compile, and for some reductions a third of the time to run. Sums of many numbers of
    32 bits are less precise by it.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> told_for(FunctionGraph(outputs=[x.sum()]))
    ({'xla_disable_hlo_passes': 'tree_reduction_rewriter'}, False)
    """
    kinds = [v.inputs[0].type for v in graph.nodes if isinstance(v.op, _REDUCING)]
    if not kinds:
        return None
    is_rough = any(isinstance(k, TensorType) and k.dtype in _ROUGH for k in kinds)
    return _AS_LOOPS if sums_choices(graph) else _IN_ONE_STEP, is_rough


def sums_choices(graph: FunctionGraph) -> bool:
    """Whether `graph` sums what comparisons choose, along rows, and does little else with arrays.

    Such sums take a third of the time as loops. Others get slower by it: maxima, sums of
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


def jit_told(function: Callable[..., Any], told: Told, **options: Any) -> Callable[[], Any]:
    """A function that gives `jax.jit` of `function`, whose compiler is told this on CPUs.

    What JAX runs on is asked late, since asking makes JAX settle it.

    >>> jit_told(lambda x: (x * x).sum(), _IN_ONE_STEP)()(jax.numpy.arange(3.0))
    Array(5., dtype=float32)
    """

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
