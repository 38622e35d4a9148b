"""The methods of TensorVariable: the functions that compute them, bound to their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from weft_tensor.build.variable import SizesLike, TensorLike, TensorVariable
from weft_tensor.front import numpy_protocol
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.creation.diagonals import diagonal, trace
from weft_tensor.ops.elementwise import arithmetic, comparison, power
from weft_tensor.ops.elementwise.cast import cast
from weft_tensor.ops.elementwise.complex import conj, imag, real
from weft_tensor.ops.elementwise.op import Binary
from weft_tensor.ops.indexing import choices, partition, searchsorted
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.nonzero import nonzero
from weft_tensor.ops.indexing.sort import argmax, argmin, argsort, sort
from weft_tensor.ops.indexing.take import compress, take
from weft_tensor.ops.linalg.matmul import dot, matmul
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.numbers.rounding import round
from weft_tensor.ops.reduction import standard
from weft_tensor.ops.reduction.cumulative import cumprod, cumsum
from weft_tensor.ops.shape import broadcast_to, dimshuffle, reshape, transpose
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.rearrange import repeat
from weft_tensor.ops.statistics import moments

__all__ = ["METHODS", "TensorVariable"]


def _sizes(args: tuple[object, ...]) -> Any:
    """`x.reshape(2, 3)` and `x.reshape((2, 3))` alike."""
    return args[0] if len(args) == 1 else args


def _reshape(self: TensorVariable, *lengths: SizesLike, order: str = "C") -> TensorVariable:
    return reshape.reshape(self, _sizes(lengths), order)


def _broadcast_to(self: TensorVariable, *lengths: SizesLike) -> TensorVariable:
    return broadcast_to.broadcast_to(self, _sizes(lengths))


def _transpose(self: TensorVariable, *axes: int | Sequence[int] | None) -> TensorVariable:
    return transpose.transpose(self, _sizes(axes) if axes else None)


def _compress(
    self: TensorVariable, condition: TensorLike, axis: int | None = None
) -> TensorVariable:
    return compress(condition, self, axis)


def _set(self: TensorVariable, value: TensorLike) -> TensorVariable:
    return updated(self, "set", value)


def _inc(self: TensorVariable, value: TensorLike) -> TensorVariable:
    return updated(self, "inc", value)


def _array_namespace(self: TensorVariable, *, api_version: str | None = None) -> ModuleType:
    """`weft_tensor.array_api`; raises ValueError for another version of the standard than its."""
    found = import_module("weft_tensor.array_api")
    if api_version not in (None, found.__array_api_version__):
        raise ValueError(
            f"the array API is that of {found.__array_api_version__}, not {api_version}"
        )
    return found


def _reflected(function: Binary) -> Binary:
    return lambda x, y, /: function(y, x)


_OPERATORS: Final = {
    "add": arithmetic.add,
    "and": comparison.bitwise_and,
    "floordiv": arithmetic.floor_div,
    "lshift": comparison.left_shift,
    "matmul": matmul,
    "mod": arithmetic.mod,
    "mul": arithmetic.mul,
    "or": comparison.bitwise_or,
    "pow": power.pow,
    "rshift": comparison.right_shift,
    "sub": arithmetic.sub,
    "truediv": arithmetic.true_div,
    "xor": comparison.bitwise_xor,
}
"""What computes the operators that have a reflected form too."""

METHODS: Final[dict[str, Callable[..., object] | property]] = {
    **{f"__{name}__": function for name, function in _OPERATORS.items()},
    **{f"__r{name}__": _reflected(function) for name, function in _OPERATORS.items()},
    "T": property(transpose.transpose),
    "__abs__": arithmetic.abs,
    "__array_function__": numpy_protocol.array_function,
    "__array_namespace__": _array_namespace,
    "__array_ufunc__": numpy_protocol.array_ufunc,
    "__ge__": comparison.ge,
    "__getattr__": numpy_protocol.no_attribute,
    "__getitem__": index,
    "__gt__": comparison.gt,
    "__invert__": comparison.bitwise_not,
    "__le__": comparison.le,
    "__lt__": comparison.lt,
    "__neg__": arithmetic.neg,
    "all": standard.all,
    "argpartition": partition.argpartition,
    "choose": choices.choose,
    "clip": clip,
    "dimshuffle": dimshuffle.dimshuffle,
    "round": round,
    "searchsorted": searchsorted.searchsorted,
    "std": moments.std,
    "var": moments.var,
    "any": standard.any,
    "argmax": argmax,
    "argmin": argmin,
    "argsort": argsort,
    "astype": cast,
    "broadcast_to": _broadcast_to,
    "compress": _compress,
    "conj": conj,
    "cumprod": cumprod,
    "cumsum": cumsum,
    "diagonal": diagonal,
    "dot": dot,
    "eq": comparison.eq,
    "expand_dims": reshape.expand_dims,
    "flatten": reshape.flatten,
    "imag": property(imag),
    "inc": _inc,
    "mT": property(transpose.matrix_transpose),
    "max": standard.max,
    "mean": standard.mean,
    "min": standard.min,
    "neq": comparison.neq,
    "nonzero": nonzero,
    "prod": standard.prod,
    "ravel": reshape.ravel,
    "real": property(real),
    "repeat": repeat,
    "reshape": _reshape,
    "set": _set,
    "shape": property(lengths_of),
    "size": property(standard.size),
    "sort": sort,
    "squeeze": reshape.squeeze,
    "sum": standard.sum,
    "swapaxes": transpose.swapaxes,
    "take": take,
    "trace": trace,
    "transpose": _transpose,
    "zeros_like": zeros_like,
}
"""What each method that `TensorVariable` declares is made of."""

for _name, _method in METHODS.items():
    setattr(TensorVariable, _name, _method)
