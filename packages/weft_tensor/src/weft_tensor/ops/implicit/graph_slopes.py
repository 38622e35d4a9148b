"""Derivatives of a graph at other variables, and results as leaves of structures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from weft_graph import OpFromGraph
from weft_graph.extend import leaves_like
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.structures import packed
from weft_tensor.ops.creation.creation import zeros_like

__all__ = ["GraphSlopes", "leaves_of", "of_structures"]


def leaves_of(value: Any, like: Any, templates: Sequence[Any], what: str) -> list[TensorVariable]:
    """The leaves of what a function returned, of the dtypes and ranks of `templates`."""
    leaves = [as_tensor(v) for v in leaves_like(value, like, what)]
    for v, other in zip(leaves, templates, strict=True):
        if (v.dtype, v.ndim) != (other.dtype, other.ndim):
            raise TypeError(f"{what} must be of the dtype and rank of {other.type}, not {v.type}")
    return leaves


def of_structures(
    like: Any, function: Callable[[Sequence[Any]], Sequence[Any]]
) -> Callable[[Any], Any]:
    """`function`, of lists, as one of structures."""
    return lambda v: packed(
        like, function([as_tensor(part) for part in leaves_like(v, like, "what it is given")])
    )


class GraphSlopes:
    """Derivatives of a graph, by the first `count` inputs and by others."""

    def __init__(self, op: OpFromGraph, count: int) -> None:
        self.op, self.count = op, count

    def _derivative(
        self,
        mode: Literal["pullback", "pushforward"],
        values: Sequence[Any],
        seeds: Sequence[Any],
    ) -> list[Any]:
        present = tuple([k for k, v in enumerate(seeds) if v is not None])
        derivative, places = self.op.derivative(mode, present)
        if derivative is None:
            return [None for _ in places]
        results = derivative.body([*values, *[seeds[k] for k in present]])
        return [results[p] if isinstance(p, int) else None for p in places]

    def moved(self, at: Sequence[Any], others: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
        """Tangents of the results; None for zero."""
        return self._derivative("pushforward", [*at, *others], tangents)

    def pulled(
        self, at: Sequence[Any], others: Sequence[Any], cotangents: Sequence[Any]
    ) -> list[Any]:
        """Cotangents of all inputs; None for zero."""
        return self._derivative("pullback", [*at, *others], cotangents)

    def linear(self, at: Sequence[Any], others: Sequence[Any]) -> Callable[..., list[Any]]:
        """How results move with the first inputs."""

        def product(v: Sequence[Any]) -> list[Any]:
            changes = self.moved(at, others, [*v, *[None] * len(others)])
            return [zeros_like(x) if m is None else m for x, m in zip(at, changes, strict=True)]

        return product

    def product(self, others: Sequence[Any]) -> Callable[..., list[Any]]:
        """The graph itself, which is linear."""
        return lambda v: self.op.body([*v, *others])

    def transposed(self, others: Sequence[Any]) -> Callable[..., list[Any]]:
        """The transpose of the graph, which is linear."""

        def product(v: Sequence[Any]) -> list[Any]:
            at = [zeros_like(x) for x in v]
            slopes = self.pulled(at, others, v)[: self.count]
            return [zeros_like(x) if m is None else m for x, m in zip(v, slopes, strict=True)]

        return product
