"""Which node an error of Numba comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from weft_graph import CheckAndRaise, LoweringError, Variable
from weft_graph.extend import Program
from weft_numba.lowering.numba_types import numba_type
from weft_numba.numba_layer.result_check import Lengths

__all__ = ["first_failing_node", "raised_in"]


def first_failing_node(program: Program, layout: Literal["C", "A"]) -> LoweringError | None:
    """The error for the first node of `program` that does not compile by itself, if any.

    Numba's own error is its cause.
    """
    for node, callee in _called(program):
        try:
            callee.compile(tuple([numba_type(v, layout) for v in node.inputs]))
        except Exception as error:
            error_of_node = LoweringError.of("Numba", _gist(error), node)
            error_of_node.__cause__ = error
            return error_of_node
    return None


def raised_in(error: BaseException, program: Program) -> Variable | None:
    """The node of `program` whose function raised `error`, if no other node calls it."""
    traceback = error.__traceback__
    filename = ""
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        traceback = traceback.tb_next
    nodes = [n for n, f in _called(program) if f.py_func.__code__.co_filename == filename]
    if len(nodes) == 1:
        return nodes[0]
    for step in program.steps.values():
        op = step.node.op
        if isinstance(op, CheckAndRaise) and (op.exc_type, op.msg) == (type(error), str(error)):
            return step.node
        if isinstance(op, Lengths) and str(error) in map(op.said, op.axes):
            return step.node.inputs[0]
    return None


def _called(program: Program) -> Iterator[tuple[Variable, Any]]:
    """The nodes, and the Numba function that is called for each."""
    for line, step in program.steps.items():
        callee = program.callee(line)
        if hasattr(callee, "py_func"):
            yield step.node, callee


def _gist(error: Exception) -> str:
    """The line of Numba's text that tells most."""
    lines = [line.strip(" -") for line in str(error).splitlines()]
    texts = [line for line in lines if line and not line.startswith("Failed in nopython mode")]
    return texts[0] if texts else type(error).__name__
