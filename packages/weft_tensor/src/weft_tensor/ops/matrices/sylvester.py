"""Linear equations of matrices: Sylvester's and Lyapunov's; for stacks too."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.convert import as_tensors
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.schur import each_matrix
from weft_tensor.ops.linalg.solve import inv, solve
from weft_tensor.ops.linalg.square import FloatingOp, adjoint_of, diagonal_ones, square_type
from weft_tensor.ops.matrices.norms import matrix_norm
from weft_tensor.ops.reduction.sum_to import without_stack
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.types.dtypes import promote
from weft_tensor.types.shape_rules import broadcast_shapes
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "ContinuousLyapunov",
    "DiscreteLyapunov",
    "StableLyapunov",
    "Sylvester",
    "solve_continuous_lyapunov",
    "solve_discrete_lyapunov",
    "solve_lyapunov",
    "solve_sylvester",
]

_FEW = 10
"""Up to so many rows, SciPy solves the discrete equation of Lyapunov as one of n² unknowns."""


class Sylvester(FloatingOp):
    """x with a x + x b = q."""

    def infer(self, *types: TensorType) -> TensorType:
        """The shape of q, stacks broadcast."""
        a, b, q = types
        square_type(a, "solve_sylvester")
        square_type(b, "solve_sylvester")
        if q.ndim < 2:
            raise ValueError(f"the right side must be a matrix or a stack of them, got {q}")
        batch = broadcast_shapes(a.shape[:-2], broadcast_shapes(b.shape[:-2], q.shape[:-2]))
        return TensorType(promote([a.dtype, b.dtype, q.dtype]), (*batch, *q.shape[-2:]))

    def impl(self, *values: np.ndarray) -> Value:
        """`scipy.linalg.solve_sylvester`; LinAlgError where a and -b have a common eigenvalue."""
        a, b, q = values
        if (a.shape[-1], b.shape[-1]) != q.shape[-2:]:
            raise ValueError(f"solve_sylvester: {a.shape}, {b.shape} and {q.shape} do not fit")
        solve_one: Any = lazy_import("scipy.linalg.solve_sylvester")

        def of_one(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
            dtype = np.result_type(x, y, z)
            if not all(np.isfinite(v).all() for v in (x, y)):
                raise np.linalg.LinAlgError("solve_sylvester: a Schur form was not found")
            if not z.size or not np.isfinite(z).all():
                return np.full(z.shape, np.nan, dtype)
            solution = np.asarray(solve_one(x, y, z))
            return solution.astype(dtype)

        result: Value = each_matrix(of_one, 1, a, b, q)
        return result

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """gq solves aᴴ gq + gq bᴴ = g; ga = -gq xᴴ; gb = -xᴴ gq."""
        (a, b, q), (x,), (g,) = inputs, outputs, cotangents
        gq = Sylvester()(adjoint_of(a), adjoint_of(b), g)
        back = adjoint_of(x)
        pairs = (a, -matmul(gq, back)), (b, -matmul(back, gq)), (q, gq)
        return [without_stack(slope, v) for v, slope in pairs]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """With tq - ta x - x tb in the place of q."""
        (a, b, _), (x,), (ta, tb, tq) = inputs, outputs, tangents
        right: Any = tq
        for product in (
            None if ta is None else matmul(ta, x),
            None if tb is None else matmul(x, tb),
        ):
            if product is not None:
                right = -product if right is None else right - product
        return [Sylvester()(a, b, right)]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of q, stacks broadcast."""
        a, b, q = input_shapes
        return [(*broadcast_dims(a[:-2], b[:-2], q[:-2]), *q[-2:])]

    @classmethod
    def examples(cls) -> Examples:
        """Real and complex eigenvalues, stacks, complex, float32, without columns."""
        a = np.array([[2.0, 1.0, 0.0], [0.5, 3.0, -1.0], [1.0, 0.2, 1.5]])
        b = np.array([[0.3, 1.0], [-1.0, 0.2]])
        q = np.arange(6.0).reshape(3, 2)
        return [
            (cls(), [a, b, q]),
            (cls(), [np.stack([a, 2 * a]), b, np.stack([q, q + 1])]),
            (cls(), [a, b + 1j * b.T, q]),
            (cls(), [a.astype("float32"), b.astype("float32"), q.astype("float32")]),
            (cls(), [a, b[:0, :0], q[:, :0]]),
        ]

    def __str__(self) -> str:
        return "solve_sylvester"


