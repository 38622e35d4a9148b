"""Values as tensor variables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from reprlib import repr as brief
from typing import Any

from weft_graph import AnyType, Constant, Variable
from weft_graph import constant as graph_constant
from weft_graph.extend import apply
from weft_tensor.build.applied import applied
from weft_tensor.build.stack import Stack
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.types.as_array import as_array
from weft_tensor.types.dtypes import DTypeLike, as_dtype, is_weak, promote, weak_dtype
from weft_tensor.types.number_fit import advice
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "as_floating",
    "as_floatings",
    "as_tensor",
    "as_tensor_variable",
    "as_tensors",
    "beside_complex",
    "constant",
]


def constant(value: TensorLike, dtype: DTypeLike | None = None) -> TensorVariable:
    """`value` as a constant tensor.

    Python numbers are int64, float64 or complex128 unless `dtype` says otherwise. Raises
    TypeError for what is no array of a dtype that tensors have.

    >>> constant([1, 2, 3])
    <[1, 2, 3] : int64[3]>
    """
    # a part of a complex number may be -0.0, equal to 0.0
    if isinstance(value, (int, float)) and is_weak(value) and value:
        return _number(type(value).__name__, value, None if dtype is None else as_dtype(dtype))
    return _array_constant(value, dtype)


@lru_cache(maxsize=4096)
def _number(kind: str, value: complex, dtype: str | None) -> TensorVariable:
    return _array_constant(value, dtype)


def _array_constant(value: TensorLike, dtype: DTypeLike | None) -> TensorVariable:
    array = as_array(value, None if dtype is None else as_dtype(dtype))
    try:
        kind = TensorType(array.dtype, array.shape)
    except TypeError:
        raise TypeError(
            f"{brief(value)} is no tensor: as an array, its dtype is {array.dtype}: "
            + advice(value, array.dtype, "float64" if dtype is None else as_dtype(dtype))
        ) from None
    tensor: TensorVariable = graph_constant(kind, array)
    return tensor


def as_tensor(value: TensorLike, dtype: DTypeLike | None = None) -> TensorVariable:
    """`value` as a tensor variable: itself, a constant, or a stack of variables.

    Raises TypeError for what is no tensor, and for a variable of another dtype than
    `dtype`.

    >>> as_tensor(2.5)
    <2.5 : float64>
    """
    if isinstance(value, Variable):
        if not isinstance(value.type, (TensorType, AnyType)):
            raise TypeError(f"{value!r} is no tensor")
        tensor: Any = value  # or of a pattern, which has no dtype
        if dtype is not None and tensor.type.dtype != as_dtype(dtype):
            raise TypeError(f"{value!r} is not of dtype {as_dtype(dtype)}: use `cast`")
        checked: TensorVariable = tensor
        return checked
    if isinstance(value, (list, tuple)) and _holds_variable(value):
        return applied(Stack(), as_tensors(value))
    return constant(value, dtype)


as_tensor_variable = as_tensor


def as_floating(value: TensorLike) -> TensorVariable:
    """`value` as a tensor of real or complex numbers: integers become float64.

    >>> as_floating([1, 2]), as_floating(TensorType("int8", (None,))("n")).dtype
    (<[1.0, 2.0] : float64[2]>, 'float64')
    """
    x = as_tensor(value)
    if x.type.differentiable:
        return x
    return constant(x.op.value, "float64") if isinstance(x.op, Constant) else x.astype("float64")


def as_floatings(values: Sequence[TensorLike]) -> tuple[TensorVariable, ...]:
    """`as_tensors`, all of the dtype of real or complex numbers that they have together.

    >>> [v.type.dtype for v in as_floatings([constant(1.0, "float32"), constant(2, "int8")])]
    ['float32', 'float32']
    """
    items = as_tensors(values)
    kind = promote([v.type.dtype for v in items])
    if kind[0] in "fc":
        return tuple([v.astype(kind) for v in items])
    return tuple([as_floating(v) for v in items])


def as_tensors(values: Sequence[TensorLike]) -> tuple[TensorVariable, ...]:
    """`values` as tensors; Python numbers take their dtype from the others (NumPy 2).

    Raises TypeError for what is no tensor.

    >>> [v.type.dtype for v in as_tensors([constant(1.0, "float32"), 2])]
    ['float32', 'float32']
    """
    items: Any = values
    for v in values:
        if not isinstance(v, Variable) or type(v.type) is not TensorType:
            break
    else:
        return tuple(items)
    dtypes: list[str] = []
    for v in values:
        if isinstance(v, Variable) and type(v.type) is TensorType:
            dtypes.append(v.type.dtype)
        elif not is_weak(v):
            return _converted(values)
    others = tuple(dtypes)
    return tuple([v if isinstance(v, TensorVariable) else _among(v, others) for v in items])


def beside_complex(xs: Sequence[TensorLike]) -> tuple[TensorVariable, ...]:
    """As tensors; beside a complex one, the last, Python's real numbers are real, of its digits.

    >>> [x.dtype for x in beside_complex((0.5, as_tensor(1j).astype("complex64")))]
    ['float32', 'complex64']
    """
    *others, place = xs
    (z,) = as_tensors((place,))
    return (*[as_tensors((x, z.real))[0] for x in others], z)


def _converted(values: Sequence[TensorLike]) -> tuple[TensorVariable, ...]:
    """The same where there are arrays, sequences, patterns or what is no tensor."""
    tensors: list[Any] = [None if is_weak(v) else as_tensor(v) for v in values]
    types: list[Any] = [v.type for v in tensors if v is not None]
    for kind in types:
        if isinstance(kind, AnyType):
            tensors = [
                apply(Constant(kind, v), ()) if s is None else s
                for v, s in zip(values, tensors, strict=True)
            ]
            return tuple(tensors)
    dtypes = tuple([t.dtype for t in types])
    numbers: Any = values
    return tuple(
        [_among(v, dtypes) if s is None else s for v, s in zip(numbers, tensors, strict=True)]
    )


def _among(value: complex, dtypes: tuple[str, ...]) -> TensorVariable:
    """The Python number `value` as a constant of the dtype that it takes among `dtypes`."""
    # equal zeros may differ by their signs
    if type(value) is int or (value and type(value) is not complex):
        return _number_among(value, dtypes)
    return constant(value, weak_dtype(value, dtypes))


@lru_cache(maxsize=4096, typed=True)
def _number_among(value: complex, dtypes: tuple[str, ...]) -> TensorVariable:
    return constant(value, weak_dtype(value, dtypes))


def _holds_variable(values: Sequence[TensorLike]) -> bool:
    return any(
        isinstance(v, Variable) or (isinstance(v, (list, tuple)) and _holds_variable(v))
        for v in values
    )
