"""Functions of square matrices, and the first of them: the exponential; for stacks too.

The derivative of a function f of x in direction t is the upper right block of f of the matrix
[[x, t], [0, x]] (Higham, Functions of Matrices, 2008, equation 3.16); and that of the adjoint of
x, in direction of a cotangent, is the pullback.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Final

import numpy as np

from weft_tensor.build.convert import as_floating, as_tensors, constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.comparison import gt, lt, where
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.linalg.schur import each_matrix
from weft_tensor.ops.linalg.square import FloatingOp, adjoint_of, matrix_type, square_type
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "EXPM_FRECHET_LARGEST",
    "EXPM_LARGEST",
    "EXPM_PADE",
    "Expm",
    "ExpmFrechet",
    "MatrixFunction",
    "expm",
    "expm_frechet",
]

EXPM_LARGEST: Final = 5.371920351148152
"""Up to this sum of a column, Padé's quotient of degree 13 is exact to 53 bits (Higham, 2005)."""
EXPM_FRECHET_LARGEST: Final = 4.74
"""The same for its derivative (Al-Mohy and Higham, 2009)."""
EXPM_PADE: Final = (
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
)
"""The coefficients of its numerator, the constant first."""


class MatrixFunction(FloatingOp):
    """A function of matrices, by SciPy's of the same name."""

    floor: ClassVar[float] = 0.0
    """Imaginary parts that are small beside the result, or this, are errors of rounding."""

    def infer(self, *types: TensorType) -> TensorType:
        """The type of x."""
        return square_type(types[0], str(self))

    def impl(self, *values: np.ndarray) -> Value:
        """SciPy's; NaN where a real matrix has no real result, or one is not finite."""
        (x,) = values
        compute = lazy_import(f"scipy.linalg.{self}")

        def of_one(one: np.ndarray) -> np.ndarray:
            if not one.size:
                return one.copy()
            if not np.isfinite(one).all():
                return np.full_like(
                    one, complex(np.nan, np.nan) if np.iscomplexobj(one) else np.nan
                )
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # SciPy's: on matrices that are nearly singular
                value = np.asarray(compute(one))
            if np.iscomplexobj(value) and not np.iscomplexobj(one):
                limit = np.sqrt(np.finfo(one.dtype).eps) * max(np.abs(value).max(), self.floor)
                value = value.real if np.abs(value.imag).max() <= limit else value.real * np.nan
            return value.astype(one.dtype)

        result: Value = each_matrix(of_one, 1, x)
        return result

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The derivative at the adjoint of x."""
        return [self._change(adjoint_of(inputs[0]), cotangents[0])]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """By blocks."""
        return [self._change(inputs[0], tangents[0])]

    def _change(self, x: TensorVariable, t: TensorVariable) -> TensorVariable:
        n = lengths_of(x)[-1]
        return self(_blocks(x, t))[..., :n, n:]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of x."""
        return input_shapes

    @classmethod
    def examples(cls) -> Examples:
        """A matrix, a large one, a stack, complex, float32, 1 by 1, without rows."""
        x = np.array([[2.0, 1.0, 0.0], [0.5, 3.0, -1.0], [1.0, 0.2, 1.5]])
        return [
            (cls(), [x]),
            (cls(), [3 * x]),
            (cls(), [np.stack([x, 0.01 * x + np.eye(3)])]),
            (cls(), [x + 0.5j * x.T]),
            (cls(), [x.astype("float32")]),
            (cls(), [x[:1, :1]]),
            (cls(), [x[:0, :0]]),
        ]


class Expm(MatrixFunction):
    """The exponential of square matrices."""

    def _change(self, x: TensorVariable, t: TensorVariable) -> TensorVariable:
        return _halves(ExpmFrechet()(concatenate([x, t], -1)))[1]

    def __str__(self) -> str:
        return "expm"


class ExpmFrechet(FloatingOp):
    """The exponential of x, and right of it its derivative in direction t, of x and t so.

    The shape is that of x with twice the columns. An Op of its own as a backend that works on
    blocks takes 3 products for 8, and has little to compile.
    """

    def expansion(self, pair: TensorVariable) -> TensorVariable:
        """The upper blocks, of a t made small: beside a large one, little would be left of x."""
        x, t = _halves(pair)
        size = absolute(t).sum((-2, -1), keepdims=True)
        size = where(gt(size, 0) & lt(size, np.inf), size, constant(1, size.dtype))
        value, change = _halves(Expm()(_blocks(x, t / size))[..., : lengths_of(pair)[-2], :])
        return concatenate([value, change * size], -1)

    def infer(self, *types: TensorType) -> TensorType:
        """That of x and t."""
        return matrix_type(types[0], "expm_frechet")

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """By blocks, of adjoints: second derivatives are symmetric in their directions."""
        back = [adjoint_of(v) for v in _halves(inputs[0])]
        (g, change), n = _halves(cotangents[0]), lengths_of(inputs[0])[-2]
        whole = _of_blocks(back[0], change, back[1], g)
        return [concatenate([whole[..., :n, 3 * n :], whole[..., :n, n : 2 * n]], -1)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """By blocks."""
        n = lengths_of(inputs[0])[-2]
        return [_of_blocks(*_halves(inputs[0]), *_halves(tangents[0]))[..., :n, 2 * n :]]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """That of x and t."""
        return input_shapes

    @classmethod
    def examples(cls) -> Examples:
        """Those of the exponential, in the directions of their cosines."""
        values = [x for _, (x,) in Expm.examples()]
        return [(cls(), [np.concatenate([x, np.cos(x)], -1)]) for x in values]

    def __str__(self) -> str:
        return "expm_frechet"


def _halves(pair: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    n = lengths_of(pair)[-2]
    return pair[..., :n], pair[..., n:]


def _of_blocks(
    x: TensorVariable, t: TensorVariable, tx: TensorVariable, tt: TensorVariable
) -> TensorVariable:
    return ExpmFrechet()(concatenate([_blocks(x, t), _blocks(tx, tt)], -1))


def _blocks(x: TensorVariable, t: TensorVariable) -> TensorVariable:
    """[[x, t], [0, x]]."""
    below = concatenate([x.zeros_like(), x], -1)
    return concatenate([concatenate([x, t], -1), below], -2)


def expm_frechet(A: TensorLike, E: TensorLike, *, compute_expm: bool = True) -> Any:
    """The exponential of square matrices A, and its derivative in the direction of matrices E.

    Both of shape (..., n, n), where A and E broadcast; with `compute_expm=False`, the derivative
    alone. See `scipy.linalg.expm_frechet`.

    >>> print(expm_frechet([[0.0]], [[2.0]])[1].eval())
    [[2.]]
    """
    x, direction = as_tensors((as_floating(A), as_floating(E)))
    square_type(x.type, "expm_frechet")
    square_type(direction.type, "expm_frechet")
    batch = broadcast_dims(lengths_of(x)[:-2], lengths_of(direction)[:-2])
    x, direction = (broadcast_to(v, (*batch, *lengths_of(v)[-2:])) for v in (x, direction))
    both = _halves(ExpmFrechet()(concatenate([x, direction], -1)))
    return both if compute_expm else both[1]


def expm(A: TensorLike) -> TensorVariable:
    """The exponential of square matrices, on the last two axes. See `scipy.linalg.expm`.

    >>> print(expm([[0.0, 1.0], [0.0, 0.0]]).eval())
    [[1. 1.]
     [0. 1.]]
    """
    return Expm()(A)
