"""Linear systems whose matrix need not be written down: products with it are enough."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop, while_loop
from weft_tensor.ops.creation.creation import zeros, zeros_like
from weft_tensor.ops.creation.diagonals import diag, diagonal
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.implicit.linear_systems import custom_linear_solve
from weft_tensor.ops.implicit.roots import custom_root
from weft_tensor.ops.linalg.qr import qr
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.optimize.problem import begun, iterations
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.dtypes import promote

__all__ = ["bicgstab", "cg", "gmres"]

Product = Callable[[Any], TensorVariable]
Steps = Callable[[Product, TensorVariable, TensorVariable, Any, TensorVariable], Any]


class _State(NamedTuple):
    """Of stabilized gradients, rho is what is left of the first residual; of others, its square."""

    x: Any
    residual: Any
    direction: Any
    rho: Any
    square: Any
    nit: Any


def cg(
    A: TensorLike | Product,
    b: TensorLike,
    x0: TensorLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: SizeLike | None = None,
) -> tuple[TensorVariable, TensorVariable]:
    """The x with `A x = b`, of a symmetric positive definite A, by conjugate gradients.

    Derivatives of x, in both modes, by `b` and by what `A` uses are solutions of such systems,
    found in the same way to the same `rtol`. See `scipy.sparse.linalg.cg`.

    Parameters
    ----------
    A
        A matrix, or a function that takes a vector and returns its product with it.
    b
        A vector of real numbers.
    x0
        Where to begin: by default at zero. No derivative depends on it.
    rtol, atol
        It ends where the norm of `b - A x` is at most `rtol` times that of `b`, or `atol`.
    maxiter
        How many steps are made at most: 10 for each element of `b` by default.

    Returns
    -------
    x, and an integer: 0 for success, else how many steps were made in vain; -1 if there was
    nothing to do with what is not finite.

    Raises
    ------
    TypeError
        for complex numbers.
    ValueError
        for what is no vector, or a product that is none.

    Examples
    --------
    >>> from weft_graph import grad
    >>> from weft_tensor import vector
    >>> d = vector("d")
    >>> x, info = cg(lambda v: d * v, [2.0, 2.0])
    >>> [v.eval({d: [1.0, 4.0]}) for v in (x, grad(x.sum(), d), info)]
    [array([2. , 0.5]), array([-2.   , -0.125]), array(0)]
    """
    return _solved("cg", _conjugate, A, b, x0, (rtol, atol), maxiter)


def bicgstab(
    A: TensorLike | Product,
    b: TensorLike,
    x0: TensorLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: SizeLike | None = None,
) -> tuple[TensorVariable, TensorVariable]:
    """The x with `A x = b`, of any A, by stabilized biconjugate gradients.

    By van der Vorst (Bi-CGSTAB, 1992). Arguments, results and derivatives are those of `cg`; for
    reverse derivatives, the transpose of a function is found by differentiating it. See
    `scipy.sparse.linalg.bicgstab`.

    >>> x, info = bicgstab([[2.0, 1.0], [0.0, 4.0]], [4.0, 8.0])
    >>> x.eval().round(6), info.eval().item()
    (array([1., 2.]), 0)
    """
    return _solved("bicgstab", _stabilized, A, b, x0, (rtol, atol), maxiter)


def gmres(
    A: TensorLike | Product,
    b: TensorLike,
    x0: TensorLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int = 20,
    maxiter: SizeLike | None = None,
) -> tuple[TensorVariable, TensorVariable]:
    """The x with `A x = b`, of any A, with the least residual in each of its Krylov spaces.

    By Saad and Schultz (GMRES, 1986): `restart` products make a space, which takes memory for as
    many vectors, and the next begins where the last has ended; `maxiter` counts spaces. The other
    arguments, results and derivatives are those of `bicgstab`. See `scipy.sparse.linalg.gmres`.

    Raises ValueError for a `restart` below 1, and what `cg` raises.

    >>> x, info = gmres([[0.0, 1.0], [1.0, 0.0]], [4.0, 8.0])
    >>> x.eval().round(6), info.eval().item()
    (array([8., 4.]), 0)
    """
    if restart < 1:
        raise ValueError(f"gmres: restart is 1 or more, not {restart}{called()}")
    return _solved("gmres", partial(_least, restart), A, b, x0, (rtol, atol), maxiter)


def _solved(
    name: str,
    steps: Steps,
    A: TensorLike | Product,
    b: TensorLike,
    x0: TensorLike | None,
    tolerances: tuple[float, float],
    maxiter: SizeLike | None,
) -> tuple[TensorVariable, TensorVariable]:
    side = begun(b, f"{name}: b")
    if not callable(A):
        matrix = begun(A, f"{name}: A")
        if matrix.ndim != 2:
            raise ValueError(f"{name}: A must be a matrix or a function, not {matrix!r}{called()}")
        side = side.astype(promote([matrix.dtype, side.dtype]))
    start = zeros_like(side) if x0 is None else begun(x0, f"{name}: x0").astype(side.dtype)
    for what, vector in (("b", side), ("x0", start)):
        if vector.ndim != 1:
            raise ValueError(f"{name}: {what} must be a vector, not {vector!r}{called()}")
    most = iterations(maxiter, 10 * maximum(lengths_of(side)[0], 1))
    rtol, atol = tolerances

    def product(v: Any) -> TensorVariable:
        result = as_tensor(A(v)) if callable(A) else matrix @ v
        if result.ndim != 1:
            raise ValueError(f"{name}: A must return a vector, not {result!r}{called()}")
        return result.astype(side.dtype)

    def limit(y: TensorVariable) -> TensorVariable:
        return maximum(rtol**2 * (y @ y), atol**2).astype(y.dtype)

    def again(g: Product, y: TensorVariable) -> TensorVariable:
        scaled = (rtol**2 * (y @ y)).astype(y.dtype)
        solution: TensorVariable = steps(g, y, zeros_like(y), scaled, most).x
        return solution

    end = steps(product, side, start, limit(side), most)
    x = custom_root(
        lambda v: product(v) - side,
        end.x,
        lambda f, v: v,
        lambda g, y: custom_linear_solve(g, y, again, again),
    )
    info = where(end.square <= limit(side), 0, where(end.nit > 0, end.nit, -1))
    return x, info


def _conjugate(
    product: Product, b: TensorVariable, start: TensorVariable, limit: Any, most: TensorVariable
) -> _State:
    def body(s: _State) -> _State:
        moved = product(s.direction)
        step = quotient(s.square, s.direction @ moved)
        residual = s.residual - step * moved
        square = residual @ residual
        direction = residual + quotient(square, s.square) * s.direction
        return _State(s.x + step * s.direction, residual, direction, square, square, s.nit + 1)

    residual = b - product(start)
    square = residual @ residual
    first = _State(start, residual, residual, square, square, as_tensor(0))
    end: _State = while_loop(lambda s: (s.square > limit) & (s.nit < most), body, first)
    return end


def _stabilized(
    product: Product, b: TensorVariable, start: TensorVariable, limit: Any, most: TensorVariable
) -> _State:
    shadow = b - product(start)

    def body(s: _State) -> _State:
        moved = product(s.direction)
        alpha = quotient(s.rho, shadow @ moved)
        half = s.residual - alpha * moved
        turned = product(half)
        omega = quotient(turned @ half, turned @ turned)
        residual = half - omega * turned
        rho = shadow @ residual
        beta = quotient(rho, s.rho) * quotient(alpha, omega)
        direction = residual + beta * (s.direction - omega * moved)
        x = s.x + alpha * s.direction + omega * half
        return _State(x, residual, direction, rho, residual @ residual, s.nit + 1)

    square = shadow @ shadow
    first = _State(start, shadow, shadow, square, square, as_tensor(0))
    end: _State = while_loop(lambda s: (s.square > limit) & (s.nit < most), body, first)
    return end


def _least(
    m: int,
    product: Product,
    b: TensorVariable,
    start: TensorVariable,
    limit: Any,
    most: TensorVariable,
) -> _State:
    tiny = float(np.finfo(b.dtype).eps)

    def arnoldi(j: Any, spaces: tuple[Any, Any]) -> tuple[Any, Any]:
        basis, h = spaces
        w = product(basis[j])
        size = sqrt(w @ w)
        parts = basis @ w
        w = w - parts @ basis
        again = basis @ w  # what rounding has left
        w = w - again @ basis
        left = sqrt(w @ w)
        left = where(left > 10 * tiny * size, left, 0)  # else the space has an end
        column = (parts + again)[j + 1].set(left)
        return basis[j + 1].set(quotient(w, left)), h[:, j].set(column)

    def body(s: _State) -> _State:
        beta = sqrt(s.square)
        first = zeros((m + 1, lengths_of(b)[0]), b.dtype)[0].set(quotient(s.residual, beta))
        basis, h = fori_loop(0, m, arnoldi, (first, zeros((m + 1, m), b.dtype)))
        q, r = qr(h)
        sizes = abs(diagonal(r))
        has_part = sizes > tiny * sizes.max()
        side = where(has_part, beta * q[0], 0)
        y = solve_triangular(r + diag(where(has_part, 0, 1).astype(b.dtype)), side)
        x = s.x + y @ basis[:-1]
        residual = b - product(x)
        return _State(x, residual, residual, s.rho, residual @ residual, s.nit + 1)

    residual = b - product(start)
    square = residual @ residual
    begin = _State(start, residual, residual, square, square, as_tensor(0))
    end: _State = while_loop(lambda s: (s.square > limit) & (s.nit < most), body, begin)
    return end
