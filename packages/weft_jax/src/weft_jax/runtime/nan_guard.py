"""Which node made the first NaN, found by running the graph in Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft_graph import FunctionGraph, Variable, py_funcify
from weft_graph.extend import node_note, transpile, without_prints
from weft_jax.compile.tracing import Run
from weft_jax.lowering.on_host import on_host

__all__ = ["first_nan", "guarded"]


def guarded(run: Run, graph: FunctionGraph) -> Run:
    """`run`, which computes `graph`, raising FloatingPointError where a result has NaN."""

    def checked(*values: object) -> object:
        results = run(*values)
        for k, result in enumerate(results):
            if _has_nan(result):
                raise first_nan(graph, values, k)
        return results

    return checked


def first_nan(graph: FunctionGraph, values: Sequence[object], output: int) -> FloatingPointError:
    """The error that names what made the first NaN on the way to the outputs.

    >>> import weft_tensor as wt
    >>> x = wt.scalar("x")
    >>> first_nan(FunctionGraph([x], [wt.exp(wt.log(x)) + 1]), [np.float64(-1.0)], 0)
    FloatingPointError('log made NaN')
    """
    for v, value in zip(graph.inputs, values, strict=True):
        if _has_nan(value):
            return FloatingPointError(f"the input {v!r} has NaN")
    program = transpile(without_prints(graph), _watched, reuse=False)
    try:
        with np.errstate(all="ignore"):
            program.load()(*map(on_host, values))
    except _Found as found:
        error = FloatingPointError(f"{found.node.op} made NaN")
        error.add_note(node_note(found.node, found.values))
        return error
    return FloatingPointError(
        f"output {output} has NaN in JAX, but where Python computes the same, nothing has"
    )


class _Found(Exception):
    def __init__(self, node: Variable, values: Sequence[object]) -> None:
        super().__init__()
        self.node = node
        self.values = values


def _watched(v: Variable) -> Run:
    compute = py_funcify(v.op, node=v)

    def watched(*values: object) -> object:
        result = compute(*values)
        if _has_nan(result):
            raise _Found(v, values)
        return result

    return watched


def _has_nan(value: object) -> bool:
    if isinstance(value, tuple):
        return any(map(_has_nan, value))
    array = on_host(value)
    if not isinstance(array, (np.ndarray, np.generic, float, complex)):
        return False
    array = np.asarray(array)
    return array.dtype.kind in "fc" and bool(np.isnan(array).any())
