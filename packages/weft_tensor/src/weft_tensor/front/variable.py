"""TensorVariable: variables that behave like arrays, and the functions that make inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from weft_graph import Variable, function, get_value, graph_inputs, set_value
from weft_tensor.front.array_methods import ArrayMethods
from weft_tensor.ops.creation import creation, diagonals
from weft_tensor.ops.elementwise import arithmetic, comparison
from weft_tensor.ops.elementwise import complex as complexes
from weft_tensor.ops.elementwise.cast import cast
from weft_tensor.ops.indexing import nonzero
from weft_tensor.ops.indexing import sort as sorting
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.linalg import matmul as products
from weft_tensor.ops.reduction import cumulative
from weft_tensor.ops.reduction import standard as reductions
from weft_tensor.ops.reduction.base import Axes
from weft_tensor.ops.reduction.base import sum as tensor_sum
from weft_tensor.ops.shape import rearrange as repeating
from weft_tensor.ops.shape import reshape as shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.tensor_type import TensorType

__all__ = ["TensorVariable"]


def _as_input(x: Variable, key: Any) -> Any:
    """The input of `x` with the name `key`; another `key` as it is."""
    if not isinstance(key, str):
        return key
    found = [v for v in graph_inputs([x]) if v.name == key]
    if len(found) != 1:
        names = ", ".join(repr(v.name) for v in graph_inputs([x]) if v.name) or "none"
        raise ValueError(f"{len(found)} inputs of {x!r} are called {key!r}; the names are: {names}")
    return found[0]


def _sizes(args: tuple[Any, ...]) -> Any:
    """`x.reshape(2, 3)` and `x.reshape((2, 3))` alike."""
    return args[0] if len(args) == 1 else args


class TensorVariable(ArrayMethods, Variable):
    """A tensor in a graph, with the operators and methods of an array.

    `==` compares identities: two variables are equal if they are the same expression.
    For elementwise equality use `eq`.

    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> (2 * x + 1).eval({x: [1.0, 2.0]})
    array([3., 5.])
    """

    __slots__ = ()
    type: TensorType

    @property
    def dtype(self) -> str:
        """The name of the dtype."""
        return self.type.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.type.ndim

    @property
    def is_complex(self) -> bool:
        """Whether the dtype is complex."""
        return self.type.dtype.startswith("complex")

    @property
    def shape(self) -> tuple[TensorVariable, ...]:
        """The lengths of the axes as int64 scalars: constants where they are known."""
        return lengths_of(self)

    @property
    def size(self) -> TensorVariable:
        """The number of elements, an int64 scalar."""
        return reductions.size(self)

    @property
    def T(self) -> TensorVariable:
        """The axes in reverse order."""
        return shape.transpose(self)

    @property
    def mT(self) -> TensorVariable:
        """The last two axes exchanged."""
        return shape.matrix_transpose(self)

    @property
    def real(self) -> TensorVariable:
        """The real part."""
        return complexes.real(self)

    @property
    def imag(self) -> TensorVariable:
        """The imaginary part."""
        return complexes.imag(self)

    def eval(self, values: Mapping[Any, Any] | None = None) -> Any:
        """The value for `values` of the inputs, or of their names, by the Python backend."""
        given = {_as_input(self, key): value for key, value in (values or {}).items()}
        return function(list(given), self, mode="py")(*given.values())

    def get_value(self, borrow: bool = False) -> Any:
        """A copy of the value of a `shared` tensor, `borrow` or not; TypeError for others."""
        return get_value(self)

    def set_value(self, value: Any, borrow: bool = False) -> None:
        """Give a `shared` tensor a copy of `value`, `borrow` or not; TypeError for others."""
        set_value(self, value)

    def astype(self, dtype: Any) -> TensorVariable:
        """In another dtype. See `numpy.ndarray.astype`."""
        return cast(self, dtype)

    def zeros_like(self) -> TensorVariable:
        """Zeros of the same shape and dtype."""
        return creation.zeros_like(self)

    def conj(self) -> TensorVariable:
        """The complex conjugate."""
        return complexes.conj(self)

    def reshape(self, *lengths: Any) -> TensorVariable:
        """In another shape; one length may be -1. See `reshape`."""
        return shape.reshape(self, _sizes(lengths))

    def ravel(self) -> TensorVariable:
        """All elements in one axis."""
        return shape.ravel(self)

    def flatten(self, ndim: int = 1) -> TensorVariable:
        """With `ndim` axes, the last ones joined."""
        return shape.flatten(self, ndim)

    def transpose(self, *axes: Any) -> TensorVariable:
        """The axes in another order; reversed by default."""
        return shape.transpose(self, _sizes(axes) if axes else None)

    def swapaxes(self, axis1: int, axis2: int) -> TensorVariable:
        """Two axes exchanged."""
        return shape.swapaxes(self, axis1, axis2)

    def expand_dims(self, axis: Axes) -> TensorVariable:
        """With new axes of length 1."""
        return shape.expand_dims(self, axis)

    def squeeze(self, axis: Axes = None) -> TensorVariable:
        """Without axes of length 1."""
        return shape.squeeze(self, axis)

    def broadcast_to(self, *lengths: Any) -> TensorVariable:
        """Repeated to another shape."""
        return shape.broadcast_to(self, _sizes(lengths))

    def sum(self, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> TensorVariable:
        """The sum over `axis`."""
        return tensor_sum(self, axis, dtype, keepdims)

    def prod(self, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> TensorVariable:
        """The product over `axis`."""
        return reductions.prod(self, axis, dtype, keepdims)

    def mean(self, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> TensorVariable:
        """The mean over `axis`."""
        return reductions.mean(self, axis, dtype, keepdims)

    def max(self, axis: Axes = None, keepdims: bool = False) -> TensorVariable:
        """The largest element over `axis`."""
        return reductions.max(self, axis, keepdims)

    def min(self, axis: Axes = None, keepdims: bool = False) -> TensorVariable:
        """The smallest element over `axis`."""
        return reductions.min(self, axis, keepdims)

    def any(self, axis: Axes = None, keepdims: bool = False) -> TensorVariable:
        """Whether any element over `axis` is true."""
        return reductions.any(self, axis, keepdims)

    def all(self, axis: Axes = None, keepdims: bool = False) -> TensorVariable:
        """Whether all elements over `axis` are true."""
        return reductions.all(self, axis, keepdims)

    def argmax(self, axis: int | None = None, keepdims: bool = False) -> TensorVariable:
        """The first position of the largest element."""
        return sorting.argmax(self, axis, keepdims)

    def argmin(self, axis: int | None = None, keepdims: bool = False) -> TensorVariable:
        """The first position of the smallest element."""
        return sorting.argmin(self, axis, keepdims)

    def argsort(self, axis: int | None = -1) -> TensorVariable:
        """Positions that sort along `axis`."""
        return sorting.argsort(self, axis)

    def sort(self, axis: int | None = -1) -> TensorVariable:
        """The elements in ascending order along `axis`; the variable itself stays as it is."""
        return sorting.sort(self, axis)

    def cumsum(self, axis: int | None = None, dtype: Any = None) -> TensorVariable:
        """Sums of the elements up to each one."""
        return cumulative.cumsum(self, axis, dtype)

    def cumprod(self, axis: int | None = None, dtype: Any = None) -> TensorVariable:
        """Products of the elements up to each one."""
        return cumulative.cumprod(self, axis, dtype)

    def nonzero(self) -> tuple[TensorVariable, ...]:
        """The positions of the elements that are not zero, along each axis."""
        return nonzero.nonzero(self)

    def repeat(self, repeats: Any, axis: int | None = None) -> TensorVariable:
        """Each element `repeats` times."""
        return repeating.repeat(self, repeats, axis)

    def diagonal(self, offset: Any = 0, axis1: int = 0, axis2: int = 1) -> TensorVariable:
        """A diagonal of two axes."""
        return diagonals.diagonal(self, offset, axis1, axis2)

    def trace(self, offset: Any = 0, axis1: int = 0, axis2: int = 1) -> TensorVariable:
        """The sum of a diagonal."""
        return diagonals.trace(self, offset, axis1, axis2)

    def dot(self, other: Any) -> TensorVariable:
        """See `numpy.dot`."""
        return products.dot(self, other)

    def set(self, value: Any) -> TensorVariable:
        """`x[i].set(value)`: x with `value` in place of x[i]; x itself stays as it is."""
        return updated(self, "set", value)

    def inc(self, value: Any) -> TensorVariable:
        """`x[i].inc(value)`: x with `value` added to x[i], once for every time it is indexed."""
        return updated(self, "inc", value)

    def __getitem__(self, subscript: Any) -> TensorVariable:
        return index(self, subscript)

    def __setitem__(self, subscript: Any, value: Any) -> NoReturn:
        raise TypeError("tensor variables are immutable: write x = x[i].set(value)")

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError(f"{self!r} is a scalar and has no length")
        length = self.type.shape[0]
        if not isinstance(length, int):
            raise TypeError(
                f"the length of {self!r} is not known: use x.shape[0], or give the input a shape; "
                "instead of iterating, index it or compute on the whole"
            )
        return length

    def __contains__(self, value: object) -> NoReturn:
        raise TypeError(
            f"whether {self!r} contains a value is not known yet: use any(eq(x, value))"
        )

    def __iter__(self) -> Iterator[TensorVariable]:
        return iter([self[i] for i in range(len(self))])

    def __bool__(self) -> bool:
        raise TypeError(
            f"the value of {self!r} is not known while the graph is built: use `where`, `ifelse`, "
            "logical_and/or, or compare identity with `is`"
        )

    def __add__(self, other: Any) -> TensorVariable:
        return arithmetic.add(self, other)

    def __radd__(self, other: Any) -> TensorVariable:
        return arithmetic.add(other, self)

    def __sub__(self, other: Any) -> TensorVariable:
        return arithmetic.sub(self, other)

    def __rsub__(self, other: Any) -> TensorVariable:
        return arithmetic.sub(other, self)

    def __mul__(self, other: Any) -> TensorVariable:
        return arithmetic.mul(self, other)

    def __rmul__(self, other: Any) -> TensorVariable:
        return arithmetic.mul(other, self)

    def __truediv__(self, other: Any) -> TensorVariable:
        return arithmetic.true_div(self, other)

    def __rtruediv__(self, other: Any) -> TensorVariable:
        return arithmetic.true_div(other, self)

    def __floordiv__(self, other: Any) -> TensorVariable:
        return arithmetic.floor_div(self, other)

    def __rfloordiv__(self, other: Any) -> TensorVariable:
        return arithmetic.floor_div(other, self)

    def __mod__(self, other: Any) -> TensorVariable:
        return arithmetic.mod(self, other)

    def __rmod__(self, other: Any) -> TensorVariable:
        return arithmetic.mod(other, self)

    def __divmod__(self, other: Any) -> tuple[TensorVariable, TensorVariable]:
        return arithmetic.floor_div(self, other), arithmetic.mod(self, other)

    def __rdivmod__(self, other: Any) -> tuple[TensorVariable, TensorVariable]:
        return arithmetic.floor_div(other, self), arithmetic.mod(other, self)

    def __pow__(self, other: Any) -> TensorVariable:
        return arithmetic.pow(self, other)

    def __rpow__(self, other: Any) -> TensorVariable:
        return arithmetic.pow(other, self)

    def __matmul__(self, other: Any) -> TensorVariable:
        return products.matmul(self, other)

    def __rmatmul__(self, other: Any) -> TensorVariable:
        return products.matmul(other, self)

    def __neg__(self) -> TensorVariable:
        return arithmetic.neg(self)

    def __pos__(self) -> TensorVariable:
        return self

    def __abs__(self) -> TensorVariable:
        return arithmetic.abs(self)

    def __lt__(self, other: Any) -> TensorVariable:
        return comparison.lt(self, other)

    def __le__(self, other: Any) -> TensorVariable:
        return comparison.le(self, other)

    def __gt__(self, other: Any) -> TensorVariable:
        return comparison.gt(self, other)

    def __ge__(self, other: Any) -> TensorVariable:
        return comparison.ge(self, other)

    def eq(self, other: Any) -> TensorVariable:
        """Elementwise `==`."""
        return comparison.eq(self, other)

    def neq(self, other: Any) -> TensorVariable:
        """Elementwise `!=`."""
        return comparison.neq(self, other)

    def __and__(self, other: Any) -> TensorVariable:
        return comparison.bitwise_and(self, other)

    def __rand__(self, other: Any) -> TensorVariable:
        return comparison.bitwise_and(other, self)

    def __or__(self, other: Any) -> TensorVariable:
        return comparison.bitwise_or(self, other)

    def __ror__(self, other: Any) -> TensorVariable:
        return comparison.bitwise_or(other, self)

    def __xor__(self, other: Any) -> TensorVariable:
        return comparison.bitwise_xor(self, other)

    def __rxor__(self, other: Any) -> TensorVariable:
        return comparison.bitwise_xor(other, self)

    def __invert__(self) -> TensorVariable:
        return comparison.bitwise_not(self)

    def __lshift__(self, other: Any) -> TensorVariable:
        return comparison.left_shift(self, other)

    def __rlshift__(self, other: Any) -> TensorVariable:
        return comparison.left_shift(other, self)

    def __rshift__(self, other: Any) -> TensorVariable:
        return comparison.right_shift(self, other)

    def __rrshift__(self, other: Any) -> TensorVariable:
        return comparison.right_shift(other, self)


TensorType.variable_class = TensorVariable
