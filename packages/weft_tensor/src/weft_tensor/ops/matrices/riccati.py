"""Algebraic Riccati equations, by doubling; for stacks too.

Chu, Fan, Lin and Wang, Structure-preserving algorithms for periodic discrete-time algebraic Riccati
equations (2004), section 4. The continuous one as a discrete one with the same solution: Chu, Fan
and Lin, A structure-preserving doubling algorithm for continuous-time algebraic Riccati equations
(2005). Derivatives are solutions of an equation of Lyapunov, for the matrix of the closed loop.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.convert import as_floating, as_tensors
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.solve import inv, solve
from weft_tensor.ops.linalg.square import FloatingOp, adjoint_of, diagonal_ones, square_type
from weft_tensor.ops.matrices.norms import matrix_norm
from weft_tensor.ops.matrices.sylvester import ContinuousLyapunov, StableLyapunov
from weft_tensor.ops.reduction.standard import any, max
from weft_tensor.ops.reduction.sum_to import without_stack
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.types.dtypes import promote
from weft_tensor.types.shape_rules import broadcast_shapes
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "ClosedLoop",
    "ContinuousRiccati",
    "Riccati",
    "solve_continuous_are",
    "solve_discrete_are",
]

STEPS = 60
"""Each step squares what is left to do: so many are never needed where there is a solution."""


class _Equation(FloatingOp):
    """What has the shape of a, of square matrices a, g and q."""

    def infer(self, *types: TensorType) -> TensorType:
        """The shape of a, stacks broadcast."""
        a, g, q = (square_type(t, "solve_discrete_are") for t in types)
        batch = broadcast_shapes(a.shape[:-2], broadcast_shapes(g.shape[:-2], q.shape[:-2]))
        return TensorType(promote([a.dtype, g.dtype, q.dtype]), (*batch, *a.shape[-2:]))

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of a, stacks broadcast."""
        a, g, q = input_shapes
        return [(*broadcast_dims(a[:-2], g[:-2], q[:-2]), *a[-2:])]

    @classmethod
    def examples(cls) -> Examples:
        """1 by 1: others must be symmetric, and change so; they are in tests."""
        a, g, q = (np.array([[v]]) for v in (1.1, 0.7, 2.0))
        return [
            (cls(), [a, g, q]),
            (cls(), [np.stack([a, 0.5 * a]), g, q]),
            (cls(), [v.astype("float32") for v in (a, g, q)]),
        ]


class Riccati(_Equation):
    """x with x = aᴴ x (1 + g x)⁻¹ a + q, for which the closed loop (1 + g x)⁻¹ a is stable.

    Of g and q, which are symmetric, or Hermitian.
    """

    def impl(self, *values: np.ndarray) -> Value:
        """Doubling; LinAlgError if that does not converge, as where no solution is stable."""
        a, g, h = values
        ones = np.eye(a.shape[-1], dtype=np.result_type(a, g, h))
        precision = np.finfo(ones.dtype).eps
        h = h + 0 * (a + g)
        with np.errstate(all="ignore"):
            for _ in range(STEPS):
                inner = ones + g @ h
                of_a, of_g = np.linalg.solve(inner, a), np.linalg.solve(inner, g + 0 * inner)
                back = np.swapaxes(a.conj(), -1, -2)
                change = back @ h @ of_a
                g, h, a = g + a @ of_g @ back, h + change, a @ of_a
                size, left = (np.abs(v).sum(-1).max(initial=0.0) for v in (h, change))
                if np.isfinite(size) and left <= precision * size:
                    return h
        raise np.linalg.LinAlgError("solve_discrete_are: no stable solution was found")

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """s, with s = c s cᴴ + gx for the closed loop c, is that of q."""
        (a, g, q), (x,), (gx,) = inputs, outputs, cotangents
        closed = ClosedLoop()(a, g, x)
        s = StableLyapunov()(closed, gx)
        forth, back = matmul(x, closed), matmul(adjoint_of(x), matmul(closed, s))
        by_a = matmul(forth, adjoint_of(s)) + back
        pairs = (a, by_a), (g, -matmul(back, adjoint_of(forth))), (q, s)
        return [without_stack(slope, v) for v, slope in pairs]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """The solution y of y = cᴴ y c + taᴴ x c + cᴴ x ta - cᴴ x tg x c + tq."""
        (a, g, _), (x,), (ta, tg, tq) = inputs, outputs, tangents
        closed = ClosedLoop()(a, g, x)
        forth, back = matmul(x, closed), matmul(adjoint_of(closed), x)
        total = x * 0 if tq is None else tq
        if ta is not None:
            total = total + matmul(adjoint_of(ta), forth) + matmul(back, ta)
        if tg is not None:
            total = total - matmul(back, matmul(tg, forth))
        return [StableLyapunov()(adjoint_of(closed), total)]

    def __str__(self) -> str:
        return "riccati"


