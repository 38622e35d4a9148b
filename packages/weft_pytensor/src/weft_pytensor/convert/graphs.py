"""Graphs of PyTensor, node by node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Apply, Constant
from pytensor.graph.basic import Variable as Theirs
from pytensor.scalar.basic import ScalarInnerGraphOp
from pytensor.tensor.elemwise import DimShuffle, Elemwise
from pytensor.tensor.type import integer_dtypes

from weft_graph.extend import standing
from weft_pytensor.convert.host import run_on_host
from weft_pytensor.convert.named_axes import without_named_axes
from weft_pytensor.convert.order import in_order
from weft_pytensor.convert.shared import shared_of
from weft_pytensor.convert.table import converter_of
from weft_pytensor.convert.types import constant_of, small_constant, type_of
from weft_tensor import TensorVariable

__all__ = ["Host", "converted", "host", "on_host"]

_Number: TypeAlias = np.float32 | np.integer[Any]
_NUMBERS: Final = frozenset({"float32", *integer_dtypes})

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
    numbers: dict[Theirs, _Number] = {}
    outer = standing.place
    try:
        for node in in_order(outputs, value_of):
            number = _number(node, numbers)
            if number is not None:
                numbers[node.outputs[0]] = number
                continue
            inputs = [
                ours_of[v] if v in ours_of else _leaf(v, ours_of, numbers) for v in node.inputs
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


def _number(node: Apply, numbers: Mapping[Theirs, _Number]) -> _Number | None:
    """What PyTensor computes of numbers that nothing changes, in 32 bits or integers.

    It takes 0.5 as a number of 32 bits, so gammaln(0.5) is one, too, and densities show how it was
    rounded.
    """
    dtype: Any = getattr(node.outputs[0].type, "dtype", None)
    if dtype not in _NUMBERS:
        return None
    values = []
    for v in node.inputs:
        value = numbers[v] if v in numbers else _value(v)
        if value is None:
            return None
        values.append(value)
    op = node.op
    if not isinstance(op, (Elemwise, DimShuffle)) or len(node.outputs) > 1:
        return None
    number: Callable[..., _Number] = np.dtype(dtype).type
    if isinstance(op, DimShuffle):
        return number(values[0])
    if isinstance(op.scalar_op, ScalarInnerGraphOp):
        return None
    with np.errstate(all="ignore"):
        return number(op.scalar_op.impl(*values))


def _value(variable: Theirs) -> Any:
    if variable.owner is not None or not isinstance(variable, Constant):
        return None
    data = np.asarray(variable.data)
    return data.reshape(())[()] if data.size == 1 else None


def _leaf(variable: Theirs, ours_of: dict[Theirs, Any], numbers: Mapping[Theirs, _Number]) -> Any:
    """What no node has made, kept in `ours_of`."""
    if variable in numbers:
        kind = variable.type
        ours = small_constant(kind.dtype, kind.shape, numbers[variable].tobytes())
    elif isinstance(variable, Constant):
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
