"""What XLA is told where its habits on CPUs don't suit a graph."""

from __future__ import annotations

from collections.abc import Callable
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

__all__ = ["FEW", "QUICKLY", "Telling", "Told", "is_flat", "sums_choices", "told_for"]

FEW = 2**20
"""Up to this many elements of all inputs, one step is precise enough for sums of 32 bits."""

Told = dict[str, str | bool | int]
"""Options of XLA."""

_IN_ONE_STEP: Final[Told] = {"xla_disable_hlo_passes": "tree_reduction_rewriter"}
"""XLA for CPUs cuts reductions of some hundred elements into steps of 32, each a kernel."""
_AS_LOOPS: Final[Told] = _IN_ONE_STEP | {"xla_cpu_experimental_ynn_fusion_type": ""}
"""XLA for CPUs gives reductions to a library, which takes no comparisons: these come before, as
a kernel that writes all elements."""
_BY_LLVM: Final[Told] = {"xla_cpu_use_fusion_emitters": False}
"""XLA for CPUs makes loops by MLIR; by LLVM alone, a small one compiles in two thirds of the time.

But then what is reduced, and used by other loops, is computed again in each of them, and
scattering takes twice the time.
"""
_IN_WIDE_VECTORS: Final[Told] = {"xla_cpu_prefer_vector_width": 512}
"""As wide as the CPU has them, not half as wide: a tenth less time for loops of exp and log that
LLVM makes, but more where memory is what takes the time."""
QUICKLY: Final[Told] = {"xla_backend_optimization_level": 1}
"""Many kernels for small arrays compile in an eighth less time, and run as fast."""
_FEW_NODES: Final = 100

_CHEAP: Final = 4
"""The cost of functions that are cheap, at most."""
_REDUCING: Final = (Reduction, Inverse, Solve)
"""Ops whose implementations reduce arrays, be it to check a result."""
_ROUGH: Final = ("float32", "complex64")
_PLAIN: Final = (Constant, Input, Shared, Cast, ExpandDims, Length)


def told_for(graph: FunctionGraph) -> tuple[Told, bool]:
    """What to tell XLA on a CPU for `graph`, if anything, and whether only for small arrays.

    A reduction in one step is one kernel, together with what is reduced: it takes a quarter less
    time to compile, and for some reductions a third of the time to run. Sums of many numbers of
    32 bits are less precise by it.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> told_for(FunctionGraph(outputs=[x.max()]))
    ({'xla_disable_hlo_passes': 'tree_reduction_rewriter'}, False)
    """
    kinds = [v.inputs[0].type for v in graph.nodes if isinstance(v.op, _REDUCING)]
    told: Told = {}
    if is_flat(graph):
        told = _BY_LLVM if all(map(_is_cheap, graph.nodes)) else _BY_LLVM | _IN_WIDE_VECTORS
    if kinds:
        told = told | (_AS_LOOPS if sums_choices(graph) else _IN_ONE_STEP)
    is_rough = any(isinstance(k, TensorType) and k.dtype in _ROUGH for k in kinds)
    return told, is_rough


def is_flat(graph: FunctionGraph) -> bool:
    """Whether `graph` is a few elementwise Ops, and sums that no array depends on.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> [is_flat(FunctionGraph(outputs=[y])) for y in (wt.exp(x).sum() + 1, x / x.sum(), x.max())]
    [True, False, False]
    """
    if len(graph.nodes) > _FEW_NODES:
        return False
    sums: set[Variable] = set()
    for v in graph.nodes:
        is_sum = isinstance(v.op, Sum)
        if not is_sum and not isinstance(v.op, (Elemwise, *_PLAIN)):
            return False
        if is_sum or not sums.isdisjoint(v.inputs):
            sums.add(v)
    return not any(getattr(v.type, "ndim", 1) for v in sums)


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
    return isinstance(v.op, _PLAIN) or (isinstance(v.op, Elemwise) and v.op.scalar.cost <= _CHEAP)


def _compares(v: Variable) -> bool:
    """Whether `v` is truth values, or a choice by them."""
    if not isinstance(v.op, Elemwise):
        return False
    return v.op.name == "where" or (isinstance(v.type, TensorType) and v.type.dtype == "bool")


class Telling:
    """`jax.jit` of a function, whose compiler is told on CPUs what it understands.

    The first call of `run` finds out, and puts what was compiled in its own place: what is never
    called costs nothing. What JAX runs on is asked then, not before, since asking makes JAX
    settle it.

    >>> squares = Telling(lambda x: (x * x).sum(), {"no_such_option": ""} | _IN_ONE_STEP)
    >>> squares.run(jax.numpy.arange(3.0)), squares.run(jax.numpy.arange(4.0))
    (Array(5., dtype=float32), Array(14., dtype=float32))
    """

    def __init__(
        self, function: Callable[..., Any], told: Told | None = None, **options: Any
    ) -> None:
        self._function = function
        self._told = told or {}
        self._options = options
        self.run: Callable[..., Any] = self._first

    def _first(self, *values: Any) -> Any:
        told = self._told if jax.default_backend() == "cpu" else {}
        while True:
            known = {k: v for k, v in told.items() if k not in _unknown}
            jitted = jax.jit(self._function, compiler_options=known or None, **self._options)
            try:
                result = jitted(*values)
            except RuntimeError as error:  # of JAX, or of how it passes options on
                refused = [k for k in known if k in str(error)]
                if not refused:
                    raise
                _unknown.update(refused)
            else:
                self.run = jitted
                return result

    def __call__(self, *values: Any) -> Any:
        """What `run` gives; generated code calls that."""
        return self.run(*values)

    def clear_cache(self) -> None:
        """Forget what was compiled."""
        run: Any = self.run
        self.run = self._first
        if run != self._first:
            run.clear_cache()


_unknown: set[str] = set()
"""Options that this version of XLA has refused."""
