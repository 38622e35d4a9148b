"""Ops that the table has no converter for: PyTensor's own code runs, between what is compiled."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Never

import numpy as np
from pytensor.graph.basic import Apply, Constant
from pytensor.tensor.random.type import RandomGeneratorType

import weft_tensor as wt
from weft_graph import UndefinedGradientError, wrap_py
from weft_pytensor.convert.shared import generator_of, key_of
from weft_pytensor.convert.types import type_of
from weft_tensor import TensorVariable

__all__ = ["NoConverterError", "NoConverterWarning", "run_on_host"]

_ADVICE = (
    "write a function of the Op and of Weft's inputs, and decorate it with "
    "`@from_pytensor.register({})`"
)


class NoConverterError(NotImplementedError):
    """An Op of PyTensor's that Weft has nothing for."""


class NoConverterWarning(UserWarning):
    """An Op of PyTensor's runs in Python, which is slower than what Weft compiles."""


@dataclass(frozen=True, eq=False)
class _Perform:
    """What PyTensor's Op does, of values."""

    node: Apply
    places: tuple[int, ...]
    """Which inputs are given, and not constants of the node."""

    @property
    def __name__(self) -> str:
        return f"pytensor.{self.node.op}"

    def __reduce__(self) -> Never:
        raise TypeError("PyTensor's nodes are in graphs that lead to themselves")

    def __call__(self, *values: object) -> object:
        inputs = [v.data if isinstance(v, Constant) else None for v in self.node.inputs]
        for place, value in zip(self.places, values, strict=True):
            kind = self.node.inputs[place].type
            theirs = generator_of(value) if isinstance(kind, RandomGeneratorType) else value
            inputs[place] = kind.filter(theirs, allow_downcast=True)
        cells: list[list[Any]] = [[None] for _ in self.node.outputs]
        self.node.op.perform(self.node, inputs, cells)
        parts = [cell[0] for cell in cells]
        results = tuple([key_of(v) if isinstance(v, np.random.Generator) else v for v in parts])
        return results[0] if len(results) == 1 else results


def run_on_host(
    node: Apply,
    inputs: Sequence[TensorVariable],
    host: str,
    converted: Callable[..., list[TensorVariable]],
) -> TensorVariable | Sequence[TensorVariable]:
    """A node of Weft's that calls PyTensor's Op, and has its derivative.

    Errors: NoConverterError where `host` is "error".
    """
    parts = [getattr(node.op, part, None) for part in ("core_op", "scalar_op")]
    name = type(next((op for op in parts if op is not None), node.op)).__name__
    message = f"PyTensor's {node.op} has no converter: " + _ADVICE.format(name)
    if host == "error":
        raise NoConverterError(message)
    if host == "warn":
        warnings.warn(f"{message}; until then it runs in Python", NoConverterWarning, stacklevel=3)
    places = tuple(k for k, v in enumerate(node.inputs) if not isinstance(v, Constant))

    def pullback(
        ours: Sequence[TensorVariable],
        results: Sequence[TensorVariable],
        slopes: Sequence[TensorVariable | None],
    ) -> list[TensorVariable | None]:
        theirs = [node.inputs[k].type() if k in places else v for k, v in enumerate(node.inputs)]
        copy = node.op.make_node(*theirs)
        cotangents = [out.type() for out in copy.outputs]
        derive = getattr(node.op, "pullback", None) or node.op.L_op
        try:
            wanted = derive(theirs, copy.outputs, cotangents)
        except NotImplementedError:
            raise UndefinedGradientError(f"PyTensor's {node.op} has no derivative") from None
        zeros = [wt.zeros_like(v) if s is None else s for v, s in zip(results, slopes, strict=True)]
        ours_of = {theirs[k]: v for k, v in zip(places, ours, strict=True)}
        ours_of |= dict(zip(copy.outputs, results, strict=True))
        ours_of |= dict(zip(cotangents, zeros, strict=True))
        defined = [k for k in places if hasattr(wanted[k].type, "dtype")]
        slope_of = dict(zip(defined, converted([wanted[k] for k in defined], ours_of), strict=True))
        return [slope_of.get(k) for k in places]

    op = wrap_py(
        _Perform(node, places),
        itypes=[type_of(node.inputs[k]) for k in places],
        otypes=[type_of(v) for v in node.outputs],
        pullback=pullback,
    )
    result: TensorVariable | Sequence[TensorVariable] = op(*[inputs[k] for k in places])
    return result
