"""A tensor whose axes have names: what it is, and what all others are made into it by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.front.inputs import tensor
from weft_tensor.types.symbolic_dims import ShapeLike

__all__ = ["Dims", "XTensor", "as_xtensor", "checked_dims", "labelled", "xtensor"]

Dims = tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class XTensor:
    """A tensor, `values`, each of whose axes is called by one of `dims`.

    Functions of several put axes of one name together, in whatever order they are, and repeat
    along those that one has alone. All of it is done while the graph is built, which is one of
    plain tensors. Functions take and return such a structure, and gradients have its dims.

    >>> x, y = xtensor("x", dims=("city", "year")), xtensor("y", dims=("year",))
    >>> x * y
    <XTensor float64[city: city, year: year]>
    >>> (x * y).sum("city").dims
    ('year',)
    """

    values: TensorVariable
    """Of what a compiled function returns, an array."""
    dims: ClassVar[Dims] = ()
    """Those of the structures that `labelled` makes; each tuple of them is a class of its own."""

    __array_ufunc__: ClassVar[None] = None
    """NumPy's arrays leave products to this class."""

    def __post_init__(self) -> None:
        values: Any = self.values
        if isinstance(values, TensorVariable) and values.ndim != len(self.dims):
            raise ValueError(
                f"the dims {self.dims} are of {len(self.dims)} axes, not of {values!r}: "
                "what takes parts of tensors, as `vmap` and `scan`, is given x.values"
            )

    @classmethod
    def __weft_argument__(cls, value: Any) -> XTensor:
        """`value` with these dims, in this order, if it has others; an array is taken to have."""
        dims = getattr(value, "dims", None)
        if not isinstance(dims, tuple):
            return cls(value)
        if sorted(dims) != sorted(cls.dims):
            raise ValueError(f"the dims must be {cls.dims}, not {dims}")
        values = value.values
        return cls(
            values if dims == cls.dims else values.transpose(list(map(dims.index, cls.dims)))
        )

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.dims)

    @property
    def dtype(self) -> Any:
        """That of the values."""
        return self.values.dtype

    @property
    def shape(self) -> Any:
        """The lengths, integer scalars."""
        return self.values.shape

    @property
    def sizes(self) -> dict[str, Any]:
        """The length along each of the dims."""
        return dict(zip(self.dims, self.shape, strict=True))

    def axis(self, dim: str) -> int:
        """Which axis is called `dim`; ValueError if none is."""
        if dim not in self.dims:
            raise ValueError(f"{dim!r} is none of the dims {self.dims} of {self!r}")
        return self.dims.index(dim)

    def axes(self, dim: str | Iterable[str] | None) -> tuple[int, ...]:
        """The axes with these names, for None all."""
        if dim is None:
            return tuple(range(self.ndim))
        return tuple([self.axis(d) for d in ([dim] if isinstance(dim, str) else dim)])

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """A method: a function of `wt.xtensor` with this as its first argument."""

        def __add__(self, other: Any, /) -> XTensor: ...

        def __neg__(self) -> XTensor: ...

        def __getitem__(self, key: Any, /) -> XTensor: ...

        __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __add__
        __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __add__
        __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __add__
        __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __matmul__ = __add__
        __lt__ = __le__ = __gt__ = __ge__ = __add__
        __abs__ = __invert__ = __neg__

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        values: Any = self.values
        if isinstance(values, TensorVariable):
            raise TypeError(
                f"{self!r} is no plain tensor: functions of wt.xtensor take it; x.values is one"
            )
        return np.array(values, dtype, copy=copy)

    def __bool__(self) -> bool:
        return bool(self.values)

    def __repr__(self) -> str:
        lengths = getattr(getattr(self.values, "type", self.values), "shape", ())
        shown = [f"{d}: {'?' if n is None else n}" for d, n in zip(self.dims, lengths, strict=True)]
        return f"<XTensor {self.dtype}[{', '.join(shown)}]>"

    def __reduce__(self) -> tuple[Callable[..., XTensor], tuple[Any, Dims]]:
        return labelled, (self.values, self.dims)


@cache
def _class(dims: Dims) -> type[XTensor]:
    """The structures with these dims: what is rebuilt part by part keeps them."""
    return type("XTensor", (XTensor,), {"dims": dims, "__module__": __name__})


def labelled(values: Any, dims: Dims) -> XTensor:
    """`values`, a tensor with as many axes, as an XTensor.

    >>> labelled(as_tensor([1, 2]), ("a",))
    <XTensor int64[a: 2]>
    """
    return _class(dims)(values)


def checked_dims(dims: Any, ndim: int | None = None) -> Dims:
    """`dims`, one name or several, as a tuple.

    Raises ValueError where one is there twice, or if there are not `ndim`; TypeError for what are
    no names.
    """
    names = (dims,) if isinstance(dims, str) else tuple(dims)
    if not all(isinstance(d, str) for d in names):
        raise TypeError(f"dims are strings, not {names}{called()}")
    if len(set(names)) < len(names):
        raise ValueError(f"dims must differ, not {names}{called()}")
    if ndim is not None and len(names) != ndim:
        raise ValueError(f"{ndim} axes have {ndim} dims, not {names}{called()}")
    return names


def xtensor(
    name: str | None = None,
    *,
    dims: str | Iterable[str],
    shape: ShapeLike | None = None,
    dtype: Any = "float64",
) -> XTensor:
    """An input called `name` with axes called `dims`.

    Its lengths are `shape`; by default a dim that may be the name of a length is it: all axes of
    that name have one length in a function. See `xarray.DataArray`, which has coordinates, too.

    Raises ValueError where a dim is there twice, or the shape has another number of lengths.

    >>> xtensor("x", dims=("a", "b"), shape=(None, 3))
    <XTensor float64[a: ?, b: 3]>
    """
    names = checked_dims(dims)
    lengths: Any = [d if d.isidentifier() else None for d in names] if shape is None else shape
    values = tensor(name, dtype, lengths)
    return labelled(values, checked_dims(names, values.ndim))


def as_xtensor(x: Any, dims: str | Iterable[str] | None = None) -> XTensor:
    """`x` with axes called `dims`: a tensor, an array, or an `xarray.DataArray`, which has its own.

    Raises
    ------
    TypeError
        without `dims`, for what has axes without names.
    ValueError
        if there are not as many dims as axes, or if `x` has others.

    Examples
    --------
    >>> as_xtensor([[1, 2, 3]], dims=("a", "b"))
    <XTensor int64[a: 1, b: 3]>
    """
    own = x.dims if isinstance(x, XTensor) or _is_data_array(x) else None
    values = as_tensor(x if own is None else x.values)
    if own is None and dims is None and values.ndim:
        raise TypeError(f"the axes of {values!r} have no names: write as_xtensor(x, dims=...)")
    names = checked_dims(own if dims is None else dims, values.ndim) if own or dims else ()
    if own is not None and names != tuple(own):
        raise ValueError(f"the dims are {tuple(own)}, not {names}: see rename, transpose{called()}")
    return x if isinstance(x, XTensor) else labelled(values, names)


def _is_data_array(x: Any) -> bool:
    return isinstance(getattr(x, "dims", None), tuple) and hasattr(x, "values")
