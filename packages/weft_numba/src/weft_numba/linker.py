"""The Numba linker: one njit function per graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from weft_graph import FunctionGraph, Variable
from weft_graph.extend import (
    CompiledFunction,
    CompiledGraph,
    CompileRequest,
    Linker,
    Program,
    Timing,
    overwritten,
)
from weft_numba.disk import disk_recall
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled, njit
from weft_numba.runtime.axis_order import order_of
from weft_numba.runtime.finishers import finishers
from weft_tensor import TensorType

if TYPE_CHECKING:
    from weft_numba.runtime.segments import Parts

__all__ = ["NumbaLinker", "bound", "of_scalars", "rank"]

_COMPILER = "weft_numba.graph_compiler"


@cache
def _late(name: str) -> Callable[..., Any]:
    """A function of what compiles, which is imported when something is not on disk."""
    function: Callable[..., Any] = getattr(import_module(_COMPILER), name)
    return function


class NumbaLinker(Linker):
    """Compiles a graph to machine code with Numba, and keeps it on disk.

    The code takes C-contiguous arrays; small ones that are none are copied when they are given,
    and large ones unless they are transposes of such. With
    `exact=True` all functions are the C library's own, one number at a time: often to the
    last digit right, where its functions of whole vectors may be 4 units in the last place
    off, and slower. With `parallel=True` long loops, and linear algebra with many matrices, are
    split over threads, NUMBA_NUM_THREADS at most; results do not depend on how many there are.
    With `nogil=True` other Python threads go on while the code runs.

    >>> import weft_tensor as wt
    >>> from weft_graph import Mode, function
    >>> x = wt.vector("x")
    >>> function([x], wt.exp(x), mode=Mode(NumbaLinker(exact=True)))([0.0, 1.0])
    array([1.        , 2.71828183])
    """

    name: ClassVar[str] = "numba"
    runs_branches: ClassVar[bool] = True

    def __init__(self, *, exact: bool = False, parallel: bool = False, nogil: bool = False) -> None:
        self.exact = exact
        self.parallel = parallel
        self.nogil = nogil

    def funcify(self, node: Variable) -> Callable[..., Any]:
        """What `numba_funcify` gives, as a function that Numba has taken."""
        function: Any = numba_funcify(node.op, node=node, exact=self.exact, parallel=self.parallel)
        is_plain = isinstance(function, FunctionType)
        callee: Callable[..., Any] = njit(function) if is_plain else function
        own = [k for k in overwritten(node.op, len(node.inputs)) if rank(node.inputs[k])]
        return _sparing(callee, len(node.inputs), own) if own else callee

    def link(self, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
        """The compiled function, for whatever lengths, and the source it was compiled from."""
        linked: tuple[Callable[..., Any], Program] = _late("link")(self, graph)
        return linked

    def recall(self, request: CompileRequest) -> CompiledGraph | None:
        """What was kept on disk of the same request: nothing is rewritten or compiled."""
        entry = disk_recall.recall(disk_recall.key_of(self, request), request)
        if entry is None:
            return None
        if isinstance(entry, FunctionGraph):
            cut: CompiledGraph = _late("cut_graph")(self, entry)
            return cut
        rescue = cache(lambda: _late("rescue")(request, None))
        return self.completed(
            request,
            bound(entry.call, entry.constants, request.written.inputs),
            lambda: _late("usual_program")(self, request.graph),
            finishers(request.written, entry.finish),
            lambda error, *values: rescue()(error, *values),
            entry.conditions,
        )

    def linked(self, request: CompileRequest) -> CompiledGraph:
        """The rewritten graph as machine code, kept on disk if other processes can use it.

        The code is for the usual calls; for others it is compiled when they come, and kept, too.
        A graph with Ops that have no machine code is linked in segments.
        """
        linked: CompiledGraph = _late("linked")(self, request)
        return linked

    def completed(
        self,
        request: CompileRequest,
        run: Callable[..., Any],
        program: Callable[[], Program],
        finish: Sequence[Callable[[Any], Any] | None],
        rescue: Callable[..., None],
        conditions: tuple[str, ...],
    ) -> CompiledGraph:
        """Machine code with what is compiled when a call comes that it is not for.

        Calls may be unusual, or give arrays that lie in memory in another order.
        """
        others = cache(lambda: self._for_others(request))
        linked = CompiledGraph(
            run, program, finish, rescue, conditions, lambda *values: others()(*values)
        )
        if any(rank(v) > 1 for v in request.written.inputs):
            arranged = cache(lambda: _late("arranged")(self, request, linked))
            linked.arranged = lambda *values: arranged()(*values)
        return linked

    def _for_others(self, request: CompileRequest) -> Callable[..., Any]:
        """Machine code for whatever lengths: from disk, or compiled and kept there."""
        key = disk_recall.key_of_others(self, request)
        entry = disk_recall.recall(key, request)
        if isinstance(entry, disk_recall.Recalled):
            return bound(entry.call, entry.constants, request.written.inputs)
        run: Callable[..., Any] = _late("linked_for_others")(self, request, key)
        return run

    def offers(self, function: CompiledFunction) -> Parts:
        """Who runs which part of a function."""
        parts: Parts = _late("Parts")(function)
        return parts

    def timings(self, graph: FunctionGraph, values: Sequence[Any], repeat: int) -> list[Timing]:
        """Seconds per step, taken by a build of the graph that looks at a clock."""
        seconds: list[Timing] = _late("timings")(self, graph, values, repeat)
        return seconds

    def guard(self, variable: Variable, name: str, namespace: dict[str, Any]) -> str:
        """The type's own, and for arrays: C-contiguous and aligned. NumPy's numbers pass, too."""
        kind, guard = variable.type, super().guard(variable, name, namespace)
        if not isinstance(kind, TensorType):
            return guard
        if kind.ndim:
            return f"{guard} and {name}.flags.carray"
        namespace[f"_number_{kind.dtype}"] = kind.numpy_dtype.type
        return f"{guard} or type({name}) is _number_{kind.dtype}"

    def filter(self, variable: Variable, value: Any) -> Any:
        """`value` as an array that is C-contiguous and aligned."""
        filtered = super().filter(variable, value)
        return _contiguous(filtered) if rank(variable) else filtered

    def admit(self, variable: Variable, value: Any) -> Any:
        """`value` as an array; large ones may lie in memory in another order than C's."""
        filtered = super().filter(variable, value)
        return filtered if order_of(filtered) else _contiguous(filtered)

    def arranges(self, variable: Variable, name: str) -> str:
        """Matrices, and arrays of more axes, may come in another order."""
        return f"not {name}.flags.c_contiguous" if rank(variable) > 1 else ""


