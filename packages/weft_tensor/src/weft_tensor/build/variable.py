"""TensorVariable: the interface of a tensor in a graph, which `front.methods` completes.

What stands under TYPE_CHECKING is declared here for all Ops, and made of their functions there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

import weft_graph
from weft_tensor.build.arguments import SizeLike, SizesLike, TensorLike
from weft_tensor.build.named_input import as_input
from weft_tensor.build.no_value_yet import NoValueYet
from weft_tensor.types.axes import Axes
from weft_tensor.types.dtype_name import DTYPE_NAMES, DTypeName
from weft_tensor.types.dtypes import DTypeLike
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Size", "SizeLike", "SizesLike", "TensorLike", "TensorVariable"]


class TensorVariable(NoValueYet, weft_graph.Variable):
    """A tensor in a graph, with the operators and methods of an array.

    `==` compares identities: whether both are the same expression; `eq` compares elements.

    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> (2 * x + 1).eval({x: [1.0, 2.0]})
    array([3., 5.])
    """

    __slots__ = ()
    type: TensorType
    inputs: tuple[TensorVariable, ...]

    @property
    def dtype(self) -> DTypeName:
        """The name of the dtype, equal to NumPy's: `x.dtype == "float64" == np.float64`."""
        return DTYPE_NAMES[self.type.dtype]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.type.shape)

    @property
    def is_complex(self) -> bool:
        """Whether the dtype is complex."""
        return self.type.dtype.startswith("complex")

    @property
    def itemsize(self) -> int:
        """How many bytes an element takes."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> Any:
        """How many bytes all elements take: an int if it is known, else an int64 scalar."""
        return self.size * self.itemsize

    def copy(self) -> TensorVariable:
        """The variable itself, which nothing changes."""
        return self

    def eval(self, values: Mapping[Any, object] | None = None) -> np.ndarray:
        """The value for `values` of the inputs, or of their names, by the Python backend."""
        by_input = {as_input(self, key): value for key, value in (values or {}).items()}
        value: np.ndarray = weft_graph.function(list(by_input), self, mode="py")(*by_input.values())
        return value

    def get_value(self, borrow: bool = False) -> np.ndarray:
        """A copy of the value of a `shared` tensor, `borrow` or not; TypeError for others."""
        value: np.ndarray = weft_graph.get_value(self)
        return value

    def set_value(self, value: TensorLike, borrow: bool = False) -> None:
        """Give a `shared` tensor a copy of `value`, `borrow` or not; TypeError for others."""
        weft_graph.set_value(self, value)

    def __iter__(self) -> Iterator[TensorVariable]:
        return iter([self[i] for i in range(len(self))])

    def __pos__(self) -> TensorVariable:
        return self

    def __divmod__(self, other: TensorLike) -> tuple[TensorVariable, TensorVariable]:
        return self // other, self % other

    def __rdivmod__(self, other: TensorLike) -> tuple[TensorVariable, TensorVariable]:
        return other // self, other % self

    if TYPE_CHECKING:

        @property
        def shape(self) -> tuple[Any, ...]:
            """The lengths of the axes: ints where the type knows them, else int64 scalars."""

        @property
        def size(self) -> Any:
            """The number of elements: an int if it is known, else an int64 scalar."""

        @property
        def T(self) -> TensorVariable:
            """The axes in reverse order."""

        @property
        def mT(self) -> TensorVariable:
            """The last two axes exchanged."""

        @property
        def real(self) -> TensorVariable:
            """The real part."""

        @property
        def imag(self) -> TensorVariable:
            """The imaginary part."""

        def astype(self, dtype: DTypeLike, *, copy: bool = True) -> TensorVariable:
            """In another dtype. See `numpy.ndarray.astype`."""

        def zeros_like(
            self, dtype: DTypeLike | None = None, *, shape: SizesLike | None = None
        ) -> TensorVariable:
            """Zeros of the same shape and dtype."""

        def conj(self) -> TensorVariable:
            """The complex conjugate."""

        def conjugate(self) -> TensorVariable:
            """The complex conjugate."""

        def reshape(self, *lengths: SizesLike, order: str = "C") -> TensorVariable:
            """In another shape; one length may be -1. See `reshape`."""

        def ravel(self, order: str = "C") -> TensorVariable:
            """All elements in one axis."""

        def flatten(self, ndim: int | str = 1, order: str = "C") -> TensorVariable:
            """With `ndim` axes, the last ones joined."""

        def transpose(self, *axes: int | Sequence[int] | None) -> TensorVariable:
            """The axes in another order; reversed by default."""

        def swapaxes(self, axis1: int, axis2: int) -> TensorVariable:
            """Two axes exchanged."""

        def expand_dims(self, axis: Axes) -> TensorVariable:
            """With new axes of length 1."""

        def squeeze(self, axis: Axes = None) -> TensorVariable:
            """Without axes of length 1."""

        def broadcast_to(self, *lengths: SizesLike) -> TensorVariable:
            """Repeated to another shape."""

        def sum(
            self,
            axis: Axes = None,
            dtype: DTypeLike | None = None,
            keepdims: bool = False,
            *,
            initial: TensorLike | None = None,
            where: TensorLike | None = None,
            acc_dtype: DTypeLike | None = None,
        ) -> TensorVariable:
            """The sum over `axis`."""

        def prod(
            self,
            axis: Axes = None,
            dtype: DTypeLike | None = None,
            keepdims: bool = False,
            *,
            initial: TensorLike | None = None,
            where: TensorLike | None = None,
        ) -> TensorVariable:
            """The product over `axis`."""

        def mean(
            self,
            axis: Axes = None,
            dtype: DTypeLike | None = None,
            keepdims: bool = False,
            *,
            where: TensorLike | None = None,
        ) -> TensorVariable:
            """The mean over `axis`."""

        def max(
            self,
            axis: Axes = None,
            keepdims: bool = False,
            *,
            initial: TensorLike | None = None,
            where: TensorLike | None = None,
        ) -> TensorVariable:
            """The largest element over `axis`."""

        def min(
            self,
            axis: Axes = None,
            keepdims: bool = False,
            *,
            initial: TensorLike | None = None,
            where: TensorLike | None = None,
        ) -> TensorVariable:
            """The smallest element over `axis`."""

        def any(
            self, axis: Axes = None, keepdims: bool = False, *, where: TensorLike | None = None
        ) -> TensorVariable:
            """Whether any element over `axis` is true."""

        def all(
            self, axis: Axes = None, keepdims: bool = False, *, where: TensorLike | None = None
        ) -> TensorVariable:
            """Whether all elements over `axis` are true."""

        def argmax(self, axis: int | None = None, keepdims: bool = False) -> TensorVariable:
            """The first position of the largest element."""

        def argmin(self, axis: int | None = None, keepdims: bool = False) -> TensorVariable:
            """The first position of the smallest element."""

        def argsort(
            self, axis: int | None = -1, kind: str | None = None, *, stable: bool | None = None
        ) -> TensorVariable:
            """Positions that sort along `axis`."""

        def sort(
            self, axis: int | None = -1, kind: str | None = None, *, stable: bool | None = None
        ) -> TensorVariable:
            """The elements in ascending order along `axis`; the variable stays as it is."""

        def cumsum(self, axis: int | None = None, dtype: DTypeLike | None = None) -> TensorVariable:
            """Sums of the elements up to each one."""

        def cumprod(
            self, axis: int | None = None, dtype: DTypeLike | None = None
        ) -> TensorVariable:
            """Products of the elements up to each one."""

        def nonzero(self) -> tuple[TensorVariable, ...]:
            """The positions of the elements that are not zero, along each axis."""

        def var(
            self,
            axis: Axes = None,
            dtype: DTypeLike | None = None,
            ddof: TensorLike = 0,
            keepdims: bool = False,
            *,
            where: TensorLike | None = None,
            mean: TensorLike | None = None,
            correction: TensorLike | None = None,
        ) -> TensorVariable:
            """The mean of the squared distances from the mean over `axis`."""

        def std(
            self,
            axis: Axes = None,
            dtype: DTypeLike | None = None,
            ddof: TensorLike = 0,
            keepdims: bool = False,
            *,
            where: TensorLike | None = None,
            mean: TensorLike | None = None,
            correction: TensorLike | None = None,
        ) -> TensorVariable:
            """The square root of the variance over `axis`."""

        def clip(
            self,
            a_min: TensorLike | None = None,
            a_max: TensorLike | None = None,
            *,
            min: TensorLike | None = None,
            max: TensorLike | None = None,
        ) -> TensorVariable:
            """Not below `a_min`, and not above `a_max`."""

        def round(self, decimals: int = 0) -> TensorVariable:
            """To so many decimals."""

        def searchsorted(
            self, v: TensorLike, side: str = "left", sorter: TensorLike | None = None
        ) -> TensorVariable:
            """Where elements belong in this vector, which is sorted."""

        def choose(self, choices: Sequence[TensorLike], mode: str = "raise") -> TensorVariable:
            """Of several tensors, the element that this one says at each place."""

        def argpartition(self, kth: object, axis: int | None = -1) -> TensorVariable:
            """Positions that put the `kth` element in its place."""

        def partition(self, kth: object, axis: int | None = -1) -> TensorVariable:
            """The elements in such an order; the variable stays as it is."""

        def dimshuffle(self, *pattern: object) -> TensorVariable:
            """The axes in the order `pattern`, with "x" for new ones."""

        def take(
            self, indices: TensorLike, axis: int | None = None, mode: str = "raise"
        ) -> TensorVariable:
            """The elements at `indices` along `axis`."""

        def compress(self, condition: TensorLike, axis: int | None = None) -> TensorVariable:
            """The slices along `axis` for which `condition` is true."""

        def repeat(self, repeats: TensorLike, axis: int | None = None) -> TensorVariable:
            """Each element `repeats` times."""

        def diagonal(self, offset: SizeLike = 0, axis1: int = 0, axis2: int = 1) -> TensorVariable:
            """A diagonal of two axes."""

        def trace(
            self,
            offset: SizeLike = 0,
            axis1: int = 0,
            axis2: int = 1,
            dtype: DTypeLike | None = None,
        ) -> TensorVariable:
            """The sum of a diagonal."""

        def dot(self, b: TensorLike) -> TensorVariable:
            """See `numpy.dot`."""

        def set(self, value: TensorLike) -> TensorVariable:
            """`x[i].set(value)`: x with `value` in place of x[i]; x itself stays as it is."""

        def inc(self, value: TensorLike) -> TensorVariable:
            """`x[i].inc(value)`: x with `value` added to x[i], for each time it is indexed."""

        def mul(self, value: TensorLike) -> TensorVariable:
            """`x[i].mul(value)`: x with x[i] multiplied by `value`, for each time."""

        def maximum(self, value: TensorLike) -> TensorVariable:
            """`x[i].maximum(value)`: x with the larger of x[i] and each `value` there."""

        def minimum(self, value: TensorLike) -> TensorVariable:
            """`x[i].minimum(value)`: x with the smaller of x[i] and each `value` there."""

        def eq(self, y: TensorLike, /) -> TensorVariable:
            """Elementwise `==`."""

        def neq(self, y: TensorLike, /) -> TensorVariable:
            """Elementwise `!=`."""

        def __array_ufunc__(
            self, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object
        ) -> object: ...
        def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
            """The functions of the array API standard. See `weft_tensor.front.array_api`."""

        def __len__(self) -> int: ...
        def __getitem__(self, subscript: object) -> TensorVariable: ...
        def __neg__(self) -> TensorVariable: ...
        def __abs__(self) -> TensorVariable: ...
        def __invert__(self) -> TensorVariable: ...
        def __lt__(self, other: TensorLike) -> TensorVariable: ...
        def __le__(self, other: TensorLike) -> TensorVariable: ...
        def __gt__(self, other: TensorLike) -> TensorVariable: ...
        def __ge__(self, other: TensorLike) -> TensorVariable: ...
        def __add__(self, other: TensorLike) -> TensorVariable: ...
        def __radd__(self, other: TensorLike) -> TensorVariable: ...
        def __sub__(self, other: TensorLike) -> TensorVariable: ...
        def __rsub__(self, other: TensorLike) -> TensorVariable: ...
        def __mul__(self, other: TensorLike) -> TensorVariable: ...
        def __rmul__(self, other: TensorLike) -> TensorVariable: ...
        def __truediv__(self, other: TensorLike) -> TensorVariable: ...
        def __rtruediv__(self, other: TensorLike) -> TensorVariable: ...
        def __floordiv__(self, other: TensorLike) -> TensorVariable: ...
        def __rfloordiv__(self, other: TensorLike) -> TensorVariable: ...
        def __mod__(self, other: TensorLike) -> TensorVariable: ...
        def __rmod__(self, other: TensorLike) -> TensorVariable: ...
        def __pow__(self, other: TensorLike) -> TensorVariable: ...
        def __rpow__(self, other: TensorLike) -> TensorVariable: ...
        def __matmul__(self, other: TensorLike) -> TensorVariable: ...
        def __rmatmul__(self, other: TensorLike) -> TensorVariable: ...
        def __and__(self, other: TensorLike) -> TensorVariable: ...
        def __rand__(self, other: TensorLike) -> TensorVariable: ...
        def __or__(self, other: TensorLike) -> TensorVariable: ...
        def __ror__(self, other: TensorLike) -> TensorVariable: ...
        def __xor__(self, other: TensorLike) -> TensorVariable: ...
        def __rxor__(self, other: TensorLike) -> TensorVariable: ...
        def __lshift__(self, other: TensorLike) -> TensorVariable: ...
        def __rlshift__(self, other: TensorLike) -> TensorVariable: ...
        def __rshift__(self, other: TensorLike) -> TensorVariable: ...
        def __rrshift__(self, other: TensorLike) -> TensorVariable: ...


Size = int | TensorVariable
"""The length of an axis of a variable, as far as it is known: an int or an int64 scalar."""

TensorType.variable_class = TensorVariable
