"""Slices that begin or end at variables: their lengths are inputs, which JAX must know."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph import Apply, Constant, Rule, RuleBook, Variable
from weft_graph.extend import apply
from weft_jax.analysis.static_values import is_of_numbers, static_positions
from weft_jax.lowering.dispatch import has_function
from weft_tensor import (
    Index,
    IndexUpdate,
    OrderStatistics,
    Sort,
    TensorOp,
    TensorType,
    TensorVariable,
    moveaxis,
)
from weft_tensor.extend import (
    ARRAY,
    NEW,
    SCALAR,
    Shapes,
    Slice,
    SliceLength,
    Value,
    lengths_of,
)

__all__ = ["SizedSubscript", "book"]


class SizedSubscript(TensorOp):
    """An Index or IndexUpdate whose slices begin or end at variables.

    The lengths of such slices are further inputs: they must be known numbers while JAX
    traces, whereas the beginnings need not.
    """

    op: Index | IndexUpdate
    sized: int

    @property
    def view_of(self) -> tuple[int, ...]:  # type: ignore[override]  # it depends on the Op
        """As of the original Op: what has memory of its own need not be copied."""
        return self.op.view_of

    def infer_from(self, *inputs: TensorVariable) -> TensorType:
        """The type of the original Op."""
        return self.op.infer_from(*inputs[: -self.sized])

    def impl(self, *values: np.ndarray) -> Value:
        """By the original Op."""
        return self.op.impl(*values[: -self.sized])

    def infer_shape(self, fgraph: object, node: Apply, input_shapes: Shapes) -> Shapes:
        """The shape by the original Op."""
        original: Any = Apply.of(apply(self.op, tuple(node.inputs[: -self.sized])))
        return self.op.infer_shape(fgraph, original, input_shapes[: -self.sized])

    def __str__(self) -> str:
        return str(self.op)


@static_positions.register(SizedSubscript)
def _(op: SizedSubscript, node: Variable) -> frozenset[int]:
    """The lengths, and where slices begin and end if lengths say that."""
    count = len(node.inputs)
    of_lengths = {k for k in range(1, count - op.sized) if is_of_numbers(node.inputs[k], Constant)}
    return frozenset(of_lengths | {*range(count - op.sized, count)})


@static_positions.register(Index)
@static_positions.register(IndexUpdate)
def _(op: Any, node: Variable) -> frozenset[int]:
    """None: where slices have variables, SizedSubscript takes the place of these Ops."""
    return frozenset()


def _sized(node: Variable) -> Variable | None:
    op = node.op
    assert isinstance(op, Index | IndexUpdate)
    dynamic = [(k, e) for k, e in enumerate(op.entries) if isinstance(e, Slice) and SCALAR in e]
    if not dynamic:
        return None
    skipped = 1 if isinstance(op, Index) else 2
    values = iter(node.inputs[skipped:])
    lengths = []
    axes = iter(lengths_of(node.inputs[0]))
    for e in op.entries:
        if e == NEW:
            continue
        n = next(axes)
        if isinstance(e, Slice):
            variables = [next(values) for p in e if p == SCALAR]
            if variables:
                lengths.append(SliceLength(e)(n, *variables))
        elif e in (SCALAR, ARRAY):
            next(values)
    return SizedSubscript(op, len(lengths))(*node.inputs, *lengths)


def _opened(node: Variable) -> Variable | None:
    """The expansion of what JAX has no function for: slices in it are to have lengths, too."""
    op: Any = node.op
    return None if op.primitive or has_function(op) else op.expanded(*node.inputs)


def _from_short_lanes(node: Variable) -> Variable | None:
    """One place of what is sorted, without the others."""
    (lanes, *_), op = node.inputs, node.op
    assert isinstance(op, Index)
    if not isinstance(lanes.op, Sort) or not isinstance(lanes.type, TensorType):
        return None
    axis, n = lanes.op.axis, lanes.type.shape[lanes.op.axis]
    places = [(k, e) for k, e in enumerate(op.entries) if not (isinstance(e, Slice) and e.is_full)]
    if len(places) != 1 or not isinstance(n, int) or n > _SHORT:
        return None
    ((where, place),) = places
    if where != axis or not isinstance(place, int) or lanes.type.dtype.startswith("complex"):
        return None
    return OrderStatistics()(moveaxis(lanes.inputs[0], axis, -1), [place % n])[..., 0]


_SHORT = 32
"""Of so many numbers at most, JAX has one place by a network of comparisons."""


book = RuleBook(
    "jax",
    [
        Rule(Index, _from_short_lanes, name="place in short lanes"),
        Rule(TensorOp, _opened, name="expansion"),
        Rule(Index, _sized, name="sized index"),
        Rule(IndexUpdate, _sized, name="sized update"),
    ],
)
"""Gives slices that begin or end at variables their lengths as inputs."""
