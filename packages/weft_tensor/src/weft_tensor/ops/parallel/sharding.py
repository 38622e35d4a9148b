"""`shard`: how a value within a graph is divided among the devices of a mesh."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft_graph.extend import Identity
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import Cotangents, Examples, Tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.parallel.mesh import Spec, as_spec
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Shard", "shard"]


class Shard(Identity):
    """The identity, with a wish on which devices the parts of the value are."""

    spec: Spec

    def infer(self, *types: TensorType) -> TensorType:
        """The same type."""
        (x,) = types
        if len(self.spec) != x.ndim:
            raise ValueError(f"{self} is for tensors of rank {len(self.spec)}, not {x.ndim}")
        return TensorType(x.dtype, x.shape)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The cotangent, divided in the same way."""
        return [self(cotangents[0])]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """The tangent, divided in the same way."""
        return [self(tangents[0])]

    @classmethod
    def examples(cls) -> Examples:
        """Divided along one axis, along two together, not at all."""
        x = np.arange(6.0).reshape(2, 3)
        return [
            (cls((("data",), ())), [x]),
            (cls((("data", "model"),)), [x[0]]),
            (cls(()), [np.array(2.5)]),
        ]

    def __str__(self) -> str:
        return f"shard[{', '.join('*'.join(names) or 'None' for names in self.spec)}]"


def shard(x: TensorLike, *spec: str | Sequence[str] | None) -> TensorVariable:
    """`x`, divided along its axes among devices: a wish, which changes no value.

    It counts where the graph is compiled for a mesh (`weft_jax.JAX`); elsewhere it is the
    identity. What is computed from the result tends to be divided in the same way.

    Parameters
    ----------
    x
        A tensor.
    *spec
        For each of its axes the name of an axis of the mesh, several names, or None; those
        at the end may be left out.

    Examples
    --------
    >>> from weft_tensor import matrix
    >>> shard(matrix("X"), "data")
    <shard[data, None] : float64[?, ?]>
    """
    tensor = as_tensor(x)
    return Shard(as_spec(spec, tensor.ndim, "shard:"))(tensor)
