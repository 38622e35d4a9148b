"""Numbers of 32 bits and integers that nothing changes, rounded as PyTensor rounds them.

It takes 0.5 as a number of 32 bits, so gammaln(0.5) is one, too, and densities show it. Factors and
divisors of what has 64 bits are not rounded: PyTensor puts products together before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from pytensor.graph.basic import Apply, Constant
from pytensor.graph.basic import Variable as Theirs
from pytensor.scalar.basic import ScalarInnerGraphOp
from pytensor.tensor.elemwise import DimShuffle, Elemwise
from pytensor.tensor.type import integer_dtypes

__all__ = ["Number", "Numbers", "are_factors", "number_of"]

_Scalar: TypeAlias = np.float32 | np.integer[Any]
_DTYPES: Final = frozenset({"float32", *integer_dtypes})
_PRODUCTS: Final = frozenset({"Mul", "TrueDiv", "Reciprocal"})


class Number(NamedTuple):
    """What a node computes of numbers."""

    value: _Scalar
    """In its own dtype."""
    factor: float
    """As a part of a product of 64 bits."""


Numbers: TypeAlias = dict[Theirs, Number]
"""What is known of variables."""


def are_factors(node: Apply) -> bool:
    """Whether the inputs of a node are multiplied, or divided, in 64 bits."""
    scalar = getattr(node.op, "scalar_op", None)
    return type(scalar).__name__ in _PRODUCTS and node.outputs[0].type.dtype == "float64"


def number_of(node: Apply, numbers: Numbers) -> Number | None:
    """What a node computes, if that is a number of numbers."""
    dtype: Any = getattr(node.outputs[0].type, "dtype", None)
    if dtype not in _DTYPES:
        return None
    inputs = []
    for v in node.inputs:
        number = numbers[v] if v in numbers else _constant(v)
        if number is None:
            return None
        inputs.append(number)
    op = node.op
    if not isinstance(op, (Elemwise, DimShuffle)) or len(node.outputs) > 1:
        return None
    kind: Callable[..., _Scalar] = np.dtype(dtype).type
    if isinstance(op, DimShuffle):
        return Number(kind(inputs[0].value), inputs[0].factor)
    if isinstance(op.scalar_op, ScalarInnerGraphOp):
        return None
    with np.errstate(all="ignore"):
        value = kind(_function(op, dtype)(*[x.value for x in inputs]))
        if dtype != "float32" or not _is_product(node):
            return Number(value, float(value))
        return Number(value, float(op.scalar_op.impl(*[np.float64(x.factor) for x in inputs])))


def _constant(variable: Theirs) -> Number | None:
    if variable.owner is not None or not isinstance(variable, Constant):
        return None
    data = np.asarray(variable.data)
    if data.size != 1 or data.dtype.kind not in "biuf":
        return None
    value: Any = data.reshape(())[()]
    return Number(value, float(value))


def _function(op: Elemwise, dtype: str) -> Callable[..., Any]:
    """Powers are NumPy's of arrays, which those of numbers may differ from in the last place."""
    is_power = dtype == "float32" and type(op.scalar_op).__name__ == "Pow"
    function: Callable[..., Any] = op.scalar_op.impl
    return (lambda x, y: np.power(np.float32(x), np.float32(y))) if is_power else function


def _is_product(node: Apply) -> bool:
    """Whether PyTensor takes what a node computes as factors; one over a root it computes first."""
    name = type(node.op.scalar_op).__name__
    if name == "Reciprocal":
        owner = node.inputs[0].owner
        before = getattr(owner.op, "scalar_op", None) if owner else None
        return type(before).__name__ not in ("Sqr", "Sqrt", "Pow")
    return name in _PRODUCTS
