"""Options for XLA where its habits on CPUs don't suit a graph."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import starmap
from math import prod
from typing import Final

import jax

from weft_graph import Constant, FunctionGraph, Input, Item, Op, Variable
from weft_graph.extend import Identity, Loop, Shared, nodes_inside
from weft_jax.analysis.steady_slices import HOLDING
from weft_jax.lowering.dispatch import COPYING
from weft_tensor import Gather, Kind, Length, Pointwise, Reduction, TensorType, View
from weft_tensor.extend import ARRAY, LOOP, SCALARS, Slice, as_axes, kind_of, kinds_of

__all__ = [
    *("FEW", "QUICKLY", "REDUCING", "WITHOUT_LIBRARIES", "XlaOptions", "cheap_sums"),
    *("has_many_steps", "is_flat", "sums_chains", "sums_choices", "xla_options_for"),
]

FEW = 2**20
"""Up to this many elements of all inputs, one step is precise enough for sums of 32 bits."""

Kinds = Mapping[Variable, Kind | None]
"""The nodes of a graph, and what their Ops say that they are."""

XlaOptions = dict[str, str | bool | int]
"""Options of XLA."""

_IN_ONE_STEP: Final[XlaOptions] = {"xla_disable_hlo_passes": "tree_reduction_rewriter"}
"""XLA for CPUs cuts reductions of some hundred elements into steps of 32, each a kernel."""
_AS_LOOPS: Final[XlaOptions] = _IN_ONE_STEP | {"xla_cpu_experimental_ynn_fusion_type": ""}
"""XLA for CPUs gives reductions to a library, which takes no comparisons: these come before, as
a kernel that writes all elements."""
_BY_LLVM: Final[XlaOptions] = (
    {"xla_cpu_use_fusion_emitters": False} if jax.__version_info__ < (0, 12) else {}
)
"""XLA for CPUs makes loops by MLIR; by LLVM alone, a small one compiles in two thirds of the time.

But then what is reduced, and used by other loops, is computed again in each of them, and
scattering takes twice the time. JAX 0.12 has no such option, and takes 10 ms to say so.
"""
WITHOUT_LIBRARIES: Final = _BY_LLVM | _AS_LOOPS
"""Kernels by LLVM, of loops alone: what can be told of single kernels, too."""
_IN_WIDE_VECTORS: Final[XlaOptions] = {"xla_cpu_prefer_vector_width": 512}
"""As wide as the CPU has them, not half as wide: a tenth less time for loops of exp and tanh that
LLVM makes, a quarter less for polynomials, but more where memory is what takes the time."""
_SOME_STEPS: Final = 16
"""So many cheap functions take longer than memory."""
_ONE_BY_ONE: Final = frozenset(map(Pointwise, ["log", "log1p", "log2", "log10", "pow"]))
"""XLA calls C's functions for each element of these: wider vectors take a sixth to a third more."""
QUICKLY: Final[XlaOptions] = {"xla_backend_optimization_level": 1}
"""Many kernels for small arrays compile in an eighth less time, and run as fast."""
_FEW_NODES: Final = 100
_MANY_STEPS: Final = 300
_SMALL: Final = 2**16
"""How many numbers are few."""

_BY_LIBRARY: Final = frozenset(["add", "maximum", "minimum"])
_DTYPES_OF_LIBRARY: Final = frozenset(["float32", "float64"])
_FASTER_BY_MLIR: Final = frozenset(["arcsinh", "arctan"])
_CHEAP: Final = 4
"""The cost of functions that are cheap, at most."""
_HAS_FEW_CORES: Final = (os.cpu_count() or 1) <= 4
REDUCING: Final[set[type[Op]]] = set()
"""Ops that are no reductions, but whose functions reduce arrays, be it to check a result."""
_ROUGH: Final = frozenset(["float32", "complex64"])
_PLAIN: Final = (Constant, Identity, Input, Shared, Length)


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
    kinds = kinds_of(graph)
    reduced = [
        getattr(v.inputs[0].type, "dtype", None)
        for v, kind in kinds.items()
        if isinstance(kind, Reduction) or type(v.op) in REDUCING
    ]
    options: XlaOptions = {}
    if not HOLDING.isdisjoint(graph.op_classes) and has_many_steps(graph):
        options = _BY_LLVM
    elif is_flat(kinds):
        one_by_one = not _ONE_BY_ONE.isdisjoint(kinds.values())
        is_narrow = one_by_one or (
            all(starmap(_is_cheap, kinds.items()))
            and len([kind for kind in kinds.values() if isinstance(kind, Pointwise)]) < _SOME_STEPS
        )
        options = _BY_LLVM if is_narrow else _BY_LLVM | _IN_WIDE_VECTORS
    if reduced and not any(starmap(_combines_rows, kinds.items())):
        cheap = cheap_sums(kinds)
        by_loops = cheap and (sums_choices(cheap) or (_HAS_FEW_CORES and sums_chains(cheap)))
        options = options | (_AS_LOOPS if by_loops else _IN_ONE_STEP)
    return options, not _ROUGH.isdisjoint(reduced)


