"""Matrices as what they do to vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from weft_graph import pullback, replace
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import SizeLike, TensorVariable
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.complex import conj
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.ops.sparse.construction import coo_array
from weft_tensor.ops.sparse.sparse_array import SparseArray
from weft_tensor.types.dtypes import as_dtype, promote
from weft_tensor.types.tensor_type import TensorType

__all__ = ["LinearOperator", "aslinearoperator", "in_dtype", "product_with"]

Product = Callable[[Any], Any]
_VMAP: Final = "weft_tensor.batching.functions.vmap"


class LinearOperator:
    """A matrix of that shape, as the function that multiplies vectors by it.

    `rmatvec` multiplies by its adjoint; without it, that is found by differentiating `matvec`,
    which must be linear. They sum, are scaled and composed, and `@` takes vectors, matrices and
    operators. See `scipy.sparse.linalg.LinearOperator`.

    Raises TypeError for what is no function.

    >>> from weft_tensor import cumsum
    >>> sums = LinearOperator((3, 3), cumsum)
    >>> (sums @ [1.0, 2.0, 3.0]).eval(), (sums.T @ [1.0, 2.0, 3.0]).eval()
    (array([1., 3., 6.]), array([6., 5., 3.]))
    """

    ndim: Final = 2
    __array_ufunc__: Final = None
    """NumPy's arrays leave products to this class."""

    def __init__(
        self,
        shape: tuple[SizeLike, SizeLike],
        matvec: Product,
        rmatvec: Product | None = None,
        dtype: Any = "float64",
    ) -> None:
        if not callable(matvec):
            raise TypeError(f"LinearOperator: matvec is a function, not {matvec!r}{called()}")
        m, n = shape
        self.shape = (as_size(m), as_size(n))
        self.dtype = as_dtype(dtype)
        self._matvec = matvec
        self._rmatvec = rmatvec

    def matvec(self, x: Any) -> TensorVariable:
        """The product with a vector.

        Raises ValueError for what is none, or if the product is none.
        """
        return _of_vector("matvec", self._matvec, x)

    def rmatvec(self, x: Any) -> TensorVariable:
        """The product of the adjoint, the conjugate transpose, with a vector.

        Raises ValueError for what is none, or if the product is none.
        """
        return _of_vector("rmatvec", self._rmatvec or self._transposed, x)

    def _transposed(self, y: TensorVariable) -> TensorVariable:
        at = TensorType(promote([self.dtype, y.dtype]), (None,))()
        product = self.matvec(at)
        cotangent = y.astype(product.dtype)
        back: Any = pullback([product], [at], [cotangent], disconnected_inputs="ignore")
        slopes: Any = replace(back, {at: zeros(self.shape[1:], at.dtype)})
        return slopes[0]

    def matmat(self, X: Any) -> TensorVariable:  # SciPy's name
        """The product with a matrix, column by column."""
        result: TensorVariable = lazy_import(_VMAP)(self.matvec, 1, 1)(as_tensor(X))
        return result

    @property
    def H(self) -> LinearOperator:  # SciPy's name
        """The adjoint."""
        return LinearOperator(self.shape[::-1], self.rmatvec, self.matvec, self.dtype)

    @property
    def T(self) -> LinearOperator:  # NumPy's name
        """The transpose."""
        if not self.dtype.startswith("complex"):
            return self.H
        return LinearOperator(
            self.shape[::-1],
            lambda x: conj(self.rmatvec(conj(as_tensor(x)))),
            lambda x: conj(self.matvec(conj(as_tensor(x)))),
            self.dtype,
        )

    def __call__(self, x: Any) -> Any:
        """The product, as that of `@`."""
        return self @ x

    def __matmul__(self, x: Any) -> Any:
        """The product with a vector or a matrix, a tensor; with an operator, which is one."""
        if isinstance(x, (LinearOperator, SparseArray)):
            other = aslinearoperator(x)
            return LinearOperator(
                (self.shape[0], other.shape[1]),
                lambda v: self.matvec(other.matvec(v)),
                lambda v: other.rmatvec(self.rmatvec(v)),
                promote([self.dtype, other.dtype]),
            )
        x = as_tensor(x)
        return self.matmat(x) if x.ndim == 2 else self.matvec(x)

    dot = __matmul__

    def __mul__(self, factor: Any) -> LinearOperator:
        """Times a number."""
        number = as_tensor(factor)
        if number.ndim:
            raise ValueError(
                f"`*` takes a number, and `@` what else there is: {number!r}{called()}"
            )
        return LinearOperator(
            self.shape,
            lambda v: self.matvec(v) * number,
            lambda v: self.rmatvec(v) * conj(number),
            promote([self.dtype, number.dtype]),
        )

    __rmul__ = __mul__

    def __neg__(self) -> LinearOperator:
        return self * -1.0

    def __add__(self, other: Any) -> LinearOperator:
        """The sum with another, or with a matrix, dense or sparse."""
        term = aslinearoperator(other)
        return LinearOperator(
            self.shape,
            lambda v: self.matvec(v) + term.matvec(v),
            lambda v: self.rmatvec(v) + term.rmatvec(v),
            promote([self.dtype, term.dtype]),
        )

    __radd__ = __add__

    def __sub__(self, other: Any) -> LinearOperator:
        return self + -aslinearoperator(other)

    def __rsub__(self, other: Any) -> LinearOperator:
        return -self + other


