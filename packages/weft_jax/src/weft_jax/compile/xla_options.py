"""Options for XLA where its habits on CPUs don't suit a graph."""

from __future__ import annotations

from typing import Final

from weft_graph import Constant, FunctionGraph, Input, Variable
from weft_graph.extend import Shared
from weft_tensor import Cast, Elemwise, ExpandDims, Inverse, Length, Solve, Sum, TensorType
from weft_tensor.extend import AxisReduction

__all__ = ["FEW", "QUICKLY", "XlaOptions", "is_flat", "sums_choices", "xla_options_for"]

FEW = 2**20
"""Up to this many elements of all inputs, one step is precise enough for sums of 32 bits."""

XlaOptions = dict[str, str | bool | int]
"""Options of XLA."""

_IN_ONE_STEP: Final[XlaOptions] = {"xla_disable_hlo_passes": "tree_reduction_rewriter"}
"""XLA for CPUs cuts reductions of some hundred elements into steps of 32, each a kernel."""
_AS_LOOPS: Final[XlaOptions] = _IN_ONE_STEP | {"xla_cpu_experimental_ynn_fusion_type": ""}
"""XLA for CPUs gives reductions to a library, which takes no comparisons: these come before, as
a kernel that writes all elements."""
_BY_LLVM: Final[XlaOptions] = {"xla_cpu_use_fusion_emitters": False}
"""XLA for CPUs makes loops by MLIR; by LLVM alone, a small one compiles in two thirds of the time.

But then what is reduced, and used by other loops, is computed again in each of them, and
scattering takes twice the time.
"""
_IN_WIDE_VECTORS: Final[XlaOptions] = {"xla_cpu_prefer_vector_width": 512}
"""As wide as the CPU has them, not half as wide: a tenth less time for loops of exp and log that
LLVM makes, but more where memory is what takes the time."""
QUICKLY: Final[XlaOptions] = {"xla_backend_optimization_level": 1}
"""Many kernels for small arrays compile in an eighth less time, and run as fast."""
_FEW_NODES: Final = 100

_CHEAP: Final = 4
"""The cost of functions that are cheap, at most."""
_REDUCING: Final = (AxisReduction, Inverse, Solve)
"""Ops whose implementations reduce arrays, be it to check a result."""
_ROUGH: Final = frozenset(["float32", "complex64"])
_PLAIN: Final = (Constant, Input, Shared, Cast, ExpandDims, Length)


def xla_options_for(graph: FunctionGraph) -> tuple[XlaOptions, bool]:
    """What to tell XLA on a CPU for `graph`, if anything, and whether only for small arrays.

    A reduction in one step is one kernel, together with what is reduced: it takes a quarter less
    time to compile, and for some reductions a third of the time to run. Sums of many numbers of
    32 bits are less precise by it.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> xla_options_for(FunctionGraph(outputs=[x.max()]))
    ({'xla_disable_hlo_passes': 'tree_reduction_rewriter'}, False)
    """
    kinds = [v.inputs[0].type for v in graph.nodes if isinstance(v.op, _REDUCING)]
    options: XlaOptions = {}
    if is_flat(graph):
        options = _BY_LLVM if all(map(_is_cheap, graph.nodes)) else _BY_LLVM | _IN_WIDE_VECTORS
    if kinds:
        options = options | (_AS_LOOPS if sums_choices(graph) else _IN_ONE_STEP)
    return options, not _ROUGH.isdisjoint([getattr(kind, "dtype", None) for kind in kinds])


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
    if Sum not in graph.op_classes:
        return False
    arrays = [
        v for v in graph.nodes if getattr(v.type, "ndim", 0) or isinstance(v.op, AxisReduction)
    ]
    return any(map(_compares, arrays)) and all(map(_is_cheap, arrays))


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
