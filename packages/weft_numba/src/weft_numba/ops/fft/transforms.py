"""Discrete Fourier transforms in Numba, by NumPy's loops: all vectors in one call."""

from __future__ import annotations

from functools import cache, reduce
from typing import Any, Final, NamedTuple

import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_new_ref
from numba.np import numpy_support

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.parameters import with_parameters
from weft_numba.lowering.requirements import require
from weft_numba.numba_layer import numpy_functions
from weft_numba.numba_layer.allocation import empty
from weft_numba.numba_layer.outlining import outlined
from weft_numba.numba_layer.vectors import Vectors
from weft_tensor import FFT, IRFFT, RFFT

__all__ = ["numba_funcify_fft", "numba_funcify_irfft", "numba_funcify_rfft"]

_I64: Final = ir.IntType(64)
_ONE: Final = _I64(1)
_TWO: Final = _I64(2)
_REALS: Final = {
    "complex64": "float32",
    "complex128": "float64",
    "float32": "float32",
    "float64": "float64",
}
"""The dtype of the factor that results of a dtype are multiplied by."""
_EMPTY: Final = "Invalid number of FFT data points (0) specified"
_DIFFER: Final = "irfft takes n // 2 + 1 elements for n points, and n is at least 1"


@numba_funcify.register(FFT)
def numba_funcify_fft(op: FFT, *, node: Any, **kwargs: object) -> Any:
    """Of complex vectors by one loop; of real ones half of it, and its mirror image."""
    return _transform("ifft" if op.inverse else "fft", op.norm, node.type.dtype)


@numba_funcify.register(RFFT)
def numba_funcify_rfft(op: RFFT, *, node: Any, **kwargs: object) -> Any:
    """By the loop for even numbers of points, or that for odd ones."""
    return _transform("rfft", op.norm, node.type.dtype)


@numba_funcify.register(IRFFT)
def numba_funcify_irfft(op: IRFFT, *, node: Any, **kwargs: object) -> Any:
    """By its loop."""
    return _transform("irfft", op.norm, node.type.dtype)


@cache
def _transform(name: str, norm: str, dtype: str) -> Any:
    """The function of an array, and of the number of points for irfft."""
    kind = numpy_support.from_dtype(np.dtype(dtype))

    def typed(context: object, x: Any, *points: Any) -> Any:
        result = types.Array(kind, x.ndim, "C")
        return result(x, *points), outlined(f"{name} {norm}", write)

    def write(context: Any, builder: Any, sig: Any, args: Any) -> Value:
        x = Vectors(context, builder, sig.args[0], args[0])
        points = args[1] if name == "irfft" else x.length
        good = builder.icmp_signed(">=", points, _ONE)
        if name == "irfft":
            good = builder.and_(good, builder.icmp_signed("==", x.length, _half(builder, points)))
        message = _DIFFER if name == "irfft" else _EMPTY
        require(context, builder, good, ValueError, message)
        source = x.contiguous()
        n = _half(builder, points) if name == "rfft" else points
        out = empty(context, builder, sig.return_type, [*x.others, n])
        count = reduce(builder.mul, x.others, _ONE)
        factor = _factor(builder, points, norm, name in ("ifft", "irfft"), _REALS[dtype])
        sizes = [np.dtype(str(k)).itemsize for k in (x.kind.dtype, kind)]
        places = source.data, out.data
        many = _Vectors(*places, count, points, sizes[0], sizes[1], _REALS[dtype], factor)
        with builder.if_then(builder.icmp_signed(">", count, _I64(0))):
            _write(builder, name, "complex" in str(x.kind.dtype), many)
        x.drop(source)
        return impl_ret_new_ref(context, builder, sig.return_type, out._getvalue())

    return intrinsic(with_parameters(2 if name == "irfft" else 1, typed))


class _Vectors(NamedTuple):
    """What is transformed, and where to: the sizes are those of elements in bytes."""

    source: Value
    target: Value
    count: Value
    points: Value
    of_source: int
    of_target: int
    real: str
    factor: Value


def _half(builder: IRBuilder, n: Value) -> Value:
    """n // 2 + 1."""
    return builder.add(builder.ashr(n, _ONE), _ONE)


def _factor(builder: IRBuilder, n: Value, norm: str, inverse: bool, real: str) -> Value:
    """The address of what results are multiplied by."""
    kind = ir.DoubleType()
    value = kind(1.0)
    if norm == "ortho" or (norm == "backward") == inverse:
        count = builder.sitofp(n, kind)
        root = builder.module.declare_intrinsic("llvm.sqrt", [kind])
        value = builder.fdiv(value, builder.call(root, [count]) if norm == "ortho" else count)
    if real == "float32":
        value = builder.fptrunc(value, ir.FloatType())
    return cgutils.alloca_once_value(builder, value)


def _write(builder: IRBuilder, name: str, is_complex: bool, x: _Vectors) -> None:
    """The calls of the loops."""
    if name == "irfft":
        _call(builder, x, "irfft", _half(builder, x.points), x.points)
    elif is_complex:
        _call(builder, x, "fft", x.points, x.points, name == "ifft")
    else:
        width = _half(builder, x.points)
        is_odd = builder.trunc(x.points, ir.IntType(1))
        with builder.if_else(is_odd) as (odd, even):
            for side, parity in ((odd, "odd"), (even, "even")):
                with side:
                    length = width if name == "rfft" else x.points
                    _call(builder, x, f"rfft_n_{parity}", x.points, width, stored=length)
        if name != "rfft":
            _mirror(builder, x, name == "ifft")


def _call(
    builder: IRBuilder,
    x: _Vectors,
    name: str,
    n: Value,
    m: Value,
    inverse: bool = False,
    stored: Value | None = None,
) -> None:
    """A loop from n points to m, of which each vector has memory for more, if need be."""
    sizes = _I64(x.of_source), _I64(x.of_target)
    steps = builder.mul(n, sizes[0]), builder.mul(m if stored is None else stored, sizes[1])
    data = x.source, x.factor, x.target
    numpy_functions.transform(
        builder, name, x.real, data, (x.count, n, m), (*steps, *sizes), inverse
    )


def _mirror(builder: IRBuilder, x: _Vectors, inverse: bool) -> None:
    """Fill the other half of transforms of real vectors; conjugate all for the other direction."""
    real = ir.FloatType() if x.real == "float32" else ir.DoubleType()
    target = builder.bitcast(x.target, real.as_pointer())
    with cgutils.for_range(builder, x.count) as vector:
        row = builder.gep(target, [builder.mul(vector.index, builder.mul(x.points, _TWO))])
        with cgutils.for_range(builder, _half(builder, x.points)) as loop:
            k = loop.index
            place = builder.gep(row, [builder.mul(k, _TWO)])
            beside = builder.gep(place, [_ONE])
            value, other = builder.load(place), builder.load(beside)
            mirrored = builder.fneg(other)
            if inverse:
                builder.store(mirrored, beside)
                mirrored = other
            with builder.if_then(builder.icmp_signed(">", k, _I64(0))):
                image = builder.gep(row, [builder.mul(builder.sub(x.points, k), _TWO)])
                is_middle = builder.icmp_signed("==", image, place)
                with builder.if_then(builder.not_(is_middle)):
                    builder.store(value, image)
                    builder.store(mirrored, builder.gep(image, [_ONE]))
