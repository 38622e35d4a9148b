"""Functions that take the elements of index arrays for positive until one is not.

A negative index counts from the end. To add the length where it is negative takes XLA a kernel,
half as long again to compile as an update needs by itself, and passes over the indices at each
call, though hardly anybody has negative ones there. The host looks at the indices anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft_graph import FunctionGraph, Op, Print, Variable
from weft_jax.runtime.runtime_checks import CountsFromEndError
from weft_tensor import IndexUpdate
from weft_tensor.extend import ARRAY, Slice

__all__ = ["Presuming", "may_presume", "updated_axis"]


def updated_axis(op: Op) -> int | None:
    """The axis along which an index array says where to update, if all others are full.

    >>> import weft_tensor as wt
    >>> x, k = wt.matrix(), wt.vector(dtype="int64")
    >>> updated_axis(x[:, k].inc(1.0).op), updated_axis(x[1:, k].inc(1.0).op)
    (1, None)
    """
    if not isinstance(op, IndexUpdate):
        return None
    rest = [e for e in op.entries if not (isinstance(e, Slice) and e.is_full)]
    return op.entries.index(ARRAY) if rest == [ARRAY] else None


def may_presume(graph: FunctionGraph) -> bool:
    """Whether inputs of `graph` say where to update, and nothing shows if it is computed twice."""
    inputs = set(graph.inputs)
    by_input = any(updated_axis(v.op) is not None and v.inputs[2] in inputs for v in graph.nodes)
    return by_input and not any(isinstance(v.op, Print) for v in graph.nodes)


class Presuming:
    """The function `make(True)`, until it meets a negative index: from then on `make(False)`.

    >>> def make(presumes):
    ...     def run(index):
    ...         if presumes and index < 0:
    ...             raise CountsFromEndError
    ...         return index % 9
    ...
    ...     return run
    >>> run = Presuming(make)
    >>> run(2), run(-1), run(3)
    (2, 8, 3)
    """

    def __init__(self, make: Callable[[bool], Any]) -> None:
        self._make = make
        self._run = make(True)
        self.keeping = self._keeping if getattr(self._run, "keeping", None) else None

    def __call__(self, *values: Any) -> Any:
        """What the function gives."""
        try:
            return self._run(*values)
        except CountsFromEndError:
            self._run = self._make(False)
            return self._run(*values)

    def _keeping(self, updated: Sequence[Variable]) -> Presuming:
        return Presuming(lambda presumes: self._make(presumes).keeping(updated))
