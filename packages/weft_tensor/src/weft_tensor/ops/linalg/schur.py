"""Schur and Hessenberg forms of square matrices, also of pairs of them (QZ); for stacks too."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weft_graph import UndefinedGradientError
from weft_tensor.build.convert import as_floating, as_tensor, as_tensors
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.linalg.square import FloatingOp, square_examples, square_type
from weft_tensor.types.dtypes import promote
from weft_tensor.types.shape_rules import broadcast_shapes
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    *("Hessenberg", "HessenbergResult", "QZ", "QZResult", "Schur", "SchurResult", "each_matrix"),
    *("hessenberg", "qz", "schur"),
]


def each_matrix(function: Any, results: int, *stacks: np.ndarray) -> Any:
    """What `function` gives for each matrix of stacks, which broadcast, as stacks of as many.

    >>> each_matrix(np.transpose, 1, np.array([[[1, 2], [3, 4]]]))
    array([[[1, 3],
            [2, 4]]])
    """
    batch = np.broadcast_shapes(*[s.shape[:-2] for s in stacks])
    whole = [np.broadcast_to(s, (*batch, *s.shape[-2:])) for s in stacks]
    values = [function(*[s[place] for s in whole]) for place in np.ndindex(batch)]
    if not values:
        values = [function(*[np.eye(*s.shape[-2:], dtype=s.dtype) for s in whole])]
    parts = list(zip(*values, strict=True)) if results > 1 else [values]
    count = int(np.prod(batch))
    arrays = [np.stack(p)[:count].reshape(*batch, *np.shape(p[0])) for p in parts]
    return tuple(arrays) if results > 1 else arrays[0]


class Form(FloatingOp):
    """A form of matrices that has no derivative: the error says what has one."""

    instead = "stop_gradient(a) takes the matrix for a constant"

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """Raise UndefinedGradientError."""
        raise UndefinedGradientError(f"{self} has no derivative: {self.instead}")


class Schur(Form):
    """t and z with x = z t zᴴ and z unitary: t is triangular, with pairs of rows if x is real.

    It has no derivative: how t changes depends on the order of its eigenvalues. Functions of
    matrices that use it have theirs.
    """

    instead = (
        "take eigenvalues by `eig` or `eigvals`, functions of the matrix by `expm`, `sqrtm` or "
        "`logm`, and what it solves by `solve_sylvester`; or stop_gradient(a)"
    )

    def infer(self, *types: TensorType) -> tuple[TensorType, TensorType]:
        """The type of x, twice."""
        x = square_type(types[0], "schur")
        return x, x

    def impl(self, *values: np.ndarray) -> tuple[Value, ...]:
        """`scipy.linalg.schur`; LinAlgError if it does not converge."""
        (x,) = values
        if not x.shape[-1]:
            return x.copy(), x.copy()
        if not np.isfinite(x).all():
            raise np.linalg.LinAlgError("Schur form not found: array must not have NaN or inf")
        factors: tuple[Value, ...] = each_matrix(lazy_import("scipy.linalg.schur"), 2, x)
        return factors

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """That of x, twice."""
        return [*input_shapes, *input_shapes]

    @classmethod
    def examples(cls) -> Examples:
        """Real and complex eigenvalues, a stack, complex, float32, 1 by 1, without rows."""
        return [(cls(), [x]) for x in square_examples()]

    def __str__(self) -> str:
        return "schur"


class SchurResult(NamedTuple):
    """What `schur` returns."""

    T: TensorVariable
    Z: TensorVariable


def _in_dtype(x: TensorVariable, output: str, name: str) -> TensorVariable:
    if output not in ("real", "r", "complex", "c"):
        raise ValueError(f"{name}: output must be 'real' or 'complex', not {output!r}")
    if output in ("real", "r"):
        return x
    return x.astype("complex64" if x.dtype in ("float32", "complex64") else "complex128")


def schur(a: TensorLike, output: str = "real") -> SchurResult:
    """`weft_tensor.linalg.schur` of matrices with all eigenvalues in LAPACK's order.

    >>> t, z = schur([[1.0, 2.0], [0.0, 3.0]])
    >>> print(t.eval().tolist())
    [[1.0, 2.0], [0.0, 3.0]]
    """
    return SchurResult(*Schur()(_in_dtype(as_tensor(a), output, "schur")))


class Hessenberg(Form):
    """h and q with x = q h qᴴ and q unitary: h has one diagonal below the main one.

    An Op for LAPACK's reflections by blocks, which no loop of matrices is near to. It has no
    derivative; what is made of the matrix by other ways has.
    """

    instead = (
        "H has the eigenvalues and the determinant of the matrix: take `eigvals`, `det`, `solve` "
        "or `expm` of that; or stop_gradient(a)"
    )

    def infer(self, *types: TensorType) -> tuple[TensorType, TensorType]:
        """The type of x, twice."""
        x = square_type(types[0], "hessenberg")
        return x, x

    def impl(self, *values: np.ndarray) -> tuple[Value, ...]:
        """`scipy.linalg.hessenberg`."""
        (x,) = values
        if not x.shape[-1]:
            return x.copy(), x.copy()

        def form(matrix: np.ndarray) -> Any:
            function = lazy_import("scipy.linalg.hessenberg")
            return function(matrix, calc_q=True, check_finite=False)

        factors: tuple[Value, ...] = each_matrix(form, 2, x)
        return tuple([np.asarray(v, x.dtype) for v in factors])  # SciPy's small ones are float64

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """That of x, twice."""
        return [*input_shapes, *input_shapes]

    @classmethod
    def examples(cls) -> Examples:
        """Those of `Schur`."""
        return [(cls(), [x]) for x in square_examples()]

    def __str__(self) -> str:
        return "hessenberg"


class HessenbergResult(NamedTuple):
    """What `hessenberg` returns with `calc_q`."""

    H: TensorVariable
    Q: TensorVariable


def hessenberg(a: TensorLike, calc_q: bool = False) -> Any:
    """H, and Q if `calc_q`, with a = Q H Qᴴ, Q unitary and H zero below the first subdiagonal.

    (..., n, n) makes (..., n, n), or these twice; they have no derivatives. See
    `scipy.linalg.hessenberg`. Raises ValueError for matrices that are not square.

    >>> hessenberg([[1.0, 2.0, 0.0], [3.0, 1.0, 0.0], [4.0, 0.0, 1.0]]).eval().round(6)
    array([[ 1. , -1.2, -1.6],
           [-5. ,  1. ,  0. ],
           [ 0. ,  0. ,  1. ]])
    """
    result = HessenbergResult(*Hessenberg()(as_floating(a)))
    return result if calc_q else result.H


class QZ(Form):
    """s, t, q and z with a = q s zᴴ, b = q t zᴴ, q and z unitary, s and t triangular.

    If they are real, s has pairs of rows. It has no derivative, as `Schur`.
    """

    instead = "take generalised eigenvalues by `eigvals(solve(b, a))`; or stop_gradient of both"

    def infer(self, *types: TensorType) -> tuple[TensorType, ...]:
        """Stacks broadcast, four times."""
        a, b = (square_type(t, "qz") for t in types)
        batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
        n = b.shape[-1] if a.shape[-1] is None else a.shape[-1]
        return (TensorType(promote([a.dtype, b.dtype]), (*batch, n, n)),) * 4

    def impl(self, *values: np.ndarray) -> tuple[Value, ...]:
        """`scipy.linalg.qz`; LinAlgError if it does not converge."""
        a, b = values
        if a.shape[-2:] != b.shape[-2:]:
            raise ValueError(f"qz: shapes {a.shape} and {b.shape} do not fit")
        if not (np.isfinite(a).all() and np.isfinite(b).all()):
            raise np.linalg.LinAlgError("QZ form not found: array must not have NaN or inf")
        if not a.shape[-1]:
            batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
            return tuple(np.zeros((*batch, 0, 0), a.dtype) for _ in range(4))
        qz_of: Any = lazy_import("scipy.linalg.qz")
        output = "complex" if a.dtype.kind == "c" else "real"
        factors: tuple[Value, ...] = each_matrix(lambda x, y: qz_of(x, y, output), 4, a, b)
        return factors

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """Stacks broadcast."""
        a, b = input_shapes
        return [(*broadcast_dims(a[:-2], b[:-2]), *a[-2:])] * 4

    def __str__(self) -> str:
        return "qz"


class QZResult(NamedTuple):
    """What `qz` returns."""

    AA: TensorVariable
    BB: TensorVariable
    Q: TensorVariable
    Z: TensorVariable


def qz(A: TensorLike, B: TensorLike, output: str = "real") -> QZResult:
    """AA, BB, Q and Z with A = Q AA Zᴴ and B = Q BB Zᴴ: the Schur forms of a pair of matrices.

    Parameters
    ----------
    A, B
        Square matrices, on the last two axes.
    output
        "complex" for a triangular AA, whatever A and B are; "real" leaves 2 by 2 blocks on the
        diagonal of a real AA. See `scipy.linalg.qz`.

    Returns
    -------
    `AA`, `BB`, `Q` and `Z`, which have no derivatives. JAX has no such function: there it is an
    error to compile it.

    Examples
    --------
    >>> aa, bb, q, z = qz([[1.0, 2.0], [0.0, 3.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> print((q @ aa @ z.T).eval().round(12).tolist())
    [[1.0, 2.0], [0.0, 3.0]]
    """
    a, b = (_in_dtype(v, output, "qz") for v in as_tensors((A, B)))
    return QZResult(*QZ()(a, b))
