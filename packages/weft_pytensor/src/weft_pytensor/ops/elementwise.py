"""Functions of numbers, element by element: a row for each of PyTensor's scalar Ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial, reduce
from typing import Any, Final

import numpy as np
from pytensor.graph.op import Op
from pytensor.scalar.basic import ScalarInnerGraphOp, ScalarType
from pytensor.tensor.type import float_dtypes

import weft_tensor as wt
from weft_graph import Constant, graph_inputs
from weft_pytensor.convert.graphs import converted
from weft_pytensor.convert.table import Converter, converter_of, register_names
from weft_tensor import TensorVariable

_SAME_NAME: Final = (
    *("Exp", "Exp2", "Expm1", "Log", "Log2", "Log10", "Log1p", "Sqrt"),
    *("Sin", "Cos", "Tan", "Sinh", "Cosh", "Tanh"),
    *("ArcSin", "ArcCos", "ArcTan", "ArcSinh", "ArcCosh", "ArcTanh", "ArcTan2"),
    *("Floor", "Ceil", "Trunc", "Abs", "Sign", "Reciprocal", "Deg2Rad", "Rad2Deg"),
    *("Real", "Imag", "Conj", "Angle", "IsNan", "IsInf", "Maximum", "Minimum"),
    *("Invert", "Sqr", "Mod", "Sigmoid", "Softplus", "Log1mexp"),
)
_SAME_SPECIAL_NAME: Final = (
    *("Erf", "Erfc", "Erfcx", "Erfinv", "Erfcinv", "Owens_t", "Gamma", "GammaLn"),
    *("GammaInc", "GammaIncC", "GammaIncInv", "GammaIncCInv", "BetaInc", "BetaIncInv"),
    *("Jv", "J0", "J1", "Iv", "I0", "I1", "I0e", "I1e", "Ive", "Kve", "Hyp2F1", "XLogY", "XLog1PY"),
)
_DOUBLE: Final = {"float64"}
_TERMS: Final = frozenset({"Add", "Sub", "Mul", "TrueDiv"})
"""Where whole numbers are as good as numbers of 64 bits, which more rules know: 1 + -erfc(x)."""
_special = wt.special


def _cut(x: Any, limit: Any, beyond: Callable[..., Any], never: float) -> Any:
    """`limit` where x is beyond; at the limit, PyTensor has x, and so its whole slope."""
    is_never = isinstance(limit.op, Constant) and np.all(limit.op.value == never)
    return x if is_never else wt.where(beyond(x, limit), limit, x)


def _polygamma(n: TensorVariable, x: TensorVariable) -> TensorVariable:
    """An order that depends on an input may be 0, where zeta(1, x) is infinite."""
    if n.type.shape in {(), (1,) * n.ndim} and not graph_inputs([n]):
        return _special.polygamma(int(n.eval().item()), x)
    size = (-1.0) ** (n + 1) * _special.gamma(n + 1.0) * _special.zeta(n + 1.0, x)
    return wt.where(wt.equal(n, 0), _special.digamma(x), size)


def _second(like: TensorVariable, value: TensorVariable) -> TensorVariable:
    """`value` in the shape that both broadcast to."""
    shapes = zip(reversed(like.type.shape), reversed(value.type.shape), strict=False)
    if value.ndim > like.ndim or any(n == 1 != k for n, k in shapes):
        return wt.broadcast_arrays(like, value)[1]
    return wt.second(like, value)


_ROWS: Final[dict[str, Callable[..., Any]]] = {
    **{name: getattr(wt, name.lower()) for name in _SAME_NAME},
    **{name: getattr(_special, name.lower()) for name in _SAME_SPECIAL_NAME},
    "LT": wt.less,
    "GT": wt.greater,
    "LE": wt.less_equal,
    "GE": wt.greater_equal,
    "EQ": wt.equal,
    "NEQ": wt.not_equal,
    "PolyGamma": _polygamma,
    "Second": _second,
    "Switch": lambda condition, a, b: wt.where(wt.not_equal(condition, 0), a, b),
    "Clip": lambda x, low, high: _cut(_cut(x, low, wt.less, -np.inf), high, wt.greater, np.inf),
    "OR": wt.bitwise_or,
    "XOR": wt.bitwise_xor,
    "AND": wt.bitwise_and,
    "Add": lambda *terms: reduce(wt.add, terms),
    "Mul": lambda *factors: reduce(wt.multiply, factors),
    "Sub": wt.subtract,
    "TrueDiv": wt.true_divide,
    "IntDiv": wt.floor_divide,
    "Pow": wt.power,
    "Neg": wt.negative,
    "Identity": lambda x: x,
    "ScalarMaximum": wt.maximum,
    "ScalarMinimum": wt.minimum,
    "RoundHalfToEven": wt.round,
    "RoundHalfAwayFromZero": lambda x: wt.sign(x) * wt.floor(wt.abs(x) + 0.5),
    "Complex": lambda x, y: x + 1j * y,
    "ComplexFromPolar": lambda r, angle: r * wt.exp(1j * angle),
    "NdtriExp": _special.ndtri_exp,
    "Psi": _special.digamma,
    "TriGamma": partial(_special.polygamma, 1),
    "GammaU": lambda k, x: _special.gammaincc(k, x) * _special.gamma(k),
    "GammaL": lambda k, x: _special.gammainc(k, x) * _special.gamma(k),
    "MulWithoutZeros": lambda x, y: wt.where(wt.equal(x, 0), y, wt.where(wt.equal(y, 0), x, x * y)),
    "XlogX": lambda x: _special.xlogy(x, x),
    "XlogY0": _special.xlogy,
}


def _row(function: Converter) -> Converter:
    return lambda op, *inputs: function(*inputs)


for _name, _function in _ROWS.items():
    register_names(_name)(_row(_function))


@register_names("Elemwise")
def elemwise(op: Op, *inputs: TensorVariable) -> TensorVariable:
    """The row of the scalar Op, over arrays."""
    scalar = op.scalar_op
    converter = converter_of(scalar)
    if converter is None:
        return NotImplemented
    kind: Any = type(scalar)
    if _is_graph(kind):
        return converter(scalar, *inputs)  # whose parts are computed as themselves
    written = _as_written(inputs)
    dtypes = {v.type.dtype for v in inputs}
    if dtypes != _DOUBLE:
        dtype = _computed_in(scalar, tuple([v.dtype for v in inputs]))
        if dtype is not None:
            written = [v.astype(dtype) for v in written]  # NumPy has 1 / 3 of int8 as 0
        elif kind.__name__ in _TERMS and not _DOUBLE.isdisjoint(dtypes):
            written = [_in_64_bits(v) if type(v.op) is Constant else v for v in written]
    return converter(scalar, *written)


@cache
def _is_graph(kind: type[Op]) -> bool:
    return issubclass(kind, ScalarInnerGraphOp)


@lru_cache(maxsize=1024)
def _computed_in(scalar: Op, dtypes: tuple[str, ...]) -> str | None:
    """The dtype that PyTensor computes with, if NumPy would take another; it is slow to ask."""
    (result, *_) = scalar.output_types([ScalarType(dtype) for dtype in dtypes])
    common = np.result_type(*dtypes)
    is_other = result.dtype in float_dtypes and common.kind != "c" and common != result.dtype
    return str(result.dtype) if is_other else None


def _as_written(inputs: Sequence[TensorVariable]) -> list[TensorVariable]:
    """Without the new axes in front that PyTensor gives to operands of lower rank.

    So rules, and derivatives, see that an exponent is the number 2. One operand keeps the rank.
    """
    rank, kept = 0, 0
    plain = []
    for v in inputs:
        count = len(v.type.shape)
        rank = max(rank, count)
        if count:
            v = _without_new_axes(v)
            count = len(v.type.shape)
        plain.append(v)
        kept = max(kept, count)
    if kept < rank:
        place = next(k for k, v in enumerate(inputs) if v.ndim == rank)
        plain[place] = inputs[place]
    return plain


def _without_new_axes(v: TensorVariable) -> TensorVariable:
    op = v.op
    if type(op) is wt.ExpandDims:
        return v.inputs[0] if op.axis == tuple(range(len(op.axis))) else v
    return _number(v) if type(op) is Constant and op.value.size == 1 else v


@lru_cache(maxsize=256)
def _number(single: TensorVariable) -> TensorVariable:
    op: Any = single.op
    return wt.constant(op.value.reshape(()))


@lru_cache(maxsize=256)
def _in_64_bits(v: TensorVariable) -> TensorVariable:
    """A whole number as one of 64 bits, if that is the same; all else as it is."""
    op: Any = v.op
    value = op.value
    if value.size != 1 or value.dtype.kind not in "iu":
        return v
    number = value.astype("float64")
    return wt.constant(number) if number == value else v


@register_names("Cast")
def cast(op: Op, x: TensorVariable) -> TensorVariable:
    """Another dtype."""
    dtype = op.o_type.dtype
    return wt.constant(x.op.value.astype(dtype)) if isinstance(x.op, Constant) else x.astype(dtype)


@register_names("Composite")
def composite(op: Op, *inputs: TensorVariable) -> list[TensorVariable]:
    """PyTensor's fused loops are single functions again, which Weft fuses itself."""
    return converted(op.fgraph.outputs, dict(zip(op.fgraph.inputs, inputs, strict=True)))