def has_many_steps(graph: FunctionGraph) -> bool:
    """Whether loops in `graph` have hundreds of steps, with few numbers each.

    Fits of differential equations, with their gradients, compile in two thirds of the time, and
    run as fast.

    >>> import weft_tensor as wt
    >>> def judged(x):
    ...     step = lambda i, x: sum(wt.sin(x * k) for k in range(200))
    ...     return has_many_steps(FunctionGraph(outputs=[wt.fori_loop(0, 9, step, x)]))
    >>> judged(wt.vector("x", shape=(3,))), judged(wt.vector("x"))
    (True, False)
    """
    shapes = [getattr(v.type, "shape", (None,)) for v in graph.inputs]
    if not all(isinstance(n, int) for shape in shapes for n in shape):
        return False
    inside = [u for v in graph.nodes for u in nodes_inside(v.op)]
    return len(inside) >= _MANY_STEPS and all(map(_may_be_few, [*graph.inputs, *inside]))


def _may_be_few(v: Variable) -> bool:
    lengths = [n for n in getattr(v.type, "shape", ()) if isinstance(n, int)]
    return prod(lengths) <= _SMALL


def is_flat(kinds: Kinds) -> bool:
    """Whether nodes are a few elementwise Ops, and sums that no array depends on.

    Loops whose steps are such Ops of scalars may be among them, and what their first and last
    states are put together and cut off by: what XLA makes of loops over all steps of a series, of
    their gradients and the sums of these, compiles in two thirds of the time, and runs as fast.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> graphs = [FunctionGraph(outputs=[y]) for y in (wt.exp(x).sum() + 1, x / x.sum(), x.max())]
    >>> [is_flat(kinds_of(graph)) for graph in graphs]
    [True, False, False]
    """
    if len(kinds) > _FEW_NODES:
        return False
    sums: set[Variable] = set()
    loops = [v for v in kinds if isinstance(v.op, Loop)]
    for v, kind in kinds.items():
        is_sum = isinstance(kind, Reduction) and kind.combine == "add"
        if not (is_sum or _is_function(v, kind) or (loops and _is_beside_loops(v, kind))):
            return False
        if is_sum or not (sums.isdisjoint(v.inputs) or isinstance(v.op, Loop)):
            sums.add(v)
    return not any(getattr(v.type, "ndim", 1) for v in sums)


Arrays = Sequence[tuple[Variable, Kind | None]]


def cheap_sums(kinds: Kinds) -> Arrays:
    """The nodes that are arrays, or sums of them, if all are cheap and there are sums along rows.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> graphs = [FunctionGraph(outputs=[y]) for y in ((x * x).sum(), wt.exp(x).sum(), x * x)]
    >>> [len(cheap_sums(kinds_of(graph))) for graph in graphs]
    [2, 0, 0]
    """
    arrays = [
        (v, kind)
        for v, kind in kinds.items()
        if getattr(v.type, "ndim", 0) or isinstance(kind, Reduction)
    ]
    sums = [v for v, kind in arrays if isinstance(kind, Reduction) and kind.combine == "add"]
    return arrays if sums and all(starmap(_is_cheap, arrays)) else []


def sums_choices(arrays: Arrays) -> bool:
    """Whether cheap sums are of what comparisons or indices choose.

    Such sums take a third of the time as loops. Others get slower by it: maxima, sums of
    exponentials, sums along columns.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> def judged(y):
    ...     return sums_choices(cheap_sums(kinds_of(FunctionGraph(outputs=[y]))))
    >>> judged(wt.where(x < 0, x, 0.0).sum()), judged((x * x).sum())
    (True, False)
    >>> judged(x[wt.vector("k", "int64")].sum())
    True
    """
    return any(starmap(_chooses, arrays))


