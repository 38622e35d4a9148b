"""Trigonometric and hyperbolic functions of square matrices, by exponentials; polar forms.

Higham, Functions of Matrices (2008), chapters 8 and 12.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final

from weft_graph import stop_gradient
from weft_tensor.build.convert import as_floating, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.elementwise.arithmetic import ceil
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp2, log2
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.solve import solve
from weft_tensor.ops.linalg.square import adjoint_of
from weft_tensor.ops.linalg.svd import svd
from weft_tensor.ops.matrices.exponential import expm
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of

__all__ = [
    "coshm",
    "cosm",
    "orthogonal_procrustes",
    "polar",
    "sinhm",
    "sinm",
    "tanhm",
    "tanm",
]

_SMALL: Final = 0.125
"""The largest norm of a part whose tangent is a fraction of few terms."""


def _cosine(x: TensorVariable) -> TensorVariable:
    turn = expm(1j * x)
    return 0.5 * (turn + expm(-1j * x)) if x.is_complex else turn.real


def _sine(x: TensorVariable) -> TensorVariable:
    return -1j * _hyperbolic_sine(1j * x) if x.is_complex else expm(1j * x).imag


def _hyperbolic_cosine(x: TensorVariable) -> TensorVariable:
    return 0.5 * (expm(x) + expm(-x))


def _hyperbolic_sine(x: TensorVariable) -> TensorVariable:
    """Near 0 by the series, of norms below 1/2: exponentials differ in few digits there."""
    near = (abs(x).sum(-1).max(-1, initial=0.0) < 0.5).expand_dims((-2, -1))
    small = where(near, x, 0)
    one = eye(lengths_of(x)[-1], dtype=x.dtype)
    square, series = matmul(small, small), one
    for k in range(12, 0, -2):
        series = one + matmul(square, series) / (k * (k + 1))
    return where(near, matmul(small, series), 0.5 * (expm(x) - expm(-x)))


def _hyperbolic_tangent(x: TensorVariable) -> TensorVariable:
    """From that of a small part of x, by tanh(2y) = 2 tanh(y) / (1 + tanh(y)²), as often as needed.

    Hyperbolic cosines of large matrices overflow, and as equations they lose all small eigenvalues.
    Of the small part it is the fifth convergent of the continued fraction (NIST Digital Library of
    Mathematical Functions, 4.39.1), which is off by less than 1e-16 of it.
    """
    n = lengths_of(x)[-1]
    size = stop_gradient(abs(x).sum(-1).max(initial=_SMALL))
    times = where(size < inf, ceil(log2(where(size < inf, size, 1) / _SMALL)), 0).astype("int64")
    part, one = x * exp2(-times.astype(size.dtype)), eye(n, dtype=x.dtype)

    def doubled(_: TensorVariable, t: TensorVariable) -> TensorVariable:
        return solve(one + matmul(t, t), 2 * t, 2)

    square = matmul(part, part)
    fourth = matmul(square, square)
    over = matmul(part, 945 * one + 105 * square + fourth)
    start = solve(945 * one + 420 * square + 15 * fourth, over, 2)
    return fori_loop(0, times, doubled, start)


def _function(
    name: str, what: str, value: float, form: Callable[[TensorVariable], TensorVariable]
) -> Callable[[TensorLike], TensorVariable]:
    """The function for users; `value` is that of the number 1."""

    def call(A: TensorLike) -> TensorVariable:
        x = as_floating(A)
        return form(x).astype(x.dtype)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = (
        f"The {what} of square matrices, on the last two axes. See `scipy.linalg.{name}`.\n\n"
        f"Raises LinAlgError for others.\n\n>>> round({name}([[1.0]]).eval().item(), 6)\n{value}\n"
    )
    return call


cosm = _function("cosm", "cosine", 0.540302, _cosine)
sinm = _function("sinm", "sine", 0.841471, _sine)
tanm = _function("tanm", "tangent", 1.557408, lambda x: solve(_cosine(x), _sine(x), 2))
coshm = _function("coshm", "hyperbolic cosine", 1.543081, _hyperbolic_cosine)
sinhm = _function("sinhm", "hyperbolic sine", 1.175201, _hyperbolic_sine)
tanhm = _function(
    "tanhm",
    "hyperbolic tangent",
    0.761594,
    _hyperbolic_tangent,
)


def polar(a: TensorLike, side: str = "right") -> tuple[TensorVariable, TensorVariable]:
    """u and p with a = u p, p positive semidefinite, and columns or rows of u orthonormal.

    Of matrices (..., m, n), u has their shape, p is (..., n, n). With `side` "left", a = p u, and
    p is (..., m, m). See `scipy.linalg.polar`. Raises ValueError for another side.

    >>> u, p = polar([[0.0, -2.0], [3.0, 0.0]])
    >>> print(u.eval().round(12) + 0)
    [[ 0. -1.]
     [ 1.  0.]]
    """
    if side not in ("right", "left"):
        raise ValueError(f"polar: side is 'right' or 'left', not {side!r}")
    u, s, v = svd(as_floating(a), full_matrices=False)
    values = s.expand_dims(-2)
    if side == "right":
        return matmul(u, v), matmul(adjoint_of(v) * values, v)
    return matmul(u, v), matmul(u * values, adjoint_of(u))


def orthogonal_procrustes(A: TensorLike, B: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """The orthogonal r for which a r is nearest to b, and the sum of singular values of aᴴ b.

    Of matrices (..., m, n) both, r is (..., n, n). See `scipy.linalg.orthogonal_procrustes`. Raises
    ValueError for matrices of other shapes, at the call if these are not known before.

    >>> print(orthogonal_procrustes([[1.0, 0.0], [0.0, 2.0]], [[0.0, 1.0], [2.0, 0.0]])[0].eval())
    [[0. 1.]
     [1. 0.]]
    """
    x, y = as_tensors((as_floating(A), as_floating(B)))
    both = matmul(adjoint_of(x), y)
    n = lengths_of(x)[-1]
    u, s, v = svd(specify_shape(both, [*[None] * (both.ndim - 2), n, n]), full_matrices=False)
    return matmul(u, v), s.sum(-1)
