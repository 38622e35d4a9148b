"""Whole powers as products, halves by roots: in a fraction of the time of the function of powers.

exp of imaginary numbers is a turn on the circle, of a cosine and a sine, and needs no exp. This
comes last: other rules look for powers, of which they know what logarithms and conjugates are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import mul
from typing import Any, Final

import numpy as np

import weft_tensor as wt
from weft_graph import Constant, Rule
from weft_rewrites.dsl.equation import equation, letter, literal
from weft_rewrites.dsl.notation import written
from weft_rewrites.ops.elementwise.folding import literal_of
from weft_tensor import Elemwise, TensorVariable
from weft_tensor.extend import lengths_of

__all__ = ["LARGEST", "rules"]

LARGEST: Final = 64
"""Exponents up to this make products, of at most ten multiplications.

A product of n factors is wrong by n - 1 roundings at most: rounding x once changes x ** n by more.
"""

MOST_HALVES: Final = 5
"""x ** 2.5 by a root is wrong by 2 units in the last place at most, and 1 over it by 3."""


def _whole(y: TensorVariable, times: int = 1) -> int | None:
    """The whole number that `y`, so many times, is known to be, if any."""
    if type(y.op) is not Constant or y.op.value.size != 1:
        return None
    value = times * complex(y.op.value.item())
    return int(value.real) if value.imag == 0 and value.real.is_integer() else None


def _multiplied(x: TensorVariable, n: int) -> TensorVariable:
    """The product of `n` > 0 times `x`: of its squares, their squares and so on.

    Powers of one `x` have these in common. None of them overflows but where the product does.
    """
    squares = [x]
    while n >> len(squares):
        squares.append(wt.square(squares[-1]))
    return reduce(mul, [v for k, v in enumerate(squares) if n >> k & 1])


def _of_size(least: int, most: int) -> Callable[..., bool]:
    """A condition: that y is a whole number in this range, not of more axes than x."""

    def holds(x: TensorVariable, y: TensorVariable) -> bool:
        n = _whole(y)
        return n is not None and least <= n <= most and y.ndim <= x.ndim

    return holds


def _is_quotient(node: TensorVariable, x: TensorVariable, y: TensorVariable) -> bool:
    """Whether x is divided by; of integers, the call refuses it."""
    return node.type.numpy_dtype.kind not in "iu" and _of_size(-LARGEST, -1)(x, y)


def _power(node: TensorVariable, x: TensorVariable, y: TensorVariable) -> TensorVariable:
    return _multiplied(x.astype(node.dtype), abs(_whole(y) or 0))


def _wholes(y: TensorVariable) -> Any:
    """The whole numbers that `y` is known to be, if any, several and none too large."""
    found: Any = y if type(y.op) is Constant else literal_of(y)
    if found is None or found.op.value.size < 2 or y.type.numpy_dtype.kind not in "iuf":
        return None
    value = found.op.value
    with np.errstate(invalid="ignore"):
        fits = (abs(value.astype("f8")) <= LARGEST) & (np.rint(value) == value)
    return value.astype("i8") if fits.all() else None


def _are_whole(node: TensorVariable, z: TensorVariable) -> bool:
    return node.type.numpy_dtype.kind == "f" and _wholes(z) is not None


def _chosen_squares(node: TensorVariable, x: TensorVariable, z: TensorVariable) -> TensorVariable:
    """Of the squares of x, their squares and so on, those that each exponent has."""
    n = _wholes(z)
    square, one, factors = x.astype(node.dtype), wt.constant(1, node.dtype), []
    for k in range(max(int(abs(n).max()).bit_length(), 1)):
        square = wt.square(square) if k else square
        factors.append(wt.where(wt.constant((abs(n) >> k & 1).astype(bool)), square, one))
    power = reduce(mul, factors)
    return wt.where(wt.constant(n < 0), wt.reciprocal(power), power) if (n < 0).any() else power


def _is_half(node: TensorVariable, x: TensorVariable, y: TensorVariable) -> bool:
    n = _whole(y, 2)
    is_real = node.type.numpy_dtype.kind == "f"
    return n is not None and n % 2 == 1 and abs(n) <= MOST_HALVES and is_real and y.ndim <= x.ndim


def _with_root(node: TensorVariable, x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """Powers of -inf and of -0.0, which have no sign, are made so: roots of them differ."""
    n, x = _whole(y, 2) or 0, x.astype(node.dtype)
    least = wt.constant(-np.inf, node.dtype)
    root = wt.sqrt(wt.where(wt.eq(x, least), -least, x))
    power = wt.abs(_multiplied(x, abs(n) // 2) * root if abs(n) > 1 else root)
    return power if n > 0 else wt.reciprocal(power)


def _real(z: TensorVariable) -> TensorVariable | None:
    """`z`, if it is real, and the real part of constants that have no other."""
    if not z.is_complex:
        return z
    if isinstance(z.op, Constant) and not np.any(z.op.value.imag):
        return wt.constant(z.op.value.real)
    return None


def _angle(z: TensorVariable, depth: int = 8) -> TensorVariable | None:
    """The y of z = 1j * y, if it is seen: in sums and products of imaginary and real numbers."""
    if not (z.is_complex and depth):
        return None
    if isinstance(z.op, Constant):
        return wt.constant(z.op.value.imag) if not np.any(z.op.value.real) else None
    name = z.op.name if isinstance(z.op, Elemwise) else ""
    if name in ("add", "sub", "neg"):
        angles = [a for x in z.inputs if (a := _angle(x, depth - 1)) is not None]
        return Elemwise(name)(*angles) if len(angles) == len(z.inputs) else None
    if name not in ("mul", "true_div"):
        return None
    for first, second in (z.inputs, z.inputs[::-1]) if name == "mul" else (z.inputs,):
        factor = _real(second)
        if factor is not None and (angle := _angle(first, depth - 1)) is not None:
            return Elemwise(name)(angle, factor)
    return None


def _turned(node: TensorVariable) -> TensorVariable:
    angle = _angle(node.inputs[0])
    assert angle is not None  # as the rule's condition says
    angle = angle.astype(node.type.numpy_dtype.type(0).real.dtype.name)
    return wt.of_parts(wt.cos(angle), wt.sin(angle))


x, y, z = letter("x"), literal("y"), letter("z")
rules: tuple[Rule, ...] = (
    equation(
        x**y,
        lambda node, x: wt.full(lengths_of(x), 1, node.dtype),
        of=None,
        when=_of_size(0, 0),
        name="x ** 0 = 1",
    ),
    equation(
        x**y,
        _power,
        of=None,
        when=_of_size(1, LARGEST),
        name=f"x ** n = x * ... * x for whole n up to {LARGEST}",
        may_change="rounding, complex",
    ),
    equation(
        x**y,
        lambda node, x, y: wt.reciprocal(_power(node, x, y)),
        of=None,
        when=_is_quotient,
        name=f"x ** -n = 1 / (x * ... * x) for whole n up to {LARGEST}",
        may_change="rounding, complex",
    ),
    equation(
        x**z,
        _chosen_squares,
        of=None,
        when=_are_whole,
        name=f"x ** [n, ...] = a product of squares for each whole n up to {LARGEST}",
        may_change="rounding",
    ),
    equation(
        x**y,
        _with_root,
        of=None,
        when=_is_half,
        name=f"x ** (n + 1/2) = x ** n * sqrt(x) up to x ** {MOST_HALVES / 2}",
        may_change="rounding",
    ),
    *(
        Rule(
            wt.exp(inner),
            _turned,
            when=lambda node: _angle(node.inputs[0]) is not None,
            name=f"exp({written(inner)}) = cos(y) + 1j * sin(y) for {written(inner)} = 1j * y",
            may_change=("rounding", "zero sign", "complex"),
        )
        for inner in (-x, x * z, x / z, x + z, x - z)
    ),
)
"""All of them."""