class ContinuousRiccati(_Equation):
    """x with aᴴ x + x a - x g x + q = 0, for which the closed loop a - g x is stable.

    Of g and q, which are symmetric, or Hermitian. An Op of its own as that has little to compile
    where LAPACK is called.
    """

    def expansion(self, a: TensorVariable, g: TensorVariable, q: TensorVariable) -> TensorVariable:
        """By the discrete equation."""
        sizes = [matrix_norm(v, keepdims=True) for v in (a, g, q)]
        shift = stop_gradient(1.1 * maximum(sizes[0], sqrt(sizes[1] * sizes[2])))
        twice, ones, moved = 2 * shift, diagonal_ones(a), a - shift * diagonal_ones(a)
        back = inv(moved)
        of_g = matmul(back, g)
        inner = inv(moved + matmul(adjoint_of(of_g), q))
        cost = matmul(adjoint_of(inner), matmul(q, back))
        return Riccati()(
            ones + twice * inner, twice * matmul(of_g, adjoint_of(inner)), twice * cost
        )

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """s, with c s + s cᴴ + gx = 0 for the closed loop c, is that of q."""
        (a, g, q), (x,), (gx,) = inputs, outputs, cotangents
        s = ContinuousLyapunov()(a - matmul(g, x), gx)
        back = adjoint_of(x)
        product = matmul(back, s)
        pairs = (a, product + matmul(x, adjoint_of(s))), (g, -matmul(product, back)), (q, s)
        return [without_stack(slope, v) for v, slope in pairs]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """The solution y of cᴴ y + y c + taᴴ x + x ta - x tg x + tq = 0."""
        (a, g, _), (x,), (ta, tg, tq) = inputs, outputs, tangents
        total = x * 0 if tq is None else tq
        if ta is not None:
            total = total + matmul(adjoint_of(ta), x) + matmul(x, ta)
        if tg is not None:
            total = total - matmul(x, matmul(tg, x))
        return [ContinuousLyapunov()(adjoint_of(a - matmul(g, x)), total)]

    def __str__(self) -> str:
        return "continuous_riccati"