def sums_chains(arrays: Arrays) -> bool:
    """Whether cheap sums are of slices, or of what two or more functions make.

    The library goes over the elements once for each function, and slices are written before. As
    loops, sums of squared differences take a third to half of the time on few cores, those of
    slices half to nine tenths; but sums over all axes, which loops do on one core, take more on
    many.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> def judged(y):
    ...     return sums_chains(cheap_sums(kinds_of(FunctionGraph(outputs=[y]))))
    >>> judged(wt.square(x - 1).sum()), judged((x * x).sum()), judged((wt.exp(x) * x).sum())
    (True, False, False)
    >>> judged(x[1:].sum())
    True
    """
    if any(isinstance(kind, Gather) and _is_sliced(kind) for _, kind in arrays):
        return True
    return len([v for v, kind in arrays if isinstance(kind, Pointwise) and kind.of != "cast"]) > 1


def _rank(v: Variable) -> int:
    return v.type.ndim if isinstance(v.type, TensorType) else 0


def _is_plain(v: Variable, kind: Kind | None) -> bool:
    """Whether `v` is no work: given, a length, or the same elements with axes of length 1 more."""
    if isinstance(kind, View):
        own = [a for a in kind.axes if a is not None]
        return not kind.stretched and own == list(range(_rank(v.inputs[0])))
    return isinstance(v.op, _PLAIN)


def _is_function(v: Variable, kind: Kind | None) -> bool:
    """Whether `v` is elementwise, without a loop for each element, or no work."""
    if isinstance(kind, Pointwise) and not kind.positions:
        return kind.of not in SCALARS or (
            SCALARS[kind.of].cost < LOOP and kind.of not in _FASTER_BY_MLIR
        )
    return _is_plain(v, kind)


def _is_beside_loops(v: Variable, kind: Kind | None) -> bool:
    """Whether `v` is a loop of scalars, or belongs to one."""
    if isinstance(kind, Gather):
        return _is_sliced(kind)
    if not isinstance(v.op, Loop):
        return isinstance(v.op, (Item, *COPYING))
    return all(
        isinstance(u.op, (Item, Loop)) or (not _rank(u) and _is_function(u, kind_of(u)))
        for u in nodes_inside(v.op)
    )


def _combines_rows(v: Variable, kind: Kind | None) -> bool:
    """Whether `v` is what no library reduces, along an axis in whose direction memory is not read.

    In one step, XLA's loop goes along that axis inside: from row to row for each number.
    """
    if not isinstance(kind, Reduction):
        return False
    if kind.combine in _BY_LIBRARY and getattr(v.type, "dtype", "") in _DTYPES_OF_LIBRARY:
        return False
    ndim = _rank(v.inputs[0])
    return ndim > 1 and ndim - 1 not in as_axes(kind.axis, ndim)


def _is_cheap(v: Variable, kind: Kind | None) -> bool:
    if isinstance(kind, Reduction):
        ndim = _rank(v.inputs[0])
        return kind.combine == "add" and ndim - 1 in as_axes(kind.axis, ndim)
    if isinstance(kind, Pointwise):
        return kind.of == "cast" or (kind.of in SCALARS and SCALARS[kind.of].cost <= _CHEAP)
    if isinstance(kind, Gather):
        return _is_at_indices(kind) or _is_sliced(kind)
    return _is_plain(v, kind)


def _is_at_indices(kind: Gather) -> bool:
    return not callable(kind.at) and ARRAY in kind.at


def _is_sliced(kind: Gather) -> bool:
    return not callable(kind.at) and all(isinstance(k, Slice) for k in kind.at)


def _chooses(v: Variable, kind: Kind | None) -> bool:
    """Whether `v` is truth values, or a choice by them or by indices."""
    if isinstance(kind, Gather):
        return _is_at_indices(kind)
    if not isinstance(kind, Pointwise) or kind.of == "cast":
        return False
    return kind.of == "where" or (isinstance(v.type, TensorType) and v.type.dtype == "bool")
