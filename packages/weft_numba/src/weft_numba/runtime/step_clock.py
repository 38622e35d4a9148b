"""A compiled program that looks at a clock between its steps."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from weft_graph import FunctionGraph
from weft_graph.extend import Program, Timing
from weft_numba.lowering.njit_source import njit
from weft_tensor import TensorType

__all__ = ["clocked", "hold", "measured", "with_marks"]

_TIMES: Final = TensorType("int64", (None,))
_CLOCK: Final = "PyTime_PerfCounterRaw" if sys.version_info >= (3, 13) else "_PyTime_GetPerfCounter"
"""What `time.perf_counter_ns` calls, in Python's own library."""


def with_marks(graph: FunctionGraph) -> FunctionGraph:
    """`graph` with one more input, for the times between its steps.

    >>> from weft_tensor import exp, vector
    >>> x = vector("x")
    >>> [v.name for v in with_marks(FunctionGraph([x], [exp(x)])).inputs]
    ['x', 'marks']
    """
    return FunctionGraph([*graph.inputs, _TIMES("marks")], graph.outputs)


def hold(conditions: Sequence[str], values: Sequence[Any]) -> bool:
    """Whether Python expressions over {0}, {1}, ... are true of these values.

    >>> hold(["{0} == {1} + 1"], [3, 2])
    True
    """
    names = {f"x{k}": value for k, value in enumerate(values)}
    return all(eval(condition.format(*names), names) for condition in conditions)


def clocked(program: Program, marks: str) -> Program:
    """`program`, whose parameter `marks` is filled with the time before and after each step.

    Between the first two there is nothing: that is what looking takes.
    """
    names = {**program.namespace, "look": _look()}
    result = Program(program.name, program.parameters, names)

    def look(number: int) -> None:
        result.add(f"look({marks}, {number})")

    look(0)
    look(1)
    for number, (depth, line) in enumerate(program.lines, start=2):
        result.add(line, depth=depth)
        step = program.steps.get(number)
        if step is not None and step.depth == 1:  # a branch is one, with all that is in it
            result.note(step)
            look(1 + len(result.steps))
    return result


def measured(
    call: Callable[..., Any], program: Program, values: Sequence[Any], repeat: int
) -> list[Timing]:
    """The best of `repeat` times for each step of `program`, which `call` runs with a clock."""
    marks = np.zeros(2 + len(program.steps), "int64")
    best = np.full(1 + len(program.steps), np.iinfo("int64").max)
    for _ in range(repeat):
        call(*values, marks)
        best = np.minimum(best, np.diff(marks))
    nanoseconds = np.maximum(best[1:] - best[0], 0).tolist()
    return [
        Timing(step.nodes, each * 1e-9)
        for step, each in zip(program.steps.values(), nanoseconds, strict=True)
    ]


@cache
def _look() -> Any:
    """Writes the time to a place of an array of marks."""
    address = ctypes.cast(getattr(ctypes.pythonapi, _CLOCK), ctypes.c_void_p).value
    assert address is not None
    if sys.version_info >= (3, 13):
        write_to = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(address)
        return njit(lambda marks, k: write_to(marks.ctypes.data + marks.itemsize * k))
    read = ctypes.CFUNCTYPE(ctypes.c_int64)(address)

    def look(marks: Any, k: int) -> None:
        marks[k] = read()

    return njit(look)