class ClosedLoop(FloatingOp):
    """(1 + g x)⁻¹ a, of square matrices a, g and x.

    An Op of its own as that has little to compile where LAPACK is called.
    """

    def expansion(self, a: TensorVariable, g: TensorVariable, x: TensorVariable) -> TensorVariable:
        """As it is written."""
        return solve(diagonal_ones(a) + matmul(g, x), a, b_ndim=2)

    def infer(self, *types: TensorType) -> TensorType:
        """The shape of a, stacks broadcast."""
        return Riccati().infer(*types)

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of a, stacks broadcast."""
        return Riccati().infer_shape(fgraph, node, input_shapes)

    @classmethod
    def examples(cls) -> Examples:
        """A matrix, a stack, complex, float32, without rows."""
        a = np.array([[0.5, 0.3, 0.0], [-0.2, 0.6, 0.1], [0.1, 0.0, -0.7]])
        g, x = a @ a.T, np.arange(9.0).reshape(3, 3)
        return [
            (cls(), [a, g, x]),
            (cls(), [a, np.stack([g, 2 * g]), x]),
            (cls(), [a + 0.2j * a.T, g, x]),
            (cls(), [v.astype("float32") for v in (a, g, x)]),
            (cls(), [v[:0, :0] for v in (a, g, x)]),
        ]

    def __str__(self) -> str:
        return "closed_loop"


def solve_discrete_are(
    a: TensorLike,
    b: TensorLike,
    q: TensorLike,
    r: TensorLike,
    e: TensorLike | None = None,
    s: TensorLike | None = None,
) -> TensorVariable:
    """x with aᴴ x a - eᴴ x e - (aᴴ x b + s) (r + bᴴ x b)⁻¹ (bᴴ x a + sᴴ) + q = 0, a stable one.

    The equation of linear quadratic regulators in discrete time. See
    `scipy.linalg.solve_discrete_are`.

    Parameters
    ----------
    a, q
        Square matrices, on the last two axes; q is symmetric, Hermitian if complex.
    b
        Matrices of as many rows.
    r
        Square matrices, symmetric and regular, of as many rows as b has columns.
    e
        Regular matrices of the shape of a; by default the identity.
    s
        Matrices of the shape of b; by default zero.

    Raises
    ------
    LinAlgError
        when it is computed (on Python and Numba; JAX gives NaN), if no solution makes a stable.

    Examples
    --------
    >>> print(solve_discrete_are([[1.0]], [[1.0]], [[1.0]], [[1.0]]).eval().round(6))
    [[1.618034]]
    """
    return Riccati()(*_reduced("solve_discrete_are", (a, b, q, r), e, s))


def solve_continuous_are(
    a: TensorLike,
    b: TensorLike,
    q: TensorLike,
    r: TensorLike,
    e: TensorLike | None = None,
    s: TensorLike | None = None,
) -> TensorVariable:
    """x with aᴴ x e + eᴴ x a - (eᴴ x b + s) r⁻¹ (bᴴ x e + sᴴ) + q = 0, by which a is stable.

    The continuous algebraic Riccati equation; q and r are symmetric, or Hermitian, r and e regular;
    e is the identity by default, s is 0. On the last two axes. See
    `scipy.linalg.solve_continuous_are`. Raises LinAlgError, at the call, where no solution is
    stable; on JAX it may be NaN.

    >>> solve_continuous_are([[0.0]], [[1.0]], [[1.0]], [[1.0]]).eval().round(12)
    array([[1.]])
    """
    x, g, costs = _reduced("solve_continuous_are", (a, b, q, r), e, s)
    solution: TensorVariable = ContinuousRiccati()(x, g, costs)
    # Where the closed loop would have eigenvalues on the axis, doubling ends anywhere.
    product = matmul(adjoint_of(x), solution)
    terms = (product, adjoint_of(product), -matmul(matmul(solution, g), solution), costs)
    sizes = [max(abs(v), (-2, -1), initial=0.0) for v in (reduce(add, terms), *terms)]
    tolerance = 100 * float(np.finfo(sizes[0].dtype).eps) ** 0.5
    fails = stop_gradient(sizes[0] > tolerance * reduce(maximum, sizes[1:]))
    message = "solve_continuous_are: no stable solution was found"
    return check_and_raise(solution, ~any(fails), np.linalg.LinAlgError, message)


def _reduced(
    name: str, of: Iterable[TensorLike], e: TensorLike | None, s: TensorLike | None
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """a, g = b r⁻¹ bᴴ and q of the equation without e and s; of numbers, as matrices."""
    tensors = [as_floating(v) for v in as_tensors(tuple(of))]
    x, columns, costs, weights = (v if v.ndim > 1 else reshape(v, (1, -1)) for v in tensors)
    for v in (x, costs, weights):
        square_type(v.type, name)
    cross = None if s is None else as_floating(s)
    if e is not None:
        back = inv(as_floating(e))
        x, costs = matmul(x, back), matmul(adjoint_of(back), matmul(costs, back))
        cross = None if cross is None else matmul(adjoint_of(back), cross)
    if cross is not None:
        other = solve(weights, adjoint_of(cross), b_ndim=2)
        x, costs = x - matmul(columns, other), costs - matmul(cross, other)
    g = matmul(columns, solve(weights, adjoint_of(columns), b_ndim=2))
    return x, _symmetric(g), _symmetric(costs)


def _symmetric(x: TensorVariable) -> TensorVariable:
    return 0.5 * (x + adjoint_of(x))
