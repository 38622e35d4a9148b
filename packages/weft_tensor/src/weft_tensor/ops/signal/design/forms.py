"""Linear systems as matrices, polynomials, or zeros and poles: one form from another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import eye, ones_like, zeros
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.linalg.eig import eigvals
from weft_tensor.ops.reduction.standard import prod
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import atleast_1d
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.signal.design.roots import Roots, sections_of, tf2zpk, zpk2tf
from weft_tensor.types.dtypes import promote

__all__ = ["System", "in_steps", "in_time", "matrices_of", "sos2zpk", "ss2tf", "tf2ss", "zpk2ss"]

System = tuple[TensorVariable, TensorVariable, TensorVariable, TensorVariable]


def in_time(system: Sequence[TensorLike], name: str) -> Sequence[TensorLike]:
    """A system in time; ValueError for an object that has steps."""
    if getattr(system, "dt", None) is not None:
        raise ValueError(f"{name} takes a system in time, not in steps: {system!r}{called()}")
    return system


def in_steps(
    system: Sequence[TensorLike], name: str
) -> tuple[Sequence[TensorLike], TensorVariable]:
    """The parts of a system in steps, and how long these are; ValueError for an object without."""
    if getattr(system, "dt", ()) is None:
        raise ValueError(f"{name} takes a system in steps, give it dt=: {system!r}{called()}")
    *parts, dt = system
    return parts, as_floating(dt)


def matrices_of(system: Sequence[TensorLike], name: str) -> System:
    """The matrices of a system (A, B, C, D), (num, den), or (z, p, k); ValueError for another."""
    parts = [as_floating(v) for v in system]
    if len(parts) in (2, 3) and parts[1].ndim < 2:
        return tf2ss(*parts) if len(parts) == 2 else zpk2ss(*parts)
    if len(parts) != 4 or any(v.ndim != 2 for v in parts):
        raise ValueError(
            f"{name} takes four matrices (A, B, C, D), two polynomials (num, den), or (z, p, k), "
            f"not {parts}{called()}"
        )
    a, b, c, d = parts
    return a, b, c, d


def tf2ss(num: TensorLike, den: TensorLike) -> System:
    """The matrices of a system by its polynomials, in the form of a controller.

    `num` is a vector, or a matrix with a row for each output, and not longer than the vector `den`;
    lengths are known. Coefficients that are zero at the front are not looked for. See
    `scipy.signal.tf2ss`. Raises ValueError for others.

    >>> [v.eval().tolist() for v in tf2ss([1.0, 3.0], [2.0, 4.0, 6.0])]
    [[[-2.0, -3.0], [1.0, 0.0]], [[1.0], [0.0]], [[0.5, 1.5]], [[0.0]]]
    """
    above, below = (atleast_1d(as_floating(v)) for v in (num, den))
    above = above if above.ndim > 1 else above.expand_dims(0)
    size, order = above.type.shape[-1], below.type.shape[0]
    lengths_known = isinstance(size, int) and isinstance(order, int)
    if (above.ndim, below.ndim) != (2, 1) or not lengths_known or size > order:
        raise ValueError(
            f"tf2ss takes polynomials of known lengths, num not longer than den, not {num!r} and "
            f"{den!r}{called()}"
        )
    dtype = promote([above.dtype, below.dtype])
    rows, first = lengths_of(above)[0], index(below, 0)
    above = concatenate([zeros((rows, order - size), dtype), above.astype(dtype)], 1) / first
    tail = index(below, slice(1, None)).astype(dtype) / first
    ahead = index(above, (slice(None), slice(0, 1)))
    if order == 1:
        return zeros((1, 1), dtype), zeros((1, 1), dtype), zeros((rows, 1), dtype), ahead
    below_it = eye(order - 2, order - 1, dtype=dtype)
    outputs = index(above, (slice(None), slice(1, None))) - ahead * tail
    inputs = eye(order - 1, 1, dtype=dtype)
    return concatenate([-tail.expand_dims(0), below_it], 0), inputs, outputs, ahead


def ss2tf(
    A: TensorLike, B: TensorLike, C: TensorLike, D: TensorLike, input: int = 0
) -> tuple[TensorVariable, TensorVariable]:
    """The polynomials of a system by its matrices: a row for each output, and what they divide by.

    `A` has a known length; `input` says which column of `B` and `D`. It is computed by eigenvalues:
    there are no derivatives where two of them are equal. See `scipy.signal.ss2tf`. Raises
    ValueError for what are no such matrices.

    >>> [v.eval().tolist() for v in ss2tf([[0.5]], [[1.0]], [[2.0]], [[3.0]])]
    [[[3.0, 0.5]], [1.0, -0.5]]
    """
    a, b, c, d = matrices_of((A, B, C, D), "ss2tf")
    n = a.type.shape[0]
    if not isinstance(n, int):
        raise ValueError(f"ss2tf: the length of A must be known, not {a!r}{called()}")
    column = (slice(None), slice(input, input + 1))
    b, d = index(b, column), index(d, column)
    below = _characteristic(a, n)
    rest = a - b.expand_dims(0) * c.expand_dims(1)
    # det(s - A + b c) = det(s - A) (1 + c (s - A)^-1 b), for each row c of C.
    return _characteristic(rest, n) + (d - 1) * below, below


def _characteristic(a: TensorVariable, n: int) -> TensorVariable:
    """The coefficients of characteristic polynomials: real of real matrices."""
    values = moveaxis(eigvals(a), -1, 0)
    product: list[Any] = [ones_like(values[0])]
    for k in range(n):
        pairs = zip([*product, 0], [0, *product], strict=True)
        product = [ahead - values[k] * before for ahead, before in pairs]
    whole = stack(product, -1)
    return whole if a.is_complex else whole.real


def zpk2ss(z: TensorLike, p: TensorLike, k: TensorLike) -> System:
    """The matrices of a system by zeros, poles and a factor. See `scipy.signal.zpk2ss`.

    >>> [v.eval().tolist() for v in zpk2ss([-3.0], [-1.0, -2.0], 2.0)]
    [[[-3.0, -2.0], [1.0, 0.0]], [[1.0], [0.0]], [[2.0, 6.0]], [[0.0]]]
    """
    return tf2ss(*zpk2tf(z, p, k))


def sos2zpk(sos: TensorLike) -> Roots:
    """The zeros, poles and factor of sections of second order. See `scipy.signal.sos2zpk`.

    Raises ValueError for another shape than (n_sections, 6), of a known number.

    >>> [abs(v).eval().round(6).tolist() for v in sos2zpk([[2.0, 0.0, -2.0, 1.0, 0.0, -0.25]])]
    [[1.0, 1.0], [0.5, 0.5], 2.0]
    """
    rows = sections_of(sos, "sos2zpk")
    every = [tf2zpk(row[:3], row[3:]) for row in rows]
    z, p = (concatenate([part[i] for part in every], 0) for i in range(2))
    return z, p, prod(stack([part[2] for part in every]))
