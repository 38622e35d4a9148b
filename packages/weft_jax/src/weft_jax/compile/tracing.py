"""What JAX traces: calls of lowerings in order, with numbers in between."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import cached_property
from operator import itemgetter
from types import FrameType
from typing import Any

import jax
import numpy as np

from weft_graph import Constant, FunctionGraph, Item, Print, Variable
from weft_graph.extend import (
    Program,
    PythonLinker,
    in_stages,
    lowered,
    transpile,
    without_collecting,
)
from weft_jax.analysis.static_values import Plan
from weft_jax.compile.named_scopes import NO_NAMES, Names, scope_of
from weft_jax.lowering.dispatch import is_ours
from weft_jax.lowering.result_check import kept
from weft_tensor import Length

__all__ = ["StaticArray", "Steps", "plain", "program_of"]


_TOO_MANY = 2**59
"""From this many elements on, 16 bytes each are more than what 64 bits can count."""


class Steps(Program):
    """A graph as the calls that compute its nodes, one after another.

    JAX goes through them once for each set of shapes. So there is no Python source, unless
    somebody wants to read it; and all calls are made by one line, which JAX looks up once.

    >>> import weft_tensor as wt
    >>> x = wt.scalar("x")
    >>> steps = Steps(FunctionGraph(outputs=[x * x + 1.0]), PythonLinker().funcify)
    >>> steps.load()(3.0)
    (np.float64(10.0),)
    """

    def __init__(self, graph: FunctionGraph, funcify: Callable[[Variable], Any]) -> None:
        self.graph = graph
        self.funcify = funcify
        self.filename = __file__
        place = {v: k for k, v in enumerate(graph.inputs)}
        self.constants: list[Any] = []
        for v in graph.order:
            if isinstance(v.op, Constant) and v not in place:
                place[v] = len(place)
                self.constants.append(v.op.value)
        self.nodes = [v for v in in_stages(graph.order) if v not in place]
        self.calls: list[tuple[Callable[..., Any], list[int]]] = []
        for v in self.nodes:
            call = itemgetter(v.op.index) if type(v.op) is Item else lowered(v, funcify)
            self.calls.append((call, [place[i] for i in v.inputs]))
            place[v] = len(place)
        self.results = [place[v] for v in graph.outputs]

    @cached_property
    def source(self) -> str:  # made when it is read
        """The calls as a Python function."""
        return transpile(self.graph, self.funcify, reuse=False).source

    def load(self) -> Callable[..., Any]:
        """The function from the values of the inputs to those of the outputs."""
        return self.run

    def run(self, *values: Any) -> tuple[Any, ...]:
        """The outputs."""
        known = [*values, *self.constants]
        is_traced = any(isinstance(value, jax.core.Tracer) for value in values)
        with without_collecting() if is_traced else nullcontext():  # else it may take long
            for step, (call, places) in enumerate(self.calls):  # noqa: B007  # `at` reads it
                known.append(call(*[known[k] for k in places]))
        return tuple([known[k] for k in self.results])

    def at(self, frame: FrameType, line: int) -> tuple[Variable, list[Any]] | None:
        """The node that is being computed in `frame`, if that runs this graph, and its inputs."""
        here = frame.f_locals
        if frame.f_code is not Steps.run.__code__ or here["self"] is not self or "step" not in here:
            return None
        step = here["step"]
        return self.nodes[step], [here["known"][k] for k in self.calls[step][1]]


def program_of(plan: Plan, funcify: Callable[[Variable], Any], names: Names = NO_NAMES) -> Steps:
    """What JAX traces: the graph of `plan`, with its numbers computed by Python meanwhile."""

    def lowering(v: Variable) -> Any:
        if v in plan.numbers and not isinstance(v.op, (Length, Print)):
            return _by_python(v)
        function = funcify(v)
        if not callable(function):
            return function
        return _scoped(scope_of(v, names), function if is_ours(v.op) else kept(function, v))

    return Steps(plan.graph, lowering)


def _scoped(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, by this name in JAX's texts and profiles."""

    def scoped(*values: Any) -> Any:
        with jax.named_scope(name):
            return _of_real_size(function(*values))

    return scoped


def _of_real_size(result: Any) -> Any:
    """`result`, unless it is an array of which XLA can't even count the bytes, and aborts."""
    for array in result if isinstance(result, tuple) else (result,):
        count = getattr(array, "size", 0)
        if isinstance(count, int) and count >= _TOO_MANY:
            raise ValueError(f"there is no memory for an array of {count} elements")
    return result


def _by_python(v: Variable) -> Callable[..., Any]:
    """The Python implementation of a node whose inputs are numbers, giving a number."""
    compute = PythonLinker().funcify(v)

    def number(*values: Any) -> Any:
        return plain(compute(*map(np.asarray, values)))

    return number


def plain(value: Any) -> Any:
    """A Python number for a scalar; a hashable stand-in for an array."""
    array = np.asarray(value)
    return array.item() if not array.ndim else StaticArray(array)


class StaticArray:
    """An array as a static argument: equal for equal content."""

    __slots__ = ("array", "key")

    def __init__(self, array: Any) -> None:
        self.array = array
        self.key = (array.dtype.str, array.shape, array.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticArray) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.array, dtype=dtype)
