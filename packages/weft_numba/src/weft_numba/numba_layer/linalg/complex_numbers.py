"""Arithmetic of complex numbers in machine code, where no part overflows on the way."""

from __future__ import annotations

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value

from weft_numba.numba_layer.linalg.matrices import is_zero, joined, parts

__all__ = ["conjugate", "difference", "over", "quotient", "root", "total"]


def difference(builder: IRBuilder, x: Value, y: Value) -> Value:
    """x - y."""
    pairs = zip(parts(builder, x), parts(builder, y), strict=True)
    return joined(builder, x.type, [builder.fsub(a, b) for a, b in pairs])


def total(builder: IRBuilder, x: Value, y: Value) -> Value:
    """x + y."""
    pairs = zip(parts(builder, x), parts(builder, y), strict=True)
    return joined(builder, x.type, [builder.fadd(a, b) for a, b in pairs])


def conjugate(builder: IRBuilder, x: Value) -> Value:
    """The conjugate, which is x itself for real numbers."""
    real, *imaginary = parts(builder, x)
    return joined(builder, x.type, [real, *map(builder.fneg, imaginary)])


def over(builder: IRBuilder, x: Value, divisor: Value, nothing: Value | None = None) -> Value:
    """x / divisor, a real one, but 0 where both are zero, or that is and the bit `nothing` is 1."""
    zero = is_zero(builder, x) if nothing is None else builder.or_(is_zero(builder, x), nothing)
    zero = builder.and_(zero, is_zero(builder, divisor))
    below = builder.select(zero, divisor.type(1.0), divisor)
    quotients = [builder.fdiv(part, below) for part in parts(builder, x)]
    pieces = [builder.select(zero, q.type(0.0), q) for q in quotients]
    return joined(builder, x.type, pieces)


def _function(builder: IRBuilder, name: str, *values: Value) -> Value:
    kind = values[0].type
    signature = ir.FunctionType(kind, [kind] * len(values))
    intrinsic = builder.module.declare_intrinsic(f"llvm.{name}", [kind], signature)
    return builder.call(intrinsic, values)


def quotient(builder: IRBuilder, x: Value, y: Value) -> Value:
    """x / y (Smith, Algorithm 116: Complex division, 1962)."""
    (a, b), (c, d) = parts(builder, x), parts(builder, y)
    sizes = [_function(builder, "fabs", v) for v in (c, d)]
    first = builder.fcmp_ordered(">=", *sizes)
    large, small = builder.select(first, c, d), builder.select(first, d, c)
    ratio = builder.fdiv(small, large)
    below = builder.fadd(large, builder.fmul(small, ratio))
    by_ratio = [builder.fmul(v, ratio) for v in (a, b)]
    real = builder.select(first, builder.fadd(a, by_ratio[1]), builder.fadd(by_ratio[0], b))
    imaginary = builder.select(first, builder.fsub(b, by_ratio[0]), builder.fsub(by_ratio[1], a))
    return joined(builder, x.type, [builder.fdiv(v, below) for v in (real, imaginary)])


def root(builder: IRBuilder, x: Value) -> Value:
    """The square root, whose real part is not negative."""
    a, b = parts(builder, x)
    zero, half = a.type(0.0), a.type(0.5)
    sizes = [_function(builder, "fabs", v) for v in (a, b)]
    first = builder.fcmp_ordered(">=", *sizes)
    large, small = builder.select(first, *sizes), builder.select(first, *sizes[::-1])
    nothing = builder.fcmp_ordered("==", large, zero)
    ratio = builder.fdiv(small, builder.select(nothing, a.type(1.0), large))
    square = builder.fadd(a.type(1.0), builder.fmul(ratio, ratio))
    share = builder.fmul(half, builder.fdiv(sizes[0], builder.select(nothing, half, large)))
    inner = builder.fadd(share, builder.fmul(half, _function(builder, "sqrt", square)))
    outer = builder.fmul(_function(builder, "sqrt", large), _function(builder, "sqrt", inner))
    other = builder.fdiv(builder.fmul(half, sizes[1]), builder.select(nothing, half, outer))
    right = builder.fcmp_ordered(">=", a, zero)
    real, size = builder.select(right, outer, other), builder.select(right, other, outer)
    return joined(builder, x.type, [real, _function(builder, "copysign", size, b)])
