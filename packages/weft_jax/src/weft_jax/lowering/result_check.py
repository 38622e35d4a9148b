"""What functions for Ops return, compared with what the Ops promise, while JAX traces them."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from weft_graph import TupleType, Type, Variable
from weft_graph.extend import broken_promise, node_note
from weft_jax.lowering.array_checks import shown
from weft_jax.lowering.dispatch import Lowering
from weft_jax.lowering.x64 import of_dtype
from weft_tensor import TensorType

__all__ = ["kept"]


def kept(function: Lowering, node: Variable) -> Lowering:
    """`function`, whose results are of the types that the Op of `node` promises.

    Numbers without a dtype of their own, as Python's, take the promised one if they can. All
    else is a TypeError: JAX would go on with another dtype or shape.

    >>> import weft_tensor as wt
    >>> y = wt.exp(wt.scalar("x", "float32"))
    >>> kept(lambda x: 1, y)(2.0).dtype
    dtype('float32')
    >>> kept(lambda x: None, y)(2.0)
    Traceback (most recent call last):
    ...
    TypeError: the JAX implementation of exp returned None, but the Op promises float32
    while computing exp : float32
    ...
    """

    def promised(*values: object) -> object:
        result = function(*values)
        try:
            return _as(node.type, result)
        except _OtherError:
            error = broken_promise("JAX", node, _said(result))
            error.add_note(node_note(node, values))
            raise error from None

    return promised


class _OtherError(Exception):
    """A value is not of a type."""


def _as(kind: Type, value: Any) -> Any:
    """`value` as one of `kind`."""
    if type(kind) is TupleType:
        if not isinstance(value, (tuple, list)) or len(value) != len(kind.items):
            raise _OtherError
        return tuple(map(_as, kind.items, value))
    if not isinstance(kind, TensorType):
        return value
    has_dtype = isinstance(value, (jax.Array, np.ndarray, np.generic))
    if not has_dtype and not isinstance(value, (bool, int, float, complex)):
        raise _OtherError
    shape = np.shape(value)
    if len(shape) != kind.ndim or not all(map(_may_be, kind.shape, shape)):
        raise _OtherError
    if has_dtype and value.dtype == kind.dtype:
        return value
    is_weak = value.weak_type if isinstance(value, jax.Array) else not has_dtype
    if not is_weak or jnp.result_type(value, kind.numpy_dtype) != kind.dtype:
        raise _OtherError
    return of_dtype(value, kind.dtype)


def _may_be(promised: object, length: object) -> bool:
    """Whether a length may be the promised one; some are not known while JAX exports."""
    return not (isinstance(promised, int) and isinstance(length, int)) or promised == length


def _said(value: object) -> str:
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}: {', '.join(map(_said, value))}"
    is_array = isinstance(value, (jax.Array, np.ndarray, np.generic))
    return shown(value) if is_array else repr(value)
