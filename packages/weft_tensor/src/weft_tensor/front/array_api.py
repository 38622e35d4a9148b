"""The Python array API standard, 2024.12, for tensors without a value: `x.__array_namespace__()`.

Its functions, and those of its extension `linalg`, with its signatures and NumPy's dtypes, which
are the standard's. What needs a value is absent, and `IMPOSSIBLE` says why. See https://data-apis.org/array-api/2024.12.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

import numpy as np

from weft_graph.extend import no_such_name
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizesLike, TensorLike, TensorVariable
from weft_tensor.front.numpy_protocol import counterpart
from weft_tensor.ops.indexing import sort as sorting
from weft_tensor.ops.numbers import limits
from weft_tensor.ops.shape import rearrange
from weft_tensor.ops.shape import reshape as shapes
from weft_tensor.ops.statistics import moments
from weft_tensor.types.axes import Axes
from weft_tensor.types.constants import e, inf, nan, newaxis, pi
from weft_tensor.types.dtypes import DTYPES, DTypeLike

__all__ = [
    "IMPOSSIBLE",
    "NAMES",
    "__array_namespace_info__",
    "argsort",
    "asarray",
    "astype",
    "can_cast",
    "clip",
    "e",
    "expand_dims",
    "finfo",
    "iinfo",
    "inf",
    "isdtype",
    "nan",
    "newaxis",
    "pi",
    "reshape",
    "result_type",
    "sort",
    "std",
    "var",
]

__array_api_version__: Final = "2024.12"

_AS_NUMPYS: Final = """
abs acos acosh add all any argmax argmin asin asinh atan atan2 atanh bitwise_and bitwise_invert
bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor broadcast_arrays broadcast_to ceil
concat conj copysign cos cosh count_nonzero cumulative_prod cumulative_sum diff divide equal exp
expm1 flip floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less
less_equal log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor matmul
matrix_transpose max maximum mean meshgrid min minimum moveaxis multiply negative nextafter
nonzero not_equal permute_dims positive pow prod real reciprocal remainder repeat roll round
searchsorted sign signbit sin sinh sqrt square squeeze stack subtract sum take take_along_axis tan
tanh tensordot tile tril triu trunc unique_all unique_counts unique_inverse unique_values unstack
vecdot where
"""
"""What NumPy has as the standard has it, and we as NumPy."""

_CREATION: Final = """
arange empty empty_like eye full full_like linspace ones ones_like zeros zeros_like
"""
"""Such functions that also take a device."""

_NO_VALUE: Final = "has no value yet: `x.eval({input: value})` gives it, as an array of NumPy's"
_PLACES: Final = "where arrays lie is decided by the backend, when a function is called"

IMPOSSIBLE: Final[dict[str, str]] = {
    **dict.fromkeys(["__bool__", "__complex__", "__float__", "__index__", "__int__"], _NO_VALUE),
    **dict.fromkeys(["__dlpack__", "__dlpack_device__", "from_dlpack"], _NO_VALUE),
    **dict.fromkeys(["device", "to_device"], _PLACES),
    "__setitem__": "variables can't be changed: `x[i].set(y)` is x with y there",
}
"""What of the standard a tensor without a value can't have, and why."""

_SHARED: Final = frozenset(_AS_NUMPYS.split() + _CREATION.split())
NAMES: Final = tuple(sorted({*_SHARED, *DTYPES, *__all__[2:]}))
"""All that is here of the standard's functions, constants and dtypes."""


def __getattr__(name: str) -> Any:
    if name in DTYPES:
        return name
    if name in _SHARED:
        function = counterpart(getattr(np, name))
        assert function is not None
        return _on_no_device(function) if name in _CREATION.split() else function
    if name == "linalg":
        return import_module("weft_tensor.linalg")
    if name in IMPOSSIBLE:
        raise AttributeError(f"weft.tensor.array_api has no {name}: {IMPOSSIBLE[name]}")
    raise no_such_name(f"module {__name__!r}", name, {n: n for n in NAMES})


def __dir__() -> list[str]:
    return [*NAMES, "IMPOSSIBLE", "NAMES", "linalg"]


def _on_no_device(function: Callable[..., Any]) -> Callable[..., TensorVariable]:
    def create(*args: Any, device: None = None, **kwargs: Any) -> TensorVariable:
        _check_device(device)
        tensor: TensorVariable = function(
            *args, **{k: v for k, v in kwargs.items() if v is not None}
        )
        return tensor

    create.__name__ = create.__qualname__ = function.__name__
    create.__doc__ = function.__doc__
    return create


def _check_device(device: object) -> None:
    if device is not None:
        raise ValueError(f"device={device!r} can't be chosen here: {_PLACES}")


def asarray(
    obj: TensorLike,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: None = None,
    copy: bool | None = None,
) -> TensorVariable:
    """A tensor of what can be one. Raises ValueError for a device.

    >>> asarray([1, 2], dtype="float32").eval()
    array([1., 2.], dtype=float32)
    """
    _check_device(device)
    x = as_tensor(obj)
    return x if dtype is None else x.astype(dtype)


