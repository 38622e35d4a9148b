"""A nested structure of tensors as one vector, and back."""

from __future__ import annotations

from math import prod
from typing import Any

from weft_graph.extend import leaves_like
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.structures import flat, is_data, packed
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.types.dtypes import promote

__all__ = ["StateVector"]


class StateVector:
    """How the elements of structures like `y0` stand in a vector of one dtype.

    Of a complex leaf first the real parts stand there, then the imaginary ones. The leaves have
    floating dtypes: integers become float64.

    >>> layout = StateVector({"a": 1.0, "b": [2.0, 3.0]}, "f")
    >>> layout.vector({"a": 4.0, "b": [5.0, 6.0]}).eval()
    array([4., 5., 6.])
    """

    def __init__(self, y0: Any, name: str) -> None:
        self.name = name
        start = as_tensor(y0) if is_data(y0) else y0
        self.first = [as_floating(v) for v in flat(start, "y0")[0]]
        self.like = packed(start, self.first)
        self.dtype = promote([v.real.dtype for v in self.first])
        self.shapes = [[_as_number(n) for n in lengths_of(v)] for v in self.first]

        self.parts = 2 if any(v.is_complex for v in self.first) else 1

    def vector(self, structure: Any) -> TensorVariable:
        """The elements of a structure; TypeError for another, or leaves of other ranks."""
        where = f"{self.name}: what the function returns"
        leaves = [as_tensor(v) for v in leaves_like(structure, self.like, where)]
        for v, like in zip(leaves, self.first, strict=True):
            if v.ndim != like.ndim:
                raise TypeError(f"{where} must be of the rank of {like.type}, not {v.type}")
        parts = []
        for v, like, shape in zip(leaves, self.first, self.shapes, strict=True):
            if v.is_complex and not like.is_complex:
                raise TypeError(f"{where} must be real as y0 is, not {v.type}: make y0 complex")
            flat_v = reshape(specify_shape(v, shape), (prod(shape),))
            both = (flat_v.real, flat_v.imag) if like.is_complex else (flat_v,)
            parts += [part.astype(self.dtype) for part in both]
        return parts[0] if len(parts) == 1 else concatenate(parts)

    def structure(self, vector: TensorVariable, axes: int = 0) -> Any:
        """The structure whose elements stand in the last axis, after `axes` others."""
        before = lengths_of(vector)[:axes]
        leaves: list[TensorVariable] = []
        start: Any = 0
        for like, shape in zip(self.first, self.shapes, strict=True):
            size = prod(shape)
            parts = []
            for _ in range(2 if like.is_complex else 1):
                alone = len(self.first) == 1 and not like.is_complex
                part = vector if alone else index(vector, (..., slice(start, start + size)))
                parts.append(reshape(part, (*before, *shape)))
                start = start + size
            whole = parts[0] + 1j * parts[1] if like.is_complex else parts[0]
            leaves.append(whole.astype(like.dtype))
        return packed(self.like, leaves)


def _as_number(length: Any) -> Any:
    """The number that a length is known to be, so that those of parts are known as well."""
    number = static_length(length)
    return number if isinstance(number, int) else length
