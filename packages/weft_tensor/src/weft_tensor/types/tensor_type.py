"""TensorType: the dtype of an array, and what is known of its shape."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from reprlib import repr as brief
from typing import TYPE_CHECKING, Any

import numpy as np

from weft_graph import Type, Variable, constant
from weft_tensor.types.as_array import as_array
from weft_tensor.types.dtypes import DTYPES, DTypeLike, as_dtype
from weft_tensor.types.number_fit import advice, as_numbers
from weft_tensor.types.sample_values import close_arrays, draw_array, length_of
from weft_tensor.types.symbolic_dims import (
    Dim,
    Length,
    ShapeLike,
    as_lengths,
    provably_differ,
    show_shape,
)

if TYPE_CHECKING:
    from random import Random

__all__ = ["TensorType"]

_SMALL = 1024
"""Up to this many bytes, constants are equal by content."""
_SHORT = 64
"""Up to this many elements, constants may be written out."""
_PYTHONS = {"float64": float, "bool": bool}
_EXACTLY = {name: (np.dtype(name).type, _PYTHONS.get(name)) for name in DTYPES}
"""The classes of scalars that are of a dtype as they are."""


class TensorType(Type):
    """Arrays of one dtype and rank; each length is known, named or unknown.

    Parameters
    ----------
    dtype
        Anything that `numpy.dtype` takes, of the dtypes in `weft_tensor.types.dtypes.DTYPES`.
    shape
        One entry per axis: an int, a name or expression ("n", "2*n"), or None; of a vector also
        the length alone. Axes of the same name have the same length in a whole function.

    Examples
    --------
    >>> t = TensorType("float64", ("n", 3))
    >>> str(t), t.ndim, t is TensorType(float, ("n", 3))
    ('float64[n, 3]', 2, True)
    """

    __props__ = ("dtype", "shape")
    dtype: str
    shape: tuple[Length, ...]

    def __init__(self, dtype: DTypeLike, shape: ShapeLike = ()) -> None:
        self.__dict__.update(dtype=as_dtype(dtype), shape=as_lengths(shape))

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def numpy_dtype(self) -> np.dtype:
        """The dtype as NumPy has it."""
        return np.dtype(self.dtype)

    @property
    def broadcastable(self) -> tuple[bool, ...]:
        """For every axis, whether its length is known to be 1."""
        return tuple(length == 1 for length in self.shape)

    @property
    def differentiable(self) -> bool:  # type: ignore[override]  # depends on the dtype here
        """True for floating and complex dtypes."""
        return self.dtype.startswith(("float", "complex"))

    def filter(self, value: object) -> np.ndarray:
        """`value` as an array of this type, converted only where nothing can be lost.

        Raises TypeError for another dtype or rank, ValueError for another length.
        """
        kind = type(value)
        if kind is np.ndarray:
            array: np.ndarray = value  # type: ignore[assignment]  # that is its class
        elif not self.shape and kind in _EXACTLY[self.dtype]:
            return np.array(value)
        else:
            array = self._array(value)
        if array.dtype != self.dtype:
            if not np.can_cast(array.dtype, self.dtype, "safe"):
                raise TypeError(
                    f"expected {self}, got dtype {array.dtype}: "
                    + advice(value, array.dtype, self.dtype)
                )
            array = array.astype(self.dtype)
        if array.ndim != self.ndim:
            raise TypeError(f"expected {self}, which has rank {self.ndim}, got {_shown(array)}")
        for axis, length in enumerate(self.shape):
            if isinstance(length, int) and array.shape[axis] != length:
                raise ValueError(
                    f"expected {self}, got {_shown(array)}: axis {axis} must have length {length}"
                )
        return array

    def _array(self, value: object) -> np.ndarray:
        """`value`, which is no plain array, as one; Python numbers take this dtype."""
        if isinstance(value, Variable):
            raise TypeError(f"expected a value of type {self}, got the variable {value!r}")
        weak = type(value) in (bool, int, float, complex, list, tuple)
        try:
            array = as_array(value)
        except ValueError as error:
            raise TypeError(f"expected {self}, got {brief(value)}: {error}") from None
        if array.dtype == self.dtype or not weak:
            return array
        try:
            return as_numbers(array, self.dtype)
        except TypeError as error:
            raise TypeError(f"expected {self}, but {error}") from None

    def narrowed(self, value: object) -> object:
        """Numbers in this dtype, also where digits, or what is behind the point, are lost.

        Raises TypeError for complex numbers that are to be real.
        """
        array = value if isinstance(value, (Variable, np.ndarray)) else as_array(value)
        if isinstance(array, Variable) or str(array.dtype) not in DTYPES:
            return value
        if array.dtype.kind == "c" and not self.dtype.startswith("complex"):
            raise TypeError(f"expected {self}, got {_shown(array)}: take its real part")
        with np.errstate(invalid="ignore", over="ignore"):
            return array.astype(self.dtype)

    def guard(self, name: str, namespace: dict[str, object]) -> str:
        """Exact array class, dtype, rank and known lengths."""
        namespace["ndarray"] = np.ndarray
        return f"type({name}) is ndarray and {self.guard_of_array(name, namespace)}"

    def guard_of_array(self, name: str, namespace: dict[str, object]) -> str:
        """The source of an expression: whether an array, of any class, is of this type."""
        dtype = f"dtype_{self.dtype}"
        namespace[dtype] = self.numpy_dtype
        tests = [f"{name}.dtype is {dtype}", f"{name}.ndim == {self.ndim}"]
        tests += [f"{name}.shape[{i}] == {n}" for i, n in enumerate(self.shape) if type(n) is int]
        return " and ".join(tests)

    def shortcut(self, name: str, namespace: dict[str, object]) -> str:
        """Arrays of numbers that are of this dtype as they are, and of Python's where they fit."""
        if self.shape:
            return ""
        exactly = f"_exactly_{self.dtype}"
        namespace |= {"_array": np.array, exactly: _EXACTLY[self.dtype]}
        fits = f" or type({name}) is int and {-(2**63)} <= {name} < {2**63}"
        return f"_array({name}) if type({name}) in {exactly}{fits * (self.dtype == 'int64')} else "

    def symbols(self, name: str) -> tuple[tuple[str, str], ...]:
        """The named lengths, and where to find them."""
        places = [
            (str(n), f"{name}.shape[{k}]") for k, n in enumerate(self.shape) if isinstance(n, Dim)
        ]
        return tuple(places)

    def summary(self, value: object) -> str:
        """Dtype and shape; the value itself for rank 0, where it is known."""
        dtype = getattr(value, "dtype", type(value).__name__)
        shape = getattr(value, "shape", ())
        if shape:
            return f"{dtype} array of shape {tuple(shape)}"
        has_dtype = isinstance(value, (np.ndarray, np.generic, bool, int, float, complex))
        return f"{dtype} {value}" if has_dtype else f"{dtype} scalar"

    def check_value(self, value: object) -> None:
        """Exact dtype, rank and known lengths, of an array or (for rank 0) a NumPy scalar.

        Raises TypeError for another dtype or rank, ValueError for another length.
        """
        if not isinstance(value, (np.ndarray, np.generic)):
            raise TypeError(f"expected {self}, got {value!r}, a {type(value).__name__}")
        if value.dtype != self.numpy_dtype:
            raise TypeError(f"expected {self}, got {_shown(value)}")
        self.filter(value)

    def close_values(self, before: object, after: object) -> bool:
        """Same dtype and shape; elements equal but for rounding, where `before` is finite."""
        return close_arrays(np.asarray(before), np.asarray(after))

    def draw(self, random: Random, lengths: dict[str, int]) -> np.ndarray:
        """Small numbers; unknown lengths are 3, named ones 2 to 4."""
        shape = [length_of(n, random, lengths) for n in self.shape]
        return draw_array(self.dtype, shape, random)

    def is_true(self, value: np.ndarray) -> bool:
        """Whether all elements are true."""
        return bool(np.all(value))

    def finish(self, value: object) -> np.ndarray:
        """`value` as an array, also where NumPy made a scalar of it or repeats by strides."""
        array = np.asarray(value)
        return array if array.flags.writeable or 0 not in array.strides else np.array(array)

    def copy(self, value: np.ndarray) -> np.ndarray:
        """A new array."""
        return np.array(value)

    def may_share(self, value: Any, others: Sequence[Any]) -> bool:
        """Whether `value` may have memory of one of `others`, or one of them is no array."""
        return type(value) is not np.ndarray or any(
            type(x) is not np.ndarray or np.may_share_memory(value, x) for x in others
        )

    def freeze(self, value: np.ndarray) -> np.ndarray:
        """`value` as an array that nobody can write to."""
        if value.flags.writeable or value.base is not None:
            value = np.array(value)
            value.flags.writeable = False
        return value

    def equal_values(self, a: np.ndarray, b: np.ndarray) -> bool:
        """Same dtype, shape and elements; NaN equals NaN."""
        return bool(a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))

    def constant_key(self, value: np.ndarray) -> Hashable:
        """The content of small arrays, the identity of large ones."""
        if value.nbytes <= _SMALL:
            return value.shape, value.tobytes()
        return "large", id(value)

    def digest_of(self, value: np.ndarray) -> bytes:
        """Dtype, shape and a hash of the elements' bytes, in little-endian order."""
        from hashlib import blake2b  # OpenSSL with it: 3 ms that few need

        array = np.ascontiguousarray(value, value.dtype.newbyteorder("<"))
        content = blake2b(array.reshape(-1).view(np.uint8).data).digest()
        return f"{array.dtype.str}{value.shape}".encode() + content

    def literal(self, value: np.ndarray) -> object:
        """The Python number, for arrays of rank 0."""
        return value.item() if value.ndim == 0 else None

    def plain(self, value: np.ndarray) -> object:
        """The elements of small arrays, in nested lists."""
        return value.tolist() if value.size <= _SHORT else None

    def format(self, value: np.ndarray) -> str:
        """The value if it is small, else its shape."""
        if value.ndim == 0:
            return repr(value.item())
        if value.size <= 6:
            return str(value.tolist())
        return f"constant{show_shape(value.shape)}"

    def accepts(self, other: Type) -> bool:
        """Same dtype and rank, and no lengths that are known to differ: a name may be a number."""
        return self is other or (
            isinstance(other, TensorType)
            and self.dtype == other.dtype
            and self.ndim == other.ndim
            and not any(
                type(n) is type(m) and provably_differ(n, m)
                for n, m in zip(self.shape, other.shape, strict=True)
            )
        )

    def zeros_like(self, x: Any) -> Any:
        """Zeros of the shape of `x`."""
        return x.zeros_like()

    def seed(self, cost: Variable) -> Variable:
        """The constant 1 for a scalar of a real dtype; TypeError for others."""
        if self.ndim:
            raise TypeError(
                f"the cost must be a scalar, but {cost!r} has rank {self.ndim}: "
                "take its sum or mean, or use `pullback` with a cotangent"
            )
        if not self.dtype.startswith("float"):
            raise TypeError(f"the cost must be real and floating, but {cost!r} is {self.dtype}")
        return constant(self, np.ones((), self.dtype))  # type: ignore[no-any-return]  # `constant` of any Type

    def add(self, a: Any, b: Any) -> Any:
        """Elementwise."""
        return a + b

    def spelling(self) -> str:
        """The dtype and, in brackets, the lengths."""
        return str(self)

    @classmethod
    def from_spelling(cls, text: str) -> TensorType | None:
        """The type that is shown as `text`.

        >>> TensorType.from_spelling("int8[n, ?]")
        TensorType(dtype='int8', shape=(n, None))
        """
        dtype, bracket, rest = text.partition("[")
        if dtype not in DTYPES or bool(bracket) != rest.endswith("]"):
            return None
        lengths = [n.strip() for n in re.split(r",(?![^(]*\))", rest[:-1]) if n.strip()]
        return cls(dtype, [None if length == "?" else length for length in lengths])

    def __str__(self) -> str:
        return self.dtype + (show_shape(self.shape) if self.shape else "")


def _shown(array: np.ndarray | np.generic) -> str:
    return f"{array.dtype} array of shape {array.shape}"