def _sparing(function: Callable[..., Any], count: int, own: Sequence[int]) -> Callable[..., Any]:
    """`function`, which gets copies of the arrays in the positions `own`, since it changes them."""
    names = [f"x{k}" for k in range(count)]
    passed = [f"{x}.copy()" if k in own else x for k, x in enumerate(names)]
    source = f"def lowered({', '.join(names)}):\n    return function({', '.join(passed)})\n"
    wrapper: Callable[..., Any] = compiled(source, function=function)
    return wrapper


def rank(variable: Variable) -> int:
    """How many axes the values have; 0 for what is no tensor."""
    return variable.type.ndim if isinstance(variable.type, TensorType) else 0


def _contiguous(value: Any) -> Any:
    return np.require(value, requirements=("C", "A"))


def bound(
    call: Callable[..., Any], constants: Sequence[Any], inputs: Sequence[Variable]
) -> Callable[..., Any]:
    """`call` with its first arguments, the values of constants, as a function of arrays.

    Numba takes arrays of rank 0 for numbers, but for complex ones.
    """
    arrays = [np.require(value, requirements=("C", "A")) for value in constants]
    function = partial(call, *arrays) if arrays else call
    complexes = [rank(v) == 0 and str(v.type).startswith("complex") for v in inputs]
    return of_scalars(function, complexes) if any(complexes) else function


def of_scalars(call: Callable[..., Any], which: Sequence[bool]) -> Callable[..., Any]:
    """`call` with scalars in the place of some arrays of rank 0."""

    def converted(*values: Any) -> Any:
        return call(*[v[()] if s else v for v, s in zip(values, which, strict=True)])

    return converted