def astype(
    x: TensorVariable, dtype: DTypeLike, /, *, copy: bool = True, device: None = None
) -> TensorVariable:
    """`x` in another dtype. Raises ValueError for a device."""
    _check_device(device)
    return x.astype(dtype)


def reshape(x: TensorLike, /, shape: SizesLike, *, copy: bool | None = None) -> TensorVariable:
    """`x` with another shape; whether it is copied is up to the backend."""
    return shapes.reshape(x, shape)


def expand_dims(x: TensorLike, /, *, axis: int = 0) -> TensorVariable:
    """`x` with an axis more, of length 1."""
    return shapes.expand_dims(x, axis)


def clip(
    x: TensorLike, /, min: TensorLike | None = None, max: TensorLike | None = None
) -> TensorVariable:
    """`x`, but where it is below `min` or above `max`, that."""
    return limits.clip(x, min, max)


def std(
    x: TensorLike, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> TensorVariable:
    """Standard deviation; divided by the number of elements without `correction`."""
    return moments.std(x, axis, ddof=correction, keepdims=keepdims)


def var(
    x: TensorLike, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> TensorVariable:
    """Variance; divided by the number of elements without `correction`.

    >>> var([1.0, 2.0, 6.0], correction=1).eval()
    array(7.)
    """
    return moments.var(x, axis, ddof=correction, keepdims=keepdims)


def sort(
    x: TensorLike, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> TensorVariable:
    """`x` in order along an axis; NaN last, or first if `descending`.

    >>> sort([1, 3, 2], descending=True).eval()
    array([3, 2, 1])
    """
    result = sorting.sort(x, axis)
    return rearrange.flip(result, axis) if descending else result


def argsort(
    x: TensorLike, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> TensorVariable:
    """Where along an axis what `sort` puts there was; equal elements keep their order.

    >>> argsort([1, 3, 2, 3], descending=True).eval()
    array([1, 3, 2, 0])
    """
    x = as_tensor(x)
    if not descending:
        return sorting.argsort(x, axis)
    backwards = sorting.argsort(rearrange.flip(x, axis), axis)
    places: TensorVariable = x.shape[axis] - 1 - rearrange.flip(backwards, axis)
    return places


def _dtype_of(x: Any) -> Any:
    """The dtype of a tensor, or that has this name; other values as they are."""
    if isinstance(x, TensorVariable):
        return np.dtype(x.dtype)
    return np.dtype(x) if isinstance(x, str) else x


def can_cast(from_: DTypeLike | TensorVariable, to: DTypeLike) -> bool:
    """Whether all values of one dtype are values of another."""
    return np.can_cast(_dtype_of(from_), _dtype_of(to))


def result_type(*arrays_and_dtypes: Any) -> str:
    """The dtype of what arrays and numbers combine to. Raises TypeError if there is none.

    >>> result_type("int32", "float32"), result_type(as_tensor([1.0]), 2)
    ('float64', 'float64')
    """
    return str(np.result_type(*map(_dtype_of, arrays_and_dtypes)))


def finfo(type: DTypeLike | TensorVariable, /) -> np.finfo[Any]:
    """What floating-point numbers of a dtype can be."""
    return np.finfo(_dtype_of(type))


def iinfo(type: DTypeLike | TensorVariable, /) -> np.iinfo[Any]:
    """What integers of a dtype can be."""
    return np.iinfo(_dtype_of(type))


def isdtype(dtype: DTypeLike, kind: str | Sequence[str]) -> bool:
    """Whether a dtype is of a kind, as "real floating", or one of several. See `numpy.isdtype`.

    >>> isdtype("float32", "real floating"), isdtype("float32", ("float64", "integral"))
    (True, False)
    """
    kinds = (kind,) if isinstance(kind, str) else kind
    choices: Any = tuple([np.dtype(k) if k in DTYPES and k != "bool" else k for k in kinds])
    return np.isdtype(np.dtype(dtype), choices)


class __array_namespace_info__:  # the standard's name
    """What this namespace can do, as the standard asks.

    >>> __array_namespace_info__().default_dtypes()["integral"]
    'int64'
    """

    def capabilities(self) -> dict[str, Any]:
        """Boolean indices, and shapes that depend on values, are there."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> None:
        """None: backends decide."""

    def devices(self) -> list[None]:
        """None alone: backends decide."""
        return [None]

    def default_dtypes(self, *, device: None = None) -> dict[str, str]:
        """The dtypes of what is made without saying one. Raises ValueError for a device."""
        _check_device(device)
        return {
            "real floating": "float64",
            "complex floating": "complex128",
            "integral": "int64",
            "indexing": "int64",
        }

    def dtypes(
        self, *, device: None = None, kind: str | Sequence[str] | None = None
    ) -> dict[str, str]:
        """The dtypes of a kind. Raises ValueError for a device."""
        _check_device(device)
        return {name: name for name in DTYPES if kind is None or isdtype(name, kind)}
