"""The shapes of what the body of a loop gives for one element, told before there is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_graph import FunctionGraph, OpFromGraph, ShapeUnknownError, ancestors, replace
from weft_graph.extend import PythonLinker, shapes_within
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import Shapes, Tensors
from weft_tensor.ops.shape.length import Length, lengths_of
from weft_tensor.types.tensor_type import TensorType

__all__ = ["lengths_within", "shapes_of_elements", "shapes_of_nothing"]


def shapes_of_elements(
    body: OpFromGraph, moving: Sequence[bool], inputs: Tensors, known: Shapes
) -> Any:
    """The shapes of the body's results, `known` being those of its inputs.

    What is not `moving`, the same for all elements, has the value that it has in `inputs`. Raises
    ShapeUnknownError if a shape depends on values that differ from element to element.
    """
    fresh = [v.type() for v in body.graph.inputs]
    outputs = body.body(fresh)
    inside = ancestors(outputs)
    given = dict(zip(fresh, known, strict=True))
    shape_of = {**dict(zip(inside, shapes_within(inside, given), strict=True)), **given}
    shapes = [shape_of[v] for v in outputs]
    if any(shape is None for shape in shapes):
        raise ShapeUnknownError("the body of a loop has a result whose shape can't be told")
    sizes = [as_tensor(n) for shape in shapes for n in shape]
    while lengths := {
        v: as_tensor(shape_of[v.inputs[0]][v.op.axis])
        for v in ancestors(sizes)
        if isinstance(v.op, Length) and shape_of.get(v.inputs[0]) is not None
    }:
        sizes = [as_tensor(n) for n in replace(sizes, lengths)]
    same = [(v, value) for v, value, m in zip(fresh, inputs, moving, strict=True) if not m]
    sizes = [as_tensor(n) for n in replace(sizes, dict(same))]
    if not set(ancestors(sizes)).isdisjoint(fresh):
        raise ShapeUnknownError("the body of a loop has a result whose shape depends on values")
    left = iter(sizes)
    return [tuple([next(left) for _ in shape]) for shape in shapes]


def lengths_within(
    body: OpFromGraph, moving: Sequence[bool], axes: Sequence[bool]
) -> FunctionGraph | None:
    """From the inputs of a loop to the lengths of what its body gives for one element, in order.

    Those inputs have one axis more, the first, that `axes` say. None where the lengths can't be
    told without an element.
    """
    kinds: list[Any] = [v.type for v in body.graph.inputs]
    inputs = [
        (TensorType(kind.dtype, (None, *kind.shape)) if more else kind)()
        for kind, more in zip(kinds, axes, strict=True)
    ]
    known = [lengths_of(v)[more:] for v, more in zip(inputs, axes, strict=True)]
    try:
        shapes = shapes_of_elements(body, moving, inputs, known)
    except ShapeUnknownError:
        return None
    return FunctionGraph(inputs, [n for shape in shapes for n in shape])


def shapes_of_nothing(
    graph: FunctionGraph, body: OpFromGraph, values: Sequence[Any]
) -> list[tuple[int, ...]]:
    """The shapes of what the body would give, for no element, by what `lengths_within` gives."""
    run, _ = PythonLinker().link(graph)
    left = map(int, run(*values))
    kinds: list[Any] = [v.type for v in body.graph.outputs]
    return [tuple([next(left) for _ in range(kind.ndim)]) for kind in kinds]
