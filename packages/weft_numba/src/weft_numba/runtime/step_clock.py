"""A compiled program that looks at a clock between its steps."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from weft_graph import FunctionGraph, Variable
from weft_graph.extend import Program, Timing
from weft_numba.lowering.njit_source import njit
from weft_tensor import TensorType

__all__ = ["clocked", "hold", "measured", "with_marks"]

_TIMES: Final = TensorType("int64", (None,))
_CLOCK: Final = "PyTime_PerfCounterRaw" if sys.version_info >= (3, 13) else "_PyTime_GetPerfCounter"
"""What `time.perf_counter_ns` calls, in Python's own library."""
_INSIDE: Final = 8 * " "
"""How lines of branches begin."""


def with_marks(graph: FunctionGraph) -> FunctionGraph:
    """`graph` with one more input, for the times between its steps.

    >>> from weft_tensor import exp, vector
    >>> x = vector("x")
    >>> [v.name for v in with_marks(FunctionGraph([x], [exp(x)])).inputs]
    ['x', 'marks']
    """
    return FunctionGraph([*graph.inputs, _TIMES("marks")], graph.outputs)


def hold(conditions: Sequence[str], values: Sequence[Any]) -> bool:
    """Whether Python expressions over x0, x1, ... are true of these values.

    >>> hold(["x0 == x1 + 1"], [3, 2])
    True
    """
    names = {f"x{k}": value for k, value in enumerate(values)}
    return all(eval(condition, names) for condition in conditions)


def clocked(program: Program, marks: str) -> Program:
    """`program`, whose parameter `marks` is filled with the time before and after each step.

    Between the first two there is nothing: that is what looking takes.
    """
    signature, *body = program.source.splitlines()
    source = [signature]
    lines: dict[int, Variable] = {}
    groups: dict[int, tuple[Variable, ...]] = {}

    def look(number: int) -> None:
        source.append(f"    look({marks}, {number})")

    look(0)
    look(1)
    for number, line in enumerate(body, start=2):
        source.append(line)
        if number in program.lines and _is_last(body, number - 2):
            lines[len(source)] = program.lines[number]
            groups[len(source)] = program.groups.get(number, (program.lines[number],))
            look(1 + len(lines))
    names = {**program.namespace, "look": _look()}
    return Program(program.name, "\n".join(source) + "\n", names, lines, groups)


def _is_last(body: Sequence[str], k: int) -> bool:
    """Whether a step is done after line `k`: a branch is one step, with all that is in it."""
    following = body[k + 1]
    return not following.startswith((_INSIDE, "    else:"))


def measured(
    call: Callable[..., Any], program: Program, values: Sequence[Any], repeat: int
) -> list[Timing]:
    """The best of `repeat` times for each step of `program`, which `call` runs with a clock."""
    marks = np.zeros(2 + len(program.lines), "int64")
    best = np.full(1 + len(program.lines), np.iinfo("int64").max)
    for _ in range(repeat):
        call(*values, marks)
        best = np.minimum(best, np.diff(marks))
    nanoseconds = np.maximum(best[1:] - best[0], 0).tolist()
    return [
        Timing(nodes, each * 1e-9)
        for nodes, each in zip(program.groups.values(), nanoseconds, strict=True)
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
