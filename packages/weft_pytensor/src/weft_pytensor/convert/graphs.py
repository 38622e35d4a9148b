"""Graphs of PyTensor, node by node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Apply, Constant
from pytensor.graph.basic import Variable as Theirs

from weft_graph.extend import standing
from weft_pytensor.convert.host import run_on_host
from weft_pytensor.convert.named_axes import without_named_axes
from weft_pytensor.convert.narrow import Numbers, are_factors, number_of
from weft_pytensor.convert.order import in_order
from weft_pytensor.convert.shared import shared_of
from weft_pytensor.convert.table import converter_of
from weft_pytensor.convert.types import constant_of, small_constant, type_of
from weft_tensor import TensorVariable

__all__ = ["Host", "converted", "host", "on_host"]

Host: TypeAlias = Literal["warn", "allow", "error"]
"""What to do with an Op that has no converter: run PyTensor's code, and say so or not, or raise."""

host: ContextVar[Host] = ContextVar("host", default="warn")
"""How the conversion in progress treats Ops without converters."""


@contextmanager
def on_host(treatment: Host) -> Iterator[None]:
    """While this lasts, Ops without converters are treated so."""
    token = host.set(treatment)
    try:
        yield
    finally:
        host.reset(token)


def converted(outputs: Sequence[Theirs], value_of: Mapping[Theirs, Any]) -> list[Any]:
    """Weft's variables for `outputs`, where `value_of` says what some of PyTensor's are."""
    outputs = without_named_axes(outputs, value_of)
    ours_of: dict[Theirs, Any] = dict(value_of)
    numbers: Numbers = {}
    outer = standing.place
    try:
        for node in in_order(outputs, value_of):
            number = number_of(node, numbers)
            if number is not None:
                numbers[node.outputs[0]] = number
                continue
            inputs = [
                ours_of[v] if v in ours_of else _leaf(v, ours_of, numbers, node)
                for v in node.inputs
            ]
            standing.place = _place(node)
            try:
                converter = converter_of(node.op)
                new = converter(node.op, *inputs) if converter else NotImplemented
                new = (
                    run_on_host(node, inputs, host.get(), converted)
                    if new is NotImplemented
                    else new
                )
            except Exception as error:
                error.add_note(f"while converting PyTensor's {node}")
                raise
            results = new if isinstance(new, (list, tuple)) else (new,)
            for theirs, ours in zip(node.outputs, results, strict=True):
                ours_of[theirs] = _as_declared(theirs, ours)
    finally:
        standing.place = outer
    return [ours_of[v] if v in ours_of else _leaf(v, ours_of, numbers) for v in outputs]


def _leaf(
    variable: Theirs, ours_of: dict[Theirs, Any], numbers: Numbers, user: Apply | None = None
) -> Any:
    """What no node has made; kept in `ours_of`, but for numbers, which differ by their users."""
    if variable in numbers:
        value, factor = numbers[variable]
        dtype, shape = variable.type.dtype, variable.type.shape
        if float(value) != factor and user is not None and are_factors(user):
            return small_constant("float64", shape, np.float64(factor).tobytes())
        return small_constant(dtype, shape, value.tobytes())
    if isinstance(variable, Constant):
        ours = constant_of(variable)
    elif isinstance(variable, SharedVariable):
        ours = shared_of(variable)
    else:
        ours = type_of(variable)(variable.name)
    ours_of[variable] = ours
    return ours


def _as_declared(theirs: Theirs, ours: Any) -> Any:
    """`ours`, if it is an array, with the dtype that PyTensor promises."""
    dtype = getattr(theirs.type, "dtype", None)
    if dtype is not None and isinstance(ours, TensorVariable) and ours.type.dtype != dtype:
        ours = ours.astype(dtype)
    return ours


def _place(node: Apply) -> tuple[str, int] | None:
    """Where the user wrote the node, as far as PyTensor noted it."""
    for output in node.outputs:
        # which their own way of asking for attributes takes half of the time of
        trace = object.__getattribute__(output.tag, "__dict__").get("trace")
        for frames in reversed(trace or ()):
            if frames:
                return _line(*frames[-1])
    return None


@lru_cache(maxsize=4096)
def _line(file: str, line: int, function: str, text: str | None) -> tuple[str, int]:
    where = f"line {line} of {file}" + f", in {function}" * (function != "<module>")
    return f"{where}: {text}" if text else where, 0