class DiscreteLyapunov(FloatingOp):
    """x with x = a x aᴴ + q.

    An Op of its own as one Schur form is enough where LAPACK is called, and that has little to
    compile.
    """

    def expansion(self, a: TensorVariable, q: TensorVariable) -> TensorVariable:
        """By the continuous equation."""
        ones, back = diagonal_ones(a), adjoint_of(a)
        inverse = inv(back + ones)
        b = matmul(back - ones, inverse)
        c = 2 * matmul(solve(a + ones, q, b_ndim=2), inverse)
        return solve_continuous_lyapunov(adjoint_of(b), -c)

    def infer(self, *types: TensorType) -> TensorType:
        """The shape of q, stacks broadcast."""
        a, q = (square_type(t, "solve_discrete_lyapunov") for t in types)
        batch = broadcast_shapes(a.shape[:-2], q.shape[:-2])
        return TensorType(promote([a.dtype, q.dtype]), (*batch, *q.shape[-2:]))

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """gq solves gq = aᴴ gq a + g; ga = gq a xᴴ + gqᴴ a x."""
        (a, q), (x,), (g,) = inputs, outputs, cotangents
        gq = type(self)()(adjoint_of(a), g)
        ga = matmul(matmul(gq, a), adjoint_of(x)) + matmul(adjoint_of(gq), matmul(a, x))
        return [without_stack(ga, a), without_stack(gq, q)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """The solution for tq + ta x aᴴ + a x taᴴ."""
        (a, _), (x,), (ta, tq) = inputs, outputs, tangents
        right: Any = tq
        if ta is not None:
            change = matmul(matmul(ta, x), adjoint_of(a)) + matmul(matmul(a, x), adjoint_of(ta))
            right = change if tq is None else tq + change
        return [type(self)()(a, right)]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of q, stacks broadcast."""
        a, q = input_shapes
        return [(*broadcast_dims(a[:-2], q[:-2]), *q[-2:])]

    @classmethod
    def examples(cls) -> Examples:
        """A matrix, stacks on either side, complex, float32, without rows."""
        a = np.array([[0.5, 0.3, 0.0], [-0.2, 0.6, 0.1], [0.1, 0.0, -0.7]])
        q = np.arange(9.0).reshape(3, 3)
        return [
            (cls(), [a, q]),
            (cls(), [np.stack([a, 0.5 * a]), q]),
            (cls(), [a, np.stack([q, q.T + 1])]),
            (cls(), [a + 0.2j * a.T, q]),
            (cls(), [a.astype("float32"), q.astype("float32")]),
            (cls(), [a[:0, :0], q[:0, :0]]),
        ]

    def __str__(self) -> str:
        return "discrete_lyapunov"


class StableLyapunov(DiscreteLyapunov):
    """x with x = a x aᴴ + q, for matrices a whose powers vanish.

    An Op of its own as that takes a few products to compute, and has little to compile; the
    expansion finds x for other matrices, too.
    """

    def __str__(self) -> str:
        return "stable_lyapunov"


class ContinuousLyapunov(DiscreteLyapunov):
    """x with a x + x aᴴ + q = 0, for matrices a whose exponentials vanish.

    An Op of its own as that takes an inverse and a few products, and has little to compile.
    """

    def expansion(self, a: TensorVariable, q: TensorVariable) -> TensorVariable:
        """By the discrete equation: Smith, Matrix equation XA + BX = C, 1968."""
        shift = stop_gradient(matrix_norm(a, keepdims=True))
        twice, inverse = 2 * shift, inv(a - shift * diagonal_ones(a))
        change = matmul(matmul(inverse, q), adjoint_of(inverse))
        return StableLyapunov()(diagonal_ones(a) + twice * inverse, twice * change)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """gq solves aᴴ gq + gq a + g = 0; ga = gq xᴴ + gqᴴ x."""
        (a, q), (x,), (g,) = inputs, outputs, cotangents
        gq = ContinuousLyapunov()(adjoint_of(a), g)
        ga = matmul(gq, adjoint_of(x)) + matmul(adjoint_of(gq), x)
        return [without_stack(ga, a), without_stack(gq, q)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """The solution for tq + ta x + x taᴴ."""
        (a, _), (x,), (ta, tq) = inputs, outputs, tangents
        right: Any = tq
        if ta is not None:
            change = matmul(ta, x) + matmul(x, adjoint_of(ta))
            right = change if tq is None else tq + change
        return [ContinuousLyapunov()(a, right)]

    @classmethod
    def examples(cls) -> Examples:
        """Those of the discrete equation, with eigenvalues moved to the left."""
        moved = [
            [a - 2 * np.eye(a.shape[-1], dtype=a.dtype), q] for _, (a, q) in super().examples()
        ]
        return [(cls(), values) for values in moved]

    def __str__(self) -> str:
        return "continuous_lyapunov"


def solve_sylvester(a: TensorLike, b: TensorLike, q: TensorLike) -> TensorVariable:
    """x with a x + x b = q, on the last two axes. See `scipy.linalg.solve_sylvester`.

    There is one if no eigenvalue of a is one of -b. JAX computes it on CPUs only.

    >>> print(solve_sylvester([[1.0, 0.0], [0.0, 2.0]], [[1.0]], [[2.0], [6.0]]).eval())
    [[1.]
     [2.]]
    """
    return Sylvester()(a, b, q)


def solve_continuous_lyapunov(a: TensorLike, q: TensorLike) -> TensorVariable:
    """x with a x + x aᴴ = q. See `scipy.linalg.solve_continuous_lyapunov`.

    >>> print(solve_continuous_lyapunov([[1.0, 0.0], [0.0, 2.0]], [[2.0, 3.0], [3.0, 8.0]]).eval())
    [[1. 1.]
     [1. 2.]]
    """
    x, right = as_tensors((a, q))
    return solve_sylvester(x, adjoint_of(x), right)


solve_lyapunov = solve_continuous_lyapunov


def solve_discrete_lyapunov(
    a: TensorLike, q: TensorLike, method: str | None = None
) -> TensorVariable:
    """x with a x aᴴ - x + q = 0.

    Parameters
    ----------
    a, q
        Square matrices, on the last two axes.
    method
        "direct" solves a system of n² unknowns; "bilinear" a continuous equation, which is
        quicker for many rows, and fails if -1 is an eigenvalue of a. By default "direct" for less
        than 10 rows, if their number is known. See `scipy.linalg.solve_discrete_lyapunov`.

    Raises
    ------
    ValueError
        for another method.

    Examples
    --------
    >>> print(solve_discrete_lyapunov([[0.5]], [[3.0]]).eval())
    [[4.]]
    """
    if method not in (None, "direct", "bilinear"):
        raise ValueError(f"method must be 'direct' or 'bilinear', not {method!r}")
    x, right = as_tensors((a, q))
    dtype = promote([x.dtype, right.dtype])
    dtype = dtype if dtype.startswith(("float", "complex")) else "float64"
    x, right = x.astype(dtype), right.astype(dtype)
    rows = square_type(x.type, "solve_discrete_lyapunov").shape[-1]
    if method is None:
        method = "direct" if isinstance(rows, int) and rows < _FEW else "bilinear"
    if method == "direct":
        return _as_system(x, right)
    return DiscreteLyapunov()(x, right)


def _as_system(a: TensorVariable, q: TensorVariable) -> TensorVariable:
    """By rows, a x aᴴ is the Kronecker product of a and its conjugate, times x."""
    n = lengths_of(a)[-1]
    batch = broadcast_dims(lengths_of(a)[:-2], lengths_of(q)[:-2])
    conjugate = a.conj() if a.is_complex else a
    products = a.expand_dims((-3, -1)) * conjugate.expand_dims((-4, -2))
    whole = reshape(products, (*lengths_of(a)[:-2], n * n, n * n))
    right = reshape(broadcast_to(q, (*batch, n, n)), (*batch, n * n))
    return reshape(solve(diagonal_ones(whole) - whole, right, b_ndim=1), (*batch, n, n))
