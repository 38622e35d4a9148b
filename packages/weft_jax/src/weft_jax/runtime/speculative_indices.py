"""The strategy of speculation: indices are taken for positive until one is not.

A negative index counts from the end. To add the length where it is negative takes XLA a kernel,
half as long again to compile as an update needs by itself, and passes over the indices at each
call, though hardly anybody has negative ones there. The host looks at the indices anyway.
Benchmark `scatter`: compiled in 48 ms in place of 65, 173 µs a call in place of 190. Of 1,000
rows, 300 are read in 66 µs in place of 83.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax

from weft_graph import FunctionGraph, Variable
from weft_jax.analysis.printing import prints
from weft_jax.compile.compile_stats import Specialised
from weft_jax.compile.tracing import Run
from weft_jax.runtime.call import Call, Variant
from weft_jax.runtime.runtime_checks import CountsFromEndError
from weft_tensor import Gather, Scatter
from weft_tensor.extend import ARRAY, Slice, kind_of

__all__ = ["SpeculativeIndices", "can_speculate", "indexed_axis", "with_speculation"]


def indexed_axis(entries: Sequence[Any]) -> int | None:
    """The axis along which an index array says where to read or update, if all others are full.

    >>> import weft_tensor as wt
    >>> x, k = wt.matrix(), wt.vector(dtype="int64")
    >>> indexed_axis(x[:, k].op.entries), indexed_axis(x[1:, k].inc(1.0).op.entries)
    (1, None)
    """
    rest = [e for e in entries if not (isinstance(e, Slice) and e.is_full)]
    return entries.index(ARRAY) if rest == [ARRAY] else None


def can_speculate(graph: FunctionGraph) -> bool:
    """Whether inputs of `graph` are such indices, and nothing shows if it is computed twice."""
    are_inputs = not set(graph.inputs).isdisjoint(map(_index, graph.nodes))
    return are_inputs and not prints(graph)


def _index(v: Variable) -> Variable | None:
    """The indices of what reads or updates along one axis."""
    kind = kind_of(v)
    if not isinstance(kind, Gather | Scatter) or callable(kind.at) or indexed_axis(kind.at) is None:
        return None
    return v.inputs[1 if isinstance(kind, Gather) else 2]


def with_speculation(call: Call) -> Variant | None:
    """For any values, until an index is negative: one computed in vain, none thereafter."""
    if not can_speculate(call.plan.graph):
        return None
    traced = call.tracer.traced(call.plan, call.run_steps, speculates=True)
    others = [strategy for strategy in call.strategies if strategy is not with_speculation]
    width = len(call.plan.sizes)
    jitted = Specialised(traced, width) if width else jax.jit(traced)
    inner = replace(call, traced=traced, jitted=jitted, strategies=others)
    return Variant(
        f"(found := speculation({', '.join(call.names)})) is not None",
        ["return found"],
        {"speculation": SpeculativeIndices(inner.run())},
        is_whole=True,
    )


class SpeculativeIndices:
    """What `run` returns, until it meets a negative index: None from then on.

    >>> def run(index):
    ...     if index < 0:
    ...         raise CountsFromEndError
    ...     return index % 9
    >>> speculation = SpeculativeIndices(run)
    >>> speculation(2), speculation(-1), speculation(3)
    (2, None, None)
    """

    def __init__(self, run: Run) -> None:
        self._run: Callable[..., Any] | None = run

    def __call__(self, *values: object) -> object:
        """What the function gives."""
        if self._run is None:
            return None
        try:
            return self._run(*values)
        except CountsFromEndError:
            self._run = None
            return None
