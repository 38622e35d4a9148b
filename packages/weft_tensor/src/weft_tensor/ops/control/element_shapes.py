"""The shapes of what the body of a loop gives for one element, told before there is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_graph import FunctionGraph, OpFromGraph, ShapeUnknownError, ancestors, replace
from weft_graph.extend import PythonLinker, shapes_within, toposort
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import Shapes, Tensors
from weft_tensor.ops.shape.length import Length, as_size, lengths_of
from weft_tensor.types.tensor_type import TensorType

__all__ = ["lengths_within", "of_one_shape", "shapes_of_elements", "shapes_of_nothing"]


def shapes_of_elements(
    body: OpFromGraph, moving: Sequence[bool], inputs: Tensors, of_inputs: Shapes
) -> Any:
    """The shapes of the body's results, `of_inputs` being those of its inputs.

    What is not `moving`, the same for all elements, has the value that it has in `inputs`. Raises
    ShapeUnknownError if a shape depends on values that differ from element to element.
    """
    fresh, outputs = body.apart
    shapes = _shapes(outputs, dict(zip(fresh, of_inputs, strict=True)))
    if any(shape is None for shape in shapes):
        raise ShapeUnknownError("the body of a loop has a result whose shape can't be told")
    same = [(v, value) for v, value, m in zip(fresh, inputs, moving, strict=True) if not m]
    sizes = replace([n for shape in shapes for n in shape], dict(same))
    if not set(ancestors(sizes)).isdisjoint(fresh):
        raise ShapeUnknownError("the body of a loop has a result whose shape depends on values")
    left = iter(sizes)
    return [tuple([next(left) for _ in shape]) for shape in shapes]


def of_one_shape(values: Sequence[Any], moving: Sequence[Any], same: Sequence[Any]) -> set[Any]:
    """The tensors among `values` that surely have one shape, whatever is `moving`.

    They are computed of what is moving, which keeps its shapes, and of what is the same.

    >>> from weft_tensor import arange, lscalar, vector
    >>> n, x = lscalar("n"), vector("x")
    >>> of_one_shape([x + 1, arange(n), x[:n]], [x, n], []) == {x + 1}
    True
    """
    tensors = [v for v in values if isinstance(v.type, TensorType)]
    open_ones = [v for v in tensors if None in v.type.shape]
    if not open_ones:
        return set(tensors)
    inputs = [v for v in (*moving, *same) if isinstance(v.type, TensorType)]
    shapes = _shapes(open_ones, {v: [as_size(0).type() for _ in v.type.shape] for v in inputs})
    varying = set(moving)
    for n in toposort([n for shape in shapes for n in shape or ()]):
        if not varying.isdisjoint(n.inputs):
            varying.add(n)
    changing = [
        v
        for v, shape in zip(open_ones, shapes, strict=True)
        if shape is None or not varying.isdisjoint(shape)
    ]
    return set(tensors).difference(changing)


def _shapes(outputs: Sequence[Any], of_inputs: dict[Any, Any]) -> list[Any]:
    """The shapes of `outputs` by those of inputs, and by values; None where not told."""
    inside = ancestors(outputs)
    shape_of = {**dict(zip(inside, shapes_within(inside, of_inputs), strict=True)), **of_inputs}
    shapes = [shape_of[v] for v in outputs]
    sizes = [as_tensor(n) for shape in shapes for n in shape or ()]
    while lengths := {
        v: as_tensor(shape_of[v.inputs[0]][v.op.axis])
        for v in ancestors(sizes)
        if isinstance(v.op, Length) and shape_of.get(v.inputs[0]) is not None
    }:
        sizes = [as_tensor(n) for n in replace(sizes, lengths)]
    left = iter(sizes)
    return [None if shape is None else tuple([next(left) for _ in shape]) for shape in shapes]


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
    of_inputs = [lengths_of(v)[more:] for v, more in zip(inputs, axes, strict=True)]
    try:
        shapes = shapes_of_elements(body, moving, inputs, of_inputs)
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
