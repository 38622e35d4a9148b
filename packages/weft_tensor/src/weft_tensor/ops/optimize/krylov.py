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
from weft_tensor.ops.sparse.linalg.least_residuals import minres_steps
from weft_tensor.ops.sparse.linalg.operators import LinearOperator, aslinearoperator, product_with
from weft_tensor.ops.sparse.sparse_array import SparseArray
from weft_tensor.types.dtypes import promote

__all__ = ["bicgstab", "cg", "gmres", "minres"]

Product = Callable[[Any], TensorVariable]
Matrix = TensorLike | SparseArray | LinearOperator | Product
Steps = Callable[[Product, Product, TensorVariable, TensorVariable, Any, TensorVariable], Any]


class _State(NamedTuple):
    """Of stabilized gradients, rho is what is left of the first residual.

    Of conjugate ones it is the product of the residual with what `M` makes of it; of others, with
    itself.
    """

    x: Any
    residual: Any
    direction: Any
    rho: Any
    square: Any
    nit: Any


def cg(
    A: Matrix,
    b: TensorLike,
    x0: TensorLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: SizeLike | None = None,
    M: Matrix | None = None,
) -> tuple[TensorVariable, TensorVariable]:
    """The x with `A x = b`, of a symmetric positive definite A, by conjugate gradients.

    Derivatives of x, in both modes, by `b` and by what `A` uses are solutions of such systems,
    found in the same way to the same `rtol`. See `scipy.sparse.linalg.cg`.

    Parameters
    ----------
    A
        A matrix, dense or sparse, a `LinearOperator`, or a function that takes a vector and returns
        its product with it.
    b
        A vector of real numbers.
    x0
        Where to begin: by default at zero. No derivative depends on it.
    rtol, atol
        It ends where the norm of `b - A x` is at most `rtol` times that of `b`, or `atol`.
    maxiter
        How many steps are made at most: 10 for each element of `b` by default.
    M
        What `A` may be, of what is near to the inverse of A, to make fewer steps. No derivative
        depends on it.

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
    return _solved("cg", _conjugate, A, b, x0, (rtol, atol), maxiter, M)


def bicgstab(
    A: Matrix,
    b: TensorLike,
    x0: TensorLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: SizeLike | None = None,
    M: Matrix | None = None,
) -> tuple[TensorVariable, TensorVariable]:
    """The x with `A x = b`, of any A, by stabilized biconjugate gradients.

    By van der Vorst (Bi-CGSTAB, 1992). Arguments, results and derivatives are those of `cg`; for
    reverse derivatives, the transpose of a function is found by differentiating it. See
    `scipy.sparse.linalg.bicgstab`.

    >>> x, info = bicgstab([[2.0, 1.0], [0.0, 4.0]], [4.0, 8.0])
    >>> x.eval().round(6), info.eval().item()
    (array([1., 2.]), 0)
    """
    return _solved("bicgstab", _stabilized, A, b, x0, (rtol, atol), maxiter, M)


def gmres(
    A: Matrix,
    b: TensorLike,
    x0: TensorLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int = 20,
    maxiter: SizeLike | None = None,
    M: Matrix | None = None,
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
    return _solved("gmres", partial(_least, restart), A, b, x0, (rtol, atol), maxiter, M)


def minres(
    A: Matrix,
    b: TensorLike,
    x0: TensorLike | None = None,
    *,
    rtol: float = 1e-5,
    shift: TensorLike = 0.0,
    maxiter: SizeLike | None = None,
    M: Matrix | None = None,
) -> tuple[TensorVariable, TensorVariable]:
    """The x with `(A - shift I) x = b`, of a symmetric A, which may be indefinite.

    By Paige and Saunders (MINRES, 1975): the residual is the least in each Krylov space. Arguments,
    results and derivatives are those of `cg`, but `rtol` is one of residuals here, where SciPy's
    is one of backward errors; with `M`, symmetric and positive, residuals r are as large as the
    root of `r @ M @ r`. See `scipy.sparse.linalg.minres`.

    >>> x, info = minres([[1.0, 2.0], [2.0, 1.0]], [4.0, 5.0])
    >>> x.eval().round(6), info.eval().item()
    (array([2., 1.]), 0)
    """
    by = as_tensor(shift)
    of_matrix, kind = _product("A", A, "minres")
    if by.ndim:
        raise ValueError(f"minres: shift is a number, not {by!r}{called()}")
    begun(by, "minres: shift")
    side = begun(b, "minres: b")
    side = side if kind is None else side.astype(promote([kind, side.dtype]))

    def shifted(v: Any) -> TensorVariable:
        return as_tensor(of_matrix(v)) - (by * v).astype(side.dtype)

    unshifted = isinstance(shift, (int, float)) and shift == 0
    product = of_matrix if unshifted else shifted
    return _solved("minres", minres_steps, product, side, x0, (rtol, 0.0), maxiter, M)


def _solved(
    name: str,
    steps: Steps,
    A: Matrix,
    b: TensorLike,
    x0: TensorLike | None,
    tolerances: tuple[float, float],
    maxiter: SizeLike | None,
    M: Matrix | None,
) -> tuple[TensorVariable, TensorVariable]:
    side = begun(b, f"{name}: b")
    of_matrix, kind = _product("A", A, name)
    if kind is not None:
        side = side.astype(promote([kind, side.dtype]))
    start = zeros_like(side) if x0 is None else begun(x0, f"{name}: x0").astype(side.dtype)
    for what, vector in (("b", side), ("x0", start)):
        if vector.ndim != 1:
            raise ValueError(f"{name}: {what} must be a vector, not {vector!r}{called()}")
    most = iterations(maxiter, 10 * maximum(lengths_of(side)[0], 1))
    rtol, atol = tolerances

    def vector_of(what: str, function: Product) -> Product:
        def product(v: Any) -> TensorVariable:
            result = as_tensor(function(v))
            if result.ndim != 1:
                raise ValueError(f"{name}: {what} must return a vector, not {result!r}{called()}")
            return result.astype(side.dtype)

        return product

    product = vector_of("A", of_matrix)
    near = (lambda v: v) if M is None else vector_of("M", _product("M", M, name)[0])
    near_back = near if M is None or name in ("cg", "minres") else _adjoint(M, side, near)

    def square(y: TensorVariable) -> TensorVariable:
        return y @ (near(y) if name == "minres" else y)

    def limit(y: TensorVariable) -> TensorVariable:
        return maximum(rtol**2 * square(y), atol**2).astype(y.dtype)

    def again(by: Product) -> Callable[[Product, TensorVariable], TensorVariable]:
        def solve(g: Product, y: TensorVariable) -> TensorVariable:
            scaled = (rtol**2 * square(y)).astype(y.dtype)
            solution: TensorVariable = steps(g, by, y, zeros_like(y), scaled, most).x
            return solution

        return solve

    end = steps(product, near, side, start, limit(side), most)
    x = custom_root(
        lambda v: product(v) - side,
        end.x,
        lambda f, v: v,
        lambda g, y: custom_linear_solve(g, y, again(near), again(near_back)),
    )
    info = where(end.square <= limit(side), 0, where(end.nit > 0, end.nit, -1))
    return x, info


def _product(what: str, A: Any, name: str) -> tuple[Product, str | None]:
    """What multiplies a vector by it, and its dtype, if known."""
    try:
        product, kind = product_with(A)
    except ValueError:
        text = f"{name}: {what} must be a matrix or a function, not {as_tensor(A)!r}{called()}"
        raise ValueError(text) from None
    if kind is not None and kind.startswith("complex"):
        raise TypeError(f"{name}: {what} must be real numbers, not of {kind}{called()}")
    return product, kind if kind is None or kind.startswith("float") else "float64"


def _adjoint(M: Any, side: TensorVariable, near: Product) -> Product:
    n = lengths_of(side)[0]
    own = M if isinstance(M, LinearOperator) or not callable(M) else None
    operator = LinearOperator((n, n), near, dtype=side.dtype) if own is None else own
    back = aslinearoperator(operator)
    return lambda v: back.rmatvec(v).astype(side.dtype)


def _conjugate(
    product: Product,
    near: Product,
    b: TensorVariable,
    start: TensorVariable,
    limit: Any,
    most: TensorVariable,
) -> _State:
    def body(s: _State) -> _State:
        moved = product(s.direction)
        step = quotient(s.rho, s.direction @ moved)
        residual = s.residual - step * moved
        nearer = near(residual)
        rho = residual @ nearer
        direction = nearer + quotient(rho, s.rho) * s.direction
        square = residual @ residual
        return _State(s.x + step * s.direction, residual, direction, rho, square, s.nit + 1)

    residual = b - product(start)
    nearer = near(residual)
    square = residual @ residual
    first = _State(start, residual, nearer, residual @ nearer, square, as_tensor(0))
    end: _State = while_loop(lambda s: (s.square > limit) & (s.nit < most), body, first)
    return end


def _stabilized(
    product: Product,
    near: Product,
    b: TensorVariable,
    start: TensorVariable,
    limit: Any,
    most: TensorVariable,
) -> _State:
    shadow = b - product(start)

    def body(s: _State) -> _State:
        ahead = near(s.direction)
        moved = product(ahead)
        alpha = quotient(s.rho, shadow @ moved)
        half = s.residual - alpha * moved
        rest = near(half)
        turned = product(rest)
        omega = quotient(turned @ half, turned @ turned)
        residual = half - omega * turned
        rho = shadow @ residual
        beta = quotient(rho, s.rho) * quotient(alpha, omega)
        direction = residual + beta * (s.direction - omega * moved)
        x = s.x + alpha * ahead + omega * rest
        return _State(x, residual, direction, rho, residual @ residual, s.nit + 1)

    square = shadow @ shadow
    first = _State(start, shadow, shadow, square, square, as_tensor(0))
    end: _State = while_loop(lambda s: (s.square > limit) & (s.nit < most), body, first)
    return end


def _least(
    m: int,
    product: Product,
    near: Product,
    b: TensorVariable,
    start: TensorVariable,
    limit: Any,
    most: TensorVariable,
) -> _State:
    tiny = float(np.finfo(b.dtype).eps)

    def arnoldi(j: Any, spaces: tuple[Any, Any]) -> tuple[Any, Any]:
        basis, h = spaces
        w = product(near(basis[j]))
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
        x = s.x + near(y @ basis[:-1])
        residual = b - product(x)
        return _State(x, residual, residual, s.rho, residual @ residual, s.nit + 1)

    residual = b - product(start)
    square = residual @ residual
    begin = _State(start, residual, residual, square, square, as_tensor(0))
    end: _State = while_loop(lambda s: (s.square > limit) & (s.nit < most), body, begin)
    return end
