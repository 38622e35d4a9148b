"""Types and constants of PyTensor as Weft's."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from pytensor.graph.basic import Constant
from pytensor.graph.basic import Variable as Theirs
from pytensor.scalar.basic import ScalarType
from pytensor.tensor.random.type import RandomGeneratorType
from pytensor.tensor.type import TensorType as TheirTensorType

import weft_tensor as wt
from weft_graph import Type
from weft_pytensor.convert.named_axes import has_named_axes

__all__ = ["KEY", "constant_of", "small_constant", "their_type", "type_of"]

KEY = wt.random.key(0).type
"""What stands for a generator of random numbers: a key."""


def type_of(variable: Theirs) -> wt.TensorType:
    """Weft's type for a variable of PyTensor's.

    Errors: TypeError for what is no array, number or generator.
    """
    theirs = variable.type
    if isinstance(theirs, TheirTensorType) and not hasattr(theirs, "format"):
        return wt.TensorType(theirs.dtype, theirs.shape)
    if has_named_axes(variable):
        return wt.TensorType(theirs.dtype, theirs.shape)
    if isinstance(theirs, ScalarType):
        return wt.TensorType(theirs.dtype, ())
    if isinstance(theirs, RandomGeneratorType):
        return KEY
    raise TypeError(
        f"from_pytensor: {variable} has PyTensor's type {theirs}, which Weft has nothing like: "
        "only arrays, numbers, random generators and constant sparse matrices can be converted"
    )


def their_type(type: Type) -> TheirTensorType:
    """PyTensor's type for one of Weft's: lengths that are no numbers are unknown to it.

    Errors: TypeError for what is no array.
    """
    if not isinstance(type, wt.TensorType):
        raise TypeError(f"to_pytensor: PyTensor has nothing like {type}: only arrays can go there")
    shape = [n if isinstance(n, int) else None for n in type.shape]
    return TheirTensorType(type.dtype, shape)


def constant_of(variable: Constant) -> Any:
    """A constant of Weft, or a sparse matrix of them; slices and None stay what they are."""
    data = variable.data
    if data is None or isinstance(data, slice):
        return data
    if hasattr(variable.type, "format"):
        return wt.sparse.coo_array(data)
    if isinstance(data, np.random.Generator):
        return wt.random.key(int(data.bit_generator.random_raw()) >> 1)
    array = np.asarray(data, dtype=variable.type.dtype)
    if array.size > 1 or not isinstance(variable.type, TheirTensorType):
        return wt.constant(array)
    return small_constant(variable.type.dtype, array.shape, array.tobytes())


@lru_cache(maxsize=1024)
def small_constant(dtype: str, shape: tuple[int, ...], content: bytes) -> Any:
    """The constant with at most one element."""
    return wt.constant(np.frombuffer(content, dtype).reshape(shape))