def _of_vector(name: str, function: Product, x: Any) -> TensorVariable:
    x = as_tensor(x)
    result = as_tensor(function(x)) if x.ndim == 1 else x
    if x.ndim != 1 or result.ndim != 1:
        what = "returns" if x.ndim == 1 else "takes"
        raise ValueError(f"{name} {what} a vector, not {result!r}{called()}")
    return result


def aslinearoperator(A: Any) -> LinearOperator:  # SciPy's names
    """A matrix, dense or sparse, ours or SciPy's, as a `LinearOperator`; one as it is.

    See `scipy.sparse.linalg.aslinearoperator`. Raises TypeError for a function, whose shape nobody
    knows, and ValueError for a tensor that is no matrix.

    >>> aslinearoperator([[1.0, 2.0], [0.0, 3.0]]).rmatvec([1.0, 1.0]).eval()
    array([1., 5.])
    """
    if isinstance(A, LinearOperator):
        return A
    if hasattr(A, "tocoo"):
        a = coo_array(A)
        return LinearOperator(a.shape, lambda v: a @ v, lambda v: _adjoint(a) @ v, a.dtype)
    if callable(A):
        raise TypeError(f"a function has no shape: write LinearOperator((m, n), {A!r}){called()}")
    matrix = as_tensor(A)
    if matrix.ndim != 2:
        raise ValueError(f"A must be a matrix or a LinearOperator, not {matrix!r}{called()}")
    m, n = lengths_of(matrix)
    return LinearOperator((m, n), lambda v: matrix @ v, lambda v: conj(matrix.T) @ v, matrix.dtype)


def in_dtype(operator: LinearOperator, kind: str) -> LinearOperator:
    """The operator, whose products are of the dtype `kind`."""
    return LinearOperator(
        operator.shape,
        lambda v: operator.matvec(v).astype(kind),
        lambda v: operator.rmatvec(v).astype(kind),
        kind,
    )


def _adjoint(a: SparseArray) -> SparseArray:
    return a.T.conj() if a.dtype.startswith("complex") else a.T


def product_with(A: Any) -> tuple[Product, str | None]:  # SciPy's name
    """What multiplies a vector by A, a matrix of any kind or a function, and the dtype if known."""
    if callable(A) and not isinstance(A, LinearOperator):
        return A, None
    operator = aslinearoperator(A)
    return operator.matvec, operator.dtype
